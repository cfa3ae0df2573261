//! Trains a tagger: runs the forward pass of a batch and the backward pass of its loss, and updates each weight.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use candle_core::{Device, Result as Computed, Tensor, Var};
use serde_json::{Value, json};

use super::adam::Moments;
use super::checkpoint::BertCheckpoint;
use super::config::{BertTraining, OptimizerConfig};
use super::dropout::RandomDropout;
use super::lookahead;
use super::loss::{BatchTargets, HeadLoss};
use super::passes::{EncoderPasses, HeadPasses, LayerMix, StepDropout, WeightGuards};
use super::samples::EncoderSample;
use super::threads;
use crate::bert::config::EncoderConfig;
use crate::bert::dropout::Dropout;
use crate::bert::encoder::EncoderBatch;
use crate::bert::names::{self, ENCODER, GAMMA, HEADS, SCALARS};
use crate::bert::ops::read;
use crate::bert::tagger::BertTagger;
use crate::bert::weights::TensorMap;
use crate::bert::{Bert, device, failed};
use crate::shared::adam::{clip_scale, squared_norm};
use crate::shared::heads::HeadSizes;
use crate::shared::init::uniform;
use crate::shared::options::NetworkTraining;
use crate::shared::product::ProductPrecision;
use crate::shared::samples::BatchSize;
use crate::shared::schedule::{linear_decay, warm_up_fraction};
use crate::shared::train_loop::{NetworkTrainer, TrainPosition, TrainStep};
use majuscule_base::error::{Error, Result, option};
use majuscule_train::random::{Purpose, generator};

/// The one tensor in which only a few rows have a gradient in each step.
const WORDS: &str = "bert.embeddings.word_embeddings.weight";

/// The weights under training, and the optimiser's state for them.
#[derive(Debug)]
pub(super) struct TaggerState {
    pub(super) weights: BTreeMap<String, Var>,
    /// The moments of the weights that have moved.
    pub(super) moments: BTreeMap<String, Moments>,
    /// The slow weights of LookAhead for the weights that have moved; empty without LookAhead. They begin as the values
    /// of a tensor before its first step.
    pub(super) slow: TensorMap,
}

impl TaggerState {
    /// Makes the state before the first step.
    pub(super) fn new(weights: TensorMap) -> Computed<Self> {
        let var = |(name, tensor)| Ok((name, Var::from_tensor(&tensor)?));
        let weights = weights.into_iter().map(var).collect::<Computed<_>>()?;
        Ok(Self { weights, moments: BTreeMap::new(), slow: TensorMap::new() })
    }

    /// Moves the state to a device.
    pub(super) fn on(self, device: &Device) -> Computed<Self> {
        if device.is_cpu() {
            return Ok(self);
        }
        let var = |(name, var): (String, Var)| Ok((name, Var::from_tensor(&var.to_device(device)?)?));
        let weights = self.weights.into_iter().map(var).collect::<Computed<_>>()?;
        let slow = self.slow.into_iter().map(|(name, slow)| Ok((name, slow.to_device(device)?)));
        Ok(Self { weights, slow: slow.collect::<Computed<_>>()?, ..self })
    }
}

/// Makes the initial weights: the weights of the encoder, equal weights of layers, and random heads.
pub(super) fn init_weights(
    encoder: TensorMap,
    config: &EncoderConfig,
    heads: HeadSizes,
    seed: u64,
) -> Computed<TensorMap> {
    let device = Device::Cpu;
    let mut random = generator(seed, Purpose::Beginning, 0);
    let mut weights: TensorMap =
        encoder.into_iter().map(|(name, tensor)| (format!("{ENCODER}{name}"), tensor)).collect();
    // The range that PyTorch uses.
    let bound = 1.0 / (config.hidden_size as f64).sqrt();
    for (name, shape) in names::tagger_shapes(config, heads) {
        if weights.contains_key(&name) {
            continue;
        }
        let value = |_| match name.as_str() {
            SCALARS => 0.0,
            GAMMA => 1.0,
            _ => uniform(&mut random, bound),
        };
        let values: Vec<f32> = (0..shape.iter().product()).map(value).collect();
        weights.insert(name.clone(), Tensor::from_vec(values, shape, &device)?);
    }
    Ok(weights)
}

