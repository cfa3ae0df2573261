//! The tagger on the processor, without tensors: weights packed for products, texts side by side
//! without padding between them.
//!
//! It computes [`Tagger::scores`](super::tagger::Tagger::scores), which it is tested against. Every
//! number is summed in a fixed order, independent of other numbers: the scores of a text are
//! bit-identical alone, among others and on any number of threads.

/// Selects the variant of a kernel for a number of rows, a power of two up to 8, and a number of
/// vectors up to 3.
macro_rules! kernel_for {
    ($($kernel:ident)::+, $rows:expr, $vectors:expr) => {
        match ($rows, $vectors) {
            (8, 3) => $($kernel)::+::<8, 3>,
            (8, 2) => $($kernel)::+::<8, 2>,
            (8, 1) => $($kernel)::+::<8, 1>,
            (4, 3) => $($kernel)::+::<4, 3>,
            (4, 2) => $($kernel)::+::<4, 2>,
            (4, 1) => $($kernel)::+::<4, 1>,
            (2, 3) => $($kernel)::+::<2, 3>,
            (2, 2) => $($kernel)::+::<2, 2>,
            (2, 1) => $($kernel)::+::<2, 1>,
            (1, 3) => $($kernel)::+::<1, 3>,
            (1, 2) => $($kernel)::+::<1, 2>,
            _ => $($kernel)::+::<1, 1>,
        }
    };
}

mod aligned;
mod float;
mod int8;
mod layer;
mod linear;
mod rows;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use candle_core::{Result as Computed, Tensor, bail};

use super::config::EncoderConfig;
use super::encoder::tensor;
use super::ops::{self, read};
use super::tagger::{self, ENCODER, GAMMA, SCALARS};
use super::weights::TensorMap;
use crate::shared::instruction_set::InstructionSet;
use layer::{EngineLayer, EngineScratch, Span, gathered};
use linear::Linear;
use rows::{Norm, add_scaled};

/// The precision of the large products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnginePrecision {
    /// 32-bit numbers.
    #[default]
    F32,
    /// Bytes: weights with one scale for each output, states with one scale for each piece.
    /// Attention, norms, the sum of the layers and the head stay in 32-bit numbers.
    Int8,
}

/// A tagger ready to compute.
#[derive(Debug)]
pub struct Engine {
    instructions: InstructionSet,
    /// The length of the vector of each piece in a layer.
    hidden: usize,
    /// The embedding of each piece, which is not copied.
    words: Tensor,
    /// The embedding of each position from the first that texts use, with that of the first segment
    /// added.
    places: Vec<f32>,
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
    /// The ids of its pieces.
    pub ids: &'a [u32],
    /// The positions of the targets among the pieces.
    pub places: Vec<u32>,
}

/// The number of pieces that go through a layer together: enough to read weights rarely, few enough
/// that states stay in the cache.
const BLOCK: usize = 256;

/// The number of pieces below which another thread does not pay off.
const LEAST: usize = 64;

impl Engine {
    /// Packs the weights of a tagger.
    ///
    /// # Errors
    /// Fails if a weight is missing or not on the CPU.
    pub fn new(weights: &TensorMap, config: &EncoderConfig, precision: EnginePrecision) -> Computed<Self> {
        Self::on(InstructionSet::best(), weights, config, precision)
    }

