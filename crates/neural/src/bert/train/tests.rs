//! Trainings of the toy encoder of `tests/data`.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use candle_core::Var;
use serde_json::Value;

use super::config::OptimizerConfig;
use super::loss::HeadLoss;
use super::samples::EncoderSample;
use super::trainer::init_weights;
use super::*;
use crate::bert::config::EncoderConfig;
use crate::bert::dropout::NoDropout;
use crate::bert::encoder::{BertEncoder, EncoderBatch};
use crate::bert::engine::EnginePrecision;
use crate::bert::names::{self, HEADS};
use crate::bert::ops::read;
use crate::bert::reference::compare;
use crate::bert::tokenize::SubwordTokenizer;
use crate::bert::weights::{self, TensorMap, TensorWeights};
use crate::bert::{EngineScorer, LabelledSubword, WEIGHTS, load, sections};
use crate::shared::adam::Optimizer;
use crate::shared::options::NetworkTrainingOptions;
use crate::shared::product::ProductPrecision;
use crate::shared::samples::Dataset;
use crate::shared::toy_texts::{changed, corpus};
use crate::shared::train_loop::{NetworkTrainer, TrainPosition, TrainStep};
use majuscule_methods::backend::{Backend, Device};
use majuscule_methods::model::{self, FileRecord};
use majuscule_text::restorer::{Request, Restorer};
use majuscule_text::{Class, Locale, Tokens};
use majuscule_train::corpus::{Protocol, Reading};
use majuscule_train::eval::{Matching, evaluate_corpus};
use majuscule_train::methods::{self, Left};

pub(super) fn config() -> BertConfig {
    changed(BertConfig::default(), |config| {
        config.encoder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/toy-bert");
        config.training.shared.epochs = Some(3);
        config.training.shared.rate = Some(3e-3);
        config.training.head_rate = Some(1e-2);
        config.training.shared.warm_up = Some(3);
        config.training.shared.held_out = Some(0.1);
    })
}

fn of_text(text: &str) -> Corpus {
    Corpus::of_text(text, Reading::default(), Protocol::Rei, Locale::Root)
}

/// Words as a model restores them.
fn restored(model: &Bert, words: &str) -> String {
    let tokens = Tokens::of_words(words.split(' '), Locale::Root);
    let choices = model.restore_batch(std::slice::from_ref(&tokens), Request::default()).unwrap().remove(0);
    let forms = choices
        .iter()
        .enumerate()
        .map(|(at, choice)| choice.label.case.applied(tokens.lower(at), Locale::Root));
    forms.collect::<Vec<_>>().join(" ")
}

pub(super) fn train(config: &BertConfig, corpus: &Corpus) -> Result<Bert> {
    super::train(config, corpus, NonZeroUsize::MIN, &mut |_| {})
}

fn adapt(adaptation: &BertAdaptation, model: &Bert, corpus: &Corpus) -> Result<Bert> {
    adaptation.adapt_model(adaptation.as_trained(&Value::Null), model, corpus, NonZeroUsize::MIN, &mut |_| {})
}

pub(super) fn bytes(model: &Bert) -> Vec<u8> {
    sections(model).unwrap().into_iter().flat_map(|(_, bytes)| bytes).collect()
}

/// Returns options with an optimiser.
fn with_optimizer(options: BertTrainingOptions, optimizer: OptimizerConfig) -> BertTrainingOptions {
    let OptimizerConfig { name, sync_period, slow_step_size } = optimizer;
    let (optimizer, sync_period) = (Some(name), Some(sync_period));
    BertTrainingOptions { optimizer, sync_period, slow_step_size: Some(slow_step_size), ..options }
}

/// The parts of a training.
struct ToyTraining {
    config: BertConfig,
    encoder: EncoderConfig,
    dataset: Dataset<EncoderSample>,
    weights: TensorMap,
}

impl ToyTraining {
    fn new(config: BertConfig) -> Self {
        let Pretrained { config: encoder, subwords, weights } = Pretrained::read(&config.encoder).unwrap();
        let subword = LabelledSubword::First;
        let training = config.record().training.shared;
        let settings = BertSettings {
            window: 40,
            runs_on: false,
            kept_subwords: None,
            labelled_subword: subword,
            costs: None,
            in_bytes: false,
        };
        let dataset =
            samples::read(&config.heads, training.split(&corpus()), &subwords, &settings, None).unwrap();
        let weights =
            init_weights(weights, &encoder, Heads::of(&dataset.labels).sizes(), training.seed).unwrap();
        Self { config, encoder, dataset, weights }
    }

    /// Without dropout, so that the loss is a function of the weights.
    fn quiet() -> Self {
        let mut toy = Self::new(changed(config(), |config| {
            config.training.shared.dropout = Some(0.0);
            config.training.layer_dropout = Some(0.0);
            config.training.frozen = Some(0);
        }));
        toy.encoder.hidden_dropout_prob = 0.0;
        toy.encoder.attention_probs_dropout_prob = 0.0;
        toy
    }

