//! Examples in, weights out: multinomial logistic regression by AdaGrad (Duchi et al. 2011), on all cores, with the same
//! bytes for any number of threads.

use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::thread;

use super::Config;
use super::count::Words;
use crate::corpus::{Corpus, Example, Gold};
use crate::error::Result;
use crate::methods::maxent::features::{self, FAR, Group, Seen};
use crate::methods::maxent::session::{Shown, Shows, parts};
use crate::methods::maxent::table::Table;
use crate::methods::maxent::{BEGIN, WEIGHTS_EACH};
use crate::text::{Class, Mark, Tokens};

/// Words of a mini-batch, whose gradients are all taken at the same weights: first few, since first steps are long.
const FIRST_BATCH: usize = 128;
const BATCH: usize = 4096;

/// A word's part of a batch: its features, and what each class's weights of them move by.
#[derive(Default)]
struct Gradients {
    features: Vec<u64>,
    /// Where the features of each word end, those before that bear on its class too, and the gradient that is the same for
    /// all of them.
    words: Vec<(u32, u32, Gradient)>,
}

impl Gradients {
    /// Adds those of a word, of whose features the first `all` bear on its class too.
    fn add(&mut self, features: &[u64], all: usize, gradient: Gradient) {
        // What is known already moves nothing.
        if gradient.iter().all(|g| g.abs() < 1e-3) {
            return;
        }
        let from = self.features.len();
        self.features.extend(features);
        self.words.push((self.features.len() as u32, (from + all) as u32, gradient));
    }
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
    /// Whether the beginnings of sentences are learned.
    pub(super) begins: bool,
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
            let look_ahead = self.look_ahead(&seen);
            let (mut shows, mut distance, mut from) = (Shows::default(), 0, 0);
            let mut last = Shown::Nothing;
            for to in stretches(&example.tokens) {
                let stretch = &seen[from..to];
                let words = example.tokens.iter().zip(&example.gold).enumerate().take(to).skip(from);
                for (at, ((lower, token), gold)) in words {
                    let shown = shows.of(token);
                    let target = self.target(shown, gold);
                    features.clear();
                    features::own(self.groups, lower, seen[at], &mut features);
                    let window = features::window(stretch, at - from);
                    features::context(self.groups, &window, look_ahead, &mut features);
                    let all = features.len();
                    if target.begins.is_some() {
                        features::history(distance, seen[at], &mut features);
                    }
                    gradients.add(&features, all, weights.gradient(&features, all, target));
                    let begins = gold.initial || shown == Shown::Begins;
                    distance = if begins {
                        1
                    } else if distance == 0 {
                        0
                    } else {
                        (distance + 1).min(FAR)
                    };
                    last = shown;
                }
                from = to;
            }
            // Behind the last word another sentence begins, or a window was cut.
            let ends = example.gold.last().is_some_and(|gold| gold.label.mark == Mark::SentenceEnd);
            let target =
                Target { class: None, begins: (self.begins && last == Shown::Nothing).then_some(ends) };
            features.clear();
            features::own(self.groups, "", Seen::default(), &mut features);
            let window = features::window(&seen, seen.len());
            features::context(self.groups, &window, look_ahead.saturating_sub(1), &mut features);
            let all = features.len();
            features::history(distance, Seen::default(), &mut features);
            gradients.add(&features, all, weights.gradient(&features, all, target));
        }
        gradients
    }

    /// What is to be learned of a word.
    fn target(&self, shown: Shown, gold: &Gold) -> Target {
        let is_open = self.begins && shown == Shown::Nothing;
        // A capital at a beginning says nothing of the word.
        let class = (gold.scored && !(is_open && gold.initial)).then_some(gold.label.case.class());
        Target { class, begins: is_open.then_some(gold.initial) }
    }

    /// How many words of right context are seen in an example: in some fewer, chosen by its words, so that the model also
    /// serves those who wait for fewer.
    fn look_ahead(&self, seen: &[Seen]) -> usize {
        let all = self.config.look_ahead;
        let draw = features::hash(
            &seen.iter().fold(0u64, |draw, seen| draw.rotate_left(7) ^ seen.hash).to_le_bytes(),
        );
        let share = (draw >> 40) as f32 / (1u64 << 24) as f32;
        if all > 0 && share < self.config.leave_out { draw as usize % all } else { all }
    }

    /// What is seen of the words of an example, each as if it had not been counted itself.
    fn seen(&self, example: &Example, seen: &mut Vec<Seen>) {
        seen.clear();
        for ((lower, token), gold) in example.tokens.iter().zip(&example.gold) {
            let counts = self.words.get(lower).map(|word| word.counts).unwrap_or_default();
            let ends = gold.label.mark == Mark::SentenceEnd;
            let profile = counts.without(gold.label.case.class(), gold.initial, ends).profile();
            seen.push(Seen::of(lower, token, profile));
        }
    }
}

/// Where the stretches end across which a model does not look.
fn stretches(tokens: &Tokens) -> impl Iterator<Item = usize> {
    let ends = (1..tokens.len()).filter(|&at| parts(&tokens.as_slice()[at]));
    ends.chain([tokens.len()])
}

