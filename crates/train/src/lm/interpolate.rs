//! Mixes several models into one back-off model by linear interpolation.
//!
//! The static mixture of SRILM's `ngram -mix-lm` (Stolcke 2002, section 3.2): the result lists
//! every n-gram of any of the models, with p(w | h) = Σ λ p(w | h) under the models, where models
//! that do not list the n-gram back off. Back-off weights are recomputed, so that each history sums
//! to one. After a history that no model lists, the result backs off to the shorter history. Tuning
//! mixes the models word by word, even after such a history, so perplexities differ slightly.
//!
//! The vocabulary is the union of the models' vocabularies. A model has no probability for a word
//! that it does not list; its `<unk>` is used only for words that no model has. If such a word
//! occurs in a history, the model reads it as `<unk>`, whereas SRILM drops the history before it.
//!
//! Weights are tuned by expectation maximisation (Jelinek and Mercer 1980): the new weight of a
//! model is the mean, over the words of a held-out text, of its posterior given the word.

use super::words::{self, SentenceVisitor, WordUnits};
use crate::corpus::Corpus;
use majuscule_base::error::{Error, Result};
use majuscule_lm::scorer::{NgramScorer, NgramState, ScoredWord};
use majuscule_lm::table::{ContextRest, NgramTableBuilder};
use majuscule_lm::vocab::{Vocabulary, WordId};
use majuscule_lm::{MAX_ORDER, NgramModel};

/// Mixes models with one weight per model.
///
/// # Errors
/// If there is not one weight per model, if a weight is negative, if the weights do not sum to 1,
/// or if there are too many n-grams.
pub fn interpolate(models: &[&NgramModel], weights: &[f64]) -> Result<NgramModel> {
    check(models, weights)?;
    let mixture = Mixture::new(models, weights);
    let order = models.iter().map(|model| model.order()).max().unwrap_or(1);
    let mut builder = NgramTableBuilder::new(order, mixture.unigrams().into_iter());
    let mut contexts: Vec<WordId> = (0..mixture.vocabulary.len() as u32).map(WordId).collect();
    for n in 2..=order {
        let ngrams = mixture.ngrams(n);
        mixture.extend(&mut builder, n, &contexts, &ngrams)?;
        contexts = ngrams;
    }
    Ok(NgramModel::new(mixture.vocabulary, builder.finish()))
}

fn check(models: &[&NgramModel], weights: &[f64]) -> Result<()> {
    let sound = weights.iter().all(|weight| (0.0..=1.0).contains(weight));
    let sum: f64 = weights.iter().sum();
    let problem = if models.is_empty() || weights.len() != models.len() {
        format!("{} weights for {} models: expected one per model", weights.len(), models.len())
    } else if !sound || (sum - 1.0).abs() > 1e-6 {
        format!("weights {}: expected numbers from 0 to 1 with the sum 1", shown(weights))
    } else {
        return Ok(());
    };
    Err(Error::usage(problem))
}

/// Formats weights for people.
pub fn shown(weights: &[f64]) -> String {
    weights.iter().map(|weight| format!("{weight:.4}")).collect::<Vec<_>>().join(" ")
}

/// Several models under a common vocabulary.
struct Mixture<'a> {
    parts: Vec<MixturePart<'a>>,
    vocabulary: Vocabulary,
}

struct MixturePart<'a> {
    model: &'a NgramModel,
    scorer: NgramScorer<'a>,
    weight: f64,
    /// The common number of each of the model's own words.
    to_common: Vec<WordId>,
    /// The model's own number for each common word.
    to_own: Vec<Option<WordId>>,
}

impl MixturePart<'_> {
    /// Returns the model's own number for a word in a history.
    fn own(&self, word: WordId) -> WordId {
        self.to_own[word.0 as usize].unwrap_or(WordId::UNKNOWN)
    }

    fn state(&self, history: &[WordId]) -> NgramState {
        history.iter().fold(NgramState::EMPTY, |state, &word| self.scorer.step(state, self.own(word)).state)
    }
}

