//! Reads any bytes as a binary language model: an error, or a model that
//! scores words in finite time.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::binary(bytes));
