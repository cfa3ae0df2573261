//! Converts between formats of subtitles and transcripts without loss.
//!
//! A file is a sequence of segments, each with its text, times and the other fields of its format,
//! and of blocks that are not spoken. Reading the output gives the same as reading the input. The
//! table lists the content that each format can express:
//!
//! | format | a segment is | it has | blocks |
//! | --- | --- | --- | --- |
//! | text | a line | the text | |
//! | srt | a cue | number, times in milliseconds, text of lines, tags `<i> <b> <u> <s> <font> {\an8}`, coordinates | |
//! | vtt | a cue | name, times in milliseconds, text of lines, tags, voices and times in `<>`, settings | header, notes, styles, regions, fragments (lines without a timing) |
//! | ass | an event | times in hundredths, name, text of lines, overrides as tags, other fields | script: all lines that are not visible events |
//! | ttml | a paragraph, which is read and not written | identifier, times, agent, text of lines, styles as tags | head |
//! | ctm | a word | recording, channel, times, confidence, type, speaker | comments |
//! | stm | a turn | recording, channel, speaker, times, label, text, alternatives and events as tags | comments |
//! | conll | a sentence | the text, columns | comments, beginnings of documents |
//! | whisper-json | a segment | number, times, text, speaker, words with times and confidences, other fields | other fields of the document |
//! | jsonl | an object | everything | everything |
//!
//! Only `<i>`, `<b>` and `<u>` are tags in all subtitle formats, in ass as `{\i1}` and `{\i0}`; the
//! settings of one are not valid in another. Escapes of vtt and ttml are plain characters elsewhere.
//! Unspoken parts of ctm and stm, events in `<>` and alternatives, are tags, and a missing name,
//! confidence or type is `-`, `NA` and `NA`. In jsonl the text has no tags: these have a list of
//! their own with their places, so that the text is plain. Blocks have `"text":null`, so that readers
//! of texts skip them.
//!
//! In ass a field with its usual value (`0`, `Default`) is not content, nor is an identifier that is
//! the position of the event. A file without a script gets one, which is not content either.
//!
//! The following is not content and is not kept: line endings, a byte-order mark, empty lines
//! between cues and in them, white space around fields, the notation of a time (`00:01.000`,
//! `4.00`), the escapes of a string in JSON. In .srt, which requires numbers, a cue without a
//! number gets its position in the file.

use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;

use super::cues::{CueCutter, CueLimits, RolledUp};
use super::grammar::Grammar;
use super::info::FormatInfo;
use super::kind::Format;
use super::lines::Ends;
use super::records::{Faults, GrammarLines};
use super::segment::{Item, LocatedItem, LossKind, Losses, Lost, SegmentInfo};
use super::transcript::{Fault, shortened};
use super::{ass, conll, ctm, jsonl, plain, srt, stm, ttml, vtt, whisper};
use crate::error::{Error, Result, option};
use crate::files::{BOM, Input};
use crate::interrupt::Interrupt;

/// The settings of a conversion.
#[derive(Debug, Clone, Default)]
pub struct Conversion {
    /// The input format; [`Format::Auto`] tells it from the name of the input.
    pub from: Format,
    /// The output format.
    pub to: Format,
    /// The field of jsonl that contains the text, or the number of the column of conll that
    /// contains the words.
    pub field: Option<String>,
    /// True to drop the parts that the output format cannot express. Words are never dropped.
    pub drop: bool,
    /// The limits of new cues, if speech is cut anew; parts that these cannot have are dropped.
    pub cues: Option<CueLimits>,
    /// The flag at which the conversion stops.
    pub interrupt: Interrupt,
}

/// What a user is told of a conversion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConversionNotes {
    /// A summary of the dropped parts: `settings of 12 cues, 1 style`.
    pub left_out: Option<String>,
    /// Limits of cues that could not be kept, times that were made, and lines that were read once.
    pub cues: Vec<String>,
}

