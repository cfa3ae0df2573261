//! The answers with restored text: the text, its words and its sentences.

use majuscule::{OffsetCursor, OffsetUnit, RestoreOptions, RestoredWord};
use majuscule_text::text_around::spaces_around;
use serde::Serialize;
use serde_json::Number;

/// The answer to a request in JSON.
#[derive(Debug, Default, Serialize)]
pub struct RestoreAnswer {
    /// The restored text with its words and sentences, if the request has `text` or `words`.
    #[serde(flatten)]
    pub restored: Option<RestoredText>,
    /// The restored texts, if the request has `texts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texts: Option<Vec<String>>,
    /// The unit of the offsets, if the request has `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offsets: Option<&'static str>,
    /// The tag of the language.
    pub language: String,
    /// The name of the model.
    pub model: String,
    /// The version of the service.
    pub version: &'static str,
    /// Notes on surprising choices.
    pub notes: Vec<String>,
}

/// A restored text with its words and sentences.
#[derive(Debug, Default, Serialize)]
pub struct RestoredText {
    text: String,
    words: Vec<AnswerWord>,
    sentences: Vec<AnswerSentence>,
}

/// A word of the answer.
#[derive(Debug, Clone, Serialize)]
pub struct AnswerWord {
    word: String,
    punctuated_word: String,
    #[serde(flatten)]
    span: Span,
    /// The probability of the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// The probability of the predicted punctuation mark after the word, or of the prediction of no mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    mark_confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence_end: Option<bool>,
}

/// A sentence of the answer.
#[derive(Debug, Default, Serialize)]
struct AnswerSentence {
    #[serde(flatten)]
    span: Span,
    text: String,
}

/// The position of a word or a sentence, in offsets or times, as far as it is known.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Span {
    /// The start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Number>,
    /// The end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Number>,
}

/// Builds the answer for a text from its restored words, with offsets in `unit`.
pub fn of_text(
    source: &str,
    words: &[RestoredWord],
    options: &RestoreOptions,
    unit: OffsetUnit,
) -> RestoredText {
    let mut answer = RestoredText { words: Vec::with_capacity(words.len()), ..RestoredText::default() };
    let (mut offsets, mut done, mut sentence) = (OffsetCursor::new(source, unit), 0, None);
    for (at, word) in words.iter().enumerate() {
        let gap = source.get(done..word.span.start).unwrap_or_default();
        let next = words.get(at + 1).map_or(source.len(), |next| next.span.start);
        let after = source.get(word.span.end..next).unwrap_or_default();
        let (before, behind) = (attached_before(gap, at == 0), attached_after(after));
        let (start, end) = (offsets.at(word.span.start), offsets.at(word.span.end));
        let written = word.written(options);
        answer.text.push_str(gap);
        let first = *sentence.get_or_insert((answer.text.len() - before.len(), start));
        answer.text.push_str(&written);
        let ends = ends_sentence(word) || at + 1 == words.len();
        if ends {
            let text = answer.text.get(first.0..).unwrap_or_default().to_owned() + behind;
            answer.sentences.push(AnswerSentence { text, span: Span::of(first.1, end) });
            sentence = None;
        }
        let given = source.get(word.span.clone()).unwrap_or_default().to_owned();
        let punctuated = format!("{before}{written}{behind}");
        answer.words.push(AnswerWord::new(given, Span::of(start, end), punctuated, word, ends));
        done = word.span.end;
    }
    answer.text.push_str(source.get(done..).unwrap_or_default());
    if let Some(around) = options.around.as_ref().filter(|_| !words.is_empty()) {
        let [lead, trail] = spaces_around(around, source, options.language());
        answer.text = [lead, &answer.text, trail].concat();
    }
    answer
}

/// Builds the answer for words that came without a text; `given` has each word and its times.
pub fn of_words(
    given: Vec<(String, Span)>,
    words: &[RestoredWord],
    options: &RestoreOptions,
) -> RestoredText {
    let mut answer = RestoredText { words: Vec::with_capacity(words.len()), ..RestoredText::default() };
    let mut sentence: Option<AnswerSentence> = None;
    for (at, ((given, span), word)) in given.into_iter().zip(words).enumerate() {
        let written = word.written(options);
        let ends = ends_sentence(word) || at + 1 == words.len();
        let open = sentence.get_or_insert_with(AnswerSentence::default);
        if open.text.is_empty() {
            open.span.start.clone_from(&span.start);
        }
        open.span.end.clone_from(&span.end);
        for text in [&mut answer.text, &mut open.text] {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&written);
        }
        if ends {
            answer.sentences.extend(sentence.take());
        }
        answer.words.push(AnswerWord::new(given, span, written, word, ends));
    }
    answer
}

impl AnswerWord {
    /// Creates a word from its received form, its position, its punctuated form and its restored word; a sentence
    /// ends after it if `ends`.
    pub fn new(
        word: String,
        span: Span,
        punctuated_word: String,
        restored: &RestoredWord,
        ends: bool,
    ) -> Self {
        Self {
            word,
            punctuated_word,
            span,
            confidence: restored.confidence.map(rounded),
            mark_confidence: restored.mark_confidence.map(rounded),
            sentence_end: restored.ends_sentence.map(|_| ends),
        }
    }

    /// Returns the restored word with its punctuation.
    pub fn punctuated_word(&self) -> &str {
        &self.punctuated_word
    }

    /// Returns true if a sentence ends after the word.
    pub fn ends_sentence(&self) -> bool {
        self.sentence_end == Some(true)
    }
}

impl RestoredText {
    /// Removes the probabilities.
    pub fn drop_confidences(&mut self) {
        for word in &mut self.words {
            (word.confidence, word.mark_confidence) = (None, None);
        }
    }
}

impl Span {
    fn of(start: usize, end: usize) -> Self {
        Self { start: Some(start.into()), end: Some(end.into()) }
    }
}

/// Returns the punctuation that touches a word from the left: all text after the last white space of `gap`.
/// Punctuation between two words without white space belongs to the first word.
pub fn attached_before(gap: &str, is_first: bool) -> &str {
    match gap.rfind(char::is_whitespace) {
        Some(at) => gap[at..].trim_start(),
        None if is_first => gap,
        None => "",
    }
}

/// Returns the punctuation that touches a word from the right: all text before the first white space of `gap`.
pub fn attached_after(gap: &str) -> &str {
    &gap[..gap.find(char::is_whitespace).unwrap_or(gap.len())]
}

/// Returns true if the method predicts a sentence end after a word, or if an inserted mark ends a sentence there.
pub fn ends_sentence(word: &RestoredWord) -> bool {
    word.ends_sentence == Some(true) || word.mark.ends_sentence()
}

/// Rounds a probability to four decimal places.
fn rounded(probability: f32) -> f64 {
    (f64::from(probability) * 1e4).round() / 1e4
}
