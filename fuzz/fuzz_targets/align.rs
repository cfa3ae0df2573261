//! Any bytes as two sequences: the fewest edits, never a panic.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::align(bytes));
