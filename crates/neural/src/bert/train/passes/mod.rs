//! The forward and the backward passes of a tagger in training, for 32-bit numbers on the CPU, with gradients derived
//! by hand. They equal the gradients of candle's graph, but need a fraction of the time and memory.
//!
//! The texts of a batch are stored one after another, without padding. The threads of the current pool share the
//! work, and no result depends on the number of threads.

mod attention;
mod heads;
mod rows;
mod weights;

use std::collections::BTreeMap;
use std::ops::Range;

use candle_core::{Result as Computed, bail};

use self::attention::AttentionShape;
use self::rows::{
    JoinGradients, NormWeights, Normed, column_sums, gelu_rows, gelu_rows_back, join, join_back,
};
use self::weights::Affine;
use super::dropout::BlockDropout;
use crate::bert::config::EncoderConfig;
use crate::bert::names::{DISTANCES, ENCODER};
use crate::shared::instruction_set::InstructionSet;
use crate::shared::product::{MatrixView, MatrixViewMut, ProductPrecision};
use crate::shared::values::add;
pub use heads::{HeadPasses, LayerMix};
use majuscule_methods::network::bert::distances::DistanceBias;
pub use weights::WeightGuards;

/// The names of the projections of a layer to queries, keys and values.
const ATTENDING: [&str; 3] = ["attention.self.query", "attention.self.key", "attention.self.value"];

/// Returns the name of a part of a layer, without that of the encoder.
fn part_of_layer(layer: usize, part: &str) -> String {
    format!("encoder.layer.{layer}.{part}")
}

/// The indices of the points of a layer where values are dropped; the last constant is the number of points.
const PROBABILITIES: u32 = 0;
const ATTENDED: u32 = 1;
const OUTER: u32 = 2;
const PLACES: u32 = 3;

/// An encoder whose weights are read in place.
pub struct EncoderPasses<'a> {
    config: &'a EncoderConfig,
    weights: &'a WeightGuards<'a>,
    instructions: InstructionSet,
    precision: ProductPrecision,
    /// The dropout of the step.
    dropout: StepDropout,
    /// The summands of attention scores for distances, if the encoder has them.
    distances: Option<DistanceBias>,
}

/// The seed and the number of a step, which determine the dropout of the step.
#[derive(Debug, Clone, Copy)]
pub struct StepDropout {
    /// The seed of training.
    pub seed: u64,
    /// The number of the step.
    pub step: u64,
}

/// The values that a forward pass leaves for the backward pass.
#[derive(Debug)]
pub struct EncoderStates {
    /// The subwords, text after text.
    ids: Vec<u32>,
    /// The rows of each text.
    texts: Vec<Range<usize>>,
    /// The normalised sums of embeddings.
    embedded: Normed,
    /// The embeddings after dropout, if the encoder projects them to another width; else empty.
    narrow: Vec<f32>,
    /// The input of the first layer and the output of each layer.
    outputs: Vec<Vec<f32>>,
    layers: Vec<LayerStates>,
}

/// The values that a layer leaves for the backward pass.
#[derive(Debug)]
struct LayerStates {
    /// Queries, keys and values side by side.
    attending: Vec<f32>,
    probabilities: Vec<f32>,
    attended: Vec<f32>,
    attended_normed: Normed,
    /// The input of the feed-forward network.
    between: Vec<f32>,
    /// The input of the activation function inside the feed-forward network.
    inner: Vec<f32>,
    outer_normed: Normed,
}

/// The gradients of the weights of an encoder.
#[derive(Debug, Default)]
pub struct EncoderGradients {
    /// The gradients by the names of the weights in a tagger, except for the embeddings of subwords.
    pub by_name: BTreeMap<String, Vec<f32>>,
    /// The distinct subwords in ascending order.
    pub subwords: Vec<u32>,
    /// The gradients of the embeddings of these subwords, one after another.
    pub rows: Vec<f32>,
}

impl EncoderStates {
    /// Returns the first row of each text.
    pub fn starts(&self) -> impl Iterator<Item = usize> {
        self.texts.iter().map(|rows| rows.start)
    }

