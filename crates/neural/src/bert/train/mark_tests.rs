//! Trainings of taggers that find marks, with the toy encoder of `tests/data`.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::tests::config;
use super::{Bert, train};
use crate::bert::LabelledSubword;
use crate::shared::predict::{HeadOptions, Prediction};
use crate::shared::toy_texts::changed;
use crate::shared::toy_texts::marked_corpus;
use majuscule_methods::backend::{Backend, Precision};
use majuscule_methods::gaps::MarkCosts;
use majuscule_methods::model::Packed;
use majuscule_text::restorer::{Boundary, Request, Restorer, SentenceStarts};
use majuscule_text::{Break, CapitalBalance, Choice, Label, Locale, Mark, MarkSet, Token, Tokens};
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::methods;
use majuscule_train::methods::balance::MarkOptions;

/// Returns a model that was trained and saved.
fn saved(heads: HeadOptions, subword: LabelledSubword, epochs: usize) -> Vec<u8> {
    let config = changed(config(), |config| {
        config.heads = heads;
        config.labelled_subword = subword;
        config.training.shared.epochs = Some(epochs);
        config.training.frozen = Some(1);
        config.training.shared.held_out = Some(0.0);
        config.training.decay = true;
    });
    methods::train(&config, &marked_corpus(20), Vec::new(), NonZeroUsize::MIN, &mut |_| {}).unwrap().pack()
}

fn read(model: &[u8]) -> Bert {
    let store = Packed::open("model", model.to_vec().into()).unwrap();
    super::super::load(&store, &Backend::default()).unwrap()
}

fn with_marks() -> HeadOptions {
    HeadOptions { punctuation: MarkOptions::of(MarkSet::USUAL), ..HeadOptions::default() }
}

static SAVED: LazyLock<Vec<u8>> = LazyLock::new(|| saved(with_marks(), LabelledSubword::Last, 100));
static JOINT: LazyLock<Bert> = LazyLock::new(|| read(&SAVED));

const MARKS: Request = Request {
    confidence: false,
    sentence_ends: false,
    cases: true,
    marks: MarkSet::USUAL,
    mark_threshold: None,
    starts: SentenceStarts::Predicted,
    capitals: CapitalBalance::Balanced,
    shown_capitals: true,
    look_ahead: None,
    predictions: NonZeroUsize::MIN,
    threads: NonZeroUsize::MIN,
};

/// Returns the words as a model restores them.
fn restored(model: &dyn Restorer, words: &str, request: Request) -> String {
    let tokens = Tokens::of_words(words.split(' '), Locale::Root);
    let choices = model.restore_batch(std::slice::from_ref(&tokens), request).unwrap().remove(0);
    let word = |((lower, _), choice): ((&str, &Token), &Choice)| {
        let mark = choice.label.mark.character().map(String::from).unwrap_or_default();
        choice.label.case.applied(lower, Locale::Root) + &mark
    };
    tokens.iter().zip(&choices).map(word).collect::<Vec<_>>().join(" ")
}

const WORDS: &str =
    "who met anna in porto the minister of york met us and we met lisbon who met nato in anna";
const FOUND: &str =
    "Who met Anna in Porto? The minister of York met us, and we met Lisbon. Who met NATO in Anna?";

#[test]
fn marks_and_cases_are_learned_together_on_one_encoder() {
    assert_eq!(restored(&*JOINT, WORDS, MARKS), FOUND);
    // Where marks may end a sentence, the next one begins, whether they are inserted or not.
    let cases = FOUND.replace(['.', ',', '?'], "");
    assert_eq!(restored(&*JOINT, WORDS, Request::default()), cases);
    let marked = Request { starts: SentenceStarts::Marked, ..Request::default() };
    assert!(restored(&*JOINT, WORDS, marked).contains("Porto the minister"));
    let stops = Request { marks: ".".parse().unwrap(), ..MARKS };
    assert_eq!(restored(&*JOINT, WORDS, stops), FOUND.replace(',', "").replace('?', "."));
}

#[test]
fn a_model_is_used_without_tensors_and_in_bytes() {
    let store = Packed::open("model", SAVED.clone().into()).unwrap();
    let whole = majuscule_methods::network::bert::load(&store, &Backend::default()).unwrap();
    let bytes = majuscule_methods::network::bert::in_bytes(&store).unwrap().pack();
    assert!(bytes.len() < SAVED.len() * 2 / 3, "{} of {}", bytes.len(), SAVED.len());
    let store = Packed::open("bytes", bytes.into()).unwrap();
    let again = majuscule_methods::network::bert::in_bytes(&store).unwrap().pack();
    for computing in [None, Some(Precision::F32), Some(Precision::Int8)] {
        let computing = Backend { precision: computing, ..Backend::default() };
        let model = majuscule_methods::network::bert::load(&store, &computing).unwrap();
        assert_eq!(restored(&model, WORDS, MARKS), FOUND);
    }
    let tokens = Tokens::of_words(WORDS.split(' '), Locale::Root);
    let choices = |model: &dyn Restorer| {
        let request = Request { confidence: true, ..MARKS };
        model.restore_batch(std::slice::from_ref(&tokens), request).unwrap()
    };
    assert_eq!(choices(&whole), choices(&*JOINT));
    let [one, other] = [&store, &Packed::open("again", again.into()).unwrap()]
        .map(|store| choices(&majuscule_methods::network::bert::load(store, &Backend::default()).unwrap()));
    assert_eq!(one, other);
    let refused = super::super::load(&store, &Backend::default()).unwrap_err().to_string();
    assert!(refused.contains("use the model that it was made from"), "{refused}");
}

