//! Scoring of words: all n-grams of a model are in one hash table, which is used in place, in
//! memory or in a mapped file.
//!
//! An n-gram is keyed by the number of its history and its last word, and its entry holds
//! everything that a step needs except the back-off of its history: one cache line for each history
//! that is tried. A state is the number of the longest history that can matter, so scoring a word
//! never examines the words before it again. Histories are numbered as in `lm/table.rs`.
//!
//! Look-ups terminate in bounded time without a panic, whatever the bytes are.

use std::fmt;
use std::hint::black_box;

use super::table::{LittleEndian, NgramTable, float, number};
use super::vocab::{Vocabulary, WordId};
use majuscule_base::bytes::{ALIGN, Bytes};

/// The context after some words: two histories in the same state have the same future.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NgramState(pub(super) u32);

impl NgramState {
    /// The state in which no word is known.
    pub const EMPTY: Self = Self(u32::MAX);

    /// Returns the state's unique number, which is less than the number of
    /// n-grams; `None` for the empty state.
    pub fn number(self) -> Option<usize> {
        (self != Self::EMPTY).then_some(self.0 as usize)
    }
}

/// The score of a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredWord {
    /// log10 of the word's probability.
    pub log10: f32,
    /// The state after the word.
    pub state: NgramState,
}

/// The score of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScoredSentence {
    /// log10 of the sentence's probability, including its end.
    pub log10: f64,
    /// The number of out-of-vocabulary words.
    pub unknown: u64,
    /// The part of `log10` that is due to out-of-vocabulary words.
    pub unknown_log10: f64,
    /// The number of words, not counting the end.
    pub words: u64,
}

impl ScoredSentence {
    /// Adds a word and log10 of its probability.
    #[inline]
    pub fn add(&mut self, word: WordId, log10: f32) {
        self.log10 += f64::from(log10);
        self.words += 1;
        if word == WordId::UNKNOWN {
            self.unknown += 1;
            self.unknown_log10 += f64::from(log10);
        }
    }

    /// Adds log10 of the probability of the sentence's end.
    #[inline]
    pub fn end(&mut self, log10: f32) {
        self.log10 += f64::from(log10);
    }
}

/// A sequence of sentences, as the numbers of their words.
#[derive(Debug, Clone, Default)]
pub struct SentenceBatch {
    words: Vec<WordId>,
    /// The end of each sentence in `words`.
    ends: Vec<usize>,
}

impl SentenceBatch {
    /// Adds a word to the current sentence.
    #[inline]
    pub fn push(&mut self, word: WordId) {
        self.words.push(word);
    }

    /// Ends the current sentence.
    pub fn end(&mut self) {
        self.ends.push(self.words.len());
    }

    /// Removes all sentences.
    pub fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
    }

    /// Returns the number of words in all sentences.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Returns the number of ended sentences.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if no sentence has ended.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// A sentence in progress in [`NgramScorer::sentences`].
#[derive(Debug, Clone, Copy)]
struct Lane {
    sentence: usize,
    /// The index of the next word, and the end of the sentence.
    at: usize,
    end: usize,
}

/// Scores words under a model.
#[derive(Debug, Clone, Copy)]
pub struct NgramScorer<'a> {
    view: LookUpArrays<'a>,
    vocabulary: &'a Vocabulary,
}

/// The number of steps that are computed in parallel: enough to wait for many cache lines at once,
/// few enough to stay in cache.
const LANES: usize = 32;

impl<'a> NgramScorer<'a> {
    pub(super) fn new(look_up: &'a LookUp, vocabulary: &'a Vocabulary) -> Self {
        Self { view: look_up.view(), vocabulary }
    }

    /// Returns the state at the beginning of a sentence.
    #[inline]
    pub fn start(&self) -> NgramState {
        self.view.unigram(WordId::START.0).state
    }

    /// Returns the probability of a word in a state and the next state. The result is arbitrary if
    /// the state or the word belongs to another model.
    #[inline]
    pub fn step(&self, state: NgramState, word: WordId) -> ScoredWord {
        self.step_after(state, word).0
    }

