//! The rules of the check, and the client's choice of rules.

use serde::Serialize;

use crate::fields::Fields;
use crate::problem::ApiError;

/// A rule that a word may break.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    id: &'static str,
    description: &'static str,
    issue_type: &'static str,
    category: RuleCategory,
}

/// The category of a rule, with its identifier in LanguageTool.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct RuleCategory {
    id: &'static str,
    name: &'static str,
}

/// The rule for the case of a word.
pub const CASE: Rule = Rule {
    id: "MAJUSCULE_CASE",
    description: "The case of a word",
    issue_type: "typographical",
    category: RuleCategory { id: "CASING", name: "Capitalization" },
};

/// The rule for a punctuation mark after a word.
pub const MARKS: Rule = Rule {
    id: "MAJUSCULE_MARKS",
    description: "Missing punctuation",
    issue_type: "typographical",
    category: RuleCategory { id: "PUNCTUATION", name: "Punctuation" },
};

/// The rules that a client asks for.
#[derive(Debug)]
pub struct RuleChoice {
    case: bool,
    marks: bool,
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
            let (id, category) = (rule.id, rule.category.id);
            let is_named = has(&enabled, id) || has(&with, category);
            !has(&disabled, id) && (is_named || !only && is_usual && !has(&without, category))
        };
        Ok(Self { case: is_active(&CASE, true), marks: is_active(&MARKS, marks) })
    }

    /// Returns true if the case of words is checked.
    pub fn has_case(&self) -> bool {
        self.case
    }

    /// Returns true if punctuation is checked.
    pub fn has_marks(&self) -> bool {
        self.marks
    }
}
