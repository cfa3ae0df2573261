//! Models of small texts, whose decoding equals results by hand and by exhaustive search.

use super::*;
use crate::corpus::{Corpus, Protocol, Reading};
use crate::lm::kneser_ney;
use majuscule::lm::forms::Form;
use majuscule::methods::hmm::*;
use majuscule::restorer::{Boundary, Details, Request, Restorer};
use majuscule::text::{Break, Case, Choice, Constraint, Token, Tokens};
use proptest::prelude::*;
use std::num::NonZeroUsize;

/// Trains a model of a small text, without a guesser.
fn trained(text: &str, config: HmmConfig) -> Hmm {
    let corpus = Corpus::of_text(text, Reading::default(), Protocol::Text, Locale::Root);
    train(&config, &corpus, NonZeroUsize::MIN).unwrap()
}

fn tiny() -> Hmm {
    let model =
        NgramModel::read("tiny.arpa", include_bytes!("../../../../../lm/tiny.arpa").to_vec()).unwrap();
    let forms = Forms::of_vocabulary(model.vocabulary(), Locale::Root);
    let settings = HmmSettings { lm_weight: 1.0, map_weight: 0.0 };
    let (guesser, labels) = (None, Labels::cases());
    Hmm { model, forms, guesser, settings, locale: Locale::Root, labels, sections: Vec::new() }
}

fn choices(model: &Hmm, tokens: &Tokens, request: Request) -> Vec<Choice> {
    let mut out = Vec::new();
    model.session(request).push(tokens, Boundary::Reset, &mut out).unwrap();
    out
}

fn restored(model: &Hmm, text: &str) -> String {
    let tokens = Tokens::of_words(text.split(' '), Locale::Root);
    let choices = choices(model, &tokens, Request::default());
    let words = choices.iter().enumerate();
    let words: Vec<_> =
        words.map(|(at, choice)| choice.label.case.applied(tokens.lower(at), Locale::Root)).collect();
    words.join(" ")
}

/// Returns −ln p of all labellings of a sentence, by the sentence scores of the language model: the
/// slow twin.
fn all(model: &Hmm, tokens: &Tokens) -> Vec<(f64, Vec<Case>)> {
    let mut paths = vec![Vec::new()];
    for (lower, _) in tokens.iter() {
        let forms = model.forms.get(lower);
        let known = [Form { word: majuscule::lm::WordId::UNKNOWN, case: Case::Lower, weight: 0.0 }];
        let forms = if forms.is_empty() { &known[..] } else { forms };
        let longer = |path: &Vec<Form>| {
            let path = path.clone();
            forms.iter().map(move |form| path.iter().copied().chain([*form]).collect::<Vec<_>>())
        };
        paths = paths.iter().flat_map(longer).collect();
    }
    let score = |path: &Vec<Form>| {
        let words = path.iter().map(|form| model.model.vocabulary().word(form.word));
        let log10 = model.model.scorer().sentence(words).log10 * f64::from(model.settings.lm_weight);
        let map: f64 = path.iter().map(|form| f64::from(form.weight * model.settings.map_weight)).sum();
        (-log10 * std::f64::consts::LN_10 - map, path.iter().map(|form| form.case).collect())
    };
    let mut paths: Vec<_> = paths.iter().map(score).collect();
    paths.sort_by(|a: &(f64, Vec<Case>), b| a.0.total_cmp(&b.0));
    paths
}

fn any_text() -> impl Strategy<Value = String> {
    let word =
        prop::sample::select(vec!["us", "US", "Us", "the", "The", "in", "In", "IN", "told", "may", "May"]);
    let sentence = prop::collection::vec(word, 1..7).prop_map(|words| words.join(" "));
    prop::collection::vec(sentence, 3..12).prop_map(|sentences| sentences.join("\n"))
}

fn any_words() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["us", "the", "in", "told", "may", "braga"]), 1..7)
}