    /// Scores a word like [`NgramScorer::step`], and returns the state whose n-gram with the word gave
    /// the probability: `state` itself, or a shorter history that it backed off to.
    #[inline]
    pub fn step_after(&self, state: NgramState, word: WordId) -> (ScoredWord, NgramState) {
        let mut back_off = 0.0;
        let mut at = state.0;
        while let Some(context) = self.view.contexts.get(at as usize) {
            if let Some(found) = self.view.find(self.view.home(at, word.0), at, word.0) {
                return (ScoredWord { log10: back_off + found.log10, ..found }, NgramState(at));
            }
            back_off += float(context[0]);
            at = shorter(at, context);
        }
        let found = self.view.unigram(word.0);
        (ScoredWord { log10: back_off + found.log10, ..found }, NgramState::EMPTY)
    }

    /// Computes many independent steps: `to` receives the result of [`NgramScorer::step`] for each
    /// element of `from`. Memory latency is shared by many steps, so this is several times as fast
    /// as single steps for a large model.
    ///
    /// # Panics
    /// Panics if `to` and `from` differ in length.
    pub fn steps(&self, from: &[(NgramState, WordId)], to: &mut [ScoredWord]) {
        assert_eq!(from.len(), to.len(), "one step out for each in");
        for (from, to) in from.chunks(LANES).zip(to.chunks_mut(LANES)) {
            self.steps_side_by_side(from, to);
        }
    }

    /// Computes at most [`LANES`] steps; each round tries one history for all steps that have not
    /// found their n-gram. All steps first touch their memory: independent loads fetch the cache
    /// lines in parallel.
    fn steps_side_by_side(&self, from: &[(NgramState, WordId)], to: &mut [ScoredWord]) {
        let view = &self.view;
        let mut pending = [0u8; LANES];
        let mut homes = [0; LANES];
        let mut count = from.len().min(LANES);
        for (lane, (&(state, word), to)) in from.iter().zip(&mut *to).take(LANES).enumerate() {
            *to = ScoredWord { log10: 0.0, state };
            pending[lane] = lane as u8;
            homes[lane] = view.home(state.0, word.0);
        }
        while count > 0 {
            black_box(pending[..count].iter().fold(0, |sum, &lane| sum ^ view.touch(homes[lane as usize])));
            let mut missed = 0;
            for at in 0..count {
                let lane = pending[at] as usize;
                let (word, ScoredWord { log10, state }) = (from[lane].1, to[lane]);
                let found = match (state.0 as usize) < view.contexts.len() {
                    true => view.find(homes[lane], state.0, word.0),
                    false => Some(view.unigram(word.0)),
                };
                match found {
                    Some(found) => to[lane] = ScoredWord { log10: log10 + found.log10, ..found },
                    None => {
                        pending[missed] = lane as u8;
                        missed += 1;
                    }
                }
            }
            count = missed;
            let state = |lane: u8| to[lane as usize].state.0;
            black_box(pending[..count].iter().fold(0, |sum, &lane| sum ^ view.touch_context(state(lane))));
            for &lane in &pending[..count] {
                let (word, ScoredWord { log10, state }) = (from[lane as usize].1, to[lane as usize]);
                let Some(context) = view.contexts.get(state.0 as usize) else { continue };
                let at = shorter(state.0, context);
                to[lane as usize] = ScoredWord { log10: log10 + float(context[0]), state: NgramState(at) };
                homes[lane as usize] = view.home(at, word.0);
            }
        }
    }

    /// Returns the score of a sentence from its beginning to its end.
    pub fn sentence<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> ScoredSentence {
        let mut sentence = ScoredSentence::default();
        let mut state = self.start();
        for word in words {
            let word = self.vocabulary.id(word);
            let step = self.step(state, word);
            sentence.add(word, step.log10);
            state = step.state;
        }
        sentence.end(self.step(state, WordId::END).log10);
        sentence
    }

