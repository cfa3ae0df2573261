//! The words of a text without their capitals: the only input of a method.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::case::Case;
use super::locale::{CAPITAL_SHARP_S, Locale, SHARP_S, is_joiner};
use super::mark::{Mark, MarkSet};
use super::noted_marks::NotedMark;

/// The break before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Break {
    /// Nothing but marks, as in `left/right`.
    None,
    /// White space on the same line.
    #[default]
    Space,
    /// The end of a line.
    Line,
    /// The end of a subtitle cue.
    Cue,
    /// A change of speaker.
    Turn,
    /// An empty line.
    Paragraph,
    /// The beginning of the text.
    Document,
}

/// The largest number of bytes of a word that counts as one letter.
const LONGEST_LETTER: usize = 2;

/// A constraint on the case of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Constraint {
    /// No constraint: the method decides.
    #[default]
    Free,
    /// The case of the user's own spelling, which applies whatever the method chooses. A method may use it as
    /// context.
    Fixed(Case),
    /// The capitals of the source, which stay unless the sentence turns out to have lost its case (see
    /// [`KeptCapitals`](super::KeptCapitals)). A method does not use them as context: text restored once
    /// would then serve as evidence, and restoring it again could change it.
    Kept(Case),
    /// Capitals of the source that stay like kept ones, but that may be lost when the text is restored again, because
    /// no lower-case letters are in the word or next to it. They are evidence of nothing.
    Doubtful(Case),
}

impl Constraint {
    /// Returns true if the source has the word with capitals that are certain to stay.
    pub fn has_capital(self) -> bool {
        matches!(self, Self::Kept(Case::Title | Case::Upper | Case::Mixed(_)))
    }
}

/// A word as input of a method.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Token {
    /// The range of the word's [lookup key](lower_word) in the text of [`Tokens`].
    pub lower: Range<u32>,
    /// Its range in the source, in bytes from the beginning of the piece that the format holds.
    pub source: Range<u32>,
    /// The strongest break between this word and the previous one. Text that is left unchanged, such as a URL,
    /// may also be between them.
    pub before: Break,
    /// The constraint on its case.
    pub constraint: Constraint,
    /// True if the word opens its line: only marks precede it there.
    pub opens: bool,
    /// True if the word begins a line inside a cue, and not necessarily a sentence. For other line ends, see
    /// `before`.
    pub opens_line: bool,
    /// True if the word is part of the name of a speaker before a colon. No mark is inserted there.
    pub is_label: bool,
    /// The place of the word among headings and list items.
    pub place: LinePlace,
    /// True if the source shows that a sentence begins here: the word follows a full stop or opens
    /// a punctuated line.
    pub starts: bool,
    /// The mark right before the word (`(`, `"`, `¿`); `None` after white space or another word.
    pub left: Option<char>,
    /// The mark right after the word (`,`, `.`, `?`); `None` before white space or another word.
    pub right: Option<char>,
    /// The mark between the previous word and this one; [`Mark::None`] if there is something else, such as a
    /// bracket, a URL or the full stop of an abbreviation, and `None` if there is only white space and tags.
    pub gap: Option<Mark>,
    /// The opening mark before the word, as the mark that ends its sentence: [`Mark::Question`] for `¿`.
    /// [`Mark::None`] if there is no opening mark and none can be inserted; `None` if one can be inserted. Found only
    /// where marks are inserted.
    pub opening: Option<Mark>,
    /// True if a full stop after the word would belong to an abbreviation, an initial or the number of a list
    /// item. Found only where marks are inserted.
    pub abbreviates: bool,
    /// True if the word directly follows a clitic, and gets the sentence start of the clitic: `'s Ochtends`. Found
    /// only where marks are inserted.
    pub after_clitic: bool,
    /// True if a colon after the word would turn the words before it into the label of a speaker, or into a line
    /// that introduces the lines below it. Found only where marks are inserted.
    pub may_name: bool,
    /// True if the text around the word lacks punctuation, and false if it is punctuated; `None` if that is not known
    /// (see [`BareStretches`](super::BareStretches)).
    pub is_bare: Option<bool>,
    /// True if the word is two ASCII letters or more without an adjacent mark, as most are; false if that is not
    /// known.
    pub is_plain: bool,
}

/// The place of a word among headings and list items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LinePlace {
    /// Running text.
    #[default]
    Text,
    /// In a heading: a line that begins with number signs or equals signs.
    Heading,
    /// At the beginning of a list item: a line that begins with a bullet, a number or a letter.
    Item,
}

impl Token {
    /// Returns true if the source shows that a sentence begins with the word and that another one ends in the gap
    /// before it. After a clitic, a sentence start has no such end before it.
    pub fn follows_end(&self) -> bool {
        self.starts && !self.after_clitic
    }

