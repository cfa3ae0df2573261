//! A cased corpus and a pretrained encoder in, a tagger out: the head is trained first, then all of it.

mod adam;
mod checkpoint;
mod config;
mod log;
mod noise;
mod pretrained;
mod running;
mod samples;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;

use super::{Bert, Settings, device, failed, tagger};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::eval::Matching;
use checkpoint::Checkpoint;
pub use config::Config;
use pretrained::Pretrained;
use running::{Run, State};
use samples::Samples;

/// Trains a model. [`Config::checkpoint`] stays, and gives the same model at once: it is to be removed when that is saved.
///
/// # Errors
/// Where the encoder cannot be used, the corpus cannot be read or teaches no case, where the settings cannot be, and where the
/// checkpoint is of another training, altered, or cannot be written.
pub fn train(config: &Config, corpus: &Corpus, _: NonZeroUsize) -> Result<Bert> {
    config.check()?;
    device::open(config.device)?;
    let Pretrained { config: encoder, pieces, weights } = Pretrained::read(&config.encoder)?;
    let window = config.window.min(encoder.max_position_embeddings);
    let settings = Settings { window, runs_on: corpus.protocol().runs_on() };
    let checkpoint = Checkpoint::new(config, corpus)?;
    let samples = Samples::read(config, corpus, &pieces, &settings)?;
    let weights = running::beginning(weights, &encoder, samples.labels.len(), config.seed).map_err(failed)?;
    let shapes = tagger::shapes(&encoder, samples.labels.len());
    let state = match checkpoint.as_ref().map(|checkpoint| checkpoint.read(&shapes)).transpose()?.flatten() {
        Some(state) => state,
        None => State::new(weights).map_err(failed)?,
    };
    let locale = corpus.locale();
    let model = |weights| {
        let (mixed, labels) = (samples.mixed.clone(), samples.labels.clone());
        Bert::new(encoder.clone(), pieces.clone(), weights, mixed, settings.clone(), locale, labels)
            .map_err(failed)
    };
    let run = Run {
        config,
        encoder: &encoder,
        samples: &samples,
        padding: pieces.special.padding,
        matching: Matching::of(corpus.protocol()),
        model: &model,
    };
    let best = run.epochs(state, checkpoint.as_ref())?;
    model(best)
}

/// Settings that cannot be.
fn refused(problem: String) -> Error {
    Error::Usage(problem)
}
