//! German.

use super::{Language, SpeakerWords};

/// German.
pub static GERMAN: Language = Language {
    tag: "de",
    name: Some("German"),
    speaker_words: SpeakerWords {
        titles: "herr frau",
        roles: "sprecher sprecherin moderatorin",
        particles: "von zu und",
        ..SpeakerWords::NONE
    },
    clock_words: "uhr",
    ..Language::NONE
};
