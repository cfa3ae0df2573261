//! Computes the scores of labels from subwords, and keeps the values that the gradient needs.

use std::cmp::Reverse;
use std::ops::{Range, RangeInclusive};

use majuscule_methods::network::cnn_bilstm::shape::{CONVOLVED, CnnBilstmShape};
use majuscule_methods::network::subwords::Special;
use majuscule_methods::network::word_lexicon::LexiconRows;
use majuscule_train::random::{Random, below, unit};

use super::layout::CnnBilstmLayout;
use super::samples::SubwordSample;
use crate::shared::heads::HeadSizes;
use crate::shared::lstm::Trace;
use crate::shared::product::{MatrixView, MatrixViewMut};
use crate::shared::sequences::SequenceSteps;
use crate::shared::values::add;

/// Texts that go through a network together.
#[derive(Debug)]
pub(super) struct SubwordBatch {
    /// The subwords of all texts, with a special subword before and after each text.
    pub(super) ids: Vec<u32>,
    /// The positions of these special subwords.
    pub(super) edges: Vec<usize>,
    pub(super) steps: SequenceSteps,
    /// The word of each row.
    pub(super) words: Vec<BatchWord>,
}

/// The rates of word dropout and right-context dropout in a training batch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InputDropout {
    /// The probability that a word is read without its own vector.
    pub(super) unknown: f64,
    /// The probability that a text is divided into short parts, whose words see fewer words after them.
    pub(super) right_context: f64,
}

/// The range of the number of words in a part of a divided text.
const PART: RangeInclusive<u64> = 8..=64;

/// Divides `words` words into parts with this probability, or else returns them as one part.
fn divide(words: usize, probability: f64, random: &mut Random) -> Vec<Range<usize>> {
    let (mut parts, mut from) = (Vec::new(), 0);
    if probability > 0.0 && unit(random) < probability {
        loop {
            let to = from + (PART.start() + below(random, PART.end() - PART.start() + 1)) as usize;
            if to >= words {
                break;
            }
            parts.push(from..to);
            from = to;
        }
    }
    parts.push(from..words);
    parts
}

/// A word of a batch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BatchWord {
    /// The position of its first subword, and the number of its subwords.
    pub(super) first: usize,
    pub(super) subwords: usize,
    /// The id of its vector.
    pub(super) id: Option<u32>,
    /// The ids of its labels: the case of the word, and the mark after the word.
    pub(super) labels: [Option<usize>; 2],
    /// The row of the layout before the word in the table of layout vectors.
    pub(super) layout: Option<usize>,
    /// The rows of the lexicon for the word.
    pub(super) lexicon: LexiconRows,
}

impl BatchWord {
    /// Returns the start of each dense vector that is added to the vector of the word.
    pub(super) fn dense_vectors<'a>(&self, layout: &'a CnnBilstmLayout) -> impl Iterator<Item = usize> + 'a {
        let CnnBilstmShape { channels, layouts, lexicon, .. } = layout.shape;
        let of_layout = self.layout.filter(|_| layouts).map(|row| layout.layouts.start + row * channels);
        let of_lexicon = self.lexicon.iter().filter(move |_| lexicon);
        of_layout.into_iter().chain(of_lexicon.map(move |row| layout.lexicon.start + row * channels))
    }
}

impl SubwordBatch {
    /// Makes the batch of these texts.
    pub(super) fn new(
        samples: &[&SubwordSample],
        special: Special,
        hidden: InputDropout,
        random: &mut Random,
    ) -> Self {
        let InputDropout { unknown, right_context } = hidden;
        let mut texts: Vec<(&SubwordSample, Range<usize>)> = Vec::with_capacity(samples.len());
        for &sample in samples {
            let parts = divide(sample.words.len(), right_context, random);
            texts.extend(parts.into_iter().map(|words| (sample, words)));
        }
        texts.sort_by_key(|(_, words)| Reverse(words.len()));
        let lengths: Vec<usize> = texts.iter().map(|(_, words)| words.len()).collect();
        let steps = SequenceSteps::new(&lengths);
        let mut words = vec![BatchWord::default(); steps.rows()];
        let (mut ids, mut edges) = (Vec::new(), Vec::new());
        for (text, (sample, part)) in texts.into_iter().enumerate() {
            edges.push(ids.len());
            ids.push(special.first);
            let mut start = part.start.checked_sub(1).map_or(0, |before| sample.words[before].end as usize);
            let last = part.len().saturating_sub(1);
            for (at, word) in sample.words[part].iter().enumerate() {
                let end = word.end as usize;
                let id = word.id().filter(|_| unknown == 0.0 || unit(random) >= unknown);
                let (first, subwords, mut labels) = (ids.len(), end - start, word.labels());
                // The mark after the last word of a text is not learned.
                labels[1] = labels[1].filter(|_| at < last);
                let (layout, lexicon) = (word.layout.vector(), word.lexicon);
                words[steps.row(text, at)] = BatchWord { first, subwords, id, labels, layout, lexicon };
                ids.extend_from_slice(&sample.subwords[start..end]);
                start = end;
            }
            edges.push(ids.len());
            ids.push(special.last);
        }
        Self { ids, edges, steps, words }
    }

    /// Returns the rows of each pair of adjacent words of a text.
    pub(super) fn neighbours(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let steps = &self.steps;
        (1..steps.len()).flat_map(move |step| {
            (0..steps.at(step).len()).map(move |text| (steps.row(text, step - 1), steps.row(text, step)))
        })
    }
}

