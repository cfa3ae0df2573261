//! The steps of a training: the forward pass of a batch, and the backward pass of its loss.

use majuscule_base::error::Result;
use majuscule_methods::network::cnn_bilstm::CnnBilstm;
use majuscule_methods::network::subwords::Special;
use majuscule_train::random::{Purpose, generator, mask};

use super::gradient::gradient;
use super::layout::CnnBilstmLayout;
use super::network::{InputDropout, SubwordBatch, forward};
use super::samples::SubwordSample;
use crate::shared::flat::FlatNetwork;
use crate::shared::init::WeightDraws;
use crate::shared::options::NetworkTraining;
use crate::shared::sparse_adam::SparseGradient;
use crate::shared::values::multiply;

/// Draws the initial weights: matrices as in Glorot & Bengio 2010, and embeddings of subwords with a norm of
/// about 1. The biases of forget gates are 1. The vectors of words are 0, so that a word is at first
/// represented by its subwords only.
pub(super) fn init_weights(layout: &CnnBilstmLayout, seed: u64) -> Vec<f32> {
    let (mut draws, shape) = (WeightDraws::new(layout.len(), seed), layout.shape);
    let [weight, bias] = &layout.convolution;
    draws.matrix(weight, weight.len() / bias.len(), bias.len());
    layout.lstms.iter().flatten().for_each(|cell| draws.lstm(cell));
    draws.matrix(&layout.heads, 2 * shape.hidden, 2 * layout.sizes.all());
    draws.table(&layout.subwords, shape.embedding);
    draws.values
}

/// The network of a training.
pub(super) struct CnnBilstmTrainer<'a> {
    pub(super) training: NetworkTraining,
    pub(super) dropout: InputDropout,
    pub(super) layout: &'a CnnBilstmLayout,
    pub(super) special: Special,
    /// Makes a model from weights.
    pub(super) model: &'a dyn Fn(&[f32]) -> Result<CnnBilstm>,
}

impl FlatNetwork for CnnBilstmTrainer<'_> {
    type Sample = SubwordSample;
    type Model = CnnBilstm;

    const LOG_EVERY: usize = 50;

    fn length(sample: &SubwordSample) -> usize {
        sample.words.len()
    }

    fn gradient(&self, weights: &[f32], samples: &[&SubwordSample], step: u64) -> (f64, SparseGradient) {
        let NetworkTraining { seed, dropout, .. } = self.training;
        let mut random = generator(seed, Purpose::Dropout, step);
        let batch = SubwordBatch::new(samples, self.special, self.dropout, &mut random);
        let mut masks = Vec::new();
        let pass = forward(self.layout, weights, &batch, &mut |values| {
            if dropout > 0.0 {
                let mask = mask(&mut random, dropout, values.len());
                multiply(values, &mask);
                masks.push(mask);
            }
        });
        gradient(self.layout, weights, &batch, pass, &masks)
    }

    fn model(&self, weights: &[f32]) -> Result<CnnBilstm> {
        (self.model)(weights)
    }
}
