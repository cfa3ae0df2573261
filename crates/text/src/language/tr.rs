//! Turkish, and the letters that Azeri shares with it.

use super::Language;
use crate::Locale;

/// Turkish.
pub static TURKISH: Language = Language {
    tag: "tr",
    name: Some("Turkish"),
    aliases: &["tur", "az", "aze"],
    locale: Locale::Turkic,
    ..Language::NONE
};
