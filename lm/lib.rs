//! Embeds packed models in a program, with the English ones and the detector of languages.

/// The alignment of the sections of a packed model.
#[derive(Debug)]
#[repr(align(64))]
pub struct AlignedModel<T>(pub T);

/// Defines `MODELS`, the bytes of the packed files with these paths in the folder of the source file.
#[macro_export]
macro_rules! models {
    ($($file:literal),+) => {
        /// The packed models of the language: accurate, fast.
        // Each a constant that leads to a static: no bytes are copied into the packages that name it.
        pub const MODELS: &[&[u8]] = &[$({
            static MODEL: $crate::AlignedModel<[u8; include_bytes!($file).len()]> = $crate::AlignedModel(*include_bytes!($file));
            &MODEL.0
        }),+];
    };
}

/// The weights of the detector of languages: see README.md.
pub const DETECTOR: &str = include_str!("detector.txt");

/// The built-in models of English.
#[cfg(feature = "en")]
pub mod en {
    crate::models!("en.accurate", "en.fast");
}

/// The fast model of English, for a program that embeds no other.
#[cfg(feature = "en-fast")]
pub mod en_fast {
    crate::models!("en.fast");
}
