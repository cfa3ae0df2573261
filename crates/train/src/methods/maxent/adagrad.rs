//! The optimiser AdaGrad (Duchi et al. 2011), on all cores, with identical results for any number
//! of threads.

use std::num::NonZeroUsize;
use std::thread;

use super::cells::{Gradient, Index, TrainingWeights, WeightCell};
use super::lazy::LazyPart;
use majuscule_methods::maxent::{BEGIN, WEIGHTS_EACH};

/// The gradients of the words of a batch that one thread processes.
#[derive(Default)]
pub(super) struct Gradients {
    features: Vec<u64>,
    /// For each word, the end of its features, the end of the features that also affect its class,
    /// and the gradient, which is the same for all of them.
    words: Vec<(u32, u32, Gradient)>,
    /// The number of words, including those without any gradient.
    pub(super) taken: u64,
}

impl Gradients {
    /// Creates the empty gradients of `taken` words.
    #[cfg(test)]
    pub(super) fn of(taken: u64) -> Self {
        Self { taken, ..Self::default() }
    }

    /// Adds the gradient of a word, whose first `all` features also affect its class.
    #[inline]
    pub(super) fn push(&mut self, features: &[u64], all: usize, gradient: Gradient) {
        let from = self.features.len();
        self.features.extend(features);
        self.words.push((self.features.len() as u32, (from + all) as u32, gradient));
    }
}

impl TrainingWeights {
    /// Updates the weights. Each thread updates its own range in the order of the words, so the
    /// result is the same for any number of threads.
    pub(super) fn apply(&mut self, gradients: &[Gradients], rate: f32, threads: NonZeroUsize) {
        // If a text teaches a model nothing new, no features are chosen.
        if self.cells.is_empty() {
            return;
        }
        let size = self.cells.len().div_ceil(threads.get());
        let index = &self.index;
        let mut leaders = self.leaders.chunks_mut(size);
        let mut lazy = self.lazy.as_mut().map(|lazy| lazy.parts(rate, size));
        thread::scope(|scope| {
            let last = self.cells.len().div_ceil(size) - 1;
            for (part, cells) in self.cells.chunks_mut(size).enumerate() {
                let range = CellRange {
                    start: (part * size) as u32,
                    cells,
                    leaders: leaders.next().unwrap_or_default(),
                    lazy: lazy.as_mut().and_then(Iterator::next),
                };
                let work = move || range.update(gradients, rate, index);
                // The last range is updated on the current thread.
                if part == last {
                    work();
                } else {
                    scope.spawn(work);
                }
            }
        });
        drop(lazy);
        if let Some(lazy) = &mut self.lazy {
            lazy.pass(gradients.iter().map(|gradients| gradients.taken).sum());
        }
    }
}

/// The weights that one thread updates.
struct CellRange<'a> {
    /// The index of the first cell.
    start: u32,
    cells: &'a mut [WeightCell],
    leaders: &'a mut [(u64, u32)],
    lazy: Option<LazyPart<'a>>,
}

