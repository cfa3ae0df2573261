//! Trainings of small networks.

use super::samples::WordSample;
use super::*;
use crate::bilstm::network::{WordBatch, forward, scores_of};
use crate::bilstm::weights::WeightsView;
use crate::bilstm::windows::seen;
use crate::shared::gold::WordLabels;
use crate::shared::predict::HeadOptions;
use crate::shared::sparse_adam::TableGradient;
use crate::shared::toy_texts::{changed, corpus, marked_corpus};
use majuscule_methods::model::Packed;
use majuscule_text::restorer::Restorer as _;
use majuscule_text::{Choice, Locale, MarkSet, Token, Tokens};
use majuscule_train::eval::{Matching, evaluate_corpus};
use majuscule_train::methods;
use majuscule_train::methods::balance::MarkOptions;

fn config() -> BilstmConfig {
    changed(BilstmConfig::default(), |config| {
        config.word = 8;
        config.hidden = 10;
        config.training.epochs = Some(3);
        config.training.rate = Some(1e-2);
        config.batch = 8;
        config.training.held_out = Some(0.1);
    })
}

fn with_marks() -> HeadOptions {
    HeadOptions { punctuation: MarkOptions::of(MarkSet::USUAL), ..HeadOptions::default() }
}

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

fn bytes(model: &Bilstm) -> Vec<u8> {
    model.sections().into_iter().flat_map(|(_, bytes)| bytes).collect()
}

/// A network and its samples.
struct ToyNetwork {
    config: BilstmConfig,
    samples: WordSamples,
    layout: WeightLayout,
    weights: Vec<f32>,
}

impl ToyNetwork {
    fn quiet() -> Self {
        Self::of(config(), &corpus())
    }

    /// Without dropout, so that the loss is a function of the weights.
    fn of(config: BilstmConfig, corpus: &Corpus) -> Self {
        let config = changed(config, |config| {
            config.training.dropout = Some(0.0);
            config.unknown = 0.0;
        });
        let samples = WordSamples::read(&config, config.record().training.split(corpus)).unwrap();
        let (words, letters) = (samples.vocabulary.words(), samples.vocabulary.letters());
        let layout =
            WeightLayout::new(config.widths(), words, letters, Heads::of(&samples.dataset.labels).sizes());
        let mut weights = init_weights(&layout, 1);
        // The chain is initialised with zeros, which would hide its effect.
        let chain = layout.between.start..layout.last.end;
        weights[chain].iter_mut().enumerate().for_each(|(at, value)| *value = (at % 5) as f32 / 5.0 - 0.4);
        Self { config, samples, layout, weights }
    }

    /// Texts of several lengths, some words without a label.
    fn batch(&self) -> Vec<WordSample> {
        let mut batch: Vec<WordSample> = self.samples.dataset.train.iter().take(7).cloned().collect();
        for (at, sample) in batch.iter_mut().enumerate() {
            let len = sample.window.words.len() - at % 4;
            sample.window.words.truncate(len);
            sample.labels.truncate(len);
            sample.labels[at % len] = WordLabels::default();
        }
        batch
    }
}

#[test]
fn gradients_are_the_differences_of_the_loss() {
    check_gradients(&ToyNetwork::quiet());
    let config = changed(config(), |config| {
        config.heads = with_marks();
        config.window = 12;
    });
    check_gradients(&ToyNetwork::of(config, &marked_corpus(40)));
}

fn check_gradients(toy: &ToyNetwork) {
    let batch = toy.batch();
    let batch: Vec<&WordSample> = batch.iter().collect();
    let model = |_| unreachable!("no model is made here");
    let layout = toy.layout.clone();
    let training = toy.config.record().training;
    let network = BilstmTrainer { training, unknown: 0.0, samples: &toy.samples, layout, model: &model };
    let (layout, mut weights) = (&toy.layout, toy.weights.clone());
    let (_, gradient) = network.gradient(&weights, &batch, 0);
    let mut all = gradient.dense.clone();
    all.resize(layout.len(), 0.0);
    for (start, row) in gradient.tables.iter().flat_map(TableGradient::positions) {
        all[start..start + row.len()].copy_from_slice(row);
    }
    for (name, part) in layout.parts() {
        assert!(all[part.clone()].iter().any(|value| value.abs() > 1e-4), "{name} has no gradient");
        for at in part {
            let start = weights[at];
            let step = 4e-3;
            let mut moved = |by: f32| {
                weights[at] = start + by;
                network.gradient(&weights, &batch, 0).0
            };
            let expected = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
            weights[at] = start;
            let far = (expected - f64::from(all[at])).abs();
            assert!(far < 1e-3 * (1.0 + expected.abs()), "{name} {at}: {}, but {expected}", all[at]);
        }
    }
}

