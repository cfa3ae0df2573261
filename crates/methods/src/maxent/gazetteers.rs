//! Knowledge about words in addition to the weights: the lists that contain them, their forms in another
//! lexicon, their classes, and the tagger of their parts of speech.

use super::MaxentSettings;
use super::hash::feature;
use super::observe::{GazetteerMatch, Window, WordFeatures};
use super::table::HashTable;
use super::tagger::Tagger;
use super::templates::{Group, PLACES, REACH};
use crate::model::{Section, Store};
use majuscule_base::error::Result;
use majuscule_text::Token;

/// The files of a model that hold the gazetteers.
const LISTS: &str = "lists.bin";
const FORMS: &str = "forms.bin";
const CLUSTERS: &str = "clusters.bin";

/// The maximum number of lists of a model: each list has one bit.
pub const MOST_LISTS: usize = 16;

/// The maximum number of words of an entry, which is the length of a window.
pub const LONGEST: usize = PLACES;

/// The tables and the tagger that describe words. Those that no feature uses are absent.
#[derive(Debug, Clone, Default)]
pub struct Gazetteers {
    /// The list membership of words and phrases.
    pub lists: Option<HashTable<LISTED>>,
    /// The forms of words in another lexicon: [`form`].
    pub forms: Option<HashTable<1>>,
    /// The classes of words.
    pub clusters: Option<HashTable<1>>,
    /// The tagger of parts of speech.
    pub tagger: Option<Tagger>,
}

/// The number of bytes of an entry for a word or a phrase: the bits of its lists, and for a word
/// the number of words of the longest entry that begins with it.
pub const LISTED: usize = 3;

impl Gazetteers {
    /// Reads the tables that the features of a model with these settings use.
    ///
    /// # Errors
    /// [`Error::Model`](majuscule_base::Error::Model) if a table is missing, truncated or altered.
    pub fn load(store: &dyn Store, settings: &MaxentSettings) -> Result<Self> {
        let any = |looking: &[Group]| settings.groups.iter().any(|group| looking.contains(group));
        let of_marks = settings.marks.as_ref().is_some_and(|marks| marks.clusters);
        Ok(Self {
            lists: any(&Group::LISTS).then(|| open(store, LISTS)).transpose()?,
            forms: any(&Group::FORMS).then(|| open(store, FORMS)).transpose()?,
            clusters: (of_marks || any(&[Group::Clusters])).then(|| open(store, CLUSTERS)).transpose()?,
            tagger: any(&Group::TAGS).then(|| Tagger::load(store)).transpose()?,
        })
    }

    /// Returns the files of the gazetteers.
    pub fn sections(&self) -> Vec<Section> {
        let lists = self.lists.iter().map(|lists| (LISTS, lists.bytes()));
        let forms = self.forms.iter().map(|forms| (FORMS, forms.bytes()));
        let clusters = self.clusters.iter().map(|clusters| (CLUSTERS, clusters.bytes()));
        let tables = lists.chain(forms).chain(clusters);
        let tables = tables.map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
        tables.chain(self.tagger.iter().map(Tagger::section)).collect()
    }

    /// Returns the features of a word, including the features from the gazetteers.
    #[inline]
    pub fn seen(&self, lower: &str, token: &Token, profile: u16) -> WordFeatures {
        let mut seen = WordFeatures::of(lower, token, profile);
        self.see(&mut seen);
        seen
    }

    #[inline]
    fn see(&self, seen: &mut WordFeatures) {
        if let Some([low, high, longest]) = get(&self.lists, seen.hash) {
            (seen.lists, seen.longest) = (u16::from_le_bytes([*low, *high]), *longest);
        }
        if let Some([form]) = get(&self.forms, seen.hash) {
            seen.form = *form;
        }
        if let Some([cluster]) = get(&self.clusters, seen.hash) {
            seen.cluster = *cluster;
        }
    }

    /// Returns the longest list entry of two words or more that contains the middle word of a window; the
    /// leftmost of equally long entries. An entry whose last word is more than `look_ahead` positions to
    /// the right is ignored.
    #[inline]
    pub fn phrase(&self, window: &Window, look_ahead: usize) -> Option<GazetteerMatch> {
        let lists = self.lists.as_ref()?;
        // Few windows have a word that begins an entry.
        if window[..=REACH].iter().all(|seen| seen.longest < 2) {
            return None;
        }
        let mut found: Option<GazetteerMatch> = None;
        for start in 0..=REACH {
            let end =
                (start + usize::from(window[start].longest)).min(REACH + 1 + look_ahead).min(window.len());
            for end in REACH + 1..=end {
                let words = end - start;
                if words > found.map_or(1, |found| found.words)
                    && let Some([low, high, _]) =
                        lists.reader().get(phrase(window[start..end].iter().map(|seen| seen.hash)))
                {
                    found = Some(GazetteerMatch {
                        lists: u16::from_le_bytes([*low, *high]),
                        words,
                        position: REACH - start,
                    });
                }
            }
        }
        found
    }
}

