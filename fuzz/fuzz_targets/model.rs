//! Any bytes as a model: an error or a model, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::model(bytes));
