//! A corpus as samples of a network: the training examples, the held-out ones, and batches of about
//! equal length.

use majuscule::error::{Error, Result};
use majuscule::text::{Labels, MarkSet};
use majuscule_train::corpus::{Corpus, Example, Protocol};
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

/// Returns a corpus as running text in windows, from which marks can be learned; `None` if no marks
/// are, or if its protocol makes such windows.
///
/// # Errors
/// Fails if a file can be read only once.
pub fn running_text(corpus: &Corpus, marks: MarkSet) -> Result<Option<Corpus>> {
    match corpus.protocol() {
        _ if marks.is_empty() => Ok(None),
        Protocol::Asr { .. } | Protocol::Mix | Protocol::Marks { window: Some(_), .. } => Ok(None),
        _ => corpus.in_windows().map(Some),
    }
}

/// Refuses a corpus without samples.
pub fn check_samples<S>(samples: &[S], corpus: &Corpus) -> Result<()> {
    match samples.is_empty() {
        true => Err(Error::file(corpus.name(), "has no words inside sentences, which teaches no case")),
        false => Ok(()),
    }
}
