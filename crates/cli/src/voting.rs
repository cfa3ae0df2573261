//! `--predictions-per-word`, `--window`, `--step` and `--end-threshold`: overlapping windows that vote.

use std::num::NonZeroUsize;

use clap::ArgGroup;
use majuscule_base::error::{Error, Result};
use majuscule_restore::models::{Model, VotingOptions, voting};

/// The options of windows.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(group = ArgGroup::new("windows").args(["predictions_per_word", "window", "step"]).multiple(true))]
pub struct VotingArgs {
    /// Decide each word in N overlapping windows: slower, but often better. A bert model averages its
    /// probabilities on texts longer than its window. With any other model, windows vote, and each
    /// begins 1/N of a window after the previous one
    #[arg(long, value_name = "N", value_parser = super::page::number, conflicts_with_all = ["look_ahead", "step"])]
    predictions_per_word: Option<NonZeroUsize>,
    /// Cut texts into overlapping windows of this many words, which vote on the case of each word and
    /// on the mark after it (see --end-threshold for sentence ends) [default: 200]
    #[arg(long, value_name = "WORDS", value_parser = super::page::number, conflicts_with = "look_ahead")]
    window: Option<NonZeroUsize>,
    /// Number of words from the beginning of one window to the beginning of the next [default: 1]
    #[arg(long, value_name = "WORDS", value_parser = super::page::number, conflicts_with = "look_ahead")]
    step: Option<NonZeroUsize>,
    /// With overlapping windows, end a sentence after a word if more than this fraction of them do
    /// [default: 0.1]
    #[arg(
        long,
        value_name = "FRACTION",
        value_parser = super::page::probability,
        allow_negative_numbers = true,
        conflicts_with = "look_ahead",
        requires = "windows"
    )]
    end_threshold: Option<f32>,
}

impl VotingArgs {
    /// Returns the name of an option that is given; `None` if none is.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.predictions_per_word.is_some(), "--predictions-per-word"),
            (self.window.is_some(), "--window"),
            (self.step.is_some(), "--step"),
            (self.end_threshold.is_some(), "--end-threshold"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }

    /// Returns the model with windows that vote, if they are requested, and the number of contexts to
    /// request from it.
    ///
    /// # Errors
    /// If windows do not overlap, or the model finds no sentence ends and is to end sentences.
    pub fn apply(&self, model: Model) -> Result<(Model, NonZeroUsize)> {
        let predictions = self.predictions_per_word.unwrap_or(NonZeroUsize::MIN);
        let is_voting = self.window.is_some() || self.step.is_some() || self.end_threshold.is_some();
        if !is_voting && (predictions == NonZeroUsize::MIN || model.restorer.averages_contexts()) {
            return Ok((model, predictions));
        }
        if self.end_threshold.is_some() && !model.restorer.labels().ends_sentences() {
            let problem = "--end-threshold: the model does not predict sentence ends: leave it out, or use a model trained with \
                           punctuation";
            return Err(Error::usage(problem));
        }
        let usual = VotingOptions::default();
        let window = self.window.unwrap_or(usual.window);
        let part = self.predictions_per_word.and_then(|count| NonZeroUsize::new(window.get() / count));
        let step = self.step.or(part).unwrap_or(usual.step);
        let end_threshold = self.end_threshold.unwrap_or(usual.end_threshold);
        let model = voting(model, VotingOptions { window, step, end_threshold })?;
        Ok((model, NonZeroUsize::MIN))
    }
}
