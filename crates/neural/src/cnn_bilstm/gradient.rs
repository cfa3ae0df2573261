//! The loss of a batch, −ln p of its labels, and its gradient with respect to every weight.

use majuscule_methods::network::cnn_bilstm::shape::CONVOLVED;

use super::layout::CnnBilstmLayout;
use super::network::{SubwordBatch, SubwordPass};
use crate::shared::gold::cross_entropy;
use crate::shared::heads::HeadSizes;
use crate::shared::product::{MatrixView, MatrixViewMut};
use crate::shared::sparse_adam::{SparseGradient, TableGradient};
use crate::shared::values::{add, multiply};

/// Returns the mean loss of the words of a batch and its gradient. `masks` are the dropout factors of
/// [`super::network::forward`], in the order in which it applies them; empty without dropout.
pub(super) fn gradient(
    layout: &CnnBilstmLayout,
    weights: &[f32],
    batch: &SubwordBatch,
    pass: SubwordPass,
    masks: &[Vec<f32>],
) -> (f64, SparseGradient) {
    let shape = layout.shape;
    let mut dense = vec![0.0; layout.dense().end];
    let mut scores = vec![0.0; pass.scores.len()];
    let loss = loss(layout.sizes, batch, &pass.scores, &mut scores);
    let SubwordPass { subwords, convolved, largest, inputs, states, traces, .. } = pass;

    let mut gradient = heads(layout, weights, batch, &inputs[shape.layers], &scores, &mut dense);
    for (layer, traces) in traces.into_iter().enumerate().rev() {
        masks.get(layer + 1).into_iter().for_each(|mask| multiply(&mut gradient, mask));
        let lstms = layout.lstm_layer(layer, weights, &batch.steps, &inputs[layer]);
        gradient = lstms.back(&states[layer], traces, &mut gradient, &mut dense);
    }
    masks.first().into_iter().for_each(|mask| multiply(&mut gradient, mask));

    let ids = batch.words.iter().filter_map(|word| word.id);
    let mut of_words = TableGradient::new(layout.words.start, shape.channels, ids);
    for (word, gradient) in batch.words.iter().zip(gradient.chunks_exact(shape.channels)) {
        if let Some(id) = word.id {
            add(of_words.row(id), gradient);
        }
        for start in word.dense_vectors(layout) {
            add(&mut dense[start..][..shape.channels], gradient);
        }
    }
    let mut of_subwords = vec![0.0; convolved.len()];
    for ((at, &position), value) in largest.iter().enumerate().zip(&gradient) {
        of_subwords[position as usize * shape.channels + at % shape.channels] += value;
    }
    // Where ReLU returned 0, there is no gradient. This includes the special subwords around texts.
    let zeros = of_subwords.iter_mut().zip(&convolved).filter(|(_, result)| **result == 0.0);
    zeros.for_each(|(of, _)| *of = 0.0);
    let of_subwords =
        convolution(weights, &layout.convolution, &subwords, &of_subwords, batch.ids.len(), &mut dense);
    let mut table = TableGradient::new(layout.subwords.start, shape.embedding, batch.ids.iter().copied());
    for (id, gradient) in batch.ids.iter().zip(of_subwords.chunks_exact(shape.embedding)) {
        add(table.row(*id), gradient);
    }
    (loss, SparseGradient { dense, tables: vec![table, of_words] })
}

/// Returns the mean loss of words, and sets the gradient of scores.
fn loss(sizes: HeadSizes, batch: &SubwordBatch, scores: &[f32], gradients: &mut [f32]) -> f64 {
    let weight = 1.0 / batch.words.len().max(1) as f64;
    let mut loss = 0.0;
    let rows = scores.chunks_exact(sizes.all()).zip(gradients.chunks_exact_mut(sizes.all()));
    for (word, (scores, gradients)) in batch.words.iter().zip(rows) {
        let (cases, marks) = scores.split_at(sizes.cases);
        let (of_cases, of_marks) = gradients.split_at_mut(sizes.cases);
        for ((scores, gradients), label) in
            [(cases, of_cases), (marks, of_marks)].into_iter().zip(word.labels)
        {
            let Some(right) = label else { continue };
            loss += cross_entropy(scores, right, weight, gradients);
        }
    }
    loss
}

/// Adds the gradient of the heads, and returns the gradient of their input.
fn heads(
    layout: &CnnBilstmLayout,
    weights: &[f32],
    batch: &SubwordBatch,
    states: &[f32],
    scores: &[f32],
    dense: &mut [f32],
) -> Vec<f32> {
    let HeadSizes { cases, marks } = layout.sizes;
    let all = layout.sizes.all();
    let mut parts = vec![0.0; batch.words.len() * 2 * all];
    for (part, score) in parts.chunks_exact_mut(2 * all).zip(scores.chunks_exact(all)) {
        part[cases..2 * cases + marks].copy_from_slice(score);
        add(&mut dense[layout.heads_bias.clone()], score);
    }
    for (one, next) in batch.neighbours() {
        parts[one * 2 * all..][..cases].copy_from_slice(&scores[next * all..][..cases]);
        let of_marks = &scores[one * all + cases..][..marks];
        parts[next * 2 * all + 2 * cases + marks..][..marks].copy_from_slice(of_marks);
    }
    let width = 2 * layout.shape.hidden;
    let (parts, seen) = (MatrixView::new(&parts, 2 * all), MatrixView::new(states, width));
    MatrixViewMut::new(&mut dense[layout.heads.clone()], 2 * all).add(seen.transposed(), parts);
    let mut gradient = vec![0.0; states.len()];
    let heads = MatrixView::new(&weights[layout.heads.clone()], 2 * all).transposed();
    MatrixViewMut::new(&mut gradient, width).set(parts, heads);
    gradient
}

/// Adds the gradient of a convolution, and returns the gradient of its input.
fn convolution(
    weights: &[f32],
    [weight, bias]: &[std::ops::Range<usize>; 2],
    seen: &[f32],
    results: &[f32],
    count: usize,
    dense: &mut [f32],
) -> Vec<f32> {
    let (width, channels) = (seen.len() / count, bias.len());
    for result in results.chunks_exact(channels) {
        add(&mut dense[bias.clone()], result);
    }
    let inner = MatrixView::new(&results[channels..(count - 1) * channels], channels);
    let rows = MatrixView::overlapping(seen, count - (CONVOLVED - 1), CONVOLVED * width, width);
    MatrixViewMut::new(&mut dense[weight.clone()], channels).add(rows.transposed(), inner);
    let mut gradient = vec![0.0; seen.len()];
    for (at, weight) in weights[weight.clone()].chunks_exact(width * channels).enumerate() {
        // The convolution reads the previous subword, the subword itself and the next subword.
        let rows = &mut gradient[at * width..][..(count - (CONVOLVED - 1)) * width];
        MatrixViewMut::new(rows, width).add(inner, MatrixView::new(weight, channels).transposed());
    }
    gradient
}
