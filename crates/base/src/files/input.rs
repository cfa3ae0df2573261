//! Input from any source. All its errors have a location.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::compression::{Compression, head};
use super::encoding::{self, Encoding, TextEncoder, Uncoded, seven_bit};
use super::limits::{ByteSize, Limit, Limits};
use crate::error::{Error, Location, Problem, Result};

/// Opens a file for reading; `-` is standard input. A file that begins
/// with the magic bytes of gzip, Zstandard or xz is decompressed, whatever
/// its name; several compressed streams in sequence are read as one.
///
/// # Errors
/// If the file does not exist, cannot be read or is a folder, or if it is compressed and this build
/// cannot read that compression.
pub fn open(path: impl AsRef<Path>) -> Result<Input<'static>> {
    let path = path.as_ref();
    if path == Path::new("-") {
        return Input::new("-", io::stdin());
    }
    let name = path.to_string_lossy();
    let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Error::file(name, "is a folder, but a file is expected: name the files in it"));
    }
    Input::new(name, file)
}

/// Returns the number of bytes that a file will yield, if known in advance: the size of a regular
/// file without compression.
pub fn len(path: impl AsRef<Path>) -> Option<u64> {
    let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let is_plain = open(path).is_ok_and(|input| input.compression.is_none());
    is_plain.then_some(metadata.len())
}

/// An open input; all its errors name it.
pub struct Input<'a> {
    name: String,
    reader: BufReader<Box<dyn Read + Send + 'a>>,
    compression: Option<Compression>,
    limits: Limits,
}

/// The size of buffers: large enough that the cost of a call does not matter.
pub(super) const BUFFER: usize = 1 << 16;

