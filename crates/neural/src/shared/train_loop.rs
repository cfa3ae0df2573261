//! Epochs of steps: the loop of a training, which keeps the weights that do best on the held-out examples and stops when later
//! ones do worse.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::samples::Dataset;
use super::throughput::Throughput;
use majuscule::error::Result;
use majuscule::restorer::{Restorer, Want};
use majuscule_train::corpus::Protocol;
use majuscule_train::eval::{Matching, evaluate};
use majuscule_train::methods::log::Log;
use majuscule_train::methods::{Left, Progress, Watch};

/// A network under training.
pub trait NetworkTrainer {
    /// A text with its labels.
    type Sample;
    /// The weights of the network.
    type Weights;
    /// The model of these weights.
    type Model: Restorer;

    /// The unit of the length of samples, as the log names it.
    const UNIT: &'static str;
    /// The number of steps between two lines of the log.
    const LOG_EVERY: usize;

    /// The length of a sample.
    fn length(sample: &Self::Sample) -> usize;

    /// Prepares the steps of an epoch.
    ///
    /// # Errors
    /// Where there is no memory.
    fn begin_epoch(&mut self, epoch: usize) -> Result<()> {
        let _ = epoch;
        Ok(())
    }

    /// The learning rates of a step, by their names in the log.
    fn rates(&self, step: TrainStep) -> Vec<(&'static str, f64)>;

    /// Moves the weights by one batch and returns its loss.
    ///
    /// # Errors
    /// Where there is no memory.
    fn step(&mut self, batch: &[&Self::Sample], step: TrainStep) -> Result<f64>;

    /// Copies the weights.
    ///
    /// # Errors
    /// Where there is no memory.
    fn weights(&self) -> Result<Self::Weights>;

    /// Makes a model of weights.
    ///
    /// # Errors
    /// Where there is no memory.
    fn model(&self, weights: &Self::Weights) -> Result<Self::Model>;

    /// Further facts about a model for the log.
    ///
    /// # Errors
    /// Where the model cannot be read from its device.
    fn facts(&self, model: &Self::Model) -> Result<Vec<(&'static str, Value)>> {
        let _ = model;
        Ok(Vec::new())
    }

    /// Returns true for an epoch whose steps cost less than those of later epochs.
    fn is_cheap(&self, epoch: usize) -> bool {
        let _ = epoch;
        false
    }

    /// The number of steps after which the state is saved again, where it is saved.
    fn save_every(&self) -> Option<u64> {
        None
    }

    /// Saves the state of the training.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn save(&self, position: &TrainPosition<Self::Weights>) -> Result<()> {
        let _ = position;
        Ok(())
    }
}

/// The number of a step in its training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrainStep {
    pub epoch: usize,
    /// Counted from the beginning of the training.
    pub number: usize,
    pub steps_per_epoch: usize,
    /// The steps of the whole training.
    pub steps: usize,
}

/// The position that a training has reached.
#[derive(Debug)]
pub struct TrainPosition<W> {
    /// Completed epochs.
    pub epoch: usize,
    /// Completed batches of the next epoch.
    pub batches: usize,
    /// The least slot error rate on the held-out examples, and the weights that had it.
    pub best: Option<(f64, W)>,
    /// Epochs since then.
    pub worse: usize,
}

impl<W> Default for TrainPosition<W> {
    fn default() -> Self {
        Self { epoch: 0, batches: 0, best: None, worse: 0 }
    }
}

impl<W> TrainPosition<W> {
    /// Keeps weights that are better than all before.
    fn keep_best(&mut self, ser: f64, weights: W) {
        if self.best.as_ref().is_none_or(|(best, _)| ser < *best) {
            (self.best, self.worse) = (Some((ser, weights)), 0);
        } else {
            self.worse += 1;
        }
    }
}

/// A training: its samples, and the settings that all networks have.
#[derive(Debug, Clone, Copy)]
pub struct TrainLoop<'a, S> {
    pub dataset: &'a Dataset<S>,
    pub protocol: Protocol,
    pub epochs: usize,
    /// Epochs in a row that may be worse than the best.
    pub patience: usize,
    /// The samples of a step.
    pub batch: usize,
    pub seed: u64,
    pub threads: NonZeroUsize,
    pub log: Option<&'a PathBuf>,
}

impl<'a, S> TrainLoop<'a, S> {
    /// Trains from a position on, and returns the weights that did best on the held-out examples, or else the last ones.
    ///
    /// # Errors
    /// Where there is no memory, and where the log or the checkpoint cannot be written.
    pub fn run<T: NetworkTrainer<Sample = S>>(
        &self,
        trainer: &mut T,
        mut position: TrainPosition<T::Weights>,
        watch: &mut Watch<'_>,
    ) -> Result<T::Weights> {
        let mut log = Log::open(self.log)?;
        while position.epoch < self.epochs && position.worse < self.patience {
            self.epoch(trainer, &mut position, &mut log, watch)?;
            self.validate(trainer, &mut position, &mut log)?;
            trainer.save(&position)?;
        }
        match position.best {
            Some((_, best)) => Ok(best),
            None => trainer.weights(),
        }
    }

