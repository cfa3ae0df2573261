//! A part of a file, read and written.

use std::ops::Range;

use super::envelope::{Envelope, PlacedMark};
use super::line_parts::CopiedPart;
use super::mark_rows::MarkRows;
use majuscule_base::error::Result;
use majuscule_text::write::{Insert, MarkSide, push_mark, write, write_with};
use majuscule_text::{Break, Case, Constraint, Decision, Mark, Placed, RestoreOptions, Token, Tokens};

/// A part of a file: bytes, and the words in them. Cleared and reused.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Piece {
    /// The bytes of the text: those of the file itself, or of the text extracted from its envelope (the bytes of the
    /// file format around the text).
    pub source: Vec<u8>,
    /// The words, with their positions in `source`.
    pub tokens: Tokens,
    /// The break after the piece: [`Break::Space`] if the line continues, [`Break::Document`] at
    /// the end of a text, such as the end of the file.
    pub after: Break,
    /// The text after the last word so far, at the end of the piece: see
    /// [`Token::gap`](majuscule_text::Token::gap).
    pub gap: Option<Mark>,
    /// The bytes of the file, if they are not the text itself.
    pub frame: Envelope,
    /// The position of marks that are inserted.
    pub(super) marks: MarkPlace,
    /// The positions that repeat words of this piece or of an earlier one; `copied_from` is
    /// the number of the first word of the file that a later piece may repeat.
    pub(super) copies: Vec<CopiedWord>,
    pub(super) copied_from: Option<u64>,
}

/// A position in a piece that repeats a word of the file, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CopiedWord {
    pub(super) source: Range<u32>,
    /// The number of the word in the file, counted from 0.
    pub(super) word: u64,
    pub(super) part: CopiedPart,
    /// The case that follows from the case of the word, once that is decided; `put` holds the marks that are inserted
    /// before and after the word.
    pub(super) case: Option<Case>,
    pub(super) put: [Mark; 2],
}

impl CopiedWord {
    pub(super) fn new(source: Range<usize>, word: u64, part: CopiedPart) -> Self {
        Self { source: source.start as u32..source.end as u32, word, part, case: None, put: [Mark::None; 2] }
    }
}

/// The position of a mark that is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum MarkPlace {
    /// In the text, next to its word.
    #[default]
    Behind,
    /// In a separate column of the row of its word; the fields are the numbers of both columns.
    Column { words: usize, marks: usize },
    /// In a separate row.
    Row(MarkRows),
}

impl Piece {
    /// Appends the piece to `out` with its words in the decided cases and with the marks that are inserted; see
    /// [`write()`]. [`WrittenWords::repeat_answers`](crate::WrittenWords::repeat_answers) decides the case and the
    /// marks of copied words.
    ///
    /// # Panics
    /// Panics if there are fewer decisions than words.
    pub fn write(&self, decisions: &[Decision], options: &RestoreOptions, out: &mut Vec<u8>) {
        if !self.copies.is_empty() {
            let (tokens, decisions) = with_copies(self, decisions, options);
            return write(&self.source, &tokens, &decisions, options, out);
        }
        if let MarkPlace::Row(rows) = self.marks {
            return self.write_with(decisions, options, out, &mut |token, placed, side, out| {
                let (mark, at) = (spelled(placed, side, options), side.of(token));
                match side {
                    MarkSide::Before => rows.put_before(&self.source, at, &mark, out),
                    MarkSide::After => rows.put(&self.source, at, &mark, out),
                }
            });
        }
        if let MarkPlace::Column { words, marks } = self.marks {
            return self.write_with(decisions, options, out, &mut |token, placed, side, out| {
                if side == MarkSide::Before {
                    // The column of marks can hold only marks after words.
                    return side.of(token);
                }
                let end = token.source.end as usize;
                let cell = self.mark_cell(end, words, marks).unwrap_or(end);
                out.extend_from_slice(&self.source[end..cell]);
                push_mark(placed.after, options, out);
                cell
            });
        }
        if self.frame.is_none() {
            return write(&self.source, &self.tokens, decisions, options, out);
        }
        let (mut text, mut put) = (Vec::with_capacity(self.source.len()), Vec::new());
        self.write_apart(decisions, options, &mut text, &mut put);
        self.frame.write(&String::from_utf8_lossy(&self.source), &String::from_utf8_lossy(&text), &put, out);
    }

