//! The subwords of a vocabulary that are not parts of words.

use serde_json::Value;

/// The ids of special subwords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Special {
    /// The subword before each text.
    pub first: u32,
    /// The subword after each text.
    pub last: u32,
    /// The padding.
    pub padding: u32,
}

/// The names of special subwords by role, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecialNames {
    /// The subword before each text.
    pub first: Option<String>,
    /// The subword after each text.
    pub last: Option<String>,
    /// The padding.
    pub padding: Option<String>,
}

impl SpecialNames {
    /// Reads the names in `tokenizer_config.json` or `special_tokens_map.json`.
    pub fn of(json: &Value) -> Self {
        let name = |role: &str| {
            let found = &json[role];
            found.as_str().or_else(|| found["content"].as_str()).map(str::to_owned)
        };
        Self {
            first: name("cls_token").or_else(|| name("bos_token")),
            last: name("sep_token").or_else(|| name("eos_token")),
            padding: name("pad_token"),
        }
    }

    /// Fills in the names that are not known with the names in `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            first: self.first.or(other.first),
            last: self.last.or(other.last),
            padding: self.padding.or(other.padding),
        }
    }

    /// Returns the names that a tokenizer itself uses, or else the usual names that its vocabulary
    /// has; `id` returns the id of a subword.
    pub fn in_tokenizer(processor: &Value, padding: &Value, id: &dyn Fn(&str) -> Option<u32>) -> Self {
        let known = |name: &String| id(name).is_some();
        let usual = |names: [&str; 2]| names.map(str::to_owned).into_iter().find(known);
        let usual = Self {
            first: usual(["[CLS]", "<s>"]),
            last: usual(["[SEP]", "</s>"]),
            padding: usual(["[PAD]", "<pad>"]),
        };
        let (first, last) = ends(processor).unzip();
        let padding = padding["pad_token"].as_str().map(str::to_owned).filter(known);
        Self { first: first.filter(known), last: last.filter(known), padding }.or(usual)
    }

    /// Returns the ids of the subwords in a vocabulary of this size.
    ///
    /// # Errors
    /// Names a subword that is missing.
    pub fn ids(&self, subwords: usize, id: &dyn Fn(&str) -> Option<u32>) -> Result<Special, String> {
        let id = |role: &str, name: &Option<String>| {
            let Some(name) = name else {
                return Err(format!("has no subword for {role}: expected the tokenizer of an encoder"));
            };
            let id = id(name).filter(|&id| (id as usize) < subwords);
            id.ok_or_else(|| format!("has no subword {name}, {role}: expected the tokenizer of this encoder"))
        };
        Ok(Special {
            first: id("the beginning of a text", &self.first)?,
            last: id("the end of a text", &self.last)?,
            padding: id("the padding", &self.padding)?,
        })
    }
}

/// Returns the names of the subwords that a processor adds before and after a text.
fn ends(processor: &Value) -> Option<(String, String)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(processors) = processor["processors"].as_array() {
        return processors.iter().find_map(ends);
    }
    if let Some(template) = processor["single"].as_array() {
        let name = |subword: Option<&Value>| text(&subword?["SpecialToken"]["id"]);
        return name(template.first()).zip(name(template.last()));
    }
    text(&processor["cls"][0]).zip(text(&processor["sep"][0]))
}