    /// Returns the sums of the states of `rows` over all layers, each layer times its factor.
    pub fn mixed(&self, factors: &[f32], rows: &[u32], hidden: usize) -> Vec<f32> {
        let mut sums = vec![0.0; rows.len() * hidden];
        for (states, factor) in self.outputs.iter().zip(factors) {
            for (sums, row) in sums.chunks_exact_mut(hidden).zip(rows) {
                let states = &states[*row as usize * hidden..][..hidden];
                sums.iter_mut().zip(states).for_each(|(sum, state)| *sum += factor * state);
            }
        }
        sums
    }

    /// Returns the gradients of the factors of [`mixed`](Self::mixed) from the gradients of its sums.
    pub fn mixed_back(&self, grads: &[f32], rows: &[u32], hidden: usize) -> Vec<f32> {
        let of_layer = |states: &Vec<f32>| {
            let products = grads.chunks_exact(hidden).zip(rows).map(|(grads, row)| {
                let states = &states[*row as usize * hidden..][..hidden];
                grads.iter().zip(states).map(|(grad, state)| grad * state).sum::<f32>()
            });
            products.map(f64::from).sum::<f64>() as f32
        };
        self.outputs.iter().map(of_layer).collect()
    }
}

impl<'a> EncoderPasses<'a> {
    /// Makes the passes of the encoder of a tagger.
    ///
    /// # Errors
    /// Fails if a weight is missing.
    pub fn new(
        weights: &'a WeightGuards<'a>,
        config: &'a EncoderConfig,
        precision: ProductPrecision,
        dropout: StepDropout,
    ) -> Computed<Self> {
        let instructions = InstructionSet::best();
        let mut passes = Self { config, weights, instructions, precision, dropout, distances: None };
        if passes.buckets().is_some() {
            let (heads, longest) = (config.num_attention_heads, config.longest());
            passes.distances = Some(DistanceBias::new(passes.weight(DISTANCES)?, heads, longest, 1.0));
        }
        Ok(passes)
    }

    /// Returns the number of buckets of distances, if attention adds summands for them.
    fn buckets(&self) -> Option<usize> {
        Some(self.config.relative_attention_num_buckets).filter(|&count| count > 0)
    }

    fn weight(&self, name: &str) -> Computed<&[f32]> {
        self.weights.values(&format!("{ENCODER}{name}"))
    }

