//! The words of a text as subwords, and as words that have a vector of their own.

use rustc_hash::FxHashMap;

use crate::network::failed;
use crate::network::heads::RightContext;
use crate::network::subwords::{NativeTokenizer, Special, SubwordTokenizer};
use crate::network::windower::{WindowOptions, WindowWord, WordEncoder, WordWindow};
use crate::network::word_lexicon::{LexiconRows, WordLexicon};
use majuscule_base::error::Result;
use std::ops::Range;

/// The largest number of subwords of a word that are read.
const MOST_SUBWORDS: usize = 24;

/// The subwords of a model, and the words that have a vector of their own.
#[derive(Debug)]
pub struct SubwordVocabulary {
    subwords: NativeTokenizer,
    words: FxHashMap<Box<str>, u32>,
    lexicon: Option<WordLexicon>,
}

/// The ids of the subwords of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubwordIds {
    /// The subwords, at least one.
    pub subwords: Box<[u32]>,
    /// The id of the word, if it has a vector of its own.
    pub word: Option<u32>,
    /// Its profile in the lexicon.
    pub lexicon: LexiconRows,
}

/// A window of words for the network.
pub type SubwordWindow = WordWindow<SubwordIds>;

impl SubwordVocabulary {
    /// Makes a vocabulary of subwords, a text of words, one per line, and the lexicon that the network reads.
    ///
    /// # Errors
    /// Describes the fault in the text.
    pub fn new(
        subwords: NativeTokenizer,
        words: &str,
        lexicon: Option<WordLexicon>,
    ) -> std::result::Result<Self, String> {
        Ok(Self { subwords, words: word_ids(words, 0)?, lexicon })
    }

    /// Returns the number of words that have a vector of their own.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Returns true if the training text or a list had a word.
    pub fn knows(&self, lower: &str) -> bool {
        let is_in = |lexicon: &WordLexicon| lexicon.get(lower) != (0, 0);
        self.words.contains_key(lower) || self.lexicon.as_ref().is_some_and(is_in)
    }

    /// Returns the subwords before and after each text.
    pub fn special(&self) -> Special {
        self.subwords.special()
    }

    /// Returns the ids of a word. A word without subwords has the padding as its only subword.
    ///
    /// # Errors
    /// Describes a failure of the vocabulary.
    pub fn ids(&self, lower: &str) -> std::result::Result<SubwordIds, String> {
        let mut subwords = self.subwords.of(lower)?;
        subwords.truncate(MOST_SUBWORDS);
        if subwords.is_empty() {
            subwords.push(self.special().padding);
        }
        let lexicon = self.lexicon.as_ref().map(|lexicon| lexicon.rows(lower)).unwrap_or_default();
        Ok(SubwordIds { subwords: subwords.into(), word: self.words.get(lower).copied(), lexicon })
    }
}

/// Returns the ids of the words of a text, one per line, from `first` on.
///
/// # Errors
/// Describes the fault in the text.
pub fn word_ids(words: &str, first: u32) -> std::result::Result<FxHashMap<Box<str>, u32>, String> {
    if !(words.is_empty() || words.ends_with('\n')) {
        return Err("ends within a word".to_owned());
    }
    let mut ids = FxHashMap::default();
    for (at, word) in words.lines().enumerate() {
        if word.is_empty() || ids.insert(word.into(), at as u32 + first).is_some() {
            return Err(format!("has no word, or one that occurred before, in line {}", at + 1));
        }
    }
    Ok(ids)
}

/// The fraction of a window that the next window shares: enough that most choices stay the same if windows
/// move.
const OVERLAP: f64 = 0.16;

/// The least capacity of a window, in words, if words do not wait for the end of their window.
const LIVE: usize = 96;

/// Returns the number of words of right context that live text uses: as many as are requested, up to 512.
pub fn live_look_ahead(asked: usize) -> usize {
    asked.min(super::WINDOWS.end() / 8)
}

/// Returns the options of windows of this many words.
pub fn options(window: usize, runs_on: bool, look_ahead: Option<usize>) -> WindowOptions {
    let look_ahead = look_ahead.map(live_look_ahead);
    let capacity = look_ahead.map_or(window, |words| LIVE.max(8 * words));
    let overlap = if look_ahead.is_some() { 0.5 } else { OVERLAP };
    WindowOptions::new(capacity, (overlap * capacity as f64) as usize, runs_on, look_ahead)
}

impl WordEncoder for &SubwordVocabulary {
    type Ids = SubwordIds;
    type Window = SubwordWindow;

    fn encode(&self, lower: &str, _: usize) -> Result<SubwordIds> {
        self.ids(lower).map_err(|problem| failed(super::NAME, problem))
    }

    fn size(_: &SubwordIds) -> usize {
        1
    }

    fn window(
        &self,
        words: &[WindowWord<SubwordIds>],
        after: RightContext,
        targets: Range<usize>,
        _: usize,
    ) -> SubwordWindow {
        WordWindow::new(words, after, targets)
    }
}
