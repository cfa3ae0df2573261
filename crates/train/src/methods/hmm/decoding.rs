//! Models of small texts, whose decoding equals results by hand and by exhaustive search.

use super::*;
use crate::corpus::{Corpus, Protocol, Reading};
use crate::lm::kneser_ney;
use majuscule_lm::WordId;
use majuscule_lm::forms::Form;
use majuscule_methods::hmm::*;
use majuscule_text::restorer::{Boundary, Details, Request, Restorer, SentenceStarts};
use majuscule_text::{Break, Case, Choice, Constraint, Label, MarkSet, Token, Tokens};
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
    let settings = HmmSettings { lm_weight: 1.0, map_weight: 0.0, marks: None };
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
        let known = [Form { word: WordId::UNKNOWN, case: Case::Lower, weight: 0.0 }];
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
        let language = LanguageAndMap { ngrams, unknown: UnknownWords::Keep, ..LanguageAndMap::default() };
        let config = HmmConfig { language, map_weight: f32::from(map_weight) };
        // A text that teaches no case is refused.
        let Ok(mut model) = train(&config, &corpus, NonZeroUsize::MIN) else { return Ok(()) };
        model.settings.lm_weight = f32::from(lm_weight);
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
            let fraction = same.map(|(cost, _)| (-cost).exp()).sum::<f64>() / whole;
            prop_assert!((fraction - f64::from(choice.confidence.unwrap())).abs() < 1e-3, "{fraction} {choice:?}");
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
    let language = LanguageAndMap { unknown: UnknownWords::Keep, ..LanguageAndMap::default() };
    let model = trained(text, HmmConfig { language, ..HmmConfig::default() });
    assert_eq!(restored(&model, "he saw eriksson"), "he saw eriksson");
}

/// Returns a model of a text with marks.
fn with_marks(text: &str, order: usize, costs: [f32; 2]) -> Option<Hmm> {
    let ngrams = kneser_ney::KneserNeyConfig { order, ..Default::default() };
    let [mark_cost, end_cost] = costs.map(Some);
    let punctuation = MarkOptions { marks: Some(MarkSet::USUAL), mark_cost, end_cost };
    let language =
        LanguageAndMap { ngrams, unknown: UnknownWords::Keep, punctuation, ..LanguageAndMap::default() };
    let corpus = Corpus::of_text(text, Reading::default(), Protocol::Text, Locale::Root);
    train(&HmmConfig { language, ..HmmConfig::default() }, &corpus, NonZeroUsize::MIN).ok()
}

/// The cost of a path, and for each word its label and the case of its form.
type Path = (f64, Vec<(Label, Case)>);

#[test]
fn costs_of_marks_are_found_on_held_out_text_and_given_ones_stay() {
    // Each third sentence has a comma that nothing announces.
    let sentence = |at: usize| {
        if at.is_multiple_of(3) {
            "We met Ana, and she left.\n"
        } else {
            "We met Ana and she left. Did she?\n"
        }
    };
    let text: String = (0..6000).map(sentence).collect();
    let costs = |text: &str, mark_cost, end_cost| {
        let ngrams = kneser_ney::KneserNeyConfig { order: 2, ..Default::default() };
        let language = LanguageAndMap {
            ngrams,
            punctuation: MarkOptions { marks: Some(MarkSet::USUAL), mark_cost, end_cost },
            ..LanguageAndMap::default()
        };
        let MarkCosts { mark_cost, end_cost } =
            trained(text, HmmConfig { language, ..HmmConfig::default() }).settings.marks.unwrap();
        [mark_cost, end_cost]
    };
    let found = costs(&text, None, None);
    assert!(found[0] < 1.0, "{found:?}");
    let [inside, end] = costs(&text, Some(2.0), None);
    assert!(inside == 2.0 && end < 1.0, "{inside} {end}");
    assert_eq!(costs(&text, Some(2.0), Some(3.0)), [2.0, 3.0]);
    // A small corpus holds nothing out.
    assert_eq!(costs(&text[..text.len() / 20], None, None), [1.0, 1.0]);
}

