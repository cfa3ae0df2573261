//! `.ctm`, NIST's format of recogniser output: one word per line, with its times.
//!
//! `file channel begin duration word [confidence [type [speaker]]]`; `;;` begins a comment. Alternatives are between
//! lines whose words are `<ALT_BEGIN>`, `<ALT>` and `<ALT_END>`; only the first alternative is read. Events in `<>`
//! and entries of the types `non-lex`, `misc` and `noscore` are not words.

use std::collections::VecDeque;
use std::ops::Range;

use super::grammar::{Grammar, read_record};
use super::info::FormatInfo;
use super::kind::{Format, FormatFamily};
use super::line_parts::LineParts;
use super::mark_rows::{MarkRows, is_mark, no_form};
use super::pauses::Pauses;
use super::piece::MarkPlace;
use super::record::{Id, LiveRecord};
use super::segment::{
    self, BlockKind, Item, LocatedItem, LossKind, Losses, Lost, Segment, SegmentInfo, SegmentTag,
    SegmentWord, Time, UnspokenBlock,
};
use super::transcript::{
    self, Fault, Utterance, UtterancePart, fields, is_event, is_no_word, is_silent, seconds, shortened,
    too_few,
};
use majuscule_text::write::MarkSide;
use majuscule_text::{Break, MarkForm, RestoreOptions};

/// NIST's recogniser output.
pub(super) const CTM: FormatInfo = FormatInfo {
    example: ";; made\na A 0.5 0.25 Good 0.9 lex ána\na A * * <ALT_BEGIN>\na A 1 1 met,\na A * * <ALT>\na A 1 1 <hm> NA\na A * * <ALT_END>\n\
              b 1 0 1 Yés\n",
    shown: ".ctm",
    family: FormatFamily::Transcript,
    extensions: &["ctm"],
    grammar: Some(|_| Ok(Box::new(CtmReader::default()))),
    live: Some(|_| Box::new(CtmReader::default())),
    mark_form: |asked| match asked {
        Some(MarkForm::Written) => Err(no_form("ctm", MarkForm::Written, "joined or apart")),
        asked => Ok(asked.unwrap_or(MarkForm::Joined)),
    },
    mark_row: Some(|line, _, side, mark| mark_row(line, side, mark)),
    has_pauses: true,
    has_utterances: true,
    has_recordings: true,
    is_heard: true,
    segments: Some(&CTM_WORDS),
    ..FormatInfo::LINES
};

/// Words with times.
static CTM_WORDS: SegmentInfo = SegmentInfo {
    format: Format::Ctm,
    unit: "word",
    parts: &[
        LossKind::Recording,
        LossKind::Channel,
        LossKind::Speaker,
        LossKind::Times,
        LossKind::Confidence,
        LossKind::Format,
        LossKind::Tags,
    ],
    has_times: true,
    is_word: true,
    is_unsaid,
    blocks: &[BlockKind::Comment],
    writer: Ok(|| Box::new(CtmWriter)),
    ..SegmentInfo::LINES
};

const EXPECTED: &str = "file channel begin duration word";

/// A line: the positions of its fields, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CtmLine {
    /// The recording.
    pub file: Range<usize>,
    /// The channel of the recording.
    pub channel: Range<usize>,
    /// The begin time in seconds.
    pub begin: Range<usize>,
    /// The duration in seconds.
    pub duration: Range<usize>,
    /// The word.
    pub word: Range<usize>,
    /// The confidence of the recogniser.
    pub confidence: Option<Range<usize>>,
    /// The type of the word: `lex`, `fp`, `non-lex`, …
    pub kind: Option<Range<usize>>,
    /// The speaker.
    pub speaker: Option<Range<usize>>,
    /// The role of the line.
    pub role: Role,
}