    fn trainer(&self) -> TaggerTrainer<'_> {
        TaggerTrainer {
            training: self.config.record().training,
            precision: self.config.precision,
            encoder: &self.encoder,
            padding: 0,
            heads: Heads::of(&self.dataset.labels).sizes(),
            losses: Default::default(),
            threads: NonZeroUsize::MIN,
            checkpoint: None,
            model: &|_| Err(failed("no model is made here")),
            state: TaggerState::new(self.weights.clone()).unwrap(),
            tagger: None,
        }
    }
}

#[test]
fn it_learns_fifty_sentences_by_heart() {
    let config = changed(config(), |config| {
        config.training.shared.epochs = Some(40);
        config.training.frozen = Some(1);
        config.training.shared.held_out = Some(0.0);
        config.training.decay = true;
    });
    let corpus = corpus();
    let model = train(&config, &corpus).unwrap();
    let score = evaluate_corpus(&model, Request::default(), &corpus).unwrap();
    assert_eq!(score.all().slots(Matching::Spelling).ser(), Some(0.0));
    let layers = model.scorer.tagger.layer_weights().unwrap();
    assert!(layers.len() == 3 && (layers.iter().sum::<f32>() - 1.0).abs() < 1e-5);
}

/// The configuration with the toy encoder of a kind.
pub(super) fn on(kind: &str) -> BertConfig {
    changed(config(), |config| config.encoder.set_file_name(format!("toy-{kind}")))
}

/// Returns the subwords of a text, with the special ones around them.
fn subwords(model: &Bert, text: &str) -> Vec<u32> {
    let special = model.subwords.special();
    let words = text.split_whitespace().flat_map(|word| model.subwords.of(word).unwrap());
    [special.first].into_iter().chain(words).chain([special.last]).collect()
}

pub(super) const KINDS: [&str; 6] = ["bert", "roberta", "xlm-roberta", "distilbert", "electra", "mpnet"];

#[test]
fn a_model_on_an_encoder_of_every_kind_is_saved_and_read_again() {
    let temporary = tempfile::tempdir().unwrap();
    for kind in KINDS {
        let config = changed(on(kind), |config| {
            config.training.shared.epochs = Some(1);
            config.training.frozen = Some(0);
        });
        let corpus = corpus();
        let model = train(&config, &corpus).unwrap();
        let draft = methods::train(&config, &corpus, Vec::new(), NonZeroUsize::MIN, &mut |_| {}).unwrap();
        let settings = &draft.manifest().settings;
        let weights = fs::read(config.encoder.join(WEIGHTS)).unwrap();
        let FileRecord { bytes: size, crc32, .. } = FileRecord::of(WEIGHTS, &weights);
        let encoder = serde_json::json!({ "name": format!("toy-{kind}"), "bytes": size, "crc32": crc32 });
        assert_eq!((&settings["encoder"], &settings["config"]["window"]), (&encoder, &40.into()), "{kind}");
        draft.save(temporary.path().join(kind), false).unwrap();
        let again = load(&*model::open(temporary.path().join(kind)).unwrap(), &Backend::default()).unwrap();
        assert!(bytes(&again) == bytes(&model), "{kind}");
        let words = "who met the minister of mcdonald in lisbon and said nato to us";
        assert_eq!(restored(&again, words), restored(&model, words), "{kind}");
        assert_eq!(again.settings.window, 40);
        let check = compare(&again.scorer, &subwords(&again, words));
        assert!(check.graph <= check.tolerance && check.engine <= check.tolerance, "{kind}: {check:?}");
    }
}

#[test]
fn an_engine_with_other_weights_fails_the_check_of_the_encoder() {
    let config = changed(config(), |config| {
        config.training.shared.epochs = Some(1);
        config.training.frozen = Some(1);
    });
    let mut model = train(&config, &corpus()).unwrap();
    let mut weights = model.scorer.weights.clone();
    let dense = weights.get_mut("bert.encoder.layer.0.output.dense.weight").unwrap();
    *dense = (&*dense * 3.0).unwrap();
    let engine = EngineScorer::new(&TensorWeights(&weights), &model.config, EnginePrecision::F32).unwrap();
    model.scorer.engine = OnceLock::from(engine);
    let check = compare(&model.scorer, &subwords(&model, "who met anna"));
    assert!(check.graph <= check.tolerance && check.engine > check.tolerance, "{check:?}");
}

#[test]
fn the_weights_of_layers_move_at_a_rate_of_their_own() {
    // The encoder stays frozen, and its rate is 0: only a rate of their own can move them.
    let still = changed(config(), |config| {
        config.training.shared.epochs = Some(2);
        config.training.frozen = Some(2);
        config.training.shared.rate = Some(0.0);
        config.training.shared.held_out = Some(0.0);
    });
    let moving = changed(still.clone(), |config| {
        config.training.scalar_rate = Some(0.02);
    });
    let weights =
        |config: &BertConfig| train(config, &corpus()).unwrap().scorer.tagger.layer_weights().unwrap();
    // Equal weights of two layers and the embeddings.
    assert!(weights(&still).iter().all(|weight| (weight - 1.0 / 3.0).abs() < 1e-6));
    let moved = weights(&moving);
    assert!(moved.iter().any(|weight| (weight - 1.0 / 3.0).abs() > 0.01), "{moved:?}");
    let negative = changed(still, |config| {
        config.training.scalar_rate = Some(-1.0);
    });
    let problem = train(&negative, &corpus()).unwrap_err().to_string();
    assert!(problem.contains("scalar-rate"), "{problem}");
}

