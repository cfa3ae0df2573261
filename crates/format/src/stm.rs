//! `.stm`, NIST's format of references: one segment of a recording per line.
//!
//! `file channel speaker begin end [<label>] text`; `;;` begins a comment. Only the first of several alternatives in
//! braces is read, as in [`words`](super::transcript::words()). A segment whose text is
//! `ignore_time_segment_in_scoring` has no words.

use std::collections::VecDeque;
use std::ops::Range;

use super::ctm::{exact_seconds, name_or_none, named, parted};
use super::grammar::Grammar;
use super::info::FormatInfo;
use super::kind::{Format, FormatFamily};
use super::line_parts::LineParts;
use super::pauses::Pauses;
use super::segment::{
    self, BlockKind, Item, LocatedItem, LossKind, Losses, Lost, Segment, SegmentInfo, SegmentTag,
    UnspokenBlock,
};
use super::transcript::{
    Fault, TranscriptPiece, Utterance, fields, is_event, is_no_word, is_silent, pieces, seconds, shortened,
    too_few, words,
};
use majuscule_text::{Break, MarkForm, RestoreOptions};

/// NIST's references.
pub(super) const STM: FormatInfo = FormatInfo {
    example: "a 1 ána 0.5 3 <o,f0,female> Good { day / night / @ } met .\r\na 1 x 3 4 ignore_time_segment_in_scoring\n;; x\nb 2 rui 0 1\n",
    shown: ".stm",
    family: FormatFamily::Transcript,
    extensions: &["stm"],
    grammar: Some(|_| Ok(Box::new(StmReader::default()))),
    mark_form: |asked| Ok(asked.unwrap_or(MarkForm::Joined)),
    has_pauses: true,
    has_utterances: true,
    is_cut_by_lines: true,
    has_speakers: true,
    has_categories: true,
    segments: Some(&STM_TURNS),
    ..FormatInfo::LINES
};

/// Turns of a recording.
static STM_TURNS: SegmentInfo = SegmentInfo {
    format: Format::Stm,
    unit: "segment",
    blocks: &[BlockKind::Comment],
    parts: &[
        LossKind::Recording,
        LossKind::Channel,
        LossKind::Speaker,
        LossKind::Times,
        LossKind::Label,
        LossKind::Tags,
    ],
    has_times: true,
    writer: Ok(|| Box::new(StmWriter)),
    ..SegmentInfo::LINES
};

/// Returns true for the text of a segment that is not transcribed,
/// `ignore_time_segment_in_scoring`: NIST's filters remove such lines.
fn is_ignored(text: &str) -> bool {
    text.trim().replace('_', "").eq_ignore_ascii_case("ignoretimesegmentinscoring")
}

/// A line: the positions of its fields, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StmLine {
    /// The recording.
    pub file: Range<usize>,
    /// The channel of the recording.
    pub channel: Range<usize>,
    /// The speaker.
    pub speaker: Range<usize>,
    /// The begin time of the segment, in seconds.
    pub begin: Range<usize>,
    /// The end time of the segment, in seconds.
    pub end: Range<usize>,
    /// The category for scoring: `<o,f0,male>`.
    pub label: Option<Range<usize>>,
    /// The words.
    pub words: Vec<Range<usize>>,
    /// The whole text, with all alternatives.
    pub pieces: Vec<TranscriptPiece>,
    /// True if the speech is not transcribed and not to be scored.
    pub is_ignored: bool,
}

/// Reads a line; `None` for an empty line or a comment.
///
/// # Errors
/// Fails if the line has fewer than five fields, if its times are not numbers or the end comes
/// before the beginning, or if a brace has no partner.
pub fn row(line: &str) -> Result<Option<StmLine>, Fault> {
    if is_silent(line) {
        return Ok(None);
    }
    let mut positions = fields(line, 0);
    let first: Vec<Range<usize>> = positions.by_ref().take(5).collect();
    let Ok([file, channel, speaker, begin, end]) = <[_; 5]>::try_from(first) else {
        let expected = "file channel speaker begin end <label> text";
        return Err(too_few(line, fields(line, 0).count(), expected));
    };
    if seconds(line, &end, "end")? < seconds(line, &begin, "beginning")? {
        let [from, to] = [&begin, &end].map(|field| shortened(&line[field.clone()]));
        let problem = format!("found the end {to} before the beginning {from}, but it is expected after it");
        return Err(Fault { at: end.start, problem });
    }
    let label = positions.next().filter(|field| is_event(&line[field.clone()]));
    let text = label.as_ref().unwrap_or(&end).end;
    let is_ignored = is_ignored(&line[text..]);
    let pieces = if is_ignored { Vec::new() } else { pieces(line, text)? };
    let words = words(line, &pieces);
    Ok(Some(StmLine { file, channel, speaker, begin, end, label, words, pieces, is_ignored }))
}

/// Reads references. Each recording is a separate text, each segment is a cue, and a turn begins where the channel or
/// the speaker changes. Braces, all alternatives but the first, events, and the text of an ignored segment are tags.
#[derive(Debug, Default)]
struct StmReader {
    /// The recording, channel and speaker of the last segment.
    last: [String; 3],
    pauses: Pauses,
}

