//! Words that a file contains more than once: the case of one occurrence is decided, and all others copy it.
//!
//! A line of roll-up captions appears in several cues, and CoNLL-U has `I'm` and its parts `I` and
//! `'m` in separate rows.

use std::collections::VecDeque;
use std::ops::Range;

use super::line_parts::{CopiedPart, TextPart};
use super::piece::{CopiedWord, Piece};
use majuscule_text::markup::untagged;
use majuscule_text::{Capitals, Case, Decision, Locale, Mark, Placed, RestoreOptions, Tokens, resolve};

/// The capitals of a written word, the number of its letters that have both cases, and the punctuation marks inserted
/// before and after it.
#[derive(Debug, Clone, Copy)]
struct WrittenCase {
    capitals: u64,
    letters: usize,
    put: [Mark; 2],
}

impl WrittenCase {
    fn of_part(self, part: CopiedPart, word: &str, locale: Locale) -> Case {
        let Capitals(all) = Case::Upper.capitals(word, locale);
        let Self { capitals, letters, .. } = self;
        let is_upper = letters > 1 && capitals.count_ones() as usize == letters;
        let copied = match part {
            CopiedPart::Letters(from) => capitals.checked_shr(from as u32).unwrap_or(0),
            _ if is_upper => all,
            CopiedPart::First => capitals & 1,
            CopiedPart::Other => 0,
        };
        Case::of_capitals(Capitals(copied), word, locale)
    }
}

/// The cases of the last words written.
#[derive(Debug, Default)]
pub struct WrittenWords {
    /// The number of words written.
    count: u64,
    last: VecDeque<WrittenCase>,
}

/// The largest distance in words from a word to its copy, unless both are in one piece.
const REACH: usize = 8 * LONGEST_LINE;

impl WrittenWords {
    /// Sets the case and the marks of the copies in a piece from the decisions on its words. Pieces must be passed in
    /// order.
    pub fn repeat_answers(&mut self, piece: &mut Piece, decisions: &[Decision], options: &RestoreOptions) {
        let Piece { source, tokens, copies, copied_from, .. } = piece;
        let written = |at: usize| {
            let token = &tokens.as_slice()[at];
            let word = str::from_utf8(&source[token.source.start as usize..token.source.end as usize]);
            let word = untagged(word.unwrap_or_default());
            let Capitals(capitals) =
                resolve(&word, token, &decisions[at], options).case.capitals(&word, options.locale());
            let Placed { before, after, .. } = decisions[at].placed;
            let put = [before, after];
            WrittenCase { capitals, letters: options.locale().letter_count(&word), put }
        };
        for copy in copies.iter_mut() {
            let found = match copy.word.checked_sub(self.count) {
                Some(at) => Some(at as usize).filter(|&at| at < tokens.len()).map(written),
                None => {
                    let back = (self.count - copy.word) as usize;
                    self.last.len().checked_sub(back).map(|at| self.last[at])
                }
            };
            let word = str::from_utf8(&source[copy.source.start as usize..copy.source.end as usize]);
            copy.case = found
                .zip(word.ok())
                .map(|(found, word)| found.of_part(copy.part, &untagged(word), options.locale()));
            copy.put = found.map_or([Mark::None; 2], |found| found.put);
            if !matches!(copy.part, CopiedPart::Letters(0) | CopiedPart::First) {
                copy.put[0] = Mark::None;
            }
        }
        match copied_from.map(|first| first.checked_sub(self.count)) {
            // The first word that may be repeated is in an earlier piece, so all words of this piece are kept.
            Some(None) => self.last.extend((0..tokens.len()).map(written)),
            Some(Some(first)) => {
                self.last.clear();
                self.last.extend((first as usize..tokens.len()).map(written));
            }
            None => self.last.clear(),
        }
        self.last.drain(..self.last.len().saturating_sub(REACH));
        self.count += tokens.len() as u64;
    }
}

/// The largest number of characters, without white space, of a line that can count as a repetition.
const LONGEST_LINE: usize = 512;

/// The number of earlier lines that are searched for a repetition.
const LINES: usize = 4;

