//! Restores capital letters in text that lost them (truecasing).
//!
//! The main job in three lines:
//!
//! ```
//! let model = majuscule::Model::embedded("en")?;
//! let text = model.restore("the president met angela merkel in lisbon.")?;
//! println!("{text}"); // The President met Angela Merkel in Lisbon.
//! # Ok::<(), majuscule::Error>(())
//! ```
//!
//! [`RestoreOptions`] say how a text is read, decided and written. [`TextRestorer`] restores files
//! of any [`Format`], words, and live text ([`Stream`]). A method implements [`Restorer`]: it reads
//! words without their capitals ([`Tokens`]) and chooses a [`Label`] for each. A single function
//! applies the labels to the text, so that no method can lose a word.
//!
//! Training, evaluation, transducers and neural methods are separate packages. The modules that
//! they share with this one are public but hidden, without any promise of stability.

// `println!` and similar macros panic if nobody reads their output.
#![deny(clippy::print_stderr, clippy::print_stdout)]

// In reading order: each module uses only those above it.
#[doc(hidden)]
pub mod named;
#[doc(hidden)]
pub mod printable;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod interrupt;
#[doc(hidden)]
pub mod bytes;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod format;
#[doc(hidden)]
pub mod lm;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod restorer;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod methods;
#[doc(hidden)]
pub mod restore;

pub use error::{Error, Place, Result, caught};
pub use format::Format;
pub use interrupt::Interrupt;
pub use methods::{DetectedLanguage, LANGUAGES, Method, Methods, Model, Preset, detect_language};
pub use model::{Manifest, ModelDirs, Store};
pub use restore::{
    ChosenModel, Done, FileRequest, LanguageChoice, LanguageSource, ModelPool, Note, RestoredFile,
    RestoredWord, Stream, Streaming, TextRestorer,
};
pub use restorer::{Boundary, Request, Restorer, SentenceStarts, Session};
pub use text::tokenize::Capitalized;
pub use text::{
    Capitals, Case, Choice, Context, Label, Labels, Locale, Mark, MarkForm, MarkPlaces, MarkSet, OutputForm,
    RestoreOptions, SentenceStart, Spellings, Token, Tokens,
};

/// The examples of the book, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/book/src/library.md")]
pub struct BookExamples;
