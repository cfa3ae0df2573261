//! Any bytes as utterances with names: sentences or an error, never a panic.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::trn(bytes));
