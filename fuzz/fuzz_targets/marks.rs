//! Puts marks into any bytes as subtitles, a transcript or JSON: a second run changes nothing, and the
//! output does not depend on how the input is cut.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::any_marks(bytes));