impl CtmLine {
    /// Returns the begin and end times in seconds; `None` for `<ALT_BEGIN>`, `<ALT>` and `<ALT_END>`.
    pub fn times(&self, line: &str) -> Option<(f64, f64)> {
        let begin = seconds(line, &self.begin, "beginning").ok()?;
        let duration = transcript::duration(line, &self.duration).ok()?;
        matches!(self.role, Role::Word | Role::Event).then_some((begin, begin + duration))
    }

    /// Returns true if the word of the line consists only of punctuation marks.
    fn is_mark(&self, line: &str) -> bool {
        matches!(self.role, Role::Word | Role::Event) && is_mark(&line[self.word.clone()])
    }

    /// Returns the recording, its channel and the speaker; the speaker may be empty.
    fn by<'a>(&self, line: &'a str) -> [&'a str; 3] {
        let speaker = self.speaker.clone().map_or("", |speaker| &line[speaker]);
        [&line[self.file.clone()], &line[self.channel.clone()], speaker]
    }
}

/// The role of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A spoken word.
    Word,
    /// A sound other than a word.
    Event,
    /// The beginning of alternatives.
    Begin,
    /// The beginning of the next alternative.
    Next,
    /// The end of alternatives.
    End,
}

/// Reads a line; `None` for an empty line or a comment.
///
/// # Errors
/// Fails if the line has fewer than five fields or more than eight, or if its times or its
/// confidence are not numbers.
pub fn row(line: &str) -> Result<Option<CtmLine>, Fault> {
    if is_silent(line) {
        return Ok(None);
    }
    let mut positions = fields(line, 0);
    let first: Vec<Range<usize>> = positions.by_ref().take(5).collect();
    let Ok([file, channel, begin, duration, word]) = <[_; 5]>::try_from(first) else {
        return Err(too_few(line, fields(line, 0).count(), EXPECTED));
    };
    let (confidence, kind, speaker) = (positions.next(), positions.next(), positions.next());
    if let Some(more) = positions.next() {
        let found = shortened(&line[more.clone()]);
        let problem = format!("found \"{found}\", but a line ends with {EXPECTED} confidence type speaker");
        return Err(Fault { at: more.start, problem });
    }
    let role = match &line[word.clone()] {
        "<ALT_BEGIN>" => Role::Begin,
        "<ALT>" => Role::Next,
        "<ALT_END>" => Role::End,
        word if is_event(word) => Role::Event,
        _ => match kind.clone().map(|kind| &line[kind]) {
            Some("non-lex" | "misc" | "noscore") => Role::Event,
            _ => Role::Word,
        },
    };
    if matches!(role, Role::Word | Role::Event) {
        seconds(line, &begin, "beginning")?;
        transcript::duration(line, &duration)?;
        if let Some(field) = &confidence
            && !line[field.clone()].eq_ignore_ascii_case(NOT_APPLICABLE)
            // `nan` and `inf` mean that there is none.
            && line[field.clone()].parse::<f64>().is_err()
        {
            let found = shortened(&line[field.clone()]);
            let problem = format!("found \"{found}\", but a confidence is expected, such as 0.98, or NA");
            return Err(Fault { at: field.start, problem });
        }
    }
    Ok(Some(CtmLine { file, channel, begin, duration, word, confidence, kind, speaker, role }))
}

