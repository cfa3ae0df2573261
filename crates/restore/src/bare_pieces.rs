//! Pieces that wait until it is known which of their words lack their punctuation.

use std::collections::VecDeque;

use majuscule_format::Piece;
use majuscule_text::{BareStretches, Break, Mark, Token};

/// The use of the states of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BareUse {
    /// Words learn whether the text before them is bare.
    Tell,
    /// Positions that are not bare are closed to marks.
    Close,
    /// All words learn that the text is not bare, without a wait, and a text begins a sentence.
    Deny,
}

/// Pieces in order; the first ones are passed on once the states of their words are found.
#[derive(Debug)]
pub(super) struct BarePieces {
    stretches: BareStretches,
    of: BareUse,
    pieces: VecDeque<Piece>,
    /// The state of the last word that was passed on.
    is_bare: bool,
}

impl BarePieces {
    /// Starts a text with the settings of these stretches.
    pub(super) fn new(of: BareUse, stretches: BareStretches) -> Self {
        Self { stretches, of, pieces: VecDeque::new(), is_bare: of != BareUse::Deny }
    }

    /// Processes a piece.
    pub(super) fn push(&mut self, mut piece: Piece) {
        if self.of != BareUse::Deny {
            piece.tokens.as_slice().iter().for_each(|token| self.stretches.push(token));
            if piece.after == Break::Document {
                self.end(&mut piece);
            }
        }
        self.pieces.push_back(piece);
    }

    /// Removes and returns the next piece, if the states of its words are found.
    pub(super) fn next(&mut self) -> Option<Piece> {
        let words = self.pieces.front()?.tokens.len();
        let is_known = self.of == BareUse::Deny || self.stretches.found() >= words;
        let mut piece = self.pieces.pop_front_if(|_| is_known)?;
        let tokens = piece.tokens.as_mut_slice();
        match self.of {
            BareUse::Deny => tokens.iter_mut().for_each(deny),
            BareUse::Tell | BareUse::Close => {
                for (token, is_bare) in tokens.iter_mut().zip(self.stretches.take(words)) {
                    let before = std::mem::replace(&mut self.is_bare, is_bare);
                    if self.of == BareUse::Tell {
                        tell(token, before);
                    } else {
                        close(token, before, is_bare);
                    }
                }
            }
        }
        Some(piece)
    }

    /// Finds the states of all words by the text that is there.
    pub(super) fn force(&mut self) {
        self.stretches.force();
    }

    /// Ends the text after the last piece: one that waits, or `passed`.
    pub(super) fn finish(&mut self, passed: Option<&mut Piece>) {
        match self.pieces.pop_back() {
            Some(mut last) => {
                self.end(&mut last);
                self.pieces.push_back(last);
            }
            None => passed.into_iter().for_each(|last| self.end(last)),
        }
    }

    /// Starts another text with the same settings.
    pub(super) fn another(&self) -> Self {
        Self::new(self.of, self.stretches.another())
    }

    /// Ends the text after a piece.
    fn end(&mut self, piece: &mut Piece) {
        let is_bare = self.stretches.finish(piece.gap);
        if self.of == BareUse::Close && !is_bare {
            piece.gap.get_or_insert(Mark::None);
        }
    }
}

/// Tells a word that the text before it is bare, or not. The first word of a text may begin a sentence in any
/// case.
fn tell(token: &mut Token, is_bare: bool) {
    token.is_bare = token.is_bare.or((token.before != Break::Document).then_some(is_bare));
}

/// Tells a word that the text before it is not bare; the first word of a text begins a sentence.
fn deny(token: &mut Token) {
    match token.before {
        Break::Document => token.starts |= token.opens,
        _ => tell(token, false),
    }
}

/// Closes the gap before a word and an opening there, unless the text before the word, or the word, is bare.
fn close(token: &mut Token, is_bare_before: bool, is_bare: bool) {
    if !is_bare_before {
        token.gap.get_or_insert(Mark::None);
    }
    if !is_bare {
        token.opening.get_or_insert(Mark::None);
    }
}
