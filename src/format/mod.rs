//! Files that hold text: their words come out, and the same file goes back with other capitals.

pub mod ctm;
pub mod live;
pub mod plain;
pub mod stm;
pub mod transcript;
pub mod trn;

pub use live::Live;
pub use plain::Plain;

use crate::error::Result;
use crate::text::tokenize::Capitalized;
use crate::text::{Break, Locale, Tokens, Words};

/// A stretch of a file: bytes, and the words that stand in them. Cleared and used again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Piece {
    /// The bytes as they are.
    pub source: Vec<u8>,
    /// The words, with their places in `source`.
    pub tokens: Tokens,
    /// Which capitals of the source count.
    pub capitalized: Capitalized,
    /// What comes after: [`Break::Space`] where the line goes on, [`Break::Document`] at the end of the file.
    pub after: Break,
}

/// How the words of a file are read.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The case pairs.
    pub locale: Locale,
    /// The language's tag, for its abbreviations.
    pub language: String,
    /// Which capitals of the input count.
    pub capitalized: Capitalized,
    /// The user's own spellings.
    pub words: Words,
    /// Passes bytes that are not UTF-8 through as they are, with the run they stand in. Otherwise they are an error.
    pub lossy: bool,
}

/// A file being read. Law: the sources of all pieces, one after the other, are the file.
pub trait Format: Send {
    /// Reads the next piece into `piece`; false at the end of the file. What is said of a word depends on the bytes of
    /// the file alone, never on how they arrive. A piece is small (at most some 100 kB), however long the file or one
    /// line of it is.
    ///
    /// # Errors
    /// Where the file cannot be read, or holds what the format does not allow.
    fn next(&mut self, piece: &mut Piece) -> Result<bool>;
}