/// Returns true if a text is a finite number; some recognisers write confidences above 1 or below 0.
fn is_confidence(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The state of a recording: whether its next line belongs to an alternative, and to which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alternatives {
    /// No alternatives: all words are read.
    #[default]
    None,
    /// The first alternative: its words are read.
    First,
    /// A later alternative: its words are skipped.
    Later,
}

impl Alternatives {
    /// Reads the next line, and returns true if it is a word to be read.
    ///
    /// # Errors
    /// Fails if alternatives begin inside others, or continue or end without having begun.
    pub fn takes(&mut self, row: &CtmLine) -> Result<bool, Fault> {
        let (next, takes) = match (*self, row.role) {
            (Self::None, Role::Begin) => (Self::First, false),
            (Self::First | Self::Later, Role::Next) => (Self::Later, false),
            (Self::First | Self::Later, Role::End) => (Self::None, false),
            (now, Role::Event) => (now, false),
            (now, Role::Word) => (now, now != Self::Later),
            (_, Role::Begin) => return Err(misplaced(row, "<ALT_BEGIN> before <ALT_END>")),
            (_, Role::Next) => return Err(misplaced(row, "<ALT> without <ALT_BEGIN>")),
            (_, Role::End) => return Err(misplaced(row, "<ALT_END> without <ALT_BEGIN>")),
        };
        *self = next;
        Ok(takes)
    }

    /// Ends a recording, after its last line.
    ///
    /// # Errors
    /// Fails if alternatives have not ended.
    pub fn end(self) -> Result<(), String> {
        match self {
            Self::None => Ok(()),
            _ => Err("the recording ends before <ALT_END>: is the file cut off?".to_owned()),
        }
    }
}

fn misplaced(row: &CtmLine, found: &str) -> Fault {
    let problem = format!(
        "found {found}, but alternatives are expected between <ALT_BEGIN> and <ALT_END>, separated by <ALT>"
    );
    Fault { at: row.word.start, problem }
}

/// Reads recogniser output. Each recording is a separate text, and a turn begins where the channel or the speaker
/// changes. Each word is a segment. An event or a delimiter of alternatives is a tag of a segment without words.
#[derive(Debug, Default)]
struct CtmReader {
    alternatives: Alternatives,
    /// The recording, channel and speaker of the last word.
    last: [String; 3],
    pauses: Pauses,
}

impl CtmReader {
    /// Reads the next line; for a word, returns the break before it.
    fn takes(&mut self, line: &str, row: &CtmLine) -> Result<Option<Option<Break>>, Fault> {
        let word = &line[row.word.clone()];
        let is_word = self.alternatives.takes(row)? && !is_no_word(word);
        let takes = is_word || row.is_mark(line) && self.alternatives != Alternatives::Later;
        Ok(takes.then(|| {
            let pause = if row.is_mark(line) { None } else { self.pauses.before(|| times(line, row)) };
            parted(&mut self.last, row.by(line)).max(pause)
        }))
    }
}

/// Returns the begin and end times of a word.
fn times(line: &str, row: &CtmLine) -> Option<(Time, Time)> {
    let begin = exact_seconds(line, &row.begin).ok()?;
    Some((begin, begin.after(exact_seconds(line, &row.duration).ok()?)?))
}

impl Grammar for CtmReader {
    fn prepare(&mut self, options: &RestoreOptions) {
        self.pauses = Pauses::of(options);
    }

    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let Some(row) = row(line)? else { return Ok(()) };
        if let Some(before) = self.takes(line, &row)? {
            parts.push(row.word, before);
        }
        Ok(())
    }

    fn is_between(&self) -> bool {
        false
    }

    fn mark_place(&self, form: MarkForm) -> MarkPlace {
        match form {
            MarkForm::Apart => MarkPlace::Row(MarkRows { kind: Format::Ctm, returns: false }),
            MarkForm::Written | MarkForm::Joined => MarkPlace::Behind,
        }
    }

    fn end(&mut self) -> Result<(), String> {
        self.alternatives.end()
    }

    fn utterance<'a>(&self, line: &'a str) -> Result<Option<Utterance<'a>>, Fault> {
        let Some(row) = row(line)? else { return Ok(None) };
        let part = match row.role {
            Role::Begin => Some(UtterancePart::Open),
            Role::Next => Some(UtterancePart::Next),
            Role::End => Some(UtterancePart::Close),
            Role::Event => None,
            Role::Word => UtterancePart::word(&line[row.word.clone()]),
        };
        Ok(Some(Utterance {
            recording: Some(format!("{} {}", &line[row.file.clone()], &line[row.channel.clone()])),
            times: row.times(line),
            parts: part.into_iter().collect(),
            ..Utterance::default()
        }))
    }

    fn items(&mut self, line: &str, number: u64, out: &mut VecDeque<LocatedItem>) -> Result<(), Fault> {
        if let Some(block) = UnspokenBlock::comment(line, ";;") {
            out.push_back(LocatedItem::new(Item::Block(block), line, number, Vec::new()));
        }
        let Some(row) = row(line)? else { return Ok(()) };
        self.alternatives.takes(&row)?;
        let is_later = self.alternatives == Alternatives::Later;
        let word = &line[row.word.clone()];
        let (begin, end) = match row.role {
            Role::Begin | Role::Next | Role::End if line[row.begin.clone()] == *NO_TIME => (None, None),
            _ => {
                let begin = exact_seconds(line, &row.begin)?;
                let duration = exact_seconds(line, &row.duration)?;
                (Some(begin), Some(begin.after(duration).ok_or_else(|| not_exact(line, &row.duration))?))
            }
        };
        let field =
            |position: &Option<Range<usize>>| position.clone().map(|position| line[position].to_owned());
        let applies = |text: &String| !text.eq_ignore_ascii_case(NOT_APPLICABLE);
        // Only the first alternative counts as spoken.
        let is_tag = is_event(word) || is_later;
        let segment = Segment {
            recording: named(&line[row.file.clone()]),
            channel: named(&line[row.channel.clone()]),
            speaker: field(&row.speaker),
            begin,
            end,
            text: if is_tag { String::new() } else { word.to_owned() },
            tags: is_tag.then(|| SegmentTag { at: 0, tag: word.to_owned() }).into_iter().collect(),
            confidence: field(&row.confidence).filter(|text| is_confidence(text)),
            kind: field(&row.kind).filter(applies),
            ..Segment::default()
        };
        let mut parts = vec![
            (LossKind::Recording, row.file.start),
            (LossKind::Channel, row.channel.start),
            (LossKind::Times, row.begin.start),
            (LossKind::Text, row.word.start),
            (LossKind::Tags, row.word.start),
        ];
        let optional = [
            (LossKind::Confidence, row.confidence),
            (LossKind::Format, row.kind),
            (LossKind::Speaker, row.speaker),
        ];
        parts.extend(optional.into_iter().filter_map(|(part, position)| Some((part, position?.start))));
        out.push_back(LocatedItem::new(Item::Segment(segment), line, number, parts));
        Ok(())
    }

    /// A word replaces all earlier words of the same speaker that begin at or after its begin time and end after it.
    fn record(&mut self, line: &str, record: &mut LiveRecord) -> Result<(), Fault> {
        let has_text = read_record(self, line, record)?;
        let Some(row) = row(line)?.filter(|row| has_text && !row.is_mark(line)) else { return Ok(()) };
        let from = seconds(line, &row.begin, "beginning")?;
        let to = from + transcript::duration(line, &row.duration)?.max(0.0);
        record.id = Some(Id::Spoken { by: row.by(line).map(str::to_owned), from, to });
        Ok(())
    }
}

