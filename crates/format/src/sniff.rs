//! Detects the format of a file from its first bytes.
//!
//! Only as many bytes are read as necessary, so that a live text is not held up: it waits only
//! while its beginning may still be another format.

use super::head::FileHead;
use super::kind::Format;
use super::unread::{self, TABLE_REMEDY, Unread};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::{Encoding, Input, TextEncoder, uncompressed_name};
use majuscule_text::tokenize::NO_TEXT;
use std::path::PathBuf;

/// The first bytes of binary files, and the kinds of these files: no text begins with these bytes.
const BINARY: [(&[u8], &str); 45] = [
    (b"\x7fELF", "a program"),
    (b"MZ\x90\0", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\0asm", "a program"),
    (b"PK\x03\x04", "an archive or an office document (zip)"),
    (b"PK\x05\x06", "an archive (zip)"),
    (b"7z\xbc\xaf\x27\x1c", "an archive (7z)"),
    (b"Rar!\x1a\x07", "an archive (rar)"),
    (b"BZh91AY&SY", "an archive (bzip2)"),
    (b"\x04\x22\x4d\x18", "an archive (lz4)"),
    (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"%PDF-", "a PDF document"),
    (b"%!PS-Adobe", "a PostScript document"),
    (b"{\\rtf", "a document in RTF"),
    (b"AT&TFORM", "a DjVu document"),
    (b"\x89PNG", "an image (png)"),
    (b"\xff\xd8\xff", "an image (jpeg)"),
    (b"GIF87a", "an image (gif)"),
    (b"GIF89a", "an image (gif)"),
    (b"II*\0", "an image (tiff)"),
    (b"MM\0*", "an image (tiff)"),
    (b"8BPS\0", "an image (psd)"),
    (b"OggS\0", "sound (ogg)"),
    (b"fLaC\0", "sound (flac)"),
    (b"ID3\x02", "sound (mp3)"),
    (b"ID3\x03", "sound (mp3)"),
    (b"ID3\x04", "sound (mp3)"),
    (b".snd\0", "sound (au)"),
    (b"MThd\0", "sound (midi)"),
    (b"#!AMR\n", "sound (amr)"),
    (b"caff\0", "sound (caf)"),
    (b"NIST_1A\n", "sound (NIST SPHERE)"),
    (b"\x1a\x45\xdf\xa3", "a video (mkv, webm)"),
    (b"\0\0\x01\xba", "a video (mpeg) or subtitles as images (VobSub)"),
    (b"\0\0\x01\xb3", "a video (mpeg)"),
    (b"FLV\x01", "a video (flv)"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "sound or a video (wma, wmv)"),
    (b"SQLite format 3\0", "a database"),
    (b"PAR1", "a table in Parquet"),
    (b"ARROW1\0\0", "a table in Arrow"),
    (b"Obj\x01", "a table in Avro"),
    (b"\x89HDF\r\n", "data (HDF5)"),
    (b"\x93NUMPY", "data (NumPy)"),
    (b"\x80\x04\x95", "data (Python's pickle)"),
];

/// The first bytes of a file, and the position and the values of the bytes that identify its kind.
type LaterBytes = (&'static [u8], usize, &'static [[u8; 4]]);

/// The first bytes of groups of binary files whose kind is identified by four later bytes: the position of these bytes,
/// and their values.
const LATER: [LaterBytes; 4] = [
    (b"RIFF", 8, &[*b"WAVE", *b"AVI ", *b"WEBP"]),
    (b"RF64", 8, &[*b"WAVE"]),
    (b"FORM", 8, &[*b"AIFF", *b"AIFC"]),
    (b"\0\0\0", 4, &[*b"ftyp"]),
];

/// The number of first bytes that decide between text and noise.
const HEAD: usize = 1 << 10;

/// Refuses an input that begins like a binary file, or with bytes that no text has in UTF-8 or a
/// single-byte encoding; `named` is the declared encoding.
///
/// # Errors
/// Fails for such an input, and if the input cannot be read.
pub fn refuse_binary(input: &mut Input<'_>, named: Option<&Encoding>) -> Result<()> {
    let is_utf16 = matches!(named, Some(Encoding::Utf16Le | Encoding::Utf16Be));
    let found = input.peek_until(|head, ended| {
        let begins = |(magic, _): &&(&[u8], &str)| head.starts_with(magic);
        if let Some((_, what)) = BINARY.iter().find(begins) {
            let remedy = binary_remedy(what);
            return Some(Some(format!("this is not text, but {what}: {remedy}")));
        }
        // A length or some other bytes may come before the identifying bytes.
        for (start, at, kinds) in LATER {
            if head.starts_with(start) && head.len() >= at + 4 {
                let is_known = kinds.iter().any(|kind| head[at..].starts_with(kind));
                if is_known {
                    let problem = "this is not text, but sound, an image or a video: name its text";
                    return Some(Some(problem.to_owned()));
                }
            }
        }
        let may_begin = |magic: &[u8]| magic.starts_with(&head[..head.len().min(magic.len())]);
        let is_open = BINARY.iter().any(|(magic, _)| magic.starts_with(head))
            || LATER.iter().any(|(start, at, _)| head.len() < at + 4 && may_begin(start));
        if is_open && !ended {
            return None;
        }
        let head = &head[..head.len().min(HEAD)];
        match controls(head) {
            [0, 0] => Some(None),
            _ if is_utf16 => Some(None),
            // More bytes are waited for only if these may be noise.
            _ if head.len() < HEAD && !ended => None,
            controls => Some(is_noise(controls, head.len()).then(|| {
                format!(
                    "this is not text: {} of its first {} bytes are control characters; name a text, or read it anyway with \
                     {}",
                    controls[0] + controls[1],
                    head.len(),
                    option("lossy")
                )
            })),
        }
    })?;
    match found.flatten() {
        // The error by name describes the file and the remedy more precisely.
        Some(_) if Unread::named(input.name().as_ref()).is_some() => {
            unread::refuse_named(input.name().as_ref())
        }
        Some(problem) => Err(Error::file(input.name(), problem)),
        None => Ok(()),
    }
}

/// Returns the remedy for a binary file of this kind.
fn binary_remedy(what: &str) -> &'static str {
    match what {
        _ if what.starts_with("a table") => TABLE_REMEDY,
        _ if what.contains("document") => "save its text as plain text, or a sheet as CSV, and name that",
        _ => "name its text",
    }
}

