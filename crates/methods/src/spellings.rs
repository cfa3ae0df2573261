//! The case of a word from the class that a model chose, and words in mixed case as models store
//! them: one spelling per line, sorted.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::compounds::Compounds;
use majuscule_text::compound::is_joint;
use majuscule_text::{Capitals, Case, Class, Locale, Tokens};

/// Turns classes into cases. It knows the capitals of words in mixed case, each looked up by a key
/// of type `K`.
#[derive(Debug)]
pub struct ClassCases<K> {
    mixed: FxHashMap<K, Capitals>,
    text: String,
    locale: Locale,
    compounds: OnceLock<Compounds>,
}

impl<K: Hash + Eq> ClassCases<K> {
    /// Reads a text of spellings; `key` returns the key of a word in lower case.
    pub fn new(text: String, locale: Locale, key: impl Fn(&str) -> K) -> Self {
        let mixed = read(&text, locale).map(|(lower, case)| (key(&lower), case.capitals(&lower, locale)));
        Self { mixed: mixed.collect(), text, locale, compounds: OnceLock::new() }
    }

    /// Returns the text of the spellings.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the locale, which defines the case mappings.
    pub fn locale(&self) -> Locale {
        self.locale
    }

    /// Returns the capitals of the word with this key; `None` if it is not a known word in mixed case.
    pub fn mixed<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<Capitals>
    where
        K: Borrow<Q>,
    {
        self.mixed.get(key).copied()
    }

    /// Returns the capitals of a compound in mixed case whose spelling is not known, from the capitals
    /// of its parts. `known` returns the case of a part that the model knows. Returns `None` for a word
    /// without parts.
    pub fn compound(&self, lower: &str, known: impl Fn(&str) -> Option<Case>) -> Option<Capitals> {
        let compounds = || self.compounds.get_or_init(|| Compounds::new(&self.text, self.locale));
        lower.contains(is_joint).then(compounds)?.mixed(lower, self.locale, known)
    }

    /// Returns the case of a word of a class; `mixed` holds its capitals in mixed case. Returns `None`
    /// for the class of mixed case if `mixed` is `None`.
    pub fn case(&self, class: Class, lower: &str, mixed: Option<Capitals>) -> Option<Case> {
        let capitals = match class {
            Class::Lower => return Some(Case::Lower),
            Class::Title => Case::Title.capitals(lower, self.locale),
            Class::Upper => Case::Upper.capitals(lower, self.locale),
            Class::Mixed => mixed?,
        };
        Some(Case::of_capitals(capitals, lower, self.locale))
    }
}

/// Reads the lower case and the case of each spelling. Dutch text sometimes has `Ijsland` for
/// `IJsland`. This incomplete title case is read as title case, so that no model learns to write it.
pub fn read(text: &str, locale: Locale) -> impl Iterator<Item = (String, Case)> {
    text.lines().map(move |spelling| {
        let tokens = Tokens::of_words([spelling], locale);
        let case = match Case::of(spelling, locale) {
            Case::Mixed(capitals) if capitals == Case::Title.capitals(spelling, Locale::Root) => Case::Title,
            case => case,
        };
        (tokens.lower(0).to_owned(), case)
    })
}

/// Returns the spellings of words with their cases as a text.
pub fn write<'a>(cases: impl IntoIterator<Item = (&'a String, Case)>, locale: Locale) -> String {
    let spelling = |(lower, case): (&String, Case)| case.applied(lower, locale);
    let mut spellings: Vec<String> = cases.into_iter().map(spelling).collect();
    spellings.sort_unstable();
    spellings.iter().flat_map(|spelling| [spelling, "\n"]).collect()
}

/// Returns the most frequent of several cases, or the first of equally frequent ones.
pub fn most_frequent<N: Ord>(cases: &std::collections::BTreeMap<Case, N>) -> Option<Case> {
    cases.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0))).map(|(case, _)| *case)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_dutch_title_case_is_a_title_case() {
        let cases = |locale| read("Ijsland\nIJmuiden\niPhone\nMcDonald\n", locale).map(|(_, case)| case);
        let [phone, donald] = ["iPhone", "McDonald"].map(|word| Case::of(word, Locale::Root));
        assert!(cases(Locale::Dutch).eq([Case::Title, Case::Title, phone, donald]));
        let [ij, title] = [Case::of("IJmuiden", Locale::Root), Case::Title];
        assert!(cases(Locale::Root).eq([title, ij, phone, donald]));
    }
}
