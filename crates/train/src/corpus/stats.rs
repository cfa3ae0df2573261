//! Counts the sentences, words and tags of a corpus under a protocol.

use serde::{Deserialize, Serialize};

use super::Example;
use majuscule_text::{Case, Class};

/// Counts of a corpus. The counts of its parts can be [merged](CorpusStats::merge).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CorpusStats {
    /// The number of sentences with at least one word.
    pub sentences: u64,
    /// All words, as counted in table 2 of Rei et al. 2020.
    pub all: WordStats,
    /// The words that are trained on and scored.
    pub scored: WordStats,
}

/// Counts of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WordStats {
    /// The number of words.
    pub tokens: u64,
    /// The number of words with each tag.
    pub tags: Tags,
    /// The number of words with the tag L that are in mixed case: `McDonald`.
    pub mixed: u64,
}

/// The number of words with each tag of Rei et al. 2020, section 3.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub struct Tags {
    /// Words with the tag L: all other cases.
    pub l: u64,
    /// Words with the tag U: all letters are capitals.
    pub u: u64,
    /// Words with the tag T: only the first letter is a capital.
    pub t: u64,
}

impl Tags {
    /// (T+U)/L in percent, the ratio of table 2 of Rei et al. 2020; `None` if no word has the tag
    /// L.
    pub fn not_l(self) -> Option<f64> {
        (self.l > 0).then(|| 100.0 * (self.t + self.u) as f64 / self.l as f64)
    }
}

impl CorpusStats {
    /// Counts an example.
    pub fn add(&mut self, example: &Example) {
        for gold in &example.gold {
            self.sentences += u64::from(gold.ends);
            self.all.add(gold.label.case);
            if gold.scored {
                self.scored.add(gold.label.case);
            }
        }
    }

    /// Adds the counts of another part.
    pub fn merge(&mut self, other: &Self) {
        self.sentences += other.sentences;
        self.all.merge(&other.all);
        self.scored.merge(&other.scored);
    }
}

impl WordStats {
    /// Counts a word.
    pub(super) fn add(&mut self, case: Case) {
        self.tokens += 1;
        *match case {
            Case::Lower | Case::Mixed(_) => &mut self.tags.l,
            Case::Upper => &mut self.tags.u,
            Case::Title => &mut self.tags.t,
        } += 1;
        self.mixed += u64::from(case.class() == Class::Mixed);
    }

    fn merge(&mut self, other: &Self) {
        self.tokens += other.tokens;
        self.tags.l += other.tags.l;
        self.tags.u += other.tags.u;
        self.tags.t += other.tags.t;
        self.mixed += other.mixed;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Protocol, Reading};
    use super::*;
    use crate::corpus::Corpus;
    use majuscule_text::Locale;

    fn corpus(text: &str, protocol: Protocol) -> Corpus {
        Corpus::of_text(text, Reading::default(), protocol, Locale::Root)
    }

    #[test]
    fn the_ratio_is_that_of_rei_2020_table_2() {
        for (l, u, t, ratio) in [
            (904_288, 38_917, 94_767, "14.78"),
            (76_200, 3_420, 8_179, "15.22"),
            (42_936_838, 861_199, 4_953_879, "13.54"),
            (2_246_120, 43_236, 267_972, "13.86"),
            (46_420_467, 624_757, 4_532_864, "11.11"),
            (2_399_968, 29_564, 240_390, "11.25"),
        ] {
            assert_eq!(format!("{:.2}", Tags { l, u, t }.not_l().unwrap()), ratio);
        }
        assert_eq!(Tags { l: 0, u: 1, t: 1 }.not_l(), None);
    }

    #[test]
    fn words_are_counted_by_tag_and_mixed_case_apart() {
        let mut stats = CorpusStats::default();
        // The first word of each sentence is context, except NATO.
        let text = "The McDonald sisters from Faro.\nNATO met.\n...";
        for example in corpus(text, Protocol::Rei).examples().unwrap() {
            stats.add(&example);
        }
        let scored = WordStats { tokens: 6, tags: Tags { l: 4, u: 1, t: 1 }, mixed: 1 };
        let all = WordStats { tokens: 7, tags: Tags { t: 2, ..scored.tags }, ..scored };
        assert_eq!(stats, CorpusStats { sentences: 2, all, scored });
        let mut twice = stats.clone();
        twice.merge(&stats);
        assert_eq!((twice.sentences, twice.all.tokens, twice.scored.tags.l, twice.all.mixed), (4, 14, 8, 2));
    }
}
