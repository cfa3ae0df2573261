//! A corpus as samples of a network: the training examples, the held-out ones, and batches of about
//! equal length.

use majuscule::error::{Error, Result};
use majuscule::text::{Label, Labels, Mark};
use majuscule_train::corpus::{Corpus, Example, Gold};
use majuscule_train::random::{Purpose, below_by_remainder, generator, shuffle, unit};

/// The samples of a training, and the data that its model needs besides weights.
#[derive(Debug)]
pub struct Dataset<S> {
    pub train: Vec<S>,
    pub held_out: Vec<Example>,
    pub labels: Labels,
    /// The most frequent mixed-case spelling of each word that has one, one per line.
    pub mixed: String,
}

impl<S> Dataset<S> {
    /// Returns the batches of an epoch in random order. The samples of a batch have about equal
    /// length.
    pub fn batches(
        &self,
        length: impl Fn(&S) -> usize,
        size: usize,
        seed: u64,
        epoch: usize,
    ) -> Vec<Vec<&S>> {
        let mut random = generator(seed, Purpose::Order, epoch as u64);
        let mut order: Vec<&S> = self.train.iter().collect();
        shuffle(&mut order, |end| below_by_remainder(&mut random, end));
        for pool in order.chunks_mut(size.saturating_mul(SORTED_BATCHES)) {
            pool.sort_by_key(|sample| length(sample));
        }
        let mut batches: Vec<Vec<&S>> = order.chunks(size).map(<[&S]>::to_vec).collect();
        shuffle(&mut batches, |end| below_by_remainder(&mut random, end));
        batches
    }
}

/// The number of batches within which samples are sorted by length.
const SORTED_BATCHES: usize = 64;

/// Reads a corpus and passes each example to `take`, with true if it is held out. The same seed
/// holds out the same examples.
pub fn split_examples(
    corpus: &Corpus,
    seed: u64,
    held_out: f64,
    take: &mut dyn FnMut(&Example, bool) -> Result<()>,
) -> Result<()> {
    let mut random = generator(seed, Purpose::HeldOut, 0);
    corpus.for_each(&mut |example| take(example, unit(&mut random) < held_out))
}

/// Returns the id of the label of a word; `None` for a word that is context only. The mark after a
/// word is not learned yet.
pub fn label_id(labels: &Labels, gold: &Gold) -> Option<usize> {
    gold.scored.then(|| labels.id(Label { mark: Mark::None, ..gold.label })).flatten()
}

/// Refuses a corpus without samples.
pub fn check_samples<S>(samples: &[S], corpus: &Corpus) -> Result<()> {
    match samples.is_empty() {
        true => Err(Error::file(corpus.name(), "has no words inside sentences, which teaches no case")),
        false => Ok(()),
    }
}
