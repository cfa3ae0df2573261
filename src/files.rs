//! Files: opens any input, and publishes each output as a whole.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

pub(crate) use encoding::seven_bit;
pub use encoding::{Encoding, TextEncoder};
pub use limit::Limits;
pub use unfinished::remove_unfinished;

use encoding::Uncoded;
use limit::Limit;
use unfinished::Unfinished;

use crate::error::{Error, Place, Problem, Result, option};

#[cfg(feature = "encodings")]
mod double_byte;
mod encoding;
mod limit;
mod unfinished;

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

/// The number of bytes that a file will yield, if known in
/// advance: that of a regular file without compression.
pub fn len(path: impl AsRef<Path>) -> Option<u64> {
    let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let is_plain = open(path).is_ok_and(|input| input.compression.is_none());
    is_plain.then_some(metadata.len())
}

/// The name of a file without its folders, which differ from machine to machine.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The name of a file without the extension of its compression, if it has one.
pub fn uncompressed_name(name: &str) -> &str {
    [".gz", ".zst", ".xz"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// The entries of a folder, sorted by name, without those that begin with a full stop.
///
/// # Errors
/// If the folder cannot be read.
pub fn paths_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let error = |error| Error::io("read", folder, error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if !name(&path).starts_with('.') {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    Ok(paths)
}

/// A number of bytes as an argument: 2G, 500M, 1.5G; at least 1M.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct ByteSize(pub usize);

/// The smallest size: less than some buffers and arrays take would not be a limit.
const LEAST_SIZE: usize = 1 << 20;

impl std::str::FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match bytes(text, 1024.0).ok_or("expected a size such as 2G or 500M")? {
            bytes if bytes >= LEAST_SIZE as f64 => Ok(Self(bytes as usize)),
            _ => Err("expected 1M at least".to_owned()),
        }
    }
}

/// The number of bytes of a size such as 2G or 500kB. K
/// stands for `kilo` bytes, KiB always for 1024.
pub fn bytes(text: &str, kilo: f64) -> Option<f64> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let unit = unit.to_ascii_uppercase();
    let (unit, kilo) = match unit.strip_suffix("IB") {
        Some(unit) if !unit.is_empty() => (unit, 1024.0),
        _ => (unit.strip_suffix('B').unwrap_or(&unit), kilo),
    };
    let power = ["", "K", "M", "G", "T"].iter().position(|known| *known == unit)?;
    let bytes = number.trim().parse::<f64>().ok()? * f64::powi(kilo, power as i32);
    bytes.is_finite().then_some(bytes)
}

impl std::fmt::Display for ByteSize {
    /// Writes the size in the largest unit of which it has at least one.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let units = [(1u64 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
        let bytes = self.0 as f64;
        match units.into_iter().find(|(unit, _)| bytes >= *unit as f64) {
            Some((unit, name)) => write!(f, "{}{name}", (10.0 * bytes / unit as f64).round() / 10.0),
            None => write!(f, "{}", self.0),
        }
    }
}

/// Refuses standard input (`-`) named twice, since the second reader would find it empty.
///
/// # Errors
/// If standard input is named twice.
pub fn check_inputs(inputs: &[impl AsRef<Path>]) -> Result<()> {
    if inputs.iter().filter(|input| input.as_ref() == Path::new("-")).count() > 1 {
        return Err(Error::usage("- is named twice, but standard input can be read only once"));
    }
    Ok(())
}

/// An open input, whose errors all give its name.
pub struct Input<'a> {
    name: String,
    reader: BufReader<Box<dyn Read + Send + 'a>>,
    compression: Option<Compression>,
    limits: Limits,
}

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    Gzip,
    Zstandard,
    Xz,
}

/// The size of buffers: large enough that the cost of a call does not matter.
const BUFFER: usize = 1 << 16;

impl<'a> Input<'a> {
    /// An input from any source, decompressed if it is compressed; errors call it `name`.
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

    /// A text in memory, which errors call `name`.
    pub fn of_text(name: impl Into<String>, text: &'a [u8]) -> Self {
        let reader = BufReader::with_capacity(text.len().clamp(1, BUFFER), Box::new(text) as _);
        Self { name: name.into(), reader, compression: None, limits: Limits::default() }
    }