impl<'a> Mixture<'a> {
    fn new(models: &[&'a NgramModel], weights: &[f64]) -> Self {
        let mut vocabulary = Vocabulary::new();
        let common: Vec<Vec<WordId>> = models
            .iter()
            .map(|model| model.vocabulary().iter().map(|word| vocabulary.insert(word)).collect())
            .collect();
        let part = |((&model, to_common), &weight): ((&&'a NgramModel, Vec<WordId>), &f64)| {
            let mut to_own = vec![None; vocabulary.len()];
            for (own, common) in (0..).map(WordId).zip(&to_common) {
                to_own[common.0 as usize] = Some(own);
            }
            MixturePart { model, scorer: model.scorer(), weight, to_common, to_own }
        };
        let parts = models.iter().zip(common).zip(weights).map(part).collect();
        Self { parts, vocabulary }
    }

    fn unigrams(&self) -> Vec<(f32, f32)> {
        let nothing = vec![NgramState::EMPTY; self.parts.len()];
        let words = (0..self.vocabulary.len() as u32).map(WordId);
        let mut unigrams: Vec<_> = words.map(|word| (log10(self.probability(&nothing, word)), 0.0)).collect();
        // `<s>` is never predicted, and tools write arbitrary values for it.
        unigrams[WordId::START.0 as usize].0 = NEVER;
        unigrams
    }

    /// Returns p of a word, given the state of each model after a history.
    fn probability(&self, states: &[NgramState], word: WordId) -> f64 {
        let fractions = self.parts.iter().zip(states).filter_map(|(part, &state)| {
            let own = part.to_own[word.0 as usize]?;
            Some(part.weight * power(part.scorer.step(state, own).log10))
        });
        fractions.sum()
    }

    /// Returns all n-grams of an order, sorted and concatenated.
    fn ngrams(&self, order: usize) -> Vec<WordId> {
        match order {
            2 => self.sorted::<2>(),
            3 => self.sorted::<3>(),
            4 => self.sorted::<4>(),
            5 => self.sorted::<5>(),
            6 => self.sorted::<6>(),
            _ => self.sorted::<MAX_ORDER>(),
        }
    }

    fn sorted<const ORDER: usize>(&self) -> Vec<WordId> {
        let parts = self.parts.iter().filter(|part| part.model.order() >= ORDER);
        let mut ngrams: Vec<[WordId; ORDER]> = Vec::new();
        for part in parts {
            part.model.for_each(ORDER, &mut |words, _, _| {
                ngrams.push(std::array::from_fn(|at| part.to_common[words[at].0 as usize]));
            });
        }
        ngrams.sort_unstable();
        ngrams.dedup();
        ngrams.into_flattened()
    }

    /// Adds the n-grams of an order and computes the back-off weights of their contexts; both are
    /// sorted.
    fn extend(
        &self,
        builder: &mut NgramTableBuilder,
        order: usize,
        contexts: &[WordId],
        ngrams: &[WordId],
    ) -> Result<()> {
        builder.reserve(ngrams.len() / order);
        let mut ngrams = ngrams.chunks_exact(order).peekable();
        let mut states = Vec::new();
        for history in contexts.chunks_exact(order - 1) {
            builder.begin_next();
            states.clear();
            let mut rest = ContextRest::default();
            while let Some(ngram) = ngrams.next_if(|ngram| ngram.starts_with(history)) {
                if states.is_empty() {
                    states.extend(self.parts.iter().map(|part| part.state(history)));
                }
                let word = ngram[order - 1];
                let p = log10(self.probability(&states, word));
                rest.give(f64::from(p), builder.log10_after_suffix(word.0));
                builder.push(word.0, p, 0.0);
            }
            builder.set_back_off(rest.log10_back_off());
        }
        builder.end_order().map_err(Error::usage)
    }
}

/// The log10 p of a word that is never predicted, as tools write it.
const NEVER: f32 = -99.0;

fn log10(probability: f64) -> f32 {
    (probability.log10() as f32).clamp(NEVER, 0.0)
}

fn power(log10: f32) -> f64 {
    10f64.powf(f64::from(log10))
}

/// A round of tuning.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The number of the round, counted from 1.
    pub number: usize,
    /// The weights at the start of the round, one per model.
    pub weights: Vec<f64>,
    /// The perplexity of the held-out text under these weights.
    pub perplexity: f64,
}

/// Returns the weights that maximise the probability of a held-out text, and reports each round to
/// `each` as it ends.
///
/// # Errors
/// If the text cannot be read or has no words.
pub fn tune(
    models: &[&NgramModel],
    held_out: &Corpus,
    tokens: WordUnits,
    each: &mut dyn FnMut(&Round),
) -> Result<Vec<f64>> {
    let mut fractions = ModelProbabilities::new(models);
    words::for_each(held_out, tokens, &mut fractions)?;
    if fractions.probabilities.is_empty() {
        return Err(Error::file(held_out.name(), "has no words: expected text, one sentence per line"));
    }
    let mut weights = vec![1.0 / models.len() as f64; models.len()];
    for number in 1..=MOST_ROUNDS {
        let (perplexity, better) = round(&fractions.probabilities, &weights);
        each(&Round { number, weights: weights.clone(), perplexity });
        let moved = weights.iter().zip(&better).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        weights = better;
        if moved < PRECISION {
            break;
        }
    }
    Ok(weights)
}

/// The convergence threshold: tuning stops once no weight moves by this much.
const PRECISION: f64 = 1e-4;

const MOST_ROUNDS: usize = 200;

/// Returns the perplexity under some weights, and the weights of the next round.
fn round(probabilities: &[f64], weights: &[f64]) -> (f64, Vec<f64>) {
    let (mut ln, mut better) = (0.0, vec![0.0; weights.len()]);
    let words = probabilities.chunks_exact(weights.len());
    let count = words.len() as f64;
    for word in words {
        let sum: f64 = word.iter().zip(weights).map(|(p, weight)| p * weight).sum();
        ln += sum.ln();
        for ((better, p), weight) in better.iter_mut().zip(word).zip(weights) {
            *better += p * weight / sum;
        }
    }
    let sum: f64 = better.iter().sum();
    better.iter_mut().for_each(|weight| *weight /= sum);
    ((-ln / count).exp(), better)
}

/// The probabilities of each word of a text, one per model.
struct ModelProbabilities<'a> {
    models: &'a [&'a NgramModel],
    scorers: Vec<NgramScorer<'a>>,
    states: Vec<NgramState>,
    probabilities: Vec<f64>,
}

