//! All weights of a network in one array, and the ranges of its parts.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::shared::heads::HeadSizes;
use crate::shared::lstm::CellLayout;

/// The widths of the parts of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Widths {
    /// The width of the embedding of a word.
    pub word: usize,
    /// The width of the embedding of a letter.
    pub letter: usize,
    /// The width of the state of the LSTM over letters, in each direction.
    pub letter_hidden: usize,
    /// The width of the state of the LSTM over words, in each direction.
    pub hidden: usize,
}

/// The largest width of a part; a file with a larger width is damaged.
const MOST: usize = 1 << 16;

impl Widths {
    /// Returns the name and value of the first impossible width.
    pub fn wrong(&self) -> Option<(&'static str, usize)> {
        let Self { word, letter, letter_hidden, hidden } = *self;
        let widths =
            [("word", word), ("letter", letter), ("letter-hidden", letter_hidden), ("hidden", hidden)];
        widths.into_iter().find(|(_, width)| !(1..=MOST).contains(width))
    }

    /// Returns the width of the input of the LSTM over words: the embedding of a word, and its
    /// letters read in both directions.
    pub fn input(&self) -> usize {
        self.word + 2 * self.letter_hidden
    }
}

/// The ranges of the parts of the weights. The embeddings of words are last, so that all other weights form one
/// range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightLayout {
    pub widths: Widths,
    pub heads: HeadSizes,
    /// The embeddings of letters, one row each.
    pub letters: Range<usize>,
    /// The LSTMs over letters, forward and backward.
    pub spelling: [CellLayout; 2],
    /// The LSTMs over words, forward and backward.
    pub sentence: [CellLayout; 2],
    /// The heads side by side, with a row for each number of both states and a column for each class
    /// and each mark.
    pub head: Range<usize>,
    pub head_bias: Range<usize>,
    /// The transition scores, with a row for each class and a column for the class after it.
    pub between: Range<usize>,
    pub first: Range<usize>,
    pub last: Range<usize>,
    /// The embeddings of words, one row each.
    pub words: Range<usize>,
}

impl WeightLayout {
    /// Returns the layout of a network for these numbers of words and letters, including the unknown word and letter,
    /// and for these heads.
    pub fn new(widths: Widths, words: usize, letters: usize, heads: HeadSizes) -> Self {
        let mut end = 0;
        let mut next = |len: usize| {
            end += len;
            end - len..end
        };
        let letter_rows = next(letters * widths.letter);
        let spelling = CellLayout::both(widths.letter, widths.letter_hidden, &mut next);
        let sentence = CellLayout::both(widths.input(), widths.hidden, &mut next);
        Self {
            widths,
            heads,
            letters: letter_rows,
            spelling,
            sentence,
            head: next(2 * widths.hidden * heads.all()),
            head_bias: next(heads.all()),
            between: next(heads.cases * heads.cases),
            first: next(heads.cases),
            last: next(heads.cases),
            words: next(words * widths.word),
        }
    }

    /// Returns the number of weights.
    pub fn len(&self) -> usize {
        self.words.end
    }

    /// Returns the range of all weights except the word embeddings.
    pub fn dense(&self) -> Range<usize> {
        0..self.words.start
    }

    /// Returns the parts by name.
    #[cfg(test)]
    pub fn parts(&self) -> Vec<(&'static str, Range<usize>)> {
        let mut parts = vec![("letters", self.letters.clone())];
        for cell in self.spelling.iter().chain(&self.sentence) {
            parts.extend([
                ("inputs", cell.inputs.clone()),
                ("states", cell.states.clone()),
                ("bias", cell.bias.clone()),
            ]);
        }
        parts.extend([
            ("head", self.head.clone()),
            ("head bias", self.head_bias.clone()),
            ("between", self.between.clone()),
            ("first", self.first.clone()),
            ("last", self.last.clone()),
            ("words", self.words.clone()),
        ]);
        parts
    }
}

/// The weights of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkWeights {
    pub layout: WeightLayout,
    pub values: Vec<f32>,
}

impl NetworkWeights {
    /// Reads the weights of the layout as little-endian numbers.
    ///
    /// # Errors
    /// Describes the fault in the bytes.
    pub fn read(layout: WeightLayout, bytes: &[u8]) -> Result<Self, String> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        if numbers.len() != layout.len() || !rest.is_empty() {
            let expected = 4 * layout.len();
            return Err(format!(
                "has {} bytes, but its words, letters and widths need {expected}",
                bytes.len()
            ));
        }
        let values: Vec<f32> = numbers.iter().map(|&number| f32::from_le_bytes(number)).collect();
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(format!("holds {} as weight {at}, which is not finite", values[at])),
            None => Ok(Self { layout, values }),
        }
    }

    /// Returns the weights as the network reads them.
    pub fn view(&self) -> WeightsView<'_> {
        WeightsView { layout: &self.layout, values: &self.values }
    }

    /// Returns the bytes that [`NetworkWeights::read`] reads.
    pub fn bytes(&self) -> Vec<u8> {
        self.values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }
}

/// The weights of a model, or weights under training.
#[derive(Debug, Clone, Copy)]
pub struct WeightsView<'a> {
    pub layout: &'a WeightLayout,
    pub values: &'a [f32],
}

impl<'a> WeightsView<'a> {
    /// Returns a part of the weights.
    pub fn part(&self, range: &Range<usize>) -> &'a [f32] {
        &self.values[range.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: Widths = Widths { word: 3, letter: 2, letter_hidden: 4, hidden: 5 };
    const HEADS: HeadSizes = HeadSizes { cases: 3, marks: 2 };

    #[test]
    fn the_parts_stand_side_by_side_and_leave_nothing_out() {
        let layout = WeightLayout::new(WIDTHS, 7, 6, HEADS);
        let mut end = 0;
        for (name, part) in layout.parts() {
            assert_eq!(part.start, end, "{name}");
            end = part.end;
        }
        assert_eq!(end, layout.len());
        assert_eq!(layout.dense().end + 7 * 3, end);
    }

    #[test]
    fn weights_cut_off_or_infinite_are_refused() {
        let layout = WeightLayout::new(WIDTHS, 7, 6, HEADS);
        let weights = NetworkWeights { values: vec![0.5; layout.len()], layout: layout.clone() };
        let bytes = weights.bytes();
        assert_eq!(NetworkWeights::read(layout.clone(), &bytes), Ok(weights));
        for len in (0..bytes.len()).step_by(37) {
            let problem = NetworkWeights::read(layout.clone(), &bytes[..len]).unwrap_err();
            assert!(problem.contains(&format!("has {len} bytes")), "{problem}");
        }
        let mut infinite = bytes;
        infinite[40..44].copy_from_slice(&f32::INFINITY.to_le_bytes());
        assert!(NetworkWeights::read(layout, &infinite).unwrap_err().contains("holds inf as weight 10"));
    }
}
