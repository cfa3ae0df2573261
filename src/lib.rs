//! Restores capital letters in text that lost them (truecasing), and measures how well.
//!
//! The main job in three lines:
//!
//! ```
//! # #[cfg(feature = "lang-en")] {
//! let model = majuscule::methods::embedded("en")?;
//! let text = model.restore("the president met angela merkel in lisbon.")?;
//! println!("{text}"); // The President met Angela Merkel in Lisbon.
//! # }
//! # Ok::<(), majuscule::error::Error>(())
//! ```
//!
//! A method ([`restorer::Restorer`]) sees words without their capitals ([`text::Tokens`]) and answers with a label for each
//! ([`text::Label`]); [`text::write()`](text::write::write) puts labels on text. [`restore`] reads a file of any length that
//! way, `corpus` and `eval` measure a method with the same tokens and labels, and `methods` lists what there is.
//!
//! The feature `train` (in the default) adds corpora, lexicons, training and evaluation; without it every model still runs.
//! The feature `fst`, in the default too, adds the method `ngram` and weighted transducers.

// `println!` and its like end the process where nobody reads what they print: `cli::messages` and `cli::page` do not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

// In reading order: each module uses only those above it.
pub mod named;
pub mod printable;
pub mod error;
pub mod bytes;
pub mod files;
pub mod text;
pub mod format;
pub mod lm;
pub mod search;
pub mod restorer;
pub mod model;
pub mod methods;
pub mod restore;

/// The examples of the book, which are tests.
#[cfg(all(doctest, feature = "lang-en"))]
#[doc = include_str!("../docs/book/src/library.md")]
pub struct BookExamples;
