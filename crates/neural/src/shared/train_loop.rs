//! The training loop over epochs of steps, which keeps the weights that are best on the held-out examples, and stops
//! when later weights are worse.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::heads::Heads;
use super::options::{NetworkTraining, NetworkTrainingOptions};
use super::samples::{BatchSize, Dataset};
use super::throughput::Throughput;
use majuscule_base::error::Result;
use majuscule_text::restorer::{Request, Restorer};
use majuscule_train::eval::{Matching, evaluate};
use majuscule_train::methods::balance::f_of;
use majuscule_train::methods::log::Log;
use majuscule_train::methods::{Left, Progress, Watch};

/// A network under training.
pub trait NetworkTrainer {
    /// A text with its labels.
    type Sample;
    /// The weights of the network.
    type Weights;
    /// The model that is made from weights.
    type Model: Restorer;

    /// The unit of the lengths of samples, which is named in the log.
    const UNIT: &'static str;
    /// The number of steps between two lines of the log.
    const LOG_EVERY: usize;

    /// Returns the length of a sample.
    fn length(sample: &Self::Sample) -> usize;

    /// Prepares the steps of an epoch.
    fn begin_epoch(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    /// Returns the learning rates of a step, by their names in the log.
    fn rates(&self, step: TrainStep) -> Vec<(&'static str, f64)>;

    /// Updates the weights with one batch and returns its loss.
    fn step(&mut self, batch: &[&Self::Sample], step: TrainStep) -> Result<f64>;

    /// Copies the weights.
    fn weights(&self) -> Result<Self::Weights>;

    /// Makes a model from weights.
    fn model(&self, weights: &Self::Weights) -> Result<Self::Model>;

    /// Returns further facts about a model for the log.
    fn facts(&self, _: &Self::Model) -> Result<Vec<(&'static str, Value)>> {
        Ok(Vec::new())
    }

    /// Returns true for an epoch whose steps cost less than the steps of later epochs.
    fn is_cheap(&self, _: usize) -> bool {
        false
    }

    /// Saves the state of the training.
    fn save(&self, _: &TrainPosition<Self::Weights>) -> Result<()> {
        Ok(())
    }
}

/// The position of a step in its training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrainStep {
    pub epoch: usize,
    /// The number of the step, counted from the beginning of the training.
    pub number: usize,
    pub steps_per_epoch: usize,
    /// The number of steps of the whole training.
    pub steps: usize,
}

/// The position of a training.
#[derive(Debug)]
pub struct TrainPosition<W> {
    /// The number of completed epochs.
    pub epoch: usize,
    /// The number of completed batches of the next epoch.
    pub batches: usize,
    /// The lowest error on the held-out examples, and the weights with this error. It is the slot error rate of
    /// cases, 1 − F of marks, or the mean of both.
    pub best: Option<(f64, W)>,
    /// The number of epochs since the best weights.
    pub worse: usize,
}

impl<W> Default for TrainPosition<W> {
    fn default() -> Self {
        Self { epoch: 0, batches: 0, best: None, worse: 0 }
    }
}

impl<W> TrainPosition<W> {
    /// Keeps the weights if they are better than all earlier weights, and else counts a worse epoch.
    fn keep_best(&mut self, error: f64, weights: W) {
        if self.best.as_ref().is_none_or(|(best, _)| error < *best) {
            (self.best, self.worse) = (Some((error, weights)), 0);
        } else {
            self.worse += 1;
        }
    }
}

/// The longest time between two saves, if the state is saved: a step of a large network takes seconds.
const LONGEST_UNSAVED: Duration = Duration::from_mins(5);

/// Returns true if the state is due to be saved after a step.
fn is_save_due(steps: u64, every: u64, unsaved: Duration) -> bool {
    steps.is_multiple_of(every) || unsaved >= LONGEST_UNSAVED
}

/// A training: its network, position and setup.
pub struct TrainLoop<'a, T: NetworkTrainer> {
    pub trainer: T,
    pub position: TrainPosition<T::Weights>,
    pub setup: TrainSetup<'a, T::Sample>,
}

/// The samples of a training, and the settings that all networks have.
#[derive(Debug)]
pub struct TrainSetup<'a, S> {
    pub dataset: &'a Dataset<S>,
    pub options: &'a NetworkTrainingOptions,
    pub training: NetworkTraining,
    pub batch: BatchSize,
    pub threads: NonZeroUsize,
}

