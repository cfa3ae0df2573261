//! The marks after words: a second maximum entropy classifier, of the gap after a word, which sees
//! the words around the gap and the marks before it.
//!
//! Marks are decided once, from left to right. The features of a gap depend on the marks before it
//! alone, wherever those come from: a mark that stands in the text and the same mark put in by the
//! model lead to the same choices, so that a text restored twice stays as it is.

use serde::{Deserialize, Serialize};

use super::filling::GapSet;
use super::observe::WordFeatures;
use super::weights::WeightTable;
use super::{Logits, WEIGHTS_EACH};
use crate::restorer::Request;
use crate::text::{Mark, MarkSet};

/// The largest number of marks that a model can put: one weight of a feature for each.
pub const MOST_MARKS: usize = WEIGHTS_EACH;

/// The part of a model that finds marks.
#[derive(Debug, Clone)]
pub struct MarkModel {
    /// The weights of each feature of a gap, one for each mark.
    pub weights: WeightTable,
    /// The settings of training.
    pub settings: MarkSettings,
    /// The features of a gap.
    pub features: GapSet,
}

/// The settings of marks that a model needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarkSettings {
    /// The marks that the model can put, in the order of its weights.
    pub marks: MarkSet,
    /// The number of steps of a weight of 1.
    pub steps: u32,
    /// True if features use the classes of words.
    pub clusters: bool,
    /// The cost of a superfluous mark inside a sentence relative to that of a missing one.
    pub mark_cost: f32,
    /// The cost of a superfluous end of a sentence relative to that of a missing one.
    pub end_cost: f32,
}

/// The words and marks before a gap, as far as its features depend on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MarkHistory {
    /// The number of words since the last end of a sentence, and since the last mark.
    words: [u16; 2],
    /// The last mark.
    pub last: Mark,
    /// The first two words of the sentence.
    pub opening: [u64; 2],
    /// The last words of the sentence, the last one first.
    recent: [u64; RECENT],
}

/// The number of words before a gap that may tell the kind of its sentence.
const RECENT: usize = 14;

impl MarkHistory {
    /// Takes the word before the gap.
    pub fn take(&mut self, word: &WordFeatures) {
        if let Some(place) = self.opening.get_mut(usize::from(self.words[0])) {
            *place = word.hash;
        }
        self.words = self.words.map(|count| count.saturating_add(1));
        self.recent.copy_within(..RECENT - 1, 1);
        self.recent[0] = word.hash;
    }

    /// Returns true if the last word is the first one of its sentence.
    pub(super) fn is_first(&self) -> bool {
        self.words[0] == 1
    }

    /// Returns the pairs of neighbouring words of the sentence so far; its first word is paired with
    /// none.
    pub(super) fn pairs(&self) -> impl Iterator<Item = u64> {
        let pairs = self.recent.windows(2).take(usize::from(self.words[0]));
        pairs.map(|pair| pair[0].rotate_left(1) ^ pair[1])
    }

    /// Takes the mark in the gap.
    pub fn mark(&mut self, mark: Mark) {
        if mark == Mark::None {
            return;
        }
        self.last = mark;
        self.words[1] = 0;
        if mark.ends_sentence() {
            (self.words[0], self.opening, self.recent) = (0, [0; 2], [0; RECENT]);
        }
    }

    /// Returns the number of words since the last end of a sentence, in buckets.
    pub(super) fn since_end(&self) -> u64 {
        bucket(self.words[0])
    }

    /// Returns the number of words since the last mark, in buckets.
    pub(super) fn since_mark(&self) -> u64 {
        bucket(self.words[1])
    }
}

/// Below this logit an end is not probable, whatever kind of sentence ends.
const UNLIKELY: f32 = -2.5;

/// Below this sum of the weights of core features a mark is not probable, whatever the other
/// features.
const FAR: f32 = -2.0;

/// The weight of the model of cases where both tell the end of a sentence. On Dutch subtitles, F of
/// sentence ends is 70.9 with it and 68.3 without.
const SHARE_OF_CASES: f32 = 0.4;

/// The odds of an end that count as impossible.
const LEAST_ODDS: f32 = 1e-3;

