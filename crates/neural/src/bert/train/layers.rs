//! Selects the layers of a pretrained encoder with which a training begins: all layers or the first layers. The
//! top layers among them may be reinitialised (Zhang et al. 2021, "Revisiting few-sample BERT fine-tuning",
//! section 5).

use std::path::Path;

use candle_core::{Device, Result as Computed, Tensor};
use serde::Serialize;

use super::pretrained::Pretrained;
use crate::bert::failed;
use crate::bert::names::{encoder_shapes, layer_of};
use crate::shared::init::normal;
use majuscule_base::error::{Error, Result, option};
use majuscule_train::random::{Purpose, generator};

/// The standard deviation of new weights, which is the same as for the initial weights of BERT's pretraining.
const DEVIATION: f64 = 0.02;

/// The choice of the layers of an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, clap::Args)]
pub struct LayerConfig {
    /// Keep only the first N layers of the encoder: fewer are faster, and the last layers of an
    /// encoder made for sentence vectors say less about words [default: all]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<usize>,
    /// Reinitialise the weights of the last N of the layers that are kept (Zhang et al. 2021)
    #[arg(long, value_name = "N", default_value_t)]
    #[serde(skip_serializing_if = "is_none")]
    pub reset_layers: usize,
}

/// Returns true if no layer is reinitialised.
fn is_none(layers: &usize) -> bool {
    *layers == 0
}

impl LayerConfig {
    /// Returns the encoder in `folder` with the chosen layers. New weights are drawn with `seed`.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the encoder has fewer layers.
    pub(super) fn applied(self, mut of: Pretrained, folder: &Path, seed: u64) -> Result<Pretrained> {
        let Self { layers, reset_layers } = self;
        let all = of.config.num_hidden_layers;
        let kept = layers.unwrap_or(all);
        let refused = |name: &str, number: usize, expected: &str| {
            let (name, folder) = (option(name), folder.display());
            Err(Error::usage(format!("{name} {number}: {folder} has {all} layers, so expected {expected}")))
        };
        if !(1..=all).contains(&kept) {
            return refused("layers", kept, &format!("a number from 1 to {all}"));
        }
        if reset_layers > kept {
            return refused("reset-layers", reset_layers, &format!("at most the {kept} that are kept"));
        }
        of.config.num_hidden_layers = kept;
        of.weights.retain(|name, _| layer_of(name).is_none_or(|layer| layer < kept));
        for layer in kept - reset_layers..kept {
            draw(&mut of, layer, seed).map_err(failed)?;
        }
        Ok(of)
    }
}

/// Reinitialises the weights of a layer. The new weights depend only on the seed and the layer.
fn draw(of: &mut Pretrained, layer: usize, seed: u64) -> Computed<()> {
    // The generator of step 0 draws the heads.
    let mut random = generator(seed, Purpose::Beginning, 1 + layer as u64);
    let shapes = encoder_shapes(&of.config).into_iter();
    for (name, shape) in shapes.filter(|(name, _)| layer_of(name) == Some(layer)) {
        let value = |_| match () {
            () if name.ends_with(".bias") => 0.0,
            () if name.ends_with("LayerNorm.weight") => 1.0,
            () => normal(&mut random, DEVIATION),
        };
        let values: Vec<f32> = (0..shape.iter().product()).map(value).collect();
        of.weights.insert(name, Tensor::from_vec(values, shape, &Device::Cpu)?);
    }
    Ok(())
}
