//! Tracks where sentences begin and end, according to the marks and the lines of a text.

use std::borrow::Cow;

use super::locale::is_joiner;
use super::mark::{Mark, is_end_mark};
use super::markup::last_joined;
use super::reading::{Arrival, InnerTags, WordReading};
use super::source_capitals::DutchApostrophe;
use super::tokens::{Break, Token, lower_word};
use super::words::{NonSpaceRun, char_at, is_list_number};

/// The largest number of characters before a full stop that determine whether it ends a sentence.
const LONGEST_ENDING: usize = 256;

/// The characters that close a quote after a mark, in any language.
const CLOSING_QUOTES: [char; 11] = ['"', '\'', '”', '’', '»', '“', '‘', '«', '›', '‹', '」'];

/// The state of the sentence at the last word, and of the lines that show where sentences begin.
#[derive(Debug, Clone, Default)]
pub(super) struct SentenceTracker {
    /// The sentence end, if any, after the last word.
    ended: Ended,
    /// True if there is unchanged text between the beginning of the line and the next word.
    blocked: bool,
    /// True if the last word was a clitic, with nothing but white space and tags after it, and marks
    /// are inserted.
    after_clitic: bool,
    /// True if a sentence began with the word after the last opening bracket, so that the brackets enclose whole
    /// sentences.
    bracket_begins: bool,
    /// True once an empty line was met after text: lines without an empty line between them then
    /// belong together.
    grouped: bool,
    /// True once a mark has ended a sentence of a cue.
    marked: bool,
    /// The number of lines so far that end with a sentence end, and the number of lines whose sentence continues.
    ended_lines: usize,
    open_lines: usize,
    /// The state of the previous line, unless that line is empty.
    previous: Option<LineState>,
    /// The state of the current line.
    line: LineState,
    /// The possible meanings of the last marks until the text after them arrives: one meaning for each kind of that
    /// text.
    pending: Option<[Meaning; AfterMarks::ALL.len()]>,
}

/// The state of a line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineState {
    /// The index, within the line, of the word that opens the line; only marks are before it.
    opening: Option<usize>,
    /// True if some mark in the line ends a sentence.
    punctuated: bool,
    /// True if the last word of the line ended a sentence.
    ended: bool,
    /// True if the line has anything but white space.
    written: bool,
}

/// A run, and the byte of its text where the marks after its last word begin.
pub(super) type MarkedRun<'a> = (&'a NonSpaceRun<'a>, usize);

/// The effect of the marks after a word on the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Ended {
    /// The sentence continues.
    #[default]
    No,
    /// A full stop ends the sentence.
    Stopped,
    /// The full stop of an abbreviation ends the sentence, unless the next word continues it.
    Abbreviated,
    /// A question or exclamation mark ends the sentence, unless it closes reported speech: `« Alors
    /// ? » demanda-t-il.`
    Asked,
}

/// The text that follows marks on their line, after white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterMarks {
    /// The end of the line.
    End,
    /// A digit.
    Digit,
    /// Anything else.
    Other,
}

impl AfterMarks {
    /// All kinds, in order.
    const ALL: [Self; 3] = [Self::End, Self::Digit, Self::Other];

    /// Returns the kind of a text by its first character that is neither a space nor an opening.
    pub(super) fn of(next: Option<char>) -> Self {
        match next {
            None | Some('\n') => Self::End,
            Some(c) if c.is_ascii_digit() => Self::Digit,
            Some(_) => Self::Other,
        }
    }
}

/// The meaning of marks, given the kind of the text after them.
#[derive(Debug, Clone, Copy)]
struct Meaning {
    /// The effect of the marks on the sentence.
    ended: Ended,
    /// True if some mark of the line so far ends a sentence.
    punctuated: bool,
}

