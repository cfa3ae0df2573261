//! The lists of `lexicons/` that settle the case of a word, read once.

use std::hash::Hasher;
use std::sync::{LazyLock, OnceLock};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};

use super::stems::MC;
use crate::language::{ConventionFacts, Language, WordPair};
use crate::sentence::FLAGS;
use crate::word_list::entries;
use crate::{Case, Locale, Token};

/// An abbreviation of a language.
#[derive(Debug)]
pub(super) struct Abbreviation {
    /// Its case; `None` if the case depends on the text but is never all capitals.
    pub(super) case: Option<Case>,
    /// The word that must be before it: `et` before `al`.
    pub(super) after: Option<Box<str>>,
    /// True if it counts only before a number.
    pub(super) needs_number: bool,
    /// True if it counts before a word that continues the sentence as well.
    pub(super) may_continue: bool,
    /// True if it may end a sentence.
    pub(super) ends: bool,
    /// True if the name of a person follows.
    pub(super) is_title: bool,
    /// True if it counts without a full stop too.
    pub(super) is_bare: bool,
}

/// The acronyms of all languages, one per line.
const ACRONYMS: &str = majuscule_lexicons::ACRONYMS;

/// The words in mixed case, one per line.
const MIXED_LIST: &str = majuscule_lexicons::MIXED;

/// The tables of one language.
#[derive(Debug)]
pub(super) struct LanguageTables {
    pub(super) language: &'static Language,
    pub(super) facts: &'static ConventionFacts,
    abbreviations: FxHashMap<Box<str>, Abbreviation>,
    /// The abbreviations, and the first words of abbreviations of two words.
    filter: WordFilter,
    /// The words whose case a neighbour decides.
    pair_filter: WordFilter,
    /// The words of one letter whose case a neighbour decides, one bit for each letter.
    paired_letters: u32,
    /// The words that count without an adjacent mark: titles, abbreviations with a capital (`mr`), words whose case a
    /// neighbour decides, words in mixed case and acronyms; each word also with a final `s`.
    plain_filter: PlainFilter,
    acronyms: OnceLock<FxHashMap<Box<str>, &'static str>>,
    common: FxHashSet<&'static str>,
    /// The words of address before a name.
    pub(super) titles: FxHashSet<&'static str>,
    /// The offices before a name.
    pub(super) offices: FxHashSet<&'static str>,
    /// The particles of names.
    pub(super) particles: FxHashSet<&'static str>,
    /// The first words of abbreviations of two words.
    firsts: Vec<Box<str>>,
}

/// A filter of words: one bit for each hash of their length, first and last byte. It saves the look-up of most words
/// that are not in a list.
#[derive(Debug, Clone, Copy)]
struct WordFilter([u64; 64]);

impl WordFilter {
    const EMPTY: Self = Self([0; 64]);

    /// Returns the index of a word among the 4,096 bits.
    #[inline]
    fn place(word: &[u8]) -> usize {
        match word {
            [first, .., last] => (usize::from(*first) ^ usize::from(*last) << 5 ^ word.len() << 9) & 4095,
            _ => 0,
        }
    }

    fn add(&mut self, word: &str) {
        let place = Self::place(word.as_bytes());
        self.0[place / 64] |= 1 << (place % 64);
    }

    /// Returns false if the word was not added.
    #[inline]
    fn may_have(&self, word: &[u8]) -> bool {
        let place = Self::place(word);
        self.0[place / 64] >> (place % 64) & 1 == 1
    }
}

/// A filter of words: one bit for each hash of their length and four of their letters.
#[derive(Debug, Clone)]
struct PlainFilter(Box<[u64; 1024]>);

impl PlainFilter {
    /// Makes a filter of the words of lists. Comments in the lists are skipped.
    fn of(lists: &[&str]) -> Self {
        let mut filter = Self(Box::new([0; 1024]));
        let lines = lists.iter().flat_map(|list| list.as_bytes().split(|&byte| byte == b'\n'));
        lines.for_each(|line| filter.add(line));
        filter
    }

