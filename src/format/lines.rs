//! The lines of a file, one at a time, however they end and however long they are.

use std::ops::Range;

use super::buffer::Buffer;
use super::plain::{PART, part_len};
use super::transcript::Fault;
use crate::error::Result;
use crate::files::{BOM, Input};

/// The lines of an input. One ends with `\n` or `\r\n`, in a file whose first does so with `\r` alone, where [`Ends`] says so with any
/// `\r`, and at the end of the file.
#[derive(Debug)]
pub(super) struct SplitLines {
    buffer: Buffer,
    longest: usize,
    /// The line that was read last, with its ending, and so many bytes of the buffer after it without one.
    line: Range<usize>,
    searched: usize,
    number: u64,
    /// Whether the line is a part of one that is too long, and whether that goes on.
    is_long: bool,
    goes_on: bool,
    /// Whether the line after this one is a part of the same, which a tag parts from it.
    in_line: bool,
    /// Whether lines end with `\r` alone.
    returns: Option<bool>,
    ends: Ends,
}

/// Where lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Ends {
    /// As the first line does.
    #[default]
    AsFirst,
    /// At `\n` and `\r\n`: what comes in live need not wait to show how it ends lines.
    Feeds,
    /// At `\n`, `\r\n` and `\r`, mixed.
    Anywhere,
    /// At `\n`, and behind the `>` of a tag too: files of XML may be one line.
    Tags,
}

impl SplitLines {
    /// Lines of which those of more than `longest` characters come in parts.
    pub(super) fn of_at_most(input: Input, longest: usize) -> Self {
        Self {
            buffer: Buffer::new(input),
            longest,
            line: 0..0,
            searched: 0,
            number: 0,
            is_long: false,
            goes_on: false,
            in_line: false,
            returns: None,
            ends: Ends::default(),
        }
    }

    /// Reads lines that end so.
    pub(super) fn ending(self, ends: Ends) -> Self {
        let returns = if ends == Ends::AsFirst { self.returns } else { Some(false) };
        Self { ends, returns, ..self }
    }

    /// Goes to the next line, or to the next part of one that is too long; false at the end.
    pub(super) fn next(&mut self) -> Result<bool> {
        self.line = self.line.end..self.line.end;
        while self.returns.is_none() {
            self.returns = self.first_returns();
            if self.returns.is_none() {
                self.fill()?;
            }
        }
        let end = loop {
            if let Some(end) = self.find() {
                break end;
            }
            // A return is here, and a line feed may follow it.
            if self.searched < self.buffer.bytes.len() {
                self.fill()?;
                continue;
            }
            // What follows a part is here, so no character of it is cut in two.
            let len = part_len(&self.buffer.bytes[self.line.start..], self.longest);
            if self.goes_on || self.line.start + len < self.buffer.bytes.len() || self.buffer.ended {
                break self.buffer.bytes.len();
            }
            self.fill()?;
        };
        if end == self.line.start {
            if self.buffer.ended || !self.goes_on {
                return Ok(false);
            }
            self.fill()?;
            return self.next();
        }
        self.line.end = end;
        self.searched = end;
        let line = &self.buffer.bytes[self.line.clone()];
        self.number += u64::from(!self.goes_on && !self.in_line);
        self.is_long = self.goes_on || part_len(line, self.longest) < line.len();
        self.in_line = self.ends == Ends::Tags && !line.ends_with(b"\n");
        self.goes_on =
            self.is_long && !line.ends_with(b"\n") && !(self.ends_with_returns() && line.ends_with(b"\r"));
        Ok(true)
    }

    /// Whether a `\r` ends a line.
    fn ends_with_returns(&self) -> bool {
        self.returns == Some(true) || self.ends == Ends::Anywhere
    }

    /// Where the line ends that begins here, if that is here.
    fn find(&mut self) -> Option<usize> {
        let (end, searched) = self.find_from(self.searched);
        self.searched = searched;
        end
    }

    /// Where the line ends in which byte `from` stands, if that is here, and up to where no line ends.
    fn find_from(&self, from: usize) -> (Option<usize>, usize) {
        let bytes = &self.buffer.bytes;
        let returns = self.ends_with_returns();
        let tags = self.ends == Ends::Tags;
        let ends = |b: &u8| *b == b'\n' || returns && *b == b'\r' || tags && *b == b'>';
        let Some(at) = bytes[from..].iter().position(ends) else {
            return (None, bytes.len());
        };
        let at = from + at;
        if self.ends != Ends::Anywhere || bytes[at] == b'\n' {
            return (Some(at + 1), at);
        }
        match bytes.get(at + 1) {
            Some(b'\n') => (Some(at + 2), at),
            None if !self.buffer.ended => (None, at),
            _ => (Some(at + 1), at),
        }
    }

    /// Reads on until the line after this one is here; [`SplitLines::ahead`] then gives it.
    pub(super) fn look_ahead(&mut self) -> Result<()> {
        let mut searched = self.line.end;
        loop {
            let found;
            (found, searched) = self.find_from(searched);
            if found.is_some() || self.buffer.ended || searched - self.line.end > 4 * self.longest {
                return Ok(());
            }
            let start = self.line.start;
            self.fill()?;
            searched -= start;
        }
    }

    /// The line after this one without its ending, as far as it is here; empty at the end of the file.
    pub(super) fn ahead(&self) -> &[u8] {
        let (end, _) = self.find_from(self.line.end);
        let line = &self.buffer.bytes[self.line.end..end.unwrap_or(self.buffer.bytes.len())];
        line.trim_ascii_end()
    }

