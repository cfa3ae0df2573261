//! The case of a compound word from the cases of its parts: `jean-paul`, `l'europe`.

use super::case::{Capitals, Case};
use super::locale::Locale;

/// Returns true if a character joins the parts of a compound word.
pub fn is_joint(c: char) -> bool {
    matches!(c, '\'' | '-' | '‐' | '‑')
}

/// Returns the case of a compound in lower case. `case` returns the case of a part, or `None` for
/// an unknown part, which stays in lower case.
pub fn compound(lower: &str, locale: Locale, case: impl Fn(&str) -> Option<Case>) -> Case {
    let mut capitals = 0u64;
    let mut letters = 0;
    let mut before = None;
    for part in lower.split_inclusive(is_joint) {
        let word = part.trim_end_matches(is_joint);
        let after = part[word.len()..].chars().next();
        let count = locale.letter_count(word);
        // `'s`, `l'` and `n't` are not separate words, whatever `s` and `l` alone are.
        let clitic = before == Some('\'') && count <= 2 || after == Some('\'') && count == 1;
        let case = if clitic { Case::Lower } else { case(word).unwrap_or(Case::Lower) };
        capitals |= case.capitals(word, locale).0.checked_shl(letters as u32).unwrap_or(0);
        letters += count;
        before = after;
    }
    // The O' of Irish names belongs to the name.
    if lower.starts_with("o'") && capitals & 0b10 != 0 {
        capitals |= 1;
    }
    Case::of_capitals(Capitals(capitals), lower, locale)
}
