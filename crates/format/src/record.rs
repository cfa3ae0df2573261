//! The records of a file of any format: their text, for readers that write nothing back (corpora, lexicons, language
//! models and scores), and records that arrive live.

use std::ops::Range;

use super::envelope::{Envelope, PlacedMark};
use super::mark_rows::MarkRows;
use super::transcript::Utterance;
use majuscule_base::error::Result;
use majuscule_text::Break;
use majuscule_text::write::MarkSide;

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

/// A record that arrives live.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LiveRecord {
    /// The identity of the record.
    pub id: Option<Id>,
    /// The text of the record, as a part of a text that continues from record to record. It ends with white space, a
    /// line feed means a change of speaker, and blanks replace mark-up.
    pub text: String,
    /// True if the record begins a text: words of earlier records are not its context.
    pub begins: bool,
    /// The line of the record.
    pub(super) frame: Envelope,
    /// The rows of punctuation marks, if marks are inserted as separate rows.
    pub(super) mark_rows: Option<MarkRows>,
}

/// The identity of a record, which the recogniser may send again with other words.
#[derive(Debug, Clone, PartialEq)]
pub enum Id {
    /// The record of this name.
    Name(String),
    /// A word that a speaker in a recording said between two times.
    Spoken {
        /// The recording, its channel and the speaker.
        by: [String; 3],
        /// The begin time in seconds.
        from: f64,
        /// The end time in seconds.
        to: f64,
    },
}

impl Id {
    /// Returns true if this record replaces an earlier one: both have the same name, or both are words of the same
    /// speaker and the earlier word begins at or after the begin time of this one and ends after it.
    pub fn replaces(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Name(name), Self::Name(earlier)) => name == earlier,
            (Self::Spoken { by, from, .. }, Self::Spoken { by: who, from: began, to }) => {
                began >= from && to > from && by == who
            }
            _ => false,
        }
    }
}

impl LiveRecord {
    /// Returns the line as it came.
    pub fn bytes(&self) -> &[u8] {
        self.frame.source()
    }

    /// Appends the record to `out` with the letters of `restored` and the punctuation marks of `put`. `restored`
    /// differs from the text only in case; the positions of the marks are positions in `restored`.
    pub fn write(&self, restored: &str, put: &[PlacedMark], out: &mut Vec<u8>) {
        let Some(rows) = self.mark_rows.filter(|_| !put.is_empty()) else {
            return self.frame.write(&self.text, restored, put, out);
        };
        let end = self.frame.positions.last().map_or(0, |(_, source)| source.end as usize);
        let first = out.len();
        self.frame.write(&self.text, restored, &[], out);
        for mark in put {
            match mark.side {
                MarkSide::Before => rows.put_row_before(self.frame.source(), end, &mark.text, first, out),
                MarkSide::After => rows.put_row(mark.side, self.frame.source(), end, &mark.text, out),
            }
        }
    }
}
