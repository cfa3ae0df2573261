//! Any bytes as the binary of a language model: an error, or a model that scores and comes to an end.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::binary(bytes));
