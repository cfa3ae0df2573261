//! Chooses the punctuation marks after words with a second maximum entropy classifier. It classifies the gap
//! after a word, from the words around the gap and the marks before it.
//!
//! Marks are decided once, from left to right. The features of a gap depend on no mark after it, and it does
//! not matter where the marks before it come from: a mark in the text and the same mark inserted by the
//! model lead to the same choices, so a text restored twice stays the same.

use serde::{Deserialize, Serialize};

use super::filling::{GapSet, Values};
use super::observe::WordFeatures;
use super::weights::{WeightLevels, WeightTable};
use super::{Logits, WEIGHTS_EACH};
use crate::gaps::{MarkCosts, likeliest_mark};
use majuscule_text::restorer::Request;
use majuscule_text::{Mark, MarkSet};

/// The maximum number of marks that a model can insert.
const MOST_MARKS: usize = Mark::WRITTEN.len();

/// The part of a model that finds marks.
#[derive(Debug, Clone)]
pub struct MarkModel {
    /// The weights of each feature of a gap, one for each mark; see [`MarkClasses::Frequent`].
    pub weights: WeightTable,
    /// The weights that distinguish the rare marks, if there are any.
    pub rare: Option<WeightTable>,
    /// The settings of training.
    pub settings: MarkSettings,
    /// The features of a gap.
    pub features: GapSet,
}

/// The settings of marks that a model needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarkSettings {
    /// The marks that the model can insert, in the order of its weights.
    pub marks: MarkSet,
    /// The number of quantisation steps that make up a weight of 1.
    pub steps: u32,
    /// The number of quantisation steps that make up a weight of 1 in the table of rare marks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rare_steps: Option<u32>,
    /// True if features use the classes of words.
    pub clusters: bool,
    /// The cost of a superfluous mark inside a sentence relative to the cost of a missing one.
    pub mark_cost: f32,
    /// The cost of a superfluous end of a sentence relative to the cost of a missing one.
    pub end_cost: f32,
}

/// The classes of gaps that a table of weights distinguishes. A feature has [`WEIGHTS_EACH`] weights. If a
/// model has more marks than weights, the first marks have one weight each, and all further marks, the rare
/// marks, share one weight; a second table distinguishes the rare marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkClasses {
    /// No mark, and the marks in their order; the rare marks are one class.
    Frequent,
    /// The rare marks.
    Rare,
}

impl MarkClasses {
    /// Returns the class of `mark`, which is one of `marks` or no mark; `None` if the table does not
    /// distinguish this mark.
    pub fn class(self, mark: Mark, marks: MarkSet) -> Option<usize> {
        let frequent = frequent(marks);
        let position = marks.iter().position(|known| known == mark);
        match (self, position) {
            (Self::Frequent, position) => Some(position.map_or(0, |position| position.min(frequent) + 1)),
            (Self::Rare, position) => position.and_then(|position| position.checked_sub(frequent)),
        }
    }
}

/// Returns the number of marks that have their own weight in the first table.
fn frequent(marks: MarkSet) -> usize {
    if has_rare(marks) { WEIGHTS_EACH - 1 } else { marks.iter().count() }
}

/// Returns true if the marks of a model need a table of rare marks.
pub fn has_rare(marks: MarkSet) -> bool {
    marks.iter().count() > WEIGHTS_EACH
}

/// The odds of each mark in a gap against no mark, in the order of the model's marks.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarkOdds([f32; MOST_MARKS]);

/// The words and marks before a gap that the features of the gap use.
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

/// The number of words before a gap that may show the kind of its sentence.
const RECENT: usize = 14;