impl<'a> Input<'a> {
    /// Makes an input from any source, decompressed if it is compressed; errors call it `name`.
    ///
    /// # Errors
    /// If the source cannot be read, or is compressed and this build cannot read that compression.
    pub fn new(name: impl Into<String>, source: impl Read + Send + 'a) -> Result<Self> {
        let name = name.into();
        let mut source: Box<dyn Read + Send + 'a> = Box::new(source);
        let head = head(&mut source).map_err(|error| Error::io("read", &name, error))?;
        let compression = Compression::of(&head);
        let whole = io::Cursor::new(head).chain(source);
        let reader: Box<dyn Read + Send + 'a> = match compression {
            None => Box::new(whole),
            Some(compression) => compression.reader(&name, whole)?,
        };
        let reader = BufReader::with_capacity(BUFFER, reader);
        Ok(Self { name, reader, compression, limits: Limits::default() })
    }

    /// Makes an input of a text in memory, which errors call `name`.
    pub fn of_text(name: impl Into<String>, text: &'a [u8]) -> Self {
        let reader = BufReader::with_capacity(text.len().clamp(1, BUFFER), Box::new(text) as _);
        Self { name: name.into(), reader, compression: None, limits: Limits::default() }
    }

    /// Makes an input from any source, never decompressed.
    pub fn uncompressed(name: impl Into<String>, source: impl Read + Send + 'a) -> Self {
        let reader = BufReader::with_capacity(BUFFER, Box::new(source) as Box<dyn Read + Send + 'a>);
        Self { name: name.into(), reader, compression: None, limits: Limits::default() }
    }

    /// Returns the input under limits other than the default.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Returns the limits on the memory that the input may take.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the name as the user gave it; `-` for standard input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the input is decompressed.
    pub fn is_compressed(&self) -> bool {
        self.compression.is_some()
    }

    /// Reads the next bytes into `buffer` and returns their number, 0 at the end.
    ///
    /// # Errors
    /// If the system cannot read, or compressed data are truncated or altered.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result.map_err(|error| self.explain(error)),
            }
        }
    }

    /// Appends the bytes that are available, at most `most`, to `bytes` and returns their number, 0
    /// at the end. Waits only if no bytes are available.
    ///
    /// # Errors
    /// Like [`Input::read`].
    pub fn append(&mut self, most: usize, bytes: &mut Vec<u8>) -> Result<usize> {
        let here = self.fill()?;
        let len = here.len().min(most);
        bytes.extend_from_slice(&here[..len]);
        self.reader.consume(len);
        Ok(len)
    }

    /// Returns the next `len` bytes, or all bytes if fewer are left, without consuming them. Waits
    /// for them, however slowly they arrive, so that a decision about them depends on the bytes
    /// alone.
    ///
    /// # Errors
    /// Like [`Input::read`].
    pub fn peek(&mut self, len: usize) -> Result<Vec<u8>> {
        let mut head = Vec::with_capacity(len);
        let read = self.reader.by_ref().take(len as u64).read_to_end(&mut head);
        read.map_err(|error| self.explain(error))?;
        let ended = head.len() < len;
        self.put_back(&head, ended);
        Ok(head)
    }

    /// Decides on the next bytes without consuming them. `decide` is called with the bytes so far,
    /// and again whenever more bytes arrive, until it returns a decision or all bytes have arrived
    /// (`true`). Returns `None` if there is no decision.
    ///
    /// # Errors
    /// Like [`Input::read`].
    pub fn peek_until<T>(&mut self, mut decide: impl FnMut(&[u8], bool) -> Option<T>) -> Result<Option<T>> {
        // The bytes in the buffer mostly suffice.
        let here = self.fill()?;
        if !here.is_empty()
            && let Some(decided) = decide(here, false)
        {
            return Ok(Some(decided));
        }
        let mut head = Vec::new();
        loop {
            let here = self.fill()?;
            let (len, ended) = (here.len(), here.is_empty());
            head.extend_from_slice(here);
            self.reader.consume(len);
            let decided = decide(&head, ended);
            if decided.is_some() || ended {
                self.put_back(&head, ended);
                return Ok(decided);
            }
        }
    }

    /// Returns the bytes in the buffer, after reading more if it is empty; none at the end.
    fn fill(&mut self) -> Result<&[u8]> {
        while let Err(error) = self.reader.fill_buf() {
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(self.explain(error));
            }
        }
        Ok(self.reader.buffer())
    }

    /// Puts bytes back before the remaining input, unless the input has `ended`.
    fn put_back(&mut self, head: &[u8], ended: bool) {
        let first: Box<dyn Read + Send + 'a> = Box::new(io::Cursor::new(head.to_vec()));
        let rest = std::mem::replace(&mut self.reader, BufReader::with_capacity(BUFFER, first));
        // At a terminal, the user would have to type a second end of input.
        if !ended {
            let whole: Box<dyn Read + Send + 'a> = Box::new(io::Cursor::new(head.to_vec()).chain(rest));
            self.reader = BufReader::with_capacity(BUFFER, whole);
        }
    }

    /// Decodes the input to UTF-8, and returns the encoder that restores its encoding: the encoding of
    /// the byte-order mark, else the named encoding, else UTF-8. A text that turns out to be UTF-8 at
    /// its first letters beyond ASCII is read as UTF-8 even if another encoding is named.
    /// `stand_in` is a character that replaces invalid bytes; without it, invalid bytes are an
    /// error.
    ///
    /// # Errors
    /// Like [`Input::read`], and if the byte-order mark indicates UTF-32.
    pub fn decoded(mut self, named: Option<Encoding>, stand_in: Option<char>) -> Result<(Self, TextEncoder)> {
        let marked = self.marked()?;
        let is_named = marked.is_none();
        let encoding = marked.or(named).unwrap_or(Encoding::Utf8);
        if encoding == Encoding::Utf8 {
            return Ok((self, TextEncoder::none()));
        }
        let (decoder, encoder) = encoding::ends(self.reader, encoding, is_named, stand_in);
        let reader = BufReader::with_capacity(BUFFER, Box::new(decoder) as Box<dyn Read + Send + 'a>);
        Ok((Self { reader, ..self }, encoder))
    }

    /// Returns the encoding of the byte-order mark, if there is one. Waits only for bytes that may
    /// be one.
    fn marked(&mut self) -> Result<Option<Encoding>> {
        let may_be_marked = self.reader.fill_buf().map(|head| matches!(head, [0xef | 0xfe | 0xff, ..]));
        if !may_be_marked.map_err(|error| self.explain(error))? {
            return Ok(None);
        }
        let head = self.peek(4)?;
        if head == [0xff, 0xfe, 0, 0] {
            return Err(Error::file(
                &self.name,
                "is in UTF-32, which is not supported: convert it to UTF-8 (iconv does)",
            ));
        }
        Ok(Encoding::of_mark(&head))
    }

    /// Appends the bytes up to and including the next `\n` to `line` and returns their number, 0 at
    /// the end. Errors report the line as line `number`.
    ///
    /// # Errors
    /// Like [`Input::read`], and if the line exceeds the
    /// fraction of the [limits](Input::within) for one line.
    fn read_line(&mut self, number: u64, line: &mut Vec<u8>) -> Result<usize> {
        let most = Limit::Line.bytes(self.limits);
        let start = line.len();
        let read = self.reader.by_ref().take(most as u64 + 1).read_until(b'\n', line);
        read.map_err(|error| self.explain(error))?;
        match line.len() - start {
            len if len > most => Err(Limit::Line.exceeded(self.limits, &self.name, Some(number))),
            len => Ok(len),
        }
    }

    /// Returns the remaining bytes.
    ///
    /// # Errors
    /// Like [`Input::read`], and if there are more bytes than the [limits](Input::within) allow.
    pub fn bytes(self) -> Result<Vec<u8>> {
        self.bytes_within(Limit::Whole)
    }

    /// Returns the remaining bytes of a model, whatever the [limits](Input::within) of texts.
    ///
    /// # Errors
    /// Like [`Input::read`], and if there are more than 3 GiB.
    pub fn bytes_of_model(self) -> Result<Vec<u8>> {
        const LARGEST: ByteSize = ByteSize(3 << 30);
        self.bytes_within(Limit::Fixed(LARGEST))
    }

    fn bytes_within(mut self, limit: Limit) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(limit.bytes(self.limits) as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.explain(error))?;
        match bytes.len() > limit.bytes(self.limits) {
            true => Err(limit.exceeded(self.limits, &self.name, None)),
            false => Ok(bytes),
        }
    }

    /// Returns the remaining text, without a byte-order mark at its beginning.
    ///
    /// # Errors
    /// Like [`Input::bytes`], and if the input is not UTF-8.
    pub fn text(self) -> Result<String> {
        self.text_within(Limit::Whole)
    }

    /// Returns the remaining text like [`Input::text`], of an input that is never legitimately
    /// larger than `most`.
    ///
    /// # Errors
    /// Like [`Input::text`], with that limit.
    pub fn short_text(self, most: ByteSize) -> Result<String> {
        self.text_within(Limit::Fixed(most))
    }

    fn text_within(self, limit: Limit) -> Result<String> {
        let name = self.name.clone();
        let mut bytes = self.bytes_within(limit)?;
        if bytes.starts_with(BOM) {
            bytes.drain(..BOM.len());
        }
        String::from_utf8(bytes).map_err(|error| not_utf8(&name, 1, error.as_bytes()))
    }

    /// Returns the remaining lines.
    pub fn lines(self) -> Lines<'a> {
        Lines { input: self, number: 0, line: Vec::new() }
    }

    /// Converts a failed read to an error that tells the user what to do.
    fn explain(&self, error: io::Error) -> Error {
        if let Some(found) = uncoded(&self.name, &error) {
            return found;
        }
        let Some(compression) = self.compression else {
            return Error::io("read", &self.name, error);
        };
        let name = compression.name();
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::file(
                &self.name,
                format!("the {name} data are cut off before their end: copy or download the file again"),
            ),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => Error::file(
                &self.name,
                format!("the {name} data are damaged ({error}): copy or download the file again"),
            ),
            _ => Error::io("read", &self.name, error),
        }
    }
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("name", &self.name).field("compression", &self.compression).finish()
    }
}

