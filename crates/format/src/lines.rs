//! The lines of a file, one at a time, regardless of their endings and their length.

use std::ops::Range;

use super::buffer::{Buffer, PART, part_len};
use super::transcript::Fault;
use majuscule_base::error::Result;
use majuscule_base::files::{BOM, Input, Limits};

/// The lines of an input. A line ends with `\n`, with `\r\n` or at the end of the file. It also ends with a single
/// `\r` if the first line of the file does, and with any `\r` if [`Ends`] allows it.
#[derive(Debug)]
pub(super) struct SplitLines<'a> {
    buffer: Buffer<'a>,
    longest: usize,
    /// The last line with its ending, as a range of the buffer; no further line ends before byte
    /// `searched`.
    line: Range<usize>,
    searched: usize,
    /// The number of the line, counted from 1.
    pub(super) number: u64,
    /// True if the line is a part of an overlong one; `goes_on` is true if that line continues.
    pub(super) is_long: bool,
    goes_on: bool,
    /// True if the next line is another part of the same line of the file, split after a tag.
    in_line: bool,
    /// True if lines end with `\r` alone.
    returns: Option<bool>,
    ends: Ends,
}

/// The line endings of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// The ending of the first line.
    AsFirst,
    /// At `\n`, `\r\n` and `\r`, mixed.
    Anywhere,
    /// At `\n`, and also after the `>` of a tag: XML files may be one line.
    Tags,
}

impl<'a> SplitLines<'a> {
    /// Reads lines with these endings; lines of more than `longest` characters come in parts, and so do lines that
    /// exceed the limit for input that is read whole.
    pub(super) fn new(input: Input<'a>, longest: usize, ends: Ends) -> Self {
        Self {
            longest: longest.min(input.limits().input.0),
            buffer: Buffer::new(input),
            line: 0..0,
            searched: 0,
            number: 0,
            is_long: false,
            goes_on: false,
            in_line: false,
            returns: (ends != Ends::AsFirst).then_some(false),
            ends,
        }
    }

    /// Advances to the next line, or to the next part of an overlong one; false at the end.
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
            // The buffer ends with `\r`, and a `\n` may follow it.
            if self.searched < self.buffer.bytes.len() {
                self.fill()?;
                continue;
            }
            // A part is returned only once text after it is in the buffer, so that no character is split.
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

    /// Returns true if `\r` ends a line.
    pub(super) fn ends_with_returns(&self) -> bool {
        self.returns == Some(true) || self.ends == Ends::Anywhere
    }

    /// Returns the end of the line that begins here, if it is in the buffer.
    fn find(&mut self) -> Option<usize> {
        let (end, searched) = self.find_from(self.searched);
        self.searched = searched;
        end
    }

    /// Returns the end of the line that contains byte `from`, if it is in the buffer, and the byte
    /// up to which no line ends.
    fn find_from(&self, from: usize) -> (Option<usize>, usize) {
        let bytes = &self.buffer.bytes;
        let other = match self.ends {
            Ends::Tags => b'>',
            _ if self.ends_with_returns() => b'\r',
            _ => b'\n',
        };
        let ends = |b: &u8| *b == b'\n' || *b == other;
        // Blocks of sixteen bytes without a line ending are skipped at once.
        let parts = bytes[from..].chunks_exact(16);
        let passed = parts.take_while(|part| !part.iter().fold(false, |found, b| found | ends(b))).count();
        let from = from + 16 * passed;
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

    /// Reads until the line after this one is in the buffer; [`SplitLines::ahead`] then returns it.
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

    /// Returns the line after this one without its ending, as far as it is in the buffer; empty at
    /// the end of the file.
    pub(super) fn ahead(&self) -> &[u8] {
        let (end, _) = self.find_from(self.line.end);
        let line = &self.buffer.bytes[self.line.end..end.unwrap_or(self.buffer.bytes.len())];
        line.trim_ascii_end()
    }

    /// Returns true if the first line ends with `\r` alone; `None` until the buffer shows it.
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

    /// Drops the bytes that are no longer needed, and reads the available bytes once.
    fn fill(&mut self) -> Result<()> {
        self.buffer.bytes.drain(..self.line.start);
        self.searched -= self.line.start;
        self.line = 0..self.line.end - self.line.start;
        self.buffer.fill()
    }

    /// Returns true if the next line is in the buffer, so that there is no wait.
    pub(super) fn is_ready(&self) -> bool {
        self.find_from(self.line.end).0.is_some()
    }

    /// Appends the next bytes of live text, which has no input to read.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.bytes.drain(..self.line.end);
        self.searched -= self.line.end;
        self.line = 0..0;
        self.buffer.bytes.extend_from_slice(bytes);
    }

    /// Advances to the next line, if it was pushed; at the end of the text (`ended`) the last line
    /// needs no ending.
    pub(super) fn next_pushed(&mut self, ended: bool) -> Result<bool> {
        self.buffer.ended = ended;
        let is_long = self.buffer.bytes.len() - self.line.end > 4 * self.longest;
        // The text after the first `\r` shows whether a single `\r` ends a line.
        self.returns = self.returns.or_else(|| self.first_returns());
        let is_here = is_long || ended || self.returns.is_some() && self.find().is_some();
        Ok(is_here && self.next()?)
    }

    /// Returns the line as it is in the file.
    pub(super) fn whole(&self) -> &[u8] {
        &self.buffer.bytes[self.line.clone()]
    }

    /// Returns the line without its ending and without a byte-order mark, as a range of
    /// [`SplitLines::whole`].
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

    /// Returns the fault of an overlong line.
    pub(super) fn too_long(&self) -> Fault {
        let longest = self.longest;
        let problem =
            format!("found a line of more than {longest} characters, but no line is expected to be so long");
        Fault { at: 0, problem }
    }

    /// Returns the name of the input.
    pub(super) fn name(&self) -> &str {
        self.buffer.input.name()
    }

    /// Returns the limits of the input.
    pub(super) fn limits(&self) -> Limits {
        self.buffer.input.limits()
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
        let mut lines = SplitLines::new(input, PART, ends);
        let (mut found, mut all) = (Vec::new(), Vec::new());
        while lines.next().unwrap() {
            all.extend_from_slice(lines.whole());
            let line = String::from_utf8(lines.whole()[lines.text()].to_vec()).unwrap();
            found.push((lines.number, if lines.is_long { line.len().to_string() } else { line }));
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
        let input = Input::uncompressed("text", std::io::Cursor::new(text));
        let mut lines = SplitLines::new(input, PART, Ends::AsFirst);
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