    /// Adds a word, and the word with a final `s`, ignoring case.
    fn add(&mut self, word: &[u8]) {
        if let [first, second, ..] = *word
            && first != b'#'
        {
            let last = word[word.len() - 1];
            let plural = word.get(word.len().div_ceil(2)).map_or(b's', |&middle| middle);
            for place in [
                Self::place([first, second, word[word.len() / 2], last], word.len()),
                Self::place([first, second, plural, b's'], word.len() + 1),
            ] {
                self.0[place / 64] |= 1 << (place % 64);
            }
        }
    }

    /// Returns the index, among the 65,536 bits, of a word with these first two, middle and last letters,
    /// ignoring case.
    #[inline]
    fn place(letters: [u8; 4], len: usize) -> usize {
        let key = (u32::from_le_bytes(letters) | 0x2020_2020).wrapping_add(len as u32);
        (key.wrapping_mul(0x9e37_79b1) >> 16) as usize
    }

    /// Returns false if the word was not added.
    #[inline]
    fn may_have(&self, word: &[u8]) -> bool {
        let [first, second, ..] = *word else { return false };
        let place = Self::place([first, second, word[word.len() / 2], word[word.len() - 1]], word.len());
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
        let (mut abbreviations, mut filter) = (FxHashMap::default(), WordFilter::EMPTY);
        let mut plain_filter = PlainFilter::of(&[MIXED_LIST, ACRONYMS, facts.acronyms]);
        for entry in entries(language.abbreviations, &FLAGS) {
            let (after, word) = match entry.words.rsplit_once(' ') {
                Some((after, word)) => (Some(after.to_lowercase().into()), word),
                None => (None, entry.words),
            };
            let lower = word.to_lowercase();
            let abbreviation = Abbreviation {
                case: (!entry.has("ANY")).then(|| Case::of(word, Locale::Root)),
                after,
                needs_number: entry.has("NUMBER") || entry.has("SMALL") && !entry.has("LAST"),
                may_continue: entry.has("SMALL"),
                ends: entry.has("LAST"),
                is_title: entry.has("NAME"),
                is_bare: entry.has("BARE"),
            };
            filter.add(&lower);
            if let Some(first) = &abbreviation.after {
                filter.add(first);
            }
            let is_capital = abbreviation.case.is_some_and(Case::is_slot);
            if abbreviation.is_bare && (abbreviation.is_title || is_capital) {
                plain_filter.add(lower.as_bytes());
            }
            abbreviations.insert(lower.into(), abbreviation);
        }
        let [common, titles, offices, particles] =
            [facts.common, facts.titles, facts.offices, facts.particles]
                .map(|list| list.split_terminator(' ').collect::<FxHashSet<_>>());
        titles.union(&offices).for_each(|title| plain_filter.add(title.as_bytes()));
        let (mut pair_filter, mut paired_letters) = (WordFilter::EMPTY, 0);
        for word in facts.pairs.iter().flat_map(WordPair::cased) {
            match *word.as_bytes() {
                [letter] => paired_letters |= 1 << (letter % 32),
                _ => pair_filter.add(word),
            }
            plain_filter.add(word.as_bytes());
        }
        let firsts = abbreviations.values().filter_map(|entry: &Abbreviation| entry.after.clone());
        let firsts = firsts.collect();
        let acronyms = OnceLock::new();
        Self {
            language,
            facts,
            abbreviations,
            filter,
            pair_filter,
            paired_letters,
            plain_filter,
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
    pub(super) fn abbreviation(&self, lower: &str) -> Option<&Abbreviation> {
        if self.filter.may_have(lower.as_bytes()) { self.abbreviations.get(lower) } else { None }
    }

    /// Returns true if a word begins an abbreviation of two words: `et al`.
    pub(super) fn begins(&self, lower: &str, next: &str) -> bool {
        self.abbreviation(next).is_some_and(|entry| entry.after.as_deref() == Some(lower))
    }

    /// Returns true if a word begins some abbreviation of two words.
    pub(super) fn begins_any(&self, lower: &str) -> bool {
        self.firsts.iter().any(|first| **first == *lower)
    }

    /// Returns true if a word in lower case is common and no name.
    pub(super) fn is_common(&self, lower: &str) -> bool {
        self.common.contains(lower)
    }

    /// Returns false if a word is neither an abbreviation nor the first word of an abbreviation of two words.
    #[inline]
    pub(super) fn may_be_abbreviation(&self, lower: &[u8]) -> bool {
        self.filter.may_have(lower)
    }

    /// Returns false if a word of more than one letter counts only with an adjacent mark: it is not a title
    /// before a name, not in a pair, not formed from a listed word, and not a name with `Mc`.
    #[inline]
    pub(super) fn may_count(&self, lower: &[u8]) -> bool {
        self.plain_filter.may_have(lower) || lower.starts_with(MC)
    }

    /// Returns false if no pair decides the case of a word.
    #[inline]
    pub(super) fn may_pair(&self, lower: &[u8]) -> bool {
        match lower {
            [letter] => self.paired_letters >> (letter % 32) & 1 == 1,
            word => self.pair_filter.may_have(word),
        }
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
        let acronyms = || {
            let acronyms = [ACRONYMS, self.facts.acronyms].into_iter().flat_map(|list| entries(list, &[]));
            acronyms.map(|entry| (entry.words.to_lowercase().into(), entry.words)).collect()
        };
        self.acronyms.get_or_init(acronyms).get(lower).copied()
    }
}

/// Words of the list in mixed case that are also words in lower case.
const COMMON: [&str; 5] = ["blackberry", "frontpage", "modem", "typescript", "wifi"];

/// The words in mixed case, by their lower case.
static MIXED: LazyLock<FxHashMap<Box<str>, &'static str>> = LazyLock::new(|| {
    let words = entries(MIXED_LIST, &[]).map(|entry| entry.words);
    let is_mixed = |word: &&str| matches!(Case::of(word, Locale::Root), Case::Mixed(_));
    let words = words.filter(|word| !word.contains([' ', '-'])).filter(is_mixed);
    let words = words.map(|word| (word.to_lowercase().into(), word));
    words.filter(|(lower, _): &(Box<str>, _)| !COMMON.contains(&&**lower)).collect()
});

