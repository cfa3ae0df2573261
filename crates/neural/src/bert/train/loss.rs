//! The loss of a head: cross-entropy, or a variant that counts rare labels and uncertain words more; and the targets of
//! a batch.

use candle_core::{Result, Tensor};
use serde::Serialize;

use super::samples::EncoderSample;
use crate::bert::ops;
use crate::shared::heads::{HeadSizes, ln_softmax};
use majuscule_base::error::{Error, Result as Checked, option};

/// The settings of the loss. Both variants exist for comparison with plain cross-entropy, which Courtland et al. 2020
/// found better.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, clap::Args)]
pub struct LossConfig {
    /// Focal loss with this exponent, for comparison (Lin et al. 2017): words whose labels are certain
    /// count less; 0 is cross-entropy
    #[arg(long, value_name = "GAMMA", default_value_t)]
    pub focal_loss: f64,
    /// Weight each word by the inverse frequency of its label in the training text, for comparison
    #[arg(long)]
    pub class_weights: bool,
}

impl LossConfig {
    /// Returns true for plain cross-entropy.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Refuses settings out of their ranges.
    pub(super) fn check(&self) -> Checked<()> {
        let Self { focal_loss: exponent, .. } = *self;
        if exponent.is_finite() && exponent >= 0.0 {
            return Ok(());
        }
        let name = option("focal-loss");
        Err(Error::usage(format!("{name} {exponent}: expected a number of at least 0")))
    }
}

/// Makes the losses of the heads for these training samples: of cases, and of marks.
pub(super) fn of_heads(config: LossConfig, samples: &[EncoderSample], heads: HeadSizes) -> [HeadLoss; 2] {
    let mut counts = [heads.cases, heads.marks].map(|labels| vec![0; labels]);
    for word in samples.iter().flat_map(|sample| &sample.words) {
        for (counts, label) in counts.iter_mut().zip(word.labels.by_head()) {
            if let Some(label) = label {
                counts[label as usize] += 1;
            }
        }
    }
    counts.map(|counts| HeadLoss::new(config, &counts))
}

/// The least value of 1 - P: rounding can make 1 - P negative, and at 0 a power with an exponent below 1 has no
/// derivative.
const LEAST_DOUBT: f32 = f32::EPSILON;

/// The loss of a head.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct HeadLoss {
    /// The exponent of focal loss, γ in the paper; 0 for cross-entropy.
    exponent: f64,
    /// The weight of each label, with mean 1 over the words of the training text; `None` if all labels count the
    /// same.
    weights: Option<Vec<f32>>,
}

impl HeadLoss {
    /// Makes the loss of a head whose labels occur this often in the training text.
    fn new(config: LossConfig, counts: &[u64]) -> Self {
        let LossConfig { focal_loss: exponent, class_weights } = config;
        Self { exponent, weights: class_weights.then(|| inverse_frequencies(counts)) }
    }

    /// Computes the loss of a word from the scores of its labels and the id of the correct label, replaces the scores
    /// by their log probabilities, and writes the gradients of `scale` times the loss.
    pub(super) fn of_word(&self, scores: &mut [f32], label: usize, scale: f32, grads: &mut [f32]) -> f32 {
        ln_softmax(scores);
        let log = scores[label];
        let weight = self.weights.as_ref().map_or(1.0, |weights| weights[label]);
        let (mut factor, mut by_log) = (1.0, 1.0);
        if self.exponent > 0.0 {
            let exponent = self.exponent as f32;
            let p = log.exp();
            let doubt = (1.0 - p).max(LEAST_DOUBT);
            factor = doubt.powf(exponent);
            by_log = factor;
            if 1.0 - p > LEAST_DOUBT {
                by_log -= exponent * doubt.powf(exponent - 1.0) * p * log;
            }
        }
        let by_log = -weight * by_log * scale;
        for (at, (grad, log)) in grads.iter_mut().zip(&*scores).enumerate() {
            *grad = by_log * (f32::from(at == label) - log.exp());
        }
        -weight * factor * log
    }

    /// Computes the mean loss of words from rows of scores and the ids of their labels, in candle's graph.
    ///
    /// # Errors
    /// Fails if the shapes do not match.
    pub(super) fn mean(&self, scores: &Tensor, labels: &Tensor) -> Result<Tensor> {
        let mut losses = ops::log_probabilities(scores, labels)?;
        if self.exponent > 0.0 {
            let doubt = losses.exp()?.affine(-1.0, 1.0)?.maximum(f64::from(LEAST_DOUBT))?;
            losses = (losses * doubt.powf(self.exponent)?)?;
        }
        if let Some(weights) = &self.weights {
            let weights = Tensor::from_slice(weights, weights.len(), labels.device())?;
            losses = (losses * weights.index_select(labels, 0)?.unsqueeze(1)?)?;
        }
        losses.mean_all()?.neg()
    }
}