/// Returns the row of a punctuation mark on this side of the word of the line: at the end or the begin of the word,
/// and without duration. If the word has a type, the type of the mark is `misc`, which is not scored.
fn mark_row(line: &str, side: MarkSide, mark: &str) -> String {
    let Ok(Some(row)) = row(line) else { return mark.to_owned() };
    let field = |position: &Range<usize>| &line[position.clone()];
    let time = |position: &Range<usize>| exact_seconds(line, position).ok();
    let end = time(&row.begin).zip(time(&row.duration)).and_then(|(begin, duration)| begin.after(duration));
    let at = end.filter(|_| side == MarkSide::After);
    let at = at.map_or_else(|| field(&row.begin).to_owned(), |end| end.seconds(2));
    let mut fields = vec![field(&row.file), field(&row.channel), &*at, "0.00", mark];
    fields.extend(row.confidence.iter().map(|_| NOT_APPLICABLE));
    fields.extend(row.kind.iter().map(|_| MISC));
    fields.extend(row.speaker.iter().map(field));
    fields.join(if line.contains('\t') { "\t" } else { " " })
}

/// The type of words that are not scored.
const MISC: &str = "misc";

/// Returns the break before a word of `now` if its recording, channel or speaker differs from `last`, which becomes
/// `now`.
pub(super) fn parted(last: &mut [String; 3], now: [&str; 3]) -> Option<Break> {
    let before = match (last[0] == now[0], last[1..] == now[1..]) {
        (false, _) => Break::Document,
        (true, false) => Break::Turn,
        (true, true) => return None,
    };
    for (last, now) in last.iter_mut().zip(now) {
        now.clone_into(last);
    }
    Some(before)
}

