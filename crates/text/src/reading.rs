//! The settings that the parts of a tokenizer share.

use super::locale::Locale;
use super::mark::Mark;
use super::sentence::Abbreviations;

/// The way in which a text is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordReading {
    /// The case mappings.
    pub(super) locale: Locale,
    /// The abbreviations of the language.
    pub(super) abbreviations: &'static Abbreviations,
    /// The way in which the text arrives.
    pub(super) arrival: Arrival,
    /// The meaning of tags next to words.
    pub(super) tags: InnerTags,
    /// True if each line is a separate text.
    pub(super) apart: bool,
    /// True if the language opens sentences with marks such as `¿`.
    pub(super) has_openings: bool,
    /// True if marks are inserted.
    pub(super) puts: bool,
    /// True if the marks of the text are recorded.
    pub(super) notes: bool,
    /// True if the text is TeX, where braces enclose groups and a backslash begins an accent.
    pub(super) is_tex: bool,
}

/// The way in which a text arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Line by line.
    Lines,
    /// Word by word: words are returned before their line is complete.
    Live,
    /// In cues: sentences run on from line to line.
    Cues,
}

/// The meaning of a tag next to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InnerTags {
    /// The tag separates words.
    Part,
    /// A word continues after the tag.
    Join,
    /// A word continues after the tag, and the tag may continue on the next line.
    OverLines,
}

impl WordReading {
    /// Makes the settings for a text without mark-up into which no marks are inserted.
    pub(super) fn new(locale: Locale, language: &str, arrival: Arrival) -> Self {
        Self {
            locale,
            abbreviations: Abbreviations::of(language),
            arrival,
            tags: InnerTags::Part,
            apart: false,
            has_openings: Mark::Question.opening(language).is_some(),
            puts: false,
            notes: false,
            is_tex: false,
        }
    }

    /// Returns true if words are returned before their line is complete.
    pub(super) fn is_live(&self) -> bool {
        self.arrival == Arrival::Live
    }

    /// Returns true if the language has opening marks and marks are inserted.
    #[inline]
    pub(super) fn sees_openings(&self) -> bool {
        self.has_openings && self.puts
    }

    /// Returns true if a character is an opening mark that counts.
    pub(super) fn is_opening(&self, c: char) -> bool {
        self.sees_openings() && Mark::opened_by(c) != Mark::None
    }

    /// Returns true if a character after marks determines their meaning: it is neither a space nor an opening mark.
    pub(super) fn follows(&self, c: char) -> bool {
        c == '\n' || !c.is_whitespace() && !self.is_opening(c)
    }
}
