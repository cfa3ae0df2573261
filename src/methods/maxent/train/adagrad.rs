//! Examples in, weights out: multinomial logistic regression by AdaGrad (Duchi et al. 2011), on all cores, with the same
//! bytes for any number of threads.

use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::thread;

use super::Config;
use super::adapt::{self, Base};
use super::checkpoint::{Keep, State};
use super::count::Words;
use super::lazy::{Lazy, LazyPart, Penalty};
use crate::corpus::{Corpus, Example, Gold};
use crate::error::{Error, Result};
use crate::methods::maxent::chain::FAR;
use crate::methods::maxent::filling::{FeatureSet, Filler, Observation, Values};
use crate::methods::maxent::hash::hash;
use crate::methods::maxent::observe::{Observer, Seen, Shown};
use crate::methods::maxent::outside::Outside;
use crate::methods::maxent::templates::{BEGUN, NO_WORD};
use crate::methods::maxent::weights::{Steps, Width};
use crate::methods::maxent::{BEGIN, Maxent, WEIGHTS_EACH};
use crate::text::{Class, Mark};

/// Words of a mini-batch, whose gradients are all taken at the same weights: first few, since first steps are long.
const FIRST_BATCH: usize = 128;
const BATCH: usize = 4096;

/// A word's part of a batch: its features, and what each class's weights of them move by.
#[derive(Default)]
pub(super) struct Gradients {
    features: Vec<u64>,
    /// Where the features of each word end, those before that bear on its class too, and the gradient that is the same for
    /// all of them.
    words: Vec<(u32, u32, Gradient)>,
    /// How many words they are of, with those that move nothing.
    taken: u64,
}

impl Gradients {
    /// Those of so many words, none yet.
    #[cfg(test)]
    pub(super) fn of(taken: u64) -> Self {
        Self { taken, ..Self::default() }
    }

    /// Adds those of a word, of whose features the first `all` bear on its class too.
    #[inline]
    pub(super) fn push(&mut self, features: &[u64], all: usize, gradient: Gradient) {
        let from = self.features.len();
        self.features.extend(features);
        self.words.push((self.features.len() as u32, (from + all) as u32, gradient));
    }
}

/// By weight.
pub(super) type Gradient = [f32; WEIGHTS_EACH];

/// What training goes over.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) config: &'a Config,
    pub(super) set: &'a FeatureSet,
    pub(super) corpus: &'a Corpus,
    pub(super) words: &'a Words,
    /// The model that is adapted, where one is.
    pub(super) model: Option<&'a Maxent>,
    pub(super) outside: &'a Outside,
    /// Whether the beginnings of sentences are learned.
    pub(super) begins: bool,
    pub(super) threads: NonZeroUsize,
}

