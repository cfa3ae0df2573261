//! Finds the words of running text, and leaves everything else unchanged.
//!
//! A word is a run of letters and digits with inner apostrophes and hyphens (`o'neill`, `l’europe`,
//! `vice-president`), an initialism (`u.s`, without its last stop) or a number (`1,000`, `3.5m`,
//! `10:30`). Left unchanged are URLs, e-mail addresses, file and domain names, `@handles`, `#tags`,
//! mark-up tags, entities, list numbers at the start of a line and words of more than 64 letters.
//! Case plays no part: a text and its lower-cased copy have their words in the same places.

use std::borrow::Cow;

use super::case::{Case, MAX_LETTERS};
use super::line_opening::{Dialogue, LineOpening, OpeningPart};
use super::locale::{Locale, folded, is_joiner};
use super::mark::Mark;
use super::markup::{TagMatch, is_inline, last_joined, opens_tag, tag_end};
use super::options::MarkPlaces;
use super::sentence::{Abbreviations, is_end_mark};
use super::speaker_label::{is_letter, listed_case, may_name};
use super::tokens::{Break, Constraint, Token, Tokens, is_left_out, lower_word};
use crate::named::NamedValue;

/// Stands for a byte that is not UTF-8: the run that contains it is left unchanged.
pub const NO_TEXT: u8 = 0x1a;

/// The largest number of characters of a run without white space in a [live](Tokenizer::live) text:
/// a longer run is not treated as text, so that nothing waits for its end.
pub const MAX_RUN: usize = 1 << 16;

/// The capitals of the input that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Capitalized {
    /// In a sentence of a line with letters in both cases, capitals stay; one all in lower case or
    /// all in capitals is decided anew.
    #[default]
    Auto,
    /// All capitals stay; only words in lower case are decided.
    Keep,
    /// No capitals count: every word is decided.
    Ignore,
}

impl NamedValue for Capitalized {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (
            Self::Auto,
            "auto",
            "In a sentence of a line with letters in both cases, capitals stay; one all in lower case or all in capitals is decided anew",
        ),
        (Self::Keep, "keep", "All capitals stay; only words in lower case are decided"),
        (Self::Ignore, "ignore", "No capitals count: every word is decided"),
    ];
}

/// Tells whether the given text ends at the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The text ends at the end of a line or of the source.
    Whole,
    /// The line continues: the tail may belong together with the text that follows.
    Partial,
}

/// Finds words piece by piece, and remembers the state at the end of a piece for the next one.
///
/// ```
/// use majuscule::text::{Locale, tokenize::tokenize};
///
/// let tokens = tokenize("L’Europe, see www.example.org or U.S. law", Locale::Root, "en");
/// let words: Vec<_> = tokens.iter().map(|(lower, _)| lower).collect();
/// assert_eq!(words, ["l'europe", "see", "or", "u.s", "law"]);
/// ```
#[derive(Debug, Clone)]
pub struct Tokenizer {
    locale: Locale,
    abbreviations: &'static Abbreviations,
    capitalized: Capitalized,
    /// The break before the next word.
    before: Break,
    /// True if something that is left unchanged stands between the beginning of the line and the
    /// next word.
    blocked: bool,
    /// True if the last word was a clitic, with nothing but white space and tags after it, and marks
    /// are put in.
    after_clitic: bool,
    /// The sentence end, if any, after the last word.
    ended: Ended,
    /// True if an empty line was met after text: lines without an empty line between them then
    /// belong together.
    grouped: bool,
    /// The state of the previous line, unless that line is empty.
    previous: Option<LineState>,
    line: LineState,
    /// True if words are returned before their line is complete.
    live: bool,
    /// True if sentences run on from line to line; `marked` is true once a mark has ended one.
    flows: bool,
    marked: bool,
    line_marks: LineMarks,
    /// True if each line is a text of its own.
    apart: bool,
    /// True if words continue after tags inside them; `crosses` is true if tags may continue on the
    /// next line.
    joins: bool,
    crosses: bool,
    /// True if the line began inside a tag: no tag that opens on this line then continues on the
    /// next.
    crossed: bool,
    /// The possible meanings of the last marks, one for each kind of text after them, until that
    /// text arrives.
    pending_marks: Option<[Meaning; AfterMarks::ALL.len()]>,
    /// True inside a run longer than [`MAX_RUN`].
    in_run: bool,
    /// What stands after the last word: see [`Token::gap`].
    gap: Option<Mark>,
    /// The opening after the last word: see [`Token::opening`].
    opening: Mark,
    /// True if the language opens sentences with marks.
    has_openings: bool,
    /// The places for marks that are put in, if there are any: see [`Tokenizer::putting_marks`].
    puts: Option<MarkPlaces>,
    /// True if time stamps and labels of speakers are looked for: see [`Tokenizer::of_speakers`].
    has_speakers: bool,
    /// What the line opens with, and the labels before it.
    line_opening: LineOpening,
    dialogue: Dialogue,
    /// Where marks are put in: the first words of the line, and how many more of them a colon may make
    /// a label of.
    line_words: String,
    names_left: u8,
    is_timed: bool,
}

/// The sentence end that the marks after a word make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Ended {
    /// The sentence continues.
    #[default]
    No,
    /// A full stop ends the sentence.
    Stopped,
    /// A question or exclamation mark ends the sentence, unless it closes reported speech: `« Alors
    /// ? » demanda-t-il.`
    Asked,
}

/// The text that follows marks on their line, after white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterMarks {
    /// The end of the line.
    End,
    Digit,
    Other,
}

impl AfterMarks {
    const ALL: [Self; 3] = [Self::End, Self::Digit, Self::Other];

    fn of(next: Option<char>) -> Self {
        match next {
            None | Some('\n') => Self::End,
            Some(c) if c.is_ascii_digit() => Self::Digit,
            Some(_) => Self::Other,
        }
    }
}

/// The meaning of marks for the text after them.
#[derive(Debug, Clone, Copy)]
struct Meaning {
    ended: Ended,
    punctuated: bool,
}

/// The state of a line.
#[derive(Debug, Clone, Default)]
struct LineState {
    /// The index in `Tokens` of the first word of the line.
    first: usize,
    /// The word that opens the line, with nothing but marks before it.
    opening: Option<usize>,
    /// True if some mark in the line ends a sentence.
    punctuated: bool,
    /// True if the last word of the line ended a sentence.
    ended: bool,
    /// True if the line has anything but white space.
    written: bool,
    /// True if a mark other than a dash stands after a word of the line; `closed` is true if
    /// therefore none is put in. A line so long that it comes in parts is judged by its first part.
    marked: bool,
    closed: Option<bool>,
}

/// The lines so far of a text, which tell whether it has its marks.
#[derive(Debug, Clone, Copy, Default)]
struct LineMarks {
    marked: usize,
    plain: usize,
}

impl LineMarks {
    fn take(&mut self, line: &LineState) {
        self.marked += usize::from(line.written && line.marked);
        self.plain += usize::from(line.written && !line.marked);
    }

    /// Returns true if a line without marks belongs to a text that has them: most lines do, or the
    /// `previous` one does and is no exception.
    fn close(self, previous: bool) -> bool {
        self.marked > self.plain + 1 || previous && 3 * self.marked >= self.plain
    }
}

/// Returns the words of a whole text.
pub fn tokenize(text: &str, locale: Locale, language: &str) -> Tokens {
    let mut tokens = Tokens::new();
    Tokenizer::new(locale, language, Capitalized::Ignore).read(text, 0, Cut::Whole, &mut tokens);
    tokens
}

impl Tokenizer {
    /// Starts a text.
    pub fn new(locale: Locale, language: &str, capitalized: Capitalized) -> Self {
        let has_openings = Mark::Question.opening(language).is_some();
        Self { has_openings, ..Self::of(locale, Abbreviations::of(language), capitalized) }
    }