    fn on(
        instructions: InstructionSet,
        weights: &TensorMap,
        config: &EncoderConfig,
        precision: EnginePrecision,
    ) -> Computed<Self> {
        let source = EngineSource { instructions, weights, config, precision };
        let mut places = source.values("embeddings.position_embeddings.weight")?;
        places.drain(..config.first_position * config.embedding_size);
        if config.type_vocab_size > 0 {
            let kinds = source.values("embeddings.token_type_embeddings.weight")?;
            for place in places.chunks_exact_mut(config.embedding_size) {
                place.iter_mut().zip(&kinds).for_each(|(place, kind)| *place += kind);
            }
        }
        let named = |name: &str| tensor(weights, name.to_owned());
        let gamma = named(GAMMA)?;
        let mut head = [Vec::new(), Vec::new()];
        for parts in tagger::heads(weights)? {
            for (all, part) in head.iter_mut().zip(&parts) {
                read(part, |values| all.extend_from_slice(values))?;
            }
        }
        let [weight, bias] = head;
        Ok(Self {
            instructions,
            hidden: config.hidden_size,
            words: tensor(weights, format!("{ENCODER}embeddings.word_embeddings.weight"))?.contiguous()?,
            places,
            norm: source.norm("embeddings.LayerNorm")?,
            projection: config.has_projection().then(|| source.projection()).transpose()?,
            layers: (0..config.num_hidden_layers)
                .map(|layer| source.layer(layer))
                .collect::<Computed<_>>()?,
            layer_weights: ops::softmax(&named(SCALARS)?)?.broadcast_mul(&gamma)?.to_vec1()?,
            head: Linear::new(instructions, EnginePrecision::F32, &weight, bias),
        })
    }

