//! The engine computes the same as the graph of tensors.

use std::num::NonZeroUsize;

use candle_core::{Device, Tensor};
use proptest::prelude::*;

use super::config::EncoderConfig;
use super::dropout::NoDropout;
use super::encoder::EncoderBatch;
use super::engine::{Engine, EnginePrecision, ScoreRequest};
use super::names::{self, ENCODER};
use super::tagger::BertTagger;
use super::weights::{TensorMap, TensorWeights, read_encoder};
use crate::shared::heads::HeadSizes;
use crate::shared::instruction_set::InstructionSet;

/// The encoders of `tests/data`, one of each kind.
const KINDS: [(&[u8], &[u8]); 6] = [
    (
        include_bytes!("../../../../tests/data/toy-bert/config.json"),
        include_bytes!("../../../../tests/data/toy-bert/model.safetensors"),
    ),
    (
        include_bytes!("../../../../tests/data/toy-roberta/config.json"),
        include_bytes!("../../../../tests/data/toy-roberta/model.safetensors"),
    ),
    (
        include_bytes!("../../../../tests/data/toy-xlm-roberta/config.json"),
        include_bytes!("../../../../tests/data/toy-xlm-roberta/model.safetensors"),
    ),
    (
        include_bytes!("../../../../tests/data/toy-distilbert/config.json"),
        include_bytes!("../../../../tests/data/toy-distilbert/model.safetensors"),
    ),
    (
        include_bytes!("../../../../tests/data/toy-electra/config.json"),
        include_bytes!("../../../../tests/data/toy-electra/model.safetensors"),
    ),
    (
        include_bytes!("../../../../tests/data/toy-mpnet/config.json"),
        include_bytes!("../../../../tests/data/toy-mpnet/model.safetensors"),
    ),
];

/// Returns a toy encoder with arbitrary heads and layer scalars.
fn tagger_on((config, weights): (&[u8], &[u8])) -> (EncoderConfig, TensorMap) {
    let config = EncoderConfig::read(config).unwrap();
    let encoder = read_encoder(weights, &config, &Device::Cpu).unwrap();
    let mut weights: TensorMap =
        encoder.into_iter().map(|(name, tensor)| (format!("{ENCODER}{name}"), tensor)).collect();
    for (name, shape) in names::tagger_shapes(&config, HeadSizes { cases: 4, marks: 3 }) {
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
        let positions = (0..ids.len() as u32).filter(|&position| targets[position as usize]).collect();
        (ids, positions)
    })
}

fn requests(texts: &[(Vec<u32>, Vec<u32>)]) -> Vec<ScoreRequest<'_>> {
    texts.iter().map(|(ids, positions)| ScoreRequest { ids, positions: positions.clone() }).collect()
}

/// Returns the scores of the graph of tensors.
fn of_graph(tagger: &BertTagger, texts: &[(Vec<u32>, Vec<u32>)]) -> Vec<Vec<f32>> {
    let one = |(ids, positions): &(Vec<u32>, Vec<u32>)| -> Vec<Vec<f32>> {
        if positions.is_empty() {
            return Vec::new();
        }
        let batch = EncoderBatch::new([ids.as_slice()], 0);
        tagger.scores(&batch, tagger.encoder().words(), positions, &mut NoDropout).unwrap().to_vec2().unwrap()
    };
    texts.iter().flat_map(one).collect()
}

const ONE: NonZeroUsize = NonZeroUsize::MIN;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(30) })]

    #[test]
    fn scores_are_those_of_the_graph(texts in prop::collection::vec(text(), 0..6)) {
        let (config, weights) = toy();
        let expected = of_graph(&BertTagger::new(&weights, &config).unwrap(), &texts);
        for instructions in InstructionSet::all() {
            for (precision, off) in [(EnginePrecision::F32, 1e-4), (EnginePrecision::Int8, 0.2)] {
                let engine = Engine::on(instructions, &TensorWeights(&weights), &config, precision).unwrap();
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
                let engine = Engine::on(instructions, &TensorWeights(&weights), &config, precision).unwrap();
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
        let expected = of_graph(&BertTagger::new(&weights, &config).unwrap(), &texts);
        for (precision, off) in [(EnginePrecision::F32, 1e-4), (EnginePrecision::Int8, 0.2)] {
            let engine = Engine::new(&TensorWeights(&weights), &config, precision).unwrap();
            let found = engine.scores(&requests(&texts), ONE).unwrap();
            assert_eq!(found.len(), 4);
            for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                let kind = config.kind;
                assert!((found - expected).abs() < off, "{kind:?} {precision:?}: {found}, {expected}");
            }
        }
        let engine = Engine::new(&TensorWeights(&weights), &config, EnginePrecision::F32).unwrap();
        let longer = engine.scores(&[ScoreRequest { ids: &[1; 41], positions: vec![0] }], ONE);
        assert!(longer.unwrap_err().to_string().contains("the encoder accepts 40"), "{:?}", config.kind);
    }
}

#[test]
fn what_the_encoder_does_not_have_is_named() {
    let (config, weights) = toy();
    let engine = Engine::new(&TensorWeights(&weights), &config, EnginePrecision::F32).unwrap();
    let refused = |ids: &[u32], positions: Vec<u32>| {
        engine.scores(&[ScoreRequest { ids, positions }], ONE).unwrap_err()
    };
    assert!(refused(&[101], vec![0]).contains("a subword numbered 101, but the encoder has 101"));
    assert!(refused(&[1; 41], vec![0]).contains("a text of 41 subwords, but the encoder accepts 40"));
    assert!(refused(&[1], vec![1]).contains("position 1 of a text of 1 subwords"));
}
