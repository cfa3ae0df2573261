//! Tables of the cost of training and evaluation, of texts and overlaps, and of encoder layers.

use maud::{Markup, html};

use super::sheet::{ReportTable, SheetColumn, SheetField};
use crate::over_seeds;
use crate::results::{ResultRow, Results, Usage};
use crate::standing::cell;
use crate::tables::{ALL_WORDS, OVERLAP, OVERLAP_COLUMNS, overlap_figures, training_text};
use crate::units::{bytes, duration, speed};
use crate::what_was_run::{HEADING, table};
use majuscule_text::restorer::LayerWeights;
use majuscule_train::corpus::stats::Tags;
use majuscule_train::eval::table::{percent, thousands};

/// Renders the tables of the cost of training and evaluation; `None` if nothing was measured.
pub fn cost(results: &Results) -> Option<Markup> {
    let (training, evaluation) = (training(results), evaluation(results));
    (!training.is_empty() || !evaluation.is_empty()).then(|| {
        html! {
            p.note {
                "CPU time is that of all threads together; peak memory is the most that was resident at once. Words a second are those of restoring "
                "alone, without loading and scoring."
            }
            @if !training.is_empty() {
                h3 { "Training" }
                (training)
            }
            @if !evaluation.is_empty() {
                h3 { "Evaluation" }
                (evaluation)
            }
        }
    })
}

/// Renders a table over the training runs of rows with several seeds; `None` if there are none.
pub fn over_seeds(results: &Results) -> Option<Markup> {
    let mut sheet = ReportTable::new(over_seeds::HEADING, over_seeds::COLUMNS.map(SheetColumn::words).into());
    over_seeds::rows(results).iter().for_each(|row| sheet.push(row.iter().map(SheetField::words)));
    (!sheet.is_empty()).then(|| {
        html! {
            p.note { (over_seeds::ABOUT) "." }
            (sheet)
        }
    })
}

/// Renders a table of the training behind each row; `None` if nothing is known.
pub fn what_was_run(results: &Results) -> Option<Markup> {
    let (headings, rows) = table(results)?;
    let mut sheet = ReportTable::new(HEADING, headings.into_iter().map(SheetColumn::words).collect());
    rows.into_iter().for_each(|row| sheet.push(row.iter().map(SheetField::words)));
    Some(html! {
        p.note { "From the manifests of the models and the processes that trained them." }
        (sheet)
    })
}

/// Renders a table of the word counts of texts; `None` if the recipe did not ask for them.
pub fn texts(results: &Results) -> Option<Markup> {
    let mut columns = vec![SheetColumn::words("")];
    columns.extend(["sentences", "L", "U", "T", "(T+U)/L %", ALL_WORDS].map(SheetColumn::figures));
    let mut sheet = ReportTable::new("What is in the texts", columns);
    for text in &results.texts {
        let counts = [text.sentences, text.tags.l, text.tags.u, text.tags.t];
        let fields = [SheetField::words(&text.name)].into_iter();
        let fields = fields.chain(counts.map(|count| whole(Some(count), thousands)));
        let ratios = [text.tags.not_l(), text.all.and_then(Tags::not_l)];
        sheet.push(fields.chain(ratios.map(|ratio| figure(ratio, |ratio| percent(Some(ratio / 100.0))))));
    }
    (!sheet.is_empty()).then(|| {
        html! {
            p.note { "Words by their tags: L lower and mixed case, U capitals throughout, T the first letter alone. Counts and the first ratio are of "
            "the words that are scored; the paper's ratio is that of all words, the first of sentences too." }
            (sheet)
        }
    })
}

/// Renders a table of the overlaps of test texts with training texts; `None` if there are none.
pub fn overlaps(results: &Results) -> Option<Markup> {
    let mut columns = vec![SheetColumn::words(""), SheetColumn::words("training text")];
    columns.extend(OVERLAP_COLUMNS.map(SheetColumn::figures));
    let mut sheet = ReportTable::new(OVERLAP, columns);
    for overlap in &results.overlaps {
        let texts = [overlap.tests.join(", "), training_text(overlap)].map(SheetField::words);
        let figures = overlap_figures(overlap).map(|(value, shown)| SheetField::figure(value, shown));
        sheet.push(texts.into_iter().chain(figures));
    }
    (!sheet.is_empty()).then(|| {
        html! {
            p.note { "N-grams are of eight words, without case and marks; sentences of fewer words do not count." }
            (sheet)
        }
    })
}

