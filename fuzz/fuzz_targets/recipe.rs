//! Any bytes as a recipe of an experiment: a plan or an error, never a panic.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::recipe(bytes));
