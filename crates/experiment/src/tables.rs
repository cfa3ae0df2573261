//! Writes results as Markdown tables.

use super::matrix::{ALL_TESTS, SLICES, all_tests, ser_of_parts, slices};
use super::over_seeds;
use super::results::{Published, Recognised, ResultCell, ResultRow, Results, TextOverlap, Usage};
use super::standing::{NEAR, Standing, cell, equal, lead, standing};
use super::units::{NONE, bytes, cores, duration, speed};
use super::what_was_run::{self, RunDifference};
use majuscule_text::restorer::LayerWeights;
use majuscule_train::corpus::stats::Tags;
use majuscule_train::eval::table::{TextTable, between, percent, thousands};

/// Writes all tables as Markdown, each under a heading.
pub fn markdown(results: &Results) -> String {
    let mut out = format!("# {}\n\n", plain(&results.title));
    if let Some(source) = &results.source {
        out.push_str(&format!("After {}.\n\n", plain(source)));
    }
    for paragraph in paragraphs(&results.about) {
        out.push_str(&format!("{}\n\n", plain(paragraph)));
    }
    (0..results.tests.len()).for_each(|t| push_test(results, t, &mut out));
    for (heading, tables) in [(ALL_TESTS, all_tests(results)), (SLICES, slices(results))] {
        if !tables.is_empty() {
            out.push_str(&format!("## {heading}\n\n"));
        }
        for table in tables {
            out.push_str(&format!("### {}\n\n{}\n", plain(&table.heading), table.table(plain).markdown()));
        }
    }
    let runs = over_seeds::rows(results);
    if !runs.is_empty() {
        let mut table = TextTable::new(&over_seeds::COLUMNS);
        runs.iter().for_each(|row| table.push(row.iter().map(|cell| plain(cell))));
        let (heading, about) = (over_seeds::HEADING, over_seeds::ABOUT);
        out.push_str(&format!("## {heading}\n\n{}\n{about}.\n\n", table.markdown()));
    }
    if let Some((headings, rows)) = what_was_run::table(results) {
        let mut table = TextTable::new(&headings);
        rows.into_iter().for_each(|row| table.push(row.iter().map(|cell| plain(cell))));
        out.push_str(&format!("## {}\n\n{}\n", what_was_run::HEADING, table.markdown()));
    }
    if !results.texts.is_empty() {
        out.push_str(&format!("## Texts\n\n{}\n", texts(results).markdown()));
    }
    if !results.overlaps.is_empty() {
        out.push_str(&format!("## {OVERLAP}\n\n{}\n", overlaps(results).markdown()));
    }
    out.push_str(&format!("## Cost\n\n{}", cost(results, plain).markdown()));
    if let Some(table) = layers(results) {
        out.push_str(&format!("\n## Layers\n\n{}", table.markdown()));
    }
    if !results.left_out.is_empty() {
        out.push_str("\n## Left out\n\n");
        for row in &results.left_out {
            out.push_str(&format!("- {}: {}\n", plain(&row.name), plain(&row.why)));
        }
    }
    out.push_str(&format!("\nmajuscule {}, {}\n", plain(&results.version), cores(results.cores)));
    out
}

/// Appends the section of test `t`.
fn push_test(results: &Results, t: usize, out: &mut String) {
    let test = &results.tests[t];
    out.push_str(&format!("## {}\n\n", plain(&test.name)));
    if let Some(lead) = lead(results, t) {
        out.push_str(&format!(
            "{} has the least SER, {} %: {}.\n\n",
            plain(lead.best),
            percent(Some(lead.ser)),
            plain(&lead.then)
        ));
    }
    out.push_str(&scores(results, t).markdown());
    out.push_str(&format!(
        "\n95 % intervals from resamples of {} examples, {} words, {} slots; p of approximate randomization, corrected for the number of rows (Holm 1979).\n\n",
        thousands(test.examples),
        thousands(test.words),
        thousands(test.slots),
    ));
    if let Some(explained) = what_was_run::explained(results, t) {
        out.push_str(&format!("{}.\n\n", plain(&explained)));
    }
    if has_remark(results, t) {
        out.push_str(&format!("{WHY_NO_SLOT_F}.\n\n"));
    }
    if let Some(MarkTable { headings, own, rows }) = mark_table(results, t) {
        let mut table = TextTable::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
        for (at, (name, figures)) in rows.into_iter().enumerate() {
            let remarks = remarks(results, at, t, "");
            let cell = |(column, figure): (usize, Option<f64>)| match &remarks {
                Some(remarks) if column >= own && figure.is_some() => {
                    format!("{} ({remarks})", percent(figure))
                }
                _ => percent(figure),
            };
            table.push([plain(name)].into_iter().chain(figures.into_iter().enumerate().map(cell)));
        }
        out.push_str(&format!("{}\n", table.markdown()));
    }
    for leak in leaks(results, t) {
        out.push_str(&format!("**{}.**\n\n", plain(&leak)));
    }
    if let Some(table) = recognised(results, t) {
        out.push_str(&format!("{}\n", table.markdown()));
    }
    out.push_str(&format!("`{}`\n\n", one_line(&test.signature).replace('`', "'")));
}