    fn of(locale: Locale, abbreviations: &'static Abbreviations, capitalized: Capitalized) -> Self {
        Self {
            locale,
            abbreviations,
            capitalized,
            before: Break::Document,
            blocked: false,
            after_clitic: false,
            ended: Ended::No,
            grouped: false,
            previous: None,
            line: LineState::default(),
            live: false,
            flows: false,
            marked: false,
            line_marks: LineMarks::default(),
            apart: false,
            joins: false,
            crosses: false,
            crossed: false,
            pending_marks: None,
            in_run: false,
            gap: None,
            opening: Mark::None,
            has_openings: false,
            puts: None,
            has_speakers: false,
            line_opening: LineOpening::Text,
            dialogue: Dialogue::default(),
            line_words: String::new(),
            names_left: 0,
            is_timed: false,
        }
    }

    /// Starts a text whose words are returned before their line is complete, so that no later word
    /// of the line can change them. Only the text before a line tells whether its first word begins
    /// a sentence.
    pub fn live(locale: Locale, language: &str, capitalized: Capitalized) -> Self {
        Self { live: true, ..Self::new(locale, language, capitalized) }
    }

    /// Starts a text that comes in cues, each read by itself and ended by [`Tokenizer::end_cue`].
    /// Sentences run on from cue to cue: the first word of a cue begins a sentence if the text
    /// before it ended one.
    pub fn flowing(locale: Locale, language: &str, capitalized: Capitalized) -> Self {
        Self { flows: true, ..Self::new(locale, language, capitalized) }
    }

    /// Treats each line as a text of its own, independent of the other lines.
    pub fn of_lines(self, apart: bool) -> Self {
        Self { apart, ..self }
    }

    /// Reads mark-up as part of the text: `h<i>e</i>llo` is one word, and if lines belong together
    /// (`over_lines`) a tag may continue on the next line.
    pub fn of_markup(self, over_lines: bool) -> Self {
        Self { joins: true, crosses: over_lines, ..self }
    }

    /// Reads a text into which marks are put, so that the text with them is read like the text
    /// without them: the first word of a document, paragraph or turn begins a sentence, and so does
    /// a word after a mark that ends one, on whichever line; the marks of a line prove nothing
    /// about its first word.
    pub fn putting_marks(self, places: Option<MarkPlaces>) -> Self {
        Self { puts: places, ..self }
    }

    /// Looks for time stamps and the labels of speakers at the beginnings of lines: no mark is put
    /// into them or right behind them, and a sentence begins behind a label. A time stamp stands
    /// between words as white space does.
    pub fn of_speakers(self, has_speakers: bool) -> Self {
        let line_opening = if has_speakers { LineOpening::Blank } else { LineOpening::Text };
        Self { has_speakers, line_opening, ..self }
    }

    /// Starts another text with the same settings.
    pub fn reset(&mut self) {
        *self = Self {
            live: self.live,
            flows: self.flows,
            apart: self.apart,
            joins: self.joins,
            crosses: self.crosses,
            puts: self.puts,
            has_openings: self.has_openings,
            // The first word of the next text shows what stands after the last word of this one.
            gap: self.gap,
            ..Self::of(self.locale, self.abbreviations, self.capitalized).of_speakers(self.has_speakers)
        };
    }

    /// Appends the words of `text`, whose first byte is byte `base` of the piece, and returns the
    /// number of bytes that were consumed: all of them if the text is whole. In the middle of a
    /// line, the tail that may belong together with the text that follows (a last run without white
    /// space, an open tag) is left for the next call; a text that is all tail is consumed as it is.
    ///
    /// The words of a line are judged together: the tokenizer decides whether the first one begins a
    /// sentence. A line that comes in parts is judged by its first part. Capitals are
    /// [kept](Constraint::Kept) unless none count.
    pub fn read(&mut self, text: &str, base: u32, cut: Cut, tokens: &mut Tokens) -> usize {
        self.read_from(text, 0, base, cut, tokens)
    }

    /// Reads the text from byte `from` on like [`Tokenizer::read`], with the part of the line
    /// before `from` still available as context. A [live](Tokenizer::live) text that is all tail is
    /// also left for the next call.
    pub fn read_from(&mut self, text: &str, from: usize, base: u32, cut: Cut, tokens: &mut Tokens) -> usize {
        self.line.first = tokens.len();
        let mut at = from;
        while at < text.len() {
            if self.in_run {
                let len = text[at..].find(char::is_whitespace);
                self.in_run = len.is_none();
                at = len.map_or(text.len(), |len| at + len);
            }
            at = self.skip_space(text, at, tokens);
            if at == text.len() {
                break;
            }
            let leaves_tail = self.live || at > from;
            if self.pending_marks.is_some() {
                let is_opening = |c: char| self.is_opening(c) || c == ' ';
                if let Some(next) = text[at..].trim_start_matches(is_opening).chars().next() {
                    self.decide_pending_marks(AfterMarks::of(Some(next)));
                }
            }
            if self.line_opening != LineOpening::Text {
                match self.opening_part(NonSpaceRun { text, start: at, end: at, base }, cut, tokens) {
                    OpeningPart::Open if leaves_tail => break,
                    OpeningPart::None | OpeningPart::Open => self.open_text(text.as_bytes()[at]),
                    OpeningPart::Time(end) | OpeningPart::Label(end) => {
                        at = end;
                        continue;
                    }
                }
            }
            let crosses = self.crosses && !self.crossed;
            let (end, kinds) = match tag_end(text, at, cut == Cut::Partial, crosses) {
                TagMatch::Ends(end) => {
                    self.crossed |= crosses && text[at..end].contains('\n');
                    self.line.written = true;
                    at = end;
                    continue;
                }
                TagMatch::Open if leaves_tail => break,
                TagMatch::Open | TagMatch::None => field_end(text, at),
            };
            if self.live && is_too_long(&text[at..end], end == text.len()) {
                self.pass();
                self.in_run = true;
                continue;
            }
            if end == text.len() && cut == Cut::Partial && leaves_tail {
                break;
            }
            if self.joins && end < text.len() && opens_tag(text, end) {
                match JoinedRun::read(text, at, end, cut) {
                    TagLookahead::No => {}
                    TagLookahead::Open if leaves_tail => break,
                    TagLookahead::Open => {}
                    TagLookahead::Run(run) if run.end == text.len() && cut == Cut::Partial && leaves_tail => {
                        break;
                    }
                    TagLookahead::Run(run) => {
                        at = run.end;
                        self.joined_run(text, &run, base, tokens);
                        continue;
                    }
                }
            }
            self.field(NonSpaceRun { text, start: at, end, base }, kinds, tokens);
            at = end;
        }
        self.finish_line(tokens);
        at
    }

    /// Returns true inside a run without white space that is too long to be text.
    pub fn in_run(&self) -> bool {
        self.in_run
    }

    /// Ends the line at the end of the last piece.
    pub fn end_line(&mut self) {
        self.decide_pending_marks(AfterMarks::End);
        self.crossed = false;
        if self.apart {
            self.close_line();
            return self.reset();
        }
        let opening = self.begin_line();
        if opening == LineOpening::Time {
            self.before = self.before.max(Break::Line);
            return;
        }
        self.line.ended = self.ended != Ended::No;
        self.close_line();
        let line = std::mem::take(&mut self.line);
        self.line_marks.take(&line);
        self.before = self.before.max(if line.written { Break::Line } else { Break::Paragraph });
        self.grouped |= !line.written && self.previous.is_some();
        // After an empty line a new paragraph begins, whatever the end of the last one.
        self.previous = line.written.then_some(line);
    }

    /// Takes the time stamp or the label that the run begins, if a line opens with one.
    #[inline(never)]
    fn opening_part(&mut self, run: NonSpaceRun<'_>, cut: Cut, tokens: &mut Tokens) -> OpeningPart {
        let part = self.dialogue.part(run.text, run.start, self.line_opening, cut == Cut::Whole);
        match part {
            OpeningPart::Time(_) => self.time_stamp(),
            OpeningPart::Label(end) => self.label(NonSpaceRun { end, ..run }, tokens),
            OpeningPart::None | OpeningPart::Open => {}
        }
        part
    }

