//! The tagger of Rei et al. 2020: the encoder's layers, weighted and summed, and a score for each
//! label of each word.

use candle_core::{DType, Result, Tensor};

use super::config::EncoderConfig;
use super::dropout::Dropout;
use super::encoder::{BertEncoder, PieceBatch, tensor};
use super::weights::{Shapes, TensorMap, encoder_shapes};
use super::{ops, plain};

/// The prefix of the names of the encoder's tensors in a tagger.
pub const ENCODER: &str = "bert.";

/// The layer scalars: α of equation 1.
pub const SCALARS: &str = "layer_attention.scalars";
/// The factor of the weighted sum: γ of equation 1.
pub const GAMMA: &str = "layer_attention.gamma";

/// The prefix of the names of the head's tensors.
pub const HEAD: &str = "classifier.";

/// The tagger: an encoder and a head.
#[derive(Debug, Clone)]
pub struct Tagger {
    encoder: BertEncoder,
    scalars: Tensor,
    gamma: Tensor,
    head: [Tensor; 2],
}

/// Returns the names and shapes of the tensors of a tagger.
pub fn shapes(config: &EncoderConfig, labels: usize) -> Shapes {
    let mut shapes: Shapes =
        encoder_shapes(config).into_iter().map(|(name, shape)| (format!("{ENCODER}{name}"), shape)).collect();
    // The embedding layer counts as a layer: the sum of equation 1 runs from 0.
    shapes.push((SCALARS.to_owned(), vec![config.num_hidden_layers + 1]));
    shapes.push((GAMMA.to_owned(), vec![1]));
    shapes.push((format!("{HEAD}weight"), vec![labels, config.hidden_size]));
    shapes.push((format!("{HEAD}bias"), vec![labels]));
    shapes
}

impl Tagger {
    /// Makes a tagger of these weights.
    ///
    /// # Errors
    /// Fails if a weight is missing.
    pub fn new(weights: &TensorMap, config: &EncoderConfig) -> Result<Self> {
        let head = |part: &str| tensor(weights, format!("{HEAD}{part}"));
        Ok(Self {
            encoder: BertEncoder::new(weights, ENCODER, config)?,
            scalars: tensor(weights, SCALARS.to_owned())?,
            gamma: tensor(weights, GAMMA.to_owned())?,
            head: [head("weight")?, head("bias")?],
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
    /// Fails if they cannot be read from their device.
    pub fn layer_weights(&self) -> Result<Vec<f32>> {
        plain::softmax(&self.scalars)?.to_dtype(DType::F32)?.to_vec1()
    }

    /// Returns the scores of the labels, one row for each of these rows of the batch, whose ids are
    /// rows of `words`.
    ///
    /// # Errors
    /// Fails if a text is longer than the encoder allows, or if there is not enough memory.
    pub fn scores(
        &self,
        batch: &PieceBatch,
        words: &Tensor,
        rows: &[u32],
        dropout: &mut dyn Dropout,
    ) -> Result<Tensor> {
        let states = self.encoder.hidden_states(batch, words, dropout)?;
        let mixed = self.mixed(&states, dropout)?;
        let rows = Tensor::from_slice(rows, rows.len(), mixed.device())?;
        let embedded = dropout.apply(mixed.index_select(&rows, 0)?, dropout.head())?;
        ops::linear(&embedded, &self.head[0], &self.head[1])?.to_dtype(DType::F32)
    }

    /// Computes γ Σ softmax(α)ₗ · hidden stateₗ.
    fn mixed(&self, states: &[Tensor], dropout: &mut dyn Dropout) -> Result<Tensor> {
        let mut scalars = self.scalars.clone();
        if let Some(dropped) = dropout.layers(states.len()) {
            let left: Vec<f32> =
                dropped.iter().map(|&dropped| if dropped { f32::NEG_INFINITY } else { 0.0 }).collect();
            scalars = (scalars + Tensor::from_vec(left, states.len(), self.scalars.device())?)?;
        }
        let weights = plain::softmax(&scalars)?.broadcast_mul(&self.gamma)?;
        let weight = |layer: usize| weights.narrow(0, layer, 1);
        let mut sum = states[0].broadcast_mul(&weight(0)?)?;
        for (layer, state) in states.iter().enumerate().skip(1) {
            sum = (sum + state.broadcast_mul(&weight(layer)?)?)?;
        }
        Ok(sum)
    }
}
