//! BERT (Devlin et al. 2019) and similar encoders, which compute the hidden states of every layer from subwords.

use std::sync::Arc;

use candle_core::{Result, Tensor};

use super::config::EncoderConfig;
use super::dropout::Dropout;
use super::names::DISTANCES;
use super::ops::{self, AttentionHeads};
use super::weights::TensorMap;
use majuscule_methods::network::bert::distances::bucket;

/// Texts as rows of subwords, padded to equal width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderBatch {
    /// The ids of subwords, text after text.
    pub ids: Vec<u32>,
    /// The number of subwords of each text.
    pub lens: Arc<[usize]>,
    /// The width of each padded text.
    pub width: usize,
}

impl EncoderBatch {
    /// Makes a batch of texts, one row each, padded with `padding`.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a [u32]> + Clone, padding: u32) -> Self {
        let lens: Arc<[usize]> = texts.clone().into_iter().map(<[u32]>::len).collect();
        let width = lens.iter().copied().max().unwrap_or_default();
        let mut ids = Vec::with_capacity(width * lens.len());
        for (row, text) in texts.into_iter().enumerate() {
            ids.extend_from_slice(text);
            ids.resize((row + 1) * width, padding);
        }
        Self { ids, lens, width }
    }

    /// Returns the distinct subwords in ascending order, and the batch with indices into this list as ids.
    pub fn compact(&self) -> (Vec<u32>, Self) {
        let mut subwords = self.ids.clone();
        subwords.sort_unstable();
        subwords.dedup();
        let position = |id: &u32| subwords.partition_point(|subword| subword < id) as u32;
        let ids = self.ids.iter().map(position).collect();
        (subwords, Self { ids, ..self.clone() })
    }
}

/// A stack of transformer layers on embeddings.
#[derive(Debug, Clone)]
pub struct BertEncoder {
    config: EncoderConfig,
    words: Tensor,
    positions: Tensor,
    kinds: Option<Tensor>,
    norm: Pair,
    projection: Option<Pair>,
    /// The summands of attention scores, with a row for each bucket of distances and a column for each head.
    distances: Option<Tensor>,
    layers: Vec<EncoderLayer>,
}

impl BertEncoder {
    /// Makes an encoder of these weights, whose names begin with `prefix`.
    ///
    /// # Errors
    /// Fails if a weight is missing.
    pub fn new(weights: &TensorMap, prefix: &str, config: &EncoderConfig) -> Result<Self> {
        let tensor = |name: &str| tensor(weights, format!("{prefix}embeddings.{name}"));
        Ok(Self {
            config: config.clone(),
            words: tensor("word_embeddings.weight")?,
            positions: tensor("position_embeddings.weight")?,
            kinds: (config.type_vocab_size > 0)
                .then(|| tensor("token_type_embeddings.weight"))
                .transpose()?,
            norm: Pair::new(weights, format!("{prefix}embeddings.LayerNorm"))?,
            projection: config
                .has_projection()
                .then(|| Pair::new(weights, format!("{prefix}embeddings_project")))
                .transpose()?,
            distances: (config.relative_attention_num_buckets > 0)
                .then(|| self::tensor(weights, format!("{prefix}{DISTANCES}")))
                .transpose()?,
            layers: (0..config.num_hidden_layers)
                .map(|layer| EncoderLayer::new(weights, &format!("{prefix}encoder.layer.{layer}")))
                .collect::<Result<_>>()?,
        })
    }

    /// Returns the embeddings of the subwords of the vocabulary, one row each.
    pub fn words(&self) -> &Tensor {
        &self.words
    }

    /// Returns the hidden states: the input of the first layer and the output of each layer, with one row for each
    /// position of the batch. The ids of the batch are row indices of `words`.
    ///
    /// # Errors
    /// Fails if a text is longer than the encoder allows, or if there is not enough memory.
    pub fn hidden_states(
        &self,
        batch: &EncoderBatch,
        words: &Tensor,
        dropout: &mut dyn Dropout,
    ) -> Result<Vec<Tensor>> {
        let heads = AttentionHeads {
            count: self.config.num_attention_heads,
            width: batch.width,
            lens: batch.lens.clone(),
            distances: self.distances(batch.width)?,
        };
        let mut states = vec![self.embedded(batch, words, dropout)?];
        for layer in &self.layers {
            let last = &states[states.len() - 1];
            states.push(layer.forward(last, &heads, &self.config, dropout)?);
        }
        Ok(states)
    }

