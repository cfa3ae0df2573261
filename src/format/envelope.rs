//! The bytes around a text that its file does not contain as it is read: the place of each part of
//! the text, with escapes there.

use std::ops::Range;

use super::json::recase;

/// The bytes of a file, and the places in them of the parts of a text. A part may have several
/// places.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Envelope {
    /// The bytes of the file.
    pub(super) source: Vec<u8>,
    /// Parts of the text, and the places between quotes of each in the source, in their order
    /// there.
    pub(super) places: Vec<(Range<u32>, Range<u32>)>,
}

impl Envelope {
    /// Returns true if the text is the file itself.
    pub fn is_none(&self) -> bool {
        self.source.is_empty()
    }

    /// Returns the bytes of the file.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    pub(super) fn clear(&mut self) {
        self.source.clear();
        self.places.clear();
    }

    /// Adds a place between quotes, at `source`, for these bytes of the text.
    pub(super) fn place(&mut self, text: Range<usize>, source: Range<usize>) {
        let small = |range: Range<usize>| range.start as u32..range.end as u32;
        self.places.push((small(text), small(source)));
    }

    /// Appends the bytes to `out` with the letters of `new`, which differs from the text `old` only
    /// in case.
    pub(super) fn write(&self, old: &str, new: &str, out: &mut Vec<u8>) {
        // The moves of later bytes by letters of another length, as offsets in the old text and in
        // the new.
        let mut moves = vec![(0, 0)];
        if !(old.is_ascii() && new.is_ascii()) {
            let (mut from, mut to) = (0, 0);
            for (a, b) in old.chars().zip(new.chars()) {
                from += a.len_utf8();
                to += b.len_utf8();
                if a.len_utf8() != b.len_utf8() {
                    moves.push((from, to));
                }
            }
        }
        let moved = |at: u32| {
            let at = at as usize;
            let (from, to) = moves[moves.partition_point(|&(from, _)| from <= at) - 1];
            to + at - from
        };
        let mut written = 0;
        for (text, source) in &self.places {
            let (start, end) = (source.start as usize, source.end as usize);
            out.extend_from_slice(&self.source[written..start]);
            let text = new.get(moved(text.start)..moved(text.end)).unwrap_or_default();
            match str::from_utf8(&self.source[start..end]) {
                Ok(raw) => recase(raw, text, out),
                Err(_) => out.extend_from_slice(&self.source[start..end]),
            }
            written = end;
        }
        out.extend_from_slice(&self.source[written..]);
    }
}
