//! The best row on each test, and the other rows' distances from it.

use super::results::{ResultCell, ResultRow, Results};
use majuscule_train::eval::SystemDifference;
use majuscule_train::eval::table::{percent, probability};

/// The significance level: a row is worse than the best if such a large difference has a lower
/// probability by chance.
pub const SIGNIFICANT: f64 = 0.05;

/// The standing of a row on a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Standing {
    /// The row has the least SER.
    Best,
    /// Chance may explain the difference from the best row.
    Near(SystemDifference),
    /// The difference from the best row is significant.
    Worse(SystemDifference),
    /// The standing is unknown, because SER is undefined or was not compared.
    Unknown,
}

/// Returns the cell of a row on a test; `None` if the row was not tested on it.
pub fn cell(results: &Results, row: usize, test: usize) -> Option<&ResultCell> {
    results.rows.get(row)?.cells.get(test)?.as_ref()
}

/// Returns the rows that were tested on a test, each with its cell.
pub fn cells(results: &Results, test: usize) -> impl Iterator<Item = (&ResultRow, &ResultCell)> {
    results.rows.iter().filter_map(move |row| Some((row, row.cells.get(test)?.as_ref()?)))
}

/// Returns the SER of a row on a test.
pub fn ser(results: &Results, row: usize, test: usize) -> Option<f64> {
    cell(results, row, test)?.figures.ser.filter(|ser| ser.is_finite())
}

/// Ranks the rows with an SER on this test by increasing SER; ties stay in order.
pub fn ranking(results: &Results, test: usize) -> Vec<usize> {
    let mut ranked: Vec<_> =
        (0..results.rows.len()).filter_map(|row| Some((row, ser(results, row, test)?))).collect();
    ranked.sort_by(|(_, one), (_, two)| one.total_cmp(two));
    ranked.into_iter().map(|(row, _)| row).collect()
}

/// Returns the standing of a row on a test; `None` if the row was not tested on it.
pub fn standing(results: &Results, row: usize, test: usize) -> Option<Standing> {
    let cell = cell(results, row, test)?;
    Some(match cell.difference {
        Some(difference) if difference.p_randomization < SIGNIFICANT => Standing::Worse(difference),
        Some(difference) => Standing::Near(difference),
        None if ranking(results, test).first() == Some(&row) => Standing::Best,
        None => Standing::Unknown,
    })
}

/// The phrase for a row whose distance from the best may be due to chance; it does not claim that
/// the row is as good.
pub const NEAR: &str = "cannot be told from it";

/// The maximum number of rows that a sentence names as indistinguishable from the best.
const NAMED: usize = 2;

/// The outcome of a test in a sentence: the best row, its SER, and the standing of the other rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Lead<'a> {
    /// The name of the best row.
    pub best: &'a str,
    /// The SER of the best row.
    pub ser: f64,
    /// Clauses about the rows that do not differ significantly from the best and about its lead,
    /// without initial capital and full stop.
    pub then: String,
}

/// Describes the outcome of a test; `None` if no row has an SER on it.
pub fn lead(results: &Results, test: usize) -> Option<Lead<'_>> {
    let ranked = ranking(results, test);
    let (&best, others) = ranked.split_first()?;
    let name = |row: usize| results.rows[row].name.as_str();
    let is_near = |&row: &usize| match standing(results, row, test)? {
        Standing::Near(difference) => Some((row, difference.p_randomization)),
        _ => None,
    };
    let near: Vec<(usize, f64)> = others.iter().filter_map(is_near).collect();
    let ahead = others.iter().copied().find(|row| near.iter().all(|(near, _)| near != row));
    let mut then = Vec::new();
    if near.len() > NAMED {
        then.push(format!("{} rows {NEAR}", near.len()));
    } else if !near.is_empty() {
        let named: Vec<_> = near.iter().map(|(row, p)| format!("{} (p {})", name(*row), equal(*p))).collect();
        then.push(format!("{} {NEAR}", named.join(" and ")));
    }
    if let Some(row) = ahead
        && let (Some(ser), Some(least)) = (ser(results, row, test), ser(results, best, test))
    {
        let p = match standing(results, row, test) {
            Some(Standing::Worse(difference)) => format!(" (p {})", equal(difference.p_randomization)),
            _ => String::new(),
        };
        then.push(format!("next is {}, {} points behind{p}", name(row), percent(Some(ser - least))));
    } else if others.is_empty() {
        then.push("no other row was tested here".into());
    }
    Some(Lead { best: name(best), ser: ser(results, best, test)?, then: then.join("; ") })
}

/// Formats a probability with its sign: `= 0.320` or `< 0.001`.
pub fn equal(p: f64) -> String {
    let p = probability(p);
    if p.starts_with('<') { p } else { format!("= {p}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;

    #[test]
    fn the_least_ser_is_the_best_and_the_first_among_equals() {
        let mut results = made::small();
        assert_eq!(ranking(&results, 0), [1, 0]);
        assert_eq!(standing(&results, 1, 0), Some(Standing::Best));
        assert!(matches!(standing(&results, 0, 0), Some(Standing::Worse(_))));
        results.rows[0].cells[0] = results.rows[1].cells[0].clone();
        assert_eq!(ranking(&results, 0), [0, 1]);
        results.rows[0].cells[0] = None;
        assert_eq!(standing(&results, 0, 0), None);
        assert_eq!(standing(&results, 0, 99), None);
    }

    #[test]
    fn a_lead_says_by_how_much() {
        let mut results = made::small();
        let then = |results: &Results| lead(results, 0).unwrap().then;
        assert_eq!(then(&results), "next is a <script>alert(1)</script>, 10.00 points behind (p < 0.001)");
        let cell = results.rows[0].cells[0].as_mut().unwrap();
        cell.difference.as_mut().unwrap().p_randomization = 0.32;
        assert_eq!(then(&results), "a <script>alert(1)</script> (p = 0.320) cannot be told from it");
        results.rows[0].cells[0] = None;
        assert_eq!(then(&results), "no other row was tested here");
        results.rows[1].cells[0] = None;
        assert_eq!(lead(&results, 0), None);
    }
}
