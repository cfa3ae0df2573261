//! The names of speakers before the text of cues, after which a sentence begins or continues.

use majuscule_text::locale::folded;
use majuscule_text::sentence::is_end_mark;

/// The last name, and the evidence in the text about its sentences.
#[derive(Debug, Default)]
pub(super) struct CueNames {
    /// The last name, without case distinctions.
    last: String,
    /// True if the text has punctuation so far.
    is_punctuated: bool,
}

impl CueNames {
    /// Reads a part of the text, and records whether it has punctuation.
    pub(super) fn read_text(&mut self, text: &str) {
        let is_marked = |word: &str| word.ends_with(|c| is_end_mark(c) || matches!(c, ',' | ';'));
        self.is_punctuated = self.is_punctuated || text.split_whitespace().any(is_marked);
    }

    /// Returns true if a name repeats the last one, so that an unfinished sentence continues after it: some programs
    /// write the name of the speaker into each cue. Returns false for a text without punctuation, which does not show
    /// which sentences are unfinished.
    pub(super) fn repeats(&self, name: &str) -> bool {
        self.is_punctuated && name.chars().map(folded).eq(self.last.chars())
    }

    /// Stores a name as the last one.
    pub(super) fn read_name(&mut self, name: &str) {
        self.last.clear();
        self.last.extend(name.chars().map(folded));
    }
}