/// A tagger under training.
pub(super) struct TaggerTrainer<'a> {
    pub(super) training: BertTraining,
    pub(super) precision: ProductPrecision,
    pub(super) encoder: &'a EncoderConfig,
    pub(super) padding: u32,
    pub(super) heads: HeadSizes,
    /// The losses of the heads: of cases, and of marks.
    pub(super) losses: [HeadLoss; 2],
    pub(super) threads: NonZeroUsize,
    pub(super) checkpoint: Option<&'a BertCheckpoint<'a>>,
    /// Makes a model from weights.
    pub(super) model: &'a (dyn Fn(TensorMap) -> Result<Bert> + Sync),
    pub(super) state: TaggerState,
    /// The tagger of the current epoch. It sees every change of the weights.
    pub(super) tagger: Option<BertTagger>,
}

impl NetworkTrainer for TaggerTrainer<'_> {
    type Sample = EncoderSample;
    type Weights = TensorMap;
    type Model = Bert;

    const UNIT: &'static str = "subwords";
    const LOG_EVERY: usize = 50;

    fn length(sample: &EncoderSample) -> usize {
        sample.ids.len()
    }

    fn begin_epoch(&mut self, epoch: usize) -> Result<()> {
        self.tagger = Some(self.tagger_of_epoch(epoch).map_err(failed)?);
        Ok(())
    }

    fn rates(&self, step: TrainStep) -> Vec<(&'static str, f64)> {
        let rates = self.tagger_rates(step);
        vec![("rate", rates.encoder), ("head_rate", rates.head), ("scalar_rate", rates.scalars)]
    }

    fn step(&mut self, batch: &[&EncoderSample], step: TrainStep) -> Result<f64> {
        let threads = self.threads;
        let loss = threads::with(threads, || self.move_weights(batch, step)).map_err(failed)?;
        loss.map_err(|error| self.stopped(error))
    }

    /// Copies the weights. With LookAhead, these are the slow weights as a synchronisation at this point would leave
    /// them.
    fn weights(&self) -> Result<TensorMap> {
        let fraction = self.training.optimizer.slow_step_size;
        let copy = |(name, var): (&String, &Var)| {
            let weights = match self.state.slow.get(name) {
                Some(slow) => lookahead::moved(slow, var, fraction)?,
                None => var.copy()?.detach(),
            };
            Ok((name.clone(), weights))
        };
        self.state.weights.iter().map(copy).collect::<Computed<_>>().map_err(failed)
    }

    fn model(&self, weights: &TensorMap) -> Result<Bert> {
        (self.model)(weights.clone())
    }

    fn facts(&self, model: &Bert) -> Result<Vec<(&'static str, Value)>> {
        Ok(vec![("layer_weights", json!(model.scorer.tagger.layer_weights().map_err(failed)?))])
    }

    /// Returns true for epochs with a frozen encoder, in which a step costs at most a third of a later step.
    fn is_cheap(&self, epoch: usize) -> bool {
        let BertTraining { frozen, shared, .. } = self.training;
        epoch < frozen && frozen < shared.epochs
    }

    fn save(&self, position: &TrainPosition<TensorMap>) -> Result<()> {
        self.checkpoint.map_or(Ok(()), |checkpoint| checkpoint.write(&self.state, position))
    }
}

