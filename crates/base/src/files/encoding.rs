//! Encodings other than UTF-8: text is decoded to UTF-8, and written back in its own encoding, unless it has two bytes per
//! character.

use std::io::{self, Read, Write};
use std::str::FromStr;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};

use super::double_byte::DoubleByte;
use crate::error::option;

/// The encoding of a text. Law: decoding and encoding again returns the same bytes, except for the case of
/// letters. A letter whose other case a single-byte encoding lacks stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, whose bytes are read as they are.
    Utf8,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// One byte per character, such as windows-1252.
    Table(Arc<CodePage>),
    /// One or two bytes per character, sometimes three or four, such as Shift_JIS. It is read and not written: no built-in model
    /// restores the languages that use it.
    Double(DoubleByte),
}

/// A single-byte encoding: the character of each byte, and the byte of each character.
#[derive(Debug, PartialEq, Eq)]
pub struct CodePage {
    name: &'static str,
    chars: [Option<char>; 256],
    /// Sorted by character; includes letters that the encoding
    /// lacks, with the byte of their other case.
    bytes: Vec<(char, u8)>,
}

impl Encoding {
    /// Returns the encoding that a byte-order mark indicates.
    pub(super) fn of_mark(head: &[u8]) -> Option<Self> {
        match head {
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ if head.starts_with(super::BOM) => Some(Self::Utf8),
            _ => None,
        }
    }

    /// Returns the name of the encoding on the web.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le | Self::Utf16Be => "UTF-16",
            Self::Table(table) => table.name,
            Self::Double(encoding) => encoding.name(),
        }
    }

    fn is_utf16(&self) -> bool {
        matches!(self, Self::Utf16Le | Self::Utf16Be)
    }

    /// Returns the double-byte encoding, if it is one.
    fn double(&self) -> Option<DoubleByte> {
        match self {
            Self::Double(double) => Some(*double),
            _ => None,
        }
    }

    /// Returns the first character of `bytes` and its length in bytes, or the length of an invalid sequence as the
    /// error; `None` if more bytes are needed.
    fn first(&self, bytes: &[u8]) -> Option<Result<(char, usize), usize>> {
        let unit = |at: usize| {
            let pair = [*bytes.get(at)?, *bytes.get(at + 1)?];
            Some(if *self == Self::Utf16Be { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
        };
        if let Self::Table(table) = self {
            return bytes.first().map(|&b| table.chars[b as usize].map(|c| (c, 1)).ok_or(1));
        }
        let high = unit(0)?;
        let units = match high {
            0xd800..0xdc00 => vec![high, unit(2)?],
            _ => vec![high],
        };
        let c = char::decode_utf16(units).next()?;
        Some(c.map(|c| (c, 2 * c.len_utf16())).map_err(|_| 2))
    }

    /// Appends the bytes of a character; returns false if the encoding lacks it.
    fn push(&self, c: char, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Utf8 => out.extend(c.encode_utf8(&mut [0; 4]).bytes()),
            Self::Utf16Le => {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.extend(unit.to_le_bytes()))
            }
            Self::Utf16Be => {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.extend(unit.to_be_bytes()))
            }
            Self::Table(table) => match table.bytes.binary_search_by_key(&c, |&(c, _)| c) {
                Ok(at) => out.push(table.bytes[at].1),
                Err(_) => return false,
            },
            Self::Double(_) if c.is_ascii() => out.push(c as u8),
            Self::Double(_) => return false,
        }
        true
    }
}

impl CodePage {
    fn new(name: &'static str, chars: [Option<char>; 256]) -> Self {
        let mut bytes: Vec<(char, u8)> = (0..=255).filter_map(|b| Some((chars[b as usize]?, b))).collect();
        bytes.sort_unstable();
        let own = bytes.clone();
        let lacks = |c: char| own.binary_search_by_key(&c, |&(c, _)| c).is_err();
        for &(c, b) in &own {
            let mut add = |other: char| {
                if lacks(other) && bytes.iter().all(|&(c, _)| c != other) {
                    bytes.push((other, b));
                }
            };
            other_cases(c).for_each(&mut add);
        }
        bytes.sort_unstable();
        Self { name, chars, bytes }
    }
}

/// Returns the other cases of a letter that are single letters, including the Turkish letters and the final sigma.
fn other_cases(c: char) -> impl Iterator<Item = char> {
    let special = match c {
        'i' => Some('İ'),
        'I' => Some('ı'),
        'Σ' => Some('ς'),
        _ => None,
    };
    let (upper, lower) = (c.to_uppercase(), c.to_lowercase());
    let one = (upper.len() == 1).then_some(upper).into_iter().flatten();
    let other = (lower.len() == 1).then_some(lower).into_iter().flatten();
    one.chain(other).chain(special).filter(move |&other| other != c)
}

