//! Words for offices and institutions, which writers capitalise inconsistently.

use std::collections::BTreeSet;

use majuscule_text::Language;

/// The words for offices and institutions in the languages of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OfficeWords(BTreeSet<&'static str>);

impl OfficeWords {
    /// Returns the words of one or more languages: `en`, `pt-BR`, `en,fr`. A language without a list adds no words.
    ///
    /// ```
    /// use majuscule_train::eval::offices::OfficeWords;
    ///
    /// let offices = OfficeWords::of("en,fr");
    /// assert!(offices.contains("commissioners") && offices.contains("l'assemblée"));
    /// assert!(!offices.contains("burgemeester"));
    /// ```
    pub fn of(languages: &str) -> Self {
        let tags = languages.split(',').map(str::trim);
        let known = tags.filter_map(|tag| Language::of(&tag.to_ascii_lowercase()));
        Self(known.flat_map(|language| language.institutions.split_whitespace()).collect())
    }

    /// Returns true if a lower-case word denotes an office or institution. The word may include an elided article
    /// (`l'assemblée`) or end in a genitive (`president's`) or a plural `s`.
    pub fn contains(&self, lower: &str) -> bool {
        let apostrophe = ['\'', '’'];
        let lower = ["'s", "’s"].iter().find_map(|ending| lower.strip_suffix(ending)).unwrap_or(lower);
        let bare = match lower.split_once(apostrophe) {
            Some((article, noun)) if article.chars().count() <= 2 => noun,
            _ => lower.trim_end_matches(apostrophe),
        };
        self.0.contains(bare) || bare.strip_suffix('s').is_some_and(|singular| self.0.contains(singular))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_genitive_a_plural_and_an_article_belong_to_the_word() {
        let english = OfficeWords::of("en-GB");
        for office in ["president", "president's", "presidents", "presidents'", "commission’s"] {
            assert!(english.contains(office), "{office}");
        }
        for other in ["presidential", "s", "", "'"] {
            assert!(!english.contains(other), "{other}");
        }
        assert!(!OfficeWords::of("auto").contains("president"));
    }
}
