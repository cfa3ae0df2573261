//! The content of subtitles and transcripts in any format: segments of speech, and blocks that are
//! not spoken.

use std::fmt;

use super::json;
use super::kind::Format;
use super::transcript::{Fault, shortened};
use majuscule_base::error::{Error, Result, option};

/// One item of a file.
#[expect(clippy::large_enum_variant, reason = "nearly all items are segments, and one is there at a time")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Speech.
    Segment(Segment),
    /// Everything else.
    Block(UnspokenBlock),
}

/// A timed unit of speech: a cue, a word of a recogniser, a sentence, a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Segment {
    /// The number or name.
    pub id: Option<String>,
    /// The name of the recording.
    pub recording: Option<String>,
    /// The channel of the recording.
    pub channel: Option<String>,
    /// The name of the speaker.
    pub speaker: Option<String>,
    /// The time at which the segment begins.
    pub begin: Option<Time>,
    /// The time at which the segment ends.
    pub end: Option<Time>,
    /// The words, as characters: without escapes and without tags.
    pub text: String,
    /// The mark-up between the characters of the text, in order.
    pub tags: Vec<SegmentTag>,
    /// The settings of a cue, such as its position on the screen, as in .vtt.
    pub settings: Option<String>,
    /// The position of a cue on the screen, as in .srt.
    pub coordinates: Option<String>,
    /// The confidence as written: `0.98`, `NA`.
    pub confidence: Option<String>,
    /// The kind of word: `lex`, `fp`, …
    pub kind: Option<String>,
    /// The category for scoring: `<o,f0,male>`.
    pub label: Option<String>,
    /// The words of the text again, each with its times.
    pub words: Vec<SegmentWord>,
    /// Names and values of unknown fields, the values as JSON without white space.
    pub other: Vec<(String, String)>,
}

/// A tag: `<i>`, `{\an8}`, `<v Ana>` or an event, before the character of the text with this
/// number, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentTag {
    /// The number of characters of the text before the tag.
    pub at: usize,
    /// The tag as it is written.
    pub tag: String,
}

/// One word of a segment. Its text begins with the white space that separates it from the previous
/// word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SegmentWord {
    /// The word, as characters.
    pub text: String,
    /// The time at which the word begins.
    pub begin: Option<Time>,
    /// The time at which the word ends.
    pub end: Option<Time>,
    /// The confidence as written.
    pub confidence: Option<String>,
    /// Names and values of unknown fields, as in [`Segment::other`].
    pub other: Vec<(String, String)>,
}

/// A block that is not spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnspokenBlock {
    /// The kind of the block.
    pub kind: BlockKind,
    /// The text without the opening that marks the block in its format; for a document, a JSON object.
    pub text: String,
}

/// The kinds of blocks that are not spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockKind {
    /// The lines with which a file begins.
    Header,
    /// A note to whoever edits the file.
    Note,
    /// The look of cues.
    Style,
    /// A part of the screen.
    Region,
    /// A line that programs skip.
    Comment,
    /// The lines of .ass that are not visible events: settings, styles, comments, fonts.
    Script,
    /// The styles, regions and metadata of a file of TTML.
    Head,
    /// Lines that belong to no cue.
    Fragment,
    /// The fields of a JSON document that are outside its segments, as a JSON object.
    Document,
}

impl BlockKind {
    pub(super) const ALL: [Self; 9] = [
        Self::Header,
        Self::Note,
        Self::Style,
        Self::Region,
        Self::Comment,
        Self::Script,
        Self::Head,
        Self::Fragment,
        Self::Document,
    ];

    pub(super) fn name(self) -> &'static str {
        ["header", "note", "style", "region", "comment", "script", "head", "fragment", "document"]
            [self as usize]
    }
}

/// An exact time, in units of 10⁻²⁴ seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Time(u128);

impl Time {
    const PLACES: usize = 24;
    const SECOND: u128 = 10u128.pow(24);
    /// An upper limit of times, so that two of them can be added: 30,000 years.
    const LIMIT: u128 = 10u128.pow(36);