    /// Returns the scores of the labels, one row for each requested position, text after text.
    ///
    /// # Errors
    /// Fails if the encoder does not have a piece or a position.
    pub fn scores(&self, texts: &[ScoreRequest<'_>], threads: NonZeroUsize) -> Computed<Vec<Vec<f32>>> {
        self.check(texts)?;
        let pieces: usize = texts.iter().map(|text| text.ids.len()).sum();
        let groups = groups(texts, pieces.div_ceil(threads.get()).clamp(LEAST, BLOCK));
        read(&self.words, |words| {
            let compute =
                |group: &&[ScoreRequest<'_>], scratch: &mut EngineScratch| self.group(words, group, scratch);
            in_parallel(&groups, threads, compute).into_iter().flatten().collect()
        })
    }

    fn check(&self, texts: &[ScoreRequest<'_>]) -> Computed<()> {
        let (words, longest) = (self.words.dim(0)?, self.places.len() / self.norm.weight.len());
        for ScoreRequest { ids, places } in texts {
            if ids.len() > longest {
                bail!("a text of {} pieces, but the encoder takes {longest}", ids.len());
            }
            if let Some(id) = ids.iter().find(|&&id| id as usize >= words) {
                bail!("a piece numbered {id}, but the encoder has {words}");
            }
            if let Some(place) = places.iter().find(|&&place| place as usize >= ids.len()) {
                bail!("place {place} of a text of {} pieces", ids.len());
            }
        }
        Ok(())
    }

    /// Returns the scores of a few texts.
    fn group(&self, words: &[f32], texts: &[ScoreRequest<'_>], scratch: &mut EngineScratch) -> Vec<Vec<f32>> {
        let (spans, targets) = laid_out(texts);
        if targets.is_empty() {
            return Vec::new();
        }
        let hidden = self.hidden;
        let mut x = self.embedded(words, texts);
        let mut mixed = vec![0.0; targets.len() * hidden];
        let mut mix = |x: &[f32], weight: f32| add_scaled(self.instructions, &mut mixed, x, weight);
        mix(&gathered(&x, &targets, hidden), self.layer_weights[0]);
        for (at, (layer, &weight)) in self.layers.iter().zip(&self.layer_weights[1..]).enumerate() {
            if at + 1 == self.layers.len() {
                mix(&layer.forward_targets(&x, &spans, &targets, scratch), weight);
            } else {
                layer.forward(&mut x, &spans, scratch);
                mix(&gathered(&x, &targets, hidden), weight);
            }
        }
        let mut scores = Vec::new();
        self.head.apply(&mixed, &mut scores, &mut int8::ByteRows::default());
        scores.chunks_exact(self.head.outs()).map(<[f32]>::to_vec).collect()
    }

    /// Returns the input of the first layer, one row for each piece.
    fn embedded(&self, words: &[f32], texts: &[ScoreRequest<'_>]) -> Vec<f32> {
        let width = self.norm.weight.len();
        let rows = texts.iter().flat_map(|text| text.ids.iter().zip(self.places.chunks_exact(width)));
        let sums = rows.flat_map(|(&id, place)| {
            words[id as usize * width..][..width].iter().zip(place).map(|(word, place)| word + place)
        });
        let mut x: Vec<f32> = sums.collect();
        self.norm.rows(self.instructions, &mut x);
        let Some(projection) = &self.projection else { return x };
        let mut wide = Vec::new();
        projection.apply(&x, &mut wide, &mut int8::ByteRows::default());
        wide
    }
}

/// The weights that an engine packs.
struct EngineSource<'a> {
    instructions: InstructionSet,
    weights: &'a TensorMap,
    config: &'a EncoderConfig,
    precision: EnginePrecision,
}

impl EngineSource<'_> {
    fn values(&self, name: &str) -> Computed<Vec<f32>> {
        read(&tensor(self.weights, format!("{ENCODER}{name}"))?, <[f32]>::to_vec)
    }

    fn norm(&self, name: &str) -> Computed<Norm> {
        let [weight, bias] = ["weight", "bias"].map(|part| self.values(&format!("{name}.{part}")));
        Ok(Norm { weight: weight?, bias: bias?, eps: self.config.layer_norm_eps as f32 })
    }

    /// Packs the matrix that widens embeddings. It is small, and every layer builds on it: it stays in
    /// 32-bit numbers.
    fn projection(&self) -> Computed<Linear> {
        let [weight, bias] =
            ["weight", "bias"].map(|part| self.values(&format!("embeddings_project.{part}")));
        Ok(Linear::new(self.instructions, EnginePrecision::F32, &weight?, bias?))
    }

    fn layer(&self, layer: usize) -> Computed<EngineLayer> {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let pair = |part: &str| -> Computed<[Vec<f32>; 2]> {
            Ok([self.values(&name(&format!("{part}.weight")))?, self.values(&name(&format!("{part}.bias")))?])
        };
        let packed =
            |[weight, bias]: [Vec<f32>; 2]| Linear::new(self.instructions, self.precision, &weight, bias);
        let mut attending = pair("attention.self.query")?;
        let size = self.config.hidden_size / self.config.num_attention_heads;
        let scale = 1.0 / (size as f32).sqrt();
        attending.iter_mut().flatten().for_each(|value| *value *= scale);
        for part in ["attention.self.key", "attention.self.value"] {
            attending.iter_mut().zip(pair(part)?).for_each(|(all, part)| all.extend(part));
        }
        Ok(EngineLayer {
            instructions: self.instructions,
            heads: self.config.num_attention_heads,
            attending: packed(attending),
            attended: packed(pair("attention.output.dense")?),
            attended_norm: self.norm(&name("attention.output.LayerNorm"))?,
            inner: packed(pair("intermediate.dense")?),
            outer: packed(pair("output.dense")?),
            outer_norm: self.norm(&name("output.LayerNorm"))?,
        })
    }
}

/// Returns the rows of each text, and the target rows.
fn laid_out(texts: &[ScoreRequest<'_>]) -> (Vec<Span>, Vec<usize>) {
    let mut targets = Vec::new();
    let mut start = 0;
    let spans = texts.iter().map(|text| {
        let before = targets.len();
        targets.extend(text.places.iter().map(|&place| start + place as usize));
        let rows = start..start + text.ids.len();
        start = rows.end;
        Span { rows, targets: before..targets.len() }
    });
    (spans.collect(), targets)
}

/// Splits texts into runs of at most `most` pieces, or of one text.
fn groups<'a, 'b>(texts: &'a [ScoreRequest<'b>], most: usize) -> Vec<&'a [ScoreRequest<'b>]> {
    let mut groups = Vec::new();
    let (mut start, mut pieces) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        if at > start && pieces + text.ids.len() > most {
            groups.push(&texts[start..at]);
            (start, pieces) = (at, 0);
        }
        pieces += text.ids.len();
    }
    if start < texts.len() {
        groups.push(&texts[start..]);
    }
    groups
}

/// Processes items on threads, each with scratch memory, and returns the results in order.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    threads: NonZeroUsize,
    work: impl Fn(&T, &mut EngineScratch) -> R + Sync,
) -> Vec<R> {
    let threads = threads.get().min(items.len());
    if threads <= 1 {
        let mut scratch = EngineScratch::default();
        return items.iter().map(|item| work(item, &mut scratch)).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut scratch = EngineScratch::default();
                while let at = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(item) = items.get(at)
                {
                    let result = work(item, &mut scratch);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use candle_core::Device;
    use proptest::prelude::*;

    use super::*;
    use crate::bert::dropout::NoDropout;
    use crate::bert::encoder::PieceBatch;
    use crate::bert::tagger::Tagger;
    use crate::bert::weights::read_encoder;
    use crate::shared::heads::HeadSizes;

    /// The encoders of `tests/data`, one of each kind.
    const KINDS: [(&[u8], &[u8]); 5] = [
        (
            include_bytes!("../../../../../tests/data/toy-bert/config.json"),
            include_bytes!("../../../../../tests/data/toy-bert/model.safetensors"),
        ),
        (
            include_bytes!("../../../../../tests/data/toy-roberta/config.json"),
            include_bytes!("../../../../../tests/data/toy-roberta/model.safetensors"),
        ),
        (
            include_bytes!("../../../../../tests/data/toy-xlm-roberta/config.json"),
            include_bytes!("../../../../../tests/data/toy-xlm-roberta/model.safetensors"),
        ),
        (
            include_bytes!("../../../../../tests/data/toy-distilbert/config.json"),
            include_bytes!("../../../../../tests/data/toy-distilbert/model.safetensors"),
        ),
        (
            include_bytes!("../../../../../tests/data/toy-electra/config.json"),
            include_bytes!("../../../../../tests/data/toy-electra/model.safetensors"),
        ),
    ];

    /// Returns a toy encoder with arbitrary heads and layer scalars.
    fn tagger_on((config, weights): (&[u8], &[u8])) -> (EncoderConfig, TensorMap) {
        let config = EncoderConfig::read(config).unwrap();
        let encoder = read_encoder(weights, &config, &Device::Cpu).unwrap();
        let mut weights: TensorMap =
            encoder.into_iter().map(|(name, tensor)| (format!("{ENCODER}{name}"), tensor)).collect();
        for (name, shape) in tagger::shapes(&config, HeadSizes { cases: 4, marks: 3 }) {
            weights.entry(name).or_insert_with(|| {
                let count = shape.iter().product::<usize>() as u32;
                let values: Vec<f32> = (1..=count).map(|at| (at as f32 * 1.7).sin()).collect();
                Tensor::from_vec(values, shape, &Device::Cpu).unwrap()
            });
        }
        (config, weights)
    }

    fn toy() -> (EncoderConfig, TensorMap) {
        tagger_on(KINDS[0])
    }

    fn text() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
        let ids = prop::collection::vec(0u32..101, 1..=40);
        (ids, prop::collection::vec(any::<bool>(), 40)).prop_map(|(ids, targets)| {
            let places = (0..ids.len() as u32).filter(|&place| targets[place as usize]).collect();
            (ids, places)
        })
    }

    fn requests(texts: &[(Vec<u32>, Vec<u32>)]) -> Vec<ScoreRequest<'_>> {
        texts.iter().map(|(ids, places)| ScoreRequest { ids, places: places.clone() }).collect()
    }

    /// Returns the scores of the graph of tensors.
    fn of_graph(tagger: &Tagger, texts: &[(Vec<u32>, Vec<u32>)]) -> Vec<Vec<f32>> {
        let one = |(ids, places): &(Vec<u32>, Vec<u32>)| -> Vec<Vec<f32>> {
            if places.is_empty() {
                return Vec::new();
            }
            let batch = PieceBatch::new([ids.as_slice()], 0);
            tagger
                .scores(&batch, tagger.encoder().words(), places, &mut NoDropout)
                .unwrap()
                .to_vec2()
                .unwrap()
        };
        texts.iter().flat_map(one).collect()
    }

    const ONE: NonZeroUsize = NonZeroUsize::MIN;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(30) })]

        #[test]
        fn scores_are_those_of_the_graph(texts in prop::collection::vec(text(), 0..6)) {
            let (config, weights) = toy();
            let expected = of_graph(&Tagger::new(&weights, &config).unwrap(), &texts);
            for instructions in InstructionSet::all() {
                for (precision, off) in [(EnginePrecision::F32, 1e-4), (EnginePrecision::Int8, 0.2)] {
                    let engine = Engine::on(instructions, &weights, &config, precision).unwrap();
                    let found = engine.scores(&requests(&texts), ONE).unwrap();
                    prop_assert_eq!(found.len(), expected.len());
                    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                        prop_assert!((found - expected).abs() < off, "{instructions:?} {precision:?}: {found}, {expected}");
                    }
                }
            }
        }

        #[test]
        fn scores_are_the_same_to_the_bit_alone_and_among_others_and_on_threads(
            texts in prop::collection::vec(text(), 1..20),
        ) {
            let (config, weights) = toy();
            for instructions in InstructionSet::all() {
                for precision in [EnginePrecision::F32, EnginePrecision::Int8] {
                    let engine = Engine::on(instructions, &weights, &config, precision).unwrap();
                    let together = engine.scores(&requests(&texts), ONE).unwrap();
                    let threaded = engine.scores(&requests(&texts), NonZeroUsize::new(3).unwrap()).unwrap();
                    prop_assert_eq!(&together, &threaded);
                    let alone = requests(&texts).into_iter().flat_map(|text| engine.scores(&[text], ONE).unwrap());
                    prop_assert_eq!(together, alone.collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn scores_are_those_of_the_graph_for_every_kind_of_encoder() {
        let texts = [(vec![3, 20, 9, 41], vec![0, 2]), ((0..40).map(|id| id + 20).collect(), vec![39, 7])];
        for kind in KINDS {
            let (config, weights) = tagger_on(kind);
            let expected = of_graph(&Tagger::new(&weights, &config).unwrap(), &texts);
            for (precision, off) in [(EnginePrecision::F32, 1e-4), (EnginePrecision::Int8, 0.2)] {
                let engine = Engine::new(&weights, &config, precision).unwrap();
                let found = engine.scores(&requests(&texts), ONE).unwrap();
                assert_eq!(found.len(), 4);
                for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                    let kind = config.kind;
                    assert!((found - expected).abs() < off, "{kind:?} {precision:?}: {found}, {expected}");
                }
            }
            let engine = Engine::new(&weights, &config, EnginePrecision::F32).unwrap();
            let longer = engine.scores(&[ScoreRequest { ids: &[1; 41], places: vec![0] }], ONE);
            assert!(longer.unwrap_err().to_string().contains("the encoder takes 40"), "{:?}", config.kind);
        }
    }

    #[test]
    fn what_the_encoder_does_not_have_is_named() {
        let (config, weights) = toy();
        let engine = Engine::new(&weights, &config, EnginePrecision::F32).unwrap();
        let refused = |ids: &[u32], places: Vec<u32>| {
            engine.scores(&[ScoreRequest { ids, places }], ONE).unwrap_err().to_string()
        };
        assert!(refused(&[101], vec![0]).contains("a piece numbered 101, but the encoder has 101"));
        assert!(refused(&[1; 41], vec![0]).contains("a text of 41 pieces, but the encoder takes 40"));
        assert!(refused(&[1], vec![1]).contains("place 1 of a text of 1 pieces"));
    }
}
