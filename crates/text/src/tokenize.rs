//! Finds the words of running text, and leaves everything else unchanged.
//!
//! A word is a run of letters and digits with inner apostrophes and hyphens (`o'neill`, `l’europe`,
//! `vice-president`), an initialism (`u.s`, without its last stop) or a number (`1,000`, `3.5m`,
//! `10:30`). Left unchanged are URLs, e-mail addresses, file and domain names, `@handles`, `#tags`,
//! mark-up tags, entities, list numbers at the start of a line and words of more than 64 letters.
//! Case plays no part: a text and its lower-cased copy have their words in the same positions.

use std::ops::Range;

use super::blocks::{BlockTag, BlockTracker, LineBlock, ListTag};
use super::case::Case;
use super::code::Notation;
use super::divided_word::{LINE_END, ModelVocabulary};
use super::gap_tracker::GapTracker;
use super::kept_capitals::mark_doubtful;
use super::line_opening::{LineOpening, LineOpenings, OpeningPart, is_name_of_program};
use super::locale::{Locale, is_joiner};
use super::mark::Mark;
use super::noted_marks::{MarkFinder, NotedMark};
use super::reading::{Arrival, InnerTags, WordReading};
use super::sentence_tracker::{AfterMarks, SentenceTracker, stop_ends};
use super::source_capitals::{DutchApostrophe, SourceCapitals};
use super::speaker_label::is_letter;
use super::tokens::{Break, Constraint, LinePlace, Token, Tokens};
use super::words::{
    JoinedRun, NonSpaceRun, PartFinder, RunPart, WordLetters, emoji_len, has_placeholder, is_left_alone,
    is_list_letter, is_list_number, letters, next_word, space,
};

pub use super::source_capitals::Capitalized;
pub use super::words::{Cut, MAX_RUN, NO_TEXT};

/// Finds words piece by piece, and remembers the state at the end of a piece for the next one.
///
/// ```
/// use majuscule_text::{Locale, tokenize::tokenize};
///
/// let tokens = tokenize("L’Europe, see www.example.org or U.S. law", Locale::Root, "en");
/// let words: Vec<_> = tokens.iter().map(|(lower, _)| lower).collect();
/// assert_eq!(words, ["l'europe", "see", "or", "u.s", "law"]);
/// ```
#[derive(Debug, Clone)]
pub struct Tokenizer {
    /// The settings.
    reading: WordReading,
    /// The capitals that are kept.
    capitals: SourceCapitals,
    /// The break before the next word.
    before: Break,
    /// The [`LinePlace`] of the next word.
    place: LinePlace,
    /// The index in `Tokens` of the first word of the line.
    first: usize,
    /// The runs and tags of the text.
    parts: PartFinder,
    /// The time stamps and labels before the text of lines.
    openings: LineOpenings,
    /// The ends and beginnings of sentences.
    sentences: SentenceTracker,
    /// The marks between words.
    gaps: GapTracker,
    /// The headings, tables and lists.
    blocks: BlockTracker,
    /// The index in `Tokens` of the first word of the previous line.
    previous: usize,
    /// True if a single quotation mark is open; tracked only if marks are noted.
    quotes: bool,
}

/// Returns the words of a whole text.
pub fn tokenize(text: &str, locale: Locale, language: &str) -> Tokens {
    let mut tokens = Tokens::new();
    Tokenizer::new(locale, language, Capitalized::Ignore).read(text, 0, Cut::Whole, &mut tokens);
    tokens
}

/// Returns the [`LinePlace`] of the words after a run at the beginning of a line; `None` if the run determines none.
fn place(run: &str) -> Option<LinePlace> {
    let is_of = |sign: char| run.len() <= 6 && run.chars().all(|c| c == sign);
    match run {
        _ if is_of('#') || is_of('=') => Some(LinePlace::Heading),
        "-" | "*" | "+" | "•" | "‣" | "◦" | "–" => Some(LinePlace::Item),
        _ if is_list_number(run) || is_list_letter(run) => Some(LinePlace::Item),
        _ => None,
    }
}

impl Tokenizer {
    /// Starts a text.
    pub fn new(locale: Locale, language: &str, capitalized: Capitalized) -> Self {
        Self::of(locale, language, capitalized, Arrival::Lines)
    }

    /// Starts a text whose words are returned before their line is complete, so that no later word of the line can
    /// change them. Only the text before a line determines whether its first word begins a sentence.
    pub fn live(locale: Locale, language: &str, capitalized: Capitalized) -> Self {
        Self::of(locale, language, capitalized, Arrival::Live)
    }

    /// Starts a text that comes in cues, each read separately and ended by [`Tokenizer::end_cue`]. Sentences run on
    /// from cue to cue: the first word of a cue begins a sentence if the text before it ended one.
    pub fn flowing(locale: Locale, language: &str, capitalized: Capitalized) -> Self {
        Self::of(locale, language, capitalized, Arrival::Cues)
    }

