//! A corpus as pieces and the ids of labels.

use super::checkpoint::Digest;
use super::config::BertConfig;
use super::noise::{Purpose, below_by_remainder, generator, shuffle, unit};
use crate::bert::passage::{Gathering, Passage};
use crate::bert::tokenize::Pieces;
use crate::bert::{Bert, Settings, failed};
use majuscule::error::{Error, Result};
use majuscule::text::{Class, Label, Labels, Mark};
use majuscule_train::corpus::{Corpus, Example};
use majuscule_train::methods::forms::Forms;

/// A text with its labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sample {
    /// Its pieces.
    pub(super) ids: Vec<u32>,
    /// Where the first pieces of words stand that count, and the ids of their labels.
    pub(super) words: Vec<(u32, u32)>,
}

/// What is trained on, and what is held out.
#[derive(Debug)]
pub(super) struct Samples {
    pub(super) train: Vec<Sample>,
    pub(super) held_out: Vec<Example>,
    pub(super) labels: Labels,
    /// The most frequent mixed spelling of each word that has one, a line each.
    pub(super) mixed: String,
    /// A checksum of all that was read.
    pub(super) digest: u32,
}

impl Samples {
    /// Reads a corpus, for a model that there is already if there is one: its labels keep their ids, and its spellings in mixed
    /// case stay where the corpus has no other.
    ///
    /// # Errors
    /// Where it cannot be read, has no words or teaches no case.
    pub(super) fn read(
        config: &BertConfig,
        corpus: &Corpus,
        pieces: &Pieces,
        settings: &Settings,
        model: Option<&Bert>,
    ) -> Result<Self> {
        let Settings { window, runs_on } = *settings;
        let mut passage =
            Passage::new(pieces, Gathering { window, runs_on, look_ahead: None, predictions: 1 });
        let mut random = generator(config.seed, Purpose::HeldOut, 0);
        let mut forms = Forms::default();
        // The paper's three classes, and behind them the fourth where it occurs.
        let labels = model.map_or_else(|| labels(&Class::ALL[..3]), |model| model.labels.clone());
        let mut samples = Self {
            train: Vec::new(),
            held_out: Vec::new(),
            labels: with_mixed(&labels),
            mixed: String::new(),
            digest: 0,
        };
        let mut digest = Digest::default();
        corpus.for_each(&mut |example| {
            digest.add(example, corpus.locale());
            if unit(&mut random) < config.held_out {
                samples.held_out.push(example.clone());
                return Ok(());
            }
            forms.count(example);
            samples.add(example, &mut passage)
        })?;
        forms.check(corpus)?;
        if samples.train.is_empty() {
            return Err(Error::file(corpus.name(), "has no words inside sentences, which teaches no case"));
        }
        if !forms.has_mixed() {
            samples.labels = labels;
        }
        samples.mixed = forms.mixed(model.map_or("", |model| model.cases.text()), corpus.locale());
        samples.digest = digest.sum();
        Ok(samples)
    }

    fn add(&mut self, example: &Example, passage: &mut Passage<'_>) -> Result<()> {
        let mut texts = Vec::new();
        for (lower, token) in example.tokens.iter() {
            passage.push(lower, token, &mut texts).map_err(failed)?;
        }
        passage.finish(&mut texts);
        let mut gold = example.gold.iter();
        for text in texts {
            let words = text.asked.iter().zip(gold.by_ref()).filter(|(_, gold)| gold.scored);
            let words = words.filter_map(|(word, gold)| {
                // What follows a word is not told apart yet.
                let label = Label { mark: Mark::None, ..gold.label };
                Some((word.first?, self.labels.id(label)? as u32))
            });
            let words: Vec<_> = words.collect();
            if !words.is_empty() {
                self.train.push(Sample { ids: text.ids, words });
            }
        }
        Ok(())
    }

    /// The batches of an epoch: samples of about equal length together, and the batches in any order.
    pub(super) fn batches(&self, config: &BertConfig, epoch: u64) -> Vec<Vec<&Sample>> {
        let mut random = generator(config.seed, Purpose::Order, epoch);
        let mut order: Vec<&Sample> = self.train.iter().collect();
        shuffle(&mut order, |end| below_by_remainder(&mut random, end));
        for pool in order.chunks_mut(config.batch.saturating_mul(POOL)) {
            pool.sort_by_key(|sample| sample.ids.len());
        }
        let mut batches: Vec<Vec<&Sample>> = order.chunks(config.batch).map(<[&Sample]>::to_vec).collect();
        shuffle(&mut batches, |end| below_by_remainder(&mut random, end));
        batches
    }
}

/// Among so many batches, samples are sorted by their lengths.
const POOL: usize = 64;

fn labels(classes: &[Class]) -> Labels {
    Labels::new(classes.iter().map(|&class| (class, Mark::None)))
}

fn with_mixed(labels: &Labels) -> Labels {
    let known = (0..labels.len()).filter_map(|id| labels.get(id));
    Labels::new(known.chain([(Class::Mixed, Mark::None)]))
}