/// Returns −ln p of all labellings of a text with marks, by the sentence scores of the language
/// model: the slow twin.
fn all_with_marks(model: &Hmm, tokens: &Tokens, asked: MarkSet) -> Vec<Path> {
    let costs = model.settings.marks.unwrap();
    let mut paths: Vec<(Path, Vec<String>)> = vec![Default::default()];
    for (at, (lower, _)) in tokens.iter().enumerate() {
        let forms = model.forms.get(lower);
        let known = [Form { word: WordId::UNKNOWN, case: Case::Lower, weight: 0.0 }];
        let forms = if forms.is_empty() { &known[..] } else { forms };
        let mut longer = Vec::new();
        for ((cost, labels), words) in &paths {
            for form in forms {
                for mark in [Mark::None].into_iter().chain(MarkSet::USUAL.iter()) {
                    let (begins, mut cost, mut words) = (words.is_empty(), *cost, words.clone());
                    let mut end = |words: &mut Vec<String>| {
                        let log10 = model.model.scorer().sentence(words.iter().map(String::as_str)).log10;
                        words.clear();
                        cost -= log10 * std::f64::consts::LN_10;
                    };
                    words.push(model.model.vocabulary().word(form.word).to_owned());
                    words.extend(mark.character().map(String::from));
                    if mark.ends_sentence() {
                        end(&mut words);
                        cost += f64::from(costs.end_cost.ln());
                    } else if at + 1 == tokens.len() {
                        continue;
                    } else if mark != Mark::None {
                        cost += f64::from(costs.mark_cost.ln());
                    }
                    // A sentence begins with a capital.
                    let case = if begins && form.case == Case::Lower { Case::Title } else { form.case };
                    let label = Label { case, mark: mark.within(asked) };
                    let labels = labels.iter().copied().chain([(label, form.case)]).collect();
                    longer.push(((cost, labels), words));
                }
            }
        }
        paths = longer;
    }
    let mut paths: Vec<Path> = paths.into_iter().map(|(path, _)| path).collect();
    paths.sort_by(|a, b| a.0.total_cmp(&b.0));
    paths
}

fn any_text_with_marks() -> impl Strategy<Value = String> {
    let word =
        prop::sample::select(vec!["us", "US", "Us", "the", "The", "in", "In", "told", "told,", "us,", "in?"]);
    let sentence = (prop::collection::vec(word, 1..7), "[.?]?");
    let sentence = sentence.prop_map(|(words, end)| words.join(" ") + &end);
    prop::collection::vec(sentence, 3..12).prop_map(|sentences| sentences.join("\n") + "\nThe us, told.\nIn?")
}

fn any_marks() -> impl Strategy<Value = MarkSet> {
    prop::sample::select(vec![".,?", ".", ",", "?", ".,"]).prop_map(|marks| marks.parse().unwrap())
}

/// Returns the labels of a text that is passed `step` words at a time.
fn labels(model: &Hmm, tokens: &Tokens, request: Request, step: usize) -> Vec<Label> {
    let (mut session, mut out) = (model.session(request), Vec::new());
    for start in (0..tokens.len()).step_by(step) {
        let mut part = Tokens::new();
        part.extend(tokens, start..(start + step).min(tokens.len()));
        session.push(&part, Boundary::None, &mut out).unwrap();
    }
    session.push(&Tokens::new(), Boundary::Reset, &mut out).unwrap();
    out.iter().map(|choice| choice.label).collect()
}

