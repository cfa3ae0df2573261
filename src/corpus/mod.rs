//! Cased text as examples: words without their capitals, and the labels they should get.

pub mod marks;

use crate::text::{Label, Tokens};

/// A text with its right labels: a sentence, a line or a window, as the protocol says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Example {
    /// The words, as a method sees them.
    pub tokens: Tokens,
    /// The right answer for each.
    pub gold: Vec<Gold>,
}

/// The right answer for a word, and how it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Gold {
    /// Its label.
    pub label: Label,
    /// Whether it is trained on and scored; if not, it is context only.
    pub scored: bool,
    /// Whether it is the first word of its sentence.
    pub initial: bool,
}
