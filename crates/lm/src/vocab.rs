//! The words of a model and their numbers.

use std::fmt;

use super::table::{LittleEndian, number};
use majuscule_base::bytes::hash::wyhash;
use majuscule_base::bytes::{ALIGN, Bytes};

/// The number of a word in a vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordId(pub u32);

impl WordId {
    /// `<unk>`: any out-of-vocabulary word.
    pub const UNKNOWN: Self = Self(0);
    /// `<s>`: the beginning of a sentence.
    pub const START: Self = Self(1);
    /// `</s>`: the end of a sentence.
    pub const END: Self = Self(2);
}

/// The spellings of the first three words, in the order of their numbers.
pub const SPECIAL: [&str; 3] = ["<unk>", "<s>", "</s>"];

/// Distinct words numbered from 0; the first three are [`SPECIAL`].
#[derive(Clone)]
pub struct Vocabulary(VocabularyLayout);

/// The storage of a vocabulary's words.
#[derive(Clone)]
enum VocabularyLayout {
    Own(Arrays<Vec<u8>, Vec<LittleEndian>>),
    /// Bytes of a file, with the lengths of its three arrays, each padded to [`ALIGN`].
    Shared(Bytes, [usize; 3]),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Arrays<T, C> {
    pub(super) text: T,
    /// The end of each word in the text.
    pub(super) ends: C,
    /// A hash table with open addressing: a word's number plus one, or 0. Its length is a power of
    /// two, and at most half of it is in use; the search starts in the slot with the lower bits of
    /// the word's hash.
    pub(super) slots: C,
}

impl Default for Vocabulary {
    fn default() -> Self {
        let slots = vec![[0; 4]; 1 << 10];
        let mut vocabulary =
            Self(VocabularyLayout::Own(Arrays { text: Vec::new(), ends: Vec::new(), slots }));
        for word in SPECIAL {
            vocabulary.insert(word);
        }
        vocabulary
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vocabulary({})", self.len())
    }
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (self.arrays(), other.arrays());
        one.text == other.text && one.ends == other.ends
    }
}

impl Eq for Vocabulary {}

impl<'a> Extend<&'a str> for Vocabulary {
    fn extend<I: IntoIterator<Item = &'a str>>(&mut self, words: I) {
        for word in words {
            self.insert(word);
        }
    }
}

impl Vocabulary {
    /// Creates a vocabulary of the three special words.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens a vocabulary in the bytes of a file, given the length of its text and the numbers of
    /// its words and slots. Returns `None` if they cannot belong to a vocabulary; words other than
    /// the special ones are not checked.
    pub(super) fn shared(bytes: Bytes, lens: [usize; 3]) -> Option<Self> {
        let [text, words, slots] = lens;
        let own_len = Self::padded(text, words, slots)?.into_iter().try_fold(0, usize::checked_add)?;
        let fits = own_len == bytes.len() && words >= SPECIAL.len() && slots.is_power_of_two();
        let vocabulary = fits.then_some(Self(VocabularyLayout::Shared(bytes, lens)))?;
        let special = SPECIAL.iter().zip(vocabulary.iter()).all(|(special, word)| *special == word);
        special.then_some(vocabulary)
    }

    /// Returns the sizes in bytes of a vocabulary's arrays in a file.
    pub(super) fn padded(text: usize, words: usize, slots: usize) -> Option<[usize; 3]> {
        let cells =
            |count: usize| count.checked_mul(size_of::<LittleEndian>())?.checked_next_multiple_of(ALIGN);
        Some([text.checked_next_multiple_of(ALIGN)?, cells(words)?, cells(slots)?])
    }

    pub(super) fn arrays(&self) -> Arrays<&[u8], &[LittleEndian]> {
        match &self.0 {
            VocabularyLayout::Own(Arrays { text, ends, slots }) => Arrays { text, ends, slots },
            VocabularyLayout::Shared(bytes, [text, words, slots]) => {
                let ends = text.next_multiple_of(ALIGN);
                let positions = ends + (words * size_of::<LittleEndian>()).next_multiple_of(ALIGN);
                let bytes = &**bytes;
                Arrays {
                    text: &bytes[..*text],
                    ends: &bytes[ends..].as_chunks().0[..*words],
                    slots: &bytes[positions..].as_chunks().0[..*slots],
                }
            }
        }
    }

