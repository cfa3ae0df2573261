//! Restored words as JSON.

use majuscule::{OffsetCursor, OffsetUnit, RestoreOptions, RestoredWord};
use serde::Serialize;

/// A restored word of a text.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedWord<'a> {
    /// The word as it is in the text.
    text: &'a str,
    /// The word with its restored case.
    form: String,
    /// The position of the word in UTF-16 code units; for a word without a text, its number.
    start: usize,
    end: usize,
    /// The word with its restored case and the inserted marks.
    written: String,
    /// The punctuation mark inserted after the word.
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<char>,
    /// The opening inserted before the word (`¿`).
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark_probability: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence_end: Option<bool>,
}

impl<'a> PlacedWord<'a> {
    /// Describes a restored word at this position of a text.
    fn new(text: &'a str, start: usize, end: usize, word: RestoredWord, options: &RestoreOptions) -> Self {
        let written = word.written(options);
        Self {
            text,
            written,
            form: word.text,
            start,
            end,
            mark: word.mark.character(),
            opening: word.opening.opening(options.language()),
            probability: word.confidence.map(rounded),
            mark_probability: word.mark_confidence.map(rounded),
            sentence_end: word.ends_sentence,
        }
    }

    /// Describes the restored words of a text.
    pub fn of_text(text: &'a str, words: Vec<RestoredWord>, options: &RestoreOptions) -> Vec<Self> {
        let mut units = OffsetCursor::new(text, OffsetUnit::Utf16);
        let word = |word: RestoredWord| {
            let (start, end) = (units.at(word.span.start), units.at(word.span.end));
            Self::new(text.get(word.span.clone()).unwrap_or_default(), start, end, word, options)
        };
        words.into_iter().map(word).collect()
    }

    /// Describes restored words that came without a text.
    pub fn of_words(given: &'a [String], words: Vec<RestoredWord>, options: &RestoreOptions) -> Vec<Self> {
        let word = |(at, (text, word)): (usize, (&'a String, RestoredWord))| {
            Self::new(text, at, at + 1, word, options)
        };
        given.iter().zip(words).enumerate().map(word).collect()
    }
}

/// Rounds a probability to four decimal places.
fn rounded(probability: f32) -> f64 {
    (f64::from(probability) * 1e4).round() / 1e4
}