    fn epoch<T: NetworkTrainer<Sample = S>>(
        &self,
        trainer: &mut T,
        position: &mut TrainPosition<T::Weights>,
        log: &mut Log,
        watch: &mut Watch<'_>,
    ) -> Result<()> {
        let batches = self.batches::<T>(position.epoch);
        trainer.begin_epoch(position.epoch)?;
        let mut throughput = Throughput::new(T::LOG_EVERY);
        while let Some(batch) = batches.get(position.batches) {
            let step = self.step(position.epoch, position.batches, batches.len());
            let loss = trainer.step(batch, step)?;
            throughput.add(loss, batch.iter().map(|sample| T::length(sample)).sum());
            position.batches += 1;
            let is_cheap = trainer.is_cheap(position.epoch);
            watch(&progress(step, position, is_cheap, self.epochs, &throughput));
            if position.batches.is_multiple_of(T::LOG_EVERY) || position.batches == batches.len() {
                log.line(&line::<T>(step, trainer.rates(step), &throughput))?;
            }
            if let Some(every) = trainer.save_every()
                && (position.batches as u64).is_multiple_of(every)
            {
                trainer.save(position)?;
                throughput.skip();
            }
        }
        (position.epoch, position.batches) = (position.epoch + 1, 0);
        Ok(())
    }

    /// The batches of an epoch.
    pub fn batches<T: NetworkTrainer<Sample = S>>(&self, epoch: usize) -> Vec<Vec<&'a S>> {
        self.dataset.batches(T::length, self.batch, self.seed, epoch)
    }

    /// The number of a step, given its batch and the number of batches of an epoch.
    pub fn step(&self, epoch: usize, batch: usize, steps_per_epoch: usize) -> TrainStep {
        let number = epoch * steps_per_epoch + batch;
        TrainStep { epoch, number, steps_per_epoch, steps: self.epochs * steps_per_epoch }
    }

    /// Keeps the weights where they do best so far on the held-out examples.
    fn validate<T: NetworkTrainer<Sample = S>>(
        &self,
        trainer: &T,
        position: &mut TrainPosition<T::Weights>,
        log: &mut Log,
    ) -> Result<()> {
        if self.dataset.held_out.is_empty() {
            return Ok(());
        }
        let weights = trainer.weights()?;
        let model = trainer.model(&weights)?;
        let want = Want { threads: self.threads, ..Want::default() };
        let score = evaluate(&model, want, self.protocol, &self.dataset.held_out)?;
        let slots = score.all().slots(Matching::of(self.protocol));
        // Without any slot, all weights are equally good.
        let ser = slots.ser().unwrap_or_default();
        let mut line = json!({ "epoch": position.epoch, "held_out_ser": ser, "held_out_f1": slots.f() });
        trainer.facts(&model)?.into_iter().for_each(|(name, value)| line[name] = value);
        log.line(&line)?;
        position.keep_best(ser, weights);
        Ok(())
    }
}

/// The line of the log after a step.
fn line<T: NetworkTrainer>(
    step: TrainStep,
    rates: Vec<(&'static str, f64)>,
    throughput: &Throughput,
) -> Value {
    let facts = [
        ("epoch", json!(step.epoch + 1)),
        ("step", json!(step.number + 1)),
        ("of", json!(step.steps)),
        ("loss", json!(throughput.loss())),
    ];
    let mut line: Map<String, Value> =
        facts.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
    line.extend(rates.into_iter().map(|(name, rate)| (name.to_owned(), json!(rate))));
    line.insert(format!("{}_per_second", T::UNIT), json!(throughput.per_second().round()));
    line.insert("seconds_per_step".to_owned(), json!(throughput.seconds_per_step()));
    Value::Object(line)
}

/// The progress after a step.
fn progress<W>(
    step: TrainStep,
    position: &TrainPosition<W>,
    is_cheap: bool,
    epochs: usize,
    throughput: &Throughput,
) -> Progress {
    let left = |steps: usize| Duration::from_secs_f64(throughput.seconds_per_step() * steps as f64);
    let done = step.number + 1;
    Progress {
        epoch: step.epoch + 1,
        epochs,
        step: done,
        steps: step.steps,
        loss: throughput.loss(),
        pieces_per_second: throughput.per_second(),
        held_out_ser: position.best.as_ref().map(|(ser, _)| *ser),
        left: match is_cheap {
            true => Left::Epoch(left(step.steps_per_epoch - position.batches)),
            false => Left::All(left(step.steps - done)),
        },
    }
}
