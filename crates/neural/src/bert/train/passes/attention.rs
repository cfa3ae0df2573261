//! Attention (Vaswani et al. 2017, section 3.2) within each text, forward and backward.

use std::ops::Range;

use rayon::prelude::*;

use crate::bert::train::dropout::BlockDropout;
use crate::shared::exp::exp;
use crate::shared::instruction_set::InstructionSet;
use crate::shared::lanes::{max, sum};
use crate::shared::product::{MatrixView, MatrixViewMut};
use majuscule_methods::network::bert::distances::{DistanceBias, bucket};

/// The shape of attention in a batch.
#[derive(Debug, Clone, Copy)]
pub struct AttentionShape<'a> {
    /// The instructions to compute with.
    pub instructions: InstructionSet,
    /// The number of heads.
    pub heads: usize,
    /// The length of the vector of each subword, over all heads.
    pub hidden: usize,
    /// The rows of each text.
    pub texts: &'a [Range<usize>],
    /// The summands of attention scores for distances, if the encoder has them.
    pub distances: Option<&'a DistanceBias>,
    /// The number of buckets of these summands.
    pub buckets: Option<usize>,
}

/// The attention of one head in one text.
struct HeadOfText<'a> {
    /// The index of this task among the heads of all texts.
    index: usize,
    head: usize,
    rows: Range<usize>,
    /// The attention probabilities, with a row and a column for each row of the text. Dropped probabilities are
    /// negative.
    probabilities: &'a mut [f32],
    /// The vectors that belong to the rows of this head, one after another.
    own: &'a mut [f32],
}

impl AttentionShape<'_> {
    /// Returns the length of the vector of a head.
    fn size(&self) -> usize {
        self.hidden / self.heads
    }

    /// Returns the factor of products of queries and keys.
    fn scale(&self) -> f32 {
        1.0 / (self.size() as f32).sqrt()
    }

    /// Returns the number of probabilities.
    pub fn probabilities(&self) -> usize {
        self.texts.iter().map(|rows| self.heads * rows.len() * rows.len()).sum()
    }

    /// Pairs each head of each text with its part of `probabilities` and its part of `own`, which has `parts` vectors
    /// for each row.
    fn tasks<'b>(
        &self,
        probabilities: &'b mut [f32],
        own: &'b mut [f32],
        parts: usize,
    ) -> Vec<HeadOfText<'b>> {
        let (mut probabilities, mut own) = (probabilities, own);
        let mut tasks = Vec::with_capacity(self.texts.len() * self.heads);
        for rows in self.texts {
            for head in 0..self.heads {
                let (of_task, rest) = probabilities.split_at_mut(rows.len() * rows.len());
                probabilities = rest;
                let (own_of_task, rest) = own.split_at_mut(parts * rows.len() * self.size());
                own = rest;
                tasks.push(HeadOfText {
                    index: tasks.len(),
                    head,
                    rows: rows.clone(),
                    probabilities: of_task,
                    own: own_of_task,
                });
            }
        }
        tasks
    }

    /// Returns the queries (0), keys (1) or values (2) of a head of a text, from rows with all three
    /// side by side.
    fn part<'b>(&self, attending: &'b [f32], part: usize, task: &HeadOfText<'_>) -> MatrixView<'b> {
        let first = task.rows.start * 3 * self.hidden + part * self.hidden + task.head * self.size();
        MatrixView::part(&attending[first..], task.rows.len(), self.size(), 3 * self.hidden)
    }

    /// Adds the summands of distances to the products of queries and keys of a head, which are not yet
    /// scaled.
    fn add_distances(&self, scores: &mut [f32], head: usize, width: usize) {
        let Some(distances) = self.distances else { return };
        let unscaled = 1.0 / self.scale();
        for (query, scores) in scores.chunks_exact_mut(width).enumerate() {
            let summands = distances.of(head, query, width);
            scores.iter_mut().zip(summands).for_each(|(score, summand)| *score += summand * unscaled);
        }
    }

    /// Computes attention from rows of queries, keys and values side by side.
    pub fn forward(
        &self,
        attending: &[f32],
        dropout: Option<BlockDropout>,
        probabilities: &mut [f32],
        attended: &mut [f32],
    ) {
        let size = self.size();
        let mut own = vec![0.0; attended.len()];
        let tasks = self.tasks(probabilities, &mut own, 1);
        tasks.into_par_iter().for_each_init(Vec::new, |used, task| {
            let width = task.rows.len();
            let (queries, keys) = (self.part(attending, 0, &task), self.part(attending, 1, &task));
            MatrixViewMut::new(task.probabilities, width).set(queries, keys.transposed());
            self.add_distances(task.probabilities, task.head, width);
            let factors =
                dropout.map(|dropout| dropout.factors(self.instructions, task.index, width * width));
            self.instructions.run(
                #[inline(always)]
                || softmax(task.probabilities, width, self.scale(), factors.as_deref()),
            );
            let probabilities = used_of(self.instructions, task.probabilities, dropout, used);
            let values = self.part(attending, 2, &task);
            MatrixViewMut::new(task.own, size).set(MatrixView::new(probabilities, width), values);
        });
        self.side_by_side(&own, 1, attended);
    }

    /// Computes the gradients of queries, keys and values, side by side, from the gradients of the results of
    /// attention. Returns the gradients of the summands of distances, with a row for each bucket and a column
    /// for each head, if there are such summands.
    pub fn backward(
        &self,
        attending: &[f32],
        dropout: Option<BlockDropout>,
        probabilities: &mut [f32],
        grads: &[f32],
        grads_attending: &mut [f32],
    ) -> Vec<f32> {
        let size = self.size();
        let mut own = vec![0.0; grads_attending.len()];
        let tasks = self.tasks(probabilities, &mut own, 3);
        let of_task = |(used, grads_used): &mut (Vec<f32>, Vec<f32>), task: HeadOfText<'_>| {
            let width = task.rows.len();
            let first = task.rows.start * self.hidden + task.head * size;
            let grads = MatrixView::part(&grads[first..], width, size, self.hidden);
            let [queries, keys, values] = [0, 1, 2].map(|part| self.part(attending, part, &task));
            let (grads_queries, rest) = task.own.split_at_mut(width * size);
            let (grads_keys, grads_values) = rest.split_at_mut(width * size);
            let probabilities = used_of(self.instructions, task.probabilities, dropout, used);
            MatrixViewMut::new(grads_values, size)
                .set(MatrixView::new(probabilities, width).transposed(), grads);
            grads_used.resize(width * width, 0.0);
            MatrixViewMut::new(grads_used, width).set(grads, values.transposed());
            let kept = dropout.map_or(1.0, |dropout| dropout.kept());
            self.instructions.run(
                #[inline(always)]
                || softmax_back(task.probabilities, grads_used, width, self.scale(), kept),
            );
            let grads_scores = MatrixView::new(grads_used, width);
            MatrixViewMut::new(grads_queries, size).set(grads_scores, keys);
            MatrixViewMut::new(grads_keys, size).set(grads_scores.transposed(), queries);
            let of_buckets =
                self.buckets.map(|buckets| bucket_sums(buckets, grads_used, width, 1.0 / self.scale()));
            (task.head, of_buckets.unwrap_or_default())
        };
        let by_task: Vec<(usize, Vec<f32>)> =
            tasks.into_par_iter().map_init(<(Vec<f32>, Vec<f32>)>::default, of_task).collect();
        self.side_by_side(&own, 3, grads_attending);
        let mut of_distances = vec![0.0; self.buckets.unwrap_or(0) * self.heads];
        for (head, sums) in by_task {
            for (bucket, sum) in sums.into_iter().enumerate() {
                of_distances[bucket * self.heads + head] += sum;
            }
        }
        of_distances
    }

    /// Rearranges vectors, which are stored head after head in each text, into rows with all heads side by side,
    /// `parts` times in each row.
    fn side_by_side(&self, own: &[f32], parts: usize, rows: &mut [f32]) {
        let (size, width) = (self.size(), parts * self.hidden);
        let mut rest = rows;
        let mut texts = Vec::with_capacity(self.texts.len());
        for text in self.texts {
            let (of_text, after) = rest.split_at_mut(text.len() * width);
            rest = after;
            texts.push((&own[text.start * width..text.end * width], of_text));
        }
        texts.into_par_iter().for_each(|(own, rows)| {
            let count = rows.len() / width;
            for (at, row) in rows.chunks_exact_mut(width).enumerate() {
                for (position, vector) in row.chunks_exact_mut(size).enumerate() {
                    let (part, head) = (position / self.heads, position % self.heads);
                    let first = ((head * parts + part) * count + at) * size;
                    vector.copy_from_slice(&own[first..][..size]);
                }
            }
        });
    }
}