impl TaggerTrainer<'_> {
    /// Makes the tagger of an epoch, with gradients for the weights that are trained in it.
    fn tagger_of_epoch(&self, epoch: usize) -> Computed<BertTagger> {
        let weight = |(name, var): (&String, &Var)| {
            let tensor = if self.trains(name, epoch) && name != WORDS {
                var.as_tensor().clone()
            } else {
                var.as_detached_tensor()
            };
            (name.clone(), tensor)
        };
        BertTagger::new(&self.state.weights.iter().map(weight).collect(), self.encoder)
    }

    fn trains(&self, name: &str, epoch: usize) -> bool {
        self.trains_with(name, epoch >= self.training.frozen)
    }

    /// Returns true if a weight is trained, where `encoder` is true if the encoder is trained.
    fn trains_with(&self, name: &str, encoder: bool) -> bool {
        let has_own_rate = name == SCALARS && self.training.scalar_rate.is_some();
        encoder || self.is_of_head(name) || has_own_rate
    }

    fn is_of_head(&self, name: &str) -> bool {
        HEADS.iter().any(|head| name.starts_with(head))
    }

    fn tagger_rates(&self, step: TrainStep) -> TaggerRates {
        let BertTraining { frozen, head_rate, scalar_rate, decay, shared, .. } = self.training;
        let NetworkTraining { rate, warm_up, .. } = shared;
        let factor = |start: usize| {
            let Some(done) = step.number.checked_sub(start) else { return 0.0 };
            let left = if decay { linear_decay(1.0, step.number, start..step.steps) } else { 1.0 };
            warm_up_fraction(done, warm_up) * left
        };
        let [encoder, head] = [rate * factor(frozen * step.steps_per_epoch), head_rate * factor(0)];
        let scalars = match scalar_rate {
            Some(rate) => rate * factor(0),
            None => encoder,
        };
        TaggerRates { encoder, head, scalars }
    }

    /// Updates the weights with one batch and returns its loss.
    fn move_weights(&mut self, samples: &[&EncoderSample], step: TrainStep) -> Computed<f64> {
        let BatchGradients { loss, of, subwords } =
            self.gradients(samples, step.number as u64, self.trains(WORDS, step.epoch))?;
        let scale = self.scale(of.values())?;
        let rates = self.tagger_rates(step);
        for (name, grad) in of {
            let rate = match name.as_str() {
                SCALARS => rates.scalars,
                name if self.is_of_head(name) => rates.head,
                _ => rates.encoder,
            };
            let rows = (name == WORDS).then_some(subwords.as_slice());
            let OptimizerConfig { name: optimizer, sync_period, slow_step_size } = self.training.optimizer;
            let (var, slow) = (&self.state.weights[&name], &mut self.state.slow);
            let moments = self.state.moments.entry(name.clone()).or_default();
            if sync_period > 0 && moments.steps == 0 {
                slow.insert(name.clone(), var.copy()?.detach());
            }
            moments.step(var, &grad, rows, |step| optimizer.factors(step, rate, scale))?;
            if let Some(slow) = slow.get_mut(&name)
                && moments.steps.is_multiple_of(sync_period)
            {
                lookahead::sync(slow, var, slow_step_size)?;
            }
        }
        Ok(loss)
    }

    /// Computes the loss of a batch, and its gradients with respect to the weights that are trained. These include
    /// the weights of the encoder if `encoder` is true.
    pub(super) fn gradients(
        &self,
        samples: &[&EncoderSample],
        step: u64,
        encoder: bool,
    ) -> Computed<BatchGradients> {
        match self.tagger().encoder().words().device().is_cpu() {
            true => self.gradients_in_memory(samples, step, encoder),
            false => self.gradients_on_device(samples, step, encoder),
        }
    }

    fn tagger(&self) -> &BertTagger {
        self.tagger.as_ref().expect("an epoch begins before its steps")
    }

    fn dropout(&self, step: u64) -> RandomDropout {
        let BertTraining { layer_dropout: layers, shared, .. } = self.training;
        let NetworkTraining { seed, dropout: head, .. } = shared;
        RandomDropout { random: generator(seed, Purpose::Dropout, step), head, layers }
    }

    /// Computes gradients on the CPU, with the passes of this crate.
    fn gradients_in_memory(
        &self,
        samples: &[&EncoderSample],
        step: u64,
        encoder: bool,
    ) -> Computed<BatchGradients> {
        let hidden = self.encoder.hidden_size;
        let weights = WeightGuards::new(&self.state.weights)?;
        let dropout = StepDropout { seed: self.training.shared.seed, step };
        let passes = EncoderPasses::new(&weights, self.encoder, self.precision, dropout)?;
        let texts: Vec<&[u32]> = samples.iter().map(|sample| sample.ids.as_slice()).collect();
        let states = passes.forward(&texts)?;
        let targets = BatchTargets::new(samples.iter().copied().zip(states.starts()));

        let mut dropout = self.dropout(step);
        let layers = LayerMix::new(&weights, dropout.layers(self.encoder.num_hidden_layers + 1))?;
        let mixed = states.mixed(&layers.factors, &targets.rows, hidden);
        let heads = HeadPasses { weights: &weights, sizes: self.heads, losses: &self.losses };
        let mask = dropout.factors(mixed.len());
        let of_heads = heads.gradients(mixed, mask.as_deref(), &targets)?;
        let mut by_name = of_heads.by_name;
        by_name.extend(layers.gradients(&states.mixed_back(&of_heads.mixed, &targets.rows, hidden)));
        by_name.retain(|name, _| self.trains_with(name, encoder));

        let mut found = BatchGradients::new(of_heads.loss);
        if encoder {
            let of = passes.backward(states, &layers.factors, &targets.rows, &of_heads.mixed)?;
            let rows = (of.subwords.len(), self.encoder.embedding_size);
            found.of.insert(WORDS.to_owned(), Tensor::from_vec(of.rows, rows, &Device::Cpu)?);
            found.subwords = of.subwords;
            by_name.extend(of.by_name);
        }
        for (name, grad) in by_name {
            let grad = Tensor::from_vec(grad, self.state.weights[&name].shape(), &Device::Cpu)?;
            found.of.insert(name, grad);
        }
        Ok(found)
    }

    /// Computes gradients on any device, with candle's graph.
    pub(super) fn gradients_on_device(
        &self,
        samples: &[&EncoderSample],
        step: u64,
        encoder: bool,
    ) -> Computed<BatchGradients> {
        let tagger = self.tagger();
        let batch = EncoderBatch::new(samples.iter().map(|sample| sample.ids.as_slice()), self.padding);
        let starts = (0..samples.len()).map(|row| row * batch.width);
        let targets = BatchTargets::new(samples.iter().copied().zip(starts));
        let mut dropout = self.dropout(step);
        let table = tagger.encoder().words();
        if !table.device().is_cpu() {
            table.device().set_seed(self.training.shared.seed.wrapping_add(step))?;
        }
        let (subwords, batch) = batch.compact();
        let rows = table.index_select(&Tensor::from_slice(&subwords, subwords.len(), table.device())?, 0)?;
        let rows = Var::from_tensor(&rows)?;
        let words = if encoder { rows.as_tensor().clone() } else { rows.as_detached_tensor() };
        let scores = tagger.scores(&batch, &words, &targets.rows, &mut dropout)?;
        let loss = targets.loss(&scores, self.heads, &self.losses)?;
        let mut grads = loss.backward()?;
        let mut found = BatchGradients::new(f64::from(loss.to_scalar::<f32>()?));
        for (name, var) in &self.state.weights {
            let grad = if name == WORDS { grads.remove(&rows) } else { grads.remove(var) };
            found.of.extend(grad.map(|grad| (name.clone(), grad)));
        }
        found.subwords = subwords;
        Ok(found)
    }

    /// Returns the factor that clips the joint norm of all gradients.
    fn scale<'g>(&self, grads: impl Iterator<Item = &'g Tensor>) -> Computed<f32> {
        let mut sum = 0.0;
        // The sum remains on the device, so that one synchronisation is enough.
        let mut there: Option<Tensor> = None;
        for grad in grads {
            if grad.device().is_cpu() {
                sum += read(grad, squared_norm)?;
            } else {
                let squares = grad.sqr()?.sum_all()?;
                there = Some(match there {
                    Some(sum) => (sum + squares)?,
                    None => squares,
                });
            }
        }
        sum += there.map_or(Ok(0.0), |sum| sum.to_scalar::<f32>().map(f64::from))?;
        Ok(clip_scale(sum, self.training.shared.clip))
    }

    /// Returns the error of a step that failed.
    fn stopped(&self, error: candle_core::Error) -> Error {
        if !device::is_full(&error) {
            return failed(error);
        }
        let (name, batch) = match self.training.batch_size() {
            BatchSize::Samples(samples) => (option("batch"), samples),
            BatchSize::Subwords(subwords) => (option("batch-subwords"), subwords),
        };
        let advice = match batch {
            1 => format!("give a smaller {}", option("window")),
            _ => format!("try {name} {}", batch / 2),
        };
        Error::usage(format!("the device has too little memory for {name} {batch}: {advice}"))
    }
}

/// The loss of a batch and its gradients.
#[derive(Debug)]
pub(super) struct BatchGradients {
    /// The loss.
    pub(super) loss: f64,
    /// The gradients by the names of weights. The gradient of the embeddings of subwords has a row for each of
    /// `subwords`.
    pub(super) of: BTreeMap<String, Tensor>,
    /// The distinct subwords in ascending order.
    pub(super) subwords: Vec<u32>,
}

impl BatchGradients {
    fn new(loss: f64) -> Self {
        Self { loss, of: BTreeMap::new(), subwords: Vec::new() }
    }
}

/// The learning rates of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TaggerRates {
    encoder: f64,
    head: f64,
    /// The rate of the weights of layers.
    scalars: f64,
}
