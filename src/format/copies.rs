//! Words that stand in a file more than once: one place is decided, and the others follow it.
//!
//! A line of roll-up captions stands in several cues, and CoNLL-U has `I'm` and its parts `I` and `'m` in rows of their own.

use std::collections::VecDeque;
use std::ops::Range;

use super::Piece;
use super::records::TextPart;
use crate::text::markup::untagged;
use crate::text::{Capitals, Case, Choice, Constraint, Locale, Policy, Token, Tokens};

/// A place in a piece where a word of the file, or a part of one, stands again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CopiedWord {
    pub(super) source: Range<u32>,
    /// The number of the word in the file, counted from 0.
    pub(super) word: u64,
    pub(super) part: CopiedPart,
    /// The case that follows from the word's, once that is decided.
    case: Option<Case>,
}

/// The part of a word that stands again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopiedPart {
    /// The letters from this one on, counted from 0 among those that pair.
    Letters(usize),
    /// The first of several words that are written together in another spelling: `will` of `won't`.
    First,
    /// One of the others: `not`.
    Other,
}

impl CopiedWord {
    pub(super) fn new(source: Range<usize>, word: u64, part: CopiedPart) -> Self {
        Self { source: source.start as u32..source.end as u32, word, part, case: None }
    }
}

/// The capitals of a word, and how many letters it has that may be one.
#[derive(Debug, Clone, Copy)]
struct WrittenCase {
    capitals: u64,
    letters: usize,
}

