//! The configuration of the training of `bilstm`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::Serialize;

use super::train;
use crate::bilstm::{WINDOWS, Widths};
use crate::shared::checks::check_numbers;
use crate::shared::predict::HeadOptions;
use majuscule::error::{Error, Result, option};
use majuscule::restorer::Restorer;
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::{Learned, Learner, Watch};

/// The configuration of the training of `bilstm`.
#[derive(Debug, Clone, PartialEq, Serialize, clap::Args)]
pub struct BilstmConfig {
    /// The heads to train.
    #[command(flatten)]
    #[serde(flatten)]
    pub heads: HeadOptions,
    /// The width of the embedding of a word
    #[arg(long, value_name = "WIDTH", default_value_t = 100)]
    pub word: usize,
    /// The width of the embedding of a letter
    #[arg(long, value_name = "WIDTH", default_value_t = 25)]
    pub letter: usize,
    /// The width of the state of the LSTM over letters, in each direction
    #[arg(long, value_name = "WIDTH", default_value_t = 25)]
    pub letter_hidden: usize,
    /// The width of the state of the LSTM over words, in each direction
    #[arg(long, value_name = "WIDTH", default_value_t = 100)]
    pub hidden: usize,
    /// The number of passes over the corpus
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub epochs: usize,
    /// The initial learning rate, which decays linearly to 0
    #[arg(long, value_name = "STEP", default_value_t = 1e-3)]
    pub rate: f64,
    /// The number of sentences in a batch
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub batch: usize,
    /// The dropout rate before and after the LSTM over words
    #[arg(long, value_name = "FRACTION", default_value_t = 0.5)]
    pub dropout: f64,
    /// The probability that a word that occurs once in the corpus counts as unknown
    #[arg(long, value_name = "FRACTION", default_value_t = 0.5)]
    pub unknown: f64,
    /// Clip gradients to this norm; 0 leaves them as they are
    #[arg(long, value_name = "LENGTH", default_value_t = 5.0)]
    pub clip: f64,
    /// The number of words that the network sees at a time: longer sentences are cut into
    /// overlapping windows
    #[arg(long, value_name = "WORDS", default_value_t = 128)]
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
    /// Append a log to this file, one line of JSON per event. An interrupted training starts again:
    /// there are no checkpoints
    #[arg(long, value_name = "FILE")]
    // Not in a manifest: the model does not depend on it.
    #[serde(skip)]
    pub log: Option<PathBuf>,
}

majuscule_arguments::default_of_arguments!(BilstmConfig);

impl Learner for BilstmConfig {
    fn name(&self) -> &'static str {
        "bilstm"
    }

    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, _: &mut Watch<'_>) -> Result<Learned> {
        let model = train(self, corpus, threads)?;
        Ok(Learned::new(model.settings(), self, model.labels(), model.sections()))
    }
}

impl BilstmConfig {
    /// Returns the widths of the parts of the network.
    pub(super) fn widths(&self) -> Widths {
        let Self { word, letter, letter_hidden, hidden, .. } = *self;
        Widths { word, letter, letter_hidden, hidden }
    }

    /// Refuses settings out of their ranges.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for the first of them.
    pub(super) fn check(&self) -> Result<()> {
        let refused = |problem: String| Err(Error::usage(problem));
        if let Some((name, width)) = self.widths().wrong() {
            return refused(format!("{} {width}: expected a width from 1 to 65536", option(name)));
        }
        check_numbers(
            &[("dropout", self.dropout), ("unknown", self.unknown), ("held-out", self.held_out)],
            &[("rate", self.rate), ("clip", self.clip)],
            &[("epochs", self.epochs), ("batch", self.batch), ("patience", self.patience)],
        )?;
        self.heads.learned()?;
        if !WINDOWS.contains(&self.window) {
            let (least, most) = WINDOWS.into_inner();
            return refused(format!(
                "{} {}: expected from {least} to {most} words",
                option("window"),
                self.window
            ));
        }
        Ok(())
    }
}