    fn of(locale: Locale, language: &str, capitalized: Capitalized, arrival: Arrival) -> Self {
        Self::start(WordReading::new(locale, language, arrival), SourceCapitals { locale, capitalized })
    }

    fn start(reading: WordReading, capitals: SourceCapitals) -> Self {
        Self {
            reading,
            capitals,
            before: Break::Document,
            place: LinePlace::Text,
            first: 0,
            parts: PartFinder::default(),
            openings: LineOpenings::default(),
            sentences: SentenceTracker::default(),
            gaps: GapTracker::default(),
            blocks: BlockTracker::default(),
            previous: 0,
            quotes: false,
        }
    }

    /// Treats each line as a separate text, independent of the other lines.
    pub fn of_lines(mut self, apart: bool) -> Self {
        self.reading.apart = apart;
        self
    }

    /// Reads mark-up as part of the text: `h<i>e</i>llo` is one word, and if lines belong together
    /// (`over_lines`) a tag may continue on the next line.
    pub fn of_markup(mut self, over_lines: bool) -> Self {
        self.reading.tags = if over_lines { InnerTags::OverLines } else { InnerTags::Join };
        self
    }

    /// Reads a text into which marks are inserted, so that the text is read in the same way with and without them.
    /// The first word of a document, paragraph or turn begins a sentence, and so does a word after a mark that ends
    /// one, on whichever line. The marks of a line are no evidence of a sentence start at its first word.
    pub fn putting_marks(mut self, puts: bool) -> Self {
        self.reading.puts = puts;
        self
    }

    /// Notes the marks of the text: see [`Tokens::marks`].
    pub fn noting_marks(mut self, notes: bool) -> Self {
        self.reading.notes = notes;
        self
    }

    /// Looks for time stamps and the labels of speakers at the beginnings of lines: no mark is inserted into
    /// them or right after them, and a sentence begins after a label. A time stamp separates words as white
    /// space does.
    pub fn of_speakers(mut self, has_speakers: bool) -> Self {
        self.openings = LineOpenings::new(has_speakers);
        self
    }

    /// Joins the parts of a word that a hyphen divides at the end of a line, if the vocabulary has the word.
    pub fn knowing(mut self, vocabulary: &ModelVocabulary) -> Self {
        self.parts = PartFinder::new(vocabulary.clone());
        self
    }

    /// Sets the notation of the text: in Markdown, for example, a line may be the underline of a heading.
    pub fn of_notation(mut self, notation: Notation) -> Self {
        self.blocks = BlockTracker::new(notation);
        self.reading.is_tex = notation == Notation::Tex;
        self
    }

    /// Starts another text with the same settings.
    pub fn reset(&mut self) {
        *self = Self {
            parts: self.parts.next_text(),
            openings: self.openings.next_text(),
            gaps: GapTracker::after(self.gap()),
            blocks: self.blocks.next_text(),
            ..Self::start(self.reading, self.capitals)
        };
    }

    /// Appends the words of `text`, whose first byte is byte `base` of the piece, and returns the number of bytes
    /// that were consumed: all bytes if the text is whole. If the text ends in the middle of a line, a tail that
    /// later text may continue (a last run without white space, an open tag) is left for the next call, unless the
    /// whole text is such a tail.
    ///
    /// The words of a line are judged together: the tokenizer decides whether the first one begins a sentence. A line
    /// that arrives in parts is judged by its first part. Capitals are [kept](Constraint::Kept) unless the tokenizer
    /// ignores them.
    pub fn read(&mut self, text: &str, base: u32, cut: Cut, tokens: &mut Tokens) -> usize {
        self.read_from(text, 0, base, cut, tokens)
    }

    /// Reads the text from byte `from` on like [`Tokenizer::read`], with the part of the line before `from` still
    /// available as context. A [live](Tokenizer::live) text that consists only of such a tail is also left for the
    /// next call.
    pub fn read_from(&mut self, text: &str, from: usize, base: u32, cut: Cut, tokens: &mut Tokens) -> usize {
        (self.first, self.previous) = (tokens.len(), tokens.len());
        let mut at = from;
        while at < text.len() {
            at = self.parts.skip_run(text, at);
            at = self.skip_space(text, at, tokens);
            if at == text.len() {
                break;
            }
            let leaves_tail = self.reading.is_live() || at > from;
            if self.sentences.waits() {
                self.settle_marks(&text[at..]);
            }
            if self.openings.looks() {
                match self.openings.part(text, at, cut == Cut::Whole) {
                    OpeningPart::Open if leaves_tail => break,
                    OpeningPart::None | OpeningPart::Open => {
                        self.openings.open_text(text.as_bytes()[at], self.reading.puts);
                    }
                    OpeningPart::Time(end) => {
                        at = end;
                        continue;
                    }
                    OpeningPart::Label(end) => {
                        self.label(NonSpaceRun { text, start: at, end, base }, tokens);
                        at = end;
                        continue;
                    }
                }
            }
            at = match self.parts.part(&self.reading, text, (at, base), cut, leaves_tail) {
                RunPart::Open => break,
                RunPart::Tag(end) => {
                    self.tag(text, at, end, tokens);
                    end
                }
                RunPart::TooLong => {
                    self.pass();
                    at
                }
                RunPart::Joined(run) => {
                    if self.reading.notes {
                        self.note_marks(
                            (text, at),
                            &run.plain,
                            base,
                            |mark| run.position(text, mark),
                            tokens,
                        );
                    }
                    self.begin_line((text, at, run.end), cut, tokens);
                    self.joined_run(text, &run, base, tokens);
                    run.end
                }
                RunPart::Run(field, kinds) => {
                    if self.reading.notes {
                        let run = &text[at..field.end];
                        self.note_marks((text, at), run, base, |mark| at + mark.start..at + mark.end, tokens);
                    }
                    if self.before >= Break::Line {
                        self.begin_line((text, at, field.end), cut, tokens);
                    }
                    self.field(&field, kinds, tokens);
                    field.end
                }
            };
        }
        self.finish_line(tokens);
        at
    }

