//! Makes a model smaller by removing the n-grams that it can do without.
//!
//! Relative entropy pruning (Stolcke 1998): an n-gram is removed if the perplexity of the model grows
//! by less than a threshold without it, with histories weighted by the model itself. A prefix of an
//! n-gram that is kept is kept too. In a history that begins with `<s>`, the probability of
//! `</s>` is used for `<s>`, since the two are equally frequent.

use majuscule_base::error::{Error, Result};
use majuscule_lm::NgramModel;
use majuscule_lm::table::{ContextRest, NgramTable, NgramTableBuilder};
use majuscule_lm::vocab::WordId;

/// Removes the n-grams whose absence changes the perplexity by less than this fraction, such as 1e-8.
/// Back-off weights are recomputed, so probabilities still sum to one.
///
/// # Errors
/// If the threshold is negative or not a number.
pub fn prune(model: &NgramModel, threshold: f64) -> Result<NgramModel> {
    if threshold.is_nan() || threshold < 0.0 {
        return Err(Error::usage(format!(
            "threshold {threshold}: expected a number of at least 0, such as 1e-8"
        )));
    }
    let stay = staying(model.table(), threshold);
    let table = rebuilt(model.table(), &stay).map_err(Error::usage)?;
    Ok(NgramModel::new(model.vocabulary.clone(), table))
}

/// Returns, for each node, true if it is kept.
fn staying(table: &NgramTable, threshold: f64) -> Vec<bool> {
    let histories = histories(table);
    let mut stay = vec![true; table.nodes.len()];
    for order in (2..=table.order()).rev() {
        for context in table.order_nodes(order - 1) {
            let history = ContextDistribution::of(table, context);
            for node in table.longer(context) {
                let begins = table.longer(node).any(|longer| stay[longer as usize]);
                stay[node as usize] =
                    begins || history.loss(table, node, histories[context as usize]) >= threshold;
            }
        }
    }
    stay
}

/// Returns the natural logarithm of the probability of each context as a sequence of words.
fn histories(table: &NgramTable) -> Vec<f64> {
    let ln = |node: u32| table.log10(node) * std::f64::consts::LN_10;
    let mut histories: Vec<f64> = table.order_nodes(1).map(ln).collect();
    histories[WordId::START.0 as usize] = histories[WordId::END.0 as usize];
    for order in 2..table.order() {
        for context in table.order_nodes(order - 1) {
            for node in table.longer(context) {
                histories.push(histories[context as usize] + ln(node));
            }
        }
    }
    histories
}

/// The distribution of the next word after a context.
struct ContextDistribution {
    context: u32,
    rest: ContextRest,
}

impl ContextDistribution {
    fn of(table: &NgramTable, context: u32) -> Self {
        let mut rest = ContextRest::default();
        for node in table.longer(context) {
            rest.give(table.log10(node), table.log10_after_suffix(context, table.word(node)));
        }
        Self { context, rest: rest.at_least_tiny() }
    }

    /// Returns the relative growth of the perplexity without an n-gram, given the log probability
    /// of its history.
    fn loss(&self, table: &NgramTable, node: u32, history: f64) -> f64 {
        let p = power(table.log10(node));
        let shorter = power(table.log10_after_suffix(self.context, table.word(node)));
        let rest = self.rest;
        let back_off = (rest.own / rest.shorter).ln();
        let new_back_off = ((rest.own + p) / (rest.shorter + shorter)).ln();
        let change = p * (shorter.ln() + new_back_off - p.ln()) + rest.own * (new_back_off - back_off);
        (-history.exp() * change).exp_m1()
    }
}

fn power(log10: f64) -> f64 {
    10f64.powf(log10)
}

