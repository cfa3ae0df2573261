//! Cuts speech into cues that a reader can follow: words with times in, subtitles out.
//!
//! A cue ends where a sentence ends, otherwise at a comma or a pause. Its lines are broken where a
//! reader would pause, and another speaker begins a cue. The words, their order and their marks stay;
//! the times of cues are the times of their words.

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use majuscule_base::error::{Error, Result};
use majuscule_base::interrupt::Interrupt;
use majuscule_base::printable::shortened;
use majuscule_format::segments::{
    BlockKind, Item, LocatedItem, LossKind, Losses, Lost, Refused, Segment, SegmentTag, Time, UnspokenBlock,
    dash_len, is_mark,
};
use majuscule_format::whisper;
use majuscule_text::Mark;
use majuscule_text::speaker_label::name_len;

use crate::cut::{CutCue, CutWord, Juncture, TurnCut};
use crate::juncture::CueLanguage;
use crate::limits::CueLimits;
use crate::rolled::RolledUp;
use crate::words::{self, CueWord};

/// The tolerance, in milliseconds, for a word that begins before the previous word: recognisers are not more exact.
const SLACK: u64 = 500;

/// Words of one speaker in a row.
#[derive(Debug)]
struct SpokenTurn {
    frame: Rc<Segment>,
    words: Vec<CueWord>,
    /// The source of each word, without the words themselves.
    sources: Vec<Rc<LocatedItem>>,
    /// The number of words before the turn.
    first: usize,
    /// True for a sound, which stays in a separate cue.
    is_apart: bool,
    /// True if it begins before the end of the previous turn.
    overlaps: bool,
    /// True if it begins in the same segment as the previous turn.
    is_same_segment: bool,
}

/// Words of a turn that are in one cue.
#[derive(Debug)]
struct CuePart {
    /// The index of the turn.
    turn: usize,
    cut: CutCue,
    /// The tags that are open before its words.
    open: Vec<String>,
}

/// A cue of one turn, or of two.
#[derive(Debug)]
struct MadeCue {
    parts: Vec<CuePart>,
    begin: u64,
    said: u64,
    end: u64,
}

/// The number of cues that break a limit, and the first of these cues.
#[derive(Debug, Default)]
struct ToldCues {
    count: usize,
    first: Vec<String>,
}

impl ToldCues {
    const SHOWN: usize = 5;

    fn push(&mut self, number: usize, begin: u64) {
        self.count += 1;
        if self.first.len() < Self::SHOWN {
            let clock = Time::of_milliseconds(begin).unwrap_or_default().clock('.');
            self.first.push(format!("{number} at {clock}"));
        }
    }

    fn tell(&self, what: &str, advice: &str) -> Option<String> {
        let cues = if self.count == 1 { "1 cue".to_owned() } else { format!("{} cues", self.count) };
        let more = if self.count > Self::SHOWN { ", ..." } else { "" };
        (self.count > 0).then(|| format!("{cues} {what} ({}{more}): {advice}", self.first.join(", ")))
    }
}

/// Turns the segments of a file into cues.
#[derive(Debug)]
pub(crate) struct CueCutter {
    limits: CueLimits,
    /// The unit of the times of the output, in milliseconds.
    unit: u64,
    language: CueLanguage,
    /// The information that was dropped because cues cannot hold it.
    pub(crate) losses: Losses,
    /// Once it is set, cutting stops, and the finished cues must not be written.
    interrupt: Interrupt,
    turns: Vec<SpokenTurn>,
    /// The words read so far.
    count: usize,
    /// Blocks, each with the number of words before it.
    blocks: VecDeque<(usize, LocatedItem)>,
    recording: Option<Option<String>>,
    rolled: RolledUp,
    /// The cues and blocks that are ready, with their sources.
    pub(crate) cues: VecDeque<(Item, Rc<LocatedItem>)>,
    written: usize,
    divided: u64,
    set_in_order: u64,
    fast: ToldCues,
    short: ToldCues,
    long: ToldCues,
}

impl CueCutter {
    /// # Errors
    /// Fails if a limit is invalid, or if the input has no times.
    pub(crate) fn new(limits: &CueLimits, losses: Losses, interrupt: Interrupt) -> Result<Self> {
        let Losses { from, to, .. } = losses;
        limits.check()?;
        if !from.has_times {
            let problem = format!("{} has no times, but cues are made of words with times", from.shown());
            return Err(Error::usage(format!(
                "{problem}: convert subtitles, a transcript with times, or JSON"
            )));
        }
        Ok(Self {
            limits: limits.clone(),
            unit: 10u64.pow(3 - to.digits),
            language: CueLanguage::of(limits.language.as_deref()),
            losses,
            interrupt,
            turns: Vec::new(),
            count: 0,
            blocks: VecDeque::new(),
            recording: None,
            rolled: RolledUp::default(),
            cues: VecDeque::new(),
            written: 0,
            divided: 0,
            set_in_order: 0,
            fast: ToldCues::default(),
            short: ToldCues::default(),
            long: ToldCues::default(),
        })
    }

    /// Processes the next item of the file.
    pub(crate) fn take(&mut self, mut found: LocatedItem) -> Result<(), Box<Refused>> {
        match std::mem::replace(&mut found.item, Item::Segment(Segment::default())) {
            Item::Block(block) => {
                self.see_language(&block);
                found.item = Item::Block(block);
                self.blocks.push_back((self.count, found));
                Ok(())
            }
            Item::Segment(segment) => {
                // All cues of a segment share its source.
                let source = Rc::new(found);
                let taken = self.segment(segment, &source);
                taken.map_err(|lost| Box::new((Some(source), lost)))
            }
        }
    }

    /// Uses the language that a document names, unless the user named one.
    fn see_language(&mut self, block: &UnspokenBlock) {
        if block.kind == BlockKind::Document
            && self.limits.language.is_none()
            && let Some(named) = whisper::language(block.text.as_bytes())
        {
            self.language = CueLanguage::of(Some(&named));
        }
    }