    /// An input from any source, never decompressed.
    pub fn uncompressed(name: impl Into<String>, source: impl Read + Send + 'a) -> Self {
        let reader = BufReader::with_capacity(BUFFER, Box::new(source) as Box<dyn Read + Send + 'a>);
        Self { name: name.into(), reader, compression: None, limits: Limits::default() }
    }

    /// The input under limits other than the default.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The limits on what is held in memory of the input.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// The name as the user gave it; `-` for standard input.
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

    /// Appends the bytes that are there, at most `most`, to `bytes` and returns their number, 0 at the
    /// end. Waits only if none are there.
    ///
    /// # Errors
    /// Like [`Input::read`].
    pub(crate) fn append(&mut self, most: usize, bytes: &mut Vec<u8>) -> Result<usize> {
        let here = self.fill()?;
        let len = here.len().min(most);
        bytes.extend_from_slice(&here[..len]);
        self.reader.consume(len);
        Ok(len)
    }

    /// The next `len` bytes, or all if fewer are left, without consuming them. Waits for them,
    /// however slowly they arrive, so that a decision on them depends on the bytes alone.
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

    /// Decides on the next bytes without consuming them. `decide` is called
    /// with the bytes so far, and again whenever more arrive, until it
    /// answers or has seen everything (`true`). `None` if it never answers.
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

    /// The bytes in the buffer, after reading more if it is empty; none at the end.
    fn fill(&mut self) -> Result<&[u8]> {
        while let Err(error) = self.reader.fill_buf() {
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(self.explain(error));
            }
        }
        Ok(self.reader.buffer())
    }

    /// Puts back bytes before the rest of the input, if any is left.
    fn put_back(&mut self, head: &[u8], ended: bool) {
        let first: Box<dyn Read + Send + 'a> = Box::new(io::Cursor::new(head.to_vec()));
        let rest = std::mem::replace(&mut self.reader, BufReader::with_capacity(BUFFER, first));
        // At a terminal, the user would have to type a second end of input.
        if !ended {
            let whole: Box<dyn Read + Send + 'a> = Box::new(io::Cursor::new(head.to_vec()).chain(rest));
            self.reader = BufReader::with_capacity(BUFFER, whole);
        }
    }

    /// Decodes the input to UTF-8, and returns the encoder that restores its encoding: that of the
    /// byte-order mark, else the one named, else UTF-8. A text that turns out to be UTF-8 at its
    /// first letters beyond ASCII is read as UTF-8 even if another encoding is named. `stand_in` is
    /// a character that replaces invalid bytes; without it they are an error.
    ///
    /// # Errors
    /// Like [`Input::read`], and if the mark is that of UTF-32.
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

    /// The encoding of the byte-order mark, if there is one. Waits only for bytes that may be one.
    fn marked(&mut self) -> Result<Option<Encoding>> {
        let may_be_marked = self.reader.fill_buf().map(|head| matches!(head, [0xef | 0xfe | 0xff, ..]));
        if !may_be_marked.map_err(|error| self.explain(error))? {
            return Ok(None);
        }
        let head = self.peek(4)?;
        if head == [0xff, 0xfe, 0, 0] {
            return Err(Error::file(
                &self.name,
                "is in UTF-32, which is not read: convert it to UTF-8 (iconv does)",
            ));
        }
        Ok(Encoding::of_mark(&head))
    }

    /// Appends the bytes up to and including the next `\n` to `line` and returns their number, 0 at
    /// the end. Errors give the line the number `number`.
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

    /// The remaining bytes.
    ///
    /// # Errors
    /// Like [`Input::read`], and if there are more bytes than the [limits](Input::within) allow.
    pub fn bytes(self) -> Result<Vec<u8>> {
        self.bytes_within(Limit::Whole)
    }