    /// Reads a number of seconds, `12.34` or `1e3`; `None` if it is not a number, or cannot be kept
    /// to its last digit.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::of_seconds(text, &['.'])
    }

    /// Reads a number of seconds with one of these decimal marks.
    fn of_seconds(text: &str, marks: &[char]) -> Option<Self> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (number, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i64>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = number.split_once(marks).unwrap_or((number, ""));
        if whole.len() + fraction.len() == 0 {
            return None;
        }
        let digits = || whole.bytes().chain(fraction.bytes());
        if !digits().all(|b| b.is_ascii_digit()) {
            return None;
        }
        // Nearly all numbers are short, so that their digits fit in a `u64`.
        if exponent == 0 && whole.len() + fraction.len() <= 12 && unsigned.len() == text.len() {
            let number = digits().fold(0, |number, digit| 10 * number + u64::from(digit - b'0'));
            return Some(Self(u128::from(number) * 10u128.pow((Self::PLACES - fraction.len()) as u32)));
        }
        let mut units = 0u128;
        // The power of ten of the first digit.
        let mut power = Self::PLACES as i64 + i64::try_from(whole.len()).ok()?;
        power = power.checked_add(exponent)?;
        for digit in digits() {
            power = power.checked_sub(1)?;
            let digit = u128::from(digit - b'0');
            if digit == 0 {
                continue;
            }
            let power = u32::try_from(power).ok().filter(|&power| power < 36)?;
            units += digit * 10u128.pow(power);
        }
        let is_right = units < Self::LIMIT && (units == 0 || !text.starts_with('-'));
        is_right.then_some(Self(units))
    }

    /// Reads hours, minutes and seconds with colons between them; the seconds may have a fraction after `.` or `,`.
    pub fn of_clock(text: &str) -> Option<Self> {
        Self::of_plain_clock(text).or_else(|| Self::of_any_clock(text))
    }

    /// Reads a short clock time of digits, colons and at most one decimal mark, as nearly all clock times are.
    fn of_plain_clock(text: &str) -> Option<Self> {
        if text.len() > 16 {
            return None;
        }
        let (mut whole, mut number, mut digits) = (0, 0, 0);
        let (mut has_colon, mut has_mark) = (false, false);
        for b in text.bytes() {
            match b {
                b'0'..=b'9' => {
                    number = 10 * number + u64::from(b - b'0');
                    digits += 1;
                    continue;
                }
                b':' if digits > 0 && !has_mark => {
                    whole = 60 * (whole + number);
                    has_colon = true;
                }
                b'.' | b',' if digits > 0 && !has_mark => {
                    whole += number;
                    has_mark = true;
                }
                _ => return None,
            }
            (number, digits) = (0, 0);
        }
        if !has_mark {
            (whole, number) = (whole + number, 0);
        }
        let is_right = has_colon && digits > 0 && u128::from(whole) < Self::LIMIT / Self::SECOND;
        let unit = 10u128.pow(Self::PLACES as u32 - digits);
        is_right.then(|| Self(u128::from(whole) * Self::SECOND + u128::from(number) * unit))
    }

    /// Reads a clock time with numbers of any length, and with seconds in any notation.
    fn of_any_clock(text: &str) -> Option<Self> {
        let (clock, seconds) = text.rsplit_once(':')?;
        let mut minutes = 0u128;
        for number in clock.split(':') {
            minutes = minutes.checked_mul(60)?.checked_add(number.parse::<u64>().ok()?.into())?;
        }
        let seconds = Self::of_seconds(seconds, &['.', ','])?;
        let units = minutes.checked_mul(60)?.checked_mul(Self::SECOND)?.checked_add(seconds.0)?;
        (units < Self::LIMIT).then_some(Self(units))
    }

    /// Converts milliseconds; `None` if they exceed the upper limit of times.
    pub fn of_milliseconds(milliseconds: u64) -> Option<Self> {
        let units = u128::from(milliseconds) * (Self::SECOND / 1000);
        (units < Self::LIMIT).then_some(Self(units))
    }

    /// Returns the time in milliseconds, rounded.
    pub fn milliseconds(self) -> u64 {
        let unit = Self::SECOND / 1000;
        u64::try_from((self.0 + unit / 2) / unit).unwrap_or(u64::MAX)
    }

    /// Converts a duration.
    pub(super) fn of_duration(duration: std::time::Duration) -> Self {
        Self(duration.as_nanos() * (Self::SECOND / 1_000_000_000))
    }

    /// Returns the time that is later by `duration`.
    pub(super) fn after(self, duration: Self) -> Option<Self> {
        let units = self.0 + duration.0;
        (units < Self::LIMIT).then_some(Self(units))
    }

    /// Multiplies the time by `by / per`, and rounds the last digit.
    pub(super) fn scaled(self, by: u64, per: u64) -> Option<Self> {
        let units = self.0.checked_mul(by.into())?.checked_add(u128::from(per) / 2)? / u128::from(per);
        (units < Self::LIMIT).then_some(Self(units))
    }

    /// Returns the time elapsed since `begin`; `None` if `begin` is later.
    pub(super) fn since(self, begin: Self) -> Option<Self> {
        self.0.checked_sub(begin.0).map(Self)
    }

    /// Rounds to this number of digits after the point.
    pub(super) fn rounded(self, digits: u32) -> Self {
        let unit = Self::SECOND / 10u128.pow(digits);
        Self((self.0 + unit / 2) / unit * unit)
    }

    /// Writes the time in seconds, with at least `digits` digits after the point and as many as it
    /// has.
    pub fn seconds(self, digits: usize) -> String {
        let fraction = format!("{:024}", self.0 % Self::SECOND);
        let end = fraction.trim_end_matches('0').len().max(digits);
        match end {
            0 => format!("{}", self.0 / Self::SECOND),
            _ => format!("{}.{}", self.0 / Self::SECOND, &fraction[..end]),
        }
    }

    /// Writes hours, minutes, seconds and milliseconds, with `mark` before the milliseconds.
    pub fn clock(self, mark: char) -> String {
        let (seconds, milliseconds) = (self.0 / Self::SECOND, self.0 % Self::SECOND / (Self::SECOND / 1000));
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        format!("{hours:02}:{minutes:02}:{:02}{mark}{milliseconds:03}", seconds % 60)
    }
}