    /// Returns the summands of attention scores in texts of this width, if the encoder has them.
    fn distances(&self, width: usize) -> Result<Option<Tensor>> {
        let Some(table) = &self.distances else { return Ok(None) };
        let buckets = self.config.relative_attention_num_buckets;
        let pairs =
            (0..width).flat_map(|query| (0..width).map(move |key| bucket(buckets, query, key) as u32));
        let rows = ops::rows(table, &pairs.collect::<Vec<_>>())?;
        let summands = rows.t()?.contiguous()?.reshape((self.config.num_attention_heads, width, width))?;
        Ok(Some(summands))
    }

    /// Returns the normalised sum of the embeddings of each subword, of its position and, if the encoder has
    /// segments, of its segment, projected to the width of the layers.
    fn embedded(&self, batch: &EncoderBatch, words: &Tensor, dropout: &mut dyn Dropout) -> Result<Tensor> {
        let EncoderBatch { ids, lens, width } = batch;
        let size = self.config.embedding_size;
        let words = ops::rows(words, ids)?;
        let mut positions = self.positions.narrow(0, self.config.first_position, *width)?;
        if let Some(kinds) = &self.kinds {
            positions = positions.broadcast_add(&kinds.narrow(0, 0, 1)?)?;
        }
        let sum = words.reshape((lens.len(), *width, size))?.broadcast_add(&positions)?;
        let sum = sum.reshape((lens.len() * width, size))?;
        let normed = ops::layer_norm(&sum, &self.norm.weight, &self.norm.bias, self.config.layer_norm_eps)?;
        let embedded = dropout.apply(normed, self.config.hidden_dropout_prob)?;
        match &self.projection {
            Some(projection) => projection.linear(&embedded),
            None => Ok(embedded),
        }
    }
}

/// A weight and a bias.
#[derive(Debug, Clone)]
struct Pair {
    weight: Tensor,
    bias: Tensor,
}

impl Pair {
    fn new(weights: &TensorMap, name: String) -> Result<Self> {
        let weight = tensor(weights, format!("{name}.weight"))?;
        Ok(Self { weight, bias: tensor(weights, format!("{name}.bias"))? })
    }

    fn linear(&self, x: &Tensor) -> Result<Tensor> {
        ops::linear(x, &self.weight, &self.bias)
    }
}

/// A transformer layer: attention, then a feed-forward network, each added to its input and
/// normalised.
#[derive(Debug, Clone)]
struct EncoderLayer {
    query: Pair,
    key: Pair,
    value: Pair,
    attended: Pair,
    attended_norm: Pair,
    inner: Pair,
    outer: Pair,
    outer_norm: Pair,
}

impl EncoderLayer {
    fn new(weights: &TensorMap, name: &str) -> Result<Self> {
        let pair = |part: &str| Pair::new(weights, format!("{name}.{part}"));
        Ok(Self {
            query: pair("attention.self.query")?,
            key: pair("attention.self.key")?,
            value: pair("attention.self.value")?,
            attended: pair("attention.output.dense")?,
            attended_norm: pair("attention.output.LayerNorm")?,
            inner: pair("intermediate.dense")?,
            outer: pair("output.dense")?,
            outer_norm: pair("output.LayerNorm")?,
        })
    }

