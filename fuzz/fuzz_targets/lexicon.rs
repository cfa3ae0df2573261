//! Any bytes as a lexicon or a list: an error or a lexicon, never a panic.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::lexicon(bytes));
