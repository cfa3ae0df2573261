//! Restores capital letters (truecasing) and punctuation in text that lost them.
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
//! [`RestoreOptions`] control the reading, the decisions and the writing of a text. [`TextRestorer`] restores files
//! of any [`Format`], words, and live text ([`Stream`]). A method implements [`Restorer`]: it reads words without
//! their capitals ([`Tokens`]) and chooses a [`Label`] for each. A single function applies the labels to the text,
//! so that no method can lose a word.
//!
//! This package only names what a program uses. The code is in packages below it, without any promise of stability;
//! training, evaluation, transducers and neural methods are other packages that depend on them.

pub use majuscule_base::error::{Error, Location, Problem, Result, caught};
pub use majuscule_base::files::{ByteSize, Encoding, Input, Limits};
pub use majuscule_base::interrupt::Interrupt;
pub use majuscule_format::Format;
pub use majuscule_methods::model::{Manifest, ModelDirs, Store};
pub use majuscule_methods::{Backend, Method};
pub use majuscule_restore::models::{DetectedLanguage, LANGUAGES, Methods, Model, Preset, detect_language};
pub use majuscule_restore::{
    ChosenModel, Done, FileRequest, LanguageChoice, LanguageSource, ModelPool, Note, RestoredFile,
    RestoredPart, RestoredWord, Stream, Streaming, TextRestorer, WordStream,
};
pub use majuscule_text::restorer::{Boundary, Request, Restorer, SentenceStarts, Session};
pub use majuscule_text::tokenize::Capitalized;
pub use majuscule_text::{
    CapitalBalance, Capitals, Case, Choice, Context, HouseStyle, Label, Labels, LinePlace, Locale, Mark,
    MarkForm, MarkPlaces, MarkSet, OffsetCursor, OffsetUnit, OutputForm, RestoreOptions, SentenceStart,
    Spellings, StyleRule, TextAround, Token, Tokens, WantedMarks,
};

/// The examples of the book, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/book/src/library.md")]
pub struct BookExamples;
