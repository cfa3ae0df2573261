//! Tables of one figure each: for all rows on all tests, or for all rows on parts of the words of a test.

use super::figure_table::{FigureField, FigureTable};
use super::results::{ResultCell, Results};
use super::standing::{cell, cells};
use super::units::speed;
use majuscule_train::eval::table::percent;

/// The heading of the tables over all tests.
pub(super) const ALL_TESTS: &str = "All tests";

/// The heading of the tables over parts of the words.
pub(super) const SLICES: &str = "Parts of the words";

/// The heading of the table of slot error rates.
pub(super) const SER: &str = "SER %";

/// Builds the table of the columns in which any row has a figure; returns `None` if there are no such columns.
fn table(
    results: &Results,
    heading: &str,
    columns: &[String],
    figure: impl Fn(usize, usize) -> Option<f64>,
    shown: impl Fn(f64) -> String,
) -> Option<FigureTable> {
    let rows = 0..results.rows.len();
    let is_known = |column: &usize| rows.clone().any(|row| figure(row, *column).is_some());
    let known: Vec<usize> = (0..columns.len()).filter(is_known).collect();
    let names = known.iter().map(|&column| columns[column].clone());
    let mut table = FigureTable::new(heading, 1, [String::new()].into_iter().chain(names));
    for (at, row) in results.rows.iter().enumerate() {
        let figures = known.iter().map(|&column| FigureField::figure(figure(at, column), &shown));
        table.push([FigureField::words(&row.name)].into_iter().chain(figures));
    }
    Some(table).filter(|_| !known.is_empty())
}

/// The heading of a figure of a row on a test, the figure, and its format.
type CellFigure = (&'static str, fn(&ResultCell) -> Option<f64>, fn(f64) -> String);

/// Returns a table for each figure of all rows on all tests; no tables if there are fewer than two tests.
pub fn all_tests(results: &Results) -> Vec<FigureTable> {
    if results.tests.len() < 2 {
        return Vec::new();
    }
    let figures: [CellFigure; 6] = [
        (SER, |cell| cell.figures.ser, shown),
        ("F %", |cell| cell.figures.f, shown),
        (
            "SER % of words in the model",
            |cell| cell.in_model.as_ref().filter(|_| cell.marks.is_none())?.ser,
            shown,
        ),
        ("macro F % of marks", |cell| cell.marks.as_ref()?.macro_f, shown),
        ("F % of sentence ends", |cell| cell.sentence_ends.as_ref()?.f, shown),
        ("words/s", |cell| cell.words_per_second, speed),
    ];
    let tests: Vec<String> = results.tests.iter().map(|test| test.name.clone()).collect();
    let tables = figures.into_iter().map(|(heading, figure, shown)| {
        table(results, heading, &tests, |row, test| figure(cell(results, row, test)?), shown)
    });
    tables.flatten().collect()
}

fn shown(fraction: f64) -> String {
    percent(Some(fraction))
}

/// Returns the heading of slot error rates of parts of the words; if a test scores punctuation, only capitals count.
pub(super) fn ser_of_parts(results: &Results, test: usize) -> &'static str {
    if cells(results, test).any(|(_, cell)| cell.marks.is_some()) { "SER % of capitals" } else { SER }
}

/// Returns the slot error rates of parts of the words, in a table for each test whose rows have such parts.
pub fn slices(results: &Results) -> Vec<FigureTable> {
    let of_test = |(at, test): (usize, &super::results::ResultTest)| {
        let mut names: Vec<String> = Vec::new();
        let known = cells(results, at).flat_map(|(_, cell)| &cell.slices);
        for slice in known.filter(|slice| slice.figures.ser.is_some()) {
            if !names.contains(&slice.name) {
                names.push(slice.name.clone());
            }
        }
        let heading = format!("{}, {}", ser_of_parts(results, at), test.name);
        let figure = |row, column: usize| {
            let slices = &cell(results, row, at)?.slices;
            slices.iter().find(|slice| slice.name == names[column])?.figures.ser
        };
        table(results, &heading, &names, figure, shown)
    };
    results.tests.iter().enumerate().filter_map(of_test).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;
    use crate::results::SliceFigures;

    #[test]
    fn a_column_that_no_row_has_is_left_out_and_what_a_row_lacks_is_a_dash() {
        assert!(all_tests(&made::small()).is_empty());
        let mut results = made::large();
        let ends = results.rows[2].cells[1].as_ref().unwrap().figures;
        results.rows[2].cells[1].as_mut().unwrap().sentence_ends = Some(ends);
        let tables = all_tests(&results);
        let named = |heading: &str| tables.iter().find(|table| table.heading == heading);
        assert_eq!(named("SER %").unwrap().columns.len(), 4);
        assert!(named("SER % of words in the model").is_none());
        let found = named("F % of sentence ends").unwrap();
        assert_eq!(found.columns[1..], [results.tests[1].name.clone()]);
        let shown: Vec<String> = found.rows.iter().map(|row| row[1].text.clone()).collect();
        assert_eq!(shown[1..4], ["–".to_owned(), percent(ends.f), "–".to_owned()]);
        let speeds = named("words/s").unwrap();
        let second = results.rows[1].cells[0].as_ref().unwrap().words_per_second;
        assert_eq!(speeds.rows[1][1].text, speed(second.unwrap()));
    }

    #[test]
    fn parts_stand_in_the_order_of_the_first_row_that_has_them() {
        let mut results = made::small();
        assert!(slices(&results).is_empty());
        let figures = results.rows[0].cells[0].as_ref().unwrap().figures;
        let slice = |name: &str, ser| SliceFigures {
            name: name.into(),
            figures: majuscule_train::eval::Figures { ser, ..figures },
        };
        results.rows[0].cells[0].as_mut().unwrap().slices =
            vec![slice("acronyms", Some(0.5)), slice("mixed case", None)];
        results.rows[1].cells[0].as_mut().unwrap().slices =
            vec![slice("unseen words", Some(0.25)), slice("acronyms", Some(0.125))];
        let [table] = &slices(&results)[..] else { panic!("one table") };
        assert_eq!(table.columns, ["", "acronyms", "unseen words"]);
        let figures: Vec<_> = table.rows.iter().map(|row| [row[1].value, row[2].value]).collect();
        assert_eq!(figures, [[Some(0.5), None], [Some(0.125), Some(0.25)]]);
    }
}