impl<'a> ModelProbabilities<'a> {
    fn new(models: &'a [&'a NgramModel]) -> Self {
        let scorers: Vec<_> = models.iter().map(|model| model.scorer()).collect();
        let states = scorers.iter().map(NgramScorer::start).collect();
        Self { models, scorers, states, probabilities: Vec::new() }
    }

    /// Adds a word, given its number in each model that has it. A word that no model has is unknown
    /// to all.
    fn add(&mut self, number: impl Fn(&NgramModel) -> Option<WordId>) {
        let numbers: Vec<_> = self.models.iter().map(|model| number(model)).collect();
        let is_unknown = numbers.iter().all(Option::is_none);
        for ((scorer, state), number) in self.scorers.iter().zip(&mut self.states).zip(numbers) {
            let ScoredWord { log10, state: next } = scorer.step(*state, number.unwrap_or(WordId::UNKNOWN));
            *state = next;
            // A probability of 0 has no logarithm.
            let p = if is_unknown || number.is_some() { power(log10).max(f64::MIN_POSITIVE) } else { 0.0 };
            self.probabilities.push(p);
        }
    }
}

impl SentenceVisitor for ModelProbabilities<'_> {
    fn word(&mut self, word: &str) {
        self.add(|model| model.vocabulary().get(word));
    }

    fn end(&mut self) -> Result<()> {
        self.add(|_| Some(WordId::END));
        self.states = self.scorers.iter().map(NgramScorer::start).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::super::kneser_ney::{KneserNeyConfig, Smoothing, train};
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use majuscule_text::Locale;
    use proptest::prelude::*;

    fn corpus(text: &str) -> Corpus {
        Corpus::of_text(text, Reading::default(), Protocol::Text, Locale::Root)
    }

    fn trained(order: usize, text: &str) -> NgramModel {
        let config =
            KneserNeyConfig { order, smoothing: Smoothing::WittenBell, ..KneserNeyConfig::default() };
        train(&config, &corpus(text), NonZeroUsize::MIN).unwrap()
    }

    fn p(model: &NgramModel, state: NgramState, word: &str) -> f64 {
        power(model.scorer().step(state, model.vocabulary().id(word)).log10)
    }

    proptest! {
        #[test]
        fn a_mixture_sums_to_one_and_holds_the_weighted_sum_for_every_ngram(
            one in prop::collection::vec("[ABab]( [ABab]){0,6}", 1..12),
            other in prop::collection::vec("[BCbc]( [BCbc]){0,6}", 1..12),
            orders in (1usize..=4, 1usize..=4),
            weight in prop::sample::select(vec![0.0, 0.1, 0.5, 1.0]),
        ) {
            let models = [trained(orders.0, &one.join("\n")), trained(orders.1, &other.join("\n"))];
            let models: Vec<&NgramModel> = models.iter().collect();
            let weights = [weight, 1.0 - weight];
            let mixture = interpolate(&models, &weights).unwrap();
            let words: Vec<&str> = mixture.vocabulary().iter().collect();
            for order in 1..=mixture.order() {
                mixture.for_each(order, &mut |ngram, log10, _| {
                    let (&word, history) = ngram.split_last().unwrap();
                    let states = |model: &NgramModel| {
                        history.iter().fold(NgramState::EMPTY, |state, &word| {
                            model.scorer().step(state, model.vocabulary().id(words[word.0 as usize])).state
                        })
                    };
                    let word = words[word.0 as usize];
                    let fractions = models.iter().zip(weights).filter(|(model, _)| model.vocabulary().get(word).is_some());
                    let expected: f64 = fractions.map(|(model, weight)| weight * p(model, states(model), word)).sum();
                    assert!(word == "<s>" || (power(log10) - expected).abs() < 1e-6, "{word}: {expected}");
                    let state = states(&mixture);
                    let sum: f64 =
                        words.iter().filter(|word| **word != "<s>").map(|word| p(&mixture, state, word)).sum();
                    assert!((sum - 1.0).abs() < 1e-3, "{sum} after {history:?}");
                });
            }
        }

        #[test]
        fn no_round_of_tuning_is_worse_than_the_one_before(
            texts in prop::collection::vec(prop::collection::vec("[ABab]( [ABab]){0,6}", 1..8), 3),
        ) {
            let [one, other, held_out] = [0, 1, 2].map(|at| texts[at].join("\n"));
            let models = [trained(2, &one), trained(3, &other)];
            let mut last = f64::INFINITY;
            let mut each = |round: &Round| {
                assert!(round.perplexity <= last * (1.0 + 1e-9), "{round:?} after {last}");
                last = round.perplexity;
            };
            let weights = tune(&[&models[0], &models[1]], &corpus(&held_out), WordUnits::Words, &mut each).unwrap();
            prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_model_mixed_with_itself_is_itself() {
        let tiny =
            NgramModel::read("tiny.arpa", include_bytes!("../../../../lm/tiny.arpa").to_vec()).unwrap();
        let mixture = interpolate(&[&tiny, &tiny], &[0.25, 0.75]).unwrap();
        assert_eq!((mixture.counts(), mixture.vocabulary()), (tiny.counts(), tiny.vocabulary()));
        for sentence in ["told us the US", "told US the us", "Braga"] {
            let [one, other] =
                [&mixture, &tiny].map(|model| model.scorer().sentence(sentence.split(' ')).log10);
            assert!((one - other).abs() < 1e-4, "{sentence}: {one}, {other}");
        }
    }

    #[test]
    fn a_round_can_be_checked_with_a_pencil() {
        // Posteriors of the first model: 0.4 / 0.5 and 0.1 / 0.2, each for half of the words; their
        // mean is 0.65.
        let (perplexity, weights) = round(&[0.8, 0.2, 0.2, 0.2], &[0.5, 0.5]);
        assert!((weights[0] - 0.65).abs() < 1e-12 && (weights[1] - 0.35).abs() < 1e-12, "{weights:?}");
        assert!((perplexity - (0.5f64 * 0.2).sqrt().recip()).abs() < 1e-12);
    }

    #[test]
    fn weights_that_are_no_shares_are_refused() {
        let model = trained(2, "told us the US");
        for weights in [&[0.5][..], &[0.5, 0.6], &[1.5, -0.5], &[f64::NAN, 1.0]] {
            assert!(matches!(interpolate(&[&model, &model], weights), Err(Error::Usage(_))), "{weights:?}");
        }
    }
}