/// A part of a segment that a conversion can lose, in the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossKind {
    /// The number or name.
    Id,
    /// The name of the recording.
    Recording,
    /// The channel.
    Channel,
    /// The speaker.
    Speaker,
    /// The beginning and the end.
    Times,
    /// The digits of times that are finer than the precision of the target format.
    Digits,
    /// An end that is before its beginning.
    Order,
    /// The fact that several words are one segment.
    Bounds,
    /// The text.
    Text,
    /// Line breaks in the text.
    Breaks,
    /// White space beyond one space between words.
    Spaces,
    /// Tags.
    Tags,
    /// The settings of a cue.
    Settings,
    /// The coordinates of a cue.
    Coordinates,
    /// The confidence.
    Confidence,
    /// The type of a word.
    Format,
    /// The category for scoring.
    Label,
    /// The times of words.
    Words,
    /// Unknown fields.
    Other,
    /// A block of this kind.
    Block(BlockKind),
}

impl LossKind {
    /// Returns the name of the part.
    fn name(self) -> &'static str {
        match self {
            Self::Id => "identifiers",
            Self::Recording => "recordings",
            Self::Channel => "channels",
            Self::Speaker => "speakers",
            Self::Times => "times",
            Self::Digits => "last digits of times",
            Self::Order => "ends before the beginning",
            Self::Bounds => "bounds",
            Self::Text => "text",
            Self::Breaks => "line breaks",
            Self::Spaces => "white space",
            Self::Tags => "tags",
            Self::Settings => "settings",
            Self::Coordinates => "coordinates",
            Self::Confidence => "confidences",
            Self::Format => "types",
            Self::Label => "labels",
            Self::Words => "times of words",
            Self::Other => "other fields",
            Self::Block(kind) => kind.name(),
        }
    }
}

/// The reason that something cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// The part that cannot be written.
    pub part: LossKind,
    /// The index of the part, if there are several.
    pub nth: usize,
    /// The text of the error.
    pub problem: String,
}

