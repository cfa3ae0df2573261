//! Restored words as JSON.

use majuscule::{OffsetCursor, OffsetUnit, RestoreOptions, RestoredWord};
use serde::Serialize;

/// A word of a text, restored.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedWord<'a> {
    /// The word as it is in the text.
    text: &'a str,
    /// The word with the case that it gets.
    form: String,
    /// The position of the word in code units of UTF-16; of a word given by itself, its number.
    start: usize,
    end: usize,
    /// The word with that case and with the marks that are inserted.
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
    /// A word at this position of a text, restored with these options.
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

    /// The words of a text.
    pub fn of_text(text: &'a str, words: Vec<RestoredWord>, options: &RestoreOptions) -> Vec<Self> {
        let mut units = OffsetCursor::new(text, OffsetUnit::Utf16);
        let word = |word: RestoredWord| {
            let (start, end) = (units.at(word.span.start), units.at(word.span.end));
            Self::new(text.get(word.span.clone()).unwrap_or_default(), start, end, word, options)
        };
        words.into_iter().map(word).collect()
    }

    /// Words that came without a text, each restored.
    pub fn of_words(given: &'a [String], words: Vec<RestoredWord>, options: &RestoreOptions) -> Vec<Self> {
        let word = |(at, (text, word)): (usize, (&'a String, RestoredWord))| {
            Self::new(text, at, at + 1, word, options)
        };
        given.iter().zip(words).enumerate().map(word).collect()
    }
}

/// Returns a probability with four digits.
fn rounded(probability: f32) -> f64 {
    (f64::from(probability) * 1e4).round() / 1e4
}