/// Builds the table of the texts' word counts, laid out like table 2 of Rei et al. 2020.
fn texts(results: &Results) -> TextTable {
    let mut table = TextTable::new(&["", "sentences", "L", "U", "T", "(T+U)/L %", ALL_WORDS]);
    for text in &results.texts {
        let counts = [text.sentences, text.tags.l, text.tags.u, text.tags.t].map(thousands);
        table.push(
            [plain(&text.name)].into_iter().chain(counts).chain(
                [text.tags.not_l(), text.all.and_then(Tags::not_l)]
                    .map(|ratio| percent(ratio.map(|ratio| ratio / 100.0))),
            ),
        );
    }
    table
}

/// The heading of the section on test texts that overlap training texts.
pub(super) const OVERLAP: &str = "Test texts in training texts";

/// The headings of the columns in this section, after the names of the two texts.
pub(super) const OVERLAP_COLUMNS: [&str; 5] =
    ["n-grams", "in the training text", "%", "sentences", "with such an n-gram"];

fn overlaps(results: &Results) -> TextTable {
    let mut table = TextTable::new(&[&["test", "training text"], &OVERLAP_COLUMNS[..]].concat());
    for overlap in &results.overlaps {
        let figures = overlap_figures(overlap).map(|(_, shown)| shown);
        table.push(
            [plain(&overlap.tests.join(", ")), plain(&training_text(overlap))].into_iter().chain(figures),
        );
    }
    table
}

/// Returns the name of a training text, with the number of lines that were used.
pub(super) fn training_text(overlap: &TextOverlap) -> String {
    match overlap.lines {
        Some(lines) => format!("{}, {} lines", overlap.corpus, thousands(lines)),
        None => overlap.corpus.clone(),
    }
}

/// Returns the values of the columns of [`OVERLAP_COLUMNS`], as numbers and as shown to a reader.
pub(super) fn overlap_figures(overlap: &TextOverlap) -> [(Option<f64>, String); 5] {
    let found = &overlap.found;
    let [ngrams, shared, sentences, with] =
        [found.ngrams, found.shared_ngrams, found.sentences, found.shared_sentences]
            .map(|count| (Some(count as f64), thousands(count)));
    [ngrams, shared, (found.fraction(), percent(found.fraction())), sentences, with]
}

/// Returns the warning for a training text that contains much of a test text; `None` for any other training text.
pub fn leak(overlap: &TextOverlap) -> Option<String> {
    let found = &overlap.found;
    overlap.is_leak().then(|| {
        format!(
            "{} % of the {}-grams of the test \"{}\" ({} of {}, in {} of {} sentences) occur in the training text \"{}\": \
             figures on it are better than on a new text",
            percent(found.fraction()),
            found.order,
            overlap.tests.join("\", \""),
            thousands(found.shared_ngrams),
            thousands(found.ngrams),
            thousands(found.shared_sentences),
            thousands(found.sentences),
            training_text(overlap),
        )
    })
}

/// Returns the warnings for all training texts that contain much of the text of a test.
pub(super) fn leaks(results: &Results, test: usize) -> impl Iterator<Item = String> {
    let name = results.tests.get(test).map(|test| &test.name);
    let of_test = move |overlap: &&TextOverlap| name.is_some_and(|name| overlap.tests.contains(name));
    results.overlaps.iter().filter(of_test).filter_map(leak)
}

/// The heading of the ratio of words with capitals to words without, over all words and not only
/// the scored ones.
pub(super) const ALL_WORDS: &str = "of all words: (T+U)/L %";

