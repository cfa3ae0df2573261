//! Restores a text between two others: its letters stay, and a second run changes nothing.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::between(bytes));