    /// Whether the first line ends with `\r` alone; `None` as long as that does not show.
    fn first_returns(&self) -> Option<bool> {
        let seen = &self.buffer.bytes[..self.buffer.bytes.len().min(PART)];
        let is_all = self.buffer.ended || seen.len() == PART;
        let Some(end) = seen.iter().position(|b| matches!(b, b'\n' | b'\r')) else {
            return is_all.then_some(false);
        };
        match seen[end..].iter().find(|&&b| b != b'\r') {
            Some(&b) => Some(b != b'\n'),
            None => is_all.then_some(self.buffer.ended && seen[end] == b'\r'),
        }
    }

    /// Reads what is there, once, after what still counts.
    fn fill(&mut self) -> Result<()> {
        self.buffer.bytes.drain(..self.line.start);
        self.searched -= self.line.start;
        self.line = 0..self.line.end - self.line.start;
        self.buffer.fill()
    }

    /// Whether the next line is here, so that nothing is waited for.
    pub(super) fn is_ready(&self) -> bool {
        self.find_from(self.line.end).0.is_some()
    }

    /// Takes the next bytes of what comes in live, where the input has none.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.bytes.drain(..self.line.end);
        self.searched -= self.line.end;
        self.line = 0..0;
        self.buffer.bytes.extend_from_slice(bytes);
    }

    /// Goes to the next line, if it was pushed; where nothing more comes (`ended`), the last needs no ending.
    pub(super) fn next_pushed(&mut self, ended: bool) -> Result<bool> {
        self.buffer.ended = ended;
        let is_long = self.buffer.bytes.len() - self.line.end > 4 * self.longest;
        let is_here = is_long || ended || self.find().is_some();
        Ok(is_here && self.next()?)
    }

    /// The line as it stands in the file.
    pub(super) fn whole(&self) -> &[u8] {
        &self.buffer.bytes[self.line.clone()]
    }

    /// The line without its ending and without a byte-order mark, as a range of [`SplitLines::whole`].
    pub(super) fn text(&self) -> Range<usize> {
        let line = self.whole();
        let start = if self.number == 1 && line.starts_with(BOM) { BOM.len() } else { 0 };
        let mut end = line.len();
        if line.ends_with(b"\n") {
            end -= 1;
        }
        while end > start && line[end - 1] == b'\r' {
            end -= 1;
        }
        start..end
    }

    /// Whether the line is a part of one that is too long.
    pub(super) fn is_long(&self) -> bool {
        self.is_long
    }

    /// What is wrong with a line that is too long.
    pub(super) fn too_long(&self) -> Fault {
        let longest = self.longest;
        let problem =
            format!("found a line of more than {longest} characters, but no line is expected to be so long");
        Fault { at: 0, problem }
    }

    /// The number of the line, counted from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The input's name.
    pub(super) fn name(&self) -> &str {
        self.buffer.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(u64, String)> {
        lines_ending(text, Ends::AsFirst)
    }

    fn lines_ending(text: &str, ends: Ends) -> Vec<(u64, String)> {
        let input = Input::uncompressed("text", std::io::Cursor::new(text.to_owned()));
        let mut lines = SplitLines::of_at_most(input, PART).ending(ends);
        let (mut found, mut all) = (Vec::new(), Vec::new());
        while lines.next().unwrap() {
            all.extend_from_slice(lines.whole());
            let line = String::from_utf8(lines.whole()[lines.text()].to_vec()).unwrap();
            found.push((lines.number(), if lines.is_long() { line.len().to_string() } else { line }));
        }
        assert_eq!(String::from_utf8(all).unwrap(), text);
        found
    }

    fn of(lines: &[&str]) -> Vec<(u64, String)> {
        (1..).zip(lines).map(|(number, line)| (number, (*line).to_owned())).collect()
    }

    #[test]
    fn lines_end_in_all_ways() {
        assert_eq!(lines("\u{feff}a\nb\r\n\r\nc\r\r\nd"), of(&["a", "b", "", "c", "d"]));
        assert_eq!(lines("a\r\rb\r"), of(&["a", "", "b"]));
        assert_eq!(lines("a\nb\rc\n"), of(&["a", "b\rc"]));
        assert_eq!(lines("a\r"), of(&["a"]));
        assert_eq!(lines(""), of(&[]));
    }

    #[test]
    fn lines_may_end_in_mixed_ways() {
        let found = lines_ending("a\nb\r\rc\r\n\r\nd\re\r", Ends::Anywhere);
        assert_eq!(found, of(&["a", "b", "", "c", "", "d", "e"]));
    }

    #[test]
    fn the_next_line_can_be_looked_at() {
        let text = "a\r\nb \r\n\nc";
        let mut lines = SplitLines::of_at_most(Input::uncompressed("text", std::io::Cursor::new(text)), PART);
        for expected in [&b"b"[..], b"", b"c", b""] {
            assert!(lines.next().unwrap());
            lines.look_ahead().unwrap();
            assert_eq!(lines.ahead(), expected);
        }
        assert!(!lines.next().unwrap());
    }

    #[test]
    fn a_line_that_is_too_long_comes_in_parts() {
        let text = format!("a\n{}\nb", "é".repeat(5 * PART));
        let lines = lines(&text);
        assert!(lines.len() > 3 && lines[1..lines.len() - 1].iter().all(|(number, _)| *number == 2));
        assert_eq!(lines.last().unwrap(), &(3, "b".to_owned()));
    }
}
