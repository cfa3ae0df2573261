//! `.lrc`, lyrics: the times of a line before it, and tags about the song.

use std::ops::Range;

use super::cue::CueScanner;
use super::grammar::Grammar;
use super::head::FileHead;
use super::info::FormatInfo;
use super::kind::FormatFamily;
use super::line_parts::{LineParts, PartRole};
use super::transcript::{Fault, fields};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{Break, RestoreOptions};

/// Lyrics.
pub(super) const LRC: FormatInfo = FormatInfo {
    example: "[ar:the bbc]\r\n[00:12.00][01:02.5]the <00:13.10>bbc met\r\n\n[00:15]MAN: in NEW york. who\n[al: ebay\n♪ İstanbul\n",
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

/// Adds the words of a name or a title, each with a capital, if the text has no capital yet.
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
    use crate::Format;
    use crate::case_laws::{check_cases, starts, words};
    use crate::sniff::detected;

    #[test]
    fn a_word_in_brackets_is_not_a_time() {
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

    #[test]
    fn a_file_begins_with_a_tag_or_a_time() {
        for (heads, kind) in [
            (
                &["[ar:the band]\n[00:12.00]so\n", "\u{feff}[offset:+500]\r\n", "[00:12.00]so it is\n"][..],
                Some(Format::Lrc),
            ),
            (&["[00:12] so it is\n", "[00:00.000 --> 00:02.000]  so it is\n", "[area: north]\n"], None),
        ] {
            for head in heads {
                assert_eq!(detected(head.as_bytes()).0, kind, "{head:?}");
            }
        }
    }

    #[test]
    fn lyrics_are_text_and_their_times_and_tags_are_not() {
        let file = "\u{feff}[ar:ana reis]\r\n[length: 03:20]\n\n[00:12.00][01:15.30]we met in\n[00:17]lisbon, ana\n\
                    [00:20.10] <00:20.10> no <00:20.50> way <00:21.00>\n[00:25.00]\n[00:26.00](oh) [chorus] we sang\n\
                    [00:30.00]man: so it is\nyes\n";
        check_cases(Format::Lrc, file);
        let all = [
            "ana", "reis", "we", "met", "in", "lisbon", "ana", "no", "way", "we", "sang", "man", "so", "it",
            "is", "yes",
        ];
        assert_eq!(words(Format::Lrc, file), all);
        assert_eq!(
            starts(Format::Lrc, file),
            ["ana", "reis", "we", "lisbon", "no", "we", "man", "so", "yes"]
        );
    }

    #[test]
    fn a_name_with_a_capital_has_its_capitals() {
        assert_eq!(words(Format::Lrc, "[ti:so it Is]\nyes\n"), ["yes"]);
    }
}
