//! Language tags from documents and options, validated before a tag becomes part of a file name.

use std::fmt;
use std::str::FromStr;

use majuscule_base::error::Error;

/// The tag or the name of a language: ASCII letters and digits, and hyphens between them, such as
/// `en`, `pt-BR` or `english`. It can be a part of a file name, but never a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageTag(String);

/// The largest number of characters of a tag.
const LONGEST: usize = 64;

impl LanguageTag {
    /// Returns the primary language subtag in lower case: `pt` for `pt-BR`.
    pub fn primary(&self) -> String {
        self.0.split('-').next().unwrap_or_default().to_ascii_lowercase()
    }

    /// Returns the tag as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for LanguageTag {
    type Err = Error;

    /// Reads a tag; an underscore counts as a hyphen.
    fn from_str(text: &str) -> Result<Self, Error> {
        let tag = text.replace('_', "-");
        let is_part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
        match tag.len() <= LONGEST && tag.split('-').all(is_part) {
            true => Ok(Self(tag)),
            false => Err(Error::usage(format!(
                "\"{}\" is not a language: expected letters, digits and hyphens, such as en or pt-BR",
                shortened(text)
            ))),
        }
    }
}

/// Returns the beginning of a text that is too long for an error message.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl fmt::Display for LanguageTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_never_a_path() {
        for (text, primary) in [("en", "en"), ("pt_BR", "pt"), ("zh-Hans-CN", "zh"), ("English", "english")] {
            assert_eq!(text.parse::<LanguageTag>().unwrap().primary(), primary);
        }
        let long = "a".repeat(300);
        for text in [
            "",
            "../evil",
            "/tmp/evil",
            "..",
            "en/../evil",
            "c:evil",
            "en\0",
            "é",
            "-en",
            "en\\evil",
            "a--b",
            &long,
        ] {
            let error = text.parse::<LanguageTag>().unwrap_err().to_string();
            assert!(error.contains("is not a language") && error.len() < 200, "{error}");
        }
    }
}