proptest! {
    #[test]
    fn marks_and_forms_are_the_likeliest_of_all_together(
        text in any_text_with_marks(), words in prop::collection::vec(prop::sample::select(vec!["us", "the", "in", "told", "braga"]), 1..5),
        order in 1usize..4, costs in prop::array::uniform2(0.4f32..2.0), asked in any_marks(),
    ) {
        let Some(model) = with_marks(&text, order, costs) else { return Ok(()) };
        let tokens = Tokens::of_words(words, Locale::Root);
        let all = all_with_marks(&model, &tokens, asked);
        let request = Request { confidence: true, marks: asked, ..Request::default() };
        let found = choices(&model, &tokens, request);
        let is_found = |path: &[(Label, Case)]| path.iter().zip(&found).all(|(one, other)| one.0 == other.label);
        let cost = all.iter().find(|(_, path)| is_found(path)).unwrap().0;
        prop_assert!(cost - all[0].0 < 1e-4, "{cost} {}", all[0].0);
        let whole: f64 = all.iter().map(|(cost, _)| (-cost).exp()).sum();
        let mut begins = true;
        for (at, choice) in found.iter().enumerate() {
            let same = all.iter().filter(|(_, path)| path[at].0.mark == choice.label.mark);
            let fraction = same.map(|(cost, _)| (-cost).exp()).sum::<f64>() / whole;
            let given = choice.mark_confidence.unwrap();
            prop_assert!((fraction - f64::from(given)).abs() < 1e-3, "{fraction} {choice:?}");
        }
        for (at, choice) in found.iter().enumerate().filter(|_| asked == MarkSet::USUAL) {
            let is_same = |case| case == choice.label.case || begins && case == Case::Lower && choice.label.case == Case::Title;
            let same = all.iter().filter(|(_, path)| is_same(path[at].1));
            let fraction = same.map(|(cost, _)| (-cost).exp()).sum::<f64>() / whole;
            prop_assert!((fraction - f64::from(choice.confidence.unwrap())).abs() < 1e-3, "{fraction} {choice:?}");
            begins = choice.label.mark.ends_sentence();
        }
    }

    #[test]
    fn marks_that_were_put_in_change_nothing_where_they_are_given(
        text in any_text_with_marks(), words in prop::collection::vec(prop::sample::select(vec!["us", "the", "in", "told", "braga"]), 1..90),
        gaps in prop::collection::vec((0usize..90, prop::sample::select(vec![Mark::None, Mark::Period, Mark::Comma, Mark::Colon, Mark::Exclamation, Mark::Semicolon])), 0..4),
        order in 1usize..4, asked in any_marks(), look_ahead in prop::option::of(0usize..4), step in 1usize..9,
        mark_threshold in prop::option::of(0f32..=1.0),
    ) {
        let Some(model) = with_marks(&text, order, [1.0; 2]) else { return Ok(()) };
        let mut tokens = Tokens::of_words(words, Locale::Root);
        for (at, mark) in gaps {
            if (1..tokens.len()).contains(&at) {
                let token = &mut tokens.as_mut_slice()[at];
                (token.gap, token.starts) = (Some(mark), mark.ends_sentence());
            }
        }
        let request = Request { marks: asked, look_ahead, mark_threshold, ..Request::default() };
        let found = labels(&model, &tokens, request, tokens.len());
        prop_assert_eq!(found.len(), tokens.len());
        prop_assert_eq!(&labels(&model, &tokens, request, step), &found);
        let mut again = tokens.clone();
        for (token, label) in again.as_mut_slice().iter_mut().skip(1).zip(&found) {
            token.gap = token.gap.or(Some(label.mark).filter(|mark| *mark != Mark::None));
            token.starts |= label.mark.ends_sentence();
        }
        let again = labels(&model, &again, request, step);
        for (at, (one, other)) in found.iter().zip(&again).enumerate() {
            prop_assert_eq!(one.case, other.case, "at {}", at);
            let stands = tokens.as_slice().get(at + 1).is_none_or(|next| next.gap.is_some());
            prop_assert!(stands || look_ahead == Some(0) || one.mark == other.mark, "at {at}");
        }
    }

    #[test]
    fn where_no_marks_are_asked_for_they_are_hidden(
        text in any_text_with_marks(), words in prop::collection::vec(prop::sample::select(vec!["us", "the", "in", "told", "braga"]), 1..5),
    ) {
        let Some(model) = with_marks(&text, 3, [1.0; 2]) else { return Ok(()) };
        let tokens = Tokens::of_words(words, Locale::Root);
        let all = all_with_marks(&model, &tokens, MarkSet::NONE);
        let found = choices(&model, &tokens, Request::default());
        let is_found = |path: &[(Label, Case)]| path.iter().zip(&found).all(|(one, other)| one.0 == other.label);
        let cost = all.iter().find(|(_, path)| is_found(path)).unwrap().0;
        prop_assert!(cost - all[0].0 < 1e-4, "{cost} {}", all[0].0);
    }
}

