//! `.lrc`, lyrics: lines with their times before them, and tags about the song.

use std::collections::VecDeque;
use std::ops::Range;

use super::cue::CueScanner;
use super::grammar::Grammar;
use super::head::FileHead;
use super::info::FormatInfo;
use super::kind::{Format, FormatFamily};
use super::line_parts::{LineParts, PartRole};
use super::segment::{
    BlockKind, Item, LocatedItem, LossKind, Segment, SegmentInfo, SegmentWord, Time, UnspokenBlock,
    end_segments,
};
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
    segments: Some(&LYRICS),
    items: Some(|text| Ok(read_items(text))),
    ..FormatInfo::LINES
};

/// Lines of lyrics.
static LYRICS: SegmentInfo = SegmentInfo {
    format: Format::Lrc,
    parts: &[LossKind::Times, LossKind::Words],
    has_times: true,
    writer: Err("lyrics can be read, but not written: convert to .srt, .vtt or .ass"),
    ..SegmentInfo::LINES
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
        let start = line.len() - timed(line).1.len();
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

    /// Names and titles get capitals unless punctuation is inserted or the option `capitalized` is set.
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
        parts.push_as(word, (at == 0).then_some(Break::Turn), PartRole::Beginning);
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

/// Returns the times before the text of a line, and the text: `[00:12.00][01:15.30]so`.
fn timed(line: &str) -> (Vec<Time>, &str) {
    let (mut times, mut rest) = (Vec::new(), line.trim_start());
    while let Some((time, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && let Some(time) = lyric_time(time)
    {
        times.push(time);
        rest = after.trim_start();
    }
    (times, rest)
}

/// Reads the time of a line or a word: minutes and seconds, and often a fraction; `00:12`, `1:00:12.00`, `00:12:00`
/// with hundredths.
fn lyric_time(text: &str) -> Option<Time> {
    let text = text.trim();
    let parts = || text.split([':', '.']);
    let is_number =
        |part: &str| !part.is_empty() && part.len() < 4 && part.bytes().all(|b| b.is_ascii_digit());
    if !text.contains(':') || parts().count() > 4 || !parts().all(is_number) {
        return None;
    }
    match text.rsplit_once(':') {
        Some((clock, hundredths)) if clock.contains(':') && !text.contains('.') => {
            Time::of_clock(&format!("{clock}.{hundredths}"))
        }
        _ => Time::of_clock(text),
    }
}

/// Reads the lines of a song in the order of their times. A line without words ends the line before it.
fn read_items(text: &str) -> VecDeque<LocatedItem> {
    let (mut found, mut lines) = (VecDeque::new(), Vec::new());
    // Lines are shown earlier by a positive offset, in milliseconds.
    let mut offset = 0i64;
    for (number, line) in (1..).zip(text.lines()) {
        if let Some((key, value)) = tag(line) {
            if key.eq_ignore_ascii_case("offset") {
                offset = line[value].trim().parse().unwrap_or(0);
            }
            let block = UnspokenBlock { kind: BlockKind::Comment, text: line.trim().to_owned() };
            found.push_back(LocatedItem::new(Item::Block(block), line, number, Vec::new()));
            continue;
        }
        let (times, text) = timed(line);
        let is_empty = times.is_empty() && text.is_empty();
        let times = if times.is_empty() { vec![None] } else { times.into_iter().map(Some).collect() };
        let first = times[0];
        let timed = times.into_iter().filter(|_| !is_empty);
        lines.extend(timed.map(|time| ((time, first), number, line, text)));
    }
    let moved = |time: Time| {
        let milliseconds = i64::try_from(time.milliseconds()).unwrap_or(i64::MAX).saturating_sub(offset);
        Time::of_milliseconds(milliseconds.max(0).unsigned_abs())
    };
    // A line without a time stays after the line before it.
    let mut last = None;
    for ((time, first), ..) in &mut lines {
        (*time, *first) = (time.and_then(moved).or(last), first.and_then(moved));
        last = *time;
    }
    lines.sort_by_key(|((time, _), ..)| *time);
    // If a line is repeated, the times of its words are relative to its first time.
    let repeated = |word: Time, (begin, first): (Option<Time>, Option<Time>)| match first.zip(begin) {
        Some((first, begin)) => begin.after(moved(word)?.since(first)?),
        None => moved(word),
    };
    let segments =
        lines.iter().map(|(times, _, _, text)| lyric(times.0, text, |word| repeated(word, *times)));
    let mut segments: Vec<Segment> = segments.collect();
    end_segments(segments.iter_mut());
    for (segment, (_, number, line, _)) in segments.into_iter().zip(lines) {
        if !segment.text.is_empty() {
            found.push_back(LocatedItem::new(
                Item::Segment(segment),
                line,
                number,
                vec![(LossKind::Text, 0)],
            ));
        }
    }
    found
}

/// Returns a line of text as a segment, with the times of words in it: `<00:12.00>so <00:12.50>we`.
fn lyric(begin: Option<Time>, text: &str, moved: impl Fn(Time) -> Option<Time>) -> Segment {
    let mut segment = Segment { begin, ..Segment::default() };
    for (at, part) in text.split('<').enumerate() {
        let timed = part.split_once('>').and_then(|(time, rest)| Some((lyric_time(time)?, rest)));
        match timed.filter(|_| at > 0) {
            Some((time, rest)) => {
                // The white space between two words belongs to the second.
                let before = segment
                    .words
                    .last_mut()
                    .map_or_else(String::new, |word| word.text.split_off(word.text.trim_end().len()));
                segment.words.push(SegmentWord {
                    text: before + rest,
                    begin: moved(time),
                    ..SegmentWord::default()
                });
                segment.text.push_str(rest);
            }
            None => {
                let open = if at > 0 { "<" } else { "" };
                segment.text.extend([open, part]);
                if let Some(word) = segment.words.last_mut() {
                    word.text.extend([open, part]);
                }
            }
        }
    }
    segment.text = segment.text.trim().to_owned();
    segment.words.retain(|word| !word.text.trim().is_empty());
    segment
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
            assert_eq!(timed(line).1, rest);
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