/// Higher logits count as this, so that no sum of shares is infinite.
const HIGHEST: f32 = 60.0;

/// Returns the bucket of a number of words.
fn bucket(words: u16) -> u64 {
    const LEAST: [u16; 13] = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 45];
    LEAST.iter().take_while(|&&least| words >= least).count() as u64
}

impl MarkModel {
    /// Returns true if a mark is probable enough, in a gap whose core features have these logits,
    /// that the other features matter.
    pub fn may_stand(&self, logits: &Logits) -> bool {
        let least = (FAR * self.settings.steps as f32) as i32;
        logits.iter().zip(self.settings.marks.iter()).any(|(&sum, _)| sum > least)
    }

    /// Returns true if the end of a sentence in a gap with these logits is probable enough that its
    /// kind matters.
    pub fn may_end(&self, logits: &Logits) -> bool {
        let least = (UNLIKELY * self.settings.steps as f32) as i32;
        let ends = self.settings.marks.iter().zip(logits).filter(|(mark, _)| mark.ends_sentence());
        ends.into_iter().any(|(_, &sum)| sum > least)
    }

    /// Adds what the model of cases knows of a gap: the probability that a sentence ends there. The
    /// log odds of an end become a weighted mean of those of both models.
    pub fn add_end(&self, probability: f32, logits: &mut Logits) {
        let MarkSettings { marks, steps, .. } = self.settings;
        let unit = steps as f32;
        let (mut ends, mut others) = (0.0, 1.0);
        for (mark, &sum) in marks.iter().zip(logits.iter()) {
            let share = if mark.ends_sentence() { &mut ends } else { &mut others };
            *share += (sum as f32 / unit).min(HIGHEST).exp();
        }
        let odds = (probability / (1.0 - probability)).clamp(LEAST_ODDS, 1.0 / LEAST_ODDS);
        let moved = (SHARE_OF_CASES * (odds * others / ends).ln() * unit) as i32;
        for (mark, sum) in marks.iter().zip(logits) {
            if mark.ends_sentence() {
                *sum += moved;
            }
        }
    }

    /// Returns the most probable mark in a gap with these logits, the costs taken into account, as
    /// one of those that are asked for, and its probability if the request needs it. `is_last` is
    /// true if a sentence certainly ends there. The end of a sentence is decided first, and then
    /// its kind. One of the marks `refused` is none.
    pub fn likeliest(
        &self,
        logits: &Logits,
        is_last: bool,
        refused: MarkSet,
        request: &Request,
    ) -> (Mark, Option<f32>) {
        let MarkSettings { marks, steps, mark_cost, end_cost, .. } = self.settings;
        let mut shares = [0.0; MOST_MARKS];
        let mut ends = 0.0;
        let [mut inside, mut end] = [(Mark::None, 0.0); 2];
        for ((mark, &sum), share_of) in marks.iter().zip(logits).zip(&mut shares) {
            let share = (sum as f32 / steps as f32).min(HIGHEST).exp();
            *share_of = share;
            let best = if mark.ends_sentence() { &mut end } else { &mut inside };
            if share > best.1 {
                *best = (mark, share);
            }
            if mark.ends_sentence() {
                ends += share;
            }
        }
        let [inside_weight, end_weight] = [inside.1 / mark_cost, ends / end_cost];
        let mark = match () {
            () if is_last || end_weight > inside_weight.max(1.0) => end.0,
            () if inside_weight > 1.0 => inside.0,
            () => Mark::None,
        };
        let mark = Some(mark.within(request.marks)).filter(|mark| !refused.has(*mark)).unwrap_or_default();
        // At a certain end the ends share the whole.
        let none = (Mark::None, if is_last && ends > 0.0 { 0.0 } else { 1.0 });
        let possible = || {
            let shares = marks.iter().zip(shares).filter(|(mark, _)| !is_last || mark.ends_sentence());
            std::iter::once(none).chain(shares)
        };
        let sum = |mark| {
            let same = possible().filter(|(other, _)| other.within(request.marks) == mark);
            same.map(|(_, share)| share).sum::<f32>() / possible().map(|(_, share)| share).sum::<f32>()
        };
        request.decided(mark, sum)
    }
}