impl FromStr for Encoding {
    type Err = String;

    /// Parses any name of the WHATWG Encoding Standard, and a few others.
    fn from_str(name: &str) -> Result<Self, String> {
        match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => Ok(Self::Utf8),
            "utf-16" | "utf-16le" => Ok(Self::Utf16Le),
            "utf-16be" => Ok(Self::Utf16Be),
            name => dos(name).map_or_else(|| table(name), Ok),
        }
    }
}

/// The code pages of DOS, which are not in the WHATWG standard: their names, and the characters of their upper halves.
const DOS: [(&str, &str); 3] = [
    (
        "cp437",
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}",
    ),
    (
        "cp850",
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
     └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
    ),
    (
        "cp852",
        "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
     └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}",
    ),
];

/// Returns the code page of DOS with a name such as `cp437`, `ibm437` or `437`.
fn dos(name: &str) -> Option<Encoding> {
    let number = ["cp", "ibm-", "ibm"].iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
    let (name, upper) = DOS.iter().find(|(dos, _)| dos.strip_prefix("cp") == Some(number))?;
    let ascii = (0..128).map(|b| Some(char::from(b)));
    let mut chars = [None; 256];
    chars.iter_mut().zip(ascii.chain(upper.chars().map(Some))).for_each(|(to, from)| *to = from);
    Some(Encoding::Table(Arc::new(CodePage::new(name, chars))))
}

/// Returns the name in the standard for a common name that the standard lacks.
#[cfg(feature = "encodings")]
fn web_name(name: &str) -> String {
    match name {
        "mac-roman" | "macroman" | "mac_roman" => "macintosh".to_owned(),
        "latin-9" | "latin9" => "iso-8859-15".to_owned(),
        "latin-10" | "latin10" => "iso-8859-16".to_owned(),
        "cp932" => "shift_jis".to_owned(),
        "cp936" => "gbk".to_owned(),
        "cp949" | "uhc" => "euc-kr".to_owned(),
        "cp950" => "big5".to_owned(),
        _ => match name.strip_prefix("latin-").or_else(|| name.strip_prefix("latin_")) {
            Some(number) => format!("latin{number}"),
            None => name.replace(' ', "-"),
        },
    }
}

#[cfg(feature = "encodings")]
fn table(name: &str) -> Result<Encoding, String> {
    let Some(found) = encoding_rs::Encoding::for_label(web_name(name).as_bytes()) else {
        return Err("expected the name of an encoding: utf-8, utf-16le, utf-16be, windows-1250 to windows-1258, windows-874, \
                    iso-8859-1 to iso-8859-16 (latin-1, …), koi8-r, koi8-u, macintosh (mac-roman), x-mac-cyrillic, ibm866, cp437, \
                    cp850, cp852, shift_jis, euc-jp, gbk, gb18030, big5 or euc-kr"
            .to_owned());
    };
    if let Some(double) = DoubleByte::new(found) {
        return Ok(Encoding::Double(double));
    }
    if !found.is_single_byte() || found == encoding_rs::X_USER_DEFINED {
        return Err(format!(
            "{} is not supported: convert the file to UTF-8 first (iconv does)",
            found.name()
        ));
    }
    let mut chars = [None; 256];
    for b in 0..=255 {
        let mut decoded = [0; 4];
        let mut decoder = found.new_decoder_without_bom_handling();
        let (_, _, len) = decoder.decode_to_utf8_without_replacement(&[b], &mut decoded, true);
        chars[b as usize] = str::from_utf8(&decoded[..len]).ok().and_then(|text| text.chars().next());
    }
    Ok(Encoding::Table(Arc::new(CodePage::new(found.name(), chars))))
}

#[cfg(not(feature = "encodings"))]
fn table(_: &str) -> Result<Encoding, String> {
    Err("expected utf-8, utf-16le or utf-16be: others need a build with --features encodings".to_owned())
}

/// A line and a column, counted from 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextPlace {
    pub(super) line: u64,
    pub(super) column: u64,
}

impl TextPlace {
    const START: Self = Self { line: 1, column: 1 };

    /// Moves past a character.
    fn pass(&mut self, c: char) {
        *self = match c {
            '\n' => Self { line: self.line + 1, column: 1 },
            _ => Self { column: self.column + 1, ..*self },
        };
    }

    /// Moves past a text.
    fn pass_all(&mut self, text: &[u8]) {
        let breaks = text.iter().filter(|&&b| b == b'\n').count() as u64;
        let last = text.iter().rposition(|&b| b == b'\n').map_or(text, |at| &text[at + 1..]);
        let chars = last.iter().filter(|&&b| b & 0xc0 != 0x80).count() as u64;
        self.line += breaks;
        self.column = if breaks == 0 { self.column + chars } else { 1 + chars };
    }