    /// Looks for time stamps and labels anew, and returns what the last line opens with, if nothing
    /// stands behind it.
    fn begin_line(&mut self) -> LineOpening {
        if !self.has_speakers {
            return LineOpening::Text;
        }
        if self.line.written {
            self.dialogue.end_line();
        }
        self.names_left = 0;
        std::mem::replace(&mut self.line_opening, LineOpening::Blank)
    }

    /// Returns true if a colon behind this word, one of the first of a line, may make a label of them.
    #[cold]
    fn may_name(&mut self, word: &str) -> bool {
        if !self.line_words.is_empty() {
            self.line_words.push(' ');
        }
        lower_word(word, self.locale, &mut self.line_words);
        let names = may_name(&self.line_words, self.is_timed);
        self.names_left -= 1;
        names
    }

    /// Notes text, which begins with byte `first`, behind what the line opens with; a tag is not yet
    /// text.
    fn open_text(&mut self, first: u8) {
        if self.puts.is_some() && self.line_opening != LineOpening::Label {
            self.line_words.clear();
            self.is_timed = self.line_opening == LineOpening::Time;
            self.names_left = if self.is_timed { MAX_LETTERS as u8 } else { 4 };
        }
        if !matches!(first, b'<' | b'{') {
            self.line_opening = LineOpening::Text;
        }
    }

    /// Notes a time stamp before the text of a line.
    fn time_stamp(&mut self) {
        if self.line_opening == LineOpening::Blank {
            self.line_opening = LineOpening::Time;
        }
    }

    /// Appends the words of a speaker label, and begins a sentence behind it. Its words get capitals
    /// as names do, unless the label has some.
    #[cold]
    fn label(&mut self, label: NonSpaceRun<'_>, tokens: &mut Tokens) {
        let (line, gap, first) = (self.line.clone(), self.gap, tokens.len());
        let NonSpaceRun { text, start, end, base } = label;
        self.names_left = 0;
        self.before = self.before.max(Break::Turn);
        let mut at = if is_name_of_program(&text[start..end]) { end } else { start };
        while let Some(run) = text[at..end].find(|c: char| !c.is_whitespace()).map(|len| at + len) {
            at = text[run..end].find(char::is_whitespace).map_or(end, |len| run + len);
            self.odd_field(&NonSpaceRun { text: &text[..end], start: run, end: at, base }, tokens);
            self.before = self.before.max(Break::Space);
        }
        self.constrain_label(&label, &mut tokens.as_mut_slice()[first..]);
        for i in first..tokens.len() {
            let listed = listed_case(tokens.lower(i), i == first);
            let word = &mut tokens.as_mut_slice()[i];
            (word.starts, word.is_label) = (true, true);
            word.opening.get_or_insert(Mark::None);
            if i > first {
                word.gap.get_or_insert(Mark::None);
            }
            if let (Constraint::Free, Some(listed)) = (word.constraint, listed) {
                word.constraint = Constraint::Kept(listed);
            }
        }
        // Without words, the mark behind the last word of the line before has its place.
        self.gap = if first == tokens.len() { gap } else { self.gap.or(Some(Mark::None)) };
        self.line = LineState { written: true, ..line };
        self.before = self.before.max(if first == tokens.len() { Break::Turn } else { Break::Space });
        self.blocked = false;
        self.after_clitic = false;
        self.pending_marks = None;
        self.ended = Ended::Stopped;
        self.line_opening = LineOpening::Label;
    }