    fn segment(&mut self, mut segment: Segment, source: &Rc<LocatedItem>) -> Result<(), Lost> {
        if self.losses.from.rolls_up && self.rolled.drop_repeated(&mut segment) {
            return Ok(());
        }
        // The words are not dropped, and a recording of several hours has too many of them to copy.
        let words = std::mem::take(&mut segment.words);
        words::drop_fields(&segment, self.keeps_words(), &mut self.losses)?;
        segment.words = words;
        segment.fit_words();
        segment.order_times(&mut self.losses)?;
        let (parts, is_divided) = words::read(&segment, self.unit, &self.language, &self.losses)?;
        if parts.is_empty() {
            let tags = segment.tags.len();
            return match segment.tags.into_iter().next() {
                Some(tag) if tags > 0 => self.losses.drop_part(LossKind::Tags, tag.tag),
                _ => self.losses.drop_part(LossKind::Text, "an empty text"),
            };
        }
        self.begin_recording(&segment.recording)?;
        self.divided += u64::from(is_divided);
        for (nth, part) in parts.into_iter().enumerate() {
            // Cues may overlap; the rows of a transcript are expected in order.
            let last = self.turns.last().and_then(|turn| turn.words.last());
            let overlaps = !self.losses.from.is_word
                && nth == 0
                && last.zip(part.words.first()).is_some_and(|(last, word)| word.begin + SLACK < last.begin);
            let goes_on = self.turns.last().is_some_and(|turn| {
                let is_apart = part.is_apart || turn.is_apart || overlaps;
                turn.frame == part.frame && !part.begins && !is_apart
            });
            if !goes_on {
                self.turns.push(SpokenTurn {
                    frame: part.frame,
                    words: Vec::new(),
                    sources: Vec::new(),
                    first: self.count,
                    is_apart: part.is_apart,
                    overlaps,
                    is_same_segment: nth > 0,
                });
            }
            for word in part.words {
                self.word(word, source)?;
            }
        }
        Ok(())
    }

    fn word(&mut self, mut word: CueWord, source: &Rc<LocatedItem>) -> Result<(), Lost> {
        let keeps_words = self.keeps_words();
        let mut turns = self.turns.iter_mut().rev();
        let Some(turn) = turns.next() else { return Ok(()) };
        if self.losses.from.is_word
            && is_mark(&word.text)
            && let Some(before) = turn.words.last_mut()
        {
            let is_dash = word.text.starts_with(|c| Mark::of(c) == Mark::Dash);
            before.push_mark(&format!("{}{}", if is_dash { " " } else { "" }, word.text));
            before.space_marks(self.limits.language.as_deref());
            return Ok(());
        }
        if self.losses.from.format.info().has_utterances {
            word.space_marks(self.limits.language.as_deref());
        }
        let before = match turn.words.last() {
            Some(before) => Some(before.begin),
            None => turns
                .next()
                .filter(|last| last.frame == turn.frame && !turn.overlaps)
                .and_then(|last| Some(last.words.last()?.begin)),
        };
        let least = before.unwrap_or(0);
        let late = least.saturating_sub(word.begin).max(word.begin.saturating_sub(word.end));
        if late > SLACK {
            let [found, least] =
                [word.begin, least].map(|time| Time::of_milliseconds(time).unwrap_or_default().seconds(0));
            let (name, text) = ("words are expected in the order of their times", shortened(&word.text));
            let problem = match word.end < word.begin {
                true => format!("found \"{text}\" with its end before its beginning, {found}"),
                false => format!("found \"{text}\" at {found}, after a word at {least}"),
            };
            let problem =
                format!("{problem}, but {name}: sort them by channel and time, or correct the times");
            return Err(Lost { part: LossKind::Times, nth: 0, problem });
        }
        self.set_in_order += u64::from(late > 0);
        word.begin = word.begin.max(least);
        word.end = word.end.max(word.begin);
        if !keeps_words {
            word.timed = Vec::new();
        }
        turn.words.push(word);
        turn.sources.push(Rc::clone(source));
        self.count += 1;
        let held = self.count - self.turns.first().map_or(0, |turn| turn.first);
        match self.limits.max_words {
            Some(most) if held > most => {
                let problem = format!("found more than {most} words, the limit of new cues: divide the file");
                Err(Lost { part: LossKind::Text, nth: 0, problem })
            }
            _ => Ok(()),
        }
    }

    /// Begins another recording, whose times begin anew.
    fn begin_recording(&mut self, recording: &Option<String>) -> Result<(), Lost> {
        let Some(before) = self.recording.replace(recording.clone()) else { return Ok(()) };
        if before == *recording {
            return Ok(());
        }
        if !self.losses.to.has(LossKind::Recording) {
            let [before, now] =
                [&before, recording].map(|name| shortened(name.as_deref().unwrap_or("-")).to_string());
            let to = self.losses.to.shown();
            let problem = format!(
                "found the recording \"{now}\" after \"{before}\", but {to} can hold only one: convert each by itself"
            );
            return Err(Lost { part: LossKind::Recording, nth: 0, problem });
        }
        self.cut();
        Ok(())
    }

    /// Ends the file; false if nothing is left.
    pub(crate) fn end(&mut self) -> bool {
        self.cut();
        self.cues.extend(self.blocks.drain(..).map(|(_, block)| shared(block)));
        !self.cues.is_empty()
    }

    /// Returns the notes on the cues for the user.
    pub(crate) fn notes(&self) -> Vec<String> {
        let CueLimits { max_chars, min_seconds, max_cps, .. } = self.limits;
        let parts = if self.divided == 1 { "1 segment" } else { &format!("{} segments", self.divided) };
        let divided = format!(
            "the input has no times for the words of {parts}: their times were interpolated by character count"
        );
        let times = if self.set_in_order == 1 { "1 word" } else { &format!("{} words", self.set_in_order) };
        let order = format!("{times} began up to half a second before the previous word: reordered");
        let notes = [
            self.rolled.tell(),
            (self.divided > 0).then_some(divided),
            (self.set_in_order > 0).then_some(order),
            self.long
                .tell(&format!("with a line of more than {max_chars} characters"), "a word is not divided"),
            self.short.tell(&format!("shorter than {min_seconds} s"), "the next words follow at once"),
            self.fast.tell(
                &format!("with more than {max_cps} characters a second"),
                "the speech is that fast; shorten the text",
            ),
        ];
        notes.into_iter().flatten().collect()
    }

    fn keeps_words(&self) -> bool {
        self.losses.to.has(LossKind::Words)
    }

    /// Cuts the turns of a recording into cues.
    fn cut(&mut self) {
        let turns = std::mem::take(&mut self.turns);
        let mut cues: Vec<MadeCue> = Vec::new();
        for (at, turn) in turns.iter().enumerate() {
            let words = self.cut_words(turn);
            let said = words.iter().map(|word| word.end).max().unwrap_or(0);
            let next = turns.get(at + 1).and_then(|next| next.words.first()).map(|word| word.begin);
            let room = next.map(|next| next.max(said));
            let Ok(cut) = TurnCut::new(&words, room, &self.limits).best(&self.interrupt) else { return };
            let (mut open, mut followed) = (Vec::new(), 0);
            for cue in cut {
                let before = &turn.words[followed..cue.words.start];
                before.iter().flat_map(|word| &word.tags).for_each(|tag| words::follow(&tag.tag, &mut open));
                followed = cue.words.start;
                let begin = words[cue.words.start].begin;
                let until = words.get(cue.words.end).map_or(u64::MAX, |next| next.begin);
                let said =
                    words[cue.words.clone()].iter().map(|word| word.end).max().unwrap_or(begin).min(until);
                let parts = vec![CuePart { turn: at, cut: cue, open: open.clone() }];
                cues.push(MadeCue { parts, begin, said, end: said });
            }
        }
        let mut cues = self.join(&turns, cues);
        cues.sort_by_key(|cue| cue.begin);
        for at in 0..cues.len() {
            let next = cues.get(at + 1).map(|next| next.begin);
            let chars = text_len(&turns, &cues[at]);
            let cue = &mut cues[at];
            cue.end = self.limits.shown(cue.begin, cue.said, next, chars);
            if self.unit > 1 {
                cue.end = cue.end / self.unit * self.unit;
            }
        }
        for cue in &cues {
            if self.interrupt.check().is_err() {
                return;
            }
            self.write(&turns, cue);
        }
    }

