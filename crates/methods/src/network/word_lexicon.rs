//! The knowledge about words that a network reads in addition to their subwords: the counts of each word in a
//! large text as its [profile](crate::maxent::profile), and the lists that contain the word. The knowledge
//! about a word is a set of rows of a matrix, which are added.

use crate::maxent::hash::hash;
use crate::maxent::table::HashTable;
use majuscule_base::bytes::Bytes;

/// The number of rows: for the parts of a profile, for words without a profile, and for lists.
pub const ROWS: usize = 32;

/// The largest number of lists.
pub const MOST_LISTS: usize = 7;

/// The row of words without a profile.
const UNSEEN: u32 = 24;

/// The rows of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LexiconRows(u32);

impl LexiconRows {
    /// Returns the rows of a profile and of lists, which have one bit each.
    pub fn new(profile: u16, lists: u8) -> Self {
        let of_lists = u32::from(lists & 0x7f) << (UNSEEN + 1);
        let Some(parts) = profile.checked_sub(1).map(u32::from) else {
            return Self(1 << UNSEEN | of_lists);
        };
        // The fractions of title and upper case, the count, and the fractions of first and last words.
        let [title, upper] = [1 << (parts & 7), 1 << (8 + (parts >> 3 & 3))];
        let rest = [5, 7, 9].into_iter().zip([12, 16, 20]);
        let rest = rest.map(|(shift, first)| 1 << (first + (parts >> shift & 3)));
        Self(rest.fold(title | upper | of_lists, |rows, row| rows | row))
    }

    /// Returns the rows in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..ROWS).filter(move |row| self.0 >> row & 1 == 1)
    }
}

/// The profiles and lists of words.
#[derive(Debug, Clone)]
pub struct WordLexicon(HashTable<3>);

impl WordLexicon {
    /// Opens the bytes of a lexicon.
    ///
    /// # Errors
    /// Describes the fault in them.
    pub fn open(bytes: Bytes) -> Result<Self, String> {
        HashTable::open(bytes).map(Self)
    }

    /// Builds the bytes of a lexicon of words with their profiles and lists.
    pub fn build<'w>(words: impl Iterator<Item = (&'w str, u16, u8)>) -> Vec<u8> {
        let value = |profile: u16, lists: u8| {
            let [low, high] = profile.to_le_bytes();
            [low, high, lists]
        };
        HashTable::build(words.map(|(word, profile, lists)| (hash(word.as_bytes()), value(profile, lists))))
    }

    /// Returns the profile and the lists of a word, which are 0 for an unknown word.
    pub fn get(&self, lower: &str) -> (u16, u8) {
        let found = self.0.reader().get(hash(lower.as_bytes()));
        found.map_or((0, 0), |&[low, high, lists]| (u16::from_le_bytes([low, high]), lists))
    }

    /// Returns the rows of a word.
    pub fn rows(&self, lower: &str) -> LexiconRows {
        let (profile, lists) = self.get(lower);
        LexiconRows::new(profile, lists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maxent::profile::WordCounts;
    use majuscule_text::Class;

    #[test]
    fn each_part_of_a_profile_has_a_row() {
        let rows = |profile, lists| LexiconRows::new(profile, lists).iter().collect::<Vec<_>>();
        assert_eq!(rows(0, 0), [24]);
        assert_eq!(rows(0, 0b101), [24, 25, 27]);
        let mut counts = WordCounts::default();
        (0..9).for_each(|_| counts.add(Class::Title, false, false));
        assert_eq!(rows(counts.profile(), 0), [7, 8, 14, 16, 20]);
        counts.add(Class::Lower, true, true);
        assert_eq!(rows(counts.profile(), 1 << 6), [7, 8, 14, 18, 22, 31]);
        for profile in 1..=1 << 11 {
            assert_eq!(rows(profile, 0).len(), 5);
        }
    }

    #[test]
    fn words_have_their_profiles_and_lists() {
        let bytes = WordLexicon::build([("lisbon", 300, 2), ("the", 1, 0)].into_iter());
        let lexicon = WordLexicon::open(bytes.clone().into()).unwrap();
        assert_eq!(
            [lexicon.get("lisbon"), lexicon.get("the"), lexicon.get("rome")],
            [(300, 2), (1, 0), (0, 0)]
        );
        assert!(WordLexicon::open(bytes[..bytes.len() - 1].to_vec().into()).is_err());
    }
}
