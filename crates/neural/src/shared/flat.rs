//! Trains a network whose weights are one array, with a step of Adam for each batch, and with checkpoints.

use candle_core::{Device, Result as Computed, Tensor};

use super::checkpoint_file::CheckpointFile;
use super::options::NetworkTraining;
use super::schedule::{linear_decay, warm_up_fraction};
use super::sparse_adam::{SparseAdam, SparseGradient};
use super::train_loop::{NetworkTrainer, TrainLoop, TrainPosition, TrainSetup, TrainStep};
use crate::bert::weights::{self, TensorMap};
use majuscule_base::error::Result;
use majuscule_text::restorer::Restorer;
use majuscule_train::methods::Watch;
use serde::{Deserialize, Serialize};

/// A network whose weights are one array.
pub trait FlatNetwork {
    /// A text with its labels.
    type Sample;
    /// The model that is made from weights.
    type Model: Restorer;

    /// The number of steps between two lines of the log.
    const LOG_EVERY: usize;

    /// Returns the number of words of a sample.
    fn length(sample: &Self::Sample) -> usize;

    /// Returns the loss of a batch and its gradient.
    fn gradient(&self, weights: &[f32], samples: &[&Self::Sample], step: u64) -> (f64, SparseGradient);

    /// Makes a model from weights.
    fn model(&self, weights: &[f32]) -> Result<Self::Model>;
}

/// The weights under training, and the moments of the optimiser.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatState {
    pub weights: Vec<f32>,
    pub adam: SparseAdam,
}

/// Trains a network: resumes from the checkpoint, or else starts from these weights, and returns the best weights.
///
/// # Errors
/// Fails if the checkpoint belongs to another training, was altered, or cannot be written.
pub fn train_flat<N: FlatNetwork>(
    network: &N,
    weights: Vec<f32>,
    checkpoint: Option<CheckpointFile<'_>>,
    setup: TrainSetup<'_, N::Sample>,
    watch: &mut Watch<'_>,
) -> Result<Vec<f32>> {
    let digests = ExampleDigest { examples: setup.dataset.digest };
    let checkpoint = checkpoint.map(|file| FlatCheckpoint { file, digests });
    let saved = checkpoint.as_ref().map(|checkpoint| checkpoint.read(weights.len())).transpose()?.flatten();
    let (state, position) = saved.unwrap_or_else(|| {
        let adam = SparseAdam::new(weights.len());
        (FlatState { weights, adam }, TrainPosition::default())
    });
    let trainer = FlatTrainer { network, training: setup.training, checkpoint, state };
    TrainLoop { trainer, position, setup }.run(watch)
}

/// The checkpoint of a training, with the identity of its examples.
struct FlatCheckpoint<'a> {
    file: CheckpointFile<'a>,
    digests: ExampleDigest,
}

/// A checksum of the examples in a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct ExampleDigest {
    examples: u32,
}

/// The names of the arrays.
const NOW: &str = "now";
const BEST: &str = "best";
const MEANS: [&str; 2] = ["mean", "square"];

impl FlatCheckpoint<'_> {
    /// Writes a state atomically.
    fn write(&self, state: &FlatState, position: &TrainPosition<Vec<f32>>) -> Result<()> {
        let SparseAdam { means, squares, steps } = &state.adam;
        let best = position.best.as_ref().map(|(_, best)| (BEST, best));
        let arrays = [(NOW, &state.weights), (MEANS[0], means), (MEANS[1], squares)].into_iter().chain(best);
        let tensors = arrays.map(|(name, values)| {
            Ok((name.to_owned(), Tensor::from_slice(values, values.len(), &Device::Cpu)?))
        });
        let tensors = tensors.collect::<Computed<TensorMap>>();
        let tensors = tensors.map_err(|error| self.file.wrong(error.to_string()))?;
        self.file.write(&tensors, position, self.digests, steps)
    }

    /// Reads the state of `len` weights from the file, or returns `None` if there is no file.
    fn read(&self, len: usize) -> Result<Option<(FlatState, TrainPosition<Vec<f32>>)>> {
        let Some((bytes, note)) = self.file.read::<ExampleDigest, u64>()? else { return Ok(None) };
        if note.digests != self.digests {
            return Err(self.file.altered("a text"));
        }
        let array = |name: &str| {
            let shapes = vec![(name.to_owned(), vec![len])];
            let named = |found: &str| (found == name).then(|| found.to_owned());
            let tensors =
                weights::read(&bytes, &shapes, named, &Device::Cpu).map_err(|_| self.file.is_none())?;
            tensors[name].to_vec1::<f32>().map_err(|_| self.file.is_none())
        };
        let position = note.position(|| array(BEST))?;
        let [means, squares] = MEANS.map(array);
        let adam = SparseAdam { means: means?, squares: squares?, steps: note.steps };
        Ok(Some((FlatState { weights: array(NOW)?, adam }, position)))
    }
}

/// A network under training.
struct FlatTrainer<'a, N> {
    network: &'a N,
    training: NetworkTraining,
    checkpoint: Option<FlatCheckpoint<'a>>,
    state: FlatState,
}

impl<N> FlatTrainer<'_, N> {
    fn rate(&self, step: TrainStep) -> f64 {
        let NetworkTraining { rate, warm_up, .. } = self.training;
        linear_decay(rate, step.number, 0..step.steps) * warm_up_fraction(step.number, warm_up)
    }
}

impl<N: FlatNetwork> NetworkTrainer for FlatTrainer<'_, N> {
    type Sample = N::Sample;
    type Weights = Vec<f32>;
    type Model = N::Model;

    const UNIT: &'static str = "words";
    const LOG_EVERY: usize = N::LOG_EVERY;

    fn length(sample: &N::Sample) -> usize {
        N::length(sample)
    }

    fn rates(&self, step: TrainStep) -> Vec<(&'static str, f64)> {
        vec![("rate", self.rate(step))]
    }

    fn step(&mut self, batch: &[&N::Sample], step: TrainStep) -> Result<f64> {
        let (loss, gradient) = self.network.gradient(&self.state.weights, batch, step.number as u64);
        let rate = self.rate(step);
        self.state.adam.step(&mut self.state.weights, &gradient, rate, self.training.clip);
        Ok(loss)
    }

    fn weights(&self) -> Result<Vec<f32>> {
        Ok(self.state.weights.clone())
    }

    fn model(&self, weights: &Vec<f32>) -> Result<N::Model> {
        self.network.model(weights)
    }

    fn save(&self, position: &TrainPosition<Vec<f32>>) -> Result<()> {
        self.checkpoint.as_ref().map_or(Ok(()), |checkpoint| checkpoint.write(&self.state, position))
    }
}
