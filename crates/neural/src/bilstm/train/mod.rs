//! A cased corpus in, a network out, trained from scratch.

mod adam;
mod back;
mod config;
mod gradient;
mod running;
mod samples;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;

use super::weights::{Layout, Weights};
use super::{Bilstm, Settings};
pub use config::BilstmConfig;
use majuscule::error::Result;
use majuscule_train::corpus::Corpus;
use running::Run;
use samples::Samples;

/// Trains a model, on one thread.
///
/// # Errors
/// Where the corpus cannot be read or teaches no case, where the settings cannot be, and where the log cannot be written.
pub fn train(config: &BilstmConfig, corpus: &Corpus, _: NonZeroUsize) -> Result<Bilstm> {
    config.check()?;
    let samples = Samples::read(config, corpus)?;
    let Samples { vocabulary, labels, .. } = &samples;
    let layout = Layout::new(config.widths(), vocabulary.words(), vocabulary.letters(), labels.len());
    let settings =
        Settings { widths: config.widths(), window: config.window, runs_on: corpus.protocol().runs_on() };
    let model = |weights: Weights| {
        let (mixed, locale) = (samples.mixed.clone(), corpus.locale());
        Bilstm::new(vocabulary.clone(), weights, mixed, settings.clone(), locale, labels.clone())
    };
    let protocol = corpus.protocol();
    let run = Run { config, samples: &samples, protocol, model: &model };
    Ok(model(run.epochs(running::beginning(layout, config.seed))?))
}
