//! Trains a network: runs a batch forward, its loss backward, and updates each weight.

use std::ops::Range;

use majuscule::error::Result;
use majuscule::methods::network::cnn_bilstm::CnnBilstm;
use majuscule::methods::network::subwords::Special;
use majuscule_train::random::{Purpose, generator, mask};

use super::checkpoint::CnnBilstmCheckpoint;
use super::config::CnnBilstmConfig;
use super::gradient::gradient;
use super::layout::CnnBilstmLayout;
use super::network::{Hidden, SubwordBatch, forward};
use super::samples::SubwordSample;
use crate::shared::init::uniform;
use crate::shared::schedule::{linear_decay, warm_up_fraction};
use crate::shared::sparse_adam::{SparseAdam, SparseGradient};
use crate::shared::train_loop::{NetworkTrainer, TrainPosition, TrainStep};

/// Draws the initial weights: matrices as Glorot & Bengio 2010 do, and subwords of about length 1. Forget gates
/// are open, and the vectors of words are 0, so that at first a word is its subwords.
pub(super) fn init_weights(layout: &CnnBilstmLayout, seed: u64) -> Vec<f32> {
    let mut random = generator(seed, Purpose::Beginning, 0);
    let mut values = vec![0.0; layout.len()];
    let mut fill = |part: &Range<usize>, bound: f64| {
        values[part.clone()].fill_with(|| uniform(&mut random, bound));
    };
    let matrix = |len: usize, columns: usize| (6.0 / (len / columns + columns) as f64).sqrt();
    for [weight, bias] in &layout.convolutions {
        fill(weight, matrix(weight.len(), bias.len()));
    }
    for cell in layout.lstms.iter().flatten() {
        // Each gate is a matrix of its own.
        fill(&cell.inputs, matrix(cell.inputs.len() / 4, cell.hidden));
        fill(&cell.states, matrix(cell.states.len() / 4, cell.hidden));
    }
    fill(&layout.heads, matrix(layout.heads.len(), 2 * layout.sizes.all()));
    fill(&layout.subwords, (3.0 / layout.shape.embedding as f64).sqrt());
    for cell in layout.lstms.iter().flatten() {
        values[cell.bias.clone()][cell.hidden..2 * cell.hidden].fill(1.0);
    }
    values
}

/// The weights under training, and what the optimiser knows of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CnnBilstmState {
    pub(super) weights: Vec<f32>,
    pub(super) adam: SparseAdam,
}

impl CnnBilstmState {
    /// Makes the state before the first step.
    pub(super) fn new(weights: Vec<f32>) -> Self {
        let adam = SparseAdam::new(weights.len());
        Self { weights, adam }
    }
}

/// A network under training.
pub(super) struct CnnBilstmTrainer<'a> {
    pub(super) config: &'a CnnBilstmConfig,
    pub(super) layout: &'a CnnBilstmLayout,
    pub(super) special: Special,
    pub(super) checkpoint: Option<&'a CnnBilstmCheckpoint<'a>>,
    /// Makes a model of weights.
    pub(super) model: &'a dyn Fn(&[f32]) -> Result<CnnBilstm>,
    pub(super) state: CnnBilstmState,
}

impl CnnBilstmTrainer<'_> {
    /// Returns the loss of a batch and its gradient.
    pub(super) fn gradient(&self, samples: &[&SubwordSample], step: u64) -> (f64, SparseGradient) {
        let CnnBilstmConfig { seed, dropout, unknown, right_context_dropout, .. } = *self.config;
        let mut random = generator(seed, Purpose::Dropout, step);
        let hidden = Hidden { unknown, right_context: right_context_dropout };
        let batch = SubwordBatch::new(samples, self.special, hidden, &mut random);
        let mut masks = Vec::new();
        let pass = forward(self.layout, &self.state.weights, &batch, &mut |values| {
            if dropout > 0.0 {
                let mask = mask(&mut random, dropout, values.len());
                values.iter_mut().zip(&mask).for_each(|(value, factor)| *value *= factor);
                masks.push(mask);
            }
        });
        gradient(self.layout, &self.state.weights, &batch, pass, &masks)
    }

    fn rate(&self, step: TrainStep) -> f64 {
        let CnnBilstmConfig { rate, warm_up, .. } = *self.config;
        linear_decay(rate, step.number, 0..step.steps) * warm_up_fraction(step.number, warm_up)
    }
}

impl NetworkTrainer for CnnBilstmTrainer<'_> {
    type Sample = SubwordSample;
    type Weights = Vec<f32>;
    type Model = CnnBilstm;

    const UNIT: &'static str = "words";
    const LOG_EVERY: usize = 50;

    fn length(sample: &SubwordSample) -> usize {
        sample.words.len()
    }

    fn rates(&self, step: TrainStep) -> Vec<(&'static str, f64)> {
        vec![("rate", self.rate(step))]
    }

    fn step(&mut self, batch: &[&SubwordSample], step: TrainStep) -> Result<f64> {
        let (loss, gradient) = self.gradient(batch, step.number as u64);
        let rate = self.rate(step);
        self.state.adam.step(&mut self.state.weights, &gradient, rate, self.config.clip);
        Ok(loss)
    }

    fn weights(&self) -> Result<Vec<f32>> {
        Ok(self.state.weights.clone())
    }

    fn model(&self, weights: &Vec<f32>) -> Result<CnnBilstm> {
        (self.model)(weights)
    }

    fn save_every(&self) -> Option<u64> {
        self.checkpoint.map(|_| self.config.checkpoint_every)
    }

    fn save(&self, position: &TrainPosition<Vec<f32>>) -> Result<()> {
        self.checkpoint.map_or(Ok(()), |checkpoint| checkpoint.write(&self.state, position))
    }
}
