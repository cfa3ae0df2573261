//! The language of a text, with a note on surprises.

use majuscule::{DetectedLanguage, LANGUAGES, LanguageSource, Note};
use majuscule_restore::models::language::Other;
use majuscule_restore::pool::DEFAULT_LANGUAGE;
use serde::Serialize;

use crate::failure::option_name;

/// The detected language of a text.
#[derive(Debug, Default, Serialize)]
pub struct TextLanguage {
    /// The tag, if there is a model of the language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    /// A note on surprises if the text is restored in the default language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl TextLanguage {
    /// Returns the detected language of a text; notes call the text `name`.
    pub fn of(detected: DetectedLanguage, name: &str) -> Self {
        let used = DEFAULT_LANGUAGE.to_owned();
        let note = match detected {
            DetectedLanguage::BuiltIn(language) => return Self { language: Some(language), note: None },
            // This build contains no model, but each of these languages has a model file.
            DetectedLanguage::Other(Other::Language(tag, _)) if LANGUAGES.contains(&tag) => {
                return Self { language: Some(tag), note: None };
            }
            DetectedLanguage::Other(found) => Note::Other { used, found },
            DetectedLanguage::Unsure => Note::Unsure { used, source: LanguageSource::Default },
            DetectedLanguage::Empty => return Self::default(),
        };
        Self { language: None, note: Some(note.worded(name, option_name)) }
    }
}
