//! Examples in, weights out: multinomial logistic regression by AdaGrad (Duchi et al. 2011), on all cores, with the same
//! bytes for any number of threads.

use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::thread;

use super::Config;
use super::count::Words;
use crate::corpus::{Corpus, Example};
use crate::error::Result;
use crate::methods::maxent::features::{self, Group, Seen};
use crate::methods::maxent::profile::places;
use crate::methods::maxent::table::Table;
use crate::methods::maxent::{END, WEIGHTS_EACH};
use crate::text::{Class, Mark};

/// Words of a mini-batch, whose gradients are all taken at the same weights: first few, since first steps are long.
const FIRST_BATCH: usize = 128;
const BATCH: usize = 4096;

/// A word's part of a batch: its features, and what each class's weights of them move by.
#[derive(Default)]
struct Gradients {
    features: Vec<u64>,
    /// Where the features of each word end, and the gradient that is the same for all of them.
    words: Vec<(u32, Gradient)>,
}

/// By weight.
type Gradient = [f32; WEIGHTS_EACH];

/// What training goes over.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) config: &'a Config,
    pub(super) groups: &'a [Group],
    pub(super) corpus: &'a Corpus,
    pub(super) words: &'a Words,
    /// Whether the ends of sentences are learned.
    pub(super) ends: bool,
    pub(super) threads: NonZeroUsize,
}

