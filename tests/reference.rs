//! Compares the hidden states of the toy encoder with those of candle-transformers,
//! another implementation of BERT.

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use majuscule_neural::bert::config::EncoderConfig;
use majuscule_neural::bert::dropout::NoDropout;
use majuscule_neural::bert::encoder::{BertEncoder, PieceBatch};
use majuscule_neural::bert::weights;
use serde_json::Value;

const CONFIG: &[u8] = include_bytes!("data/toy-bert/config.json");
const WEIGHTS: &[u8] = include_bytes!("data/toy-bert/model.safetensors");

/// Returns the input of the first layer and the output of each layer, as computed by
/// candle-transformers. Its model returns the last layer only, so each output comes from a
/// model that ends at that layer.
fn reference(batch: &PieceBatch, layers: usize) -> candle_core::Result<Vec<Tensor>> {
    let shape = (batch.lens.len(), batch.width);
    let ids = Tensor::from_slice(&batch.ids, shape, &Device::Cpu)?;
    let mask: Vec<u8> =
        batch.lens.iter().flat_map(|&len| (0..batch.width).map(move |at| u8::from(at < len))).collect();
    let mask = Tensor::from_vec(mask, shape, &Device::Cpu)?;
    (0..=layers)
        .map(|layers| {
            let mut config: Value = serde_json::from_slice(CONFIG).map_err(candle_core::Error::wrap)?;
            config["num_hidden_layers"] = layers.into();
            // The reader requires these fields; inference does not use them.
            config["hidden_dropout_prob"] = 0.1.into();
            config["initializer_range"] = 0.02.into();
            config["pad_token_id"] = 0.into();
            let config: Config = serde_json::from_value(config).map_err(candle_core::Error::wrap)?;
            let weights = VarBuilder::from_buffered_safetensors(WEIGHTS.to_vec(), DType::F32, &Device::Cpu)?;
            let model = BertModel::load(weights, &config)?;
            model.forward(&ids, &ids.zeros_like()?, Some(&mask))
        })
        .collect()
}

#[test]
fn every_layer_is_that_of_another_implementation() {
    let config = EncoderConfig::read(CONFIG).unwrap();
    let weights = weights::read_encoder(WEIGHTS, &config, &Device::Cpu).unwrap();
    let encoder = BertEncoder::new(&weights, "", &config).unwrap();
    let texts: [&[u32]; 4] = [&[2, 9, 14, 3], &[2, 7, 3], &[2, 21, 6, 30, 8, 8, 12, 3], &[2, 3]];
    let batch = PieceBatch::new(texts, 0);
    let ours = encoder.hidden_states(&batch, encoder.words(), &mut NoDropout).unwrap();
    let theirs = reference(&batch, config.num_hidden_layers).unwrap();
    assert_eq!(ours.len(), theirs.len());
    for (layer, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        for (text, &len) in batch.lens.iter().enumerate() {
            let ours = ours.narrow(0, text * batch.width, len).unwrap();
            let theirs = theirs.get(text).unwrap().narrow(0, 0, len).unwrap();
            let difference = (ours - theirs).unwrap().abs().unwrap().max_all().unwrap();
            let difference = difference.to_scalar::<f32>().unwrap();
            assert!(difference < 1e-4, "layer {layer} of text {text}: {difference}");
        }
    }
}