/// Returns a text with the marks and capitals that a model inserts.
fn punctuated(model: &Hmm, words: &str, request: Request) -> String {
    let tokens = Tokens::of_words(words.split(' '), Locale::Root);
    let choices = choices(model, &tokens, Request { marks: MarkSet::USUAL, ..request });
    let word = |((lower, _), choice): ((&str, &Token), &Choice)| {
        let mark = choice.label.mark.character().map(String::from).unwrap_or_default();
        choice.label.case.applied(lower, Locale::Root) + &mark
    };
    tokens.iter().zip(&choices).map(word).collect::<Vec<_>>().join(" ")
}

const MARKED: &str = "They met in Lisbon, and she left.\nDid they meet in Lisbon?\nShe left early.\n";

#[test]
fn marks_are_words_of_the_language_model_and_found_with_the_capitals_after_them() {
    let model = with_marks(&MARKED.repeat(20), 3, [1.0; 2]).unwrap();
    assert_eq!(model.labels.marks(), MarkSet::USUAL);
    let words = "they met in lisbon and she left did they meet in lisbon she left early";
    let found = "They met in Lisbon, and she left. Did they meet in Lisbon? She left early.";
    for look_ahead in [None, Some(1), Some(2), Some(9)] {
        let request = Request { look_ahead, ..Request::default() };
        assert_eq!(punctuated(&model, words, request), found, "{look_ahead:?}");
    }
    // The same marks show where sentences begin if none are inserted.
    let tokens = Tokens::of_words(words.split(' '), Locale::Root);
    let capitals = |tokens: &Tokens, starts| {
        let choices = choices(&model, tokens, Request { starts, ..Request::default() });
        assert!(choices.iter().all(|choice| choice.label.mark == Mark::None));
        let word =
            |((lower, _), choice): ((&str, &Token), &Choice)| choice.label.case.applied(lower, Locale::Root);
        tokens.iter().zip(&choices).map(word).collect::<Vec<_>>().join(" ")
    };
    let found = "They met in Lisbon and she left Did they meet in Lisbon She left early";
    assert_eq!(capitals(&tokens, SentenceStarts::Predicted), found);
    // Unless starts are not predicted, or the text marks its own. (Inside sentences, "She" is more
    // frequent than "she" here.)
    let one = "They met in Lisbon and she left did they meet in Lisbon She left early";
    assert_eq!(capitals(&tokens, SentenceStarts::Marked), one);
    let mut marked = tokens.clone();
    marked.as_mut_slice()[5].starts = true;
    assert_eq!(capitals(&marked, SentenceStarts::Predicted), one.replace("and she left", "and She left"));
    // Costs insert fewer marks: all but the last, without which the text does not end.
    let model = with_marks(&MARKED.repeat(20), 3, [1e9; 2]).unwrap();
    let found = punctuated(&model, words, Request::default());
    assert_eq!(found.to_lowercase(), format!("{words}."));
}

#[test]
fn choices_come_as_soon_as_all_paths_agree_on_them() {
    let model = with_marks(&MARKED.repeat(20), 3, [1.0; 2]).unwrap();
    let words = "they met in lisbon and she left ".repeat(20);
    let tokens = Tokens::of_words(words.split_whitespace(), Locale::Root);
    let request = Request { marks: MarkSet::USUAL, ..Request::default() };
    let (mut session, mut out) = (model.session(request), Vec::new());
    session.push(&tokens, Boundary::None, &mut out).unwrap();
    assert!(out.len() > 100, "{}", out.len());
}

#[test]
fn a_corpus_or_a_model_without_a_mark_teaches_no_such_mark() {
    let corpus = Corpus::of_text("They met.\nDid she?\n", Reading::default(), Protocol::Text, Locale::Root);
    let language =
        LanguageAndMap { punctuation: MarkOptions::of(MarkSet::USUAL), ..LanguageAndMap::default() };
    let config = HmmConfig { language, ..HmmConfig::default() };
    let problem = train(&config, &corpus, NonZeroUsize::MIN).unwrap_err().to_string();
    assert!(problem.contains("has no \",\""), "{problem}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tiny.arpa");
    std::fs::write(&file, include_bytes!("../../../../../lm/tiny.arpa")).unwrap();
    let language = LanguageAndMap { lm: Some(file), ..config.language };
    let problem = train(&HmmConfig { language, ..config }, &corpus, NonZeroUsize::MIN).unwrap_err();
    assert!(problem.to_string().contains("tiny.arpa: has no \",\""), "{problem}");
}
