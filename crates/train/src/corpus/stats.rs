//! What a corpus holds under a protocol: sentences, words, tags.

use serde::{Deserialize, Serialize};

use super::Example;
use super::protocol::ReiTag;
use majuscule::text::{Case, Class, Mark};

/// Counts of a corpus. Those of its parts can be [merged](CorpusStats::merge).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CorpusStats {
    /// Sentences that have a word.
    pub sentences: u64,
    /// All words: what table 2 of Rei et al. 2020 counts.
    pub all: WordStats,
    /// Those that are trained on and scored.
    pub scored: WordStats,
}

/// Counts of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WordStats {
    /// How many there are.
    pub tokens: u64,
    /// How many have each tag.
    pub tags: Tags,
    /// How many of those with the tag L are in mixed case: `McDonald`.
    pub mixed: u64,
}

/// How many words have each tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub struct Tags {
    /// All the rest.
    pub l: u64,
    /// Every letter a capital.
    pub u: u64,
    /// Only the first.
    pub t: u64,
}

impl Tags {
    /// (T+U)/L in percent, the ratio of table 2 of Rei et al. 2020; `None` where no word has the tag L.
    pub fn not_l(self) -> Option<f64> {
        (self.l > 0).then(|| 100.0 * (self.t + self.u) as f64 / self.l as f64)
    }
}

impl CorpusStats {
    /// Counts an example.
    pub fn add(&mut self, example: &Example) {
        for gold in &example.gold {
            self.sentences += u64::from(gold.label.mark == Mark::SentenceEnd);
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
    fn add(&mut self, case: Case) {
        self.tokens += 1;
        *match ReiTag::of(case) {
            ReiTag::L => &mut self.tags.l,
            ReiTag::U => &mut self.tags.u,
            ReiTag::T => &mut self.tags.t,
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
    use majuscule::text::Locale;

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
        // The first word of each sentence is context, but not NATO.
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
