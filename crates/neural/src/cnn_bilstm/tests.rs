//! Trainings of small networks.

use super::network::{BatchWord, SubwordBatch, forward};
use super::samples::SubwordSample;
use super::*;
use crate::shared::gold::WordLabels;
use crate::shared::predict::HeadOptions;
use crate::shared::samples::CorpusSplit;
use crate::shared::sparse_adam::TableGradient;
use crate::shared::toy_texts::{changed, corpus, marked_corpus, marked_corpus_with_clauses};
use majuscule_methods::Backend;
use majuscule_methods::backend::Precision;
use majuscule_methods::model::{Draft, Packed};
use majuscule_methods::network::cnn_bilstm::{CnnBilstm, in_bytes, load, read_with};
use majuscule_text::{Break, Case, Choice, Locale, MarkSet, Token};
use majuscule_train::corpus::{Protocol, Reading};
use majuscule_train::eval::{Matching, evaluate_corpus};
use majuscule_train::methods;
use majuscule_train::methods::balance::MarkOptions;
use majuscule_train::random::{Purpose, generator};

fn config() -> CnnBilstmConfig {
    changed(CnnBilstmConfig::default(), |config| {
        config.subwords = 60;
        config.words = 4;
        config.embedding = 6;
        config.channels = 8;
        config.hidden = 7;
        config.training.epochs = Some(3);
        config.training.rate = Some(1e-2);
        config.training.warm_up = Some(2);
        config.training.held_out = Some(0.1);
    })
}

fn with_marks() -> HeadOptions {
    HeadOptions { punctuation: MarkOptions::of(MarkSet::USUAL), ..HeadOptions::default() }
}

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

/// Returns a corpus with the held-out examples of the toy network.
fn split(corpus: &Corpus) -> CorpusSplit<'_> {
    config().record().training.split(corpus)
}

fn trained(config: &CnnBilstmConfig, corpus: &Corpus) -> Draft {
    methods::train(config, corpus, Vec::new(), one(), &mut |_| {}).unwrap()
}

fn loaded(draft: &Draft, computing: Backend) -> CnnBilstm {
    load(&Packed::open("model", draft.pack().into()).unwrap(), &computing).unwrap()
}

/// Returns a corpus whose texts are laid out.
fn laid_out(mut corpus: Corpus) -> Corpus {
    corpus.under(Protocol::Layouts).unwrap()
}