impl MarkHistory {
    /// Processes the word before the gap.
    pub fn take(&mut self, word: &WordFeatures) {
        if let Some(position) = self.opening.get_mut(usize::from(self.words[0])) {
            *position = word.hash;
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

    /// Processes the mark in the gap.
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

    /// Returns true if no word came after the last mark, or no word at all: a clause may then open at the
    /// next word.
    pub fn is_after_mark(&self) -> bool {
        self.words[1] == 0
    }

    /// Returns the numbers of words since the last end of a sentence, and since the last mark, in buckets.
    pub(super) fn since(&self) -> [u64; 2] {
        self.words.map(bucket)
    }
}

/// A cache of the weights of recently used word pairs: a pair stays among the recent words of its sentence for many
/// consecutive gaps.
#[derive(Debug, Clone)]
pub(super) struct PairSums([Option<(u64, WeightLevels)>; 4 * RECENT]);

impl Default for PairSums {
    fn default() -> Self {
        Self([None; 4 * RECENT])
    }
}

impl PairSums {
    /// Returns the sums of the weights of the pairs of words before a gap.
    pub(super) fn sum(&mut self, model: &MarkModel, history: &MarkHistory, values: &mut Values) -> Logits {
        let mut logits = Logits::default();
        for pair in history.pairs() {
            let position = &mut self.0[(pair % (4 * RECENT as u64)) as usize];
            let levels = match *position {
                Some((known, levels)) if known == pair => levels,
                _ => {
                    let mut levels = None;
                    model.features.pair(pair, values, |filler, values| {
                        levels = model.weights.get(filler.feature(values));
                    });
                    position.insert((pair, levels.unwrap_or_default())).1
                }
            };
            logits.iter_mut().zip(levels).for_each(|(sum, level)| *sum += i32::from(level));
        }
        logits
    }
}

/// Below this logit an end is not probable, whatever kind of sentence ends.
const UNLIKELY: f32 = -2.5;

/// Below this logit of the class of rare marks, none of them is probable.
const VERY_UNLIKELY: f32 = -4.0;

/// Below this sum of the weights of core features a mark is not probable, whatever the other
/// features.
const FAR: f32 = -2.0;

/// The weight of the case model where both the case model and the mark model predict the end of a sentence.
/// On Dutch subtitles, F1 of sentence ends is 70.6 with the case model and 68.3 without it.
const FRACTION_OF_CASES: f32 = 0.4;

/// The weight of the case model where both models predict the start of a sentence in a text without marks.
const WEIGHT_OF_CASES_FOR_STARTS: f32 = 0.6;

/// The term added to the log odds of a start in a text without marks. In windows of 200 words, F1 of
/// capitals rises by 0.2 (German) to 2.4 (French) in the mean of the test sets of a language, at a lower
/// slot error rate.
const FAVOUR_OF_STARTS: f32 = 0.6;

/// The weight that the pairs of words of a sentence get, in addition to the learned weight, where they
/// distinguish a question from a statement: training text has few questions. On TED talks, F1 of question
/// marks rises from 28 to 38 and F1 of all marks by 0.2; on Dutch subtitles from 31 to 40.
const STRESS_OF_PAIRS: f32 = 2.0;

/// Lower odds of an end count as this value, and higher odds than its inverse as the inverse.
const LEAST_ODDS: f32 = 1e-3;

/// Higher logits count as this value, so that no sum of fractions is infinite.
const HIGHEST: f32 = 60.0;

/// Returns the bucket of a number of words.
fn bucket(words: u16) -> u64 {
    const LEAST: [u16; 13] = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 45];
    LEAST.iter().take_while(|&&least| words >= least).count() as u64
}

/// The logits of each weight above which a mark is considered.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarkBounds {
    /// The core features of a gap with a higher logit make a mark probable enough that the other features matter.
    pub(super) stand: Logits,
    /// The end of a sentence in a gap with a higher logit is probable enough that its kind matters.
    pub(super) end: Logits,
    /// Without a higher logit, the costs of superfluous marks rule out every mark in a gap, if the end of a sentence is
    /// not certain there.
    pub(super) put: Logits,
}

/// Returns true if a logit exceeds its bound.
#[inline]
pub(super) fn exceeds(logits: &Logits, bounds: &Logits) -> bool {
    logits.iter().zip(bounds).fold(false, |is_above, (sum, bound)| is_above | (sum > bound))
}

impl MarkModel {
    /// Returns the logits above which marks are considered.
    pub(super) fn bounds(&self) -> MarkBounds {
        let MarkSettings { marks, steps, mark_cost, end_cost, .. } = self.settings;
        let least = |logit: f32| (logit * steps as f32) as i32;
        let ends = marks.iter().filter(|mark| mark.ends_sentence()).count();
        let put = mark_cost.min(end_cost / ends.max(1) as f32).min(1.0).ln();
        let none = [i32::MAX; WEIGHTS_EACH];
        let mut bounds = MarkBounds { stand: none, end: none, put: none };
        for (at, mark) in marks.iter().enumerate().take(WEIGHTS_EACH) {
            bounds.stand[at] = least(FAR);
            // The bound is two steps lower to allow for rounding.
            bounds.put[at] = least(put).saturating_sub(2);
            if mark.ends_sentence() || at + 1 == WEIGHTS_EACH && self.rare.is_some() {
                bounds.end[at] = least(UNLIKELY);
            }
        }
        bounds
    }

    /// Returns the table that distinguishes rare marks, if a rare mark is probable enough in a gap with
    /// these logits.
    pub(super) fn rare_of(&self, logits: &Logits) -> Option<&WeightTable> {
        let least = (VERY_UNLIKELY * self.settings.steps as f32) as i32;
        self.rare.as_ref().filter(|_| logits[WEIGHTS_EACH - 1] > least)
    }

