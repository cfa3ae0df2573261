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

/// The language of a check.
#[derive(Debug)]
pub struct CheckedLanguage {
    /// The tag of the language whose model checks the text; `None` if there is no model, and nothing is checked.
    pub model: Option<String>,
    /// The tag and the name of the language, in the variant that the client asked for, if any.
    code: String,
    name: String,
    /// The tag and the name of the language that the text seems to be in.
    detected: (String, String),
}

impl AskedLanguage {
    /// Reads the fields `language` and `preferredVariants`.
    pub fn read(fields: &mut Fields) -> Result<Self, ApiError> {
        let asked = fields.text("language")?;
        let variants = fields.text("preferredVariants")?.unwrap_or_default();
        let variants = variants.split(',').map(|tag| tag.trim().to_owned()).collect();
        let is_known = |tag: &LanguageTag| LANGUAGES.contains(&&*tag.primary());
        match asked {
            Some(auto) if auto == "auto" => Ok(Self::Detected(variants)),
            Some(named) => match named.parse::<LanguageTag>().ok().filter(is_known) {
                Some(tag) => Ok(Self::Named(tag)),
                None => Err(fields.wrong("language", &Value::String(named), &expected())),
            },
            None => Err(fields.wrong("language", &Value::Null, &expected())),
        }
    }

    /// Chooses the language of a check by the evidence for the language of the text.
    pub fn choose(&self, evidence: &LanguageEvidence) -> CheckedLanguage {
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
        let (detected, primary) = ((tag.to_owned(), name.to_owned()), tag);
        match self {
            Self::Named(tag) => CheckedLanguage {
                model: Some(tag.primary()),
                code: tag.to_string(),
                name: full_name(tag.as_str()),
                detected,
            },
            Self::Detected(variants) => {
                let is_variant = |code: &&String| code.split('-').next() == Some(primary);
                let usual = regions_of(primary).next();
                let usual = usual.map_or(primary.to_owned(), |region| format!("{primary}-{region}"));
                let code = variants.iter().find(is_variant).cloned().unwrap_or(usual);
                let name = if is_known { full_name(&code) } else { name.to_owned() };
                CheckedLanguage { model: is_known.then(|| primary.to_owned()), code, name, detected }
            }
        }
    }
}

/// Lists the expected languages for an error message.
fn expected() -> String {
    format!("auto, or one of {} with or without a region, such as en-US,", LANGUAGES.join(", "))
}

impl CheckedLanguage {
    /// Describes the language for the answer.
    pub fn describe(&self, evidence: &LanguageEvidence) -> Value {
        let (tag, name) = &self.detected;
        let confidence = (evidence.probability(tag) * 1e4).round() / 1e4;
        json!({
            "name": self.name,
            "code": self.code,
            "detectedLanguage": { "name": name, "code": tag, "confidence": confidence },
        })
    }
}
