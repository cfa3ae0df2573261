//! The steps of a training: the forward pass of a batch, and the backward pass of its loss.

use std::ops::Range;

use majuscule_base::error::Result;
use majuscule_methods::network::cnn_bilstm::CnnBilstm;
use majuscule_methods::network::subwords::Special;
use majuscule_train::random::{Purpose, generator, mask};

use super::gradient::gradient;
use super::layout::CnnBilstmLayout;
use super::network::{InputDropout, SubwordBatch, forward};
use super::samples::SubwordSample;
use crate::shared::flat::FlatNetwork;
use crate::shared::init::uniform;
use crate::shared::options::NetworkTraining;
use crate::shared::sparse_adam::SparseGradient;

/// Draws the initial weights: matrices as in Glorot & Bengio 2010, and embeddings of subwords with a norm of
/// about 1. The biases of forget gates are 1. The vectors of words are 0, so that a word is at first
/// represented by its subwords only.
pub(super) fn init_weights(layout: &CnnBilstmLayout, seed: u64) -> Vec<f32> {
    let mut random = generator(seed, Purpose::Beginning, 0);
    let mut values = vec![0.0; layout.len()];
    let mut fill = |part: &Range<usize>, bound: f64| {
        values[part.clone()].fill_with(|| uniform(&mut random, bound));
    };
    let matrix = |len: usize, columns: usize| (6.0 / (len / columns + columns) as f64).sqrt();
    let [weight, bias] = &layout.convolution;
    fill(weight, matrix(weight.len(), bias.len()));
    for cell in layout.lstms.iter().flatten() {
        // Each gate has its own matrix.
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
                values.iter_mut().zip(&mask).for_each(|(value, factor)| *value *= factor);
                masks.push(mask);
            }
        });
        gradient(self.layout, weights, &batch, pass, &masks)
    }

    fn model(&self, weights: &[f32]) -> Result<CnnBilstm> {
        (self.model)(weights)
    }
}
