//! Any bytes as the binary of a language model: an error, or a model that scores and comes to an end.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::binary(bytes));
