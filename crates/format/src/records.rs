//! Files in which only parts of each line are text: the restoring method reads the parts as one stream of text, and
//! everything else is copied unchanged.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::ops::Range;

use super::buffer::{PART, not_utf8, text};
use super::copies::RolledLines;
use super::grammar::Grammar;
use super::info::FormatInfo;
use super::kind::Format;
use super::line_parts::{CopiedPart, LineParts, PartCopy, TextPart};
use super::lines::SplitLines;
use super::mark_rows::MarkRows;
use super::piece::{CopiedWord, MarkPlace, Piece, PieceReader};
use super::record::{Record, RecordSource};
use super::running_text::RunningText;
use super::segment::LocatedItem;
use super::transcript::{Fault, Utterance};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::{self, Input};
use majuscule_text::{Break, Locale, Mark, RestoreOptions, Tokens};

/// The number of bytes after which a piece ends before the next cue.
const PIECE: usize = 1 << 16;

/// The number of characters in lines after which a piece ends inside running text: rows may have many
/// columns besides the word.
const LINES: usize = 2 * PART;

/// The treatment of lines that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Faults {
    /// Such lines are errors.
    Refused,
    /// Such lines are errors that mention the option to let the lines pass.
    Advised,
    /// Such lines are copied unchanged, and none of their parts is text.
    Passed,
}

/// The lines of a file, and the grammar that reads them.
#[derive(Debug)]
pub(super) struct GrammarLines<'a> {
    pub(super) lines: SplitLines<'a>,
    pub(super) grammar: Box<dyn Grammar>,
    pub(super) faults: Faults,
    pub(super) mended: Vec<u8>,
    /// The number of bytes read since the last item.
    held: usize,
}

impl<'a> GrammarLines<'a> {
    /// Reads a file of a format.
    pub(super) fn new(input: Input<'a>, format: Format, grammar: Box<dyn Grammar>, faults: Faults) -> Self {
        let FormatInfo { longest_line, line_ends, .. } = *format.info();
        let lines = SplitLines::new(input, longest_line, line_ends);
        Self::of_lines(lines, grammar, faults)
    }

    pub(super) fn of_lines(lines: SplitLines<'a>, grammar: Box<dyn Grammar>, faults: Faults) -> Self {
        Self { lines, grammar, faults, mended: Vec::new(), held: 0 }
    }

    /// Reads the next line and the parts of it that are text; false at the end. A line that repeats a line of the
    /// previous cue has no such parts.
    fn next(&mut self, parts: &mut LineParts, rolled: &mut RolledLines, locale: Locale) -> Result<bool> {
        if !self.next_parts(parts)? {
            return Ok(false);
        }
        if let Some(cue) = parts.cue.filter(|_| !parts.positions.is_empty())
            && rolled.read(cue, self.text()?.0, parts.positions.iter(), locale)
        {
            parts.clear();
            // The text after a repeated line does not continue the sentence before it.
            parts.owed = Some(Break::Cue);
        }
        Ok(true)
    }

    /// Reads the next line and the parts of it that are text, in formats without cues; false at the
    /// end.
    pub(super) fn next_parts(&mut self, parts: &mut LineParts) -> Result<bool> {
        parts.clear();
        if !self.next_line()? {
            return Ok(false);
        }
        self.read_line(|grammar, line, _| grammar.line(line, parts).inspect_err(|_| parts.clear()))?;
        Ok(true)
    }

    /// Goes to the next line; false at the end.
    fn next_line(&mut self) -> Result<bool> {
        if self.lines.next()? {
            return Ok(true);
        }
        match self.grammar.end() {
            Err(problem) if self.faults != Faults::Passed => Err(self.error(problem, self.lines.number + 1)),
            _ => Ok(false),
        }
    }

    /// Passes the last line to the grammar with its number.
    pub(super) fn read_line(
        &mut self,
        take: impl FnOnce(&mut dyn Grammar, &str, u64) -> Result<(), Fault>,
    ) -> Result<()> {
        let is_lossy = self.faults == Faults::Passed;
        let number = self.lines.number;
        if self.lines.is_long {
            self.grammar.pass(false);
            let fault = self.lines.too_long();
            return if is_lossy { Ok(()) } else { Err(self.error(fault.problem, number)) };
        }
        if let Some(next) = self.grammar.place_for_next(&self.lines.whole()[self.lines.text()]) {
            self.lines.look_ahead()?;
            *next = String::from_utf8_lossy(self.lines.ahead()).into_owned();
        }
        let line = self.faults.text(&self.lines, &mut self.mended)?;
        if let Err(fault) = take(&mut *self.grammar, line, number) {
            if !is_lossy {
                return Err(self.faults.told(fault).error(self.lines.name(), number, line));
            }
            self.grammar.pass(line.trim().is_empty());
        }
        Ok(())
    }