/// Returns true if any row on this test has figures for the words that its model knows.
pub(super) fn has_in_model(results: &Results, test: usize) -> bool {
    (0..results.rows.len()).any(|row| cell(results, row, test).is_some_and(|cell| cell.in_model.is_some()))
}

/// The remark after a published F that cannot be an F of slots.
pub(super) const NO_SLOT_F: &str = "no F of slots";

/// The explanation of [`NO_SLOT_F`].
pub(super) const WHY_NO_SLOT_F: &str = "no F of slots: with the slot error rate beside it F is 2/(2+SER) at most, so the source counts something else";

/// Returns the remarks after a published figure of a row on a test, if it needs any.
pub(super) fn remarks(results: &Results, row: usize, test: usize, name: &str) -> Option<String> {
    let given = results.rows[row].published.get(&results.tests[test].name)?;
    let no_f = (name == "F" && given.is_no_slot_f()).then_some(NO_SLOT_F);
    let differences = what_was_run::differences(results, row, test).into_iter().map(RunDifference::sign);
    let all: Vec<&str> = no_f.into_iter().chain(differences).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Returns true if any published F on this test cannot be an F of slots.
pub(super) fn has_remark(results: &Results, test: usize) -> bool {
    let Some(test) = results.tests.get(test) else { return false };
    results.rows.iter().filter_map(|row| row.published.get(&test.name)).any(Published::is_no_slot_f)
}

/// Returns the paragraphs of a text, which are separated by empty lines.
pub(super) fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty())
}

/// The name of a figure that may be published, and the function that returns it.
pub(super) type PublishedFigure = (&'static str, fn(&Published) -> Option<f64>);

/// Returns the figures that the source reports for any row on this test, in the order P, R, F, SER.
pub(super) fn published(results: &Results, test: usize) -> Vec<PublishedFigure> {
    let Some(test) = results.tests.get(test) else { return Vec::new() };
    let all: [PublishedFigure; 4] =
        [("P", |p| p.precision), ("R", |p| p.recall), ("F", |p| p.f), ("SER", |p| p.ser)];
    let given = |(_, of): &PublishedFigure| {
        results
            .rows
            .iter()
            .filter_map(|row| row.published.get(&test.name))
            .any(|figures| of(figures).is_some())
    };
    all.into_iter().filter(given).collect()
}

fn scores(results: &Results, test: usize) -> TextTable {
    let published = published(results, test);
    let mut headings: Vec<String> =
        ["", "P %", "R %", "F %", "SER %", "against the best"].map(str::to_owned).into();
    let in_model = has_in_model(results, test);
    headings.extend(in_model.then(|| format!("{}, words in the model", ser_of_parts(results, test))));
    headings.extend(published.iter().map(|(name, _)| format!("published {name} %")));
    let mut table = TextTable::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
    for (i, row) in results.rows.iter().enumerate() {
        let mut cells = vec![plain(&row.name)];
        cells.extend(figures(cell(results, i, test)));
        cells.push(against_the_best(standing(results, i, test)));
        if in_model {
            let figures = cell(results, i, test).and_then(|cell| cell.in_model.as_ref());
            cells.push(percent(figures.and_then(|figures| figures.ser)));
        }
        let given = row.published.get(&results.tests[test].name);
        cells.extend(published.iter().map(|(name, of)| {
            let figure = given.and_then(of);
            match remarks(results, i, test, name).filter(|_| figure.is_some()) {
                Some(remarks) => format!("{} ({remarks})", percent(figure)),
                None => percent(figure),
            }
        }));
        table.push(cells);
    }
    table
}

fn figures(cell: Option<&ResultCell>) -> [String; 4] {
    let Some(ResultCell { figures, intervals, .. }) = cell else { return [NONE; 4].map(str::to_owned) };
    [
        (figures.precision, intervals.precision),
        (figures.recall, intervals.recall),
        (figures.f, intervals.f),
        (figures.ser, intervals.ser),
    ]
    .map(|(figure, interval)| format!("{} {}", percent(figure), between(interval)))
}

fn against_the_best(standing: Option<Standing>) -> String {
    match standing {
        None | Some(Standing::Unknown) => NONE.into(),
        Some(Standing::Best) => "**best**".into(),
        Some(Standing::Near(d)) => {
            format!("+{}, {NEAR} (p {})", percent(Some(d.ser)), equal(d.p_randomization))
        }
        Some(Standing::Worse(d)) => format!("+{} (p {})", percent(Some(d.ser)), equal(d.p_randomization)),
    }
}

/// The F of each punctuation mark on a test, with their averages and with published figures.
pub(super) struct MarkTable<'a> {
    /// The headings of the columns; the heading of the names comes first.
    pub headings: Vec<String>,
    /// The number of measured figures, which come before the published ones.
    pub own: usize,
    /// The name of each row, and its figures.
    pub rows: Vec<(&'a str, Vec<Option<f64>>)>,
}

/// Returns the table of punctuation marks of a test; `None` if the test scores no punctuation.
pub(super) fn mark_table(results: &Results, test: usize) -> Option<MarkTable<'_>> {
    let name = &results.tests.get(test)?.name;
    let marks_of = |row: usize| cell(results, row, test)?.marks.as_ref();
    let classes = &(0..results.rows.len()).find_map(marks_of)?.classes;
    let all: [PublishedFigure; 7] = [
        ("comma", |p| p.comma),
        ("period", |p| p.period),
        ("question", |p| p.question),
        ("colon", |p| p.colon),
        ("dash", |p| p.dash),
        ("micro", |p| p.f),
        ("macro", |p| p.macro_f),
    ];
    let given = |row: &ResultRow, of: fn(&Published) -> Option<f64>| row.published.get(name).and_then(of);
    let is_given = |(_, of): &PublishedFigure| results.rows.iter().any(|row| given(row, *of).is_some());
    let published: Vec<PublishedFigure> = all.into_iter().filter(is_given).collect();
    let averages = ["micro", "macro"];
    let mut headings = vec![String::new()];
    headings.extend(
        classes.iter().map(|class| class.mark.name()).chain(averages).map(|name| format!("{name} F %")),
    );
    headings.extend(published.iter().map(|(name, _)| format!("published {name} F %")));
    let figures = |(at, row): (usize, &ResultRow)| {
        let found = marks_of(at);
        let mut figures: Vec<Option<f64>> = match found {
            Some(marks) => marks.classes.iter().map(|class| class.figures.f).collect(),
            None => vec![None; classes.len()],
        };
        figures.extend([found.and_then(|marks| marks.micro.f), found.and_then(|marks| marks.macro_f)]);
        figures.extend(published.iter().map(|(_, of)| given(row, *of)));
        figures
    };
    let rows = results.rows.iter().enumerate().map(|row| (row.1.name.as_str(), figures(row))).collect();
    Some(MarkTable { headings, own: classes.len() + averages.len(), rows })
}

