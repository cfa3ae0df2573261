//! Punctuation marks in separate rows, next to the rows of their words.

use super::kind::Format;
use majuscule_base::error::Error;
use majuscule_base::named::NamedValue;
use majuscule_text::write::MarkSide;
use majuscule_text::{Mark, MarkForm};

/// The rows of the punctuation marks that are inserted into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MarkRows {
    /// The format of the rows.
    pub(super) kind: Format,
    /// True if lines end with `\r` alone.
    pub(super) returns: bool,
}

impl MarkRows {
    /// Returns true if a byte ends a line.
    fn ends(self, b: u8) -> bool {
        b == b'\n' || self.returns && b == b'\r'
    }

    /// Returns the beginning of the line with byte `at`.
    pub(super) fn line_start(self, source: &[u8], at: usize) -> usize {
        source[..at].iter().rposition(|b| self.ends(*b)).map_or(0, |at| at + 1)
    }

    /// Returns the position after the line with byte `at` and after its ending, and the length of the ending.
    pub(super) fn line_end(self, source: &[u8], at: usize) -> (usize, usize) {
        match source[at..].iter().position(|b| self.ends(*b)) {
            None => (source.len(), 0),
            Some(len) if len > 0 && source[at + len - 1] == b'\r' => (at + len + 1, 2),
            Some(len) => (at + len + 1, 1),
        }
    }

    /// Appends the rest of the line of the word that ends at byte `end`, and after it the row of a punctuation mark.
    /// Returns the end of the line.
    pub(super) fn put(self, source: &[u8], end: usize, mark: &str, out: &mut Vec<u8>) -> usize {
        let (line_end, _) = self.line_end(source, end);
        out.extend_from_slice(&source[end..line_end]);
        self.put_row(MarkSide::After, source, end, mark, out);
        line_end
    }

    /// Inserts the row of an opening mark before the line of the word that begins at byte `start`, and returns
    /// `start`. The source must have been written to `out` up to this byte.
    pub(super) fn put_before(self, source: &[u8], start: usize, mark: &str, out: &mut Vec<u8>) -> usize {
        let line = out.iter().rposition(|b| self.ends(*b)).map_or(0, |at| at + 1);
        self.put_row_before(source, start + 1, mark, line, out);
        start
    }

    /// Inserts the row of an opening mark into `out` at byte `line`, the beginning of the line of its word. The word
    /// contains the byte before `end` of the source.
    pub(super) fn put_row_before(
        self,
        source: &[u8],
        end: usize,
        mark: &str,
        line: usize,
        out: &mut Vec<u8>,
    ) {
        let mut row = Vec::new();
        self.put_row(MarkSide::Before, source, end, mark, &mut row);
        // If the last line of the file has no ending, its row begins with a line ending, which is moved to the end of
        // the row.
        let ending = row.iter().take_while(|b| self.ends(**b)).count();
        row.rotate_left(ending);
        out.splice(line..line, row);
    }

    /// Appends the row of a mark on this side of its word, which contains the byte before `end`.
    pub(super) fn put_row(self, side: MarkSide, source: &[u8], end: usize, mark: &str, out: &mut Vec<u8>) {
        let (line_end, ending) = self.line_end(source, end);
        let start = self.line_start(source, end);
        let line = String::from_utf8_lossy(&source[start..line_end - ending]);
        let bare = line.strip_prefix('\u{feff}').unwrap_or(&line);
        let at = (end - start).saturating_sub(line.len() - bare.len() + 1);
        let mark_row = self.kind.info().mark_row;
        let row = mark_row.map_or_else(String::new, |mark_row| mark_row(bare, at, side, mark.trim()));
        if ending == 0 {
            out.push(if self.returns { b'\r' } else { b'\n' });
        }
        out.extend_from_slice(row.as_bytes());
        out.extend_from_slice(&source[line_end - ending..line_end]);
    }
}

/// Returns the error for a form of marks that a format with one word per row does not support.
pub(super) fn no_form(format: &str, asked: MarkForm, expected: &str) -> Error {
    let asked = asked.name_of();
    Error::usage(format!(
        "{format} has one word per row and cannot hold marks that are {asked}: use {expected}"
    ))
}

/// Returns true if a word of a row consists only of punctuation marks.
pub fn is_mark(word: &str) -> bool {
    let is_mark = |c| Mark::of(c) != Mark::None || Mark::opened_by(c) != Mark::None;
    !word.is_empty() && word.chars().all(is_mark)
}
