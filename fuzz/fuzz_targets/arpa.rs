//! Reads any bytes as a language model: an error, or a model that scores and stays the same when it
//! is written and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::arpa(bytes));
