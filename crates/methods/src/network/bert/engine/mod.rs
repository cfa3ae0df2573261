//! The tagger on the CPU, without a tensor library: weights are packed for matrix products, and texts
//! are stored one after another without padding between them.
//!
//! Every sum has a fixed order, independent of other sums, so the scores of a text are bit-identical
//! if it is computed alone or with other texts, and on any number of threads.

mod layer;

use std::f32::consts::LOG2_E;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::config::EncoderConfig;
use super::distances::DistanceBias;
use super::names::{DISTANCES, ENCODER, GAMMA, HEADS, SCALARS, WORDS};
use crate::network::instruction_set::InstructionSet;
use crate::network::matrix::WeightMatrix;
pub use crate::network::products::EnginePrecision;
use crate::network::products::aligned::Aligned;
use crate::network::products::int8::ByteRows;
use crate::network::products::linear::Linear;
use crate::network::products::rows::{Norm, add_scaled};
use crate::network::tensors::{Embeddings, WeightSource};
use crate::network::threads::in_parallel;
use layer::{BatchSpan, EngineLayer, EngineScratch};

/// A tagger that is ready to run.
#[derive(Debug)]
pub struct Engine {
    instructions: InstructionSet,
    /// The length of the vector of each subword in a layer.
    hidden: usize,
    words: Box<dyn Embeddings>,
    /// The embedding of each position, from the first position that texts use, plus the embedding of
    /// the first segment.
    positions: Vec<f32>,
    norm: Norm,
    /// The matrix that widens embeddings to the size of a layer, if they are narrower.
    projection: Option<Linear>,
    layers: Vec<EngineLayer>,
    /// The weight of each layer, the embedding layer first.
    layer_weights: Vec<f32>,
    /// The heads side by side.
    head: Linear,
}

/// A text, and the positions whose scores are requested.
#[derive(Debug, Clone)]
pub struct ScoreRequest<'a> {
    /// The ids of its subwords.
    pub ids: &'a [u32],
    /// The positions of the targets among the subwords.
    pub positions: Vec<u32>,
}

/// The number of subwords that go through a layer together: enough to read weights rarely, few enough
/// that states stay in the cache.
const BLOCK: usize = 256;

/// The number of subwords below which another thread does not pay off.
const LEAST: usize = 64;

impl Engine {
    /// Packs the weights of a tagger.
    ///
    /// # Errors
    /// Names a weight that is missing.
    pub fn new(
        weights: &dyn WeightSource,
        config: &EncoderConfig,
        precision: EnginePrecision,
    ) -> Result<Self, String> {
        Self::on(InstructionSet::best(), weights, config, precision)
    }

    /// Packs the weights of a tagger for products with these instructions.
    ///
    /// # Errors
    /// Names a weight that is missing.
    pub fn on(
        instructions: InstructionSet,
        weights: &dyn WeightSource,
        config: &EncoderConfig,
        precision: EnginePrecision,
    ) -> Result<Self, String> {
        let source = EngineSource { instructions, weights, config, precision };
        let distances = source.distances()?;
        let mut positions = source.values("embeddings.position_embeddings.weight")?;
        positions.drain(..config.first_position * config.embedding_size);
        if config.type_vocab_size > 0 {
            let kinds = source.values("embeddings.token_type_embeddings.weight")?;
            for position in positions.chunks_exact_mut(config.embedding_size) {
                position.iter_mut().zip(&kinds).for_each(|(position, kind)| *position += kind);
            }
        }
        let heads = || HEADS.iter().filter(|head| weights.has(&format!("{head}weight")));
        let all = |part: &str| -> Result<WeightMatrix, String> {
            let parts = heads().map(|head| weights.matrix(&format!("{head}{part}")));
            Ok(WeightMatrix::stacked(parts.collect::<Result<_, String>>()?))
        };
        Ok(Self {
            instructions,
            hidden: config.hidden_size,
            words: weights.embeddings(WORDS)?,
            positions,
            norm: source.norm("embeddings.LayerNorm")?,
            projection: config.has_projection().then(|| source.projection()).transpose()?,
            layers: (0..config.num_hidden_layers)
                .map(|layer| source.layer(layer, distances.clone()))
                .collect::<Result<_, String>>()?,
            layer_weights: layer_weights(weights)?,
            head: Linear::new(instructions, EnginePrecision::F32, all("weight")?, all("bias")?.in_floats()),
        })
    }

