//! Compares two lexicons: the words of one alone, and those that they spell differently.

use serde::Serialize;

use super::{Initial, Lexicon, LexiconEntry};

/// The differences between two lexicons. Each list begins with the most frequent words; words of
/// equal frequency are in the order of their bytes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct LexiconDifferences {
    /// Words of the first lexicon alone.
    pub only_left: Vec<LexiconSide>,
    /// Words of the second lexicon alone.
    pub only_right: Vec<LexiconSide>,
    /// Words whose most frequent form differs.
    pub differ: Vec<Differ>,
    /// The number of words that have the same most frequent form in both.
    pub same: usize,
}

/// A word in one lexicon.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LexiconSide {
    /// The most frequent form of the word.
    pub form: String,
    /// The count of that form.
    pub count: f64,
    /// The count of the word in all forms.
    pub total: f64,
}

/// A word that two lexicons spell differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Differ {
    /// The word in the first lexicon.
    pub left: LexiconSide,
    /// The word in the second lexicon.
    pub right: LexiconSide,
}

/// Compares two lexicons, word by word.
pub fn compare(left: &Lexicon, right: &Lexicon, initial: Initial) -> LexiconDifferences {
    let mut differences = LexiconDifferences::default();
    for entry in left.iter() {
        let side = side(left, &entry, initial);
        match right.get(entry.word) {
            None => differences.only_left.push(side),
            Some(other) if entry.majority(initial) == other.majority(initial) => differences.same += 1,
            Some(other) => {
                let right = self::side(right, &other, initial);
                differences.differ.push(Differ { left: side, right });
            }
        }
    }
    let alone = right.iter().filter(|entry| left.get(entry.word).is_none());
    differences.only_right = alone.map(|entry| side(right, &entry, initial)).collect();
    // The sort is stable: equal words stay in the order of their bytes.
    differences.only_left.sort_by(|a, b| b.total.total_cmp(&a.total));
    differences.only_right.sort_by(|a, b| b.total.total_cmp(&a.total));
    let weight = |differ: &Differ| differ.left.total + differ.right.total;
    differences.differ.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    differences
}

fn side(lexicon: &Lexicon, entry: &LexiconEntry<'_>, initial: Initial) -> LexiconSide {
    let case = entry.majority(initial);
    let form = entry.forms.iter().find(|form| form.case == case);
    LexiconSide {
        form: case.applied(entry.word, lexicon.locale()),
        count: form.map_or(0.0, |form| form.total()),
        total: entry.total(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::tests::lexicon;

    #[test]
    fn differences_are_sorted_by_their_weight() {
        let left = lexicon("rose May a b b Turkey Turkey");
        let right = lexicon("Rose may may c rose rose turkey turkey turkey");
        let differences = compare(&left, &right, Initial::Apart);
        let forms = |sides: &[LexiconSide]| sides.iter().map(|side| side.form.clone()).collect::<Vec<_>>();
        assert_eq!(forms(&differences.only_left), ["b", "a"]);
        assert_eq!(forms(&differences.only_right), ["c"]);
        let differ: Vec<_> =
            differences.differ.iter().map(|d| (d.left.form.as_str(), d.right.count)).collect();
        assert_eq!(differ, [("Turkey", 3.0), ("May", 2.0)]);
        assert_eq!(differences.same, 1);
    }

    #[test]
    fn a_lexicon_does_not_differ_from_itself() {
        let lexicon = lexicon("rose Rose McDonald ^The");
        let differences = compare(&lexicon, &lexicon, Initial::Apart);
        assert_eq!(differences, LexiconDifferences { same: 3, ..Default::default() });
    }
}
