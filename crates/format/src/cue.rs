//! Shared parts of subtitle formats: timings, and the words of a cue between tags, events and
//! speaker dashes.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::ops::Range;

use super::grammar::Grammar;
use super::info::CONVERTS;
use super::line_parts::{LineParts, PartRole};
use super::pauses::Pauses;
use super::segment::{
    BlockKind, Item, LocatedItem, LossKind, Losses, Lost, Segment, SegmentTag, Time, UnspokenBlock,
};
use super::transcript::{Fault, shortened};
use majuscule_text::locale::folded;
use majuscule_text::markup::{MAX_TAG, is_inline};
use majuscule_text::sentence::is_end_mark;
use majuscule_text::speaker_label::{name_in, name_len};
use majuscule_text::{Break, RestoreOptions};

/// The largest number of words of an event in parentheses between sentences; longer parentheses are text.
const LONGEST_ASIDE: usize = 3;

/// The musical notes before and after a line that is sung. If punctuation is inserted, such a line is a separate turn
/// without a mark after its last word. The notes are text, so that the adjacent words do not change.
const NOTES: [char; 2] = ['♪', '♫'];

/// The separator between the times of a cue.
const ARROW: &str = "-->";

/// The positions of the times of a cue in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Timing {
    begin: Range<usize>,
    end: Range<usize>,
}

/// The kind of a line of subtitles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineKind {
    /// A line that ends the item before it: an empty or an unreadable one.
    Nothing,
    /// The number or the name of a cue.
    Name,
    Timing(Timing),
    /// Text of a cue.
    Text,
    /// A line of a cue that contains data instead of text.
    Metadata,
    /// The first line of a header, note, style or region, and the length in bytes of the keyword at its start.
    Block(BlockKind, usize),
    /// A further line of the current item.
    More,
}

/// The notation of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    /// The decimal marks allowed before the milliseconds.
    pub(super) marks: &'static [u8],
    /// True if milliseconds are required.
    pub(super) has_fraction: bool,
    /// An example of a timing.
    pub(super) example: &'static str,
}

impl Times {
    /// Returns true if the line looks like a timing: it must then be a valid one.
    pub(super) fn may_be(line: &str) -> bool {
        line.contains(ARROW)
    }

    /// Reads a line as the timing of a cue.
    ///
    /// # Errors
    /// Fails if the line is not a timing.
    pub(super) fn read(self, line: &str) -> Result<Timing, Fault> {
        let Some(arrow) = line.as_bytes().windows(ARROW.len()).position(|part| part == ARROW.as_bytes())
        else {
            return Err(self.fault(line, 0, line.len()));
        };
        let mut at = 0;
        let mut times = [0..0, 0..0];
        for (time, end) in times.iter_mut().zip([arrow, line.len()]) {
            let start = end - line[at..end].trim_start_matches(is_blank).len();
            let len = self.time_len(&line[start..end]).filter(|len| {
                let rest = &line[start + len..end];
                rest.is_empty()
                    || rest.starts_with(char::is_whitespace) && (end > arrow || rest.trim().is_empty())
            });
            let Some(len) = len else { return Err(self.fault(line, start, end)) };
            *time = start..start + len;
            at = end + ARROW.len();
        }
        let [begin, end] = times;
        Ok(Timing { begin, end })
    }

