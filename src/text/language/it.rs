//! Italian.

use super::{Language, SpeakerWords};

/// Italian.
pub static ITALIAN: Language = Language {
    tag: "it",
    name: Some("Italian"),
    speaker_words: SpeakerWords { particles: "di", ..SpeakerWords::NONE },
    ..Language::NONE
};
