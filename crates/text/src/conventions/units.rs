//! Units after numbers, ions, and the names of species.

use super::tables::{is_epithet, is_name, is_species, unit};
use super::{Word, Words};
use crate::Case;

/// Units that, after a number, are just as often a word of the language.
const AMBIGUOUS: [&str; 2] = ["ma", "pa"];

/// Units that are as often something else after a year.
const AFTER_YEAR: [&str; 8] = ["am", "pm", "ms", "mp", "tb", "pb", "mv", "kt"];

impl Words<'_> {
    /// Returns the case of a unit after a number (`5 ml`, `5ml`), of a unit in a quotient, of an ion, and of the
    /// letters after the digits of a number (`10am`).
    pub(super) fn unit(&self, at: usize, word: Word<'_>) -> Option<Case> {
        let locale = self.conventions.locale;
        if word.is_number() {
            let letters = word.lower.trim_start_matches(|c: char| c.is_ascii_digit() || ".,:-".contains(c));
            if letters.chars().nth(1).is_none() || letters.ends_with(|c: char| c.is_ascii_digit()) {
                return None;
            }
            let known = unit(letters).map(|unit| Case::of(unit, locale));
            // No word begins with a number and a capital.
            return known.or((word.case == Case::Title).then_some(Case::Lower));
        }
        if let Some(sign @ ('+' | '-' | '⁺' | '⁻')) = word.token.right {
            let ion: String = word.lower.chars().chain([sign]).map(plain_digit).collect();
            return unit(&ion).map(|ion| Case::of(ion, locale));
        }
        if word.token.left == Some('/') {
            return self.denominator(at, word);
        }
        if word.token.right == Some('/')
            && let Some(denominator) = self.right(at, 1)
        {
            let quotient = unit(&format!("{}/{}", word.lower, denominator.lower));
            if let Some((numerator, _)) = quotient.and_then(|quotient| quotient.split_once('/')) {
                return Some(Case::of(numerator, locale));
            }
        }
        if !self.conventions.trail.is_number {
            return None;
        }
        let number = self.left(at, 1)?;
        let degrees = match word.token.left {
            Some('°' | 'º') => Some("°"),
            _ if self.is_apart(word) => None,
            _ => return None,
        };
        let is_count = number.lower.ends_with(|c: char| c.is_ascii_digit());
        let spelled = match degrees {
            Some(degrees) => unit(&format!("{degrees}{}", word.lower)),
            None if is_count => unit(word.lower),
            None => None,
        }?;
        let case = Case::of(spelled, locale);
        let is_in_doubt = match word.lower {
            // `3M`, `5G`; `11 v 11`.
            "g" | "m" => number.lower.len() == 1 && word.case != Case::Lower,
            "v" => self.right(at, 1).is_some_and(|next| next.is_number()),
            lower if AFTER_YEAR.contains(&lower) => is_year(number.lower) || word.case == Case::Title,
            lower => AMBIGUOUS.contains(&lower) && word.case == Case::Lower,
        };
        (!is_in_doubt).then_some(case)
    }

    /// Returns the case of the unit after the slash of a quotient.
    fn denominator(&self, at: usize, word: Word<'_>) -> Option<Case> {
        let locale = self.conventions.locale;
        let numerator = self.left(at, 1).filter(|numerator| numerator.token.right == Some('/'))?;
        let quotient = unit(&format!("{}/{}", numerator.lower, word.lower));
        if let Some((_, denominator)) = quotient.and_then(|quotient| quotient.split_once('/')) {
            return Some(Case::of(denominator, locale));
        }
        // Any quotient of units after a number.
        let is_count = self.left(at, 2).is_some_and(|number| number.is_number());
        let both = is_count && unit(numerator.lower).is_some();
        unit(word.lower).filter(|_| both).map(|denominator| Case::of(denominator, locale))
    }

    /// Returns the case of the second name of a species, after the genus or its first letter.
    pub(super) fn epithet(&self, at: usize, word: Word<'_>) -> Option<Case> {
        if word.case == Case::Lower || !is_epithet(word.lower) {
            return None;
        }
        let genus = self.left(at, 1)?;
        let follows = is_species(genus.lower, word.lower) && (genus.lower.len() > 1 || !is_name(word.lower));
        follows.then_some(Case::Lower)
    }
}

/// Returns true if a number may be a year.
fn is_year(number: &str) -> bool {
    number.len() == 4 && (number.starts_with('1') || number.starts_with("20"))
}

/// Returns the plain form of a superscript digit or sign.
fn plain_digit(c: char) -> char {
    match c {
        '²' => '2',
        '³' => '3',
        '⁺' => '+',
        '⁻' => '-',
        c => c,
    }
}
