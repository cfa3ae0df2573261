//! The bytes read from an input and not yet returned, and the text in them.

use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::{self, Input, seven_bit};
use majuscule_text::tokenize::NO_TEXT;

/// The number of characters of a line that are read together. If a line is longer, its first part decides everything
/// that depends on the whole line. The limit is in characters, since their number does not change with case.
pub(super) const PART: usize = 1 << 16;

/// The largest number of characters of a line in formats that keep a whole line in memory.
pub(super) const LONGEST: usize = 1 << 28;

/// The number of bytes read at a time. The first reads are smaller, each twice as large as the one before, so that
/// the beginning of a text is returned at once.
const READ: usize = 1 << 16;
const FIRST_READ: usize = 1 << 10;

/// An input and the bytes read from it.
#[derive(Debug)]
pub(super) struct Buffer<'a> {
    pub(super) input: Input<'a>,
    pub(super) bytes: Vec<u8>,
    /// True at the end of the input.
    pub(super) ended: bool,
    next_read: usize,
}

impl<'a> Buffer<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Self { input, bytes: Vec::new(), ended: false, next_read: FIRST_READ }
    }

    /// Reads the available bytes with a single read, so that a slow pipe is processed line by line.
    pub(super) fn fill(&mut self) -> Result<()> {
        self.ended = self.input.append(self.next_read, &mut self.bytes)? == 0;
        self.next_read = READ.min(2 * self.next_read);
        Ok(())
    }
}

/// Returns the bytes as text. `Err` is the position of a byte that is not UTF-8; with `lossy`, such
/// bytes become [`NO_TEXT`].
pub(super) fn text<'a>(source: &'a [u8], mended: &'a mut Vec<u8>, lossy: bool) -> Result<&'a str, usize> {
    let error = match std::str::from_utf8(source) {
        Ok(text) if lossy => return Ok(text),
        Ok(text) => return seven_bit(source).map_or(Ok(text), |(at, _)| Err(at)),
        Err(error) => error,
    };
    if !lossy {
        return Err(error.valid_up_to());
    }
    mended.clear();
    for chunk in source.utf8_chunks() {
        mended.extend_from_slice(chunk.valid().as_bytes());
        mended.extend(chunk.invalid().iter().map(|_| NO_TEXT));
    }
    std::str::from_utf8(mended).map_err(|error| error.valid_up_to())
}

/// Returns the number of bytes in the first `longest` characters of `bytes`, or in all characters if there are fewer.
pub(super) fn part_len(bytes: &[u8], longest: usize) -> usize {
    if bytes.len() <= longest {
        return bytes.len();
    }
    // Continuation bytes, in a file that is not UTF-8, must not make a part endless.
    let bytes = &bytes[..bytes.len().min(4 * longest)];
    let starts = bytes.iter().enumerate().filter(|(_, b)| starts_char(**b));
    starts.map(|(at, _)| at).nth(longest).unwrap_or(bytes.len())
}

/// Returns the error for a piece that is not UTF-8. `lines` counts the lines of the file before the piece, and
/// `columns` the characters between the last of these lines and the piece.
pub(super) fn not_utf8(name: &str, lines: u64, columns: u64, source: &[u8]) -> Error {
    let [encoding, lossy] = ["encoding", "lossy"].map(option);
    let advice =
        format!("name its encoding ({encoding} windows-1252), or pass such bytes through with {lossy}");
    files::undecoded(name, (lines, columns), source, Some(&advice))
}

/// Returns true for the first byte of a character.
pub(super) fn starts_char(b: u8) -> bool {
    b & 0xc0 != 0x80
}
