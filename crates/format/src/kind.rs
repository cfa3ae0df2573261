//! The names of the formats, and of their families.

/// Defines [`Format`]; its documentation is the help of [`with_formats!`].
macro_rules! define_formats {
    (
        $default:ident $default_module:ident::$default_info:ident $default_name:literal $default_help:literal;
        $($(#[$cfg:meta])? $format:ident $module:ident::$info:ident $name:literal $help:literal;)*
    ) => {
        /// The formats that can be read.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum Format {
            #[doc = $default_help]
            #[default]
            $default,
            $($(#[$cfg])? #[doc = $help] $format,)*
        }
    };
}

with_formats!(define_formats);

/// The families of formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatFamily {
    /// Text without times, fields or columns.
    Text,
    /// Lines that are shown with a video or a song.
    Subtitles,
    /// Speech that was written down, by a person or a recogniser.
    Transcript,
    /// A word per line, with annotations.
    Columns,
    /// Records with fields, one of which is the text.
    Records,
}
