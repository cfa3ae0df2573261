//! Languages of which only the tag and the name are known, so that their texts can be detected or declared.

use super::Language;

/// Catalan.
pub static CATALAN: Language = Language::named("ca", "Catalan");

/// Czech.
pub static CZECH: Language = Language::named("cs", "Czech");

/// Danish or Norwegian.
pub static DANISH: Language = Language::named("da", "Danish or Norwegian");

/// Finnish.
pub static FINNISH: Language = Language::named("fi", "Finnish");

/// Galician.
pub static GALICIAN: Language = Language::named("gl", "Galician");

/// Hungarian.
pub static HUNGARIAN: Language = Language::named("hu", "Hungarian");

/// Indonesian.
pub static INDONESIAN: Language = Language::named("id", "Indonesian");

/// Polish.
pub static POLISH: Language = Language::named("pl", "Polish");

/// Romanian.
pub static ROMANIAN: Language = Language::named("ro", "Romanian");

/// Swedish.
pub static SWEDISH: Language = Language::named("sv", "Swedish");
