//! Tests of each format, and the laws of all: restoring changes the case of letters and inserts marks, and nothing else.

#![allow(clippy::unwrap_used, reason = "tests fail where a value is missing")]

mod case_laws;
mod laws;
mod ass;
mod conll;
mod csv;
mod growth;
mod jsonl;
mod labels;
mod mark_rows;
mod openings;
mod srt;
mod strip;
mod ttml;
mod vtt;
mod whisper;
