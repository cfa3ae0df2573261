//! The case of a word: the set of its letters that are capitals.
//!
//! Each spelling of a word has one value, so two spellings of a word are equal if and only if their cases are equal.

use serde::{Deserialize, Serialize};

use super::locale::{CAPITAL_SHARP_S, Letter, Locale, SHARP_S};

/// The largest number of letters in a token: [`Capitals`] is a set of 64.
pub const MAX_LETTERS: usize = 64;

/// The set of the letters of a word that are capitals: bit `k` is the `k`-th letter with a case mapping under the
/// locale, counted from 0. Digits, marks and letters without a case mapping do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Capitals(pub u64);

impl Capitals {
    /// Returns true if letter `k` is a capital.
    pub fn contains(self, k: usize) -> bool {
        k < MAX_LETTERS && self.0 >> k & 1 == 1
    }
}

/// The case of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Case {
    /// No capitals, or no letters with a case mapping: `word`, `1990`.
    #[default]
    Lower,
    /// Only the first of two or more letters is a capital: `Word`. In Dutch, `IJ` counts as one first letter:
    /// `IJsland`. A word whose first letter has no case mapping is never in title case.
    Title,
    /// All letters capital: `NATO`, `I`, `A4`.
    Upper,
    /// Any other set: `McDonald`, `l'Europe`, `iPhone`, `Jean-Paul`.
    Mixed(Capitals),
}

/// The class of a case, without the positions of its capitals. Classifiers predict it, and reports break results down
/// by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// No capitals.
    Lower,
    /// A capital first letter.
    Title,
    /// All letters capital.
    Upper,
    /// Any other pattern.
    Mixed,
}

impl Class {
    /// All classes, in the order of their ids.
    pub const ALL: [Self; 4] = [Self::Lower, Self::Title, Self::Upper, Self::Mixed];

    /// Returns the name of the class in reports and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Title => "title",
            Self::Upper => "upper",
            Self::Mixed => "mixed",
        }
    }
}

impl Case {
    /// Reads the case of a word. Letters after the 64th are ignored; the tokenizer makes no such
    /// words.
    ///
    /// ```
    /// use majuscule::{Case, Locale};
    ///
    /// assert_eq!(Case::of("Lisbon", Locale::Root), Case::Title);
    /// assert_eq!(Case::of("I", Locale::Root), Case::Upper);
    /// assert_eq!(Case::of("1990", Locale::Root), Case::Lower);
    /// assert!(matches!(Case::of("O'Neill", Locale::Root), Case::Mixed(_)));
    /// assert_eq!(Case::of("IJsland", Locale::Dutch), Case::Title);
    /// ```
    pub fn of(word: &str, locale: Locale) -> Self {
        let is_ascii = word.is_ascii();
        // Most words have no capitals: this check makes scoring a sixth to a third faster.
        if is_ascii && !word.bytes().any(|b| b.is_ascii_uppercase()) {
            return Self::Lower;
        }
        let (capitals, count) = if is_ascii { ascii_set(word) } else { any_set(word, locale) };
        Self::of_set(capitals, count, title_letters(word, locale))
    }

    /// Returns the case of `word` if exactly these letters were capitals. Capitals past its last
    /// letter are dropped.
    pub fn of_capitals(Capitals(capitals): Capitals, word: &str, locale: Locale) -> Self {
        let count = locale.letter_count(word);
        Self::of_set(capitals & first_letters(count), count, title_letters(word, locale))
    }

    /// Returns the case of a word of `count` letters with this set of capitals; `title` is the set of its capitals in
    /// title case.
    fn of_set(capitals: u64, count: usize, title: u64) -> Self {
        let all = first_letters(count);
        match capitals {
            0 => Self::Lower,
            _ if capitals == all => Self::Upper,
            _ if capitals == title => Self::Title,
            _ => Self::Mixed(Capitals(capitals)),
        }
    }

