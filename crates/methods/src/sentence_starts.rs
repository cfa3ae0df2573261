//! The evidence of a text for sentence starts, which several methods use.

use majuscule_text::{Break, Token};

/// The evidence in the text for a sentence start at a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoundaryEvidence {
    /// No evidence: the model decides.
    #[default]
    Nothing,
    /// A sentence begins at the word.
    Begins,
    /// No sentence begins at the word.
    Inside,
}

/// The number of words, counted from a marked sentence start and including it, within which the text is assumed to
/// mark every sentence start. It counts only if [`Token::is_bare`] is unknown.
const SHOWN: usize = 64;

/// The sentence starts that a text has marked so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct MarkedStarts {
    /// The number of further words for which the text counts as marking sentence starts.
    shows: usize,
}

impl MarkedStarts {
    /// Adds the next word and returns the evidence in the text for a sentence start there; `starts` is true
    /// if the text marks one.
    pub fn take(&mut self, token: &Token, starts: bool) -> BoundaryEvidence {
        self.shows = if starts { SHOWN } else { self.shows.saturating_sub(1) };
        match token.is_bare.unwrap_or(self.shows == 0) {
            _ if starts => BoundaryEvidence::Begins,
            true => BoundaryEvidence::Nothing,
            false => BoundaryEvidence::Inside,
        }
    }
}

/// The largest probability of a capital inside a sentence at which the capital of a word in the source is
/// evidence of a sentence start.
pub const RARE_CAPITAL: f32 = 0.2;

/// Returns the factor by which the capital of a word in the source raises the odds that a sentence begins
/// there: recognisers lose the full stop but not the capital. `capital` is the probability that the word
/// has a capital inside a sentence, and `most` the highest factor. `is_doubtful` is true if something else
/// may explain the capital, such as a title or a list.
pub fn odds_by_capital(capital: f32, most: f32, is_doubtful: bool) -> f32 {
    /// The number by which the odds are divided if something else may explain the capital.
    const DOUBT: f32 = 10.0;
    if capital > RARE_CAPITAL {
        return 1.0;
    }
    let odds = most.min(1.0 / capital);
    if is_doubtful { (odds / DOUBT).max(1.0) } else { odds }
}

/// The unit of text that begins at a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// A new text.
    Text,
    /// A new segment of the text.
    Segment,
}

impl Opening {
    /// Returns the unit that begins at a token; `starts` is true if a sentence is known to begin
    /// there.
    pub fn of(token: &Token, starts: bool) -> Option<Self> {
        match token.before {
            Break::Document => Some(Self::Text),
            Break::Turn | Break::Paragraph => Some(Self::Segment),
            _ => starts.then_some(Self::Segment),
        }
    }
}