    /// Returns true if the last piece ended inside a run without white space that is too long to be text.
    pub fn in_run(&self) -> bool {
        self.parts.in_run()
    }

    /// Ends the line at the end of the last piece.
    pub fn end_line(&mut self) {
        self.place = LinePlace::Text;
        self.sentences.settle(AfterMarks::End);
        self.parts.end_line();
        let has_words = self.before < Break::Line;
        if has_words && self.blocks.is_without_marks() {
            self.gaps.close_open();
        }
        let (block, begins) = self.blocks.end_line(self.gaps.gap());
        if self.reading.apart {
            return self.reset();
        }
        let is_written = self.sentences.is_written();
        if self.openings.end_line(is_written) == LineOpening::Time {
            self.before = self.before.max(Break::Line);
            return;
        }
        self.sentences.end_line();
        let is_apart = !is_written || block == LineBlock::Heading && has_words;
        self.before = self.before.max(if is_apart { Break::Paragraph } else { Break::Line });
        if begins {
            self.sentences.begin();
        }
    }

    /// Notes the marks of a run at byte `at`; `place` maps a byte range of the run to a byte range of the text.
    #[cold]
    fn note_marks(
        &mut self,
        (text, at): (&str, usize),
        run: &str,
        base: u32,
        place: impl Fn(Range<usize>) -> Range<usize>,
        tokens: &mut Tokens,
    ) {
        let opens_line = self.before >= Break::Line || text[..at].trim_end_matches(' ').ends_with(LINE_END);
        for (mark, around) in MarkFinder::marks(run, opens_line, &mut self.quotes) {
            let Range { start, end } = place(mark);
            tokens.note(NotedMark { source: base + start as u32..base + end as u32, place: around });
        }
    }

    /// Begins a line with the run at these bytes, if none has begun.
    #[cold]
    fn begin_line(&mut self, run: (&str, usize, usize), cut: Cut, tokens: &mut Tokens) {
        if self.blocks.has_line() || self.reading.arrival == Arrival::Cues {
            return;
        }
        let (text, start, end) = run;
        let is_whole = !self.reading.is_live() && (cut == Cut::Whole || text[end..].contains('\n'));
        let above = (self.before, self.gaps.gap());
        let block = self.blocks.begin_line(run, place(&text[start..end]), above, is_whole);
        let goes_on = block == LineBlock::Text && self.blocks.continues_item(&text[..start]);
        if !goes_on && self.blocks.end_item(self.gaps.gap()) {
            self.gaps.close_open();
        }
        match block {
            LineBlock::Item => {
                if self.blocks.begins_items() {
                    self.sentences.begin();
                }
                // Where marks are inserted, the items show no ends of sentences.
                if self.reading.puts {
                    self.before = self.before.max(Break::Paragraph);
                }
            }
            LineBlock::Underline => self.underline(tokens),
            LineBlock::Heading => self.before = self.before.max(Break::Paragraph),
            LineBlock::Text | LineBlock::Row => {}
        }
        if block == LineBlock::Text && !goes_on || block != LineBlock::Item && self.before >= Break::Paragraph
        {
            self.blocks.end_list();
        }
    }

    /// Makes a heading of the previous line.
    fn underline(&mut self, tokens: &mut Tokens) {
        for (at, word) in tokens.as_mut_slice()[self.previous..].iter_mut().enumerate() {
            word.place = LinePlace::Heading;
            if at > 0 {
                word.gap.get_or_insert(Mark::None);
            }
        }
        self.gaps.close_open();
        self.before = self.before.max(Break::Paragraph);
    }