impl Conversion {
    /// Reads a file and writes it in the other format, with memory independent of the length of the
    /// file, except for Whisper's JSON and new cues.
    ///
    /// Law: reading the output gives the same segments as reading the input, except for the dropped
    /// parts and the numbers that .srt requires. New cues have the same words in the same order.
    /// Plain text has the lines of captions that roll up once.
    ///
    /// # Errors
    /// Fails if the input does not match its format or something would be lost; returns
    /// [`Error::Usage`] if there is no such conversion, and [`Error::Interrupted`] once the flag is set.
    pub fn run(&self, input: Input<'_>, out: &mut dyn Write, target: &Path) -> Result<ConversionNotes> {
        let from = match self.from {
            Format::Auto => {
                Format::refuse_unread(Path::new(input.name()))?;
                Format::of_name(Path::new(input.name()))
            }
            from => from,
        };
        let to = output_segments(self.to)?;
        let mut writer = to.writer.map_err(Error::usage)?();
        self.interrupt.check()?;
        let mut source = ConvertSource::open(from, input, self.field.as_deref())?;
        source.interrupt = self.interrupt.clone();
        let from = source.segments;
        let mut losses = Losses::new(from, to, self.drop);
        source.rolled = (to.format == Format::Text && from.rolls_up).then(RolledUp::default);
        if let Some(limits) = &self.cues {
            source.cutter = Some(CueCutter::new(limits, from, to)?);
            check_cues(to)?;
            losses = Losses::of_cues(from, to);
        }
        let is_same_field = from.format == to.format && to.writes_field;
        let mut check = Check::new(to, self.field.as_deref().filter(|_| is_same_field))?;
        let (mut fitted, mut text) = (Vec::new(), String::new());
        let mut write =
            |text: &str| out.write_all(text.as_bytes()).map_err(|error| Error::io("write", target, error));
        while let Some((item, found)) = source.next()? {
            let fits = match item {
                Item::Segment(segment) if !losses.keeps_all() && (from.is_unsaid)(&segment) => {
                    let tag = segment.tags.first().map_or("", |tag| &tag.tag);
                    losses.drop_part(
                        LossKind::Tags,
                        0,
                        format_args!("the alternative \"{}\"", shortened(tag)),
                    )
                }
                Item::Segment(segment) => writer.conform(segment, &mut losses, &mut fitted),
                Item::Block(block) => block.conform(&*writer, &mut losses, &mut fitted),
            };
            fits.map_err(|lost| found.error(&source.name, lost))?;
            for mut item in fitted.drain(..) {
                if let Item::Segment(segment) = &mut item {
                    segment.order_times(&mut losses).map_err(|lost| found.error(&source.name, lost))?;
                }
                text.clear();
                writer.write(&item, &mut text);
                write(check.mark(&text))?;
                check.take(item, &found, &text).map_err(|refused| source.error(refused))?;
                write(&text)?;
            }
        }
        text.clear();
        writer.end(&mut text);
        check.end(&text).map_err(|refused| source.error(refused))?;
        write(&text)?;
        let cut = source.cutter.as_ref();
        let left_out: Vec<String> =
            [cut.and_then(CueCutter::summary), losses.summary()].into_iter().flatten().collect();
        Ok(ConversionNotes {
            left_out: Some(left_out.join(", ")).filter(|left| !left.is_empty()),
            cues: match cut {
                Some(cut) => cut.notes(),
                None => source.rolled.as_ref().and_then(RolledUp::tell).into_iter().collect(),
            },
        })
    }
}

/// The formats that are converted.
static SEGMENTS: [&SegmentInfo; 11] = [
    &plain::TEXT_LINES,
    &plain::TOK_LINES,
    &srt::SRT_CUES,
    &vtt::VTT_CUES,
    &ass::ASS_EVENTS,
    &ttml::TTML_CUES,
    &ctm::CTM_WORDS,
    &stm::STM_TURNS,
    &jsonl::JSONL_OBJECTS,
    &whisper::WHISPER_SEGMENTS,
    &conll::CONLL_SENTENCES,
];

/// Returns what conversion knows of a format, if it is converted.
fn segments(format: Format) -> Option<&'static SegmentInfo> {
    SEGMENTS.into_iter().find(|segments| segments.format == format)
}

/// Returns what conversion knows of the format of the output.
fn output_segments(format: Format) -> Result<&'static SegmentInfo> {
    if format == Format::Auto {
        let problem = format!("the format to write is not said: name it with {}", option("to"));
        return Err(Error::usage(problem));
    }
    segments(format).ok_or_else(|| no_segments(format))
}

impl SegmentInfo {
    /// Returns true if the format is written with times.
    fn is_written_with_times(&self) -> bool {
        self.has_times && self.writer.is_ok()
    }

    /// Returns true if new cues can be written in the format.
    fn has_cues(&self) -> bool {
        self.is_written_with_times() && !self.is_word
    }
}

/// Refuses an output format without cues.
fn check_cues(to: &SegmentInfo) -> Result<()> {
    if to.has_cues() {
        return Ok(());
    }
    let known: Vec<&str> =
        SEGMENTS.iter().filter(|segments| segments.has_cues()).map(|segments| segments.shown()).collect();
    let (last, others) = known.split_last().unwrap_or((&"", &[]));
    let (option, shown, others) = (option("cues"), to.shown(), others.join(", "));
    Err(Error::usage(format!("{option}: {shown} has no cues: write {others} or {last}")))
}