fn training(results: &Results) -> ReportTable {
    let mut columns = vec![SheetColumn::words(""), SheetColumn::words("method")];
    columns.extend(
        ["lines", "model", "epochs", "CPU time", "on the clock", "peak memory"].map(SheetColumn::figures),
    );
    let mut sheet = ReportTable::new("What training took", columns);
    for row in &results.rows {
        let ResultRow { name, method, bytes: size, lines, training, epochs, .. } = row;
        if size.is_none() && training.is_none() {
            continue;
        }
        sheet.push([
            SheetField::words(name),
            method.as_ref().map_or_else(SheetField::none, SheetField::words),
            whole(*lines, thousands),
            whole(*size, bytes),
            figure(*epochs, |epochs| epochs.to_string()),
            figure(training.and_then(|usage| usage.cpu_seconds), duration),
            figure(training.map(|usage| usage.wall_seconds), duration),
            whole(training.and_then(|usage| usage.peak_bytes), bytes),
        ]);
    }
    sheet
}

fn evaluation(results: &Results) -> ReportTable {
    let mut columns = vec![SheetColumn::words("")];
    for test in &results.tests {
        let under = |name: &str| SheetColumn::figures(name).under(&test.name);
        columns.extend(["words/s", "CPU time", "peak memory"].map(under));
    }
    let mut sheet = ReportTable::new("What evaluation took", columns);
    for (i, row) in results.rows.iter().enumerate() {
        let tested = |t| {
            cell(results, i, t).is_some_and(|cell| cell.usage.is_some() || cell.words_per_second.is_some())
        };
        if !(0..results.tests.len()).any(tested) {
            continue;
        }
        let of_test = |t| {
            let cell = cell(results, i, t);
            let usage: Option<Usage> = cell.and_then(|cell| cell.usage);
            [
                figure(cell.and_then(|cell| cell.words_per_second), speed),
                figure(usage.and_then(|usage| usage.cpu_seconds), duration),
                whole(usage.and_then(|usage| usage.peak_bytes), bytes),
            ]
        };
        sheet.push(
            [SheetField::words(&row.name)].into_iter().chain((0..results.tests.len()).flat_map(of_test)),
        );
    }
    sheet
}

/// Renders the plot of layer weights and a table of their centres of gravity; `None` if no row has layers.
pub fn layers(results: &Results, plot: Option<Markup>) -> Option<Markup> {
    let mut columns = vec![SheetColumn::words("")];
    columns.extend(["layers", "centre of gravity", "by number of layers"].map(SheetColumn::figures));
    let mut sheet = ReportTable::new("Centres of gravity", columns);
    for row in &results.rows {
        let Some(weights) = row.layers.clone().map(LayerWeights) else { continue };
        sheet.push([
            SheetField::words(&row.name),
            whole(Some(weights.layers() as u64), thousands),
            figure(Some(weights.centre()), |centre| format!("{centre:.2}")),
            figure(weights.relative_centre(), |centre| format!("{centre:.2}")),
        ]);
    }
    (!sheet.is_empty()).then(|| {
        html! {
            @if let Some(plot) = plot { (plot) }
            p.note {
                "The centre of gravity is the sum of each layer's number times its weight, the embeddings being layer 0: the higher it is, the higher "
                "are the layers that determine the case of words."
            }
            (sheet)
        }
    })
}

fn figure(value: Option<f64>, shown: impl Fn(f64) -> String) -> SheetField {
    SheetField::figure(value, value.map(shown).unwrap_or_default())
}

fn whole(value: Option<u64>, shown: impl Fn(u64) -> String) -> SheetField {
    SheetField::figure(value.map(|value| value as f64), value.map(shown).unwrap_or_default())
}