    /// Returns the error for a problem at the position.
    fn uncoded(self, problem: String) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, Uncoded { place: self, problem })
    }
}

/// An error of decoding or encoding at a position.
#[derive(Debug)]
pub(super) struct Uncoded {
    pub(super) place: TextPlace,
    pub(super) problem: String,
}

impl std::fmt::Display for Uncoded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Uncoded {}

/// Decodes the next bytes in a double-byte encoding up to the first invalid ones, and appends the text; the second
/// argument is true at the end of the text. The error is the number of bytes read, and of these the number of invalid
/// bytes and the number of bytes after the invalid bytes. An incomplete character is kept for the next call.
pub(super) type DoubleByteDecoder =
    Box<dyn FnMut(&[u8], bool, &mut Vec<u8>) -> Result<(), (usize, [usize; 2])> + Send>;

/// A reader that decodes a text to UTF-8.
pub(super) struct Decoder<R> {
    source: R,
    encoding: Encoding,
    /// The character that replaces invalid bytes; without it they are an error.
    stand_in: Option<char>,
    kept: Sender<Vec<u8>>,
    is_utf8: Arc<OnceLock<bool>>,
    /// The state of a double-byte encoding.
    double: Option<DoubleByteDecoder>,
    /// The bytes that are not yet decoded, followed by the decoded text, of which the first `given`
    /// bytes are already returned.
    bytes: Vec<u8>,
    text: Vec<u8>,
    given: usize,
    ended: bool,
    /// The position of the next character.
    place: TextPlace,
}

/// A writer that encodes a decoded text in its own encoding again.
#[derive(Debug)]
pub struct TextEncoder {
    encoding: Encoding,
    stand_in: Option<char>,
    kept: Receiver<Vec<u8>>,
    /// True if a text for which another encoding is named turns out to be UTF-8.
    is_utf8: Arc<OnceLock<bool>>,
    /// The largest number of bytes that wait until the encoding of the text is known.
    held: usize,
    /// True if all characters written are ASCII.
    is_ascii: bool,
    /// The position of the next character.
    place: TextPlace,
    /// The beginning of an incomplete character.
    cut: Vec<u8>,
}

/// The largest number of bytes of output that wait for the first letter that distinguishes UTF-8 from the
/// named encoding.
const HELD: usize = 1 << 20;

/// The number of bytes per read.
const READ: usize = 1 << 16;

/// The largest number of bytes examined to detect UTF-8, from the first byte that is not ASCII to the end of its
/// line.
const TELLING: usize = 1 << 16;

/// Returns the decoder and encoder of a text. `stand_in` is a character that replaces invalid bytes and is turned
/// back into them; without it, invalid bytes are an error. If the encoding is `named` by the user, a text that turns
/// out to be UTF-8 is read as UTF-8: the line of the first byte beyond ASCII decides, since such a line in another
/// encoding is almost never valid UTF-8.
pub(super) fn ends<R: Read>(
    source: R,
    encoding: Encoding,
    named: bool,
    stand_in: Option<char>,
) -> (Decoder<R>, TextEncoder) {
    let (sender, receiver) = mpsc::channel();
    let is_utf8 = Arc::new(if named { OnceLock::new() } else { false.into() });
    let encoder = TextEncoder {
        encoding: encoding.clone(),
        stand_in,
        kept: receiver,
        is_utf8: is_utf8.clone(),
        held: HELD,
        is_ascii: true,
        place: TextPlace::START,
        cut: Vec::new(),
    };
    let decoder = Decoder {
        source,
        double: encoding.double().map(DoubleByte::decoder),
        encoding,
        stand_in,
        kept: sender,
        is_utf8,
        bytes: Vec::new(),
        text: Vec::new(),
        given: 0,
        ended: false,
        place: TextPlace::START,
    };
    (decoder, encoder)
}

impl<R: Read> Decoder<R> {
    /// Decodes all bytes read so far.
    fn decode(&mut self) -> io::Result<()> {
        if self.is_utf8.get().is_none() && !self.tell()? {
            return Ok(());
        }
        if self.is_utf8.get() == Some(&true) {
            return self.pass();
        }
        let all = self.bytes.len();
        self.decode_to(all)
    }