impl SentenceTracker {
    /// Records in `token`, word `at` of the line, whether the word opens its line and begins a sentence. Returns true
    /// if the word begins a reporting clause: a dash separates it from the question or exclamation before it (`—¡Ah!
    /// —exclamó.`), and no opening mark is before the word.
    #[inline]
    pub(super) fn begin_word(
        &mut self,
        reading: &WordReading,
        token: &mut Token,
        at: usize,
        apostrophe: Option<DutchApostrophe>,
        has_opening: bool,
    ) -> bool {
        let before = token.before;
        let is_dash = matches!(token.left, Some('—' | '–'));
        let reports = self.ended == Ended::Asked && is_dash && !has_opening && before < Break::Line;
        let line_start = if reading.arrival == Arrival::Cues { Break::Turn } else { Break::Line };
        let begins_none = apostrophe.is_some() || token.left.is_some_and(continues_sentence);
        let opens = before >= line_start && !self.blocked && !begins_none;
        let begins = self.ended != Ended::No || reading.puts && before >= Break::Turn;
        if opens {
            self.line.opening = Some(at);
        }
        token.opens = opens || before == Break::Cue && !begins_none;
        token.starts = begins && !begins_none && !reports;
        if matches!(token.left, Some('(' | '[')) {
            self.bracket_begins = token.starts || opens;
        }
        let is_clitic = apostrophe == Some(DutchApostrophe::Clitic);
        token.after_clitic = std::mem::replace(&mut self.after_clitic, is_clitic && reading.puts);
        if !is_clitic {
            self.blocked = false;
            self.ended = Ended::No;
        }
        reports
    }

    /// Returns true if the next word shows whether the full stop of an abbreviation ended the sentence.
    #[inline]
    pub(super) fn asks_word(&self) -> bool {
        self.ended == Ended::Abbreviated
    }

    /// Continues the sentence after an abbreviation if `word`, the next word, shows that it continues.
    #[cold]
    pub(super) fn ask_word(&mut self, reading: &WordReading, word: &str) {
        let mut lower = String::new();
        lower_word(word, reading.locale, &mut lower);
        if reading.abbreviations.continues(&lower) {
            self.ended = Ended::No;
        }
    }

    /// Processes the marks after a run, and returns the strongest of them; no mark for the full stop of an
    /// abbreviation. `before` is the break so far since the last word.
    #[inline(never)]
    pub(super) fn take_marks(&mut self, reading: &WordReading, run: MarkedRun<'_>, before: Break) -> Mark {
        if std::mem::take(&mut self.after_clitic) {
            // Marks are between the clitic and the next word, so the sentence start does not pass to the next word.
            self.ended = Ended::No;
        }
        let (field, from) = run;
        let after = field.text[field.end..].chars().find(|&c| reading.follows(c));
        let of = AfterMarks::of(after);
        let meaning = self.meaning(reading, run, of, before);
        let other = || self.meaning(reading, run, AfterMarks::Other, before);
        let mark = match Mark::between(&field.text[from..field.end]) {
            // The full stop of an abbreviation, judged by the text before it.
            Mark::Period if of == AfterMarks::Other && meaning.ended == Ended::No => Mark::None,
            Mark::Period if other().ended == Ended::No => Mark::None,
            mark => mark,
        };
        if reading.is_live() && after.is_none() {
            self.pending = Some(AfterMarks::ALL.map(|after| self.meaning(reading, run, after, before)));
        } else {
            // If a line arrives in parts, the text after the marks may be in a later part.
            (self.ended, self.line.punctuated) = (meaning.ended, meaning.punctuated);
        }
        mark
    }

    /// Returns true if the meaning of the last marks is not known yet.
    #[inline]
    pub(super) fn waits(&self) -> bool {
        self.pending.is_some()
    }

    /// Settles the meaning of the last marks, now that the text after them has arrived.
    #[inline]
    pub(super) fn settle(&mut self, after: AfterMarks) {
        if let Some(meanings) = self.pending.take() {
            let meaning = meanings[after as usize];
            (self.ended, self.line.punctuated) = (meaning.ended, meaning.punctuated);
        }
    }

    /// Notes text that is neither a mark nor a word with a case.
    pub(super) fn pass(&mut self) {
        self.blocked = true;
        self.ended = Ended::No;
        self.after_clitic = false;
    }

    /// Notes that the line has something other than white space.
    #[inline]
    pub(super) fn write(&mut self) {
        self.line.written = true;
    }

    /// Returns true if the line has anything but white space.
    pub(super) fn is_written(&self) -> bool {
        self.line.written
    }

    /// Returns the state of the line.
    pub(super) fn line(&self) -> LineState {
        self.line
    }

    /// Ends a speaker label, after which a sentence begins; `line` is the state of the line before the
    /// label.
    pub(super) fn end_label(&mut self, line: LineState) {
        self.line = LineState { written: true, ..line };
        self.begin();
    }

