//! The probability of a text under a model.

use majuscule_base::error::Result;
use majuscule_lm::{NgramModel, ScoredSentence, SentenceBatch};

use super::words::{self, SentenceVisitor, WordUnits};
use crate::corpus::Corpus;

/// Scores the sentences of a corpus and passes each to `end`, in order.
///
/// # Errors
/// If a file cannot be read or violates its format, or if `end` fails.
pub fn score(
    model: &NgramModel,
    corpus: &Corpus,
    units: WordUnits,
    end: impl FnMut(&ScoredSentence) -> Result<()>,
) -> Result<()> {
    let mut scores = ScoreBatch { model, sentences: SentenceBatch::default(), scores: Vec::new(), end };
    words::for_each(corpus, units, &mut scores)?;
    scores.flush()
}

/// Sentences that are scored together.
struct ScoreBatch<'a, F> {
    model: &'a NgramModel,
    sentences: SentenceBatch,
    scores: Vec<ScoredSentence>,
    end: F,
}

/// The number of words scored at once: enough for many sentences, few enough to stay in the cache.
const ENOUGH: usize = 1 << 13;

impl<F: FnMut(&ScoredSentence) -> Result<()>> ScoreBatch<'_, F> {
    fn flush(&mut self) -> Result<()> {
        self.model.scorer().sentences(&self.sentences, &mut self.scores);
        self.sentences.clear();
        self.scores.drain(..).try_for_each(|score| (self.end)(&score))
    }
}

impl<F: FnMut(&ScoredSentence) -> Result<()>> SentenceVisitor for ScoreBatch<'_, F> {
    fn word(&mut self, word: &str) {
        self.sentences.push(self.model.vocabulary().id(word));
    }

    fn end(&mut self) -> Result<()> {
        self.sentences.end();
        if self.sentences.words() >= ENOUGH { self.flush() } else { Ok(()) }
    }
}

/// The sums over the sentences of a text.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextScore {
    /// The number of sentences.
    pub sentences: u64,
    /// The sums of the sentences' scores.
    pub sum: ScoredSentence,
}

impl TextScore {
    /// Adds a sentence.
    pub fn add(&mut self, sentence: &ScoredSentence) {
        self.sentences += 1;
        self.sum.log10 += sentence.log10;
        self.sum.unknown += sentence.unknown;
        self.sum.unknown_log10 += sentence.unknown_log10;
        self.sum.words += sentence.words;
    }

    /// Returns the perplexity of the words and sentence ends; `None` if there are none.
    pub fn perplexity(&self) -> Option<f64> {
        Self::of(self.sum.log10, self.tokens())
    }

    /// Returns the perplexity of the words in the vocabulary and the sentence ends; `None` if there
    /// are none.
    pub fn known_perplexity(&self) -> Option<f64> {
        Self::of(self.sum.log10 - self.sum.unknown_log10, self.tokens() - self.sum.unknown)
    }

    fn tokens(&self) -> u64 {
        self.sum.words + self.sentences
    }

    fn of(log10: f64, tokens: u64) -> Option<f64> {
        (tokens > 0).then(|| 10f64.powf(-log10 / tokens as f64))
    }
}