/// Returns the spelling of a word that the list has in mixed case.
pub(super) fn mixed(lower: &str) -> Option<&'static str> {
    MIXED.get(lower).copied()
}

/// Units, quotients of units and ions, by their lower case.
static UNITS: LazyLock<FxHashMap<Box<str>, &'static str>> = LazyLock::new(|| {
    let list = entries(majuscule_lexicons::UNITS, &[]);
    list.map(|unit| (unit.words.to_lowercase().into(), unit.words)).collect()
});

/// Returns the spelling of a unit, a quotient (`mg/dl`) or an ion (`ca2+`) in lower case.
pub(super) fn unit(lower: &str) -> Option<&'static str> {
    UNITS.get(lower).copied()
}

/// The filter of the second names of species.
static EPITHETS: LazyLock<WordFilter> = LazyLock::new(|| {
    let mut filter = WordFilter::EMPTY;
    let species = entries(majuscule_lexicons::SPECIES, &[]);
    species.filter_map(|species| species.words.split_once(' ')).for_each(|(_, epithet)| filter.add(epithet));
    filter
});

/// Returns false if a word is not the second name of a species.
#[inline]
pub(super) fn may_be_epithet(lower: &[u8]) -> bool {
    EPITHETS.may_have(lower)
}

/// The genera of each epithet, all in lower case.
static SPECIES: LazyLock<FxHashMap<Box<str>, Vec<Box<str>>>> = LazyLock::new(|| {
    let mut genera: FxHashMap<Box<str>, Vec<Box<str>>> = FxHashMap::default();
    for species in entries(majuscule_lexicons::SPECIES, &[]) {
        let Some((genus, epithet)) = species.words.split_once(' ') else { continue };
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
    fn no_list_gives_a_word_two_spellings() {
        let units: Vec<_> = entries(majuscule_lexicons::UNITS, &[]).collect();
        assert_eq!(units.len(), UNITS.len());
        for language in Language::ALL.iter().filter(|language| language.conventions.is_some()) {
            let tables = LanguageTables::of(language.tag).unwrap();
            let entries = entries(language.abbreviations, &FLAGS).count();
            assert_eq!(entries, tables.abbreviations.len(), "{}", language.tag);
        }
    }
}
