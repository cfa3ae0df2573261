//! `x · wᵀ + b` in 32-bit numbers or in bytes.

use super::machine::Machine;
use super::{Precision, float, int8};

/// Weights packed for products, and a bias.
#[derive(Debug, Clone)]
pub struct Linear {
    machine: Machine,
    weights: Weights,
    bias: Vec<f32>,
    depth: usize,
}

#[derive(Debug, Clone)]
enum Weights {
    Float(float::Panels),
    Bytes(int8::Panels),
}

impl Linear {
    /// A matrix with a row of `depth` numbers for each number of `bias`.
    pub fn new(machine: Machine, precision: Precision, weight: &[f32], bias: Vec<f32>) -> Self {
        let depth = weight.len() / bias.len();
        let weights = match precision {
            Precision::F32 => Weights::Float(float::Panels::of_columns(machine, weight, depth)),
            Precision::Int8 => Weights::Bytes(int8::Panels::of_columns(machine, weight, depth)),
        };
        Self { machine, weights, bias, depth }
    }

    /// Numbers in a row of what comes out.
    pub fn outs(&self) -> usize {
        self.bias.len()
    }

    /// So many rows are best put through one after another network of these: fewer stay nearer, more read the weights less
    /// often.
    pub fn tile(&self) -> usize {
        match self.weights {
            Weights::Float(_) => 256,
            Weights::Bytes(_) => 64,
        }
    }

    /// Rows in, rows out; `bytes` is memory to work in.
    pub fn apply(&self, x: &[f32], out: &mut Vec<f32>, bytes: &mut int8::Bytes) {
        let (count, width) = (x.len() / self.depth, self.bias.len());
        out.resize(count * width, 0.0);
        match &self.weights {
            Weights::Float(panels) => {
                let x = float::Rows { values: x, stride: self.depth, count };
                panels.multiply(self.machine, x, &self.bias, out, width, width);
            }
            Weights::Bytes(panels) => {
                panels.multiply(self.machine, x, bytes, &self.bias, out);
            }
        }
    }
}
