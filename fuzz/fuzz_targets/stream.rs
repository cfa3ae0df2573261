//! Streams any bytes as text that is cut anywhere: the output does not depend on the
//! cuts, and only case changes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::stream(bytes));
