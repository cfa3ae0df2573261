//! The tagger of Rei et al. 2020: the weighted sum of the encoder's layers, and heads that score each label of each
//! word.

use candle_core::{DType, Result, Tensor};

use super::config::EncoderConfig;
use super::dropout::Dropout;
use super::encoder::{BertEncoder, EncoderBatch, tensor};
use super::names::{ENCODER, GAMMA, HEADS, SCALARS};
use super::ops;
use super::weights::TensorMap;

/// The tagger: an encoder and heads.
#[derive(Debug, Clone)]
pub struct BertTagger {
    encoder: BertEncoder,
    scalars: Tensor,
    gamma: Tensor,
    /// The weight and the bias of each head that the tagger has.
    heads: Vec<[Tensor; 2]>,
}

/// Returns the weight and the bias of each head among the weights of a tagger.
///
/// # Errors
/// Fails if a head has a weight without a bias.
pub fn heads(weights: &TensorMap) -> Result<Vec<[Tensor; 2]>> {
    let names = HEADS.into_iter().filter(|head| weights.contains_key(&format!("{head}weight")));
    let part = |head: &str, part: &str| tensor(weights, format!("{head}{part}"));
    names.map(|head| Ok([part(head, "weight")?, part(head, "bias")?])).collect()
}

impl BertTagger {
    /// Makes a tagger of these weights.
    ///
    /// # Errors
    /// Fails if a weight is missing.
    pub fn new(weights: &TensorMap, config: &EncoderConfig) -> Result<Self> {
        Ok(Self {
            encoder: BertEncoder::new(weights, ENCODER, config)?,
            scalars: tensor(weights, SCALARS.to_owned())?,
            gamma: tensor(weights, GAMMA.to_owned())?,
            heads: heads(weights)?,
        })
    }

    /// Returns the encoder.
    pub fn encoder(&self) -> &BertEncoder {
        &self.encoder
    }

    /// Returns the softmax of the layer scalars: the weight of each layer, the embedding layer
    /// first.
    ///
    /// # Errors
    /// Fails if the scalars cannot be read from their device.
    pub fn layer_weights(&self) -> Result<Vec<f32>> {
        ops::softmax(&self.scalars)?.to_dtype(DType::F32)?.to_vec1()
    }

    /// Returns the scores of the labels, head after head, with one row for each of these `rows` of the batch. The ids
    /// of the batch are row indices of `words`.
    ///
    /// # Errors
    /// Fails if a text is longer than the encoder allows, or if there is not enough memory.
    pub fn scores(
        &self,
        batch: &EncoderBatch,
        words: &Tensor,
        rows: &[u32],
        dropout: &mut dyn Dropout,
    ) -> Result<Tensor> {
        let states = self.encoder.hidden_states(batch, words, dropout)?;
        let factors = self.layer_factors(states.len(), dropout)?;
        let factor = |layer: usize| factors.narrow(0, layer, 1);
        let mut mixed = states[0].broadcast_mul(&factor(0)?)?;
        for (layer, state) in states.iter().enumerate().skip(1) {
            mixed = (mixed + state.broadcast_mul(&factor(layer)?)?)?;
        }
        self.head_scores(ops::rows(&mixed, rows)?, dropout)
    }

    /// Returns the scores of the labels, head after head, from the mixed states of words.
    ///
    /// # Errors
    /// Fails if the shapes do not match.
    pub fn head_scores(&self, mixed: Tensor, dropout: &mut dyn Dropout) -> Result<Tensor> {
        let mixed = dropout.apply(mixed, dropout.head())?;
        let scores = self.heads.iter().map(|[weight, bias]| ops::linear(&mixed, weight, bias));
        match scores.collect::<Result<Vec<_>>>()?.as_slice() {
            [scores] => scores.to_dtype(DType::F32),
            scores => Tensor::cat(scores, 1)?.to_dtype(DType::F32),
        }
    }

    /// Returns the factor of each of `count` layers in the mixed state of a word, the embedding layer
    /// first: γ softmax(α).
    ///
    /// # Errors
    /// Fails if layer dropout is on and `count` differs from the number of layers of the tagger.
    pub fn layer_factors(&self, count: usize, dropout: &mut dyn Dropout) -> Result<Tensor> {
        let mut scalars = self.scalars.clone();
        if let Some(dropped) = dropout.layers(count) {
            let left: Vec<f32> =
                dropped.iter().map(|&dropped| if dropped { f32::NEG_INFINITY } else { 0.0 }).collect();
            scalars = (scalars + Tensor::from_vec(left, count, self.scalars.device())?)?;
        }
        ops::softmax(&scalars)?.broadcast_mul(&self.gamma)
    }
}