    /// Returns the scores of the labels, one row for each requested position, text after text.
    ///
    /// # Errors
    /// Fails if the encoder does not have a subword or a position.
    pub fn scores(&self, texts: &[ScoreRequest<'_>], threads: NonZeroUsize) -> Result<Vec<Vec<f32>>, String> {
        self.check(texts)?;
        let subwords: usize = texts.iter().map(|text| text.ids.len()).sum();
        let groups = groups(texts, subwords.div_ceil(threads.get()).clamp(LEAST, BLOCK));
        let compute = |group: &&[ScoreRequest<'_>], scratch: &mut EngineScratch| self.group(group, scratch);
        Ok(in_parallel(&groups, threads, &mut Vec::new(), compute).into_iter().flatten().collect())
    }

    /// Returns the last hidden states of a text, one row for each subword, as [`Engine::scores`]
    /// computes them on the way to its scores.
    ///
    /// # Errors
    /// Fails if the encoder does not have a subword or a position.
    pub fn last_states(&self, ids: &[u32]) -> Result<Vec<f32>, String> {
        let texts = [ScoreRequest { ids, positions: (0..ids.len() as u32).collect() }];
        self.check(&texts)?;
        let (spans, targets) = laid_out(&texts);
        let (mut x, mut scratch) = (self.embedded(&texts), EngineScratch::default());
        let Some((last, below)) = self.layers.split_last() else { return Ok(x.to_vec()) };
        for layer in below {
            layer.forward(&mut x, &spans, &mut scratch);
        }
        Ok(last.forward_targets(&x, &spans, &targets, &mut scratch))
    }

    fn check(&self, texts: &[ScoreRequest<'_>]) -> Result<(), String> {
        let (words, longest) = (self.words.len(), self.positions.len() / self.norm.weight.len());
        for ScoreRequest { ids, positions } in texts {
            if ids.len() > longest {
                return Err(format!("a text of {} subwords, but the encoder accepts {longest}", ids.len()));
            }
            if let Some(id) = ids.iter().find(|&&id| id as usize >= words) {
                return Err(format!("a subword numbered {id}, but the encoder has {words}"));
            }
            if let Some(position) = positions.iter().find(|&&position| position as usize >= ids.len()) {
                return Err(format!("position {position} of a text of {} subwords", ids.len()));
            }
        }
        Ok(())
    }

    /// Returns the scores of a few texts.
    fn group(&self, texts: &[ScoreRequest<'_>], scratch: &mut EngineScratch) -> Vec<Vec<f32>> {
        let (spans, targets) = laid_out(texts);
        if targets.is_empty() {
            return Vec::new();
        }
        let hidden = self.hidden;
        let mut x = self.embedded(texts);
        let mut mixed = vec![0.0; targets.len() * hidden];
        let mut mix = |x: &[f32], rows: &[usize], weight: f32| {
            add_scaled(self.instructions, &mut mixed, x, rows.iter().copied(), hidden, weight);
        };
        mix(&x, &targets, self.layer_weights[0]);
        for (at, (layer, &weight)) in self.layers.iter().zip(&self.layer_weights[1..]).enumerate() {
            if at + 1 == self.layers.len() {
                let rows: Vec<usize> = (0..targets.len()).collect();
                mix(&layer.forward_targets(&x, &spans, &targets, scratch), &rows, weight);
            } else {
                layer.forward(&mut x, &spans, scratch);
                mix(&x, &targets, weight);
            }
        }
        let mut scores = Aligned::default();
        self.head.apply(&mixed, &mut scores, &mut ByteRows::default());
        scores.chunks_exact(self.head.outs()).map(<[f32]>::to_vec).collect()
    }

    /// Returns the input of the first layer, one row for each subword.
    fn embedded(&self, texts: &[ScoreRequest<'_>]) -> Aligned<f32> {
        let width = self.norm.weight.len();
        let mut x = Aligned::zeros(texts.iter().map(|text| text.ids.len()).sum::<usize>() * width);
        let mut rest = &mut *x;
        for text in texts {
            let (rows, after) = rest.split_at_mut(text.ids.len() * width);
            self.words.write(text.ids, rows);
            rows.iter_mut().zip(&self.positions).for_each(|(word, position)| *word += position);
            rest = after;
        }
        self.norm.rows(self.instructions, &mut x);
        let Some(projection) = &self.projection else { return x };
        let mut wide = Aligned::default();
        projection.apply(&x, &mut wide, &mut ByteRows::default());
        wide
    }
}

/// The weights that an engine packs.
struct EngineSource<'a> {
    instructions: InstructionSet,
    weights: &'a dyn WeightSource,
    config: &'a EncoderConfig,
    precision: EnginePrecision,
}

impl EngineSource<'_> {
    fn matrix(&self, name: &str) -> Result<WeightMatrix, String> {
        self.weights.matrix(&format!("{ENCODER}{name}"))
    }

    fn values(&self, name: &str) -> Result<Vec<f32>, String> {
        self.matrix(name).map(WeightMatrix::in_floats)
    }

    fn norm(&self, name: &str) -> Result<Norm, String> {
        let [weight, bias] = self.pair(name)?.map(WeightMatrix::in_floats);
        Ok(Norm { weight, bias, eps: self.config.layer_norm_eps as f32 })
    }

    /// Returns a weight and its bias.
    fn pair(&self, name: &str) -> Result<[WeightMatrix; 2], String> {
        let [weight, bias] = ["weight", "bias"].map(|part| self.matrix(&format!("{name}.{part}")));
        Ok([weight?, bias?])
    }

    fn packed(&self, [weight, bias]: [WeightMatrix; 2], precision: EnginePrecision) -> Linear {
        Linear::new(self.instructions, precision, weight, bias.in_floats())
    }

    /// Packs the matrix that widens embeddings. It is small, and every layer depends on it, so it
    /// stays in f32.
    fn projection(&self) -> Result<Linear, String> {
        Ok(self.packed(self.pair("embeddings_project")?, EnginePrecision::F32))
    }

    /// Returns the relative position biases, if attention has any, divided by ln 2, since the softmax
    /// uses powers of 2.
    fn distances(&self) -> Result<Option<Arc<DistanceBias>>, String> {
        let EncoderConfig { num_attention_heads: heads, relative_attention_num_buckets, .. } = *self.config;
        let read = || Ok(DistanceBias::new(&self.values(DISTANCES)?, heads, self.config.longest(), LOG2_E));
        (relative_attention_num_buckets > 0).then(|| read().map(Arc::new)).transpose()
    }

    fn layer(&self, layer: usize, distances: Option<Arc<DistanceBias>>) -> Result<EngineLayer, String> {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let pair = |part: &str| self.pair(&name(part));
        let packed = |pair| self.packed(pair, self.precision);
        let mut attending = pair("attention.self.query")?.map(|part| vec![part]);
        let size = self.config.hidden_size / self.config.num_attention_heads;
        let scale = LOG2_E / (size as f32).sqrt();
        attending.iter_mut().flatten().for_each(|part| part.scale(scale));
        for part in ["attention.self.key", "attention.self.value"] {
            attending.iter_mut().zip(pair(part)?).for_each(|(all, part)| all.push(part));
        }
        let attending = attending.map(WeightMatrix::stacked);
        Ok(EngineLayer {
            instructions: self.instructions,
            heads: self.config.num_attention_heads,
            attending: packed(attending),
            distances,
            attended: packed(pair("attention.output.dense")?),
            attended_norm: self.norm(&name("attention.output.LayerNorm"))?,
            inner: packed(pair("intermediate.dense")?),
            outer: packed(pair("output.dense")?),
            outer_norm: self.norm(&name("output.LayerNorm"))?,
        })
    }
}

/// Returns the weight of each layer of a tagger, the embedding layer first: γ softmax(α) of equation
/// 1 (Rei et al. 2020).
fn layer_weights(weights: &dyn WeightSource) -> Result<Vec<f32>, String> {
    let gamma = weights.matrix(GAMMA)?.in_floats().first().copied().unwrap_or(1.0);
    Ok(softmax(&weights.matrix(SCALARS)?.in_floats()).iter().map(|fraction| fraction * gamma).collect())
}

/// Computes the softmax of a few numbers.
pub fn softmax(numbers: &[f32]) -> Vec<f32> {
    let most = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = numbers.iter().map(|number| (number - most).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// Returns the rows of each text, and the target rows.
fn laid_out(texts: &[ScoreRequest<'_>]) -> (Vec<BatchSpan>, Vec<usize>) {
    let mut targets = Vec::new();
    let mut start = 0;
    let spans = texts.iter().map(|text| {
        let before = targets.len();
        targets.extend(text.positions.iter().map(|&position| start + position as usize));
        let rows = start..start + text.ids.len();
        start = rows.end;
        BatchSpan { rows, targets: before..targets.len() }
    });
    (spans.collect(), targets)
}

/// Splits texts into runs of at most `most` subwords; a longer text is a run alone.
fn groups<'a, 'b>(texts: &'a [ScoreRequest<'b>], most: usize) -> Vec<&'a [ScoreRequest<'b>]> {
    let mut groups = Vec::new();
    let (mut start, mut subwords) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        if at > start && subwords + text.ids.len() > most {
            groups.push(&texts[start..at]);
            (start, subwords) = (at, 0);
        }
        subwords += text.ids.len();
    }
    if start < texts.len() {
        groups.push(&texts[start..]);
    }
    groups
}