    /// Returns the odds of marks in a gap with these logits; `rare` are the logits of rare marks.
    pub(super) fn odds(&self, logits: &Logits, rare: &Logits) -> MarkOdds {
        let exp = |sum: i32, steps: u32| (sum as f32 / steps as f32).min(HIGHEST).exp();
        let (mut odds, frequent) = ([0.0; MOST_MARKS], frequent(self.settings.marks));
        odds.iter_mut().zip(logits).for_each(|(odds, &sum)| *odds = exp(sum, self.settings.steps));
        if let Some(steps) = self.settings.rare_steps {
            let all = odds[frequent];
            let fractions: [f32; WEIGHTS_EACH + 1] =
                std::array::from_fn(|class| class.checked_sub(1).map_or(1.0, |at| exp(rare[at], steps)));
            let fractions = &fractions[..self.settings.marks.iter().count() - frequent];
            let whole: f32 = fractions.iter().sum();
            odds[frequent..]
                .iter_mut()
                .zip(fractions)
                .for_each(|(odds, fraction)| *odds = all * fraction / whole);
        }
        MarkOdds(odds)
    }

    /// Adds the evidence of the case model about a gap: the probability that a sentence ends in the gap. The
    /// log odds of an end become a weighted mean of the log odds of both models.
    pub(super) fn add_end(&self, probability: f32, odds: &mut MarkOdds) {
        let (ends, others) = self.ends_and_others(odds);
        let end_odds = (probability / (1.0 - probability)).clamp(LEAST_ODDS, 1.0 / LEAST_ODDS);
        self.favour_end((end_odds * others / ends).powf(FRACTION_OF_CASES), odds);
    }

    /// Increases the weight of the pairs of words before a gap in the choice of the mark that ends a
    /// sentence; `pairs` are their logits. The probability that a sentence ends in the gap does not change.
    pub(super) fn stress_kind_of_end(&self, pairs: &Logits, odds: &mut MarkOdds) {
        let MarkSettings { marks, steps, .. } = self.settings;
        let kinds = marks.iter().enumerate().filter(|(_, mark)| mark.ends_sentence());
        // Rare marks share the last weight.
        let kinds = kinds.map(|(at, _)| (at, pairs[at.min(WEIGHTS_EACH - 1)]));
        let Some(most) = kinds.clone().map(|(_, sum)| sum).max() else { return };
        let mut stressed = *odds;
        for (at, sum) in kinds {
            let less = STRESS_OF_PAIRS * (sum - most) as f32 / steps as f32;
            stressed.0[at] *= less.max(-HIGHEST).exp();
        }
        let [(before, _), (after, _)] = [&*odds, &stressed].map(|odds| self.ends_and_others(odds));
        let factor = before / after;
        // If no end is possible, the factor is not finite and the odds stay the same.
        if factor.is_finite() {
            *odds = stressed;
            self.favour_end(factor, odds);
        }
    }

    /// Returns the probability of an end of a sentence in a gap with these odds.
    pub(super) fn end_probability(&self, odds: &MarkOdds) -> f32 {
        let (ends, others) = self.ends_and_others(odds);
        ends / (ends + others)
    }

    /// Returns the probability that a sentence begins after a gap with these odds, in a text without marks.
    /// The case model finds a start with probability `found`, which includes the factor `position` for the
    /// position in the line. The resulting log odds are higher than a weighted mean of the log odds of both
    /// models, because each model misses more starts than it invents.
    pub(super) fn start_probability(&self, found: f32, position: f32, odds: &MarkOdds) -> f32 {
        let log_odds = |odds: f32| odds.clamp(LEAST_ODDS, 1.0 / LEAST_ODDS).ln();
        let (ends, others) = self.ends_and_others(odds);
        let of_cases = log_odds(found / (1.0 - found));
        let of_marks = log_odds(ends / others) + position.ln();
        let weight = WEIGHT_OF_CASES_FOR_STARTS;
        let sum = weight * of_cases + (1.0 - weight) * of_marks + FAVOUR_OF_STARTS;
        1.0 / (1.0 + (-sum).exp())
    }

    /// Returns the most probable mark inside a sentence with these odds, or none.
    pub(super) fn inside(&self, MarkOdds(of_marks): &MarkOdds) -> Mark {
        let inside = self.settings.marks.iter().zip(of_marks).filter(|(mark, _)| !mark.ends_sentence());
        let most = inside.reduce(|most, next| if next.1 > most.1 { next } else { most });
        most.filter(|(_, odds)| **odds > 1.0).map_or(Mark::None, |(mark, _)| mark)
    }

