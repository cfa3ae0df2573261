//! Training of `cnn-bilstm`: a small network from scratch, on subwords that are learned from the text.

mod adapt;
mod config;
mod gradient;
mod layout;
mod lexicon_counts;
mod network;
mod samples;
mod subwords;
#[cfg(test)]
mod tests;
mod trainer;

use std::num::NonZeroUsize;

pub use adapt::CnnBilstmAdaptation;
pub use config::CnnBilstmConfig;
use majuscule_base::error::{Error, Result};
use majuscule_methods::gaps::MarkCosts;
use majuscule_methods::network::cnn_bilstm::{CnnBilstm, CnnBilstmParts, EnginePrecision, NAME};
use majuscule_methods::network::tensors;
use majuscule_text::Tokens;
use majuscule_text::restorer::{Request, Restorer};
use majuscule_train::corpus::{Corpus, Example, Protocol};
use majuscule_train::methods::Watch;

use crate::shared::flat::FlatTraining;
use crate::shared::flat_checkpoint::FlatCheckpoint;
use crate::shared::heads::Heads;
use crate::shared::options::NetworkTraining;
use crate::shared::samples::{BatchSize, running_text};
use layout::{CnnBilstmLayout, FlatWeights};
use network::InputDropout;
use samples::SubwordSamples;
use trainer::{CnnBilstmTrainer, init_weights};

/// The number of words in a batch; few in tests, whose texts are short.
const BATCH_WORDS: usize = if cfg!(test) { 60 } else { 2000 };

/// Trains a model on one thread, and reports progress after each step. Returns its parts and its file of
/// weights. The checkpoint file remains, and resuming from it returns the same model at once. The caller should
/// remove it when the model is saved.
///
/// # Errors
/// Fails if the corpus cannot be read or teaches no case; if a setting is out of range; and if the
/// checkpoint belongs to another training, was altered, or cannot be written.
pub fn train(
    config: &CnnBilstmConfig,
    corpus: &Corpus,
    threads: NonZeroUsize,
    watch: &mut Watch<'_>,
) -> Result<(CnnBilstmParts, Vec<u8>)> {
    config.check()?;
    let record = config.record();
    let training = record.training;
    let running = running_text(corpus, config.heads.learned()?.marks)?;
    let corpus = running.as_ref().unwrap_or(corpus);
    let checkpoint = FlatCheckpoint::new(NAME, &config.training, &record, corpus)?;
    let samples = SubwordSamples::read(config, training.split(corpus))?;
    let training =
        SubwordTraining { config, training, protocol: corpus.protocol(), checkpoint, samples, keep: 0.0 };
    training.run(|layout| init_weights(layout, record.training.seed), threads, watch)
}

/// A training of a network on samples: from random weights, or from the weights of a model.
struct SubwordTraining<'a> {
    config: &'a CnnBilstmConfig,
    training: NetworkTraining,
    protocol: Protocol,
    checkpoint: Option<FlatCheckpoint<'a>>,
    samples: SubwordSamples,
    /// The fraction of the initial weights in the result.
    keep: f64,
}

impl SubwordTraining<'_> {
    /// Trains a network from the `initial` weights. Returns the parts of the model and its file of weights.
    fn run(
        self,
        initial: impl FnOnce(&CnnBilstmLayout) -> Vec<f32>,
        threads: NonZeroUsize,
        watch: &mut Watch<'_>,
    ) -> Result<(CnnBilstmParts, Vec<u8>)> {
        let Self { config, training, protocol, checkpoint, samples, keep } = self;
        let SubwordSamples { dataset, mut parts, words, digest } = samples;
        let sizes = Heads::of(&dataset.labels).sizes();
        let layout = CnnBilstmLayout::new(parts.settings.shape, words, sizes);
        let model = |values: &[f32]| {
            let vocabulary = parts.vocabulary().map_err(Error::usage)?;
            let weights = FlatWeights { layout: &layout, values };
            parts.clone().model(vocabulary, &weights, EnginePrecision::F32).map_err(Error::usage)
        };
        let special = parts.vocabulary().map_err(Error::usage)?.special();
        let dropout = InputDropout { unknown: config.unknown, right_context: config.right_context_dropout };
        let network = CnnBilstmTrainer { training, dropout, layout: &layout, special, model: &model };
        let flat = FlatTraining {
            network: &network,
            dataset: &dataset,
            protocol,
            options: &config.training,
            training,
            batch: BatchSize::Subwords(BATCH_WORDS),
            checkpoint: checkpoint.map(|checkpoint| checkpoint.of(digest)),
            threads,
        };
        let initial = initial(&layout);
        let mut values = flat.run(initial.clone(), watch)?;
        if keep > 0.0 {
            for (value, initial) in values.iter_mut().zip(initial) {
                *value += keep as f32 * (initial - *value);
            }
        }
        parts.settings.costs = costs(config, &model(&values)?, &dataset.held_out, threads)?;
        let weights = tensors::write(&layout.tensors(), &FlatWeights { layout: &layout, values: &values });
        Ok((parts, weights.map_err(Error::usage)?))
    }
}

/// Returns the costs of marks, which are given or chosen for the best F on held-out examples. Returns `None` for a
/// model without marks.
fn costs(
    config: &CnnBilstmConfig,
    model: &CnnBilstm,
    held_out: &[Example],
    threads: NonZeroUsize,
) -> Result<Option<MarkCosts>> {
    let marks = model.labels().marks();
    if marks.is_empty() {
        return Ok(None);
    }
    let request = Request { marks, threads, ..Request::default() };
    let documents: Vec<Tokens> = held_out.iter().map(|example| example.tokens.clone()).collect();
    let scored = model.scored(&documents, request)?;
    config.heads.costs(marks, held_out, |at, costs| model.decoded(&scored[at], costs, request)).map(Some)
}