    fn forward(
        &self,
        x: &Tensor,
        heads: &AttentionHeads,
        config: &EncoderConfig,
        dropout: &mut dyn Dropout,
    ) -> Result<Tensor> {
        let shape = [heads.lens.len(), heads.count, heads.width, heads.width];
        let mask = dropout.mask(&shape, config.attention_probs_dropout_prob, x.device())?;
        let [query, key, value] = [&self.query, &self.key, &self.value].map(|part| part.linear(x));
        let attended = ops::attention(&query?, &key?, &value?, heads, mask.as_ref())?;
        let mut join = |of: Tensor, with: &Tensor, norm: &Pair| {
            let sum = (dropout.apply(of, config.hidden_dropout_prob)? + with)?;
            ops::layer_norm(&sum, &norm.weight, &norm.bias, config.layer_norm_eps)
        };
        let x = join(self.attended.linear(&attended)?, x, &self.attended_norm)?;
        // GELU (Hendrycks & Gimpel 2016) with the error function.
        let inner = self.inner.linear(&x)?.gelu_erf()?;
        join(self.outer.linear(&inner)?, &x, &self.outer_norm)
    }
}

/// Returns a tensor by its name.
///
/// # Errors
/// Fails if there is no tensor with this name.
pub fn tensor(weights: &TensorMap, name: String) -> Result<Tensor> {
    match weights.get(&name) {
        Some(tensor) => Ok(tensor.clone()),
        None => Err(candle_core::Error::Msg(format!("there is no tensor {name}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use candle_core::{DType, Device};
    use serde::Deserialize;

    use super::super::device::placed;
    use super::super::dropout::NoDropout;
    use super::super::names::ENCODER;
    use super::super::names::{saved_name, tagger_name};
    use super::super::weights::{read_encoder, write};
    use super::*;
    use majuscule_methods::backend::Precision;

    const KINDS: [&str; 6] = ["bert", "roberta", "xlm-roberta", "distilbert", "electra", "mpnet"];

    /// A text, and its hidden states as computed by `tests/data/toy_bert.py`.
    #[derive(Deserialize)]
    struct Hidden {
        ids: Vec<u32>,
        states: Vec<Vec<Vec<f32>>>,
    }

    fn file(kind: &str, name: &str) -> Vec<u8> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
        fs::read(folder.join(format!("toy-{kind}")).join(name)).unwrap()
    }

    fn hidden(kind: &str) -> Vec<Hidden> {
        let lines = String::from_utf8(file(kind, "hidden.json")).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn toy(kind: &str) -> (EncoderConfig, TensorMap) {
        let config = EncoderConfig::read(&file(kind, "config.json")).unwrap();
        let weights = read_encoder(&file(kind, "model.safetensors"), &config, &Device::Cpu).unwrap();
        (config, weights)
    }

    #[test]
    fn hidden_states_of_every_kind_are_those_of_another_program_alone_and_in_a_batch() {
        for kind in KINDS {
            let (config, weights) = toy(kind);
            let encoder = BertEncoder::new(&weights, "", &config).unwrap();
            let texts = hidden(kind);
            let both: Vec<&[u32]> = texts.iter().map(|text| text.ids.as_slice()).collect();
            for batch in [
                EncoderBatch::new([both[0]], 0),
                EncoderBatch::new([both[1]], 0),
                EncoderBatch::new(both.iter().copied(), 0),
            ] {
                let (ids, compact) = batch.compact();
                let ids = Tensor::from_slice(&ids, ids.len(), &Device::Cpu).unwrap();
                let rows = encoder.words().index_select(&ids, 0).unwrap();
                for (batch, words) in [(&batch, encoder.words()), (&compact, &rows)] {
                    let states = encoder.hidden_states(batch, words, &mut NoDropout).unwrap();
                    assert_eq!(states.len(), texts[0].states.len(), "the embedding layer and both others");
                    for (row, len) in batch.lens.iter().enumerate() {
                        let text = texts.iter().find(|text| text.ids.len() == *len).unwrap();
                        for (found, expected) in states.iter().zip(&text.states) {
                            let found = found.narrow(0, row * batch.width, *len).unwrap();
                            let found = found.to_vec2::<f32>().unwrap();
                            for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                                assert!((found - expected).abs() < 1e-5, "{kind}: {found}, but {expected}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn short_numbers_give_the_same_states_as_far_as_they_reach() {
        let (config, weights) = toy("bert");
        let texts = hidden("bert");
        let batch = EncoderBatch::new(texts.iter().map(|text| text.ids.as_slice()), 0);
        let states = |precision| {
            let weights = placed(&weights, &Device::Cpu, precision).unwrap();
            let encoder = BertEncoder::new(&weights, "", &config).unwrap();
            let states = encoder.hidden_states(&batch, encoder.words(), &mut NoDropout).unwrap();
            let values = |state: &Tensor| state.to_dtype(DType::F32).unwrap().to_vec2::<f32>().unwrap();
            states.iter().map(values).collect::<Vec<_>>().concat().concat()
        };
        let exact = states(Precision::F32);
        // 2⁻⁸ and 2⁻¹¹ of a number, some dozen times.
        for (precision, near) in [(Precision::Bf16, 0.1), (Precision::F16, 0.01)] {
            let states = states(precision);
            assert_ne!(states, exact);
            let furthest = states.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(furthest < near, "{precision}: {furthest}");
        }
    }

    #[test]
    fn a_saved_tagger_has_the_names_of_its_kind_and_is_read_again() {
        for kind in KINDS {
            let (config, weights) = toy(kind);
            let file = file(kind, "model.safetensors");
            let original = safetensors::SafeTensors::deserialize(&file).unwrap();
            for name in weights.keys().map(|name| format!("{ENCODER}{name}")) {
                let saved = saved_name(config.kind, &name);
                assert_eq!(tagger_name(config.kind, &saved), name);
                let oldest = saved
                    .replace("LayerNorm.weight", "LayerNorm.gamma")
                    .replace("LayerNorm.bias", "LayerNorm.beta");
                assert!([saved, oldest].iter().any(|name| original.tensor(name).is_ok()), "{kind}: {name}");
            }
            for name in ["classifier.weight", "layer_attention.gamma"] {
                assert_eq!(
                    (saved_name(config.kind, name), tagger_name(config.kind, name)),
                    (name.into(), name.into())
                );
            }
        }
    }

    #[test]
    fn names_may_have_a_prefix_or_not_and_all_are_needed() {
        let (config, weights) = toy("bert");
        let bytes = write(&weights).unwrap();
        let again = read_encoder(&bytes, &config, &Device::Cpu).unwrap();
        assert_eq!(write(&again).unwrap(), bytes);
        let problem = |change: &dyn Fn(&mut TensorMap)| {
            let mut changed = weights.clone();
            change(&mut changed);
            read_encoder(&write(&changed).unwrap(), &config, &Device::Cpu).unwrap_err()
        };
        let name = "encoder.layer.1.output.dense.weight";
        let missing = problem(&|weights| drop(weights.remove(name)));
        assert!(missing.contains(&format!("lacks the tensor {name}")), "{missing}");
        let misshapen = problem(&|weights| drop(weights.insert(name.to_owned(), weights[name].t().unwrap())));
        assert!(misshapen.contains("of shape [32, 16], but config.json requires [16, 32]"), "{misshapen}");
        let extra = "encoder.layer.2.output.dense.weight";
        let more = problem(&|weights| drop(weights.insert(extra.to_owned(), weights[name].clone())));
        assert!(more.contains(&format!("{extra}, which is not part of this network")), "{more}");
        let twice = problem(&|weights| drop(weights.insert(format!("bert.{name}"), weights[name].clone())));
        assert!(twice.contains("twice"), "{twice}");
        for wrong in [f64::NAN, f64::INFINITY] {
            let tensor = weights[name].affine(0.0, wrong).unwrap();
            let found = problem(&|weights| drop(weights.insert(name.to_owned(), tensor.clone())));
            assert!(found.contains(&format!("has NaN or infinity in {name}")), "{found}");
        }
        let none = problem(&TensorMap::clear);
        assert!(none.contains("holds no tensors"), "{none}");
        for len in 0..400 {
            assert!(read_encoder(&bytes[..len], &config, &Device::Cpu).unwrap_err().contains("safetensors"));
        }
    }
}
