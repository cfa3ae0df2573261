//! Restores capital letters in text that lost them, and measures how well.

// In reading order: each module uses only those above it.
pub mod error;
pub mod files;
pub mod text;
pub mod format;
#[cfg(feature = "train")]
pub mod corpus;
#[cfg(feature = "train")]
pub mod lexicon;
pub mod restorer;
#[cfg(feature = "train")]
pub mod eval;
pub mod model;
pub mod methods;
pub mod restore;
#[cfg(feature = "train")]
pub mod fuzz;
#[cfg(feature = "cli")]
pub mod cli;
