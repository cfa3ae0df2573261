//! The configuration of the training of `cnn-bilstm`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::train;
use crate::shared::checks::check_numbers;
use crate::shared::options::{NetworkTraining, NetworkTrainingOptions, TrainingRecord, show_default};
use crate::shared::predict::HeadOptions;
use majuscule_base::error::{Error, Result, option};
use majuscule_methods::network::cnn_bilstm::shape::CnnBilstmShape;
use majuscule_methods::network::cnn_bilstm::{NAME, WINDOWS};
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::{Learned, Learner, Watch};

/// The configuration of the training of `cnn-bilstm`.
#[derive(Debug, Clone, PartialEq, Serialize, clap::Args)]
#[command(mut_args(|arg| show_default(arg, &NetworkTraining::CNN_BILSTM)))]
pub struct CnnBilstmConfig {
    /// The heads to train.
    #[command(flatten)]
    #[serde(flatten)]
    pub heads: HeadOptions,
    /// The largest number of subwords, which are learned from the text
    #[arg(long, value_name = "N", default_value_t = 12_000)]
    pub subwords: usize,
    /// The number of words that get their own vector in addition to their subwords: the most frequent words of
    /// several subwords
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub words: usize,
    /// Read the profile of each word in addition to its subwords: how often the text has it in each case, and at the
    /// beginning and end of sentences
    #[arg(long)]
    pub profiles: bool,
    /// A list of names, one per line, whose words the network recognises; may be repeated. Implies --profiles
    #[arg(long = "list", value_name = "FILE")]
    #[serde(serialize_with = "majuscule_train::methods::names")]
    pub lists: Vec<PathBuf>,
    /// The width of the embedding of a subword
    #[arg(long, value_name = "WIDTH", default_value_t = 96)]
    pub embedding: usize,
    /// The width of the result of a convolution, and of the vector of a word
    #[arg(long, value_name = "WIDTH", default_value_t = 128)]
    pub channels: usize,
    /// The number of LSTMs over words, each in both directions
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub layers: usize,
    /// The width of the state of an LSTM, in each direction
    #[arg(long, value_name = "WIDTH", default_value_t = 96)]
    pub hidden: usize,
    /// The options of all networks.
    #[command(flatten)]
    #[serde(skip)]
    pub training: NetworkTrainingOptions,
    /// The probability that a word is read without its own vector
    #[arg(long, value_name = "FRACTION", default_value_t = 0.1)]
    pub unknown: f64,
    /// The probability that a window is read in parts of 8 to 64 words, so that the last words of each learn to
    /// work with few later words: for live text
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    pub right_context_dropout: f64,
    /// The number of words that the network sees at a time: longer texts are cut into overlapping
    /// windows
    #[arg(long, value_name = "WORDS", default_value_t = 200)]
    pub window: usize,
}

majuscule_arguments::default_of_arguments!(CnnBilstmConfig);

impl Learner for CnnBilstmConfig {
    fn name(&self) -> &'static str {
        NAME
    }

    fn checkpoint(&self) -> Option<&Path> {
        self.training.checkpoint.as_deref()
    }

    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, watch: &mut Watch<'_>) -> Result<Learned> {
        let (parts, weights) = train(self, corpus, threads, watch)?;
        let (settings, labels) = (parts.settings.clone(), parts.labels.clone());
        Ok(Learned::new(&settings, &self.record(), &labels, parts.sections(weights)))
    }
}

/// The range of the number of subwords.
const SUBWORDS: std::ops::RangeInclusive<usize> = 5..=1 << 16;

impl CnnBilstmConfig {
    /// Returns true if the network reads a lexicon.
    pub(super) fn reads_lexicon(&self) -> bool {
        self.profiles || !self.lists.is_empty()
    }

    /// Returns the shape of a network for this number of subwords, which may read layouts.
    pub(super) fn shape(&self, subwords: usize, layouts: bool) -> CnnBilstmShape {
        let Self { embedding, channels, layers, hidden, .. } = *self;
        let lexicon = self.reads_lexicon();
        CnnBilstmShape { subwords, embedding, convolutions: 1, channels, layers, hidden, layouts, lexicon }
    }

    /// Returns the settings of the training, with all defaults filled in.
    pub(super) fn record(&self) -> TrainingRecord<'_, Self, NetworkTraining> {
        TrainingRecord { config: self, training: self.training.or(NetworkTraining::CNN_BILSTM) }
    }

    /// Refuses settings out of their ranges.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for the first setting that is out of range.
    pub(super) fn check(&self) -> Result<()> {
        let expected = |name: &str, found: usize, least: usize, most: usize| {
            Err(Error::usage(format!("{} {found}: expected from {least} to {most}", option(name))))
        };
        if let Some((name, number, most)) = self.shape(1, false).wrong() {
            return expected(name, number, 1, most);
        }
        self.training.check()?;
        let fractions = [("unknown", self.unknown), ("right-context-dropout", self.right_context_dropout)];
        check_numbers(&fractions, &[], &[])?;
        self.heads.learned()?;
        let ranges = [("subwords", self.subwords, SUBWORDS), ("window", self.window, WINDOWS)];
        match ranges.into_iter().find(|(_, number, range)| !range.contains(number)) {
            Some((name, number, range)) => expected(name, number, *range.start(), *range.end()),
            None => Ok(()),
        }
    }
}
