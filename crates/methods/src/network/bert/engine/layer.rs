//! A transformer layer for texts that are stored one after another, without padding between them.

use std::ops::Range;
use std::sync::Arc;

use crate::network::bert::distances::DistanceBias;
use crate::network::instruction_set::InstructionSet;
use crate::network::products::aligned::Aligned;
use crate::network::products::float::{FloatPanels, StridedOutput, StridedRows};
use crate::network::products::int8::ByteRows;
use crate::network::products::linear::Linear;
use crate::network::products::rows::{Norm, gelu, powers, scale};

/// A transformer layer: attention, then a feed-forward network, each added to its input and
/// normalised.
#[derive(Debug, Clone)]
pub struct EngineLayer {
    /// The instructions with which the layer computes.
    pub instructions: InstructionSet,
    /// The number of attention heads.
    pub heads: usize,
    /// The projections to queries, keys and values, side by side. The queries are divided by the square
    /// root of a head's size and by ln 2, so that the softmax can use powers of 2.
    pub attending: Linear,
    /// The relative position biases, divided by ln 2, if there are any.
    pub distances: Option<Arc<DistanceBias>>,
    /// The projection of the result of attention.
    pub attended: Linear,
    /// The norm of the sum of the input and the projected attention.
    pub attended_norm: Norm,
    /// The first half of the feed-forward network.
    pub inner: Linear,
    /// The second half of the feed-forward network.
    pub outer: Linear,
    /// The norm of the sum of its input and the result of the feed-forward network.
    pub outer_norm: Norm,
}

/// Scratch memory.
#[derive(Debug, Default)]
pub struct EngineScratch {
    bytes: ByteRows,
    attending: Aligned<f32>,
    queries: Vec<f32>,
    keys: FloatPanels,
    values: FloatPanels,
    probabilities: Aligned<f32>,
    fractions: Vec<f32>,
    attended: Aligned<f32>,
    inner: Aligned<f32>,
    added: Aligned<f32>,
}

/// A text of a batch.
#[derive(Debug, Clone)]
pub struct BatchSpan {
    /// The rows of the text.
    pub rows: Range<usize>,
    /// The range of the target rows of the text among all target rows.
    pub targets: Range<usize>,
}

/// The rows of a text among the queries, keys and values of a batch.
struct AttendedText<'a> {
    attending: &'a [f32],
    rows: Range<usize>,
}

impl EngineLayer {
    /// Replaces the states of all rows by the states after this layer.
    pub fn forward(&self, x: &mut [f32], spans: &[BatchSpan], scratch: &mut EngineScratch) {
        self.attending.apply(x, &mut scratch.attending, &mut scratch.bytes);
        let attending = std::mem::take(&mut scratch.attending);
        scratch.attended.room(x.len());
        let stride = self.attending.outs();
        for BatchSpan { rows, .. } in spans {
            let queries =
                StridedRows { values: &attending[rows.start * stride..], stride, count: rows.len() };
            let text = AttendedText { attending: &attending, rows: rows.clone() };
            self.attend(queries, 0..rows.len(), text, rows.start, scratch);
        }
        scratch.attending = attending;
        self.after_attention(x, scratch);
    }

    /// Returns the states of the target rows after this layer; `targets` are the indices of these rows,
    /// and `x` has the states of all rows before the layer.
    pub fn forward_targets(
        &self,
        x: &[f32],
        spans: &[BatchSpan],
        targets: &[usize],
        scratch: &mut EngineScratch,
    ) -> Vec<f32> {
        self.attending.apply(x, &mut scratch.attending, &mut scratch.bytes);
        let attending = std::mem::take(&mut scratch.attending);
        let stride = self.attending.outs();
        let hidden = stride / 3;
        let mut queries = std::mem::take(&mut scratch.queries);
        queries.clear();
        let mut out = Vec::with_capacity(targets.len() * hidden);
        for row in targets {
            queries.extend_from_slice(&attending[row * stride..][..hidden]);
            out.extend_from_slice(&x[row * hidden..][..hidden]);
        }
        scratch.attended.room(out.len());
        let of_targets = targets;
        for BatchSpan { rows, targets } in spans {
            let queries = StridedRows {
                values: &queries[targets.start * hidden..],
                stride: hidden,
                count: targets.len(),
            };
            let positions = of_targets[targets.clone()].iter().map(|row| row - rows.start);
            let text = AttendedText { attending: &attending, rows: rows.clone() };
            self.attend(queries, positions, text, targets.start, scratch);
        }
        (scratch.attending, scratch.queries) = (attending, queries);
        self.after_attention(&mut out, scratch);
        out
    }

    /// Computes attention (Vaswani et al. 2017, section 3.2) of these queries, at these positions of
    /// their text, over the rows of the text, and writes it to `scratch.attended` from row `first` on.
    fn attend(
        &self,
        queries: StridedRows<'_>,
        positions: impl Iterator<Item = usize> + Clone,
        text: AttendedText<'_>,
        first: usize,
        scratch: &mut EngineScratch,
    ) {
        if queries.count == 0 {
            return;
        }
        let AttendedText { attending, rows } = text;
        let (instructions, stride) = (self.instructions, self.attending.outs());
        let (hidden, size) = (stride / 3, stride / 3 / self.heads);
        let EngineScratch { keys, values, probabilities, fractions, attended, .. } = scratch;
        for head in 0..self.heads {
            let part = |part: usize| {
                let position = part * hidden + head * size;
                rows.clone().map(move |row| &attending[row * stride + position..][..size])
            };
            keys.clear(instructions, rows.len(), size);
            keys.fill_columns(instructions, part(1));
            values.clear(instructions, size, rows.len());
            values.fill_rows(instructions, part(2));
            let width = keys.columns();
            probabilities.room(queries.count * width);
            let queries = StridedRows { values: &queries.values[head * size..], ..queries };
            let out = StridedOutput { values: probabilities, stride: width, width };
            keys.multiply(instructions, queries, &[], out);
            if let Some(distances) = &self.distances {
                for (scores, position) in probabilities.chunks_exact_mut(width).zip(positions.clone()) {
                    let summands = distances.of(head, position, rows.len());
                    scores.iter_mut().zip(summands).for_each(|(score, summand)| *score += summand);
                }
            }
            // The softmax without its normalisation, which is applied to the result instead, since the
            // result has fewer numbers.
            powers(instructions, probabilities, width, rows.len(), fractions);
            let probabilities = StridedRows { values: probabilities, stride: width, count: queries.count };
            let out = &mut attended[first * hidden + head * size..];
            let written = StridedOutput { values: out, stride: hidden, width: size };
            values.multiply(instructions, probabilities, &[], written);
            scale(instructions, out, hidden, size, fractions);
        }
    }

    /// Adds the result of attention, and then the result of the feed-forward network.
    fn after_attention(&self, x: &mut [f32], scratch: &mut EngineScratch) {
        let (instructions, width) = (self.instructions, self.attended.outs() * self.inner.tile());
        let EngineScratch { bytes, attended, inner, added, .. } = scratch;
        for (x, attended) in x.chunks_mut(width).zip(attended.chunks(width)) {
            self.attended.apply(attended, added, bytes);
            self.attended_norm.add(instructions, x, added);
            self.inner.apply(x, inner, bytes);
            gelu(instructions, inner);
            self.outer.apply(inner, added, bytes);
            self.outer_norm.add(instructions, x, added);
        }
    }
}
