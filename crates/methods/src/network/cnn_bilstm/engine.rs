//! Runs the network on the CPU: embeddings of subwords, a convolution over them, one vector for each word, and LSTMs
//! in both directions over the words. Several texts run at once, so that each step of an LSTM is a product of
//! matrices.
//!
//! The scores of a text are bit-identical if it is computed alone or with other texts, and on any number of threads.

use std::cmp::Reverse;
use std::num::NonZeroUsize;
use std::ops::Range;

use super::lstm::{BilstmLayer, LstmScratch, LstmState};
use super::shape::{
    self, CONVOLUTION, CONVOLVED, CnnBilstmShape, DIRECTIONS, HEADS, LAYOUTS, LEXICON_ROWS, SUBWORDS, WORDS,
};
use super::subwords::{SubwordIds, SubwordWindow};
use crate::network::heads::HeadSizes;
use crate::network::instruction_set::InstructionSet;
use crate::network::matrix::WeightMatrix;
use crate::network::products::EnginePrecision;
use crate::network::products::aligned::Aligned;
use crate::network::products::linear::Linear;
use crate::network::sequences::SequenceSteps;
use crate::network::subwords::Special;
use crate::network::tensors::{Embeddings, WeightSource};
use crate::network::threads::in_parallel;
use crate::network::windower::WindowWord;

/// A network that is ready to run.
#[derive(Debug)]
pub struct CnnBilstmEngine {
    shape: CnnBilstmShape,
    special: Special,
    subwords: Box<dyn Embeddings>,
    /// The vectors of words that have one of their own.
    words: Option<Box<dyn Embeddings>>,
    /// The vectors of layouts, if the network reads them.
    layouts: Option<Vec<f32>>,
    /// The vectors of the rows of the lexicon, if the network reads a lexicon.
    lexicon: Option<Vec<f32>>,
    convolution: Linear,
    layers: Vec<BilstmLayer>,
    /// The heads side by side: each has one part for the first of its two words, and one part for the second.
    heads: Linear,
    /// The biases of the heads.
    bias: Vec<f32>,
    sizes: HeadSizes,
}

/// Scratch memory.
#[derive(Debug, Clone, Default)]
pub struct CnnBilstmScratch {
    lstm: LstmScratch,
    subwords: Vec<f32>,
    seen: Vec<f32>,
    convolved: Aligned<f32>,
    words: Aligned<f32>,
    states: Aligned<f32>,
}

/// The state of a text whose words are decided as they arrive: the forward states after the last word that is not
/// read again.
#[derive(Debug, Clone, Default)]
pub struct LiveState {
    layers: Vec<LstmState>,
    /// The results of the heads at the last word that is not read again; empty at the beginning of a text.
    heads: Vec<f32>,
    /// The number of decided words that are read again.
    again: usize,
}

impl LiveState {
    /// Returns the number of words before the words that are read: 1 if the state belongs to a word, or else 0.
    fn known(&self) -> usize {
        usize::from(!self.heads.is_empty())
    }
}

/// The number of decided words that are read again with a new word, so that their states depend on some words after
/// them.
const AGAIN: usize = 2;

/// The number of texts that are read together: a step of an LSTM multiplies as many rows.
const TEXTS: usize = 16;

impl CnnBilstmEngine {
    /// Packs the weights of a network for products with these instructions.
    ///
    /// # Errors
    /// Names a weight that is missing.
    pub fn on(
        instructions: InstructionSet,
        weights: &dyn WeightSource,
        shape: CnnBilstmShape,
        special: Special,
        sizes: HeadSizes,
        precision: EnginePrecision,
    ) -> Result<Self, String> {
        let values = |name: String| weights.matrix(&name).map(WeightMatrix::in_floats);
        let [weight, bias] = CONVOLUTION;
        let convolution =
            Linear::new(instructions, precision, weights.matrix(weight)?, values(bias.to_owned())?);
        let layer = |at| {
            let part = |direction, part| weights.matrix(&shape::lstm(at, direction, part));
            let packed = |weight, bias| Linear::new(instructions, precision, weight, bias);
            let inputs = DIRECTIONS.map(|direction| {
                Ok::<_, String>(packed(part(direction, "inputs")?, part(direction, "bias")?.in_floats()))
            });
            let none = || vec![0.0; 4 * shape.hidden];
            let states =
                DIRECTIONS.map(|direction| Ok::<_, String>(packed(part(direction, "states")?, none())));
            let ([forward, backward], [again, back]) = (inputs, states);
            let (inputs, states) = ([forward?, backward?], [again?, back?]);
            Ok(BilstmLayer { instructions, hidden: shape.hidden, inputs, states })
        };
        let (mut of_heads, mut bias) = (Vec::new(), Vec::new());
        for (name, labels) in HEADS.into_iter().zip([sizes.cases, sizes.marks]) {
            if labels > 0 {
                let both = values(format!("{name}.weight"))?;
                let half = |at: usize| both.chunks_exact(2 * shape.hidden).skip(at).step_by(2);
                of_heads.extend(half(0).chain(half(1)).flatten().copied());
                bias.extend(values(format!("{name}.bias"))?);
            }
        }
        let none = vec![0.0; 2 * sizes.all()];
        Ok(Self {
            shape,
            special,
            subwords: weights.embeddings(SUBWORDS)?,
            words: weights.has(WORDS).then(|| weights.embeddings(WORDS)).transpose()?,
            layouts: shape.layouts.then(|| values(LAYOUTS.to_owned())).transpose()?,
            lexicon: shape.lexicon.then(|| values(LEXICON_ROWS.to_owned())).transpose()?,
            convolution,
            layers: (0..shape.layers).map(layer).collect::<Result<_, String>>()?,
            heads: Linear::new(instructions, EnginePrecision::F32, WeightMatrix::Floats(of_heads), none),
            bias,
            sizes,
        })
    }

