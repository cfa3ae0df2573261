//! Rows that differ only in their seed: mean and standard deviation over training runs, and a test whether the runs
//! of one series are better than the runs of another.

use super::figure_table::{FigureField, FigureTable};
use super::results::Results;
use super::standing::cell;
use super::units::NONE;
use majuscule_train::eval::table::{percent, probability};

/// The heading of the section.
pub(super) const HEADING: &str = "Over training runs";

/// The explanation of the table.
pub(super) const ABOUT: &str = "mean and standard deviation over seeds; p that the runs of a row are no better or worse than those of the row with the \
                                least mean SER: of all ways to exchange runs of the two, the part with as large a difference of means; three runs against three have at least 0.100. The p beside single \
                                rows is over test examples";

/// The runs of one row of the recipe on one test.
struct SeedRuns<'a> {
    series: &'a str,
    f: Vec<f64>,
    ser: Vec<f64>,
}

/// Returns the series of a test that have several runs, in the order of their rows.
fn runs(results: &Results, test: usize) -> Vec<SeedRuns<'_>> {
    let mut all: Vec<SeedRuns<'_>> = Vec::new();
    for (at, row) in results.rows.iter().enumerate().filter(|(_, row)| row.seeded.is_some()) {
        let Some(figures) = cell(results, at, test).map(|cell| &cell.figures) else { continue };
        let Some((f, ser)) = figures.f.zip(figures.ser) else { continue };
        match all.iter_mut().find(|runs| runs.series == row.series) {
            Some(runs) => {
                runs.f.push(f);
                runs.ser.push(ser);
            }
            None => all.push(SeedRuns { series: &row.series, f: vec![f], ser: vec![ser] }),
        }
    }
    all.retain(|runs| runs.ser.len() > 1);
    all
}

/// Returns the table over training runs, which has no rows if no row of the results has several seeds.
pub(super) fn table(results: &Results) -> FigureTable {
    let mut table = FigureTable::new(HEADING, 6, ["", "test", "runs", "F %", "SER %", "p over runs"]);
    for (at, test) in results.tests.iter().enumerate() {
        let all = runs(results, at);
        let best = (0..all.len()).min_by(|&a, &b| mean(&all[a].ser).total_cmp(&mean(&all[b].ser)));
        for (number, SeedRuns { series, f, ser }) in all.iter().enumerate() {
            let p = match best {
                Some(best) if best != number => probability(permutation(ser, &all[best].ser)),
                _ => NONE.to_owned(),
            };
            let cells =
                [(*series).to_owned(), test.name.clone(), ser.len().to_string(), spread(f), spread(ser), p];
            table.push(cells.map(FigureField::words));
        }
    }
    table
}

fn spread(values: &[f64]) -> String {
    format!("{} ± {}", percent(Some(mean(values))), percent(Some(deviation(values))))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the standard deviation of a sample of two or more values.
fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (squares / (values.len() as f64 - 1.0)).sqrt()
}

/// The largest number of runs of two rows together for which all exchanges are counted.
const MOST: usize = 20;

/// Returns the two-sided p-value of an exact permutation test: the fraction of all ways to divide the runs into
/// groups of the same sizes in which the means differ at least as much. Of each row, only the first [`MOST`] / 2 runs
/// count.
fn permutation(one: &[f64], two: &[f64]) -> f64 {
    let [one, two] = [one, two].map(|runs| &runs[..runs.len().min(MOST / 2)]);
    let all: Vec<f64> = one.iter().chain(two).copied().collect();
    let sum: f64 = all.iter().sum();
    let far = |of_one: f64| (of_one / one.len() as f64 - (sum - of_one) / two.len() as f64).abs();
    let observed = far(one.iter().sum());
    let (mut ways, mut as_far) = (0u64, 0u64);
    for chosen in 0u32..1 << all.len() {
        if chosen.count_ones() as usize != one.len() {
            continue;
        }
        ways += 1;
        let of_one: f64 = (0..all.len()).filter(|at| chosen >> at & 1 == 1).map(|at| all[at]).sum();
        // Equal sums may differ in the last bits.
        as_far += u64::from(far(of_one) >= observed - 1e-12);
    }
    as_far as f64 / ways as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;
    use crate::tables::markdown;

    #[test]
    fn means_deviations_and_exchanges_are_those_of_a_pencil() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        near(mean(&[0.1, 0.2, 0.3]), 0.2);
        // Squares .01 + 0 + .01, divided by 2.
        near(deviation(&[0.1, 0.2, 0.3]), 0.1);
        // Of 20 ways to divide six runs, this one and its mirror image have the largest difference.
        near(permutation(&[0.1, 0.2, 0.3], &[0.4, 0.5, 0.6]), 2.0 / 20.0);
        near(permutation(&[0.1, 0.2], &[0.1, 0.2]), 1.0);
    }

    #[test]
    fn rows_of_one_series_are_one_row_of_the_table() {
        let mut results = made::small();
        assert!(!markdown(&results).contains(HEADING));
        let second = results.rows[1].clone();
        results.rows.push(second);
        for (row, seed) in results.rows.iter_mut().skip(1).zip([1, 2]) {
            row.seeded = Some(seed);
        }
        let page = markdown(&results);
        assert!(page.contains("## Over training runs\n"), "{page}");
        assert!(page.contains("| b | &lt;i>test&lt;/i> | 2 | 90.00 ± 0.00 | 20.00 ± 0.00 | – |"), "{page}");
        let page = crate::page::html(&results);
        assert!(page.contains("<section id=\"runs\">") && page.contains("90.00 ± 0.00"));
    }
}
