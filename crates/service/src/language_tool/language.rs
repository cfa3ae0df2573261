//! Languages as LanguageTool names them, with the variants that its clients ask for.

use majuscule::{DetectedLanguage, LANGUAGES};
use majuscule_restore::models::language::{LanguageEvidence, Other, name_of};
use majuscule_restore::pool::DEFAULT_LANGUAGE;
use majuscule_text::{Language, LanguageTag};
use serde_json::{Value, json};

use crate::fields::Fields;
use crate::problem::ApiError;

/// The BCP 47 tag of an unknown language.
const UNKNOWN: &str = "und";

/// Lists the languages.
pub fn list() -> Value {
    let entry = |tag: &str, code: String| json!({ "name": full_name(&code), "code": tag, "longCode": code });
    let of = |tag: &str| {
        let variants = regions_of(tag).map(|region| entry(tag, format!("{tag}-{region}")));
        [entry(tag, tag.to_owned())].into_iter().chain(variants).collect::<Vec<_>>()
    };
    LANGUAGES.iter().flat_map(|tag| of(tag)).collect()
}

/// Returns the regions of a language, the usual one first. The same model checks all of them.
fn regions_of(tag: &str) -> impl Iterator<Item = &'static str> {
    Language::of(tag).map_or("", |language| language.regions).split_whitespace()
}

/// Returns the name of a language with its region.
fn full_name(code: &str) -> String {
    match code.split_once('-') {
        Some((tag, region)) => format!("{} ({region})", name_of(tag)),
        None => name_of(code).to_owned(),
    }
}

/// The language that a client asks for.
#[derive(Debug)]
pub enum AskedLanguage {
    /// The detected language, in the first of these variants that belongs to it.
    Detected(Vec<String>),
    /// The language with this tag.
    Named(LanguageTag),
}

impl AskedLanguage {
    /// Reads the fields `language` and `preferredVariants`.
    pub fn read(fields: &mut Fields) -> Result<Self, ApiError> {
        let asked = fields.text("language")?;
        let variants = fields.text("preferredVariants")?.unwrap_or_default();
        let variants = variants.split(',').map(|tag| tag.trim().to_owned()).collect();
        let is_known = |tag: &LanguageTag| LANGUAGES.contains(&&*tag.primary());
        let tag = asked.as_deref().and_then(|named| named.parse::<LanguageTag>().ok()).filter(is_known);
        match tag {
            _ if asked.as_deref() == Some("auto") => Ok(Self::Detected(variants)),
            Some(tag) => Ok(Self::Named(tag)),
            None => {
                let known = LANGUAGES.join(", ");
                let expected = format!("auto, or one of {known} with or without a region, such as en-US,");
                Err(fields.wrong("language", &Value::from(asked), &expected))
            }
        }
    }

    /// Chooses the language of a check by the evidence for the language of the text. Returns the tag of the language
    /// whose model checks the text, or `None` if there is no model, and the description of the language, in the
    /// variant that the client asked for, if any, and of the language that the text seems to be in.
    pub fn choose(&self, evidence: &LanguageEvidence) -> (Option<String>, Value) {
        let (tag, name, is_known) = match evidence.detected() {
            DetectedLanguage::BuiltIn(tag) => (tag, name_of(tag), true),
            DetectedLanguage::Unsure | DetectedLanguage::Empty => {
                (DEFAULT_LANGUAGE, name_of(DEFAULT_LANGUAGE), true)
            }
            DetectedLanguage::Other(Other::Language(tag, name)) => (tag, name, false),
            DetectedLanguage::Other(Other::Script | Other::Unknown) => {
                (UNKNOWN, "an unknown language", false)
            }
        };
        let (model, code, full) = match self {
            Self::Named(tag) => (Some(tag.primary()), tag.to_string(), full_name(tag.as_str())),
            Self::Detected(variants) => {
                let is_variant = |code: &&String| code.split('-').next() == Some(tag);
                let usual = regions_of(tag).next();
                let usual = usual.map_or(tag.to_owned(), |region| format!("{tag}-{region}"));
                let code = variants.iter().find(is_variant).cloned().unwrap_or(usual);
                let full = if is_known { full_name(&code) } else { name.to_owned() };
                (is_known.then(|| tag.to_owned()), code, full)
            }
        };
        let confidence = (evidence.probability(tag) * 1e4).round() / 1e4;
        let described = json!({
            "name": full,
            "code": code,
            "detectedLanguage": { "name": name, "code": tag, "confidence": confidence },
        });
        (model, described)
    }
}
