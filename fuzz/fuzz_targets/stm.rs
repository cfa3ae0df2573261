//! Reads any bytes as STM (segments with times): sentences or an error, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::transcript(majuscule_format::Format::Stm, bytes));
