//! Epochs of steps: a batch forward, its loss backward, and each weight moved.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use candle_core::{Device, Result as Computed, Tensor, Var};
use serde_json::json;

use super::adam::Moments;
use super::checkpoint::Checkpoint;
use super::config::BertConfig;
use super::log::Log;
use super::noise::{Noise, Purpose, generator, unit};
use super::pace::{LOGGED, Pace};
use super::samples::{Sample, Samples};
use super::threads;
use crate::bert::config::EncoderConfig;
use crate::bert::encoder::Batch;
use crate::bert::ops::read;
use crate::bert::tagger::{self, ENCODER, GAMMA, HEAD, SCALARS, Tagger};
use crate::bert::weights::Weights;
use crate::bert::{Bert, device, failed, plain};
use majuscule::error::{Error, Result};
use majuscule::restorer::Want;
use majuscule_train::corpus::Protocol;
use majuscule_train::eval::{Matching, evaluate};
use majuscule_train::methods::{Left, Progress, Watch};

/// The one tensor of which only a few rows have a gradient in each step.
const WORDS: &str = "bert.embeddings.word_embeddings.weight";

/// How far training has come.
#[derive(Debug)]
pub(super) struct State {
    pub(super) weights: BTreeMap<String, Var>,
    pub(super) moments: BTreeMap<String, Moments>,
    /// Epochs done.
    pub(super) epoch: usize,
    /// Batches done of the next.
    pub(super) batches: usize,
    /// The least slot error rate on what is held out, and the weights that had it.
    pub(super) best: Option<(f64, Weights)>,
    /// Epochs since then.
    pub(super) worse: usize,
}

impl State {
    /// The beginning.
    pub(super) fn new(weights: Weights) -> Computed<Self> {
        let var = |(name, tensor)| Ok((name, Var::from_tensor(&tensor)?));
        let weights = weights.into_iter().map(var).collect::<Computed<_>>()?;
        Ok(Self { weights, moments: BTreeMap::new(), epoch: 0, batches: 0, best: None, worse: 0 })
    }

    /// The same on a device.
    pub(super) fn on(self, device: &Device) -> Computed<Self> {
        if device.is_cpu() {
            return Ok(self);
        }
        let var = |(name, var): (String, Var)| Ok((name, Var::from_tensor(&var.to_device(device)?)?));
        let weights = self.weights.into_iter().map(var).collect::<Computed<_>>()?;
        Ok(Self { weights, ..self })
    }

    /// A copy of the weights as they are now.
    fn copied(&self) -> Computed<Weights> {
        self.weights.iter().map(|(name, var)| Ok((name.clone(), var.copy()?.detach()))).collect()
    }
}

/// The weights that training begins with: those of the encoder, all layers alike, and a head by chance.
pub(super) fn beginning(
    encoder: Weights,
    config: &EncoderConfig,
    labels: usize,
    seed: u64,
) -> Computed<Weights> {
    let device = Device::Cpu;
    let mut random = generator(seed, Purpose::Beginning, 0);
    let mut weights: Weights =
        encoder.into_iter().map(|(name, tensor)| (format!("{ENCODER}{name}"), tensor)).collect();
    // As wide as PyTorch makes it.
    let bound = 1.0 / (config.hidden_size as f64).sqrt();
    for (name, shape) in tagger::shapes(config, labels) {
        if weights.contains_key(&name) {
            continue;
        }
        let value = |_| match name.as_str() {
            SCALARS => 0.0,
            GAMMA => 1.0,
            _ => ((2.0 * unit(&mut random) - 1.0) * bound) as f32,
        };
        let values: Vec<f32> = (0..shape.iter().product()).map(value).collect();
        weights.insert(name.clone(), Tensor::from_vec(values, shape, &device)?);
    }
    Ok(weights)
}

/// A training.
pub(super) struct Run<'a> {
    pub(super) config: &'a BertConfig,
    pub(super) encoder: &'a EncoderConfig,
    pub(super) samples: &'a Samples,
    pub(super) padding: u32,
    pub(super) protocol: Protocol,
    pub(super) threads: NonZeroUsize,
    /// Makes a model of weights.
    pub(super) model: &'a (dyn Fn(Weights) -> Result<Bert> + Sync),
}