    /// Returns the letters of `word` that this case makes capitals.
    pub fn capitals(self, word: &str, locale: Locale) -> Capitals {
        let all = || first_letters(locale.letter_count(word));
        Capitals(match self {
            Self::Lower => 0,
            Self::Title => title_letters(word, locale),
            Self::Upper => all(),
            Self::Mixed(Capitals(capitals)) => capitals & all(),
        })
    }

    /// Returns the class of the case, without the pattern.
    pub fn class(self) -> Class {
        match self {
            Self::Lower => Class::Lower,
            Self::Title => Class::Title,
            Self::Upper => Class::Upper,
            Self::Mixed(_) => Class::Mixed,
        }
    }

    /// Returns true if the case has a capital: a slot, in the terms of Batista et al. 2007, section
    /// 3.
    pub fn is_slot(self) -> bool {
        self != Self::Lower
    }

    /// Appends `word` to `out` with the capitals of this case and no others. Only letters with a case mapping change.
    ///
    /// ```
    /// use majuscule::{Case, Locale};
    ///
    /// let mut out = String::new();
    /// Case::of("McDonald", Locale::Root).apply("mcdonald", Locale::Root, &mut out);
    /// assert_eq!(out, "McDonald");
    /// ```
    pub fn apply(self, word: &str, locale: Locale, out: &mut String) {
        let Capitals(capitals) = match self {
            Self::Lower => Capitals(0),
            // All letters, including letters after the 64th in a word that is too long to be a token.
            Self::Upper => Capitals(u64::MAX),
            case => case.capitals(word, locale),
        };
        if word.is_ascii() && word.len() <= MAX_LETTERS && locale != Locale::Turkic {
            return apply_to_ascii(capitals, word, out);
        }
        let mut k = 0;
        let mut is_small = self == Self::Lower;
        for (_, c, letter) in locale.letters(word) {
            let Some(letter) = letter else {
                out.push(if is_small && c == CAPITAL_SHARP_S { SHARP_S } else { c });
                continue;
            };
            let capital = if k < MAX_LETTERS { capitals >> k & 1 == 1 } else { self == Self::Upper };
            k += 1;
            is_small = !capital;
            out.push(match (letter, capital) {
                (Letter::Lower(upper), true) => upper,
                (Letter::Upper(lower), false) => lower,
                _ => c,
            });
        }
    }

    /// Returns this case for a word that opens a sentence: the first letter becomes a capital,
    /// unless the first part already has a capital inside (`iPhone`) or the word begins with a
    /// digit.
    ///
    /// ```
    /// use majuscule::{Case, Locale};
    ///
    /// let opening = |word| Case::of(word, Locale::Root).opening(word, Locale::Root).applied(word, Locale::Root);
    /// assert_eq!(opening("l'Europe"), "L'Europe");
    /// assert_eq!(opening("iPhone"), "iPhone");
    /// assert_eq!(opening("3rd"), "3rd");
    /// ```
    pub fn opening(self, word: &str, locale: Locale) -> Self {
        if !word.starts_with(char::is_alphabetic) || title_letters(word, locale) == 0 {
            return self;
        }
        match self {
            Self::Lower if locale.letter_count(word) == 1 => Self::Upper,
            Self::Lower => Self::Title,
            Self::Mixed(capitals) => {
                let part = word.find(['\'', '’', '-', '‐', '‑']).map_or(word, |end| &word[..end]);
                if capitals.0 & first_letters(locale.letter_count(part)) != 0 {
                    return self;
                }
                let first = Self::Title.capitals(word, locale);
                Self::of_capitals(Capitals(capitals.0 | first.0), word, locale)
            }
            Self::Title | Self::Upper => self,
        }
    }

    /// Returns `word` in this case; see [`Case::apply`].
    pub fn applied(self, word: &str, locale: Locale) -> String {
        let mut out = String::with_capacity(word.len());
        self.apply(word, locale, &mut out);
        out
    }
}