impl Run<'_> {
    /// Learns until the last epoch, or until what is held out gets worse. Each batch and each epoch is told to `keep`.
    pub(super) fn epochs(&self, mut state: State, keep: &mut Keep<'_>) -> Result<Weights> {
        while !state.is_over(self.config.epochs) {
            self.epoch(&mut state, keep)?;
            if self.config.solving.held_out > 0.0 {
                let now = state.weights.settled();
                let loss = self.held_out_loss(&now)?;
                state.stopping.add(loss, now);
            }
            (state.epoch, state.batches) = (state.epoch + 1, 0);
            keep(&state, 0)?;
        }
        Ok(state.stopping.best().unwrap_or_else(|| state.weights.settle()))
    }

    /// Goes over what is left of an epoch.
    fn epoch(&self, state: &mut State, keep: &mut Keep<'_>) -> Result<()> {
        let mut done = state.batches;
        thread::scope(|scope| {
            let (full, batches) = mpsc::sync_channel::<Vec<Example>>(4);
            let corpus = self.corpus;
            let solving = &self.config.solving;
            let reader = scope.spawn(move || {
                let (mut batch, mut words, mut size) = (Vec::new(), 0, FIRST_BATCH);
                let mut numbers = 0..;
                corpus.for_each(&mut |example| {
                    if numbers.next().is_some_and(|number| solving.holds_out(number)) {
                        return Ok(());
                    }
                    words += example.tokens.len();
                    if done == 0 {
                        batch.push(example.clone());
                    }
                    if words >= size {
                        words = 0;
                        size = (size + size / 8).min(BATCH);
                        if done > 0 {
                            done -= 1;
                        } else if full.send(std::mem::take(&mut batch)).is_err() {
                            // Nobody listens any more: training failed, and its own error is the one that is told.
                            return Err(Error::Usage("training failed".to_owned()));
                        }
                    }
                    Ok(())
                })?;
                if done == 0 {
                    let _ = full.send(batch);
                }
                Ok(())
            });
            for batch in batches {
                let gradients = self.gradients(&batch, &state.weights);
                state.weights.apply(&gradients, self.config.rate, self.threads);
                state.batches += 1;
                keep(state, batch.iter().map(|example| example.tokens.len() as u64).sum())?;
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
        let mut scratch = Scratch::default();
        for example in examples {
            self.rows(example, &mut scratch, |Row { features, all, answer, .. }| {
                gradients.taken += 1;
                let gradient = weights.gradient(features, all, answer);
                // What is known already moves nothing.
                if gradient.iter().any(|g| g.abs() >= 1e-3) {
                    gradients.push(features, all, gradient);
                }
            });
        }
        gradients
    }

    /// Gives each word of an example that something is learned of to `visit`, in order, and what is behind the last word.
    #[inline]
    pub(super) fn rows(&self, example: &Example, scratch: &mut Scratch, mut visit: impl FnMut(Row<'_>)) {
        let Scratch { seen, features } = scratch;
        self.seen(example, seen);
        let look_ahead = self.look_ahead(seen);
        let mut observer = Observer::new(self.set, self.outside);
        let mut history = History::default();
        observer.text(&example.tokens, seen, |observer, word| {
            if word.opening.is_some() {
                history = History::default();
            }
            let gold = example.gold.get(word.at);
            let (lower, answer, look_ahead) = match gold {
                Some(gold) => {
                    let lower = example.tokens.lower(word.at);
                    (lower, self.answer(word.shown, lower, gold), look_ahead)
                }
                None => ("", self.answer_behind(word.shown, example), look_ahead.saturating_sub(1)),
            };
            if answer != Answer::default() {
                let before = Some(history.before);
                let of_class = Observation { before, ..observer.observation(lower, word, look_ahead) };
                let distance = answer.begins.map(|_| history.distance);
                let observation = Observation { distance, ..of_class };
                features.clear();
                let add = |filler: &Filler, values: &Values, _: &str| features.push(filler.feature(values));
                self.set.all(&observation, add);
                let all = features.len() - distance.map_or(0, |_| self.set.histories());
                visit(Row { at: word.at, features, all, observation, answer });
            }
            if let Some(gold) = gold {
                history.add(gold, word.shown);
            }
        });
    }

    /// What is to be learned behind the last word: another sentence begins there, or a window was cut.
    fn answer_behind(&self, shown: Shown, example: &Example) -> Answer {
        let ends = example.gold.last().is_some_and(|gold| gold.label.mark == Mark::SentenceEnd);
        let is_open = self.begins && shown == Shown::Nothing;
        Answer { begins: is_open.then_some(ends), ..Answer::default() }
    }

    /// What is to be learned of a word.
    fn answer(&self, shown: Shown, lower: &str, gold: &Gold) -> Answer {
        let is_open = self.begins && shown == Shown::Nothing;
        let begins = is_open.then_some(gold.initial);
        let class = gold.label.case.class();
        let is_first = gold.initial || shown == Shown::Begins;
        match gold.scored {
            false => Answer { begins, ..Answer::default() },
            // The capital of a first word may be due to its place; that of a letter by itself says nothing at all.
            true if is_first && lower.chars().nth(1).is_none() => Answer { begins, ..Answer::default() },
            true if is_first && class == Class::Title => Answer { begins, class: None, not_otherwise: true },
            true => Answer { begins, class: Some(class), not_otherwise: false },
        }
    }

    /// How many words of right context are seen in an example: in some fewer, chosen by its words, so that the model also
    /// serves those who wait for fewer.
    fn look_ahead(&self, seen: &[Seen]) -> usize {
        let all = self.config.look_ahead;
        let draw = hash(&seen.iter().fold(0u64, |draw, seen| draw.rotate_left(7) ^ seen.hash).to_le_bytes());
        let share = (draw >> 40) as f32 / (1u64 << 24) as f32;
        if all > 0 && share < self.config.leave_out { draw as usize % all } else { all }
    }

    /// The mean of −ln P over the words that are held out.
    fn held_out_loss(&self, weights: &Weights) -> Result<f64> {
        let (mut numbers, mut scratch) = (0.., Scratch::default());
        let (mut sum, mut words) = (0.0, 0u64);
        self.corpus.for_each(&mut |example| {
            if numbers.next().is_some_and(|number| self.config.solving.holds_out(number)) {
                self.rows(example, &mut scratch, |Row { features, all, answer, .. }| {
                    sum += weights.loss(features, all, answer);
                    words += 1;
                });
            }
            Ok(())
        })?;
        if words == 0 {
            let problem = format!(
                "--held-out {} leaves no word of {} out: give it more text or a larger fraction",
                self.config.solving.held_out,
                self.corpus.name()
            );
            return Err(Error::Usage(problem));
        }
        Ok(sum / words as f64)
    }

    /// How many words are trained on in an epoch.
    pub(super) fn trained_on(&self) -> Result<u64> {
        let (mut numbers, mut words, mut scratch) = (0.., 0, Scratch::default());
        self.corpus.for_each(&mut |example| {
            if !numbers.next().is_some_and(|number| self.config.solving.holds_out(number)) {
                self.rows(example, &mut scratch, |_| words += 1);
            }
            Ok(())
        })?;
        Ok(words)
    }

    /// What is seen of the words of an example, each as if it had not been counted itself.
    fn seen(&self, example: &Example, seen: &mut Vec<Seen>) {
        seen.clear();
        for ((lower, token), gold) in example.tokens.iter().zip(&example.gold) {
            let counts = self.words.get(lower).map(|word| word.counts).unwrap_or_default();
            let ends = gold.label.mark == Mark::SentenceEnd;
            let profile = counts.without(gold.label.case.class(), gold.initial, ends).profile();
            seen.push(self.outside.seen(lower, token, adapt::profile(self, lower, profile)));
        }
    }
}

/// What the words before one in its segment were.
struct History {
    /// How many words ago a sentence began; 0 where none did.
    distance: usize,
    /// The choice for the word before.
    before: usize,
}

impl Default for History {
    fn default() -> Self {
        Self { distance: 0, before: NO_WORD }
    }
}

impl History {
    fn add(&mut self, gold: &Gold, shown: Shown) {
        let begins = gold.initial || shown == Shown::Begins;
        self.before = if begins { BEGUN } else { gold.label.case.class() as usize };
        self.distance = match self.distance {
            _ if begins => 1,
            0 => 0,
            distance => (distance + 1).min(FAR),
        };
    }
}

/// What is to be learned of a word; `None` where it teaches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Answer {
    pub(super) class: Option<Class>,
    /// Whether its class is lower or title, and not known more closely.
    pub(super) not_otherwise: bool,
    /// Whether a sentence begins at it.
    pub(super) begins: Option<bool>,
}

/// Memory for the words of an example.
#[derive(Default)]
pub(super) struct Scratch {
    seen: Vec<Seen>,
    features: Vec<u64>,
}

/// A word to learn from.
pub(super) struct Row<'a> {
    /// Its place in its example, whose length is the place behind the last word.
    pub(super) at: usize,
    pub(super) features: &'a [u64],
    /// So many of them bear on its class too, those behind on beginnings alone.
    pub(super) all: usize,
    pub(super) observation: Observation<'a>,
    pub(super) answer: Answer,
}

/// The weights of a feature, and the sums of squared gradients of those for classes and of that for an end.
pub(super) type Cell = [f32; WEIGHTS_EACH + 2];

/// Weights while they are trained.
#[derive(Clone)]
pub(super) struct Weights {
    pub(super) cells: Vec<Cell>,
    pub(super) index: Index,
    /// What is caught up with when a cell is touched: `None` where nothing is.
    pub(super) lazy: Option<Lazy>,
    /// What they are added to, where they are moves of other weights.
    pub(super) base: Option<Base>,
}

/// Where the weights of a feature are.
#[derive(Clone)]
pub(super) enum Index {
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
        let index = Index::Hashed(bits, vec![(0, 0); 1 << bits]);
        Self { cells: vec![Cell::default(); 1 << bits], index, lazy: None, base: None }
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
        Self {
            cells: vec![Cell::default(); chosen.len()],
            index: Index::Chosen(slots),
            lazy: None,
            base: None,
        }
    }

    /// Those of these features, which keep their order, with values of their own.
    pub(super) fn with(chosen: Vec<u64>, values: &[Gradient]) -> Self {
        let mut weights = Self::of(chosen);
        for (cell, values) in weights.cells.iter_mut().zip(values) {
            cell[..WEIGHTS_EACH].copy_from_slice(values);
        }
        weights
    }

    /// The features of [`Weights::of`], in their order.
    pub(super) fn features(&self) -> Vec<u64> {
        let Index::Chosen(slots) = &self.index else { return Vec::new() };
        let mut features = vec![0; self.cells.len()];
        for &(feature, cell) in slots.iter().filter(|(_, cell)| *cell != NONE) {
            features[cell as usize] = feature;
        }
        features
    }

    /// The weights of each cell; those of [`Weights::of`] are in its order.
    #[cfg(test)]
    pub(super) fn values(&self) -> impl Iterator<Item = Gradient> {
        self.cells.iter().map(|cell| [cell[0], cell[1], cell[2], cell[3]])
    }

    /// The same under a penalty for each word, or to be averaged.
    pub(super) fn lazily(self, penalty: Penalty, average: bool) -> Self {
        let needed = average || penalty != Penalty::None;
        Self { lazy: needed.then(|| Lazy::new(penalty, average, self.cells.len())), ..self }
    }

    /// The same as moves of the weights of a model, where one is adapted.
    pub(super) fn over(self, model: Option<&Maxent>) -> Self {
        Self { base: model.map(Base::of), ..self }
    }

    /// What the weights are that come out of training so far.
    pub(super) fn settle(mut self) -> Self {
        if let Some(lazy) = self.lazy.take() {
            lazy.settle(&mut self.cells);
        }
        self
    }

    fn settled(&self) -> Self {
        self.clone().settle()
    }

    /// The slope of −ln P(class) − ln P(begins), where the class may be one of two: how far each weight of the features is from where it should be. Those behind
    /// the first `all` bear on beginnings alone.
    #[inline]
    pub(super) fn gradient(&self, features: &[u64], all: usize, answer: Answer) -> Gradient {
        let [title, upper, mixed, beginning] = self.sums(features, all);
        let mut shares = [0.0; WEIGHTS_EACH];
        if answer.class.is_some() || answer.not_otherwise {
            shares = [0.0, title, upper, mixed];
            let most = shares.iter().copied().fold(f32::MIN, f32::max);
            shares = shares.map(|sum| (sum - most).exp());
            let whole: f32 = shares.iter().sum();
            shares.iter_mut().for_each(|share| *share /= whole);
        }
        if let Some(class) = answer.class {
            shares[class as usize] -= 1.0;
        } else if answer.not_otherwise {
            // Of the two as likely as they are: the slope of -ln(P(lower) + P(title)).
            let either = (shares[0] + shares[1]).max(f32::MIN_POSITIVE);
            (0..2).for_each(|at| shares[at] -= shares[at] / either);
        }
        let begins = |begins| 1.0 / (1.0 + (-beginning).exp()) - f32::from(u8::from(begins));
        [shares[1], shares[2], shares[3], answer.begins.map_or(0.0, begins)]
    }

    #[inline]
    fn sums(&self, features: &[u64], all: usize) -> Gradient {
        let mut sums = self.base.as_ref().map_or([0.0; WEIGHTS_EACH], |base| base.sums(features, all));
        for (number, &feature) in features.iter().enumerate() {
            let at = self.index.cell(feature) as usize;
            let Some(cell) = self.cells.get(at) else { continue };
            let weights = match &self.lazy {
                None => [cell[0], cell[1], cell[2], cell[3]],
                Some(lazy) => lazy.now(at, cell),
            };
            match number < all {
                true => sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight),
                false => sums[BEGIN] += weights[BEGIN],
            }
        }
        sums
    }

    /// −ln P(class) − ln P(begins).
    pub(super) fn loss(&self, features: &[u64], all: usize, answer: Answer) -> f64 {
        let [title, upper, mixed, beginning] = self.sums(features, all).map(f64::from);
        let sums = [0.0, title, upper, mixed];
        let whole = |sums: &[f64]| {
            let most = sums.iter().copied().fold(f64::MIN, f64::max);
            sums.iter().map(|sum| (sum - most).exp()).sum::<f64>().ln() + most
        };
        let of_class = match answer.class {
            Some(class) => whole(&sums) - sums[class as usize],
            None if answer.not_otherwise => whole(&sums) - whole(&sums[..2]),
            None => 0.0,
        };
        let against = answer.begins.map(|begins| if begins { -beginning } else { beginning });
        // ln(1 + e^x) without its overflow.
        let of_beginning = against.map(|sum| sum.max(0.0) + (-sum.abs()).exp().ln_1p());
        of_class + of_beginning.unwrap_or(0.0)
    }

    /// Moves the weights, each thread those of its own range, in the order of the words: the same for any number of threads.
    pub(super) fn apply(&mut self, gradients: &[Gradients], rate: f32, threads: NonZeroUsize) {
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
        let mut lazy = self.lazy.as_mut().map(|lazy| lazy.parts(rate, size));
        thread::scope(|scope| {
            for ((part, cells), leaders) in self.cells.chunks_mut(size).enumerate().zip(leaders) {
                let start = (part * size) as u32;
                let lazy = lazy.as_mut().and_then(Iterator::next);
                scope.spawn(move || move_cells(gradients, rate, start, cells, leaders, lazy, places));
            }
        });
        drop(lazy);
        if let Some(lazy) = &mut self.lazy {
            lazy.pass(gradients.iter().map(|gradients| gradients.taken).sum());
        }
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
    mut lazy: Option<LazyPart<'_>>,
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

    /// The weights of each feature that was chosen.
    pub(super) fn by_feature(&self) -> impl Iterator<Item = (u64, Gradient)> {
        let slots = match &self.index {
            Index::Chosen(slots) => slots.as_slice(),
            Index::Hashed(..) => &[],
        };
        slots.iter().filter(|(_, cell)| *cell != NONE).map(|&(feature, cell)| {
            let cell = self.cells[cell as usize];
            (feature, [cell[0], cell[1], cell[2], cell[3]])
        })
    }

    /// The weights in steps of a model whose weights are so wide, the `kept` features with the largest ones at most. Features
    /// whose weights are all of no step are left out.
    pub(super) fn quantised(&self, width: Width, kept: usize) -> Quantised {
        let most = self.by_feature().flat_map(|(_, weights)| weights);
        let most = most.fold(0.0f32, |most, weight| most.max(weight.abs()));
        let unit = unit(width, most);
        let step = |weight: f32| width.nearest(weight * unit as f32);
        let mut found: Vec<(u64, Steps)> = self
            .by_feature()
            .map(|(feature, weights)| (feature, weights.map(step)))
            .filter(|(_, steps)| *steps != Steps::default())
            .collect();
        let size = |steps: &Steps| steps.map(i16::unsigned_abs).into_iter().max();
        found.sort_unstable_by(|a, b| size(&b.1).cmp(&size(&a.1)).then(a.0.cmp(&b.0)));
        found.truncate(kept);
        let room = f32::from(width.most()) + 0.5;
        let is_cut = |weights: &Gradient| weights.iter().any(|weight| weight.abs() * unit as f32 > room);
        let cut = self.by_feature().filter(|(_, weights)| is_cut(weights)).count();
        Quantised { unit, cut, table: width.build(found.into_iter()) }
    }
}

