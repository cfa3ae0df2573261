//! Tables of one figure each: for all rows on all tests, or for all rows on parts of the words of a test.

use super::results::{ResultCell, Results};
use super::standing::cell;
use super::units::{NONE, speed};
use majuscule_train::eval::table::{TextTable, percent};

/// A table of one figure: all rows, in several columns.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureTable {
    /// The name of the figure.
    pub heading: String,
    /// The names of the columns: tests, or parts of the words.
    pub columns: Vec<String>,
    /// The name of each row and its figures, one for each column.
    pub rows: Vec<(String, Vec<Option<f64>>)>,
    /// True if the figures are fractions, which are shown as percentages; false if they are words per second.
    pub is_fraction: bool,
}

impl FigureTable {
    /// Builds the table of the columns in which any row has a figure; returns `None` if there are no such columns.
    fn of(
        heading: &str,
        columns: &[String],
        results: &Results,
        figure: impl Fn(usize, usize) -> Option<f64>,
    ) -> Option<Self> {
        let rows = 0..results.rows.len();
        let is_known = |column: &usize| rows.clone().any(|row| figure(row, *column).is_some());
        let known: Vec<usize> = (0..columns.len()).filter(is_known).collect();
        let of_row = |row| known.iter().map(|&column| figure(row, column)).collect::<Vec<_>>();
        (!known.is_empty()).then(|| Self {
            heading: heading.to_owned(),
            columns: known.iter().map(|&column| columns[column].clone()).collect(),
            rows: rows.clone().map(|row| (results.rows[row].name.clone(), of_row(row))).collect(),
            is_fraction: true,
        })
    }

    /// Formats a figure.
    pub fn shown(&self, figure: Option<f64>) -> String {
        match figure {
            Some(figure) if !self.is_fraction => speed(figure),
            Some(_) => percent(figure),
            None => NONE.to_owned(),
        }
    }

    /// Returns the table as text; `name` prepares its names, for example by escaping.
    pub(super) fn table(&self, name: impl Fn(&str) -> String) -> TextTable {
        let headings: Vec<String> =
            [String::new()].into_iter().chain(self.columns.iter().map(|column| name(column))).collect();
        let mut table = TextTable::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
        for (row, figures) in &self.rows {
            table.push([name(row)].into_iter().chain(figures.iter().map(|figure| self.shown(*figure))));
        }
        table
    }
}

/// The heading of the tables over all tests.
pub(super) const ALL_TESTS: &str = "All tests";

/// The heading of the tables over parts of the words.
pub(super) const SLICES: &str = "Parts of the words";

/// The heading of the table of slot error rates.
pub(super) const SER: &str = "SER %";

/// A figure of a row on a test.
type CellFigure = fn(&ResultCell) -> Option<f64>;

/// Returns a table for each figure of all rows on all tests; no tables if there are fewer than two tests.
pub fn all_tests(results: &Results) -> Vec<FigureTable> {
    if results.tests.len() < 2 {
        return Vec::new();
    }
    let fractions: [(&str, CellFigure); 5] = [
        (SER, |cell| cell.figures.ser),
        ("F %", |cell| cell.figures.f),
        ("SER % of words in the model", |cell| cell.in_model.as_ref().filter(|_| cell.marks.is_none())?.ser),
        ("macro F % of marks", |cell| cell.marks.as_ref()?.macro_f),
        ("F % of sentence ends", |cell| cell.sentence_ends.as_ref()?.f),
    ];
    let tests: Vec<String> = results.tests.iter().map(|test| test.name.clone()).collect();
    let table = |(heading, figure): (&str, CellFigure)| {
        FigureTable::of(heading, &tests, results, |row, test| figure(cell(results, row, test)?))
    };
    let speed = table(("words/s", |cell| cell.words_per_second));
    let speed = speed.map(|table| FigureTable { is_fraction: false, ..table });
    fractions.into_iter().filter_map(table).chain(speed).collect()
}

/// Returns the heading of slot error rates of parts of the words; if a test scores punctuation, only capitals count.
pub(super) fn ser_of_parts(results: &Results, test: usize) -> &'static str {
    let has_marks = |row| cell(results, row, test).is_some_and(|cell: &ResultCell| cell.marks.is_some());
    if (0..results.rows.len()).any(has_marks) { "SER % of capitals" } else { SER }
}

/// Returns the slot error rates of parts of the words, in a table for each test whose rows have such parts.
pub fn slices(results: &Results) -> Vec<FigureTable> {
    let table = |(at, test): (usize, &super::results::ResultTest)| {
        let mut names: Vec<String> = Vec::new();
        for cell in (0..results.rows.len()).filter_map(|row| cell(results, row, at)) {
            for slice in cell.slices.iter().filter(|slice| slice.figures.ser.is_some()) {
                if !names.contains(&slice.name) {
                    names.push(slice.name.clone());
                }
            }
        }
        let heading = format!("{}, {}", ser_of_parts(results, at), test.name);
        FigureTable::of(&heading, &names, results, |row, column| {
            let slices = &cell(results, row, at)?.slices;
            slices.iter().find(|slice| slice.name == names[column])?.figures.ser
        })
    };
    results.tests.iter().enumerate().filter_map(table).collect()
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
        assert_eq!(named("SER %").unwrap().columns.len(), 3);
        assert!(named("SER % of words in the model").is_none());
        let found = named("F % of sentence ends").unwrap();
        assert_eq!(found.columns, [results.tests[1].name.clone()]);
        let shown: Vec<String> = found.rows.iter().map(|(_, row)| found.shown(row[0])).collect();
        assert_eq!(shown[1..4], [NONE.to_owned(), percent(ends.f), NONE.to_owned()]);
        let speeds = named("words/s").unwrap();
        let second = results.rows[1].cells[0].as_ref().unwrap().words_per_second;
        assert_eq!(speeds.shown(speeds.rows[1].1[0]), speed(second.unwrap()));
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
        assert_eq!(table.columns, ["acronyms", "unseen words"]);
        let figures: Vec<_> = table.rows.iter().map(|(_, figures)| figures.clone()).collect();
        assert_eq!(figures, [vec![Some(0.5), None], vec![Some(0.125), Some(0.25)]]);
    }
}