impl Run<'_> {
    pub(super) fn epochs(&self, weights: &mut Weights) -> Result<()> {
        (0..self.config.epochs).try_for_each(|_| self.epoch(weights))
    }

    fn epoch(&self, weights: &mut Weights) -> Result<()> {
        thread::scope(|scope| {
            let (full, batches) = mpsc::sync_channel::<Vec<Example>>(4);
            let corpus = self.corpus;
            let reader = scope.spawn(move || {
                let (mut batch, mut words, mut size) = (Vec::new(), 0, FIRST_BATCH);
                corpus.for_each(&mut |example| {
                    words += example.tokens.len();
                    batch.push(example.clone());
                    if words >= size {
                        words = 0;
                        size = (size + size / 8).min(BATCH);
                        // Nobody listens any more once training failed, which it does not.
                        let _ = full.send(std::mem::take(&mut batch));
                    }
                    Ok(())
                })?;
                let _ = full.send(batch);
                Ok(())
            });
            for batch in batches {
                let gradients = self.gradients(&batch, weights);
                weights.apply(&gradients, self.config.rate, self.threads);
            }
            reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn gradients(&self, batch: &[Example], weights: &Weights) -> Vec<Gradients> {
        let chunks = batch.chunks(batch.len().div_ceil(self.threads.get()).max(1));
        thread::scope(|scope| {
            let workers: Vec<_> =
                chunks.map(|chunk| scope.spawn(move || self.gradients_of(chunk, weights))).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, Gradients>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(join).collect()
        })
    }

    fn gradients_of(&self, examples: &[Example], weights: &Weights) -> Gradients {
        let mut gradients = Gradients::default();
        let (mut seen, mut features) = (Vec::new(), Vec::new());
        for example in examples {
            self.seen(example, &mut seen);
            for (at, ((lower, _), gold)) in example.tokens.iter().zip(&example.gold).enumerate() {
                if !gold.scored {
                    continue;
                }
                let window = features::window(&seen, at);
                features::extract(self.groups, lower, &window, self.config.look_ahead, &mut features);
                let end = self.ends.then_some(gold.label.mark == Mark::SentenceEnd);
                let gradient = weights.gradient(&features, gold.label.case.class(), end);
                // What is known already moves nothing.
                if gradient.iter().all(|g| g.abs() < 1e-3) {
                    continue;
                }
                gradients.features.extend(&features);
                gradients.words.push((gradients.features.len() as u32, gradient));
            }
        }
        gradients
    }

    /// What is seen of the words of an example, each as if it had not been counted itself.
    fn seen(&self, example: &Example, seen: &mut Vec<Seen>) {
        seen.clear();
        let mut before = None;
        let last = example.gold.len() - 1;
        for (at, ((lower, token), gold)) in example.tokens.iter().zip(&example.gold).enumerate() {
            let (first, last) = places(before, gold.label, at == last);
            let counts = self.words.get(lower).map(|word| word.counts).unwrap_or_default();
            let profile = counts.without(gold.label.case.class(), first, last).profile();
            seen.push(Seen::of(lower, token, profile));
            before = Some(gold.label);
        }
    }
}

/// The weights of a feature, and the sums of squared gradients of those for classes and of that for an end.
type Cell = [f32; WEIGHTS_EACH + 2];

/// Weights while they are trained.
pub(super) struct Weights {
    cells: Vec<Cell>,
    index: Index,
}

/// Where the weights of a feature are.
enum Index {
    /// Where the first so many bits of its hash say, shared with others that have the same. For each cell the feature that
    /// held the majority of its gradients (Boyer & Moore 1991), with its lead.
    Hashed(u32, Vec<(u64, u32)>),
    /// Its place among those chosen: open addressing, with the number of a cell; the length is a power of two.
    Chosen(Vec<(u64, u32)>),
}

/// No cell.
const NONE: u32 = u32::MAX;

impl Index {
    #[inline]
    fn cell(&self, feature: u64) -> u32 {
        match self {
            Self::Hashed(bits, _) => (feature >> (64 - bits)) as u32,
            Self::Chosen(slots) => {
                let mut at = feature as usize & (slots.len() - 1);
                loop {
                    let (found, cell) = slots[at];
                    if cell == NONE || found == feature {
                        return cell;
                    }
                    at = (at + 1) & (slots.len() - 1);
                }
            }
        }
    }
}

impl Weights {
    pub(super) fn hashed(bits: u32) -> Self {
        Self { cells: vec![Cell::default(); 1 << bits], index: Index::Hashed(bits, vec![(0, 0); 1 << bits]) }
    }

    /// New ones for these features.
    pub(super) fn of(chosen: Vec<u64>) -> Self {
        let mut slots = vec![(0, NONE); (chosen.len() * 2).next_power_of_two()];
        for (cell, feature) in (0..).zip(&chosen) {
            let mut at = *feature as usize & (slots.len() - 1);
            while slots[at].1 != NONE {
                at = (at + 1) & (slots.len() - 1);
            }
            slots[at] = (*feature, cell);
        }
        Self { cells: vec![Cell::default(); chosen.len()], index: Index::Chosen(slots) }
    }

    /// The slope of −ln P(class) − ln P(end): how far each weight of the features is from where it should be. `end` is `None`
    /// where ends are not learned.
    #[inline]
    fn gradient(&self, features: &[u64], class: Class, end: Option<bool>) -> Gradient {
        let mut sums = [0.0; WEIGHTS_EACH];
        for &feature in features {
            let Some(cell) = self.cells.get(self.index.cell(feature) as usize) else { continue };
            sums.iter_mut().zip(cell).for_each(|(sum, weight)| *sum += weight);
        }
        let [title, upper, mixed, ending] = sums;
        let sums = [0.0, title, upper, mixed];
        let most = sums.iter().copied().fold(f32::MIN, f32::max);
        let mut shares = sums.map(|sum| (sum - most).exp());
        let whole: f32 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= whole);
        shares[class as usize] -= 1.0;
        let ending = end.map_or(0.0, |end| 1.0 / (1.0 + (-ending).exp()) - f32::from(u8::from(end)));
        [shares[1], shares[2], shares[3], ending]
    }

    /// Moves the weights, each thread those of its own range, in the order of the words: the same for any number of threads.
    fn apply(&mut self, gradients: &[Gradients], rate: f32, threads: NonZeroUsize) {
        let size = self.cells.len().div_ceil(threads.get());
        let index = &mut self.index;
        let mut leaders: Vec<&mut [(u64, u32)]> = Vec::new();
        let places = match index {
            Index::Hashed(bits, majority) => {
                leaders.extend(majority.chunks_mut(size));
                Place::Hashed(*bits)
            }
            Index::Chosen(_) => Place::Chosen(index),
        };
        leaders.resize_with(threads.get().max(leaders.len()), Default::default);
        thread::scope(|scope| {
            for ((part, cells), leaders) in self.cells.chunks_mut(size).enumerate().zip(leaders) {
                let start = (part * size) as u32;
                scope.spawn(move || move_cells(gradients, rate, start, cells, leaders, places));
            }
        });
    }
}

/// An [`Index`] without what changes.
#[derive(Clone, Copy)]
enum Place<'a> {
    Hashed(u32),
    Chosen(&'a Index),
}

fn move_cells(
    gradients: &[Gradients],
    rate: f32,
    start: u32,
    cells: &mut [Cell],
    leaders: &mut [(u64, u32)],
    places: Place<'_>,
) {
    let end = start + cells.len() as u32;
    for gradients in gradients {
        let mut from = 0;
        for &(to, gradient) in &gradients.words {
            let squares = [gradient[..END].iter().map(|g| g * g).sum::<f32>(), gradient[END] * gradient[END]];
            for &feature in &gradients.features[from as usize..to as usize] {
                let cell = match places {
                    Place::Hashed(bits) => (feature >> (64 - bits)) as u32,
                    Place::Chosen(index) => index.cell(feature),
                };
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
                for (sum, square) in cell[WEIGHTS_EACH..].iter_mut().zip(squares) {
                    *sum += square;
                }
                let step = |sum: f32| rate / (sum.sqrt() + 1e-6);
                let (case, end) = (step(cell[WEIGHTS_EACH]), step(cell[WEIGHTS_EACH + 1]));
                for (weight, g) in cell[..END].iter_mut().zip(gradient) {
                    *weight -= case * g;
                }
                cell[END] -= end * gradient[END];
            }
            from = to;
        }
    }
}

impl Weights {
    /// The `size` features that weigh most, and of equal ones the lower hashes.
    pub(super) fn chosen(&self, size: usize) -> Vec<u64> {
        let Index::Hashed(_, leaders) = &self.index else { return Vec::new() };
        let score = |cell: &Cell| {
            let weight = |weights: &[f32], sum: f32| {
                weights.iter().fold(0.0f32, |most, weight| most.max(weight.abs())) * sum.sqrt().sqrt()
            };
            weight(&cell[..END], cell[WEIGHTS_EACH]).max(weight(&cell[END..=END], cell[WEIGHTS_EACH + 1]))
        };
        let mut found: Vec<(f32, u64)> = self
            .cells
            .iter()
            .zip(leaders)
            .filter(|(_, (feature, _))| *feature != 0)
            .map(|(cell, (feature, _))| (score(cell), *feature))
            .collect();
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(size);
        found.into_iter().map(|(_, feature)| feature).collect()
    }

    /// How many steps a weight of 1 has, so that the largest has at most 127, and the weights in such steps. Those of no step
    /// are left out.
    pub(super) fn quantised(&self) -> (u32, Vec<u8>) {
        let Index::Chosen(slots) = &self.index else { return (1, Vec::new()) };
        let weights = |cell: &Cell| [cell[0], cell[1], cell[2], cell[3]];
        let most = self.cells.iter().flat_map(weights).fold(0.0f32, |most, weight| most.max(weight.abs()));
        let unit = (127.0 / most.clamp(0.1, LARGEST)) as u32;
        let steps = |cell: &Cell| {
            weights(cell).map(|weight| (weight * unit as f32).round().clamp(-127.0, 127.0) as i8 as u8)
        };
        let mut found: Vec<(u64, [u8; WEIGHTS_EACH])> = slots
            .iter()
            .filter(|(_, cell)| *cell != NONE)
            .map(|&(feature, cell)| (feature, steps(&self.cells[cell as usize])))
            .filter(|(_, steps)| *steps != [0; WEIGHTS_EACH])
            .collect();
        found.sort_unstable();
        (unit, Table::build(found.into_iter()))
    }
}

/// A larger weight counts as one of this size: e to it is certainty, and small weights then keep fine steps.
const LARGEST: f32 = 6.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::maxent::CLASSES;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// −ln of the probability of a class and of an end or none, as it is written down.
    fn loss(cells: &[Cell], class: usize, end: bool) -> f64 {
        let sum = |at: usize| cells.iter().map(|cell| f64::from(cell[at])).sum::<f64>();
        let sums = [0.0, sum(0), sum(1), sum(2)];
        let whole: f64 = sums.iter().map(|sum| sum.exp()).sum();
        let sign = if end { -1.0 } else { 1.0 };
        whole.ln() - sums[class] + (sign * sum(END)).exp().ln_1p()
    }

    proptest! {
        #[test]
        fn the_gradient_is_the_slope_of_the_loss(
            features in prop::collection::btree_set(any::<u64>(), 1..6),
            values in prop::collection::vec(-2.0f32..2.0, 24),
            class in 0..CLASSES,
            end: bool,
        ) {
            let features: Vec<u64> = features.into_iter().collect();
            let mut weights = Weights::of(features.clone());
            for (cell, values) in weights.cells.iter_mut().zip(values.chunks(WEIGHTS_EACH)) {
                cell[..WEIGHTS_EACH].copy_from_slice(values);
            }
            let gradient = weights.gradient(&features, Class::ALL[class], Some(end));
            for (at, gradient) in gradient.iter().enumerate() {
                const SMALL: f32 = 1e-2;
                let moved = |by: f32| {
                    let mut cells = weights.cells.clone();
                    cells[0][at] += by;
                    loss(&cells, class, end)
                };
                let slope = (moved(SMALL) - moved(-SMALL)) / f64::from(2.0 * SMALL);
                prop_assert!((slope - f64::from(*gradient)).abs() < 1e-3, "{} {}", slope, gradient);
            }
        }
    }

    /// AdaGrad as it is written down, a map of weights and one word at a time: the slow twin.
    fn plain(words: &[(Vec<u64>, usize)], rate: f32) -> BTreeMap<u64, [f32; CLASSES]> {
        let mut weights: BTreeMap<u64, [f32; CLASSES]> = BTreeMap::new();
        for (features, class) in words {
            let mut sums = [0.0f32; CLASSES];
            for feature in features {
                let cell = weights.entry(*feature).or_default();
                (1..CLASSES).for_each(|class| sums[class] += cell[class - 1]);
            }
            let whole: f32 = sums.iter().map(|sum| sum.exp()).sum();
            let gradient: Vec<f32> =
                (1..CLASSES).map(|at| sums[at].exp() / whole - f32::from(u8::from(at == *class))).collect();
            for feature in features {
                let cell = weights.entry(*feature).or_default();
                cell[CLASSES - 1] += gradient.iter().map(|g| g * g).sum::<f32>();
                let step = rate / (cell[CLASSES - 1].sqrt() + 1e-6);
                gradient.iter().enumerate().for_each(|(at, g)| cell[at] -= step * g);
            }
        }
        weights
    }

    #[test]
    fn weights_move_as_in_the_plain_twin() {
        let words: Vec<(Vec<u64>, usize)> =
            (0..200u64).map(|i| (vec![1, 2 + i % 3, 5 + i % 7, 12 + i % 5], (i % 7 % 4) as usize)).collect();
        let features: Vec<u64> = (1..17).collect();
        let mut weights = Weights::of(features.clone());
        for (features, class) in &words {
            let gradient = weights.gradient(features, Class::ALL[*class], None);
            let gradients =
                Gradients { features: features.clone(), words: vec![(features.len() as u32, gradient)] };
            weights.apply(&[gradients], 0.1, NonZeroUsize::MIN);
        }
        let twin = plain(&words, 0.1);
        for feature in features {
            let (found, twin) = (weights.cells[weights.index.cell(feature) as usize], twin[&feature]);
            for (found, twin) in found[..END].iter().zip(twin) {
                assert!((found - twin).abs() < 1e-4, "{feature}: {found} {twin}");
            }
        }
    }
}
