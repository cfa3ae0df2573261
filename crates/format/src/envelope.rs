//! The bytes of a file that contains its text in another form, for example with escapes, and the position of each
//! part of the text in these bytes.

use std::ops::Range;

use super::cells::CellQuotes;
use super::json::{quoted, units};
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

/// The name of the field that contains a word with its punctuation.
pub(super) const PUNCTUATED: &str = "punctuated_word";

/// A word in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedWord {
    /// The word, between its quotes.
    pub(super) string: Range<usize>,
    /// The white space before the name of its field, and the text between this name and the opening quote of the
    /// word.
    pub(super) space: [Range<usize>; 2],
    /// True if the list also has the word with its punctuation: no such field is added.
    pub(super) is_marked: bool,
    /// True if the word gets the case of the text.
    pub(super) is_recased: bool,
}

impl ListedWord {
    /// Adds `by` to all positions.
    pub(super) fn move_on(&mut self, by: usize) {
        for position in self.space.iter_mut().chain([&mut self.string]) {
            *position = position.start + by..position.end + by;
        }
    }
}

/// The bytes of a file, and the positions in them of the parts of a text. A part may have several
/// positions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Envelope {
    /// The bytes of the file.
    pub(super) source: Vec<u8>,
    /// The parts of the text, each with a position between quotes in the source, in the order of the source.
    pub(super) positions: Vec<(Range<u32>, Range<u32>)>,
    /// The words with times, in their order in the source. Punctuation is not inserted into them but into separate
    /// fields.
    beside: Vec<ListedWord>,
    /// The quotes of the positions that are cells of a table, each with its start in the source.
    quotes: Vec<(u32, CellQuotes)>,
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
        self.positions.clear();
        self.beside.clear();
        self.quotes.clear();
    }

    /// Adds the position `source`, between quotes, for these bytes of the text, unless it is empty.
    pub(super) fn place(&mut self, text: Range<usize>, source: Range<usize>) {
        if source.is_empty() {
            return;
        }
        let small = |range: Range<usize>| range.start as u32..range.end as u32;
        self.positions.push((small(text), small(source)));
    }

    /// Records that the position that begins at byte `start` of the source is a cell with these quotes. Calls must be
    /// in the order of the positions.
    pub(super) fn quote(&mut self, start: usize, quotes: CellQuotes) {
        self.quotes.push((start as u32, quotes));
    }

    /// Adds `by` to all positions: they were found in a text that begins at this byte of the file.
    pub(super) fn move_positions(&mut self, by: usize) {
        for (_, source) in &mut self.positions {
            *source = source.start + by as u32..source.end + by as u32;
        }
        self.beside.iter_mut().for_each(|word| word.move_on(by));
    }

    /// Adds the positions of another envelope, which were found in a text that begins at byte `start`, and sorts them
    /// among the positions in this text.
    pub(super) fn add(&mut self, mut other: Self, start: usize) {
        other.move_positions(start);
        self.positions.append(&mut other.positions);
        self.beside.append(&mut other.beside);
        let first = self.positions.partition_point(|(_, source)| (source.start as usize) < start);
        self.positions[first..].sort_by_key(|(_, source)| source.start);
    }

    /// Records that the punctuation of a word is written into a separate field. The word was found in a text that
    /// begins at byte `start`.
    pub(super) fn mark_beside(&mut self, mut word: ListedWord, start: usize) {
        word.move_on(start);
        self.beside.push(word);
    }

    /// Appends the bytes to `out` with the letters of `new` and the punctuation marks of `put`. `new` differs from
    /// the text `old` only in case and in characters that are [`DROPPED`]; the positions of the marks are positions
    /// in `new`. Mark-up for which the text has blanks stays as it is.
    pub(super) fn write(&self, old: &str, new: &str, put: &[PlacedMark], out: &mut Vec<u8>) {
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
        let text = NewText { old, new, moves, put };
        let (mut written, mut done) = (0, 0);
        for word in &self.beside {
            let Range { start, end } = word.string;
            let position =
                |at: usize| self.positions.partition_point(|(_, source)| (source.start as usize) < at);
            let inside = position(start)..position(end);
            self.write_positions(done..inside.start, &mut written, &text, true, out);
            let (mut marked, mut from) = (Vec::new(), start);
            self.write_positions(inside.clone(), &mut from, &text, true, &mut marked);
            marked.extend_from_slice(&self.source[from..end]);
            if let Some((last, source)) = self.positions[inside.clone()].last()
                && source.end as usize == end
            {
                marked.extend_from_slice(text.marks_after(last.end as usize).as_bytes());
            }
            done = inside.end;
            if word.is_recased {
                self.write_positions(inside, &mut written, &text, false, out);
            }
            out.extend_from_slice(&self.source[written..=end]);
            written = end + 1;
            if word.is_marked {
                continue;
            }
            let [before, between] = word.space.clone().map(|space| &self.source[space]);
            let name = format!("\"{PUNCTUATED}\"");
            for part in [b",", before, name.as_bytes(), between, b"\"", &marked, b"\""] {
                out.extend_from_slice(part);
            }
        }
        self.write_positions(done..self.positions.len(), &mut written, &text, true, out);
        out.extend_from_slice(&self.source[written..]);
    }

    /// Appends the source from byte `written` to the end of the last of these positions, with the new letters, and
    /// with the inserted punctuation marks if `puts` is true.
    fn write_positions(
        &self,
        positions: Range<usize>,
        written: &mut usize,
        text: &NewText<'_>,
        puts: bool,
        out: &mut Vec<u8>,
    ) {
        for (position, source) in &self.positions[positions] {
            let (start, end) = (source.start as usize, source.end as usize);
            out.extend_from_slice(&self.source[*written..start]);
            let raw = &self.source[start..end];
            let (from, to) = (text.moved(position.start), text.moved(position.end));
            let first = text.put.partition_point(|mark| mark.is_within(from));
            let put = text.put[first..].iter().take_while(|mark| puts && mark.is_within(to));
            let put = &mut put.map(|mark| mark.after(from));
            let new = text.new.get(from..to).unwrap_or_default();
            let old = text.old.get(position.start as usize..position.end as usize).unwrap_or_default();
            let cell = self.quotes.binary_search_by_key(&source.start, |&(at, _)| at);
            if let Ok(cell) = cell {
                let put: Vec<PlacedMark> = put.collect();
                let inserted = put.iter().flat_map(|mark| mark.text.bytes());
                let (quotes, mut cell) = (self.quotes[cell].1, Vec::new());
                let put = &mut put.iter().cloned();
                recase(&quotes.decoded(raw), plain_units(old), [old, new], put, &mut cell);
                quotes.encode(&cell, inserted, out);
                *written = end;
                continue;
            }
            match str::from_utf8(raw) {
                // Equal lengths show that there is no escape, since each escape is longer than its character.
                _ if raw.len() == old.len() => recase(raw, plain_units(old), [old, new], put, out),
                Ok(text) => recase(raw, units(text).map(|(unit, _)| unit), [old, new], put, out),
                Err(_) => out.extend_from_slice(raw),
            }
            // If a part is dropped, the space before it is dropped too if it would be doubled or last.
            let is_dropped = new != old && new.chars().all(|c| c == DROPPED);
            let is_space = matches!(self.source.get(end), Some(b' ' | b'"'));
            if is_dropped && is_space && out.last() == Some(&b' ') {
                out.pop();
            }
            *written = end;
        }
    }
}

