//! The configuration of the training of `bilstm`.

use std::num::NonZeroUsize;
use std::path::Path;

use serde::Serialize;

use super::train;
use crate::bilstm::{NAME, WINDOWS, Widths};
use crate::shared::checks::check_numbers;
use crate::shared::options::{NetworkTraining, NetworkTrainingOptions, TrainingRecord, show_default};
use crate::shared::predict::HeadOptions;
use majuscule_base::error::{Error, Result, option};
use majuscule_text::restorer::Restorer;
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::{Learned, Learner, Watch};

/// The configuration of the training of `bilstm`.
#[derive(Debug, Clone, PartialEq, Serialize, clap::Args)]
#[command(mut_args(|arg| show_default(arg, &NetworkTraining::BILSTM)))]
pub struct BilstmConfig {
    /// The heads to train.
    #[command(flatten)]
    #[serde(flatten)]
    pub heads: HeadOptions,
    /// The width of the embedding of a word
    #[arg(long, value_name = "WIDTH", default_value_t = 100)]
    pub word: usize,
    /// The width of the state of the LSTM over words, in each direction
    #[arg(long, value_name = "WIDTH", default_value_t = 100)]
    pub hidden: usize,
    /// The options of all networks.
    #[command(flatten)]
    #[serde(skip)]
    pub training: NetworkTrainingOptions,
    /// The number of sentences in a batch
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub batch: usize,
    /// The probability that a word that occurs once in the corpus counts as unknown
    #[arg(long, value_name = "FRACTION", default_value_t = 0.5)]
    pub unknown: f64,
    /// The number of words that the network sees at a time: longer sentences are cut into
    /// overlapping windows
    #[arg(long, value_name = "WORDS", default_value_t = 128)]
    pub window: usize,
}

majuscule_arguments::default_of_arguments!(BilstmConfig);

impl Learner for BilstmConfig {
    fn name(&self) -> &'static str {
        NAME
    }

    fn checkpoint(&self) -> Option<&Path> {
        self.training.checkpoint.as_deref()
    }

    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, watch: &mut Watch<'_>) -> Result<Learned> {
        let model = train(self, corpus, threads, watch)?;
        Ok(Learned::new(&model.settings, &self.record(), model.labels(), model.sections()))
    }
}

/// The width of the embedding of a letter, and of the state of the LSTM over letters in each direction.
const LETTER: usize = 25;

impl BilstmConfig {
    /// Returns the widths of the parts of the network.
    pub(super) fn widths(&self) -> Widths {
        let Self { word, hidden, .. } = *self;
        Widths { word, letter: LETTER, letter_hidden: LETTER, hidden }
    }

    /// Returns the settings of the training, with all defaults filled in.
    pub(super) fn record(&self) -> TrainingRecord<'_, Self, NetworkTraining> {
        TrainingRecord { config: self, training: self.training.or(NetworkTraining::BILSTM) }
    }

    /// Refuses settings out of their ranges.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for the first setting that is out of range.
    pub(super) fn check(&self) -> Result<()> {
        let refused = |problem: String| Err(Error::usage(problem));
        if let Some((name, width)) = self.widths().wrong() {
            return refused(format!("{} {width}: expected a width from 1 to 65536", option(name)));
        }
        self.training.check()?;
        check_numbers(&[("unknown", self.unknown)], &[], &[("batch", self.batch)])?;
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
