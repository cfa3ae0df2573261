//! `.lrc`, lyrics: the times of a line before it, and tags about the song.

use std::ops::Range;

use super::cue::CueScanner;
use super::grammar::Grammar;
use super::head::FileHead;
use super::info::FormatInfo;
use super::kind::{Format, FormatFamily};
use super::line_parts::{LineParts, PartRole};
use super::transcript::{Fault, fields};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{Break, RestoreOptions};

/// Lyrics.
pub(super) const LRC: FormatInfo = FormatInfo {
    format: Format::Lrc,
    name: "lrc",
    help: "Lyrics, with the time of each line before it",
    shown: ".lrc",
    family: FormatFamily::Subtitles,
    extensions: &["lrc"],
    media_types: &["application/x-lrc", "text/lrc"],
    begins: Some(begins),
    grammar: Some(|_| Ok(Box::new(LyricLines::default()))),
    names_speakers: true,
    ..FormatInfo::LINES
};

/// The openings of tags that begin a file.
const TAGS: [&str; 6] = ["[ar:", "[ti:", "[al:", "[by:", "[length:", "[offset:"];

/// Returns true if a file begins with a tag or a time.
fn begins(head: FileHead<'_>) -> Option<bool> {
    let is_tag = head.begins_with(&TAGS);
    if is_tag == Some(true) || head.begins_like("[0:0.0]")? {
        return Some(true);
    }
    is_tag
}

/// The tags whose values are names and titles.
const NAMES: [&str; 5] = ["ar", "ti", "al", "au", "lr"];

/// Lyrics, read from any input: each line is a turn and begins a sentence. Everything but the words
/// is copied unchanged.
#[derive(Debug, Default)]
struct LyricLines {
    scanner: CueScanner,
    /// True if names and titles in lower case get capitals.
    has_names: bool,
}

impl Grammar for LyricLines {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        if let Some((key, value)) = tag(line) {
            if self.has_names && NAMES.iter().any(|name| name.eq_ignore_ascii_case(key)) {
                push_name(line, value, parts);
            }
            return Ok(());
        }
        let start = line.len() - untimed(line).len();
        let first = parts.positions.len();
        self.scanner.begin();
        self.scanner.turn();
        self.scanner.line(&line[start..], "", parts);
        parts.shift(first, start);
        if let Some(part) = parts.positions.get_mut(first).filter(|part| part.role == PartRole::Text) {
            part.role = PartRole::Beginning;
        }
        Ok(())
    }

    fn is_between(&self) -> bool {
        true
    }

    /// Capitals in the file show whether its names have them already.
    fn prepare(&mut self, options: &RestoreOptions) {
        self.scanner.prepare(options);
        self.has_names = options.puts().is_none() && options.capitalized == Capitalized::Auto;
    }
}

/// Adds each word of a name or a title that has no capital yet as one that gets a capital.
fn push_name(line: &str, value: Range<usize>, parts: &mut LineParts) {
    if line[value.clone()].contains(char::is_uppercase) {
        return;
    }
    for (at, word) in fields(&line[..value.end], value.start).enumerate() {
        parts.push_beginning(word, (at == 0).then_some(Break::Turn));
    }
}

/// Returns the key of a tag about the song, such as `[ar:Ana Reis]`, and the position of its value.
fn tag(line: &str) -> Option<(&str, Range<usize>)> {
    let start = line.len() - line.trim_start().len();
    let inside = line[start..].strip_prefix('[')?.trim_end().strip_suffix(']')?;
    let (key, value) = inside.split_once(':')?;
    let is_key = key == "#" || !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    let from = start + 1 + key.len() + 1;
    (is_key && !value.contains(['[', ']'])).then_some((key, from..from + value.len()))
}

/// Returns a line without the times before its text: `[00:12.00][01:15.30]`.
fn untimed(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some((time, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        if !is_time(time) {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

/// Returns true for the time of a line: minutes and seconds, and often a fraction; `00:12`,
/// `1:00:12.00`, `00:12:00`.
fn is_time(text: &str) -> bool {
    let mut parts = text.trim().split([':', '.']);
    let is_number =
        |part: &str| !part.is_empty() && part.len() < 4 && part.bytes().all(|b| b.is_ascii_digit());
    text.contains(':') && parts.clone().count() <= 4 && parts.all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_from_a_word_in_brackets() {
        for (line, rest) in [
            ("[00:12.00]so", "so"),
            ("[00:12:00] [1:00:12.000]so", "so"),
            ("[00:12.00]", ""),
            ("[so: yes]", "[so: yes]"),
            ("[12] so", "[12] so"),
            ("[00:12.00 so", "[00:12.00 so"),
        ] {
            assert_eq!(untimed(line), rest);
        }
        assert_eq!(tag(" [AR: ana] "), Some(("AR", 5..9)));
        assert_eq!(tag("[ana]"), None);
        assert_eq!(tag("[ana:] so"), None);
    }
}
