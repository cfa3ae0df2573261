//! Words that a hyphen divides at the end of a line: `presi-⏎dent`.

use std::fmt;
use std::sync::Arc;

use super::locale::{Locale, is_joiner};
use super::tokens::lower_word;

/// The character that represents the end of a line in text whose lines are joined.
pub const LINE_END: char = '\u{b}';

/// The hyphens at which a word is divided. A soft one shows that the parts are one word.
const HYPHENS: [char; 3] = ['-', '‐', '\u{ad}'];

/// Returns true for a known word in lower case.
type Knows = dyn Fn(&str) -> bool + Send + Sync;

/// The words that a model knows; none by default.
#[derive(Clone, Default)]
pub struct ModelVocabulary(Option<Arc<Knows>>);

impl ModelVocabulary {
    /// Makes a vocabulary of the words, in lower case, for which `knows` is true.
    pub fn new(knows: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(knows)))
    }

    fn knows(&self, word: &str, locale: Locale) -> bool {
        let Some(knows) = &self.0 else { return false };
        let mut lower = String::new();
        lower_word(word, locale, &mut lower);
        knows(&lower)
    }
}

impl fmt::Debug for ModelVocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Vocabulary").field(&self.0.is_some()).finish()
    }
}

/// The relation of the parts before and after a hyphen at the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Division {
    /// One word, without the hyphen: `presi-⏎dent`.
    Word,
    /// One word with a hyphen: `vice-⏎president`.
    Compound,
    /// Two words: `Haus-⏎und Gartenarbeit`.
    Apart,
}

impl Division {
    /// Returns the relation of two runs; the first ends with a hyphen.
    pub fn of(first: &str, second: &str, locale: Locale, vocabulary: &ModelVocabulary) -> Self {
        let Some((first, hyphen)) = first.char_indices().next_back().map(|(at, c)| (&first[..at], c)) else {
            return Self::Apart;
        };
        if hyphen == '\u{ad}' {
            return Self::Word;
        }
        let is_apostrophe = |c: char| matches!(c, '\'' | '’');
        let ends = |c: char| !(c.is_alphanumeric() || is_joiner(c) || is_apostrophe(c));
        let second = &second[..second.find(ends).unwrap_or(second.len())];
        let first = first.rsplit(ends).next().unwrap_or_default();
        // `l’inter-⏎national`, `presi-⏎dent’s`.
        let firsts = [first, first.rsplit(is_apostrophe).next().unwrap_or_default()];
        let seconds = [second, second.split(is_apostrophe).next().unwrap_or_default()];
        let knows = |hyphen: &str| {
            let words =
                firsts.iter().flat_map(|first| seconds.map(|second| [first, hyphen, second].concat()));
            words.into_iter().any(|word| vocabulary.knows(&word, locale))
        };
        match () {
            () if knows("") => Self::Word,
            () if knows("-") => Self::Compound,
            () => Self::Apart,
        }
    }
}

/// Returns the byte at which the run on the next line begins if a hyphen right before byte `end` of a text ends a
/// line and may divide a word.
#[inline]
pub fn second_part(text: &str, end: usize) -> Option<usize> {
    // The last bytes of the hyphens.
    let may_divide = end < text.len() && matches!(text.as_bytes()[end - 1], b'-' | 0x90 | 0xad);
    if may_divide { part_below(text, end) } else { None }
}

#[cold]
fn part_below(text: &str, end: usize) -> Option<usize> {
    if !ends_divided(&text[..end]) {
        return None;
    }
    let mut ends = 0;
    for (len, c) in text[end..].char_indices() {
        match c {
            '\n' | LINE_END => ends += 1,
            c if c.is_ascii_whitespace() => {}
            c => return (ends == 1 && c.is_alphabetic()).then_some(end + len),
        }
    }
    None
}

/// Returns true if a text ends with a hyphen that may divide a word.
pub fn ends_divided(text: &str) -> bool {
    text.strip_suffix(HYPHENS)
        .is_some_and(|first| first.ends_with(|c: char| c.is_alphabetic() || is_combining(c)))
}

fn is_combining(c: char) -> bool {
    is_joiner(c) && c != '\u{ad}'
}

/// The largest number of lines in a row that wait for the next line.
const LONGEST_WAIT: usize = 64;

/// Returns the number of bytes, at most `end`, after which `text` can be cut without dividing a word: the last line
/// before the cut does not end in the middle of a word. `ended` is true if no more text follows.
pub fn undivided_lines(text: &[u8], end: usize, ended: bool) -> usize {
    if ended && end == text.len() {
        return end;
    }
    let mut at = end;
    for _ in 0..LONGEST_WAIT {
        let line = text[..at].trim_ascii_end();
        // A character has at most four bytes, and the hyphen three.
        let tail = &line[line.len().saturating_sub(7)..];
        if at == 0 || text[line.len()..at].iter().filter(|b| **b == b'\n').count() > 1 || !is_divided(tail) {
            return at;
        }
        at = line.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    }
    end
}

/// Returns true if the bytes end with valid UTF-8 whose last character is a hyphen that may divide a word.
fn is_divided(tail: &[u8]) -> bool {
    tail.utf8_chunks().last().is_some_and(|chunk| chunk.invalid().is_empty() && ends_divided(chunk.valid()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> ModelVocabulary {
        ModelVocabulary::new(|word| matches!(word, "president" | "vice-president" | "international"))
    }

    #[test]
    fn what_is_known_decides_whether_a_hyphen_divides_a_word() {
        let of = |first, second| Division::of(first, second, Locale::Root, &vocabulary());
        assert_eq!(of("presi-", "dent,"), Division::Word);
        assert_eq!(of("\"Presi-", "DENT’s"), Division::Word);
        assert_eq!(of("l’inter-", "national"), Division::Word);
        assert_eq!(of("vice-", "president."), Division::Compound);
        assert_eq!(of("pre-", "and"), Division::Apart);
        assert_eq!(of("zorb\u{ad}", "latic"), Division::Word);
        assert_eq!(
            Division::of("presi-", "dent", Locale::Root, &ModelVocabulary::default()),
            Division::Apart
        );
    }

    #[test]
    fn a_hyphen_right_behind_a_letter_divides_a_word_at_one_line_end() {
        for (text, end, second) in [
            ("so-\nit", 3, Some(4)),
            ("so\u{ad} \r\n  it", 4, Some(9)),
            ("so‐\u{b}it", 5, Some(6)),
            ("so- it", 3, None),
            ("so-\n\nit", 3, None),
            ("so--\nit", 4, None),
            ("so-\n5", 3, None),
            ("5-\nit", 2, None),
            ("so-\n", 3, None),
        ] {
            assert_eq!(second_part(text, end), second, "{text:?}");
        }
    }

    #[test]
    fn a_line_waits_for_the_one_in_which_its_last_word_ends() {
        let lines = |text: &str, ended| undivided_lines(text.as_bytes(), text.len(), ended);
        assert_eq!(lines("we\nmet-\n", false), 3);
        assert_eq!(lines("we\nmet\u{ad}\r\n", false), 3);
        assert_eq!(lines("we-\nmet-\n", false), 0);
        assert_eq!(lines("we\nmet-\n", true), 8);
        assert_eq!(lines("we\nmet-\n\n", false), 9);
        assert_eq!(lines("we\nmet--\n", false), 9);
        assert_eq!(lines(&"we-\n".repeat(100), false), 400);
    }
}