/// The placeholder for a missing name.
const NO_NAME: &str = "-";

/// The placeholder for a missing confidence or type.
const NOT_APPLICABLE: &str = "NA";

/// The placeholder for a missing time.
const NO_TIME: &str = "*";

/// Reads a time exactly, to its last digit.
pub(super) fn exact_seconds(line: &str, position: &Range<usize>) -> Result<Time, Fault> {
    Time::parse(&line[position.clone()]).ok_or_else(|| not_exact(line, position))
}

fn not_exact(line: &str, position: &Range<usize>) -> Fault {
    let found = shortened(&line[position.clone()]);
    let problem = format!(
        "found \"{found}\", but a time in seconds of 0 or more is expected, with 24 digits after the point at most and 12 before it"
    );
    Fault { at: position.start, problem }
}

/// Returns the name; `None` for the placeholder for a missing name.
pub(super) fn named(name: &str) -> Option<String> {
    Some(name).filter(|name| *name != NO_NAME).map(str::to_owned)
}

/// Returns the name, or the placeholder for a missing one.
pub(super) fn name_or_none(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or(NO_NAME)
}

/// Writes recogniser output word by word.
#[derive(Debug)]
struct CtmWriter;

impl segment::SegmentWriter for CtmWriter {
    fn conform(&mut self, mut segment: Segment, losses: &mut Losses) -> Result<Vec<Segment>, Lost> {
        segment.fit_words();
        if segment.words.len() > 1
            && let Some(words) = words_of(&segment)
        {
            return each_word(segment, words, losses);
        }
        // The formats of NIST write events alike.
        let is_own = losses.is_own() || losses.from.format.info().has_utterances;
        let is_tag = is_own && segment.text.is_empty() && segment.tags.len() == 1;
        let is_word = |tag: &str| !tag.is_empty() && !tag.contains(char::is_whitespace);
        segment.keep(losses.to.parts, losses)?;
        segment.keep_tags(|tag| is_tag && is_word(tag), losses)?;
        segment.join_speaker("_", losses)?;
        if segment.confidence.as_ref().is_some_and(|confidence| !is_confidence(confidence)) {
            let confidence = segment.confidence.take().unwrap_or_default();
            losses.drop_part(
                LossKind::Confidence,
                format_args!("the confidence \"{confidence}\", which is not a number,"),
            )?;
        }
        if segment.text.is_empty() && segment.tags.is_empty() {
            return losses.drop_part(LossKind::Text, "an empty text").map(|()| Vec::new());
        }
        let text = segment.text.trim();
        if text.contains(char::is_whitespace) {
            let problem =
                "found several words with one timing, but in .ctm each word is expected to have its own";
            return Err(losses.reject(LossKind::Text, problem));
        }
        if is_event(text) {
            return Err(
                losses.reject(LossKind::Text, "found a word in <>, which would be read as an event in .ctm")
            );
        }
        let is_mark = segment
            .tags
            .first()
            .is_some_and(|tag| matches!(&*tag.tag, "<ALT_BEGIN>" | "<ALT>" | "<ALT_END>"));
        if !is_mark || segment.begin.is_some() {
            segment.times(losses)?;
        }
        segment.even(losses)?;
        Ok(vec![segment])
    }

