//! Which row is best on each test, and which of the others can be told from it.

use super::results::{ResultCell, Results};
use majuscule_train::eval::SystemDifference;
use majuscule_train::eval::table::{percent, probability};

/// A row is worse than the best where chance gives so large a difference less often than this.
pub const SIGNIFICANT: f64 = 0.05;

/// How a row stands on a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Standing {
    /// It has the least SER.
    Best,
    /// Chance may explain what it is behind by.
    Near(SystemDifference),
    /// Chance does not.
    Worse(SystemDifference),
    /// Nobody can say: SER is undefined, or was not compared.
    Unknown,
}

/// The cell of a row on a test, where it was tested.
pub fn cell(results: &Results, row: usize, test: usize) -> Option<&ResultCell> {
    results.rows.get(row)?.cells.get(test)?.as_ref()
}

/// The SER of a row on a test.
pub fn ser(results: &Results, row: usize, test: usize) -> Option<f64> {
    cell(results, row, test)?.figures.ser.filter(|ser| ser.is_finite())
}

/// The rows with an SER on this test, the least first, in order among equals.
pub fn ranking(results: &Results, test: usize) -> Vec<usize> {
    let mut ranked: Vec<_> =
        (0..results.rows.len()).filter_map(|row| Some((row, ser(results, row, test)?))).collect();
    ranked.sort_by(|(_, one), (_, two)| one.total_cmp(two));
    ranked.into_iter().map(|(row, _)| row).collect()
}

/// How a row stands on a test; `None` where it was not tested.
pub fn standing(results: &Results, row: usize, test: usize) -> Option<Standing> {
    let cell = cell(results, row, test)?;
    Some(match cell.difference {
        Some(difference) if difference.p_randomization < SIGNIFICANT => Standing::Worse(difference),
        Some(difference) => Standing::Near(difference),
        None if ranking(results, test).first() == Some(&row) => Standing::Best,
        None => Standing::Unknown,
    })
}

/// What is said of a row whose distance to the best chance may explain: not that it is no worse, which nobody knows.
pub const NEAR: &str = "cannot be told from it";

/// How many rows that cannot be told from the best a sentence names.
const NAMED: usize = 2;

/// What a test came to in a sentence: which row is best, its SER, and how the others stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Lead<'a> {
    /// The best row.
    pub best: &'a str,
    /// Its SER.
    pub ser: f64,
    /// What cannot be told from it and by how much it leads: clauses, without a capital and a full stop.
    pub then: String,
}

/// `None` where no row has an SER on this test.
pub fn lead(results: &Results, test: usize) -> Option<Lead<'_>> {
    let ranked = ranking(results, test);
    let (&best, others) = ranked.split_first()?;
    let name = |row: usize| results.rows[row].name.as_str();
    let near: Vec<(usize, f64)> = others
        .iter()
        .filter_map(|&row| match standing(results, row, test)? {
            Standing::Near(difference) => Some((row, difference.p_randomization)),
            _ => None,
        })
        .collect();
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

/// A probability after its sign: `= 0.320` or `< 0.001`.
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
