//! The loss and its gradient, given logits and a target: multinomial for the class of a word,
//! binary for the beginning of a sentence.

use super::cells::Gradient;
use super::dataset::TrainingTarget;
use majuscule_methods::maxent::WEIGHTS_EACH;

/// Returns the gradient of −ln P(class) − ln P(begins) with respect to the logits, where the target
/// may allow two classes.
#[inline]
pub(super) fn gradient(logits: Gradient, answer: TrainingTarget) -> Gradient {
    if let Some(mark) = answer.mark {
        return gradient_of_mark(logits, mark);
    }
    let [title, upper, mixed, beginning] = logits;
    let mut fractions = [0.0; WEIGHTS_EACH];
    if answer.class.is_some() || answer.lower_or_title {
        fractions = [0.0, title, upper, mixed];
        let most = fractions.iter().copied().fold(f32::MIN, f32::max);
        fractions = fractions.map(|sum| (sum - most).exp());
        let whole: f32 = fractions.iter().sum();
        fractions.iter_mut().for_each(|fraction| *fraction /= whole);
    }
    if let Some(class) = answer.class {
        fractions[class as usize] -= 1.0;
    } else if answer.lower_or_title {
        // For two possible classes: the gradient of -ln(P(lower) + P(title)).
        let either = (fractions[0] + fractions[1]).max(f32::MIN_POSITIVE);
        (0..2).for_each(|at| fractions[at] -= fractions[at] / either);
    }
    let begins = |begins| 1.0 / (1.0 + (-beginning).exp()) - f32::from(u8::from(begins));
    [fractions[1], fractions[2], fractions[3], answer.begins.map_or(0.0, begins)]
}

/// Returns the gradient of −ln P(mark) with respect to the logits of the marks; the logit of the
/// first class, no mark, is fixed at 0 and has no gradient.
fn gradient_of_mark(logits: Gradient, mark: usize) -> Gradient {
    let most = logits.iter().copied().fold(0.0, f32::max);
    let fractions = logits.map(|sum| (sum - most).exp());
    let whole = (-most).exp() + fractions.iter().sum::<f32>();
    std::array::from_fn(|at| fractions[at] / whole - f32::from(u8::from(at + 1 == mark)))
}

/// Returns −ln P(class) − ln P(begins), or −ln P(mark).
pub(super) fn loss(logits: Gradient, answer: TrainingTarget) -> f64 {
    if let Some(mark) = answer.mark {
        let logits = logits.map(f64::from);
        let most = logits.iter().copied().fold(0.0, f64::max);
        let whole = (-most).exp() + logits.iter().map(|sum| (sum - most).exp()).sum::<f64>();
        return whole.ln() + most - mark.checked_sub(1).map_or(0.0, |at| logits[at]);
    }
    let [title, upper, mixed, beginning] = logits.map(f64::from);
    let logits = [0.0, title, upper, mixed];
    let whole = |logits: &[f64]| {
        let most = logits.iter().copied().fold(f64::MIN, f64::max);
        logits.iter().map(|sum| (sum - most).exp()).sum::<f64>().ln() + most
    };
    let of_class = match answer.class {
        Some(class) => whole(&logits) - logits[class as usize],
        None if answer.lower_or_title => whole(&logits) - whole(&logits[..2]),
        None => 0.0,
    };
    let against = answer.begins.map(|begins| if begins { -beginning } else { beginning });
    // The term is ln(1 + e^x) without overflow.
    let of_beginning = against.map(|sum| sum.max(0.0) + (-sum.abs()).exp().ln_1p());
    of_class + of_beginning.unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::maxent::cells::{TrainingWeights, WeightCell};
    use majuscule_methods::maxent::{BEGIN, CLASSES};
    use majuscule_text::Class;
    use proptest::prelude::*;

    /// Returns −ln of the probability of one of `classes` and of the beginning or its absence, by
    /// definition; only the first `all` cells affect the class.
    fn plain(cells: &[WeightCell], all: usize, classes: &[usize], begins: bool) -> f64 {
        let sum = |at: usize| {
            let cells = if at == BEGIN { cells } else { &cells[..all] };
            cells.iter().map(|cell| f64::from(cell[at])).sum::<f64>()
        };
        let logits = [0.0, sum(0), sum(1), sum(2)];
        let whole: f64 = logits.iter().map(|sum| sum.exp()).sum();
        let sign = if begins { -1.0 } else { 1.0 };
        let found: f64 = classes.iter().map(|class| logits[*class].exp()).sum();
        whole.ln() - found.ln() + (sign * sum(BEGIN)).exp().ln_1p()
    }

    proptest! {
        #[test]
        fn the_gradient_of_a_mark_is_the_slope_of_its_loss(
            logits in prop::array::uniform4(-3.0f32..3.0), mark in 0..=WEIGHTS_EACH,
        ) {
            let answer = TrainingTarget { mark: Some(mark), ..TrainingTarget::default() };
            let all: f64 = 1.0 + logits.iter().map(|&sum| f64::from(sum).exp()).sum::<f64>();
            let right = mark.checked_sub(1).map_or(1.0, |at| f64::from(logits[at]).exp());
            prop_assert!((loss(logits, answer) + (right / all).ln()).abs() < 1e-9);
            for (at, gradient) in gradient(logits, answer).into_iter().enumerate() {
                let moved = |by: f32| {
                    let mut logits = logits;
                    logits[at] += by;
                    loss(logits, answer)
                };
                let slope = (moved(0.01) - moved(-0.01)) / 0.02;
                prop_assert!((slope - f64::from(gradient)).abs() < 1e-3, "{} {}", slope, gradient);
            }
        }

        #[test]
        fn the_gradient_is_the_slope_of_the_loss(
            features in prop::collection::btree_set(any::<u64>(), 1..6),
            values in prop::collection::vec(-2.0f32..2.0, 24),
            class in 0..=CLASSES,
            begins: bool,
            only: bool,
        ) {
            let features: Vec<u64> = features.into_iter().collect();
            let mut weights = TrainingWeights::of(features.clone());
            for (cell, values) in weights.cells.iter_mut().zip(values.chunks(WEIGHTS_EACH)) {
                cell[..WEIGHTS_EACH].copy_from_slice(values);
            }
            let all = features.len() - usize::from(only);
            // The number after the classes means lower or title.
            let classes = if class < CLASSES { vec![class] } else { vec![0, 1] };
            let known = Class::ALL.get(class).copied();
            let answer = TrainingTarget {
                class: known,
                lower_or_title: known.is_none(),
                begins: Some(begins),
                mark: None,
            };
            let gradient = gradient(weights.logits(&features, all), answer);
            for (at, gradient) in gradient.iter().enumerate() {
                // The last feature may bear on beginnings only.
                let cell = if at == BEGIN { features.len() - 1 } else { 0 };
                if at != BEGIN && all == 0 {
                    continue;
                }
                const SMALL: f32 = 1e-2;
                let moved = |by: f32| {
                    let mut cells = weights.cells.clone();
                    cells[cell][at] += by;
                    plain(&cells, all, &classes, begins)
                };
                let slope = (moved(SMALL) - moved(-SMALL)) / f64::from(2.0 * SMALL);
                prop_assert!((slope - f64::from(*gradient)).abs() < 1e-3, "{} {}", slope, gradient);
            }
        }
    }
}