    /// Returns true if the word has a capital in the source that is not due to a heading, a list item or a mark
    /// before it. A longer word all in capitals does not count: it may be stressed.
    pub fn shows_capital(&self) -> bool {
        let is_capital = match self.constraint {
            Constraint::Kept(Case::Upper) => {
                !self.is_plain && self.right.is_none() && self.lower.len() <= LONGEST_LETTER
            }
            constraint => constraint.has_capital(),
        };
        self.left.is_none() && self.place == LinePlace::Text && is_capital
    }

    /// Returns the marks that cannot be inserted right after the word, where they would be read as something
    /// else: a full stop as an abbreviation's, the semicolon of `&t;` as an entity's, and a colon as a label's.
    #[inline]
    pub fn refused(&self) -> MarkSet {
        let stop = self.abbreviates.then_some(Mark::Period);
        let entity = matches!(self.left, Some('&' | '#')).then_some(Mark::Semicolon);
        stop.into_iter().chain(entity).chain(self.may_name.then_some(Mark::Colon)).collect()
    }
}

/// Words in order. The storage is cleared and reused, so that no word costs an allocation; nothing
/// is borrowed from the source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tokens {
    text: String,
    tokens: Vec<Token>,
    marks: Vec<NotedMark>,
}

impl Tokens {
    /// Makes an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the words of a list, each with a space before it and the first at the beginning of a
    /// text: for tests and for words that come without a source.
    ///
    /// ```
    /// use majuscule::{Locale, Tokens};
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

    /// Removes all words and keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.tokens.clear();
        self.marks.clear();
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns true if there are no words.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Appends a word in any case; its [lookup key](lower_word) is stored.
    #[inline]
    pub fn push(&mut self, word: &str, locale: Locale, token: Token) {
        let start = self.text.len() as u32;
        lower_word(word, locale, &mut self.text);
        self.tokens.push(Token { lower: start..self.text.len() as u32, ..token });
    }

    /// Returns the lower case of word `i`.
    ///
    /// # Panics
    /// Panics if there is no word `i`.
    #[inline]
    pub fn lower(&self, i: usize) -> &str {
        let Range { start, end } = self.tokens[i].lower;
        &self.text[start as usize..end as usize]
    }

    /// Returns the lower case of all words; each [`Token::lower`] is a range of them.
    #[inline]
    pub(super) fn lower_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Iterates over the words: the lower case of each and its token.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Token)> + Clone {
        self.tokens
            .iter()
            .map(|token| (&self.text[token.lower.start as usize..token.lower.end as usize], token))
    }

    /// Returns the tokens, without their text.
    pub fn as_slice(&self) -> &[Token] {
        &self.tokens
    }

    /// Returns the tokens, without their text, so that they can be changed.
    pub fn as_mut_slice(&mut self) -> &mut [Token] {
        &mut self.tokens
    }

    /// Returns the marks of the text, in order, if its reader [notes them](super::RestoreOptions::noting_marks).
    pub fn marks(&self) -> &[NotedMark] {
        &self.marks
    }

    /// Notes a mark of the text.
    pub(super) fn note(&mut self, mark: NotedMark) {
        self.marks.push(mark);
    }

    /// Appends a range of the words of another list.
    ///
    /// # Panics
    /// Panics if the range exceeds the other list.
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

/// Appends the lookup key of a word to `out`: lower case under the locale, composed (NFC) if that keeps its letters,
/// with `’` as `'`, and without soft hyphens and joiners. The key has as many letters with a case mapping as the
/// word, in the same order, so a [`Case`] read from one fits the other.
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

/// Returns true if a character is not part of the [lookup key](lower_word) of its word.
pub(super) fn is_left_out(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}')
}

/// Appends the lookup key of a word of any script; the general form of [`lower_word`].
fn lower_any_word(word: &str, locale: Locale, out: &mut String) {
    let start = out.len();
    for (_, c, letter) in locale.letters(word) {
        match (c, letter) {
            (_, Some(super::Letter::Upper(lower))) => out.push(lower),
            ('’', _) => out.push('\''),
            (CAPITAL_SHARP_S, _) => out.push(SHARP_S),
            (c, _) if is_left_out(c) => {}
            _ => out.push(c),
        }
    }
    if out[start..].chars().any(is_joiner) {
        let composed = locale.lower(&out[start..].nfc().collect::<String>());
        // Composition may produce a letter without a case mapping (j and caron): then the word is not composed.
        if locale.letter_count(&composed) == locale.letter_count(word) {
            out.truncate(start);
            out.push_str(&composed);
        }
    }
}
