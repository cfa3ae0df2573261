//! Takes capitals and marks out of any bytes as a file of any format: a second run changes nothing, and the output does
//! not depend on how the input is cut.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| majuscule_fuzz::any_stripped(bytes));
