//! Words formed from listed words: `iPhone's`, `iPhone-Käufer`, `US-Präsident`, `UFOs`; and names with `Mc`.

use super::tables::mixed;
use super::{Word, Words};
use crate::compound::is_joint;
use crate::{Capitals, Case};

/// The endings after an apostrophe that do not change the spelling of the stem.
const CLITICS: [&str; 6] = ["s", "ll", "d", "ve", "re", "m"];

/// The beginning of names with two capitals.
pub(super) const MC: &[u8] = b"mc";

/// The letters of Roman numbers.
const ROMAN: [char; 7] = ['m', 'd', 'c', 'l', 'x', 'v', 'i'];

/// The beginnings of names that families write in two ways: `MacDonald`, `Macdonald`.
const TWO_WAYS: [&str; 3] = ["mac", "fitz", "dupont"];

/// The fewest letters of an acronym whose plural counts without being listed.
const LONG_ACRONYM: usize = 3;

/// The fewest letters of a name after `Mc`.
const LONG_NAME: usize = 3;

impl Words<'_> {
    /// Returns the case of a word that is formed from a word in a list.
    pub(super) fn derived(&self, word: Word<'_>) -> Option<Case> {
        let (stem, rest) = word.lower.split_at(word.lower.find(is_joint).unwrap_or(word.lower.len()));
        let ending = rest.trim_start_matches(is_joint);
        let capitals = match rest.chars().next() {
            None => self.plural(stem).or_else(|| self.listed(word)).or_else(|| self.mc(stem))?,
            Some('\'') if CLITICS.contains(&ending) => self.stem(stem).or_else(|| self.mc(stem))?,
            Some(joint) if joint != '\'' && !ending.is_empty() => {
                let capitals = self.stem(stem).or_else(|| self.acronym(stem, word))?;
                self.in_compound(capitals, stem, word)
            }
            _ => return None,
        };
        Some(Case::of_capitals(capitals, word.lower, self.conventions.locale))
    }

    /// Returns the capitals of a compound whose first part has the capitals `first`: the other parts keep the
    /// capitals that the method chose, unless it chose capitals for all letters, as in a heading.
    fn in_compound(&self, Capitals(first): Capitals, part: &str, word: Word<'_>) -> Capitals {
        let locale = self.conventions.locale;
        let chosen = if word.case == Case::Upper { 0 } else { word.case.capitals(word.lower, locale).0 };
        let of_part = (1u64 << locale.letter_count(part).min(63)) - 1;
        Capitals(first | chosen & !of_part)
    }

    /// Returns the capitals of a spelling.
    fn capitals(&self, spelling: &str) -> Capitals {
        Case::of(spelling, self.conventions.locale).capitals(spelling, self.conventions.locale)
    }

    /// Returns the capitals of a word that a list has in mixed case, and that the method took for a plain name or
    /// an acronym: `Youtube`, `IPHONE`.
    fn listed(&self, word: Word<'_>) -> Option<Capitals> {
        let listed = mixed(word.lower)?;
        let counts = match word.case {
            Case::Upper => true,
            Case::Title => {
                listed.starts_with(char::is_uppercase)
                    && !TWO_WAYS.iter().any(|name| word.lower.starts_with(name))
            }
            _ => false,
        };
        counts.then(|| self.capitals(listed))
    }

    /// Returns the capitals of a word that lists spell in mixed case, or of its plural or genitive.
    fn stem(&self, stem: &str) -> Option<Capitals> {
        mixed(stem).or_else(|| mixed(stem.strip_suffix('s')?)).map(|listed| self.capitals(listed))
    }

    /// Returns the capitals of an acronym before a hyphen, if the method gave the word a capital.
    fn acronym(&self, stem: &str, word: Word<'_>) -> Option<Capitals> {
        let locale = self.conventions.locale;
        let has_capital = word.case != Case::Upper && word.case.capitals(word.lower, locale).contains(0);
        self.tables.acronym(stem).filter(|_| has_capital).map(|listed| self.capitals(listed))
    }

    /// Returns the capitals of the plural or genitive of a word in mixed case, or of an acronym.
    fn plural(&self, lower: &str) -> Option<Capitals> {
        let stem = lower.strip_suffix('s')?;
        let of_mixed = || if mixed(lower).is_none() { self.stem(stem) } else { None };
        let is_acronym =
            || stem.len() >= LONG_ACRONYM && self.tables.language.pluralizes && self.tables.is_acronym(stem);
        of_mixed().or_else(|| is_acronym().then(|| Case::Upper.capitals(stem, self.conventions.locale)))
    }

    /// Returns the capitals of a name with `Mc`: `McNulty`, but `mcmxcix`.
    fn mc(&self, lower: &str) -> Option<Capitals> {
        let name = lower.strip_prefix("mc")?;
        let is_name = name.chars().count() >= LONG_NAME
            && name.chars().all(char::is_alphabetic)
            && !name.chars().all(|c| ROMAN.contains(&c))
            && mixed(lower).is_none();
        is_name.then_some(Capitals(0b101))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::spelled;
    use crate::Case;

    #[test]
    fn a_stem_in_mixed_case_keeps_it_before_an_ending() {
        let text = "the iphone's and ebay's, macleod's, iphone-like, ebay'll, us's, o'neil's";
        let expected = "the iPhone's and eBay's, MacLeod's, iPhone-like, eBay'll, us's, o'neil's";
        assert_eq!(spelled("en", text, Case::Lower), expected);
        assert_eq!(spelled("en", "my Iphone's", Case::Title), "My iPhone's");
        assert_eq!(
            spelled("de", "macleods haus, iphones, modems", Case::Lower),
            "MacLeods haus, iphones, modems"
        );
        assert_eq!(spelled("nl", "de iphone's", Case::Upper), "DE iPhone's");
    }

    #[test]
    fn a_name_of_the_list_is_no_plain_name() {
        let text = "youtube ebook mackay blackberry iphone";
        assert_eq!(spelled("en", text, Case::Title), "YouTube Ebook Mackay Blackberry Iphone");
        assert_eq!(spelled("en", text, Case::Upper), "YouTube eBook MacKay BLACKBERRY iPhone");
        assert_eq!(spelled("en", text, Case::Lower), text);
    }

    #[test]
    fn an_acronym_or_a_brand_before_a_hyphen_keeps_its_capitals() {
        assert_eq!(spelled("de", "us-präsident kfz-steuer", Case::Title), "US-präsident Kfz-steuer");
        assert_eq!(spelled("de", "iphone-käufer us-präsident", Case::Lower), "iPhone-käufer us-präsident");
        assert_eq!(spelled("en", "us-led al-qaida", Case::Title), "Us-led Al-qaida");
    }

    #[test]
    fn plurals_of_acronyms_have_a_small_s() {
        assert_eq!(
            spelled("en", "two ufos and gps, the mps, aids", Case::Lower),
            "two UFOs and gps, the mps, aids"
        );
    }

    #[test]
    fn a_name_with_mc_has_two_capitals() {
        let text = "mcevoy met mr mcnulty, mchale's, mcmxcix, mcs, mcg";
        assert_eq!(spelled("en", text, Case::Lower), "McEvoy met Mr McNulty, McHale's, mcmxcix, mcs, mcg");
        assert_eq!(spelled("en", "mcnulty mci", Case::Upper), "McNulty MCI");
    }
}