fn open<const N: usize>(store: &dyn Store, name: &str) -> Result<HashTable<N>> {
    let wrong = |problem: String| store.wrong(format!("{name} {problem}: train the model again"));
    HashTable::open(store.section(name)?).map_err(wrong)
}

#[inline]
fn get<const N: usize>(table: &Option<HashTable<N>>, hash: u64) -> Option<&[u8; N]> {
    table.as_ref()?.reader().get(hash)
}

/// Returns the bytes for an entry, or for a word that begins an entry: see [`LISTED`].
pub fn listed(lists: u16, longest: usize) -> [u8; LISTED] {
    let [low, high] = lists.to_le_bytes();
    [low, high, longest as u8]
}

/// Returns the hash of an entry of two words or more, from the hashes of its words.
pub fn phrase(words: impl ExactSizeIterator<Item = u64>) -> u64 {
    feature(65, [words.len() as u64, words.fold(0, |sum, word| feature(65, [sum, word]))])
}

/// Encodes the form of a word in a lexicon as one byte, which is never 0: the class of its most frequent
/// form, the fraction of that form, and the number of occurrences inside sentences.
pub fn form(class: u8, fraction: f64, count: f64) -> u8 {
    let bucket = |value: f64, limits: &[f64]| limits.iter().filter(|&&limit| value >= limit).count() as u8;
    let (fraction, count) = (bucket(fraction, &[0.6, 0.8, 0.95, 0.995]), bucket(count, &[1.0, 4.0, 30.0]));
    1 + class + 4 * (fraction + 5 * count)
}

/// Returns the class in a byte of [`form`], counted from 1; 0 if the word has no form.
#[inline]
pub fn class(form: u8) -> u64 {
    form.checked_sub(1).map_or(0, |form| u64::from(form % 4) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn seen(word: u64, gazetteers: &Gazetteers) -> WordFeatures {
        let mut seen = WordFeatures { hash: word, ..WordFeatures::default() };
        gazetteers.see(&mut seen);
        seen
    }

    /// Tables of entries, all on list 0.
    fn gazetteers(entries: &BTreeSet<Vec<u64>>) -> Gazetteers {
        let mut values: BTreeMap<u64, (u16, usize)> = BTreeMap::new();
        for entry in entries {
            let key = if let [word] = entry[..] { word } else { phrase(entry.iter().copied()) };
            values.entry(key).or_default().0 = 1;
            let longest = &mut values.entry(entry[0]).or_default().1;
            *longest = entry.len().max(*longest);
        }
        let values = values.into_iter().map(|(key, (lists, longest))| (key, listed(lists, longest)));
        Gazetteers {
            lists: Some(HashTable::open(HashTable::build(values).into()).unwrap()),
            ..Gazetteers::default()
        }
    }

    /// A plain twin of `phrase`: tries every entry at every position.
    fn plain(entries: &BTreeSet<Vec<u64>>, window: &[u64], look_ahead: usize) -> Option<(usize, usize)> {
        let mut best = None;
        for start in 0..=REACH {
            for entry in entries.iter().filter(|entry| entry.len() > 1) {
                let end = start + entry.len();
                let is_there = end <= REACH + 1 + look_ahead && window.get(start..end) == Some(entry);
                if is_there && end > REACH && best.is_none_or(|(words, _)| entry.len() > words) {
                    best = Some((entry.len(), REACH - start));
                }
            }
        }
        best
    }

    /// Returns true if the table mistakes a phrase of the window for an entry: about four absent hashes in
    /// 65,536 are.
    fn mistaken(entries: &BTreeSet<Vec<u64>>, window: &[u64], gazetteers: &Gazetteers) -> bool {
        (0..window.len()).any(|start| {
            (start + 2..=window.len()).map(|end| &window[start..end]).any(|words| {
                get(&gazetteers.lists, phrase(words.iter().copied())).is_some() && !entries.contains(words)
            })
        })
    }

    proptest! {
        #[test]
        fn the_longest_entry_over_a_word_is_found_as_far_as_it_is_seen(
            entries in prop::collection::btree_set(prop::collection::vec(1u64..4, 1..=LONGEST), 0..12),
            window in prop::collection::vec(1u64..4, PLACES),
            look_ahead in 0..=REACH,
        ) {
            let gazetteers = gazetteers(&entries);
            prop_assume!(!mistaken(&entries, &window, &gazetteers));
            let seen: Window = std::array::from_fn(|at| seen(window[at], &gazetteers));
            let twin = plain(&entries, &window, look_ahead);
            let twin = twin.map(|(words, position)| GazetteerMatch { lists: 1, words, position });
            prop_assert_eq!(gazetteers.phrase(&seen, look_ahead), twin);
        }

        #[test]
        fn a_form_keeps_its_class(number in 0u8..4, fraction in 0.0f64..=1.0, count in 0.0f64..100.0) {
            let form = form(number, fraction, count);
            prop_assert!(form > 0);
            prop_assert_eq!(class(form), u64::from(number) + 1);
        }
    }
}