impl Grammar for StmReader {
    fn prepare(&mut self, options: &RestoreOptions) {
        self.pauses = Pauses::of(options);
    }

    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let Some(row) = row(line)? else { return Ok(()) };
        let mut words = row.words.into_iter().filter(|word| !is_no_word(&line[word.clone()]));
        let Some(first) = words.next() else { return Ok(()) };
        let now = [row.file, row.channel, row.speaker].map(|field| &line[field]);
        let time = |position| exact_seconds(line, position).ok();
        let pause = self.pauses.before(|| time(&row.begin).zip(time(&row.end)));
        parts.push(first, parted(&mut self.last, now).max(pause).or(Some(Break::Cue)));
        words.for_each(|word| parts.push(word, None));
        Ok(())
    }

    fn utterance<'a>(&self, line: &'a str) -> Result<Option<Utterance<'a>>, Fault> {
        let Some(row) = row(line)? else { return Ok(None) };
        Ok(Some(Utterance {
            recording: Some(format!("{} {}", &line[row.file.clone()], &line[row.channel.clone()])),
            speaker: Some(&line[row.speaker.clone()]),
            categories: row.label.clone().map_or_else(Vec::new, |label| categories(&line[label])),
            times: Some((seconds(line, &row.begin, "beginning")?, seconds(line, &row.end, "end")?)),
            is_segment: true,
            is_ignored: row.is_ignored,
            ..Utterance::of(line, &row.pieces)
        }))
    }

    fn items(&mut self, line: &str, number: u64, out: &mut VecDeque<LocatedItem>) -> Result<(), Fault> {
        if let Some(block) = UnspokenBlock::comment(line, ";;") {
            out.push_back(LocatedItem::new(Item::Block(block), line, number, Vec::new()));
        }
        let Some(row) = row(line)? else { return Ok(()) };
        let mut segment = Segment {
            recording: named(&line[row.file.clone()]),
            channel: named(&line[row.channel.clone()]),
            speaker: named(&line[row.speaker.clone()]),
            begin: Some(exact_seconds(line, &row.begin)?),
            end: Some(exact_seconds(line, &row.end)?),
            label: row.label.clone().map(|label| line[label].to_owned()),
            ..Segment::default()
        };
        let mut parts = vec![
            (LossKind::Recording, row.file.start),
            (LossKind::Channel, row.channel.start),
            (LossKind::Speaker, row.speaker.start),
            (LossKind::Times, row.begin.start),
        ];
        parts.extend(row.label.iter().map(|label| (LossKind::Label, label.start)));
        let text = row.label.as_ref().unwrap_or(&row.end).end;
        parts.extend(fields(line, text).next().map(|first| (LossKind::Text, first.start)));
        let positions = positions(line, text, &row.pieces, row.is_ignored);
        let tags = read_text(line, positions, &row.words, &mut segment);
        parts.extend(tags.into_iter().map(|at| (LossKind::Tags, at)));
        out.push_back(LocatedItem::new(Item::Segment(segment), line, number, parts));
        Ok(())
    }
}

/// Returns the categories of a label: `o`, `f0` and `male` of `<o,f0,male>`.
fn categories(label: &str) -> Vec<&str> {
    let inside = label.trim_start_matches('<').trim_end_matches('>');
    inside.split(',').map(str::trim).filter(|category| !category.is_empty()).collect()
}

/// Returns the positions of the pieces of the text that begins after byte `from`, also in an ignored
/// segment.
fn positions(line: &str, from: usize, pieces: &[TranscriptPiece], is_ignored: bool) -> Vec<Range<usize>> {
    match is_ignored {
        true => fields(line, from).collect(),
        false => pieces.iter().map(|piece| piece.position.clone()).collect(),
    }
}

/// Reads the text whose pieces, including its words, are at `positions`, and returns the positions of the tags. Each
/// tag is placed directly after the word before it.
fn read_text(
    line: &str,
    positions: Vec<Range<usize>>,
    words: &[Range<usize>],
    segment: &mut Segment,
) -> Vec<usize> {
    let mut tags = Vec::new();
    let mut words = words.iter().peekable();
    let mut at = 0;
    for position in positions {
        let text = &line[position.clone()];
        if words.next_if(|word| **word == position).is_some() {
            let space = if segment.text.is_empty() { "" } else { " " };
            segment.text.extend([space, text]);
            at += space.len() + text.chars().count();
            continue;
        }
        match segment.tags.last_mut().filter(|tag| tag.at == at) {
            Some(tag) => tag.tag.extend([" ", text]),
            None => {
                segment.tags.push(SegmentTag { at, tag: text.to_owned() });
                tags.push(position.start);
            }
        }
    }
    tags
}

/// Writes references segment by segment.
#[derive(Debug)]
struct StmWriter;

