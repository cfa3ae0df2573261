//! Any bytes as a transcript in columns: sentences or an error, never a panic.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::nlp(bytes));
