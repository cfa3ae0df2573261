//! The built-in models of majuscule for languages other than English, each with a feature of the
//! package. They stand apart because a package on the registry has at most 10 MB.

#[allow(unused_macros, reason = "a build without languages has no use for it")]
macro_rules! packed {
    ($file:literal) => {{
        // The alignment of the sections of a packed model.
        #[repr(align(64))]
        struct Aligned<T>(T);

        // A constant that leads to a static copies no bytes into the packages that name it.
        static MODEL: Aligned<[u8; include_bytes!($file).len()]> = Aligned(*include_bytes!($file));
        &MODEL.0
    }};
}

/// Each language with its models: accurate, fast.
pub const MODELS: &[(&str, [&[u8]; 2])] = &[
    #[cfg(feature = "lang-es")]
    ("es", [packed!("es.accurate"), packed!("es.fast")]),
    #[cfg(feature = "lang-fr")]
    ("fr", [packed!("fr.accurate"), packed!("fr.fast")]),
    #[cfg(feature = "lang-nl")]
    ("nl", [packed!("nl.accurate"), packed!("nl.fast")]),
    #[cfg(feature = "lang-pt")]
    ("pt", [packed!("pt.accurate"), packed!("pt.fast")]),
    #[cfg(feature = "lang-de")]
    ("de", [packed!("de.accurate"), packed!("de.fast")]),
    #[cfg(feature = "lang-it")]
    ("it", [packed!("it.accurate"), packed!("it.fast")]),
];