    /// Returns the scores of the labels of the words of each window, head after head. `scratches` is the scratch
    /// memory of each thread, which may be reused.
    pub fn scores(
        &self,
        windows: &[SubwordWindow],
        threads: NonZeroUsize,
        scratches: &mut Vec<CnnBilstmScratch>,
    ) -> Vec<Vec<f32>> {
        let mut order: Vec<usize> = (0..windows.len()).collect();
        order.sort_by_key(|&at| Reverse(windows[at].words.len()));
        let groups: Vec<&[usize]> = order.chunks(TEXTS).collect();
        let group = |group: &&[usize], scratch: &mut CnnBilstmScratch| {
            let texts: Vec<&[WindowWord<SubwordIds>]> =
                group.iter().map(|&at| &windows[at].words[..]).collect();
            self.group(&texts, scratch)
        };
        let mut scores = vec![Vec::new(); windows.len()];
        let found = in_parallel(&groups, threads, scratches, group);
        for (at, found) in order.iter().zip(found.into_iter().flatten()) {
            scores[*at] = found;
        }
        scores
    }

    /// Cuts the next window of a text to the undecided words, their look-ahead and a few words before them, and
    /// returns its scores. `live` is the state of the text before these words, and advances with the window. It
    /// never depends on words that were decided before their look-ahead was available.
    pub fn live_scores(
        &self,
        window: &mut SubwordWindow,
        look_ahead: usize,
        live: &mut LiveState,
    ) -> Vec<f32> {
        if window.targets.start == 0 {
            *live = LiveState::default();
            live.layers.resize(self.layers.len(), LstmState::default());
        }
        window.forget(window.targets.start - live.known() - live.again);
        let reach = AGAIN + 1 + look_ahead;
        while window.words.len() - live.known() > reach {
            let known = live.known();
            self.live_rows(&window.words[..known + reach], true, live);
            window.forget(known);
        }
        let (decided, len) = (window.targets.end - live.known(), window.words.len());
        let advances = len - live.known() == reach && decided > 0;
        let rows = self.live_rows(&window.words, advances, live);
        live.again = decided - usize::from(advances);
        let row = |at: usize| &rows[at * 2 * self.sizes.all()..][..2 * self.sizes.all()];
        (0..len).flat_map(|at| self.word_scores(&row, at, len)).collect()
    }

    /// Returns the results of the heads at `words`, the first of which is the word of the state, if the state has
    /// one. If `advances` is true, the state advances by a word.
    fn live_rows(&self, words: &[WindowWord<SubwordIds>], advances: bool, live: &mut LiveState) -> Vec<f32> {
        let (known, scratch) = (live.known(), &mut CnnBilstmScratch::default());
        scratch.words.room(words.len() * self.shape.channels);
        self.read_subwords(words, |step| step, scratch);
        let steps = SequenceSteps::new(&[words.len() - known]);
        let found = self.read_words(&steps, known, Some((&mut live.layers, advances)), scratch);
        let rows = [&live.heads[..], found].concat();
        if advances {
            live.heads = found[..2 * self.sizes.all()].to_vec();
        }
        rows
    }

