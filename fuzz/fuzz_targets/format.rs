//! Any bytes as subtitles, a transcript, JSON or columns: nothing but case changes, twice is once, and any cut gives the same.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::any_format(bytes));
