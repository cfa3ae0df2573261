//! A house style: optional rules on capitals that are a matter of taste.

use std::str::FromStr;

use majuscule_base::error::{Error, Result};
use majuscule_base::named::NamedValue;

/// A rule of a house style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StyleRule {
    /// Offices and institutions have small letters, unless they belong to a name: `the president`, but
    /// `President Lincoln` and `the European Commission`.
    SmallOffices,
    /// The words of headings have capitals as in English titles.
    TitleHeadings,
    /// The first word of each list item has a capital.
    CapitalItems,
}

impl NamedValue for StyleRule {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (
            Self::SmallOffices,
            "small-offices",
            "Offices and institutions in small letters: \"the president\", but \"President Lincoln\"",
        ),
        (
            Self::TitleHeadings,
            "title-headings",
            "Capitals as in English titles in headings, which begin with # or =",
        ),
        (Self::CapitalItems, "capital-items", "A capital at the beginning of each list item"),
    ];
}

/// The rules of a house style.
///
/// ```
/// use majuscule::{HouseStyle, StyleRule};
///
/// let style: HouseStyle = "small-offices,capital-items".parse()?;
/// assert!(style.has(StyleRule::CapitalItems) && !style.has(StyleRule::TitleHeadings));
/// # Ok::<(), majuscule::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct HouseStyle(u8);

impl HouseStyle {
    /// Returns true if a rule holds.
    #[inline]
    pub fn has(self, rule: StyleRule) -> bool {
        self.0 >> rule as u8 & 1 == 1
    }

    /// Returns true if no rule holds.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl FromIterator<StyleRule> for HouseStyle {
    fn from_iter<T: IntoIterator<Item = StyleRule>>(rules: T) -> Self {
        Self(rules.into_iter().fold(0, |rules, rule| rules | 1 << rule as u8))
    }
}

impl FromStr for HouseStyle {
    type Err = Error;

    /// Reads the names of rules with commas between them.
    fn from_str(text: &str) -> Result<Self> {
        let rule = |name: &str| {
            StyleRule::of_name(name).ok_or_else(|| {
                let names: Vec<_> = StyleRule::VALUES.iter().map(|(_, name, _)| *name).collect();
                Error::usage(format!(
                    "\"{name}\" is not a style rule: expected one or more of {}, with commas between them",
                    names.join(", ")
                ))
            })
        };
        text.split(',').map(rule).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_by_name_and_an_unknown_one_is_refused() {
        let style: HouseStyle = "title-headings,small-offices".parse().unwrap();
        let rules = [StyleRule::SmallOffices, StyleRule::TitleHeadings, StyleRule::CapitalItems];
        assert_eq!(rules.map(|rule| style.has(rule)), [true, true, false]);
        for wrong in ["", "offices", "small-offices,", "small-offices, capital-items"] {
            let error = wrong.parse::<HouseStyle>().unwrap_err().to_string();
            assert!(error.contains("expected one or more of small-offices, "), "{error}");
        }
    }
}
