//! Reads any bytes as the recipe of an experiment: a plan or an error, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::recipe(bytes));
