//! Compares hidden states with those of candle-transformers, another implementation of the encoders.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use candle_core::{DType, Device, Module, Result as Computed, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertEncoder as TheirEncoder, BertModel, Config, HiddenAct};
use candle_transformers::models::distilbert::{Config as DistilBertConfig, DistilBertModel};
use candle_transformers::models::xlm_roberta::{Config as RobertaConfig, XLMRobertaModel};

use super::config::{EncoderConfig, EncoderKind};
use super::dropout::NoDropout;
use super::encoder::{BertEncoder, EncoderBatch};
use super::names::{DISTANCES, ENCODER};
use super::weights::{self, TensorMap};
use super::{TensorScorer, failed};

/// The differences of the implementations of an encoder from that of candle-transformers.
#[derive(Debug)]
pub(super) struct EncoderCheck {
    /// The largest difference between two numbers of the last hidden states that the graph of tensors computes, which
    /// training uses.
    pub(super) graph: f32,
    /// The same of the engine, which restores on the CPU.
    pub(super) engine: f32,
    /// The largest difference that rounding explains.
    pub(super) tolerance: f32,
}

/// Compares the last hidden states of a text, as subwords, that the graph and the engine compute with those of
/// candle-transformers.
pub(super) fn compare(scorer: &TensorScorer, ids: &[u32]) -> EncoderCheck {
    let encoder = BertEncoder::new(&scorer.weights, ENCODER, &scorer.config).unwrap();
    let batch = EncoderBatch::new([ids], scorer.padding);
    let of_engine = scorer.engine().unwrap().engine().last_states(ids).map_err(failed).unwrap();
    let states = encoder.hidden_states(&batch, encoder.words(), &mut NoDropout).unwrap();
    let theirs = last_states(&scorer.weights, ENCODER, &scorer.config, &batch).unwrap().get(0).unwrap();
    let of_engine = Tensor::from_vec(of_engine, theirs.shape(), &Device::Cpu).unwrap();
    let largest = |of: &Tensor| of.abs().unwrap().max_all().unwrap().to_scalar::<f32>().unwrap();
    let difference = |ours: &Tensor| largest(&(ours - &theirs).unwrap());
    assert!(largest(&theirs) > 0.1, "states of some size");
    EncoderCheck {
        graph: difference(&states[states.len() - 1]),
        engine: difference(&of_engine),
        tolerance: 1e-4 * largest(&theirs).max(1.0),
    }
}

/// Returns the last hidden states, texts × width × numbers, of the encoder of these weights, whose
/// names begin with `prefix`.
///
/// # Errors
/// Fails if a weight is missing, or if there is not enough memory.
fn last_states(
    weights: &TensorMap,
    prefix: &str,
    config: &EncoderConfig,
    batch: &EncoderBatch,
) -> Computed<Tensor> {
    let shape = (batch.lens.len(), batch.width);
    let ids = Tensor::from_slice(&batch.ids, shape, &Device::Cpu)?;
    let is_text = batch.lens.iter().flat_map(|&len| (0..batch.width).map(move |at| u8::from(at < len)));
    let is_text = Tensor::from_vec(is_text.collect::<Vec<u8>>(), shape, &Device::Cpu)?;
    let named =
        |(name, tensor): (&String, &Tensor)| Some((name.strip_prefix(prefix)?.to_owned(), tensor.clone()));
    let weights: HashMap<String, Tensor> = weights.iter().filter_map(named).collect();
    match config.kind {
        EncoderKind::Roberta | EncoderKind::XlmRoberta => of_roberta(weights, config, &ids, &is_text),
        EncoderKind::Bert | EncoderKind::DistilBert | EncoderKind::Electra | EncoderKind::Mpnet => {
            of_bert(weights, config, &ids, &is_text)
        }
    }
}

