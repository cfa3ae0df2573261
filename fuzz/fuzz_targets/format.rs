//! Any bytes as subtitles, a transcript, JSON or columns: nothing but case changes, twice is once, and any cut gives the same.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::any_format(bytes));