/// The parts that the output format cannot express.
#[derive(Debug)]
pub struct Losses {
    /// The format that is read.
    pub from: &'static SegmentInfo,
    /// The format that is written.
    pub to: &'static SegmentInfo,
    /// True if each loss is an error.
    strict: bool,
    /// The name of the unit that loses the parts, such as a cue.
    pub unit: &'static str,
    /// The dropped parts and their counts.
    counts: Vec<(LossKind, u64)>,
}

impl Losses {
    /// Counts the losses from one format to the other; with `strict` each loss is an error.
    pub fn new(from: &'static SegmentInfo, to: &'static SegmentInfo, strict: bool) -> Self {
        Self { from, to, strict, unit: from.unit, counts: Vec::new() }
    }

    /// Returns true if the input may contain everything that the output format can express.
    pub(super) fn is_own(&self) -> bool {
        self.from.format == self.to.format || self.from.has_everything()
    }

    /// Returns true if the output format can express everything that the input may contain.
    pub fn keeps_all(&self) -> bool {
        self.from.format == self.to.format || self.to.has_everything()
    }

    /// Drops and counts a part.
    ///
    /// # Errors
    /// Fails if losses are errors.
    pub fn drop_part(&mut self, part: LossKind, what: impl fmt::Display) -> Result<(), Lost> {
        self.drop_nth(part, 0, what)
    }

    /// Drops and counts the part with this index among several of a segment.
    ///
    /// # Errors
    /// Like [`Losses::drop_part`].
    pub(super) fn drop_nth(
        &mut self,
        part: LossKind,
        nth: usize,
        what: impl fmt::Display,
    ) -> Result<(), Lost> {
        if self.strict {
            let problem = format!(
                "{what} would be lost, since {} cannot hold it: convert without {} to leave such information out",
                self.to.shown(),
                option("strict")
            );
            return Err(Lost { part, nth, problem });
        }
        // Several losses of one part in one segment count once.
        if nth == 0 {
            match self.counts.iter_mut().find(|(counted, _)| *counted == part) {
                Some((_, count)) => *count += 1,
                None => self.counts.push((part, 1)),
            }
        }
        Ok(())
    }

    /// Returns the error for a part that must not be dropped.
    pub(super) fn reject(&self, part: LossKind, what: impl fmt::Display) -> Lost {
        Lost { part, nth: 0, problem: format!("{what}: convert to another format, or correct the file") }
    }

    /// Returns the error for a segment without a part that the format requires.
    pub(super) fn require(&self, part: LossKind, what: &str) -> Lost {
        let to = self.to.shown();
        self.reject(part, format!("found no {what}, but in {to} a segment is expected to have it"))
    }

    /// Returns a summary of the dropped parts: `settings of 12 cues, 1 style`; `None` if nothing
    /// was dropped.
    pub fn summary(&self) -> Option<String> {
        let mut counts = self.counts.clone();
        counts.sort_unstable();
        let told = counts.into_iter().map(|(part, count)| {
            let end = if count == 1 { "" } else { "s" };
            match part {
                LossKind::Block(kind) => format!("{count} {}{end}", kind.name()),
                LossKind::Text => format!("{count} empty {}{end}", self.unit),
                part => format!("{} of {count} {}{end}", part.name(), self.unit),
            }
        });
        Some(told.collect::<Vec<_>>().join(", ")).filter(|told| !told.is_empty())
    }
}