    /// The remaining bytes of a model, whatever the [limits](Input::within) of texts.
    ///
    /// # Errors
    /// Like [`Input::read`], and if there are more than 3 GiB.
    pub(crate) fn bytes_of_model(self) -> Result<Vec<u8>> {
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

    /// The remaining text, without a byte-order mark at its beginning.
    ///
    /// # Errors
    /// Like [`Input::bytes`], and if the input is not UTF-8.
    pub fn text(self) -> Result<String> {
        self.text_within(Limit::Whole)
    }

    /// The remaining text like [`Input::text`], of an input
    /// that is never legitimately larger than `most`.
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

    /// The remaining lines.
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
    /// The next line without its line ending (`\n` or `\r\n`) and without a byte-order mark at the
    /// beginning of the file; `None` at the end. The last line needs no line ending.
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

    /// The next line like [`Lines::next`], with any bytes.
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

    /// The current line, without its line ending and a byte-order mark.
    fn bytes(&self) -> &[u8] {
        let mut line = self.line.as_slice();
        if self.number == 1 {
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// The number of the current line, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The name of the input.
    pub fn name(&self) -> &str {
        self.input.name()
    }

    /// An error in the current line.
    pub fn problem(&self, problem: impl Into<Problem>) -> Error {
        Error::line(self.input.name(), self.number, problem)
    }
}

/// The error for a place of the text `file` that cannot be decoded or encoded, if `error` is that.
fn uncoded(file: &str, error: &io::Error) -> Option<Error> {
    let found = error.get_ref()?.downcast_ref::<Uncoded>()?;
    let place = Place { file: file.to_owned(), line: Some(found.line), column: Some(found.column) };
    Some(Error::Input { place, problem: found.problem.clone().into() })
}

/// The error for a part of the text `source` that a [`TextEncoder`] could not write to `target`.
pub fn unwritten(source: &str, target: &Path, error: io::Error) -> Error {
    uncoded(source, &error).unwrap_or_else(|| Error::io("write", target, error))
}

/// The error for `bytes` that are not UTF-8 and begin at the beginning of line `line`.
pub fn not_utf8(file: &str, line: u64, bytes: &[u8]) -> Error {
    undecoded(file, (line.saturating_sub(1), 0), bytes, None)
}

/// The error for `bytes` that are not UTF-8 or are in a 7-bit encoding, and that come after
/// `lines` lines of the file and `columns` columns of the next line. A reader may add `advice` to
/// the advice to convert the file.
pub(crate) fn undecoded(
    file: &str,
    (lines, columns): (u64, u64),
    bytes: &[u8],
    advice: Option<&str>,
) -> Error {
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
    let place = Place { file: file.to_owned(), line: Some(lines + breaks + 1), column: Some(column) };
    let advice = advice.map_or_else(String::new, |advice| format!(", {advice}"));
    let problem = format!("{found}: convert the file to UTF-8 (iconv does){advice}");
    Error::Input { place, problem: problem.into() }
}

/// The first bytes, enough to detect compression. The first line of a slow pipe may be short, and
/// must not wait for the next.
fn head(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = vec![0; BUFFER];
    let mut len = 0;
    while Compression::may_begin(&head[..len]) {
        match source.read(&mut head[len..]) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(len);
    Ok(head)
}

impl Compression {
    const GZIP: [u8; 2] = [0x1f, 0x8b];
    const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    /// A skippable frame, after a first byte from 0x50 to 0x5f,
    /// with which some tools begin (pzstd, seekable files).
    const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];
    const XZ: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];

    fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x50..=0x5f, rest @ ..] if rest.starts_with(&Self::SKIPPABLE) => Some(Self::Zstandard),
            _ if head.starts_with(&Self::GZIP) => Some(Self::Gzip),
            _ if head.starts_with(&Self::ZSTANDARD) => Some(Self::Zstandard),
            _ if head.starts_with(&Self::XZ) => Some(Self::Xz),
            _ => None,
        }
    }

    /// Returns true if the bytes are a proper prefix of one of the magics, so that more are needed.
    fn may_begin(head: &[u8]) -> bool {
        let rest = head.split_first().filter(|(first, _)| matches!(first, 0x50..=0x5f)).map(|(_, rest)| rest);
        let more = |magic: &[u8], head: &[u8]| head.len() < magic.len() && magic.starts_with(head);
        more(&Self::GZIP, head)
            || more(&Self::ZSTANDARD, head)
            || more(&Self::XZ, head)
            || rest.is_some_and(|rest| more(&Self::SKIPPABLE, rest))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstandard => "zstd",
            Self::Xz => "xz",
        }
    }

    #[cfg(feature = "compression")]
    fn reader<'a>(self, _: &str, source: impl Read + Send + 'a) -> Result<Box<dyn Read + Send + 'a>> {
        let source = BufReader::with_capacity(BUFFER, source);
        Ok(match self {
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(source)),
            Self::Zstandard => Box::new(zstandard::Frames::new(source)),
            Self::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(source)),
        })
    }

    #[cfg(not(feature = "compression"))]
    fn reader<'a>(self, file: &str, _: impl Read + Send + 'a) -> Result<Box<dyn Read + Send + 'a>> {
        Err(Error::file(
            file,
            format!(
                "is compressed with {}, which this build does not read: decompress it, or build with --features \
                 compression",
                self.name()
            ),
        ))
    }
}

/// Zstandard files: a sequence of frames, some of which are skipped.
#[cfg(feature = "compression")]
mod zstandard {
    use std::error::Error;
    use std::io::{self, BufRead, ErrorKind, Read};

    use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

    pub struct Frames<R> {
        source: R,
        decoder: FrameDecoder,
        /// True inside a frame.
        inside: bool,
    }

    impl<R: BufRead> Frames<R> {
        pub fn new(source: R) -> Self {
            Self { source, decoder: FrameDecoder::new(), inside: false }
        }

