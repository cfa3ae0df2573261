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

    /// Moves the places on by `by` bytes: they were found in a text that begins there in the file.
    pub(super) fn move_places(&mut self, by: usize) {
        for (_, source) in &mut self.places {
            *source = source.start + by as u32..source.end + by as u32;
        }
    }

    /// Appends the bytes to `out` with the letters of `new`, which differs from the text `old` only
    /// in case, and with the marks of `put`, each with its place in `new`, after words. The text may
    /// have blanks in place of mark-up, which then stays as it is.
    pub(super) fn write(&self, old: &str, new: &str, put: &[(usize, Vec<u8>)], out: &mut Vec<u8>) {
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
        for (place, source) in &self.places {
            let (start, end) = (source.start as usize, source.end as usize);
            out.extend_from_slice(&self.source[written..start]);
            let raw = &self.source[start..end];
            let (from, to) = (moved(place.start), moved(place.end));
            let first = put.partition_point(|(at, _)| *at <= from);
            let put = put[first..].iter().take_while(|(at, _)| *at <= to);
            let put = &mut put.map(|(at, mark)| (at - from, &**mark));
            let new = new.get(from..to).unwrap_or_default();
            let old = old.get(place.start as usize..place.end as usize).unwrap_or_default();
            match str::from_utf8(raw) {
                // Each escape is longer than its character.
                _ if raw.len() == old.len() => recase_plain(raw, old, new, put, out),
                Ok(raw) => recase(raw, old, new, put, out),
                Err(_) => out.extend_from_slice(raw),
            }
            written = end;
        }
        out.extend_from_slice(&self.source[written..]);
    }
}

/// Appends text without escapes, which may hold invalid bytes, with the letters of `new`.
fn recase_plain(
    raw: &[u8],
    old: &str,
    new: &str,
    put: &mut dyn Iterator<Item = (usize, &[u8])>,
    out: &mut Vec<u8>,
) {
    let (mut done, mut written, mut put) = (0, 0, put.peekable());
    for ((at, old), new) in old.char_indices().zip(new.chars()) {
        let end = at + old.len_utf8();
        if old != new {
            out.extend_from_slice(&raw[done..at]);
            out.extend_from_slice(new.encode_utf8(&mut [0; 4]).as_bytes());
            done = end;
        }
        written += new.len_utf8();
        while let Some((_, mark)) = put.next_if(|(place, _)| *place <= written) {
            out.extend_from_slice(&raw[done..end]);
            out.extend_from_slice(mark);
            done = end;
        }
    }
    out.extend_from_slice(&raw[done..]);
}