/// Returns the sums of the gradients of scores, each times `factor`, over the pairs of each bucket.
fn bucket_sums(buckets: usize, grads: &[f32], width: usize, factor: f32) -> Vec<f32> {
    let mut sums = vec![0.0; buckets];
    for (query, grads) in grads.chunks_exact(width).enumerate() {
        for (key, grad) in grads.iter().enumerate() {
            sums[bucket(buckets, query, key)] += factor * grad;
        }
    }
    sums
}

/// Computes the softmax of rows of scores, which are first multiplied by `scale`. Probabilities that are dropped,
/// which have the factor 0, become negative.
#[inline(always)]
fn softmax(scores: &mut [f32], width: usize, scale: f32, factors: Option<&[f32]>) {
    for (at, scores) in scores.chunks_exact_mut(width).enumerate() {
        let most = max(scores);
        scores.iter_mut().for_each(|score| *score = exp((*score - most) * scale));
        let fraction = 1.0 / sum(scores, |probability| probability);
        match factors {
            None => scores.iter_mut().for_each(|probability| *probability *= fraction),
            Some(factors) => {
                for (probability, factor) in scores.iter_mut().zip(&factors[at * width..]) {
                    *probability *= if *factor == 0.0 { -fraction } else { fraction };
                }
            }
        }
    }
}

/// Replaces the gradients of probabilities, after dropout, by the gradients of the scores.
#[inline(always)]
fn softmax_back(probabilities: &[f32], grads: &mut [f32], width: usize, scale: f32, kept: f32) {
    for (probabilities, grads) in probabilities.chunks_exact(width).zip(grads.chunks_exact_mut(width)) {
        for (grad, probability) in grads.iter_mut().zip(probabilities) {
            // The gradient of the score before the mean is subtracted; a dropped probability has no gradient.
            *grad *= if *probability > 0.0 { kept * probability } else { 0.0 };
        }
        let whole = sum(grads, |grad| grad);
        for (grad, probability) in grads.iter_mut().zip(probabilities) {
            *grad = scale * (*grad - probability.abs() * whole);
        }
    }
}

/// Returns probabilities after dropout.
fn used_of<'a>(
    instructions: InstructionSet,
    probabilities: &'a [f32],
    dropout: Option<BlockDropout>,
    used: &'a mut Vec<f32>,
) -> &'a [f32] {
    let Some(kept) = dropout.map(|dropout| dropout.kept()) else { return probabilities };
    used.resize(probabilities.len(), 0.0);
    instructions.run(
        #[inline(always)]
        || {
            for (used, probability) in used.iter_mut().zip(probabilities) {
                *used = if *probability > 0.0 { kept * probability } else { 0.0 };
            }
        },
    );
    used
}
