//! What stands around a text that is not in its file as it is read: where each part of it belongs, there with escapes.

use std::ops::Range;

use super::json::recase;

/// The bytes of a file, and the places in them where parts of a text stand. A part may stand in several.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Envelope {
    /// The bytes as they are.
    pub(super) source: Vec<u8>,
    /// Parts of the text, and the places between quotes where each stands in the source, in their order there.
    pub(super) places: Vec<(Range<u32>, Range<u32>)>,
}

impl Envelope {
    /// Whether the text is the file.
    pub fn is_none(&self) -> bool {
        self.source.is_empty()
    }

    /// The bytes as they are.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    pub(super) fn clear(&mut self) {
        self.source.clear();
        self.places.clear();
    }

    /// Says that these bytes of the text stand between the quotes at `source`.
    pub(super) fn place(&mut self, text: Range<usize>, source: Range<usize>) {
        let small = |range: Range<usize>| range.start as u32..range.end as u32;
        self.places.push((small(text), small(source)));
    }

    /// Appends the bytes to `out` with the letters of `new`, which differs from `old`, the text, in case alone.
    pub(super) fn write(&self, old: &str, new: &str, out: &mut Vec<u8>) {
        // Where letters of another length moved what follows: the bytes before in the old text and in the new.
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
