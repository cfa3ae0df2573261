//! Any bytes through the tokeniser: nothing but case may change.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::tokenize(bytes));