/// The byte-order mark in UTF-8, which some editors write at the beginning of a file.
pub const BOM: &[u8] = "\u{feff}".as_bytes();

/// The lines of an input, checked to be UTF-8, one at a time.
#[derive(Debug)]
pub struct Lines<'a> {
    input: Input<'a>,
    number: u64,
    line: Vec<u8>,
}

impl Lines<'_> {
    /// Returns the next line without its line ending (`\n` or `\r\n`) and without a byte-order mark
    /// at the beginning of the file; `None` at the end. The last line needs no line ending.
    ///
    /// # Errors
    /// If the line cannot be read, is not UTF-8 or exceeds the
    /// fraction of the [limits](Input::within) for one line.
    #[expect(clippy::should_implement_trait, reason = "each line borrows the buffer that the next one takes")]
    pub fn next(&mut self) -> Result<Option<&str>> {
        if !self.advance()? {
            return Ok(None);
        }
        let line = self.bytes();
        str::from_utf8(line).map(Some).map_err(|_| not_utf8(self.input.name(), self.number, line))
    }

    /// Returns the next line like [`Lines::next`], but with any bytes.
    ///
    /// # Errors
    /// If the line cannot be read or exceeds the fraction of the [limits](Input::within) for one line.
    pub fn next_bytes(&mut self) -> Result<Option<&[u8]>> {
        Ok(self.advance()?.then(|| self.bytes()))
    }

    /// Reads the next line; returns false at the end.
    fn advance(&mut self) -> Result<bool> {
        self.line.clear();
        let len = self.input.read_line(self.number + 1, &mut self.line)?;
        self.number += u64::from(len > 0);
        Ok(len > 0)
    }

    /// Returns the current line, without its line ending and a byte-order mark.
    fn bytes(&self) -> &[u8] {
        let mut line = self.line.as_slice();
        if self.number == 1 {
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Returns the number of the current line, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the name of the input.
    pub fn name(&self) -> &str {
        self.input.name()
    }

    /// Returns an error about the current line.
    pub fn problem(&self, problem: impl Into<Problem>) -> Error {
        Error::line(self.input.name(), self.number, problem)
    }
}

/// Returns the error for a position of the text `file` that cannot be decoded or encoded, if
/// `error` is such an error.
fn uncoded(file: &str, error: &io::Error) -> Option<Error> {
    let found = error.get_ref()?.downcast_ref::<Uncoded>()?;
    let (line, column) = (Some(found.place.line), Some(found.place.column));
    let location = Location { file: file.to_owned(), line, column };
    Some(Error::Input { location, problem: found.problem.clone().into() })
}

/// Returns the error for a part of the text `source` that a [`TextEncoder`] could not write to
/// `target`.
pub fn unwritten(source: &str, target: &Path, error: io::Error) -> Error {
    uncoded(source, &error).unwrap_or_else(|| Error::io("write", target, error))
}

/// Returns the error for `bytes` that are not UTF-8 and begin at the beginning of line `line`.
pub fn not_utf8(file: &str, line: u64, bytes: &[u8]) -> Error {
    undecoded(file, (line.saturating_sub(1), 0), bytes, None)
}

/// Returns the error for `bytes` that are not UTF-8 or are in a 7-bit encoding, and that come after
/// `lines` lines of the file and `columns` columns of the next line. A reader may add `advice` to
/// the advice to convert the file.
pub fn undecoded(file: &str, (lines, columns): (u64, u64), bytes: &[u8], advice: Option<&str>) -> Error {
    let invalid = str::from_utf8(bytes).err().map(|error| error.valid_up_to());
    let (at, found) = match (invalid.and_then(|at| Some((at, bytes.get(at)?))), seven_bit(bytes)) {
        (Some((at, byte)), _) => (at, format!("byte {byte:#04x} is not UTF-8")),
        (None, Some((at, encoding))) => (at, format!("found {encoding}, but UTF-8 is expected")),
        (None, None) => (bytes.len(), "found bytes that are not UTF-8".to_owned()),
    };
    let before = String::from_utf8_lossy(&bytes[..at]);
    let breaks = before.bytes().filter(|&b| b == b'\n').count() as u64;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64;
    let column = if breaks > 0 { column } else { columns + column } + 1;
    let location = Location { file: file.to_owned(), line: Some(lines + breaks + 1), column: Some(column) };
    let advice = advice.map_or_else(String::new, |advice| format!(", {advice}"));
    let problem = format!("{found}: convert the file to UTF-8 (iconv does){advice}");
    Error::Input { location, problem: problem.into() }
}

/// A reader that returns at most `step` bytes at a time: tests of readers cut their input with it.
#[derive(Debug)]
pub struct Dribble {
    bytes: io::Cursor<Vec<u8>>,
    step: usize,
}

impl Dribble {
    /// Reads these bytes.
    pub fn new(bytes: &[u8], step: usize) -> Self {
        Self { bytes: io::Cursor::new(bytes.to_vec()), step }
    }
}

impl Read for Dribble {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.step.min(out.len());
        self.bytes.read(&mut out[..len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns one byte at a time, like the slowest pipe.
    struct Slow(io::Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let one = buffer.len().min(1);
            self.0.read(&mut buffer[..one])
        }
    }

    #[test]
    fn what_is_looked_at_does_not_depend_on_how_it_arrives_and_stays() {
        let bytes: Vec<u8> = (0..9000).map(|i| i as u8).collect();
        for len in [0, 1, 4096, 9000, 10_000] {
            let mut input = Input::new("slow", Slow(io::Cursor::new(bytes.clone()))).unwrap();
            assert_eq!(input.peek(len).unwrap(), bytes[..len.min(9000)]);
            assert_eq!(input.peek(7).unwrap(), bytes[..7]);
            assert_eq!(input.bytes().unwrap(), bytes);
        }
    }

    /// A reader that returns one part per read, and panics if a test reads further than intended.
    struct Pipe(Vec<&'static [u8]>);

    impl Read for Pipe {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let part = self.0.pop().expect("a read that would wait");
            out[..part.len()].copy_from_slice(part);
            Ok(part.len())
        }
    }

    #[test]
    fn a_short_line_of_a_pipe_does_not_wait_for_more() {
        for line in [&b"a\n"[..], b"\n", b"P\n", b"(\n", b"\x1f\n"] {
            let mut input = Input::new("given", Pipe(vec![line])).unwrap();
            let mut bytes = [0; 100];
            let read = input.read(&mut bytes).unwrap();
            assert_eq!(&bytes[..read], line);
        }
    }

    #[test]
    fn magic_bytes_that_come_one_by_one_are_seen() {
        let kind = |parts: Vec<&'static [u8]>| Compression::of(&head(&mut Pipe(parts)).unwrap());
        assert_eq!(kind(vec![b"Z\0", b"X", b"7z", b"\xfd"]), Some(Compression::Xz));
        assert_eq!(kind(vec![b"\x18", b"M", b"*", b"P"]), Some(Compression::Zstandard));
    }

    #[test]
    fn lines_come_without_endings_and_mark() {
        let input = Input::new("given", &b"\xef\xbb\xbfone\r\n\ntwo\rthree\nfour"[..]).unwrap();
        let mut lines = input.lines();
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(line.to_owned());
        }
        assert_eq!(found, ["one", "", "two\rthree", "four"]);
        assert_eq!(lines.number(), 4);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_named_by_line_and_column() {
        let bytes = "Évora\nséc\u{0}".as_bytes().iter().copied().chain([0xff, b'x']).collect::<Vec<_>>();
        let mut lines = Input::new("given", io::Cursor::new(bytes.clone())).unwrap().lines();
        lines.next().unwrap();
        for error in [
            lines.next().unwrap_err(),
            Input::new("given", io::Cursor::new(bytes.clone())).unwrap().text().unwrap_err(),
        ] {
            assert!(
                error.to_string().starts_with("given, line 2, column 5: byte 0xff is not UTF-8"),
                "{error}"
            );
        }
    }

    #[test]
    fn folders_and_missing_files_are_no_input() {
        let folder = tempfile::tempdir().unwrap();
        assert!(open(folder.path()).unwrap_err().to_string().contains("is a folder"));
        let error = open(folder.path().join("none.txt")).unwrap_err().to_string();
        assert!(error.starts_with("cannot open") && error.contains("none.txt"), "{error}");
    }

    #[test]
    fn the_length_of_a_file_is_known_unless_it_is_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            path
        };
        assert_eq!(len(file("a.txt", b"five\n")), Some(5));
        assert_eq!(len(file("a.gz", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])), None);
        assert_eq!(len(folder.path()), None);
        assert_eq!(len("/dev/null"), None);
        assert_eq!(len("-"), None);
    }
}