    fn write(&mut self, item: &Item, out: &mut String) {
        let segment = match item {
            Item::Block(block) => return segment::write_comment(block, ";;", out),
            Item::Segment(segment) => segment,
        };
        let [recording, channel] = [&segment.recording, &segment.channel].map(name_or_none);
        let times = segment.begin.zip(segment.end).and_then(|(begin, end)| Some((begin, end.since(begin)?)));
        let (begin, duration) = match times {
            Some((begin, duration)) => (begin.seconds(2), duration.seconds(2)),
            None => (NO_TIME.to_owned(), NO_TIME.to_owned()),
        };
        let word = segment.tags.first().map_or(&segment.text, |tag| &tag.tag);
        let mut last =
            [segment.confidence.as_deref(), segment.kind.as_deref(), segment.speaker.as_deref()].to_vec();
        while last.pop_if(|field| field.is_none()).is_some() {}
        let last: String = last.iter().flat_map(|field| [" ", field.unwrap_or(NOT_APPLICABLE)]).collect();
        out.push_str(&format!("{recording} {channel} {begin} {duration} {word}{last}\n"));
    }
}

/// Returns true if a segment is a word of a later alternative or a delimiter of alternatives.
fn is_unsaid(segment: &Segment) -> bool {
    let is_mark = |tag: &str| !is_event(tag) || matches!(tag, "<ALT_BEGIN>" | "<ALT>" | "<ALT_END>");
    segment.text.is_empty() && segment.tags.iter().any(|tag| is_mark(&tag.tag))
}

/// Splits the text at white space. Returns each word with the words of the segment that are parts of it (` o`,
/// `'neill`); `None` if the words of the segment do not match the text.
fn words_of(segment: &Segment) -> Option<Vec<(String, Vec<SegmentWord>)>> {
    let mut pieces = segment.words.iter();
    let mut words = Vec::new();
    for text in segment.text.split_whitespace() {
        let (mut said, mut of) = (String::new(), Vec::new());
        while said != text {
            let piece = pieces.next()?;
            said.push_str(piece.text.trim());
            of.push(piece.clone());
            if !text.starts_with(&said) {
                return None;
            }
        }
        words.push((said, of));
    }
    pieces.next().is_none().then_some(words)
}

