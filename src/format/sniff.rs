//! Detects the format of a file from its first bytes.
//!
//! Only as many bytes are read as necessary, so that a live text is not held up: it waits only
//! while its beginning may still be another format.

use super::Format;
use super::json::{Event, decode, read};
use super::unread::{self, TABLE_REMEDY, Unread, matched};
use crate::error::{Error, Result, option};
use crate::files::{BOM, Encoding, Input, TextEncoder, uncompressed_name};
use crate::text::tokenize::NO_TEXT;
use std::path::PathBuf;

/// The number of bytes after which detection gives up.
const MOST: usize = 1 << 16;

/// The first bytes of binary files, and the kinds of these files: bytes that begin no text, or
/// signs that no text has there.
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

/// Other binary files, which have some differing bytes before the four that identify them.
struct Later {
    start: &'static [u8],
    at: usize,
    kinds: &'static [[u8; 4]],
}

const LATER: [Later; 4] = [
    Later { start: b"RIFF", at: 8, kinds: &[*b"WAVE", *b"AVI ", *b"WEBP"] },
    Later { start: b"RF64", at: 8, kinds: &[*b"WAVE"] },
    Later { start: b"FORM", at: 8, kinds: &[*b"AIFF", *b"AIFC"] },
    Later { start: b"\0\0\0", at: 4, kinds: &[*b"ftyp"] },
];

/// The number of first bytes that tell text from noise.
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
            return Some(Some(format!("this is no text, but {what}: {remedy}")));
        }
        // A length or some other bytes may come before the identifying bytes.
        for Later { start, at, kinds } in LATER {
            if head.starts_with(start) && head.len() >= at + 4 {
                let is_known = kinds.iter().any(|kind| head[at..].starts_with(kind));
                if is_known {
                    let problem = "this is no text, but sound, an image or a video: name its text";
                    return Some(Some(problem.to_owned()));
                }
            }
        }
        let may_begin = |magic: &[u8]| magic.starts_with(&head[..head.len().min(magic.len())]);
        let is_open = BINARY.iter().any(|(magic, _)| magic.starts_with(head))
            || LATER.iter().any(|later| head.len() < later.at + 4 && may_begin(later.start));
        if is_open && !ended {
            return None;
        }
        let head = &head[..head.len().min(HEAD)];
        match controls(head) {
            [0, 0] => Some(None),
            _ if is_utf16 => Some(None),
            // Only possible noise is waited for.
            _ if head.len() < HEAD && !ended => None,
            controls => Some(is_noise(controls, head.len()).then(|| {
                format!(
                    "this is no text: {} of its first {} bytes are control characters; name a text, or read it nevertheless with \
                     {}",
                    controls[0] + controls[1],
                    head.len(),
                    option("lossy")
                )
            })),
        }
    })?;
    match found.flatten() {
        // The name says more precisely what the file is, and what to do.
        Some(_) if Unread::named(input.name().as_ref()).is_some() => {
            unread::refuse_named(input.name().as_ref())
        }
        Some(problem) => Err(Error::file(input.name(), problem)),
        None => Ok(()),
    }
}

/// Returns what to do with a binary file of this kind.
fn binary_remedy(what: &str) -> &'static str {
    match what {
        _ if what.starts_with("a table") => TABLE_REMEDY,
        _ if what.contains("document") => "save its text as plain text, or a sheet as CSV, and name that",
        _ => "name its text",
    }
}

