//! Any bytes as subtitles, a transcript, JSON, columns or text: converted to each other format they say the same, or it is an error.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::convert(bytes));
