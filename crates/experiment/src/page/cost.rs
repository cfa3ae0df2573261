//! Tables of the cost of training and evaluation, of texts and overlaps, and of encoder layers.

use maud::{Markup, html};

use super::sheet::{ReportTable, SheetColumn, SheetField};
use crate::figure_table::FigureTable;
use crate::results::{ResultRow, Results, Usage};
use crate::standing::cell;
use crate::tables;
use crate::units::{bytes, duration, speed};
use majuscule_train::eval::table::thousands;

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

/// Renders a table under a note; `None` if it has no rows.
pub fn noted(note: &str, table: &FigureTable) -> Option<Markup> {
    (!table.rows.is_empty()).then(|| {
        html! {
            p.note { (note) }
            (ReportTable::from(table))
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
    let note = "The centre of gravity is the sum of each layer's number times its weight, the embeddings being layer 0: the higher it is, the higher \
                are the layers that determine the case of words.";
    let table = noted(note, &tables::layers(results))?;
    Some(html! {
        @if let Some(plot) = plot { (plot) }
        (table)
    })
}

fn figure(value: Option<f64>, shown: impl Fn(f64) -> String) -> SheetField {
    SheetField::figure(value, value.map(shown).unwrap_or_default())
}

fn whole(value: Option<u64>, shown: impl Fn(u64) -> String) -> SheetField {
    SheetField::figure(value.map(|value| value as f64), value.map(shown).unwrap_or_default())
}