    /// Keeps the case of all words of a label that has capitals.
    fn constrain_label(&self, label: &NonSpaceRun<'_>, words: &mut [Token]) {
        let NonSpaceRun { text, start, end, base } = *label;
        let has_capitals = text[start..end].contains(char::is_uppercase);
        // Nothing on its line tells whether a label alone is shouted.
        let is_alone = text[end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
        for word in words {
            let source = (word.source.start - base) as usize..(word.source.end - base) as usize;
            let spelled = &text[source];
            let case = Case::of(spelled, self.locale);
            let free = DutchApostrophe::constraint(DutchApostrophe::of(self.locale, word.left, spelled));
            word.constraint = match self.capitalized {
                Capitalized::Ignore => free,
                _ if !has_capitals => free,
                Capitalized::Auto if is_alone => Constraint::Fixed(case),
                _ => Constraint::Kept(case),
            };
        }
    }

    /// Ends the cue at the end of the last piece. `before` is the break between this cue and the
    /// next: [`Break::Cue`], or [`Break::Turn`] or more if a sentence does not run on.
    pub fn end_cue(&mut self, before: Break) {
        self.close_line();
        let line = std::mem::take(&mut self.line);
        self.line_marks.take(&line);
        self.marked |= line.punctuated;
        self.before = self.before.max(before);
        if before >= Break::Turn {
            self.previous = None;
            self.blocked = false;
        } else if line.written {
            self.previous = Some(line);
        }
        if before == Break::Document {
            self.reset();
        }
    }

    /// Closes the gap after the last word of a line that gets no marks.
    fn close_line(&mut self) {
        self.gap = self.gap();
    }

    /// Skips white space; every line feed in it ends a line.
    #[inline]
    fn skip_space(&mut self, text: &str, mut at: usize, tokens: &mut Tokens) -> usize {
        let bytes = text.as_bytes();
        while let Some(&b) = bytes.get(at) {
            match KINDS[b as usize] {
                SPACE => at += 1,
                WIDE => match char_at(text, at) {
                    c if c.is_whitespace() => at += c.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
            if b == b'\n' {
                self.finish_line(tokens);
                self.end_line();
                self.line.first = tokens.len();
            } else {
                self.before = self.before.max(Break::Space);
            }
        }
        at
    }

    /// Decides the sentence start of the line and the places for marks in it, as far as it is read.
    fn finish_line(&mut self, tokens: &mut Tokens) {
        let line = &mut self.line;
        let words = &mut tokens.as_mut_slice()[line.first..];
        if words.is_empty() {
            return;
        }
        if let Some(opening) = line.opening.take().filter(|_| !self.live && self.puts.is_none()) {
            // A line without marks may be a sentence of its own, unless lines come in groups, like
            // those of subtitles.
            let goes_on =
                |previous: &LineState| self.flows || !previous.ended && (previous.punctuated || self.grouped);
            let follows_on = self.previous.as_ref().is_some_and(goes_on);
            if let Some(word) = words.get_mut(opening - line.first) {
                word.starts |= (line.punctuated || self.marked) && !follows_on;
            }
        }
        let closes = || {
            let previous = self.previous.as_ref().is_some_and(|previous| previous.marked);
            line.marked || self.line_marks.close(previous)
        };
        if self.puts == Some(MarkPlaces::Unmarked) && *line.closed.get_or_insert_with(closes) {
            let after_first = words.iter_mut().filter(|word| word.before < Break::Line);
            after_first.for_each(|word| _ = word.gap.get_or_insert(Mark::None));
            words.iter_mut().for_each(|word| _ = word.opening.get_or_insert(Mark::None));
        }
    }

    /// Appends the words of a run without white space.
    #[inline]
    fn field(&mut self, field: NonSpaceRun<'_>, kinds: u8, tokens: &mut Tokens) {
        self.line.written = true;
        let number = kinds & (LOWER | UPPER) == 0 && self.before >= Break::Line;
        if kinds & (SPECIAL | WIDE) == 0
            && !number
            && let Some((start, end)) = plain_word(field.text.as_bytes(), field.start, field.end, kinds)
            && !(end - start == 1 && field.text.as_bytes().get(end) == Some(&b')'))
        {
            self.word(&field, start, end, tokens);
            self.marks(&field, end);
        } else {
            self.odd_field(&field, tokens);
        }
    }

    /// Handles every kind of run; the slow path of [`Tokenizer::field`].
    #[cold]
    fn odd_field(&mut self, field: &NonSpaceRun<'_>, tokens: &mut Tokens) {
        let run = &field.text[field.start..field.end];
        if self.before >= Break::Line && is_list_number(run) {
            return;
        }
        let mut at = field.start;
        if is_left_alone(run) || is_list_letter(run) {
            self.pass();
        } else {
            while let Some((start, end)) = next_word(field, at) {
                self.word(field, start, end, tokens);
                at = end;
            }
        }
        let marks = run.trim_end_matches(|c: char| !(c.is_alphanumeric() || is_joiner(c)));
        self.marks(field, at.max(field.start + marks.len()));
    }

    /// Appends the words of a run with tags inside it.
    #[cold]
    fn joined_run(&mut self, text: &str, run: &JoinedRun, base: u32, tokens: &mut Tokens) {
        self.line.written = true;
        // The text after a run decides the meaning of its marks.
        let after = text[run.end..].char_indices().find(|&(_, c)| self.follows(c));
        let after = after.map_or(text.len(), |(at, c)| run.end + at + c.len_utf8());
        let plain = [&run.plain, &text[run.end..after]].concat();
        let first = tokens.len();
        self.odd_field(&NonSpaceRun { text: &plain, start: 0, end: run.plain.len(), base: 0 }, tokens);
        for word in &mut tokens.as_mut_slice()[first..] {
            let (start, end) = (word.source.start as usize, word.source.end as usize);
            let place = run.place(start)..run.place(end - 1) + 1;
            word.source = base + place.start as u32..base + place.end as u32;
        }
    }

    /// Appends one word.
    #[inline]
    fn word(&mut self, field: &NonSpaceRun<'_>, start: usize, end: usize, tokens: &mut Tokens) {
        let word = &field.text[start..end];
        let WordLetters { has_capitals, fits, is_plain } = letters(word, self.locale);
        if !fits {
            return self.pass();
        }
        let left = self.left_of(&field.text[field.start..start]);
        let right = field.text[end..field.end].chars().next().filter(|c| !c.is_alphanumeric());
        let apostrophe = DutchApostrophe::of(self.locale, left, word);
        let clitic = apostrophe == Some(DutchApostrophe::Clitic);
        let named = apostrophe == Some(DutchApostrophe::Name);
        // A dash before a word that follows a question separates speech from its report: `—¡Ah!
        // —exclamó.`
        let opening = std::mem::take(&mut self.opening);
        let before = self.before;
        let may_report = opening == Mark::None && self.may_report();
        let reported = self.ended == Ended::Asked && matches!(left, Some('—' | '–')) && may_report;
        let line_start = if self.flows { Break::Turn } else { Break::Line };
        let begins_none = clitic || named || left.is_some_and(continues_sentence);
        let opens = before >= line_start && !self.blocked && !begins_none;
        let begins = self.ended != Ended::No || self.puts.is_some() && before >= Break::Turn;
        let starts = begins && !begins_none && !reported;
        let may_name = self.names_left > 0 && self.may_name(word);
        let abbreviates = self.puts.is_some() && !self.stop_ends(field, end) || may_name && is_letter(word);
        let constraint = DutchApostrophe::constraint(apostrophe);
        if opens {
            self.line.opening = Some(tokens.len());
        }
        let source = field.base + start as u32..field.base + end as u32;
        if opening != Mark::None && self.sees_openings() && !self.live {
            // A line that has an opening gets no other one before it.
            let words = &mut tokens.as_mut_slice()[self.line.first..];
            words.iter_mut().for_each(|word| _ = word.opening.get_or_insert(Mark::None));
        }
        let opening = match opening {
            _ if !self.sees_openings() => None,
            Mark::None if reported || before == Break::None => Some(Mark::None),
            Mark::None if left.is_some_and(|left| !is_before_opening(left, word)) => Some(Mark::None),
            Mark::None => None,
            there => Some(there),
        };
        if let Some(left) = left.filter(|_| apostrophe.is_none()) {
            self.see(Mark::of(left));
        }
        // Inside a run no mark has a place, though an opening alone may stand there: `a¿b`.
        let gap = self.gap.take().or((before == Break::None).then_some(Mark::None));
        let after_clitic = std::mem::replace(&mut self.after_clitic, clitic && self.puts.is_some());
        let token = Token {
            source,
            before,
            opens: opens || before == Break::Cue && !begins_none,
            starts,
            constraint,
            left,
            right,
            gap,
            opening,
            abbreviates,
            may_name,
            after_clitic,
            is_plain: is_plain && left.is_none() && right.is_none(),
            ..Token::default()
        };
        tokens.push(word, self.locale, token);
        if has_capitals && self.capitalized != Capitalized::Ignore {
            self.keep(word, tokens);
        }
        if clitic {
            // No mark parts it from the word that it belongs to.
            self.gap = Some(Mark::None);
        } else {
            self.before = Break::None;
            self.blocked = false;
            self.ended = Ended::No;
        }
    }

    /// Keeps the capitals of the last word.
    #[inline(never)]
    fn keep(&self, word: &str, tokens: &mut Tokens) {
        if let Some(token) = tokens.as_mut_slice().last_mut() {
            token.constraint = Constraint::Kept(Case::of(word, self.locale));
        }
    }

    /// Returns the mark right before a word, with `before` before it in its run. Where marks are put
    /// in, openings are noted and count as no mark: a word with one is read like one without.
    #[inline]
    fn left_of(&mut self, before: &str) -> Option<char> {
        let is_mark = |c: &char| !c.is_alphanumeric();
        let left = before.chars().next_back().filter(is_mark)?;
        if !self.sees_openings() || before.is_ascii() {
            return Some(left);
        }
        before.chars().rev().take_while(is_mark).for_each(|c| self.open(c));
        before.trim_end_matches(|c| self.is_opening(c)).chars().next_back().filter(is_mark)
    }

    /// Returns true if a dash or a quote here may separate speech from its report. One at the beginning
    /// of a line belongs to the next speech.
    fn may_report(&self) -> bool {
        self.before < Break::Line
    }

    /// Notes the opening that a character is, if it is one.
    fn open(&mut self, c: char) {
        self.opening = self.opening.stronger(Mark::opened_by(c));
    }

    /// Returns true if the language has openings and marks are put in.
    fn sees_openings(&self) -> bool {
        self.has_openings && self.puts.is_some()
    }

    fn is_opening(&self, c: char) -> bool {
        self.sees_openings() && Mark::opened_by(c) != Mark::None
    }

    /// Returns true if a character after marks tells their meaning: see [`AfterMarks`].
    fn follows(&self, c: char) -> bool {
        c == '\n' || !c.is_whitespace() && !self.is_opening(c)
    }

    /// Notes something here that is neither a mark nor a word to be cased.
    pub fn pass(&mut self) {
        if self.before < Break::Document {
            self.gap.get_or_insert(Mark::None);
        }
        self.blocked = true;
        self.ended = Ended::No;
        self.after_clitic = false;
    }

    /// Checks whether the marks from byte `from` to the end of the field end a sentence.
    #[inline]
    fn marks(&mut self, field: &NonSpaceRun<'_>, from: usize) {
        if from < field.end {
            self.some_marks(field, from);
        }
    }

    fn some_marks(&mut self, field: &NonSpaceRun<'_>, from: usize) {
        let marks = &field.text[from..field.end];
        if self.sees_openings() && !marks.is_ascii() {
            marks.chars().for_each(|c| self.open(c));
            if marks.chars().all(|c| self.is_opening(c)) {
                if from > field.start {
                    // An opening right behind a word leaves no place for another mark.
                    self.see(Mark::None);
                }
                return;
            }
        }
        if std::mem::take(&mut self.after_clitic) {
            // The clitic does not pass its sentence start on.
            self.ended = Ended::No;
        }
        let after = field.text[field.end..].chars().find(|&c| self.follows(c));
        let of = AfterMarks::of(after);
        let meaning = self.meaning(field, from, of);
        self.see(match Mark::between(marks) {
            // The stop of an abbreviation, as far as the text before it tells.
            Mark::Period if of == AfterMarks::Other && meaning.ended == Ended::No => Mark::None,
            Mark::Period if self.meaning(field, from, AfterMarks::Other).ended == Ended::No => Mark::None,
            mark => mark,
        });
        if self.live && after.is_none() {
            self.pending_marks = Some(AfterMarks::ALL.map(|after| self.meaning(field, from, after)));
        } else {
            // If a line comes in parts, the text that the next part holds may not be here yet.
            (self.ended, self.line.punctuated) = (meaning.ended, meaning.punctuated);
        }
    }

    /// Notes a mark after the last word, or [`Mark::None`] for anything else there. At the
    /// beginning of a line, a dash before speech, a quote or a bracket belongs to the next word
    /// alone, and so does anything at the beginning of a text.
    #[inline]
    fn see(&mut self, mark: Mark) {
        match mark {
            _ if self.before == Break::Document => {}
            Mark::None | Mark::Dash if self.before >= Break::Line => {}
            mark => {
                self.line.marked |= !matches!(mark, Mark::None | Mark::Dash) && self.before < Break::Line;
                self.gap = Some(self.gap.map_or(mark, |gap| gap.stronger(mark)));
            }
        }
    }

    /// Returns what stands after the last word, as far as the text is read: see [`Token::gap`].
    pub fn gap(&self) -> Option<Mark> {
        self.gap.or((self.line.closed == Some(true)).then_some(Mark::None))
    }

    /// Settles the meaning of the last marks, now that the text after them has arrived.
    #[inline]
    fn decide_pending_marks(&mut self, after: AfterMarks) {
        if let Some(meanings) = self.pending_marks.take() {
            let meaning = meanings[after as usize];
            (self.ended, self.line.punctuated) = (meaning.ended, meaning.punctuated);
        }
    }

    /// Returns the meaning of the marks from byte `from` to the end of the field.
    fn meaning(&self, field: &NonSpaceRun<'_>, from: usize, after: AfterMarks) -> Meaning {
        let unchanged = Meaning { ended: self.ended, punctuated: self.line.punctuated };
        let marks = &field.text[from..field.end];
        if !marks.contains(is_end_mark) {
            // A quote that closes reported speech, or the dash after it.
            let goes_on = self.ended == Ended::Asked
                && self.may_report()
                && marks.contains(['»', '”', '—', '–'])
                && after != AfterMarks::End;
            return Meaning { ended: if goes_on { Ended::No } else { self.ended }, ..unchanged };
        }
        // Marks may stand alone: `Bonjour !`
        let mut word = Cow::Borrowed(&field.text[field.start..from]);
        if word.is_empty() {
            let before = field.text[..field.start].trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
            let start = before.rfind(char::is_whitespace).map_or(0, |at| at + char_at(before, at).len_utf8());
            let run = &before[start..];
            word = if self.joins { last_joined(run) } else { Cow::Borrowed(run) };
        }
        if !self.ends(&word, marks, after == AfterMarks::Digit) {
            return unchanged;
        }
        let asked = marks.contains(|c| is_end_mark(c) && c != '.');
        let ended = match marks.contains(['"', '\'', '”', '’', '»']) {
            true if asked && after != AfterMarks::End => Ended::No,
            _ if asked => Ended::Asked,
            _ => Ended::Stopped,
        };
        Meaning { ended, punctuated: true }
    }

    /// Returns true if marks end a sentence after the last word of a run: see
    /// [`Abbreviations::ends`].
    fn ends(&self, run: &str, marks: &str, before_digit: bool) -> bool {
        // Most runs are words that are their own keys.
        if !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return self.abbreviations.ends(run, marks, before_digit);
        }
        let run = run.char_indices().rev().nth(LONGEST_ENDING).map_or(run, |(at, _)| &run[at..]);
        let inside = |c: char| c.is_alphanumeric() || is_joiner(c) || matches!(c, '.' | '\'' | '’' | '-');
        let before = run.rfind(|c: char| !inside(c)).map_or(0, |at| at + char_at(run, at).len_utf8());
        let word = run[before..].trim_start_matches(|c: char| !c.is_alphanumeric());
        let mut lower = String::new();
        lower_word(word, self.locale, &mut lower);
        // Two marks in a row part words, but stand in some abbreviations as well: `well--Mr.`, `c.-à-d.`
        let is_pair = |pair: &[u8]| pair.iter().all(|mark| matches!(mark, b'.' | b'\'' | b'-'));
        let parted = lower.as_bytes().windows(2).rposition(is_pair).map(|at| &lower[at + 2..]);
        let ends = |word: &str| self.abbreviations.ends(word, marks, before_digit);
        !lower.is_empty() && ends(&lower) && parted.is_none_or(ends)
    }

    /// Returns true if a full stop put in after the word that ends at byte `end` would be read as
    /// the end of a sentence.
    fn stop_ends(&self, field: &NonSpaceRun<'_>, end: usize) -> bool {
        let run = field.text[field.start..end].trim_start_matches(|c| self.is_opening(c));
        let is_list_item = self.before >= Break::Line && is_list_number(&format!("{run}."));
        !is_list_item && self.ends(run, ".", false)
    }
}

/// Returns true if a label is written by a program, so that its words are no text: `<ana>`, `From
/// Ana Reis to Everyone :`.
fn is_name_of_program(label: &str) -> bool {
    label.starts_with('<') || label.get(..5).is_some_and(|from| from.eq_ignore_ascii_case("from "))
}

/// Returns true if an opening can be put in between a mark and the word after it. A dash before a
/// number is a minus, which the opening would part from its number.
fn is_before_opening(left: char, word: &str) -> bool {
    match left {
        '(' | '[' | '"' | '\'' | '“' | '‘' | '«' => true,
        '-' | '–' | '—' => !word.starts_with(char::is_numeric),
        _ => false,
    }
}

/// Returns true if a word with this mark right before it continues a sentence: `...and then`.
pub(crate) fn continues_sentence(left: char) -> bool {
    matches!(left, '.' | '…')
}

/// A Dutch word with an apostrophe before it: `'s ochtends`, `'s-Hertogenbosch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DutchApostrophe {
    /// A sentence that opens with `'t` or `'s` has its capital on the next word.
    Clitic,
    /// In `'s-Hertogenbosch` the word itself has the capital.
    Name,
}

impl DutchApostrophe {
    /// Returns the kind of a word, whose mark before it is `left`. The word and its
    /// [lookup key](lower_word) are of the same kind.
    #[inline]
    pub(super) fn of(locale: Locale, left: Option<char>, word: &str) -> Option<Self> {
        if locale != Locale::Dutch || !matches!(left, Some('\'' | '’' | '‘')) {
            return None;
        }
        let mut chars = word.chars().filter(|&c| !is_left_out(c));
        match (chars.next().filter(char::is_ascii), chars.next()) {
            (Some(_), None) => Some(Self::Clitic),
            (Some(_), Some('-')) => Some(Self::Name),
            _ => None,
        }
    }