/// Computes the states with the implementation of BERT. Its DistilBERT approximates GELU, so
/// DistilBERT is computed as a BERT whose segments add nothing. MPNet, which it lacks, is computed as such
/// a BERT whose positions begin at the first and whose mask has the summands of distances.
fn of_bert(
    mut weights: HashMap<String, Tensor>,
    config: &EncoderConfig,
    ids: &Tensor,
    is_text: &Tensor,
) -> Computed<Tensor> {
    let width = config.embedding_size;
    if config.type_vocab_size == 0 {
        let zeros = Tensor::zeros((1, width), DType::F32, &Device::Cpu)?;
        weights.insert("embeddings.token_type_embeddings.weight".to_owned(), zeros);
    }
    if config.first_position > 0
        && let Some(positions) = weights.get_mut("embeddings.position_embeddings.weight")
    {
        *positions = positions.narrow(0, config.first_position, config.longest())?;
    }
    let summands =
        weights.remove(DISTANCES).map(|table| distance_summands(&table, ids.dim(1)?)).transpose()?;
    let weights = VarBuilder::from_tensors(weights, DType::F32, &Device::Cpu);
    let layers = Config {
        vocab_size: config.vocab_size,
        hidden_size: config.hidden_size,
        num_hidden_layers: config.num_hidden_layers,
        num_attention_heads: config.num_attention_heads,
        intermediate_size: config.intermediate_size,
        hidden_act: HiddenAct::Gelu,
        max_position_embeddings: config.longest(),
        type_vocab_size: config.type_vocab_size.max(1),
        layer_norm_eps: config.layer_norm_eps,
        ..Config::default()
    };
    // Without layers, a model returns its embeddings.
    let embeddings = Config { hidden_size: width, num_hidden_layers: 0, ..layers.clone() };
    let embeddings = BertModel::load(weights.clone(), &embeddings)?;
    let mut states = embeddings.forward(ids, &ids.zeros_like()?, Some(is_text))?;
    if config.has_projection() {
        let projection = candle_nn::linear(width, config.hidden_size, weights.pp("embeddings_project"))?;
        states = projection.forward(&states)?;
    }
    let is_padding = (1.0 - is_text.to_dtype(DType::F32)?)?;
    let mut mask = (is_padding * -1e9)?.unsqueeze(1)?.unsqueeze(1)?;
    if let Some(summands) = summands {
        mask = mask.broadcast_add(&summands)?;
    }
    TheirEncoder::load(weights.pp("encoder"), &layers)?.forward(&states, &mask)
}

/// Returns the summands of all pairs of subwords, 1 × heads × subwords × subwords, from the table of buckets
/// (Raffel et al. 2020, section 2.1): half of the buckets are for keys after the query, and in each half one
/// half is for single distances, the other for ranges of equal ratio up to 128.
fn distance_summands(table: &Tensor, subwords: usize) -> Computed<Tensor> {
    let table: Vec<Vec<f32>> = table.to_vec2()?;
    let half = table.len() / 2;
    let single = half / 2;
    // The least distance of each range after the first.
    let ratio = (128.0 / single as f64).powf(1.0 / (half - single) as f64);
    let bounds: Vec<f64> = (1..half - single).map(|range| single as f64 * ratio.powi(range as i32)).collect();
    let bucket = |query: usize, key: usize| {
        let away = query.abs_diff(key);
        let within = match away < single {
            true => away,
            // A bound that is a whole number belongs to the range that it begins.
            false => single + bounds.iter().filter(|bound| away as f64 > **bound - 1e-6).count(),
        };
        if key > query { half + within } else { within }
    };
    let heads = table[0].len();
    let of = |at: usize| {
        let (head, query, key) = (at / subwords / subwords, at / subwords % subwords, at % subwords);
        table[bucket(query, key)][head]
    };
    let summands: Vec<f32> = (0..heads * subwords * subwords).map(of).collect();
    Tensor::from_vec(summands, (1, heads, subwords, subwords), &Device::Cpu)
}

/// Computes the states with the implementation of XLM-R, which is the same as for RoBERTa.
fn of_roberta(
    weights: HashMap<String, Tensor>,
    config: &EncoderConfig,
    ids: &Tensor,
    is_text: &Tensor,
) -> Computed<Tensor> {
    let theirs = RobertaConfig {
        hidden_size: config.hidden_size,
        layer_norm_eps: config.layer_norm_eps,
        attention_probs_dropout_prob: 0.0,
        hidden_dropout_prob: 0.0,
        num_attention_heads: config.num_attention_heads,
        position_embedding_type: "absolute".to_owned(),
        intermediate_size: config.intermediate_size,
        hidden_act: candle_nn::Activation::Gelu,
        num_hidden_layers: config.num_hidden_layers,
        vocab_size: config.vocab_size,
        max_position_embeddings: config.max_position_embeddings,
        type_vocab_size: config.type_vocab_size,
        pad_token_id: (config.first_position - 1) as u32,
    };
    let weights = VarBuilder::from_tensors(weights, DType::F32, &Device::Cpu);
    let model = XLMRobertaModel::new(&theirs, weights)?;
    model.forward(ids, is_text, &ids.zeros_like()?, None, None, None)
}

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

/// Returns the largest difference between the states of the pieces of texts.
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