/// Returns the inverse frequencies of labels, scaled to mean 1 over the words. A label that does not
/// occur has 1: no word has it.
fn inverse_frequencies(counts: &[u64]) -> Vec<f32> {
    let words: u64 = counts.iter().sum();
    let labels = counts.iter().filter(|count| **count > 0).count();
    let weight = |&count: &u64| match count {
        0 => 1.0,
        _ => (words as f64 / (labels as f64 * count as f64)) as f32,
    };
    counts.iter().map(weight).collect()
}

/// The rows of a batch that are labelled, and the labels of each head.
pub(super) struct BatchTargets {
    pub(super) rows: Vec<u32>,
    /// For each head, the indices in `rows` of the words with a label, and the ids of these labels.
    pub(super) labels: [(Vec<u32>, Vec<u32>); 2],
}

impl BatchTargets {
    /// Collects the targets of samples, which are paired with their first rows in the batch.
    pub(super) fn new<'a>(samples: impl Iterator<Item = (&'a EncoderSample, usize)>) -> Self {
        let (mut rows, mut labels) = (Vec::new(), <[(Vec<u32>, Vec<u32>); 2]>::default());
        for (sample, start) in samples {
            for word in &sample.words {
                for ((positions, ids), label) in labels.iter_mut().zip(word.labels.by_head()) {
                    if let Some(label) = label {
                        positions.push(rows.len() as u32);
                        ids.push(label);
                    }
                }
                rows.push(start as u32 + word.position);
            }
        }
        Self { rows, labels }
    }

    /// Returns the sum of the losses of the heads, each the mean over its labels, in candle's graph.
    pub(super) fn loss(&self, scores: &Tensor, heads: HeadSizes, losses: &[HeadLoss; 2]) -> Result<Tensor> {
        let device = scores.device();
        let mut sum: Option<Tensor> = None;
        let starts = [0, heads.cases];
        let heads_of = starts.into_iter().zip([heads.cases, heads.marks]).zip(losses);
        for (((start, size), loss), (positions, ids)) in heads_of.zip(&self.labels) {
            if ids.is_empty() {
                continue;
            }
            let mut own = scores.clone();
            if positions.len() < self.rows.len() {
                own = ops::rows(&own, positions)?;
            }
            if size < heads.all() {
                own = own.narrow(1, start, size)?;
            }
            let loss = loss.mean(&own, &Tensor::from_slice(ids, ids.len(), device)?)?;
            sum = Some(match sum {
                Some(sum) => (sum + loss)?,
                None => loss,
            });
        }
        sum.ok_or_else(|| candle_core::Error::Msg("a batch without labels".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Var};

    use super::*;
    use crate::bert::train::samples::SupervisedWord;
    use crate::shared::gold::WordLabels;

    /// Scores of 4 words and 3 labels.
    const SCORES: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [2.0, -1.0, 0.5], [-0.5, 0.25, 3.0], [1.0, 4.0, -2.0]];
    const LABELS: [u32; 4] = [0, 2, 2, 1];

    fn losses() -> Vec<HeadLoss> {
        let of = |focal_loss, class_weights| {
            HeadLoss::new(LossConfig { focal_loss, class_weights }, &[60, 30, 10])
        };
        vec![of(0.0, false), of(2.0, false), of(0.5, false), of(0.0, true), of(2.0, true)]
    }

    fn labels() -> Tensor {
        Tensor::new(&LABELS, &Device::Cpu).unwrap()
    }

    fn value(loss: &HeadLoss, scores: &Tensor) -> f32 {
        loss.mean(scores, &labels()).unwrap().to_scalar().unwrap()
    }

    /// Returns the mean loss word by word, and its gradients.
    fn by_word(loss: &HeadLoss, mut scores: [[f32; 3]; 4]) -> (f32, [[f32; 3]; 4]) {
        let mut grads = [[0.0; 3]; 4];
        let words = scores.iter_mut().zip(&mut grads).zip(LABELS);
        let of_word = |((scores, grads), label): ((&mut [f32; 3], &mut [f32; 3]), u32)| {
            loss.of_word(scores, label as usize, 0.25, grads)
        };
        (words.map(of_word).sum::<f32>() / 4.0, grads)
    }

    /// The loss in plain numbers.
    fn twin(loss: &HeadLoss) -> f32 {
        let word = |(scores, label): (&[f32; 3], u32)| {
            let sum: f64 = scores.iter().map(|&score| f64::from(score).exp()).sum();
            let p = f64::from(scores[label as usize]).exp() / sum;
            let weight = loss.weights.as_ref().map_or(1.0, |weights| f64::from(weights[label as usize]));
            -weight * (1.0 - p).powf(loss.exponent) * p.ln()
        };
        (SCORES.iter().zip(LABELS).map(word).sum::<f64>() / 4.0) as f32
    }

    #[test]
    fn losses_are_those_of_their_formulas() {
        let scores = Tensor::new(&SCORES, &Device::Cpu).unwrap();
        for loss in losses() {
            let expected = twin(&loss);
            for found in [value(&loss, &scores), by_word(&loss, SCORES).0] {
                assert!((found - expected).abs() < 1e-5, "{loss:?}: {found}, but {expected}");
            }
        }
        // One word with P = 1/2 and γ = 2: (1/2)² · −ln 1/2 = 0.1733
        let half = Tensor::new(&[[1.0f32, 1.0]], &Device::Cpu).unwrap();
        let loss = HeadLoss { exponent: 2.0, weights: None };
        let found = loss.mean(&half, &Tensor::new(&[1u32], &Device::Cpu).unwrap()).unwrap();
        assert!((found.to_scalar::<f32>().unwrap() - 0.173_287).abs() < 1e-6);
    }

    #[test]
    fn gradients_are_the_differences_of_the_loss() {
        for loss in losses() {
            let scores = Var::new(&SCORES, &Device::Cpu).unwrap();
            let grads = loss.mean(&scores, &labels()).unwrap().backward().unwrap();
            let grad = grads.get(&scores).unwrap().to_vec2::<f32>().unwrap();
            let by_word = by_word(&loss, SCORES).1;
            for (word, (grad, by_word)) in grad.iter().zip(by_word).enumerate() {
                for (label, (grad, by_word)) in grad.iter().zip(by_word).enumerate() {
                    assert!((grad - by_word).abs() < 1e-6, "{loss:?}, {word}, {label}: {grad}, {by_word}");
                    let moved = |by: f32| {
                        let mut scores = SCORES;
                        scores[word][label] += by;
                        value(&loss, &Tensor::new(&scores, &Device::Cpu).unwrap())
                    };
                    let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                    assert!(
                        (grad - expected).abs() < 1e-3,
                        "{loss:?}, {word}, {label}: {grad}, not {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_word_that_is_certain_has_a_gradient_of_numbers() {
        for exponent in [0.5, 1.0, 2.0] {
            let loss = HeadLoss { exponent, weights: None };
            let scores = Var::new(&[[90.0f32, -90.0], [-90.0, 90.0]], &Device::Cpu).unwrap();
            let labels = Tensor::new(&[0u32, 0], &Device::Cpu).unwrap();
            let grads = loss.mean(&scores, &labels).unwrap().backward().unwrap();
            let grad = grads.get(&scores).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
            let mut by_word = [0.0; 4];
            let (certain, wrong) = by_word.split_at_mut(2);
            loss.of_word(&mut [90.0, -90.0], 0, 0.5, certain);
            loss.of_word(&mut [-90.0, 90.0], 0, 0.5, wrong);
            for grad in [grad.as_slice(), &by_word] {
                assert!(grad.iter().all(|value| value.is_finite()), "{exponent}: {grad:?}");
            }
        }
    }

    #[test]
    fn each_head_counts_its_own_labels() {
        let word = |[class, mark]: [Option<u32>; 2]| SupervisedWord {
            position: 1,
            labels: WordLabels { class, mark },
        };
        let words = vec![word([Some(0), Some(1)]), word([Some(0), None]), word([Some(1), Some(1)])];
        let samples = [EncoderSample { ids: vec![2, 7, 3], words }];
        let config = LossConfig { focal_loss: 0.0, class_weights: true };
        let losses = of_heads(config, &samples, HeadSizes { cases: 2, marks: 2 });
        // 3 / (2 · 2) and 3 / (2 · 1) for cases; all the marks are the second.
        assert_eq!(losses.map(|loss| loss.weights), [Some(vec![0.75, 1.5]), Some(vec![1.0, 1.0])]);
        let plain = of_heads(LossConfig::default(), &samples, HeadSizes { cases: 2, marks: 2 });
        assert_eq!(plain, [HeadLoss::default(), HeadLoss::default()]);
    }

    #[test]
    fn the_weights_of_labels_are_1_on_average() {
        // 100 words of 3 labels: 100 / (3 · 50), 100 / (3 · 40), 100 / (3 · 10).
        let weights = inverse_frequencies(&[50, 40, 0, 10]);
        let expected = [0.666_667, 0.833_333, 1.0, 3.333_333];
        assert!(weights.iter().zip(expected).all(|(a, b): (_, f32)| (a - b).abs() < 1e-5), "{weights:?}");
        let sum: f32 =
            weights.iter().zip([50.0, 40.0, 0.0, 10.0]).map(|(weight, count)| weight * count).sum();
        assert!((sum - 100.0).abs() < 1e-3);
        assert_eq!(inverse_frequencies(&[0, 0]), [1.0, 1.0]);
    }
}
