//! Any bytes as segments with times: sentences or an error, never a panic.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::stm(bytes));
