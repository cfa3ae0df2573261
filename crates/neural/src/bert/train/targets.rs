//! The targets of a batch.

use candle_core::{Result as Computed, Tensor};

use super::loss::HeadLoss;
use super::samples::EncoderSample;
use crate::bert::ops;
use crate::shared::heads::HeadSizes;

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
    pub(super) fn loss(&self, scores: &Tensor, heads: HeadSizes, losses: &[HeadLoss; 2]) -> Computed<Tensor> {
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