/// Returns a text as a model restores it.
fn restored(model: &CnnBilstm, words: &str, request: Request) -> String {
    let tokens = Tokens::of_words(words.split(' '), Locale::Root);
    let choices = model.restore_batch(std::slice::from_ref(&tokens), request).unwrap().remove(0);
    let word = |((lower, _), choice): ((&str, &Token), &Choice)| {
        let mark = choice.label.mark.character().map(String::from).unwrap_or_default();
        choice.label.case.applied(lower, Locale::Root) + &mark
    };
    tokens.iter().zip(&choices).map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_window_in_parts_has_the_same_words_and_no_mark_after_a_part() {
    let config = changed(config(), |config| {
        config.heads = with_marks();
        config.window = 200;
    });
    let samples = SubwordSamples::read(&config, split(&marked_corpus(200))).unwrap();
    let special = samples.parts.vocabulary().unwrap().special();
    let sample = samples.dataset.train.iter().max_by_key(|sample| sample.words.len()).unwrap();
    let batch = |right_context| {
        let hidden = InputDropout { right_context, ..InputDropout::default() };
        SubwordBatch::new(&[sample], special, hidden, &mut generator(1, Purpose::Dropout, 0))
    };
    let (whole, parts) = (batch(0.0), batch(1.0));
    assert_eq!(whole.edges.len(), 2);
    assert!(parts.edges.len() > 4, "{} words in {} texts", sample.words.len(), parts.edges.len() / 2);
    let words = |batch: &SubwordBatch| {
        let word = |word: &BatchWord| (batch.ids[word.first..][..word.subwords].to_vec(), word.labels[0]);
        let mut words: Vec<_> = batch.words.iter().map(word).collect();
        words.sort();
        words
    };
    assert_eq!(words(&whole), words(&parts));
    let marks = |batch: &SubwordBatch| batch.words.iter().filter(|word| word.labels[1].is_some()).count();
    assert_eq!(marks(&whole) - marks(&parts), parts.edges.len() / 2 - 1, "one after each part but the last");
    // The longest part comes first, and the last of the window may be shorter than the others.
    let lengths: Vec<usize> = (0..parts.steps.len()).map(|step| parts.steps.at(step).len()).collect();
    assert!(lengths.len() <= 64 && lengths[7] >= parts.edges.len() / 2 - 1, "{lengths:?}");
}

#[test]
fn gradients_are_the_differences_of_the_loss() {
    for (heads, corpus) in [
        (HeadOptions::default(), corpus()),
        (with_marks(), marked_corpus(40)),
        (with_marks(), laid_out(marked_corpus(40))),
    ] {
        let profiles = corpus.protocol().has_layouts();
        let config = changed(config(), |config| {
            config.heads = heads;
            config.training.dropout = Some(0.0);
            config.unknown = 0.0;
            config.window = 12;
            config.profiles = profiles;
        });
        let samples = SubwordSamples::read(&config, split(&corpus)).unwrap();
        let sizes = Heads::of(&samples.dataset.labels).sizes();
        let layout = CnnBilstmLayout::new(samples.parts.settings.shape, samples.words, sizes);
        let mut weights = init_weights(&layout, 1);
        // The vectors of words begin with zeros, which would hide their effect.
        let own = layout.words.clone();
        weights[own].iter_mut().enumerate().for_each(|(at, value)| *value = (at % 5) as f32 / 5.0 - 0.4);
        let batch: Vec<&SubwordSample> = samples.dataset.train.iter().take(7).collect();
        let lengths: Vec<usize> = batch.iter().map(|sample| sample.words.len()).collect();
        assert!(lengths.iter().min() < lengths.iter().max(), "{lengths:?}");
        let special = samples.parts.vocabulary().unwrap().special();
        let batch = SubwordBatch::new(
            &batch,
            special,
            InputDropout::default(),
            &mut generator(1, Purpose::Dropout, 0),
        );
        let gradient = |weights: &[f32]| {
            let pass = forward(&layout, weights, &batch, &mut |_| {});
            gradient::gradient(&layout, weights, &batch, pass, &[])
        };
        let (_, found) = gradient(&weights);
        let mut all = found.dense.clone();
        all.resize(layout.len(), 0.0);
        for (start, row) in found.tables.iter().flat_map(TableGradient::positions) {
            all[start..start + row.len()].copy_from_slice(row);
        }
        let mut moving = 0;
        for at in 0..layout.len() {
            let (start, step) = (weights[at], 4e-3);
            let mut moved = |by: f32| {
                weights[at] = start + by;
                gradient(&weights).0
            };
            // Where another subword becomes the largest, or a number leaves 0, the loss has a bend: there the
            // gradient is the gradient of one side.
            let here = moved(0.0);
            let sides = [(moved(step) - here) / f64::from(step), (here - moved(-step)) / f64::from(step)];
            weights[at] = start;
            let found = f64::from(all[at]);
            let far = sides.iter().map(|side| (side - found).abs()).fold(f64::INFINITY, f64::min);
            let near = (sides[0] + sides[1]) / 2.0 - found;
            assert!(
                far.min(near.abs()) < 2e-3 + 0.02 * found.abs(),
                "weight {at}: {found}, expected {sides:?}"
            );
            moving += usize::from(found.abs() > 1e-4);
        }
        assert!(moving * 2 > layout.dense().len(), "{moving} of {} weights", layout.len());
    }
}

#[test]
fn the_engine_computes_what_is_trained_alone_and_among_others() {
    let config = changed(config(), |config| {
        config.heads = with_marks();
        config.window = 12;
        config.profiles = true;
    });
    let samples = SubwordSamples::read(&config, split(&laid_out(marked_corpus(40)))).unwrap();
    let sizes = Heads::of(&samples.dataset.labels).sizes();
    let layout = CnnBilstmLayout::new(samples.parts.settings.shape, samples.words, sizes);
    let mut weights = init_weights(&layout, 1);
    let dense = layout.layouts.start..layout.lexicon.end;
    weights[dense].iter_mut().enumerate().for_each(|(at, value)| *value = (at % 7) as f32 / 9.0 - 0.4);
    let vocabulary = samples.parts.vocabulary().unwrap();
    let special = vocabulary.special();
    let source = FlatWeights { layout: &layout, values: &weights };
    let model = samples.parts.clone().model(vocabulary, &source, EnginePrecision::F32).unwrap();
    let document: Vec<String> = (0..7)
        .map(|at| {
            "the minister of porto met us and"
                .split(' ')
                .cycle()
                .skip(at)
                .take(9 + at % 3)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let mut documents: Vec<Tokens> =
        document.iter().map(|text| Tokens::of_words(text.split(' '), Locale::Root)).collect();
    for (at, break_before) in [(2, Break::Line), (5, Break::Cue), (7, Break::Line)] {
        documents[at / 2].as_mut_slice()[at].before = break_before;
    }
    let request = Request { marks: MarkSet::USUAL, ..Request::default() };
    let together = model.scored(&documents, request).unwrap();
    for (document, found) in documents.iter().zip(&together) {
        let alone = model.scored(std::slice::from_ref(document), request).unwrap();
        assert_eq!(&alone[0], found, "to the bit");
        let [(window, ln)] = &found[..] else { panic!("{found:?}") };
        let labels = vec![WordLabels::default(); window.words.len()];
        let batch = SubwordSample::new(window, &labels, |word| word.ids.lexicon);
        let batch = SubwordBatch::new(
            &[&batch],
            special,
            InputDropout::default(),
            &mut generator(1, Purpose::Dropout, 0),
        );
        let scores = forward(&layout, &weights, &batch, &mut |_| {}).scores;
        let differences = |scores: &[f32]| scores.windows(2).map(|two| two[1] - two[0]).collect::<Vec<_>>();
        for (scores, ln) in scores.chunks(sizes.all()).zip(ln.chunks(sizes.all())) {
            for part in [0..sizes.cases, sizes.cases..sizes.all()] {
                let (expected, found) = (differences(&scores[part.clone()]), differences(&ln[part]));
                let near = expected.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-4);
                assert!(near, "{expected:?} {found:?}");
            }
        }
    }
}

#[test]
fn it_learns_fifty_sentences_by_heart() {
    let config = changed(config(), |config| {
        config.training.epochs = Some(60);
        config.training.held_out = Some(0.0);
    });
    let corpus = corpus();
    let model = loaded(&trained(&config, &corpus), Backend::default());
    let score = evaluate_corpus(&model, Request::default(), &corpus).unwrap();
    assert_eq!(score.all().slots(Matching::Spelling).ser(), Some(0.0));
}

#[test]
fn line_breaks_tell_where_sentences_begin() {
    let words = ["us", "met", "the", "who", "in"];
    let sentence = |at: usize| {
        let words = (0..3 + at % 4).map(|word| words[(at * at + 3 * word + word * word * at) % 5]);
        let text = words.collect::<Vec<_>>().join(" ");
        text[..1].to_uppercase() + &text[1..] + ".\n"
    };
    let text: String = (0..400).map(sentence).collect();
    let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Lines, Locale::Root);
    let config = changed(config(), |config| {
        config.training.epochs = Some(8);
        config.training.held_out = Some(0.0);
        config.words = 0;
        config.window = 20;
    });
    let model = loaded(&trained(&config, &corpus), Backend::default());
    let titles = |breaks: &[usize]| {
        let mut tokens =
            Tokens::of_words("the us in who met us the in met who us in".split(' '), Locale::Root);
        breaks.iter().for_each(|&at| tokens.as_mut_slice()[at].before = Break::Line);
        let choices =
            model.restore_batch(std::slice::from_ref(&tokens), Request::default()).unwrap().remove(0);
        (0..choices.len()).filter(|&at| choices[at].label.case == Case::Title).collect::<Vec<_>>()
    };
    assert_eq!(titles(&[3, 7]), [3, 7]);
    assert!(titles(&[]).is_empty());
}

#[test]
fn a_name_that_a_list_has_and_the_text_has_not_is_known() {
    let name = |at: usize| ["ab", "cd", "ef", "gh"].map(|part| part.chars().nth(at / 16 % 2).unwrap_or('x'));
    let spelled =
        |at: usize| name(at).iter().chain(&['o', 'r']).collect::<String>() + &"aeiou"[at % 5..=at % 5];
    let text: String = (0..300)
        .map(|at| match at % 2 {
            0 => format!("we met {} in the {}\n", capitalised(&spelled(at)), ["house", "town"][at % 3 % 2]),
            _ => format!("who met {} in the town\n", ["them", "us", "others"][at % 3]),
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("names.txt");
    let names = (0..300).map(|at| capitalised(&spelled(at)));
    let names: std::collections::BTreeSet<String> = names.chain(["Zyx".into()]).collect();
    std::fs::write(&list, names.into_iter().map(|name| name + "\n").collect::<String>()).unwrap();
    let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Rei, Locale::Root);
    let config = changed(config(), |config| {
        config.training.epochs = Some(20);
        config.training.held_out = Some(0.0);
        config.lists = vec![list];
        config.channels = 16;
    });
    let draft = trained(&config, &corpus);
    let small = in_bytes(&Packed::open("model", draft.pack().into()).unwrap()).unwrap();
    for draft in [&draft, &small] {
        let model = loaded(draft, Backend::default());
        let found = ["we met zyx in the house", "who met others in the town"];
        let found = found.map(|words| restored(&model, words, Request::default()));
        assert_eq!(found, ["we met Zyx in the house", "who met others in the town"]);
    }
}

fn capitalised(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

#[test]
fn marks_and_cases_are_learned_together_and_kept_in_bytes() {
    let config = changed(config(), |config| {
        config.heads = with_marks();
        config.training.epochs = Some(60);
        config.training.held_out = Some(0.0);
        config.window = 20;
    });
    let draft = trained(&config, &marked_corpus_with_clauses(40));
    let small = in_bytes(&Packed::open("model", draft.pack().into()).unwrap()).unwrap();
    assert!(small.pack().len() < draft.pack().len());
    let words = "who met anna in porto the minister of york met us and we met lisbon who met nato in anna";
    let found =
        "Who met Anna in Porto? The minister of York met us, and we met Lisbon. Who met NATO in Anna?";
    let int8 = Backend { precision: Some(Precision::Int8), ..Backend::default() };
    for model in
        [loaded(&draft, Backend::default()), loaded(&draft, int8), loaded(&small, Backend::default())]
    {
        assert_eq!(restored(&model, words, Request { marks: MarkSet::USUAL, ..Request::default() }), found);
        // Sentence starts are found though no marks are inserted.
        let cases =
            "Who met Anna in Porto The minister of York met us and we met Lisbon Who met NATO in Anna";
        assert_eq!(restored(&model, words, Request::default()), cases);
    }
}

#[test]
fn the_same_seed_gives_equal_bytes_and_another_seed_does_not() {
    let train = |seed| {
        trained(
            &changed(config(), |config| {
                config.training.seed = Some(seed);
            }),
            &corpus(),
        )
        .pack()
    };
    let first = train(1);
    assert!(train(1) == first && train(2) != first);
}

#[test]
fn an_interrupted_training_goes_on_to_the_same_model() {
    let temporary = tempfile::tempdir().unwrap();
    let file = temporary.path().join("checkpoint");
    let config = changed(config(), |config| {
        config.training.checkpoint = Some(file.clone());
        config.training.checkpoint_every = 2;
    });
    let whole = trained(
        &changed(config.clone(), |config| {
            config.training.checkpoint = None;
        }),
        &corpus(),
    )
    .pack();
    // The state after a few steps, as a process leaves it that ends there.
    let mut steps = 0;
    let copy = temporary.path().join("copy");
    methods::train(&config, &corpus(), Vec::new(), one(), &mut |_| {
        steps += 1;
        if steps == 6 {
            std::fs::copy(&file, &copy).unwrap();
        }
    })
    .unwrap();
    std::fs::rename(&copy, &file).unwrap();
    let mut left = 0;
    let resumed = methods::train(&config, &corpus(), Vec::new(), one(), &mut |_| left += 1).unwrap();
    assert!(resumed.pack() == whole && left < steps, "{left} of {steps} steps");
    let refused = |config: &CnnBilstmConfig, corpus: &Corpus| {
        methods::train(config, corpus, Vec::new(), one(), &mut |_| {}).unwrap_err().to_string()
    };
    let error = refused(
        &changed(config.clone(), |config| {
            config.training.rate = Some(0.5);
        }),
        &corpus(),
    );
    assert!(error.contains("rate"), "{error}");
    let error = refused(&config, &marked_corpus(40));
    assert!(error.contains("checkpoint"), "{error}");
    let bytes = std::fs::read(&file).unwrap();
    for end in [0, 100, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&file, &bytes[..end]).unwrap();
        let error = refused(&config, &corpus());
        assert!(error.contains("is not a checkpoint of cnn-bilstm, or is cut off"), "{end}: {error}");
    }
}

/// Returns a model adapted to a corpus at this rate, without a part of the old weights unless `change` keeps one.
fn adapted(
    draft: &Draft,
    rate: f64,
    corpus: &Corpus,
    change: impl FnOnce(&mut CnnBilstmAdaptation),
) -> Result<Draft> {
    let adaptation = changed(CnnBilstmAdaptation { keep: 0.0, ..Default::default() }, |adaptation| {
        adaptation.training.rate = Some(rate);
        adaptation.training.warm_up = Some(2);
        change(adaptation);
    });
    let store = Packed::open("model", draft.pack().into()).unwrap();
    methods::adapt(&adaptation, &store, corpus, Vec::new(), one(), &mut |_| {})
}

#[test]
fn an_adaptation_begins_with_the_model_and_learns_the_text() {
    let layouts = laid_out(marked_corpus(200));
    let config = changed(config(), |config| {
        config.heads = with_marks();
        config.profiles = true;
        config.right_context_dropout = 0.25;
    });
    let float = trained(&config, &layouts);
    let compact = in_bytes(&Packed::open("model", float.pack().into()).unwrap()).unwrap();
    let weights = |draft: &Draft| {
        let store = Packed::open("model", draft.pack().into()).unwrap();
        let read = read_with(&store, |parts, words, tensors| {
            CnnBilstmLayout::new(parts.settings.shape, words, Heads::of(&parts.labels).sizes()).read(tensors)
        });
        read.unwrap()
    };
    for draft in [&float, &compact] {
        let (parts, before) = weights(draft);
        // At a rate of almost 0, the weights stay, but for those that are 0.
        let (same, after) = weights(&adapted(draft, 1e-30, &layouts, |_| {}).unwrap());
        assert!(before.iter().zip(&after).all(|(before, after)| (before - after).abs() < 1e-20));
        assert!(!same.settings.in_bytes && same.words == parts.words && same.lexicon == parts.lexicon);
        let (_, after) = weights(&adapted(draft, 1e-3, &layouts, |_| {}).unwrap());
        assert!(before != after);
        let (_, mean) =
            weights(&adapted(draft, 1e-3, &layouts, |adaptation| adaptation.keep = 0.75).unwrap());
        for ((mean, before), after) in mean.into_iter().zip(before).zip(after) {
            assert!((mean - (0.75 * before + 0.25 * after)).abs() < 1e-4);
        }
    }
    let again = adapted(&compact, 1e-3, &layouts, |_| {}).unwrap();
    assert!(
        again.pack() == adapted(&compact, 1e-3, &layouts, |_| {}).unwrap().pack(),
        "the same seed, the same bytes"
    );
    // In this text the minister has a capital, and the name has none.
    let text = "The Minister of anna met us, and we met Bob. Who met us in lisbon? ".repeat(100);
    let reading = Reading { split: true, ..Reading::default() };
    let text = Corpus::of_text(&text, reading, Protocol::Layouts, Locale::Root);
    let ser = |draft: &Draft| {
        let score = evaluate_corpus(&loaded(draft, Backend::default()), Request::default(), &text).unwrap();
        score.all().slots(Matching::Spelling).ser().unwrap()
    };
    let learned = adapted(&compact, 1e-2, &text, |adaptation| adaptation.training.epochs = Some(40));
    let (before, after) = (ser(&compact), ser(&learned.unwrap()));
    assert!(after < 0.2 && before > 0.4, "{before} {after}");
    // A checkpoint belongs to the model at the start.
    let temporary = tempfile::tempdir().unwrap();
    let file = temporary.path().join("checkpoint");
    let checked = |draft: &Draft| {
        adapted(draft, 1e-3, &layouts, |adaptation| adaptation.training.checkpoint = Some(file.clone()))
    };
    assert!(checked(&compact).unwrap().pack() == again.pack() && file.exists());
    let error = checked(&float).unwrap_err().to_string();
    assert!(error.contains("start \""), "{error}");
    for (keep, rate, expected) in [(0.0, f64::NAN, "`rate` NaN"), (1.5, 1e-3, "`keep` 1.5")] {
        let error = adapted(&compact, rate, &text, |adaptation| adaptation.keep = keep);
        let error = error.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let refused = |config: CnnBilstmConfig| {
        methods::train(&config, &corpus(), Vec::new(), one(), &mut |_| {}).unwrap_err().to_string()
    };
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
                config.subwords = 3;
            }),
            "`subwords` 3",
        ),
        (
            changed(config(), |config| {
                config.layers = 0;
            }),
            "`layers` 0",
        ),
        (
            changed(config(), |config| {
                config.channels = 1 << 20;
            }),
            "`channels` 1048576",
        ),
    ] {
        let found = refused(config);
        assert!(found.contains(what), "{found}");
    }
}
