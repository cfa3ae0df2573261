//! Any bytes through the tokeniser: nothing but case may change.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::tokenize(bytes));
