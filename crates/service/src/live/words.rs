//! Parts of a restored text as words, each with the fields that its client sent.

use std::collections::VecDeque;

use majuscule::{RestoreOptions, RestoredPart};
use majuscule_restore::RestoredParts;

use crate::answer::{AnswerWord, Span, attached_after, attached_before, ends_sentence};
use crate::fields::TimedWord;

/// The largest number of bytes of punctuation before a word that is remembered until the word comes.
const LONGEST_GAP: usize = 256;

/// The position in a text up to which its words have been sent to the client.
#[derive(Debug, Clone, Default)]
pub struct WordCursor {
    /// The number of bytes answered.
    at: u64,
    /// The end of the text after the last word.
    gap: String,
    /// True after the first word.
    has_words: bool,
    /// The given words that are not answered yet.
    given: VecDeque<GivenWord>,
}

/// A word that a client gave with its times, and its restored parts so far.
#[derive(Debug, Clone)]
struct GivenWord {
    /// The byte range in the text.
    start: u64,
    end: u64,
    word: String,
    times: Span,
    parts: RestoredParts,
}

impl WordCursor {
    /// Returns the number of bytes of the text whose words have been sent to the client.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Adds words that start at a position in the text, and returns their text, with a space after each word.
    pub fn give(&mut self, at: u64, words: Vec<TimedWord>) -> String {
        let mut text = String::new();
        for (word, times) in words {
            let start = at + text.len() as u64;
            // A line end inside a word is not a line end of the text.
            text.extend(word.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
            let end = at + text.len() as u64;
            text.push(' ');
            self.given.push_back(GivenWord { start, end, word, times, parts: RestoredParts::default() });
        }
        text
    }

    /// Answers the next part of the text.
    pub fn answer(&mut self, part: &RestoredPart, options: &RestoreOptions) -> Vec<AnswerWord> {
        let RestoredPart { source, words, .. } = part;
        let (mut out, mut done) = (Vec::with_capacity(words.len()), 0);
        for (index, word) in words.iter().enumerate() {
            let span = word.span.clone();
            let start = self.at + span.start as u64;
            self.answer_given(start, options, &mut out);
            self.add_gap(source.get(done..span.start).unwrap_or_default());
            if let Some(given) = self.given.front_mut().filter(|given| given.start <= start) {
                given.parts.add(&given.word, (start - given.start) as usize, word.clone());
            } else {
                let next = words.get(index + 1).map_or(source.len(), |next| next.span.start);
                let after = source.get(span.end..next).unwrap_or_default();
                let before = attached_before(&self.gap, !self.has_words);
                let punctuated = format!("{before}{}{}", word.written(options), attached_after(after));
                let came = source.get(span.clone()).unwrap_or_default().to_owned();
                out.push(AnswerWord::new(came, Span::default(), punctuated, word, ends_sentence(word)));
            }
            self.gap.clear();
            self.has_words = true;
            done = span.end;
        }
        self.add_gap(source.get(done..).unwrap_or_default());
        self.at += source.len() as u64;
        self.answer_given(self.at, options, &mut out);
        out
    }

    /// Answers the given words that end at or before a position.
    fn answer_given(&mut self, to: u64, options: &RestoreOptions, out: &mut Vec<AnswerWord>) {
        while let Some(given) = self.given.pop_front_if(|given| given.end <= to) {
            let GivenWord { word, times, parts, .. } = given;
            let whole = parts.join(&word);
            out.push(AnswerWord::new(word, times, whole.written(options), &whole, ends_sentence(&whole)));
        }
    }

    fn add_gap(&mut self, text: &str) {
        let gap = &mut self.gap;
        gap.push_str(text);
        // Only the last white space and the text after it are needed.
        let from = gap.rfind(char::is_whitespace).unwrap_or(0).max(gap.len().saturating_sub(LONGEST_GAP));
        let from = (from..gap.len()).find(|&at| gap.is_char_boundary(at)).unwrap_or(gap.len());
        gap.drain(..from);
    }
}
