//! Hidden states as computed by candle-transformers, another implementation of the encoders.

use std::collections::HashMap;

use candle_core::{DType, Device, Module, Result as Computed, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertEncoder as TheirEncoder, BertModel, Config, HiddenAct};
use candle_transformers::models::xlm_roberta::{Config as RobertaConfig, XLMRobertaModel};

use super::config::{EncoderConfig, EncoderKind};
use super::dropout::NoDropout;
use super::encoder::{BertEncoder, EncoderBatch};
use super::names::{DISTANCES, ENCODER};
use super::weights::TensorMap;
use super::{TensorScorer, failed};
use majuscule_base::error::Result;
use majuscule_text::restorer::EncoderCheck;

impl TensorScorer {
    /// Compares the last hidden states of texts, given as subwords, in the graph of tensors and in the
    /// engine with the states in candle-transformers.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub(super) fn compare(&self, texts: &[Vec<u32>]) -> Result<EncoderCheck> {
        let encoder = BertEncoder::new(&self.weights, ENCODER, &self.config).map_err(failed)?;
        let mut check = EncoderCheck::default();
        for ids in texts {
            let batch = EncoderBatch::new([ids.as_slice()], self.padding);
            let of_engine = self.engine()?.engine().last_states(ids).map_err(failed)?;
            let compared = || -> Computed<[f32; 3]> {
                let states = encoder.hidden_states(&batch, encoder.words(), &mut NoDropout)?;
                let theirs = last_states(&self.weights, ENCODER, &self.config, &batch)?.get(0)?;
                let of_engine = Tensor::from_vec(of_engine, theirs.shape(), &Device::Cpu)?;
                let largest = |of: &Tensor| of.abs()?.max_all()?.to_scalar::<f32>();
                let difference = |ours: &Tensor| largest(&(ours - &theirs)?);
                Ok([difference(&states[states.len() - 1])?, difference(&of_engine)?, largest(&theirs)?])
            };
            let [graph, engine, largest] = compared().map_err(failed)?;
            check = EncoderCheck {
                graph: check.graph.max(graph),
                engine: check.engine.max(engine),
                largest: check.largest.max(largest),
                subwords: check.subwords + ids.len(),
            };
        }
        Ok(check)
    }
}

/// Returns the last hidden states, texts × width × numbers, of the encoder of these weights, whose
/// names begin with `prefix`.
///
/// # Errors
/// Fails if a weight is missing, or if there is not enough memory.
pub fn last_states(
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
