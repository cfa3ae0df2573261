//! Aligns any bytes as two sequences: the fewest edits, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::align(bytes));