    /// Returns the length of the time at the beginning of the text, `None` if there is none.
    fn time_len(self, text: &str) -> Option<usize> {
        let (mut at, mut colons, mut has_fraction) = (0, 0, false);
        loop {
            let digits = text.bytes().skip(at).take_while(u8::is_ascii_digit).count();
            at += digits;
            match text.as_bytes().get(at) {
                _ if digits == 0 => return None,
                Some(b':') if !has_fraction => colons += 1,
                Some(mark) if !has_fraction && self.marks.contains(mark) => has_fraction = true,
                _ => {
                    let is_whole = has_fraction || !self.has_fraction && digits == 2;
                    return Some(at).filter(|_| is_whole && matches!(colons, 1 | 2));
                }
            }
            at += 1;
        }
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

/// The state that is kept between lines of the text of cues.
#[derive(Debug, Default)]
pub(super) struct CueScanner {
    /// The break between the last word and the next.
    before: Option<Break>,
    /// The closing bracket of an open event.
    event: Option<char>,
    /// The text of an open tag, as far as it was read.
    tag: Option<String>,
    /// The name in the last voice tag; empty if there was none.
    voice: String,
    /// True if a sentence begins with the next text, because a speaker's name is before it.
    begins: bool,
    /// True if a part of the text ended with a mark that ends sentences; `ended` is true if the last part may have
    /// ended a sentence.
    marked: bool,
    ended: bool,
    /// The names of speakers in the text.
    names: CueNames,
    /// True if punctuation is inserted: the existing punctuation then does not affect the recognition of names.
    puts_marks: bool,
}

impl CueScanner {
    /// Starts a cue.
    pub(super) fn begin(&mut self) {
        self.before = self.before.max(Some(Break::Cue));
        self.event = None;
        self.tag = None;
        self.begins = false;
    }

    /// Prepares for a text that is restored with these options: see [`Grammar::prepare`].
    pub(super) fn prepare(&mut self, options: &RestoreOptions) {
        self.puts_marks = options.puts().is_some();
    }

    /// Notes a change of speaker before the next text.
    pub(super) fn turn(&mut self) {
        self.before = self.before.max(Some(Break::Turn));
    }

    /// Returns true if a turn begins with the next text.
    pub(super) fn turns(&self) -> bool {
        self.before >= Some(Break::Turn)
    }

    /// Starts a new text, which does not depend on the text before it.
    pub(super) fn end_text(&mut self) {
        self.before = Some(Break::Document);
        (self.marked, self.ended) = (false, false);
        self.names = CueNames::default();
    }

    /// Reads a line of a cue; `next` is the line after it, if a tag may continue there.
    pub(super) fn line(&mut self, line: &str, next: &str, parts: &mut LineParts) {
        self.part(line, next, true, parts);
    }

    /// Reads a part of a line of a cue; `opens` is true for the first part of the line.
    pub(super) fn part(&mut self, line: &str, next: &str, mut opens: bool, parts: &mut LineParts) {
        if opens {
            parts.opens_line = true;
        }
        // Most lines contain only words. A loop without an early exit compares many bytes at once.
        let odd = |b: u8| matches!(b, b'<' | b'>' | b'{' | b'[' | b'(' | b'&' | b':');
        let is_odd = line.bytes().fold(false, |is_odd, b| is_odd | odd(b));
        let is_plain = line.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
        if is_plain && self.event.is_none() && self.tag.is_none() && !is_odd {
            return self.push(line, 0..line.len(), parts);
        }
        let (mut start, mut at) = (0, 0);
        // The end of the last tag inside a word.
        let mut inside = 0;
        while at < line.len() {
            let in_word = at > start && (at == inside || line[..at].ends_with(char::is_alphanumeric));
            if in_word && let Some(len) = self.inner_tag_len(&line[at..]) {
                at += len;
                inside = at;
                continue;
            }
            if opens && line[at..].starts_with(NOTES) {
                // Each line of a song begins with a capital.
                self.begins = true;
                if self.puts_marks {
                    self.turn();
                    opens = false;
                    continue;
                }
            }
            if opens && let Some(len) = self.name_len(&line[at..]) {
                self.push_label(line, at..at + len, parts);
                at += len;
                start = at;
                continue;
            }
            let Some((len, before)) = self.blank(line, next, at, opens) else {
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

    fn push(&mut self, line: &str, part: Range<usize>, parts: &mut LineParts) {
        let text = line[part.clone()].trim_end();
        let Some(last) = text.trim_end_matches(closes_quote).chars().next_back().or(text.chars().next_back())
        else {
            return;
        };
        self.ended = !(last.is_alphanumeric() || matches!(last, ',' | ';'));
        self.marked |= is_end_mark(last) && !self.puts_marks;
        self.names.read_text(text);
        let begins = text.contains(char::is_alphanumeric) && std::mem::take(&mut self.begins);
        let role = if begins { PartRole::Beginning } else { PartRole::Text };
        parts.push_as(part.clone(), self.before.take(), role);
        // A note inside a tag that continues in the next line does not end a song.
        let is_tag = || text.rfind(['<', '{']).is_some_and(|at| !text[at..].contains(['>', '}']));
        let is_last = || {
            let mut rest = &line[part.end..];
            while let Some(len) = rest.starts_with(['<', '{']).then(|| tag_len(rest)).flatten() {
                rest = &rest[len..];
            }
            !rest.contains(char::is_alphanumeric)
        };
        if self.puts_marks && text.ends_with(NOTES) && is_last() && !is_tag() {
            self.turn();
        }
    }

    /// Adds the label of a speaker, without the text between its name and its colon.
    fn push_label(&mut self, line: &str, label: Range<usize>, parts: &mut LineParts) {
        let role = self.begin_label(&line[label.clone()]);
        let name = label.start + name_in(&line[label.clone()]).len();
        if name + 1 < label.end {
            parts.push_as(label.start..name, self.before.take(), role);
            return parts.push_as(label.end - 1..label.end, None, role);
        }
        parts.push_as(label, self.before.take(), role);
    }

    /// Stores the label of a speaker. A sentence begins after it, unless a repeated label interrupts a sentence.
    fn begin_label(&mut self, label: &str) -> PartRole {
        let name = name_in(label);
        let goes_on = self.is_open() && self.names.repeats(name);
        self.names.read_name(name);
        if goes_on {
            return PartRole::RepeatedLabel;
        }
        (self.ended, self.begins) = (true, true);
        PartRole::Label
    }

    /// Returns true if the sentence of the last text may continue.
    fn is_open(&self) -> bool {
        !self.ended && self.before < Some(Break::Turn)
    }

    /// Returns the length of the tag at the beginning of the text, if a word continues after it.
    fn inner_tag_len(&self, text: &str) -> Option<usize> {
        let inline_len = |text: &str| {
            let tag = text.starts_with(['<', '{']).then(|| tag_len(text)).flatten();
            tag.filter(|&len| is_inline(&text[..len]))
        };
        let len = inline_len(text).filter(|_| self.event.is_none() && self.tag.is_none())?;
        let mut rest = &text[len..];
        while let Some(len) = inline_len(rest) {
            rest = &rest[len..];
        }
        rest.starts_with(char::is_alphanumeric).then_some(len)
    }

    /// Returns the length of the name of a speaker at the beginning of a line, with its colon: `MAN:`, `Dr. Reis:`.
    /// Inside a sentence, only a repetition of the last name counts.
    fn name_len(&mut self, text: &str) -> Option<usize> {
        if self.event.is_some() || self.tag.is_some() {
            return None;
        }
        let goes_on = self.marked && self.is_open();
        let len = name_len(text)?;
        if goes_on && !self.names.repeats(name_in(&text[..len])) {
            // The text may name another speaker, so the next name cannot count as a repetition.
            self.names.read_name("");
            return None;
        }
        Some(len)
    }

    /// Returns the length of the non-text at byte `at`, and the break if the speaker changes there.
    /// `opens` is true if only non-text is before it on the line.
    fn blank(&mut self, line: &str, next: &str, at: usize, opens: bool) -> Option<(usize, Option<Break>)> {
        let rest = &line[at..];
        if let Some(tag) = self.tag.take() {
            let end = rest.find('>').map_or(rest.len(), |len| len + 1);
            let tag = format!("{tag} {}", &rest[..end]);
            return Some((end, self.voice(&tag).then_some(Break::Turn)));
        }
        if let Some(close) = self.event {
            let Some(end) = rest.find(close).map(|len| len + close.len_utf8()) else {
                return Some((rest.len(), None));
            };
            self.event = None;
            // `[man]: so it is`
            let is_name = opens && rest[end..].starts_with(':');
            if is_name {
                self.begin_label(&rest[..end]);
            }
            return Some((end + usize::from(is_name), None));
        }
        match rest.as_bytes()[0] {
            b'<' | b'{' => {
                if let Some(len) = tag_len(rest) {
                    return Some((len, self.voice(&rest[..len]).then_some(Break::Turn)));
                }
                let joined = format!("{rest}\n{next}");
                if tag_len(&joined).is_some_and(|len| len > rest.len()) {
                    self.tag = Some(rest.to_owned());
                    return Some((rest.len(), None));
                }
                None
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
                self.blank(line, next, at, opens)
            }
            _ if opens => dash_len(rest).map(|len| (len, Some(Break::Turn))),
            _ => None,
        }
    }

    /// Stores the speaker of a voice tag (`<v Ana>`, `<v.loud Ana>`), and returns true if the speaker changed.
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

/// The last name of a speaker before the text of a cue, and the evidence in the text about its sentences: a sentence
/// begins or continues after a name.
#[derive(Debug, Default)]
struct CueNames {
    /// The last name, without case distinctions.
    last: String,
    /// True if the text has punctuation so far.
    is_punctuated: bool,
}

impl CueNames {
    /// Reads a part of the text, and records whether it has punctuation.
    fn read_text(&mut self, text: &str) {
        let is_marked = |word: &str| word.ends_with(|c| is_end_mark(c) || matches!(c, ',' | ';'));
        self.is_punctuated = self.is_punctuated || text.split_whitespace().any(is_marked);
    }

    /// Returns true if a name repeats the last one, so that an unfinished sentence continues after it: some programs
    /// write the name of the speaker into each cue. Returns false for a text without punctuation, which does not show
    /// which sentences are unfinished.
    fn repeats(&self, name: &str) -> bool {
        self.is_punctuated && name.chars().map(folded).eq(self.last.chars())
    }

    /// Stores a name as the last one.
    fn read_name(&mut self, name: &str) {
        self.last.clear();
        self.last.extend(name.chars().map(folded));
    }
}

/// The rules of a subtitle format: the kinds of its lines, its tags and its escapes.
pub(super) trait Subtitles: Send + Debug {
    /// Returns true if the line after this one is needed to determine the kind of this one.
    fn needs_next(&self, line: &[u8]) -> bool;

    /// Returns the kind of the next line; `next` is the line after it, if that is needed.
    fn says(&mut self, line: &str, next: &str) -> Result<LineKind, Fault>;

    /// Skips an unreadable line, and the lines that belong to it.
    fn pass(&mut self, is_empty: bool);

    /// Returns true if no cue is open.
    fn is_between(&self) -> bool;

    /// Checks that the file may end after the lines read so far.
    fn ended(&self) -> Result<(), String>;

    /// Returns true if the text of a cue is data.
    fn is_metadata(_: &str) -> bool {
        false
    }

    /// Returns the field that keeps the text after a timing.
    fn settings(segment: &mut Segment) -> (LossKind, &mut Option<String>);

    /// Returns the length of the tag at the beginning of the text, if it begins with one.
    fn tag_len(text: &str) -> Option<usize>;

    /// Returns the character of an escape at the beginning of the text, and the length of the escape in
    /// bytes.
    fn escaped(text: &str) -> Option<(usize, char)>;
}

/// Reads subtitles, as text or as segments. A sentence may continue from cue to cue until the speaker changes, and
/// each cue is a segment.
#[derive(Debug, Default)]
pub(super) struct CueLines<S> {
    subtitles: S,
    cues: CueScanner,
    /// The line after the current one, if it is needed.
    next: String,
    /// The number of the cue. It is one more than the number of the last cue only if that cue lasted until this one
    /// begins. `times` are the times of the cue.
    count: u64,
    times: Option<(Time, Time)>,
    pauses: Pauses,
    /// The open item; `text_at` is the start of the text of the cue in the source of the item, once there is text.
    open: Option<LocatedItem>,
    text_at: Option<usize>,
    /// Empty lines after the text, which may turn out to be inside it.
    gap: String,
}

/// The longest gap in milliseconds between two cues that follow each other directly: some programs leave a hundredth
/// of a second between them.
const NO_GAP: u64 = 20;

/// Returns true if a cue begins later than the previous cue, and before or directly after the previous cue ends.
pub fn follows(last: Option<(Time, Time)>, times: Option<(Time, Time)>) -> bool {
    let (Some((last_begin, last_end)), Some((begin, _))) = (last, times) else { return false };
    last_begin < begin && begin.since(last_end).is_none_or(|gap| gap.milliseconds() <= NO_GAP)
}

impl<S: Subtitles> Grammar for CueLines<S> {
    fn prepare(&mut self, options: &RestoreOptions) {
        self.cues.prepare(options);
        self.pauses = Pauses::of(options);
    }

    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let next = std::mem::take(&mut self.next);
        match self.subtitles.says(line, &next)? {
            LineKind::Timing(timing) => {
                let time = |position: Range<usize>| Time::of_clock(&line[position]);
                let times = time(timing.begin).zip(time(timing.end));
                self.count += if follows(self.times, times) { 1 } else { 2 };
                self.times = times;
                self.cues.begin();
                if self.pauses.before(|| times).is_some() {
                    self.cues.turn();
                }
            }
            LineKind::Text => {
                parts.cue = Some(self.count);
                self.cues.line(line, &next, parts);
            }
            _ => {}
        }
        Ok(())
    }

    fn place_for_next(&mut self, line: &[u8]) -> Option<&mut String> {
        (self.subtitles.needs_next(line) || opens_tag(line)).then_some(&mut self.next)
    }

    fn pass(&mut self, is_empty: bool) {
        self.subtitles.pass(is_empty);
    }

    fn end(&mut self) -> Result<(), String> {
        self.subtitles.ended()
    }

    fn is_between(&self) -> bool {
        self.subtitles.is_between()
    }

    fn decode(&self, part: &str, out: &mut String) {
        push_untagged(part, S::escaped, out);
    }

    fn items(&mut self, line: &str, number: u64, out: &mut VecDeque<LocatedItem>) -> Result<(), Fault> {
        if !CONVERTS {
            return Ok(());
        }
        let next = std::mem::take(&mut self.next);
        match self.subtitles.says(line, &next)? {
            // The next line decides whether the cue has ended.
            LineKind::Nothing => self.gap.extend(["\n", line]),
            LineKind::Name => {
                self.close(out);
                // A line with only a byte-order mark is not a name. Blanks are kept before a name that is not a
                // number: without them, the name might be read as something else.
                let name = trim(line);
                let id = if is_digits(name.as_bytes()) { name } else { line.trim_end() };
                let id = (!name.is_empty()).then(|| id.to_owned());
                let parts = id.iter().map(|_| (LossKind::Id, 0)).collect();
                self.begin(Item::Segment(Segment { id, ..Segment::default() }), line, number, parts);
            }
            LineKind::Timing(timing) => {
                if !matches!(
                    &self.open,
                    Some(LocatedItem { item: Item::Segment(Segment { begin: None, .. }), .. })
                ) {
                    self.close(out);
                    self.begin(Item::Segment(Segment::default()), line, number, Vec::new());
                } else if let Some(found) = &mut self.open {
                    found.source = format!("{}\n{line}", found.source);
                }
                let Some(LocatedItem { item: Item::Segment(segment), source, parts, .. }) = &mut self.open
                else {
                    return Ok(());
                };
                let start = source.len() - line.len();
                segment.begin = Some(clock(line, &timing.begin)?);
                segment.end = Some(clock(line, &timing.end)?);
                parts.push((LossKind::Times, start + timing.begin.start));
                let after = timing.end.end;
                let settings = line[after..].split_whitespace().collect::<Vec<_>>().join(" ");
                if !settings.is_empty() {
                    let spaces = line[after..].len() - line[after..].trim_start().len();
                    let (part, field) = S::settings(segment);
                    *field = Some(settings);
                    parts.push((part, start + after + spaces));
                }
            }
            LineKind::Text | LineKind::Metadata => {
                if let Some(found) = &mut self.open {
                    self.text_at.get_or_insert(found.source.len() + 1);
                    found.source.extend([&*std::mem::take(&mut self.gap), "\n", line]);
                }
            }
            LineKind::Block(kind, len) => {
                self.close(out);
                let text = if kind == BlockKind::Fragment { line } else { line[len..].trim() };
                let block = UnspokenBlock { kind, text: text.to_owned() };
                self.begin(Item::Block(block), line, number, vec![(LossKind::Block(kind), 0)]);
            }
            LineKind::More => {
                if let Some(LocatedItem { item: Item::Block(block), source, .. }) = &mut self.open {
                    for text in [&mut block.text, source] {
                        text.push('\n');
                        text.push_str(line);
                    }
                }
            }
        }
        Ok(())
    }

    /// Appends the open item.
    fn close(&mut self, out: &mut VecDeque<LocatedItem>) {
        let Some(mut found) = self.open.take().filter(|_| CONVERTS) else { return };
        if let (Item::Segment(segment), Some(start)) = (&mut found.item, self.text_at.take()) {
            let tags = read_text::<S>(&found.source[start..], segment);
            found.parts.push((LossKind::Text, start));
            found.parts.extend(tags.into_iter().map(|at| (LossKind::Tags, start + at)));
        }
        // All WebVTT files begin with a header, which is empty in most.
        if !matches!(&found.item, Item::Block(UnspokenBlock { kind: BlockKind::Header, text }) if text.is_empty())
        {
            out.push_back(found);
        }
    }
}

impl<S: Subtitles> CueLines<S> {
    /// Starts an item with this line.
    fn begin(&mut self, item: Item, line: &str, number: u64, parts: Vec<(LossKind, usize)>) {
        self.open = Some(LocatedItem { item, source: line.to_owned(), line: number, parts });
        self.text_at = None;
        self.gap.clear();
    }
}

/// Appends a part of a line to `out` without the tags inside its words; `escaped` returns the character
/// of an escape at the beginning of a text, and the length of the escape in bytes.
pub(super) fn push_untagged(part: &str, escaped: impl Fn(&str) -> Option<(usize, char)>, out: &mut String) {
    let mut at = 0;
    while let Some(c) = part[at..].chars().next() {
        let rest = &part[at..];
        if let Some(len) = Some(rest).filter(|_| matches!(c, '<' | '{')).and_then(tag_len) {
            at += len;
            continue;
        }
        let (len, c) = escaped(rest).unwrap_or((c.len_utf8(), c));
        out.push(c);
        at += len;
    }
}

/// Reads a time in a line.
fn clock(line: &str, position: &Range<usize>) -> Result<Time, Fault> {
    let text = &line[position.clone()];
    Time::of_clock(text).ok_or_else(|| {
        let problem = format!("found the time \"{}\", which cannot be kept exactly", shortened(text));
        Fault { at: position.start, problem }
    })
}

/// Reads the text of a cue, and returns the positions of its tags.
fn read_text<S: Subtitles>(source: &str, segment: &mut Segment) -> Vec<usize> {
    if S::is_metadata(source) {
        let lines: Vec<&str> = source.lines().filter(|line| !is_empty(line)).collect();
        segment.tags.push(SegmentTag { at: 0, tag: lines.join("\n") });
        return vec![0];
    }
    let (mut at, mut chars) = (0, 0);
    let mut positions = Vec::new();
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        if let Some(len) = empty_line(source, at) {
            at += len;
            // The break before the last line is removed with it.
            if at == source.len() && segment.text.ends_with('\n') {
                segment.text.pop();
            }
            continue;
        }
        if let Some(len) = S::tag_len(rest).filter(|&len| is_on_two_lines_at_most(&rest[..len])) {
            segment.tags.push(SegmentTag { at: chars, tag: rest[..len].to_owned() });
            positions.push(at);
            at += len;
            continue;
        }
        let (len, c) = S::escaped(rest).unwrap_or((c.len_utf8(), c));
        segment.text.push(c);
        chars += 1;
        at += len;
    }
    positions
}

/// If the line that begins at byte `at` is empty, returns its length with its ending: an empty line is not content.
fn empty_line(source: &str, at: usize) -> Option<usize> {
    if at > 0 && source.as_bytes()[at - 1] != b'\n' {
        return None;
    }
    let line = source[at..].split_inclusive('\n').next()?;
    is_empty(line.trim_end_matches('\n')).then_some(line.len())
}

/// Returns the text without white space around it and byte-order marks before it.
pub(super) fn trim(text: &str) -> &str {
    text.trim_start_matches(is_blank).trim_end()
}

/// Returns true if bytes are digits, as the number of a cue is.
pub(super) fn is_digits(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit)
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// Returns true if a line has only spaces and tabs. Other white space (U+00A0) is content.
pub(super) fn is_empty(line: &str) -> bool {
    line.bytes().all(|b| matches!(b, b' ' | b'\t'))
}

/// Removes the parts of a cue that the format cannot express; `text` returns the text of the cue as it is written.
pub(super) fn conform<S: Subtitles>(
    segment: &mut Segment,
    text: impl Fn(&Segment) -> String,
    losses: &mut Losses,
) -> Result<(), Lost> {
    let is_own = losses.is_own();
    segment.keep(losses.to.parts, losses)?;
    let tags = segment.tags.len();
    let is_tag = |tag: &str| S::tag_len(tag) == Some(tag.len()) || S::is_metadata(tag);
    if losses.from.has_overrides {
        for SegmentTag { tag, .. } in &mut segment.tags {
            if let Some((shared, _)) = STYLES.iter().find(|(_, own)| own == tag) {
                (*shared).clone_into(tag);
            }
        }
    }
    let is_placed = losses.from.has_overrides && losses.to.has(LossKind::Coordinates);
    let is_kept =
        |tag: &str| as_override(tag).is_some() || is_own && is_tag(tag) || is_placed && is_placement(tag);
    segment.keep_tags(is_kept, losses)?;
    if segment.tags.len() < tags {
        drop_empty_lines(segment);
    }
    round_times(segment, losses)?;
    check_text::<S>(segment, &text(segment), losses)
}

/// Removes the lines of a text that are empty because their tags were removed.
fn drop_empty_lines(segment: &mut Segment) {
    let (mut text, mut start, mut dropped) = (String::new(), 0, 0);
    let mut tags = std::mem::take(&mut segment.tags).into_iter().peekable();
    for line in segment.text.split('\n') {
        let end = start + line.chars().count();
        let has_tags = tags.peek().is_some_and(|tag| tag.at <= end);
        if is_empty(line) && !has_tags {
            dropped += end + 1 - start;
        } else {
            if !segment.tags.is_empty() || !text.is_empty() || start > dropped {
                text.push('\n');
            }
            text.push_str(line);
            while let Some(tag) = tags.next_if(|tag| tag.at <= end) {
                segment.tags.push(SegmentTag { at: tag.at - dropped, ..tag });
            }
        }
        start = end + 1;
    }
    // If a break at the end was removed, the tags after it move to the end.
    let len = text.chars().count();
    segment.tags.iter_mut().for_each(|tag| tag.at = tag.at.min(len));
    segment.text = text;
}

/// Appends a cue, with the settings after its timing; `mark` is the decimal mark before the milliseconds.
pub(super) fn write(segment: &Segment, settings: &Option<String>, mark: char, text: &str, out: &mut String) {
    let [begin, end] = [segment.begin, segment.end].map(|time| time.unwrap_or_default().clock(mark));
    let id = segment.id.iter().flat_map(|id| [id, "\n"]).collect::<String>();
    let settings = settings.iter().flat_map(|settings| [" ", settings]).collect::<String>();
    let end_of_text = if text.is_empty() { "" } else { "\n" };
    out.push_str(&format!("{id}{begin} --> {end}{settings}\n{text}{end_of_text}\n"));
}

/// Checks that the written text of the cue reads back as the same text.
fn check_text<S: Subtitles>(segment: &Segment, written: &str, losses: &Losses) -> Result<(), Lost> {
    let mut again = Segment::default();
    read_text::<S>(written, &mut again);
    let problem = if written.lines().any(is_empty) || written.ends_with('\n') {
        "found an empty line in a text, which would end the cue"
    } else if (&again.text, &again.tags) != (&segment.text, &segment.tags) {
        "found text that would be read as tags"
    } else {
        return Ok(());
    };
    Err(losses.reject(LossKind::Text, format_args!("{problem} in {}", losses.to.shown())))
}

/// Rounds the times to the precision of the format.
pub(super) fn round_times(segment: &mut Segment, losses: &mut Losses) -> Result<(), Lost> {
    let digits = losses.to.digits;
    let unit = if digits == 2 { "hundredths" } else { "milliseconds" };
    let (begin, end) = segment.times(losses)?;
    let times = [begin, end].into_iter().enumerate().filter(|(_, time)| time.rounded(digits) != *time);
    for (count, (nth, time)) in times.enumerate() {
        let what = format!("the digits of {} beyond {unit}", time.seconds(0));
        losses.drop_nth(LossKind::Digits, count, what).map_err(|lost| Lost { nth, ..lost })?;
    }
    (segment.begin, segment.end) = (Some(begin.rounded(digits)), Some(end.rounded(digits)));
    Ok(())
}

/// The tags that mean the same in all subtitle formats, each with the equivalent override of .ass.
const STYLES: [(&str, &str); 6] = [
    ("<i>", "{\\i1}"),
    ("</i>", "{\\i0}"),
    ("<b>", "{\\b1}"),
    ("</b>", "{\\b0}"),
    ("<u>", "{\\u1}"),
    ("</u>", "{\\u0}"),
];

/// Returns the override of .ass that means the same as a tag; `None` if the tag does not mean the same in all subtitle
/// formats.
pub(super) fn as_override(tag: &str) -> Option<&'static str> {
    STYLES.iter().find(|(shared, _)| *shared == tag).map(|(_, own)| *own)
}

/// Returns true if an override positions a cue, which players of .srt obey too: `{\an8}`.
fn is_placement(tag: &str) -> bool {
    let digit = tag.strip_prefix("{\\an").and_then(|rest| rest.strip_suffix('}'));
    digit.is_some_and(|digit| matches!(digit.as_bytes(), [b'1'..=b'9']))
}

/// Returns the length of the mark-up at the beginning of the text, `<i>`, `</v>`, `<00:01.000>` or
/// `{\an8}`, if it begins with any.
pub(super) fn tag_len(text: &str) -> Option<usize> {
    let opens = |c: char| c.is_alphanumeric() || matches!(c, '/' | '!');
    let close = match text.strip_prefix('<') {
        Some(rest) if rest.starts_with(opens) => '>',
        None if text[1..].starts_with('\\') => '}',
        None => return control_len(text),
        _ => return None,
    };
    let mut inside = text.char_indices().skip(1).take(MAX_TAG);
    inside.find(|&(_, c)| c == close || c == '<').filter(|&(_, c)| c == close).map(|(at, _)| at + 1)
}

/// Returns true if a character closes a quotation or a bracket: it does not show whether a sentence ends.
fn closes_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '”' | '’' | '»' | ')')
}

/// Returns the length of the control code at the beginning of the text, if it is one that MicroDVD
/// players know: `{y:i}`, `{c:$0000ff}`. No such code has the letter i, which a Turkish text may have
/// without its dot.
fn control_len(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('{')?;
    let is_code = |c: char| c.is_ascii_alphabetic() && !c.eq_ignore_ascii_case(&'i');
    let rest = rest.strip_prefix(is_code)?.strip_prefix(':')?;
    let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '}');
    let (len, _) = rest.char_indices().take(MAX_TAG + 1).find(|&(_, c)| ends(c))?;
    let is_one = rest[len..].starts_with('}');
    (is_one && (1..MAX_TAG).contains(&len)).then_some("{a:".len() + len + 1)
}