/// A text, and the same text with other letters and with marks.
struct NewText<'a> {
    old: &'a str,
    new: &'a str,
    /// Pairs of corresponding offsets in the old and the new text, one pair after each letter whose length in bytes
    /// changes.
    moves: Vec<(usize, usize)>,
    put: &'a [PlacedMark],
}

impl NewText<'_> {
    /// Returns the position in the new text of byte `at` of the old one.
    fn moved(&self, at: u32) -> usize {
        let at = at as usize;
        let (from, to) = self.moves[self.moves.partition_point(|&(from, _)| from <= at) - 1];
        to + at - from
    }

    /// Returns the punctuation of the old text from byte `at` up to white space, as it is in JSON; empty if there are
    /// letters.
    fn marks_after(&self, at: usize) -> String {
        let rest = self.old.get(at..).unwrap_or_default();
        let run = rest.split(char::is_whitespace).next().unwrap_or_default();
        let raw = quoted(if !run.contains(char::is_alphanumeric) { run } else { "" });
        raw[1..raw.len() - 1].to_owned()
    }
}

/// The placeholder in a changed text for a character of the old text that is dropped.
pub(super) const DROPPED: char = '\0';

/// Iterates over the positions of the characters of a text without escapes.
fn plain_units(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.char_indices().map(|(at, c)| at..at + c.len_utf8())
}