fn recognised(results: &Results, test: usize) -> Option<TextTable> {
    let mut table = TextTable::new(&["", "WER %", "recognised right", "SER %", "taken for others", "SER %"]);
    let mut any = false;
    for (i, row) in results.rows.iter().enumerate() {
        let found = cell(results, i, test).and_then(|cell| cell.recognised.as_ref());
        let Some(Recognised { word_error_rate, right, wrong }) = found else { continue };
        any = true;
        table.push([
            plain(&row.name),
            percent(*word_error_rate),
            thousands(right.tokens),
            percent(right.ser),
            thousands(wrong.tokens),
            percent(wrong.ser),
        ]);
    }
    any.then_some(table)
}

pub(super) fn cost(results: &Results, name: fn(&str) -> String) -> TextTable {
    let mut headings: Vec<String> =
        ["", "lines", "size", "epochs", "training CPU time", "peak memory"].map(str::to_owned).into();
    let has_look_ahead = results.rows.iter().any(|row| row.look_ahead.is_some());
    headings.extend(has_look_ahead.then(|| "look-ahead".to_owned()));
    headings.extend(results.tests.iter().map(|test| format!("words/s, {}", name(&test.name))));
    let mut table = TextTable::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
    let none = || NONE.to_owned();
    for (i, row) in results.rows.iter().enumerate() {
        let ResultRow { lines, training, epochs, .. } = row;
        let Usage { cpu_seconds, peak_bytes, .. } = training.unwrap_or_default();
        let mut cells = vec![
            name(&row.name),
            lines.map_or_else(none, thousands),
            row.bytes.map_or_else(none, bytes),
            epochs.map_or_else(none, |epochs| epochs.to_string()),
            cpu_seconds.map_or_else(none, duration),
            peak_bytes.map_or_else(none, bytes),
        ];
        cells.extend(has_look_ahead.then(|| row.look_ahead.map_or_else(none, thousands)));
        let per_second = |test: usize| cell(results, i, test)?.words_per_second;
        cells.extend((0..results.tests.len()).map(|test| per_second(test).map_or_else(none, speed)));
        table.push(cells);
    }
    table
}