/// Divides a segment into its words, if the bounds of segments may be dropped.
fn each_word(
    mut segment: Segment,
    words: Vec<(String, Vec<SegmentWord>)>,
    losses: &mut Losses,
) -> Result<Vec<Segment>, Lost> {
    let mut all = Vec::new();
    losses.drop_part(LossKind::Bounds, "that these words are one segment")?;
    segment.words.clear();
    segment.keep(
        &[
            LossKind::Recording,
            LossKind::Channel,
            LossKind::Speaker,
            LossKind::Times,
            LossKind::Breaks,
            LossKind::Format,
        ],
        losses,
    )?;
    for (text, pieces) in words {
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { continue };
        if pieces.iter().any(|piece| !piece.other.is_empty()) {
            losses.drop_part(LossKind::Other, "other fields of words")?;
        }
        let confidence = first.confidence.clone();
        if pieces.iter().any(|piece| piece.confidence != confidence) {
            losses.drop_part(LossKind::Confidence, "the confidences of the pieces of a word")?;
        }
        let word = Segment {
            begin: first.begin,
            end: last.end,
            confidence: confidence
                .filter(|_| pieces.iter().all(|piece| piece.confidence == first.confidence)),
            text,
            tags: Vec::new(),
            ..segment.clone()
        };
        all.extend(segment::SegmentWriter::conform(&mut CtmWriter, word, losses)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case_laws::{check_cases, error, starts, words};

    #[test]
    fn a_recording_is_a_text() {
        let file = ";; made\na A 0.5 0.25 we 0.9\na A 0.8 0.1 met. 0.9\r\na A 1 0.1 <laugh>\na A 1 1 then\n\
                    a A * * <ALT_BEGIN>\na A 2 1 i\na A * * <ALT>\na A 2 1 you\na A * * <ALT_END>\na A 3 1 [noise] NA\n\
                    a A 3 1 left 0.5\na B 0 1 é\u{30c}é\nb A 0 1 yes";
        assert_eq!(words(Format::Ctm, file), ["we", "met", "then", "i", "left", "é\u{30c}é", "yes"]);
        assert_eq!(starts(Format::Ctm, file), ["we", "then", "é\u{30c}é"]);
        check_cases(Format::Ctm, file);
        let found = error(Format::Ctm, "a A 0 1 so\na A x 1 we\n");
        assert!(found.starts_with("data, line 2, column 5: found \"x\", but the beginning"), "{found}");
        assert_eq!(words(Format::Ctm, "a A 0 1 so\na A x 1 we\na A 0 1 go"), ["so", "go"]);
    }

    #[test]
    fn a_line_is_a_word_with_its_times() {
        let line = "call A 1.25 0.30  Lisbon, 0.98 lex ana";
        let row = row(line).unwrap().unwrap();
        let parts = [row.file, row.channel, row.begin, row.duration, row.word].map(|part| &line[part]);
        assert_eq!(parts, ["call", "A", "1.25", "0.30", "Lisbon,"]);
        assert_eq!((row.kind.map(|kind| &line[kind]), row.role), (Some("lex"), Role::Word));
        for silent in ["", "  ", ";; a comment", " ;;CTM"] {
            assert_eq!(super::row(silent), Ok(None));
        }
    }

    #[test]
    fn events_are_no_words() {
        for line in ["c 1 0 1 <laugh>", "c 1 0 1 breath NA non-lex", "c 1 0 1 hm 1 noscore x"] {
            assert_eq!(row(line).unwrap().unwrap().role, Role::Event, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_position() {
        for (line, at, problem) in [
            ("call A 1.25 0.3", 15, "found 4 fields, but a line is expected to be file channel begin"),
            ("call A 1,25 0.3 so", 7, "found \"1,25\", but the beginning in seconds"),
            ("call A 1.25 x3 so", 12, "found \"x3\", but the duration in seconds"),
            ("call A 1.25 0.3 so sure", 19, "found \"sure\", but a confidence"),
            ("call A 1.25 0.3 so 0x1", 19, "found \"0x1\", but a confidence"),
            ("call A 1.25 0.3 so 1 lex x y", 27, "found \"y\", but a line ends with"),
        ] {
            let fault = row(line).unwrap_err();
            assert_eq!(fault.at, at, "{line}");
            assert!(fault.problem.starts_with(problem), "{}", fault.problem);
        }
    }

    #[test]
    fn a_confidence_that_is_not_a_number_is_none() {
        for none in ["NA", "na", "nan", "NaN", "-inf", "Infinity", "1e999"] {
            assert!(row(&format!("call A 1.25 0.3 so {none}")).is_ok(), "{none}");
        }
    }

    #[test]
    fn of_alternatives_the_first_is_taken() {
        let lines = [
            "c 1 * * <ALT_BEGIN>",
            "c 1 0 1 um",
            "c 1 * * <ALT>",
            "c 1 0 1 uh",
            "c 1 * * <ALT_END>",
            "c 1 1 1 so",
        ];
        let mut alternatives = Alternatives::default();
        let taken = lines.map(|line| alternatives.takes(&row(line).unwrap().unwrap()).unwrap());
        assert_eq!(taken, [false, true, false, false, false, true]);
        assert_eq!(alternatives.end(), Ok(()));
        assert!(alternatives.takes(&row(lines[2]).unwrap().unwrap()).is_err());
        alternatives = Alternatives::First;
        assert!(alternatives.takes(&row(lines[0]).unwrap().unwrap()).is_err());
        assert!(alternatives.end().is_err());
    }
}