impl Segment {
    /// Drops all parts except these and the text.
    ///
    /// # Errors
    /// Like [`Losses::drop_part`].
    pub fn keep(&mut self, kept: &[LossKind], losses: &mut Losses) -> Result<(), Lost> {
        if losses.from.has_voices && !losses.to.has_voices && kept.contains(&LossKind::Speaker) {
            self.name_voice();
        }
        if !kept.contains(&LossKind::Times)
            && let (Some(time), _) | (None, Some(time)) = (self.begin.take(), self.end.take())
        {
            losses.drop_part(LossKind::Times, format_args!("the time {}", time.seconds(0)))?;
        }
        let fields = [
            (LossKind::Id, "identifier", &mut self.id),
            (LossKind::Recording, "recording", &mut self.recording),
            (LossKind::Channel, "channel", &mut self.channel),
            (LossKind::Speaker, "speaker", &mut self.speaker),
            (LossKind::Settings, "settings", &mut self.settings),
            (LossKind::Coordinates, "coordinates", &mut self.coordinates),
            (LossKind::Confidence, "confidence", &mut self.confidence),
            (LossKind::Format, "type", &mut self.kind),
            (LossKind::Label, "label", &mut self.label),
        ];
        for (part, name, field) in fields {
            if !kept.contains(&part)
                && let Some(value) = field.take()
            {
                losses.drop_part(part, format_args!("the {name} \"{}\"", shortened(&value)))?;
            }
        }
        if !kept.contains(&LossKind::Breaks) && self.text.contains('\n') {
            losses.drop_part(LossKind::Breaks, "a line break of this text")?;
            // One character replaces one: the tags keep their positions.
            self.text = self.text.replace('\n', " ");
        }
        if !kept.contains(&LossKind::Tags) {
            self.keep_tags(|_| false, losses)?;
        }
        if !kept.contains(&LossKind::Words) && !self.words.is_empty() {
            if kept.contains(&LossKind::Times) {
                (self.begin, self.end) = self.bounds();
            }
            losses.drop_part(LossKind::Words, "the times of each word")?;
            self.words.clear();
        }
        if !kept.contains(&LossKind::Other) {
            for (nth, (name, _)) in std::mem::take(&mut self.other).into_iter().enumerate() {
                losses.drop_nth(LossKind::Other, nth, format_args!("the field \"{}\"", shortened(&name)))?;
            }
        }
        Ok(())
    }

    /// Returns the name in the voice tag that begins a cue: `Ana Reis` for `<v.loud Ana Reis>`.
    pub(super) fn voice(&self) -> Option<String> {
        let tag = self.tags.first().filter(|tag| tag.at == 0)?.tag.strip_prefix("<v")?;
        let (_, name) = tag
            .strip_suffix('>')?
            .split_once(char::is_whitespace)
            .filter(|_| tag.starts_with([' ', '\t', '.']))?;
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        (!name.is_empty()).then_some(name)
    }

    /// Sets the speaker from the voice tag that begins a cue, if the segment has no speaker. The tag is kept if it
    /// has more than the name, such as a class, or if the voice ends inside the text.
    pub fn name_voice(&mut self) {
        if let (None, Some(name)) = (&self.speaker, self.voice()) {
            let len = self.text.chars().count();
            let ends = |tag: &SegmentTag| tag.tag == "</v>";
            let is_whole = self.tags[0].tag == format!("<v {name}>")
                && self.tags.iter().all(|tag| !ends(tag) || tag.at == len);
            if is_whole {
                self.tags.remove(0);
                self.tags.retain(|tag| !ends(tag));
            }
            self.speaker = Some(name);
        }
    }

    /// Joins the words in the name of the speaker with `join`; a name without words is removed.
    ///
    /// # Errors
    /// Like [`Losses::drop_part`], if that changes the name.
    pub(super) fn join_speaker(&mut self, join: &str, losses: &mut Losses) -> Result<(), Lost> {
        let Some(name) = self.speaker.take() else { return Ok(()) };
        let joined = name.split_whitespace().collect::<Vec<_>>().join(join);
        if joined != name {
            losses.drop_part(LossKind::Speaker, format_args!("white space in the speaker \"{name}\""))?;
        }
        self.speaker = Some(joined).filter(|name| !name.is_empty());
        Ok(())
    }

    /// Drops all tags except some.
    pub(super) fn keep_tags(
        &mut self,
        is_kept: impl Fn(&str) -> bool,
        losses: &mut Losses,
    ) -> Result<(), Lost> {
        let mut left = 0;
        for (nth, tag) in self.tags.iter().enumerate() {
            if !is_kept(&tag.tag) {
                let what = format!("the tag \"{}\"", shortened(&tag.tag));
                losses.drop_nth(LossKind::Tags, left, what).map_err(|lost| Lost { nth, ..lost })?;
                left += 1;
            }
        }
        if left > 0 {
            self.tags.retain(|tag| is_kept(&tag.tag));
        }
        Ok(())
    }