#[test]
fn marks_are_learned_alone() {
    let heads = HeadOptions { predict: vec![Prediction::Marks], ..HeadOptions::default() };
    let model = read(&saved(heads, LabelledSubword::First, 80));
    let found = restored(&model, WORDS, MARKS);
    // Only sentence starts have capitals.
    let words = |text: &str| text.to_lowercase().trim_end_matches(['.', '?']).to_owned();
    assert_eq!(words(&found), words(FOUND));
    assert!(found.contains("Who met anna in porto? The minister"), "{found}");
    assert_eq!(model.labels().len(), 4);
}

#[test]
fn sentence_ends_are_found_without_marks() {
    let tokens = Tokens::of_words(WORDS.split(' '), Locale::Root);
    let request = Request { sentence_ends: true, ..Request::default() };
    let choices = JOINT.restore_batch(std::slice::from_ref(&tokens), request).unwrap().remove(0);
    let ends = choices.iter().enumerate().filter(|(_, choice)| choice.label.mark == Mark::SentenceEnd);
    assert_eq!(ends.map(|(at, _)| at).collect::<Vec<_>>(), [4, 14, 19]);
}

#[test]
fn costs_of_marks_are_kept_and_dear_marks_are_put_seldom() {
    let costs = MarkCosts { mark_cost: 1e6, end_cost: 2.0 };
    let heads = HeadOptions {
        punctuation: MarkOptions { mark_cost: Some(1e6), end_cost: Some(2.0), ..with_marks().punctuation },
        ..with_marks()
    };
    let model = read(&saved(heads, LabelledSubword::Last, 2));
    assert_eq!(model.settings.costs, Some(costs));
    // The text that is held out here is too short to decide.
    assert_eq!(JOINT.settings.costs, Some(MarkCosts::default()));
    let mut dear = read(&SAVED);
    dear.settings.costs = Some(costs);
    let found = restored(&dear, WORDS, MARKS);
    assert!(found.contains("in Porto? The minister") && !found.contains(','), "{found}");
}

#[test]
fn a_text_without_some_marks_is_refused() {
    let corpus = Corpus::of_text(
        "We met Anna. We met us.\n",
        Reading { split: true, ..Reading::default() },
        Protocol::Asr { window: NonZeroUsize::new(20).unwrap() },
        Locale::Root,
    );
    let config = changed(config(), |config| {
        config.heads = with_marks();
    });
    let error = train(&config, &corpus, NonZeroUsize::MIN, &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("has no \",\" or \"?\", but punctuation is learned"), "{error}");
}

/// Returns the labels of words that come this many at a time.
fn labels(tokens: &Tokens, request: Request, step: usize) -> Vec<Label> {
    let (mut session, mut out) = (JOINT.session(request), Vec::new());
    for start in (0..tokens.len()).step_by(step) {
        let mut part = Tokens::new();
        part.extend(tokens, start..tokens.len().min(start + step));
        session.push(&part, Boundary::None, &mut out).unwrap();
    }
    session.push(&Tokens::new(), Boundary::Reset, &mut out).unwrap();
    out.into_iter().map(|choice| choice.label).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn marks_that_were_put_in_change_nothing_where_they_are_given(
        words in prop::collection::vec(prop::sample::select(vec!["us", "the", "who", "met", "porto", "and", "mcdonald"]), 1..90),
        gaps in prop::collection::vec((0usize..90, prop::sample::select(vec![Mark::None, Mark::Period, Mark::Comma, Mark::Colon, Mark::Exclamation])), 0..4),
        turns in prop::collection::vec(0usize..90, 0..2),
        asked in prop::sample::select(vec![".,?", ".", ","]), look_ahead in prop::option::of(0usize..4), step in 1usize..9,
        mark_threshold in prop::option::of(0f32..=1.0), predictions in 1usize..4,
    ) {
        let mut tokens = Tokens::of_words(words, Locale::Root);
        for (at, mark) in gaps {
            if (1..tokens.len()).contains(&at) {
                let token = &mut tokens.as_mut_slice()[at];
                (token.gap, token.starts) = (Some(mark), mark.ends_sentence());
            }
        }
        for at in turns {
            if (1..tokens.len()).contains(&at) {
                tokens.as_mut_slice()[at].before = Break::Turn;
            }
        }
        let predictions = NonZeroUsize::new(predictions).unwrap();
        let request = Request { marks: asked.parse().unwrap(), look_ahead, mark_threshold, predictions, ..MARKS };
        let found = labels(&tokens, request, tokens.len());
        prop_assert_eq!(found.len(), tokens.len());
        prop_assert_eq!(&labels(&tokens, request, step), &found);
        let mut again = tokens.clone();
        for (token, label) in again.as_mut_slice().iter_mut().skip(1).zip(&found) {
            token.gap = token.gap.or(Some(label.mark).filter(|mark| *mark != Mark::None));
            token.starts |= label.mark.ends_sentence();
        }
        let again = labels(&again, request, step);
        for (at, (one, other)) in found.iter().zip(&again).enumerate() {
            prop_assert_eq!(one.case, other.case, "at {}", at);
            let stands = tokens.as_slice().get(at + 1).is_none_or(|next| next.gap.is_some());
            prop_assert!(stands || look_ahead == Some(0) || one.mark == other.mark, "at {at}");
        }
    }
}