#[test]
fn texts_in_a_batch_have_the_scores_that_they_have_alone() {
    let toy = ToyNetwork::quiet();
    let batch = toy.batch();
    let texts: Vec<_> = batch.iter().map(|sample| seen(&sample.window)).collect();
    let scores = |texts: &[Vec<_>]| {
        let batch = WordBatch::new(texts);
        let forward = forward(WeightsView { layout: &toy.layout, values: &toy.weights }, &batch, &mut |_| {});
        let mut scores = vec![Vec::new(); texts.len()];
        for (text, rows) in batch.texts() {
            scores[text] = scores_of(&forward.scores, &rows, toy.layout.heads).concat();
        }
        scores
    };
    for (text, together) in texts.iter().zip(scores(&texts)) {
        let alone = scores(std::slice::from_ref(text)).remove(0);
        assert_eq!(alone.len(), together.len());
        assert!(alone.iter().zip(&together).all(|(a, b)| (a - b).abs() < 1e-5), "{alone:?} {together:?}");
    }
}

#[test]
fn it_learns_fifty_sentences_by_heart() {
    let config = changed(config(), |config| {
        config.training.epochs = Some(30);
        config.training.held_out = Some(0.0);
    });
    let corpus = corpus();
    let model = train(&config, &corpus, one(), &mut |_| {}).unwrap();
    let score = evaluate_corpus(&model, Request::default(), &corpus).unwrap();
    assert_eq!(score.all().slots(Matching::Spelling).ser(), Some(0.0));
}

#[test]
fn marks_and_cases_are_learned_together() {
    let config = changed(config(), |config| {
        config.heads = with_marks();
        config.training.epochs = Some(30);
        config.training.held_out = Some(0.0);
        config.window = 20;
    });
    let draft = methods::train(&config, &marked_corpus(40), Vec::new(), one(), &mut |_| {}).unwrap();
    let model = Bilstm::load(&Packed::open("model", draft.pack().into()).unwrap()).unwrap();
    let words = "who met anna in porto the minister of york met us and we met lisbon who met nato in anna";
    let found =
        "Who met Anna in Porto? The minister of York met us, and we met Lisbon. Who met NATO in Anna?";
    let tokens = Tokens::of_words(words.split(' '), Locale::Root);
    let restored = |request| {
        let choices = model.restore_batch(std::slice::from_ref(&tokens), request).unwrap().remove(0);
        let word = |((lower, _), choice): ((&str, &Token), &Choice)| {
            let mark = choice.label.mark.character().map(String::from).unwrap_or_default();
            choice.label.case.applied(lower, Locale::Root) + &mark
        };
        tokens.iter().zip(&choices).map(word).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(restored(Request { marks: MarkSet::USUAL, ..Request::default() }), found);
    // Sentence starts are found though no marks are inserted.
    let cases = "Who met Anna in Porto The minister of York met us and we met Lisbon Who met NATO in Anna";
    assert_eq!(restored(Request::default()), cases);
}

#[test]
fn the_same_seed_gives_equal_bytes_and_another_seed_does_not() {
    let train = |seed| {
        bytes(
            &train(
                &changed(config(), |config| {
                    config.training.seed = Some(seed);
                }),
                &corpus(),
                one(),
                &mut |_| {},
            )
            .unwrap(),
        )
    };
    let first = train(1);
    assert!(train(1) == first && train(2) != first);
}

#[test]
fn what_happens_is_written_as_lines_of_json() {
    let temporary = tempfile::tempdir().unwrap();
    let log = temporary.path().join("log");
    train(
        &changed(config(), |config| {
            config.training.log = Some(log.clone());
        }),
        &corpus(),
        one(),
        &mut |_| {},
    )
    .unwrap();
    let lines = std::fs::read_to_string(&log).unwrap();
    assert!(lines.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    assert_eq!(lines.matches("held_out_ser").count(), 3);
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let refused =
        |config: BilstmConfig| train(&config, &corpus(), one(), &mut |_| {}).unwrap_err().to_string();
    for (config, what) in [
        (
            changed(config(), |config| {
                config.training.epochs = Some(0);
            }),
            "`epochs` 0",
        ),
        (
            changed(config(), |config| {
                config.training.dropout = Some(1.0);
            }),
            "`dropout` 1",
        ),
        (
            changed(config(), |config| {
                config.training.rate = Some(f64::NAN);
            }),
            "`rate` NaN",
        ),
        (
            changed(config(), |config| {
                config.window = 1;
            }),
            "`window` 1",
        ),
        (
            changed(config(), |config| {
                config.hidden = 0;
            }),
            "`hidden` 0",
        ),
    ] {
        let found = refused(config);
        assert!(found.contains(what), "{found}");
    }
}
