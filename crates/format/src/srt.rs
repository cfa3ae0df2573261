//! `.srt`, SubRip's subtitles: a number, a timing, lines of text, an empty line.

use super::cue::{self, CueLines, LineKind, Subtitles, Times};
use super::head::FileHead;
use super::info::FormatInfo;
use super::kind::{Format, FormatFamily};
use super::segment::{self, Item, LossKind, Losses, Lost, Segment, SegmentInfo};
use super::transcript::{Fault, shortened};

/// SubRip subtitles.
pub(super) const SRT: FormatInfo = FormatInfo {
    example: "\u{feff}1\r\n00:00:01,000 --> 00:00:02,500\r\n{\\an8}the <i>bbc</i> met\r\nin NEW york. who?\r\n\r\n2\n0:01.5 --> 0:00.0 X1:1\n\
              - (sighs) ebay &amp; o'neill\n- WHO [laughs] who\n\n3\n00:00:05,000 --> 00:00:06,000\n\n4\n00:00:05,000 --> 00:00:06,000\n\
              00:00:05,000 --> 00:00:06,000\nİstanbul ȺȾ u.s. ♪\n",
    shown: ".srt",
    family: FormatFamily::Subtitles,
    extensions: &["srt"],
    media_types: &["application/x-subrip", "application/srt", "text/srt"],
    begins: Some(begins),
    grammar: Some(|_| Ok(Box::new(CueLines::<SrtLines>::default()))),
    names_speakers: true,
    has_pauses: true,
    runs_on: true,
    segments: Some(&SRT_CUES),
    ..FormatInfo::LINES
};

/// Returns true if a file begins with a cue: its number, if it has one, and its times.
fn begins(head: FileHead<'_>) -> Option<bool> {
    let FileHead { text: head, ended, .. } = head;
    if !head.first().is_some_and(u8::is_ascii_digit) {
        return Some(false);
    }
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
            return ended.then_some(false);
        }
        if len == 0 && sign != " " {
            return Some(false);
        }
        at += len;
    }
    Some(true)
}

/// Cues with numbers.
static SRT_CUES: SegmentInfo = SegmentInfo {
    format: Format::Srt,
    unit: "cue",
    parts: &[LossKind::Id, LossKind::Times, LossKind::Breaks, LossKind::Tags, LossKind::Coordinates],
    has_times: true,
    rolls_up: true,
    writer: Ok(|| Box::new(SrtWriter::default())),
    ..SegmentInfo::LINES
};

const TIMES: Times = Times { marks: b",.", has_fraction: false, example: "00:00:01,000 --> 00:00:02,500" };

/// The state that determines the kinds of lines.
#[derive(Debug, Default)]
struct SrtLines {
    at: SrtPosition,
    /// True after the first cue: the text of a cue may continue after an empty line.
    goes_on: bool,
}

/// The position of the next line in a cue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SrtPosition {
    /// Before a cue.
    #[default]
    Between,
    /// After the number of a cue.
    Numbered,
    /// In the text of a cue.
    Text,
    /// In lines that cannot be read.
    Passed,
}

impl Subtitles for SrtLines {
    fn needs_next(&self, line: &[u8]) -> bool {
        // If the empty line before a cue is missing, the number of the cue is in the text of the previous cue.
        let may_be_number = self.at == SrtPosition::Between && self.goes_on || self.at == SrtPosition::Text;
        may_be_number && cue::is_digits(line.trim_ascii())
    }