impl CellRange<'_> {
    fn update(self, gradients: &[Gradients], rate: f32, index: &Index) {
        let Self { start, cells, leaders, mut lazy } = self;
        let end = start + cells.len() as u32;
        for gradients in gradients {
            let mut from = 0;
            for &(to, all, gradient) in &gradients.words {
                let squares =
                    [gradient[..BEGIN].iter().map(|g| g * g).sum::<f32>(), gradient[BEGIN] * gradient[BEGIN]];
                for (feature, of_class) in (from..to).map(|at| (gradients.features[at as usize], at < all)) {
                    let cell = index.cell(feature);
                    if !(start..end).contains(&cell) {
                        continue;
                    }
                    let at = (cell - start) as usize;
                    if let Some(leader) = leaders.get_mut(at) {
                        match leader {
                            (found, lead) if *found == feature => *lead += 1,
                            (found, lead @ 0) => (*found, *lead) = (feature, 1),
                            (_, lead) => *lead -= 1,
                        }
                    }
                    let cell = &mut cells[at];
                    if let Some(lazy) = &mut lazy {
                        lazy.catch_up(at, cell);
                    }
                    for (sum, square) in cell[WEIGHTS_EACH..].iter_mut().zip(squares) {
                        *sum += square;
                    }
                    let step = |sum: f32| rate / (sum.sqrt() + 1e-6);
                    let (case, begin) = (step(cell[WEIGHTS_EACH]), step(cell[WEIGHTS_EACH + 1]));
                    if of_class {
                        for (weight, g) in cell[..BEGIN].iter_mut().zip(gradient) {
                            *weight -= case * g;
                        }
                    }
                    cell[BEGIN] -= begin * gradient[BEGIN];
                }
                from = to;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::maxent::dataset::TrainingTarget;
    use crate::methods::maxent::lazy::Penalty;
    use crate::methods::maxent::loss::gradient;
    use majuscule_methods::maxent::CLASSES;
    use majuscule_text::Class;
    use std::collections::BTreeMap;

    /// The slow twin: AdaGrad by definition, on a map of weights and one word at a time, with the
    /// penalty of every weight applied after each word. Each feature has its weights, the sums of
    /// its squared gradients, and the sums of its weights.
    fn plain(
        words: &[(Vec<u64>, usize)],
        rate: f32,
        penalty: Penalty,
    ) -> BTreeMap<u64, ([f32; CLASSES], [f64; BEGIN])> {
        let mut weights: BTreeMap<u64, ([f32; CLASSES], [f64; BEGIN])> = BTreeMap::new();
        for (features, class) in words {
            let mut sums = [0.0f32; CLASSES];
            for feature in features {
                let (cell, _) = weights.entry(*feature).or_default();
                (1..CLASSES).for_each(|class| sums[class] += cell[class - 1]);
            }
            let whole: f32 = sums.iter().map(|sum| sum.exp()).sum();
            let gradient: Vec<f32> =
                (1..CLASSES).map(|at| sums[at].exp() / whole - f32::from(u8::from(at == *class))).collect();
            for feature in features {
                let (cell, _) = weights.entry(*feature).or_default();
                cell[CLASSES - 1] += gradient.iter().map(|g| g * g).sum::<f32>();
                let step = rate / (cell[CLASSES - 1].sqrt() + 1e-6);
                gradient.iter().enumerate().for_each(|(at, g)| cell[at] -= step * g);
            }
            for (cell, sums) in weights.values_mut() {
                let step = f64::from(rate / (cell[CLASSES - 1].sqrt() + 1e-6));
                let mean = f64::from(cell[..BEGIN].iter().sum::<f32>()) / BEGIN as f64;
                for (weight, sum) in cell[..BEGIN].iter_mut().zip(sums) {
                    let old = f64::from(*weight);
                    let new = match penalty {
                        Penalty::None => old,
                        Penalty::L1(l1) => (old.abs() - step * l1).max(0.0).copysign(old),
                        Penalty::L2(l2) => {
                            mean / (1.0 + step * l2 / CLASSES as f64) + (old - mean) / (1.0 + step * l2)
                        }
                    };
                    *weight = new as f32;
                    *sum += new;
                }
            }
        }
        weights
    }

    #[test]
    fn weights_move_as_in_the_plain_twin() {
        let words: Vec<(Vec<u64>, usize)> =
            (0..200u64).map(|i| (vec![1, 2 + i % 3, 5 + i % 7, 12 + i % 5], (i % 7 % 4) as usize)).collect();
        let features: Vec<u64> = (1..17).collect();
        let (l1, l2) = (Penalty::L1(0.02), Penalty::L2(0.3));
        for (penalty, average) in
            [(Penalty::None, false), (l1, false), (l2, false), (Penalty::None, true), (l1, true), (l2, true)]
        {
            let mut weights = TrainingWeights::of(features.clone()).lazily(penalty, average);
            for (features, class) in &words {
                let answer = TrainingTarget { class: Some(Class::ALL[*class]), ..TrainingTarget::default() };
                let gradient = gradient(weights.logits(features, features.len()), answer);
                let mut gradients = Gradients::of(1);
                gradients.push(features, features.len(), gradient);
                weights.apply(&[gradients], 0.1, NonZeroUsize::MIN);
            }
            let weights = weights.settle();
            let twin = plain(&words, 0.1, penalty);
            for &feature in &features {
                let (last, sums) = twin[&feature];
                let found = weights.cells[weights.index.cell(feature) as usize];
                for at in 0..BEGIN {
                    let twin = if average { (sums[at] / words.len() as f64) as f32 } else { last[at] };
                    assert!(
                        (found[at] - twin).abs() < 1e-4,
                        "{penalty:?} {average} {feature}: {} {twin}",
                        found[at]
                    );
                }
            }
            let zeros = weights.values().flatten().filter(|weight| *weight == 0.0).count();
            assert_eq!(zeros > features.len(), penalty == l1 && !average, "{zeros} weights are 0");
        }
    }
}
