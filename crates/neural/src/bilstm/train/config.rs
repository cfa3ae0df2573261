//! The configuration of the training of `bilstm`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::Serialize;

use super::train;
use crate::bilstm::{WINDOWS, Widths};
use crate::shared::checks::check_numbers;
use majuscule::error::{Error, Result, option};
use majuscule::restorer::Restorer;
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::{Learned, Learner, Watch};

/// The configuration of the training of `bilstm`.
#[derive(Debug, Clone, PartialEq, Serialize, clap::Args)]
pub struct BilstmConfig {
    /// How many numbers stand for a word
    #[arg(long, value_name = "WIDTH", default_value_t = BilstmConfig::default().word)]
    pub word: usize,
    /// How many numbers stand for a letter
    #[arg(long, value_name = "WIDTH", default_value_t = BilstmConfig::default().letter)]
    pub letter: usize,
    /// How wide the state is in which letters are read, in each direction
    #[arg(long, value_name = "WIDTH", default_value_t = BilstmConfig::default().letter_hidden)]
    pub letter_hidden: usize,
    /// How wide the state is in which words are read, in each direction
    #[arg(long, value_name = "WIDTH", default_value_t = BilstmConfig::default().hidden)]
    pub hidden: usize,
    /// How often the corpus is gone over
    #[arg(long, value_name = "N", default_value_t = BilstmConfig::default().epochs)]
    pub epochs: usize,
    /// How large the steps are at first; they shrink evenly to 0 by the end
    #[arg(long, value_name = "STEP", default_value_t = BilstmConfig::default().rate)]
    pub rate: f64,
    /// How many sentences make a step
    #[arg(long, value_name = "N", default_value_t = BilstmConfig::default().batch)]
    pub batch: usize,
    /// The share of values left out before words are read, and after
    #[arg(long, value_name = "SHARE", default_value_t = BilstmConfig::default().dropout)]
    pub dropout: f64,
    /// How often a word that the corpus has once is taken for an unknown one
    #[arg(long, value_name = "SHARE", default_value_t = BilstmConfig::default().unknown)]
    pub unknown: f64,
    /// Shorten gradients to this length; 0 leaves them as they are
    #[arg(long, value_name = "LENGTH", default_value_t = BilstmConfig::default().clip)]
    pub clip: f64,
    /// Words that are seen at a time: longer sentences are cut into windows that overlap
    #[arg(long, value_name = "WORDS", default_value_t = BilstmConfig::default().window)]
    pub window: usize,
    /// Hold this share of the examples out, and keep what does best on them
    #[arg(long, value_name = "FRACTION", default_value_t = BilstmConfig::default().held_out)]
    pub held_out: f64,
    /// How many epochs in a row may be worse than the best
    #[arg(long, value_name = "N", default_value_t = BilstmConfig::default().patience)]
    pub patience: usize,
    /// Where chance begins
    #[arg(long, value_name = "N", default_value_t = BilstmConfig::default().seed)]
    pub seed: u64,
    /// Append what happens to this file, a line of JSON each time. A training that was interrupted
    /// begins again: there are no checkpoints
    #[arg(long, value_name = "FILE")]
    // Not in a manifest: the model does not depend on it.
    #[serde(skip)]
    pub log: Option<PathBuf>,
}

impl Learner for BilstmConfig {
    fn name(&self) -> &'static str {
        "bilstm"
    }

    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, _: &mut Watch<'_>) -> Result<Learned> {
        let model = train(self, corpus, threads)?;
        Ok(Learned::new(model.settings(), self, model.labels(), model.sections()))
    }
}

impl Default for BilstmConfig {
    fn default() -> Self {
        Self {
            word: 100,
            letter: 25,
            letter_hidden: 25,
            hidden: 100,
            epochs: 6,
            rate: 1e-3,
            batch: 16,
            dropout: 0.5,
            unknown: 0.5,
            clip: 5.0,
            window: 128,
            held_out: 0.01,
            patience: 3,
            seed: 1,
            log: None,
        }
    }
}

impl BilstmConfig {
    /// The widths of the parts of the network.
    pub(super) fn widths(&self) -> Widths {
        let Self { word, letter, letter_hidden, hidden, .. } = *self;
        Widths { word, letter, letter_hidden, hidden }
    }

    /// Refuses settings out of their ranges.
    ///
    /// # Errors
    /// [`Error::Usage`] for the first of them.
    pub(super) fn check(&self) -> Result<()> {
        let refused = |problem: String| Err(Error::Usage(problem));
        if let Some((name, width)) = self.widths().wrong() {
            return refused(format!("{} {width}: expected a width from 1 to 65536", option(name)));
        }
        check_numbers(
            &[("dropout", self.dropout), ("unknown", self.unknown), ("held-out", self.held_out)],
            &[("rate", self.rate), ("clip", self.clip)],
            &[("epochs", self.epochs), ("batch", self.batch), ("patience", self.patience)],
        )?;
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