    fn says(&mut self, line: &str, next: &str) -> Result<LineKind, Fault> {
        let is_empty = cue::is_empty(line);
        // Inside a text, a line that looks like a timing may be one if the empty line before it is missing: in any
        // case, it has no letters.
        if Times::may_be(line)
            && (self.at == SrtPosition::Between
                || self.at == SrtPosition::Numbered
                || TIMES.read(line).is_ok())
        {
            let timing = TIMES.read(line)?;
            self.at = SrtPosition::Text;
            self.goes_on = true;
            return Ok(LineKind::Timing(timing));
        }
        match self.at {
            SrtPosition::Numbered => return TIMES.read(line).map(LineKind::Timing),
            _ if is_empty => self.at = SrtPosition::Between,
            SrtPosition::Text if is_number(line) && TIMES.read(next).is_ok() => {
                self.at = SrtPosition::Numbered;
                return Ok(LineKind::Name);
            }
            SrtPosition::Text => return Ok(LineKind::Text),
            SrtPosition::Passed => {}
            // A number without a timing after it is in the text of a cue, or its timing is missing.
            SrtPosition::Between if is_number(line) && (!self.goes_on || Times::may_be(next)) => {
                self.at = SrtPosition::Numbered;
                return Ok(LineKind::Name);
            }
            SrtPosition::Between if self.goes_on => {
                self.at = SrtPosition::Text;
                return Ok(LineKind::Text);
            }
            SrtPosition::Between => {
                let problem = format!(
                    "found \"{}\", but the number of a cue is expected, such as 12",
                    shortened(line.trim())
                );
                return Err(Fault { at: line.len() - line.trim_start().len(), problem });
            }
        }
        Ok(LineKind::Nothing)
    }

    fn pass(&mut self, is_empty: bool) {
        self.at = if is_empty { SrtPosition::Between } else { SrtPosition::Passed };
        self.goes_on = false;
    }

    fn is_between(&self) -> bool {
        // The text may continue after an empty line, but not after a number.
        self.at == SrtPosition::Numbered || self.at == SrtPosition::Between && !self.goes_on
    }

    fn ended(&self) -> Result<(), String> {
        match self.at {
            SrtPosition::Numbered => {
                Err(format!("found the end of the file, but a timing is expected, such as {}", TIMES.example))
            }
            _ => Ok(()),
        }
    }

    fn settings(segment: &mut Segment) -> (LossKind, &mut Option<String>) {
        (LossKind::Coordinates, &mut segment.coordinates)
    }

    /// Only tags that players know count; other text in `<>` is shown.
    fn tag_len(text: &str) -> Option<usize> {
        let len = text.starts_with(['<', '{']).then(|| cue::tag_len(text)).flatten()?;
        let name = text[1..len - 1].trim_start_matches('/').split_whitespace().next().unwrap_or_default();
        let known = ["i", "b", "u", "s", "font"].iter().any(|tag| name.eq_ignore_ascii_case(tag));
        (known || text.starts_with('{')).then_some(len)
    }

    fn escaped(_: &str) -> Option<(usize, char)> {
        None
    }
}

/// Returns true if a line may be the number of a cue.
fn is_number(line: &str) -> bool {
    cue::is_digits(cue::trim(line).as_bytes())
}

/// Writes subtitles cue by cue. A cue without a number gets its position in the file as its number.
#[derive(Debug, Default)]
struct SrtWriter {
    cues: u64,
}

impl segment::SegmentWriter for SrtWriter {
    fn conform(&mut self, mut segment: Segment, losses: &mut Losses) -> Result<Vec<Segment>, Lost> {
        if let Some(id) = segment.id.take_if(|id| !cue::is_digits(id.as_bytes())) {
            losses.drop_part(
                LossKind::Id,
                format_args!("the identifier \"{}\", which is not a number,", shortened(&id)),
            )?;
        }
        cue::conform::<SrtLines>(&mut segment, text, losses)?;
        self.cues += 1;
        segment.id.get_or_insert_with(|| self.cues.to_string());
        Ok(vec![segment])
    }

    fn write(&mut self, item: &Item, out: &mut String) {
        let Item::Segment(segment) = item else { return };
        cue::write(segment, &segment.coordinates, ',', &text(segment), out);
    }
}

fn text(segment: &Segment) -> String {
    segment.marked(|c, out| out.push(c))
}