#[test]
fn a_cut_vocabulary_leaves_the_states_of_the_training_text_to_the_bit() {
    let text = "who met Anna in Lisbon and said NATO\n";
    for kind in KINDS {
        let whole = Pretrained::read(&on(kind).encoder).unwrap();
        let words = whole.config.vocab_size;
        let cut = keep_subwords(Pretrained::read(&on(kind).encoder).unwrap(), &of_text(text)).unwrap();
        assert!(cut.config.vocab_size < words, "{kind}");
        let states = |of: &Pretrained| {
            let mut ids = vec![of.subwords.special.first];
            ids.extend(text.to_lowercase().split_whitespace().flat_map(|word| of.subwords.of(word).unwrap()));
            let batch = EncoderBatch::new([ids.as_slice()], of.subwords.special.padding);
            let encoder = BertEncoder::new(&of.weights, "", &of.config).unwrap();
            let states = encoder.hidden_states(&batch, encoder.words(), &mut NoDropout).unwrap();
            states.iter().map(|state| state.to_vec2::<f32>().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(states(&cut), states(&whole), "{kind}");
        let config = changed(on(kind), |config| {
            config.training.shared.epochs = Some(1);
            config.keep_subwords = true;
            config.training.shared.held_out = Some(0.0);
        });
        let model = train(&config, &of_text(&text.repeat(3))).unwrap();
        assert_eq!(model.settings.kept_subwords, Some(cut.config.vocab_size), "{kind}");
        // A word that the text lacks has subwords all the same.
        assert_eq!(restored(&model, "york").len(), 4);
    }
}

#[test]
fn every_weight_has_a_gradient() {
    KINDS.into_iter().for_each(check_gradients);
}

fn check_gradients(kind: &str) {
    // The weight of a dropped layer would have no gradient.
    let toy = ToyTraining::new(changed(on(kind), |config| {
        config.training.layer_dropout = Some(0.0);
    }));
    let mut trainer = toy.trainer();
    trainer.begin_epoch(1).unwrap();
    let batch: Vec<_> = toy.dataset.train.iter().take(8).collect();
    let grads = trainer.gradients(&batch, 1, true).unwrap();
    for name in trainer.state.weights.keys() {
        let grad = grads.of.get(name).unwrap_or_else(|| panic!("{name} of {kind} has no gradient"));
        let most = read(grad, |grad| grad.iter().fold(0.0f32, |most, value| most.max(value.abs()))).unwrap();
        // A bias of keys adds the same to all scores of a row, so nothing depends on it.
        let is_needed = !name.ends_with("key.bias");
        assert!(most > 1e-6 || !is_needed, "the gradient of {name} of {kind} is at most {most}");
    }
}

#[test]
fn gradients_by_hand_are_those_of_the_graph() {
    for kind in KINDS {
        let quiet = changed(on(kind), |config| {
            config.training.shared.dropout = Some(0.0);
            config.training.layer_dropout = Some(0.0);
        });
        let mut toy = ToyTraining::new(quiet);
        (toy.encoder.hidden_dropout_prob, toy.encoder.attention_probs_dropout_prob) = (0.0, 0.0);
        let mut trainer = toy.trainer();
        for (epoch, encoder) in [(0, false), (1, true)] {
            trainer.begin_epoch(epoch).unwrap();
            let batch: Vec<_> = toy.dataset.train.iter().take(8).collect();
            let found = trainer.gradients(&batch, 1, encoder).unwrap();
            let expected = trainer.gradients_on_device(&batch, 1, encoder).unwrap();
            assert!((found.loss - expected.loss).abs() < 1e-5, "{kind}: {} {}", found.loss, expected.loss);
            assert!(found.of.keys().eq(expected.of.keys()), "{kind}");
            assert!(found.of.len() > if encoder { 30 } else { 1 }, "{kind}");
            for (name, grad) in &found.of {
                let mut expected = expected.of[name].clone();
                if name.ends_with("word_embeddings.weight") {
                    // The padding of the graph is not a subword of a text.
                    let subwords = &trainer.gradients_on_device(&batch, 1, encoder).unwrap().subwords;
                    let at =
                        |subword: &u32| subwords.iter().position(|other| other == subword).unwrap() as u32;
                    let rows: Vec<u32> = found.subwords.iter().map(at).collect();
                    let rows = candle_core::Tensor::new(rows, expected.device()).unwrap();
                    expected = expected.index_select(&rows, 0).unwrap();
                }
                let far = (grad - &expected).unwrap().abs().unwrap().flatten_all().unwrap().max(0).unwrap();
                let far = far.to_scalar::<f32>().unwrap();
                assert!(far < 2e-5, "{name} of {kind}: {far}");
            }
        }
    }
}

#[test]
fn gradients_of_short_numbers_point_the_same_way() {
    let mut toy = ToyTraining::quiet();
    let gradients = |toy: &ToyTraining| {
        let mut trainer = toy.trainer();
        trainer.begin_epoch(0).unwrap();
        let batch: Vec<_> = toy.dataset.train.iter().take(8).collect();
        let found = trainer.gradients(&batch, 1, true).unwrap();
        let of_layers = found.of.iter().filter(|(name, _)| name.contains("encoder.layer"));
        of_layers
            .flat_map(|(_, grad)| grad.flatten_all().unwrap().to_vec1::<f32>().unwrap())
            .collect::<Vec<_>>()
    };
    let exact = gradients(&toy);
    toy.config.precision = ProductPrecision::Bf16;
    let short = gradients(&toy);
    assert_eq!(exact != short, ProductPrecision::Bf16.rounds());
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let cosine = product(&exact, &short) / (product(&exact, &exact) * product(&short, &short)).sqrt();
    assert!(cosine > 0.999, "{cosine}");
}

#[test]
fn gradients_are_the_differences_of_the_loss() {
    [
        ToyTraining::quiet(),
        ToyTraining::new(changed(config(), |config| {
            config.training.layer_dropout = Some(0.0);
            config.training.frozen = Some(0);
        })),
    ]
    .into_iter()
    .for_each(check_differences);
}

/// Checks the largest gradient of each weight. A step drops the same values whenever it is made.
fn check_differences(toy: ToyTraining) {
    let mut trainer = toy.trainer();
    trainer.begin_epoch(0).unwrap();
    let batch: Vec<_> = toy.dataset.train.iter().take(8).collect();
    let gradients = |encoder| trainer.gradients(&batch, 1, encoder).unwrap();
    let grads = gradients(true);
    for (name, var) in &trainer.state.weights {
        let is_words = name.ends_with("word_embeddings.weight");
        let grad: Vec<f32> = grads.of[name].flatten_all().unwrap().to_vec1().unwrap();
        // The largest gradient shows best.
        let at = (0..grad.len()).max_by(|&a, &b| grad[a].abs().total_cmp(&grad[b].abs())).unwrap();
        let width = toy.encoder.hidden_size;
        let position = if is_words { grads.subwords[at / width] as usize * width + at % width } else { at };
        let start: Vec<f32> = var.flatten_all().unwrap().to_vec1().unwrap();
        let moved = |by: f32| {
            let mut values = start.clone();
            values[position] += by;
            var.set(&candle_core::Tensor::from_vec(values, var.dims(), var.device()).unwrap()).unwrap();
            gradients(false).loss as f32
        };
        let step = 4e-3;
        let expected = (moved(step) - moved(-step)) / (2.0 * step);
        moved(0.0);
        let far = (expected - grad[at]).abs();
        assert!(far < 2e-3 * (1.0 + grad[at].abs()), "{name}: {}, but {expected}", grad[at]);
    }
}

#[test]
fn what_is_frozen_stays_to_the_bit() {
    let config = changed(config(), |config| {
        config.training.shared.epochs = Some(1);
    });
    let model = train(&config, &corpus()).unwrap();
    let toy = ToyTraining::new(config);
    for (name, tensor) in &model.scorer.weights {
        let values = |tensor: &candle_core::Tensor| tensor.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        let moves = HEADS.iter().any(|head| name.starts_with(head));
        assert_eq!(values(tensor) != values(&toy.weights[name]), moves, "{name}");
    }
}

#[test]
fn the_same_seed_gives_equal_bytes_and_another_seed_does_not() {
    let of = |seed| {
        bytes(
            &train(
                &changed(config(), |config| {
                    config.training.shared.seed = Some(seed);
                }),
                &corpus(),
            )
            .unwrap(),
        )
    };
    let first = of(1);
    assert!(of(1) == first && of(2) != first);
}

#[test]
fn a_checkpoint_changes_nothing_and_gives_the_same_model_at_once() {
    let temporary = tempfile::tempdir().unwrap();
    let file = temporary.path().join("checkpoint");
    let log = temporary.path().join("log");
    let whole = train(&config(), &corpus()).unwrap();
    let config = changed(config(), |config| {
        config.training.shared.checkpoint = Some(file.clone());
        config.training.shared.log = Some(log.clone());
    });
    let corpus = corpus();
    // From scratch with a checkpoint, and once more from that checkpoint.
    assert!(bytes(&train(&config, &corpus).unwrap()) == bytes(&whole));
    let held = fs::read(&file).unwrap();
    assert!(bytes(&train(&config, &corpus).unwrap()) == bytes(&whole));
    let lines = fs::read_to_string(&log).unwrap();
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    assert!(lines.contains("held_out_ser"));

    let refused = |config: &BertConfig| train(config, &corpus).unwrap_err().to_string();
    assert!(
        refused(&changed(config.clone(), |config| {
            config.training.shared.seed = Some(2);
        }))
        .contains("is of a training with seed 1, but this one has 2")
    );
    for len in (0..held.len()).step_by(997) {
        fs::write(&file, &held[..len]).unwrap();
        assert!(refused(&config).contains("is not a checkpoint of bert"), "{len}");
    }
}

#[test]
fn a_checkpoint_knows_its_text_and_its_encoder_by_what_they_hold() {
    let temporary = tempfile::tempdir().unwrap();
    let checkpoint = Some(temporary.path().join("checkpoint"));
    let config = changed(config(), |config| {
        config.training.shared.epochs = Some(1);
        config.training.shared.held_out = Some(0.0);
        config.training.shared.checkpoint = checkpoint;
    });
    let text = "the minister of Anna met us\nwho said to us in York\n".repeat(5);
    train(&config, &of_text(&text)).unwrap();
    // Files of the same names and sizes.
    let problem = train(&config, &of_text(&text.replace("minister", "Minister"))).unwrap_err().to_string();
    assert!(problem.contains("a text has been changed since the training began"), "{problem}");
    let other = temporary.path().join("toy-bert");
    fs::create_dir(&other).unwrap();
    for name in ["config.json", "vocab.txt", "model.safetensors"] {
        fs::copy(config.encoder.join(name), other.join(name)).unwrap();
    }
    let same = changed(config, |config| {
        config.encoder = other.clone();
    });
    train(&same, &of_text(&text)).unwrap();
    let mut weights = Pretrained::read(&other).unwrap().weights;
    let changed = weights["embeddings.LayerNorm.bias"].affine(1.0, 0.5).unwrap();
    weights.insert("embeddings.LayerNorm.bias".to_owned(), changed);
    fs::write(other.join("model.safetensors"), weights::write(&weights).unwrap()).unwrap();
    let problem = train(&same, &of_text(&text)).unwrap_err().to_string();
    assert!(problem.contains("the encoder or model has been changed since the training began"), "{problem}");
}

#[test]
fn a_training_tells_how_far_it_is_after_each_step() {
    let mut told = Vec::new();
    super::train(&config(), &corpus(), NonZeroUsize::MIN, &mut |now| told.push(*now)).unwrap();
    let steps: Vec<usize> = told.iter().map(|now| now.step).collect();
    assert_eq!(steps, (1..=told.len()).collect::<Vec<_>>());
    let (first, last) = (told[0], told[told.len() - 1]);
    assert_eq!((first.epoch, first.epochs, first.steps, first.held_out_ser), (1, 3, told.len(), None));
    assert_eq!((last.epoch, last.held_out_ser.is_some()), (3, true));
    assert!(matches!(first.left, Left::Epoch(_)) && matches!(last.left, Left::All(_)));
    assert!(told.iter().all(|now| now.loss > 0.0 && now.subwords_per_second > 0.0));
}

#[test]
fn any_number_of_threads_learns_the_same() {
    // All in one batch, so that products are large enough to be shared out.
    let text =
        "the minister of Anna met us and the NATO in Lisbon\nwho said to us in York with the minister\n";
    let corpus = of_text(&text.repeat(150));
    let config = changed(config(), |config| {
        config.training.shared.epochs = Some(2);
        config.training.frozen = Some(0);
        config.training.batch = Some(300);
    });
    let train = |threads| {
        let threads = NonZeroUsize::new(threads).unwrap();
        bytes(&super::train(&config, &corpus, threads, &mut |_| {}).unwrap())
    };
    assert!(train(1) == train(3));
}

#[test]
fn a_state_in_the_middle_of_an_epoch_goes_on_to_the_same_weights() {
    // The 3 steps of the second epoch end between two synchronisations.
    let look_ahead = OptimizerConfig { name: Optimizer::Radam, sync_period: 2, slow_step_size: 0.4 };
    [OptimizerConfig::ADAM, look_ahead].into_iter().for_each(goes_on_from_its_middle);
}

fn goes_on_from_its_middle(optimizer: OptimizerConfig) {
    let temporary = tempfile::tempdir().unwrap();
    let config = changed(config(), |config| {
        config.training = with_optimizer(config.training.clone(), optimizer);
        config.training.shared.held_out = Some(0.0);
        config.training.shared.checkpoint = Some(temporary.path().join("checkpoint"));
        config.training.shared.checkpoint_every = 2;
    });
    let toy = ToyTraining::new(config.clone());
    let record = config.record();
    let (training, batch) = (record.training, record.training.batch_size());
    let options = NetworkTrainingOptions::default();
    let run = |trainer, position| {
        let (dataset, training, threads) = (&toy.dataset, training.shared, NonZeroUsize::MIN);
        let setup = TrainSetup { dataset, options: &options, training, batch, threads };
        let train_loop = TrainLoop { trainer, position, setup };
        weights::write(&train_loop.run(&mut |_| {}).unwrap()).unwrap()
    };
    let whole = run(toy.trainer(), TrainPosition::default());
    let checkpoint = BertCheckpoint::new(&config.training.shared, &record, &corpus()).unwrap().unwrap();
    let checkpoint = checkpoint.of(toy.dataset.digest, &toy.weights).unwrap();
    let shapes = names::tagger_shapes(&toy.encoder, Heads::of(&toy.dataset.labels).sizes());
    let mut trainer = toy.trainer();
    for epoch in 0..2 {
        trainer.begin_epoch(epoch).unwrap();
        let batches = toy.dataset.batches(TaggerTrainer::length, batch, training.shared.seed, epoch);
        let end = if epoch == 1 { 3 } else { batches.len() };
        for (at, batch) in batches.iter().enumerate().take(end) {
            let (number, steps_per_epoch) = (epoch * batches.len() + at, batches.len());
            let steps = training.shared.epochs * steps_per_epoch;
            trainer.step(batch, TrainStep { epoch, number, steps_per_epoch, steps }).unwrap();
        }
    }
    let position = TrainPosition { epoch: 1, batches: 3, ..TrainPosition::default() };
    checkpoint.write(&trainer.state, &position).unwrap();
    let (state, position) = checkpoint.read(&shapes).unwrap().unwrap();
    assert_eq!((position.epoch, position.batches), (1, 3));
    let moments = |state: &TaggerState| {
        let all = state.moments.iter();
        all.map(|(name, of)| (name.clone(), of.steps, of.means().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(moments(&state), moments(&trainer.state));
    assert_eq!(state.slow.len(), if optimizer.sync_period > 0 { state.moments.len() } else { 0 });
    assert!(run(TaggerTrainer { state, ..toy.trainer() }, position) == whole);
}

/// Trains with plain tensor operations, to compare with the trainer: RAdam in LookAhead, one step
/// after the other, without any row left out.
#[test]
fn weights_move_as_the_papers_say() {
    let (period, fraction) = (3, 0.4f32);
    let mut toy = ToyTraining::quiet();
    let optimizer =
        OptimizerConfig { name: Optimizer::Radam, sync_period: period, slow_step_size: f64::from(fraction) };
    toy.config.training = with_optimizer(toy.config.training, optimizer);
    let shared = &mut toy.config.training.shared;
    (shared.clip, shared.warm_up, shared.held_out) = (Some(0.0), Some(0), Some(0.0));
    let values = |tensor: &candle_core::Tensor| tensor.flatten_all().unwrap().to_vec1::<f32>().unwrap();
    let mut trainer = toy.trainer();
    trainer.begin_epoch(0).unwrap();
    let batch: Vec<_> = toy.dataset.train.iter().take(8).collect();
    // Per tensor: the values, the slow ones, and the running means of the gradient and its square.
    let mut slow_twin: std::collections::BTreeMap<String, [Vec<f32>; 4]> = trainer
        .state
        .weights
        .iter()
        .map(|(name, var)| {
            let start = values(var);
            let zeros = vec![0.0; start.len()];
            (name.clone(), [start.clone(), start, zeros.clone(), zeros])
        })
        .collect();
    for number in 0..8 {
        let grads = trainer.gradients(&batch, number, true).unwrap();
        let step = number as f32 + 1.0;
        // Liu et al. 2020, algorithm 2.
        let most = 2.0 / (1.0 - 0.999f64) - 1.0;
        let power = 0.999f64.powf(f64::from(step));
        let length = most - 2.0 * f64::from(step) * power / (1.0 - power);
        let rectified =
            ((length - 4.0) * (length - 2.0) * most / ((most - 4.0) * (most - 2.0) * length)).sqrt();
        for (name, [now, slow, means, squares]) in &mut slow_twin {
            let mut grad = vec![0.0; now.len()];
            if name.ends_with("word_embeddings.weight") {
                let width = toy.encoder.hidden_size;
                for (id, row) in grads.subwords.iter().zip(values(&grads.of[name]).chunks(width)) {
                    grad[*id as usize * width..][..width].copy_from_slice(row);
                }
            } else {
                grad = values(&grads.of[name]);
            }
            let rate = if HEADS.iter().any(|head| name.starts_with(head)) { 1e-2 } else { 3e-3 };
            for at in 0..now.len() {
                means[at] = 0.9 * means[at] + 0.1 * grad[at];
                squares[at] = 0.999 * squares[at] + 0.001 * grad[at] * grad[at];
                let mean = means[at] / (1.0 - 0.9f32.powf(step));
                let root = (squares[at] / (1.0 - 0.999f32.powf(step))).sqrt();
                let towards = if length > 4.0 { rectified as f32 * mean / (root + 1e-8) } else { mean };
                now[at] -= rate * towards;
                if (number + 1) % period == 0 {
                    slow[at] += fraction * (now[at] - slow[at]);
                    now[at] = slow[at];
                }
            }
        }
        let step = TrainStep { epoch: 0, number: number as usize, steps_per_epoch: 8, steps: 8 };
        trainer.step(&batch, step).unwrap();
        let model = trainer.weights().unwrap();
        for (name, [now, slow, ..]) in &slow_twin {
            let near = |found: &candle_core::Tensor, expected: &dyn Fn(usize) -> f32| {
                let found = values(found);
                let furthest =
                    (0..found.len()).map(|at| (found[at] - expected(at)).abs()).fold(0.0, f32::max);
                assert!(furthest < 1e-4, "{name} after step {number}: {furthest}");
            };
            near(&trainer.state.weights[name], &|at| now[at]);
            near(&model[name], &|at| slow[at] + fraction * (now[at] - slow[at]));
        }
    }
}

#[test]
fn a_tagger_learns_with_each_loss() {
    let corpus = corpus();
    let trained = |focal_loss, class_weights| {
        let loss = LossConfig { focal_loss, class_weights };
        let config = changed(config(), |config| {
            config.training.shared.epochs = Some(30);
            config.training.frozen = Some(0);
            config.training.shared.held_out = Some(0.0);
            config.loss = loss;
        });
        let model = train(&config, &corpus).unwrap();
        let score = evaluate_corpus(&model, Request::default(), &corpus).unwrap();
        let ser = score.all().slots(Matching::Spelling).ser().unwrap();
        assert!(ser < 0.1, "focal loss {focal_loss}, class weights {class_weights}: SER {ser}");
        bytes(&model)
    };
    let models = [trained(0.0, false), trained(2.0, false), trained(0.0, true), trained(2.0, true)];
    assert!((1..4).all(|at| models[..at].iter().all(|model| *model != models[at])));
}

#[test]
fn settings_of_adam_alone_are_written_as_before_there_were_others() {
    let written = |config: &BertConfig| serde_json::to_value(config.record()).unwrap();
    let plain = written(&config());
    for name in ["optimizer", "sync_period", "slow_step_size", "focal_loss", "class_weights"] {
        assert!(plain.get(name).is_none(), "{name}: {plain}");
    }
    let other = written(&changed(config(), |config| config.training.sync_period = Some(6)));
    assert_eq!((&other["optimizer"], &other["sync_period"]), (&"adam".into(), &6.into()));
}

/// A model that never saw a word in mixed case, and a text that has some, and capitals where the
/// model chooses none.
fn adaptable() -> (Bert, Corpus) {
    let known =
        "the minister of Anna met us and the NATO in Lisbon\nwho said to us in York with the minister\n";
    let config = changed(config(), |config| {
        config.training.shared.epochs = Some(30);
        config.training.shared.held_out = Some(0.0);
        config.training.decay = true;
    });
    let model = train(&config, &of_text(&known.repeat(10))).unwrap();
    let other = "who met the Minister of McBride with Anna\nthe BBC said to the Minister of York in Lisbon\n";
    (model, of_text(&other.repeat(10)))
}

#[test]
fn a_text_that_is_written_in_another_way_is_adapted_to() {
    let (model, corpus) = adaptable();
    let before = bytes(&model);
    let words = "who met the minister of mcbride with anna";
    assert!(restored(&model, words).contains("the minister of mcbride"));
    let adaptation = changed(BertAdaptation::default(), |config| {
        config.training.shared.epochs = Some(30);
        config.training.shared.rate = Some(3e-3);
        config.training.head_rate = Some(1e-2);
        config.training.shared.held_out = Some(0.0);
        config.training.shared.warm_up = Some(3);
    });
    let new = adapt(&adaptation, &model, &corpus).unwrap();
    assert_eq!(restored(&new, words), "who met the Minister of McBride with Anna");
    assert!(bytes(&model) == before, "the model itself stays");
    let classes = |model: &Bert| {
        (0..model.labels().len()).map(|id| model.labels().get(id).unwrap().0).collect::<Vec<_>>()
    };
    assert_eq!((classes(&model), classes(&new)), (Class::ALL[..3].to_vec(), Class::ALL.to_vec()));
    // Earlier spellings stay if the next text does not contain the word.
    let again = adapt(&adaptation, &new, &of_text("who met Anna\nwe said to us\n")).unwrap();
    assert_eq!((again.labels(), again.cases.text()), (new.labels(), "McBride\n"));
}

#[test]
fn steps_of_length_0_change_no_weight_and_a_new_label_begins_with_0() {
    let (model, corpus) = adaptable();
    let still = changed(BertAdaptation::default(), |config| {
        config.training.shared.rate = Some(0.0);
        config.training.head_rate = Some(0.0);
    });
    let new = adapt(&still, &model, &corpus).unwrap();
    let values = |tensor: &candle_core::Tensor| tensor.flatten_all().unwrap().to_vec1::<f32>().unwrap();
    for (name, tensor) in &new.scorer.weights {
        let (now, old) = (values(tensor), values(&model.scorer.weights[name]));
        assert_eq!(now[..old.len()], old, "{name}");
        assert!(now[old.len()..].iter().all(|&value| value == 0.0), "{name}");
    }
    let words = "who met the minister of york and us with nato";
    assert_eq!(restored(&new, words), restored(&model, words));
}

#[test]
fn adapting_goes_on_from_its_checkpoint_to_the_same_model() {
    let temporary = tempfile::tempdir().unwrap();
    let (model, corpus) = adaptable();
    let adaptation = changed(BertAdaptation::default(), |config| {
        config.training.shared.held_out = Some(0.2);
        config.training.batch = Some(2);
        config.training.shared.rate = Some(1e-3);
    });
    let whole = bytes(&adapt(&adaptation, &model, &corpus).unwrap());
    let checkpoint = Some(temporary.path().join("checkpoint"));
    let kept = changed(adaptation.clone(), |config| {
        config.training.shared.checkpoint = checkpoint;
        config.training.shared.checkpoint_every = 3;
    });
    for _ in 0..2 {
        assert!(bytes(&adapt(&kept, &model, &corpus).unwrap()) == whole);
    }
    let problem = adapt(
        &changed(kept, |config| {
            config.training.shared.seed = Some(2);
        }),
        &model,
        &corpus,
    )
    .unwrap_err()
    .to_string();
    assert!(problem.contains("is of a training with seed 1, but this one has 2"), "{problem}");
    let turkish = Corpus::of_text("a B\n", Reading::default(), Protocol::Rei, "tr".parse().unwrap());
    let problem = adapt(&adaptation, &model, &turkish).unwrap_err().to_string();
    assert!(problem.contains("\"tr\"") && problem.contains("`lang`"), "{problem}");
}

#[test]
fn adapting_takes_the_optimiser_of_the_training_unless_another_is_named() {
    let optimizer = OptimizerConfig { name: Optimizer::Radam, sync_period: 2, slow_step_size: 0.4 };
    let trained = |config: &BertConfig| serde_json::json!({ "config": config.record() });
    let (plain, other) = (
        trained(&config()),
        trained(&changed(config(), |config| {
            config.training = with_optimizer(config.training.clone(), optimizer)
        })),
    );
    let named = changed(BertAdaptation::default(), |config| {
        config.training.optimizer = Some(Optimizer::Adam);
        config.training.sync_period = Some(0);
    });
    let of = |adaptation: &BertAdaptation, trained| adaptation.as_trained(trained).optimizer;
    assert_eq!(of(&BertAdaptation::default(), &plain), OptimizerConfig::ADAM);
    assert_eq!(of(&BertAdaptation::default(), &other), optimizer);
    let expected = OptimizerConfig { name: Optimizer::Adam, sync_period: 0, slow_step_size: 0.4 };
    assert_eq!(of(&named, &other), expected);
}

#[test]
fn an_encoder_that_cannot_be_used_is_named() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("encoder");
    let refused = |change: &dyn Fn()| {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        for name in ["config.json", "vocab.txt", "model.safetensors"] {
            fs::copy(config().encoder.join(name), folder.join(name)).unwrap();
        }
        change();
        let config = changed(config(), |config| {
            config.encoder = folder.clone();
        });
        train(&config, &corpus()).unwrap_err().to_string()
    };
    let remove = |name: &str| fs::remove_file(folder.join(name)).unwrap();
    let has = |found: String, what: &str| assert!(found.contains(what), "{found:?} lacks {what:?}");
    has(refused(&|| fs::remove_dir_all(&folder).unwrap()), "there is no such folder");
    has(refused(&|| remove("config.json")), "config.json: is missing");
    has(refused(&|| remove("vocab.txt")), "tokenizer.json: is missing");
    let old = || {
        remove("vocab.txt");
        fs::write(folder.join("merges.txt"), "").unwrap();
    };
    has(refused(&old), "has no tokenizer.json, only the files that older programs read");
    has(
        refused(&|| fs::write(folder.join("tokenizer_config.json"), "{").unwrap()),
        "tokenizer_config.json: is not JSON",
    );
    has(refused(&|| remove("model.safetensors")), "model.safetensors: is missing");
    let torch = || {
        remove("model.safetensors");
        fs::write(folder.join("pytorch_model.bin"), "").unwrap();
    };
    has(refused(&torch), "has pytorch_model.bin, but no model.safetensors");
    has(
        refused(&|| fs::write(folder.join("model.safetensors"), "weights").unwrap()),
        "is not a safetensors file",
    );
    has(
        refused(&|| fs::write(folder.join("vocab.txt"), "[PAD]\n").unwrap()),
        "has no subword for the beginning of a text",
    );
    has(
        refused(&|| fs::write(folder.join("config.json"), "{\"model_type\":\"gpt2\"}").unwrap()),
        "model_type \"gpt2\"",
    );
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let refused = |config: BertConfig| train(&config, &corpus()).unwrap_err().to_string();
    let slow_step = |slow_step_size| {
        changed(config(), |config| {
            config.training.slow_step_size = Some(slow_step_size);
        })
    };
    let focal = |focal_loss| {
        changed(config(), |config| {
            config.loss = LossConfig { focal_loss, ..Default::default() };
        })
    };
    for (config, what) in [
        (
            changed(config(), |config| {
                config.training.shared.epochs = Some(0);
            }),
            "`epochs` 0",
        ),
        (
            changed(config(), |config| {
                config.training.shared.dropout = Some(1.0);
            }),
            "`dropout` 1",
        ),
        (
            changed(config(), |config| {
                config.training.shared.rate = Some(f64::NAN);
            }),
            "`rate` NaN",
        ),
        (
            changed(config(), |config| {
                config.window = Some(2);
            }),
            "`window` 2",
        ),
        (
            changed(config(), |config| {
                config.window = Some(41);
            }),
            "toy-bert accepts texts of at most 40 subwords",
        ),
        (focal(-1.0), "`focal-loss` -1"),
        (focal(f64::INFINITY), "`focal-loss` inf"),
        (slow_step(0.0), "`slow-step-size` 0"),
        (slow_step(1.1), "`slow-step-size` 1.1"),
        (slow_step(f64::NAN), "`slow-step-size` NaN"),
        (
            changed(config(), |config| {
                config.training.device = Device::Cuda(999);
            }),
            "`device` cuda:999: ",
        ),
    ] {
        let found = refused(config);
        assert!(found.contains(what), "{found}");
    }
}

#[test]
fn the_loss_is_that_of_a_pencil() {
    let scores = Var::new(&[[0.0f32, 0.0], [0.0, 1.098_612_3]], &candle_core::Device::Cpu).unwrap();
    let labels = candle_core::Tensor::new(&[0u32, 1], scores.device()).unwrap();
    let loss = HeadLoss::default().mean(&scores, &labels).unwrap().to_scalar::<f32>().unwrap();
    // (−ln 1/2 − ln 3/4) / 2 = (0.6931 + 0.2877) / 2
    assert!((loss - 0.490_415).abs() < 1e-5, "{loss}");
}
