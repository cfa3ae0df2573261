//! Encodings other than UTF-8: text is decoded to UTF-8, and written back in its own encoding.

use std::io::{self, Read, Write};
use std::str::FromStr;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};

use crate::error::option;

/// The encoding of a text. Law: decoding and encoding again gives the same bytes, except for the
/// case of letters; a letter whose other case the encoding lacks stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, whose bytes are taken as they are.
    Utf8,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// One byte per character, such as windows-1252.
    Table(Arc<CodePage>),
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
    /// The encoding that a byte-order mark indicates.
    pub(super) fn of_mark(head: &[u8]) -> Option<Self> {
        match head {
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ if head.starts_with(super::BOM) => Some(Self::Utf8),
            _ => None,
        }
    }

    /// The name of the encoding on the web.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le | Self::Utf16Be => "UTF-16",
            Self::Table(table) => table.name,
        }
    }

    /// The first character of `bytes` and its length in bytes, or the length of an invalid sequence
    /// as the error; `None` if more bytes are needed.
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
            for mut others in [c.to_uppercase().collect::<Vec<_>>(), c.to_lowercase().collect()] {
                if others.len() == 1 {
                    others.drain(..).for_each(&mut add);
                }
            }
            // Turkish pairs.
            match c {
                'i' => add('İ'),
                'I' => add('ı'),
                _ => {}
            }
        }
        bytes.sort_unstable();
        Self { name, chars, bytes }
    }
}

impl FromStr for Encoding {
    type Err = String;

    /// Parses any name of the WHATWG Encoding Standard, and a few others.
    fn from_str(name: &str) -> Result<Self, String> {
        match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => Ok(Self::Utf8),
            "utf-16" | "utf-16le" => Ok(Self::Utf16Le),
            "utf-16be" => Ok(Self::Utf16Be),
            name => Dos::named(name).map_or_else(|| table(name), Ok),
        }
    }
}

/// A code page of DOS, which is not in the WHATWG standard:
/// its name, and the characters of its upper half.
struct Dos {
    name: &'static str,
    chars: &'static str,
}

const DOS: [Dos; 3] = [
    Dos {
        name: "cp437",
        chars: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}",
    },
    Dos {
        name: "cp850",
        chars: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
     └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
    },
    Dos {
        name: "cp852",
        chars: "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
     └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}",
    },
];

impl Dos {
    /// The code page with a name such as `cp437`, `ibm437` or `437`.
    fn named(name: &str) -> Option<Encoding> {
        let number = ["cp", "ibm-", "ibm"].iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
        let dos = DOS.iter().find(|dos| dos.name.strip_prefix("cp") == Some(number))?;
        let ascii = (0..128).map(|b| Some(char::from(b)));
        let mut chars = [None; 256];
        chars.iter_mut().zip(ascii.chain(dos.chars.chars().map(Some))).for_each(|(to, from)| *to = from);
        Some(Encoding::Table(Arc::new(CodePage::new(dos.name, chars))))
    }
}