/// Appends `raw`, which may hold invalid bytes, to `out` with the letters of `new` and the punctuation marks of `put`.
/// `units` are the positions in `raw` of the characters of `old`, the text as it reads. `new` differs from `old` only in
/// case and in characters that are [`DROPPED`]; the positions of the marks are positions in `new`. Unchanged characters
/// stay as written; an escape stays an escape, with hexadecimal digits of the same case.
fn recase(
    raw: &[u8],
    units: impl Iterator<Item = Range<usize>>,
    [old, new]: [&str; 2],
    put: &mut dyn Iterator<Item = PlacedMark>,
    out: &mut Vec<u8>,
) {
    let (mut done, mut written, mut put) = (0, 0, put.peekable());
    for (Range { start, end }, (old, new)) in units.zip(old.chars().zip(new.chars())) {
        while let Some(mark) = put.next_if(|mark| mark.at <= written) {
            out.extend_from_slice(&raw[done..start]);
            out.extend_from_slice(mark.text.as_bytes());
            done = start;
        }
        if old != new {
            out.extend_from_slice(&raw[done..start]);
            if new != DROPPED {
                write(new, &raw[start..end], out);
            }
            done = end;
        }
        written += new.len_utf8();
        while let Some(mark) = put.next_if(|mark| mark.side == MarkSide::After && mark.at <= written) {
            out.extend_from_slice(&raw[done..end]);
            out.extend_from_slice(mark.text.as_bytes());
            done = end;
        }
    }
    out.extend_from_slice(&raw[done..]);
}

/// Writes a letter in the form of another one: as an escape or as itself.
fn write(c: char, like: &[u8], out: &mut Vec<u8>) {
    if !like.starts_with(b"\\u") {
        return out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    let is_upper = like.iter().any(|b| matches!(b, b'A'..=b'F'));
    for unit in c.encode_utf16(&mut [0; 2]) {
        let escape = if is_upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
        out.extend_from_slice(escape.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::decode;
    use super::*;
    use majuscule_text::Locale;

    #[test]
    fn letters_are_written_as_they_were() {
        let recased = |raw: &str, old: &str, text: &str| {
            let mut out = Vec::new();
            let units = units(raw).map(|(position, _)| position);
            recase(raw.as_bytes(), units, [old, text], &mut std::iter::empty(), &mut out);
            String::from_utf8(out).unwrap()
        };
        for (raw, text, written) in [
            (r"\u00e9l\u00E9ve\n\u0041", "éLÉve\na", r"\u00e9L\u00C9ve\n\u0061"),
            (r"\u00e9a\/\u0451", "Éa/Ё", r"\u00c9a\/\u0401"),
            (r"\ud801\udc28\ud801", "𐐀\u{fffd}", r"\ud801\udc00\ud801"),
            ("éa\\\"", "Éa\"", "Éa\\\""),
        ] {
            let mut decoded = String::new();
            decode(raw, &mut decoded);
            assert_eq!(Locale::Root.lower(&decoded), Locale::Root.lower(text));
            assert_eq!(recased(raw, &decoded, text), written);
            assert_eq!(recased(raw, &decoded, &decoded), raw);
        }
    }
}
