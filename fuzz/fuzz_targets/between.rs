//! Restores a text between two others: its letters and the spaces between its words stay.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::between(bytes));