    /// Begins a sentence with the next word.
    pub(super) fn begin(&mut self) {
        (self.blocked, self.after_clitic, self.pending) = (false, false, None);
        self.ended = Ended::Stopped;
    }

    /// Decides whether the word that opens a line begins a sentence; `words` are the words of the line so far.
    pub(super) fn finish_line(&mut self, reading: &WordReading, words: &mut [Token]) {
        let opening = self.line.opening.take().filter(|_| !reading.is_live() && !reading.puts);
        let Some(opening) = opening else { return };
        // A line without marks may be a separate sentence, unless lines come in groups, as in subtitles.
        let goes_on = |previous: &LineState| {
            reading.arrival == Arrival::Cues || !previous.ended && (previous.punctuated || self.grouped)
        };
        let follows_on = self.previous.as_ref().is_some_and(goes_on);
        let may_start = (self.line.punctuated || self.marked) && !follows_on;
        if let Some(word) = words.get_mut(opening).filter(|_| may_start) {
            match self.previous {
                // The previous line is a heading, or its sentence continues: the words decide, unless more than two
                // thirds of the lines end with a sentence end.
                Some(previous) if !previous.ended && self.ended_lines <= 2 * self.open_lines => {
                    word.is_bare = Some(true);
                }
                _ => word.starts = true,
            }
        }
    }

    /// Ends a line.
    pub(super) fn end_line(&mut self) {
        self.line.ended = self.ended != Ended::No;
        self.ended_lines += usize::from(self.line.written && self.line.ended);
        self.open_lines += usize::from(self.line.written && !self.line.ended);
        let line = std::mem::take(&mut self.line);
        self.grouped |= !line.written && self.previous.is_some();
        // An empty line begins a new paragraph, however the line before it ended.
        self.previous = line.written.then_some(line);
    }

    /// Ends a cue before a break.
    pub(super) fn end_cue(&mut self, before: Break) {
        let line = std::mem::take(&mut self.line);
        self.marked |= line.punctuated;
        if before >= Break::Turn {
            self.previous = None;
            self.blocked = false;
        } else if line.written {
            self.previous = Some(line);
        }
    }

    /// Returns the meaning of the marks from byte `from` to the end of the field.
    fn meaning(
        &self,
        reading: &WordReading,
        (field, from): MarkedRun<'_>,
        after: AfterMarks,
        before: Break,
    ) -> Meaning {
        let unchanged = Meaning { ended: self.ended, punctuated: self.line.punctuated };
        let marks = &field.text[from..field.end];
        if !marks.contains(is_end_mark) {
            // A quote that closes reported speech, or the dash after it.
            let goes_on = self.ended == Ended::Asked
                && before < Break::Line
                && marks.contains(['»', '”', '—', '–'])
                && after != AfterMarks::End;
            return Meaning { ended: if goes_on { Ended::No } else { self.ended }, ..unchanged };
        }
        // Marks may stand alone: `Bonjour !`
        let mut word = Cow::Borrowed(&field.text[field.start..from]);
        if word.is_empty() {
            let before = field.text[..field.start].trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
            // Characters before the last `LONGEST_ENDING` ones change nothing, even in a run with tags.
            let long = before.char_indices().rev().nth(LONGEST_ENDING).map(|(at, _)| at);
            let before = &before[long.unwrap_or(0)..];
            let start = before.rfind(char::is_whitespace).map_or(0, |at| at + char_at(before, at).len_utf8());
            let run = &before[start..];
            word = if reading.tags == InnerTags::Part { Cow::Borrowed(run) } else { last_joined(run) };
        }
        if !ends(reading, &word, marks, after == AfterMarks::Digit) {
            return unchanged;
        }
        let asked = marks.contains(|c| is_end_mark(c) && c != '.');
        // Text continues after a quoted question, and after a question in brackets inside a sentence.
        let is_inside = marks.contains(CLOSING_QUOTES) || marks.contains([')', ']']) && !self.bracket_begins;
        let ended = match is_inside {
            true if asked && after != AfterMarks::End => Ended::No,
            _ if asked => Ended::Asked,
            _ if may_continue(reading, &word) => Ended::Abbreviated,
            _ => Ended::Stopped,
        };
        Meaning { ended, punctuated: true }
    }
}

/// Returns true if a word with this mark right before it continues a sentence: `...and then`.
pub fn continues_sentence(left: char) -> bool {
    matches!(left, '.' | '…')
}