    fn cut_words(&self, turn: &SpokenTurn) -> Vec<CutWord> {
        let cut_word = |(at, word): (usize, &CueWord)| {
            let after = match turn.words.get(at + 1) {
                Some(next) => self.language.juncture(&word.text, &next.text),
                None => Juncture::Sentence,
            };
            CutWord { chars: word.text.chars().count(), begin: word.begin, end: word.end, after }
        };
        turn.words.iter().enumerate().map(cut_word).collect()
    }

    /// Joins two short turns in one cue, with a line for each, if either turn is too short for a separate cue or if
    /// both were in one cue of the input.
    fn join(&self, turns: &[SpokenTurn], cues: Vec<MadeCue>) -> Vec<MadeCue> {
        let mut joined: Vec<MadeCue> = Vec::new();
        let mut cues = cues.into_iter().peekable();
        while let Some(mut cue) = cues.next() {
            if let Some(next) = cues.peek()
                && self.may_join(turns, &cue, next)
                && let Some(next) = cues.next()
            {
                cue.parts.extend(next.parts);
                cue.said = cue.said.max(next.said);
            }
            joined.push(cue);
        }
        joined
    }

    fn may_join(&self, turns: &[SpokenTurn], cue: &MadeCue, next: &MadeCue) -> bool {
        let ([own], [other]) = (&cue.parts[..], &next.parts[..]) else { return false };
        let (first, own, second, other) = (own.turn, &own.cut, other.turn, &other.cut);
        let (a, b) = (&turns[first], &turns[second]);
        let is_line = |turn: &SpokenTurn, words: &Range<usize>| {
            let line = turn_len(turn, words) + DASH.len();
            !turn.is_apart && line <= self.limits.max_chars
        };
        let is_sentence = |turn: &SpokenTurn, words: &Range<usize>| {
            let ends = |at: usize| {
                let after = turn.words.get(at).filter(|_| at > 0);
                after.is_none_or(|next| {
                    self.language.juncture(&turn.words[at - 1].text, &next.text) == Juncture::Sentence
                })
            };
            ends(words.start) && ends(words.end)
        };
        let is_fit = self.limits.max_lines > 1
            && second == first + 1
            && own.words.end == a.words.len()
            && other.words.start == 0
            && [(a, own), (b, other)]
                .into_iter()
                .all(|(turn, cue)| is_line(turn, &cue.words) && is_sentence(turn, &cue.words));
        let same = |turn: &SpokenTurn| {
            let mut frame = Segment::clone(&turn.frame);
            frame.tags.retain(|tag| !tag.tag.starts_with('<'));
            if !self.losses.to.has(LossKind::Speaker) {
                (frame.speaker, frame.channel, frame.label) = (None, None, None);
            }
            frame
        };
        let is_timely = next.begin >= cue.begin
            && next.begin.saturating_sub(cue.said) <= SLACK
            && next.said.saturating_sub(cue.begin) <= self.limits.max_milliseconds();
        let is_short = |begin: u64, said: u64, room: u64| {
            self.limits.shown(begin, said, Some(room), 0) < begin + self.limits.min_milliseconds()
        };
        // The time available after the second turn is not known yet; it is at least the time of its own words.
        let is_needed = b.is_same_segment
            || is_short(cue.begin, cue.said, next.begin)
            || is_short(next.begin, next.said, next.said);
        is_fit && is_timely && is_needed && same(a) == same(b)
    }

    /// Outputs a cue, after the blocks that come before its words.
    fn write(&mut self, turns: &[SpokenTurn], cue: &MadeCue) {
        let (first, part) = (&turns[cue.parts[0].turn], &cue.parts[0].cut);
        let last = cue.parts.last().map_or(0, |part| turns[part.turn].first + part.cut.words.end);
        while let Some((_, block)) = self.blocks.pop_front_if(|(at, _)| *at < last) {
            self.cues.push_back(shared(block));
        }
        let mut segment = Segment::clone(&first.frame);
        segment.tags.clear();
        segment.begin = Time::of_milliseconds(cue.begin);
        segment.end = Time::of_milliseconds(cue.end);
        let mut text = CueText { segment, at: 0, keeps_words: self.keeps_words() };
        for part in &cue.parts {
            let turn = &turns[part.turn];
            if text.at > 0 {
                text.push("\n");
                text.differ(&turn.frame);
            }
            text.part(turn, part, dash(turns, cue, part));
        }
        let CueText { mut segment, keeps_words, .. } = text;
        let words = turn_words(turns, cue);
        if !keeps_words || words.clone().any(|word| word.timed.is_empty()) {
            if keeps_words && words.clone().any(|word| !word.timed.is_empty()) {
                // If only some words have times, a list of these words would not be the words of the text.
                let _ = self.losses.drop_part(LossKind::Words, "the times of words");
            }
            segment.words.clear();
        }
        self.written += 1;
        self.tell(cue, &segment.text);
        let source = &first.sources[part.words.start];
        self.cues.push_back((Item::Segment(segment), Rc::clone(source)));
    }

    /// Records the limits that a cue breaks.
    fn tell(&mut self, cue: &MadeCue, text: &str) {
        let shown = cue.end - cue.begin;
        let lines = || text.split('\n').map(|line| line.chars().count());
        let is_long = lines().any(|chars| chars > self.limits.max_chars);
        let is_fast = self.limits.milliseconds_to_read(text.chars().count()) > shown;
        let is_short = shown < self.limits.min_milliseconds();
        for (told, is_so) in
            [(&mut self.long, is_long), (&mut self.short, is_short), (&mut self.fast, is_fast)]
        {
            if is_so {
                told.push(self.written, cue.begin);
            }
        }
    }
}

/// Returns an item with itself as its source.
fn shared(found: LocatedItem) -> (Item, Rc<LocatedItem>) {
    (found.item.clone(), Rc::new(found))
}

/// The dash before each of two turns in a cue.
const DASH: &str = "- ";

