//! Restores capital letters in text that lost them, and measures how well.

// In reading order: each module uses only those above it.
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "train")]
pub mod corpus;
pub mod error;
#[cfg(feature = "train")]
pub mod eval;
pub mod restorer;
pub mod text;
