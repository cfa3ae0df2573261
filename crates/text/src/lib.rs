//! Text as methods see it: words, gaps, case and labels, the options of restoring, and the interface of every method.
//!
//! A layer below [`majuscule`](https://docs.rs/majuscule), with the same version numbers. Programs should use
//! `majuscule`.

// `println!` and similar macros panic if nobody reads their output.
#![deny(clippy::print_stderr, clippy::print_stdout)]

// In reading order.

pub mod case;
pub mod compound;
pub mod kept_capitals;
pub mod language_tag;
pub mod locale;
pub mod divided_word;
pub mod mark;
mod word_list;
pub mod language;
pub mod markup;
pub mod offsets;
pub mod house_style;
pub mod text_around;
pub mod options;
pub mod resolve;
pub mod sentence;
pub mod paragraphs;
pub mod code;
mod line_opening;
pub mod speaker_label;
mod time_stamp;
mod reading;
mod words;
mod noted_marks;
mod source_capitals;
pub mod sentence_tracker;
mod gap_tracker;
mod blocks;
pub mod label;
pub mod tokenize;
pub mod tokens;
pub mod bare_stretches;
pub mod upos;
pub mod spellings;
pub mod user_options;
pub mod conventions;
pub mod write;
pub mod restorer;

pub use bare_stretches::BareStretches;
pub use case::{Capitals, Case, Class};
pub use conventions::{ChosenWords, Conventions, NeededWords};
pub use house_style::{HouseStyle, StyleRule};
pub use kept_capitals::KeptCapitals;
pub use label::{Choice, Label, Labels, probability};
pub use language::Language;
pub use language_tag::LanguageTag;
pub use locale::{Letter, Locale};
pub use mark::{Mark, MarkForm, MarkSet};
pub use noted_marks::{NotedMark, NotedPlace};
pub use offsets::{OffsetCursor, OffsetUnit};
pub use options::{
    CapitalBalance, Context, MarkPlaces, OutputForm, RestoreOptions, SentenceStart, WantedMarks,
};
pub use paragraphs::{ParagraphDivider, SentenceGap};
pub use resolve::{AfterWord, Decision, InsertedMarks, Placed, Resolved, resolve};
pub use spellings::Spellings;
pub use text_around::TextAround;
pub use tokens::{Break, Constraint, LinePlace, Token, Tokens};
pub use upos::Upos;
pub use user_options::{Door, OptionKind, OptionValue, UserOption, UserSettings, WrongValue};
