//! Trains on a data set epoch by epoch.

use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::thread;

use super::adagrad::Gradients;
use super::cells::TrainingWeights;
use super::dataset::{DataSet, ExampleRow, ExampleScratch};
use super::loss::{gradient, loss};
use super::state::{StateKeeper, TrainingState};
use crate::corpus::Example;
use majuscule_base::error::{Error, Result, option};

/// The number of words in the first mini-batch. Batches grow from this size to [`BATCH`], because
/// all gradients of a batch are computed at the same weights, and the first steps are long.
const FIRST_BATCH: usize = 128;
const BATCH: usize = 4096;

/// Learns weights from a data set.
pub(super) struct Trainer<'a> {
    pub(super) data: DataSet<'a>,
    pub(super) threads: NonZeroUsize,
}

impl Trainer<'_> {
    /// Trains until the last epoch, or until the held-out loss gets worse. Each batch and each
    /// epoch is reported to `keep`.
    pub(super) fn epochs(
        &self,
        mut state: TrainingState,
        keep: &mut StateKeeper<'_>,
    ) -> Result<TrainingWeights> {
        while !state.is_over(self.data.config) {
            self.epoch(&mut state, keep)?;
            if self.data.config.solving.held_out > 0.0 {
                let now = state.weights.settled();
                let loss = self.held_out_loss(&now)?;
                state.add(loss, now);
            }
            (state.epoch, state.batches) = (state.epoch + 1, 0);
            keep(&state, 0)?;
        }
        Ok(state.finish())
    }

    /// Processes the rest of an epoch.
    fn epoch(&self, state: &mut TrainingState, keep: &mut StateKeeper<'_>) -> Result<()> {
        let mut done = state.batches;
        thread::scope(|scope| {
            let (full, batches) = mpsc::sync_channel::<Vec<Example>>(4);
            let (data, corpus) = (&self.data, self.data.corpus);
            let solving = &self.data.config.solving;
            let reader = scope.spawn(move || {
                let (mut batch, mut words, mut size) = (Vec::new(), 0, FIRST_BATCH);
                let mut numbers = 0..;
                data.for_each(&mut |example| {
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
                            // The receiver is gone: training failed, and reports its own error.
                            return Err(Error::usage("training failed"));
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
                corpus.interrupt().check()?;
                let gradients = self.gradients(&batch, &state.weights);
                state.weights.apply(&gradients, self.data.config.rate, self.threads);
                state.batches += 1;
                keep(state, batch.iter().map(|example| example.tokens.len() as u64).sum())?;
            }
            reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn gradients(&self, batch: &[Example], weights: &TrainingWeights) -> Vec<Gradients> {
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

    fn gradients_of(&self, examples: &[Example], weights: &TrainingWeights) -> Gradients {
        let mut gradients = Gradients::default();
        let mut scratch = ExampleScratch::default();
        for example in examples {
            self.data.rows(example, &mut scratch, |ExampleRow { features, all, answer, .. }| {
                gradients.taken += 1;
                let gradient = gradient(weights.logits(features, all), answer);
                // A word that is already predicted with near certainty changes no weights.
                if gradient.iter().any(|g| g.abs() >= 1e-3) {
                    gradients.push(features, all, gradient);
                }
            });
        }
        gradients
    }

    /// Returns the mean of −ln P over the held-out words.
    fn held_out_loss(&self, weights: &TrainingWeights) -> Result<f64> {
        let (mut sum, mut words) = (0.0, 0u64);
        self.data.rows_of(true, |ExampleRow { features, all, answer, .. }| {
            sum += loss(weights.logits(features, all), answer);
            words += 1;
        })?;
        if words == 0 {
            let problem = format!(
                "{} {} holds out no word of {}: give more text or a larger fraction",
                option("held-out"),
                self.data.config.solving.held_out,
                self.data.corpus.name()
            );
            return Err(Error::usage(problem));
        }
        Ok(sum / words as f64)
    }
}