/// The results of a forward pass.
#[derive(Debug)]
pub(super) struct SubwordPass {
    /// The embeddings of the subwords, a row each, and the result of the convolution over them.
    pub(super) subwords: Vec<f32>,
    pub(super) convolved: Vec<f32>,
    /// For each number of each word vector, the position of the subword from which max pooling selected it.
    pub(super) largest: Vec<u32>,
    /// The inputs of each LSTM and of the heads after dropout, with a row for each word.
    pub(super) inputs: Vec<Vec<f32>>,
    /// The states of each LSTM, forward and backward side by side.
    pub(super) states: Vec<Vec<f32>>,
    pub(super) traces: Vec<[Trace; 2]>,
    /// The scores of the labels in each row, head after head.
    pub(super) scores: Vec<f32>,
}

/// Computes scores. `drop` may apply dropout to the input of each LSTM, and of the heads.
pub(super) fn forward(
    layout: &CnnBilstmLayout,
    weights: &[f32],
    batch: &SubwordBatch,
    drop: &mut dyn FnMut(&mut [f32]),
) -> SubwordPass {
    let shape = layout.shape;
    let table = &weights[layout.subwords.clone()];
    let row = |&id: &u32| &table[id as usize * shape.embedding..][..shape.embedding];
    let subwords: Vec<f32> = batch.ids.iter().flat_map(row).copied().collect();
    let [weight, bias] = &layout.convolution;
    let convolved = convolve(&subwords, batch, &weights[weight.clone()], &weights[bias.clone()]);
    let (mut words, largest) = pool(&convolved, batch, shape.channels);
    let table = &weights[layout.words.clone()];
    for (word, vector) in batch.words.iter().zip(words.chunks_exact_mut(shape.channels)) {
        if let Some(id) = word.id {
            add(vector, &table[id as usize * shape.channels..][..shape.channels]);
        }
        for start in word.dense_vectors(layout) {
            add(vector, &weights[start..][..shape.channels]);
        }
    }
    drop(&mut words);
    let (mut inputs, mut all_states, mut traces) = (vec![words], Vec::new(), Vec::new());
    for layer in 0..shape.layers {
        let (states, trace) = layout.lstm_layer(layer, weights, &batch.steps, &inputs[layer]).read();
        traces.push(trace);
        let mut dropped = states.clone();
        drop(&mut dropped);
        inputs.push(dropped);
        all_states.push(states);
    }
    let scores = scores(layout, weights, batch, &inputs[inputs.len() - 1]);
    SubwordPass { subwords, convolved, largest, inputs, states: all_states, traces, scores }
}

/// Returns the result of a convolution with ReLU over rows of subwords. The special subwords around texts have zeros.
fn convolve(subwords: &[f32], batch: &SubwordBatch, weight: &[f32], bias: &[f32]) -> Vec<f32> {
    let (count, channels) = (batch.ids.len(), bias.len());
    let width = subwords.len() / count;
    let mut found = bias.repeat(count);
    // The first and the last subword are edges.
    let inner = &mut found[channels..(count - 1) * channels];
    let seen = MatrixView::overlapping(subwords, count - (CONVOLVED - 1), CONVOLVED * width, width);
    MatrixViewMut::new(inner, channels).add(seen, MatrixView::new(weight, channels));
    found.iter_mut().for_each(|value| *value = value.max(0.0));
    for &edge in &batch.edges {
        found[edge * channels..][..channels].fill(0.0);
    }
    found
}

/// Max-pools the subwords of each word: returns the largest number in each column, and the position of its subword.
fn pool(subwords: &[f32], batch: &SubwordBatch, channels: usize) -> (Vec<f32>, Vec<u32>) {
    let mut words = vec![0.0; batch.words.len() * channels];
    let mut largest = vec![0; words.len()];
    let rows = words.chunks_exact_mut(channels).zip(largest.chunks_exact_mut(channels));
    for (word, (values, largest)) in batch.words.iter().zip(rows) {
        values.copy_from_slice(&subwords[word.first * channels..][..channels]);
        largest.fill(word.first as u32);
        for position in word.first + 1..word.first + word.subwords {
            let subword = &subwords[position * channels..][..channels];
            for ((value, largest), &other) in values.iter_mut().zip(largest.iter_mut()).zip(subword) {
                if other > *value {
                    (*value, *largest) = (other, position as u32);
                }
            }
        }
    }
    (words, largest)
}

/// Returns the scores of labels, head after head.
fn scores(layout: &CnnBilstmLayout, weights: &[f32], batch: &SubwordBatch, states: &[f32]) -> Vec<f32> {
    let (width, all) = (2 * layout.shape.hidden, layout.sizes.all());
    let mut parts = vec![0.0; batch.words.len() * 2 * all];
    let heads = MatrixView::new(&weights[layout.heads.clone()], 2 * all);
    MatrixViewMut::new(&mut parts, 2 * all).set(MatrixView::new(states, width), heads);
    let mut scores = weights[layout.heads_bias.clone()].repeat(batch.words.len());
    let HeadSizes { cases, marks } = layout.sizes;
    for (score, part) in scores.chunks_exact_mut(all).zip(parts.chunks_exact(2 * all)) {
        add(score, &part[cases..2 * cases + marks]);
    }
    for (one, next) in batch.neighbours() {
        add(&mut scores[next * all..][..cases], &parts[one * 2 * all..]);
        add(&mut scores[one * all + cases..][..marks], &parts[next * 2 * all + 2 * cases + marks..]);
    }
    scores
}