    /// Returns the number of words, including the special ones.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        match &self.0 {
            VocabularyLayout::Own(arrays) => arrays.ends.len(),
            VocabularyLayout::Shared(_, [_, words, _]) => *words,
        }
    }

    /// Returns the number of a word, or [`WordId::UNKNOWN`] for an out-of-vocabulary word.
    pub fn id(&self, word: &str) -> WordId {
        self.get(word).unwrap_or(WordId::UNKNOWN)
    }

    /// Returns the number of a word; `None` for an out-of-vocabulary word.
    pub fn get(&self, word: &str) -> Option<WordId> {
        self.arrays().find(word).ok()
    }

    /// Returns the word with a number.
    ///
    /// # Panics
    /// Panics if no word has that number.
    pub fn word(&self, id: WordId) -> &str {
        let word = self.arrays().word(id.0 as usize);
        // A word is invalid UTF-8 only in an altered file.
        str::from_utf8(word).unwrap_or_default()
    }

    /// Iterates over all words, in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|at| self.word(WordId(at as u32)))
    }

    /// Returns the number of a word, adding the word if necessary; [`WordId::UNKNOWN`] if the
    /// vocabulary is full, at 4 GB of text.
    pub fn insert(&mut self, word: &str) -> WordId {
        let slot = match self.arrays().find(word) {
            Ok(found) => return found,
            Err(slot) => slot,
        };
        if let VocabularyLayout::Shared(..) = self.0 {
            *self = self.owned();
            return self.insert(word);
        }
        let VocabularyLayout::Own(arrays) = &mut self.0 else { return WordId::UNKNOWN };
        let Ok(end) = u32::try_from(arrays.text.len() + word.len()) else { return WordId::UNKNOWN };
        arrays.text.extend_from_slice(word.as_bytes());
        arrays.ends.push(end.to_le_bytes());
        let count = arrays.ends.len();
        arrays.slots[slot] = (count as u32).to_le_bytes();
        if count * 2 > arrays.slots.len() {
            arrays.place(arrays.slots.len() * 2);
        }
        WordId(count as u32 - 1)
    }

    fn owned(&self) -> Self {
        let Arrays { text, ends, slots } = self.arrays();
        let len = slots.len().max((ends.len() * 2).next_power_of_two());
        let mut own = Arrays { text: text.to_vec(), ends: ends.to_vec(), slots: Vec::new() };
        own.place(len);
        Self(VocabularyLayout::Own(own))
    }
}

impl<'a> Arrays<&'a [u8], &'a [LittleEndian]> {
    /// Returns the text of a word; it may be empty in an altered file.
    #[inline]
    fn word(&self, at: usize) -> &'a [u8] {
        let start = if at == 0 { 0 } else { number(self.ends[at - 1]) };
        self.text.get(start as usize..number(self.ends[at]) as usize).unwrap_or_default()
    }

    /// Returns the number of a word, or the empty slot where it would be inserted.
    #[inline]
    fn find(&self, word: &str) -> Result<WordId, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = home(word.as_bytes(), mask);
        // The table has an empty slot, except in an altered file.
        for _ in 0..=mask {
            match number(self.slots[slot]) {
                0 => return Err(slot),
                found => {
                    let at = found as usize - 1;
                    if at < self.ends.len() && self.word(at) == word.as_bytes() {
                        return Ok(WordId(at as u32));
                    }
                    slot = (slot + 1) & mask;
                }
            }
        }
        Err(slot)
    }
}

impl Arrays<Vec<u8>, Vec<LittleEndian>> {
    /// Places all words in a table of this many slots.
    fn place(&mut self, slots: usize) {
        let mask = slots - 1;
        self.slots = vec![[0; 4]; slots];
        for at in 0..self.ends.len() {
            let words = Arrays { text: &*self.text, ends: &*self.ends, slots: &[] };
            let mut slot = home(words.word(at), mask);
            while self.slots[slot] != [0; 4] {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = (at as u32 + 1).to_le_bytes();
        }
    }
}

/// Returns the slot in which the search for a word starts, given a mask for `mask + 1` slots.
#[inline]
fn home(word: &[u8], mask: usize) -> usize {
    // The lower bits also exist on a 32-bit machine.
    wyhash(word, 0) as usize & mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_word_is_found_under_its_number_and_no_other(words in prop::collection::vec("[a-cA-C]{0,4}", 0..3000)) {
            let mut vocabulary = Vocabulary::new();
            let ids: Vec<_> = words.iter().map(|word| vocabulary.insert(word)).collect();
            for (word, id) in words.iter().zip(ids) {
                prop_assert_eq!(vocabulary.word(id), word);
                prop_assert_eq!(vocabulary.get(word), Some(id));
            }
            let mut all: Vec<&str> = vocabulary.iter().collect();
            all.sort_unstable();
            all.dedup();
            prop_assert_eq!(all.len(), vocabulary.len());
            prop_assert_eq!(vocabulary.id("not there"), WordId::UNKNOWN);
        }
    }

    #[test]
    fn the_special_words_come_first() {
        let vocabulary = Vocabulary::new();
        for (word, id) in SPECIAL.iter().zip([WordId::UNKNOWN, WordId::START, WordId::END]) {
            assert_eq!(vocabulary.get(word), Some(id));
        }
    }
}