/// Counts the control characters that no text has, at even and at odd offsets, in bytes that are
/// neither UTF-8 nor marked as UTF-16.
fn controls(head: &[u8]) -> [usize; 2] {
    let is_utf8 = match str::from_utf8(head) {
        Ok(_) => true,
        // A character that is cut off.
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

/// Returns true if this number of control characters at even and odd offsets is not an accident:
/// noise has 10 %. UTF-16 without a mark has them too, but nearly all at offsets of one parity.
fn is_noise([even, odd]: [usize; 2], len: usize) -> bool {
    let (fewer, more) = (even.min(odd), even.max(odd));
    32 * 2 * fewer > len && 8 * fewer > more
}

/// Decodes a text, and returns the encoder that restores its encoding: see [`Input::decoded`]. A file
/// that is no text is refused, unless it may be `lossy`: then [`NO_TEXT`] replaces invalid bytes.
///
/// # Errors
/// Those of [`refuse_binary`] and [`Input::decoded`].
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
        let is_open = matches!(named, None | Some(Self::Text));
        let unread = match is_open {
            true => input.peek_until(unread_bytes)?.flatten(),
            false => None,
        };
        if let Some(unread) = unread {
            return Err(unread.error(input.name()));
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let is_kaldi_named = uncompressed_name(&file) == "text";
        let begun =
            input.peek_until(|head, ended| Self::of_bytes_named(head, ended, is_kaldi_named))?.flatten();
        let kind = match (named, begun) {
            // Kaldi's name of its text has no extension, and corpora have others, among them .txt.
            (Some(Self::Text), Some(Self::Kaldi)) => Self::Kaldi,
            (named, begun) => named.or(begun).unwrap_or(Self::Text),
        };
        Ok(DetectedFormat { kind, named, begun })
    }

    /// Returns the format that the first bytes of a file show; `None` if more bytes are needed.
    /// `ended` is true if there are no more.
    #[cfg(test)]
    fn of_bytes(head: &[u8], ended: bool) -> Option<Option<Self>> {
        Self::of_bytes_named(head, ended, false)
    }

    /// Returns the format that the first bytes show; `None` if more bytes are needed. `ended` is
    /// true if there are no more, and `is_kaldi_named` if the file is called as Kaldi calls its text.
    fn of_bytes_named(head: &[u8], ended: bool, is_kaldi_named: bool) -> Option<Option<Self>> {
        let ended = ended || head.len() >= MOST;
        let head = unmarked(&head[..head.len().min(MOST)], ended)?;
        let vtt = b"WEBVTT";
        if head.starts_with(vtt) {
            return match head.get(vtt.len()) {
                None if !ended => None,
                next => Some(next.is_none_or(u8::is_ascii_whitespace).then_some(Self::Vtt)),
            };
        }
        if !ended && vtt.starts_with(head) {
            return None;
        }
        let start = head.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(head.len());
        match head[start..].first() {
            None => ended.then_some(None),
            Some(b'{') => json(&head[start..], ended),
            Some(b'[') => bracket(&head[start..], ended),
            Some(b'<') => match root(&head[start..], ended)? {
                Some(name) if name == "tt" || name.ends_with(":tt") => Some(Some(Self::Ttml)),
                _ => labels(&head[start..], ended),
            },
            Some(first) => {
                let shown = match first.is_ascii_digit() {
                    true => cue(&head[start..], ended)?,
                    false => None,
                };
                match shown.map_or_else(|| labels(&head[start..], ended), |kind| Some(Some(kind)))? {
                    None => kaldi(&head[start..], ended, is_kaldi_named),
                    shown => Some(shown),
                }
            }
        }
    }
}

/// The format of an input, and what its name and its first bytes say about it. The name decides, if
/// it says anything, except that a text may be one of Kaldi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetectedFormat {
    /// The format; plain text if nothing says another.
    pub kind: Format,
    /// The format that the extension of the name means.
    pub named: Option<Format>,
    /// The format that the first bytes show.
    pub begun: Option<Format>,
}

/// Returns the first bytes without a byte-order mark; `None` if more bytes are needed.
fn unmarked(head: &[u8], ended: bool) -> Option<&[u8]> {
    let is_open = !ended && head.len() < BOM.len() && BOM.starts_with(head);
    (!is_open).then(|| head.strip_prefix(BOM).unwrap_or(head))
}

