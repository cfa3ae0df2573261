//! The text of a file of any format, for readers that write nothing back: corpora, lexicons,
//! language models and scores.

use std::ops::Range;

use super::transcript::Utterance;
use majuscule_base::error::Result;
use majuscule_text::Break;

/// The text of a line of a file, or of a segment of a document. Cleared and reused.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// The words, marks and white space of the record: all its stretches of text, one after the
    /// other, without mark-up, events and escapes.
    pub text: String,
    /// The positions of the stretches in the text, each with the break before it: [`Break::None`]
    /// within a word or before its mark, [`Break::Space`] if a line or a sentence continues.
    pub stretches: Vec<(Range<usize>, Break)>,
    /// The line of the file that contains the record, counted from 1.
    pub line: u64,
}

impl Record {
    /// Clears the record and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.stretches.clear();
    }
}

/// A file of which only the text is read. Law: its words and the breaks between them are the same
/// as in restoring.
pub trait RecordSource: Send {
    /// Reads the next record into `record`; false at the end of the file. A record may be without
    /// text.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or does not match its format.
    fn next(&mut self, record: &mut Record) -> Result<bool>;

    /// Returns the last record in the form that scorers need, with all alternatives; `None` in formats without
    /// utterances, and for an empty line or a comment. In `.nlp` it has only the speaker.
    ///
    /// # Errors
    /// Fails if the times of the record are not valid.
    fn utterance(&mut self) -> Result<Option<Utterance<'_>>> {
        Ok(None)
    }
}
