//! Trains a network on a cased corpus, from scratch.

mod adam;
mod back;
mod config;
mod gradient;
mod samples;
#[cfg(test)]
mod tests;
mod trainer;

use std::num::NonZeroUsize;

use super::weights::{NetworkWeights, WeightLayout};
use super::{Bilstm, BilstmSettings};
use crate::shared::train_loop::{TrainLoop, TrainPosition};
pub use config::BilstmConfig;
use majuscule::error::Result;
use majuscule_train::corpus::Corpus;
use samples::WordSamples;
use trainer::{BilstmTrainer, init_weights};

/// Trains a model, on one thread.
///
/// # Errors
/// Fails if the corpus cannot be read or teaches no case, if a setting is out of range, and if the
/// log cannot be written.
pub fn train(config: &BilstmConfig, corpus: &Corpus, threads: NonZeroUsize) -> Result<Bilstm> {
    config.check()?;
    let samples = WordSamples::read(config, corpus)?;
    let WordSamples { dataset, vocabulary, .. } = &samples;
    let layout =
        WeightLayout::new(config.widths(), vocabulary.words(), vocabulary.letters(), dataset.labels.len());
    let protocol = corpus.protocol();
    let settings =
        BilstmSettings { widths: config.widths(), window: config.window, runs_on: protocol.runs_on() };
    let model = |weights: NetworkWeights| {
        let (mixed, labels, locale) = (dataset.mixed.clone(), dataset.labels.clone(), corpus.locale());
        Bilstm::new(vocabulary.clone(), weights, mixed, settings.clone(), locale, labels)
    };
    let trainer = BilstmTrainer::new(config, &samples, &model, init_weights(layout, config.seed));
    let BilstmConfig { epochs, patience, batch, seed, ref log, .. } = *config;
    let (position, log) = (TrainPosition::default(), log.as_ref());
    let train_loop =
        TrainLoop { trainer, position, dataset, protocol, epochs, patience, batch, seed, threads, log };
    Ok(model(train_loop.run(&mut |_| {})?))
}
