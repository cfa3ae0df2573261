//! The loss of a batch, −ln p of its labels, and its gradient with respect to every weight.

use crate::bilstm::network::{self, Forward, WordBatch, row};
use crate::bilstm::weights::WeightsView;
use crate::shared::gold::{WordLabels, cross_entropy};
use crate::shared::heads::HeadSizes;
use crate::shared::product::{MatrixView, MatrixViewMut};
use crate::shared::sparse_adam::{SparseGradient, TableGradient};
use crate::shared::values::{add, multiply};

/// Returns the mean loss of the texts of a batch, in which words may lack labels, and its gradient. `masks` are the
/// dropout factors of [`network::forward`], in the order in which it applies them.
pub(super) fn gradient(
    weights: WeightsView<'_>,
    batch: &WordBatch<'_>,
    labels: &[&[WordLabels]],
    forward: Forward,
    masks: &[Vec<f32>],
) -> (f64, SparseGradient) {
    let layout = weights.layout;
    let widths = layout.widths;
    let mut dense = vec![0.0; layout.dense().end];
    let outputs = layout.heads.all();
    let mut score_gradients = vec![0.0; forward.scores.len()];
    let loss = chain_loss(weights, batch, labels, &forward.scores, &mut score_gradients, &mut dense)
        + mark_loss(layout.heads, batch, labels, &forward.scores, &mut score_gradients);

    // The heads.
    let gradients = MatrixView::new(&score_gradients, outputs);
    let seen = MatrixView::new(&forward.seen, 2 * widths.hidden).transposed();
    MatrixViewMut::new(&mut dense[layout.head.clone()], outputs).add(seen, gradients);
    for scores in score_gradients.chunks_exact(outputs) {
        add(&mut dense[layout.head_bias.clone()], scores);
    }
    let mut states = vec![0.0; forward.states.len()];
    let head = MatrixView::new(weights.part(&layout.head), outputs).transposed();
    MatrixViewMut::new(&mut states, 2 * widths.hidden).add(gradients, head);
    let [of_inputs, of_states] = masks else { unreachable!("forward has two dropouts") };
    multiply(&mut states, of_states);

    // The LSTMs over words.
    let lstms = batch.sentence_lstms(weights, &forward.inputs);
    let mut inputs = lstms.back(&forward.states, forward.sentence, &mut states, &mut dense);
    multiply(&mut inputs, of_inputs);

    // The words, and the LSTMs over letters.
    let ids = batch.words.iter().map(|&(word, _)| word);
    let mut words = TableGradient::new(layout.words.start, widths.word, ids);
    let mut letter_states = vec![0.0; forward.letter_states.len()];
    for (gradients, &(word, spelling)) in inputs.chunks_exact(widths.input()).zip(&batch.words) {
        let (of_word, of_letters) = gradients.split_at(widths.word);
        add(words.row(word), of_word);
        for (at, end) in batch.ends(spelling as usize).into_iter().enumerate() {
            let begin = (2 * end + at) * widths.letter_hidden;
            let part = row(of_letters, at, widths.letter_hidden);
            add(&mut letter_states[begin..begin + widths.letter_hidden], part);
        }
    }
    let lstms = batch.spelling_lstms(weights, &forward.letters);
    let letters = lstms.back(&forward.letter_states, forward.spelling, &mut letter_states, &mut dense);
    for step in 0..batch.letters.len() {
        for (at, gradients) in
            batch.letters.at(step).zip(&batch.spellings).map(|(at, spelling)| (spelling[step], at))
        {
            let begin = layout.letters.start + at as usize * widths.letter;
            add(&mut dense[begin..begin + widths.letter], row(&letters, gradients, widths.letter));
        }
    }
    (loss, SparseGradient { dense, tables: vec![words] })
}

/// Returns the loss of cases, and adds the gradients of their scores and of the chain's weights. A word without
/// a class may have any class, so the loss is −ln of the total probability of the labellings that match the
/// known classes.
fn chain_loss(
    weights: WeightsView<'_>,
    batch: &WordBatch<'_>,
    labels: &[&[WordLabels]],
    scores: &[f32],
    gradients: &mut [f32],
    dense: &mut [f32],
) -> f64 {
    let layout = weights.layout;
    let count = layout.heads.cases;
    if count == 0 {
        return 0.0;
    }
    let chain = network::chain(weights);
    let weight = 1.0 / labels.len().max(1) as f64;
    let mut loss = 0.0;
    for (text, rows) in batch.texts().filter(|(_, rows)| !rows.is_empty()) {
        let [scores, _] = network::scores_of(scores, &rows, layout.heads);
        let any = chain.marginals(&scores, |_, _| true);
        let right = chain.marginals(&scores, |at, label| {
            labels[text][at].class.is_none_or(|right| right as usize == label)
        });
        loss += weight * (any.log_partition - right.log_partition);
        let gradient = |any: &[f64], right: &[f64]| {
            any.iter().zip(right).map(|(any, right)| (weight * (any - right)) as f32).collect::<Vec<f32>>()
        };
        let probabilities = gradient(&any.probabilities, &right.probabilities);
        for (probabilities, at) in probabilities.chunks_exact(count).zip(&rows) {
            gradients[at * layout.heads.all()..][..count].copy_from_slice(probabilities);
        }
        add(&mut dense[layout.between.clone()], &gradient(&any.pairs, &right.pairs));
        add(&mut dense[layout.first.clone()], &probabilities[..count]);
        add(&mut dense[layout.last.clone()], &probabilities[probabilities.len() - count..]);
    }
    loss
}

/// Returns the loss of marks, −ln of the probability of each known mark, and writes the gradients of the scores of
/// marks.
fn mark_loss(
    heads: HeadSizes,
    batch: &WordBatch<'_>,
    labels: &[&[WordLabels]],
    scores: &[f32],
    gradients: &mut [f32],
) -> f64 {
    let weight = 1.0 / labels.len().max(1) as f64;
    let mut loss = 0.0;
    for (text, rows) in batch.texts() {
        for (at, known) in rows.into_iter().zip(labels[text]) {
            let Some(right) = known.mark else { continue };
            let start = at * heads.all() + heads.cases;
            let (scores, gradients) =
                (&scores[start..][..heads.marks], &mut gradients[start..][..heads.marks]);
            loss += cross_entropy(scores, right as usize, weight, gradients);
        }
    }
    loss
}
