//! Greek.

use super::Language;
use crate::Mark;

/// Greek.
pub static GREEK: Language = Language {
    tag: "el",
    mark_characters: &[(Mark::Question, '\u{37e}'), (Mark::Semicolon, '·')],
    ..Language::NONE
};