/// Returns the format that begins with these bytes, if it is one that is not read; `None` if more
/// bytes are needed.
fn unread_bytes(head: &[u8], ended: bool) -> Option<Option<&'static Unread>> {
    let ended = ended || head.len() >= MOST;
    let head = unmarked(&head[..head.len().min(MOST)], ended)?.trim_ascii_start();
    match head.first() {
        None => ended.then_some(None),
        Some(b'<') => match Unread::begun(head, ended)? {
            None => Some(root(head, ended)?.as_deref().and_then(Unread::of_root)),
            begun => Some(begun),
        },
        Some(_) => Unread::begun(head, ended),
    }
}

/// Returns the name of the first element of a document in XML; `None` if more bytes are needed.
fn root(head: &[u8], ended: bool) -> Option<Option<String>> {
    /// The largest number of bytes of a name that is waited for.
    const LONGEST: usize = 64;
    let mut rest = head;
    loop {
        rest = rest.trim_ascii_start();
        let Some(inside) = rest.strip_prefix(b"<") else {
            return (ended || !rest.is_empty()).then_some(None);
        };
        if matches!(inside.first(), Some(b'?' | b'!')) {
            let close: &[u8] = if b"!--".starts_with(&inside[..inside.len().min(3)]) { b"-->" } else { b">" };
            match inside.windows(close.len()).position(|part| part == close) {
                Some(at) => rest = &inside[at + close.len()..],
                None => return ended.then_some(None),
            }
            continue;
        }
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'_' | b'-' | b'.');
        let len = inside.iter().take_while(|b| is_name(b)).count();
        if len == inside.len() && len < LONGEST && !ended {
            return None;
        }
        return Some(str::from_utf8(&inside[..len]).ok().filter(|_| len < inside.len()).map(str::to_owned));
    }
}

/// Detects what begins with a bracket: the script of `.ass`, and the tags and times of lyrics.
fn bracket(head: &[u8], ended: bool) -> Option<Option<Format>> {
    let mut is_open = false;
    for (begins, kind) in [
        ("[script info]", Format::Ass),
        ("[ar:", Format::Lrc),
        ("[ti:", Format::Lrc),
        ("[al:", Format::Lrc),
        ("[by:", Format::Lrc),
        ("[length:", Format::Lrc),
        ("[offset:", Format::Lrc),
    ] {
        let len = head.len().min(begins.len());
        if head[..len].eq_ignore_ascii_case(&begins.as_bytes()[..len]) {
            if len == begins.len() {
                return Some(Some(kind));
            }
            is_open = true;
        }
    }
    match matched(head, &["[", "0", ":", "0", ".", "0", "]"], ended) {
        None => None,
        Some(true) => Some(Some(Format::Lrc)),
        Some(false) if is_open && !ended => None,
        Some(false) => Some(None),
    }
}

/// Detects the text of Kaldi: lines that begin with the name of an utterance, sorted by it. Prose has
/// no such names, which are longer than a word with a number (`covid-19`). In a file `text`, as Kaldi
/// calls it (`is_named`), any identifiers are names.
fn kaldi(head: &[u8], ended: bool, is_named: bool) -> Option<Option<Format>> {
    /// The number of lines that are enough, whatever their names look like.
    const LINES: usize = 3;
    /// The largest number of bytes of a name that is waited for.
    const LONGEST: usize = 64;
    let (mut names, mut has_words, mut rest) = (Vec::<&[u8]>::new(), false, head);
    while !rest.is_empty() {
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let name = &rest[..end];
        if end == rest.len() && !ended {
            let may_be = end < LONGEST && name.iter().all(is_in_name);
            return if may_be { None } else { Some(None) };
        }
        if !is_name(name, is_named) || names.last().is_some_and(|last| *last >= name) {
            return Some(None);
        }
        names.push(name);
        let line_end = rest.iter().position(|&b| b == b'\n');
        has_words |= !rest[end..line_end.unwrap_or(rest.len())].trim_ascii().is_empty();
        match line_end {
            _ if names.len() == LINES && has_words => return Some(Some(Format::Kaldi)),
            Some(line_end) => rest = &rest[line_end + 1..],
            None if ended => break,
            None => return None,
        }
    }
    if !ended {
        return None;
    }
    let is_alike =
        |names: &[&[u8]]| names.len() > 1 && names.windows(2).all(|two| shape(two[0]) == shape(two[1]));
    Some((has_words && (is_named || is_alike(&names))).then_some(Format::Kaldi))
}

