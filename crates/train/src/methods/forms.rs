//! How often a corpus has each word in each class, and in which mixed cases: the labels and spellings of a neural network.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::corpus::{Corpus, Example};
use crate::lexicon::build;
use majuscule::error::{Error, Result};
use majuscule::methods::spellings;
use majuscule::text::{Case, Class, Labels, Locale, Mark};

/// The words of a corpus.
#[derive(Debug, Default)]
pub struct CorpusForms(FxHashMap<String, ([u64; 4], BTreeMap<Case, u64>)>);

impl CorpusForms {
    /// Counts the words of an example.
    pub fn count(&mut self, example: &Example) {
        for ((lower, _), gold) in example.tokens.iter().zip(&example.gold) {
            let case = gold.label.case;
            if !self.0.contains_key(lower) {
                self.0.insert(lower.to_owned(), Default::default());
            }
            let Some((classes, mixed)) = self.0.get_mut(lower) else { continue };
            classes[case.class() as usize] += 1;
            if case.class() == Class::Mixed {
                *mixed.entry(case).or_default() += 1;
            }
        }
    }

    /// Refuses what teaches no case.
    ///
    /// # Errors
    /// Where there are no words, or all in one case.
    pub fn check(&self, corpus: &Corpus) -> Result<()> {
        if self.0.is_empty() {
            return Err(Error::file(corpus.name(), "has no words: expected cased text, a sentence a line"));
        }
        let seen = self.0.iter().flat_map(|(lower, (classes, _))| {
            let classes = Class::ALL.into_iter().zip(classes);
            classes.map(move |(class, &count)| (lower.as_str(), (class, count as f64)))
        });
        build::check_forms(seen, corpus.locale(), &corpus.name())
    }

    /// The words, in any order, and how often each was seen.
    pub fn words(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(lower, (classes, _))| (lower.as_str(), classes.iter().sum()))
    }

    /// Rei et al.'s three classes, and the fourth where it occurs; it is the last.
    pub fn labels(&self) -> Labels {
        let classes = if self.has_mixed() { 4 } else { 3 };
        Labels::new(Class::ALL[..classes].iter().map(|&class| (class, Mark::None)))
    }

    /// Whether a word was seen in mixed case.
    pub fn has_mixed(&self) -> bool {
        self.0.values().any(|(_, mixed)| !mixed.is_empty())
    }

    /// The most frequent mixed spelling of each word that has one, and for other words that of `known`, a line each.
    pub fn mixed(&self, known: &str, locale: Locale) -> String {
        let mut cases: BTreeMap<String, Case> = spellings::read(known, locale).collect();
        for (lower, (_, mixed)) in &self.0 {
            if let Some(case) = spellings::most_frequent(mixed) {
                cases.insert(lower.clone(), case);
            }
        }
        spellings::write(cases.iter().map(|(lower, case)| (lower, *case)), locale)
    }
}
