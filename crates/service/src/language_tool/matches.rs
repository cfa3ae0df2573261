//! The words of a text whose case is wrong or whose punctuation is missing.

use std::ops::Range;

use majuscule::{Mark, RestoreOptions, RestoredWord};
use serde::Serialize;

use super::MOST_MATCHES;
use super::annotated::{AnnotatedText, utf16_len};
use super::rules::{CASE, MARKS, Rule, RuleChoice};
use crate::answer::{attached_after, attached_before, ends_sentence};

/// The number of characters of context on each side of a word.
const CONTEXT: usize = 40;

/// The largest number of bytes of a sentence in a match; a longer sentence is replaced by the context.
const LONGEST_SENTENCE: usize = 1000;

/// A word whose case is wrong or whose punctuation is missing, as LanguageTool reports it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Match {
    message: String,
    short_message: &'static str,
    replacements: [Replacement; 1],
    offset: usize,
    length: usize,
    context: MatchContext,
    sentence: String,
    #[serde(rename = "type")]
    kind: MatchType,
    rule: &'static Rule,
    ignore_for_incomplete_sentence: bool,
    context_for_sure_match: i32,
}

/// The right form of the word.
#[derive(Debug, Serialize)]
struct Replacement {
    value: String,
}

/// The text around a word; the offset is the word's position in this text.
#[derive(Debug, Serialize)]
struct MatchContext {
    text: String,
    offset: usize,
    length: usize,
}

/// The type of a match, by which some clients choose a colour.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct MatchType {
    type_name: &'static str,
}

/// Lists the words with wrong case or missing punctuation, at most one more than `MOST_MATCHES`.
pub fn list(
    text: &AnnotatedText,
    words: &[RestoredWord],
    options: &RestoreOptions,
    rules: &RuleChoice,
) -> Vec<Match> {
    let plain = text.plain();
    let sentences = sentences(plain, words);
    let (mut places, mut sentences) = (text.places(), sentences.iter().peekable());
    let mut found = Vec::new();
    for word in words {
        while sentences.next_if(|sentence| sentence.end < word.span.end).is_some() {}
        let given = plain.get(word.span.clone()).unwrap_or_default();
        let has_case = rules.has_case() && given != word.text;
        let has_mark = word.mark != Mark::None || word.opening != Mark::None;
        if !has_case && !has_mark {
            continue;
        }
        let Some((offset, length)) = places.of(&word.span) else { continue };
        let right = if has_case { word.text.clone() } else { given.to_owned() };
        let value = RestoredWord { text: right, ..word.clone() }.written(options);
        let (rule, short_message) =
            if has_case { (&CASE, "Wrong case") } else { (&MARKS, "Missing punctuation") };
        let context = context(plain, &word.span);
        let sentence = sentences.peek().and_then(|span| plain.get((*span).clone()));
        let sentence = sentence.filter(|text| text.len() <= LONGEST_SENTENCE).unwrap_or(&context.text);
        found.push(Match {
            message: format!("Write “{value}” here, not “{given}”."),
            short_message,
            sentence: sentence.to_owned(),
            replacements: [Replacement { value }],
            offset,
            length,
            context,
            kind: MatchType { type_name: "Other" },
            rule,
            ignore_for_incomplete_sentence: false,
            context_for_sure_match: 0,
        });
        if found.len() > MOST_MATCHES {
            break;
        }
    }
    found
}

/// Returns the positions of sentences in a text, with the punctuation that touches their words.
fn sentences(plain: &str, words: &[RestoredWord]) -> Vec<Range<usize>> {
    let (mut sentences, mut start, mut done) = (Vec::new(), None, 0);
    for (at, word) in words.iter().enumerate() {
        let before = attached_before(plain.get(done..word.span.start).unwrap_or_default(), at == 0);
        let first = *start.get_or_insert(word.span.start - before.len());
        let next = words.get(at + 1).map_or(plain.len(), |next| next.span.start);
        done = word.span.end;
        if ends_sentence(word) || at + 1 == words.len() {
            sentences.push(first..done + attached_after(plain.get(done..next).unwrap_or_default()).len());
            start = None;
        }
    }
    sentences
}

/// Returns the context of a word.
fn context(plain: &str, span: &Range<usize>) -> MatchContext {
    let (before, rest) = plain.split_at(span.start);
    let (word, after) = rest.split_at(span.len());
    let from = before.char_indices().rev().take(CONTEXT).last().map_or(before.len(), |(at, _)| at);
    let to = after.char_indices().nth(CONTEXT).map_or(after.len(), |(at, _)| at);
    let dots = |is_cut| if is_cut { "..." } else { "" };
    let before = format!("{}{}", dots(from > 0), &before[from..]);
    let text = format!("{before}{word}{}{}", &after[..to], dots(to < after.len()));
    MatchContext {
        text: text.replace(['\n', '\r', '\t'], " "),
        offset: utf16_len(&before),
        length: utf16_len(word),
    }
}