impl WrittenCase {
    fn of_part(self, part: CopiedPart, word: &str, locale: Locale) -> Case {
        let Capitals(all) = Case::Upper.capitals(word, locale);
        let Self { capitals, letters } = self;
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

/// The cases of the words that were written last.
#[derive(Debug, Default)]
pub struct WrittenWords {
    /// How many words were written.
    count: u64,
    last: VecDeque<WrittenCase>,
}

/// No copy stands so many words after its word, if both do not stand in one piece.
const REACH: usize = 8 * LONGEST_LINE;

impl WrittenWords {
    /// Settles the copies of a piece, whose words have these choices: pieces come in their order.
    pub fn settle(&mut self, piece: &mut Piece, choices: &[Choice], policy: &Policy) {
        let Piece { source, tokens, copies, is_copied, .. } = piece;
        let written = |at: usize| {
            let token = &tokens.as_slice()[at];
            let word = str::from_utf8(&source[token.source.start as usize..token.source.end as usize]);
            let word = untagged(word.unwrap_or_default());
            let Capitals(capitals) = policy.case(&word, token, &choices[at]).capitals(&word, policy.locale);
            WrittenCase { capitals, letters: policy.locale.letter_count(&word) }
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
                .map(|(found, word)| found.of_part(copy.part, &untagged(word), policy.locale));
        }
        if *is_copied {
            self.last.extend((tokens.len().saturating_sub(REACH)..tokens.len()).map(written));
            self.last.drain(..self.last.len().saturating_sub(REACH));
        }
        self.count += tokens.len() as u64;
    }
}

/// The words and the copies of a piece, with choices for both.
pub(super) fn with_copies(piece: &Piece, choices: &[Choice], policy: &Policy) -> (Tokens, Vec<Choice>) {
    let (mut tokens, mut chosen) = (Tokens::new(), Vec::new());
    let mut words = piece.tokens.iter().zip(choices).peekable();
    let mut copies = piece.copies.iter().filter_map(|copy| Some((copy, copy.case?))).peekable();
    loop {
        let is_copy = match (words.peek(), copies.peek()) {
            (Some(((_, word), _)), Some((copy, _))) => copy.source.start < word.source.start,
            (None, Some(_)) => true,
            (Some(_), None) => false,
            (None, None) => return (tokens, chosen),
        };
        if is_copy {
            let Some((copy, case)) = copies.next() else { continue };
            let token =
                Token { source: copy.source.clone(), given: Constraint::Fixed(case), ..Token::default() };
            tokens.push("", policy.locale, token);
            chosen.push(Choice::default());
        } else if let Some(((_, token), choice)) = words.next() {
            tokens.push("", policy.locale, token.clone());
            chosen.push(*choice);
        }
    }
}

/// A line of more characters that are no white space is never taken for one that was there before.
const LONGEST_LINE: usize = 512;

/// A line that was there before is looked for among so many.
const LINES: usize = 4;

/// Finds the lines of a cue that stood in the cue before: captions that roll up show each line two or three times.
#[derive(Debug, Default)]
pub(super) struct RolledLines {
    cue: u64,
    /// The lines of the cue before, and those of this one so far.
    last: Vec<RolledLine>,
    lines: Vec<RolledLine>,
    /// Whether all lines of this cue were there before, and the one of the last cue that would come next then.
    is_at_top: bool,
    next: Option<usize>,
    /// The line that was read and not taken.
    read: Option<ReadLine>,
}

/// A line of text in small letters without white space.
#[derive(Debug, Clone, Default)]
struct RolledLine {
    text: String,
    /// Where its characters stand in the piece, until its words are found.
    places: Vec<Range<usize>>,
    /// The number of each word in the file, and the first and the number of its characters.
    words: Vec<(u64, usize, usize)>,
    /// How many other lines were new since this one was.
    age: usize,
}

#[derive(Debug)]
enum ReadLine {
    New(RolledLine),
    /// The one of the last cue with this number, with the places of its characters in the line.
    Again(usize, Vec<Range<usize>>),
}

impl RolledLines {
    /// Takes a line with these parts, which stands in the cue of this number, and says whether it stood in the cue before.
    pub(super) fn read<'a>(
        &mut self,
        cue: u64,
        line: &str,
        parts: impl Iterator<Item = &'a TextPart>,
        locale: Locale,
    ) -> bool {
        let mut new = RolledLine::default();
        for part in parts {
            let text = &line[part.place.clone()];
            // Most lines have ASCII alone, whose letters pair as everywhere but under the Turkic locale.
            if text.is_ascii() && locale != Locale::Turkic {
                for (place, c) in part.place.clone().zip(text.chars()).filter(|(_, c)| !c.is_whitespace()) {
                    new.text.push(c.to_ascii_lowercase());
                    new.places.push(place..place + 1);
                }
                continue;
            }
            for ((at, c), small) in text.char_indices().zip(locale.lower(text).chars()) {
                if !small.is_whitespace() {
                    new.text.push(small);
                    let place = part.place.start + at;
                    new.places.push(place..place + c.len_utf8());
                }
            }
        }
        if self.cue != cue {
            self.last = std::mem::take(&mut self.lines);
            if self.cue + 1 != cue {
                self.last.clear();
            }
            (self.cue, self.is_at_top, self.next) = (cue, true, None);
        }
        let is_same = |line: &RolledLine| line.text == new.text && line.age <= LINES;
        let found = match self.next {
            _ if !self.is_at_top => None,
            None => self.last.iter().position(is_same),
            Some(next) => self.last.get(next).is_some_and(is_same).then_some(next),
        };
        match found {
            Some(at) => {
                self.next = Some(at + 1);
                self.read = Some(ReadLine::Again(at, new.places));
            }
            None => {
                self.is_at_top = false;
                self.read = Some(ReadLine::New(new));
            }
        }
        found.is_some()
    }

    /// Tells whether the line that was read stood in the cue before.
    pub(super) fn is_again(&self) -> bool {
        matches!(self.read, Some(ReadLine::Again(..)))
    }

    /// Takes the line that was read into a piece, where it begins at this byte. `copies` are the places in it that say words again.
    pub(super) fn take(&mut self, start: usize, copies: &mut Vec<CopiedWord>) {
        match self.read.take() {
            None => {}
            Some(ReadLine::New(line)) if line.places.len() > LONGEST_LINE => {
                self.last.clear();
                self.lines.clear();
            }
            Some(ReadLine::New(mut line)) => {
                line.places.iter_mut().for_each(|place| *place = place.start + start..place.end + start);
                self.last.iter_mut().chain(&mut self.lines).for_each(|line| line.age += 1);
                self.lines.push(line);
                self.lines.drain(..self.lines.len().saturating_sub(LINES));
            }
            Some(ReadLine::Again(at, places)) => {
                let line = self.last[at].clone();
                for &(word, first, len) in &line.words {
                    let place = places[first].start + start..places[first + len - 1].end + start;
                    copies.push(CopiedWord::new(place, word, CopiedPart::Letters(0)));
                }
                self.lines.push(line);
                self.lines.drain(..self.lines.len().saturating_sub(LINES));
            }
        }
    }

    /// Notes the words of the lines whose words were not found yet; `count` words stand in the pieces before.
    pub(super) fn find_words(&mut self, text: &str, tokens: &Tokens, count: u64) {
        for line in self.last.iter_mut().chain(&mut self.lines) {
            let places = std::mem::take(&mut line.places);
            let (Some(start), Some(end)) = (places.first(), places.last()) else { continue };
            let (start, end) = (start.start, end.start);
            let words = tokens.as_slice();
            let from = words.partition_point(|word| (word.source.start as usize) < start);
            for (at, word) in words.iter().enumerate().skip(from) {
                let (first, last) = (word.source.start as usize, word.source.end as usize);
                if first > end {
                    break;
                }
                if let Ok(place) = places.binary_search_by_key(&first, |place| place.start) {
                    line.words.push((count + at as u64, place, text[first..last].chars().count()));
                }
            }
        }
    }
}