    /// Reads the tag at these bytes. A block element of HTML begins a new paragraph.
    #[cold]
    fn tag(&mut self, text: &str, at: usize, end: usize, tokens: &mut Tokens) {
        let has_words = self.before < Break::Line;
        let is_mention = has_words && text[..at].ends_with(' ') && text[end..].starts_with(' ');
        self.sentences.write();
        let is_text = self.reading.arrival != Arrival::Cues && !self.reading.apart;
        let Some(tag) = BlockTag::of(&text[at..end]).filter(|_| is_text && !is_mention) else { return };
        if tag.list != ListTag::None && self.blocks.end_item(self.gaps.gap()) {
            self.gaps.close_open();
        }
        if has_words {
            self.finish_line(tokens);
            self.end_line();
            (self.first, self.previous) = (tokens.len(), tokens.len());
            self.sentences.write();
        }
        self.blocks.read_tag(tag);
        self.before = self.before.max(Break::Paragraph);
        self.sentences.begin();
    }

    /// Closes the gap after the last word, which ends a label that [`Tokenizer::read`] did not see as a label.
    pub fn close_gap(&mut self) {
        self.gaps.close_open();
    }

    /// Ends the cue at the end of the last piece. `before` is the break between this cue and the
    /// next: [`Break::Cue`], or [`Break::Turn`] or more if a sentence does not run on.
    pub fn end_cue(&mut self, before: Break) {
        self.sentences.end_cue(before);
        self.before = self.before.max(before);
        if before == Break::Document {
            self.reset();
        }
    }

    /// Settles the meaning of the last marks if the text after them has arrived.
    #[cold]
    fn settle_marks(&mut self, rest: &str) {
        let is_opening = |c: char| self.reading.is_opening(c) || c == ' ';
        if let Some(next) = rest.trim_start_matches(is_opening).chars().next() {
            self.sentences.settle(AfterMarks::of(Some(next)));
        }
    }

    /// Appends the words of a speaker label, and begins a sentence after it. The words get the case of names, unless
    /// the label has capitals.
    #[cold]
    fn label(&mut self, label: NonSpaceRun<'_>, tokens: &mut Tokens) {
        let (line, gaps, first) = (self.sentences.line(), self.gaps, tokens.len());
        let NonSpaceRun { text, start, end, base } = label;
        self.before = self.before.max(Break::Turn);
        let mut at = if is_name_of_program(&text[start..end]) { end } else { start };
        while let Some(run) = text[at..end].find(|c: char| !c.is_whitespace()).map(|len| at + len) {
            at = text[run..end].find(char::is_whitespace).map_or(end, |len| run + len);
            self.odd_field(&NonSpaceRun { text: &text[..end], start: run, end: at, base }, tokens);
            self.before = self.before.max(Break::Space);
        }
        self.capitals.constrain_label(&label, first, tokens);
        for (at, word) in tokens.as_mut_slice()[first..].iter_mut().enumerate() {
            (word.starts, word.is_label) = (true, true);
            word.opening.get_or_insert(Mark::None);
            if at > 0 {
                word.gap = Some(Mark::None);
            }
        }
        let has_words = tokens.len() > first;
        self.before = self.before.max(if has_words { Break::Space } else { Break::Turn });
        self.gaps.end_label(&gaps, has_words);
        self.sentences.end_label(line);
        self.openings.end_label();
    }

    /// Skips white space; every line feed in it ends a line.
    #[inline]
    fn skip_space(&mut self, text: &str, mut at: usize, tokens: &mut Tokens) -> usize {
        while let Some((next, ends_line)) = space(text, at) {
            at = next;
            if ends_line {
                self.finish_line(tokens);
                self.end_line();
                (self.previous, self.first) = (self.first, tokens.len());
            } else {
                self.before = self.before.max(Break::Space);
            }
        }
        at
    }

    /// Decides whether the first word of the line, as read so far, begins a sentence, and which capitals are
    /// doubtful.
    fn finish_line(&mut self, tokens: &mut Tokens) {
        let words = &mut tokens.as_mut_slice()[self.first..];
        if !words.is_empty() {
            self.sentences.finish_line(&self.reading, words);
            words[0].starts |= !self.reading.is_live() && self.blocks.is_key(self.gaps.gap());
            if self.reading.puts && self.capitals.capitalized == Capitalized::Auto {
                mark_doubtful(tokens, self.first);
            }
        }
    }

    /// Appends the words of a run without white space.
    #[inline]
    fn field(&mut self, field: &NonSpaceRun<'_>, kinds: u8, tokens: &mut Tokens) {
        self.sentences.write();
        match field.only_word(kinds, self.before >= Break::Line) {
            Some((start, end)) => {
                self.word(field, start, end, tokens);
                self.marks(field, end);
            }
            None => self.odd_field(field, tokens),
        }
    }

