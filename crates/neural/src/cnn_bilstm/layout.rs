//! All weights of a network in one array, and the ranges of its parts; matrices have a row for each input.

use std::ops::Range;

use majuscule_methods::network::cnn_bilstm::shape::{self, CONVOLVED, CnnBilstmShape, DIRECTIONS, HEADS};
use majuscule_methods::network::heads::WordLayout;
use majuscule_methods::network::matrix::WeightMatrix;
use majuscule_methods::network::tensors::{Embeddings, Shapes, WeightSource, embeddings};
use majuscule_methods::network::word_lexicon::ROWS;

use crate::shared::heads::HeadSizes;
use crate::shared::lstm::{CellLayout, LstmPair};
use crate::shared::sequences::SequenceSteps;

/// The ranges of the parts of the weights. The tables are last, so that all other weights form one range.
#[derive(Debug, Clone)]
pub(super) struct CnnBilstmLayout {
    pub(super) shape: CnnBilstmShape,
    pub(super) sizes: HeadSizes,
    /// The number of words that have a vector.
    pub(super) count: usize,
    /// The weights and the bias of the convolution.
    pub(super) convolution: [Range<usize>; 2],
    /// The LSTMs, forward and backward.
    pub(super) lstms: Vec<[CellLayout; 2]>,
    /// The heads side by side, with a row for each number of both states. The columns are the scores of the cases of
    /// the next word, the cases of the word, the marks after the word, and the marks after the previous word.
    pub(super) heads: Range<usize>,
    pub(super) heads_bias: Range<usize>,
    /// The vectors of layouts, one row each.
    pub(super) layouts: Range<usize>,
    /// The vectors of the rows of the lexicon.
    pub(super) lexicon: Range<usize>,
    /// The embeddings of subwords, one row each.
    pub(super) subwords: Range<usize>,
    /// The vectors of words, one row each.
    pub(super) words: Range<usize>,
}

impl CnnBilstmLayout {
    /// Returns the layout of a network in which `count` words have a vector.
    pub(super) fn new(shape: CnnBilstmShape, count: usize, sizes: HeadSizes) -> Self {
        let mut end = 0;
        let mut next = |len: usize| {
            end += len;
            end - len..end
        };
        let channels = shape.channels;
        let convolution = [next(CONVOLVED * shape.embedding * channels), next(channels)];
        let hidden = shape.hidden;
        let mut lstm = |at| CellLayout::both(shape.layer_input(at), hidden, &mut next);
        let lstms = (0..shape.layers).map(&mut lstm).collect();
        Self {
            shape,
            sizes,
            count,
            convolution,
            lstms,
            heads: next(2 * hidden * 2 * sizes.all()),
            heads_bias: next(sizes.all()),
            layouts: next(if shape.layouts { WordLayout::VECTORS * channels } else { 0 }),
            lexicon: next(if shape.lexicon { ROWS * channels } else { 0 }),
            subwords: next(shape.subwords * shape.embedding),
            words: next(count * channels),
        }
    }

    /// Returns the number of weights.
    pub(super) fn len(&self) -> usize {
        self.words.end
    }

    /// Returns the range of all weights except the tables.
    pub(super) fn dense(&self) -> Range<usize> {
        0..self.subwords.start
    }

