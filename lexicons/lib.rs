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

/// The files of a language.
#[derive(Debug)]
pub struct LanguageFiles {
    /// Its words, with a row for each field of its descriptor.
    pub words: &'static str,
    /// Abbreviations; most of them do not end a sentence.
    pub abbreviations: &'static str,
    /// Words written in capitals in this language.
    pub acronyms: &'static str,
}

/// Defines the files of a language.
macro_rules! language {
    ($name:ident, $words:literal, $abbreviations:literal $(, $acronyms:literal)?) => {
        #[doc = concat!("The files of the language of `", $words, "`.")]
        pub const $name: LanguageFiles = LanguageFiles {
            words: include_str!($words),
            abbreviations: include_str!($abbreviations),
            acronyms: concat!($(include_str!($acronyms))?),
        };
    };
}

language!(DUTCH, "words.nl.tsv", "abbreviations.nl.txt", "acronyms.nl.txt");
language!(ENGLISH, "words.en.tsv", "abbreviations.en.txt", "acronyms.en.txt");
language!(FRENCH, "words.fr.tsv", "abbreviations.fr.txt");
language!(GERMAN, "words.de.tsv", "abbreviations.de.txt", "acronyms.de.txt");
language!(ITALIAN, "words.it.tsv", "abbreviations.it.txt", "acronyms.it.txt");
language!(PORTUGUESE, "words.pt.tsv", "abbreviations.pt.txt");
language!(SPANISH, "words.es.tsv", "abbreviations.es.txt");
