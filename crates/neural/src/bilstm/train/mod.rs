//! Trains a network on a cased corpus, from scratch.

mod config;
mod gradient;
mod samples;
#[cfg(test)]
mod tests;
mod trainer;

use std::num::NonZeroUsize;

use super::weights::{NetworkWeights, WeightLayout};
use super::{Bilstm, BilstmSettings, NAME};
use crate::shared::flat::{FlatNetwork, FlatTraining};
use crate::shared::flat_checkpoint::FlatCheckpoint;
use crate::shared::heads::Heads;
use crate::shared::predict::HeadOptions;
use crate::shared::samples::{BatchSize, running_text};
pub use config::BilstmConfig;
use majuscule_base::error::Result;
use majuscule_text::restorer::{Request, Restorer};
use majuscule_train::corpus::{Corpus, Example};
use majuscule_train::methods::Watch;
use samples::WordSamples;
use trainer::{BilstmTrainer, init_weights};

/// Trains a model on one thread, and reports progress after each step. The checkpoint file is not removed.
///
/// # Errors
/// Fails if the corpus cannot be read or teaches no case; if a setting is out of range; if the log cannot be
/// written; and if the checkpoint belongs to another training, was altered, or cannot be written.
pub fn train(
    config: &BilstmConfig,
    corpus: &Corpus,
    threads: NonZeroUsize,
    watch: &mut Watch<'_>,
) -> Result<Bilstm> {
    config.check()?;
    let (options, record) = (&config.training, config.record());
    let training = record.training;
    let running = running_text(corpus, config.heads.learned()?.marks)?;
    let corpus = running.as_ref().unwrap_or(corpus);
    let checkpoint = FlatCheckpoint::new(NAME, options, &record, corpus)?;
    let samples = WordSamples::read(config, training.split(corpus))?;
    let WordSamples { dataset, vocabulary, digest, .. } = &samples;
    let heads = Heads::of(&dataset.labels).sizes();
    let layout = WeightLayout::new(config.widths(), vocabulary.words(), vocabulary.letters(), heads);
    let protocol = corpus.protocol();
    let (widths, window, runs_on) = (config.widths(), config.window, protocol.runs_on());
    let settings = BilstmSettings { widths, window, runs_on, costs: None };
    let model = |weights: NetworkWeights| {
        let (mixed, labels, locale) = (dataset.mixed.clone(), dataset.labels.clone(), corpus.locale());
        Bilstm::new(vocabulary.clone(), weights, mixed, settings.clone(), locale, labels)
    };
    let weights = init_weights(&layout, training.seed);
    let network =
        BilstmTrainer { training, unknown: config.unknown, samples: &samples, layout, model: &model };
    let batch = BatchSize::Samples(config.batch);
    let checkpoint = checkpoint.map(|checkpoint| checkpoint.of(*digest));
    let flat =
        FlatTraining { network: &network, dataset, protocol, options, training, batch, checkpoint, threads };
    let values = flat.run(weights, watch)?;
    balanced(network.model(&values)?, &config.heads, &dataset.held_out)
}

/// Returns a model with costs of marks, which are given or chosen for the best F on held-out examples.
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