        /// Advances to the next frame with data; returns false at the end of the file.
        fn begin(&mut self) -> io::Result<bool> {
            while !self.source.fill_buf()?.is_empty() {
                match self.decoder.reset(&mut self.source) {
                    Ok(()) => {
                        self.inside = true;
                        return Ok(true);
                    }
                    Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                        length,
                        ..
                    })) => skip(&mut self.source, u64::from(length))?,
                    Err(error) => return Err(explain(error)),
                }
            }
            Ok(false)
        }

        fn end(&mut self) -> io::Result<()> {
            self.inside = false;
            match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
                (Some(stored), Some(found)) if stored != found => {
                    Err(io::Error::new(ErrorKind::InvalidData, "the checksum does not match"))
                }
                _ => Ok(()),
            }
        }
    }

    impl<R: BufRead> Read for Frames<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if buffer.is_empty() {
                return Ok(0);
            }
            loop {
                if !self.inside && !self.begin()? {
                    return Ok(0);
                }
                while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    let one = BlockDecodingStrategy::UptoBlocks(1);
                    self.decoder.decode_blocks(&mut self.source, one).map_err(explain)?;
                }
                match self.decoder.read(buffer)? {
                    0 => self.end()?,
                    n => return Ok(n),
                }
            }
        }
    }

    fn skip(source: &mut impl BufRead, length: u64) -> io::Result<()> {
        let skipped = io::copy(&mut source.take(length), &mut io::sink())?;
        if skipped < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// The underlying error of the system, if there is one, which distinguishes a truncated file
    /// from a damaged one.
    fn explain(error: FrameDecoderError) -> io::Error {
        let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<io::Error>() {
                return error.kind().into();
            }
            cause = error.source();
        }
        io::Error::new(ErrorKind::InvalidData, error)
    }
}

/// A file in the making, written under a hidden name beside its own and renamed by
/// [`Publish::commit`], so that the final name always has the old or the new contents, never a
/// part. Dropped without a commit, it leaves nothing.
#[derive(Debug)]
pub struct Publish {
    target: PathBuf,
    /// `None` for a device or a pipe, which is written directly.
    temporary: Option<Unfinished>,
    /// `None` once committed.
    writer: Option<BufWriter<File>>,
}

impl Publish {
    /// Begins a file to be published at `path`. A link is followed. An existing file keeps its
    /// owner and permissions.
    ///
    /// # Errors
    /// If the folder or the existing file cannot be written,
    /// or a new file cannot have the same owner.
    pub fn new(path: impl AsRef<Path>) -> Result<Self> {
        let target = followed(path.as_ref());
        let old = match fs::metadata(&target) {
            Ok(old) if old.is_dir() => {
                let problem = "is a folder, but the name of a file is expected";
                return Err(Error::file(target.to_string_lossy(), problem));
            }
            Ok(old) if !old.is_file() => {
                let file = File::options().write(true).open(&target);
                let file = file.map_err(|error| Error::io("write", &target, error))?;
                return Ok(Self { target, temporary: None, writer: Some(BufWriter::new(file)) });
            }
            Ok(old) => {
                // Renaming would replace even a write-protected file.
                let opened = File::options().write(true).open(&target);
                opened.map_err(|error| Error::io("write", &target, error))?;
                Some(old)
            }
            Err(_) => None,
        };
        let (temporary, file) = match old {
            None => Unfinished::file(&target, File::options().write(true))?,
            Some(old) => {
                let (temporary, file) = Unfinished::file(&target, &mut like(&old))?;
                inherit(&file, &old, &target)?;
                (temporary, file)
            }
        };
        let writer = Some(BufWriter::with_capacity(BUFFER, file));
        Ok(Self { target, temporary: Some(temporary), writer })
    }

    /// Renames the file to its final name.
    ///
    /// # Errors
    /// If the rest cannot be written or the file cannot be renamed; nothing is left of it then.
    pub fn commit(self) -> Result<()> {
        self.replace(None)
    }

    /// Renames the file to its final name, and keeps an existing file under that name with `ending`
    /// appended. At every moment the old contents have one of the two names.
    ///
    /// # Errors
    /// Like [`Publish::commit`], and if other contents have the name of the backup already.
    pub fn commit_with_backup(self, ending: &str) -> Result<()> {
        let mut backup = self.target.clone().into_os_string();
        backup.push(ending);
        self.replace(Some(Path::new(&backup)))
    }

    fn replace(self, backup: Option<&Path>) -> Result<()> {
        let refused = |error| Error::io("write", &self.target, error);
        let written = self.writer.map(BufWriter::into_inner).transpose();
        let file = written.map_err(|error| refused(error.into_error()))?;
        let Some(temporary) = self.temporary else { return Ok(()) };
        file.map_or(Ok(()), |file| file.sync_all()).map_err(refused)?;
        if let Some(backup) = backup {
            keep(&self.target, backup)?;
        }
        temporary.rename(&self.target).map_err(refused)?;
        sync_folder(parent(&self.target));
        Ok(())
    }
}

/// The options for creating a file that replaces another, never with wider permissions.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix knows modes"))]
fn like(old: &fs::Metadata) -> fs::OpenOptions {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
        // Only the owner may read the file until it has its group.
        options.mode(old.mode() & 0o700);
    }
    options
}

/// Gives a new file the owner and the permissions of the file that it replaces.
fn inherit(file: &File, old: &fs::Metadata, target: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let new = file.metadata().map_err(|error| Error::io("write", target, error))?;
        let (uid, gid) = (old.uid(), old.gid());
        if (new.uid(), new.gid()) != (uid, gid) && fchown(file, Some(uid), Some(gid)).is_err() {
            let problem = format!(
                "belongs to user {uid} and group {gid}, whom a new file cannot be given to: write to another name, or as \
                 that user"
            );
            return Err(Error::file(target.to_string_lossy(), problem));
        }
    }
    file.set_permissions(old.permissions()).map_err(|error| Error::io("write", target, error))
}