    /// Appends the text of the piece to `out`; `put` inserts the marks, as for [`write_with`].
    fn write_with(
        &self,
        decisions: &[Decision],
        options: &RestoreOptions,
        out: &mut Vec<u8>,
        put: &mut Insert<'_>,
    ) {
        write_with(&self.source, &self.tokens, decisions, options, out, put);
    }

    /// Returns the position of the cell for the punctuation of the word that ends at byte `end`; `None` if the word
    /// is not the last one in its cell of the column of words.
    fn mark_cell(&self, end: usize, words: usize, marks: usize) -> Option<usize> {
        let (before, after) = self.source.split_at(end);
        let is_bar = |b: &&u8| **b == b'|';
        let row = before.rsplit(|b| *b == b'\n').next()?;
        let rest = after.split(|b| *b == b'|').next()?;
        if row.iter().filter(is_bar).count() != words || !rest.trim_ascii().is_empty() {
            return None;
        }
        let mut bars = after.iter().enumerate().filter(|(_, b)| is_bar(b));
        bars.nth(marks.checked_sub(words + 1)?).map(|(at, _)| end + at + 1)
    }

    /// Appends the text of the piece to `out` with its words in the decided cases. Appends the marks that are
    /// inserted to `put`, each with its position in `out`.
    pub fn write_apart(
        &self,
        decisions: &[Decision],
        options: &RestoreOptions,
        out: &mut Vec<u8>,
        put: &mut Vec<PlacedMark>,
    ) {
        self.write_with(decisions, options, out, &mut |token, placed, side, out| {
            put.push(PlacedMark { at: out.len(), side, text: spelled(placed, side, options) });
            side.of(token)
        });
    }

    /// Returns the bytes of the file in this piece.
    pub fn bytes(&self) -> &[u8] {
        if self.frame.is_none() { &self.source } else { self.frame.source() }
    }

    /// Clears the piece and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.source.clear();
        self.tokens.clear();
        self.frame.clear();
        self.copies.clear();
        self.copied_from = None;
        self.gap = None;
        self.marks = MarkPlace::Behind;
    }
}

/// Returns the words and the copies of a piece, in order, with a decision for each.
pub(super) fn with_copies(
    piece: &Piece,
    decisions: &[Decision],
    options: &RestoreOptions,
) -> (Tokens, Vec<Decision>) {
    let (mut tokens, mut decided) = (Tokens::new(), Vec::new());
    let mut words = piece.tokens.iter().zip(decisions).peekable();
    let mut copies = piece.copies.iter().filter_map(|copy| Some((copy, copy.case?))).peekable();
    loop {
        let is_copy = match (words.peek(), copies.peek()) {
            (Some(((_, word), _)), Some((copy, _))) => copy.source.start < word.source.start,
            (None, Some(_)) => true,
            (Some(_), None) => false,
            (None, None) => return (tokens, decided),
        };
        if is_copy {
            let Some((copy, case)) = copies.next() else { continue };
            let token = Token {
                source: copy.source.clone(),
                constraint: Constraint::Fixed(case),
                ..Token::default()
            };
            tokens.push("", options.locale(), token);
            let [before, after] = copy.put;
            let placed = Placed { before, after, begins: false };
            decided.push(Decision { placed, ..Decision::default() });
        } else if let Some(((_, token), decision)) = words.next() {
            tokens.push("", options.locale(), token.clone());
            decided.push(*decision);
        }
    }
}

/// Returns the characters of the mark that is inserted on a side of a word.
fn spelled(placed: Placed, side: MarkSide, options: &RestoreOptions) -> String {
    let mut out = Vec::new();
    side.push(placed, options, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// A file that is read piece by piece. Law: the sources of all pieces, or of their envelopes, one after the other,
/// are the file.
pub trait PieceReader: Send {
    /// Reads the next piece into `piece`; false at the end of the file. The tokens depend only on the bytes of the
    /// file, not on how these are divided into reads. Except for long records and for documents, which are read
    /// whole, a piece has at most some 100 kB.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or holds something that the format does not allow.
    fn next(&mut self, piece: &mut Piece) -> Result<bool>;
}
