//! Counts how each word of a cased corpus is written.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use rustc_hash::FxHashMap;

use crate::corpus::Corpus;
use majuscule_base::error::Result;
use majuscule_methods::maxent::hash::hash;
use majuscule_methods::maxent::profile::WordCounts;
use majuscule_methods::spellings;
use majuscule_text::{Case, Class, Locale};

/// The counts of a word.
#[derive(Debug, Clone, Default)]
pub(super) struct WordTally {
    pub(super) counts: WordCounts,
    /// The spellings of the word in mixed case.
    mixed: BTreeMap<Case, u32>,
}

impl WordTally {
    fn total(&self) -> u32 {
        self.counts.classes.iter().sum::<u32>() + self.counts.first
    }
}

pub(super) type WordTallies = FxHashMap<String, WordTally>;

pub(super) fn count(corpus: &Corpus, threads: NonZeroUsize) -> Result<WordTallies> {
    let parts = corpus.map_reduce(threads, WordTallies::default, |words, example| {
        for ((lower, _), gold) in example.tokens.iter().zip(&example.gold) {
            if !words.contains_key(lower) {
                words.insert(lower.to_owned(), WordTally::default());
            }
            let Some(word) = words.get_mut(lower) else { continue };
            word.counts.add(gold.label.case.class(), gold.initial, gold.ends);
            if gold.label.case.class() == Class::Mixed {
                *word.mixed.entry(gold.label.case).or_default() += 1;
            }
        }
        Ok(())
    })?;
    let mut all = WordTallies::default();
    for (lower, word) in parts.into_iter().flatten() {
        let sum = all.entry(lower).or_default();
        sum.counts = sum.counts.plus(&word.counts);
        word.mixed.into_iter().for_each(|(case, count)| *sum.mixed.entry(case).or_default() += count);
    }
    Ok(all)
}

/// Returns a digest of the counts that does not depend on their order.
pub(super) fn digest(words: &WordTallies) -> u64 {
    let mut bytes = Vec::new();
    let digests =
        words.iter().map(|(lower, WordTally { counts: WordCounts { classes, first, last }, .. })| {
            bytes.clear();
            bytes.extend(lower.as_bytes());
            classes.iter().chain([first, last]).for_each(|count| bytes.extend(count.to_le_bytes()));
            hash(&bytes)
        });
    digests.fold(0, u64::wrapping_add)
}

/// Returns the most frequent words; ties are in byte order.
pub(super) fn most_frequent(words: &WordTallies, limit: usize) -> Vec<String> {
    let mut order: Vec<(u32, &String)> = words.iter().map(|(lower, word)| (word.total(), lower)).collect();
    order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    order.truncate(limit);
    order.into_iter().map(|(_, lower)| lower.clone()).collect()
}

/// Returns the most frequent mixed spelling of each word that has one, one per line; `others` has
/// spellings for words without one in the corpus.
pub(super) fn mixed(
    order: &[String],
    words: &WordTallies,
    others: BTreeMap<String, Case>,
    locale: Locale,
) -> String {
    let mut cases = others;
    for lower in order {
        if let Some(case) = spellings::most_frequent(&words[lower].mixed) {
            cases.insert(lower.clone(), case);
        }
    }
    spellings::write(cases.iter().map(|(lower, case)| (lower, *case)), locale)
}