impl<T: NetworkTrainer> TrainLoop<'_, T> {
    /// Trains from the position on. Returns the weights that are best on the held-out examples, or the last weights
    /// if no examples are held out.
    pub fn run(mut self, watch: &mut Watch<'_>) -> Result<T::Weights> {
        let mut log = Log::open(self.setup.options.log.as_ref())?;
        let NetworkTraining { epochs, patience, .. } = self.setup.training;
        while self.position.epoch < epochs && self.position.worse < patience {
            self.epoch(&mut log, watch)?;
            self.validate(&mut log)?;
            self.trainer.save(&self.position)?;
        }
        match self.position.best {
            Some((_, best)) => Ok(best),
            None => self.trainer.weights(),
        }
    }

    fn epoch(&mut self, log: &mut Log, watch: &mut Watch<'_>) -> Result<()> {
        let epoch = self.position.epoch;
        let TrainSetup { dataset, options, training, batch, .. } = self.setup;
        let batches = dataset.batches(T::length, batch, training.seed, epoch);
        let steps_per_epoch = batches.len();
        self.trainer.begin_epoch(epoch)?;
        let mut throughput = Throughput::new(T::LOG_EVERY);
        let save_every = options.checkpoint.as_ref().map(|_| options.checkpoint_every);
        let mut saved = Instant::now();
        while let Some(batch) = batches.get(self.position.batches) {
            let number = epoch * steps_per_epoch + self.position.batches;
            let step = TrainStep { epoch, number, steps_per_epoch, steps: training.epochs * steps_per_epoch };
            let loss = self.trainer.step(batch, step)?;
            throughput.add(loss, batch.iter().map(|sample| T::length(sample)).sum());
            self.position.batches += 1;
            let done = self.position.batches;
            watch(&self.progress(step, &throughput));
            if done.is_multiple_of(T::LOG_EVERY) || done == steps_per_epoch {
                log.line(&self.line(step, &throughput))?;
            }
            if save_every.is_some_and(|every| is_save_due(done as u64, every, saved.elapsed())) {
                self.trainer.save(&self.position)?;
                saved = Instant::now();
                throughput.skip();
            }
        }
        (self.position.epoch, self.position.batches) = (epoch + 1, 0);
        Ok(())
    }

    /// Returns the progress after a step.
    fn progress(&self, step: TrainStep, throughput: &Throughput) -> Progress {
        let seconds = throughput.seconds_per_step();
        let left = |steps: usize| Duration::from_secs_f64(seconds * steps as f64);
        let done = step.number + 1;
        Progress {
            epoch: step.epoch + 1,
            epochs: self.setup.training.epochs,
            step: done,
            steps: step.steps,
            loss: throughput.loss(),
            subwords_per_second: throughput.per_second(),
            held_out_ser: self.position.best.as_ref().map(|(ser, _)| *ser),
            left: match self.trainer.is_cheap(step.epoch) {
                true => Left::Epoch(left(step.steps_per_epoch - self.position.batches)),
                false => Left::All(left(step.steps - done)),
            },
        }
    }

    /// Returns the line of the log after a step.
    fn line(&self, step: TrainStep, throughput: &Throughput) -> Value {
        let (epoch, number, loss) = (step.epoch + 1, step.number + 1, throughput.loss());
        let mut line = json!({ "epoch": epoch, "step": number, "of": step.steps, "loss": loss });
        self.trainer.rates(step).into_iter().for_each(|(name, rate)| line[name] = rate.into());
        line[format!("{}_per_second", T::UNIT)] = throughput.per_second().round().into();
        line["seconds_per_step"] = throughput.seconds_per_step().into();
        line
    }

    /// Keeps the weights if they are the best so far on the held-out examples.
    fn validate(&mut self, log: &mut Log) -> Result<()> {
        let Dataset { held_out, labels, protocol, .. } = self.setup.dataset;
        if held_out.is_empty() {
            return Ok(());
        }
        let weights = self.trainer.weights()?;
        let model = self.trainer.model(&weights)?;
        let heads = Heads::of(labels);
        let mut line = json!({ "epoch": self.position.epoch });
        let mut errors = Vec::new();
        if heads.sizes().cases > 0 {
            let request = Request { threads: self.setup.threads, ..Request::default() };
            let score = evaluate(&model, request, *protocol, held_out)?;
            let slots = score.all().slots(Matching::of(*protocol));
            // If there are no slots, all weights are equally good.
            let ser = slots.ser().unwrap_or_default();
            (line["held_out_ser"], line["held_out_f1"]) = (ser.into(), json!(slots.f()));
            errors.push(ser);
        }
        if heads.sizes().marks > 0 {
            let f = f_of(&model, heads.marks(), held_out)?;
            line["held_out_marks_f1"] = f.into();
            errors.push(1.0 - f);
        }
        let error = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        self.trainer.facts(&model)?.into_iter().for_each(|(name, value)| line[name] = value);
        log.line(&line)?;
        self.position.keep_best(error, weights);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_save_is_due_after_so_many_steps_or_minutes() {
        let after = |steps, minutes| is_save_due(steps, 1000, Duration::from_mins(minutes));
        assert!(after(2000, 0) && after(7, 5) && after(7, 90));
        assert!(!after(7, 4) && !after(2001, 0));
    }
}