impl Write for Publish {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Some(writer) => writer.write(bytes),
            None => Ok(0),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

/// The state of a file, to detect later changes.
#[derive(Debug)]
pub struct FileStamp {
    path: PathBuf,
    state: FileState,
}

/// The device, inode, length and time of modification of a file.
type FileState = (u64, u64, u64, Option<std::time::SystemTime>);

impl FileStamp {
    /// Records the state of a file.
    ///
    /// # Errors
    /// If the file does not exist.
    pub fn new(path: &Path) -> Result<Self> {
        let metadata = fs::metadata(path).map_err(|error| Error::io("open", path, error))?;
        Ok(Self { path: path.to_owned(), state: state(&metadata) })
    }

    /// Refuses a file that has changed since.
    ///
    /// # Errors
    /// If the file has changed.
    pub fn check(&self) -> Result<()> {
        match fs::metadata(&self.path) {
            Ok(metadata) if state(&metadata) == self.state => Ok(()),
            _ => Err(Error::file(
                self.path.to_string_lossy(),
                "was changed by another process while it was read, and stays as it is: do it again",
            )),
        }
    }
}

fn state(metadata: &fs::Metadata) -> FileState {
    #[cfg(unix)]
    let (device, number) = {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino())
    };
    #[cfg(not(unix))]
    let (device, number) = (0, 0);
    (device, number, metadata.len(), metadata.modified().ok())
}

/// Gives a file a second name, which it keeps when the first name goes to another file. A file that
/// already has the second name must have the same contents, as after an interruption.
fn keep(file: &Path, backup: &Path) -> Result<()> {
    if fs::symlink_metadata(backup).is_ok() {
        let read = |path: &Path| fs::read(path).map_err(|error| Error::io("read", path, error));
        return match read(file)? == read(backup)? {
            true => Ok(()),
            false => {
                let problem = "stands there already and would be replaced by another backup: remove it, or name \
                               another ending";
                Err(Error::file(backup.to_string_lossy(), problem))
            }
        };
    }
    if fs::hard_link(file, backup).is_err() {
        // Some file systems have no hard links.
        let mut copy = Publish::new(backup)?;
        let from = File::open(file).map_err(|error| Error::io("read", file, error))?;
        let copied = io::copy(&mut BufReader::new(from), &mut copy);
        copied.map_err(|error| Error::io("write", backup, error))?;
        copy.commit()?;
    }
    sync_folder(parent(backup));
    Ok(())
}

/// A temporary file for data that exceed memory. It is removed when it is dropped, and on Unix
/// however the process ends.
#[derive(Debug)]
pub struct ScratchFile {
    file: File,
    /// `None` if the file has no name any more.
    _unfinished: Option<Unfinished>,
}

impl ScratchFile {
    /// Creates an empty temporary file in `folder`, or in the current folder if `folder` is empty.
    ///
    /// # Errors
    /// If no file can be created there.
    pub fn new(folder: &Path) -> Result<Self> {
        let target = folder.join("temporary file");
        let (unfinished, file) = Unfinished::file(&target, File::options().read(true).write(true))?;
        // On Unix an open file needs no name.
        let unfinished = if cfg!(unix) { None } else { Some(unfinished) };
        Ok(Self { file, _unfinished: unfinished })
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }
}

/// A file with the output of `write`, on disk but without its final name, so that several files can
/// appear together; see [`Publish::commit`].
///
/// # Errors
/// If the file cannot be written; nothing is left of it then.
pub fn unpublished(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut Publish) -> io::Result<()>,
) -> Result<Publish> {
    let path = path.as_ref();
    let mut file = Publish::new(path)?;
    let written = write(&mut file).and_then(|()| file.flush());
    written.map_err(|error| Error::io("write", path, error))?;
    Ok(file)
}

/// Publishes the output of `write` at `path`; see [`Publish`].
///
/// # Errors
/// If `write` fails or the file cannot be written; nothing is left of it then.
pub fn publish(path: impl AsRef<Path>, write: impl FnOnce(&mut Publish) -> Result<()>) -> Result<()> {
    let mut file = Publish::new(path)?;
    write(&mut file)?;
    file.commit()
}

