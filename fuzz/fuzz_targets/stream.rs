//! Any bytes through a stream that is cut anywhere: the same comes out, and nothing but case may change.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::stream(bytes));