impl Format {
    /// Returns true if a text with segments, subtitles or a transcript, is written in the other
    /// format.
    pub fn is_converted_to(self, to: Self) -> bool {
        segments(self).is_some_and(|from| from.has_times)
            && (to == Self::Text || segments(to).is_some_and(SegmentInfo::is_written_with_times))
    }
}

/// A file that is read for its items.
struct ConvertSource<'a> {
    name: String,
    segments: &'static SegmentInfo,
    /// `None` at the end, and for a document, which is read whole.
    lines: Option<GrammarLines<'a>>,
    found: VecDeque<LocatedItem>,
    /// The cutter, if the file is cut into new cues.
    cutter: Option<CueCutter>,
    /// What captions rolled up, if each of their lines is to be read once.
    rolled: Option<RolledUp>,
    /// Stops the reading.
    interrupt: Interrupt,
}

impl<'a> ConvertSource<'a> {
    fn open(format: Format, input: Input<'a>, field: Option<&str>) -> Result<Self> {
        let segments = segments(format);
        if let Some(field) = field {
            (segments.unwrap_or(&SegmentInfo::LINES).check_field)(field)?;
        }
        let segments = segments.ok_or_else(|| no_segments(format))?;
        let name = input.name().to_owned();
        let (lines, found) = match format.grammar(field)? {
            Some(grammar) => {
                (Some(GrammarLines::new(input, format, grammar, Faults::Refused)), VecDeque::new())
            }
            None => (None, whisper::items(input)?),
        };
        let interrupt = Interrupt::default();
        Ok(Self { name, segments, lines, found, cutter: None, rolled: None, interrupt })
    }

    fn error(&self, (found, lost): Refused) -> Error {
        match found {
            Some(found) => found.error(&self.name, lost),
            None => Error::file(&*self.name, lost.problem),
        }
    }

