//! A mark that is inserted, apart from its text.

use majuscule_text::write::MarkSide;

/// The characters of a mark that is inserted, with its place in a text without the mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlacedMark {
    /// The position in bytes: the start or the end of a word.
    pub(crate) at: usize,
    pub(crate) side: MarkSide,
    pub(crate) text: String,
}

impl PlacedMark {
    /// Returns true if the mark belongs to a word of the first `end` bytes.
    pub(crate) fn is_within(&self, end: usize) -> bool {
        match self.side {
            MarkSide::Before => self.at < end,
            MarkSide::After => self.at <= end,
        }
    }

    /// Returns the mark in a text that begins at byte `from`.
    pub(crate) fn after(&self, from: usize) -> Self {
        Self { at: self.at - from, ..self.clone() }
    }
}