    /// Returns the last line, without its ending, and its grammar; bytes that are not UTF-8 are not
    /// text.
    pub(super) fn text(&mut self) -> Result<(&str, &dyn Grammar)> {
        // The bytes of the line were checked when it was read.
        Ok((Faults::Passed.text(&self.lines, &mut self.mended)?, &*self.grammar))
    }

    fn error(&self, problem: String, number: u64) -> Error {
        self.faults.told(Fault { at: 0, problem }).error(self.lines.name(), number, "")
    }

    /// Reads the next line, and appends the items that have ended; false at the end, which ends the open
    /// item.
    pub(super) fn next_items(&mut self, out: &mut VecDeque<LocatedItem>) -> Result<bool> {
        let count = out.len();
        if !self.next_line()? {
            self.grammar.close(out);
            return Ok(false);
        }
        self.read_line(|grammar, line, number| grammar.items(line, number, out))?;
        self.held = if out.len() > count { 0 } else { self.held + self.lines.whole().len() };
        self.lines.limits().check_held(self.held, self.lines.name(), self.lines.number)?;
        Ok(true)
    }
}

impl Faults {
    pub(super) fn of(options: &RestoreOptions) -> Self {
        if options.lossy { Self::Passed } else { Self::Advised }
    }

    /// Returns the last line, without its ending.
    pub(super) fn text<'a>(self, lines: &'a SplitLines, mended: &'a mut Vec<u8>) -> Result<&'a str> {
        let source = &lines.whole()[lines.text()];
        text(source, mended, self == Self::Passed).map_err(|_| match self {
            Self::Refused => files::not_utf8(lines.name(), lines.number, source),
            _ => not_utf8(lines.name(), lines.number - 1, 0, source),
        })
    }

    /// Adds advice to a fault if it may be passed with an option.
    pub(super) fn told(self, fault: Fault) -> Fault {
        if self == Self::Advised { explained(fault) } else { fault }
    }
}

/// The lines of a file, read for their text only.
#[derive(Debug)]
pub(super) struct RecordLines<'a> {
    lines: GrammarLines<'a>,
    /// The parts of the last line that are text.
    parts: LineParts,
    rolled: RolledLines,
}

impl<'a> RecordLines<'a> {
    pub(super) fn new(input: Input<'a>, format: Format, grammar: Box<dyn Grammar>) -> Self {
        let lines = GrammarLines::new(input, format, grammar, Faults::Refused);
        Self { lines, parts: LineParts::default(), rolled: RolledLines::default() }
    }
}

impl RecordSource for RecordLines<'_> {
    fn next(&mut self, record: &mut Record) -> Result<bool> {
        record.clear();
        if !self.lines.next(&mut self.parts, &mut self.rolled, Locale::Root)? {
            return Ok(false);
        }
        self.rolled.take(0, &mut Vec::new());
        record.line = self.lines.lines.number;
        let (line, grammar) = self.lines.text()?;
        let mut end = None;
        for part in &self.parts.positions {
            let start = record.text.len();
            grammar.decode(&line[part.position.clone()], &mut record.text);
            let before = part.break_before(end.and_then(|end| line.get(end..part.position.start)));
            record.stretches.push((start..record.text.len(), before));
            end = Some(part.position.end);
        }
        Ok(true)
    }

    fn utterance(&mut self) -> Result<Option<Utterance<'_>>> {
        let (name, number) = (self.lines.lines.name().to_owned(), self.lines.lines.number);
        let (line, grammar) = self.lines.text()?;
        grammar.utterance(line).map_err(|fault| fault.error(&name, number, line))
    }
}

/// A file of lines, read from any input.
#[derive(Debug)]
pub(super) struct Records<'a> {
    lines: GrammarLines<'a>,
    /// The parts of the last line that are text.
    parts: LineParts,
    options: RestoreOptions,
    /// True if the last line is not part of a piece yet.
    is_held: bool,
    text: PieceText,
    /// The number of bytes since the last text.
    silent: usize,
}

