//! A corpus as pieces and label ids.

use majuscule::error::{Error, Result};
use majuscule::methods::network::cnn_bilstm::subwords::{self, SubwordIds, SubwordVocabulary, SubwordWindow};
use majuscule::methods::network::cnn_bilstm::{CnnBilstmParts, CnnBilstmSettings};
use majuscule::methods::network::pieces::PieceVocabulary;
use majuscule::text::{Class, Mark};
use majuscule_train::corpus::marks::check_taught;
use majuscule_train::corpus::{Corpus, Example};
use majuscule_train::methods::forms::CorpusForms;

use super::config::CnnBilstmConfig;
use super::subwords::{learn, whole_words};
use crate::shared::digest::Digest;
use crate::shared::gold::{GoldHeads, WordLabels, teaches, window_labels};
use crate::shared::heads::Heads;
use crate::shared::predict::LearnedHeads;
use crate::shared::samples::{Dataset, check_samples, split_examples};
use crate::shared::windower::Windower;

/// A text with its labels, small enough that millions of words fit into memory.
#[derive(Debug, Clone)]
pub(super) struct SubwordSample {
    pub(super) pieces: Vec<u32>,
    pub(super) words: Vec<SampleWord>,
}

impl SubwordSample {
    /// Makes a sample of a window and the labels of its words.
    pub(super) fn new(window: &SubwordWindow, labels: &[WordLabels]) -> Self {
        let mut sample = Self { pieces: Vec::new(), words: Vec::with_capacity(labels.len()) };
        for (word, labels) in window.words.iter().zip(labels) {
            let ids = &word.word.ids;
            sample.pieces.extend_from_slice(&ids.pieces);
            sample.words.push(SampleWord::new(sample.pieces.len(), ids, *labels));
        }
        sample.pieces.shrink_to_fit();
        sample
    }
}

/// A word of a sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct SampleWord {
    /// The end of its pieces.
    pub(super) end: u32,
    /// The id of its vector, or [`SampleWord::NONE`].
    id: u32,
    /// The ids of its labels, or [`SampleWord::NO_LABEL`].
    labels: [u8; 2],
}

impl SampleWord {
    const NONE: u32 = u32::MAX;
    const NO_LABEL: u8 = u8::MAX;

    fn new(end: usize, ids: &SubwordIds, labels: WordLabels) -> Self {
        let labels = labels.by_head().map(|label| label.map_or(Self::NO_LABEL, |label| label as u8));
        Self { end: end as u32, id: ids.word.unwrap_or(Self::NONE), labels }
    }

    /// Returns the id of its vector.
    pub(super) fn id(self) -> Option<u32> {
        (self.id != Self::NONE).then_some(self.id)
    }

    /// Returns the ids of its labels: of its case and of the mark after it.
    pub(super) fn labels(self) -> [Option<usize>; 2] {
        self.labels.map(|label| (label != Self::NO_LABEL).then_some(usize::from(label)))
    }
}

/// The samples of a training, and what its model has beside weights.
pub(super) struct SubwordSamples {
    pub(super) dataset: Dataset<SubwordSample>,
    pub(super) parts: CnnBilstmParts,
    /// The number of words that have a vector of their own.
    pub(super) words: usize,
    /// A checksum of all examples.
    pub(super) digest: u32,
}

impl SubwordSamples {
    /// Reads a corpus twice: its words, then its texts.
    ///
    /// # Errors
    /// Fails if the corpus cannot be read, has no words, or teaches no case or not all the marks.
    pub(super) fn read(config: &CnnBilstmConfig, corpus: &Corpus) -> Result<Self> {
        let LearnedHeads { cases, marks } = config.heads.learned()?;
        let (mut forms, mut digest) = (CorpusForms::default(), Digest::default());
        let mut held_out = Vec::new();
        let mut missing: Vec<Mark> = marks.iter().collect();
        split_examples(corpus, config.seed, config.held_out, &mut |example, is_held_out| {
            digest.add(example, corpus.locale(), marks);
            if is_held_out {
                held_out.push(example.clone());
                return Ok(());
            }
            forms.count(example);
            missing.retain(|&mark| !teaches(example, mark, marks));
            Ok(())
        })?;
        if cases {
            forms.check(corpus)?;
        }
        check_taught(marks, |mark| missing.contains(&mark), &corpus.name())?;
        let classes = if cases { forms.classes() } else { &Class::ALL[..1] };
        let labels = Heads::labels(classes, marks);
        let tokenizer = learn(&forms, config.subwords)?;
        let pieces = PieceVocabulary::read(&tokenizer, config.subwords.max(1 << 16)).map_err(Error::usage)?;
        let words = whole_words(&forms, &pieces, config.words)?;
        let (runs_on, shape) = (corpus.protocol().runs_on(), config.shape(pieces.highest() as usize + 1));
        let settings =
            CnnBilstmSettings { shape, window: config.window, runs_on, costs: None, in_bytes: false };
        let (mixed, locale) = (forms.mixed("", corpus.locale()), corpus.locale());
        drop(forms);
        let parts = CnnBilstmParts {
            tokenizer,
            words,
            mixed: mixed.clone(),
            settings,
            locale,
            labels: labels.clone(),
        };
        let vocabulary = parts.vocabulary().map_err(Error::usage)?;
        let mut options = subwords::options(config.window, runs_on, None);
        if !marks.is_empty() {
            // Running text is cut anywhere, and all its words are learned.
            options.overlap = 0;
        }
        let (heads, mut windower) = (Heads::of(&labels), Windower::new(&vocabulary, options));
        let mut train = Vec::new();
        split_examples(
            corpus,
            config.seed,
            config.held_out,
            &mut |example, is_held_out| match is_held_out {
                true => Ok(()),
                false => add(example, &mut windower, &heads, &mut train),
            },
        )?;
        check_samples(&train, corpus)?;
        let (digest, words) = (digest.sum(), vocabulary.words());
        Ok(Self { dataset: Dataset { train, held_out, labels, mixed }, parts, words, digest })
    }
}

/// Adds the windows of an example that teach a label.
fn add(
    example: &Example,
    windower: &mut Windower<&SubwordVocabulary>,
    heads: &Heads,
    train: &mut Vec<SubwordSample>,
) -> Result<()> {
    let mut windows = Vec::new();
    windower.push_document(&example.tokens, &mut windows)?;
    let mut gold = heads.gold(example).into_iter();
    for window in windows {
        if let Some(labels) = window_labels(&window, &mut gold) {
            train.push(SubwordSample::new(&window, &labels));
        }
    }
    Ok(())
}