    /// Returns the constraint on a word whose capitals, if it has any, are not kept.
    #[inline]
    pub(super) fn constraint(apostrophe: Option<Self>) -> Constraint {
        if apostrophe == Some(Self::Clitic) { Constraint::Fixed(Case::Lower) } else { Constraint::Free }
    }
}

/// The largest number of characters at the end of a run that tell whether a full stop behind it ends a
/// sentence.
const LONGEST_ENDING: usize = 256;

/// The largest number of characters in a run that continues after tags.
const MAX_JOINED: usize = 256;

/// A run without white space that continues after tags.
struct JoinedRun {
    /// The run without the tags.
    plain: String,
    /// The start of each part of the run: its byte in `plain` and its byte in the text.
    parts: Vec<(usize, usize)>,
    /// The end of the run in the text.
    end: usize,
}

/// The result of looking past the tag after a run.
enum TagLookahead {
    /// The run ends before the tag.
    No,
    /// The text ends before the answer is known.
    Open,
    Run(JoinedRun),
}

impl JoinedRun {
    /// Looks past the tags after the run at `start..end`.
    fn read(text: &str, start: usize, end: usize, cut: Cut) -> TagLookahead {
        let goes_on = cut == Cut::Partial;
        // The number of characters still allowed; the rest of a longer run is read part by part.
        let mut left = MAX_JOINED;
        let takes = |left: &mut usize, part: &str| {
            let chars = part.chars().take(*left + 1).count();
            let fits = chars <= *left;
            *left -= chars.min(*left);
            fits
        };
        if !takes(&mut left, &text[start..end]) {
            return TagLookahead::No;
        }
        let mut run = Self { plain: text[start..end].to_owned(), parts: vec![(0, start)], end };
        while run.plain.ends_with(char::is_alphanumeric) {
            let mut at = run.end;
            while at < text.len() && opens_tag(text, at) {
                // What the characters allowed do not tell counts for nothing, wherever the text is cut.
                let limit = text[at..].char_indices().nth(left).map_or(text.len(), |(len, _)| at + len);
                let is_long = limit < text.len();
                if limit == at {
                    return TagLookahead::No;
                }
                match tag_end(&text[..limit], at, goes_on || is_long, false) {
                    TagMatch::Ends(end) if is_inline(&text[at..end]) => {
                        takes(&mut left, &text[at..end]);
                        at = end;
                    }
                    TagMatch::Open if is_long => return TagLookahead::No,
                    TagMatch::Open => return TagLookahead::Open,
                    _ => break,
                }
            }
            // Another tag may open here.
            if goes_on && at > run.end && matches!(text.as_bytes()[at..], [] | [b'<'] | [b'{'] | [b'{', _]) {
                return TagLookahead::Open;
            }
            if at == run.end || !text[at..].starts_with(char::is_alphanumeric) {
                break;
            }
            run.parts.push((run.plain.len(), at));
            (run.end, _) = field_end(text, at);
            if !takes(&mut left, &text[at..run.end]) {
                return TagLookahead::No;
            }
            run.plain.push_str(&text[at..run.end]);
            if run.end == text.len() {
                break;
            }
        }
        if run.parts.len() > 1 { TagLookahead::Run(run) } else { TagLookahead::No }
    }