    /// Returns the sum of the odds of the marks that end a sentence, and the sum of the odds of other marks
    /// and no mark.
    fn ends_and_others(&self, MarkOdds(of_marks): &MarkOdds) -> (f32, f32) {
        let (mut ends, mut others) = (0.0, 1.0);
        for (mark, odds) in self.settings.marks.iter().zip(of_marks) {
            *(if mark.ends_sentence() { &mut ends } else { &mut others }) += odds;
        }
        (ends, others)
    }

    /// Multiplies the odds of an end of a sentence by a factor.
    pub(super) fn favour_end(&self, factor: f32, MarkOdds(of_marks): &mut MarkOdds) {
        let ends = self.settings.marks.iter().zip(of_marks).filter(|(mark, _)| mark.ends_sentence());
        ends.for_each(|(_, odds)| *odds *= factor);
    }

    /// Returns the [likeliest mark](likeliest_mark) in a gap with these odds.
    pub(super) fn likeliest(
        &self,
        MarkOdds(odds): &MarkOdds,
        is_last: bool,
        refused: MarkSet,
        request: &Request,
        settle: impl Fn(Mark) -> Mark,
    ) -> (Mark, Option<f32>) {
        let MarkSettings { marks, mark_cost, end_cost, .. } = self.settings;
        let odds = marks.iter().zip(odds.iter().copied());
        likeliest_mark(odds, MarkCosts { mark_cost, end_cost }, is_last, refused, request, settle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maxent::weights::Width;
    use proptest::prelude::*;

    /// Returns a model of commas, full stops and question marks with these weights and costs.
    fn model(weights: &[(u64, WeightLevels)], mark_cost: f32, end_cost: f32) -> MarkModel {
        let marks = MarkSet::USUAL;
        MarkModel {
            weights: WeightTable::open(Width::Narrow.build(weights.iter().copied()).into()).unwrap(),
            rare: None,
            settings: MarkSettings {
                marks,
                steps: 26,
                rare_steps: None,
                clusters: false,
                mark_cost,
                end_cost,
            },
            features: GapSet::new(false),
        }
    }

    proptest! {
        #[test]
        fn pairs_of_words_have_the_weights_of_the_table_however_often_they_come(
            words in prop::collection::vec((1u64..6, prop::bool::weighted(0.1)), 1..60), unit in 1i16..20,
        ) {
            let set = GapSet::new(false);
            let feature = |pair: u64| {
                let mut feature = 0;
                set.pair(pair, &mut Values::default(), |filler, values| feature = filler.feature(values));
                feature
            };
            let levels = |pair: u64| [0, 1, 2, 3].map(|at| unit * ((pair >> at) & 3) as i16);
            let known = (0u64..16).map(|pair| (feature(pair), levels(pair))).collect::<Vec<_>>();
            let model = model(&known, 1.0, 1.0);
            let (mut sums, mut history) = (PairSums::default(), MarkHistory::default());
            for (hash, ends) in words {
                history.take(&WordFeatures { hash, ..WordFeatures::default() });
                let found = sums.sum(&model, &history, &mut Values::default());
                let mut plain = Logits::default();
                let features: Vec<u64> = history.pairs().map(feature).collect();
                model.weights.add(&features, &mut plain);
                prop_assert_eq!(found, plain);
                if ends {
                    history.mark(Mark::Period);
                }
            }
        }

        #[test]
        fn the_kind_of_an_end_leaves_its_probability(
            logits in prop::array::uniform4(-3000i32..3000), pairs in prop::array::uniform4(-1800i32..1800),
        ) {
            let model = model(&[], 1.0, 1.0);
            let odds = model.odds(&[logits[0], logits[1], logits[2], 0], &Logits::default());
            let mut stressed = odds;
            model.stress_kind_of_end(&pairs, &mut stressed);
            let [before, after] = [&odds, &stressed].map(|odds| model.end_probability(odds));
            prop_assert!((before - after).abs() < 1e-5, "{before} {after}");
            prop_assert!(stressed.0.iter().all(|odds| odds.is_finite()));
        }

        #[test]
        fn no_mark_is_likeliest_where_the_costs_rule_out_any(
            logits in prop::array::uniform4(-120i32..60), mark_cost in 0.05f32..3.0, end_cost in 0.05f32..3.0,
        ) {
            let (model, logits) = (model(&[], mark_cost, end_cost), [logits[0], logits[1], logits[2], 0]);
            if !exceeds(&logits, &model.bounds().put) {
                let request = Request { marks: MarkSet::USUAL, ..Request::default() };
                let odds = model.odds(&logits, &Logits::default());
                prop_assert_eq!(model.likeliest(&odds, false, MarkSet::NONE, &request, |mark| mark).0, Mark::None);
            }
        }
    }
}
