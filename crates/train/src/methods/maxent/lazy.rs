//! Deferred penalties and averages of sparse weights: when a cell is touched again, it catches up
//! with all words since its last update.
//!
//! Penalties are proximal steps after the steps of AdaGrad (composite mirror descent, Duchi et al.
//! 2011, sections 1.1 and 5). The learning rate of a cell that is not touched stays the same, so
//! any number of its proximal steps has a closed form, and catching up has the same result as
//! single steps.

use super::cells::{Gradient, WeightCell};
use majuscule_methods::maxent::{BEGIN, CLASSES, WEIGHTS_EACH};

/// The penalty on the weights of a feature, for each word.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) enum Penalty {
    #[default]
    None,
    /// This factor times the sum of the absolute values of the weights.
    L1(f64),
    /// This factor times half the squared weights of all classes. Since the stored weights of the
    /// first class are 0, the penalty applies to the deviations of the classes' weights from their
    /// mean, so that no class is preferred.
    L2(f64),
}

impl Penalty {
    /// Returns the penalty, given the L1 or L2 penalty relative to the sum over `words` words.
    pub(super) fn of(l1: f64, l2: f64, words: u64) -> Self {
        let words = words.max(1) as f64;
        match () {
            () if l1 > 0.0 => Self::L1(l1 / words),
            () if l2 > 0.0 => Self::L2(l2 / words),
            () => Self::None,
        }
    }
}

/// The deferred updates of all cells.
#[derive(Clone)]
pub(super) struct Lazy {
    pub(super) penalty: Penalty,
    pub(super) rate: f32,
    /// The number of words so far.
    pub(super) now: u64,
    /// The number of words that each cell has caught up with.
    pub(super) touched: Vec<u64>,
    /// The sum of the weights of each cell over the words that it has caught up with; empty if
    /// weights are not averaged.
    pub(super) sums: Vec<[f64; WEIGHTS_EACH]>,
}

impl Lazy {
    pub(super) fn new(penalty: Penalty, average: bool, cells: usize) -> Self {
        let sums = vec![Default::default(); if average { cells } else { 0 }];
        Self { penalty, rate: 0.0, now: 0, touched: vec![0; cells], sums }
    }

    /// Returns the current weights of a cell.
    #[inline]
    pub(super) fn now(&self, at: usize, cell: &WeightCell) -> Gradient {
        let mut cell = *cell;
        caught_up(&mut cell, self.penalty, self.rate, self.now - self.touched[at]);
        [cell[0], cell[1], cell[2], cell[3]]
    }

    /// Splits the deferred updates into chunks of `size` cells, and sets the learning rate of the
    /// steps from here on.
    pub(super) fn parts(&mut self, rate: f32, size: usize) -> impl Iterator<Item = LazyPart<'_>> {
        self.rate = rate;
        let (penalty, now) = (self.penalty, self.now);
        let mut sums = self.sums.chunks_mut(size);
        self.touched.chunks_mut(size).map(move |touched| LazyPart {
            penalty,
            rate,
            now,
            touched,
            sums: sums.next().unwrap_or_default(),
        })
    }

    /// Adds to the number of words so far.
    pub(super) fn pass(&mut self, words: u64) {
        self.now += words;
    }

    /// Brings all cells up to date; if weights are averaged, each becomes its mean.
    pub(super) fn settle(mut self, cells: &mut [WeightCell]) {
        let (size, words, rate) = (cells.len().max(1), self.now.max(1) as f64, self.rate);
        for mut part in self.parts(rate, size) {
            cells.iter_mut().enumerate().for_each(|(at, cell)| part.catch_up(at, cell));
        }
        for (cell, sums) in cells.iter_mut().zip(&self.sums) {
            for (weight, sum) in cell[..WEIGHTS_EACH].iter_mut().zip(sums) {
                *weight = (sum / words) as f32;
            }
        }
    }
}

/// The deferred updates of one thread's cells.
pub(super) struct LazyPart<'a> {
    penalty: Penalty,
    rate: f32,
    now: u64,
    touched: &'a mut [u64],
    sums: &'a mut [[f64; WEIGHTS_EACH]],
}

