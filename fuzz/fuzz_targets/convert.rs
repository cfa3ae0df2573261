//! Any bytes as subtitles, a transcript, JSON, columns or text: converted to each other format they say the same, or it is an error.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::convert(bytes));
