//! Epochs of steps: a batch forward, its loss backward, and each weight moved.

use std::ops::Range;
use std::time::Instant;

use serde_json::json;

use super::adam::Adam;
use super::config::BilstmConfig;
use super::gradient::{Gradient, gradient};
use super::samples::{Sample, Samples};
use crate::bilstm::Bilstm;
use crate::bilstm::network::{Batch, forward};
use crate::bilstm::weights::{Layout, Weights};
use majuscule::error::Result;
use majuscule::restorer::Want;
use majuscule_train::corpus::Protocol;
use majuscule_train::eval::{Matching, evaluate};
use majuscule_train::methods::log::Log;
use majuscule_train::random::{Purpose, generator, mask, unit};

/// The weights that training begins with, by chance: tables as wide as Lample et al. draw them, matrices as Glorot & Bengio 2010;
/// gates that remember are open, and all scores of the chain are 0.
pub(super) fn beginning(layout: Layout, seed: u64) -> Weights {
    let mut random = generator(seed, Purpose::Beginning, 0);
    let mut values = vec![0.0; layout.len()];
    let mut fill = |part: &Range<usize>, bound: f64| {
        values[part.clone()].fill_with(|| ((2.0 * unit(&mut random) - 1.0) * bound) as f32);
    };
    let table = |width: usize| (3.0 / width as f64).sqrt();
    let matrix = |rows: usize, columns: usize| (6.0 / (rows + columns) as f64).sqrt();
    let widths = layout.widths;
    fill(&layout.letters, table(widths.letter));
    for cell in layout.spelling.iter().chain(&layout.sentence) {
        // Each gate is a matrix of its own.
        fill(&cell.inputs, matrix(cell.inputs.len() / (4 * cell.hidden), cell.hidden));
        fill(&cell.states, matrix(cell.hidden, cell.hidden));
    }
    fill(&layout.head, matrix(2 * widths.hidden, layout.labels));
    fill(&layout.words, table(widths.word));
    for cell in layout.spelling.iter().chain(&layout.sentence) {
        values[cell.bias.clone()][cell.hidden..2 * cell.hidden].fill(1.0);
    }
    Weights { layout, values }
}

/// A training.
pub(super) struct Run<'a> {
    pub(super) config: &'a BilstmConfig,
    pub(super) samples: &'a Samples,
    pub(super) protocol: Protocol,
    /// Makes a model of weights.
    pub(super) model: &'a dyn Fn(Weights) -> Bilstm,
}

/// So many steps make a line of the log.
const LOGGED: usize = 100;

impl Run<'_> {
    /// Goes over the corpus and gives the weights that did best on what is held out, or the last ones.
    ///
    /// # Errors
    /// Where the log cannot be written.
    pub(super) fn epochs(&self, mut weights: Weights) -> Result<Weights> {
        let mut log = Log::open(self.config.log.as_ref())?;
        let mut adam = Adam::new(weights.values.len());
        let mut best: Option<(f64, Weights)> = None;
        let mut worse = 0;
        for epoch in 0..self.config.epochs {
            self.epoch(epoch, &mut weights, &mut adam, &mut log)?;
            if self.samples.held_out.is_empty() {
                continue;
            }
            let ser = self.held_out_ser(epoch, &weights, &mut log)?;
            if best.as_ref().is_none_or(|(best, _)| ser < *best) {
                (best, worse) = (Some((ser, weights.clone())), 0);
            } else {
                worse += 1;
            }
            if worse == self.config.patience {
                break;
            }
        }
        Ok(best.map_or(weights, |(_, best)| best))
    }

    fn epoch(&self, epoch: usize, weights: &mut Weights, adam: &mut Adam, log: &mut Log) -> Result<()> {
        let batches = self.samples.batches(self.config, epoch as u64);
        let all = self.config.epochs * batches.len();
        let (mut loss, mut words, mut steps, mut since) = (0.0, 0, 0, Instant::now());
        for (at, batch) in batches.iter().enumerate() {
            let step = epoch * batches.len() + at;
            let rate = self.config.rate * (all - step) as f64 / all as f64;
            let (own, gradient) = self.gradient(weights, batch, step as u64);
            adam.step(weights, &gradient, rate, self.config.clip);
            loss += own;
            words += batch.iter().map(|sample| sample.text.words.len()).sum::<usize>();
            steps += 1;
            if steps == LOGGED || at + 1 == batches.len() {
                let seconds = since.elapsed().as_secs_f64();
                log.line(&json!({
                    "epoch": epoch + 1, "step": step + 1, "of": all, "loss": loss / steps as f64, "rate": rate,
                    "words_per_second": (words as f64 / seconds).round(),
                    "seconds_per_step": seconds / steps as f64,
                }))?;
                (loss, words, steps, since) = (0.0, 0, 0, Instant::now());
            }
        }
        Ok(())
    }

    /// The loss of a batch and its gradient.
    pub(super) fn gradient(&self, weights: &Weights, samples: &[&Sample], step: u64) -> (f64, Gradient) {
        let BilstmConfig { seed, dropout, unknown, .. } = *self.config;
        let mut random = generator(seed, Purpose::Dropout, step);
        let texts: Vec<_> =
            samples.iter().map(|sample| self.samples.words(sample, unknown, &mut random)).collect();
        let labels: Vec<&[Option<usize>]> = samples.iter().map(|sample| sample.labels.as_slice()).collect();
        let batch = Batch::new(&texts);
        let mut masks = Vec::new();
        let forward = forward(weights, &batch, &mut |values| {
            let mask = mask(&mut random, dropout, values.len());
            values.iter_mut().zip(&mask).for_each(|(value, factor)| *value *= factor);
            masks.push(mask);
        });
        gradient(weights, &batch, &labels, forward, &masks)
    }

    fn held_out_ser(&self, epoch: usize, weights: &Weights, log: &mut Log) -> Result<f64> {
        let model = (self.model)(weights.clone());
        let want = Want { ..Want::default() };
        let score = evaluate(&model, want, self.protocol, &self.samples.held_out)?;
        let slots = score.all().slots(Matching::of(self.protocol));
        // Without any slot, fewer errors cannot be told apart.
        let ser = slots.ser().unwrap_or_default();
        log.line(&json!({ "epoch": epoch + 1, "held_out_ser": ser, "held_out_f1": slots.f() }))?;
        Ok(ser)
    }
}
