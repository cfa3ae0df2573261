//! Writes results as Markdown tables.

use super::figure_table::{FigureField, FigureTable, one_line, plain};
use super::matrix::{ALL_TESTS, SLICES, all_tests, ser_of_parts, slices};
use super::over_seeds;
use super::results::{Published, Recognised, ResultCell, ResultRow, Results, TextOverlap, Usage};
use super::standing::{NEAR, Standing, cell, cells, equal, lead, standing};
use super::units::{NONE, bytes, cores, duration, speed};
use super::what_was_run;
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
            out.push_str(&format!("### {}\n\n{}\n", plain(&table.heading), table.markdown()));
        }
    }
    let about_runs = format!("{}.\n\n", over_seeds::ABOUT);
    let sections = [
        (over_seeds::HEADING, over_seeds::table(results), &*about_runs),
        (what_was_run::HEADING, what_was_run::table(results), ""),
        ("Texts", texts(results), ""),
        (OVERLAP, overlaps(results), ""),
    ];
    for (heading, table, after) in sections.into_iter().filter(|(_, table, _)| !table.rows.is_empty()) {
        out.push_str(&format!("## {heading}\n\n{}\n{after}", table.markdown()));
    }
    out.push_str(&format!("## Cost\n\n{}", cost(results).markdown()));
    let layers = layers(results);
    if !layers.rows.is_empty() {
        out.push_str(&format!("\n## Layers\n\n{}", layers.markdown()));
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
    if let Some(table) = mark_table(results, t) {
        out.push_str(&format!("{}\n", table.markdown()));
    }
    for leak in leaks(results, t) {
        out.push_str(&format!("**{}.**\n\n", plain(&leak)));
    }
    let recognised = recognised(results, t);
    if !recognised.rows.is_empty() {
        out.push_str(&format!("{}\n", recognised.markdown()));
    }
    out.push_str(&format!("`{}`\n\n", one_line(&test.signature).replace('`', "'")));
}

/// Builds the table of the texts' word counts, laid out like table 2 of Rei et al. 2020. The last ratio is over all words
/// and not only the scored ones.
pub(super) fn texts(results: &Results) -> FigureTable {
    let columns = ["", "sentences", "L", "U", "T", "(T+U)/L %", "of all words: (T+U)/L %"];
    let mut table = FigureTable::new("What is in the texts", 1, columns);
    for text in &results.texts {
        let counts = [text.sentences, text.tags.l, text.tags.u, text.tags.t].map(FigureField::count);
        let ratios = [text.tags.not_l(), text.all.and_then(Tags::not_l)]
            .map(|ratio| FigureField::figure(ratio, |ratio| percent(Some(ratio / 100.0))));
        table.push([FigureField::words(&text.name)].into_iter().chain(counts).chain(ratios));
    }
    table
}

/// The heading of the section on test texts that overlap training texts.
pub(super) const OVERLAP: &str = "Test texts in training texts";

/// Builds the table of the overlaps of test texts with training texts.
pub(super) fn overlaps(results: &Results) -> FigureTable {
    let columns =
        ["test", "training text", "n-grams", "in the training text", "%", "sentences", "with such an n-gram"];
    let mut table = FigureTable::new(OVERLAP, 2, columns);
    for overlap in &results.overlaps {
        let found = &overlap.found;
        table.push([
            FigureField::words(overlap.tests.join(", ")),
            FigureField::words(training_text(overlap)),
            FigureField::count(found.ngrams),
            FigureField::count(found.shared_ngrams),
            FigureField::percent(found.fraction()),
            FigureField::count(found.sentences),
            FigureField::count(found.shared_sentences),
        ]);
    }
    table
}

