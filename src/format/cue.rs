//! What subtitles have in common: timings, and the words of a cue between tags, events and speaker dashes.

use std::ops::Range;

use super::records::Parts;
use super::transcript::{Fault, shortened};
use crate::text::Break;
use crate::text::sentence::is_end_mark;
use crate::text::tokenize::MAX_TAG;

/// An event between sentences has so many words at most; what is longer is text.
const LONGEST_ASIDE: usize = 3;

/// How times are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    /// How many numbers with a colon after them stand before the seconds.
    pub(super) colons: (usize, usize),
    /// What stands before the milliseconds.
    pub(super) marks: &'static [char],
    /// A timing.
    pub(super) example: &'static str,
}

impl Times {
    /// Whether the line may be a timing: then it must be a right one.
    pub(super) fn may_be(line: &str) -> bool {
        line.contains("-->")
    }

    /// Reads a line as the timing of a cue.
    ///
    /// # Errors
    /// Where it is none.
    pub(super) fn read(self, line: &str) -> Result<(), Fault> {
        let Some(arrow) = line.find("-->") else {
            return Err(self.fault(line, 0, line.len()));
        };
        let mut at = 0;
        for end in [arrow, line.len()] {
            let start = at + (line[at..end].len() - line[at..end].trim_start().len());
            let len = line[start..end].find(char::is_whitespace).unwrap_or(end - start);
            if !self.is_time(&line[start..start + len])
                || end == arrow && !line[start + len..end].trim().is_empty()
            {
                return Err(self.fault(line, start, end));
            }
            at = end + "-->".len();
        }
        Ok(())
    }

    fn is_time(self, text: &str) -> bool {
        let Some((seconds, milliseconds)) = text.split_once(self.marks) else { return false };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let (least, most) = self.colons;
        (least..=most).contains(&seconds.matches(':').count())
            && seconds.split(':').all(is_number)
            && is_number(milliseconds)
    }

    fn fault(self, line: &str, start: usize, end: usize) -> Fault {
        let found = match line[start..end].trim() {
            "" => "nothing".to_owned(),
            found => format!("\"{}\"", shortened(found)),
        };
        Fault {
            at: start,
            problem: format!("found {found}, but a timing is expected, such as {}", self.example),
        }
    }
}

/// What goes on from line to line of the text of cues.
#[derive(Debug, Default)]
pub(super) struct Cues {
    /// What parts the next word from the last.
    before: Option<Break>,
    /// The bracket that ends an event that goes on.
    event: Option<char>,
    /// Who spoke last, where voices are named.
    voice: String,
}

impl Cues {
    /// Begins a cue.
    pub(super) fn begin(&mut self) {
        self.before = self.before.max(Some(Break::Cue));
        self.event = None;
    }

    /// Says that somebody else speaks in the next.
    pub(super) fn turn(&mut self) {
        self.before = self.before.max(Some(Break::Turn));
    }

    /// Takes a line of a cue.
    pub(super) fn line(&mut self, line: &str, parts: &mut Parts) {
        // Most lines hold nothing else than words.
        let odd = |b: u8| matches!(b, b'<' | b'>' | b'{' | b'[' | b'(' | b'&');
        let is_plain = line.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
        if is_plain && self.event.is_none() && !line.bytes().any(odd) {
            return parts.push(0..line.len(), self.before.take());
        }
        let mut opens = true;
        let (mut start, mut at) = (0, 0);
        while at < line.len() {
            let Some((len, before)) = self.blank(line, at, opens) else {
                let c = line[at..].chars().next().unwrap_or(' ');
                opens &= c.is_whitespace();
                at += c.len_utf8();
                continue;
            };
            self.push(line, start..at, parts);
            self.before = self.before.max(before);
            opens |= before.is_some();
            at += len;
            start = at;
        }
        self.push(line, start..at, parts);
    }

    fn push(&mut self, line: &str, part: Range<usize>, parts: &mut Parts) {
        if !line[part.clone()].trim().is_empty() {
            parts.push(part, self.before.take());
        }
    }

