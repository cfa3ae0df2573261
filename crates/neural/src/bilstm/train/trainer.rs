//! Trains a network: runs a batch forward, its loss backward, and updates each weight.

use std::ops::Range;

use super::config::BilstmConfig;
use super::gradient::gradient;
use super::samples::{WordSample, WordSamples};
use crate::bilstm::Bilstm;
use crate::bilstm::network::{WordBatch, forward};
use crate::bilstm::weights::{NetworkWeights, WeightLayout};
use crate::shared::gold::WordLabels;
use crate::shared::init::uniform;
use crate::shared::schedule::linear_decay;
use crate::shared::sparse_adam::{SparseAdam, SparseGradient};
use crate::shared::train_loop::{NetworkTrainer, TrainStep};
use majuscule::error::Result;
use majuscule_train::random::{Purpose, generator, mask};

/// Draws the initial weights: embeddings from the range of Lample et al., and matrices as Glorot &
/// Bengio 2010 do. Forget gates are open, and all scores of the chain are 0.
pub(super) fn init_weights(layout: WeightLayout, seed: u64) -> NetworkWeights {
    let mut random = generator(seed, Purpose::Beginning, 0);
    let mut values = vec![0.0; layout.len()];
    let mut fill = |part: &Range<usize>, bound: f64| {
        values[part.clone()].fill_with(|| uniform(&mut random, bound));
    };
    let table = |width: usize| (3.0 / width as f64).sqrt();
    let matrix = |rows: usize, columns: usize| (6.0 / (rows + columns) as f64).sqrt();
    let widths = layout.widths;
    fill(&layout.letters, table(widths.letter));
    for cell in layout.spelling.iter().chain(&layout.sentence) {
        // Each gate is a matrix of its own.
        fill(&cell.inputs, matrix(cell.inputs.len() / (4 * cell.hidden), cell.hidden));
        fill(&cell.states, matrix(cell.hidden, cell.hidden));
    }
    fill(&layout.head, matrix(2 * widths.hidden, layout.heads.all()));
    fill(&layout.words, table(widths.word));
    for cell in layout.spelling.iter().chain(&layout.sentence) {
        values[cell.bias.clone()][cell.hidden..2 * cell.hidden].fill(1.0);
    }
    NetworkWeights { layout, values }
}

/// A network under training.
pub(super) struct BilstmTrainer<'a> {
    pub(super) config: &'a BilstmConfig,
    pub(super) samples: &'a WordSamples,
    /// Makes a model of weights.
    pub(super) model: &'a dyn Fn(NetworkWeights) -> Bilstm,
    pub(super) weights: NetworkWeights,
    adam: SparseAdam,
}

impl<'a> BilstmTrainer<'a> {
    /// Starts with these weights.
    pub(super) fn new(
        config: &'a BilstmConfig,
        samples: &'a WordSamples,
        model: &'a dyn Fn(NetworkWeights) -> Bilstm,
        weights: NetworkWeights,
    ) -> Self {
        let adam = SparseAdam::new(weights.values.len());
        Self { config, samples, model, weights, adam }
    }

    /// Returns the loss of a batch and its gradient.
    pub(super) fn gradient(&self, samples: &[&WordSample], step: u64) -> (f64, SparseGradient) {
        let BilstmConfig { seed, dropout, unknown, .. } = *self.config;
        let mut random = generator(seed, Purpose::Dropout, step);
        let texts: Vec<_> =
            samples.iter().map(|sample| self.samples.words(sample, unknown, &mut random)).collect();
        let labels: Vec<&[WordLabels]> = samples.iter().map(|sample| sample.labels.as_slice()).collect();
        let batch = WordBatch::new(&texts);
        let mut masks = Vec::new();
        let forward = forward(&self.weights, &batch, &mut |values| {
            let mask = mask(&mut random, dropout, values.len());
            values.iter_mut().zip(&mask).for_each(|(value, factor)| *value *= factor);
            masks.push(mask);
        });
        gradient(&self.weights, &batch, &labels, forward, &masks)
    }

    fn rate(&self, step: TrainStep) -> f64 {
        linear_decay(self.config.rate, step.number, 0..step.steps)
    }
}

impl NetworkTrainer for BilstmTrainer<'_> {
    type Sample = WordSample;
    type Weights = NetworkWeights;
    type Model = Bilstm;

    const UNIT: &'static str = "words";
    const LOG_EVERY: usize = 100;

    fn length(sample: &WordSample) -> usize {
        sample.window.words.len()
    }

    fn rates(&self, step: TrainStep) -> Vec<(&'static str, f64)> {
        vec![("rate", self.rate(step))]
    }

    fn step(&mut self, batch: &[&WordSample], step: TrainStep) -> Result<f64> {
        let (loss, gradient) = self.gradient(batch, step.number as u64);
        let rate = self.rate(step);
        self.adam.step(&mut self.weights.values, &gradient, rate, self.config.clip);
        Ok(loss)
    }

    fn weights(&self) -> Result<NetworkWeights> {
        Ok(self.weights.clone())
    }

    fn model(&self, weights: &NetworkWeights) -> Result<Bilstm> {
        Ok((self.model)(weights.clone()))
    }
}