    /// Detects UTF-8, and decodes the text before the deciding
    /// position; returns false if more bytes are needed.
    fn tell(&mut self) -> io::Result<bool> {
        let is_wide = self.encoding.is_utf16();
        if !is_wide {
            // ASCII is the same in both encodings.
            let ascii = self.bytes.iter().position(|b| !b.is_ascii()).unwrap_or(self.bytes.len());
            self.decode_to(ascii)?;
        }
        let line_end = self.bytes.iter().position(|&b| b == b'\n').filter(|_| !is_wide);
        let end = line_end.unwrap_or(self.bytes.len().min(TELLING));
        let has_all = line_end.is_some() || end == TELLING || self.ended;
        let judged = &self.bytes[..end];
        // Short lines in a double-byte encoding may be valid UTF-8, but hardly with a character of
        // three bytes, as nearly all lines of UTF-8 in the languages of these encodings have.
        let is_short = self.encoding.double().is_some() && judged.iter().all(|&b| b < 0xe0);
        // UTF-16 has zero bytes in any text with blanks.
        let is_other = is_wide && judged.contains(&0) || is_short && has_all;
        let is_utf8 = !is_other
            && match str::from_utf8(judged) {
                Ok(_) => true,
                // The rest of a letter may follow, but not across the end of a line or of the text.
                Err(error) => {
                    let is_whole = line_end.is_some() || self.ended && end == self.bytes.len();
                    error.error_len().is_none() && !is_whole
                }
            };
        if judged.is_empty() || is_utf8 && !has_all {
            return Ok(false);
        }
        let _ = self.is_utf8.set(is_utf8 && !judged.is_ascii());
        Ok(true)
    }

    /// Passes on text that is UTF-8.
    fn pass(&mut self) -> io::Result<()> {
        let is_end = self.ended;
        let valid = match str::from_utf8(&self.bytes) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() && !is_end => error.valid_up_to(),
            // The reader of the text handles invalid bytes.
            Err(_) if self.stand_in.is_some() => self.bytes.len(),
            Err(error) => {
                let (valid, rest) = self.bytes.split_at(error.valid_up_to());
                self.place.pass_all(valid);
                let problem = format!(
                    "found 0x{:02x}, which is not UTF-8, unlike the text before it: write the whole file in one encoding (iconv \
                     does), or pass such bytes through with {}",
                    rest[0],
                    option("lossy")
                );
                return Err(self.place.uncoded(problem));
            }
        };
        self.place.pass_all(&self.bytes[..valid]);
        self.text.extend(self.bytes.drain(..valid));
        Ok(())
    }

    /// Decodes the first `end` bytes.
    fn decode_to(&mut self, end: usize) -> io::Result<()> {
        if let Some(decoder) = self.double.take() {
            return self.decode_double(decoder, end);
        }
        let mut at = 0;
        while at < end {
            let (c, len) = match self.encoding.first(&self.bytes[at..]) {
                Some(Ok(found)) => found,
                None if !self.ended => break,
                None => (self.odd(&self.bytes[at..])?, self.bytes.len() - at),
                Some(Err(len)) => (self.odd(&self.bytes[at..at + len])?, len),
            };
            self.text.extend(c.encode_utf8(&mut [0; 4]).bytes());
            if Some(c) == self.stand_in {
                // Without an encoder, nobody receives these bytes.
                let _ = self.kept.send(self.bytes[at..at + len].to_vec());
            }
            at += len;
            self.place.pass(c);
        }
        self.bytes.drain(..at);
        Ok(())
    }

    /// Decodes the first `end` bytes of a double-byte encoding. The last character may continue in later bytes.
    fn decode_double(&mut self, mut decoder: DoubleByteDecoder, end: usize) -> io::Result<()> {
        let is_last = self.ended && end == self.bytes.len();
        let mut at = 0;
        loop {
            let from = self.text.len();
            let decoded = decoder(&self.bytes[at..end], is_last, &mut self.text);
            self.place.pass_all(&self.text[from..]);
            let Err((read, [invalid, later])) = decoded else { break };
            at += read;
            // The first of the invalid bytes may have been passed to the decoder in an earlier call.
            let c = self.odd(&self.bytes[at.saturating_sub(invalid + later)..at - later])?;
            self.text.extend(c.encode_utf8(&mut [0; 4]).bytes());
            self.place.pass(c);
        }
        self.bytes.drain(..end);
        self.double = Some(decoder);
        Ok(())
    }

    /// Returns the stand-in for invalid bytes.
    fn odd(&self, bytes: &[u8]) -> io::Result<char> {
        let Some(stand_in) = self.stand_in else {
            let shown: Vec<String> = bytes.iter().map(|b| format!("0x{b:02x}")).collect();
            let shown =
                if shown.is_empty() { "the start of a character".to_owned() } else { shown.join(" ") };
            let problem = format!(
                "found {shown}, which is not a character in {}: name the right {}",
                self.encoding.name(),
                option("encoding")
            );
            return Err(self.place.uncoded(problem));
        };
        Ok(stand_in)
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() && !self.ended {
            self.text.clear();
            self.given = 0;
            let len = self.bytes.len();
            self.bytes.resize(len + READ, 0);
            let read = self.source.read(&mut self.bytes[len..]);
            self.bytes.truncate(len + read.as_ref().unwrap_or(&0));
            self.ended = read? == 0;
            self.decode()?;
        }
        let len = out.len().min(self.text.len() - self.given);
        out[..len].copy_from_slice(&self.text[self.given..self.given + len]);
        self.given += len;
        Ok(len)
    }
}