/// Publishes a folder: `fill` writes into an empty folder beside it, which then takes its name. An
/// existing folder is replaced if it is empty, or if it contains the file that `replace` names,
/// such as the manifest of a model, which shows that it is of the same kind.
///
/// # Errors
/// If an existing folder may not be replaced, `fill` fails, or the folder cannot be written;
/// everything stays as it was then.
pub fn publish_folder(
    path: impl AsRef<Path>,
    replace: Option<&str>,
    fill: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let target = followed(path.as_ref());
    check_replaceable(&target, replace)?;
    let temporary = Unfinished::folder(&target)?;
    let old = fs::metadata(&target).ok();
    #[cfg(unix)]
    if let Some(old) = &old {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        // The contents are at no time visible to more users than those of the old folder.
        let mode = fs::Permissions::from_mode(old.mode() & 0o7777 | 0o700);
        let set = fs::set_permissions(temporary.path(), mode);
        set.map_err(|error| Error::io("write", &target, error))?;
    }
    fill(temporary.path())?;
    sync_files(temporary.path())?;
    let refused = |error| Error::io("write", &target, error);
    if let Some(old) = old {
        fs::set_permissions(temporary.path(), old.permissions()).map_err(refused)?;
    }
    // One process at a time: another may have written here meanwhile.
    let _turn = turn(parent(&target));
    check_replaceable(&target, replace)?;
    place(temporary, &target).map_err(refused)?;
    sync_folder(parent(&target));
    Ok(())
}

/// A lock on the names in a folder, if the system has locks; others wait until it is dropped.
fn turn(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.lock().ok().map(|()| file)
}

/// Renames a folder to the name of another, which is removed.
fn place(temporary: Unfinished, target: &Path) -> io::Result<()> {
    if !target.exists() {
        return temporary.rename(target);
    }
    // In one step, if the system can: at no moment is the name free. The old folder then goes with
    // the temporary name.
    if exchange(temporary.path(), target).is_ok() {
        return Ok(());
    }
    let old =
        (0..10_000).map(|n| parent(target).join(format!(".majuscule-{n}.old"))).find(|old| !old.exists());
    let old = old.ok_or(io::ErrorKind::AlreadyExists)?;
    fs::rename(target, &old)?;
    if let Err(error) = temporary.rename(target) {
        let _ = fs::rename(old, target);
        return Err(error);
    }
    let _ = fs::remove_dir_all(old);
    Ok(())
}

/// Exchanges the names of two folders in one step.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Refuses a folder that [`publish_folder`] would not replace, to be called before long work.
///
/// # Errors
/// If something exists there that may not be replaced.
pub fn check_replaceable(target: &Path, replace: Option<&str>) -> Result<()> {
    let shown = target.display();
    let Ok(old) = fs::metadata(target) else { return Ok(()) };
    if !old.is_dir() {
        return Err(Error::usage(format!("{shown} is a file, but the name of a folder is expected")));
    }
    let mut files = fs::read_dir(target).map_err(|error| Error::io("read", target, error))?;
    match replace {
        _ if files.next().is_none() => Ok(()),
        None => Err(exists_already(target, "folder")),
        Some(mark) if target.join(mark).is_file() => Ok(()),
        Some(mark) => Err(Error::usage(format!(
            "{shown} holds no {mark}, so it is not replaced even with {}: name another folder, or remove it",
            option("force")
        ))),
    }
}

/// Refuses an output that is one of the inputs, which would be lost, or that is standard output,
/// where nothing can appear as a whole.
///
/// # Errors
/// If the output is standard output or one of the inputs.
pub fn check_output(output: &Path, inputs: &[impl AsRef<Path>]) -> Result<()> {
    if output == Path::new("-") {
        return Err(Error::usage("- is no name for an output that is written as a whole: name a file"));
    }
    let Ok(output) = fs::canonicalize(output) else { return Ok(()) };
    match inputs.iter().find(|input| fs::canonicalize(input.as_ref()).is_ok_and(|input| input == output)) {
        Some(input) if output.is_file() => {
            let input = input.as_ref().display();
            Err(Error::usage(format!("{input} is both input and output: name another output file")))
        }
        _ => Ok(()),
    }
}

/// Refuses an output file that exists already, unless it is empty, a device or a pipe, where nothing
/// is lost.
///
/// # Errors
/// If there is such a file.
pub fn check_new(output: &Path) -> Result<()> {
    match fs::metadata(output) {
        Ok(old) if old.is_file() && old.len() > 0 => Err(exists_already(output, "file")),
        _ => Ok(()),
    }
}

/// Returns the error for an output, a `file` or a `folder`, that may not be replaced.
fn exists_already(output: &Path, kind: &str) -> Error {
    let (shown, force) = (output.display(), option("force"));
    Error::usage(format!("{shown} exists already: name another {kind}, or give {force} to replace it"))
}

/// Refuses an output folder that contains an input, which
/// would be lost when the folder is replaced.
///
/// # Errors
/// If an input lies in the folder.
pub fn check_output_folder(output: &Path, inputs: &[impl AsRef<Path>]) -> Result<()> {
    let Ok(folder) = fs::canonicalize(output) else { return Ok(()) };
    let inside = |input: &&_| {
        fs::canonicalize(AsRef::<Path>::as_ref(*input)).is_ok_and(|input| input.starts_with(&folder))
    };
    match inputs.iter().find(inside) {
        Some(input) => Err(Error::usage(format!(
            "{} lies in {}, which would be replaced: name another output folder",
            input.as_ref().display(),
            output.display()
        ))),
        None => Ok(()),
    }
}

