//! A punctuation mark that is inserted, stored separately from its text.

use majuscule_text::write::MarkSide;

/// The characters of a mark that is inserted, with its position in a text without the mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedMark {
    /// The position in bytes: the start or the end of a word.
    pub at: usize,
    /// The side of the word on which the mark is inserted.
    pub side: MarkSide,
    /// The mark, with the space before it.
    pub text: String,
}

impl PlacedMark {
    /// Returns true if the mark belongs to a word in the first `end` bytes.
    pub fn is_within(&self, end: usize) -> bool {
        match self.side {
            MarkSide::Before => self.at < end,
            MarkSide::After => self.at <= end,
        }
    }

    /// Returns the mark with its position counted from byte `from`.
    pub fn after(&self, from: usize) -> Self {
        Self { at: self.at - from, ..self.clone() }
    }
}
