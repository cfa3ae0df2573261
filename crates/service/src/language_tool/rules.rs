//! The rules of the check, and the client's choice of rules.

use serde_json::{Value, json};

use crate::fields::Fields;
use crate::problem::ApiError;

/// A rule that a word may break.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    id: &'static str,
    description: &'static str,
    /// The identifier of the category in LanguageTool, and its name.
    category: (&'static str, &'static str),
    /// The short message of a match.
    pub short_message: &'static str,
}

/// The rule for the case of a word.
pub const CASE: Rule = Rule {
    id: "MAJUSCULE_CASE",
    description: "The case of a word",
    category: ("CASING", "Capitalization"),
    short_message: "Wrong case",
};

/// The rule for a punctuation mark after a word.
pub const MARKS: Rule = Rule {
    id: "MAJUSCULE_MARKS",
    description: "Missing punctuation",
    category: ("PUNCTUATION", "Punctuation"),
    short_message: "Missing punctuation",
};

impl Rule {
    /// Describes the rule for the answer.
    pub fn describe(self) -> Value {
        let Self { id, description, category: (category, name), .. } = self;
        json!({
            "id": id,
            "description": description,
            "issueType": "typographical",
            "category": { "id": category, "name": name },
        })
    }
}

/// The rules that a client asks for.
#[derive(Debug)]
pub struct RuleChoice {
    /// True if the case of words is checked.
    pub case: bool,
    /// True if punctuation is checked.
    pub marks: bool,
}

impl RuleChoice {
    /// Reads the lists of rules and categories. Missing punctuation is listed only if `marks` is true or the rule is
    /// enabled.
    pub fn read(fields: &mut Fields, marks: bool) -> Result<Self, ApiError> {
        let mut list = |name| {
            let list = fields.text(name)?.unwrap_or_default();
            Ok::<_, ApiError>(
                list.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect(),
            )
        };
        let [enabled, disabled]: [Vec<String>; 2] = [list("enabledRules")?, list("disabledRules")?];
        let [with, without]: [Vec<String>; 2] = [list("enabledCategories")?, list("disabledCategories")?];
        let only = fields.read("enabledOnly", "true or false", |value| match value.as_str() {
            Some("yes") => Some(true),
            Some("no") => Some(false),
            _ => value.as_bool(),
        })?;
        let only = only.unwrap_or(false);
        if only && enabled.is_empty() && with.is_empty() {
            return Err(ApiError::field(
                "enabledOnly",
                "`enabledOnly` leaves no rule: name some in `enabledRules` or `enabledCategories`",
            ));
        }
        let has = |list: &[String], id: &str| list.iter().any(|named| named == id);
        let is_active = |rule: &Rule, is_usual: bool| {
            let (id, (category, _)) = (rule.id, rule.category);
            let is_named = has(&enabled, id) || has(&with, category);
            !has(&disabled, id) && (is_named || !only && is_usual && !has(&without, category))
        };
        Ok(Self { case: is_active(&CASE, true), marks: is_active(&MARKS, marks) })
    }
}