    /// Returns the results of the heads at the words of texts, from the word vectors in `scratch` except the first
    /// `without`. If `carried` is given, the only text continues from these states of its layers, which advance by a
    /// word if the flag is set.
    fn read_words<'s>(
        &self,
        steps: &SequenceSteps,
        without: usize,
        mut carried: Option<(&mut Vec<LstmState>, bool)>,
        scratch: &'s mut CnnBilstmScratch,
    ) -> &'s [f32] {
        let CnnBilstmScratch { lstm, words, states, .. } = scratch;
        for (at, layer) in self.layers.iter().enumerate() {
            let inputs = &words[if at == 0 { without * self.shape.channels } else { 0 }..];
            let carried = carried.as_mut().map(|(layers, advances)| (&mut layers[at], *advances));
            layer.run(steps, inputs, carried, states, lstm);
            std::mem::swap(words, states);
        }
        self.heads.apply(words, states, &mut lstm.bytes);
        states
    }

    /// Returns the scores of a few texts, the longest first.
    fn group(&self, texts: &[&[WindowWord<SubwordIds>]], scratch: &mut CnnBilstmScratch) -> Vec<Vec<f32>> {
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let steps = SequenceSteps::new(&lengths);
        scratch.words.room(steps.rows() * self.shape.channels);
        for (at, text) in texts.iter().enumerate() {
            self.read_subwords(text, |step| steps.row(at, step), scratch);
        }
        let rows = self.read_words(&steps, 0, None, scratch);
        let score = |(text, &length): (usize, &usize)| {
            let row = |at: usize| &rows[steps.row(text, at) * 2 * self.sizes.all()..][..2 * self.sizes.all()];
            (0..length).flat_map(|at| self.word_scores(&row, at, length)).collect()
        };
        lengths.iter().enumerate().map(score).collect()
    }

    /// Returns the scores of a word: cases from the states of the previous word and the word, marks from the states
    /// of the word and the next word.
    fn word_scores<'s>(&self, row: &impl Fn(usize) -> &'s [f32], at: usize, length: usize) -> Vec<f32> {
        let HeadSizes { cases, marks } = self.sizes;
        let mut scores = self.bias.clone();
        let mut add = |row: &[f32], part: Range<usize>, to: usize| {
            scores[to..].iter_mut().zip(&row[part]).for_each(|(score, value)| *score += value);
        };
        if at > 0 {
            add(row(at - 1), 0..cases, 0);
        }
        add(row(at), cases..2 * cases, 0);
        add(row(at), 2 * cases..2 * cases + marks, cases);
        if at + 1 < length {
            add(row(at + 1), 2 * cases + marks..2 * (cases + marks), cases);
        }
        scores
    }

    /// Sets the vector of each word of a text: the maximum of the results of the convolution at its subwords, plus
    /// the vectors of the word, of the layout before it and of its rows in the lexicon.
    fn read_subwords(
        &self,
        text: &[WindowWord<SubwordIds>],
        rows: impl Fn(usize) -> usize,
        scratch: &mut CnnBilstmScratch,
    ) {
        let CnnBilstmScratch { lstm, subwords, seen, convolved, words, .. } = scratch;
        let parts = text.iter().flat_map(|word| word.word.ids.subwords.iter().copied());
        let ids: Vec<u32> =
            [self.special.first].into_iter().chain(parts).chain([self.special.last]).collect();
        subwords.resize(ids.len() * self.shape.embedding, 0.0);
        self.subwords.write(&ids, subwords);
        let (width, channels) = (self.shape.embedding, self.shape.channels);
        seen.clear();
        (0..ids.len() - (CONVOLVED - 1)).for_each(|first| {
            seen.extend_from_slice(&subwords[first * width..(first + CONVOLVED) * width]);
        });
        self.convolution.apply(seen, convolved, &mut lstm.bytes);
        // The results at the special subwords around the text are 0.
        subwords.clear();
        subwords.resize(channels, 0.0);
        subwords.extend(convolved.iter().map(|value| value.max(0.0)));
        subwords.resize(ids.len() * channels, 0.0);
        let mut own = vec![0.0; channels];
        let mut results = subwords.chunks_exact(channels).skip(1);
        for (at, word) in text.iter().enumerate() {
            let out = &mut words[rows(at) * channels..][..channels];
            // The maximum starts at 0, since no result is below 0.
            out.fill(0.0);
            for subword in results.by_ref().take(word.word.ids.subwords.len()) {
                let larger = |(out, &value): (&mut f32, &f32)| *out = if value > *out { value } else { *out };
                out.iter_mut().zip(subword).for_each(larger);
            }
            if let (Some(table), Some(id)) = (&self.words, word.word.ids.word) {
                table.write(&[id], &mut own);
                out.iter_mut().zip(&own).for_each(|(out, value)| *out += value);
            }
            let mut add = |table: &Option<Vec<f32>>, row: usize| {
                let vector = table.iter().flat_map(|table| &table[row * channels..][..channels]);
                out.iter_mut().zip(vector).for_each(|(out, value)| *out += value);
            };
            word.context.layout.vector().into_iter().for_each(|row| add(&self.layouts, row));
            word.word.ids.lexicon.iter().for_each(|row| add(&self.lexicon, row));
        }
    }
}
