//! A record that arrives live.

use super::envelope::Envelope;
use super::mark_rows::MarkRows;
use super::placed_mark::PlacedMark;
use majuscule_text::write::MarkSide;

/// A record.
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