/// The standard's name for names that people use and the standard lacks.
#[cfg(feature = "encodings")]
fn web_name(name: &str) -> String {
    match name {
        "mac-roman" | "macroman" | "mac_roman" => "macintosh".to_owned(),
        "latin-9" | "latin9" => "iso-8859-15".to_owned(),
        "latin-10" | "latin10" => "iso-8859-16".to_owned(),
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
                    cp850 or cp852"
            .to_owned());
    };
    if !found.is_single_byte() || found == encoding_rs::X_USER_DEFINED {
        return Err(format!(
            "{} has several bytes a character: convert the file to UTF-8 first (iconv does)",
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
    Err("expected utf-8, utf-16le or utf-16be: this build knows no others, --features encodings does"
        .to_owned())
}

/// An occurrence of the stand-in character in a decoded text.
#[derive(Debug)]
enum Odd {
    /// The stand-in occurs in the text itself.
    Own,
    Bytes(Vec<u8>),
}

/// A decoding error at a place, counted from 1.
#[derive(Debug)]
pub(super) struct Undecodable {
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) problem: String,
}

impl std::fmt::Display for Undecodable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Undecodable {}

/// The result of UTF-8 detection in a text for which another encoding is named: whether it is
/// UTF-8, and the number of characters before the deciding place, all of them ASCII.
#[derive(Debug, Clone, Copy)]
struct Told {
    before: u64,
    is_utf8: bool,
}

/// A reader that decodes a text to UTF-8.
pub(super) struct Decoder<R> {
    source: R,
    encoding: Encoding,
    /// The character that replaces invalid bytes; without it they are an error.
    stand_in: Option<char>,
    odd: Sender<Odd>,
    told: Arc<OnceLock<Told>>,
    /// The bytes that are not yet decoded, followed by the decoded text, of which the first `given`
    /// bytes are already returned.
    bytes: Vec<u8>,
    text: Vec<u8>,
    given: usize,
    ended: bool,
    /// The number of characters so far, in all and by line and column.
    chars: u64,
    line: u64,
    column: u64,
}

/// A writer that encodes a decoded text in its own encoding again.
#[derive(Debug)]
pub struct TextEncoder {
    encoding: Encoding,
    stand_in: Option<char>,
    odd: Receiver<Odd>,
    told: Arc<OnceLock<Told>>,
    /// The number of characters written, and whether all of them are ASCII.
    chars: u64,
    is_ascii: bool,
    /// The beginning of an incomplete character.
    cut: Vec<u8>,
}

/// The number of bytes per read.
const READ: usize = 1 << 16;

/// The most bytes examined to detect UTF-8, from the first byte
/// that is not ASCII: its line, or the first part of it.
const TELLING: usize = 1 << 16;

/// The decoder and encoder of a text. `stand_in` is a character that replaces invalid bytes and is
/// turned back into them; without it they are an error. If the encoding is `named` by the user, a
/// text that turns out to be UTF-8 is read as UTF-8: the line of the first byte beyond ASCII
/// decides, since such a line in another encoding is almost never valid UTF-8.
pub(super) fn ends<R: Read>(
    source: R,
    encoding: Encoding,
    named: bool,
    stand_in: Option<char>,
) -> (Decoder<R>, TextEncoder) {
    let (sender, receiver) = mpsc::channel();
    let told = Arc::new(match named {
        true => OnceLock::new(),
        false => Told { before: 0, is_utf8: false }.into(),
    });
    let encoder = TextEncoder {
        encoding: encoding.clone(),
        stand_in,
        odd: receiver,
        told: told.clone(),
        chars: 0,
        is_ascii: true,
        cut: Vec::new(),
    };
    let decoder = Decoder {
        source,
        encoding,
        stand_in,
        odd: sender,
        told,
        bytes: Vec::new(),
        text: Vec::new(),
        given: 0,
        ended: false,
        chars: 0,
        line: 1,
        column: 1,
    };
    (decoder, encoder)
}

impl<R: Read> Decoder<R> {
    /// Decodes all bytes read so far.
    fn decode(&mut self) -> io::Result<()> {
        if self.told.get().is_none() && !self.tell()? {
            return Ok(());
        }
        if self.told.get().is_some_and(|told| told.is_utf8) {
            return self.pass();
        }
        let all = self.bytes.len();
        self.decode_to(all)
    }

    /// Detects UTF-8, and decodes the text before the deciding
    /// place; returns false if more bytes are needed.
    fn tell(&mut self) -> io::Result<bool> {
        let is_wide = !matches!(self.encoding, Encoding::Table(_));
        if !is_wide {
            // ASCII is the same in both encodings.
            let ascii = self.bytes.iter().position(|b| !b.is_ascii()).unwrap_or(self.bytes.len());
            self.decode_to(ascii)?;
        }
        let line_end = self.bytes.iter().position(|&b| b == b'\n').filter(|_| !is_wide);
        let end = line_end.unwrap_or(self.bytes.len().min(TELLING));
        let has_all = line_end.is_some() || end == TELLING || self.ended;
        let judged = &self.bytes[..end];
        // UTF-16 has zero bytes in any text with blanks.
        let is_utf8 = !(is_wide && judged.contains(&0))
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
        let is_utf8 = is_utf8 && !judged.is_ascii();
        let _ = self.told.set(Told { before: self.chars, is_utf8 });
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
                let (line, column) = after(valid, (self.line, self.column));
                let problem = format!(
                    "found 0x{:02x}, which is not UTF-8 as the text before it is: write the whole file in one encoding (iconv \
                     does), or pass such bytes through with {}",
                    rest[0],
                    option("lossy")
                );
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    Undecodable { line, column, problem },
                ));
            }
        };
        (self.line, self.column) = after(&self.bytes[..valid], (self.line, self.column));
        self.text.extend(self.bytes.drain(..valid));
        Ok(())
    }

    /// Decodes the first `end` bytes.
    fn decode_to(&mut self, end: usize) -> io::Result<()> {
        let mut at = 0;
        while at < end {
            let (c, len) = match self.encoding.first(&self.bytes[at..]) {
                Some(Ok(found)) => found,
                None if !self.ended => break,
                None => (self.odd(at, self.bytes.len() - at)?, self.bytes.len() - at),
                Some(Err(len)) => (self.odd(at, len)?, len),
            };
            if Some(c) == self.stand_in && self.encoding.first(&self.bytes[at..]) == Some(Ok((c, len))) {
                // Without an encoder, nobody receives this.
                let _ = self.odd.send(Odd::Own);
            }
            self.text.extend(c.encode_utf8(&mut [0; 4]).bytes());
            at += len;
            self.chars += 1;
            (self.line, self.column) =
                if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.bytes.drain(..at);
        Ok(())
    }

    /// Replaces invalid bytes by the stand-in.
    fn odd(&self, at: usize, len: usize) -> io::Result<char> {
        let bytes = &self.bytes[at..at + len];
        let Some(stand_in) = self.stand_in else {
            let shown: Vec<String> = bytes.iter().map(|b| format!("0x{b:02x}")).collect();
            let problem = format!(
                "found {}, which is no character of {}: name the right {}",
                shown.join(" "),
                self.encoding.name(),
                option("encoding")
            );
            let undecodable = Undecodable { line: self.line, column: self.column, problem };
            return Err(io::Error::new(io::ErrorKind::InvalidData, undecodable));
        };
        let _ = self.odd.send(Odd::Bytes(bytes.to_vec()));
        Ok(stand_in)
    }
}

