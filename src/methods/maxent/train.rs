//! A cased corpus in, weights out: multinomial logistic regression by AdaGrad (Duchi et al. 2011).

use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::thread;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::features::{self, Group, Seen};
use super::profile::{Counts, places};
use super::{CLASSES, Maxent, Settings, Weights};
use crate::corpus::{Corpus, Example};
use crate::error::{Error, Result};
use crate::text::Labels;

/// How `maxent` is trained.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Config {
    /// The features; all where none is named
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "GROUP,…", value_delimiter = ','))]
    pub features: Vec<Group>,
    /// How many words of right context the features see
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Config::default().look_ahead))]
    pub look_ahead: usize,
    /// How often the corpus is gone over
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Config::default().epochs))]
    pub epochs: usize,
    /// How large the steps are
    #[cfg_attr(feature = "cli", arg(long, value_name = "STEP", default_value_t = Config::default().rate))]
    pub rate: f32,
    /// The binary logarithm of the number of weights that features share
    #[cfg_attr(feature = "cli", arg(long, value_name = "BITS", default_value_t = Config::default().bits))]
    pub bits: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { features: Vec::new(), look_ahead: 3, epochs: 1, rate: 0.1, bits: 24 }
    }
}

/// Words of a mini-batch, whose gradients are all taken at the same weights: first few, since first steps are long.
const FIRST_BATCH: usize = 128;
const BATCH: usize = 4096;

/// Trains a model.
pub fn train(config: &Config, corpus: &Corpus, threads: NonZeroUsize) -> Result<Maxent> {
    let counts = count(corpus, threads)?;
    if counts.is_empty() {
        return Err(Error::file(corpus.name(), "has no words: expected cased text, a sentence a line"));
    }
    let groups = if config.features.is_empty() { Group::ALL.to_vec() } else { config.features.clone() };
    let mut weights = Weights::new(config.bits);
    for _ in 0..config.epochs {
        epoch(config, &groups, corpus, &counts, &mut weights, threads)?;
    }
    let profiles = counts.iter().map(|(word, counts)| (word.clone(), counts.profile())).collect();
    Ok(Maxent {
        weights,
        profiles,
        settings: Settings { groups, look_ahead: config.look_ahead },
        labels: Labels::cases(),
    })
}

fn count(corpus: &Corpus, threads: NonZeroUsize) -> Result<FxHashMap<String, Counts>> {
    let parts = corpus.map_reduce(threads, FxHashMap::<String, Counts>::default, |counts, example| {
        let mut before = None;
        let last = example.gold.len() - 1;
        for (at, ((lower, _), gold)) in example.tokens.iter().zip(&example.gold).enumerate() {
            let (first, last) = places(before, gold.label, at == last);
            let class = gold.label.case.class();
            match counts.get_mut(lower) {
                Some(counts) => counts.add(class, first, last),
                None => counts.entry(lower.to_owned()).or_default().add(class, first, last),
            }
            before = Some(gold.label);
        }
        Ok(())
    })?;
    let mut all = FxHashMap::<String, Counts>::default();
    for (word, counts) in parts.into_iter().flatten() {
        let sum = all.entry(word).or_default();
        *sum = sum.plus(&counts);
    }
    Ok(all)
}

/// A word's part of a batch: its features, and what each class's weights of them move by.
#[derive(Default)]
struct Gradients {
    features: Vec<u32>,
    /// Where the features of each word end, and the gradient that is the same for all of them.
    words: Vec<(u32, [f32; CLASSES - 1])>,
}

fn epoch(
    config: &Config,
    groups: &[Group],
    corpus: &Corpus,
    counts: &FxHashMap<String, Counts>,
    weights: &mut Weights,
    threads: NonZeroUsize,
) -> Result<()> {
    thread::scope(|scope| {
        let (full, batches) = mpsc::sync_channel::<Vec<Example>>(4);
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
            let gradients = gradients(config, groups, &batch, counts, weights, threads);
            weights.apply(&gradients, config.rate, threads);
        }
        reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn gradients(
    config: &Config,
    groups: &[Group],
    batch: &[Example],
    counts: &FxHashMap<String, Counts>,
    weights: &Weights,
    threads: NonZeroUsize,
) -> Vec<Gradients> {
    let chunks = batch.chunks(batch.len().div_ceil(threads.get()).max(1));
    thread::scope(|scope| {
        let work = |chunk| scope.spawn(move || gradients_of(config, groups, chunk, counts, weights));
        let workers: Vec<_> = chunks.map(work).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, Gradients>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    })
}

fn gradients_of(
    config: &Config,
    groups: &[Group],
    examples: &[Example],
    counts: &FxHashMap<String, Counts>,
    weights: &Weights,
) -> Gradients {
    let mut gradients = Gradients::default();
    let (mut seen, mut features) = (Vec::new(), Vec::new());
    for example in examples {
        seen.clear();
        let mut before = None;
        let last = example.gold.len() - 1;
        for (at, ((lower, token), gold)) in example.tokens.iter().zip(&example.gold).enumerate() {
            let (first, last) = places(before, gold.label, at == last);
            let counts = counts.get(lower).copied().unwrap_or_default();
            let profile = counts.without(gold.label.case.class(), first, last).profile();
            seen.push(Seen::of(lower, token, profile));
            before = Some(gold.label);
        }
        for (at, ((lower, _), gold)) in example.tokens.iter().zip(&example.gold).enumerate() {
            if !gold.scored {
                continue;
            }
            let window = features::window(&seen, at);
            features::extract(groups, lower, &window, config.look_ahead, &mut features);
            let mut shares = weights.shares(&features);
            shares[gold.label.case.class() as usize] -= 1.0;
            // What is known already moves nothing.
            if shares.iter().all(|share| share.abs() < 1e-3) {
                continue;
            }
            gradients.features.extend(features.iter().map(|&feature| weights.slot(feature)));
            let gradient = std::array::from_fn(|class| shares[class + 1]);
            gradients.words.push((gradients.features.len() as u32, gradient));
        }
    }
    gradients
}

impl Weights {
    /// Moves the weights, each thread those of its own range, in the order of the words: the same for any number of threads.
    fn apply(&mut self, gradients: &[Gradients], rate: f32, threads: NonZeroUsize) {
        let size = self.slots.len().div_ceil(threads.get());
        thread::scope(|scope| {
            for (part, slots) in self.slots.chunks_mut(size).enumerate() {
                let start = (part * size) as u32;
                scope.spawn(move || {
                    let end = start + slots.len() as u32;
                    for gradients in gradients {
                        let mut from = 0;
                        for &(to, gradient) in &gradients.words {
                            let square: f32 = gradient.iter().map(|g| g * g).sum();
                            for &slot in &gradients.features[from as usize..to as usize] {
                                if !(start..end).contains(&slot) {
                                    continue;
                                }
                                let cell = &mut slots[(slot - start) as usize];
                                cell[CLASSES - 1] += square;
                                let step = rate / (cell[CLASSES - 1].sqrt() + 1e-6);
                                for (weight, g) in cell.iter_mut().zip(gradient) {
                                    *weight -= step * g;
                                }
                            }
                            from = to;
                        }
                    }
                });
            }
        });
    }
}
