//! The lists of `lexicons/` that settle the case of a word, read once.

use std::hash::Hasher;
use std::sync::{LazyLock, OnceLock};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};

use super::pairs::WordPair;
use super::stems::MC;
use crate::language::{ConventionFacts, Language};
use crate::sentence::{Abbreviation, Abbreviations};
use crate::word_list::entries;
use crate::{Case, Locale, Token};

/// The acronyms of all languages, one per line.
const ACRONYMS: &str = majuscule_lexicons::ACRONYMS;

/// The words in mixed case, one per line.
const MIXED_LIST: &str = majuscule_lexicons::MIXED;

/// The tables of one language.
#[derive(Debug)]
pub(super) struct LanguageTables {
    pub(super) language: &'static Language,
    pub(super) facts: &'static ConventionFacts,
    pub(super) abbreviations: &'static Abbreviations,
    pub(super) pairs: Vec<WordPair>,
    /// The words whose case a neighbour decides.
    paired: FxHashSet<&'static str>,
    /// The words that conventions may concern without an adjacent mark: abbreviations, titles, words whose case a
    /// neighbour decides, epithets of species, and words in mixed case and acronyms, also in the plural.
    filter: WordFilter,
    acronyms: OnceLock<ByLower>,
    common: FxHashSet<&'static str>,
    /// The words of address before a name.
    pub(super) titles: FxHashSet<&'static str>,
    /// The offices before a name.
    pub(super) offices: FxHashSet<&'static str>,
    /// The particles of names.
    pub(super) particles: FxHashSet<&'static str>,
    /// The first words of abbreviations of two words.
    firsts: Vec<&'static str>,
}

/// A filter of words: one bit for each hash of their length and four of their letters. It saves the look-up of most
/// words that are not in a list.
#[derive(Debug, Clone)]
struct WordFilter(Box<[u64; 1024]>);

impl WordFilter {
    /// Makes a filter of the words of lists, each also with a final `s`.
    fn of(lists: [&'static str; 3]) -> Self {
        let mut filter = Self(Box::new([0; 1024]));
        for word in lists.into_iter().flat_map(words) {
            filter.add(word);
            filter.add(&[word, "s"].concat());
        }
        filter
    }

    /// Adds a word, ignoring case.
    fn add(&mut self, word: &str) {
        let place = Self::place(word.as_bytes());
        self.0[place / 64] |= 1 << (place % 64);
    }

    /// Returns the index of a word among the 65,536 bits, ignoring case. All words of one byte have the same.
    #[inline]
    fn place(word: &[u8]) -> usize {
        let [first, second, ..] = *word else { return 0 };
        let letters = [first, second, word[word.len() / 2], word[word.len() - 1]];
        let key = (u32::from_le_bytes(letters) | 0x2020_2020).wrapping_add(word.len() as u32);
        (key.wrapping_mul(0x9e37_79b1) >> 16) as usize
    }

    /// Returns false if the word was not added.
    #[inline]
    fn may_have(&self, word: &[u8]) -> bool {
        let place = Self::place(word);
        self.0[place / 64] >> (place % 64) & 1 == 1
    }
}

static TABLES: [OnceLock<LanguageTables>; Language::ALL.len()] =
    [const { OnceLock::new() }; Language::ALL.len()];

impl LanguageTables {
    /// Returns the tables of a language, by its tag (`pt-BR` is `pt`); `None` for a language without
    /// them.
    pub(super) fn of(language: &str) -> Option<&'static Self> {
        let at = Language::position(language)?;
        let facts = Language::ALL[at].conventions.as_ref()?;
        Some(TABLES[at].get_or_init(|| Self::new(Language::ALL[at], facts)))
    }