    /// Drops white space beyond one space between words, if the segment has no tags.
    pub(super) fn even(&mut self, losses: &mut Losses) -> Result<(), Lost> {
        let even = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if even != self.text && self.tags.is_empty() {
            losses.drop_part(LossKind::Spaces, "white space beyond one space between words")?;
            self.text = even;
        }
        Ok(())
    }

    /// Returns the begin and end times of a segment in a format that requires them. A segment without times has
    /// the times of its words.
    ///
    /// # Errors
    /// Fails if there is no such time.
    pub fn times(&self, losses: &Losses) -> Result<(Time, Time), Lost> {
        match self.bounds() {
            (Some(begin), Some(end)) => Ok((begin, end)),
            (None, _) => Err(losses.require(LossKind::Times, "beginning")),
            (_, None) => Err(losses.require(LossKind::Times, "end")),
        }
    }

    /// Returns the begin and end times as far as the segment or its words have them.
    fn bounds(&self) -> (Option<Time>, Option<Time>) {
        let begin = self.begin.or_else(|| self.words.iter().find_map(|word| word.begin));
        let end = || self.words.iter().rev().find_map(|word| word.end.or(word.begin));
        (begin, self.end.or_else(end))
    }

    /// Sets an end that is before its beginning to the beginning, in the segment and in its words: such times mean
    /// nothing in any format.
    ///
    /// # Errors
    /// Like [`Losses::drop_part`].
    pub fn order_times(&mut self, losses: &mut Losses) -> Result<(), Lost> {
        let words = self.words.iter_mut().map(|word| (word.begin, &mut word.end));
        let reversed = |(begin, end): (Option<Time>, &mut Option<Time>)| {
            let (first, last) = begin.zip(*end).filter(|(begin, end)| end < begin)?;
            *end = begin;
            Some([first, last].map(|time| time.seconds(0)))
        };
        let all = std::iter::once((self.begin, &mut self.end)).chain(words);
        for (count, [begin, end]) in all.filter_map(reversed).enumerate() {
            let what = format!("the end {end}, which is before the beginning {begin},");
            losses.drop_nth(LossKind::Order, count, what)?;
        }
        Ok(())
    }

    /// Returns the text with its tags at their positions; `escape` writes a character.
    pub(super) fn marked(&self, mut escape: impl FnMut(char, &mut String)) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut tags = self.tags.iter().peekable();
        for (at, c) in self.text.chars().enumerate() {
            while let Some(tag) = tags.next_if(|tag| tag.at <= at) {
                out.push_str(&tag.tag);
            }
            escape(c, &mut out);
        }
        tags.for_each(|tag| out.push_str(&tag.tag));
        out
    }
}

impl UnspokenBlock {
    /// Returns the block of a comment line that begins with `mark`; `None` for any other line.
    pub(super) fn comment(line: &str, mark: &str) -> Option<Self> {
        let text = line.trim_start().strip_prefix(mark)?;
        Some(Self { kind: BlockKind::Comment, text: text.trim().to_owned() })
    }

    /// Drops the block.
    fn drop_block(&self, losses: &mut Losses) -> Result<(), Lost> {
        if self.kind == BlockKind::Document && has_text(&self.text) {
            let problem = "found a document whose field \"text\" has other words than its segments";
            return Err(losses.reject(LossKind::Block(self.kind), problem));
        }
        let begins = shortened(self.text.lines().next().unwrap_or_default());
        losses.drop_part(LossKind::Block(self.kind), format_args!("the {} \"{begins}\"", self.kind.name()))
    }
}

/// Ends each segment without an end when the next segment begins. If there is no later segment, the segment lasts as
/// long as its text takes to read, at [`READ_PER_SECOND`].
pub(super) fn end_segments<'a>(segments: impl DoubleEndedIterator<Item = &'a mut Segment>) {
    let mut next = None;
    for segment in segments.rev() {
        if let (Some(begin), None) = (segment.begin, segment.end) {
            let last = || begin.after(reading_time(&segment.text)?);
            segment.end = next.filter(|next| *next >= begin).or_else(last);
        }
        next = segment.begin.or(next);
    }
}