    /// Handles every kind of run; the slow path of [`Tokenizer::field`].
    #[cold]
    fn odd_field(&mut self, field: &NonSpaceRun<'_>, tokens: &mut Tokens) {
        let run = &field.text[field.start..field.end];
        if self.before >= Break::Line {
            // In cues, number signs indicate music.
            let has_headings = self.reading.arrival != Arrival::Cues;
            let place = place(run).filter(|&place| has_headings || place != LinePlace::Heading);
            self.place = place.unwrap_or(self.place);
            if is_list_number(run) {
                return;
            }
        }
        if let Some(len) = emoji_len(run) {
            return self.marks(field, field.start + len);
        }
        // The check box of an item in a task list.
        if self.place == LinePlace::Item && run.eq_ignore_ascii_case("[x]") {
            return;
        }
        let mut at = field.start;
        if is_left_alone(run) || is_list_letter(run) {
            self.pass();
        } else {
            let first = tokens.len();
            while let Some((start, end)) = next_word(field, at) {
                self.word(field, start, end, tokens);
                at = end;
            }
            if !self.reading.is_tex && has_placeholder(run) {
                self.hold(field, first, tokens);
            }
        }
        let marks = run.trim_end_matches(|c: char| !(c.is_alphanumeric() || is_joiner(c)));
        self.marks(field, at.max(field.start + marks.len()));
    }

    /// Keeps the words from index `first` on unchanged: they belong to a placeholder, which represents words of the
    /// text.
    fn hold(&mut self, field: &NonSpaceRun<'_>, first: usize, tokens: &mut Tokens) {
        for word in &mut tokens.as_mut_slice()[first..] {
            let span = (word.source.start - field.base) as usize..(word.source.end - field.base) as usize;
            word.constraint = Constraint::Fixed(Case::of(&field.text[span], self.reading.locale));
            word.opening.get_or_insert(Mark::None);
        }
        self.gaps.close_open();
    }

    /// Appends the words of a run with tags or a line end inside it.
    #[cold]
    fn joined_run(&mut self, text: &str, run: &JoinedRun, base: u32, tokens: &mut Tokens) {
        self.sentences.write();
        // The text after a run decides the meaning of its marks.
        let after = text[run.end..].char_indices().find(|&(_, c)| self.reading.follows(c));
        let after = after.map_or(text.len(), |(at, c)| run.end + at + c.len_utf8());
        let plain = [&run.plain, &text[run.end..after]].concat();
        let first = tokens.len();
        self.odd_field(&NonSpaceRun { text: &plain, start: 0, end: run.plain.len(), base: 0 }, tokens);
        for word in &mut tokens.as_mut_slice()[first..] {
            let position = run.position(text, word.source.start as usize..word.source.end as usize);
            word.source = base + position.start as u32..base + position.end as u32;
        }
    }

    /// Appends one word.
    #[inline]
    fn word(&mut self, field: &NonSpaceRun<'_>, start: usize, end: usize, tokens: &mut Tokens) {
        let place = self.take_place();
        let (reading, word) = (&self.reading, &field.text[start..end]);
        let WordLetters { has_capitals, fits, is_plain } = letters(word, reading.locale);
        if !fits {
            return self.pass();
        }
        let left = self.gaps.left_of(reading, &field.text[field.start..start]);
        let right = field.text[end..field.end].chars().next().filter(|c| !c.is_alphanumeric());
        let apostrophe = DutchApostrophe::of(reading.locale, left, word);
        let may_name = self.openings.may_name(word, reading.locale);
        let mut token = Token {
            source: field.base + start as u32..field.base + end as u32,
            before: self.before,
            constraint: self.capitals.constraint(word, has_capitals, apostrophe),
            left,
            right,
            abbreviates: reading.puts && !stop_ends(reading, field, end, self.before)
                || may_name && is_letter(word),
            may_name,
            place,
            is_plain: is_plain && left.is_none() && right.is_none(),
            ..Token::default()
        };
        let opening = self.gaps.take_opening();
        let has_opening = opening != Mark::None;
        let at = tokens.len() - self.first;
        if self.sentences.asks_word() {
            self.sentences.ask_word(reading, word);
        }
        let reports = self.sentences.begin_word(reading, &mut token, at, apostrophe, has_opening);
        let line = &mut tokens.as_mut_slice()[self.first..];
        self.gaps.begin_word(reading, &mut token, (word, apostrophe.is_some()), (opening, reports), line);
        if self.blocks.add_word() && token.before < Break::Line {
            token.gap.get_or_insert(Mark::None);
            token.opening = token.opening.or(reading.sees_openings().then_some(Mark::None));
        }
        token.may_name |= reading.puts && self.blocks.may_be_key();
        tokens.push(word, reading.locale, token);
        if apostrophe == Some(DutchApostrophe::Clitic) {
            // No mark may separate a clitic from the word that it belongs to.
            self.gaps.close();
        } else {
            self.before = Break::None;
        }
    }

    /// Returns the place of the next word.
    #[inline]
    fn take_place(&mut self) -> LinePlace {
        match self.place {
            LinePlace::Item => std::mem::take(&mut self.place),
            place => place,
        }
    }

    /// Notes text that is neither a mark nor a word with a case.
    pub fn pass(&mut self) {
        self.gaps.pass(self.before);
        self.sentences.pass();
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
        let is_wide = self.reading.sees_openings() && !marks.is_ascii();
        if is_wide && self.gaps.see_openings(&self.reading, marks) {
            if from > field.start {
                // An opening right after a word leaves no place for another mark.
                self.gaps.see(Mark::None, self.before);
            }
            return;
        }
        let mark = self.sentences.take_marks(&self.reading, (field, from), self.before);
        self.gaps.see(mark, self.before);
    }

