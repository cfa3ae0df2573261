//! Reads a corpus as samples for a network: training samples, held-out examples, and batches of samples of about
//! equal length.

use majuscule_base::error::{Error, Result};
use majuscule_methods::network::bert::runs;
use majuscule_methods::network::heads::Heads;
use majuscule_methods::network::windower::{WindowOptions, Windower, WordEncoder, WordWindow};
use majuscule_text::{Class, Labels, Mark, MarkSet};
use majuscule_train::corpus::marks::check_taught;
use majuscule_train::corpus::{Corpus, Example, Protocol};
use majuscule_train::methods::forms::CorpusForms;
use majuscule_train::random::{Purpose, below_by_remainder, generator, shuffle, unit};

use super::digest::Digest;
use super::gold::{WordLabels, gold, teaches, window_labels};
use super::predict::LearnedHeads;

/// The samples of a training, and the data that the model needs besides its weights.
#[derive(Debug)]
pub struct Dataset<S> {
    pub train: Vec<S>,
    pub held_out: Vec<Example>,
    pub labels: Labels,
    /// The most frequent mixed-case spelling of each word that has one, one per line.
    pub mixed: String,
    /// The protocol of the examples.
    pub protocol: Protocol,
    /// A checksum of all examples.
    pub digest: u32,
}

impl<S> Dataset<S> {
    /// Returns the batches of an epoch in random order. The samples of a batch have about equal
    /// length.
    pub fn batches(
        &self,
        length: impl Fn(&S) -> usize,
        size: BatchSize,
        seed: u64,
        epoch: usize,
    ) -> Vec<Vec<&S>> {
        let mut random = generator(seed, Purpose::Order, epoch as u64);
        let mut order: Vec<&S> = self.train.iter().collect();
        shuffle(&mut order, |end| below_by_remainder(&mut random, end));
        let samples = match size {
            BatchSize::Samples(samples) => samples,
            BatchSize::Subwords(most) => {
                let all: usize = order.iter().map(|sample| length(sample)).sum();
                most.saturating_mul(order.len()) / all.max(1)
            }
        };
        let mut batches = Vec::new();
        for pool in order.chunks_mut(samples.max(1).saturating_mul(SORTED_BATCHES)) {
            pool.sort_by_key(|sample| length(sample));
            match size {
                BatchSize::Samples(samples) => batches.extend(pool.chunks(samples).map(<[&S]>::to_vec)),
                BatchSize::Subwords(most) => {
                    let runs = runs(pool, |sample| length(sample), most);
                    batches.extend(runs.into_iter().map(<[&S]>::to_vec));
                }
            }
        }
        shuffle(&mut batches, |end| below_by_remainder(&mut random, end));
        batches
    }
}

/// The size of the batches of a training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchSize {
    /// A number of samples.
    Samples(usize),
    /// As many samples as fit into this number of subwords (words for `cnn-bilstm`) when each sample is padded to the
    /// longest, and at least one sample.
    Subwords(usize),
}

/// The number of batches in a pool, whose samples are sorted by length together.
const SORTED_BATCHES: usize = 64;

/// A corpus with a fraction held out: the same seed holds out the same examples.
#[derive(Debug, Clone, Copy)]
pub struct CorpusSplit<'a> {
    pub corpus: &'a Corpus,
    pub seed: u64,
    pub held_out: f64,
}

impl CorpusSplit<'_> {
    /// Passes each example to `take`, with true if it is held out.
    ///
    /// # Errors
    /// Fails if the corpus cannot be read, and with the errors of `take`.
    pub fn for_each(self, take: &mut dyn FnMut(&Example, bool) -> Result<()>) -> Result<()> {
        let mut random = generator(self.seed, Purpose::HeldOut, 0);
        self.corpus.for_each(&mut |example| take(example, unit(&mut random) < self.held_out))
    }

    /// Makes a sample from each window that teaches a label. `sample` also receives the index of the example.
    ///
    /// # Errors
    /// Fails if the corpus cannot be read or has no such windows.
    pub fn window_samples<I, E: WordEncoder<Window = WordWindow<I>>, S>(
        self,
        labels: &Labels,
        encoder: E,
        mut options: WindowOptions,
        sample: impl Fn(usize, WordWindow<I>, Vec<WordLabels>) -> S,
    ) -> Result<Vec<S>> {
        let heads = Heads::of(labels);
        if !heads.marks().is_empty() {
            // Running text may be cut anywhere, so windows need no overlap: all words are learned.
            options.overlap = 0;
        }
        let mut windower = Windower::new(encoder, options);
        let (mut samples, mut number) = (Vec::new(), 0);
        self.for_each(&mut |example, is_held_out| {
            number += 1;
            if is_held_out {
                return Ok(());
            }
            let mut windows = Vec::new();
            windower.push_document(&example.tokens, &mut windows)?;
            let mut gold = gold(&heads, example).into_iter();
            for window in windows {
                if let Some(labels) = window_labels(&window, &mut gold) {
                    samples.push(sample(number - 1, window, labels));
                }
            }
            Ok(())
        })?;
        check_samples(&samples, self.corpus)?;
        Ok(samples)
    }
}

