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
use crate::shared::checkpoint_file::CheckpointFile;
use crate::shared::flat::{FlatNetwork, train_flat};
use crate::shared::heads::Heads;
use crate::shared::samples::{BatchSize, running_text};
use crate::shared::train_loop::TrainSetup;
pub use config::BilstmConfig;
use majuscule_base::error::Result;
use majuscule_text::Tokens;
use majuscule_text::restorer::Request;
use majuscule_train::corpus::Corpus;
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
    let checkpoint = CheckpointFile::new(NAME, options, &record, corpus)?;
    let samples = WordSamples::read(config, training.split(corpus))?;
    let WordSamples { dataset, vocabulary, .. } = &samples;
    let heads = Heads::of(&dataset.labels).sizes();
    let layout = WeightLayout::new(config.widths(), vocabulary.words(), vocabulary.letters(), heads);
    let (widths, window, runs_on) = (config.widths(), config.window, corpus.protocol().runs_on());
    let settings = BilstmSettings { widths, window, runs_on, costs: None };
    let model = |weights: NetworkWeights| {
        let (mixed, labels, locale) = (dataset.mixed.clone(), dataset.labels.clone(), corpus.locale());
        Bilstm::new(vocabulary.clone(), weights, mixed, settings.clone(), locale, labels)
    };
    let weights = init_weights(&layout, training.seed);
    let network =
        BilstmTrainer { training, unknown: config.unknown, samples: &samples, layout, model: &model };
    let setup = TrainSetup { dataset, options, training, batch: BatchSize::Samples(config.batch), threads };
    let values = train_flat(&network, weights, checkpoint, setup, watch)?;
    let mut model = network.model(&values)?;
    let request = Request { marks: model.labels.marks(), ..Request::default() };
    let scored = |documents: &[Tokens], request| {
        documents.iter().map(|document| model.scored(document, request)).collect()
    };
    let choices = |windows: &Vec<_>, costs, request| model.decoded(windows, costs, request);
    model.settings.costs = config.heads.costs(request, &dataset.held_out, scored, choices)?;
    Ok(model)
}
