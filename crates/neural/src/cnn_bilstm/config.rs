//! The configuration of the training of `cnn-bilstm`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::train;
use crate::shared::checks::check_numbers;
use crate::shared::predict::HeadOptions;
use majuscule::error::{Error, Result, option};
use majuscule::methods::network::cnn_bilstm::shape::CnnBilstmShape;
use majuscule::methods::network::cnn_bilstm::{NAME, WINDOWS};
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::{Learned, Learner, Watch};

/// The configuration of the training of `cnn-bilstm`.
#[derive(Debug, Clone, PartialEq, Serialize, clap::Args)]
pub struct CnnBilstmConfig {
    /// The heads to train.
    #[command(flatten)]
    #[serde(flatten)]
    pub heads: HeadOptions,
    /// The largest number of subwords, which are learned from the text
    #[arg(long, value_name = "N", default_value_t = 12_000)]
    pub subwords: usize,
    /// The number of words that get a vector of their own in addition to their subwords: the most frequent of those that
    /// are cut
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub words: usize,
    /// Read the profile of each word beside its subwords: how often the text has it in each case, and at the beginning
    /// and end of sentences
    #[arg(long)]
    pub profiles: bool,
    /// A list of names, one per line, whose words the network recognises; may be repeated. Implies --profiles
    #[arg(long = "list", value_name = "FILE")]
    #[serde(serialize_with = "majuscule_train::methods::names")]
    pub lists: Vec<PathBuf>,
    /// The width of the embedding of a subword
    #[arg(long, value_name = "WIDTH", default_value_t = 96)]
    pub embedding: usize,
    /// The number of convolutions over subwords, each of which sees three
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub convolutions: usize,
    /// The width of the result of a convolution, and of the vector of a word
    #[arg(long, value_name = "WIDTH", default_value_t = 128)]
    pub channels: usize,
    /// The number of LSTMs over words, each in both directions
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub layers: usize,
    /// The width of the state of an LSTM, in each direction
    #[arg(long, value_name = "WIDTH", default_value_t = 96)]
    pub hidden: usize,
    /// The number of passes over the corpus
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub epochs: usize,
    /// The learning rate, which decays linearly to 0
    #[arg(long, value_name = "STEP", default_value_t = 3e-3)]
    pub rate: f64,
    /// The number of batches over which the learning rate grows from 0
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub warm_up: u64,
    /// The number of words in a batch
    #[arg(long, value_name = "WORDS", default_value_t = 2000)]
    pub batch_words: usize,
    /// The dropout rate before each LSTM and before the heads
    #[arg(long, value_name = "FRACTION", default_value_t = 0.0)]
    pub dropout: f64,
    /// The probability that a word is read without its own vector
    #[arg(long, value_name = "FRACTION", default_value_t = 0.1)]
    pub unknown: f64,
    /// The probability that a window is read in parts of 8 to 64 words, so that the last words of each learn to
    /// work with few later words: for live text
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    pub right_context_dropout: f64,
    /// Clip gradients to this norm; 0 leaves them as they are
    #[arg(long, value_name = "LENGTH", default_value_t = 1.0)]
    pub clip: f64,
    /// The number of words that the network sees at a time: longer texts are cut into overlapping
    /// windows
    #[arg(long, value_name = "WORDS", default_value_t = 200)]
    pub window: usize,
    /// Hold out this fraction of the examples, and keep the model that is best on them
    #[arg(long, value_name = "FRACTION", default_value_t = 0.01)]
    pub held_out: f64,
    /// The number of epochs in a row that may be worse than the best
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub patience: usize,
    /// The seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Write the state of training to this file now and then. If the file exists, training resumes
    /// from it and gives the same model; the file is removed once the model is written
    #[arg(long, value_name = "FILE")]
    // None of these is in a manifest: the model does not depend on them.
    #[serde(skip)]
    pub checkpoint: Option<PathBuf>,
    /// The largest number of steps between two checkpoints, which are at most five minutes apart
    #[arg(long, value_name = "STEPS", requires = "checkpoint", default_value_t = 500)]
    #[serde(skip)]
    pub checkpoint_every: u64,
    /// Append a log to this file, one line of JSON per event
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub log: Option<PathBuf>,
}

majuscule_arguments::default_of_arguments!(CnnBilstmConfig);

impl Learner for CnnBilstmConfig {
    fn name(&self) -> &'static str {
        NAME
    }

    fn checkpoint(&self) -> Option<&Path> {
        self.checkpoint.as_deref()
    }

    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, watch: &mut Watch<'_>) -> Result<Learned> {
        let (parts, weights) = train(self, corpus, threads, watch)?;
        let (settings, labels) = (parts.settings.clone(), parts.labels.clone());
        Ok(Learned::new(&settings, self, &labels, parts.sections(weights)))
    }
}

/// The possible numbers of subwords.
const SUBWORDS: std::ops::RangeInclusive<usize> = 5..=1 << 16;

impl CnnBilstmConfig {
    /// Returns true if the network reads a lexicon.
    pub(super) fn reads_lexicon(&self) -> bool {
        self.profiles || !self.lists.is_empty()
    }

    /// Returns the shape of a network for this number of subwords, which may read layouts.
    pub(super) fn shape(&self, subwords: usize, layouts: bool) -> CnnBilstmShape {
        let Self { embedding, convolutions, channels, layers, hidden, .. } = *self;
        let lexicon = self.reads_lexicon();
        CnnBilstmShape { subwords, embedding, convolutions, channels, layers, hidden, layouts, lexicon }
    }

    /// Refuses settings out of their ranges.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for the first of them.
    pub(super) fn check(&self) -> Result<()> {
        let expected = |name: &str, found: usize, least: usize, most: usize| {
            Err(Error::usage(format!("{} {found}: expected from {least} to {most}", option(name))))
        };
        if let Some((name, number, most)) = self.shape(1, false).wrong() {
            return expected(name, number, 1, most);
        }
        check_numbers(
            &[
                ("dropout", self.dropout),
                ("unknown", self.unknown),
                ("right-context-dropout", self.right_context_dropout),
                ("held-out", self.held_out),
            ],
            &[("rate", self.rate), ("clip", self.clip)],
            &[
                ("epochs", self.epochs),
                ("batch-words", self.batch_words),
                ("patience", self.patience),
                ("checkpoint-every", self.checkpoint_every as usize),
            ],
        )?;
        self.heads.learned()?;
        let ranges = [("subwords", self.subwords, SUBWORDS), ("window", self.window, WINDOWS)];
        match ranges.into_iter().find(|(_, number, range)| !range.contains(number)) {
            Some((name, number, range)) => expected(name, number, *range.start(), *range.end()),
            None => Ok(()),
        }
    }
}
