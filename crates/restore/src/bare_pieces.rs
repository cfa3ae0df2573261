//! Holds pieces back until it is known which of their words are bare, that is, lack their punctuation.

use std::collections::VecDeque;

use majuscule_format::Piece;
use majuscule_text::{BareStretches, Break, Mark, Token};

/// The way in which the states of words, bare or punctuated, are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BareUse {
    /// Each word records whether the text before it is bare.
    Tell,
    /// No marks are inserted at positions that are not bare.
    Close,
    /// Each word records that the text before it is not bare, without a wait, and a text begins a sentence.
    Deny,
}

/// Pieces in order. The first pieces are passed on once the states of their words are known.
#[derive(Debug)]
pub(super) struct BarePieces {
    stretches: BareStretches,
    of: BareUse,
    pieces: VecDeque<Piece>,
    /// The state of the last word that was passed on.
    is_bare: bool,
}

impl BarePieces {
    /// Starts a text with the settings of `stretches`.
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

    /// Removes and returns the next piece, if the states of its words are known.
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

    /// Decides the states of all words from the text that has arrived.
    pub(super) fn force(&mut self) {
        self.stretches.force();
    }

    /// Ends the text after its last piece: a piece that waits, or else `passed`, which was passed on before.
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

/// Records for a word whether the text before it is bare. The first word of a text may begin a sentence in either
/// case.
fn tell(token: &mut Token, is_bare: bool) {
    token.is_bare = token.is_bare.or((token.before != Break::Document).then_some(is_bare));
}

/// Records for a word that the text before it is not bare. The first word of a text begins a sentence.
fn deny(token: &mut Token) {
    match token.before {
        Break::Document => token.starts |= token.opens,
        _ => tell(token, false),
    }
}

/// Allows no inserted mark before a word unless the text before it is bare, and no opening unless the word is bare.
fn close(token: &mut Token, is_bare_before: bool, is_bare: bool) {
    if !is_bare_before {
        token.gap.get_or_insert(Mark::None);
    }
    if !is_bare {
        token.opening.get_or_insert(Mark::None);
    }
}
