//! Trains a network whose weights are one array, with a step of Adam for each batch, and with checkpoints.

use std::num::NonZeroUsize;

use super::flat_checkpoint::FlatCheckpoint;
use super::options::{NetworkTraining, NetworkTrainingOptions};
use super::samples::{BatchSize, Dataset};
use super::schedule::{linear_decay, warm_up_fraction};
use super::sparse_adam::{SparseAdam, SparseGradient};
use super::train_loop::{NetworkTrainer, TrainLoop, TrainPosition, TrainStep};
use majuscule_base::error::Result;
use majuscule_text::restorer::Restorer;
use majuscule_train::corpus::Protocol;
use majuscule_train::methods::Watch;

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

/// A training of a network.
pub struct FlatTraining<'a, N: FlatNetwork> {
    pub network: &'a N,
    pub dataset: &'a Dataset<N::Sample>,
    pub protocol: Protocol,
    pub options: &'a NetworkTrainingOptions,
    pub training: NetworkTraining,
    pub batch: BatchSize,
    pub checkpoint: Option<FlatCheckpoint<'a>>,
    pub threads: NonZeroUsize,
}

impl<N: FlatNetwork> FlatTraining<'_, N> {
    /// Resumes from the checkpoint, or else starts from these weights, and returns the best weights.
    ///
    /// # Errors
    /// Fails if the checkpoint belongs to another training, was altered, or cannot be written.
    pub fn run(self, weights: Vec<f32>, watch: &mut Watch<'_>) -> Result<Vec<f32>> {
        let Self { network, dataset, protocol, options, training, batch, checkpoint, threads } = self;
        let saved =
            checkpoint.as_ref().map(|checkpoint| checkpoint.read(weights.len())).transpose()?.flatten();
        let (state, position) = saved.unwrap_or_else(|| {
            let adam = SparseAdam::new(weights.len());
            (FlatState { weights, adam }, TrainPosition::default())
        });
        let save_every = options.checkpoint_every;
        let trainer = FlatTrainer { network, training, checkpoint, save_every, state };
        let log = options.log.as_ref();
        TrainLoop { trainer, position, dataset, protocol, training, batch, threads, log }.run(watch)
    }
}

/// A network under training.
struct FlatTrainer<'a, N> {
    network: &'a N,
    training: NetworkTraining,
    checkpoint: Option<FlatCheckpoint<'a>>,
    save_every: u64,
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

    fn save_every(&self) -> Option<u64> {
        self.checkpoint.as_ref().map(|_| self.save_every)
    }

    fn save(&self, position: &TrainPosition<Vec<f32>>) -> Result<()> {
        self.checkpoint.as_ref().map_or(Ok(()), |checkpoint| checkpoint.write(&self.state, position))
    }
}
