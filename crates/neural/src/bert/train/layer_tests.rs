//! Trainings that begin with some of the layers of the toy encoders of `tests/data`.

use std::num::NonZeroUsize;

use candle_core::Tensor;

use super::pretrained::Pretrained;
use super::tests::{KINDS, bytes, config, on, train};
use super::{BertConfig, LayerConfig};
use crate::bert::dropout::NoDropout;
use crate::bert::encoder::{BertEncoder, EncoderBatch};
use crate::bert::load;
use crate::shared::toy_texts::changed;
use crate::shared::toy_texts::corpus;
use majuscule_base::error::Result;
use majuscule_methods::backend::Backend;
use majuscule_methods::model;
use majuscule_train::methods;

fn with(layers: Option<usize>, reset_layers: usize) -> LayerConfig {
    LayerConfig { layers, reset_layers }
}

/// Returns the encoder of a configuration with the layers of a choice.
fn chosen(of: &BertConfig, layers: LayerConfig) -> Result<Pretrained> {
    layers.applied(Pretrained::read(&of.encoder).unwrap(), &of.encoder, of.record().training.shared.seed)
}

fn values(tensor: &Tensor) -> Vec<f32> {
    tensor.flatten_all().unwrap().to_vec1().unwrap()
}

/// Returns the hidden states of all layers for some subwords.
fn states(of: &Pretrained) -> Vec<Vec<f32>> {
    let batch = EncoderBatch::new([[2, 7, 9, 8, 3].as_slice()], of.subwords.special.padding);
    let encoder = BertEncoder::new(&of.weights, "", &of.config).unwrap();
    let states = encoder.hidden_states(&batch, encoder.words(), &mut NoDropout).unwrap();
    states.iter().map(values).collect()
}

#[test]
fn the_layers_that_are_kept_compute_what_they_computed_below_the_others() {
    for kind in KINDS {
        let config = on(kind);
        let whole = states(&chosen(&config, LayerConfig::default()).unwrap());
        let first = chosen(&config, with(Some(1), 0)).unwrap();
        assert_eq!(first.config.num_hidden_layers, 1, "{kind}");
        assert_eq!(states(&first), whole[..2], "{kind}");
        assert_eq!(states(&chosen(&config, with(Some(2), 0)).unwrap()), whole, "{kind}");
    }
}

#[test]
fn layers_are_drawn_anew_from_the_top_and_the_seed_decides_how() {
    for kind in KINDS {
        let config = on(kind);
        let whole = chosen(&config, LayerConfig::default()).unwrap();
        let reset = chosen(&config, with(None, 1)).unwrap();
        assert!(reset.weights.keys().eq(whole.weights.keys()), "{kind}");
        for (name, tensor) in &reset.weights {
            let (now, before) = (values(tensor), values(&whole.weights[name]));
            assert_eq!(tensor.dims(), whole.weights[name].dims());
            if !name.starts_with("encoder.layer.1.") {
                assert_eq!(now, before, "{name} of {kind}");
            } else if name.ends_with(".bias") {
                assert!(now.iter().all(|&value| value == 0.0), "{name} of {kind}");
            } else if name.ends_with("LayerNorm.weight") {
                assert!(now.iter().all(|&value| value == 1.0), "{name} of {kind}");
            } else {
                let mean = now.iter().map(|value| value * value).sum::<f32>() / now.len() as f32;
                assert!((0.015..0.025).contains(&mean.sqrt()), "{name} of {kind}: {mean}");
            }
        }
        let drawn = |of: &Pretrained, layer: usize| {
            values(&of.weights[&format!("encoder.layer.{layer}.intermediate.dense.weight")])
        };
        let both = chosen(&config, with(None, 2)).unwrap();
        assert_eq!(drawn(&both, 1), drawn(&reset, 1), "a layer is the same however many are drawn");
        assert_ne!(drawn(&both, 0), drawn(&both, 1));
        let other = chosen(
            &changed(on(kind), |config| {
                config.training.shared.seed = Some(2);
            }),
            with(None, 1),
        )
        .unwrap();
        assert_ne!(drawn(&other, 1), drawn(&reset, 1));
        // Of the layers that are kept, the last ones are drawn.
        let kept = chosen(&config, with(Some(1), 1)).unwrap();
        assert_eq!(drawn(&kept, 0), drawn(&both, 0));
    }
}

#[test]
fn a_model_of_fewer_layers_is_saved_and_its_manifest_says_so() {
    let temporary = tempfile::tempdir().unwrap();
    let config = changed(config(), |config| {
        config.training.shared.epochs = Some(1);
        config.layers = with(Some(1), 1);
    });
    let model = train(&config, &corpus()).unwrap();
    assert_eq!(model.scorer.tagger.layer_weights().unwrap().len(), 2);
    assert!(bytes(&train(&config, &corpus()).unwrap()) == bytes(&model));
    let draft = methods::train(&config, &corpus(), Vec::new(), NonZeroUsize::MIN, &mut |_| {}).unwrap();
    let settings = &draft.manifest().settings["config"];
    assert_eq!((&settings["layers"], &settings["reset_layers"]), (&1.into(), &1.into()));
    draft.save(temporary.path().join("model"), false).unwrap();
    let again = load(&*model::open(temporary.path().join("model")).unwrap(), &Backend::default()).unwrap();
    assert_eq!(again.config.num_hidden_layers, 1);
    assert!(bytes(&again) == bytes(&model));
}

#[test]
fn a_training_of_all_layers_is_written_as_before_there_was_a_choice() {
    let written = serde_json::to_value(config()).unwrap();
    assert!(written.get("layers").is_none() && written.get("reset_layers").is_none(), "{written}");
}

#[test]
fn a_checkpoint_belongs_to_the_layers_that_it_was_begun_with() {
    let temporary = tempfile::tempdir().unwrap();
    let checkpoint = Some(temporary.path().join("checkpoint"));
    let of = |layers, reset| {
        changed(config(), |config| {
            config.training.shared.epochs = Some(1);
            config.layers = with(layers, reset);
            config.training.shared.checkpoint = checkpoint.clone();
        })
    };
    train(&of(Some(1), 0), &corpus()).unwrap();
    for (other, says) in [
        (of(None, 0), "is of a training with layers 1, but this one has none"),
        (of(Some(2), 0), "is of a training with layers 1, but this one has 2"),
        (of(Some(1), 1), "is of a training with reset-layers none, but this one has 1"),
    ] {
        let problem = train(&other, &corpus()).unwrap_err().to_string();
        assert!(problem.contains(says), "{problem}");
    }
}

#[test]
fn layers_that_an_encoder_does_not_have_are_refused() {
    for (layers, says) in [
        (with(Some(0), 0), "`layers` 0: "),
        (with(Some(3), 0), "toy-bert has 2 layers, so expected a number from 1 to 2"),
        (with(None, 3), "toy-bert has 2 layers, so expected at most the 2 that are kept"),
        (with(Some(1), 2), "`reset-layers` 2: "),
    ] {
        let problem = train(
            &changed(config(), |config| {
                config.layers = layers;
            }),
            &corpus(),
        )
        .unwrap_err()
        .to_string();
        assert!(problem.contains(says), "{problem}");
    }
}
