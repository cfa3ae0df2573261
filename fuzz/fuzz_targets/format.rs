//! Restores any bytes as subtitles, a transcript, JSON or columns: only case changes, a second run
//! changes nothing, and the output does not depend on how the input is cut.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::any_format(bytes));
