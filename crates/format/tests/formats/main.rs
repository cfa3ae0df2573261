//! Tests of each format, and the laws of all: restoring changes the case of letters and inserts marks, and nothing else.

#![allow(clippy::unwrap_used, reason = "tests fail where a value is missing")]

mod laws;
mod ass;
mod conll;
mod csv;
mod ctm;
mod growth;
mod jsonl;
mod kaldi;
mod labels;
mod lrc;
mod mark_rows;
mod nlp;
mod openings;
mod srt;
mod stm;
mod trn;
mod tsv;
mod ttml;
mod vtt;
mod whisper;