fn layers(results: &Results) -> Option<TextTable> {
    let mut table = TextTable::new(&["", "layers", "centre of gravity", "by number of layers"]);
    let mut any = false;
    for row in &results.rows {
        let Some(weights) = row.layers.clone().map(LayerWeights) else { continue };
        any = true;
        table.push([
            plain(&row.name),
            weights.layers().to_string(),
            format!("{:.2}", weights.centre()),
            weights.relative_centre().map_or_else(|| NONE.into(), |centre| format!("{centre:.2}")),
        ]);
    }
    any.then_some(table)
}

/// Writes all tables as [`markdown`] does, for a terminal: nothing is escaped.
pub fn text(results: &Results) -> String {
    let markdown = markdown(results).replace("&lt;", "<").replace("&amp;", "&");
    let mut chars = markdown.chars();
    let next = || match chars.next()? {
        '\\' => chars.next(),
        c => Some(c),
    };
    std::iter::from_fn(next).collect()
}

/// Escapes text for Markdown and puts it on one line.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '*' | '_' | '`' | '[' | ']' | '\\' | '~' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;
    use crate::results::TextSummary;
    use majuscule_text::Mark;
    use majuscule_train::corpus::overlap;
    use majuscule_train::eval::report::Figures;
    use majuscule_train::eval::{MarkConfusion, MarkReport};

    #[test]
    fn marks_have_a_table_with_what_is_published() {
        let mut results = made::small();
        assert!(mark_table(&results, 0).is_none());
        let mut words = MarkConfusion::default();
        words.add(Mark::Comma, Mark::Comma);
        words.add(Mark::Question, Mark::Period);
        let cell = results.rows[0].cells[0].as_mut().unwrap();
        cell.marks = MarkReport::of(&words, "iwslt".parse().unwrap());
        let published = Published { macro_f: Some(0.639), comma: Some(0.5), ..Published::default() };
        results.rows[0].published.insert(results.tests[0].name.clone(), published);
        let page = markdown(&results);
        let headings = ["comma F %", "period F %", "question F %", "micro F %", "macro F %"];
        for heading in headings.into_iter().chain(["published comma F %", "published macro F %"]) {
            assert!(page.contains(heading), "{heading}: {page}");
        }
        assert!(!page.contains("published period F %"));
        let MarkTable { rows, own, .. } = mark_table(&results, 0).unwrap();
        assert_eq!(rows[0].1[..4], [Some(1.0), Some(0.0), Some(0.0), Some(0.5)]);
        assert_eq!(own, 5);
        assert_eq!(rows[0].1[5..], [Some(0.5), Some(0.639)]);
        assert!(rows[1].1.iter().all(Option::is_none));
    }

    #[test]
    fn every_row_and_test_appears_and_nothing_is_markup() {
        let markdown = markdown(&made::small());
        assert!(!markdown.contains("<script>") && !markdown.contains("<i>"), "{markdown}");
        assert!(
            markdown
                .starts_with("# A &lt;b>small&lt;/b> one\n\nAfter A paper &amp; more.\n\nWhat it shows.\n\n")
        );
        assert!(
            markdown.contains("\n## &lt;i>test&lt;/i>\n\nb has the least SER, 20.00 %: next is "),
            "{markdown}"
        );
        // 85 of 100 slots are correct, 15 missed and 15 inserted.
        let first = "| a &lt;script>alert(1)&lt;/script> | 85.00 [82.45, 86.70] | 85.00 [82.45, 86.70] | \
                     85.00 [82.45, 86.70] | 30.00 [29.10, 30.60] | +10.00 (p < 0.001) | 33.30 |";
        assert!(markdown.contains(first), "{markdown}");
        assert!(markdown.contains("| **best** | – |"), "{markdown}");
        assert!(markdown.contains("\n- c &lt;u>: needs the feature neural &amp; a GPU\n"), "{markdown}");
    }

    #[test]
    fn the_text_for_a_terminal_has_no_escapes() {
        let text = text(&made::small());
        assert!(text.starts_with("# A <b>small</b> one\n\nAfter A paper & more.\n\n"), "{text}");
        assert!(
            text.contains("\n- c <u>: needs the feature neural & a GPU\n") && !text.contains('\\'),
            "{text}"
        );
        assert_eq!(text.lines().count(), markdown(&made::small()).lines().count());
    }

    #[test]
    fn tables_stand_where_there_is_something_to_list() {
        let small = markdown(&made::small());
        assert!(!small.contains("WER") && !small.contains("## Layers"), "{small}");
        let large = markdown(&made::large());
        assert!(large.contains("| google | 17.31 | 17,000 |"), "{large}");
        // 0.11 + 2 x 0.14 + 3 x 0.17 + 4 x 0.19 + 5 x 0.18 + 6 x 0.13 = 3.34, of 6 layers.
        assert!(large.contains("| bert 50k | 6 | 3.34 | 0.56 |"), "{large}");
        assert!(made::large().rows.iter().all(|row| large.contains(&row.name)));
    }

    #[test]
    fn a_published_f_that_is_none_of_slots_is_told() {
        let mut results = made::small();
        let of = |f, ser| Published { f: Some(f), ser: Some(ser), ..Published::default() };
        // 2 / 2.08 = .9615.
        assert!(of(0.9701, 0.08).is_no_slot_f() && !of(0.96, 0.08).is_no_slot_f());
        let name = results.tests[0].name.clone();
        results.rows[0].published.insert(name.clone(), of(0.96, 0.08));
        assert!(!markdown(&results).contains(NO_SLOT_F));
        results.rows[0].published.insert(name, of(0.9701, 0.08));
        let markdown = markdown(&results);
        assert!(markdown.contains("| 97.01 (no F of slots) | 8.00 |"), "{markdown}");
        assert!(markdown.contains("2/(2+SER) at most"), "{markdown}");
    }

    #[test]
    fn words_in_the_model_and_all_words_have_their_columns() {
        let mut results = made::small();
        assert!(!markdown(&results).contains("words in the model"));
        let cell = results.rows[0].cells[0].as_mut().unwrap();
        cell.in_model = Some(Figures { ser: Some(0.125), ..cell.figures });
        assert!(markdown(&results).contains("| SER %, words in the model |"));
        assert!(markdown(&results).contains("(p < 0.001) | 12.50 |"));
        let [tags, all] = [(90, 10), (80, 20)].map(|(l, t)| Tags { l, u: 0, t });
        results.texts.push(TextSummary { name: "a text".into(), sentences: 3, tags, all: Some(all) });
        assert!(markdown(&results).contains("| a text | 3 | 90 | 0 | 10 | 11.11 | 25.00 |"));
    }

    #[test]
    fn a_test_text_that_was_learned_from_is_told_under_its_test() {
        let mut results = made::small();
        let found = |shared_ngrams| overlap::Overlap {
            order: 8,
            sentences: 50,
            shared_sentences: 7,
            ngrams: 1000,
            shared_ngrams,
            ..overlap::Overlap::default()
        };
        let overlap = |shared| TextOverlap {
            tests: vec![results.tests[0].name.clone()],
            corpus: "<news>".into(),
            lines: Some(2000),
            command: "majuscule corpus overlap".into(),
            found: found(shared),
        };
        let told = "**5.10 % of the 8-grams of the test \"&lt;i>test&lt;/i>\" (51 of 1,000, in 7 of 50 sentences) occur in the \
                    training text \"&lt;news>, 2,000 lines\": figures on it are better than on a new text.**";
        let few = Results { overlaps: vec![overlap(50)], ..results.clone() };
        assert!(!markdown(&few).contains("better than"));
        let row = "| &lt;i>test&lt;/i> | &lt;news>, 2,000 lines | 1,000 | 50 | 5.00 | 50 | 7 |";
        assert!(markdown(&few).contains(row), "{}", markdown(&few));
        results.overlaps.push(overlap(51));
        assert!(markdown(&results).contains(told), "{}", markdown(&results));
        let page = super::super::page::html(&results);
        assert!(page.contains("<section id=\"overlap\">") && page.contains("figures on it are better than"));
        // Results written by an older version have no overlaps.
        let mut json = serde_json::to_value(&few).unwrap();
        json.as_object_mut().unwrap().remove("overlaps");
        assert!(serde_json::from_value::<Results>(json).unwrap().overlaps.is_empty());
    }

    #[test]
    fn results_without_rows_or_tests_have_tables_too() {
        let mut results = made::small();
        results.rows.clear();
        assert!(markdown(&results).contains("## Cost"));
        results.tests.clear();
        assert!(markdown(&results).contains("## Cost"));
    }
}
