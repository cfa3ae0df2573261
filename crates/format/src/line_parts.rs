//! The parts of a line that are text.

use std::ops::Range;

use super::cells::CellQuotes;
use majuscule_text::Break;

/// The parts of a line that are text, in their order.
#[derive(Debug, Default)]
pub(super) struct LineParts {
    pub(super) positions: Vec<TextPart>,
    pub(super) copies: Vec<PartCopy>,
    /// The weakest break allowed before the next part, whichever line it is on.
    pub(super) owed: Option<Break>,
    /// True if the next part is the first of a line of a cue.
    pub(super) opens_line: bool,
    /// The number of the cue that contains the line, in formats that may repeat a line of one cue in
    /// the next.
    pub(super) cue: Option<u64>,
}

/// A part of a line that repeats text of an earlier line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartCopy {
    pub(super) position: Range<usize>,
    /// The repeated range, as bytes of the last part of text.
    pub(super) of: Range<usize>,
    /// The part of the word that is copied, unless it is copied letter by letter.
    pub(super) part: Option<CopiedPart>,
}

/// The part of a word that is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopiedPart {
    /// The letters from this index on; only letters that have both cases are counted.
    Letters(usize),
    /// The first of several words that are contracted to one with another spelling: `will` of
    /// `won't`.
    First,
    /// Another of these words: `not`.
    Other,
}

/// A part of a line that is text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TextPart {
    pub(super) position: Range<usize>,
    /// The break before the part. Without a break, the part continues the last part; after [`Break::None`], it is the
    /// punctuation of the last word.
    pub(super) before: Option<Break>,
    /// The role of the part in the text.
    pub(super) role: PartRole,
    /// True if the part is the first of a line of a cue.
    pub(super) opens_line: bool,
    /// The quotes of the part, in tables that have quotes.
    pub(super) quotes: Option<CellQuotes>,
}

/// The role of a part of a line in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum PartRole {
    /// Text.
    #[default]
    Text,
    /// Text with which a sentence begins, whatever comes before it.
    Beginning,
    /// The name of a speaker, with its colon.
    Label,
    /// The name of the same speaker, whose sentence continues after it.
    RepeatedLabel,
}

impl LineParts {
    /// Adds the next part. Without `before` its words continue the last part.
    pub(super) fn push(&mut self, position: Range<usize>, before: Option<Break>) {
        self.push_as(position, before, PartRole::Text);
    }

    /// Adds the next part in this role.
    pub(super) fn push_as(&mut self, position: Range<usize>, before: Option<Break>, role: PartRole) {
        let before = before.max(self.owed.take());
        let opens_line = std::mem::take(&mut self.opens_line);
        self.positions.push(TextPart { position, before, role, opens_line, quotes: None });
    }

    /// Adds a cell of a table with these quotes, or the part of such a cell on this line.
    pub(super) fn push_cell(&mut self, position: Range<usize>, before: Break, quotes: CellQuotes) {
        self.push(position, Some(before));
        self.positions.last_mut().into_iter().for_each(|part| part.quotes = Some(quotes));
    }

    /// Adds `by` to the positions of the parts from `first` on: they were found in a text that begins at byte `by` of
    /// the line.
    pub(super) fn shift(&mut self, first: usize, by: usize) {
        for TextPart { position, .. } in &mut self.positions[first..] {
            *position = position.start + by..position.end + by;
        }
    }

    /// Removes all parts, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.positions.clear();
        self.copies.clear();
        self.opens_line = false;
        self.cue = None;
    }

    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &TextPart> {
        self.positions.iter()
    }
}

impl TextPart {
    /// Returns the break before the part; `between` is the text between it and the part before it
    /// on the same line.
    pub(super) fn break_before(&self, between: Option<&str>) -> Break {
        let joins = between.is_some_and(|between| !has_space(between));
        let before = self.before.unwrap_or(if joins { Break::None } else { Break::Space });
        if self.role == PartRole::Beginning { before.max(Break::Turn) } else { before }
    }
}

/// Returns true if there is white space outside tags, or an escape of .ass for white space.
fn has_space(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut last = ' ';
    text.chars().any(|c| {
        let is_escape = std::mem::replace(&mut last, c) == '\\' && matches!(c, 'N' | 'n' | 'h');
        match c {
            '<' | '{' => depth += 1,
            '>' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c.is_whitespace() || is_escape)
    })
}
