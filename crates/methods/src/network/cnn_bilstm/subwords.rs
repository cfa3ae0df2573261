//! The words of a text as subwords, and as words that have a vector of their own.

use rustc_hash::FxHashMap;

use crate::network::heads::RightContext;
use crate::network::subwords::{NativeTokenizer, Special, SubwordTokenizer};
use crate::network::windower::{WindowOptions, WindowWord, WordEncoder, WordWindow};
use crate::network::word_lexicon::{LexiconRows, WordLexicon};
use majuscule_base::error::Result;
use majuscule_text::restorer::SentenceStarts;
use std::ops::Range;

/// The largest number of subwords of a word that are read.
const MOST_SUBWORDS: usize = 24;

/// The subwords of a model, and the words that have a vector of their own.
#[derive(Debug)]
pub struct SubwordVocabulary {
    subwords: NativeTokenizer,
    words: FxHashMap<Box<str>, u32>,
    words_text: String,
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
        words_text: String,
        lexicon: Option<WordLexicon>,
    ) -> std::result::Result<Self, String> {
        if !(words_text.is_empty() || words_text.ends_with('\n')) {
            return Err("ends within a word".to_owned());
        }
        let mut words = FxHashMap::default();
        for (at, word) in words_text.lines().enumerate() {
            if word.is_empty() || words.insert(word.into(), at as u32).is_some() {
                return Err(format!("has no word, or one that occurred before, in line {}", at + 1));
            }
        }
        Ok(Self { subwords, words, words_text, lexicon })
    }

    /// Returns the words that have a vector of their own, one per line.
    pub fn words_text(&self) -> &str {
        &self.words_text
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
    WindowOptions {
        capacity,
        overlap: (overlap * capacity as f64) as usize,
        runs_on,
        look_ahead,
        puts_marks: false,
        shown_capitals: false,
        starts: SentenceStarts::Predicted,
        predictions: 1,
    }
}

impl WordEncoder for &SubwordVocabulary {
    type Ids = SubwordIds;
    type Window = SubwordWindow;

    fn encode(&self, lower: &str, _: usize) -> Result<SubwordIds> {
        self.ids(lower).map_err(super::failed)
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