/// Weights as a model holds them.
#[derive(Debug, PartialEq)]
pub(super) struct Quantised {
    /// How many steps a weight of 1 has.
    pub(super) unit: u32,
    /// How many features have weights that are cut to the most steps that there are.
    pub(super) cut: usize,
    /// The bytes of their table.
    pub(super) table: Vec<u8>,
}

/// How many steps a weight of 1 has where the largest is `most`.
fn unit(width: Width, most: f32) -> u32 {
    let unit = match width {
        Width::Narrow => f32::from(width.most()) / most.clamp(0.1, LARGEST),
        Width::Wide => f32::from(width.most()) / most.max(f32::from(width.most()) / FINE),
    };
    (unit as u32).max(1)
}

/// In a byte a larger weight counts as one of this size: e to it is certainty, and small weights then keep fine steps.
const LARGEST: f32 = 6.0;

/// In two bytes a weight of 1 has at most so many steps, so that the sum of the weights of a word's own features, which takes
/// two bytes too, is whole up to 127: far beyond certainty.
const FINE: f32 = 256.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::maxent::CLASSES;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// −ln of the probability of one of some classes and of a beginning or none, as it is written down; the first `all` cells
    /// bear on the class.
    fn loss(cells: &[Cell], all: usize, classes: &[usize], begins: bool) -> f64 {
        let sum = |at: usize| {
            let cells = if at == BEGIN { cells } else { &cells[..all] };
            cells.iter().map(|cell| f64::from(cell[at])).sum::<f64>()
        };
        let sums = [0.0, sum(0), sum(1), sum(2)];
        let whole: f64 = sums.iter().map(|sum| sum.exp()).sum();
        let sign = if begins { -1.0 } else { 1.0 };
        let found: f64 = classes.iter().map(|class| sums[*class].exp()).sum();
        whole.ln() - found.ln() + (sign * sum(BEGIN)).exp().ln_1p()
    }

    proptest! {
        #[test]
        fn the_gradient_is_the_slope_of_the_loss(
            features in prop::collection::btree_set(any::<u64>(), 1..6),
            values in prop::collection::vec(-2.0f32..2.0, 24),
            class in 0..=CLASSES,
            begins: bool,
            only: bool,
        ) {
            let features: Vec<u64> = features.into_iter().collect();
            let mut weights = Weights::of(features.clone());
            for (cell, values) in weights.cells.iter_mut().zip(values.chunks(WEIGHTS_EACH)) {
                cell[..WEIGHTS_EACH].copy_from_slice(values);
            }
            let all = features.len() - usize::from(only);
            // Behind the classes: lower or title.
            let classes = if class < CLASSES { vec![class] } else { vec![0, 1] };
            let known = Class::ALL.get(class).copied();
            let answer = Answer { class: known, not_otherwise: known.is_none(), begins: Some(begins) };
            let gradient = weights.gradient(&features, all, answer);
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
                    loss(&cells, all, &classes, begins)
                };
                let slope = (moved(SMALL) - moved(-SMALL)) / f64::from(2.0 * SMALL);
                prop_assert!((slope - f64::from(*gradient)).abs() < 1e-3, "{} {}", slope, gradient);
            }
        }
    }

    /// AdaGrad as it is written down, a map of weights and one word at a time, and after each word the penalty of every
    /// weight: the slow twin. Each feature's weights, the sum of its squared gradients, and the sums of the weights.
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
            let mut weights = Weights::of(features.clone()).lazily(penalty, average);
            for (features, class) in &words {
                let answer = Answer { class: Some(Class::ALL[*class]), ..Answer::default() };
                let gradient = weights.gradient(features, features.len(), answer);
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
