//! Reads any bytes as a file of counts: an error, or counts that stay the same when they
//! are written and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::counts(bytes));