fn is_in_name(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')
}

/// Returns true if a word is the name of an utterance: `spk1-utt001`, `1089-134686-0000`,
/// `BAC009S0002W0122`. A date is none.
fn is_name(word: &[u8], is_named: bool) -> bool {
    let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
    let has_link = word.iter().any(|b| matches!(b, b'-' | b'_'));
    if !word.iter().all(is_in_name) || !word.first().is_some_and(u8::is_ascii_alphanumeric) {
        return false;
    }
    let is_date = shape(word) == b"0-0-0" && word.len() == 10 && word[4] == b'-';
    let has_letter = word.iter().any(u8::is_ascii_alphabetic);
    match is_named {
        true => digits > 0 || has_link,
        false => digits >= 4 && has_link && !is_date || digits >= 6 && has_letter,
    }
}

/// Returns the shape of a name: its signs, with one letter for letters and one digit for digits.
fn shape(name: &[u8]) -> Vec<u8> {
    let kind = |b: &u8| match b {
        b'0'..=b'9' => b'0',
        b if b.is_ascii_alphabetic() => b'a',
        b => *b,
    };
    let mut shape: Vec<u8> = name.iter().map(kind).collect();
    shape.dedup_by(|a, b| a == b && a.is_ascii_alphanumeric());
    shape
}

/// Detects the row of a word and the label of its mark: only what has a tab after its first word
/// may be one.
fn labels(head: &[u8], ended: bool) -> Option<Option<Format>> {
    /// The largest number of bytes of a word or of a label that is waited for.
    const LONGEST: usize = 64;
    let word = head.iter().position(u8::is_ascii_whitespace);
    let row = head.iter().position(|&b| b == b'\n');
    let (cut, is_open) = match (word, row) {
        (Some(tab), _) if head[tab] != b'\t' => return Some(None),
        (_, Some(end)) => (end, false),
        (Some(tab), None) => (head.len(), head.len() < tab + LONGEST),
        (None, None) => (head.len(), head.len() < LONGEST),
    };
    if is_open && !ended {
        return None;
    }
    let row = str::from_utf8(&head[..cut]).map(|row| row.trim_end_matches('\r'));
    Some(row.is_ok_and(super::labels::is_row).then_some(Format::Labels))
}

