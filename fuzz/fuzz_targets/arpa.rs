//! Any bytes as a language model: an error, or a model that scores and is the same when it is written and read again.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::arpa(bytes));