    /// Appends the scores of all ended sentences to `out` in order, each as given by
    /// [`NgramScorer::sentence`]. Sentences are scored in parallel, like [`NgramScorer::steps`].
    pub fn sentences(&self, sentences: &SentenceBatch, out: &mut Vec<ScoredSentence>) {
        let first = out.len();
        out.resize(first + sentences.len(), ScoredSentence::default());
        let out = &mut out[first..];
        let mut starts = std::iter::once(0).chain(sentences.ends.iter().copied());
        let lanes = (0..).zip(&sentences.ends).zip(&mut starts);
        let mut waiting = lanes.map(|((sentence, &end), at)| Lane { sentence, at, end });
        let mut lanes: Vec<Lane> = waiting.by_ref().take(LANES).collect();
        let word = |lane: &Lane| if lane.at < lane.end { sentences.words[lane.at] } else { WordId::END };
        let mut from = [(self.start(), WordId::END); LANES];
        for (from, lane) in from.iter_mut().zip(&lanes) {
            from.1 = word(lane);
        }
        let mut to = [ScoredWord { log10: 0.0, state: NgramState::EMPTY }; LANES];
        while !lanes.is_empty() {
            let count = lanes.len();
            self.steps_side_by_side(&from[..count], &mut to[..count]);
            // Lanes are visited from the last, so that a lane that replaces another has already
            // been processed.
            for at in (0..count).rev() {
                let lane = &mut lanes[at];
                let sentence = &mut out[lane.sentence];
                if lane.at < lane.end {
                    sentence.add(from[at].1, to[at].log10);
                    lane.at += 1;
                    from[at] = (to[at].state, word(lane));
                    continue;
                }
                sentence.end(to[at].log10);
                if let Some(next) = waiting.next() {
                    *lane = next;
                    from[at] = (self.start(), word(lane));
                } else {
                    lanes.swap_remove(at);
                    from[at] = from[lanes.len()];
                }
            }
        }
    }
}

/// Returns the next shorter history, which has a lower number, so that the
/// loop ends whatever the bytes are.
#[inline]
fn shorter(at: u32, context: &HistoryContext) -> u32 {
    let suffix = number(context[1]);
    if suffix < at { suffix } else { NgramState::EMPTY.0 }
}

/// log10 p of a 1-gram and the state after it.
type Unigram = [LittleEndian; 2];

/// A history: its log10 back-off and the state of its longest proper suffix.
type HistoryContext = [LittleEndian; 2];

/// A cache line with four n-grams: their last words, their histories,
/// log10 p, and the states after them.
type Bucket = [[LittleEndian; IN_BUCKET]; 4];

const IN_BUCKET: usize = 4;

/// The word of an empty position in a bucket; empty positions come last in it.
const NONE: LittleEndian = [0xff; 4];

/// The size of a look-up table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LookUpSize {
    /// The number of n-grams of each order, from 1.
    pub(super) counts: Vec<u32>,
    pub(super) buckets: usize,
    /// The maximum distance in buckets of an n-gram from its home bucket.
    pub(super) farthest: u32,
}

impl LookUpSize {
    fn of(counts: Vec<u32>) -> Self {
        let mut size = Self { counts, buckets: 0, farthest: 0 };
        // Three of four slots are filled: with more, searches are slow; with fewer, memory is
        // wasted.
        size.buckets = size.ngrams() / 3 + 1;
        size
    }

    /// Returns the number of n-grams of more than one word.
    fn ngrams(&self) -> usize {
        self.counts[1..].iter().map(|&count| count as usize).sum()
    }

    pub(super) fn contexts(&self) -> usize {
        self.counts[..self.counts.len() - 1].iter().map(|&count| count as usize).sum()
    }

    /// Returns the sizes in bytes of the 1-grams, the contexts and the buckets, each padded to a
    /// cache line; `None` if a size overflows.
    fn parts(&self) -> Option<[usize; 3]> {
        let padded = |count: usize, size| count.checked_mul(size)?.checked_next_multiple_of(ALIGN);
        Some([
            padded(self.counts[0] as usize, size_of::<Unigram>())?,
            padded(self.contexts(), size_of::<HistoryContext>())?,
            padded(self.buckets, size_of::<Bucket>())?,
        ])
    }

    pub(super) fn bytes(&self) -> Option<usize> {
        self.parts()?.into_iter().try_fold(0usize, usize::checked_add)
    }
}

/// A model's look-up table, with the same layout in memory and in a file.
#[derive(Clone)]
pub(super) struct LookUp {
    size: LookUpSize,
    parts: [usize; 3],
    bytes: Bytes,
}

impl fmt::Debug for LookUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LookUp({:?})", self.size.counts)
    }
}

impl PartialEq for LookUp {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size && *self.bytes == *other.bytes
    }
}

impl LookUp {
    /// Creates a look-up table from the bytes of a file if their length matches the size; their
    /// contents are not checked.
    pub(super) fn new(size: LookUpSize, bytes: Bytes) -> Option<Self> {
        let parts = size.parts()?;
        let positions = size.buckets.checked_mul(IN_BUCKET)?;
        let sound = Some(bytes.len()) == size.bytes()
            && size.ngrams() <= positions
            && (size.farthest as usize) < size.buckets;
        sound.then_some(Self { size, parts, bytes })
    }