impl segment::SegmentWriter for StmWriter {
    fn conform(&mut self, mut segment: Segment, losses: &mut Losses) -> Result<Vec<Segment>, Lost> {
        let is_own = losses.is_own();
        segment.keep(losses.to.parts, losses)?;
        segment.keep_tags(|_| is_own, losses)?;
        segment.join_speaker("_", losses)?;
        if let Some(label) =
            segment.label.take_if(|label| !is_event(label) || label.contains(char::is_whitespace))
        {
            losses.drop_part(
                LossKind::Label,
                format_args!("the label \"{}\", which is not in <>,", shortened(&label)),
            )?;
        }
        segment.even(losses)?;
        segment.times(losses)?;
        let text = text(&segment);
        let mut again = Segment::default();
        let is_ignored = is_ignored(&text);
        let pieces = if is_ignored { Vec::new() } else { pieces(&text, 0).unwrap_or_default() };
        let words = words(&text, &pieces);
        read_text(&text, positions(&text, 0, &pieces, is_ignored), &words, &mut again);
        let is_label =
            segment.label.is_none() && fields(&text, 0).next().is_some_and(|first| is_event(&text[first]));
        if is_label || (&again.text, &again.tags) != (&segment.text, &segment.tags) {
            let problem = "found words that would be read as alternatives, events or a label in .stm";
            return Err(losses.reject(LossKind::Text, problem));
        }
        Ok(vec![segment])
    }

    fn write(&mut self, item: &Item, out: &mut String) {
        let segment = match item {
            Item::Block(block) => return segment::write_comment(block, ";;", out),
            Item::Segment(segment) => segment,
        };
        let names = [&segment.recording, &segment.channel, &segment.speaker].map(name_or_none).join(" ");
        let [begin, end] = [segment.begin, segment.end].map(|time| time.unwrap_or_default().seconds(2));
        let label: String = segment.label.iter().flat_map(|label| [" ", label]).collect();
        let text = text(segment);
        let space = if text.is_empty() { "" } else { " " };
        out.push_str(&format!("{names} {begin} {end}{label}{space}{text}\n"));
    }
}

/// Returns the words and the tags of a segment, with spaces between them.
fn text(segment: &Segment) -> String {
    let mut spaced = segment.clone();
    for tag in &mut spaced.tags {
        tag.tag = format!(" {} ", tag.tag);
    }
    let marked = spaced.marked(|c, out| out.push(c));
    fields(&marked, 0).map(|field| &marked[field]).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case_laws::{check_cases, error, starts, words};

    #[test]
    fn sentences_run_on_from_segment_to_segment() {
        let file = "a 1 ana 0 1 <o,f0,female> so { we / they } met.\na 1 ana 1 2 then rui\r\na 1 ana 2 3 left. [noise] he\n\
                    ;; x\na 1 rui 3 4 ignore_time_segment_in_scoring\na 1 rui 4 5 no\nb 1 rui 0 1 yes.";
        assert_eq!(words(Format::Stm, file), ["so", "we", "met", "then", "rui", "left", "he", "no", "yes"]);
        assert_eq!(starts(Format::Stm, file), ["so", "then", "he", "no", "yes"]);
        check_cases(Format::Stm, file);
        let found = error(Format::Stm, "a 1 ana 0 1 so\na 1 ana 2 1 we\n");
        assert!(found.starts_with("data, line 2, column 11: found the end 1 before"), "{found}");
    }

    #[test]
    fn a_line_is_a_segment() {
        let line = "talk 1 Ana_Reis 0.5 3 <o,f0,female> So, { in / on } Lisbon.";
        let row = row(line).unwrap().unwrap();
        let parts = [row.file, row.channel, row.speaker, row.begin, row.end, row.label.unwrap()];
        assert_eq!(parts.map(|part| &line[part]), ["talk", "1", "Ana_Reis", "0.5", "3", "<o,f0,female>"]);
        let words: Vec<&str> = row.words.into_iter().map(|word| &line[word]).collect();
        assert_eq!(words, ["So,", "in", "Lisbon."]);
        assert!(super::row("talk 1 x 0 1 Yes").unwrap().unwrap().words.contains(&(13..16)));
        assert!(super::row("talk 1 x 0 1").unwrap().unwrap().words.is_empty());
        assert_eq!(super::row(";; talk"), Ok(None));
    }

    #[test]
    fn a_segment_that_is_ignored_has_no_words() {
        for line in
            ["t 1 x 0 1 ignore_time_segment_in_scoring", "t 1 x 0 1 <o> IGNORE_TIME_SEGMENT_IN_SCORING"]
        {
            let row = row(line).unwrap().unwrap();
            assert!(row.is_ignored && row.words.is_empty(), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_position() {
        for (line, at, problem) in [
            ("talk 1 ana 0.5", 14, "found 4 fields, but a line is expected to be file channel speaker"),
            ("talk 1 ana x 1 Yes", 11, "found \"x\", but the beginning in seconds"),
            ("talk 1 ana -1 1 Yes", 11, "found \"-1\", but the beginning in seconds"),
            ("talk 1 ana 2 1 Yes", 13, "found the end 1 before the beginning 2"),
            ("talk 1 ana 1 2 { Yes", 15, "found { without its }"),
        ] {
            let fault = row(line).unwrap_err();
            assert_eq!(fault.at, at, "{line}");
            assert!(fault.problem.starts_with(problem), "{}", fault.problem);
        }
    }
}
