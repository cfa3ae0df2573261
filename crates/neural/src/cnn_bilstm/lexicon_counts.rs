//! Counts the words of a corpus for the lexicon of a network.

use std::collections::BTreeMap;
use std::path::PathBuf;

use majuscule_base::error::Result;
use majuscule_methods::maxent::profile::WordCounts;
use majuscule_methods::network::word_lexicon::{LexiconRows, MOST_LISTS, WordLexicon};
use majuscule_text::Case;
use majuscule_train::methods::maxent::read_lists;
use rustc_hash::FxHashMap;

use crate::shared::samples::CorpusSplit;

/// The number of parts of a corpus. In training, a word has its counts in the other parts only, so that the network
/// also meets words that only lists contain.
const FOLDS: usize = 8;

/// The number of consecutive examples that belong to the same part: names are often repeated within a text.
const RUN: usize = 32;

/// The least number of times that a word must occur to have a profile.
const LEAST: u32 = 2;

/// The counts of words in each part of a corpus, and the lists that contain them.
#[derive(Debug, Default)]
pub(super) struct LexiconCounts {
    words: FxHashMap<String, [WordCounts; FOLDS]>,
    lists: BTreeMap<String, u8>,
    /// The mixed-case spellings of the lists.
    pub(super) mixed: BTreeMap<String, Case>,
}

impl LexiconCounts {
    /// Reads the lists, and counts the words of examples that are not held out.
    ///
    /// # Errors
    /// Returns the errors of [`read_lists`], and fails if the corpus cannot be read.
    pub(super) fn read(split: CorpusSplit<'_>, lists: &[PathBuf]) -> Result<Self> {
        let mut counts = Self::default();
        let lists = read_lists(lists, MOST_LISTS, split.corpus.locale(), &mut counts.mixed)?;
        for (number, list) in lists.iter().enumerate() {
            // Only names of one word count: longer names contain words that are not names.
            for word in list.iter().filter(|words| words.len() == 1) {
                *counts.lists.entry(word.lower(0).to_owned()).or_default() |= 1 << number;
            }
        }
        let mut number = 0;
        split.for_each(&mut |example, is_held_out| {
            let fold = fold(number);
            number += 1;
            if is_held_out {
                return Ok(());
            }
            for ((lower, _), gold) in example.tokens.iter().zip(&example.gold) {
                if !counts.words.contains_key(lower) {
                    counts.words.insert(lower.to_owned(), Default::default());
                }
                if let Some(folds) = counts.words.get_mut(lower) {
                    folds[fold].add(gold.label.case.class(), gold.initial, gold.ends);
                }
            }
            Ok(())
        })?;
        Ok(counts)
    }

    /// Returns the rows of the lexicon for a word in the example with this index, by the counts of the other parts of
    /// the corpus.
    pub(super) fn rows_elsewhere(&self, lower: &str, example: usize) -> LexiconRows {
        LexiconRows::new(self.profile(lower, Some(fold(example))), self.lists(lower))
    }

    /// Returns the bytes of the lexicon.
    pub(super) fn build(&self) -> Vec<u8> {
        let mut words: Vec<&str> = self.words.keys().chain(self.lists.keys()).map(String::as_str).collect();
        words.sort_unstable();
        words.dedup();
        let known = words.into_iter().map(|word| (word, self.profile(word, None), self.lists(word)));
        WordLexicon::build(known.filter(|(_, profile, lists)| *profile != 0 || *lists != 0))
    }

    fn lists(&self, lower: &str) -> u8 {
        self.lists.get(lower).copied().unwrap_or_default()
    }

    /// Returns the profile of a word by its counts in all parts except `without`.
    fn profile(&self, lower: &str, without: Option<usize>) -> u16 {
        let folds = self.words.get(lower).into_iter().flatten().enumerate();
        let counts = folds.filter(|(fold, _)| Some(*fold) != without).map(|(_, counts)| counts);
        let sum = counts.fold(WordCounts::default(), |sum, counts| sum.plus(counts));
        let times = sum.classes.iter().sum::<u32>() + sum.first;
        if times < LEAST { 0 } else { sum.profile() }
    }
}

fn fold(example: usize) -> usize {
    example / RUN % FOLDS
}
