//! Reads any bytes as a lexicon or a list: a lexicon or an error, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::lexicon(bytes));
