//! The word lists of majuscule, one entry per line; lines that begin with `#` are comments. README.md names the source
//! and the licence of each.

/// Words written in capitals in all languages.
pub const ACRONYMS: &str = include_str!("acronyms.txt");

/// Words with capitals inside.
pub const MIXED: &str = include_str!("mixed.txt");

/// Given names and surnames.
pub const NAMES: &str = include_str!("names.txt");

/// Countries, regions and cities.
pub const PLACES: &str = include_str!("places.txt");

/// Species that texts name often.
pub const SPECIES: &str = include_str!("species.txt");

/// Units, quotients of units and ions.
pub const UNITS: &str = include_str!("units.txt");

/// Defines the lists of a language.
macro_rules! language {
    ($name:ident, $language:literal, $abbreviations:literal $(, $acronyms:literal)?) => {
        #[doc = concat!("The lists of ", $language, ".")]
        pub mod $name {
            /// Abbreviations; most of them do not end a sentence.
            pub const ABBREVIATIONS: &str = include_str!($abbreviations);
            $(
                /// Words written in capitals in this language.
                pub const ACRONYMS: &str = include_str!($acronyms);
            )?
        }
    };
}

language!(de, "German", "abbreviations.de.txt", "acronyms.de.txt");
language!(en, "English", "abbreviations.en.txt", "acronyms.en.txt");
language!(es, "Spanish", "abbreviations.es.txt");
language!(fr, "French", "abbreviations.fr.txt");
language!(it, "Italian", "abbreviations.it.txt", "acronyms.it.txt");
language!(nl, "Dutch", "abbreviations.nl.txt", "acronyms.nl.txt");
language!(pt, "Portuguese", "abbreviations.pt.txt");