    fn new(language: &'static Language, facts: &'static ConventionFacts) -> Self {
        let abbreviations = Abbreviations::of(language.tag);
        let firsts: Vec<&str> =
            abbreviations.entries.values().filter_map(|entry| entry.after.as_deref()).collect();
        let mut filter = WordFilter::of([MIXED_LIST, ACRONYMS, language.acronyms]);
        abbreviations.entries.keys().chain(SPECIES.keys()).for_each(|word| filter.add(word));
        let [common, titles, offices, particles] =
            [facts.common, facts.titles, facts.offices, facts.particles]
                .map(|list| list.split_ascii_whitespace().collect::<FxHashSet<_>>());
        let pairs = WordPair::read(facts);
        let paired: FxHashSet<_> = pairs.iter().flat_map(WordPair::cased).collect();
        titles.iter().chain(&offices).chain(&paired).for_each(|word| filter.add(word));
        let acronyms = OnceLock::new();
        Self {
            language,
            facts,
            abbreviations,
            pairs,
            paired,
            filter,
            acronyms,
            common,
            titles,
            offices,
            particles,
            firsts,
        }
    }

    /// Returns the entry of a word in lower case.
    #[inline]
    pub(super) fn abbreviation(&self, lower: &str) -> Option<&'static Abbreviation> {
        self.abbreviations.entries.get(lower)
    }

    /// Returns true if a word begins an abbreviation of two words: `et al`.
    pub(super) fn begins(&self, lower: &str, next: &str) -> bool {
        self.abbreviation(next).is_some_and(|entry| entry.after.as_deref() == Some(lower))
    }

    /// Returns true if a word begins some abbreviation of two words.
    pub(super) fn begins_any(&self, lower: &[u8]) -> bool {
        self.firsts.iter().any(|first| first.as_bytes() == lower)
    }

    /// Returns true if a word in lower case is common and no name.
    pub(super) fn is_common(&self, lower: &str) -> bool {
        self.common.contains(lower)
    }

    /// Returns false if a word in lower case counts only with an adjacent mark: no list has it, and it is not a name
    /// with `Mc`.
    #[inline]
    pub(super) fn may_count(&self, lower: &[u8]) -> bool {
        self.filter.may_have(lower) || lower.starts_with(MC)
    }

    /// Returns true if a pair decides the case of a word.
    #[inline]
    pub(super) fn is_paired(&self, lower: &str) -> bool {
        self.paired.contains(lower)
    }

    /// Returns true if a name may follow a word.
    pub(super) fn is_title(&self, lower: &str, token: &Token) -> bool {
        let is_short = self.abbreviation(lower).is_some_and(|entry| {
            entry.is_title && (entry.is_bare || token.right == Some('.') && !entry.ends)
        });
        is_short || self.titles.contains(lower) || self.offices.contains(lower)
    }

    /// Returns true if letters in lower case are an acronym.
    pub(super) fn is_acronym(&self, lower: &str) -> bool {
        self.acronym(lower).is_some()
    }

    /// Returns the spelling of an acronym in lower case.
    pub(super) fn acronym(&self, lower: &str) -> Option<&'static str> {
        let acronyms = || by_lower([ACRONYMS, self.language.acronyms].into_iter().flat_map(words));
        self.acronyms.get_or_init(acronyms).get(lower).copied()
    }
}

/// Words by their lower case.
type ByLower = FxHashMap<Box<str>, &'static str>;

fn by_lower(words: impl Iterator<Item = &'static str>) -> ByLower {
    words.map(|word| (word.to_lowercase().into(), word)).collect()
}

/// Returns the entries of a list without flags.
fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    entries(list, &[]).map(|entry| entry.words)
}

/// Words of the list in mixed case that are also words in lower case.
const COMMON: [&str; 5] = ["BlackBerry", "FrontPage", "MoDem", "TypeScript", "WiFi"];

/// The words in mixed case, by their lower case.
static MIXED: LazyLock<ByLower> = LazyLock::new(|| {
    let is_mixed = |word: &&str| {
        !word.contains([' ', '-'])
            && matches!(Case::of(word, Locale::Root), Case::Mixed(_))
            && !COMMON.contains(word)
    };
    by_lower(words(MIXED_LIST).filter(is_mixed))
});

