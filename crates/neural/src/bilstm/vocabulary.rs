//! The ids of words and letters. The id 0 stands for unknown words and letters.

use majuscule_methods::network::cnn_bilstm::subwords::word_ids;
use rustc_hash::FxHashMap;

/// The vocabulary of words and letters of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BilstmVocabulary {
    words: FxHashMap<Box<str>, u32>,
    letters: FxHashMap<char, u32>,
    words_text: String,
    letters_text: String,
}

/// The largest number of characters that are read from a word: a token has at most this many letters, but may have
/// punctuation marks between them.
const LETTERS: usize = 64;

impl BilstmVocabulary {
    /// Makes a vocabulary from a text of words, one per line, and a text of letters.
    ///
    /// # Errors
    /// Describes the fault in the texts.
    pub fn new(words_text: String, letters_text: String) -> Result<Self, String> {
        let words = word_ids(&words_text, 1)?;
        let mut letters = FxHashMap::default();
        for (at, letter) in letters_text.chars().enumerate() {
            if letters.insert(letter, at as u32 + 1).is_some() {
                return Err(format!("has the letter {letter:?} twice"));
            }
        }
        Ok(Self { words, letters, words_text, letters_text })
    }

    /// Returns the words, one per line.
    pub fn words_text(&self) -> &str {
        &self.words_text
    }

    /// Returns the letters, one after the other.
    pub fn letters_text(&self) -> &str {
        &self.letters_text
    }

    /// Returns the number of words, including the unknown word.
    pub fn words(&self) -> usize {
        self.words.len() + 1
    }

    /// Returns the number of letters, including the unknown letter.
    pub fn letters(&self) -> usize {
        self.letters.len() + 1
    }

    /// Returns the id of a word.
    pub fn word(&self, lower: &str) -> Option<u32> {
        self.words.get(lower).copied()
    }

    /// Returns the ids of the letters of a word, at least one.
    pub fn spelling(&self, lower: &str) -> Box<[u32]> {
        let letters = lower.chars().take(LETTERS);
        let spelling: Vec<u32> =
            letters.map(|letter| self.letters.get(&letter).copied().unwrap_or_default()).collect();
        if spelling.is_empty() { [0].into() } else { spelling.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_0() {
        let vocabulary = BilstmVocabulary::new("lisbon\nwho\n".to_owned(), "hilnosw".to_owned()).unwrap();
        assert_eq!((vocabulary.words(), vocabulary.letters()), (3, 8));
        assert_eq!((vocabulary.word("who"), vocabulary.word("whom")), (Some(2), None));
        assert_eq!(*vocabulary.spelling("whom"), [7, 1, 5, 0]);
        assert_eq!(*vocabulary.spelling(""), [0]);
        assert_eq!(vocabulary.spelling(&"o".repeat(100)).len(), LETTERS);
    }

    #[test]
    fn texts_that_are_none_are_refused() {
        let wrong = |words: &str, letters: &str| {
            BilstmVocabulary::new(words.to_owned(), letters.to_owned()).unwrap_err()
        };
        assert_eq!(wrong("lisbon\nwh", ""), "ends within a word");
        assert!(wrong("lisbon\n\n", "").contains("in line 2"));
        assert!(wrong("a\nb\na\n", "").contains("in line 3"));
        assert!(wrong("", "aba").contains("'a' twice"));
    }
}