/// Builds the table of the nodes that are kept.
fn rebuilt(table: &NgramTable, stay: &[bool]) -> Result<NgramTable, &'static str> {
    let order = table.order();
    let unigrams: Vec<_> = table.order_nodes(1).map(|node| (table.log10(node) as f32, 0.0)).collect();
    let mut builder = NgramTableBuilder::new(order, unigrams.into_iter());
    for n in 2..=order {
        for old in table.order_nodes(n - 1).filter(|&old| stay[old as usize]) {
            builder.begin_next();
            let (mut rest, mut changed) = (ContextRest::default(), false);
            for node in table.longer(old) {
                if !stay[node as usize] {
                    changed = true;
                    continue;
                }
                let word = table.word(node);
                let shorter = builder.log10_after_suffix(word);
                changed |= (shorter - table.log10_after_suffix(old, word)).abs() > 1e-6;
                rest.give(table.log10(node), shorter);
                builder.push(word, table.log10(node) as f32, 0.0);
            }
            // Recomputed only if it changed: sums of rounded numbers are less exact than the stored
            // value.
            let back_off = match changed {
                true => rest.log10_back_off(),
                false => table.back_off(old),
            };
            builder.set_back_off(back_off);
        }
        builder.end_order()?;
    }
    Ok(builder.finish())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::super::kneser_ney::{KneserNeyConfig, Smoothing, train};
    use super::*;
    use crate::corpus::{Corpus, Protocol, Reading};
    use majuscule_lm::NgramState;
    use majuscule_text::Locale;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn probabilities_sum_to_one_after_any_history(
            lines in prop::collection::vec("[ABab]( [ABab]){0,7}", 1..20),
            order in 2usize..=4,
            threshold in prop::sample::select(vec![0.0, 1e-4, 1e-3, 1e-2]),
        ) {
            let corpus = Corpus::of_text(&lines.join("\n"), Reading::default(), Protocol::Text, Locale::Root);
            let config = KneserNeyConfig { order, smoothing: Smoothing::WittenBell, ..KneserNeyConfig::default() };
            let model = prune(&train(&config, &corpus, NonZeroUsize::MIN).unwrap(), threshold).unwrap();
            for line in &lines {
                let mut state = model.scorer().start();
                for word in line.split(' ') {
                    prop_assert!((sum(&model, state) - 1.0).abs() < 1e-3, "{}", sum(&model, state));
                    state = model.scorer().step(state, model.vocabulary().id(word)).state;
                }
            }
        }
    }

    fn tiny() -> NgramModel {
        NgramModel::read("tiny.arpa", include_bytes!("../../../../lm/tiny.arpa").to_vec()).unwrap()
    }

    /// Returns the sum of p(word | state) over all words but `<s>`.
    fn sum(model: &NgramModel, state: NgramState) -> f64 {
        let words = (0..model.vocabulary().len() as u32).map(WordId).filter(|&word| word != WordId::START);
        words.map(|word| power(f64::from(model.scorer().step(state, word).log10))).sum()
    }

    #[test]
    fn a_threshold_of_0_takes_nothing_out_and_a_large_one_all() {
        assert_eq!(prune(&tiny(), 0.0).unwrap(), tiny());
        assert_eq!(prune(&tiny(), 1e9).unwrap().counts(), [10, 0, 0]);
        assert!(prune(&tiny(), f64::NAN).is_err() && prune(&tiny(), -1.0).is_err());
    }

    #[test]
    fn probabilities_still_sum_to_one_and_fewer_ngrams_stay_the_higher_the_threshold() {
        let mut last = usize::MAX;
        for threshold in [0.0, 1e-4, 1e-3, 5e-3, 1e-2, 5e-2, 0.1] {
            let model = prune(&tiny(), threshold).unwrap();
            let count = model.counts().iter().sum();
            assert!(count <= last, "{threshold}: {count} n-grams");
            last = count;
            let words = (0..model.vocabulary().len() as u32).map(WordId);
            let scorer = model.scorer();
            for first in words.clone() {
                let state = scorer.step(NgramState::EMPTY, first).state;
                for second in words.clone() {
                    let sum = sum(&model, scorer.step(state, second).state);
                    assert!((sum - 1.0).abs() < 1e-4, "{threshold}: {sum}");
                }
            }
        }
    }

    #[test]
    fn the_loss_can_be_checked_with_a_pencil() {
        // After "Lisbon" only </s> is listed: p = 0.6, and the 1-gram has 0.2; the remaining mass
        // is 0.4 and 0.8.
        let model = tiny();
        let lisbon = model.vocabulary().id("Lisbon").0;
        let node = model.table().longer(lisbon).next().unwrap();
        let loss = ContextDistribution::of(model.table(), lisbon).loss(model.table(), node, 0.04f64.ln());
        // Without it, the back-off weight rises from 0.5 to 1.
        let change = 0.6 * (0.2f64 / 0.6).ln() + 0.4 * 2f64.ln();
        assert!((loss - ((-0.04 * change).exp() - 1.0)).abs() < 1e-6, "{loss}");
    }
}
