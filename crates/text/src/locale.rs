//! The case mappings of a locale: pairs of the lower and the upper case of one letter.
//!
//! Only letters with a one-to-one case mapping change: `up(low(c)) == c`, with one character each. So `ß`, `ŉ`, the
//! Kelvin sign, `ǅ` and, outside Turkish and Azeri, `İ` and `ı` are never changed, and every change can be undone.
//! The only exception is `ẞ`: it becomes `ß` if the letter before it becomes lower case, and `ß` never becomes `ẞ`.

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;

use majuscule_base::error::Error;

/// The case mappings of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Locale {
    /// Unicode's default mappings, correct for every language not named below. Greek final sigma is chosen by
    /// position.
    #[default]
    Root,
    /// Turkish and Azeri: `i`/`İ` and `ı`/`I`.
    Turkic,
    /// Dutch: a title-case word that begins with `ij` begins with `IJ`.
    Dutch,
}

impl TryFrom<String> for Locale {
    type Error = Error;

    fn try_from(tag: String) -> Result<Self, Error> {
        tag.parse()
    }
}

impl From<Locale> for String {
    fn from(locale: Locale) -> Self {
        locale.to_string()
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Root => "root",
            Self::Turkic => "tr",
            Self::Dutch => "nl",
        })
    }
}

/// The lower-case letter whose capital is two letters in most text.
pub(super) const SHARP_S: char = 'ß';

/// The capital of `ß`, which is mapped to lower case, but not back.
pub(super) const CAPITAL_SHARP_S: char = 'ẞ';

/// A letter with a one-to-one case mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letter {
    /// A lower-case letter, with its capital.
    Lower(char),
    /// A capital, with its lower case.
    Upper(char),
}

impl Letter {
    /// Returns true if the letter is a capital.
    pub fn is_upper(self) -> bool {
        matches!(self, Self::Upper(_))
    }
}

impl Locale {
    /// Returns the case mapping of `c` regardless of context; `None` for sigma, whose mapping depends on its position
    /// (see [`Locale::letters`]), and for characters without a one-to-one mapping.
    #[inline]
    pub fn pair(self, c: char) -> Option<Letter> {
        if c.is_ascii() {
            return self.ascii_pair(c as u8);
        }
        if self == Self::Turkic {
            match c {
                'İ' => return Some(Letter::Upper('i')),
                'ı' => return Some(Letter::Lower('I')),
                _ => {}
            }
        }
        // Nearly all letters in practice are below U+0600: one table look-up.
        match TABLE.get(c as usize) {
            Some(pair) => *pair,
            None => unicode_pair(c),
        }
    }

    #[inline]
    fn ascii_pair(self, b: u8) -> Option<Letter> {
        match b {
            b'i' if self == Self::Turkic => Some(Letter::Lower('İ')),
            b'I' if self == Self::Turkic => Some(Letter::Upper('ı')),
            b'a'..=b'z' => Some(Letter::Lower((b - 32) as char)),
            b'A'..=b'Z' => Some(Letter::Upper((b + 32) as char)),
            _ => None,
        }
    }

    /// Iterates over the characters of `text`, each with its byte offset and its case mapping, if it has one. A
    /// lower-case sigma has one only in the form that its position requires: `ς` at the end of a word, `σ` elsewhere.
    pub fn letters(self, text: &str) -> Letters<'_> {
        Letters { locale: self, text, at: 0, after_letter: false }
    }

    /// Returns the number of letters of `text` with a case mapping, which is the length of a
    /// [`Capitals`](crate::Capitals) set.
    pub fn letter_count(self, text: &str) -> usize {
        if text.is_ascii() {
            return text.bytes().filter(u8::is_ascii_alphabetic).count();
        }
        self.letters(text).filter(|(_, _, letter)| letter.is_some()).count()
    }

    /// Appends `text` in lower case to `out`, character by character: nothing but case changes.
    pub fn lower_into(self, text: &str, out: &mut String) {
        for (_, c, letter) in self.letters(text) {
            out.push(match letter {
                Some(Letter::Upper(lower)) => lower,
                _ if c == CAPITAL_SHARP_S => SHARP_S,
                _ => c,
            });
        }
    }

    /// Returns `text` in lower case; see [`Locale::lower_into`].
    pub fn lower(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        self.lower_into(text, &mut out);
        out
    }
}

