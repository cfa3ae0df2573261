//! The widths of the parts of a network, and the names and shapes of its tensors.

use serde::{Deserialize, Serialize};

use crate::network::heads::{HeadSizes, WordLayout};
use crate::network::tensors::Shapes;
use crate::network::word_lexicon::ROWS;

/// The width of the convolution: a subword and its two neighbours.
pub const CONVOLVED: usize = 3;

/// The embeddings of subwords.
pub const SUBWORDS: &str = "pieces.weight";
/// The embeddings of whole words.
pub const WORDS: &str = "words.weight";
/// The vectors of the [layouts](crate::network::heads::WordLayout) before words.
pub const LAYOUTS: &str = "layouts.weight";
/// The vectors of the rows of the [lexicon](crate::network::word_lexicon).
pub const LEXICON_ROWS: &str = "lexicon.weight";
/// The weights and the bias of the convolution.
pub const CONVOLUTION: [&str; 2] = ["convolutions.0.weight", "convolutions.0.bias"];
/// The names of the heads: for cases and for marks.
pub const HEADS: [&str; 2] = ["cases", "marks"];
/// The names of the directions of an LSTM.
pub const DIRECTIONS: [&str; 2] = ["forward", "backward"];

/// The widths and numbers of the parts of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CnnBilstmShape {
    /// The number of subwords.
    #[serde(rename = "pieces")]
    pub subwords: usize,
    /// The width of the embedding of a subword.
    pub embedding: usize,
    /// The number of convolutions, which is 1.
    pub convolutions: usize,
    /// The width of the result of a convolution, and of the vector of a word.
    pub channels: usize,
    /// The number of LSTMs over words, each in both directions.
    pub layers: usize,
    /// The width of the state of an LSTM, in each direction.
    pub hidden: usize,
    /// True if the network reads line breaks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub layouts: bool,
    /// True if the network reads a lexicon.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lexicon: bool,
}

/// The largest number of subwords, the largest width of a part, and the largest number of parts of a kind; a file
/// with more is damaged.
const MOST: [usize; 3] = [1 << 24, 1 << 12, 16];

impl CnnBilstmShape {
    /// Returns the name and value of the first impossible number, and the largest possible one.
    pub fn wrong(&self) -> Option<(&'static str, usize, usize)> {
        let Self { subwords, embedding, convolutions, channels, layers, hidden, .. } = *self;
        let [all, wide, many] = MOST;
        let numbers = [
            ("subwords", subwords, all),
            ("embedding", embedding, wide),
            ("convolutions", convolutions, 1),
            ("channels", channels, wide),
            ("layers", layers, many),
            ("hidden", hidden, wide),
        ];
        numbers.into_iter().find(|(_, number, most)| !(1..=*most).contains(number))
    }

    /// Returns the width of the input of an LSTM.
    pub fn layer_input(&self, at: usize) -> usize {
        if at == 0 { self.channels } else { 2 * self.hidden }
    }

    /// Returns the names and shapes of the tensors of a network in which this number of words has a vector. The
    /// gates of an LSTM have this order: input, forget, output, candidate. A head reads the states of two words,
    /// in both directions, in the order of the text.
    pub fn tensors(&self, words: usize, heads: HeadSizes) -> Shapes {
        let gates = 4 * self.hidden;
        let mut shapes = vec![(SUBWORDS.to_owned(), vec![self.subwords, self.embedding])];
        if words > 0 {
            shapes.push((WORDS.to_owned(), vec![words, self.channels]));
        }
        if self.layouts {
            shapes.push((LAYOUTS.to_owned(), vec![WordLayout::VECTORS, self.channels]));
        }
        if self.lexicon {
            shapes.push((LEXICON_ROWS.to_owned(), vec![ROWS, self.channels]));
        }
        shapes.push((CONVOLUTION[0].to_owned(), vec![self.channels, CONVOLVED * self.embedding]));
        shapes.push((CONVOLUTION[1].to_owned(), vec![self.channels]));
        for at in 0..self.layers {
            for direction in DIRECTIONS {
                shapes.push((lstm(at, direction, "inputs"), vec![gates, self.layer_input(at)]));
                shapes.push((lstm(at, direction, "states"), vec![gates, self.hidden]));
                shapes.push((lstm(at, direction, "bias"), vec![gates]));
            }
        }
        for (name, labels) in
            HEADS.into_iter().zip([heads.cases, heads.marks]).filter(|(_, labels)| *labels > 0)
        {
            shapes.push((format!("{name}.weight"), vec![labels, 4 * self.hidden]));
            shapes.push((format!("{name}.bias"), vec![labels]));
        }
        shapes
    }
}

/// Returns the name of a part of an LSTM.
pub fn lstm(at: usize, direction: &str, part: &str) -> String {
    format!("lstms.{at}.{direction}.{part}")
}

/// Returns true for the tensors that are int8 in a quarter-size model: all but the small tensors of heads,
/// layouts and the lexicon.
pub fn takes_bytes(name: &str) -> bool {
    !matches!(name, LAYOUTS | LEXICON_ROWS) && !HEADS.iter().any(|head| name.starts_with(head))
}
