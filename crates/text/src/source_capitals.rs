//! Decides which capitals of the source are kept: the constraint on each word.

use super::case::Case;
use super::locale::Locale;
use super::speaker_label::listed_case;
use super::tokens::{Constraint, Tokens, is_left_out};
use super::words::NonSpaceRun;
use majuscule_base::named::NamedValue;

/// The capitals of the input that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Capitalized {
    /// Capitals stay, except in a sentence all in lower case or all in capitals, which is decided anew.
    #[default]
    Auto,
    /// All capitals stay; only words in lower case are decided.
    Keep,
    /// No capitals count: every word is decided.
    Ignore,
}

impl NamedValue for Capitalized {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (
            Self::Auto,
            "auto",
            "Capitals stay, except in a sentence all in lower case or all in capitals, which is restored from scratch",
        ),
        (Self::Keep, "keep", "All capitals stay; only words in lower case are decided"),
        (Self::Ignore, "ignore", "All capitals are ignored: every word is decided"),
    ];
}

/// Reads the capitals of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceCapitals {
    /// The case mappings.
    pub(super) locale: Locale,
    /// The capitals that are kept.
    pub(super) capitalized: Capitalized,
}

impl SourceCapitals {
    /// Returns the constraint on a word.
    #[inline]
    pub(super) fn constraint(
        self,
        word: &str,
        has_capitals: bool,
        apostrophe: Option<DutchApostrophe>,
    ) -> Constraint {
        match has_capitals && self.capitalized != Capitalized::Ignore {
            true => self.kept(word),
            false => DutchApostrophe::constraint(apostrophe),
        }
    }

    /// Keeps the capitals of a word.
    #[inline(never)]
    fn kept(self, word: &str) -> Constraint {
        Constraint::Kept(Case::of(word, self.locale))
    }

    /// Constrains the words of a speaker label, from word `first` on. They keep their case if the label has capitals;
    /// otherwise, listed words get the case that they have in names.
    pub(super) fn constrain_label(self, label: &NonSpaceRun<'_>, first: usize, tokens: &mut Tokens) {
        let NonSpaceRun { text, start, end, base } = *label;
        let has_capitals = text[start..end].contains(char::is_uppercase);
        // If a label is alone on its line, nothing shows whether its capitals are shouted.
        let is_alone = text[end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
        for at in first..tokens.len() {
            let word = &tokens.as_slice()[at];
            let spelled = &text[(word.source.start - base) as usize..(word.source.end - base) as usize];
            let case = Case::of(spelled, self.locale);
            let free = DutchApostrophe::constraint(DutchApostrophe::of(self.locale, word.left, spelled));
            let constraint = match self.capitalized {
                Capitalized::Ignore => free,
                _ if !has_capitals => free,
                Capitalized::Auto if is_alone => Constraint::Fixed(case),
                _ => Constraint::Kept(case),
            };
            let listed = listed_case(tokens.lower(at), at == first);
            tokens.as_mut_slice()[at].constraint = match (constraint, listed) {
                (Constraint::Free, Some(listed)) => Constraint::Kept(listed),
                (constraint, _) => constraint,
            };
        }
    }
}

/// A Dutch word with an apostrophe before it: `'s ochtends`, `'s-Hertogenbosch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DutchApostrophe {
    /// A sentence that opens with `'t` or `'s` has its capital on the next word.
    Clitic,
    /// In `'s-Hertogenbosch` the word itself has the capital.
    Name,
}

impl DutchApostrophe {
    /// Returns the kind of a word with the mark `left` before it. The [lookup key](super::tokens::lower_word) of the
    /// word has the same kind.
    #[inline]
    pub(super) fn of(locale: Locale, left: Option<char>, word: &str) -> Option<Self> {
        if locale != Locale::Dutch || !matches!(left, Some('\'' | '’' | '‘')) {
            return None;
        }
        let mut chars = word.chars().filter(|&c| !is_left_out(c));
        match (chars.next().filter(char::is_ascii), chars.next()) {
            (Some(_), None) => Some(Self::Clitic),
            (Some(_), Some('-')) => Some(Self::Name),
            _ => None,
        }
    }

    /// Returns the constraint on a word whose capitals, if it has any, are not kept.
    #[inline]
    pub(super) fn constraint(apostrophe: Option<Self>) -> Constraint {
        if apostrophe == Some(Self::Clitic) { Constraint::Fixed(Case::Lower) } else { Constraint::Free }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::lower_word;

    #[test]
    fn a_word_and_its_key_are_one_kind_of_clitic() {
        for (word, expected) in [
            ("S", Some(DutchApostrophe::Clitic)),
            ("S\u{ad}", Some(DutchApostrophe::Clitic)),
            ("\u{200c}s\u{ad}-A", Some(DutchApostrophe::Name)),
            ("E\u{301}", None),
            ("D\u{301}", None),
            ("sa", None),
        ] {
            let mut key = String::new();
            lower_word(word, Locale::Dutch, &mut key);
            for word in [word, &key] {
                assert_eq!(DutchApostrophe::of(Locale::Dutch, Some('’'), word), expected, "{word:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_kept_word_comes_out_as_it_is_and_one_without_capitals_is_free(word in "[\\p{L}'-]{1,12}") {
            for locale in [Locale::Root, Locale::Turkic, Locale::Dutch] {
                // `ẞ` has a small letter, which has no capital.
                prop_assume!(!word.contains('ẞ'));
                let lower = locale.lower(&word);
                let [keep, ignore] = [Capitalized::Keep, Capitalized::Ignore]
                    .map(|capitalized| SourceCapitals { locale, capitalized });
                let Constraint::Kept(case) = keep.constraint(&word, true, None) else { unreachable!("it is kept") };
                prop_assert_eq!(case.applied(&lower, locale), word.clone());
                prop_assert_eq!(keep.constraint(&lower, false, None), Constraint::Free);
                prop_assert_eq!(ignore.constraint(&word, true, None), Constraint::Free);
            }
        }
    }
}