/// Returns the name of a training text, with the number of lines that were used.
fn training_text(overlap: &TextOverlap) -> String {
    match overlap.lines {
        Some(lines) => format!("{}, {} lines", overlap.corpus, thousands(lines)),
        None => overlap.corpus.clone(),
    }
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

/// Returns true if any row on this test has figures for the words that its model knows.
pub(super) fn has_in_model(results: &Results, test: usize) -> bool {
    cells(results, test).any(|(_, cell)| cell.in_model.is_some())
}

/// The remark after a published F that cannot be an F of slots.
pub(super) const NO_SLOT_F: &str = "no F of slots";

/// The explanation of [`NO_SLOT_F`].
pub(super) const WHY_NO_SLOT_F: &str = "no F of slots: with the slot error rate beside it F is 2/(2+SER) at most, so the source counts something else";

/// Returns the remarks after a published figure of a row on a test, if it needs any.
pub(super) fn remarks(results: &Results, row: usize, test: usize, name: &str) -> Option<String> {
    let (row, test) = (&results.rows[row], &results.tests[test].name);
    let no_f = (name == "F" && row.published.get(test)?.is_no_slot_f()).then_some(NO_SLOT_F);
    let all: Vec<&str> = no_f.into_iter().chain(what_was_run::differences(row, test)).collect();
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
    let figures = || results.rows.iter().filter_map(|row| row.published.get(&test.name));
    let given = |(_, of): &PublishedFigure| figures().any(|figures| of(figures).is_some());
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

/// Returns the table of the F of each punctuation mark on a test, with their averages and with published figures; `None`
/// if the test scores no punctuation.
pub(super) fn mark_table(results: &Results, test: usize) -> Option<FigureTable> {
    let name = &results.tests.get(test)?.name;
    let classes = &cells(results, test).find_map(|(_, cell)| cell.marks.as_ref())?.classes;
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
    let own = classes.iter().map(|class| class.mark.name()).chain(["micro", "macro"]);
    let headings = [String::new()].into_iter().chain(own.map(|name| format!("{name} F %")));
    let headings = headings.chain(published.iter().map(|(name, _)| format!("published {name} F %")));
    let mut table = FigureTable::new(format!("Marks on {name}"), 1, headings);
    for (at, row) in results.rows.iter().enumerate() {
        let found = cell(results, at, test).and_then(|cell| cell.marks.as_ref());
        let own = (0..classes.len()).map(|class| found?.classes.get(class)?.figures.f);
        let own = own.chain([found.and_then(|marks| marks.micro.f), found.and_then(|marks| marks.macro_f)]);
        let remark = remarks(results, at, test, "");
        let published = published.iter().map(|(_, of)| {
            let figure = given(row, *of);
            FigureField {
                remark: remark.clone().filter(|_| figure.is_some()),
                ..FigureField::percent(figure)
            }
        });
        let figures = own.map(FigureField::percent).chain(published);
        table.push([FigureField::words(&row.name)].into_iter().chain(figures));
    }
    Some(table)
}

fn recognised(results: &Results, test: usize) -> FigureTable {
    let columns = ["", "WER %", "recognised right", "SER %", "taken for others", "SER %"];
    let mut table = FigureTable::new("Recognised speech", 1, columns);
    for (row, cell) in cells(results, test) {
        let Some(Recognised { word_error_rate, right, wrong }) = &cell.recognised else { continue };
        table.push([
            FigureField::words(&row.name),
            FigureField::percent(*word_error_rate),
            FigureField::count(right.tokens),
            FigureField::percent(right.ser),
            FigureField::count(wrong.tokens),
            FigureField::percent(wrong.ser),
        ]);
    }
    table
}

/// Builds the table of the sizes of models and the cost of training and restoring.
pub(super) fn cost(results: &Results) -> FigureTable {
    let columns = ["", "lines", "size", "epochs", "training CPU time", "peak memory"].map(str::to_owned);
    let has_look_ahead = results.rows.iter().any(|row| row.look_ahead.is_some());
    let columns = columns.into_iter().chain(has_look_ahead.then(|| "look-ahead".to_owned()));
    let speeds = results.tests.iter().map(|test| format!("words/s, {}", test.name));
    let mut table = FigureTable::new("cost", 1, columns.chain(speeds));
    for (i, row) in results.rows.iter().enumerate() {
        let Usage { cpu_seconds, peak_bytes, .. } = row.training.unwrap_or_default();
        let mut fields = vec![
            FigureField::words(&row.name),
            FigureField::whole(row.lines, thousands),
            FigureField::whole(row.bytes, bytes),
            FigureField::figure(row.epochs, |epochs| epochs.to_string()),
            FigureField::figure(cpu_seconds, duration),
            FigureField::whole(peak_bytes, bytes),
        ];
        fields.extend(has_look_ahead.then(|| FigureField::whole(row.look_ahead, thousands)));
        let per_second = |test: usize| cell(results, i, test)?.words_per_second;
        fields.extend((0..results.tests.len()).map(|test| FigureField::figure(per_second(test), speed)));
        table.push(fields);
    }
    table
}

/// Builds the table of the centres of gravity of layers.
pub(super) fn layers(results: &Results) -> FigureTable {
    let columns = ["", "layers", "centre of gravity", "by number of layers"];
    let mut table = FigureTable::new("Centres of gravity", 1, columns);
    for row in &results.rows {
        let Some(weights) = row.layers.clone().map(LayerWeights) else { continue };
        let centre = |centre| FigureField::figure(centre, |centre| format!("{centre:.2}"));
        table.push([
            FigureField::words(&row.name),
            FigureField::count(weights.layers() as u64),
            centre(Some(weights.centre())),
            centre(weights.relative_centre()),
        ]);
    }
    table
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
        let FigureTable { rows, words, .. } = mark_table(&results, 0).unwrap();
        let values = |row: usize| rows[row].iter().map(|field| field.value).collect::<Vec<_>>();
        assert_eq!((words, values(0).len()), (1, 1 + 5 + 2));
        assert_eq!(values(0)[1..5], [Some(1.0), Some(0.0), Some(0.0), Some(0.5)]);
        assert_eq!(values(0)[6..], [Some(0.5), Some(0.639)]);
        assert!(values(1).iter().all(Option::is_none));
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