    /// Returns the gap after the last word of the text read so far: see [`Token::gap`].
    pub fn gap(&self) -> Option<Mark> {
        let is_closed =
            self.blocks.closes_item() || self.before < Break::Line && self.blocks.is_without_marks();
        self.gaps.gap().or(is_closed.then_some(Mark::None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokenize(text, Locale::Root, "en").iter().map(|(lower, _)| lower.to_owned()).collect()
    }

    fn starts(text: &str) -> Vec<String> {
        starting_words(&tokenize(text, Locale::Root, "en"))
    }

    /// Returns the words that begin a sentence.
    fn starting_words(tokens: &Tokens) -> Vec<String> {
        tokens.iter().filter(|(_, token)| token.starts).map(|(lower, _)| lower.to_owned()).collect()
    }

    /// Returns the words of a text into which marks are inserted.
    fn with_marks(text: &str, locale: Locale, language: &str) -> Tokens {
        let mut tokens = Tokens::new();
        let tokenizer = Tokenizer::new(locale, language, Capitalized::Ignore);
        tokenizer.putting_marks(true).read(text, 0, Cut::Whole, &mut tokens);
        tokens
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
        assert_eq!(words[0].constraint, Constraint::Kept(Case::Mixed(crate::Capitals(2))));
        assert_eq!(
            (words[1].constraint, words[1].right, words[2].starts),
            (Constraint::Kept(Case::Title), Some('.'), true)
        );
    }

    #[test]
    fn a_word_goes_on_behind_a_hyphen_at_the_end_of_a_line() {
        let vocabulary = ModelVocabulary::new(|word| matches!(word, "president" | "jean-claude"));
        let text = "A (presi-\n  dent). jean-\nclaude met the pre-\r\nand so\u{ad}\nit-\n\nis";
        let mut tokens = Tokens::new();
        let mut tokenizer =
            Tokenizer::new(Locale::Root, "en", Capitalized::Ignore).of_markup(true).knowing(&vocabulary);
        tokenizer.read(text, 0, Cut::Whole, &mut tokens);
        let found: Vec<_> = tokens.iter().map(|(lower, token)| (lower, token.before, token.starts)).collect();
        use Break::*;
        let expected = [
            ("a", Document, true),
            ("president", Space, false),
            ("jean-claude", Space, true),
            ("met", Space, false),
            ("the", Space, false),
            ("pre", Space, false),
            ("and", None, false),
            ("soit", Space, false),
            ("is", Paragraph, false),
        ];
        assert_eq!(found, expected);
        let source = tokens.as_slice()[1].source.clone();
        assert_eq!(&text[source.start as usize..source.end as usize], "presi-\n  dent");
        assert_eq!((tokens.as_slice()[6].gap, tokens.as_slice()[6].left), (Some(Mark::None), Option::None));
    }

    #[test]
    fn the_length_of_a_tag_does_not_change_with_case() {
        for len in [600, 1010, 1030] {
            let text = format!("<b {}> çay", "İ".repeat(len));
            let positions = |text: &str| tokenize(text, Locale::Turkic, "tr").len();
            assert_eq!(positions(&text), positions(&Locale::Turkic.lower(&text)), "{len} letters");
        }
    }

    #[test]
    fn sentences_start_after_stops_and_where_a_punctuated_line_opens() {
        assert_eq!(starts("one two. three dr. four? five!\nsix"), ["one", "three", "five", "six"]);
        assert_eq!(starts("is it cold?\nyes it is\nand dark"), ["is", "yes"]);
        assert_eq!(starts("- so.\n- no\n\n* we met dr.\nlee"), ["so", "no"]);
        assert_eq!(starts("no marks here\nnor here"), Vec::<String>::new());
        assert_eq!(starts("first. this goes\non here. next"), ["first", "this", "next"]);
        assert_eq!(starts("bonjour ! ça va ?\n\nbien."), ["bonjour", "ça", "bien"]);
        assert_eq!(starts("1. milk.\n2. eggs."), ["milk", "eggs"]);
        assert_eq!(starts("it's the boss's. then he didn't. we did"), ["it's", "then", "we"]);
        assert_eq!(starts("the end of part i. then j. smith came"), ["the", "then"]);
    }

    #[test]
    fn the_words_tell_whether_a_line_after_an_open_one_begins_a_sentence() {
        for (text, open, starting) in [
            ("this line ends in the\nmiddle. next", "middle", "next"),
            ("my trip to rome\nwe went there. and", "we", "and"),
            ("no marks\nhere. and", "here", "and"),
        ] {
            let tokens = tokenize(text, Locale::Root, "en");
            let is_open = |token: &Token| token.is_bare == Some(true);
            let found = tokens.iter().filter(|(_, token)| is_open(token)).map(|(lower, _)| lower);
            assert_eq!(
                (found.collect::<Vec<_>>(), starting_words(&tokens)),
                (vec![open], vec![starting.to_owned()])
            );
        }
    }

    #[test]
    fn a_question_in_brackets_inside_a_sentence_ends_none() {
        assert_eq!(starts("he came (really!) with that. (is it so?) then"), ["he", "is", "then"]);
        assert_eq!(starts("he came [why?] and left.\n(how nice!) so"), ["he", "how", "so"]);
        assert_eq!(starts("„halt!“, rief er. »wer da?« fragte sie. ‹wie?› so"), ["halt", "wer", "wie"]);
    }

    #[test]
    fn what_is_said_of_speech_begins_no_sentence() {
        assert_eq!(starts("\"stop!\" she cried. he left."), ["stop", "he"]);
        assert_eq!(starts("« alors ? » demanda-t-il. non ! non."), ["alors", "non", "non"]);
        assert_eq!(starts("—¡ah! —exclamó maría. sí."), ["ah", "sí"]);
        assert_eq!(starts("- who? - me. \"no.\" yes!\nwho?\nhe."), ["who", "me", "no", "yes", "who", "he"]);
    }

    #[test]
    fn a_line_has_one_label_at_most() {
        let mut tokens = Tokens::new();
        let mut tokenizer = Tokenizer::new(Locale::Root, "en", Capitalized::Ignore).of_speakers(true);
        tokenizer.read("bob: ann: so", 0, Cut::Whole, &mut tokens);
        let labels: Vec<_> = tokens.as_slice().iter().map(|token| token.is_label).collect();
        assert_eq!(labels, [true, false, false]);
        assert_eq!(tokens.as_slice()[1].gap, Some(Mark::None), "the colon of a label is no mark of the text");
    }

    #[test]
    fn a_name_that_is_in_no_list_is_a_label_only_shortly_after_another() {
        for (lines, is_label) in [(0, true), (2, true), (3, false)] {
            let text = format!("bob: hi\n{}zorp: so", "we met\n".repeat(lines));
            let mut tokens = Tokens::new();
            let mut tokenizer = Tokenizer::new(Locale::Root, "en", Capitalized::Ignore).of_speakers(true);
            tokenizer.read(&text, 0, Cut::Whole, &mut tokens);
            let name = tokens.as_slice().iter().rev().nth(1);
            assert_eq!(name.map(|word| word.is_label), Some(is_label), "{lines} lines");
        }
    }

    #[test]
    fn a_colon_may_make_a_label_of_a_first_word_and_of_a_name_alone() {
        let mut tokens = Tokens::new();
        let tokenizer = Tokenizer::new(Locale::Root, "en", Capitalized::Ignore).of_speakers(true);
        let text = "we met him\nmaria reis met";
        tokenizer.putting_marks(true).read(text, 0, Cut::Whole, &mut tokens);
        let may_name: Vec<_> = tokens.as_slice().iter().map(|token| token.may_name).collect();
        assert_eq!(may_name, [true, true, true, true, true, false]);
    }

    #[test]
    fn where_marks_are_put_in_a_turn_begins_a_sentence_and_a_cue_does_not() {
        for (before, starts) in [(Break::Cue, false), (Break::Turn, true)] {
            let mut tokens = Tokens::new();
            let tokenizer = Tokenizer::flowing(Locale::Root, "en", Capitalized::Ignore);
            let mut tokenizer = tokenizer.putting_marks(true);
            tokenizer.read("so", 0, Cut::Whole, &mut tokens);
            tokenizer.end_cue(before);
            tokenizer.read("we met", 0, Cut::Whole, &mut tokens);
            let found: Vec<_> = tokens.as_slice().iter().map(|token| token.starts).collect();
            assert_eq!(found, [true, starts, false]);
        }
    }

    #[test]
    fn a_sentence_begins_below_a_short_line_with_a_colon_that_stands_alone() {
        assert_eq!(starts("to do:\nwe met"), ["to", "we"]);
        assert_eq!(starts("so it is\n\nto do:\n\n- we met\n- and left\n\nso it"), ["to", "we", "and"]);
        assert_eq!(starts("so it is\nto do:\nwe met"), Vec::<String>::new());
        assert_eq!(starts("he told me this:\nwe met"), Vec::<String>::new());
        let mut tokens = Tokens::new();
        let mut cues = Tokenizer::flowing(Locale::Root, "en", Capitalized::Ignore);
        cues.read("to do:\nwe met", 0, Cut::Whole, &mut tokens);
        assert_eq!(starting_words(&tokens), Vec::<String>::new());
    }

    /// Returns the words before which a mark may be inserted, and whether one may at the end.
    fn open(text: &str, notation: Notation) -> (Vec<String>, bool) {
        let mut tokens = Tokens::new();
        let tokenizer = Tokenizer::new(Locale::Root, "en", Capitalized::Ignore).of_markup(true);
        let mut tokenizer = tokenizer.putting_marks(true).of_notation(notation);
        tokenizer.read(text, 0, Cut::Whole, &mut tokens);
        let words = tokens.iter().skip(1).filter(|(_, token)| token.gap.is_none());
        (words.map(|(lower, _)| lower.to_owned()).collect(), tokenizer.gap().is_none())
    }

    #[test]
    fn headings_and_cells_leave_no_place_for_marks() {
        use Notation::{Markdown, Plain, Tex};
        let open = |text, notation| {
            let (words, is_open) = open(text, notation);
            (words.join(" "), is_open)
        };
        assert_eq!(open("so it\n# we met\nand left", Plain), ("it we left".to_owned(), true));
        assert_eq!(open("# we met", Plain), (String::new(), false));
        assert_eq!(open("so it\n\nwe met\n---\nand left", Markdown), ("it we left".to_owned(), true));
        assert_eq!(open("so it\nwe met\n---\n", Markdown), ("it we met".to_owned(), true));
        assert_eq!(open("so it\n\nwe met\n---\n", Plain), ("it we met".to_owned(), true));
        assert_eq!(open("so\n| we met | it is |\n| and |\nso", Plain), ("we".to_owned(), true));
        assert_eq!(open("we met | it is", Tex), (String::new(), false));
        assert_eq!(open("so <h2>we met</h2><p>so it", Plain), ("we it".to_owned(), true));
        assert_eq!(open("<td>we met<td>so it", Plain), (String::new(), false));
    }

    #[test]
    fn a_number_sign_in_a_cue_makes_no_heading() {
        let mut tokens = Tokens::new();
        let mut cues = Tokenizer::flowing(Locale::Root, "en", Capitalized::Ignore).putting_marks(true);
        cues.read("# we met and left #\nso it is", 0, Cut::Whole, &mut tokens);
        assert!(tokens.as_slice().iter().all(|token| token.place == LinePlace::Text));
    }

    #[test]
    fn an_item_has_a_place_for_a_mark_at_its_end_if_the_first_one_has_a_stop() {
        let open = |text| {
            let (words, is_open) = open(text, Notation::Plain);
            (words.join(" "), is_open)
        };
        assert_eq!(open("- we met\n- it is\n  so\n- and"), ("met is so".to_owned(), false));
        assert_eq!(open("- we met.\n- it is\n- and"), ("met is and".to_owned(), true));
        assert_eq!(open("- we met\n\nso it"), ("met it".to_owned(), true));
        assert_eq!(open("<ul><li>we met</li><li>it is</li></ul>so"), ("met is".to_owned(), true));
    }

    #[test]
    fn in_groups_of_lines_a_sentence_goes_on() {
        assert_eq!(starts("hello.\n\nwhere do you want\nto go?\n\nhome."), ["hello", "where", "home"]);
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
        assert_eq!(starting_words(&tokens), ["is", "avonds"]);
    }

    #[test]
    fn an_abbreviation_behind_a_dash_is_one() {
        assert_eq!(starts("well--mr. reis came. so it--is. we"), ["well", "so", "we"]);
        let tokens = |text: &str| {
            let tokens = with_marks(text, Locale::Root, "es");
            tokens.as_slice().iter().map(|token| token.abbreviates).collect::<Vec<_>>()
        };
        assert_eq!(tokens("y--ee 0..d y--así"), [true, true, false, true, true, false]);
    }

    #[test]
    fn no_opening_parts_a_minus_from_its_number() {
        let tokens = with_marks("-5 -b (7 –9", Locale::Root, "es");
        let openings: Vec<_> = tokens.as_slice().iter().map(|token| token.opening).collect();
        assert_eq!(openings, [Some(Mark::None), None, None, Some(Mark::None)]);
    }

    #[test]
    fn no_opening_stands_behind_the_dash_of_a_report_or_inside_a_run() {
        let tokens = with_marks("ah? —dijo so(it", Locale::Root, "es");
        let openings: Vec<_> = tokens.as_slice().iter().map(|token| token.opening).collect();
        assert_eq!(openings, [None, Some(Mark::None), None, Some(Mark::None)]);
    }

    #[test]
    fn an_opening_right_behind_a_word_leaves_no_place_for_a_mark() {
        let tokens = with_marks("so¿\nit ¿\nis", Locale::Root, "es");
        let gaps: Vec<_> = tokens.as_slice().iter().map(|token| token.gap).collect();
        assert_eq!(gaps, [None, Some(Mark::None), None]);
    }

    #[test]
    fn without_marks_a_clitic_passes_a_sentence_start_on_over_quotes_and_stops() {
        let tokens = tokenize("nu. 's avonds. 'a' we. 'a. we", Locale::Dutch, "nl");
        assert_eq!(starting_words(&tokens), ["nu", "avonds", "we", "we"]);
    }

    #[test]
    fn with_marks_a_clitic_between_quotes_passes_no_sentence_start_on() {
        let tokens = with_marks("nu. 's avonds. 'a' we. 'a. we", Locale::Dutch, "nl");
        assert_eq!(starting_words(&tokens), ["nu", "avonds"]);
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
