//! Converts any bytes as subtitles, a transcript, JSON, columns or text to each other format: the
//! result has the same content, or the conversion is refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::convert(bytes));