/// Returns the spelling of a word that the list has in mixed case.
pub(super) fn mixed(lower: &str) -> Option<&'static str> {
    MIXED.get(lower).copied()
}

/// Units, quotients of units and ions, by their lower case.
static UNITS: LazyLock<ByLower> = LazyLock::new(|| by_lower(words(majuscule_lexicons::UNITS)));

/// Returns the spelling of a unit, a quotient (`mg/dl`) or an ion (`ca2+`) in lower case.
pub(super) fn unit(lower: &str) -> Option<&'static str> {
    UNITS.get(lower).copied()
}

/// Returns true if a word is the second name of a species.
pub(super) fn is_epithet(lower: &str) -> bool {
    SPECIES.contains_key(lower)
}

/// The genera of each epithet, all in lower case.
static SPECIES: LazyLock<FxHashMap<Box<str>, Vec<Box<str>>>> = LazyLock::new(|| {
    let mut genera: FxHashMap<Box<str>, Vec<Box<str>>> = FxHashMap::default();
    for (genus, epithet) in words(majuscule_lexicons::SPECIES).filter_map(|species| species.split_once(' ')) {
        genera.entry(epithet.into()).or_default().push(genus.to_lowercase().into());
    }
    genera
});

/// Returns true if `epithet` is the second name of a species whose genus, or its first letter, is
/// `genus`.
pub(super) fn is_species(genus: &str, epithet: &str) -> bool {
    let is_genus = |of: &str| of == genus || genus.len() == 1 && of.starts_with(genus);
    SPECIES.get(epithet).is_some_and(|genera| genera.iter().any(|of| is_genus(of)))
}

/// Names of people and places of one word with one capital, by the hash of their lower case.
static NAMES: LazyLock<FxHashMap<u64, &'static str>> = LazyLock::new(|| {
    let lists = [majuscule_lexicons::NAMES, majuscule_lexicons::PLACES];
    let is_name = |name: &&str| {
        let mut letters = name.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.all(|c| c.is_lowercase() || c == '-')
    };
    let names = lists.into_iter().flat_map(str::lines).filter(is_name);
    let mut all = FxHashMap::with_capacity_and_hasher(8192, FxBuildHasher);
    all.extend(names.map(|name| (hash_lower(name), name)));
    all
});

/// Returns a hash of the letters of a word in lower case.
fn hash_lower(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    word.chars().flat_map(char::to_lowercase).for_each(|c| hasher.write_u32(c as u32));
    hasher.finish()
}

/// Returns true if a word in lower case is a name of the lists.
pub(super) fn is_name(lower: &str) -> bool {
    let name = NAMES.get(&hash_lower(lower));
    name.is_some_and(|name| name.chars().flat_map(char::to_lowercase).eq(lower.chars()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_abbreviation_is_spelled_as_its_list_spells_it() {
        let english = LanguageTables::of("en-GB").unwrap();
        let case = |word| english.abbreviation(word).map(|entry| entry.case);
        assert_eq!(case("jr"), Some(Some(Case::Title)));
        assert_eq!(case("vs"), Some(Some(Case::Lower)));
        assert_eq!(case("dept"), Some(Some(Case::Title)));
        assert_eq!(case("fig"), Some(None));
        assert_eq!(case("london"), None);
        assert_eq!(english.abbreviation("al").unwrap().after.as_deref(), Some("et"));
        assert!(LanguageTables::of("pl").is_none() && LanguageTables::of("").is_none());
    }

    #[test]
    fn lists_hold_what_they_are_asked_for() {
        assert_eq!(
            [unit("kwh"), unit("mg/dl"), unit("ca2+"), unit("cat")],
            [Some("kWh"), Some("mg/dL"), Some("Ca2+"), None]
        );
        assert!(is_species("e", "coli") && is_species("escherichia", "coli") && !is_species("s", "coli"));
        assert!(is_name("olaf") && !is_name("olive"));
    }

    #[test]
    fn no_unit_has_two_spellings() {
        assert_eq!(words(majuscule_lexicons::UNITS).count(), UNITS.len());
    }
}