/// The target of `path` after following links.
fn followed(path: &Path) -> PathBuf {
    match path.is_symlink() {
        true => fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
        false => path.to_owned(),
    }
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// The unfinished files and folders in a folder, recognised by their names.
fn paths_beside(folder: &Path) -> Vec<PathBuf> {
    let is_unfinished = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let number = name.strip_prefix(".majuscule-").and_then(|name| name.strip_suffix(".tmp"));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_unfinished).collect()
}

/// Flushes all files in a folder to disk.
fn sync_files(folder: &Path) -> Result<()> {
    let refused = |error| Error::io("write", folder, error);
    for entry in fs::read_dir(folder).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        if path.is_dir() {
            sync_files(&path)?;
        } else {
            // Some systems flush only files that are open for writing.
            let file = File::options().append(true).open(&path);
            file.and_then(|file| file.sync_all()).map_err(|error| Error::io("write", &path, error))?;
        }
    }
    sync_folder(folder);
    Ok(())
}

/// Flushes the renames in a folder to disk, on systems that can.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A reader that returns at most `step` bytes at a time.
#[cfg(test)]
pub(crate) struct Dribble {
    bytes: io::Cursor<Vec<u8>>,
    step: usize,
}

#[cfg(test)]
impl Dribble {
    pub(crate) fn new(bytes: &[u8], step: usize) -> Self {
        Self { bytes: io::Cursor::new(bytes.to_vec()), step }
    }
}

#[cfg(test)]
impl Read for Dribble {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.step.min(out.len());
        self.bytes.read(&mut out[..len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<u8>> {
        Input::new("given", io::Cursor::new(bytes.to_vec()))?.bytes()
    }

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(name).collect();
        names.sort();
        names
    }

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

    #[test]
    fn a_folder_that_holds_an_input_is_no_output() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("a.tsv");
        fs::write(&input, "a").unwrap();
        assert!(matches!(check_output_folder(folder.path(), &[&input]), Err(Error::Usage(_))));
        assert!(check_output_folder(&folder.path().join("new"), &[&input]).is_ok());
        assert!(check_inputs(&["-", "a", "-"]).is_err() && check_inputs(&["-", "a", "a"]).is_ok());
    }

    #[cfg(feature = "compression")]
    mod compressed {
        use proptest::prelude::*;

        use super::*;

        fn gz(bytes: &[u8]) -> Vec<u8> {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }

        fn zst(bytes: &[u8]) -> Vec<u8> {
            ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
        }

        fn xz(bytes: &[u8]) -> Vec<u8> {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }

        type Compress = fn(&[u8]) -> Vec<u8>;
        const ALL: [(&str, Compress); 3] = [("gzip", gz), ("zstd", zst), ("xz", xz)];

        proptest! {
            #![proptest_config(ProptestConfig::with_cases(32))]

            #[test]
            fn compressed_data_one_after_another_read_as_one(parts: Vec<Vec<u8>>) {
                for (name, compress) in ALL {
                    let file: Vec<u8> = parts.iter().flat_map(|part| compress(part)).collect();
                    prop_assert_eq!(read(&file).unwrap(), parts.concat(), "{}", name);
                }
            }

            #[test]
            fn damaged_data_are_an_error_or_the_same_and_never_a_panic(
                at in 8usize..400, byte: u8, text in "[a-m ]{300,900}",
            ) {
                for (_, compress) in ALL {
                    let mut file = compress(text.as_bytes());
                    let at = at % file.len();
                    file[at] = byte;
                    // After the magic bytes, alterations are noticed, except in some bytes of a
                    // header that mean nothing.
                    if let (Ok(found), true) = (read(&file), at >= 8) {
                        prop_assert_eq!(found, text.as_bytes());
                    }
                }
            }
        }

        #[test]
        fn data_that_are_cut_off_anywhere_are_an_error_that_says_so() {
            let text = "The plenary of Strasbourg sits for twelve weeks a year.\n".repeat(40);
            for (name, compress) in ALL {
                let file = compress(text.as_bytes());
                for cut in 6..file.len() {
                    let error = read(&file[..cut]).unwrap_err().to_string();
                    assert!(
                        error.starts_with(&format!("given: the {name} data are cut off")),
                        "{cut}: {error}"
                    );
                }
                // The same holds in a second compressed stream.
                let mut two = file.clone();
                two.extend(&file[..file.len() - 3]);
                assert!(read(&two).unwrap_err().to_string().contains("cut off"));
            }
        }