/// The text of a piece.
#[derive(Debug)]
struct PieceText {
    running: RunningText,
    /// The number of characters of the running text in this piece.
    run_len: usize,
    /// The number of characters in the lines of the running text, including characters that are not text.
    run_lines: usize,
    /// True if punctuation marks are inserted as separate rows.
    has_rows: bool,
    /// The position of the last part in this piece, and the copies of the running text.
    last: Range<usize>,
    copies: Vec<PartCopy>,
    rolled: RolledLines,
    /// The number of words in earlier pieces.
    count: u64,
}

impl PieceText {
    /// Finds the words of the running text, as far as it is read.
    fn end_run(&mut self, options: &RestoreOptions, piece: &mut Piece) {
        let Some(first) = self.running.end_run(&mut piece.tokens) else { return };
        if self.has_rows {
            close_rows(&piece.source, first, &mut piece.tokens);
        }
        let view = &self.running.view;
        options.spellings.fix(view.as_bytes(), first, true, &mut piece.tokens);
        self.rolled.find_words(view, &piece.tokens, self.count);
        let words = piece.tokens.as_slice();
        for PartCopy { position, of, part } in self.copies.drain(..) {
            let at = words.partition_point(|word| word.source.end as usize <= of.start);
            let Some(word) = words.get(at).filter(|word| (word.source.start as usize) < of.end) else {
                continue;
            };
            let (start, end) = (word.source.start as usize, word.source.end as usize);
            let part = match part {
                Some(part) => part,
                None if start <= of.start && of.end <= end => {
                    CopiedPart::Letters(options.locale().letter_count(&view[start..of.start]))
                }
                None => continue,
            };
            piece.copies.push(CopiedWord::new(position, self.count + at as u64, part));
        }
    }

    /// Appends a part of the line `line`, which begins at byte `start`.
    fn push(
        &mut self,
        part: &TextPart,
        line: &str,
        start: usize,
        options: &RestoreOptions,
        piece: &mut Piece,
    ) {
        let text = &line[part.position.clone()];
        if let Some(before) = part.before.filter(|&before| before > Break::None)
            && !self.running.continues_word(part, text, options)
        {
            self.end_run(options, piece);
            self.run_len = 0;
            self.run_lines = 0;
            self.running.tokenizer.end_cue(before);
        }
        self.last = start + part.position.start..start + part.position.end;
        self.run_len += text.chars().count();
        let between = piece.source.get(self.running.view.len()..self.last.start);
        let between = between.and_then(|between| str::from_utf8(between).ok()).unwrap_or_default();
        self.running.push(part, self.last.clone(), text, between);
        blank_open_tags(&mut self.running.view, self.last.start);
    }
}

/// Replaces opening brackets from byte `start` on by blanks if they would open a tag that continues in the next part.
fn blank_open_tags(view: &mut String, start: usize) {
    for (open, close) in [('<', '>'), ('{', '}')] {
        let mut from = view[start..].rfind(close).map_or(start, |at| start + at);
        while let Some(at) = view[from..].find(open).map(|at| from + at) {
            from = at + open.len_utf8();
            view.replace_range(at..from, " ");
        }
    }
}

impl<'a> Records<'a> {
    pub(super) fn new(
        input: Input<'a>,
        options: RestoreOptions,
        format: Format,
        mut grammar: Box<dyn Grammar>,
    ) -> Self {
        grammar.prepare(&options);
        let form = options.mark_form.unwrap_or_default();
        let text = PieceText {
            running: RunningText::of_parts(&options),
            run_len: 0,
            run_lines: 0,
            has_rows: options.puts().is_some() && matches!(grammar.mark_place(form), MarkPlace::Row(_)),
            last: 0..0,
            copies: Vec::new(),
            rolled: RolledLines::default(),
            count: 0,
        };
        let lines = GrammarLines::new(input, format, grammar, Faults::of(&options));
        Self { lines, parts: LineParts::default(), options, is_held: false, text, silent: 0 }
    }

    /// Returns the break after the piece if the piece ends before the last line.
    fn cut(&self, piece: &Piece) -> Option<Break> {
        match self.parts.positions.first().map(|part| part.before.filter(|&before| before > Break::None)) {
            Some(Some(Break::Document)) => Some(Break::Document),
            Some(Some(_)) if piece.source.len() >= PIECE => Some(Break::Cue),
            // A limit in characters too, so that the position does not depend on case.
            Some(None) if self.text.run_len > PART || self.text.run_lines > LINES => Some(Break::Space),
            // Bytes that are not text are always the same, so the position does not depend on case.
            None if self.silent > PIECE && self.lines.grammar.is_between() => Some(Break::Cue),
            None if self.silent > PIECE => Some(Break::Space),
            _ => None,
        }
        .filter(|_| !piece.source.is_empty())
    }

