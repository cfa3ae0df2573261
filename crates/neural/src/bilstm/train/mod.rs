//! Trains a network on a cased corpus, from scratch.

mod config;
mod gradient;
mod samples;
#[cfg(test)]
mod tests;
mod trainer;

use std::num::NonZeroUsize;

use super::weights::{NetworkWeights, WeightLayout};
use super::{Bilstm, BilstmSettings};
use crate::shared::heads::Heads;
use crate::shared::predict::HeadOptions;
use crate::shared::samples::{BatchSize, running_text};
use crate::shared::train_loop::{TrainLoop, TrainPosition};
pub use config::BilstmConfig;
use majuscule::error::Result;
use majuscule::restorer::{Request, Restorer};
use majuscule_train::corpus::{Corpus, Example};
use samples::WordSamples;
use trainer::{BilstmTrainer, init_weights};

/// Trains a model, on one thread.
///
/// # Errors
/// Fails if the corpus cannot be read or teaches no case, if a setting is out of range, and if the
/// log cannot be written.
pub fn train(config: &BilstmConfig, corpus: &Corpus, threads: NonZeroUsize) -> Result<Bilstm> {
    config.check()?;
    let running = running_text(corpus, config.heads.learned()?.marks)?;
    let corpus = running.as_ref().unwrap_or(corpus);
    let samples = WordSamples::read(config, corpus)?;
    let WordSamples { dataset, vocabulary, .. } = &samples;
    let heads = Heads::of(&dataset.labels).sizes();
    let layout = WeightLayout::new(config.widths(), vocabulary.words(), vocabulary.letters(), heads);
    let protocol = corpus.protocol();
    let (widths, window, runs_on) = (config.widths(), config.window, protocol.runs_on());
    let settings = BilstmSettings { widths, window, runs_on, costs: None };
    let model = |weights: NetworkWeights| {
        let (mixed, labels, locale) = (dataset.mixed.clone(), dataset.labels.clone(), corpus.locale());
        Bilstm::new(vocabulary.clone(), weights, mixed, settings.clone(), locale, labels)
    };
    let trainer = BilstmTrainer::new(config, &samples, &model, init_weights(layout, config.seed));
    let BilstmConfig { epochs, patience, seed, ref log, .. } = *config;
    let batch = BatchSize::Samples(config.batch);
    let (position, log) = (TrainPosition::default(), log.as_ref());
    let train_loop =
        TrainLoop { trainer, position, dataset, protocol, epochs, patience, batch, seed, threads, log };
    balanced(model(train_loop.run(&mut |_| {})?), &config.heads, &dataset.held_out)
}

/// Returns a model with the costs of marks that are given, or else those that give the best F on
/// held-out examples.
fn balanced(model: Bilstm, heads: &HeadOptions, held_out: &[Example]) -> Result<Bilstm> {
    let marks = model.labels().marks();
    if marks.is_empty() {
        return Ok(model);
    }
    let request = Request { marks, ..Request::default() };
    let scored: Result<Vec<_>> =
        held_out.iter().map(|example| model.scored(&example.tokens, request)).collect();
    let scored = scored?;
    let costs = heads.costs(marks, held_out, |at, costs| model.decoded(&scored[at], costs, request))?;
    Ok(model.with_costs(costs))
}
