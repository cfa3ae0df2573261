//! Counts of the classes and mixed cases of each word of a corpus: the labels and spellings of a
//! neural network.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::corpus::{Corpus, Example};
use crate::lexicon::build;
use majuscule_base::error::Result;
use majuscule_methods::spellings;
use majuscule_text::{Case, Class, Labels, Locale, Mark};

/// The words of a corpus, with the counts of their classes and mixed cases.
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

    /// Refuses a corpus that teaches no case.
    ///
    /// # Errors
    /// If there are no words, or if all are in one case.
    pub fn check(&self, corpus: &Corpus) -> Result<()> {
        if self.0.is_empty() {
            return Err(build::no_words(corpus));
        }
        let seen = self.0.iter().flat_map(|(lower, (classes, _))| {
            let classes = Class::ALL.into_iter().zip(classes);
            classes.map(move |(class, &count)| (lower.as_str(), (class, count as f64)))
        });
        build::check_forms(seen, corpus.locale(), &corpus.name())
    }

    /// Returns the words, in any order, with the count of each.
    pub fn words(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(lower, (classes, _))| (lower.as_str(), classes.iter().sum()))
    }

    /// Returns the labels: the three classes of Rei et al. and, if it occurs, mixed case last.
    pub fn labels(&self) -> Labels {
        Labels::new(self.classes().iter().map(|&class| (class, Mark::None)))
    }

    /// Returns the classes of case that the text has: mixed case only if it occurs.
    pub fn classes(&self) -> &'static [Class] {
        if self.has_mixed() { &Class::ALL } else { &Class::ALL[..3] }
    }

    /// Returns true if a word was seen in mixed case.
    pub fn has_mixed(&self) -> bool {
        self.0.values().any(|(_, mixed)| !mixed.is_empty())
    }

    /// Returns the most frequent mixed spelling of each word that has one, one per line. For other
    /// words, the spellings in `known` are used.
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