/// Finds lines of a cue that repeat lines of the previous cue: roll-up captions show each line two
/// or three times.
#[derive(Debug, Default)]
pub struct RolledLines {
    cue: u64,
    /// The lines of the previous cue; `lines` are the lines of this cue so far.
    last: Vec<RolledLine>,
    lines: Vec<RolledLine>,
    /// True if all lines of this cue so far repeat lines of the previous cue; `next` is the index of the line that
    /// must follow.
    is_at_top: bool,
    next: Option<usize>,
    /// The line that was read last, until [`RolledLines::take`] adds it to a piece.
    read: Option<ReadLine>,
    /// Cleared lines whose memory is reused.
    spare: Vec<RolledLine>,
}

/// A line of text.
#[derive(Debug, Clone, Default)]
struct RolledLine {
    text: String,
    /// The positions of the parts of `text`, in order: in the line, and in the piece once the line is added to one.
    parts: Vec<Range<usize>>,
    /// The number of each word in the file, and its position in the text.
    words: Vec<(u64, Range<usize>)>,
    is_searched: bool,
    /// The number of new lines that were added after this line.
    age: usize,
}

impl RolledLine {
    /// Clears the line and keeps the memory.
    fn emptied(mut self) -> Self {
        self.text.clear();
        self.parts.clear();
        self.words.clear();
        Self { is_searched: false, age: 0, ..self }
    }

    /// Returns true if the line has too many characters that are not white space.
    fn is_long(&self) -> bool {
        self.text.len() > LONGEST_LINE && letter_count(&self.text) > LONGEST_LINE
    }

    /// Returns true if another line has the same text, apart from capitals and white space.
    fn is_same(&self, other: &Self, locale: Locale) -> bool {
        // Most lines are ASCII and differ at once. ASCII letters have the same case mappings under every locale
        // except the Turkic one.
        if locale != Locale::Turkic && self.text.is_ascii() && other.text.is_ascii() {
            return ascii_letters(&self.text).eq(ascii_letters(&other.text));
        }
        self.small(locale) == other.small(locale)
    }

    /// Returns the characters of the line in lower case without white space.
    fn small(&self, locale: Locale) -> String {
        let mut start = 0;
        let part = |position: &Range<usize>| {
            let text = &self.text[start..start + position.len()];
            start += position.len();
            locale.lower(text)
        };
        self.parts.iter().map(part).collect::<String>().split_whitespace().collect()
    }

    /// Converts byte `at` of the piece to a position in `text`; `None` if the line does not contain it.
    fn find(&self, at: usize) -> Option<usize> {
        let mut start = 0;
        for position in &self.parts {
            if position.contains(&at) {
                return Some(start + at - position.start);
            }
            start += position.len();
        }
        None
    }

    /// Iterates over the positions of the characters that are not white space.
    fn letters(&self) -> impl Iterator<Item = Range<usize>> {
        let mut parts = self.parts.iter();
        let (mut start, mut part) = (0, 0..0);
        self.text.char_indices().filter(|(_, c)| !c.is_whitespace()).map(move |(at, c)| {
            while at >= start + part.len() {
                start += part.len();
                part = parts.next().cloned().unwrap_or(0..usize::MAX);
            }
            let position = part.start + at - start;
            position..position + c.len_utf8()
        })
    }
}

#[derive(Debug)]
enum ReadLine {
    New(RolledLine),
    /// A repetition of the line with this index in the previous cue, as it was read in this cue.
    Again(usize, RolledLine),
}