    /// Returns the LSTMs of a layer, which read these inputs.
    pub(super) fn lstm_layer<'a>(
        &'a self,
        layer: usize,
        weights: &'a [f32],
        steps: &'a SequenceSteps,
        inputs: &'a [f32],
    ) -> LstmPair<'a> {
        LstmPair { weights, cells: &self.lstms[layer], steps, inputs }
    }

    /// Returns the names and shapes of the tensors.
    pub(super) fn tensors(&self) -> Shapes {
        self.shape.tensors(self.count, self.sizes)
    }

    /// Returns the tensor with this name, which has a row for each output.
    fn tensor(&self, values: &[f32], name: &str) -> Option<Vec<f32>> {
        Some(self.positions(name)?.into_iter().map(|at| values[at]).collect())
    }

    /// Returns the weights of a model.
    ///
    /// # Errors
    /// Names a tensor that is missing.
    pub(super) fn read(&self, source: &dyn WeightSource) -> Result<Vec<f32>, String> {
        let mut values = vec![0.0; self.len()];
        for (name, _) in self.tensors() {
            let positions = self.positions(&name).unwrap_or_default();
            for (at, value) in positions.into_iter().zip(source.matrix(&name)?.in_floats()) {
                values[at] = value;
            }
        }
        Ok(values)
    }

    /// Returns the positions of the numbers of the tensor with this name among all weights.
    fn positions(&self, name: &str) -> Option<Vec<usize>> {
        // Matrices, with their numbers of columns, are turned.
        let mut parts = vec![
            (shape::SUBWORDS.to_owned(), &self.subwords, None),
            (shape::WORDS.to_owned(), &self.words, None),
            (shape::LAYOUTS.to_owned(), &self.layouts, None),
            (shape::LEXICON_ROWS.to_owned(), &self.lexicon, None),
            (shape::CONVOLUTION[0].to_owned(), &self.convolution[0], Some(self.shape.channels)),
            (shape::CONVOLUTION[1].to_owned(), &self.convolution[1], None),
        ];
        for (at, cells) in self.lstms.iter().enumerate() {
            for (cell, direction) in cells.iter().zip(DIRECTIONS) {
                let columns = Some(4 * cell.hidden);
                parts.push((shape::lstm(at, direction, "inputs"), &cell.inputs, columns));
                parts.push((shape::lstm(at, direction, "states"), &cell.states, columns));
                parts.push((shape::lstm(at, direction, "bias"), &cell.bias, None));
            }
        }
        let turned = |range: &Range<usize>, columns: usize| -> Vec<usize> {
            (0..columns).flat_map(|column| range.clone().skip(column).step_by(columns)).collect()
        };
        if let Some((_, range, columns)) = parts.into_iter().find(|(part, ..)| part == name) {
            return Some(columns.map_or_else(|| range.clone().collect(), |columns| turned(range, columns)));
        }
        let HeadSizes { cases, marks } = self.sizes;
        let heads = turned(&self.heads, 2 * self.sizes.all());
        let width = 2 * self.shape.hidden;
        let parts = [(0, cases, 0), (2 * cases, marks, cases)];
        for (head, (first, labels, in_bias)) in HEADS.into_iter().zip(parts) {
            let row = |at: usize| &heads[at * width..][..width];
            match name.strip_prefix(head) {
                Some(".weight") => {
                    let both = (first..first + labels).flat_map(|at| [row(at), row(at + labels)]);
                    return Some(both.flatten().copied().collect());
                }
                Some(".bias") => {
                    return Some(self.heads_bias.clone().skip(in_bias).take(labels).collect());
                }
                _ => {}
            }
        }
        None
    }
}

/// Weights with their layout, for an engine to pack.
pub(super) struct FlatWeights<'a> {
    pub(super) layout: &'a CnnBilstmLayout,
    pub(super) values: &'a [f32],
}

impl WeightSource for FlatWeights<'_> {
    fn has(&self, name: &str) -> bool {
        name != shape::WORDS || self.layout.count > 0
    }

    fn matrix(&self, name: &str) -> Result<WeightMatrix, String> {
        let tensor = self.layout.tensor(self.values, name);
        tensor.map(WeightMatrix::Floats).ok_or_else(|| format!("there is no tensor {name}"))
    }

    fn embeddings(&self, name: &str) -> Result<Box<dyn Embeddings>, String> {
        let shape = self.layout.shape;
        let width = if name == shape::WORDS { shape.channels } else { shape.embedding };
        Ok(embeddings(self.matrix(name)?, width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tensors_are_there_in_their_shapes_and_no_weight_is_left_out() {
        let shape = CnnBilstmShape {
            subwords: 7,
            embedding: 3,
            convolutions: 1,
            channels: 4,
            layers: 2,
            hidden: 5,
            layouts: false,
            lexicon: false,
        };
        for (count, sizes) in [(6, HeadSizes { cases: 3, marks: 2 }), (0, HeadSizes { cases: 0, marks: 4 })] {
            let shape = CnnBilstmShape { layouts: count > 0, lexicon: count > 0, ..shape };
            let layout = CnnBilstmLayout::new(shape, count, sizes);
            let values: Vec<f32> = (0..layout.len()).map(|at| at as f32).collect();
            let mut found = Vec::new();
            for (name, shape) in layout.tensors() {
                let tensor = layout.tensor(&values, &name).unwrap();
                assert_eq!(tensor.len(), shape.iter().product::<usize>(), "{name}");
                found.extend(tensor);
            }
            found.sort_by(f32::total_cmp);
            assert_eq!(found, values);
            assert_eq!(layout.read(&FlatWeights { layout: &layout, values: &values }).unwrap(), values);
        }
    }
}
