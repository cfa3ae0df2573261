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

/// The Spanish models: accurate, fast.
#[cfg(feature = "lang-es")]
pub const ES: [&[u8]; 2] = [packed!("es.accurate"), packed!("es.fast")];

/// The French models: accurate, fast.
#[cfg(feature = "lang-fr")]
pub const FR: [&[u8]; 2] = [packed!("fr.accurate"), packed!("fr.fast")];

/// The Dutch models: accurate, fast.
#[cfg(feature = "lang-nl")]
pub const NL: [&[u8]; 2] = [packed!("nl.accurate"), packed!("nl.fast")];

/// The Portuguese models: accurate, fast.
#[cfg(feature = "lang-pt")]
pub const PT: [&[u8]; 2] = [packed!("pt.accurate"), packed!("pt.fast")];
