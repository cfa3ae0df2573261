//! Computes the scores of labels from words: LSTMs read the embeddings of words and of their letters forward and
//! backward (Lample et al. 2016, section 4).

use std::cmp::Reverse;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::crf::LabelChain;
use super::weights::WeightsView;
use crate::shared::heads::HeadSizes;
use crate::shared::lstm::{LstmPair, Trace};
use crate::shared::product::{MatrixView, MatrixViewMut};
use crate::shared::sequences::SequenceSteps;

/// A word as input of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkWord<'a> {
    pub id: u32,
    /// The ids of its letters, at least one.
    pub letters: &'a [u32],
}

/// Texts that go through a network together.
#[derive(Debug)]
pub struct WordBatch<'a> {
    /// The indices of the texts in the order of the steps: the longest text first.
    order: Vec<usize>,
    pub steps: SequenceSteps,
    /// The word of each row, and the index of its spelling.
    pub words: Vec<(u32, u32)>,
    /// The distinct spellings, the longest spelling first.
    pub spellings: Vec<&'a [u32]>,
    pub letters: SequenceSteps,
}

impl<'a> WordBatch<'a> {
    /// Makes the batch of these texts.
    pub fn new(texts: &[Vec<NetworkWord<'a>>]) -> Self {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&at| Reverse(texts[at].len()));
        let lengths: Vec<usize> = order.iter().map(|&at| texts[at].len()).collect();
        let steps = SequenceSteps::new(&lengths);

        let mut spellings: Vec<&[u32]> = Vec::new();
        let mut known: FxHashMap<&[u32], u32> = FxHashMap::default();
        for word in texts.iter().flatten() {
            known.entry(word.letters).or_insert_with(|| {
                spellings.push(word.letters);
                0
            });
        }
        spellings.sort_by_key(|letters| Reverse(letters.len()));
        for (at, letters) in spellings.iter().enumerate() {
            known.insert(letters, at as u32);
        }
        let lengths: Vec<usize> = spellings.iter().map(|letters| letters.len()).collect();
        let letters = SequenceSteps::new(&lengths);

        let mut words = Vec::with_capacity(steps.rows());
        for step in 0..steps.len() {
            let texts = order[..steps.at(step).len()].iter().map(|&at| &texts[at][step]);
            words.extend(texts.map(|word| (word.id, known[word.letters])));
        }
        Self { order, steps, words, spellings, letters }
    }

    /// Returns the index of each text and its rows, one for each word.
    pub fn texts(&self) -> impl Iterator<Item = (usize, Vec<usize>)> {
        let texts = self.order.iter().enumerate();
        texts.map(|(sequence, &text)| {
            let steps = (0..self.steps.len()).take_while(|&step| sequence < self.steps.at(step).len());
            (text, steps.map(|step| self.steps.row(sequence, step)).collect())
        })
    }

    /// Returns the LSTMs over letters, which read these embeddings.
    pub fn spelling_lstms<'b>(&'b self, weights: WeightsView<'b>, inputs: &'b [f32]) -> LstmPair<'b> {
        let WeightsView { layout, values } = weights;
        LstmPair { weights: values, cells: &layout.spelling, steps: &self.letters, inputs }
    }

    /// Returns the LSTMs over words, which read these inputs.
    pub fn sentence_lstms<'b>(&'b self, weights: WeightsView<'b>, inputs: &'b [f32]) -> LstmPair<'b> {
        let WeightsView { layout, values } = weights;
        LstmPair { weights: values, cells: &layout.sentence, steps: &self.steps, inputs }
    }

    /// Returns the rows in which the LSTM over letters finishes a spelling, forward and backward.
    pub fn ends(&self, spelling: usize) -> [usize; 2] {
        [self.spellings[spelling].len() - 1, 0].map(|step| self.letters.row(spelling, step))
    }
}

/// The results of a forward pass.
#[derive(Debug)]
pub struct Forward {
    /// The embeddings of the letters in each row of [`WordBatch::letters`]; `letter_states` are the states of the
    /// LSTMs over letters side by side.
    pub letters: Vec<f32>,
    pub letter_states: Vec<f32>,
    pub spelling: [Trace; 2],
    /// The inputs of the LSTMs over words; `states` are the states of these LSTMs side by side, and `seen` are the
    /// states after dropout, the input of the head.
    pub inputs: Vec<f32>,
    pub states: Vec<f32>,
    pub seen: Vec<f32>,
    pub sentence: [Trace; 2],
    /// The scores of the classes and of the marks in each row.
    pub scores: Vec<f32>,
}

/// Computes scores. `drop` may apply dropout: to the inputs of the LSTMs over words, then to the
/// input of the head.
pub fn forward(weights: WeightsView<'_>, batch: &WordBatch<'_>, drop: &mut dyn FnMut(&mut [f32])) -> Forward {
    let layout = weights.layout;
    let widths = layout.widths;

    let mut letters = Vec::with_capacity(batch.letters.rows() * widths.letter);
    let letter_rows = weights.part(&layout.letters);
    for step in 0..batch.letters.len() {
        for spelling in &batch.spellings[..batch.letters.at(step).len()] {
            letters.extend_from_slice(row(letter_rows, spelling[step] as usize, widths.letter));
        }
    }
    let (letter_states, spelling) = batch.spelling_lstms(weights, &letters).read();

    let mut inputs = Vec::with_capacity(batch.words.len() * widths.input());
    let word_rows = weights.part(&layout.words);
    for &(word, spelling) in &batch.words {
        inputs.extend_from_slice(row(word_rows, word as usize, widths.word));
        for (at, end) in batch.ends(spelling as usize).into_iter().enumerate() {
            let states = row(&letter_states, end, 2 * widths.letter_hidden);
            inputs.extend_from_slice(row(states, at, widths.letter_hidden));
        }
    }
    drop(&mut inputs);
    let (states, sentence) = batch.sentence_lstms(weights, &inputs).read();

    let mut seen = states.clone();
    drop(&mut seen);
    let mut scores = weights.part(&layout.head_bias).repeat(batch.words.len());
    let outputs = layout.heads.all();
    let head = MatrixView::new(weights.part(&layout.head), outputs);
    MatrixViewMut::new(&mut scores, outputs).add(MatrixView::new(&seen, 2 * widths.hidden), head);
    Forward { letters, letter_states, spelling, inputs, states, seen, sentence, scores }
}

/// Returns a row of this many columns.
pub fn row(values: &[f32], at: usize, columns: usize) -> &[f32] {
    &values[at * columns..][..columns]
}

/// Returns the label chain of a network.
pub fn chain(weights: WeightsView<'_>) -> LabelChain<'_> {
    let layout = weights.layout;
    let [between, first, last] =
        [&layout.between, &layout.first, &layout.last].map(|part| weights.part(part));
    LabelChain { between, first, last }
}

/// Returns the scores of the classes and of the marks of rows, one row after the other.
pub fn scores_of(scores: &[f32], rows: &[usize], heads: HeadSizes) -> [Vec<f32>; 2] {
    let part = |part: Range<usize>| {
        rows.iter().flat_map(|&at| &row(scores, at, heads.all())[part.clone()]).copied().collect()
    };
    [part(0..heads.cases), part(heads.cases..heads.all())]
}