/// Returns true if marks end a sentence after the last word of a run: see
/// [`Abbreviations::ends`].
fn ends(reading: &WordReading, run: &str, marks: &str, before_digit: bool) -> bool {
    // Most runs are single words in lower case, which are their own lookup keys.
    if !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return reading.abbreviations.ends(run, marks, before_digit);
    }
    let run = run.char_indices().rev().nth(LONGEST_ENDING).map_or(run, |(at, _)| &run[at..]);
    let inside = |c: char| c.is_alphanumeric() || is_joiner(c) || matches!(c, '.' | '\'' | '’' | '-');
    let before = run.rfind(|c: char| !inside(c)).map_or(0, |at| at + char_at(run, at).len_utf8());
    let word = run[before..].trim_start_matches(|c: char| !c.is_alphanumeric());
    let mut lower = String::new();
    lower_word(word, reading.locale, &mut lower);
    // Two marks in a row separate words, but also occur in some abbreviations: `well--Mr.`, `c.-à-d.`
    let is_pair = |pair: &[u8]| pair.iter().all(|mark| matches!(mark, b'.' | b'\'' | b'-'));
    let parted = lower.as_bytes().windows(2).rposition(is_pair).map(|at| &lower[at + 2..]);
    let is_end = |word: &str| reading.abbreviations.ends(word, marks, before_digit);
    !lower.is_empty() && is_end(&lower) && parted.is_none_or(is_end)
}

/// Returns true if a run ends with an abbreviation that may end a sentence.
fn may_continue(reading: &WordReading, run: &str) -> bool {
    let mut lower = String::new();
    lower_word(run.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or(run), reading.locale, &mut lower);
    reading.abbreviations.may_continue(&lower)
}

/// Returns true if a full stop inserted after the word that ends at byte `end` would be read as
/// the end of a sentence; `before` is the break before the word.
pub(super) fn stop_ends(reading: &WordReading, field: &NonSpaceRun<'_>, end: usize, before: Break) -> bool {
    let run = field.text[field.start..end].trim_start_matches(|c| reading.is_opening(c));
    let is_list_item = before >= Break::Line && is_list_number(&format!("{run}."));
    !is_list_item && ends(reading, run, ".", false)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Locale;
    use crate::words::field_end;

    /// Returns the state after the marks of the first run of a text, which follow its last letter.
    fn after_marks(arrival: Arrival, text: &str, before: Ended) -> SentenceTracker {
        let reading = WordReading::new(Locale::Root, "en", arrival);
        let field = NonSpaceRun { text, start: 0, end: field_end(text, 0).0, base: 0 };
        let run = &text[..field.end];
        let from = run.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
        let mut sentences = SentenceTracker { ended: before, ..SentenceTracker::default() };
        sentences.take_marks(&reading, (&field, from), Break::Space);
        sentences
    }

    proptest! {
        #[test]
        fn marks_mean_the_same_whether_the_text_after_them_is_there_or_arrives_later(
            word in "(dr|no|so|u\\.s|5)[.?!»”,]{1,3}", after in "( |  )(5|we|\n|)", ended in 0..3usize,
        ) {
            let ended = [Ended::No, Ended::Stopped, Ended::Asked][ended];
            let whole = after_marks(Arrival::Lines, &format!("{word}{after}"), ended);
            let mut live = after_marks(Arrival::Live, &word, ended);
            prop_assert!(live.waits());
            live.settle(AfterMarks::of(after.chars().find(|&c| c == '\n' || c != ' ')));
            prop_assert_eq!((live.ended, live.line.punctuated), (whole.ended, whole.line.punctuated));
        }

        #[test]
        fn a_word_begins_a_sentence_if_and_only_if_one_has_ended(ended in any::<bool>(), passes in any::<bool>()) {
            let reading = WordReading::new(Locale::Root, "en", Arrival::Lines);
            let ended = if ended { Ended::Stopped } else { Ended::No };
            let mut sentences = SentenceTracker { ended, ..SentenceTracker::default() };
            if passes {
                sentences.pass();
            }
            let mut words = [Token::default(), Token::default()];
            words.iter_mut().for_each(|word| _ = sentences.begin_word(&reading, word, 0, None, false));
            prop_assert_eq!(words[0].starts, ended == Ended::Stopped && !passes);
            prop_assert!(!words[1].starts);
        }
    }
}
