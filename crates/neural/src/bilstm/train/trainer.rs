//! The steps of a training: the forward pass of a batch, and the backward pass of its loss.

use super::gradient::gradient;
use super::samples::{WordSample, WordSamples};
use crate::bilstm::Bilstm;
use crate::bilstm::network::{WordBatch, forward};
use crate::bilstm::weights::{NetworkWeights, WeightLayout, WeightsView};
use crate::shared::flat::FlatNetwork;
use crate::shared::gold::WordLabels;
use crate::shared::init::WeightDraws;
use crate::shared::options::NetworkTraining;
use crate::shared::sparse_adam::SparseGradient;
use crate::shared::values::multiply;
use majuscule_base::error::Result;
use majuscule_train::random::{Purpose, generator, mask};

/// Draws the initial weights: embeddings from the range of Lample et al., and matrices as in Glorot & Bengio 2010.
/// The biases of forget gates are 1, and all scores of the chain are 0.
pub(super) fn init_weights(layout: &WeightLayout, seed: u64) -> Vec<f32> {
    let (mut draws, widths) = (WeightDraws::new(layout.len(), seed), layout.widths);
    draws.table(&layout.letters, widths.letter);
    layout.spelling.iter().chain(&layout.sentence).for_each(|cell| draws.lstm(cell));
    draws.matrix(&layout.head, 2 * widths.hidden, layout.heads.all());
    draws.table(&layout.words, widths.word);
    draws.values
}

/// The network of a training.
pub(super) struct BilstmTrainer<'a> {
    pub(super) training: NetworkTraining,
    /// The probability that a word that occurs once counts as unknown.
    pub(super) unknown: f64,
    pub(super) samples: &'a WordSamples,
    pub(super) layout: WeightLayout,
    /// Makes a model from weights.
    pub(super) model: &'a dyn Fn(NetworkWeights) -> Bilstm,
}

impl FlatNetwork for BilstmTrainer<'_> {
    type Sample = WordSample;
    type Model = Bilstm;

    const LOG_EVERY: usize = 100;

    fn length(sample: &WordSample) -> usize {
        sample.window.words.len()
    }

    fn gradient(&self, weights: &[f32], samples: &[&WordSample], step: u64) -> (f64, SparseGradient) {
        let NetworkTraining { seed, dropout, .. } = self.training;
        let mut random = generator(seed, Purpose::Dropout, step);
        let texts: Vec<_> =
            samples.iter().map(|sample| self.samples.words(sample, self.unknown, &mut random)).collect();
        let labels: Vec<&[WordLabels]> = samples.iter().map(|sample| sample.labels.as_slice()).collect();
        let batch = WordBatch::new(&texts);
        let mut masks = Vec::new();
        let weights = WeightsView { layout: &self.layout, values: weights };
        let forward = forward(weights, &batch, &mut |values| {
            let mask = mask(&mut random, dropout, values.len());
            multiply(values, &mask);
            masks.push(mask);
        });
        gradient(weights, &batch, &labels, forward, &masks)
    }

    fn model(&self, weights: &[f32]) -> Result<Bilstm> {
        Ok((self.model)(NetworkWeights { layout: self.layout.clone(), values: weights.to_vec() }))
    }
}
