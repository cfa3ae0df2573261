//! A corpus as subwords and label ids.

use majuscule_base::error::{Error, Result};
use majuscule_methods::network::cnn_bilstm::subwords::{self, SubwordIds, SubwordWindow};
use majuscule_methods::network::cnn_bilstm::{CnnBilstmParts, CnnBilstmSettings};
use majuscule_methods::network::heads::WordLayout;
use majuscule_methods::network::subwords::NativeTokenizer;
use majuscule_methods::network::windower::{EncodedWord, WindowWord};
use majuscule_methods::network::word_lexicon::LexiconRows;
use majuscule_methods::spellings;

use super::config::CnnBilstmConfig;
use super::lexicon_counts::LexiconCounts;
use super::subwords::{learn, whole_words};
use crate::shared::gold::WordLabels;
use crate::shared::heads::Heads;
use crate::shared::predict::LearnedHeads;
use crate::shared::samples::{CorpusSplit, CorpusWords, Dataset};

/// A text with its labels, small enough that millions of words fit into memory.
#[derive(Debug, Clone)]
pub(super) struct SubwordSample {
    pub(super) subwords: Vec<u32>,
    pub(super) words: Vec<SampleWord>,
}

impl SubwordSample {
    /// Makes a sample of a window and the labels of its words; `known` returns the rows of the lexicon for a word.
    pub(super) fn new(
        window: &SubwordWindow,
        labels: &[WordLabels],
        known: impl Fn(&EncodedWord<SubwordIds>) -> LexiconRows,
    ) -> Self {
        let mut sample = Self { subwords: Vec::new(), words: Vec::with_capacity(labels.len()) };
        for (word, labels) in window.words.iter().zip(labels) {
            sample.subwords.extend_from_slice(&word.word.ids.subwords);
            let lexicon = known(&word.word);
            sample.words.push(SampleWord::new(sample.subwords.len(), word, lexicon, *labels));
        }
        sample.subwords.shrink_to_fit();
        sample
    }
}

/// A word of a sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct SampleWord {
    /// The end of its subwords among the subwords of the sample.
    pub(super) end: u32,
    /// The id of its vector, or [`SampleWord::NONE`].
    id: u32,
    /// The ids of its labels, or [`SampleWord::NO_LABEL`].
    labels: [u8; 2],
    /// The layout of the text before the word.
    pub(super) layout: WordLayout,
    /// The rows of the lexicon for the word.
    pub(super) lexicon: LexiconRows,
}

impl SampleWord {
    const NONE: u32 = u32::MAX;
    const NO_LABEL: u8 = u8::MAX;

    fn new(end: usize, word: &WindowWord<SubwordIds>, lexicon: LexiconRows, labels: WordLabels) -> Self {
        let labels = labels.by_head().map(|label| label.map_or(Self::NO_LABEL, |label| label as u8));
        let id = word.word.ids.word.unwrap_or(Self::NONE);
        Self { end: end as u32, id, labels, layout: word.context.layout, lexicon }
    }

    /// Returns the id of its vector.
    pub(super) fn id(self) -> Option<u32> {
        (self.id != Self::NONE).then_some(self.id)
    }

    /// Returns the ids of its labels: the case of the word, and the mark after the word.
    pub(super) fn labels(self) -> [Option<usize>; 2] {
        self.labels.map(|label| (label != Self::NO_LABEL).then_some(usize::from(label)))
    }
}

/// The samples of a training, and the parts of the model other than its weights.
pub(super) struct SubwordSamples {
    pub(super) dataset: Dataset<SubwordSample>,
    pub(super) parts: CnnBilstmParts,
    /// The number of words that have their own vector.
    pub(super) words: usize,
}

impl SubwordSamples {
    /// Reads a corpus twice, first its words and then its texts. If the network has a lexicon, the corpus is also
    /// read in between, to count words for the lexicon.
    ///
    /// # Errors
    /// Fails if the corpus cannot be read, has no words, or has no examples of case or of one of the punctuation
    /// marks.
    pub(super) fn read(config: &CnnBilstmConfig, split: CorpusSplit<'_>) -> Result<Self> {
        let corpus = split.corpus;
        let mut corpus_words = CorpusWords::read(config.heads.learned()?, split)?;
        let labels = corpus_words.labels();
        let forms = std::mem::take(&mut corpus_words.forms);
        let tokenizer = learn(&forms, config.subwords)?;
        let subwords =
            NativeTokenizer::read(&tokenizer, config.subwords.max(1 << 16)).map_err(Error::usage)?;
        let words = whole_words(&forms, &subwords, config.words)?;
        let (runs_on, layouts) = (corpus.protocol().runs_on(), corpus.protocol().has_layouts());
        let shape = config.shape(subwords.highest() as usize + 1, layouts);
        let settings =
            CnnBilstmSettings { shape, window: config.window, runs_on, costs: None, in_bytes: false };
        let lexicon = match config.reads_lexicon() {
            true => Some(LexiconCounts::read(split, &config.lists)?),
            false => None,
        };
        let locale = corpus.locale();
        let of_lists = lexicon.iter().flat_map(|lexicon| &lexicon.mixed).map(|(lower, case)| (lower, *case));
        let mixed = forms.mixed(&spellings::write(of_lists, locale), locale);
        drop(forms);
        let parts = CnnBilstmParts {
            tokenizer,
            words,
            mixed,
            lexicon: lexicon.as_ref().map(LexiconCounts::build),
            settings,
            locale,
            labels,
        };
        Self::of_parts(parts, corpus_words, lexicon.as_ref(), split)
    }

    /// Reads a corpus for a model: its labels and its subwords remain. A mixed-case spelling in the text replaces the
    /// model's.
    ///
    /// # Errors
    /// Fails as [`SubwordSamples::read`] does.
    pub(super) fn read_for(mut parts: CnnBilstmParts, split: CorpusSplit<'_>) -> Result<Self> {
        let heads = Heads::of(&parts.labels);
        let heads = LearnedHeads { cases: heads.sizes().cases > 0, marks: heads.marks() };
        let corpus_words = CorpusWords::read(heads, split)?;
        parts.mixed = corpus_words.forms.mixed(&parts.mixed, parts.locale);
        Self::of_parts(parts, corpus_words, None, split)
    }

    /// Makes the samples of a corpus for a model of these parts. `lexicon` has the counts of the model's lexicon, if
    /// they are of this corpus.
    fn of_parts(
        parts: CnnBilstmParts,
        corpus_words: CorpusWords<'_>,
        lexicon: Option<&LexiconCounts>,
        split: CorpusSplit<'_>,
    ) -> Result<Self> {
        let CnnBilstmParts { settings, labels, mixed, .. } = &parts;
        let vocabulary = parts.vocabulary().map_err(Error::usage)?;
        let options = subwords::options(settings.window, settings.runs_on, None);
        let sample = |number: usize, window: SubwordWindow, labels: Vec<WordLabels>| {
            let known = |word: &EncodedWord<SubwordIds>| match lexicon {
                Some(counts) => counts.rows_elsewhere(&word.lower, number),
                None => word.ids.lexicon,
            };
            SubwordSample::new(&window, &labels, known)
        };
        let train = split.window_samples(labels, &vocabulary, options, sample)?;
        let words = vocabulary.words();
        let (labels, mixed) = (labels.clone(), mixed.clone());
        Ok(Self { dataset: corpus_words.dataset(train, labels, mixed), parts, words })
    }
}