impl LazyPart<'_> {
    /// Brings a cell up to date.
    #[inline]
    pub(super) fn catch_up(&mut self, at: usize, cell: &mut WeightCell) {
        let Some(touched) = self.touched.get_mut(at) else { return };
        let words = self.now - std::mem::replace(touched, self.now);
        if words == 0 {
            return;
        }
        let added = caught_up(cell, self.penalty, self.rate, words);
        if let Some(sums) = self.sums.get_mut(at) {
            sums.iter_mut().zip(added).for_each(|(sum, added)| *sum += added);
        }
    }
}

/// Performs the proximal steps for `words` words, and returns the sum of the weights after each.
#[inline]
fn caught_up(cell: &mut WeightCell, penalty: Penalty, rate: f32, words: u64) -> [f64; WEIGHTS_EACH] {
    let count = words as f64;
    let weights: [f64; WEIGHTS_EACH] = std::array::from_fn(|at| f64::from(cell[at]));
    if words == 0 || penalty == Penalty::None || weights == [0.0; WEIGHTS_EACH] {
        return weights.map(|weight| weight * count);
    }
    let step = |sum: f32| f64::from(rate / (sum.sqrt() + 1e-6));
    let (case, end) = (step(cell[WEIGHTS_EACH]), step(cell[WEIGHTS_EACH + 1]));
    let both: [(f64, f64); WEIGHTS_EACH] = match penalty {
        Penalty::None => weights.map(|weight| (weight, weight * count)),
        Penalty::L1(l1) => {
            std::array::from_fn(|at| shortened(weights[at], if at == BEGIN { end } else { case } * l1, count))
        }
        Penalty::L2(l2) => {
            // The mean of the weights and the deviations from it are in different eigenspaces of
            // the penalty.
            let mean = weights[..BEGIN].iter().sum::<f64>() / BEGIN as f64;
            let (common, apart) = (shares(case * l2 / CLASSES as f64, count), shares(case * l2, count));
            let end = shares(end * l2, count);
            std::array::from_fn(|at| {
                let weight = weights[at];
                if at == BEGIN {
                    return (weight * end.0, weight * end.1);
                }
                let own = weight - mean;
                (mean * common.0 + own * apart.0, mean * common.1 + own * apart.1)
            })
        }
    };
    cell.iter_mut().zip(both).for_each(|(weight, (now, _))| *weight = now as f32);
    both.map(|(_, sum)| sum)
}

/// Returns a weight after `count` steps of size `a` towards 0, at which it stops, and the sum of
/// its values after each step.
#[inline]
fn shortened(weight: f64, a: f64, count: f64) -> (f64, f64) {
    let size = weight.abs();
    let taken = count.min((size / a).floor());
    let left = if taken < count { 0.0 } else { size - a * taken };
    let sum = size * taken - a * taken * (taken + 1.0) / 2.0;
    (left.copysign(weight), sum.copysign(weight))
}