        #[test]
        fn frames_to_skip_are_skipped() {
            let skip = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'a', b'b', b'c'];
            let file = [&skip[..], &zst(b"Douro"), &skip, &zst(b" and Tejo")].concat();
            assert_eq!(read(&file).unwrap(), b"Douro and Tejo");
            assert!(read(&skip[..9]).unwrap_err().to_string().contains("cut off"));
        }
    }

    #[test]
    #[cfg(not(feature = "compression"))]
    fn a_build_without_compression_says_how_to_build() {
        let error = read(&[0x1f, 0x8b, 8, 0]).unwrap_err().to_string();
        assert!(error.contains("--features compression"), "{error}");
    }

    #[test]
    fn an_empty_input_and_a_lone_byte_are_read() {
        assert_eq!(read(b"").unwrap(), b"");
        assert_eq!(read(b"\x1f").unwrap(), b"\x1f");
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
    fn a_file_is_published_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        let failed = publish(&path, |file| {
            file.write_all(b"half").unwrap();
            Err(Error::usage("stop"))
        });
        assert!(failed.is_err());
        assert_eq!(names(folder.path()), [""; 0]);

        publish(&path, |file| file.write_all(b"old").map_err(|error| Error::io("write", "", error))).unwrap();
        let mut file = Publish::new(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn two_may_publish_in_one_folder_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut one = Publish::new(folder.path().join("one")).unwrap();
        let two = Publish::new(folder.path().join("two")).unwrap();
        one.write_all(b"1").unwrap();
        two.commit().unwrap();
        one.commit().unwrap();
        assert_eq!(names(folder.path()), ["one", "two"]);
    }

    #[test]
    #[cfg(unix)]
    fn permissions_links_and_devices_stay_as_they_are() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        Publish::new(&link).unwrap().commit().unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"");
        assert!(link.is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);

        let mut null = Publish::new("/dev/null").unwrap();
        null.write_all(b"gone").unwrap();
        null.commit().unwrap();
        assert!(!Path::new("/dev/null").is_file());
    }

    #[test]
    #[cfg(unix)]
    fn a_new_file_and_a_new_folder_are_never_open_to_more_than_the_old() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        // Only privileged users may give files away.
        let _ = chown(&path, Some(12345), Some(54321));
        let owner =
            |path: &Path| fs::metadata(path).map(|file| (file.uid(), file.gid(), file.mode() & 0o777));
        let was = owner(&path).unwrap();
        let file = Publish::new(&path).unwrap();
        assert_eq!(owner(&folder.path().join(".majuscule-0.tmp")).unwrap(), was);
        file.commit().unwrap();
        assert_eq!(owner(&path).unwrap(), was);

        let path = folder.path().join("model");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        let fill = |temporary: &Path| {
            assert_eq!(owner(temporary).unwrap().2, 0o750);
            Ok(())
        };
        publish_folder(&path, None, fill).unwrap();
        assert_eq!(owner(&path).unwrap().2, 0o750);
    }

    #[test]
    fn a_file_that_changes_meanwhile_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "told us").unwrap();
        let seen = FileStamp::new(&path).unwrap();
        assert!(seen.check().is_ok());
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(std::time::SystemTime::UNIX_EPOCH)
            .unwrap();
        assert!(seen.check().unwrap_err().to_string().contains("changed by another process"));
        let seen = FileStamp::new(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(seen.check().is_err() && FileStamp::new(&path).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error() {
        // The device on which every write finds the disk full.
        if !Path::new("/dev/full").exists() {
            return;
        }
        let mut full = Publish::new("/dev/full").unwrap();
        full.write_all(b"text").unwrap();
        let error = full.commit().unwrap_err().to_string();
        assert!(error.starts_with("cannot write /dev/full"), "{error}");
    }

    #[test]
    fn a_folder_is_published_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        let fill = |text: &'static str| {
            move |temporary: &Path| {
                fs::write(temporary.join("data"), text).unwrap();
                fs::write(temporary.join("manifest"), "{}").unwrap();
                Ok(())
            }
        };
        let failed = publish_folder(&path, None, |temporary| {
            fs::write(temporary.join("data"), "half").unwrap();
            Err(Error::usage("stop"))
        });
        assert!(failed.is_err());
        assert_eq!(names(folder.path()), [""; 0]);

        publish_folder(&path, None, fill("old")).unwrap();
        assert!(publish_folder(&path, None, fill("new")).unwrap_err().to_string().contains("`force`"));
        assert!(matches!(publish_folder(&path, Some("other"), fill("new")), Err(Error::Usage(_))));
        assert_eq!(fs::read(path.join("data")).unwrap(), b"old");
        publish_folder(&path, Some("manifest"), fill("new")).unwrap();
        assert_eq!(fs::read(path.join("data")).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["model"]);
    }

    #[test]
    fn an_output_that_is_an_input_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        assert!(check_output(&path, &[&path]).is_ok());
        fs::write(&path, "").unwrap();
        assert!(matches!(
            check_output(&folder.path().join(".").join("text"), &[&path]),
            Err(Error::Usage(_))
        ));
        assert!(check_output(&folder.path().join("other"), &[&path]).is_ok());
        assert!(check_output(Path::new("-"), &[&path]).unwrap_err().to_string().contains("name a file"));
    }
}