    /// Returns the next item to be written, of the file or of the new cues, with its source.
    fn next(&mut self) -> Result<Option<(Item, Rc<LocatedItem>)>> {
        loop {
            self.interrupt.check()?;
            if let Some(cue) = self.cutter.as_mut().and_then(CueCutter::pop) {
                return Ok(Some(cue));
            }
            let read = self.read()?;
            match (&mut self.cutter, read) {
                (None, read) => return Ok(read.map(|found| (found.item.clone(), Rc::new(found)))),
                (Some(cutter), Some(found)) => {
                    let taken = cutter.take(found);
                    taken.map_err(|refused| {
                        let (found, lost) = *refused;
                        found.error(&self.name, lost)
                    })?;
                }
                (Some(cutter), None) => {
                    if !cutter.end() {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Returns the next item of the file, without cues that only repeat lines.
    fn read(&mut self) -> Result<Option<LocatedItem>> {
        loop {
            while self.found.is_empty()
                && let Some(lines) = &mut self.lines
            {
                if !lines.next_items(&mut self.found)? {
                    self.lines = None;
                }
            }
            let mut next = self.found.pop_front();
            if let (Some(LocatedItem { item: Item::Segment(segment), .. }), Some(rolled)) =
                (&mut next, &mut self.rolled)
                && rolled.drop_repeated(segment)
            {
                continue;
            }
            return Ok(next);
        }
    }
}

fn no_segments(kind: Format) -> Error {
    let problem = format!(
        "{} is not converted: expected text, subtitles, a transcript with times, CoNLL or JSON",
        kind.shown()
    );
    Error::usage(problem)
}

/// A reader of the output, so that output that does not read back is an error before it is written.
struct Check {
    to: &'static SegmentInfo,
    /// `None` if the output is read whole, at its end.
    grammar: Option<Box<dyn Grammar>>,
    number: u64,
    /// The items written and not yet read back, with their sources, and the source of the last
    /// item.
    expected: VecDeque<(Item, Rc<LocatedItem>)>,
    last: Option<Rc<LocatedItem>>,
    read: VecDeque<LocatedItem>,
}

/// The source of an item that cannot be written, and the reason.
type Refused = (Option<Rc<LocatedItem>>, Lost);

impl Check {
    fn new(to: &'static SegmentInfo, field: Option<&str>) -> Result<Self> {
        let grammar = to.format.grammar(field)?;
        Ok(Self { to, grammar, number: 0, expected: VecDeque::new(), last: None, read: VecDeque::new() })
    }

    /// Returns the mark before the first text: a text that begins with a byte-order mark needs
    /// another one before it.
    fn mark(&self, text: &str) -> &'static str {
        if self.number == 0 && text.as_bytes().starts_with(BOM) { "\u{feff}" } else { "" }
    }

    /// Takes the next item and its written text.
    fn take(&mut self, item: Item, found: &Rc<LocatedItem>, text: &str) -> Result<(), Refused> {
        self.expected.push_back((item, Rc::clone(found)));
        self.last = Some(Rc::clone(found));
        self.feed(text)?;
        self.compare()
    }

    /// Reads more of the output.
    fn feed(&mut self, text: &str) -> Result<(), Refused> {
        let Some(grammar) = &mut self.grammar else { return Ok(()) };
        let FormatInfo { longest_line, line_ends, .. } = *self.to.format.info();
        let mut lines = text.split_terminator('\n').peekable();
        while let Some(line) = lines.next() {
            self.number += 1;
            // The first line decides the line endings, in formats whose files differ in them.
            let returns = self.number == 1 || line_ends == Ends::Anywhere;
            if line.ends_with('\r') || returns && line.contains('\r') {
                return Err(self.refused("found a carriage return that would end a line"));
            }
            if grammar.needs_next(line.as_bytes()) {
                grammar.see_next(lines.peek().unwrap_or(&"").trim_end());
            }
            if line.chars().count() > longest_line {
                return Err(self.refused("found what would be a line that is too long"));
            }
            if let Err(Fault { problem, .. }) = grammar.items(line, self.number, &mut self.read) {
                return Err(self.refused(&problem));
            }
        }
        Ok(())
    }

    /// Ends the output with this text.
    fn end(&mut self, text: &str) -> Result<(), Refused> {
        self.feed(text)?;
        let ended = match &mut self.grammar {
            Some(grammar) => grammar.end(&mut self.read),
            None => {
                let read = whisper::read_items(text);
                read.map(|read| self.read = read).map_err(|fault| fault.problem)
            }
        };
        self.compare()?;
        match ended {
            Err(problem) => Err(self.refused(&problem)),
            Ok(()) if self.expected.is_empty() => Ok(()),
            Ok(()) => Err(self.refused("found what would be passed over")),
        }
    }

    fn compare(&mut self) -> Result<(), Refused> {
        while let Some(read) = self.read.pop_front() {
            match self.expected.front() {
                Some((item, _)) if *item == read.item => self.expected.pop_front(),
                _ => return Err(self.refused("found what would be read otherwise")),
            };
        }
        Ok(())
    }

    /// Refuses the first item that was not read back.
    fn refused(&mut self, problem: &str) -> Refused {
        let found = self.expected.pop_front().map(|(_, found)| found).or_else(|| self.last.take());
        let to = self.to.shown();
        let problem = format!("{problem} in {to}: convert to another format, or mend the file");
        (found, Lost { part: LossKind::Text, nth: 0, problem })
    }
}

/// Converts a file, for the tests of each format.
#[cfg(test)]
pub(super) fn written(from: Format, to: Format, text: &str) -> String {
    run(from, to, false, text).expect("nothing is lost")
}

/// Converts a file and drops the parts that the output format cannot express.
#[cfg(test)]
pub(super) fn dropped(from: Format, to: Format, text: &str) -> String {
    run(from, to, true, text).expect("no text is lost")
}

/// Converts a file, and returns the error if there is one.
#[cfg(test)]
pub(super) fn run(from: Format, to: Format, drop: bool, text: &str) -> Result<String> {
    let mut out = Vec::new();
    let input = Input::uncompressed("data", std::io::Cursor::new(text.to_owned()));
    Conversion { from, to, drop, ..Conversion::default() }.run(input, &mut out, Path::new("out"))?;
    Ok(String::from_utf8(out).expect("text was written"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_that_is_left_out_leaves_no_empty_line() {
        let cue =
            "1\n00:00:01,000 --> 00:00:02,000\n<font a>\nso <i>it</i>\n</font>\nis\n<font b></font>\n\n";
        let header = "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\n";
        assert_eq!(dropped(Format::Srt, Format::Vtt, cue), format!("{header}so <i>it</i>\nis\n\n"));
        let vtt = format!("{header}<c.x> </c>\n<b>\nso</b>\n\n");
        assert_eq!(
            dropped(Format::Vtt, Format::Srt, &vtt),
            "1\n00:00:01,000 --> 00:00:02,000\n<b>\nso</b>\n\n"
        );
    }
    /// A file whose reading sets a flag.
    struct StoppedFile<'a>(&'a [u8], Interrupt);

    impl std::io::Read for StoppedFile<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1.set();
            self.0.read(buffer)
        }
    }

    #[test]
    fn an_interrupted_conversion_says_so() {
        let cue = "1\n00:00:01,000 --> 00:00:02,000\nwe met\n\n".repeat(10);
        for cues in [None, Some(CueLimits::default())] {
            let interrupt = Interrupt::new();
            let input = Input::uncompressed("talk.srt", StoppedFile(cue.as_bytes(), interrupt.clone()));
            let conversion = Conversion { to: Format::Vtt, cues, interrupt, ..Conversion::default() };
            let stopped = conversion.run(input, &mut Vec::new(), Path::new("out"));
            assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        }
    }
}