/// Counts the control characters that do not occur in text, at even and at odd offsets, in bytes that
/// are neither UTF-8 nor marked as UTF-16.
fn controls(head: &[u8]) -> [usize; 2] {
    let is_utf8 = match str::from_utf8(head) {
        Ok(_) => true,
        // The last character is cut off.
        Err(error) => error.error_len().is_none(),
    };
    let mut controls = [0; 2];
    if is_utf8 || head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return controls;
    }
    for (at, b) in head.iter().enumerate() {
        // White space, and control characters that terminals and DOS leave in a text: bell,
        // backspace, end of file, escape.
        let is_known = matches!(b, b'\x07'..=b'\r' | 0x1a | 0x1b);
        controls[at % 2] += usize::from(b.is_ascii_control() && !is_known);
    }
    controls
}

/// Returns true if there are too many control characters at even and odd offsets for a text: they are 10 % of noise.
/// UTF-16 without a byte-order mark has them too, but nearly all at offsets of one parity.
fn is_noise([even, odd]: [usize; 2], len: usize) -> bool {
    let (fewer, more) = (even.min(odd), even.max(odd));
    32 * 2 * fewer > len && 8 * fewer > more
}

/// Decodes a text, and returns the encoder that restores its encoding: see [`Input::decoded`]. A file that is not
/// text is refused, unless `lossy` is true: then [`NO_TEXT`] replaces invalid bytes.
///
/// # Errors
/// The errors of [`refuse_binary`] and [`Input::decoded`].
pub fn decoded_text<'a>(
    mut input: Input<'a>,
    encoding: Option<&Encoding>,
    lossy: bool,
) -> Result<(Input<'a>, TextEncoder)> {
    if !lossy {
        refuse_binary(&mut input, encoding)?;
    }
    input.decoded(encoding.cloned(), lossy.then_some(NO_TEXT as char))
}