impl TextEncoder {
    /// Returns an encoder for a text that was read without decoding.
    pub(super) fn none() -> Self {
        ends(io::empty(), Encoding::Utf8, false, None).1
    }

    /// Makes the encoder write all text at once, as live text requires, in the named encoding until UTF-8 is
    /// detected.
    pub fn at_once(self) -> Self {
        Self { held: 0, ..self }
    }

    /// Returns the encoding of the text, as detected so far.
    pub fn encoding(&self) -> &Encoding {
        match self.is_utf8.get() {
            Some(true) => &Encoding::Utf8,
            _ => &self.encoding,
        }
    }

    /// Writes the next part of the text to `out`; a character may be split between parts.
    ///
    /// # Errors
    /// Returns the errors of `out`, and an error for a character that the encoding lacks, unless it is the
    /// other case of a character that the encoding has.
    pub fn write(&mut self, text: &[u8], out: &mut dyn Write) -> io::Result<()> {
        if self.encoding == Encoding::Utf8 {
            return out.write_all(text);
        }
        self.cut.extend_from_slice(text);
        let valid = match str::from_utf8(&self.cut) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let len = match self.is_utf8.get() {
            // Letters and marks that are inserted before the deciding position are UTF-8 as well.
            Some(true) => return self.pass(out),
            Some(false) => valid,
            // ASCII is the same in both encodings; the rest waits for the deciding position.
            None => match self.cut[..valid].iter().position(|b| !b.is_ascii()) {
                Some(at) if valid - at <= self.held => at,
                _ => valid,
            },
        };
        let rest = self.cut.split_off(len);
        let whole = std::mem::replace(&mut self.cut, rest);
        let text = String::from_utf8_lossy(&whole);
        let mut bytes = Vec::with_capacity(2 * len);
        for c in text.chars() {
            self.encode(c, &mut bytes)?;
            self.is_ascii &= c.is_ascii();
            self.place.pass(c);
        }
        out.write_all(&bytes)
    }

    /// Writes the output that was held back because the encoding of the text was not yet known, at the end
    /// of the text.
    ///
    /// # Errors
    /// The errors of [`TextEncoder::write`].
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let _ = self.is_utf8.set(false);
        self.write(b"", out)
    }

    /// Appends the bytes of a character.
    fn encode(&mut self, c: char, bytes: &mut Vec<u8>) -> io::Result<()> {
        let kept = if Some(c) == self.stand_in { self.kept.try_recv().ok() } else { None };
        let is_written = match kept {
            Some(kept) => {
                bytes.extend(kept);
                true
            }
            None => self.encoding.push(c, bytes),
        };
        if is_written {
            return Ok(());
        }
        let is_double = self.encoding.double().is_some();
        if let Some(plain) = plain_mark(c).filter(|_| !is_double) {
            return plain.chars().try_for_each(|c| self.encode(c, bytes));
        }
        let name = self.encoding.name();
        let problem = match is_double {
            false => format!("{c:?} is not a character in {name}"),
            true => format!("{name} is read, but not written: convert the file to UTF-8 first (iconv does)"),
        };
        Err(self.place.uncoded(problem))
    }

    /// Writes text that is UTF-8.
    fn pass(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !self.is_ascii && !self.cut.is_empty() {
            // A letter or a mark was inserted too long before the first letter that decides.
            let problem = format!(
                "the text turned out to be UTF-8 after capitals or punctuation were written in {}: leave {} out",
                self.encoding.name(),
                option("encoding")
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        out.write_all(&self.cut)?;
        self.cut.clear();
        Ok(())
    }
}

/// Returns the replacement for an inserted punctuation mark in encodings that lack the mark.
fn plain_mark(c: char) -> Option<&'static str> {
    Some(match c {
        '…' => "...",
        '–' => "-",
        '\u{202f}' => "\u{a0}",
        '\u{a0}' => " ",
        '\u{37e}' => ";",
        '¿' | '¡' => "",
        _ => return None,
    })
}