/// Returns the dash before a part of a cue. It is empty if the cue has only one part, if the part has its own dash,
/// or if a name or another sign shows where a part begins.
fn dash(turns: &[SpokenTurn], cue: &MadeCue, part: &CuePart) -> &'static str {
    let first = |part: &CuePart| &*turns[part.turn].words[part.cut.words.start].text;
    let is_told = |part: &CuePart| {
        let text = first(part);
        text.starts_with(">>") || text.starts_with(['♪', '♫', '[', '(']) || name_len(text).is_some()
    };
    let is_plain = cue.parts.len() < 2 || cue.parts.iter().any(is_told);
    if is_plain || dash_len(first(part)).is_some() { "" } else { DASH }
}

fn turn_len(turn: &SpokenTurn, words: &Range<usize>) -> usize {
    let chars: usize = turn.words[words.clone()].iter().map(|word| word.text.chars().count() + 1).sum();
    chars.saturating_sub(1)
}

fn turn_words<'a>(turns: &'a [SpokenTurn], cue: &'a MadeCue) -> impl Iterator<Item = &'a CueWord> + Clone {
    cue.parts.iter().flat_map(|part| &turns[part.turn].words[part.cut.words.clone()])
}

fn text_len(turns: &[SpokenTurn], cue: &MadeCue) -> usize {
    let parts = cue
        .parts
        .iter()
        .map(|part| turn_len(&turns[part.turn], &part.cut.words) + dash(turns, cue, part).len() + 1);
    parts.sum::<usize>().saturating_sub(1)
}

/// The text of a cue that is being written.
#[derive(Debug)]
struct CueText {
    segment: Segment,
    /// The number of characters so far.
    at: usize,
    keeps_words: bool,
}

impl CueText {
    fn push(&mut self, text: &str) {
        self.segment.text.push_str(text);
        self.at += text.chars().count();
    }

    fn tag(&mut self, tag: &str) {
        self.segment.tags.push(SegmentTag { at: self.at, tag: tag.to_owned() });
    }

    /// Removes the speaker, the channel and the label that a second turn does not share.
    fn differ(&mut self, other: &Segment) {
        let Segment { speaker, channel, label, .. } = &mut self.segment;
        for (own, other) in [(speaker, &other.speaker), (channel, &other.channel), (label, &other.label)] {
            own.take_if(|own| Some(&*own) != other.as_ref());
        }
    }

    /// Appends words of a turn, with the tags that are open before them.
    fn part(&mut self, turn: &SpokenTurn, part: &CuePart, dash: &str) {
        let is_second = self.at > 0;
        let own = turn.frame.tags.iter().filter(|tag| !is_second || tag.tag.starts_with('<'));
        own.for_each(|tag| self.tag(&tag.tag));
        self.push(dash);
        let (mut open, cut) = (part.open.clone(), &part.cut);
        open.iter().for_each(|tag| self.tag(tag));
        for at in cut.words.clone() {
            let word = &turn.words[at];
            let space = match at {
                at if at == cut.words.start => "",
                at if cut.breaks.contains(&(at - 1)) => "\n",
                _ => " ",
            };
            self.push(space);
            self.word(word, space);
            word.tags.iter().for_each(|tag| words::follow(&tag.tag, &mut open));
        }
        open.iter().rev().for_each(|tag| self.tag(&words::closing(tag)));
    }

