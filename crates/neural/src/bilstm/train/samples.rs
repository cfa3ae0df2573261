//! A corpus as texts for the network and the ids of labels.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::config::BilstmConfig;
use crate::bilstm::gather::{Gather, Gathering, Text};
use crate::bilstm::network::Word;
use crate::bilstm::vocabulary::Vocabulary;
use majuscule::error::{Error, Result};
use majuscule::text::{Label, Labels, Mark};
use majuscule_train::corpus::{Corpus, Example};
use majuscule_train::methods::forms::Forms;
use majuscule_train::random::{Purpose, Random, below_by_remainder, generator, shuffle, unit};

/// A text with its labels; a word without one is context only.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) text: Text,
    pub(super) labels: Vec<Option<usize>>,
}

/// What is trained on, and what is held out.
#[derive(Debug)]
pub(super) struct Samples {
    pub(super) train: Vec<Sample>,
    pub(super) held_out: Vec<Example>,
    pub(super) vocabulary: Vocabulary,
    /// Words from this number on were seen once.
    once: u32,
    pub(super) labels: Labels,
    /// The most frequent mixed spelling of each word that has one, a line each.
    pub(super) mixed: String,
}

impl Samples {
    /// Reads a corpus, twice: its words, then its texts.
    ///
    /// # Errors
    /// Where it cannot be read, has no words or teaches no case.
    pub(super) fn read(config: &BilstmConfig, corpus: &Corpus) -> Result<Self> {
        let mut forms = Forms::default();
        let mut held_out = Vec::new();
        let mut random = generator(config.seed, Purpose::HeldOut, 0);
        corpus.for_each(&mut |example| {
            if unit(&mut random) < config.held_out {
                held_out.push(example.clone());
            } else {
                forms.count(example);
            }
            Ok(())
        })?;
        forms.check(corpus)?;
        let (vocabulary, once) = vocabulary(&forms);
        let labels = forms.labels();
        let gathering =
            Gathering { window: config.window, runs_on: corpus.protocol().runs_on(), look_ahead: None };
        let mut gather = Gather::new(&vocabulary, gathering);
        let mut train = Vec::new();
        let mut random = generator(config.seed, Purpose::HeldOut, 0);
        corpus.for_each(&mut |example| {
            if unit(&mut random) >= config.held_out {
                add(example, &mut gather, &labels, &mut train);
            }
            Ok(())
        })?;
        if train.is_empty() {
            return Err(Error::file(corpus.name(), "has no words inside sentences, which teaches no case"));
        }
        let mixed = forms.mixed("", corpus.locale());
        Ok(Self { train, held_out, vocabulary, once, labels, mixed })
    }

    /// The batches of an epoch: samples of about equal length together, and the batches in any order.
    pub(super) fn batches(&self, config: &BilstmConfig, epoch: u64) -> Vec<Vec<&Sample>> {
        let mut random = generator(config.seed, Purpose::Order, epoch);
        let mut order: Vec<&Sample> = self.train.iter().collect();
        shuffle(&mut order, |end| below_by_remainder(&mut random, end));
        for pool in order.chunks_mut(config.batch.saturating_mul(POOL)) {
            pool.sort_by_key(|sample| sample.text.words.len());
        }
        let mut batches: Vec<Vec<&Sample>> = order.chunks(config.batch).map(<[&Sample]>::to_vec).collect();
        shuffle(&mut batches, |end| below_by_remainder(&mut random, end));
        batches
    }

    /// The words of a sample, some of those that were seen once taken for unknown ones.
    pub(super) fn words<'a>(&self, sample: &'a Sample, unknown: f64, random: &mut Random) -> Vec<Word<'a>> {
        let mut words = sample.text.seen();
        for word in words.iter_mut().filter(|word| word.id >= self.once) {
            if unit(random) < unknown {
                word.id = 0;
            }
        }
        words
    }
}

/// Among so many batches, samples are sorted by their lengths.
const POOL: usize = 64;

/// Words by how often they were seen, and the number from which on that is once. A letter of one word only is an unknown one, so
/// that these are met too.
fn vocabulary(forms: &Forms) -> (Vocabulary, u32) {
    let mut words: Vec<(&str, u64)> = forms.words().collect();
    words.sort_by_key(|&(word, count)| (Reverse(count), word));
    let once = words.partition_point(|&(_, count)| count > 1) as u32 + 1;
    let mut letters: BTreeMap<char, u64> = BTreeMap::new();
    for (word, _) in &words {
        let mut own: Vec<char> = word.chars().collect();
        own.sort_unstable();
        own.dedup();
        own.into_iter().for_each(|letter| *letters.entry(letter).or_default() += 1);
    }
    let letters = letters.into_iter().filter(|&(_, words)| words > 1).map(|(letter, _)| letter).collect();
    let words = words.iter().flat_map(|(word, _)| [word, "\n"]).collect();
    (Vocabulary::new(words, letters).expect("words and letters stand once each"), once)
}

fn add(example: &Example, gather: &mut Gather<'_>, labels: &Labels, train: &mut Vec<Sample>) {
    let mut texts = Vec::new();
    for (lower, token) in example.tokens.iter() {
        gather.push(lower, token, &mut texts);
    }
    gather.finish(&mut texts);
    let mut gold = example.gold.iter();
    for text in texts {
        let mut own = vec![None; text.words.len()];
        for (label, gold) in
            own[text.asked.clone()].iter_mut().zip(gold.by_ref()).filter(|(_, gold)| gold.scored)
        {
            // What follows a word is not told apart yet.
            *label = labels.id(Label { mark: Mark::None, ..gold.label });
        }
        if own.iter().any(Option::is_some) {
            train.push(Sample { text, labels: own });
        }
    }
}