/// Finds the first text in a 7-bit encoding, which looks like UTF-8; returns its position and the name of
/// the encoding.
pub fn seven_bit(source: &[u8]) -> Option<(usize, &'static str)> {
    // Most text has neither of these bytes, and the search examines many bytes at a time.
    if ![0x1b, b'~'].iter().any(|sign| source.contains(sign)) {
        return None;
    }
    let position = |first: u8| source.iter().position(move |&b| b == first);
    // The text may have lost its case, or may get it back.
    let shift = |at: &usize| {
        matches!(source[*at..], [0x1b, b'$', b'@' | b'A' | b'B' | b'a' | b'b' | b'(' | b')', ..])
    };
    if let Some(from) = position(0x1b)
        && let Some(at) = (from..source.len()).find(shift)
    {
        return Some((at, "ISO-2022, an encoding of Japanese, Korean or Chinese"));
    }
    let from = position(b'~')?;
    let begins = |at: usize| {
        let rest = source[at..].strip_prefix(b"~{")?;
        let end = rest.windows(2).position(|pair| pair == b"~}")?;
        let (pairs, odd) = rest[..end].as_chunks::<2>();
        let is_text = !pairs.is_empty() && odd.is_empty() && pairs.iter().all(is_in_gb2312);
        is_text.then_some((at, "HZ, an encoding of Chinese"))
    };
    (from..source.len()).filter(|&at| source[at] == b'~').take(MOST_TILDES).find_map(begins)
}

/// Returns true if two bytes are the code of a character of GB 2312, or become one in the other case. The rows 1 to 9
/// and 16 to 87 of GB 2312 have characters.
fn is_in_gb2312(&[row, cell]: &[u8; 2]) -> bool {
    let is_row = |row: u8| matches!(row, 0x21..=0x29 | 0x30..=0x77);
    (is_row(row) || is_row(row.to_ascii_uppercase())) && (0x21..=0x7e).contains(&cell)
}

