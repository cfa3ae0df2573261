//! The words of a text whose case is wrong or whose punctuation is missing.

use std::ops::Range;

use majuscule::{Mark, RestoreOptions, RestoredWord};
use serde_json::{Value, json};

use super::MOST_MATCHES;
use super::annotated::{AnnotatedText, utf16_len};
use super::rules::{CASE, MARKS, RuleChoice};
use crate::answer::{attached_after, attached_before, ends_sentence};

/// The number of characters of context on each side of a word.
const CONTEXT: usize = 40;

/// The largest number of bytes of a sentence in a match; a longer sentence is replaced by the context.
const LONGEST_SENTENCE: usize = 1000;

/// Lists the words with wrong case or missing punctuation as LanguageTool reports them, at most one more than
/// `MOST_MATCHES`.
pub fn list(
    text: &AnnotatedText,
    words: &[RestoredWord],
    options: &RestoreOptions,
    rules: &RuleChoice,
) -> Vec<Value> {
    let plain = text.plain();
    let sentences = sentences(plain, words);
    let (mut places, mut sentences) = (text.places(), sentences.iter().peekable());
    let mut found = Vec::new();
    for word in words {
        while sentences.next_if(|sentence| sentence.end < word.span.end).is_some() {}
        let given = plain.get(word.span.clone()).unwrap_or_default();
        let has_case = rules.case && given != word.text;
        let has_mark = word.mark != Mark::None || word.opening != Mark::None;
        if !has_case && !has_mark {
            continue;
        }
        let Some((offset, length)) = places.of(&word.span) else { continue };
        let right = if has_case { word.text.clone() } else { given.to_owned() };
        let value = RestoredWord { text: right, ..word.clone() }.written(options);
        let rule = if has_case { CASE } else { MARKS };
        let context = context(plain, &word.span);
        let sentence = sentences.peek().and_then(|span| plain.get((*span).clone()));
        let sentence = sentence.filter(|text| text.len() <= LONGEST_SENTENCE).map(Value::from);
        found.push(json!({
            "message": format!("Write “{value}” here, not “{given}”."),
            "shortMessage": rule.short_message,
            "replacements": [{ "value": value }],
            "offset": offset,
            "length": length,
            "sentence": sentence.unwrap_or_else(|| context["text"].clone()),
            "context": context,
            // Some clients choose a colour by the type.
            "type": { "typeName": "Other" },
            "rule": rule.describe(),
            "ignoreForIncompleteSentence": false,
            "contextForSureMatch": 0,
        }));
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

/// Returns the text around a word, and the word's position in this text.
fn context(plain: &str, span: &Range<usize>) -> Value {
    let (before, rest) = plain.split_at(span.start);
    let (word, after) = rest.split_at(span.len());
    let from = before.char_indices().rev().take(CONTEXT).last().map_or(before.len(), |(at, _)| at);
    let to = after.char_indices().nth(CONTEXT).map_or(after.len(), |(at, _)| at);
    let dots = |is_cut| if is_cut { "..." } else { "" };
    let before = format!("{}{}", dots(from > 0), &before[from..]);
    let text = format!("{before}{word}{}{}", &after[..to], dots(to < after.len()));
    json!({
        "text": text.replace(['\n', '\r', '\t'], " "),
        "offset": utf16_len(&before),
        "length": utf16_len(word),
    })
}
