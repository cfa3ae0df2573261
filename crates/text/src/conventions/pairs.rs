//! Words whose case an adjacent word decides: `heute Nachmittag`, `7 pm EST`, `PO Box`.

use super::{Word, Words};
use crate::language::{ConventionFacts, has_word};
use crate::word_list::lines;
use crate::{Case, Mark};

/// Represents a number in the lists of a pair.
const NUMBER: &str = "#";

/// Returns true if a list of a pair has a word.
fn has(list: &str, word: Word<'_>) -> bool {
    has_word(list, word.lower) || word.is_number() && has_word(list, NUMBER)
}

/// Returns true if no mark is after a word, or only a mark of a kind that may be inserted.
fn is_open_behind(word: &Word<'_>) -> bool {
    word.token.right.is_none_or(|mark| Mark::of(mark) != Mark::None)
}

/// Two adjacent words, one of which decides the case of the other.
#[derive(Debug)]
pub(super) struct WordPair {
    /// The first words.
    first: &'static str,
    /// The words that may follow one of them.
    second: &'static str,
    /// The cases that the first and the second word get; `None` leaves the case to the method.
    cases: [Option<Case>; 2],
}

impl WordPair {
    /// Reads the pairs of a language.
    pub(super) fn read(facts: &ConventionFacts) -> Vec<Self> {
        let case = |name: &str| match name {
            "lower" => Some(Case::Lower),
            "title" => Some(Case::Title),
            "upper" => Some(Case::Upper),
            _ => None,
        };
        let pairs = lines(facts.pairs).map(|mut columns| {
            let mut column = || columns.next().unwrap_or_default();
            let (cases, first, second) = (column(), column(), column());
            let (of_first, of_second) = cases.split_once(' ').unwrap_or_default();
            Self { first, second, cases: [case(of_first), case(of_second)] }
        });
        pairs.collect()
    }

    /// Iterates over the words whose case the pair decides.
    pub(super) fn cased(&self) -> impl Iterator<Item = &'static str> + use<> {
        let words = [(self.first, self.cases[0]), (self.second, self.cases[1])];
        let words = words.into_iter().filter(|(_, case)| case.is_some());
        words.flat_map(|(list, _)| list.split(' ')).filter(|word| *word != NUMBER)
    }
}

impl Words<'_> {
    /// Returns the case of a word by the word before or after it.
    pub(super) fn paired(&self, at: usize, word: Word<'_>) -> Option<Case> {
        let is_open = |before: usize| {
            let before = self.left(at, before);
            !before.is_some_and(|word| has_word(self.tables.facts.unpaired_after, word.lower))
        };
        if !self.tables.is_paired(word.lower) {
            return None;
        }
        self.tables.pairs.iter().find_map(|pair| {
            let [first, second] = pair.cases;
            let as_second = || {
                let case = second.filter(|_| has(pair.second, word))?;
                let before = self.left(at, 1).filter(is_open_behind)?;
                (has(pair.first, before) && is_open(2)).then_some(case)
            };
            let as_first = || {
                let case = first.filter(|_| has(pair.first, word) && is_open_behind(&word))?;
                (has(pair.second, self.right(at, 1)?) && is_open(1)).then_some(case)
            };
            as_second().or_else(as_first)
        })
    }

    /// Returns true if the word after a word may decide its case.
    pub(super) fn needs_pair(&self, word: Word<'_>) -> bool {
        let is_first = |pair: &WordPair| pair.cases[0].is_some() && has(pair.first, word);
        self.tables.is_paired(word.lower) && self.tables.pairs.iter().any(is_first)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::spelled;
    use crate::Case;

    #[test]
    fn a_word_beside_it_decides_the_case_of_a_word() {
        for (language, text, expected) in [
            (
                "de",
                "heute nachmittag, gestern morgen, heute, morgen",
                "heute Nachmittag, gestern Morgen, heute, morgen",
            ),
            ("de", "übermorgen früh und am morgen", "übermorgen früh und am morgen"),
            ("en", "at 7 pm est, 9:30 gmt and the est", "at 7 pm EST, 9:30 GMT and the est"),
            ("en", "3134 b st ne, 53rd ave s in st ives", "3134 B st NE, 53rd ave S in st ives"),
            ("en", "po box 12, the po and a box", "PO Box 12, the po and a box"),
            ("de", "in den haag, den hang", "in Den Haag, den hang"),
            (
                "fr",
                "il dit que j ai tort, t es où, plan c et d",
                "il dit que j ai tort, t es où, plan c et d",
            ),
        ] {
            assert_eq!(spelled(language, text, Case::Lower), expected);
        }
        assert_eq!(spelled("fr", "mais J AI, T ES, A DIT", Case::Upper), "MAIS j ai, t es, a DIT");
        assert_eq!(
            spelled("pt", "em março e 5 de abril no rio de janeiro", Case::Title),
            "Em março E 5 De abril No Rio De Janeiro"
        );
        assert_eq!(spelled("pt", "Maria Abril", Case::Title), "Maria Abril");
    }
}
