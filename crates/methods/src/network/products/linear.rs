//! `x · wᵀ + b` in f32 or int8.

use super::aligned::Aligned;
use super::{EnginePrecision, float, int8};
use crate::network::instruction_set::InstructionSet;
use crate::network::matrix::WeightMatrix;

/// Weights packed for products, and a bias.
#[derive(Debug, Clone)]
pub struct Linear {
    instructions: InstructionSet,
    weights: PackedWeights,
    bias: Vec<f32>,
    depth: usize,
}

#[derive(Debug, Clone)]
enum PackedWeights {
    Float(float::FloatPanels),
    Bytes(int8::BytePanels),
}

impl Linear {
    /// Packs a matrix that has a row for each number of `bias`.
    pub fn new(
        instructions: InstructionSet,
        precision: EnginePrecision,
        weight: WeightMatrix,
        bias: Vec<f32>,
    ) -> Self {
        let depth = weight.len() / bias.len();
        let weight = if precision == EnginePrecision::Int8 { weight.in_bytes(depth) } else { weight };
        let weights = match (precision, weight) {
            (EnginePrecision::Int8, WeightMatrix::Bytes { values, scales }) => {
                PackedWeights::Bytes(int8::BytePanels::of_columns(instructions, &values, &scales, depth))
            }
            (_, weight) => {
                let weight = weight.in_floats();
                PackedWeights::Float(float::FloatPanels::of_columns(instructions, &weight, depth))
            }
        };
        Self { instructions, weights, bias, depth }
    }

    /// Returns the length of a row of the result.
    pub fn outs(&self) -> usize {
        self.bias.len()
    }

    /// Returns the best number of rows to pass through several such layers at a time: fewer rows
    /// stay in the cache, more rows read the weights less often.
    pub fn tile(&self) -> usize {
        match self.weights {
            PackedWeights::Float(_) => 256,
            PackedWeights::Bytes(_) => 64,
        }
    }

    /// Multiplies rows and adds the bias; `bytes` is scratch memory.
    pub fn apply(&self, x: &[f32], out: &mut Aligned<f32>, bytes: &mut int8::ByteRows) {
        let (count, width) = (x.len() / self.depth, self.bias.len());
        out.room(count * width);
        match &self.weights {
            PackedWeights::Float(panels) => {
                let x = float::StridedRows { values: x, stride: self.depth, count };
                let out = float::StridedOutput { values: out, stride: width, width };
                panels.multiply(self.instructions, x, &self.bias, out);
            }
            PackedWeights::Bytes(panels) => {
                panels.multiply(self.instructions, x, bytes, &self.bias, out);
            }
        }
    }
}