/// Returns (1 + `b`)^−`count`, the fraction of a weight that is left after `count` steps, and the
/// sum of the fractions after each step.
#[inline]
fn shares(b: f64, count: f64) -> (f64, f64) {
    let less = -(-count * b.ln_1p()).exp_m1();
    (1.0 - less, less / b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the penalty by definition: over the weights of all classes, shifted so that their
    /// sum is 0.
    fn cost(penalty: Penalty, weights: [f64; WEIGHTS_EACH]) -> f64 {
        match penalty {
            Penalty::None => 0.0,
            Penalty::L1(l1) => l1 * weights.iter().map(|weight| weight.abs()).sum::<f64>(),
            Penalty::L2(l2) => {
                let mean = weights[..BEGIN].iter().sum::<f64>() / CLASSES as f64;
                let classes = [0.0, weights[0], weights[1], weights[2]].map(|weight| (weight - mean).powi(2));
                l2 / 2.0 * (classes.iter().sum::<f64>() + weights[BEGIN].powi(2))
            }
        }
    }

    fn penalties() -> impl Strategy<Value = Penalty> {
        prop_oneof![
            Just(Penalty::None),
            (1e-7f64..0.1).prop_map(Penalty::L1),
            (1e-7f64..0.1).prop_map(Penalty::L2)
        ]
    }

    fn cells() -> impl Strategy<Value = WeightCell> {
        (prop::array::uniform4(-3.0f32..3.0), 0.01f32..9.0, 0.01f32..9.0)
            .prop_map(|([a, b, c, d], case, end)| [a, b, c, d, case, end])
    }

    proptest! {
        #[test]
        fn many_steps_at_once_are_many_steps(penalty in penalties(), cell in cells(), words in 1u64..300) {
            let (mut once, mut each, mut sums) = (cell, cell, [0.0; WEIGHTS_EACH]);
            for _ in 0..words {
                let now = caught_up(&mut each, penalty, 0.1, 1);
                sums.iter_mut().zip(now).for_each(|(sum, now)| *sum += now);
            }
            let all = caught_up(&mut once, penalty, 0.1, words);
            for at in 0..WEIGHTS_EACH {
                prop_assert!((once[at] - each[at]).abs() < 1e-4, "{:?} {:?}", once, each);
                prop_assert!((all[at] - sums[at]).abs() < 1e-2, "{:?} {:?}", all, sums);
            }
        }

        #[test]
        fn a_step_is_where_the_penalty_and_the_way_cost_least(penalty in penalties(), cell in cells(), move_at in 0..WEIGHTS_EACH, by in -0.5f64..0.5) {
            let mut moved = cell;
            caught_up(&mut moved, penalty, 0.1, 1);
            let steps: [f64; 2] = [cell[4], cell[5]].map(|sum| f64::from(0.1 / (sum.sqrt() + 1e-6)));
            let whole = |to: [f64; WEIGHTS_EACH]| {
                let way = |at: usize| (to[at] - f64::from(cell[at])).powi(2) / (2.0 * steps[usize::from(at == BEGIN)]);
                cost(penalty, to) + (0..WEIGHTS_EACH).map(way).sum::<f64>()
            };
            let here: [f64; WEIGHTS_EACH] = std::array::from_fn(|at| f64::from(moved[at]));
            let mut there = here;
            there[move_at] += by;
            prop_assert!(whole(here) <= whole(there) + 1e-6, "{} {}", whole(here), whole(there));
        }

        #[test]
        fn a_small_step_goes_down_the_slope_of_the_penalty(penalty in penalties(), cell in cells(), at in 0..WEIGHTS_EACH) {
            prop_assume!(cell[at].abs() > 0.1);
            const SMALL: f64 = 1e-4;
            let weights: [f64; WEIGHTS_EACH] = std::array::from_fn(|at| f64::from(cell[at]));
            let with = |by: f64| {
                let mut weights = weights;
                weights[at] += by;
                cost(penalty, weights)
            };
            let slope = (with(SMALL) - with(-SMALL)) / (2.0 * SMALL);
            let mut moved = [0.0; WEIGHTS_EACH + 2];
            moved[..WEIGHTS_EACH].copy_from_slice(&cell[..WEIGHTS_EACH]);
            (moved[4], moved[5]) = (1.0, 1.0);
            caught_up(&mut moved, penalty, 0.01, 1);
            let found = (weights[at] - f64::from(moved[at])) / 0.01;
            prop_assert!((found - slope).abs() < 1e-3, "{} {}", found, slope);
        }
    }

    #[test]
    fn a_pencil_agrees() {
        // 1 → 0.75 → 0.5 → 0.25; 0.75 + 0.5 + 0.25
        assert_eq!(shortened(-1.0, 0.25, 3.0), (-0.25, -1.5));
        // 1 → 1/2 → 1/4; 1/2 + 1/4
        let (left, sum) = shares(1.0, 2.0);
        assert!((left - 0.25).abs() < 1e-12 && (sum - 0.75).abs() < 1e-12);
        // Steps beyond 0 are not taken.
        assert_eq!(shortened(0.5, 0.2, 1e9).0, 0.0);
    }
}