    fn word(&mut self, word: &CueWord, space: &str) {
        let start = self.at;
        for tag in &word.tags {
            self.segment.tags.push(SegmentTag { at: start + tag.at, tag: tag.tag.clone() });
        }
        if self.keeps_words {
            for (nth, timed) in word.timed.iter().enumerate() {
                let mut timed = timed.clone();
                if nth == 0 {
                    timed.text = format!("{space}{}", timed.text.trim_start());
                }
                self.segment.words.push(timed);
            }
        }
        self.push(&word.text);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::path::Path;

    use proptest::prelude::*;

    use majuscule_base::files::Input;
    use majuscule_format::Format;
    use majuscule_format::segments::ItemReader;

    use super::*;
    use crate::formats::{dropped, run, written};
    use crate::rolled::GLIMPSE;
    use crate::{Conversion, ConversionNotes, CueCut};

    /// Cuts a file into cues, and returns the output and the notes.
    fn cut_with(
        limits: CueLimits,
        from: Format,
        to: Format,
        text: &str,
    ) -> Result<(String, ConversionNotes)> {
        let input = Input::uncompressed("data", Cursor::new(text.to_owned()));
        let mut out = Vec::new();
        let conversion =
            Conversion { from, to, cut: Some(CueCut::Sentence), limits, ..Conversion::default() };
        let notes = conversion.run(input, &mut out, Path::new("out"))?;
        Ok((String::from_utf8(out).unwrap(), notes))
    }

    fn cut(from: Format, to: Format, text: &str) -> String {
        cut_with(CueLimits::default(), from, to, text).unwrap().0
    }

    fn error(from: Format, text: &str) -> String {
        cut_with(CueLimits::default(), from, Format::Srt, text).unwrap_err().to_string()
    }

    /// Returns rows of words that last 0.3 s each, with a pause of 0.1 s.
    fn rows(speaker: &str, begin: f64, text: &str) -> String {
        let row = |(at, word): (usize, &str)| {
            format!("t 1 {:.2} 0.30 {word} NA lex {speaker}\n", begin + 0.4 * at as f64)
        };
        text.split(' ').enumerate().map(row).collect()
    }

    /// Returns the texts of cues.
    fn texts(srt: &str) -> Vec<String> {
        let text = |cue: &str| cue.lines().skip(2).collect::<Vec<_>>().join("|");
        srt.split_terminator("\n\n").map(text).collect()
    }

    #[test]
    fn a_cue_ends_with_its_sentence() {
        let file = rows(
            "ana",
            0.0,
            "We came to Lisbon in the year when it snowed. Nobody in the city had ever seen so much snow.",
        );
        let expected = "1\n00:00:00,000 --> 00:00:03,900\nWe came to Lisbon in the year|when it snowed.\n\n\
                        2\n00:00:04,000 --> 00:00:07,900\nNobody in the city|had ever seen so much snow.\n\n";
        assert_eq!(cut(Format::Ctm, Format::Srt, &file), expected.replace('|', "\n"));
        assert_eq!(
            cut(Format::Ctm, Format::Vtt, &file).replace("WEBVTT\n\n", ""),
            expected
                .replace('|', "\n")
                .replace(",", ".")
                .replace("1\n00", "00")
                .replace("2\n00", "00")
                .replace("We came", "<v ana>We came")
                .replace("Nobody", "<v ana>Nobody")
        );
        let ass = cut(Format::Ctm, Format::Ass, &file);
        assert!(
            ass.contains("0:00:03.90,Default,ana,0,0,0,,We came to Lisbon in the year\\Nwhen it"),
            "{ass}"
        );
    }

    #[test]
    fn a_long_sentence_is_cut_at_commas_and_pauses() {
        let long = "after the war my father opened a small shop near the river, and every morning he opened it for the fishermen.";
        let found = texts(&cut(Format::Ctm, Format::Srt, &rows("-", 0.0, long)));
        assert_eq!(
            found,
            [
                "after the war my father opened|a small shop near the river,",
                "and every morning he opened it|for the fishermen."
            ]
        );
        let plain = "after the war my father opened a small shop near the river";
        let file = rows("-", 0.0, plain) + &rows("-", 7.0, "he opened it every morning for the fishermen");
        assert_eq!(
            texts(&cut(Format::Ctm, Format::Srt, &file))[1],
            "he opened it every morning|for the fishermen"
        );
    }

    #[test]
    fn short_turns_share_a_cue_by_dashes() {
        let file = rows("ana", 0.0, "How are you?")
            + &rows("rui", 1.2, "Fine!")
            + &rows("ana", 1.6, "I am glad that you came.");
        assert_eq!(
            texts(&cut(Format::Ctm, Format::Srt, &file)),
            ["- How are you?|- Fine!", "I am glad that you came."]
        );
        // A format with a place for the speaker keeps it.
        let objects = cut(Format::Ctm, Format::Jsonl, &file);
        assert_eq!(objects.lines().count(), 3);
        assert!(
            objects.contains(
                r#""speaker":"rui","begin":1.2,"end":1.6,"text":"Fine!","words":[{"text":"Fine!","#
            ),
            "{objects}"
        );
        let voices =
            "WEBVTT\n\n00:01.000 --> 00:01.500\n<v Ana>Who?\n\n00:01.500 --> 00:02.000\n<v Rui>Me.</v>\n\n";
        assert_eq!(
            cut(Format::Vtt, Format::Vtt, voices),
            "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ana>- Who?\n<v Rui>- Me.\n\n"
        );
    }

    #[test]
    fn cues_without_times_of_words_are_divided_by_letters() {
        // 30 letters and marks in 5.4 s: 15 of them take 2.7 s.
        let srt = "1\n00:00:10,000 --> 00:00:15,400\nThe mail was here. We read\nit <i>at once</i>.\n\n";
        let (found, notes) = cut_with(CueLimits::default(), Format::Srt, Format::Srt, srt).unwrap();
        assert_eq!(
            found,
            "1\n00:00:10,000 --> 00:00:12,700\nThe mail was here.\n\n\
             2\n00:00:12,700 --> 00:00:15,400\nWe read it <i>at once</i>.\n\n"
        );
        let told = [
            "the input has no times for the words of 1 segment: their times were interpolated by character count",
        ];
        assert_eq!(notes, ConversionNotes { left_out: None, cues: told.map(str::to_owned).to_vec() });
        let vtt = "WEBVTT\n\n00:10.000 --> 00:15.000\nThe mail was here. <00:14.000>We read it\n\n";
        assert!(cut(Format::Vtt, Format::Srt, vtt).contains("\n00:00:14,000 --> 00:00:15,000\nWe read it\n"));
    }

    #[test]
    fn a_tag_over_two_cues_is_closed_and_opened_again() {
        let srt = "1\n00:00:10,000 --> 00:00:16,000\n{\\an8}We <i>read it. He\ndid not</i> read it.\n\n";
        assert_eq!(
            texts(&cut(Format::Srt, Format::Srt, srt)),
            ["{\\an8}We <i>read it.</i>", "{\\an8}<i>He did not</i> read it."]
        );
    }

    #[test]
    fn marks_that_stand_apart_stay_with_their_word() {
        let text = "« Oui » , dit-il : et vous ? – Non – merci !";
        let limits = CueLimits { max_chars: 12, max_lines: 1, ..CueLimits::default() };
        let stm = format!("t 1 ana 0 20 {text}\n");
        let found = cut_with(limits, Format::Stm, Format::Srt, &stm).unwrap().0;
        assert_eq!(texts(&found), ["« Oui » ,", "dit-il :", "et vous ? –", "Non –", "merci !"]);
    }

    #[test]
    fn marks_in_rows_of_their_own_stand_behind_their_words() {
        let ctm = "t 1 0 0.5 Oui 0.9\nt 1 0.5 0 ? NA\nt 1 0.6 0.5 Lui NA\nt 1 1.1 0 – NA\nt 1 1.2 1 non NA\nt 1 2.2 0 . NA\n";
        let shown = |language: &str| {
            let limits = CueLimits { language: Some(language.to_owned()), ..CueLimits::default() };
            texts(&cut_with(limits, Format::Ctm, Format::Srt, ctm).unwrap().0)
        };
        assert_eq!(shown("en"), ["Oui? Lui – non."]);
        assert_eq!(shown("fr"), ["Oui\u{202f}? Lui – non."]);
        let objects = cut(Format::Ctm, Format::Jsonl, ctm);
        assert!(
            objects.contains(r#""words":[{"text":"Oui?","begin":0.0,"end":0.5,"confidence":0.9},"#),
            "{objects}"
        );
        // So do marks that are parts of words.
        let limits = CueLimits { language: Some("fr".to_owned()), ..CueLimits::default() };
        let stm = "t 1 - 0 3 Oui?! Vingt- et un, non ? et:\n";
        let found = texts(&cut_with(limits, Format::Stm, Format::Srt, stm).unwrap().0);
        assert_eq!(found.join(" "), "Oui\u{202f}?! Vingt- et un, non ? et\u{a0}:");
        // A mark without a word before it counts as a word.
        assert_eq!(texts(&cut(Format::Ctm, Format::Srt, "t 1 0 0 , NA\nt 1 0 1 no\n")), [", no"]);
    }

    #[test]
    fn a_name_in_capitals_after_a_sentence_begins_a_line() {
        for (text, found) in [
            ("HORRIBLE. WOMAN: NO.", "HORRIBLE.|WOMAN: NO."),
            ("NO! MR. REIS: YES.", "NO!|MR. REIS: YES."),
            ("we go. [MAN]: yes.", "we go.|[MAN]: yes."),
            ("I SAW MR. REIS: NO.", "I SAW MR. REIS: NO."),
            ("IT IS I: NO. A: YES", "IT IS I: NO. A: YES"),
        ] {
            let stm = format!("t 1 - 0 3 {text}\n");
            assert_eq!(texts(&cut(Format::Stm, Format::Srt, &stm)), [found], "{text}");
        }
    }

    #[test]
    fn sounds_and_settings_stay_apart() {
        let vtt = "WEBVTT\n\n00:01.000 --> 00:02.000 line:0\nSo we\n\n00:02.000 --> 00:03.000\nmet.\n\n\
                   00:03.000 --> 00:04.000\n[music]\n\nNOTE so\n\n00:04.000 --> 00:05.000\nYes.\n";
        let again = cut(Format::Vtt, Format::Vtt, vtt);
        assert_eq!(again, written(Format::Vtt, Format::Vtt, vtt));
        assert_eq!(texts(&cut(Format::Vtt, Format::Srt, vtt)), ["So we met.", "[music]", "Yes."]);
    }

    #[test]
    fn lines_that_roll_up_are_read_once() {
        let cue = |begin: &str, end: &str, text: &str| {
            format!("00:00:{begin} --> 00:00:{end} align:start position:0%\n{text}\n\n")
        };
        let words = "WEBVTT\n\n".to_owned()
            + &cue("00.080", "01.910", " \nwe<00:00:00.400><c> met</c><00:00:00.800><c> the</c>")
            + &cue("01.910", "01.920", "we met the\n ")
            + &cue(
                "01.920",
                "03.990",
                "we met the\nbaker<00:00:02.200><c> in</c><00:00:02.500><c> lisbon.</c><00:00:03.100><c> he</c>",
            )
            + &cue("03.990", "04.000", "baker in lisbon. he\n ")
            + &cue(
                "04.000",
                "06.500",
                "baker in lisbon. he\nsold<00:00:04.300><c> us</c><00:00:04.600><c> bread.</c>",
            )
            + &cue("06.500", "06.510", "sold us bread.\n ")
            + &cue("06.510", "09.000", "sold us bread.\n[Music]")
            + &cue("09.000", "09.010", "[Music]\n ")
            + &cue("09.010", "11.000", "[Music]\nand<00:00:09.400><c> left.</c>");
        let (found, notes) = cut_with(CueLimits::default(), Format::Vtt, Format::Srt, &words).unwrap();
        assert_eq!(
            texts(&found),
            ["we met the baker in lisbon.", "he sold us bread.", "[Music]", "and left."]
        );
        assert!(found.contains("00:00:03,100 --> 00:00:06,500\nhe sold us bread.\n"), "{found}");
        let told = "lines of 8 cues repeat the previous cue, as in roll-up captions: they were read once";
        assert_eq!(notes.cues[0], told);

        let lines = [
            "<i>WE MET",
            "<i>WE MET</i>\nTHE BAKER",
            "WE MET\nTHE BAKER\nIN LISBON.",
            "THE BAKER\nIN LISBON.\nNO.",
        ];
        let srt = |lines: &[&str]| -> String {
            let cue = |(at, text)| format!("{at}\n00:00:0{at},000 --> 00:00:0{},000\n{text}\n\n", at + 1);
            (1..).zip(lines).map(cue).collect()
        };
        assert_eq!(
            texts(&cut(Format::Srt, Format::Srt, &srt(&lines))),
            ["<i>WE MET</i> THE BAKER IN LISBON.", "NO."]
        );
        // Text that is said twice stays.
        let twice = srt(&["No.", "No.\nGo.", "we will\nsing it", "we will\nsing it"]);
        let found = texts(&cut(Format::Srt, Format::Srt, &twice)).join("|");
        assert_eq!(found.matches("No.").count() + found.matches("sing it").count(), 4, "{found}");
    }

    #[test]
    fn turns_and_songs_begin_lines_and_names_stay_with_their_words() {
        let srt = |lines: &[&str]| -> String {
            let cue = |(at, text)| format!("{at}\n00:00:{at},000 --> 00:00:{},500\n{text}\n\n", at + 1);
            (1..).zip(lines).map(|(at, text)| (8 + 2 * at, text)).map(cue).collect()
        };
        let found = texts(&cut(
            Format::Srt,
            Format::Srt,
            &srt(&[
                "MAN: HOW DID WE END UP HERE?",
                "THAT.\nDR. REIS:",
                "THIS IS IT.\n[WOMAN]: NO.",
                "US BREAD AND LEFT.\n>> WHERE?",
                ">> so what >> that",
                "- no. - yes.\n- it is -",
                "- a mark.",
                "we go.\n♪ la la la ♪\nwe went.",
                "[laughs] he did.\n(music)",
            ]),
        ));
        assert_eq!(
            found,
            [
                "MAN: HOW DID WE END UP HERE? THAT.|DR. REIS: THIS IS IT.",
                "[WOMAN]: NO. US BREAD AND LEFT.|>> WHERE?",
                ">> so what|>> that",
                "- no.|- yes.",
                "- it is -",
                "- a mark. we go.|♪ la la la ♪",
                "we went.",
                "[laughs] he did.",
                "(music)",
            ]
        );
    }

    #[test]
    fn limits_that_cannot_be_kept_are_told() {
        let word = "a".repeat(60);
        let file = format!("t 1 0 0.5 so\nt 1 0.5 0.2 {word}\nt 1 0.7 0.1 it.\nt 1 0.8 20 is\n");
        let (found, notes) = cut_with(CueLimits::default(), Format::Ctm, Format::Srt, &file).unwrap();
        assert_eq!(texts(&found), ["so", &word, "it.", "is"]);
        assert!(found.contains("00:00:00,800 --> 00:00:07,800\nis\n"), "{found}");
        let notes: Vec<&str> = notes.cues.iter().map(String::as_str).collect();
        assert_eq!(
            notes,
            [
                "1 cue with a line of more than 42 characters (2 at 00:00:00.500): a word is not divided",
                "3 cues shorter than 1 s (1 at 00:00:00.000, 2 at 00:00:00.500, 3 at 00:00:00.700): the next words follow at once",
                "2 cues with more than 17 characters a second (2 at 00:00:00.500, 3 at 00:00:00.700): the speech is that fast; shorten the text",
            ]
        );
    }

    #[test]
    fn times_out_of_order_are_set_in_order_or_refused() {
        let file = "t 1 1.0 0.5 so\nt 1 0.8 0.5 we\nt 1 1.2 0.5 met.\n";
        let (found, notes) = cut_with(CueLimits::default(), Format::Ctm, Format::Srt, file).unwrap();
        assert_eq!(found, "1\n00:00:01,000 --> 00:00:02,000\nso we met.\n\n");
        assert_eq!(notes.cues, ["1 word began up to half a second before the previous word: reordered"]);
        let found = error(Format::Ctm, "t 1 9 0.5 so\nt 1 0.8 0.5 we\n");
        let expected = "data, line 2, column 5: found \"we\" at 0.8, after a word at 9, but words are expected in the order";
        assert!(
            found.starts_with(expected)
                && found.ends_with("sort them by channel and time, or correct the times"),
            "{found}"
        );
        // One wrong time costs one word its time.
        let words = r#"{"text":"so we","begin":1,"end":9,"words":[{"text":"so","begin":8,"end":1},{"text":" we","begin":3,"end":4}]}"#;
        assert_eq!(cut(Format::Jsonl, Format::Srt, words), "1\n00:00:01,000 --> 00:00:04,000\nso we\n\n");
    }

    #[test]
    fn cues_that_overlap_are_in_the_order_of_time_each_with_its_words() {
        let vtt = "WEBVTT\n\n00:01.000 --> 00:05.000\n<v Ana>Hello there my friend.\n\n\
                   00:02.000 --> 00:04.000\n<v Rui>Stop it now please.\n\n00:04.500 --> 00:06.000\n<v Ana>I will.\n";
        assert_eq!(
            texts(&cut(Format::Vtt, Format::Srt, vtt)),
            ["Hello there my friend.", "Stop it now please.", "I will."]
        );
        let srt = "1\n00:00:01,000 --> 00:00:09,000\nHello there my friend and all of you.\n\n\
                   2\n00:00:03,000 --> 00:00:05,000\nStop it now please.\n\n";
        assert_eq!(
            texts(&cut(Format::Srt, Format::Srt, srt)),
            ["Hello there my friend", "Stop it now please.", "and all of you."]
        );
    }

    #[test]
    fn a_sound_on_a_line_of_its_own_is_a_cue() {
        let srt = "1\n00:00:01,000 --> 00:00:09,000\n[Music]\nWe met in Rome.\n(applause)\n\n";
        assert_eq!(texts(&cut(Format::Srt, Format::Srt, srt)), ["[Music]", "We met in Rome.", "(applause)"]);
    }

    #[test]
    fn a_sound_may_go_on_in_the_next_line() {
        let srt =
            "1\n00:00:01,000 --> 00:00:09,000\n[a door\nslams]\nWe met in Rome.\n(and\nso on) it went\n\n";
        assert_eq!(
            texts(&cut(Format::Srt, Format::Srt, srt)),
            ["[a door slams]", "We met in Rome.", "(and so on) it went"]
        );
    }

    #[test]
    fn tags_over_a_sound_or_a_turn_are_closed_and_opened_again() {
        let cue = |text: &str| format!("1\n00:00:01,000 --> 00:00:09,000\n{text}\n\n");
        let found = texts(&cut(Format::Srt, Format::Srt, &cue("<i>[Music]\nhello friends</i>")));
        assert_eq!(found, ["<i>[Music]</i>", "<i>hello friends</i>"]);
        let found = texts(&cut(Format::Srt, Format::Srt, &cue("<i>- Are you there?\n- Yes, I am.</i>")));
        assert_eq!(found.join("|"), "<i>- Are you there?</i>|<i>- Yes, I am.</i>");
        // However many tags are never closed, each cue opens only some of them again.
        let open = cue(&format!("{}we met so many people there in all these years", "<i>".repeat(9_999)));
        assert!(cut(Format::Srt, Format::Srt, &open).len() < 50_000);
    }

    #[test]
    fn times_of_words_outside_their_cue_are_passed_over() {
        let vtt = "WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nwe<00:00:09.000> met<00:00:02.500> them\n\n\
                   00:00:04.000 --> 00:00:05.000\nso<00:00:00.500> what\n";
        let cue =
            "1\n00:00:01,000 --> 00:00:03,000\nwe met them\n\n2\n00:00:04,000 --> 00:00:05,000\nso what\n\n";
        assert_eq!(cut(Format::Vtt, Format::Srt, vtt), cue);
    }

    #[test]
    fn an_end_before_its_beginning_is_left_out_in_every_format() {
        let srt = "1\n00:00:05,000 --> 00:00:03,000\nso it is\n\n";
        for to in [Format::Srt, Format::Vtt, Format::Ass, Format::Stm, Format::Jsonl, Format::WhisperJson] {
            let found = run(Format::Srt, to, true, srt).unwrap_err().to_string();
            let expected =
                "data, line 2, column 1: the end 3, which is before the beginning 5, would be lost";
            assert!(to == Format::Stm || found.starts_with(expected), "{to:?}: {found}");
            let found = written(to, Format::Jsonl, &dropped(Format::Srt, to, srt));
            assert!(found.contains("\"begin\":5.0") && found.contains("\"end\":5.0"), "{to:?}: {found}");
        }
        assert_eq!(cut(Format::Srt, Format::Srt, srt), "1\n00:00:05,000 --> 00:00:06,000\nso it is\n\n");
        let words =
            "{\"text\":\"so\",\"begin\":1,\"end\":2,\"words\":[{\"text\":\"so\",\"begin\":2,\"end\":1}]}\n";
        let found = dropped(Format::Jsonl, Format::Jsonl, words);
        assert!(found.contains("{\"text\":\"so\",\"begin\":2.0,\"end\":2.0}"), "{found}");
    }

    #[test]
    fn lines_that_roll_up_are_read_once_as_text_too() {
        let cue =
            |at: u32, text: &str| format!("{at}\n00:00:0{at},000 --> 00:00:0{},000\n{text}\n\n", at + 1);
        let srt = cue(1, "we met the")
            + &cue(2, "we met the\nbaker in lisbon")
            + &cue(3, "baker in lisbon\nand he sold us");
        // Some programs leave a hundredth of a second between the cues.
        for srt in [srt.replace("2,000\nwe", "1,990\nwe"), srt] {
            let found = dropped(Format::Srt, Format::Text, &srt);
            assert_eq!(found, "we met the\nbaker in lisbon\nand he sold us\n");
        }
    }

    #[test]
    fn cues_of_one_segment_share_its_source() {
        let count = 1000;
        let word = |at: usize| format!("{{\"text\":\" w{at}\",\"begin\":{at},\"end\":{at}.5}}");
        let words: Vec<String> = (0..count).map(word).collect();
        let text: String = (0..count).map(|at| format!(" w{at}")).collect();
        let line = format!("{{\"text\":\"{}\",\"words\":[{}]}}\n", text.trim(), words.join(","));
        let [from, to] = [Format::Jsonl, Format::Srt].map(|format| format.segments().unwrap());
        let mut cutter =
            CueCutter::new(&CueLimits::default(), Losses::new(from, to, false), Interrupt::default())
                .unwrap();
        let input = Input::of_text("data", line.as_bytes());
        for item in ItemReader::open(Format::Jsonl, input, None).unwrap() {
            assert!(cutter.take(item.unwrap()).is_ok());
        }
        assert!(cutter.end());
        let sources: Vec<Rc<LocatedItem>> = cutter.cues.iter().map(|(_, source)| Rc::clone(source)).collect();
        assert!(sources.len() > count / 20);
        assert!(sources.iter().all(|source| Rc::ptr_eq(source, &sources[0])));
        assert!(matches!(&sources[0].item, Item::Segment(segment) if segment.words.is_empty()));
    }

    #[test]
    fn no_cue_ends_before_it_begins_whatever_the_unit_of_its_times() {
        let srt =
            "1\n00:00:01,003 --> 00:00:01,101\nabcdefghijklmnop q abcdefghijklmnopr s abcdefghijklmnop\n\n";
        for to in [Format::Ass, Format::Srt, Format::Vtt] {
            let limits = CueLimits { max_chars: 12, ..CueLimits::default() };
            let cues = cut_with(limits, Format::Srt, to, srt).unwrap().0;
            let objects = written(to, Format::Jsonl, &cues);
            let times = objects.lines().filter_map(|line| {
                let (begin, rest) = line.split_once("\"begin\":")?.1.split_once(",\"end\":")?;
                let end = rest.split(',').next()?;
                Some((begin.parse::<f64>().unwrap(), end.parse::<f64>().unwrap()))
            });
            let times: Vec<(f64, f64)> = times.collect();
            assert_eq!(times.len(), 5);
            assert!(times.iter().all(|(begin, end)| begin <= end), "{to:?}: {times:?}");
        }
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        let found = error(Format::Jsonl, "{\"text\":\"so we\"}\n");
        assert!(
            found.starts_with("data, line 1, column 1: found no beginning, but in .srt a segment is"),
            "{found}"
        );
        let found = error(Format::Ctm, "a 1 0 1 so\nb 1 0 1 we\n");
        assert!(
            found.starts_with(
                "data, line 2, column 1: found the recording \"b\" after \"a\", but .srt can hold"
            ),
            "{found}"
        );
        assert_eq!(
            cut(Format::Ctm, Format::Stm, "a 1 0 1 so\nb 1 0 1 we\n"),
            "a 1 - 0.00 1.00 so\nb 1 - 0.00 1.00 we\n"
        );
        let refused =
            |limits: CueLimits| cut_with(limits, Format::Ctm, Format::Srt, "").unwrap_err().to_string();
        let limits = CueLimits::default();
        for (limits, begins) in [
            (CueLimits { max_chars: 3, ..limits.clone() }, "3: expected 10 to 100 characters per line"),
            (CueLimits { max_lines: 0, ..limits.clone() }, "0: expected 1 to 4 lines"),
            (CueLimits { max_seconds: f64::NAN, ..limits.clone() }, "NaN: expected 1 to 60 seconds"),
            (
                CueLimits { min_seconds: 8.0, ..limits.clone() },
                "8: expected 0 seconds or more, and no more than",
            ),
            (CueLimits { max_cps: 0.0, ..limits.clone() }, "0: expected 1 to 1000 characters per second"),
        ] {
            let found = refused(limits);
            assert!(found.contains(begins), "{found}");
        }
        assert!(error(Format::Text, "so").starts_with("plain text has no times, but cues are made of"));
        assert_eq!(cut(Format::Ctm, Format::Srt, ""), "");
    }

    #[test]
    fn a_recording_has_no_more_words_than_the_limit() {
        let limits = || CueLimits { max_words: Some(2), ..CueLimits::default() };
        let found = cut_with(limits(), Format::Ctm, Format::Srt, "t A 1 1 so\nt A 3 1 we\nt A 5 1 met\n");
        let found = found.unwrap_err().to_string();
        assert!(found.starts_with("data, line 3, column 9: found more than 2 words"), "{found}");
        let two = "t A 1 1 so\nt A 3 1 we\nu A 1 1 met\nu A 3 1 them\n";
        assert!(cut_with(limits(), Format::Ctm, Format::Stm, two).is_ok());
    }

    #[test]
    fn channels_are_put_in_the_order_of_time() {
        let file = "t A 1 1 so\nt A 9 1 we\nt B 3 1 yes\nt B 5 1 no\n";
        assert_eq!(texts(&cut(Format::Ctm, Format::Srt, file)), ["so", "yes no", "we"]);
    }

    fn transcripts() -> impl Strategy<Value = (String, Vec<String>)> {
        let mark = prop_oneof![4 => Just(""), 1 => Just("."), 1 => Just(","), 1 => Just("?"), 1 => Just("..."), 1 => Just(" –")];
        let word =
            ("([a-z]{1,9}|the|of|mr|[A-Z][a-zé]{1,20}|[0-9]{1,4}|l'[a-z]{3}|«|-)", mark, 0u32..60, 0u32..900);
        proptest::collection::vec((word, 0u32..12), 0..60).prop_map(|words| {
            let (mut file, mut said, mut at, mut speaker) = (String::new(), Vec::new(), 0, 0);
            for ((word, mark, gap, len), change) in words {
                at += if gap > 50 { 50 * gap } else { gap };
                speaker = if change == 0 { 1 - speaker } else { speaker };
                let [begin, end] = [at, at + len].map(|time| f64::from(time) / 1000.0);
                let text = format!("{word}{mark}");
                file += &format!("{{\"speaker\":\"s{speaker}\",\"begin\":{begin:.3},\"end\":{end:.3},\"text\":\"{text}\"}}\n");
                said.extend(text.split(' ').map(str::to_owned));
                at += len * 3 / 4;
            }
            (file, said)
        })
    }

    proptest! {
        #[test]
        fn no_word_is_lost_or_moved_and_limits_are_kept_or_told(
            (file, said) in transcripts(),
            max_chars in 10usize..50,
            max_lines in 1usize..4,
        ) {
            let limits = CueLimits { max_chars, max_lines, ..CueLimits::default() };
            let (found, notes) = cut_with(limits.clone(), Format::Jsonl, Format::Srt, &file).unwrap();
            prop_assert_eq!(cut_with(limits.clone(), Format::Jsonl, Format::Srt, &file).unwrap().0, found.clone());
            let letters = |word: &str| word.chars().any(char::is_alphanumeric).then(|| word.to_owned());
            let mut words = Vec::new();
            let (mut last, mut broken, mut is_glimpse) = (0.0, [false; 3], false);
            for cue in found.split_terminator("\n\n") {
                let mut lines = cue.lines().skip(1);
                let times: Vec<f64> = lines.next().unwrap().split(" --> ").map(|time| {
                    Time::of_clock(time).unwrap().seconds(0).parse().unwrap()
                }).collect();
                let lines: Vec<&str> = lines.collect();
                prop_assert!(times[0] >= last && times[1] >= times[0] && lines.len() <= max_lines, "{}", cue);
                last = times[0];
                let shown = times[1] - times[0];
                is_glimpse |= shown * 1000.0 < GLIMPSE as f64;
                prop_assert!(shown <= limits.max_seconds + 0.0005, "{}", cue);
                let chars = lines.join(" ").chars().count();
                broken[0] |= lines.iter().any(|line| line.chars().count() > max_chars);
                broken[1] |= shown < limits.min_seconds - 0.0005;
                broken[2] |= chars as f64 > (shown + 0.0005) * limits.max_cps;
                words.extend(lines.iter().flat_map(|line| line.split(' ')).filter_map(letters));
            }
            prop_assert_eq!(words, said.iter().filter_map(|word| letters(word)).collect::<Vec<_>>());
            for (is_broken, told) in broken.into_iter().zip(["a line of more", "shorter than", "characters a second"]) {
                prop_assert!(!is_broken || notes.cues.iter().any(|note| note.contains(told)), "{} {}", told, found);
            }
            // Cutting the cues again loses no word either, unless a cue is so short that it repeats one.
            let again = cut_with(limits, Format::Srt, Format::Srt, &found).unwrap().0;
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
            prop_assert!(is_glimpse || letters(&again) == letters(&found), "{}", again);
        }
    }
}