/// Appends an ASCII word with these capitals. Its letters have their default case mappings, not the Turkic ones.
fn apply_to_ascii(capitals: u64, word: &str, out: &mut String) {
    let start = out.len();
    out.push_str(word);
    let Some(written) = out.get_mut(start..) else { return };
    written.make_ascii_lowercase();
    let mut left = capitals;
    for (at, _) in word.bytes().enumerate().filter(|(_, b)| b.is_ascii_alphabetic()) {
        if left & 1 == 1
            && let Some(letter) = written.get_mut(at..=at)
        {
            letter.make_ascii_uppercase();
        }
        left >>= 1;
        if left == 0 {
            break;
        }
    }
}

/// Returns the capitals of `word` and the number of its letters.
fn any_set(word: &str, locale: Locale) -> (u64, usize) {
    set(locale.letters(word).filter_map(|(_, _, letter)| Some(letter?.is_upper())))
}

/// Returns the result of [`any_set`] for an ASCII word, faster: ASCII letters have both cases under every locale.
fn ascii_set(word: &str) -> (u64, usize) {
    set(word.bytes().filter(u8::is_ascii_alphabetic).map(|b| b.is_ascii_uppercase()))
}

fn set(letters: impl Iterator<Item = bool>) -> (u64, usize) {
    let (mut capitals, mut count) = (0, 0);
    for is_upper in letters {
        if count < MAX_LETTERS && is_upper {
            capitals |= 1 << count;
        }
        count += 1;
    }
    (capitals, count)
}

/// Returns the set of the first `count` letters.
fn first_letters(count: usize) -> u64 {
    if count >= MAX_LETTERS { u64::MAX } else { (1 << count) - 1 }
}

/// Returns the letters that title case makes capitals: the first letter, or a Dutch `ij`; none if the first letter
/// has no case mapping, as in `ßa` and, outside Turkish, `İzmir`.
fn title_letters(word: &str, locale: Locale) -> u64 {
    if begins_with_ij(word, locale) {
        return 0b11;
    }
    if word.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) {
        return 1;
    }
    let first = locale.letters(word).find(|(_, c, letter)| letter.is_some() || c.is_alphabetic());
    u64::from(first.is_some_and(|(_, _, letter)| letter.is_some()))
}

/// Returns true if the first letters of `word` are `i` and `j`, which Dutch writes as one letter.
fn begins_with_ij(word: &str, locale: Locale) -> bool {
    if locale != Locale::Dutch {
        return false;
    }
    // A soft hyphen between the two letters is skipped. A combining accent is not, so an accented `i` begins no `ij`.
    let mut letters = word.chars().filter(|&c| c != '\u{ad}').skip_while(|c| !c.is_alphanumeric());
    matches!(letters.next(), Some('i' | 'I')) && matches!(letters.next(), Some('j' | 'J'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_letter_beyond_the_set_is_no_capital() {
        let all = Capitals(u64::MAX);
        assert!(all.contains(MAX_LETTERS - 1) && !all.contains(MAX_LETTERS));
    }

    #[test]
    fn a_capital_sharp_s_is_small_behind_a_small_letter() {
        let cases = [Case::Lower, Case::Title, Case::Upper, Case::Mixed(Capitals(0b10100))];
        let applied = cases.map(|case| case.applied("GROẞER", Locale::Root));
        assert_eq!(applied, ["großer", "Großer", "GROẞER", "grOẞeR"]);
    }

    #[test]
    fn title_case_makes_no_capital_behind_a_first_letter_that_does_not_pair() {
        for word in ["ßa", "İzmir"] {
            assert_eq!(Case::Title.applied(word, Locale::Root), word);
        }
    }

    proptest! {
        #[test]
        fn the_quick_ways_are_the_plain_one(word in "([A-Za-c0-9'.-]{0,5}|[iIjJ]{0,3}|[a-z]{60,70}|[éÉİ]){0,4}") {
            for locale in [Locale::Root, Locale::Turkic, Locale::Dutch] {
                let (capitals, count) = any_set(&word, locale);
                prop_assert_eq!(Case::of(&word, locale), Case::of_set(capitals, count, title_letters(&word, locale)));
                if word.is_ascii() {
                    prop_assert_eq!(ascii_set(&word), (capitals, count));
                }
            }
        }
    }
}