    /// Builds the look-up table of an n-gram table, at about 50 ns per n-gram.
    pub(super) fn of(table: &NgramTable) -> Self {
        let mut size = LookUpSize::of(table.counts().iter().map(|&count| count as u32).collect());
        let parts = size.parts().expect("there are fewer n-grams than fit in 32 bits");
        let mut farthest = 0;
        let bytes = Bytes::filled(parts.iter().sum(), |bytes| {
            let (unigrams, rest) = bytes.split_at_mut(parts[0]);
            let (contexts, buckets) = rest.split_at_mut(parts[1]);
            farthest = fill(table, pairs_mut(unigrams), pairs_mut(contexts), buckets_mut(buckets));
        });
        size.farthest = farthest;
        Self { size, parts, bytes }
    }

    pub(super) fn size(&self) -> &LookUpSize {
        &self.size
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn view(&self) -> LookUpArrays<'_> {
        let (unigrams, rest) = self.bytes.split_at(self.parts[0]);
        let (contexts, buckets) = rest.split_at(self.parts[1]);
        LookUpArrays {
            unigrams: &unigrams.as_chunks().0.as_chunks().0[..self.size.counts[0] as usize],
            contexts: &contexts.as_chunks().0.as_chunks().0[..self.size.contexts()],
            buckets: buckets.as_chunks().0.as_chunks().0.as_chunks().0,
            farthest: self.size.farthest,
        }
    }

    /// Converts the look-up table to a sorted table; if its bytes were altered,
    /// to a table of the 1-grams alone.
    pub(super) fn table(&self) -> NgramTable {
        let view = self.view();
        let mut ngrams = Vec::with_capacity(self.size.ngrams());
        for [words, contexts, log10, states] in view.buckets {
            for at in 0..IN_BUCKET {
                if words[at] != NONE {
                    let key = u64::from(number(contexts[at])) << 32 | u64::from(number(words[at]));
                    ngrams.push((key, log10[at], states[at]));
                }
            }
        }
        ngrams.sort_unstable_by_key(|&(key, ..)| key);
        let table = NgramTable::of_ngrams(&self.size.counts, view.unigrams, view.contexts, &ngrams);
        table.unwrap_or_else(|| NgramTable::of_unigrams(self.size.counts.len(), view.unigrams))
    }
}

/// Writes a table into a look-up table, and returns the maximum distance of
/// an n-gram from its home bucket.
fn fill(
    table: &NgramTable,
    unigrams: &mut [Unigram],
    contexts: &mut [HistoryContext],
    buckets: &mut [Bucket],
) -> u32 {
    let words = table.counts()[0] as u32;
    for (word, unigram) in (0..words).zip(unigrams) {
        *unigram = [table.nodes[word as usize][1], table.state(word).to_le_bytes()];
    }
    buckets.as_flattened_mut().as_flattened_mut().fill(NONE);
    let mut farthest = 0;
    let count = table.contexts.len() - 1;
    for ((context, numbers), to) in (0u32..).zip(&table.contexts[..count]).zip(contexts) {
        *to = [numbers[1], numbers[2]];
        for node in table.longer(context) {
            let [word, log10, _] = table.nodes[node as usize];
            let mut at = home(context, number(word), buckets.len());
            let mut distance = 0;
            while buckets[at][0][IN_BUCKET - 1] != NONE {
                at = if at + 1 == buckets.len() { 0 } else { at + 1 };
                distance += 1;
            }
            farthest = farthest.max(distance);
            let bucket = &mut buckets[at];
            let position = bucket[0].iter().position(|&word| word == NONE).unwrap_or_default();
            bucket[0][position] = word;
            bucket[1][position] = context.to_le_bytes();
            bucket[2][position] = log10;
            bucket[3][position] = table.state(node).to_le_bytes();
        }
    }
    farthest
}

fn pairs_mut(bytes: &mut [u8]) -> &mut [[LittleEndian; 2]] {
    bytes.as_chunks_mut().0.as_chunks_mut().0
}

fn buckets_mut(bytes: &mut [u8]) -> &mut [Bucket] {
    bytes.as_chunks_mut().0.as_chunks_mut().0.as_chunks_mut().0
}

/// The arrays of a look-up table.
#[derive(Debug, Clone, Copy)]
struct LookUpArrays<'a> {
    unigrams: &'a [Unigram],
    contexts: &'a [HistoryContext],
    buckets: &'a [Bucket],
    farthest: u32,
}