impl Format {
    /// Detects the format of an input by its name and its first bytes, which remain to be read: see
    /// [`DetectedFormat`].
    ///
    /// # Errors
    /// Fails if the input cannot be read, or is in a format that is not read.
    pub fn detect(input: &mut Input<'_>) -> Result<DetectedFormat> {
        let path = PathBuf::from(input.name());
        unread::refuse_named(&path)?;
        let named = Self::named(&path);
        let is_open = named.is_none_or(Self::is_plain_text);
        let unread = match is_open {
            true => input.peek_until(Unread::begun)?.flatten(),
            false => None,
        };
        if let Some(unread) = unread {
            return Err(unread.error(input.name()));
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let file = uncompressed_name(&file);
        let begun = input.peek_until(|head, ended| Self::of_bytes(head, ended, file))?.flatten();
        let kind = match (named, begun) {
            // Corpora have other names for texts of Kaldi, among them .txt.
            (Some(named), Some(begun)) if named.is_plain_text() && begun.info().is_named_as_text => begun,
            (named, begun) => named.or(begun).unwrap_or(Self::Text),
        };
        Ok(DetectedFormat { kind, named, begun })
    }

    /// Returns the format that the first bytes of a file with this name show; `None` if more bytes are
    /// needed. `ended` is true if there are no more.
    pub(super) fn of_bytes(head: &[u8], ended: bool, file: &str) -> Option<Option<Self>> {
        let head = FileHead::new(head, ended, file)?;
        if head.text.is_empty() {
            return head.ended.then_some(None);
        }
        for info in Self::all() {
            if let Some(begins) = info.begins
                && begins(head)?
            {
                return Some(Some(info.format));
            }
        }
        Some(None)
    }
}

/// The format of an input, and the evidence for it in the name and the first bytes. The name decides,
/// if it indicates a format, except that a text file may be in a format of Kaldi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetectedFormat {
    /// The format; plain text if nothing indicates another format.
    pub kind: Format,
    /// The format that the extension of the name means.
    pub named: Option<Format>,
    /// The format that the first bytes show.
    pub begun: Option<Format>,
}