    /// Returns the place in the text of byte `at` of the run without tags.
    fn place(&self, at: usize) -> usize {
        let (from, to) = self.parts[self.parts.partition_point(|&(from, _)| from <= at) - 1];
        to + at - from
    }
}

/// A run without white space: bytes `start` to `end` of a text whose first byte is byte `base` of
/// the piece.
#[derive(Debug, Clone, Copy)]
struct NonSpaceRun<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    base: u32,
}

// The kinds of a byte, as a set of bits, so that one look at a run selects its code path.
const SPACE: u8 = 1;
const LOWER: u8 = 2;
const UPPER: u8 = 4;
const DIGIT: u8 = 8;
/// `'` and `-`, which may stand inside a word.
const INNER: u8 = 16;
/// Other marks, which only stand around words.
const MARK: u8 = 32;
/// Marks that may make a run something other than words.
const SPECIAL: u8 = 64;
/// Bytes of characters outside ASCII.
const WIDE: u8 = 128;

static KINDS: [u8; 256] = {
    let mut kinds = [MARK; 256];
    let mut b = 0;
    while b < 256 {
        kinds[b] = match b as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'\'' | b'-' => INNER,
            b'@' | b'#' | b'/' | b'\\' | b'_' | b'<' | b'{' | b'&' | NO_TEXT => SPECIAL,
            0x80..=0xff => WIDE,
            _ => MARK,
        };
        b += 1;
    }
    kinds
};

/// Returns the end of the run that begins at byte `at`, and the kinds of its bytes. A possible
/// opening of a tag also ends the run.
#[inline]
fn field_end(text: &str, at: usize) -> (usize, u8) {
    let mut kinds = 0;
    for (end, &b) in text.as_bytes().iter().enumerate().skip(at) {
        match KINDS[b as usize] {
            SPACE => return (end, kinds),
            kind if kind & (WIDE | SPECIAL) != 0 => return odd_field_end(text, at, end, kinds),
            kind => kinds |= kind,
        }
    }
    (text.len(), kinds)
}

/// Continues after [`field_end`] met a byte that may end the run or that begins a character outside
/// ASCII.
#[inline(never)]
fn odd_field_end(text: &str, at: usize, mut end: usize, mut kinds: u8) -> (usize, u8) {
    let bytes = text.as_bytes();
    while let Some(&b) = bytes.get(end) {
        let kind = KINDS[b as usize];
        if kind & (SPACE | WIDE | SPECIAL) != 0 {
            if kind == SPACE || end > at && opens_tag(text, end) {
                break;
            }
            if kind == WIDE {
                let c = char_at(text, end);
                if c.is_whitespace() {
                    break;
                }
                end += c.len_utf8() - 1;
            }
        }
        kinds |= kind;
        end += 1;
    }
    (end, kinds)
}

/// Returns true if the available part of a run is longer than [`MAX_RUN`]. A bracket at the end of
/// that part may open a tag.
fn is_too_long(run: &str, may_go_on: bool) -> bool {
    let sure = if may_go_on { run.strip_suffix(['<', '{']).unwrap_or(run) } else { run };
    sure.len() > MAX_RUN && sure.chars().nth(MAX_RUN).is_some()
}

/// Returns the one word of an ASCII run without special marks: letters and digits with inner
/// apostrophes and hyphens, and marks only around them. Returns `None` if the run is more than
/// that.
#[inline]
fn plain_word(bytes: &[u8], mut start: usize, mut end: usize, kinds: u8) -> Option<(usize, usize)> {
    if kinds & (MARK | INNER) == 0 {
        return Some((start, end));
    }
    while start < end && !bytes[start].is_ascii_alphanumeric() {
        start += 1;
    }
    while end > start && !bytes[end - 1].is_ascii_alphanumeric() {
        end -= 1;
    }
    let mut inside = true;
    for pair in bytes[start..end].windows(2) {
        let kind = KINDS[pair[0] as usize] | KINDS[pair[1] as usize];
        inside &= kind & MARK == 0 && !(KINDS[pair[0] as usize] == INNER && KINDS[pair[1] as usize] == INNER);
    }
    (inside && start < end).then_some((start, end))
}

/// The letters of a word.
struct WordLetters {
    has_capitals: bool,
    /// True if the word is short enough to be a token.
    fits: bool,
    /// True if it is two ASCII letters or more, and nothing else.
    is_plain: bool,
}

/// Returns what a word consists of.
#[inline]
fn letters(word: &str, locale: Locale) -> WordLetters {
    let mut kinds = 0;
    for b in word.bytes() {
        kinds |= KINDS[b as usize];
    }
    let is_plain = kinds & !(LOWER | UPPER) == 0 && word.len() > 1;
    if kinds & WIDE == 0 {
        let fits = word.len() <= MAX_LETTERS || locale.letter_count(word) <= MAX_LETTERS;
        return WordLetters { has_capitals: kinds & UPPER != 0, fits, is_plain };
    }
    let mut counts = [0; 2];
    for (_, _, letter) in locale.letters(word) {
        if let Some(letter) = letter {
            counts[usize::from(letter.is_upper())] += 1;
        }
    }
    WordLetters { has_capitals: counts[1] > 0, fits: counts[0] + counts[1] <= MAX_LETTERS, is_plain }
}

/// Returns the next word of a run, from byte `at` on.
fn next_word(field: &NonSpaceRun<'_>, mut at: usize) -> Option<(usize, usize)> {
    let run = &field.text[..field.end];
    let start = loop {
        let c = run[at..].chars().next()?;
        if c.is_alphanumeric() {
            break at;
        }
        at += if c == '&' { entity_len(&run[at..]) } else { c.len_utf8() };
    };
    let mut previous = '\0';
    for (i, c) in run[start..].char_indices() {
        let next = run[start + i + c.len_utf8()..].chars().next().unwrap_or(' ');
        let inside = match c {
            '\'' | '’' | '-' | '‐' | '‑' => next.is_alphanumeric() && previous != '\0',
            // Runs with other inner stops are left unchanged: this is an initialism or a number.
            '.' => next.is_alphanumeric() && previous.is_alphanumeric(),
            ',' | ':' => previous.is_numeric() && next.is_numeric(),
            _ => c.is_alphanumeric() || is_joiner(c),
        };
        if !inside {
            return Some((start, start + i));
        }
        previous = c;
    }
    Some((start, field.end))
}

/// Returns the length of the entity (`&amp;`, `&#39;`) at the beginning of `text`; 1 for a bare
/// `&`.
fn entity_len(text: &str) -> usize {
    let name: usize =
        text[1..].chars().take(10).take_while(|c| c.is_alphanumeric() || *c == '#').map(char::len_utf8).sum();
    if name > 0 && text.as_bytes().get(1 + name) == Some(&b';') { name + 2 } else { 1 }
}

