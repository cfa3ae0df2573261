//! From words to scores of labels: words and their letters as numbers, read forward and backward
//! (Lample et al. 2016, section 4).

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::crf::LabelChain;
use super::lstm::{Direction, LstmCell, SequenceSteps, Trace};
use super::product::{MatrixView, MatrixViewMut};
use super::weights::NetworkWeights;

/// A word as a network sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkWord<'a> {
    pub id: u32,
    /// The ids of its letters; one at least.
    pub letters: &'a [u32],
}

/// Texts that go through a network together.
#[derive(Debug)]
pub struct WordBatch<'a> {
    /// The texts in the order of the steps: the longest first.
    order: Vec<usize>,
    pub steps: SequenceSteps,
    /// The word of each row, and the number of its spelling.
    pub words: Vec<(u32, u32)>,
    /// The spellings that occur, once each, the longest first.
    pub spellings: Vec<&'a [u32]>,
    pub letters: SequenceSteps,
}

impl<'a> WordBatch<'a> {
    /// The batch of these texts.
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

    /// The rows of each text, one for each word, with the number of the text.
    pub fn texts(&self) -> impl Iterator<Item = (usize, Vec<usize>)> {
        let texts = self.order.iter().enumerate();
        texts.map(|(sequence, &text)| {
            let steps = (0..self.steps.len()).take_while(|&step| sequence < self.steps.at(step).len());
            (text, steps.map(|step| self.steps.row(sequence, step)).collect())
        })
    }

    /// The rows in which the reader of letters is through with a spelling, forward and backward.
    pub fn ends(&self, spelling: usize) -> [usize; 2] {
        [self.spellings[spelling].len() - 1, 0].map(|step| self.letters.row(spelling, step))
    }
}

/// All that a network computed.
#[derive(Debug)]
pub struct Forward {
    /// The letters of each row of [`WordBatch::letters`] as numbers, and the states of their
    /// readers side by side.
    pub letters: Vec<f32>,
    pub letter_states: Vec<f32>,
    pub spelling: [Trace; 2],
    /// The inputs of the readers of words, and their states side by side: as they are, and as the
    /// head sees them.
    pub inputs: Vec<f32>,
    pub states: Vec<f32>,
    pub seen: Vec<f32>,
    pub sentence: [Trace; 2],
    /// For each row, those of the labels.
    pub scores: Vec<f32>,
}

/// Computes scores. `drop` may leave numbers out: of what the readers of words see, then of what
/// the head sees.
pub fn forward(weights: &NetworkWeights, batch: &WordBatch<'_>, drop: &mut dyn FnMut(&mut [f32])) -> Forward {
    let layout = &weights.layout;
    let widths = layout.widths;

    let mut letters = Vec::with_capacity(batch.letters.rows() * widths.letter);
    let letter_rows = weights.part(&layout.letters);
    for step in 0..batch.letters.len() {
        for spelling in &batch.spellings[..batch.letters.at(step).len()] {
            letters.extend_from_slice(row(letter_rows, spelling[step] as usize, widths.letter));
        }
    }
    let (letter_states, spelling) = read(weights, &layout.spelling, &batch.letters, &letters);

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
    let (states, sentence) = read(weights, &layout.sentence, &batch.steps, &inputs);

    let mut seen = states.clone();
    drop(&mut seen);
    let mut scores = weights.part(&layout.head_bias).repeat(batch.words.len());
    let head = MatrixView::new(weights.part(&layout.head), layout.labels);
    MatrixViewMut::new(&mut scores, layout.labels).add(MatrixView::new(&seen, 2 * widths.hidden), head);
    Forward { letters, letter_states, spelling, inputs, states, seen, sentence, scores }
}

/// Reads rows in both directions; the states stand side by side.
fn read(
    weights: &NetworkWeights,
    cells: &[super::weights::CellLayout; 2],
    steps: &SequenceSteps,
    inputs: &[f32],
) -> (Vec<f32>, [Trace; 2]) {
    let hidden = cells[0].hidden;
    let mut states = vec![0.0; steps.rows() * 2 * hidden];
    let columns = inputs.len() / steps.rows().max(1);
    let inputs = MatrixView::part(inputs, steps.rows(), columns, columns);
    let traces = [0, 1].map(|at| {
        let cell = LstmCell::new(weights, &cells[at]);
        cell.run(steps, inputs, Direction::BOTH[at], &mut states, (at * hidden, 2 * hidden))
    });
    (states, traces)
}

/// A row of so many columns.
pub fn row(values: &[f32], at: usize, columns: usize) -> &[f32] {
    &values[at * columns..][..columns]
}

/// The chain of labels of a network.
pub fn chain(weights: &NetworkWeights) -> LabelChain<'_> {
    let layout = &weights.layout;
    let [between, first, last] =
        [&layout.between, &layout.first, &layout.last].map(|part| weights.part(part));
    LabelChain { between, first, last }
}

/// The scores of rows, one after the other.
pub fn scores_of(scores: &[f32], rows: &[usize], labels: usize) -> Vec<f32> {
    rows.iter().flat_map(|&at| row(scores, at, labels)).copied().collect()
}
