//! Any bytes as a lexicon or a list: an error or a lexicon, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::lexicon(bytes));
