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
use majuscule_methods::network::cnn_bilstm::{CnnBilstmParts, EnginePrecision, NAME};
use majuscule_methods::network::tensors;
use majuscule_text::Tokens;
use majuscule_text::restorer::{Request, Restorer};
use majuscule_train::corpus::Corpus;
use majuscule_train::methods::Watch;

use crate::shared::checkpoint_file::CheckpointFile;
use crate::shared::flat::train_flat;
use crate::shared::heads::Heads;
use crate::shared::options::NetworkTraining;
use crate::shared::samples::{BatchSize, running_text};
use crate::shared::train_loop::TrainSetup;
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
    let checkpoint = CheckpointFile::new(NAME, &config.training, &record, corpus)?;
    let samples = SubwordSamples::read(config, training.split(corpus))?;
    let training = SubwordTraining { config, training, checkpoint, samples, keep: 0.0 };
    training.run(|layout| init_weights(layout, record.training.seed), threads, watch)
}

/// A training of a network on samples: from random weights, or from the weights of a model.
struct SubwordTraining<'a> {
    config: &'a CnnBilstmConfig,
    training: NetworkTraining,
    checkpoint: Option<CheckpointFile<'a>>,
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
        let Self { config, training, checkpoint, samples, keep } = self;
        let SubwordSamples { dataset, mut parts, words } = samples;
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
        let batch = BatchSize::Subwords(BATCH_WORDS);
        let setup = TrainSetup { dataset: &dataset, options: &config.training, training, batch, threads };
        let initial = initial(&layout);
        let mut values = train_flat(&network, initial.clone(), checkpoint, setup, watch)?;
        if keep > 0.0 {
            for (value, initial) in values.iter_mut().zip(initial) {
                *value += keep as f32 * (initial - *value);
            }
        }
        let model = model(&values)?;
        let request = Request { marks: model.labels().marks(), threads, ..Request::default() };
        let scored = |documents: &[Tokens], request| model.scored(documents, request);
        let choices = |windows: &Vec<_>, costs, request| model.decoded(windows, costs, request);
        parts.settings.costs = config.heads.costs(request, &dataset.held_out, scored, choices)?;
        let weights = tensors::write(&layout.tensors(), &FlatWeights { layout: &layout, values: &values });
        Ok((parts, weights.map_err(Error::usage)?))
    }
}