/// Returns true if a tag may be open at the end of a line.
fn opens_tag(line: &[u8]) -> bool {
    line.iter().rposition(|b| matches!(b, b'<' | b'>')).is_some_and(|at| line[at] == b'<')
}

/// Returns true if mark-up ends on the line where it begins or on the next, with nothing but white
/// space after it there.
fn is_on_two_lines_at_most(tag: &str) -> bool {
    tag.split('\n').skip(1).enumerate().all(|(nth, line)| nth == 0 && !is_empty(line))
}

/// Returns true if the parentheses at the beginning of `rest` contain an event between sentences:
/// `Yes. (laughs) So what?`
fn is_aside(before: &str, rest: &str) -> bool {
    let Some((inside, _)) = rest[1..].split_once(')') else { return false };
    before.trim_end().ends_with(is_end_mark)
        && !inside.contains(is_end_mark)
        && inside.split_whitespace().nth(LONGEST_ASIDE).is_none()
}

/// Returns the length of the dash at the beginning of the text, if it marks a change of speaker.
/// Two dashes mean that the speaker continues, and a dash before a digit is a minus.
pub fn dash_len(text: &str) -> Option<usize> {
    let dash = |c: &char| matches!(c, '-' | '–' | '—' | '‐');
    let first = text.chars().next().filter(dash)?;
    let next = text[first.len_utf8()..].chars().next()?;
    (!dash(&next) && !next.is_numeric()).then_some(first.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line_parts::{PartRole, TextPart};

    /// Returns the parts that are text, with a stroke before the parts of another speaker and `^` before
    /// the first of a sentence.
    fn parts(lines: &[&str]) -> Vec<String> {
        let mut cues = CueScanner::default();
        cues.begin();
        let mut found = Vec::new();
        for (nth, line) in lines.iter().enumerate() {
            let mut parts = LineParts::default();
            let next = lines.get(nth + 1).copied().unwrap_or_default();
            cues.line(line, next, &mut parts);
            found.extend(parts.iter().map(|TextPart { position, before, role, .. }| {
                let turn = if *before == Some(Break::Turn) { "|" } else { "" };
                let begins = if *role == PartRole::Beginning { "^" } else { "" };
                format!("{turn}{begins}{}", line[position.clone()].trim())
            }));
        }
        found
    }

    #[test]
    fn a_tag_may_go_on_in_the_next_line() {
        assert_eq!(
            parts(&["so <font a=\"b\"", "face=\"c d\">we</font> met <b", "there", "a <b", "<i>c"]),
            ["so", "we", "met <b", "there", "a <b", "c"]
        );
        assert_eq!(parts(&["<v Ana", "Reis>so", "<v Ana Reis>it", "<v Ana>is"]), ["|so", "it", "|is"]);
        assert_eq!(
            parts(&["h<i>e</i>{\\b1}<b>l lo <i>a</i> b<br>c<00:01.000>d"]),
            ["h<i>e</i>{\\b1}<b>l lo", "a", "b", "c", "d"]
        );
        assert_eq!(parts(&["{y:i}so {c:$0000ff}it {a: b} {ab:c}"]), ["so", "it {a: b} {ab:c}"]);
        assert_eq!(parts(&["{ı:b} so", "{I:b} so"]), ["{ı:b} so", "{I:b} so"]);
    }

    #[test]
    fn a_sentence_begins_behind_the_name_of_a_speaker() {
        assert_eq!(
            parts(&[
                "MAN: so it is.",
                "WOMAN #2:",
                "<i>no.</i>",
                ">> DR. REIS: i",
                "- [man]: you",
                "and: yes."
            ]),
            ["MAN:", "^so it is.", "WOMAN #2:", "^no.", "|DR. REIS:", "^i", "|^you", "and: yes."]
        );
        for text in ["at 10:30: so", "12: so", "so, he: no", "it is so many words: no", "a:b c", "a : b"] {
            assert_eq!(parts(&[text]), [text]);
        }
        assert_eq!(
            parts(&["no.", "so i told", "him: no.", "\"ana: no.\""]),
            ["no.", "so i told", "him: no.", "\"ana: no.\""]
        );
        assert_eq!(parts(&["(ana): no", "ana:", "[laughs]", "rui"]), ["^no", "ana:", "^rui"]);
    }

    #[test]
    fn a_sentence_goes_on_behind_the_same_name_where_the_text_shows_that_it_is_open() {
        assert_eq!(
            parts(&["ana: so, and", "ANA: then", "rui: no, i", "ana: am.", "ana: yes, he", "(ana): is"]),
            ["ana:", "^so, and", "ANA:", "then", "rui:", "^no, i", "ana:", "^am.", "ana:", "^yes, he", "is"]
        );
        assert_eq!(
            parts(&["ana: no.", "ana: so, it", "rui: no, i", "ana: then"])[4..],
            ["rui: no, i", "ana: then"]
        );
        assert_eq!(parts(&["ana: so", "ana: then"]), ["ana:", "^so", "ana:", "^then"]);
        assert_eq!(parts(&["ana: so, and", ">> ana: then"]), ["ana:", "^so, and", "|ana:", "^then"]);
    }

    #[test]
    fn a_label_may_have_a_remark_and_several_names() {
        assert_eq!(
            parts(&["JOHN (whispering): so", "MAN [ON TV]:", "it", "ASH, MISTY AND RUI: no", "so, he: no"]),
            ["JOHN", ":", "^so", "MAN", ":", "^it", "ASH, MISTY AND RUI:", "^no", "so, he: no"]
        );
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
        assert_eq!(parts(&["[only]", "♪ la la ♪", "&quot;no.&quot;"]), ["^♪ la la ♪", "no."]);
    }

    #[test]
    fn a_song_is_a_turn_where_marks_are_put_in() {
        fn read(line: &str) -> (Vec<(&str, Option<Break>)>, Option<Break>) {
            let (mut cues, mut parts) = (CueScanner::default(), LineParts::default());
            cues.puts_marks = true;
            cues.begin();
            cues.line(line, "", &mut parts);
            let read = parts.iter().map(|part| (line[part.position.clone()].trim(), part.before));
            (read.filter(|(text, _)| !text.is_empty()).collect(), cues.before)
        }
        for (line, text) in [
            ("♪ la la ♪", "♪ la la ♪"),
            ("- ♪♪ la la ♪", "♪♪ la la ♪"),
            ("<i>♫ la</i>", "♫ la"),
            ("♪ a: la", "♪ a: la"),
            ("<i>♪ la ♪</i>", "♪ la ♪"),
        ] {
            let (parts, after) = read(line);
            assert_eq!(parts, [(text, Some(Break::Turn))], "{line}");
            let is_sung = line.trim_end_matches("</i>").ends_with('♪');
            assert_eq!(after == Some(Break::Turn), is_sung, "{line}");
        }
        assert_eq!(read("we ♪ met").0, [("we ♪ met", Some(Break::Cue))]);
        assert_eq!(parts(&["♪ la la ♪", "we"]), ["^♪ la la ♪", "we"]);
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
