//! Restores any bytes as text: only case changes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::tokenize(bytes));