/// Returns the time that a text takes to read, at [`READ_PER_SECOND`].
pub(super) fn reading_time(text: &str) -> Option<Time> {
    Time::of_milliseconds(1000 * text.trim().chars().count() as u64 / READ_PER_SECOND)
}

/// The number of characters that a viewer reads in a second.
const READ_PER_SECOND: u64 = 17;

/// Appends a comment that begins with `mark`.
pub(super) fn write_comment(block: &UnspokenBlock, mark: &str, out: &mut String) {
    let space = if block.text.is_empty() { "" } else { " " };
    out.push_str(&format!("{mark}{space}{}\n", block.text));
}

/// Returns true if a document has a text in addition to its segments.
pub(super) fn has_text(document: &str) -> bool {
    let members = json::members(document, &(0..document.len()));
    members.is_ok_and(|members| members.iter().any(|member| member.key == "text"))
}

/// An item with its position in the file.
#[derive(Debug, Clone)]
pub struct LocatedItem {
    /// The item.
    pub item: Item,
    /// The lines of the item, the first of which has this `number`.
    pub(super) source: String,
    pub(super) line: u64,
    /// The positions of its parts in the source, with repeated parts in their order.
    pub(super) parts: Vec<(LossKind, usize)>,
}

impl LocatedItem {
    /// Makes an item of one line with this number.
    pub(super) fn new(item: Item, line: &str, number: u64, parts: Vec<(LossKind, usize)>) -> Self {
        Self { item, source: line.to_owned(), line: number, parts }
    }

    /// Returns the error for a part of the item that cannot be written.
    pub fn error(&self, file: &str, lost: Lost) -> Error {
        // The error points to the part that contains the loss.
        let whole = match lost.part {
            LossKind::Digits | LossKind::Order => LossKind::Times,
            LossKind::Breaks | LossKind::Spaces => LossKind::Text,
            LossKind::Bounds => LossKind::Words,
            part => part,
        };
        let positions = || self.parts.iter().filter(|(part, _)| *part == whole);
        let at = positions().nth(lost.nth).or_else(|| positions().next()).map_or(0, |(_, at)| *at);
        let at = at.min(self.source.len());
        let start = self.source[..at].rfind('\n').map_or(0, |at| at + 1);
        let number = self.line + self.source[..start].matches('\n').count() as u64;
        Fault { at: at - start, problem: lost.problem }.error(file, number, &self.source[start..])
    }
}

/// The properties of a format's segments that conversion needs. Each format that is converted defines them once, in
/// its own file.
#[derive(Debug)]
pub struct SegmentInfo {
    /// The format.
    pub format: Format,
    /// The word for a segment in messages, such as cue.
    pub(super) unit: &'static str,
    /// The parts that a segment may have in addition to its text.
    pub(super) parts: &'static [LossKind],
    /// The kinds of blocks that the format can express.
    pub(super) blocks: &'static [BlockKind],
    /// True if segments have times.
    pub has_times: bool,
    /// The number of decimal places of seconds in subtitle formats.
    pub digits: u32,
    /// True if a segment is a word.
    pub is_word: bool,
    /// True if cues may repeat the lines of the cue before.
    pub rolls_up: bool,
    /// True if tags name the speakers.
    pub(super) has_voices: bool,
    /// True if styles are overrides: `{\i1}`.
    pub has_overrides: bool,
    /// Fails if a field cannot contain the text.
    pub(super) check_field: fn(&str) -> Result<()>,
    /// Returns true if a segment is not speech; it is dropped if the output cannot represent it.
    pub is_unsaid: fn(&Segment) -> bool,
    /// The function that makes the writer, or the reason why the format is not written.
    pub(super) writer: Result<fn() -> Box<dyn SegmentWriter>, &'static str>,
}

impl SegmentInfo {
    /// The properties of plain lines of text: each format is defined by its differences from them.
    pub(super) const LINES: Self = Self {
        format: Format::Text,
        unit: "line",
        parts: &[],
        blocks: &[],
        has_times: false,
        digits: 3,
        is_word: false,
        rolls_up: false,
        has_voices: false,
        has_overrides: false,
        check_field: |_| {
            let field = option("field");
            Err(Error::usage(format!("{field} is for jsonl: leave it out")))
        },
        is_unsaid: |_| false,
        writer: Err("the format cannot be written"),
    };