/// What is to be learned of a word; `None` where it teaches nothing.
#[derive(Debug, Clone, Copy)]
struct Target {
    class: Option<Class>,
    begins: Option<bool>,
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

    /// The slope of −ln P(class) − ln P(begins): how far each weight of the features is from where it should be. Those behind
    /// the first `all` bear on beginnings alone.
    #[inline]
    fn gradient(&self, features: &[u64], all: usize, target: Target) -> Gradient {
        let mut sums = [0.0; WEIGHTS_EACH];
        for (at, &feature) in features.iter().enumerate() {
            let Some(cell) = self.cells.get(self.index.cell(feature) as usize) else { continue };
            match at < all {
                true => sums.iter_mut().zip(cell).for_each(|(sum, weight)| *sum += weight),
                false => sums[BEGIN] += cell[BEGIN],
            }
        }
        let [title, upper, mixed, beginning] = sums;
        let mut shares = [0.0; WEIGHTS_EACH];
        if let Some(class) = target.class {
            shares = [0.0, title, upper, mixed];
            let most = shares.iter().copied().fold(f32::MIN, f32::max);
            shares = shares.map(|sum| (sum - most).exp());
            let whole: f32 = shares.iter().sum();
            shares.iter_mut().for_each(|share| *share /= whole);
            shares[class as usize] -= 1.0;
        }
        let begins = |begins| 1.0 / (1.0 + (-beginning).exp()) - f32::from(u8::from(begins));
        [shares[1], shares[2], shares[3], target.begins.map_or(0.0, begins)]
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
        for &(to, all, gradient) in &gradients.words {
            let squares =
                [gradient[..BEGIN].iter().map(|g| g * g).sum::<f32>(), gradient[BEGIN] * gradient[BEGIN]];
            for (feature, of_class) in (from..to).map(|at| (gradients.features[at as usize], at < all)) {
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

impl Weights {
    /// The `size` features that weigh most, and of equal ones the lower hashes.
    pub(super) fn chosen(&self, size: usize) -> Vec<u64> {
        let Index::Hashed(_, leaders) = &self.index else { return Vec::new() };
        let score = |cell: &Cell| {
            let weight = |weights: &[f32], sum: f32| {
                weights.iter().fold(0.0f32, |most, weight| most.max(weight.abs())) * sum.sqrt().sqrt()
            };
            weight(&cell[..BEGIN], cell[WEIGHTS_EACH])
                .max(weight(&cell[BEGIN..=BEGIN], cell[WEIGHTS_EACH + 1]))
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

    /// −ln of the probability of a class and of a beginning or none, as it is written down; the first `all` cells bear on the
    /// class.
    fn loss(cells: &[Cell], all: usize, class: usize, begins: bool) -> f64 {
        let sum = |at: usize| {
            let cells = if at == BEGIN { cells } else { &cells[..all] };
            cells.iter().map(|cell| f64::from(cell[at])).sum::<f64>()
        };
        let sums = [0.0, sum(0), sum(1), sum(2)];
        let whole: f64 = sums.iter().map(|sum| sum.exp()).sum();
        let sign = if begins { -1.0 } else { 1.0 };
        whole.ln() - sums[class] + (sign * sum(BEGIN)).exp().ln_1p()
    }

    proptest! {
        #[test]
        fn the_gradient_is_the_slope_of_the_loss(
            features in prop::collection::btree_set(any::<u64>(), 1..6),
            values in prop::collection::vec(-2.0f32..2.0, 24),
            class in 0..CLASSES,
            begins: bool,
            only: bool,
        ) {
            let features: Vec<u64> = features.into_iter().collect();
            let mut weights = Weights::of(features.clone());
            for (cell, values) in weights.cells.iter_mut().zip(values.chunks(WEIGHTS_EACH)) {
                cell[..WEIGHTS_EACH].copy_from_slice(values);
            }
            let all = features.len() - usize::from(only);
            let target = Target { class: Some(Class::ALL[class]), begins: Some(begins) };
            let gradient = weights.gradient(&features, all, target);
            for (at, gradient) in gradient.iter().enumerate() {
                // The last feature may bear on beginnings alone.
                let cell = if at == BEGIN { features.len() - 1 } else { 0 };
                if at != BEGIN && all == 0 {
                    continue;
                }
                const SMALL: f32 = 1e-2;
                let moved = |by: f32| {
                    let mut cells = weights.cells.clone();
                    cells[cell][at] += by;
                    loss(&cells, all, class, begins)
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
            let target = Target { class: Some(Class::ALL[*class]), begins: None };
            let gradient = weights.gradient(features, features.len(), target);
            let mut gradients = Gradients::default();
            gradients.add(features, features.len(), gradient);
            weights.apply(&[gradients], 0.1, NonZeroUsize::MIN);
        }
        let twin = plain(&words, 0.1);
        for feature in features {
            let (found, twin) = (weights.cells[weights.index.cell(feature) as usize], twin[&feature]);
            for (found, twin) in found[..BEGIN].iter().zip(twin) {
                assert!((found - twin).abs() < 1e-4, "{feature}: {found} {twin}");
            }
        }
    }
}