    fn affine(&self, name: &str) -> Computed<Affine<'_>> {
        self.weights.affine(&format!("{ENCODER}{name}."))
    }

    fn norm(&self, name: &str) -> Computed<NormWeights<'_>> {
        let Affine { weight, bias } = self.affine(name)?;
        Ok(NormWeights { weight, bias, eps: self.config.layer_norm_eps as f32 })
    }

    /// Returns the dropout at a point of a layer; the embeddings are layer 0.
    fn dropout(&self, layer: usize, position: u32) -> Option<BlockDropout> {
        let rate = match position {
            PROBABILITIES => self.config.attention_probs_dropout_prob,
            _ => self.config.hidden_dropout_prob,
        };
        let StepDropout { seed, step } = self.dropout;
        BlockDropout::new(seed, step, layer as u32 * PLACES + position, rate)
    }

    fn attention<'b>(&'b self, texts: &'b [Range<usize>]) -> AttentionShape<'b> {
        let EncoderConfig { num_attention_heads: heads, hidden_size: hidden, .. } = *self.config;
        let distances = self.distances.as_ref();
        let buckets = self.buckets();
        AttentionShape { instructions: self.instructions, heads, hidden, texts, distances, buckets }
    }

    /// Computes the states of texts.
    ///
    /// # Errors
    /// Fails if a weight is missing.
    pub fn forward(&self, batch: &[&[u32]]) -> Computed<EncoderStates> {
        let mut end = 0;
        let text = |ids: &&[u32]| {
            let start = end;
            end += ids.len();
            start..end
        };
        let texts: Vec<Range<usize>> = batch.iter().map(text).collect();
        let ids = batch.concat();
        let mut states = EncoderStates {
            ids,
            texts,
            embedded: Normed::default(),
            narrow: Vec::new(),
            outputs: Vec::new(),
            layers: Vec::new(),
        };
        let input = self.embed(&mut states)?;
        states.outputs.push(input);
        for layer in 0..self.config.num_hidden_layers {
            let (output, of_layer) = self.layer(layer, &states.outputs[layer], &states.texts)?;
            states.outputs.push(output);
            states.layers.push(of_layer);
        }
        Ok(states)
    }

    /// Computes the input of the first layer.
    fn embed(&self, states: &mut EncoderStates) -> Computed<Vec<f32>> {
        let width = self.config.embedding_size;
        let (words, positions) = (
            self.weight("embeddings.word_embeddings.weight")?,
            self.weight("embeddings.position_embeddings.weight")?,
        );
        let none = vec![0.0; width];
        let kind = match self.config.type_vocab_size {
            0 => &none,
            _ => &self.weight("embeddings.token_type_embeddings.weight")?[..width],
        };
        let mut sums = Vec::with_capacity(states.ids.len() * width);
        for text in &states.texts {
            let positions = positions.chunks_exact(width).skip(self.config.first_position);
            for (id, position) in states.ids[text.clone()].iter().zip(positions) {
                let Some(word) = words.get(*id as usize * width..).and_then(|words| words.get(..width))
                else {
                    bail!("there is no subword {id}")
                };
                sums.extend(
                    word.iter()
                        .zip(position)
                        .zip(kind)
                        .map(|((word, position), kind)| word + position + kind),
                );
            }
        }
        if sums.len() != states.ids.len() * width {
            bail!("a text is longer than the encoder allows")
        }
        let norm = self.norm("embeddings.LayerNorm")?;
        let mut out = vec![0.0; sums.len()];
        states.embedded = join(self.instructions, &mut sums, None, None, norm, &mut out);
        if let Some(dropout) = self.dropout(0, OUTER) {
            dropout.apply(self.instructions, &mut out);
        }
        if !self.config.has_projection() {
            return Ok(out);
        }
        let wide = self.affine("embeddings_project")?.product(&out, self.precision);
        states.narrow = out;
        Ok(wide)
    }

    fn add_product(&self, out: MatrixViewMut<'_>, a: MatrixView<'_>, b: MatrixView<'_>) {
        out.add_on_all_threads(a, b, self.precision);
    }

    fn layer(&self, layer: usize, x: &[f32], texts: &[Range<usize>]) -> Computed<(Vec<f32>, LayerStates)> {
        let name = |part: &str| part_of_layer(layer, part);
        let hidden = self.config.hidden_size;
        let rows = x.len() / hidden;
        let parts = ATTENDING.iter().map(|part| self.affine(&name(part))).collect::<Computed<Vec<_>>>()?;
        let biases: Vec<&[f32]> = parts.iter().map(|part| part.bias).collect();
        let mut attending = biases.concat().repeat(rows);
        for (at, part) in parts.iter().enumerate() {
            let out = MatrixViewMut::part(&mut attending[at * hidden..], rows, hidden, 3 * hidden);
            let (x, weight) = (MatrixView::new(x, hidden), MatrixView::new(part.weight, hidden));
            self.add_product(out, x, weight.transposed());
        }
        let attention = self.attention(texts);
        let mut probabilities = vec![0.0; attention.probabilities()];
        let mut attended = vec![0.0; x.len()];
        let position = |position| self.dropout(layer + 1, position);
        attention.forward(&attending, position(PROBABILITIES), &mut probabilities, &mut attended);
        let join = |of: Affine<'_>, from: &[f32], before: &[f32], norm, position| {
            let mut results = of.product(from, self.precision);
            let mut out = vec![0.0; results.len()];
            let normed = join(self.instructions, &mut results, position, Some(before), norm, &mut out);
            (out, normed)
        };
        let norm = self.norm(&name("attention.output.LayerNorm"))?;
        let (between, attended_normed) =
            join(self.affine(&name("attention.output.dense"))?, &attended, x, norm, position(ATTENDED));
        let inner = self.affine(&name("intermediate.dense"))?.product(&between, self.precision);
        let active = gelu_rows(self.instructions, &inner);
        let norm = self.norm(&name("output.LayerNorm"))?;
        let (out, outer_normed) =
            join(self.affine(&name("output.dense"))?, &active, &between, norm, position(OUTER));
        let states =
            LayerStates { attending, probabilities, attended, attended_normed, between, inner, outer_normed };
        Ok((out, states))
    }

    /// Computes the gradients of the weights from the gradients of the sums of
    /// [`EncoderStates::mixed`].
    ///
    /// # Errors
    /// Fails if a weight is missing.
    pub fn backward(
        &self,
        mut states: EncoderStates,
        factors: &[f32],
        rows: &[u32],
        grads_mixed: &[f32],
    ) -> Computed<EncoderGradients> {
        let hidden = self.config.hidden_size;
        let mut found = EncoderGradients::default();
        let mut grads = vec![0.0; states.ids.len() * hidden];
        let add_mixed = |grads: &mut [f32], factor: f32| {
            for (from, row) in grads_mixed.chunks_exact(hidden).zip(rows) {
                let grads = &mut grads[*row as usize * hidden..][..hidden];
                grads.iter_mut().zip(from).for_each(|(grad, from)| *grad += factor * from);
            }
        };
        for layer in (0..self.config.num_hidden_layers).rev() {
            add_mixed(&mut grads, factors[layer + 1]);
            self.layer_back(layer, &mut states, &mut grads, &mut found)?;
        }
        add_mixed(&mut grads, factors[0]);
        self.embed_back(states, grads, &mut found)?;
        Ok(found)
    }

    /// Replaces the gradients of the output of a layer by the gradients of its input.
    fn layer_back(
        &self,
        layer: usize,
        states: &mut EncoderStates,
        grads: &mut [f32],
        found: &mut EncoderGradients,
    ) -> Computed<()> {
        let name = |part: &str| part_of_layer(layer, part);
        let position = |position| self.dropout(layer + 1, position);
        let Some(LayerStates {
            attending,
            mut probabilities,
            attended,
            attended_normed,
            between,
            mut inner,
            outer_normed,
        }) = states.layers.pop()
        else {
            bail!("a layer has no states")
        };
        let mut results = vec![0.0; grads.len()];

        let norm = self.norm(&name("output.LayerNorm"))?;
        let parts = join_back(self.instructions, grads, &outer_normed, norm, position(OUTER), &mut results);
        let bias = found.add_norm(&name("output.LayerNorm"), parts);
        let outer = self.affine(&name("output.dense"))?;
        let mut grads_inner = vec![0.0; inner.len()];
        outer.product_back(&results, &mut grads_inner, self.precision);
        let width = self.config.intermediate_size;
        let inner_bias = gelu_rows_back(self.instructions, &mut inner, &mut grads_inner, width);
        found.add(&name("output.dense"), outer.weight_gradient(&results, &inner, self.precision), bias);
        let unit = self.affine(&name("intermediate.dense"))?;
        found.add(
            &name("intermediate.dense"),
            unit.weight_gradient(&grads_inner, &between, self.precision),
            inner_bias,
        );
        unit.product_back(&grads_inner, grads, self.precision);

        let norm = self.norm(&name("attention.output.LayerNorm"))?;
        let parts =
            join_back(self.instructions, grads, &attended_normed, norm, position(ATTENDED), &mut results);
        let bias = found.add_norm(&name("attention.output.LayerNorm"), parts);
        let projection = self.affine(&name("attention.output.dense"))?;
        found.add(
            &name("attention.output.dense"),
            projection.weight_gradient(&results, &attended, self.precision),
            bias,
        );
        let mut grads_attended = vec![0.0; attended.len()];
        projection.product_back(&results, &mut grads_attended, self.precision);
        let mut grads_attending = vec![0.0; attending.len()];
        let of_distances = self.attention(&states.texts).backward(
            &attending,
            position(PROBABILITIES),
            &mut probabilities,
            &grads_attended,
            &mut grads_attending,
        );
        if self.distances.is_some() {
            found.add_distances(of_distances);
        }
        self.attending_back(layer, &states.outputs[layer], &grads_attending, grads, found)
    }

    /// Adds the gradients of the input of a layer that come through its queries, keys and values, whose gradients are
    /// `attending`.
    fn attending_back(
        &self,
        layer: usize,
        x: &[f32],
        attending: &[f32],
        grads: &mut [f32],
        found: &mut EncoderGradients,
    ) -> Computed<()> {
        let hidden = self.config.hidden_size;
        let biases = column_sums(self.instructions, attending, 3 * hidden);
        let rows = grads.len() / hidden;
        for (at, part) in ATTENDING.iter().enumerate() {
            let name = part_of_layer(layer, part);
            let of_part = MatrixView::part(&attending[at * hidden..], rows, hidden, 3 * hidden);
            let mut weight = vec![0.0; hidden * hidden];
            let out = MatrixViewMut::new(&mut weight, hidden);
            self.add_product(out, of_part.transposed(), MatrixView::new(x, hidden));
            found.add(&name, weight, biases[at * hidden..][..hidden].to_vec());
            let weight = self.affine(&name)?.weight;
            self.add_product(MatrixViewMut::new(grads, hidden), of_part, MatrixView::new(weight, hidden));
        }
        Ok(())
    }

    /// Computes the gradients of embeddings from the gradients of the input of the first layer.
    fn embed_back(
        &self,
        states: EncoderStates,
        grads: Vec<f32>,
        found: &mut EncoderGradients,
    ) -> Computed<()> {
        let EncoderConfig { embedding_size: width, hidden_size: hidden, .. } = *self.config;
        let mut grads = grads;
        if self.config.has_projection() {
            let bias = column_sums(self.instructions, &grads, hidden);
            let projection = self.affine("embeddings_project")?;
            found.add(
                "embeddings_project",
                projection.weight_gradient(&grads, &states.narrow, self.precision),
                bias,
            );
            let mut narrow = vec![0.0; states.narrow.len()];
            projection.product_back(&grads, &mut narrow, self.precision);
            grads = narrow;
        }
        if let Some(dropout) = self.dropout(0, OUTER) {
            dropout.apply(self.instructions, &mut grads);
        }
        let norm = self.norm("embeddings.LayerNorm")?;
        let mut results = vec![0.0; grads.len()];
        let parts = join_back(self.instructions, &mut grads, &states.embedded, norm, None, &mut results);
        let kind = found.add_norm("embeddings.LayerNorm", parts);
        let add_row =
            |table: &mut [f32], row: usize, grads: &[f32]| add(&mut table[row * width..][..width], grads);
        let mut positions = vec![0.0; self.config.max_position_embeddings * width];
        for text in &states.texts {
            for (at, row) in text.clone().enumerate() {
                add_row(&mut positions, self.config.first_position + at, &grads[row * width..][..width]);
            }
        }
        found.insert("embeddings.position_embeddings.weight", positions);
        if self.config.type_vocab_size > 0 {
            let mut kinds = kind;
            kinds.resize(self.config.type_vocab_size * width, 0.0);
            found.insert("embeddings.token_type_embeddings.weight", kinds);
        }
        found.subwords.clone_from(&states.ids);
        found.subwords.sort_unstable();
        found.subwords.dedup();
        found.rows = vec![0.0; found.subwords.len() * width];
        for (id, grads) in states.ids.iter().zip(grads.chunks_exact(width)) {
            add_row(&mut found.rows, found.subwords.partition_point(|subword| subword < id), grads);
        }
        Ok(())
    }
}

impl EncoderGradients {
    fn insert(&mut self, name: &str, grad: Vec<f32>) {
        self.by_name.insert(format!("{ENCODER}{name}"), grad);
    }

    /// Adds the gradients of the summands of distances in a layer to the gradients of the layers
    /// after it.
    fn add_distances(&mut self, grads: Vec<f32>) {
        let sums = self.by_name.entry(format!("{ENCODER}{DISTANCES}"));
        add(sums.or_insert_with(|| vec![0.0; grads.len()]), &grads);
    }

    fn add(&mut self, name: &str, weight: Vec<f32>, bias: Vec<f32>) {
        self.insert(&format!("{name}.weight"), weight);
        self.insert(&format!("{name}.bias"), bias);
    }

    /// Adds the gradients of a norm, and returns the gradient of the rows that `join` added, before dropout.
    fn add_norm(&mut self, name: &str, of: JoinGradients) -> Vec<f32> {
        self.add(name, of.weight, of.bias);
        of.added
    }
}