/// Returns the format detected from bytes that come one by one, and the number of bytes needed.
#[cfg(test)]
pub(super) fn detected(bytes: &[u8]) -> (Option<Format>, usize) {
    for len in 0..bytes.len() {
        if let Some(kind) = Format::of_bytes(&bytes[..len], false, "") {
            return (kind, len);
        }
    }
    (Format::of_bytes(bytes, true, "").expect("the end decides"), bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADS: [(&str, Option<Format>); 28] = [
        ("\u{feff}[Script Info]\nTitle: x\n", Some(Format::Ass)),
        ("[Scripture] so\n", None),
        ("<tt xml:lang=\"en\">", Some(Format::Ttml)),
        ("<?xml version=\"1.0\"?>\n<!-- <p> -->\n<tt:tt\n>", Some(Format::Ttml)),
        ("<!DOCTYPE html>\n<html><body>so", None),
        ("<i>so</i>\n", None),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\nso", Some(Format::Vtt)),
        ("\u{feff}WEBVTT - talk\n", Some(Format::Vtt)),
        ("WEBVTTs are files\n", None),
        ("1\n00:00:01,000 --> 00:00:02,000\nso\n", Some(Format::Srt)),
        ("\u{feff}\r\n1 \r\n00:00:01,000 --> 00:00:02,000\r\nso\n", Some(Format::Srt)),
        ("00:00:01.000  -->  00:00:02.000\nso\n", Some(Format::Srt)),
        ("1\n2\n3\n", None),
        ("12 men came.\n00:00:01,000 --> 00:00:02,000\n", None),
        ("10:30 is late\n", None),
        ("1", None),
        ("", None),
        (" \n ", None),
        ("we met\n1\n00:00:01,000 --> 00:00:02,000\n", None),
        ("{\"text\": \"so\"}\n{\"text\": \"we\"}\n", Some(Format::Jsonl)),
        ("{\"text\": \"so\"}", Some(Format::Jsonl)),
        ("{\"text\": \"so\", \"segments\": []}\n", Some(Format::WhisperJson)),
        ("{\"a\": {\"segments\": 1}, \"text\": \"so\"}\n", Some(Format::Jsonl)),
        ("{\n  \"text\": \"so\",\n", Some(Format::WhisperJson)),
        ("{\"text\": \"so", Some(Format::WhisperJson)),
        ("{laughs} so we met\n", None),
        ("{\\an8}so\n", None),
        ("{ \"so\" he said", Some(Format::WhisperJson)),
    ];

    #[test]
    fn a_format_shows_in_the_first_bytes_however_they_arrive() {
        for (head, kind) in HEADS {
            assert_eq!(detected(head.as_bytes()).0, kind, "{head:?}");
            assert_eq!(Format::of_bytes(head.as_bytes(), true, ""), Some(kind), "{head:?}");
        }
    }

    #[test]
    fn what_is_not_read_is_no_text_unless_it_is_asked_for_as_text() {
        let text_grid = "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n";
        let elan = "<?xml version=\"1.0\"?>\n<ANNOTATION_DOCUMENT AUTHOR=\"\">";
        for (name, text) in [
            ("talk.stl", "so it is"),
            ("talk.smi", "so it is"),
            ("talk.docx", "so it is"),
            ("standard input", text_grid),
            ("talk.txt", text_grid),
            ("talk", "{1}{25}so it is\n"),
            ("talk.xml", elan),
            ("talk.xml", "<?xml version=\"1.0\"?><timedtext format=\"3\">"),
        ] {
            let input = || Input::uncompressed(name, std::io::Cursor::new(text));
            let options = majuscule_text::RestoreOptions::default;
            let error = Format::Auto.open(input(), options()).map(drop).unwrap_err().to_string();
            assert!(error.starts_with(name) && error.contains("found "), "{error}");
            assert!(Format::Text.open(input(), options()).is_ok());
        }
    }

    #[test]
    fn text_that_comes_in_live_is_not_waited_for() {
        for (text, waited) in [("so we met\n", 3), ("7 men", 3), ("We", 2), ("{so", 2), ("1\n2\n", 4)] {
            assert!(detected(text.as_bytes()).1 <= waited, "{text:?}: {:?}", detected(text.as_bytes()));
        }
    }

    /// Returns the reason that these bytes are refused, if they are.
    fn refused(bytes: &[u8]) -> Result<(), String> {
        refused_as(bytes, None)
    }

    fn refused_as(bytes: &[u8], named: Option<&str>) -> Result<(), String> {
        // Some builds lack the names of encodings.
        let named = named.and_then(|name| name.parse::<Encoding>().ok());
        let mut input = Input::uncompressed("data", std::io::Cursor::new(bytes.to_vec()));
        let refused = refuse_binary(&mut input, named.as_ref()).map_err(|error| error.to_string());
        assert_eq!(input.bytes().unwrap(), bytes, "nothing is lost");
        refused
    }

    /// Returns bytes of SplitMix64.
    fn noise(seed: u64, len: usize) -> Vec<u8> {
        let number = |at: usize| {
            let mut z = (seed + at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 56) as u8
        };
        (0..len).map(number).collect()
    }

    #[test]
    fn noise_is_no_text() {
        for len in [300, 512, 1000, 1024, 5000, 100_000] {
            for seed in 0..20 {
                let noise = noise(seed << 20, len);
                for named in [None, Some("windows-1252"), Some("koi8-r")] {
                    let error = refused_as(&noise, named).unwrap_err();
                    assert!(error.contains("this is not text: "), "{error}");
                }
                // Also after a beginning in letters, as in archives and programs.
                assert!(refused(&[b"so they met", &noise[..]].concat()).is_err(), "{len} {seed}");
            }
        }
    }

    #[test]
    fn noise_is_no_text_however_it_arrives() {
        struct Slow(std::io::Cursor<Vec<u8>>);
        impl std::io::Read for Slow {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let len = buffer.len().min(100);
                self.0.read(&mut buffer[..len])
            }
        }
        let noise = noise(7, 1000);
        let mut input = Input::uncompressed("pipe", Slow(std::io::Cursor::new(noise.clone())));
        assert!(refuse_binary(&mut input, None).unwrap_err().to_string().contains("this is not text"));
        assert_eq!(input.bytes().unwrap(), noise);
    }

    #[test]
    fn text_in_another_encoding_is_no_noise() {
        let koi8 = b"\xf0\xd2\xc5\xda\xc9\xc4\xc5\xce\xd4 \xd7\xd3\xd4\xd2\xc5\xd4\xc9\xcc\xd3\xd1 \xd3 \xcd\xc9\xce\xc9\xd3\xd4\xd2\xcf\xcd.\r\n";
        let western = b"la se\xf1ora \x93Garc\xeda\x94 \x96 lleg\xf3 \x85 ayer.\n";
        let mut dos = western.to_vec();
        dos.push(0x1a);
        let terminal = b"\x1b[1mla se\xf1ora\x1b[0m Garc\xeda\x08\x07\x0c\n";
        let one_slip = b"la se\xf1ora\x01 Garc\xeda lleg\xf3 a Madrid y fue a su casa antes de las diez.\n";
        for (text, name) in [
            (&koi8[..], "koi8-r"),
            (western, "windows-1252"),
            (&dos, "windows-1252"),
            (terminal, "windows-1252"),
            (one_slip, "windows-1252"),
        ] {
            for named in [None, Some(name)] {
                assert_eq!(refused_as(text, named), Ok(()), "{name}");
                assert_eq!(refused_as(&text.repeat(100), named), Ok(()), "{name}");
            }
        }
        let russian = "Президент встретился с министром \u{2019}вчера\u{201d}.\r\n".repeat(20);
        type Order = fn(u16) -> [u8; 2];
        let orders: [(Order, _); 2] = [(u16::to_le_bytes, "utf-16le"), (u16::to_be_bytes, "utf-16be")];
        for (order, name) in orders {
            let bytes = |text: &str| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
            assert_eq!(refused(&bytes(&format!("\u{feff}{russian}"))), Ok(()), "{name}");
            assert_eq!(refused_as(&bytes(&russian), Some(name)), Ok(()));
            // Without a mark and a name, the missing encoding is the problem.
            assert_eq!(refused(&bytes(&russian)), Ok(()), "{name}");
        }
    }

    #[test]
    fn what_is_no_text_is_said() {
        for (bytes, what) in [
            (&b"\x89PNG\r\n\x1a\n"[..], "this is not text, but an image (png)"),
            (b"PK\x03\x04\x14\0", "this is not text, but an archive"),
            (b"\x7fELF\x02\x01\x01\0", "this is not text, but a program"),
            (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "this is not text, but a PDF document"),
            (b"{\\rtf1\\ansi so it is}", "this is not text, but a document in RTF"),
            (b"PAR1\x15\x04", "this is not text, but a table in Parquet: write its text as JSON lines"),
            (b"FORM\0\0\0\0AIFFCOMM", "this is not text, but sound"),
            (b"RIFF\x24\x08\0\0WAVEfmt ", "this is not text, but sound"),
            (b"\0\0\0\x20ftypisom", "this is not text, but sound, an image or a video"),
        ] {
            let error = refused(bytes).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
        for text in [
            "",
            "R",
            "RIFF",
            "RIFFRAFF came to town",
            "PK",
            "\0\0\0 so",
            "\0\0\0\0\0\0\0\0",
            "Rar! he said",
            "so",
            "\u{e9}t\u{e9}",
        ] {
            assert_eq!(refused(text.as_bytes()), Ok(()), "{text:?}");
        }
    }
}