    /// Returns the name of the format in errors.
    pub fn shown(&self) -> &'static str {
        self.format.info().shown
    }

    /// Returns true if a segment may have this part.
    pub fn has(&self, part: LossKind) -> bool {
        self.has_everything() || self.parts.contains(&part)
    }

    /// Makes a writer of a file.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the format is not written.
    pub fn writer(&self) -> Result<Box<dyn SegmentWriter>> {
        self.writer.map(|make| make()).map_err(Error::usage)
    }

    /// Returns true if the format can express everything that any format can express.
    fn has_everything(&self) -> bool {
        self.format.info().has_objects
    }
}

/// The writer of a format.
pub trait SegmentWriter {
    /// Returns the problem with a block of this kind at the current position, if there is one.
    fn misplaced(&self, _: BlockKind) -> Option<&'static str> {
        None
    }

    /// Drops the parts of a segment that the format cannot express, and returns the segments to be written in its
    /// place.
    ///
    /// # Errors
    /// Like [`Losses::drop_part`], and if the segment cannot be written.
    fn conform(&mut self, segment: Segment, losses: &mut Losses) -> Result<Vec<Segment>, Lost>;

    /// Drops the parts of an item that the format cannot express, and returns the items to be written in its place.
    ///
    /// # Errors
    /// Like [`SegmentWriter::conform`], and if the format does not allow a block at this position.
    fn conform_item(&mut self, item: Item, losses: &mut Losses) -> Result<Vec<Item>, Lost> {
        match item {
            Item::Segment(segment) => {
                Ok(self.conform(segment, losses)?.into_iter().map(Item::Segment).collect())
            }
            Item::Block(block) if !losses.to.blocks.contains(&block.kind) => {
                block.drop_block(losses).map(|()| Vec::new())
            }
            Item::Block(block) => match self.misplaced(block.kind) {
                Some(problem) => Err(losses.reject(LossKind::Block(block.kind), problem)),
                None => Ok(vec![Item::Block(block)]),
            },
        }
    }

    /// Appends an item that fits the format.
    fn write(&mut self, item: &Item, out: &mut String);

    /// Appends the text after the last item.
    fn end(&mut self, out: &mut String) {
        let _ = out;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_exact() {
        for (text, seconds) in [
            ("4.00", "4"),
            ("0.1", "0.1"),
            ("1e3", "1000"),
            ("+12.5E-1", "1.25"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-0", "0"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("0e99999", "0"),
        ] {
            assert_eq!(Time::parse(text).unwrap().seconds(0), seconds);
        }
        for text in ["", ".", "-1", "x", "1e-25", "1e12", "1e99999999999999999999", "1.2.3", "nan"] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
        let [a, b] = ["0.1", "0.2"].map(|text| Time::parse(text).unwrap());
        assert_eq!(a.after(b), Time::parse("0.3"));
        assert_eq!((b.since(a), a.since(b)), (Time::parse("0.1"), None));
    }

    #[test]
    fn clocks_say_the_same_times() {
        for clock in ["00:01.000", "00:00:01,000", "0:00:01.0", "00:00:000001.000"] {
            assert_eq!(Time::of_clock(clock), Time::parse("1"), "{clock}");
        }
        assert_eq!(Time::of_clock("100:59:59.999").unwrap().clock('.'), "100:59:59.999");
        assert_eq!(Time::parse("3599.9995").unwrap().rounded(3).clock(','), "01:00:00,000");
        assert_eq!(Time::of_clock("99999999999999999999:00.000"), None);
    }

    proptest! {
        #[test]
        fn plain_clocks_say_what_any_clock_says(text in "[0-9]{0,14}(:[0-9]{0,3}){0,3}[.,]?[0-9]{0,5}") {
            if let Some(time) = Time::of_plain_clock(&text) {
                prop_assert_eq!(Some(time), Time::of_any_clock(&text));
            }
        }
    }
}
