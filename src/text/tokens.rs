//! The words of a text without their capitals: all that a method ever sees.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::case::Case;
use super::locale::{Locale, is_joiner};

/// What lies before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Break {
    /// Nothing but marks: `left/right`.
    None,
    /// White space on the same line.
    #[default]
    Space,
    /// The end of a line.
    Line,
    /// The end of a subtitle cue.
    Cue,
    /// Another speaker.
    Turn,
    /// An empty line.
    Paragraph,
    /// The beginning of the text.
    Document,
}

/// What is already known of a word's case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Constraint {
    /// Nothing: the method decides.
    #[default]
    Free,
    /// Its case: the user's own spelling. Whatever the method answers, this stands; a method may read it as context.
    Fixed(Case),
    /// Its capitals in the source, which stay unless the line turns out to have lost its case (see
    /// [`restore`](crate::restore)). A method does not read it: what was restored once would then be read again as
    /// evidence, and restoring twice would no longer change nothing.
    Kept(Case),
}

/// A word as a method sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Token {
    /// Where its lower case stands in the text of [`Tokens`].
    pub lower: Range<u32>,
    /// Where it stands in the source, in bytes from the beginning of the piece that the format holds.
    pub source: Range<u32>,
    /// What lies between it and the word before, the strongest if there are several. Between them may also stand what is
    /// left alone, such as a URL.
    pub before: Break,
    /// What is known of its case.
    pub given: Constraint,
    /// Whether it opens its line: nothing but marks stands before it there.
    pub opens: bool,
    /// Whether the source shows that a sentence begins here: it follows a full stop, or opens a punctuated line.
    pub starts: bool,
    /// The mark right before it (`(`, `"`, `¿`), `None` where white space or another word is.
    pub left: Option<char>,
    /// The mark right after it (`,`, `.`, `?`), likewise.
    pub right: Option<char>,
}

/// Words in order. Cleared and used again, so that no word costs an allocation; borrows nothing from its source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tokens {
    text: String,
    tokens: Vec<Token>,
}

impl Tokens {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Words of a list, each with a space before it and the first at the beginning of a text: for tests and for words
    /// that come without a source.
    ///
    /// ```
    /// use majuscule::text::{Locale, Tokens};
    ///
    /// let tokens = Tokens::of_words(["The", "Kelvins"], Locale::Root);
    /// assert_eq!(tokens.lower(1), "kelvins");
    /// ```
    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>, locale: Locale) -> Self {
        let mut tokens = Self::new();
        for word in words {
            let before = if tokens.is_empty() { Break::Document } else { Break::Space };
            tokens.push(word, locale, Token { before, ..Token::default() });
        }
        tokens
    }

    /// Forgets all words and keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.tokens.clear();
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Appends a word in any case; what is kept is its [key](lower_word).
    #[inline]
    pub fn push(&mut self, word: &str, locale: Locale, token: Token) {
        let start = self.text.len() as u32;
        lower_word(word, locale, &mut self.text);
        self.tokens.push(Token { lower: start..self.text.len() as u32, ..token });
    }

    /// The lower case of word `i`.
    ///
    /// # Panics
    /// Where there is no word `i`.
    #[inline]
    pub fn lower(&self, i: usize) -> &str {
        let Range { start, end } = self.tokens[i].lower;
        &self.text[start as usize..end as usize]
    }

    /// Each word's lower case, with the rest that is known of it.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Token)> + Clone {
        self.tokens
            .iter()
            .map(|token| (&self.text[token.lower.start as usize..token.lower.end as usize], token))
    }

    /// The words without their text.
    pub fn as_slice(&self) -> &[Token] {
        &self.tokens
    }

    /// The words without their text, to give labels to.
    pub fn as_mut_slice(&mut self) -> &mut [Token] {
        &mut self.tokens
    }

    /// Appends words of others, as they are there.
    ///
    /// # Panics
    /// Where there are not so many.
    pub fn extend(&mut self, others: &Self, words: Range<usize>) {
        let Some(first) = others.tokens[words.clone()].first() else { return };
        let (from, to) = (first.lower.start, others.tokens[words.end - 1].lower.end);
        let start = self.text.len() as u32;
        self.text.push_str(&others.text[from as usize..to as usize]);
        self.tokens.extend(others.tokens[words].iter().map(|token| {
            let Range { start: first, end } = token.lower;
            Token { lower: start + first - from..start + end - from, ..token.clone() }
        }));
    }

    /// Keeps the first `len` words.
    pub fn truncate(&mut self, len: usize) {
        if let Some(token) = self.tokens.get(len) {
            self.text.truncate(token.lower.start as usize);
            self.tokens.truncate(len);
        }
    }
}

/// Appends to `out` the form under which a word is looked up: lower case under the locale, composed (NFC) where that
/// keeps its letters, `’` as `'`, soft hyphens and joiners left out. It has as many letters that pair as the word, in
/// the same order, so a [`Case`] read off one fits the other.
#[inline]
pub fn lower_word(word: &str, locale: Locale, out: &mut String) {
    if word.is_ascii() && locale != Locale::Turkic {
        let start = out.len();
        out.push_str(word);
        out[start..].make_ascii_lowercase();
    } else {
        lower_any_word(word, locale, out);
    }
}

/// The plain twin of [`lower_word`], for words of any script.
fn lower_any_word(word: &str, locale: Locale, out: &mut String) {
    let start = out.len();
    for (_, c, letter) in locale.letters(word) {
        match (c, letter) {
            (_, Some(super::Letter::Upper(lower))) => out.push(lower),
            ('’', _) => out.push('\''),
            ('\u{ad}' | '\u{200c}' | '\u{200d}', _) => {}
            _ => out.push(c),
        }
    }
    if out[start..].chars().any(is_joiner) {
        let composed = locale.lower(&out[start..].nfc().collect::<String>());
        // Composing may make a letter that does not pair (j and caron): then the word stays as it is.
        if locale.letter_count(&composed) == locale.letter_count(word) {
            out.truncate(start);
            out.push_str(&composed);
        }
    }
}