impl LookUpArrays<'_> {
    #[inline]
    fn home(&self, context: u32, word: u32) -> usize {
        home(context, word, self.buckets.len())
    }

    /// Finds the n-gram of a context and a word, in its home bucket or soon after it.
    #[inline]
    fn find(&self, home: usize, context: u32, word: u32) -> Option<ScoredWord> {
        let mut at = home;
        for _ in 0..=self.farthest {
            let [words, contexts, log10, states] = self.buckets.get(at)?;
            let mut found = 0;
            for position in 0..IN_BUCKET {
                let same = (number(words[position]) == word) & (number(contexts[position]) == context);
                found |= usize::from(same) << position;
            }
            if found != 0 {
                let position = found.trailing_zeros() as usize % IN_BUCKET;
                return Some(ScoredWord {
                    log10: float(log10[position]),
                    state: NgramState(number(states[position])),
                });
            }
            if words[IN_BUCKET - 1] == NONE {
                return None;
            }
            at = if at + 1 == self.buckets.len() { 0 } else { at + 1 };
        }
        None
    }

    /// Reads a byte of a bucket.
    #[inline]
    fn touch(&self, home: usize) -> u8 {
        self.buckets.get(home).map_or(0, |bucket| bucket[0][0][0])
    }

    /// Reads a byte of a context.
    #[inline]
    fn touch_context(&self, context: u32) -> u8 {
        self.contexts.get(context as usize).map_or(0, |context| context[0][0])
    }

    #[inline]
    fn unigram(&self, word: u32) -> ScoredWord {
        let unknown = [f32::NEG_INFINITY.to_le_bytes(), NgramState::EMPTY.0.to_le_bytes()];
        let [log10, state] = *self.unigrams.get(word as usize).unwrap_or(&unknown);
        ScoredWord { log10: float(log10), state: NgramState(number(state)) }
    }
}

/// Returns the home bucket of a context and a word, where a search starts.
#[inline]
fn home(context: u32, word: u32, buckets: usize) -> usize {
    // Knuth's multiplicative hashing, with the odd number nearest to
    // 2^64 divided by the golden ratio.
    let hash = (u64::from(context) << 32 | u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // The hash is scaled to the number of buckets without a division (Lemire 2019).
    ((u128::from(hash) * buckets as u128) >> u64::BITS) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tiny;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn many_at_once_score_as_one_after_another(
            sentences in prop::collection::vec(prop::collection::vec(0..12u32, 0..6), 0..100),
        ) {
            let model = tiny();
            let scorer = model.scorer();
            let mut all = SentenceBatch::default();
            let mut expected = Vec::new();
            let mut from = Vec::new();
            for sentence in &sentences {
                let mut score = ScoredSentence::default();
                let mut state = scorer.start();
                for word in sentence.iter().map(|&word| WordId(word)) {
                    all.push(word);
                    from.push((state, word));
                    let step = scorer.step(state, word);
                    score.add(word, step.log10);
                    state = step.state;
                }
                all.end();
                score.end(scorer.step(state, WordId::END).log10);
                expected.push(score);
            }
            let mut out = Vec::new();
            scorer.sentences(&all, &mut out);
            prop_assert_eq!(out, expected);
            let mut steps = vec![ScoredWord { log10: 0.0, state: NgramState::EMPTY }; from.len()];
            scorer.steps(&from, &mut steps);
            for ((state, word), step) in from.into_iter().zip(steps) {
                prop_assert_eq!(scorer.step(state, word), step);
            }
        }
    }

    #[test]
    fn every_ngram_is_found_and_brings_the_state_of_its_longest_suffix_that_matters() {
        let model = tiny();
        let scorer = model.scorer();
        for order in 1..=model.order() {
            model.for_each(order, &mut |words, log10, _| {
                let (word, history) = words.split_last().unwrap();
                let state =
                    history.iter().fold(NgramState::EMPTY, |state, &word| scorer.step(state, word).state);
                assert_eq!(scorer.step(state, *word).log10, log10, "{words:?}");
            });
        }
        // No n-gram begins with "US </s>" or with "</s>".
        let id = |word| model.vocabulary().id(word);
        let us = scorer.step(NgramState::EMPTY, id("US")).state;
        assert_eq!(scorer.step(us, WordId::END).state, NgramState::EMPTY);
    }
}
