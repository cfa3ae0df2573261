//! Exports of results for papers and for other programs: LaTeX tables and comma-separated values.

use super::matrix::{all_tests, slices};
use super::results::{ResultCell, Results};
use super::standing::{Standing, cell, standing};
use super::tables;
use super::units::NONE;
use majuscule_train::eval::Figures;
use majuscule_train::eval::compare::{Interval, Intervals};
use majuscule_train::eval::table::{TextTable, csv_cell, percent, probability};

/// Writes the scores of each test, the figures over all tests and the cost as tables of LaTeX.
pub fn latex(results: &Results) -> String {
    let mut out = String::from("% Tables by majuscule: they need \\usepackage{booktabs}.\n");
    let caption = |name: &str| format!("{}: {name}", results.title);
    let mut push = |table: String| out.push_str(&format!("\n{table}"));
    for (at, test) in results.tests.iter().enumerate() {
        push(scores(results, at).latex(&caption(&test.name)));
        if let Some(marks) = tables::mark_table(results, at) {
            push(marks.latex(&caption(&format!("marks, {}", test.name))));
        }
    }
    for table in all_tests(results).into_iter().chain(slices(results)) {
        push(table.latex(&caption(&table.heading)));
    }
    push(tables::cost(results).latex(&caption("cost")));
    out
}

/// Builds the score table of a test, with p-values relative to the best row.
fn scores(results: &Results, test: usize) -> TextTable {
    let mut table = TextTable::new(&["", "P %", "R %", "F %", "SER %", "p"]);
    for (at, row) in results.rows.iter().enumerate() {
        let figures = cell(results, at, test).map(|cell| {
            let Figures { precision, recall, f, ser, .. } = cell.figures;
            [precision, recall, f, ser].map(percent)
        });
        let p = match standing(results, at, test) {
            Some(Standing::Near(difference) | Standing::Worse(difference)) => {
                probability(difference.p_randomization)
            }
            Some(Standing::Best) => "best".to_owned(),
            Some(Standing::Unknown) | None => NONE.to_owned(),
        };
        let figures = figures.unwrap_or([NONE; 4].map(str::to_owned));
        table.push([row.name.clone()].into_iter().chain(figures).chain([p]));
    }
    table
}

/// Writes all figures as comma-separated values, one figure per row: fractions, seconds, bytes and words per second,
/// with the 95 % interval if there is one.
pub fn csv(results: &Results) -> String {
    let mut out = String::from("row,test,part,figure,value,low,high\n");
    let mut push = |names: [&str; 4], value: Option<f64>, around: Option<Interval>| {
        let Some(value) = value else { return };
        let ends = around.map_or([None; 2], |Interval { low, high }| [Some(low), Some(high)]);
        let [low, high] = ends.map(|end| end.map_or_else(String::new, |end| end.to_string()));
        out.push_str(&format!("{},{value},{low},{high}\n", names.map(csv_cell).join(",")));
    };
    for (at, row) in results.rows.iter().enumerate() {
        let peak_bytes = row.training.and_then(|usage| usage.peak_bytes);
        let of_row = [
            ("model bytes", row.bytes.map(|bytes| bytes as f64)),
            ("training CPU seconds", row.training.and_then(|usage| usage.cpu_seconds)),
            ("training peak bytes", peak_bytes.map(|bytes| bytes as f64)),
            ("look-ahead", row.look_ahead.map(|words| words as f64)),
        ];
        for (figure, value) in of_row {
            push([&row.name, "", "", figure], value, None);
        }
        for (number, test) in results.tests.iter().enumerate() {
            let Some(cell) = cell(results, at, number) else { continue };
            for (part, figures, intervals) in parts(cell) {
                for (figure, value, interval) in of_part(&figures, intervals) {
                    push([&row.name, &test.name, &part, figure], value, interval);
                }
            }
            let macro_f = cell.marks.as_ref().and_then(|marks| marks.macro_f);
            push([&row.name, &test.name, "", "macro F of marks"], macro_f, None);
            push([&row.name, &test.name, "", "words/s"], cell.words_per_second, None);
        }
    }
    out
}

/// Returns the figures of a cell, for all words and for parts of the words.
fn parts(cell: &ResultCell) -> Vec<(String, Figures, Option<Intervals>)> {
    let mut parts = vec![("".to_owned(), cell.figures, Some(cell.intervals))];
    parts.extend(cell.in_model.map(|figures| ("words in the model".to_owned(), figures, None)));
    parts.extend(cell.sentence_ends.map(|figures| ("sentence ends".to_owned(), figures, None)));
    let marks = cell.marks.iter().flat_map(|marks| &marks.classes);
    parts.extend(marks.map(|class| (class.mark.name().to_owned(), class.figures, None)));
    parts.extend(cell.slices.iter().map(|slice| (slice.name.clone(), slice.figures, None)));
    parts
}

fn of_part(
    figures: &Figures,
    intervals: Option<Intervals>,
) -> [(&'static str, Option<f64>, Option<Interval>); 8] {
    let Figures { correct, substitutions, deletions, insertions, precision, recall, f, ser, .. } = *figures;
    let counts = [("C", correct), ("S", substitutions), ("D", deletions), ("I", insertions)];
    let [c, s, d, i] = counts.map(|(name, count)| (name, Some(count as f64), None));
    let Intervals { precision: of_p, recall: of_r, f: of_f, ser: of_ser } = intervals.unwrap_or_default();
    [c, s, d, i, ("P", precision, of_p), ("R", recall, of_r), ("F", f, of_f), ("SER", ser, of_ser)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;

    #[test]
    fn the_tables_of_latex_have_a_row_for_each_row_and_no_bare_sign() {
        let results = made::large();
        let latex = latex(&results);
        let tables: Vec<&str> = latex.split("\\begin{table}").skip(1).collect();
        // Three tests, SER, F and words a second over all of them, and the cost.
        assert_eq!(tables.len(), 7);
        for table in tables {
            let rows = table.lines().filter(|line| line.ends_with(" \\\\")).count();
            assert_eq!(rows, 1 + results.rows.len(), "{table}");
            let columns = table.split_once("\\begin{tabular}{").unwrap().1.find('}').unwrap();
            let is_whole = |line: &str| line.replace("\\&", "").matches(" & ").count() + 1 == columns;
            assert!(table.lines().filter(|line| line.ends_with(" \\\\")).all(is_whole), "{table}");
        }
        assert!(latex.contains("\\caption{Methods by the size of their training corpus: cost}"), "{latex}");
        let small = super::latex(&made::small());
        assert!(small.contains("a $<$script$>$alert(1)$<$/script$>$ & "), "{small}");
    }

    #[test]
    fn each_figure_is_a_row_of_its_own() {
        let results = made::small();
        let csv = csv(&results);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let rows: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
        let cell = results.rows[0].cells[0].as_ref().unwrap();
        let ser = rows.iter().find(|row| row[0] == results.rows[0].name && row[3] == "SER").unwrap();
        let Interval { low, high } = cell.intervals.ser.unwrap();
        let expected = [cell.figures.ser.unwrap(), low, high];
        let found: Vec<f64> = ser[4..].iter().map(|value| value.parse().unwrap()).collect();
        assert_eq!((ser[1].as_str(), ser[2].as_str(), found.as_slice()), ("<i>test</i>", "", &expected[..]));
        assert!(rows.iter().any(|row| row[3] == "training CPU seconds"));
    }
}
