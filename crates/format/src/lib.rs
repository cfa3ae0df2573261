//! Files with text: reads their words, and writes the same files with other capitals.
//!
//! A layer below [`majuscule`](https://docs.rs/majuscule), whose versions it follows; programs use that one.

// `println!` and similar macros panic if nobody reads their output.
#![deny(clippy::print_stderr, clippy::print_stdout)]

// In reading order: each module uses only those above it.
mod kind;
mod transcript;
mod placed_mark;
mod json;
mod cells;
mod envelope;
mod mark_rows;
mod segment;
mod line_parts;
mod live_record;
mod piece;
mod running_text;
mod grammar;
mod buffer;
mod lines;
mod head;
mod record;
mod info;
mod copies;
mod records;
mod pauses;
mod unread;
mod cue_names;
mod cue;
mod srt;
mod vtt;
mod ass;
mod ttml;
mod lrc;
mod plain;
mod ctm;
mod stm;
mod trn;
mod kaldi;
mod nlp;
mod word_lists;
mod jsonl;
mod recogniser;
mod heard_words;
pub mod whisper;
mod conll;
mod labels;
mod tsv;
mod csv;
mod formats;
pub mod segments;
mod sniff;
mod live;
mod live_records;

pub use copies::WrittenWords;
pub use envelope::Envelope;
pub use info::FormatInfo;
pub use jsonl::Jsonl;
pub use kind::{Format, FormatFamily};
pub use live::Live;
pub use live_record::{Id, LiveRecord};
pub use live_records::LiveRecords;
pub use piece::{Piece, PieceReader};
pub use placed_mark::PlacedMark;
pub use plain::Plain;
pub use record::{Record, RecordSource};
pub use sniff::{DetectedFormat, decoded_text, refuse_binary};
pub use transcript::{Utterance, UtterancePart, unfiltered_name};
pub use tsv::has_names;