proptest! {
    #[test]
    fn the_choice_is_the_likeliest_of_all_and_its_confidence_a_share_of_them(
        text in any_text(), words in any_words(), order in 1usize..5, map_weight in 0u8..3, lm_weight in 1u8..3,
    ) {
        let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Text, Locale::Root);
        let ngrams = kneser_ney::KneserNeyConfig { order, ..Default::default() };
        let language = Language { ngrams, unknown: UnknownWords::Keep, ..Language::default() };
        let weights = (f32::from(lm_weight), f32::from(map_weight));
        let config = HmmConfig { language, lm_weight: weights.0, map_weight: weights.1 };
        // A text that teaches no case is refused.
        let Ok(model) = train(&config, &corpus, NonZeroUsize::MIN) else { return Ok(()) };
        let tokens = Tokens::of_words(words, Locale::Root);
        let all = all(&model, &tokens);
        let whole: f64 = all.iter().map(|(cost, _)| (-cost).exp()).sum();
        let request = Request { confidence: true, ..Request::default() };
        let found = choices(&model, &tokens, request);
        let cases: Vec<Case> = found.iter().map(|choice| choice.label.case).collect();
        let cost = all.iter().find(|(_, path)| *path == cases).unwrap().0;
        prop_assert!(cost - all[0].0 < 1e-4, "{cost} {}", all[0].0);
        for (at, choice) in found.iter().enumerate() {
            let same = all.iter().filter(|(_, path)| path[at] == choice.label.case);
            let share = same.map(|(cost, _)| (-cost).exp()).sum::<f64>() / whole;
            prop_assert!((share - f64::from(choice.confidence.unwrap())).abs() < 1e-3, "{share} {choice:?}");
        }
        let best = model.n_best(&tokens, 5).unwrap();
        prop_assert_eq!(best.len(), all.len().min(5));
        for (found, (cost, _)) in best.iter().zip(&all) {
            prop_assert!((-found.log10 * std::f64::consts::LN_10 - cost).abs() < 1e-4, "{found:?} {cost}");
        }
    }
}

#[test]
fn the_tiny_model_is_decoded_as_by_hand() {
    // "in the US" is a 3-gram, -0.14; "us" there is -0.22 (back-off) - 0.30 - 0.70.
    assert_eq!(restored(&tiny(), "told us in the us"), "told us in the US");
    // -0.21 - 0.09 for "<s> The US" against -0.40 - 0.70 - 0.26 for "<s> the US".
    assert_eq!(restored(&tiny(), "the us"), "The US");
    assert_eq!(restored(&tiny(), "told us in lisbon"), "told us in Lisbon");
    assert_eq!(restored(&tiny(), "told braga"), "told braga");
    let best = tiny().n_best(&Tokens::of_words(["the", "us"], Locale::Root), 9).unwrap();
    assert_eq!(best.len(), 4);
    // <s> The US </s>: -0.20761 - 0.08619 - 0.22185; the last follows the back-off 0 of "The US".
    assert!((best[0].log10 + 0.51565).abs() < 1e-5, "{best:?}");
}

#[test]
fn forward_only_a_word_is_chosen_by_what_stands_before_it() {
    let (model, tokens) = (tiny(), Tokens::of_words(["us", "in"], Locale::Root));
    for (look_ahead, certain) in [(0, 2), (1, 1)] {
        let mut session = model.session(Request { look_ahead: Some(look_ahead), ..Request::default() });
        let mut out = Vec::new();
        session.push(&tokens, Boundary::None, &mut out).unwrap();
        assert!(out.len() >= certain, "{out:?}");
    }
}

#[test]
fn what_the_user_gives_is_context() {
    let mut tokens = Tokens::new();
    let fixed = Token { constraint: Constraint::Fixed(Case::Upper), ..Token::default() };
    for (word, token) in [("in", None), ("the", Some(fixed)), ("us", None), ("in", None)] {
        tokens.push(word, Locale::Root, token.unwrap_or_default());
    }
    let found = choices(&tiny(), &tokens, Request::default());
    assert_eq!(found[1].label.case, Case::Upper);
    // After THE, which the model lacks: -0.70 - 0.85 for "us in", -1 - 0.30 - 1 for "US in".
    assert_eq!(found[2].label.case, Case::Lower);
}

#[test]
fn a_line_may_end_a_sentence_and_a_turn_does() {
    let model = trained("The us.\nThe us.\nHe saw the us and the us.\nA US.", HmmConfig::default());
    let at = |before: Break| {
        let mut tokens = Tokens::of_words(["us"], Locale::Root);
        tokens.push("the", Locale::Root, Token { before, ..Token::default() });
        tokens.push("us", Locale::Root, Token::default());
        choices(&model, &tokens, Request::default())[1].label.case
    };
    assert_eq!(at(Break::Turn), Case::Title);
    assert_eq!(at(Break::Line), Case::Title);
}

#[test]
fn words_that_were_not_seen_are_shaped_by_their_parts_and_endings() {
    let text = "He saw Lisbon and Karlsson and Svensson and Olsson here.\nShe went walking, talking and reading there.";
    let model = trained(text, HmmConfig::default());
    assert_eq!(restored(&model, "he saw eriksson"), "he saw Eriksson");
    assert_eq!(restored(&model, "he was painting"), "he was painting");
    assert_eq!(restored(&model, "he saw karlsson-svensson"), "he saw Karlsson-Svensson");
    let language = Language { unknown: UnknownWords::Keep, ..Language::default() };
    let model = trained(text, HmmConfig { language, ..HmmConfig::default() });
    assert_eq!(restored(&model, "he saw eriksson"), "he saw eriksson");
}