/// The characters of a text with their case mappings; see [`Locale::letters`].
#[derive(Debug, Clone)]
pub struct Letters<'a> {
    locale: Locale,
    text: &'a str,
    at: usize,
    after_letter: bool,
}

impl Iterator for Letters<'_> {
    type Item = (usize, char, Option<Letter>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        let c = self.text[at..].chars().next()?;
        self.at += c.len_utf8();
        let letter = match c {
            'Σ' | 'σ' | 'ς' => self.sigma(c),
            _ => self.locale.pair(c),
        };
        if !is_joiner(c) {
            self.after_letter = letter.is_some() || c.is_alphabetic();
        }
        Some((at, c, letter))
    }
}

impl Letters<'_> {
    fn sigma(&self, c: char) -> Option<Letter> {
        let next = self.text[self.at..].chars().find(|&c| !is_joiner(c));
        let is_final = self.after_letter && !next.is_some_and(char::is_alphabetic);
        match c {
            'Σ' => Some(Letter::Upper(if is_final { 'ς' } else { 'σ' })),
            'σ' if !is_final => Some(Letter::Lower('Σ')),
            'ς' if is_final => Some(Letter::Lower('Σ')),
            _ => None,
        }
    }
}

/// Returns true if `c` belongs to the letter before it and is not a letter itself: a combining
/// mark, the soft hyphen, a zero-width joiner.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}') || (c >= '\u{300}' && is_combining_mark(c))
}

/// Folds the case of a letter in the same way under every locale: `i`, `I`, `İ` and `ı` become one letter, and so do
/// both lower-case sigmas.
pub fn folded(c: char) -> char {
    match c {
        'İ' | 'ı' => 'i',
        'ς' => 'σ',
        // Only `İ` has a lower case of several characters.
        c => c.to_lowercase().next().unwrap_or(c),
    }
}

static TABLE: LazyLock<[Option<Letter>; 0x600]> =
    LazyLock::new(|| std::array::from_fn(|c| char::from_u32(c as u32).and_then(unicode_pair)));

/// Returns the one-to-one case mapping of `c` in Unicode, if it has one; `None` for sigma.
fn unicode_pair(c: char) -> Option<Letter> {
    if matches!(c, 'Σ' | 'σ' | 'ς') {
        return None;
    }
    let lower = only(c.to_lowercase())?;
    if lower != c {
        return (only(lower.to_uppercase())? == c).then_some(Letter::Upper(lower));
    }
    let upper = only(c.to_uppercase())?;
    (upper != c && only(upper.to_lowercase())? == c).then_some(Letter::Lower(upper))
}

fn only(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_and_its_pair_are_one_without_case() {
        for locale in [Locale::Root, Locale::Turkic, Locale::Dutch] {
            for c in '\0'..=char::MAX {
                if let Some(Letter::Upper(pair) | Letter::Lower(pair)) = locale.pair(c) {
                    assert_eq!(folded(c), folded(pair), "{c}");
                }
            }
        }
        assert_eq!(['Σ', 'σ', 'ς'].map(folded), ['σ'; 3]);
    }

    #[test]
    fn a_sigma_is_final_behind_a_letter_and_its_accents_at_the_end_of_a_word() {
        for (text, lower) in [
            ("ΟΔΟΣ ΣΟ Σ", "οδος σο σ"),
            ("Ο\u{301}Σ\u{301}", "ο\u{301}ς\u{301}"),
            ("ΟΣ\u{301}Ο", "οσ\u{301}ο"),
        ] {
            assert_eq!(Locale::Root.lower(text), lower);
        }
    }

    #[test]
    fn a_language_is_known_by_its_codes_in_any_case() {
        for (tags, locale) in [
            ("tr TR tur az aze AZE-Cyrl tr_TR", Locale::Turkic),
            ("nl NLD dut nl-BE", Locale::Dutch),
            ("root en POR pt-BR EL", Locale::Root),
        ] {
            for tag in tags.split(' ') {
                assert_eq!(tag.parse::<Locale>().unwrap(), locale, "{tag}");
            }
        }
        for bad in ["", "e", "english", "4", "t\u{131}"] {
            assert!(bad.parse::<Locale>().is_err(), "{bad}");
        }
    }
}