    /// Returns the position of marks that are inserted.
    fn mark_place(&self) -> MarkPlace {
        match self.lines.grammar.mark_place(self.options.mark_form.unwrap_or_default()) {
            MarkPlace::Row(rows) => {
                MarkPlace::Row(MarkRows { returns: self.lines.lines.ends_with_returns(), ..rows })
            }
            position => position,
        }
    }

    /// Ends a piece.
    fn give(&mut self, piece: &mut Piece, after: Break) {
        self.text.end_run(&self.options, piece);
        self.text.run_len = 0;
        self.text.run_lines = 0;
        self.text.last = 0..0;
        self.text.count += piece.tokens.len() as u64;
        piece.copied_from = self.text.rolled.first_word();
        piece.gap = self.text.running.tokenizer.gap();
        piece.marks = self.mark_place();
        self.silent = 0;
        piece.after = after;
    }

    /// Appends the last line to the piece.
    fn take(&mut self, piece: &mut Piece) -> Result<()> {
        let whole = self.lines.lines.whole();
        let start = piece.source.len() + self.lines.lines.text().start;
        piece.source.extend_from_slice(whole);
        if self.parts.positions.is_empty() {
            self.silent += whole.len();
        }
        if self.text.rolled.is_again() {
            self.text.end_run(&self.options, piece);
        }
        self.text.rolled.take(start, &mut piece.copies);
        for PartCopy { position, of, part } in self.parts.copies.drain(..) {
            let Range { start: last, end } = self.text.last;
            let of = last + of.start..(last + of.end).min(end);
            if !of.is_empty() {
                let position = start + position.start..start + position.end;
                self.text.copies.push(PartCopy { position, of, part });
            }
        }
        if self.parts.positions.is_empty() {
            return Ok(());
        }
        self.silent = 0;
        let (line, _) = self.lines.text()?;
        for part in &self.parts.positions {
            self.text.push(part, line, start, &self.options, piece);
        }
        self.text.run_lines += line.chars().count();
        Ok(())
    }
}

/// Prevents marks from being inserted between words of one row.
fn close_rows(source: &[u8], first: usize, tokens: &mut Tokens) {
    let mut last = None;
    for token in &mut tokens.as_mut_slice()[first..] {
        let between = last.replace(token.source.end).map(|end| end as usize..token.source.start as usize);
        let is_in_row =
            between.is_some_and(|between| !source[between].iter().any(|b| matches!(b, b'\n' | b'\r')));
        if is_in_row {
            token.gap = token.gap.or(Some(Mark::None));
        }
    }
}

/// Adds advice to a fault: correct the file, or use the option that lets it pass.
pub(super) fn explained(fault: Fault) -> Fault {
    let problem =
        format!("{}; correct the file, or pass such parts through with {}", fault.problem, option("lossy"));
    Fault { problem, ..fault }
}

impl PieceReader for Records<'_> {
    fn next(&mut self, piece: &mut Piece) -> Result<bool> {
        piece.clear();
        self.text.running.clear();
        loop {
            if !std::mem::take(&mut self.is_held) {
                // Pending text is returned before waiting for more, if no later text can belong to
                // it.
                let is_whole = || self.lines.grammar.is_between() && !self.text.running.ends_divided();
                if !piece.source.is_empty() && is_whole() && !self.lines.lines.is_ready() {
                    self.give(piece, Break::Cue);
                    return Ok(true);
                }
                let goes_on = match self.options.notes_marks() {
                    // The punctuation of a repeated line is not copied, so the line is read like any other.
                    true => self.lines.next_parts(&mut self.parts)?,
                    false => {
                        self.lines.next(&mut self.parts, &mut self.text.rolled, self.options.locale())?
                    }
                };
                if !goes_on {
                    break;
                }
                if let Some(after) = self.cut(piece) {
                    self.is_held = true;
                    self.give(piece, after);
                    return Ok(true);
                }
            }
            self.take(piece)?;
        }
        if piece.source.is_empty() {
            return Ok(false);
        }
        self.give(piece, Break::Document);
        Ok(true)
    }
}
