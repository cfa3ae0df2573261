//! A cased corpus and a pretrained encoder in, a tagger out: the head is trained first, then all of it.

mod adam;
mod adapt;
mod checkpoint;
mod config;
mod noise;
mod pace;
mod pretrained;
mod running;
mod samples;
#[cfg(test)]
mod tests;
mod threads;

use std::num::NonZeroUsize;

use candle_core::Result as Computed;

use super::config::EncoderConfig;
use super::tokenize::Pieces;
use super::weights::Weights;
use super::{Bert, Settings, device, failed, tagger};
pub use adapt::{Adaptation, adapt};
use checkpoint::Checkpoint;
pub use config::BertConfig;
use majuscule::error::{Error, Result};
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::{Watch, log};
use pretrained::Pretrained;
use running::{Run, State};
use samples::Samples;

/// Trains a model, and tells how far it is after each step. [`BertConfig::checkpoint`] stays, and gives the same model at once: it is to be removed when that is saved.
///
/// # Errors
/// Where the encoder cannot be used, the corpus cannot be read or teaches no case, where the settings cannot be, and where the
/// checkpoint is of another training, altered, or cannot be written.
pub fn train(
    config: &BertConfig,
    corpus: &Corpus,
    threads: NonZeroUsize,
    watch: &mut Watch<'_>,
) -> Result<Bert> {
    config.check()?;
    let Pretrained { config: encoder, pieces, weights } = Pretrained::read(&config.encoder)?;
    let window = config.window.min(encoder.max_position_embeddings);
    let settings = Settings { window, runs_on: corpus.protocol().runs_on() };
    let training = Training { config, corpus, encoder: &encoder, pieces: &pieces, settings, model: None };
    let head = |labels| running::beginning(weights, &encoder, labels, config.seed);
    training.run(head, threads, watch)
}

/// What is trained, and how.
struct Training<'a> {
    config: &'a BertConfig,
    corpus: &'a Corpus,
    encoder: &'a EncoderConfig,
    pieces: &'a Pieces,
    settings: Settings,
    /// The model that is trained on, where there is one.
    model: Option<&'a Bert>,
}

impl Training<'_> {
    /// Trains the weights that `beginning` makes for so many labels.
    fn run(
        self,
        beginning: impl FnOnce(usize) -> Computed<Weights>,
        threads: NonZeroUsize,
        watch: &mut Watch<'_>,
    ) -> Result<Bert> {
        let Self { config, corpus, encoder, pieces, settings, model } = self;
        let device = device::open(config.device)?;
        let checkpoint = Checkpoint::new(config, corpus)?;
        let samples = Samples::read(config, corpus, pieces, &settings, model)?;
        let weights = beginning(samples.labels.len()).map_err(failed)?;
        let checkpoint =
            checkpoint.map(|checkpoint| checkpoint.of(&samples, &weights)).transpose().map_err(failed)?;
        let shapes = tagger::shapes(encoder, samples.labels.len());
        let state = checkpoint.as_ref().map(|checkpoint| checkpoint.read(&shapes)).transpose()?.flatten();
        let state = state.map_or_else(|| State::new(weights).map_err(failed), Ok)?;
        let state = state.on(&device).map_err(failed)?;
        let model = |weights| {
            let (mixed, labels) = (samples.mixed.clone(), samples.labels.clone());
            let (settings, locale) = (settings.clone(), corpus.locale());
            Bert::new(encoder.clone(), pieces.clone(), weights, mixed, settings, locale, labels)
                .map_err(failed)
        };
        let run = Run {
            config,
            encoder,
            samples: &samples,
            padding: pieces.special.padding,
            protocol: corpus.protocol(),
            threads,
            model: &model,
        };
        let best = run.epochs(state, checkpoint.as_ref(), watch)?;
        model(best)
    }
}

/// Settings that cannot be.
fn refused(problem: String) -> Error {
    Error::Usage(problem)
}