/// The line and column after a text that begins at the given ones.
fn after(text: &[u8], (line, column): (u64, u64)) -> (u64, u64) {
    let breaks = text.iter().filter(|&&b| b == b'\n').count() as u64;
    let last = text.iter().rposition(|&b| b == b'\n').map_or(text, |at| &text[at + 1..]);
    let chars = last.iter().filter(|&&b| b & 0xc0 != 0x80).count() as u64;
    (line + breaks, if breaks == 0 { column + chars } else { 1 + chars })
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
    /// An encoder for a text that was read as it is.
    pub(super) fn none() -> Self {
        ends(io::empty(), Encoding::Utf8, false, None).1
    }

    /// The encoding of the text, as far as it was read.
    pub fn encoding(&self) -> &Encoding {
        match self.told.get() {
            Some(told) if told.is_utf8 => &Encoding::Utf8,
            _ => &self.encoding,
        }
    }

    /// Writes the next part of the text to `out`; a character may be split between parts.
    ///
    /// # Errors
    /// Errors of `out`, and a character that the encoding
    /// lacks and that is no other case of one it has.
    pub fn write(&mut self, text: &[u8], out: &mut dyn Write) -> io::Result<()> {
        if self.encoding == Encoding::Utf8 {
            return out.write_all(text);
        }
        self.cut.extend_from_slice(text);
        let valid = match str::from_utf8(&self.cut) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let len = match self.told.get() {
            // The text before the deciding place is ASCII, except for capitals inserted there.
            Some(told) if told.is_utf8 => valid.min(self.end_of(told.before.saturating_sub(self.chars))),
            _ => valid,
        };
        let text = String::from_utf8_lossy(&self.cut[..len]);
        let mut bytes = Vec::with_capacity(2 * len);
        for c in text.chars() {
            self.chars += 1;
            self.is_ascii &= c.is_ascii();
            let odd = if Some(c) == self.stand_in { self.odd.try_recv().ok() } else { None };
            match odd {
                Some(Odd::Bytes(odd)) => bytes.extend(odd),
                _ if self.encoding.push(c, &mut bytes) => {}
                _ => {
                    let problem = format!("{c:?} is no character of {}", self.encoding.name());
                    return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
                }
            }
        }
        out.write_all(&bytes)?;
        self.cut.drain(..len);
        match self.told.get() {
            Some(told) if told.is_utf8 && self.chars >= told.before => self.pass(out),
            _ => Ok(()),
        }
    }

    /// The end of the first `chars` characters of the buffer, in bytes.
    fn end_of(&self, chars: u64) -> usize {
        let begins = self.cut.iter().enumerate().filter(|(_, b)| **b & 0xc0 != 0x80);
        begins.map(|(at, _)| at).nth(usize::try_from(chars).unwrap_or(usize::MAX)).unwrap_or(self.cut.len())
    }

    /// Writes text that is UTF-8.
    fn pass(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !self.is_ascii && !self.cut.is_empty() {
            // A Turkish capital was inserted before the first letter that decides.
            let problem = format!(
                "it shows to be in UTF-8 after capitals were written in {}: name no other encoding",
                self.encoding.name()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        out.write_all(&self.cut)?;
        self.cut.clear();
        Ok(())
    }
}

/// Finds the first place of a 7-bit encoding, which passes for UTF-8, with its name.
pub(crate) fn seven_bit(source: &[u8]) -> Option<(usize, &'static str)> {
    // Most text has neither: seen many bytes at a time.
    if ![0x1b, b'~'].iter().any(|sign| source.contains(sign)) {
        return None;
    }
    let place = |first: u8| source.iter().position(move |&b| b == first);
    let shift = |at: &usize| matches!(source[*at..], [0x1b, b'$', b'@' | b'A' | b'B' | b'(' | b')', ..]);
    if let Some(from) = place(0x1b)
        && let Some(at) = (from..source.len()).find(shift)
    {
        return Some((at, "ISO-2022, an encoding of Japanese, Korean or Chinese"));
    }
    let from = place(b'~')?;
    let begins = |at: usize| {
        let rest = source[at..].strip_prefix(b"~{")?;
        let end = rest.windows(2).position(|pair| pair == b"~}")?;
        let is_pairs = end > 0 && end % 2 == 0 && rest[..end].iter().all(|b| (0x21..=0x7e).contains(b));
        is_pairs.then_some((at, "HZ, an encoding of Chinese"))
    };
    (from..source.len()).filter(|&at| source[at] == b'~').take(MOST_TILDES).find_map(begins)
}

/// The most tildes examined.
const MOST_TILDES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    use proptest::prelude::*;

    /// The decoded text, and the bytes of what `change` makes of it.
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

    /// A reader that returns parts of a fixed length.
    struct Parts(Cursor<Vec<u8>>, usize);

    impl Read for Parts {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let len = out.len().min(self.1);
            self.0.read(&mut out[..len])
        }
    }

    /// The encoding in which a text is read if one is named, and the bytes of the text in capitals.
    fn named(bytes: &[u8], name: &str, part: usize) -> io::Result<(&'static str, Vec<u8>)> {
        let (mut decoder, mut encoder) =
            ends(Parts(Cursor::new(bytes.to_vec()), part), encoding(name), true, None);
        let (mut text, mut written) = (String::new(), Vec::new());
        decoder.read_to_string(&mut text)?;
        let capitals = text.to_uppercase();
        for part in capitals.as_bytes().chunks(part) {
            encoder.write(part, &mut written)?;
        }
        Ok((encoder.encoding().name(), written))
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
            let found = error.get_ref().unwrap().downcast_ref::<Undecodable>().unwrap();
            assert_eq!((found.line, found.column), (3, 4));
            assert!(found.problem.starts_with("found 0xe9, which is not UTF-8 as the text before it is"));
            // A capital beyond ASCII may be inserted before the first letter that decides.
            let turkish = |bytes: &[u8]| {
                let (mut decoder, mut encoder) =
                    ends(Cursor::new(bytes.to_vec()), encoding("windows-1254"), true, None);
                let (mut text, mut written) = (String::new(), Vec::new());
                decoder.read_to_string(&mut text)?;
                let text = text.replacen('i', "İ", 1);
                text.bytes().try_for_each(|b| encoder.write(&[b], &mut written)).map(|()| written)
            };
            assert_eq!(turkish(b"izmir\n\xfd").unwrap(), b"\xddzmir\n\xfd");
            assert!(turkish("izmir\nığdır".as_bytes()).unwrap_err().to_string().contains("in UTF-8 after"));
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
            let found = error.get_ref().unwrap().downcast_ref::<Undecodable>().unwrap();
            assert_eq!((found.line, found.column), (2, 2));
            assert!(
                found.problem.starts_with("found 0xd2, which is no character of windows-1253"),
                "{}",
                found.problem
            );
            assert!("klingon".parse::<Encoding>().unwrap_err().contains("koi8-u, macintosh"));
            for (name, start) in
                [("klingon", "expected the name of"), ("shift_jis", "Shift_JIS has several bytes")]
            {
                assert!(name.parse::<Encoding>().unwrap_err().starts_with(start));
            }
        }
    }
}
