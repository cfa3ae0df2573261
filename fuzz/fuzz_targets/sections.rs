//! Alters a section of a model of any method and its checksum: it is refused, or it restores a text.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    majuscule_fuzz::sections(bytes);
});