impl Run<'_> {
    /// Goes over the corpus and gives the weights that did best on what is held out, or the last ones.
    ///
    /// # Errors
    /// Where there is no memory, and where the log or the checkpoint cannot be written.
    pub(super) fn epochs(
        &self,
        mut state: State,
        checkpoint: Option<&Checkpoint<'_>>,
        watch: &mut Watch<'_>,
    ) -> Result<Weights> {
        let mut log = Log::open(self.config.log.as_ref())?;
        while state.epoch < self.config.epochs && state.worse < self.config.patience {
            self.epoch(&mut state, checkpoint, &mut log, watch)?;
            self.validate(&mut state, &mut log)?;
            if let Some(checkpoint) = checkpoint {
                checkpoint.write(&state)?;
            }
        }
        match state.best.take() {
            Some((_, best)) => Ok(best),
            None => state.copied().map_err(failed),
        }
    }

    fn epoch(
        &self,
        state: &mut State,
        checkpoint: Option<&Checkpoint<'_>>,
        log: &mut Log,
        watch: &mut Watch<'_>,
    ) -> Result<()> {
        let batches = self.samples.batches(self.config, state.epoch as u64);
        let tagger = self.tagger(state).map_err(failed)?;
        let mut pace = Pace::new();
        while state.batches < batches.len() {
            let batch = &batches[state.batches];
            let step = state.epoch * batches.len() + state.batches;
            let rates = self.rates(step, batches.len());
            let moved = || self.step(state, &tagger, batch, step as u64, rates);
            let loss =
                threads::with(self.threads, moved).map_err(failed)?.map_err(|error| self.stopped(error))?;
            pace.add(loss, batch.iter().map(|sample| sample.ids.len()).sum());
            state.batches += 1;
            watch(&self.progress(state, batches.len(), &pace));
            if state.batches.is_multiple_of(LOGGED) || state.batches == batches.len() {
                log.line(&json!({
                    "epoch": state.epoch + 1, "step": step + 1, "of": self.config.epochs * batches.len(),
                    "loss": pace.loss(), "rate": rates.encoder, "head_rate": rates.head,
                    "pieces_per_second": pace.pieces_per_second().round(),
                    "seconds_per_step": pace.seconds_per_step(),
                }))?;
            }
            if let Some(checkpoint) = checkpoint
                && (state.batches as u64).is_multiple_of(self.config.checkpoint_every)
            {
                checkpoint.write(state)?;
                pace.pause();
            }
        }
        (state.epoch, state.batches) = (state.epoch + 1, 0);
        Ok(())
    }

    fn progress(&self, state: &State, batches: usize, pace: &Pace) -> Progress {
        let BertConfig { epochs, frozen, .. } = *self.config;
        let step = state.epoch * batches + state.batches;
        let left = |steps: usize| Duration::from_secs_f64(pace.seconds_per_step() * steps as f64);
        // While the encoder stays as it is a step costs a third or less of one later.
        let left = if state.epoch < frozen && frozen < epochs {
            Left::Epoch(left(batches - state.batches))
        } else {
            Left::All(left(epochs * batches - step))
        };
        Progress {
            epoch: state.epoch + 1,
            epochs,
            step,
            steps: epochs * batches,
            loss: pace.loss(),
            pieces_per_second: pace.pieces_per_second(),
            held_out_ser: state.best.as_ref().map(|(ser, _)| *ser),
            left,
        }
    }

    /// The tagger with gradients where weights are trained in this epoch. It sees every change of the weights.
    pub(super) fn tagger(&self, state: &State) -> Computed<Tagger> {
        let weight = |(name, var): (&String, &Var)| {
            let tensor = if self.trains(name, state.epoch) && name != WORDS {
                var.as_tensor().clone()
            } else {
                var.as_detached_tensor()
            };
            (name.clone(), tensor)
        };
        Tagger::new(&state.weights.iter().map(weight).collect(), self.encoder)
    }

    fn trains(&self, name: &str, epoch: usize) -> bool {
        epoch >= self.config.frozen || self.is_of_head(name)
    }

    fn is_of_head(&self, name: &str) -> bool {
        let is_scalar = [SCALARS, GAMMA].contains(&name);
        name.starts_with(HEAD) || is_scalar && self.config.scalars_with_head
    }

    pub(super) fn rates(&self, step: usize, batches: usize) -> Rates {
        let BertConfig { epochs, frozen, rate, head_rate, warm_up, decay, .. } = self.config;
        let end = epochs * batches;
        let factor = |start: usize| {
            let Some(done) = step.checked_sub(start) else { return 0.0 };
            let warm = if *warm_up == 0 { 1.0 } else { ((done + 1) as f64 / *warm_up as f64).min(1.0) };
            let left = if *decay { (end - step) as f64 / (end - start) as f64 } else { 1.0 };
            warm * left
        };
        Rates { encoder: rate * factor(frozen * batches), head: head_rate * factor(0) }
    }

    /// Moves the weights by one batch, and gives its loss.
    pub(super) fn step(
        &self,
        state: &mut State,
        tagger: &Tagger,
        samples: &[&Sample],
        step: u64,
        rates: Rates,
    ) -> Computed<f64> {
        let (loss, words) = self.loss(tagger, samples, step, self.trains(WORDS, state.epoch))?;
        let mut grads = loss.backward()?;
        let mut moves: Vec<(&String, Tensor)> = Vec::new();
        for (name, var) in &state.weights {
            let grad = match &words {
                Some((_, rows)) if name == WORDS => grads.remove(rows),
                _ => grads.remove(var),
            };
            moves.extend(grad.map(|grad| (name, grad)));
        }
        let scale = self.scale(moves.iter().map(|(_, grad)| grad))?;
        for (name, grad) in moves {
            let rate = if self.is_of_head(name) { rates.head } else { rates.encoder };
            let rows = words.as_ref().filter(|_| name == WORDS).map(|(ids, _)| ids.as_slice());
            let moments = state.moments.entry(name.clone()).or_default();
            moments.step(&state.weights[name], &grad, rows, rate, scale)?;
        }
        Ok(f64::from(loss.to_scalar::<f32>()?))
    }

    /// The loss of a batch, and with `words` the words that it looks at.
    pub(super) fn loss(
        &self,
        tagger: &Tagger,
        samples: &[&Sample],
        step: u64,
        words: bool,
    ) -> Computed<(Tensor, Option<Rows>)> {
        let batch = Batch::new(samples.iter().map(|sample| sample.ids.as_slice()), self.padding);
        let at = |(row, sample): (usize, &&Sample)| {
            let start = (row * batch.width) as u32;
            sample.words.iter().map(move |&(first, label)| (start + first, label)).collect::<Vec<_>>()
        };
        let (rows, labels): (Vec<u32>, Vec<u32>) = samples.iter().enumerate().flat_map(at).unzip();
        let mut noise = Noise {
            random: generator(self.config.seed, Purpose::Dropout, step),
            head: self.config.dropout,
            layers: self.config.layer_dropout,
        };
        let table = tagger.encoder().words();
        if !table.device().is_cpu() {
            table.device().set_seed(self.config.seed.wrapping_add(step))?;
        }
        let labels = Tensor::from_vec(labels, rows.len(), table.device())?;
        if !words {
            let scores = tagger.scores(&batch, table, &rows, &mut noise)?;
            return Ok((plain::cross_entropy(&scores, &labels)?, None));
        }
        let (ids, batch) = batch.compact();
        let chosen = table.index_select(&Tensor::from_slice(&ids, ids.len(), table.device())?, 0)?;
        let chosen = Var::from_tensor(&chosen)?;
        let scores = tagger.scores(&batch, chosen.as_tensor(), &rows, &mut noise)?;
        Ok((plain::cross_entropy(&scores, &labels)?, Some((ids, chosen))))
    }

    /// What gradients are multiplied by, so that all together are no longer than allowed.
    fn scale<'g>(&self, grads: impl Iterator<Item = &'g Tensor>) -> Computed<f32> {
        let mut sum = 0.0;
        // Elsewhere than on the processor, what is there is waited for once.
        let mut there: Option<Tensor> = None;
        for grad in grads {
            if grad.device().is_cpu() {
                sum += read(grad, |grad| grad.chunks(1024).map(squares).sum::<f64>())?;
            } else {
                let squares = grad.sqr()?.sum_all()?;
                there = Some(match there {
                    Some(sum) => (sum + squares)?,
                    None => squares,
                });
            }
        }
        sum += there.map_or(Ok(0.0), |sum| sum.to_scalar::<f32>().map(f64::from))?;
        let clip = self.config.clip;
        Ok(if clip > 0.0 && sum.sqrt() > clip { (clip / sum.sqrt()) as f32 } else { 1.0 })
    }

    /// Why a step could not be made.
    fn stopped(&self, error: candle_core::Error) -> Error {
        let batch = self.config.batch;
        if !device::is_full(&error) {
            return failed(error);
        }
        let advice = match batch {
            1 => "give a smaller --window".to_owned(),
            _ => format!("try --batch {}", batch / 2),
        };
        Error::Usage(format!("the device has no memory for --batch {batch}: {advice}"))
    }

    /// Keeps the weights where they are the best so far on what is held out.
    fn validate(&self, state: &mut State, log: &mut Log) -> Result<()> {
        if self.samples.held_out.is_empty() {
            return Ok(());
        }
        let weights = state.copied().map_err(failed)?;
        let model = (self.model)(weights.clone())?;
        let want = Want { threads: self.threads, ..Want::default() };
        let score = evaluate(&model, want, self.protocol, &self.samples.held_out)?;
        let slots = score.all().slots(Matching::of(self.protocol));
        // Without any slot, fewer errors cannot be told apart.
        let ser = slots.ser().unwrap_or_default();
        let layers = model.tagger().layer_weights().map_err(failed)?;
        log.line(&json!({
            "epoch": state.epoch, "held_out_ser": ser, "held_out_f1": slots.f(), "layer_weights": layers,
        }))?;
        if state.best.as_ref().is_none_or(|(best, _)| ser < *best) {
            (state.best, state.worse) = (Some((ser, weights)), 0);
        } else {
            state.worse += 1;
        }
        Ok(())
    }
}

/// Rows of the table of words by their numbers, as a variable with a gradient.
pub(super) type Rows = (Vec<u32>, Var);

/// How large the steps are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rates {
    encoder: f64,
    head: f64,
}

fn squares(values: &[f32]) -> f64 {
    f64::from(values.iter().map(|value| value * value).sum::<f32>())
}