    /// How much of what stands at byte `at` is no text, and whether the speaker changes there. `opens` where nothing but that
    /// stands before it on the line.
    fn blank(&mut self, line: &str, at: usize, opens: bool) -> Option<(usize, Option<Break>)> {
        let rest = &line[at..];
        if let Some(close) = self.event {
            let end = rest.find(close).map(|len| len + close.len_utf8());
            self.event = self.event.filter(|_| end.is_none());
            return Some((end.unwrap_or(rest.len()), None));
        }
        match rest.as_bytes()[0] {
            b'<' | b'{' => {
                let len = tag_len(rest)?;
                Some((len, self.voice(&rest[..len]).then_some(Break::Turn)))
            }
            b'>' | b'&' => ["&quot;", "&nbsp;", "&lrm;", "&rlm;"]
                .iter()
                .find(|entity| rest.starts_with(**entity))
                .map(|entity| (entity.len(), None))
                .or_else(|| {
                    let is_apart = line[..at].chars().next_back().is_none_or(char::is_whitespace);
                    let marks = [">>>", ">>", "&gt;&gt;"];
                    let mark = marks.iter().find(|mark| rest.starts_with(**mark))?;
                    (opens || is_apart).then_some((mark.len(), Some(Break::Turn)))
                }),
            b'[' | b'(' if rest.starts_with('[') || opens || is_aside(&line[..at], rest) => {
                self.event = Some(if rest.starts_with('[') { ']' } else { ')' });
                self.blank(line, at, opens)
            }
            _ if opens => dash_len(rest).map(|len| (len, Some(Break::Turn))),
            _ => None,
        }
    }

    /// Notes who speaks, and whether that is somebody else: `<v Ana>`, `<v.loud Ana>`.
    fn voice(&mut self, tag: &str) -> bool {
        let Some(rest) = tag.strip_prefix("<v") else { return false };
        if !rest.starts_with(['.', ' ', '\t']) {
            return false;
        }
        let name = rest.trim_end_matches('>').split_once([' ', '\t']).map_or("", |(_, name)| name.trim());
        let changes = self.voice != name;
        if changes {
            name.clone_into(&mut self.voice);
        }
        changes
    }
}

/// How long the mark-up at the beginning of the text is, `<i>`, `</v>`, `<00:01.000>` or `{\an8}`, if it begins with any.
fn tag_len(text: &str) -> Option<usize> {
    let opens = |c: char| c.is_alphanumeric() || matches!(c, '/' | '!');
    let close = match text.strip_prefix('<') {
        Some(rest) if rest.starts_with(opens) => '>',
        None if text[1..].starts_with('\\') => '}',
        _ => return None,
    };
    let mut inside = text.char_indices().skip(1).take(MAX_TAG);
    inside.find(|&(_, c)| c == close || c == '<').filter(|&(_, c)| c == close).map(|(at, _)| at + 1)
}

/// Whether what stands in parentheses at the beginning of `rest` is an event between sentences: `Yes. (laughs) So what?`
fn is_aside(before: &str, rest: &str) -> bool {
    let Some((inside, _)) = rest[1..].split_once(')') else { return false };
    before.trim_end().ends_with(is_end_mark)
        && !inside.contains(is_end_mark)
        && inside.split_whitespace().nth(LONGEST_ASIDE).is_none()
}

/// How long the dash at the beginning of the text is, if it says that somebody else speaks. Two dashes say that somebody goes on, and
/// a dash before a digit is a minus.
fn dash_len(text: &str) -> Option<usize> {
    let dash = |c: &char| matches!(c, '-' | '–' | '—' | '‐');
    let first = text.chars().next().filter(dash)?;
    let next = text[first.len_utf8()..].chars().next()?;
    (!dash(&next) && !next.is_numeric()).then_some(first.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts that are text, with a stroke before those of another speaker.
    fn parts(lines: &[&str]) -> Vec<String> {
        let mut cues = Cues::default();
        cues.begin();
        let mut found = Vec::new();
        for line in lines {
            let mut parts = Parts::default();
            cues.line(line, &mut parts);
            found.extend(parts.iter().map(|(part, before)| {
                let turn = if before == Some(Break::Turn) { "|" } else { "" };
                format!("{turn}{}", line[part].trim())
            }));
        }
        found
    }

    #[test]
    fn words_stand_between_tags_and_events() {
        assert_eq!(
            parts(&["so <i>we</i> met {\\an8}here [laughs] & there"]),
            ["so", "we", "met", "here", "& there"]
        );
        assert_eq!(
            parts(&["(music) i < you.", "it (too) is. (laughs) so [door", "slams] open"]),
            ["i < you.", "it (too) is.", "so", "open"]
        );
        assert_eq!(parts(&["[only]", "♪ la la ♪", "&quot;no.&quot;"]), ["♪ la la ♪", "no."]);
    }

    #[test]
    fn a_dash_or_a_voice_is_another_speaker() {
        assert_eq!(
            parts(&["- who is it?", "<i>– me.</i>", "--and then", "-5 degrees"]),
            ["|who is it?", "|me.", "--and then", "-5 degrees"]
        );
        assert_eq!(
            parts(&["<v Ana>yes</v> <v Ana>and", "<v.loud Rui Reis>no", ">> so what >> that"]),
            ["|yes", "and", "|no", "|so what", "|that"]
        );
    }
}
