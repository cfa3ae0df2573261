//! Compares the hidden states of the toy encoders with the hidden states of candle-transformers,
//! another implementation.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::distilbert::{Config as DistilBertConfig, DistilBertModel};
use majuscule_neural::bert::config::EncoderConfig;
use majuscule_neural::bert::dropout::NoDropout;
use majuscule_neural::bert::encoder::{BertEncoder, EncoderBatch};
use majuscule_neural::bert::reference::last_states;
use majuscule_neural::bert::weights::{self, TensorMap};

fn file(kind: &str, name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
    fs::read(folder.join(format!("toy-{kind}")).join(name)).unwrap()
}

fn toy(kind: &str) -> (EncoderConfig, TensorMap) {
    let config = EncoderConfig::read(&file(kind, "config.json")).unwrap();
    let weights = weights::read_encoder(&file(kind, "model.safetensors"), &config, &Device::Cpu).unwrap();
    (config, weights)
}

/// Texts of different lengths, whose padding is RoBERTa's.
fn batch() -> EncoderBatch {
    let texts: [&[u32]; 4] = [&[2, 9, 14, 3], &[2, 7, 3], &[2, 21, 6, 30, 8, 8, 12, 3], &[2, 3]];
    EncoderBatch::new(texts, 1)
}

fn states(weights: &TensorMap, config: &EncoderConfig) -> Vec<Tensor> {
    let encoder = BertEncoder::new(weights, "", config).unwrap();
    encoder.hidden_states(&batch(), encoder.words(), &mut NoDropout).unwrap()
}

/// Returns the largest difference between the states of the subwords of texts.
fn difference(ours: &Tensor, theirs: &Tensor) -> f32 {
    let batch = batch();
    let of = |(text, &len): (usize, &usize)| {
        let ours = ours.narrow(0, text * batch.width, len).unwrap();
        let theirs = theirs.get(text).unwrap().narrow(0, 0, len).unwrap();
        (ours - theirs).unwrap().abs().unwrap().max_all().unwrap().to_scalar::<f32>().unwrap()
    };
    batch.lens.iter().enumerate().map(of).fold(0.0, f32::max)
}

#[test]
fn every_layer_of_every_kind_is_that_of_another_implementation() {
    for kind in ["bert", "roberta", "xlm-roberta", "distilbert", "electra"] {
        let (config, weights) = toy(kind);
        let ours = states(&weights, &config);
        assert_eq!(ours.len(), config.num_hidden_layers + 1);
        // The other implementation returns the last layer only: a model that ends there is asked.
        for (layer, ours) in ours.iter().enumerate() {
            let ending = EncoderConfig { num_hidden_layers: layer, ..config.clone() };
            let theirs = last_states(&weights, "", &ending, &batch()).unwrap();
            let difference = difference(ours, &theirs);
            assert!(difference < 1e-4, "layer {layer} of {kind}: {difference}");
        }
    }
}

#[test]
fn distilbert_is_near_the_implementation_that_approximates_its_activation() {
    let (config, weights) = toy("distilbert");
    let ours = states(&weights, &config);
    // The reader requires this field; inference does not use it.
    let theirs = String::from_utf8(file("distilbert", "config.json")).unwrap();
    let theirs = theirs.replacen('{', "{\"initializer_range\": 0.02,", 1);
    let theirs: DistilBertConfig = serde_json::from_str(&theirs).unwrap();
    let bytes = file("distilbert", "model.safetensors");
    let weights = VarBuilder::from_buffered_safetensors(bytes, DType::F32, &Device::Cpu).unwrap();
    let model = DistilBertModel::load(weights, &theirs).unwrap();
    let batch = batch();
    let ids = Tensor::from_slice(&batch.ids, (batch.lens.len(), batch.width), &Device::Cpu).unwrap();
    let is_padding = batch.lens.iter().flat_map(|&len| (0..batch.width).map(move |at| u8::from(at >= len)));
    let shape = (batch.lens.len(), 1, 1, batch.width);
    let mask = Tensor::from_vec(is_padding.collect::<Vec<u8>>(), shape, &Device::Cpu).unwrap();
    let theirs = model.forward(&ids, &mask).unwrap();
    let difference = difference(&ours[ours.len() - 1], &theirs);
    // x · Φ(x) by a hyperbolic tangent is at most 5e-4 off.
    assert!((1e-6..5e-3).contains(&difference), "{difference}");
}