/// Returns true if a run is the number of a list item: `1.`, `(12)`, `3)`.
fn is_list_number(run: &str) -> bool {
    let number = run.trim_start_matches('(').trim_end_matches(['.', ')']);
    (1..=3).contains(&number.len()) && number.len() < run.len() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Returns true if a run is the letter of a list item: `a)`, `(B),`.
fn is_list_letter(run: &str) -> bool {
    let letter = run.trim_start_matches('(').trim_end_matches([',', ';', '.']);
    let mut chars = letter.chars().map(folded);
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.eq([')'])
}

/// Returns true if a run is not words: a URL, an e-mail address, a handle, a tag, a path, a file or
/// domain name.
fn is_left_alone(run: &str) -> bool {
    let opens = |c: char| !c.is_alphanumeric() && !"@#/\\~._".contains(c);
    let run = run.trim_start_matches(opens);
    let after = |prefix: &str| {
        run.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
            && run[prefix.len()..].starts_with(char::is_alphanumeric)
    };
    run.contains("://")
        || run.contains(['\\', NO_TEXT as char])
        || ["www.", "@", "#", "/", "./", "../", "~/"].into_iter().any(after)
        || run.match_indices('@').any(|(at, _)| run[at + 1..].starts_with(char::is_alphanumeric))
        || run.match_indices('_').any(|(at, _)| stands_inside(run, at))
        || run.split(|c: char| !(c.is_alphanumeric() || is_joiner(c) || c == '.')).any(|word| {
            word.match_indices('.').any(|(at, _)| stands_inside(word, at)) && !is_dotted_word(word)
        })
}

/// Returns true if letters or digits stand on both sides of the one-byte mark at byte `at`.
fn stands_inside(run: &str, at: usize) -> bool {
    run[..at].ends_with(|c: char| c.is_alphanumeric() || is_joiner(c))
        && run[at + 1..].starts_with(char::is_alphanumeric)
}

/// Returns true if a run of letters, digits and stops is an initialism (`u.s`, `ph.d`: parts of one
/// or two letters, the last of one; `ee.uu`: each letter twice) or a number (`3.5m`).
fn is_dotted_word(word: &str) -> bool {
    let word = word.trim_matches('.');
    let (first, last) = word.rsplit_once('.').unwrap_or(("", word));
    let is_number = last.starts_with(char::is_numeric)
        && first.split('.').all(|part| !part.is_empty() && part.chars().all(char::is_numeric));
    let letters = |part: &str| match part.chars().filter(|c| !is_joiner(*c)).count() {
        count if part.chars().all(|c| c.is_alphabetic() || is_joiner(c)) => count,
        _ => usize::MAX,
    };
    let is_double = |part: &str| {
        let mut chars = part.chars().filter(|c| !is_joiner(*c)).map(folded);
        letters(part) == 2 && chars.next() == chars.next()
    };
    is_number
        || letters(last) == 1 && first.split('.').all(|part| (1..=2).contains(&letters(part)))
        || !first.is_empty() && word.split('.').all(is_double)
}

fn char_at(text: &str, at: usize) -> char {
    text[at..].chars().next().unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokenize(text, Locale::Root, "en").iter().map(|(lower, _)| lower.to_owned()).collect()
    }

    fn starts(text: &str) -> Vec<String> {
        let tokens = tokenize(text, Locale::Root, "en");
        tokens.iter().filter(|(_, token)| token.starts).map(|(lower, _)| lower.to_owned()).collect()
    }

    #[test]
    fn the_letter_of_a_list_item_is_one_in_any_case() {
        for text in ["a)", "(B),", "i)", "I)", "ı)", "(İ)."] {
            assert!(is_list_letter(text), "{text}");
        }
        assert!(["1)", "ab)", "é)", "a", "a))"].into_iter().all(|text| !is_list_letter(text)));
    }

    #[test]
    fn an_initialism_of_double_letters_is_one_in_any_case() {
        for text in ["ee.uu.", "EE.UU.", "Ee.Uu.", "e\u{ad}E.UU.", "iI.İı."] {
            assert_eq!(words(text).len(), 1, "{text:?}");
        }
        assert_eq!(words("ee.ua so"), ["so"]);
    }

    #[test]
    fn a_mark_that_stands_alone_ends_the_sentence_of_a_word_with_tags_in_it() {
        let mut tokens = Tokens::new();
        let mut tokenizer = Tokenizer::new(Locale::Root, "en", Capitalized::Ignore).of_markup(false);
        tokenizer.read("lisb<i>o</i>n<b>x . we met", 0, Cut::Whole, &mut tokens);
        assert_eq!(
            tokens.as_slice().iter().map(|token| token.starts).collect::<Vec<_>>()[1..],
            [true, false]
        );
    }

    #[test]
    fn a_tag_beside_a_mark_parts_the_words_before_a_mark_that_stands_alone() {
        for (text, starts) in [("so<i>.left . we", true), ("so<i>left . we", true), ("u<i>.s . we", false)] {
            let mut tokens = Tokens::new();
            let mut tokenizer = Tokenizer::new(Locale::Root, "en", Capitalized::Ignore).of_markup(false);
            tokenizer.read(text, 0, Cut::Whole, &mut tokens);
            assert_eq!(tokens.as_slice().last().map(|word| word.starts), Some(starts), "{text}");
        }
    }

    #[test]
    fn what_stands_between_words_is_seen_in_a_text_of_either_case() {
        use Mark::{Comma, Dash, None as Other, Period, Question};
        let gaps = |text: &str| -> Vec<Option<Mark>> {
            tokenize(text, Locale::Root, "en").iter().map(|(_, token)| token.gap).collect()
        };
        let text = "Well, dr. Lee (the first) came . Did <b>he</b>?\nYes - at www.example.org today";
        let expected = [
            None,
            Some(Comma),
            Some(Other),
            Some(Other),
            None,
            Some(Other),
            Some(Period),
            None,
            Some(Question),
            Some(Dash),
            Some(Other),
        ];
        assert_eq!(gaps(text), expected);
        assert_eq!(gaps(&text.to_uppercase()), expected);
    }

    #[test]
    fn words_keep_inner_apostrophes_and_hyphens() {
        assert_eq!(
            words("O'Neill, l’Europe (vice-president) 'tis rock-'n'-roll -- x-ray's"),
            ["o'neill", "l'europe", "vice-president", "tis", "rock", "n", "roll", "x-ray's"]
        );
    }

    #[test]
    fn initialisms_and_numbers_are_one_word() {
        assert_eq!(
            words("the U.S. and Ph.D. at 10:30, 1,000 or 3.5m; e.g. this"),
            ["the", "u.s", "and", "ph.d", "at", "10:30", "1,000", "or", "3.5m", "e.g", "this"]
        );
    }

    #[test]
    fn what_is_no_word_is_left_alone() {
        let text = "see http://a.b/C?d=E, www.Example.org me@Home.example @Handle #Tag notes.TXT /usr/Bin snake_Case \
                    C:\\Dir <a Href=\"X y\">in</a> AT&amp;T and/or end...then {\\an8\\i1}top a) one (B), two";
        assert_eq!(words(text), ["see", "in", "at", "t", "and", "or", "end", "then", "top", "one", "two"]);
        assert!(words(&"x".repeat(65)).is_empty());
        assert_eq!(words(&"x".repeat(64)).len(), 1);
    }

    #[test]
    fn a_bare_angle_bracket_is_a_mark() {
        assert_eq!(
            words("a<b and x < y <i never closed"),
            ["a", "b", "and", "x", "y", "i", "never", "closed"]
        );
    }

    #[test]
    fn a_word_goes_on_behind_tags_inside_it() {
        let (mut tokens, text) =
            (Tokens::new(), "h<I>E</I>llo <b>Wo</b>rld. s{\\b1}o<br>it a<i>-b</i> <i>so</i>, x<i>y");
        let mut tokenizer = Tokenizer::new(Locale::Root, "en", Capitalized::Keep).of_markup(false);
        tokenizer.read(text, 0, Cut::Whole, &mut tokens);
        let found: Vec<_> = tokens
            .iter()
            .map(|(lower, token)| (lower, &text[token.source.start as usize..token.source.end as usize]))
            .collect();
        assert_eq!(
            found,
            [
                ("hello", "h<I>E</I>llo"),
                ("world", "Wo</b>rld"),
                ("so", "s{\\b1}o"),
                ("it", "it"),
                ("a", "a"),
                ("b", "b"),
                ("so", "so"),
                ("xy", "x<i>y")
            ]
        );
        let words = tokens.as_slice();
        assert_eq!(words[0].constraint, Constraint::Kept(Case::Mixed(crate::text::Capitals(2))));
        assert_eq!(
            (words[1].constraint, words[1].right, words[2].starts),
            (Constraint::Kept(Case::Title), Some('.'), true)
        );
    }

    #[test]
    fn the_length_of_a_tag_does_not_change_with_case() {
        for len in [600, 1010, 1030] {
            let text = format!("<b {}> çay", "İ".repeat(len));
            let places = |text: &str| tokenize(text, Locale::Turkic, "tr").len();
            assert_eq!(places(&text), places(&Locale::Turkic.lower(&text)), "{len} letters");
        }
    }

    #[test]
    fn sentences_start_after_stops_and_where_a_punctuated_line_opens() {
        assert_eq!(starts("one two. three dr. four? five!\nsix"), ["one", "three", "five", "six"]);
        assert_eq!(starts("is it cold?\nyes it is\nand dark"), ["is", "yes"]);
        assert_eq!(starts("- so.\n- no\n\n* we met dr.\nlee"), ["so", "no"]);
        assert_eq!(starts("no marks here\nnor here"), Vec::<String>::new());
        assert_eq!(starts("this line ends in the\nmiddle. next"), ["middle", "next"]);
        assert_eq!(starts("first. this goes\non here. next"), ["first", "this", "next"]);
        assert_eq!(starts("bonjour ! ça va ?\n\nbien."), ["bonjour", "ça", "bien"]);
        assert_eq!(starts("1. milk.\n2. eggs."), ["milk", "eggs"]);
        assert_eq!(starts("it's the boss's. then he didn't. we did"), ["it's", "then", "we"]);
        assert_eq!(starts("the end of part i. then j. smith came"), ["the", "then"]);
    }

    #[test]
    fn what_is_said_of_speech_begins_no_sentence() {
        assert_eq!(starts("\"stop!\" she cried. he left."), ["stop", "he"]);
        assert_eq!(starts("« alors ? » demanda-t-il. non ! non."), ["alors", "non", "non"]);
        assert_eq!(starts("—¡ah! —exclamó maría. sí."), ["ah", "sí"]);
        assert_eq!(starts("- who? - me. \"no.\" yes!\nwho?\nhe."), ["who", "me", "no", "yes", "who", "he"]);
    }

    #[test]
    fn in_groups_of_lines_a_sentence_goes_on() {
        assert_eq!(starts("hello.\n\nwhere do you want\nto go?\n\nhome."), ["hello", "where", "home"]);
        assert_eq!(starts("no marks\nhere. and"), ["here", "and"]);
    }

    #[test]
    fn breaks_say_what_lies_before() {
        let tokens = tokenize("one two/three\nfour\n\nfive @x six", Locale::Root, "en");
        let breaks: Vec<_> = tokens.as_slice().iter().map(|token| (token.before, token.opens)).collect();
        use Break::*;
        let opening = [(Document, true), (Space, false), (None, false), (Line, true), (Paragraph, true)];
        assert_eq!(breaks[..5], opening);
        let tokens = tokenize("one\n\n@x six", Locale::Root, "en");
        assert_eq!((tokens.as_slice()[1].before, tokens.as_slice()[1].opens), (Paragraph, false));
    }

    #[test]
    fn the_dutch_clitic_passes_its_capital_on() {
        let tokens = tokenize("'t is laat. 's avonds niet.", Locale::Dutch, "nl");
        let starts: Vec<_> =
            tokens.iter().filter(|(_, token)| token.starts).map(|(lower, _)| lower).collect();
        assert_eq!(starts, ["is", "avonds"]);
    }

    #[test]
    fn a_word_and_its_key_are_one_kind_of_clitic() {
        for (word, expected) in [
            ("S", Some(DutchApostrophe::Clitic)),
            ("S\u{ad}", Some(DutchApostrophe::Clitic)),
            ("\u{200c}s\u{ad}-A", Some(DutchApostrophe::Name)),
            ("E\u{301}", None),
            ("D\u{301}", None),
            ("sa", None),
        ] {
            let mut key = String::new();
            lower_word(word, Locale::Dutch, &mut key);
            for word in [word, &key] {
                assert_eq!(DutchApostrophe::of(Locale::Dutch, Some('’'), word), expected, "{word:?}");
            }
        }
    }

    #[test]
    fn an_abbreviation_behind_a_dash_is_one() {
        assert_eq!(starts("well--mr. reis came. so it--is. we"), ["well", "so", "we"]);
        let tokens = |text: &str| {
            let mut tokens = Tokens::new();
            let tokenizer = Tokenizer::new(Locale::Root, "es", Capitalized::Ignore);
            tokenizer.putting_marks(Some(MarkPlaces::Everywhere)).read(text, 0, Cut::Whole, &mut tokens);
            tokens.as_slice().iter().map(|token| token.abbreviates).collect::<Vec<_>>()
        };
        assert_eq!(tokens("y--ee 0..d y--así"), [true, true, false, true, true, false]);
    }

    #[test]
    fn no_opening_parts_a_minus_from_its_number() {
        let mut tokens = Tokens::new();
        let tokenizer = Tokenizer::new(Locale::Root, "es", Capitalized::Ignore);
        let text = "-5 -b (7 –9";
        tokenizer.putting_marks(Some(MarkPlaces::Everywhere)).read(text, 0, Cut::Whole, &mut tokens);
        let openings: Vec<_> = tokens.as_slice().iter().map(|token| token.opening).collect();
        assert_eq!(openings, [Some(Mark::None), None, None, Some(Mark::None)]);
    }

    #[test]
    fn an_opening_right_behind_a_word_leaves_no_place_for_a_mark() {
        let mut tokens = Tokens::new();
        let tokenizer = Tokenizer::new(Locale::Root, "es", Capitalized::Ignore);
        let text = "so¿\nit ¿\nis";
        tokenizer.putting_marks(Some(MarkPlaces::Everywhere)).read(text, 0, Cut::Whole, &mut tokens);
        let gaps: Vec<_> = tokens.as_slice().iter().map(|token| token.gap).collect();
        assert_eq!(gaps, [None, Some(Mark::None), None]);
    }

    #[test]
    fn with_marks_a_clitic_between_quotes_passes_no_sentence_start_on() {
        let mut tokens = Tokens::new();
        let tokenizer = Tokenizer::new(Locale::Dutch, "nl", Capitalized::Ignore);
        let text = "nu. 's avonds. 'a' we. 'a. we";
        tokenizer.putting_marks(Some(MarkPlaces::Everywhere)).read(text, 0, Cut::Whole, &mut tokens);
        let starts: Vec<_> =
            tokens.iter().filter(|(_, token)| token.starts).map(|(lower, _)| lower).collect();
        assert_eq!(starts, ["nu", "avonds"]);
    }

    #[test]
    fn in_mid_line_the_last_run_waits() {
        let mut tokens = Tokens::new();
        let mut tokenizer = Tokenizer::new(Locale::Root, "en", Capitalized::Auto);
        assert_eq!(tokenizer.read("one tw", 0, Cut::Partial, &mut tokens), 4);
        assert_eq!(tokenizer.read("two <i x", 0, Cut::Partial, &mut tokens), 4);
        assert_eq!(tokenizer.read("<i x>three", 0, Cut::Whole, &mut tokens), 10);
        assert_eq!(tokens.iter().map(|(lower, _)| lower).collect::<Vec<_>>(), ["one", "two", "three"]);
    }
}