/// The largest number of tildes examined.
const MOST_TILDES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    use proptest::prelude::*;

    /// The decoded text, and the bytes of the result of `change`.
    fn there_and_back(
        bytes: &[u8],
        encoding: Encoding,
        change: impl Fn(&str) -> String,
    ) -> (String, Vec<u8>) {
        let (mut decoder, mut encoder) = ends(Cursor::new(bytes.to_vec()), encoding, false, Some('\u{1a}'));
        let (mut text, mut written) = (String::new(), Vec::new());
        decoder.read_to_string(&mut text).unwrap();
        // A byte at a time, so that characters are split.
        change(&text).bytes().for_each(|b| encoder.write(&[b], &mut written).unwrap());
        assert!(encoder.cut.is_empty());
        (text, written)
    }

    fn encoding(name: &str) -> Encoding {
        name.parse().unwrap()
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0x1a), Just(0xd8)], 0..40)) {
            for name in ["utf-16le", "utf-16be"] {
                prop_assert_eq!(&there_and_back(&bytes, encoding(name), str::to_owned).1, &bytes);
            }
        }
    }

    #[test]
    fn utf_16_is_read_in_both_orders() {
        let text = "\u{feff}Olá 𐐨\r\n";
        for (name, bytes) in [
            ("utf-16le", text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
            ("utf-16be", text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ] {
            assert_eq!(Encoding::of_mark(&bytes), Some(encoding(name)));
            assert_eq!(there_and_back(&bytes, encoding(name), str::to_owned), (text.to_owned(), bytes));
        }
    }

    #[cfg(feature = "encodings")]
    mod tables {
        use super::*;
        use crate::files::Dribble;

        /// The encoding in which a text is read if one is named, and the bytes of the text in capitals.
        fn named(bytes: &[u8], name: &str, part: usize) -> io::Result<(&'static str, Vec<u8>)> {
            let (mut decoder, mut encoder) = ends(Dribble::new(bytes, part), encoding(name), true, None);
            let (mut text, mut written) = (String::new(), Vec::new());
            decoder.read_to_string(&mut text)?;
            let capitals = text.to_uppercase();
            for part in capitals.as_bytes().chunks(part) {
                encoder.write(part, &mut written)?;
            }
            Ok((encoder.encoding().name(), written))
        }

        #[test]
        fn a_text_that_is_in_utf8_is_read_as_that_whatever_is_named() {
            let late = "told us. ".repeat(8_000);
            for part in [1, 4999, usize::MAX] {
                for (text, name, read) in [
                    ("são tomé".as_bytes().to_vec(), "windows-1252", "UTF-8"),
                    (format!("{late}são tomé\n{late}").into_bytes(), "windows-1252", "UTF-8"),
                    (
                        [late.as_bytes(), b"s\xe3o tom\xe9\n", late.as_bytes()].concat(),
                        "windows-1252",
                        "windows-1252",
                    ),
                    (late.clone().into_bytes(), "windows-1252", "windows-1252"),
                    // Letters that alone would be valid UTF-8: the rest of the line decides.
                    (b"\xd0\xb3\xea 1991\n".to_vec(), "windows-1251", "windows-1251"),
                    ("в 1991 году".as_bytes().to_vec(), "koi8-r", "UTF-8"),
                    ("são tomé".as_bytes().to_vec(), "utf-16le", "UTF-8"),
                    ("us são".encode_utf16().flat_map(u16::to_le_bytes).collect(), "utf-16le", "UTF-16"),
                    (format!("é{}", "é".repeat(TELLING)).into_bytes(), "windows-1252", "UTF-8"),
                ] {
                    if part == 1 && text.len() > 1000 {
                        continue;
                    }
                    let (found, written) = named(&text, name, part).unwrap();
                    assert_eq!(found, read, "{name} {part}");
                    let capitals = match read {
                        "UTF-8" => String::from_utf8(text).unwrap().to_uppercase().into_bytes(),
                        _ => there_and_back(&text, encoding(name), str::to_uppercase).1,
                    };
                    assert!(written == capitals, "{name} {part}");
                }
            }
        }

        #[test]
        fn two_encodings_are_never_written_into_one_text() {
            let error = named(b"one\ns\xc3\xa3o\ntom\xe9\n", "windows-1252", 4).unwrap_err();
            let found = error.get_ref().unwrap().downcast_ref::<Uncoded>().unwrap();
            assert_eq!((found.place.line, found.place.column), (3, 4));
            assert!(found.problem.starts_with("found 0xe9, which is not UTF-8, unlike the text before it"));
            // A capital beyond ASCII may be inserted before the first letter that decides.
            let turkish = |bytes: &[u8]| {
                let (mut decoder, mut encoder) =
                    ends(Cursor::new(bytes.to_vec()), encoding("windows-1254"), true, None);
                let (mut text, mut written) = (String::new(), Vec::new());
                decoder.read_to_string(&mut text)?;
                let text = text.replacen('i', "İ", 1);
                text.bytes().try_for_each(|b| encoder.write(&[b], &mut written))?;
                encoder.finish(&mut written).map(|()| written)
            };
            assert_eq!(turkish(b"izmir\n\xfd").unwrap(), b"\xddzmir\n\xfd");
            assert_eq!(turkish(b"izmir\n").unwrap(), b"\xddzmir\n");
            assert_eq!(turkish("izmir\nığdır".as_bytes()).unwrap(), "İzmir\nığdır".as_bytes());
        }

        #[test]
        fn what_is_put_in_before_the_first_letter_that_decides_waits_for_it() {
            for (ending, name) in [("es la señora\n", "UTF-8"), ("es la senora\n", "windows-1252")] {
                let source = Dribble::new(ending.as_bytes(), 1);
                let (mut decoder, mut encoder) = ends(source, encoding("windows-1252"), true, None);
                let mut written = Vec::new();
                encoder.write("so, ¿quién ".as_bytes(), &mut written).unwrap();
                assert_eq!(written, b"so, ");
                let mut text = String::new();
                decoder.read_to_string(&mut text).unwrap();
                encoder.write(text.as_bytes(), &mut written).unwrap();
                encoder.finish(&mut written).unwrap();
                assert_eq!(encoder.encoding().name(), name);
                let expected = format!("so, ¿quién {ending}");
                match name {
                    "UTF-8" => assert_eq!(written, expected.as_bytes()),
                    _ => assert_eq!(written.len(), expected.chars().count()),
                }
            }
        }

        #[test]
        fn every_byte_of_every_encoding_comes_back() {
            let mut tables = 0;
            for name in [
                "windows-1250",
                "windows-1251",
                "windows-1252",
                "windows-1253",
                "windows-1254",
                "windows-1255",
                "windows-1256",
                "windows-1257",
                "windows-1258",
                "windows-874",
                "iso-8859-2",
                "iso-8859-3",
                "iso-8859-4",
                "iso-8859-5",
                "iso-8859-6",
                "iso-8859-7",
                "iso-8859-8",
                "iso-8859-10",
                "iso-8859-13",
                "iso-8859-14",
                "iso-8859-15",
                "iso-8859-16",
                "koi8-r",
                "koi8-u",
                "macintosh",
                "x-mac-cyrillic",
                "ibm866",
                "latin1",
                "us-ascii",
                "cp437",
                "IBM850",
                "852",
                "mac-roman",
                "latin-1",
                "latin-9",
            ] {
                let all: Vec<u8> = (0..=255).collect();
                let (text, bytes) = there_and_back(&all, encoding(name), str::to_owned);
                assert!(bytes == all && text.chars().count() == 256, "{name}");
                // Capitals that the encoding lacks stay lower-case, and the other way round.
                let upper = |text: &str| {
                    text.chars()
                        .flat_map(|c| {
                            Some(c.to_uppercase()).filter(|u| u.len() == 1).map_or(vec![c], Iterator::collect)
                        })
                        .collect()
                };
                assert_eq!(there_and_back(&all, encoding(name), upper).1.len(), 256, "{name}");
                tables += 1;
            }
            assert_eq!(tables, 35);
            let (text, bytes) =
                there_and_back(b"\x87\xa4\xe1", encoding("cp850"), |text| text.to_uppercase());
            assert_eq!((text.as_str(), bytes.as_slice()), ("çñß", &b"\x80\xa5SS"[..]));
            let (text, bytes) =
                there_and_back(b"caf\xe9 \xff \xb5", encoding("windows-1252"), |text| text.to_uppercase());
            assert_eq!((text.as_str(), bytes.as_slice()), ("café ÿ µ", &b"CAF\xc9 \x9f \xb5"[..]));
        }

        #[test]
        fn what_is_no_character_is_named() {
            let (mut decoder, _) = ends(Cursor::new(b"ab\nc\xd2"), encoding("windows-1253"), false, None);
            let error = decoder.read_to_string(&mut String::new()).unwrap_err();
            let found = error.get_ref().unwrap().downcast_ref::<Uncoded>().unwrap();
            assert_eq!((found.place.line, found.place.column), (2, 2));
            assert!(
                found.problem.starts_with("found 0xd2, which is not a character in windows-1253"),
                "{}",
                found.problem
            );
            assert!("klingon".parse::<Encoding>().unwrap_err().contains("koi8-u, macintosh"));
            for (name, start) in [
                ("klingon", "expected the name of"),
                ("iso-2022-jp", "ISO-2022-JP is not supported"),
                ("x-user-defined", "x-user-defined is not supported"),
            ] {
                assert!(name.parse::<Encoding>().unwrap_err().starts_with(start));
            }
        }

        #[test]
        fn double_byte_encodings_are_read_and_not_written() {
            let written = "bbc 日本 ａλя\nso";
            for name in ["shift_jis", "gbk", "gb18030", "big5", "euc-jp", "euc-kr"] {
                let Encoding::Double(own) = encoding(name) else { panic!("{name}") };
                let bytes = own.encoded(written);
                for part in [1, usize::MAX] {
                    let (mut decoder, mut encoder) =
                        ends(Dribble::new(&bytes, part), encoding(name), true, None);
                    let mut text = String::new();
                    decoder.read_to_string(&mut text).unwrap();
                    assert_eq!(text, written, "{name}");
                    let error = encoder.write(text.as_bytes(), &mut Vec::new()).unwrap_err();
                    let found = error.get_ref().unwrap().downcast_ref::<Uncoded>().unwrap();
                    assert_eq!((found.place.line, found.place.column), (1, 5));
                    assert!(
                        found.problem.ends_with(
                            "is read, but not written: convert the file to UTF-8 first (iconv does)"
                        )
                    );
                }
                assert_eq!(named(b"so we\n", name, 2).unwrap().1, b"SO WE\n");
            }
        }

        #[test]
        fn invalid_bytes_are_named_with_their_position() {
            for (name, text, found) in [
                (
                    "shift_jis",
                    &b"ab\n\x82\xa0\x81"[..],
                    "found the start of a character, which is not a character in Shift_JIS",
                ),
                ("shift_jis", b"ab\n\x82\xa0\xff", "found 0xff, which is not a character in Shift_JIS"),
                ("gbk", b"ab\n\xb0\xa1\xff", "found 0xff, which is not a character in GBK"),
            ] {
                let (mut decoder, _) = ends(Cursor::new(text), encoding(name), false, None);
                let error = decoder.read_to_string(&mut String::new()).unwrap_err();
                let found_at = error.get_ref().unwrap().downcast_ref::<Uncoded>().unwrap();
                assert_eq!((found_at.place.line, found_at.place.column), (2, 2));
                assert!(found_at.problem.starts_with(found), "{}", found_at.problem);
                assert_eq!(
                    there_and_back(text, encoding(name), |_| String::new()).0,
                    "ab\nあ\u{1a}".replace('あ', if name == "gbk" { "啊" } else { "あ" })
                );
            }
        }

        #[test]
        fn utf8_shows_by_a_character_of_three_bytes() {
            for (text, name, read) in [
                ("bbc 日本\n".as_bytes(), "shift_jis", Some("UTF-8")),
                ("서울 bbc".as_bytes(), "euc-kr", Some("UTF-8")),
                // Valid UTF-8 too, of two bytes each.
                (b"\xc2\xb7\xcf\xdf\n", "gbk", None),
                (b"\xc4\xa3 bbc\n", "gbk", None),
                (b"\xc4\xa3", "euc-kr", None),
            ] {
                for part in [1, 3, usize::MAX] {
                    let found = named(text, name, part).ok();
                    assert_eq!(found.as_ref().map(|(name, _)| *name), read, "{name} {part}");
                    assert!(found.is_none_or(|(_, written)| written.len() == text.len()));
                }
            }
        }
    }
}
