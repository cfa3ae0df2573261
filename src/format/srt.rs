//! `.srt`, SubRip's subtitles: a number, a timing, lines of text, an empty line.

use super::cue::{self, CueLines, LineKind, Subtitles, Times};
use super::head::FileHead;
use super::info::{FormatInfo, ItemSource};
use super::kind::{Format, FormatFamily};
use super::segment::{self, Item, LossKind, Losses, Lost, Segment, SegmentInfo};
use super::transcript::{Fault, shortened};

/// SubRip subtitles.
pub(super) const SRT: FormatInfo = FormatInfo {
    format: Format::Srt,
    name: "srt",
    help: "SubRip subtitles",
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
    items: Some(ItemSource::Lines(|_| Ok(Box::new(CueLines::<SrtLines>::default())))),
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

const TIMES: Times =
    Times { colons: (1, 2), marks: b",.", has_fraction: false, example: "00:00:01,000 --> 00:00:02,500" };

/// The state that tells the kinds of lines.
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
        // With the empty line before it missing, the number of a cue stands in the text of another.
        let may_be_number = self.at == SrtPosition::Between && self.goes_on || self.at == SrtPosition::Text;
        may_be_number && cue::is_digits(line.trim_ascii())
    }

    fn says(&mut self, line: &str, next: &str) -> Result<LineKind, Fault> {
        let is_empty = cue::is_empty(line);
        // In text, a line that looks like a timing may be one, with the empty line before it
        // missing: it has no letters either way.
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

    /// Only the tags that players know; other text in `<>` is shown.
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

/// Subtitles, written cue by cue. A cue without a number gets its position in the file.
#[derive(Debug, Default)]
struct SrtWriter {
    cues: u64,
}

impl segment::SegmentWriter for SrtWriter {
    fn conform(
        &mut self,
        mut segment: Segment,
        losses: &mut Losses,
        out: &mut Vec<Item>,
    ) -> Result<(), Lost> {
        if let Some(id) = segment.id.take_if(|id| !cue::is_digits(id.as_bytes())) {
            losses.drop_part(
                LossKind::Id,
                0,
                format_args!("the identifier \"{}\", which is no number,", shortened(&id)),
            )?;
        }
        cue::conform::<SrtLines>(&mut segment, text, losses)?;
        self.cues += 1;
        segment.id.get_or_insert_with(|| self.cues.to_string());
        out.push(Item::Segment(segment));
        Ok(())
    }

    fn write(&mut self, item: &Item, out: &mut String) {
        let Item::Segment(segment) = item else { return };
        cue::write(segment, &segment.coordinates, ',', &text(segment), out);
    }
}

fn text(segment: &Segment) -> String {
    segment.marked(|c, out| out.push(c))
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::laws::{self, check, error, pieces, starts, words};
    use majuscule_text::RestoreOptions;

    const FILE: &str = "\u{feff}1\r\n00:00:01,000 --> 00:00:02,500\r\nso <i>ana</i> said\r\nthat we go. and\r\n\r\n\
                        2\n0:00:02.5 --> 00:00:01,000 X1:40\n{\\an8}then we went. [laughs]\n\n\
                        3\n00:00:05,000 --> 00:00:06,000\n\n\
                        4\n00:00:05,000 --> 00:00:06,000\n- who?\n- (sighs) me &amp; you\n00:00:01,000 --> 00:00:02,500";

    #[test]
    fn sentences_run_on_from_cue_to_cue() {
        assert_eq!(
            words(Format::Srt, FILE),
            ["so", "ana", "said", "that", "we", "go", "and", "then", "we", "went", "who", "me", "you"]
        );
        assert_eq!(starts(Format::Srt, FILE), ["so", "and", "who", "me"]);
        check(Format::Srt, FILE);
    }

    #[test]
    fn empty_lines_may_stand_in_a_cue_and_be_missing_between_two() {
        let timing = "00:00:01,000 --> 00:00:02,500";
        let file = format!(
            "1\n{timing}\n\nso it\n \t\nwas. and\n\u{a0}\n2\n{timing}\nthen\n\n\n3\n{timing}\n7\n4\n{timing}\nno\n\n"
        );
        assert_eq!(words(Format::Srt, &file), ["so", "it", "was", "and", "then", "7", "no"]);
        check(Format::Srt, &file);
    }

    #[test]
    fn what_cannot_be_read_is_named_or_passed() {
        let good = "1\n00:00:01,000 --> 00:00:02,500\nyes\n\n";
        let nothing = error(Format::Srt, "\nso\n");
        assert!(
            nothing.starts_with("data, line 2, column 1: found \"so\", but the number of a cue is expected"),
            "{nothing}"
        );
        for (file, start) in [
            (
                "2\nso\n",
                "data, line 2, column 1: found \"so\", but a timing is expected, such as 00:00:01,000",
            ),
            ("2\n\n", "data, line 2, column 1: found nothing, but a timing"),
            ("2", "data, line 2, column 1: found the end of the file, but a timing"),
        ] {
            let error = error(Format::Srt, file);
            assert!(error.starts_with(start) && error.ends_with("`lossy`"), "{error}");
        }
        for (text, start) in [
            ("2\n00:00:01,000 --> 00:0", "data, line 6, column 18: found \"00:0\", but a timing"),
            ("2\n00:00:01,000 -->", "data, line 6, column 17: found nothing, but a timing"),
            ("00:00:01,000 -->", "data, line 5, column 17: found nothing, but a timing"),
        ] {
            let text = format!("{good}{text}");
            let error = error(Format::Srt, &text);
            assert!(error.starts_with(start) && error.ends_with("`lossy`"), "{error}");
            assert_eq!(words(Format::Srt, &format!("{text}\n\n{good}")), ["yes", "yes"]);
        }
    }

    #[test]
    fn text_does_not_wait_once_its_cue_has_ended_for_certain() {
        let cue = "1\n00:00:01,000 --> 00:00:02,500\nyes\n\n";
        let passed = format!("{cue}2\n00:00:01,000 -->\n\n");
        let options = RestoreOptions::default().lossy(true);
        let file = format!("{passed}{cue}");
        let mut at = 0;
        let mut ends = |len: usize| {
            at += len;
            at
        };
        let pieces = pieces(Format::Srt, file.as_bytes(), 1, options).unwrap();
        assert!(pieces.iter().any(|piece| ends(piece.bytes().len()) == passed.len()));
    }

    /// Returns the parts of a file that is read without an error.
    fn read(file: &str) -> Vec<String> {
        assert!(
            pieces(Format::Srt, file.as_bytes(), usize::MAX, RestoreOptions::default()).is_ok(),
            "{file}"
        );
        check(Format::Srt, file);
        words(Format::Srt, file)
    }

    #[test]
    fn times_need_no_fraction() {
        let file = "1\n00:00:01 --> 00:00:02,5 X1:4\nso\n\n2\n0:03 --> 0:04\nyes\n";
        assert_eq!(read(file), ["so", "yes"]);
    }

    #[test]
    fn a_number_without_a_timing_is_text_of_the_cue_before() {
        let timing = "00:00:01,000 --> 00:00:02,500";
        let cue = |text: &str| format!("1\n{timing}\n{text}\n\n");
        let file = cue("so it was in.") + "2001\nwas the year.\n\n" + &cue("no");
        assert_eq!(read(&file), ["so", "it", "was", "in", "2001", "was", "the", "year", "no"]);
        assert_eq!(starts(Format::Srt, &file), ["so", "2001", "no"]);
        assert_eq!(read(&(cue("so") + "2\nno\n\n" + &cue("yes"))), ["so", "2", "no", "yes"]);
        assert_eq!(read(&(cue("so") + "2\n\n\n3")), ["so", "2", "3"]);
    }

    #[test]
    fn two_byte_order_marks_are_none() {
        for file in ["1\n00:00:01,000 --> 00:00:02,000\nyes\n\n", "00:00:01,000 --> 00:00:02,000\nyes\n\n"] {
            let marked = format!("\u{feff}\u{feff}{file}");
            assert_eq!(read(&marked), ["yes"]);
        }
    }

    #[test]
    fn each_cue_opens_a_line() {
        let srt = "1\n00:00:01,000 --> 00:00:02,000\nwe met\nin rome\n\n2\n00:00:03,000 --> 00:00:04,000\nand left\n";
        let pieces = pieces(Format::Srt, srt.as_bytes(), usize::MAX, RestoreOptions::default()).unwrap();
        let words = pieces.iter().flat_map(|piece| piece.tokens.iter());
        let opening: Vec<&str> = words.filter(|(_, word)| word.opens).map(|(lower, _)| lower).collect();
        assert_eq!(opening, ["we", "and"]);
    }

    #[test]
    fn marks_are_put_between_the_words_of_a_line() {
        let file = "1\n00:00:01,000 --> 00:00:02,500\nso we met\n";
        let options = RestoreOptions::default().marks(",".parse().unwrap());
        let marked = laws::marked(Format::Srt, file.as_bytes(), usize::MAX, &laws::Counting::new(), &options);
        let text = String::from_utf8(marked).unwrap().to_lowercase();
        assert!(text.contains("\nso, we, met"), "{text}");
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_or_passed() {
        let file = format!("1\n00:00:01,000 --> 00:00:02,500\n{}\n", "so ".repeat(30_000));
        let found = error(Format::Srt, &file);
        let start = "data, line 3, column 1: found a line of more than 65536 characters";
        assert!(found.starts_with(start), "{found}");
        assert!(words(Format::Srt, &file).is_empty());
    }
}