/// The words and held-out examples of a corpus.
pub struct CorpusWords<'a> {
    corpus: &'a Corpus,
    learned: LearnedHeads,
    pub forms: CorpusForms,
    pub held_out: Vec<Example>,
    /// The marks that no example has taught yet.
    missing: Vec<Mark>,
    digest: Digest,
}

impl<'a> CorpusWords<'a> {
    /// Starts to read a corpus for these heads.
    pub fn new(corpus: &'a Corpus, learned: LearnedHeads) -> Self {
        let (forms, held_out, digest) = (CorpusForms::default(), Vec::new(), Digest::default());
        Self { corpus, learned, forms, held_out, missing: learned.marks.iter().collect(), digest }
    }

    /// Reads a corpus for the heads that are to be trained.
    ///
    /// # Errors
    /// Fails if the corpus cannot be read, has no words, or has no examples of case or of one of the punctuation
    /// marks.
    pub fn read(heads: LearnedHeads, split: CorpusSplit<'a>) -> Result<Self> {
        let mut words = Self::new(split.corpus, heads);
        split.for_each(&mut |example, is_held_out| {
            words.add(example, is_held_out);
            Ok(())
        })?;
        words.check()?;
        Ok(words)
    }

    /// Adds an example.
    pub fn add(&mut self, example: &Example, is_held_out: bool) {
        let marks = self.learned.marks;
        self.digest.add(example, self.corpus.locale(), marks);
        if is_held_out {
            self.held_out.push(example.clone());
            return;
        }
        self.forms.count(example);
        self.missing.retain(|&mark| !teaches(example, mark, marks));
    }

    /// Refuses a corpus without words, or without examples of case or of one of the punctuation marks.
    pub fn check(&self) -> Result<()> {
        if self.learned.cases {
            self.forms.check(self.corpus)?;
        }
        check_taught(self.learned.marks, |mark| self.missing.contains(&mark), &self.corpus.name())
    }

    /// Returns the labels of the heads.
    pub fn labels(&self) -> Labels {
        let LearnedHeads { cases, marks } = self.learned;
        Heads::labels(if cases { self.forms.classes() } else { &Class::ALL[..1] }, marks)
    }

    /// Makes a dataset of samples with these labels, and of the held-out examples; `mixed` has the mixed-case
    /// spellings.
    pub fn dataset<S>(self, train: Vec<S>, labels: Labels, mixed: String) -> Dataset<S> {
        let (protocol, digest) = (self.corpus.protocol(), self.digest.sum());
        Dataset { train, held_out: self.held_out, labels, mixed, protocol, digest }
    }
}

/// Returns a corpus as running text in windows, from which marks can be learned. Returns `None` if no marks are
/// learned, or if the protocol of the corpus already makes such windows.
///
/// # Errors
/// Fails if a file can be read only once.
pub fn running_text(corpus: &Corpus, marks: MarkSet) -> Result<Option<Corpus>> {
    match corpus.protocol() {
        _ if marks.is_empty() => Ok(None),
        Protocol::Asr { .. }
        | Protocol::Mix
        | Protocol::Windows
        | Protocol::Layouts
        | Protocol::Marks { window: Some(_), .. } => Ok(None),
        _ => corpus.in_windows().map(Some),
    }
}

/// Refuses a corpus without samples.
pub fn check_samples<S>(samples: &[S], corpus: &Corpus) -> Result<()> {
    match samples.is_empty() {
        true => Err(Error::file(
            corpus.name(),
            "has no words inside sentences, from which case could be learned: give running text",
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_filled_by_samples_or_by_subwords() {
        let train: Vec<usize> = (0..500).map(|at| at % 40 + 1).collect();
        let dataset = Dataset {
            train: train.clone(),
            held_out: vec![],
            labels: Labels::cases(),
            mixed: String::new(),
            protocol: Protocol::default(),
            digest: 0,
        };
        for (size, most) in [(BatchSize::Samples(8), 8), (BatchSize::Subwords(30), 30)] {
            let batches = dataset.batches(|&length| length, size, 1, 0);
            assert_ne!(batches, dataset.batches(|&length| length, size, 1, 1));
            for batch in &batches {
                let longest = **batch.iter().max().unwrap();
                let taken =
                    if let BatchSize::Subwords(_) = size { longest * batch.len() } else { batch.len() };
                assert!(taken <= most || batch.len() == 1, "{batch:?}");
            }
            let mut all: Vec<usize> = batches.into_iter().flatten().copied().collect();
            all.sort_unstable();
            let mut expected = train.clone();
            expected.sort_unstable();
            assert_eq!(all, expected);
        }
    }
}