impl RolledLines {
    /// Reads a line with these parts, in the cue of this number, and returns true if it repeats a
    /// line of the previous cue.
    pub(super) fn read<'a>(
        &mut self,
        cue: u64,
        line: &str,
        parts: impl Iterator<Item = &'a TextPart>,
        locale: Locale,
    ) -> bool {
        let mut new = self.spare.pop().unwrap_or_default();
        for part in parts {
            new.text.push_str(&line[part.position.clone()]);
            new.parts.push(part.position.clone());
        }
        if self.cue != cue {
            std::mem::swap(&mut self.last, &mut self.lines);
            forget(&mut self.lines, 0, &mut self.spare);
            if self.cue + 1 != cue {
                forget(&mut self.last, 0, &mut self.spare);
            }
            (self.cue, self.is_at_top, self.next) = (cue, true, None);
        }
        let is_same = |line: &RolledLine| line.age <= LINES && line.is_same(&new, locale);
        let found = match self.next {
            _ if !self.is_at_top => None,
            None => self.last.iter().position(is_same),
            Some(next) => self.last.get(next).is_some_and(is_same).then_some(next),
        };
        match found {
            Some(at) => {
                self.next = Some(at + 1);
                self.read = Some(ReadLine::Again(at, new));
            }
            None => {
                self.is_at_top = false;
                self.read = Some(ReadLine::New(new));
            }
        }
        found.is_some()
    }

    /// Reads a line that consists only of text, in the cue with this number, and returns true if it
    /// repeats a line of the previous cue.
    pub fn repeats(&mut self, cue: u64, line: &str) -> bool {
        let part = TextPart { position: 0..line.len(), ..TextPart::default() };
        let is_again = self.read(cue, line, std::iter::once(&part), Locale::Root);
        self.take(0, &mut Vec::new());
        is_again
    }

    /// Returns true if the last line read repeats a line of the previous cue.
    pub(super) fn is_again(&self) -> bool {
        matches!(self.read, Some(ReadLine::Again(..)))
    }

    /// Adds the last line read to a piece, where it begins at byte `start`. `copies` collects the positions in the
    /// line that repeat words.
    pub(super) fn take(&mut self, start: usize, copies: &mut Vec<CopiedWord>) {
        match self.read.take() {
            None => {}
            Some(ReadLine::New(line)) if line.is_long() => {
                self.last.clear();
                self.lines.clear();
            }
            Some(ReadLine::New(mut line)) => {
                line.parts
                    .iter_mut()
                    .for_each(|position| *position = position.start + start..position.end + start);
                self.last.iter_mut().chain(&mut self.lines).for_each(|line| line.age += 1);
                self.lines.push(line);
                forget(&mut self.lines, LINES, &mut self.spare);
            }
            Some(ReadLine::Again(at, again)) => {
                let line = self.last[at].clone();
                let positions: Vec<Range<usize>> = again.letters().collect();
                for (word, position) in &line.words {
                    let letters = |position| line.text.get(position).map_or(0, letter_count);
                    let first = letters(0..position.start);
                    let end = first + letters(position.clone());
                    let positions = positions.get(first..end).unwrap_or_default();
                    if let (Some(first), Some(last)) = (positions.first(), positions.last()) {
                        let position = first.start + start..last.end + start;
                        copies.push(CopiedWord::new(position, *word, CopiedPart::Letters(0)));
                    }
                }
                self.lines.push(line);
                self.spare.push(again.emptied());
                forget(&mut self.lines, LINES, &mut self.spare);
            }
        }
    }

    /// Finds the words of all lines that were not searched yet and are in this text; `count` is the number of words
    /// in earlier pieces.
    pub(super) fn find_words(&mut self, text: &str, tokens: &Tokens, count: u64) {
        let words = tokens.as_slice();
        for line in self.last.iter_mut().chain(&mut self.lines) {
            let (Some(first), Some(last)) = (line.parts.first(), line.parts.last()) else { continue };
            // The next line was read, but `text` does not contain it yet.
            if line.is_searched || last.end > text.len() {
                continue;
            }
            let (start, end) = (first.start, last.end);
            line.is_searched = true;
            let from = words.partition_point(|word| (word.source.start as usize) < start);
            for (at, word) in words.iter().enumerate().skip(from) {
                let (first, last) = (word.source.start as usize, word.source.end as usize);
                if first >= end {
                    break;
                }
                if let Some(start) = line.find(first) {
                    let end = (start + last - first).min(line.text.len());
                    line.words.push((count + at as u64, start..end));
                }
            }
        }
    }

    /// Returns the number of the first word in the file that a later line may repeat.
    pub(super) fn first_word(&self) -> Option<u64> {
        let lines = self.last.iter().chain(&self.lines);
        lines.filter_map(|line| line.words.first()).map(|(word, _)| *word).min()
    }
}

/// Drops all but the last `most` lines, and keeps their memory.
fn forget(lines: &mut Vec<RolledLine>, most: usize, spare: &mut Vec<RolledLine>) {
    let all = lines.len();
    spare.extend(lines.drain(..all.saturating_sub(most)).map(RolledLine::emptied));
}

/// Returns the characters of an ASCII text in lower case, without white space.
fn ascii_letters(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(|&b| !char::from(b).is_whitespace()).map(|b| b.to_ascii_lowercase())
}

/// Returns the number of characters of a text that are not white space.
fn letter_count(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}