/// Detects a cue of SubRip: its number, if it has one, and its times.
fn cue(head: &[u8], ended: bool) -> Option<Option<Format>> {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let number = digits(head);
    let blank = head[number..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
    let times = match head.get(number + blank) {
        None if !ended => return None,
        Some(b'\n') => &head[number + blank + 1..],
        // A cue without a number begins with its times.
        _ => head,
    };
    // 00:00:01,000 -->
    let mut at = 0;
    for sign in ["0", ":", "0", ":", "0", ",.", "0", " ", "-", "-", ">"] {
        let rest = &times[at..];
        let len = match sign {
            "0" => digits(rest),
            " " => rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count(),
            _ => usize::from(rest.first().is_some_and(|b| sign.as_bytes().contains(b))),
        };
        if at + len == times.len() && sign != ">" {
            return ended.then_some(None);
        }
        if len == 0 && sign != " " {
            return Some(None);
        }
        at += len;
    }
    Some(Some(Format::Srt))
}

/// Tells whether the object that begins here is one of many, one per line, or the JSON of Whisper
/// and related tools.
fn json(head: &[u8], ended: bool) -> Option<Option<Format>> {
    // The next character tells an object from a brace in a text.
    match head[1..].iter().find(|b| !b.is_ascii_whitespace()) {
        None => return ended.then_some(None),
        Some(b'"' | b'}') => {}
        Some(_) => return Some(None),
    }
    let line = head.split(|&b| b == b'\n').next().unwrap_or_default();
    if line.len() == head.len() && !ended {
        return None;
    }
    let (mut depth, mut is_whisper) = (0, false);
    // The first bytes may be cut off: the text is read as far as it goes.
    let text = |bytes: &[u8]| match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) => String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned(),
    };
    let line = text(line);
    let whole = read(&line, &mut |event| match event {
        Event::Begin => depth += 1,
        Event::End => depth -= 1,
        Event::Key(name) if depth == 1 => {
            let mut key = String::new();
            decode(&line[name], &mut key);
            let of_whisper = matches!(&*key, "segments" | "chunks" | "transcription" | "word_segments");
            is_whisper |= of_whisper || matches!(&*key, "result" | "results" | "utterances" | "transcript");
        }
        _ => {}
    });
    let is_jsonl = whole.is_ok() && !is_whisper;
    Some(Some(if is_jsonl { Format::Jsonl } else { Format::WhisperJson }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADS: [(&str, Option<Format>); 51] = [
        ("\u{feff}[Script Info]\nTitle: x\n", Some(Format::Ass)),
        ("[Scripture] so\n", None),
        ("[ar:the band]\n[00:12.00]so\n", Some(Format::Lrc)),
        ("\u{feff}[offset:+500]\r\n", Some(Format::Lrc)),
        ("[00:12.00]so it is\n", Some(Format::Lrc)),
        ("[00:12] so it is\n", None),
        ("[00:00.000 --> 00:02.000]  so it is\n", None),
        ("[area: north]\n", None),
        ("<tt xml:lang=\"en\">", Some(Format::Ttml)),
        ("<?xml version=\"1.0\"?>\n<!-- <p> -->\n<tt:tt\n>", Some(Format::Ttml)),
        ("<!DOCTYPE html>\n<html><body>so", None),
        ("<i>so</i>\n", None),
        ("spk1-utt001 so it is\nspk1-utt002 we met\n", Some(Format::Kaldi)),
        ("spk1-utt001 so it is\nspk1-utt002\nspk2-utt001", Some(Format::Kaldi)),
        ("1089-134686-0000 SO IT IS\n1089-134686-0001 WE MET\n1089-134686-0002 YES\n", Some(Format::Kaldi)),
        ("BAC009S0002W0122 so it is\nBAC009S0002W0123 we met", Some(Format::Kaldi)),
        ("sw02001-A_000098-001156\tso\nsw02001-B_000098-001156\twe\n", Some(Format::Kaldi)),
        ("spk1-utt002 so it is\nspk1-utt001 we met\n", None),
        ("spk1-utt001 so it is\nwe met\n", None),
        ("spk1-utt001 so it is\n", None),
        ("spk1-utt001\nspk1-utt002\n", None),
        ("covid-19 came\ngpt-4 came\nsars-2 came\n", None),
        ("2020-01-01 we met\n2020-01-02 we left\n2020-01-03 so\n", None),
        ("windows-2000 came\nwindowsxp-sp2-2001 came\n", None),
        ("10:30 we met\n10:45 we left\n", None),
        ("well-known men came\nwell-known women came\n", None),
        ("1990 was late\n1991 was later\n", None),
        ("555-12 men\n", None),
        ("a_1 so\nb_2 we\n", None),
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

    /// Returns the format detected from bytes that come one by one, and the number of bytes needed.
    fn told(bytes: &[u8]) -> (Option<Format>, usize) {
        for len in 0..bytes.len() {
            if let Some(kind) = Format::of_bytes(&bytes[..len], false) {
                return (kind, len);
            }
        }
        (Format::of_bytes(bytes, true).unwrap(), bytes.len())
    }

    #[test]
    fn a_format_shows_in_the_first_bytes_however_they_arrive() {
        for (head, kind) in HEADS {
            assert_eq!(told(head.as_bytes()).0, kind, "{head:?}");
            assert_eq!(Format::of_bytes(head.as_bytes(), true), Some(kind), "{head:?}");
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
            let options = crate::format::RestoreOptions::default;
            let error = Format::Auto.open(input(), options()).map(drop).unwrap_err().to_string();
            assert!(error.starts_with(name) && error.contains("this is "), "{error}");
            assert!(Format::Text.open(input(), options()).is_ok());
        }
    }

    #[test]
    fn a_text_of_kaldi_is_found_by_its_name_or_its_lines() {
        let lines = "spk1-utt001 so it is\nspk1-utt002 we met\n";
        let few = "011c0201 so it is\n";
        let prose = "so it is\nwe met\n";
        for (name, text, kind) in [
            ("data/train/text", lines, Format::Kaldi),
            ("data/train/text", few, Format::Kaldi),
            ("text.gz", few, Format::Kaldi),
            ("data/train/text", prose, Format::Text),
            ("standard input", lines, Format::Kaldi),
            ("84-121123.trans.txt", lines, Format::Kaldi),
            ("talk.txt", few, Format::Text),
            ("talk.srt", lines, Format::Srt),
        ] {
            let mut input = Input::uncompressed(name, std::io::Cursor::new(text));
            assert_eq!(Format::detect(&mut input).unwrap().kind, kind, "{name}");
            assert_eq!(input.bytes().unwrap(), text.as_bytes(), "nothing is lost");
        }
    }

    #[test]
    fn a_word_with_a_label_after_a_tab_is_a_row_of_labels() {
        for (text, kind) in [
            ("so\tO\nwe\tO\n", Some(Format::Labels)),
            ("1990\tCOMMA", Some(Format::Labels)),
            ("so\t0\t,\r\nwe", Some(Format::Labels)),
            ("so\tyes\n", None),
            ("so\t0\n", None),
            ("so\t.\n", None),
            ("so we\tO\n", None),
        ] {
            assert_eq!(Format::of_bytes(text.as_bytes(), true), Some(kind), "{text:?}");
        }
        assert_eq!(Format::of_bytes(b"so\tCOM", false), None);
        assert_eq!(Format::of_bytes("x".repeat(99).as_bytes(), false), Some(None));
    }

    #[test]
    fn text_that_comes_in_live_is_not_waited_for() {
        for (text, waited) in [("so we met\n", 3), ("7 men", 3), ("We", 2), ("{so", 2), ("1\n2\n", 4)] {
            assert!(told(text.as_bytes()).1 <= waited, "{text:?}: {:?}", told(text.as_bytes()));
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
                    assert!(error.contains("this is no text: "), "{error}");
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
        assert!(refuse_binary(&mut input, None).unwrap_err().to_string().contains("this is no text"));
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
            (&b"\x89PNG\r\n\x1a\n"[..], "this is no text, but an image (png)"),
            (b"PK\x03\x04\x14\0", "this is no text, but an archive"),
            (b"\x7fELF\x02\x01\x01\0", "this is no text, but a program"),
            (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "this is no text, but a PDF document"),
            (b"{\\rtf1\\ansi so it is}", "this is no text, but a document in RTF"),
            (b"PAR1\x15\x04", "this is no text, but a table in Parquet: write its text as JSON lines"),
            (b"FORM\0\0\0\0AIFFCOMM", "this is no text, but sound"),
            (b"RIFF\x24\x08\0\0WAVEfmt ", "this is no text, but sound"),
            (b"\0\0\0\x20ftypisom", "this is no text, but sound, an image or a video"),
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
