//! Arabic, and the marks that Persian and Urdu share with it.

use super::Language;
use crate::Mark;

/// Arabic.
pub static ARABIC: Language = Language {
    tag: "ar",
    aliases: &["fa", "ur"],
    mark_characters: &[(Mark::Question, '؟'), (Mark::Comma, '،'), (Mark::Semicolon, '؛')],
    ..Language::NONE
};
