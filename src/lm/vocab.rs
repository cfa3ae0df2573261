//! The words of a model and their numbers.

use std::fmt;
use std::hash::Hasher;

use rustc_hash::FxHasher;

/// The number of a word in a vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordId(pub u32);

impl WordId {
    /// `<unk>`: any word that is not in the vocabulary.
    pub const UNKNOWN: Self = Self(0);
    /// `<s>`: where a sentence begins.
    pub const START: Self = Self(1);
    /// `</s>`: where a sentence ends.
    pub const END: Self = Self(2);
}

/// The spellings of the first three words, in the order of their numbers.
pub const SPECIAL: [&str; 3] = ["<unk>", "<s>", "</s>"];

/// Words numbered from 0, each one once; the first three are [`SPECIAL`].
#[derive(Clone)]
pub struct Vocabulary {
    text: String,
    /// Where each word ends in the text.
    ends: Vec<u32>,
    /// Open addressing: a word's number plus one, or 0. The length is a power of two, at most half of it in use.
    slots: Vec<u32>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        let mut vocabulary = Self { text: String::new(), ends: Vec::new(), slots: vec![0; 1 << 10] };
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
        self.text == other.text && self.ends == other.ends
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
    /// The three special words alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many words there are, with the special ones.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a word, [`WordId::UNKNOWN`] where it is not there.
    pub fn id(&self, word: &str) -> WordId {
        match self.slots[self.slot(word)] {
            0 => WordId::UNKNOWN,
            found => WordId(found - 1),
        }
    }

    /// The number of a word that is there.
    pub fn get(&self, word: &str) -> Option<WordId> {
        self.slots[self.slot(word)].checked_sub(1).map(WordId)
    }

    /// A word by its number.
    ///
    /// # Panics
    /// Where there is no word of that number.
    pub fn word(&self, id: WordId) -> &str {
        let at = id.0 as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }

    /// All words, in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|at| self.word(WordId(at as u32)))
    }

    /// The number of a word, a new one where it was not there; [`WordId::UNKNOWN`] where the vocabulary is full, at 4 GB of
    /// text.
    pub fn insert(&mut self, word: &str) -> WordId {
        let slot = self.slot(word);
        if let Some(found) = self.slots[slot].checked_sub(1) {
            return WordId(found);
        }
        let Ok(end) = u32::try_from(self.text.len() + word.len()) else { return WordId::UNKNOWN };
        self.text.push_str(word);
        self.ends.push(end);
        self.slots[slot] = self.len() as u32;
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        WordId(self.len() as u32 - 1)
    }

    /// The slot of a word, or the empty one where it would stand.
    fn slot(&self, word: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(word) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return slot,
                found if self.word(WordId(found - 1)) == word => return slot,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        let mask = self.slots.len() - 1;
        for at in 0..self.len() {
            let mut slot = hash(self.word(WordId(at as u32))) as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = at as u32 + 1;
        }
    }
}

fn hash(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    // The low bits choose the slot, and the high ones are the best mixed.
    hasher.finish().rotate_left(20)
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
