//! Operations on rows of numbers between products of matrices, written so that the compiler
//! vectorises them.

use crate::network::exp::{ROUND, exp2, gelu as gelu_of};
use crate::network::instruction_set::InstructionSet;
use crate::network::lanes::{fold, max, sum};

/// The weights of a layer normalisation.
#[derive(Debug, Clone)]
pub struct Norm {
    /// The factors.
    pub weight: Vec<f32>,
    /// The numbers that are added.
    pub bias: Vec<f32>,
    /// The epsilon that is added to a variance.
    pub eps: f32,
}

impl Norm {
    /// Adds rows to rows and normalises the sums (Ba et al. 2016).
    pub fn add(&self, instructions: InstructionSet, x: &mut [f32], added: &[f32]) {
        let width = self.weight.len();
        instructions.run(
            #[inline(always)]
            || {
                for (x, added) in x.chunks_exact_mut(width).zip(added.chunks_exact(width)) {
                    x.iter_mut().zip(added).for_each(|(x, added)| *x += added);
                    self.row(x);
                }
            },
        );
    }

    /// Normalises rows.
    pub fn rows(&self, instructions: InstructionSet, x: &mut [f32]) {
        instructions.run(
            #[inline(always)]
            || x.chunks_exact_mut(self.weight.len()).for_each(|x| self.row(x)),
        );
    }

    #[inline(always)]
    fn row(&self, x: &mut [f32]) {
        let width = x.len() as f32;
        let mean = sum(x, |x| x) / width;
        let variance = sum(x, |x| (x - mean) * (x - mean)) / width;
        let factor = 1.0 / (variance + self.eps).sqrt();
        for ((x, weight), bias) in x.iter_mut().zip(&self.weight).zip(&self.bias) {
            *x = (*x - mean) * factor * weight + bias;
        }
    }
}

/// Applies x · Φ(x) to each number.
pub fn gelu(instructions: InstructionSet, values: &mut [f32]) {
    instructions.run(
        #[inline(always)]
        || values.iter_mut().for_each(|value| *value = gelu_of(*value)),
    );
}

/// Replaces the first `len` numbers x of each row of `width` numbers by 2ˣ, up to a factor of the
/// row, and the other numbers by practically 0. Sets `fractions` to the factor of each row that
/// makes its sum 1.
pub fn powers(
    instructions: InstructionSet,
    values: &mut [f32],
    width: usize,
    len: usize,
    fractions: &mut Vec<f32>,
) {
    fractions.resize(values.len() / width, 0.0);
    instructions.run(
        #[inline(always)]
        || {
            for (row, fraction) in values.chunks_exact_mut(width).zip(fractions) {
                row[len..].fill(f32::NEG_INFINITY);
                let most = max(row);
                row.iter_mut().for_each(|value| *value = exp2(*value - most));
                *fraction = 1.0 / sum(row, |value| value);
            }
        },
    );
}

/// Multiplies the first `width` numbers of each row of `stride` by the factor of the row.
pub fn scale(instructions: InstructionSet, rows: &mut [f32], stride: usize, width: usize, factors: &[f32]) {
    instructions.run(
        #[inline(always)]
        || {
            for (row, factor) in rows.chunks_mut(stride).zip(factors) {
                row[..width].iter_mut().for_each(|value| *value *= factor);
            }
        },
    );
}

/// Adds these rows of `x`, of `width` numbers and multiplied by a factor, to the rows of `sum`.
pub fn add_scaled(
    instructions: InstructionSet,
    sum: &mut [f32],
    x: &[f32],
    rows: impl Iterator<Item = usize>,
    width: usize,
    factor: f32,
) {
    instructions.run(
        #[inline(always)]
        || {
            for (sum, row) in sum.chunks_exact_mut(width).zip(rows) {
                sum.iter_mut()
                    .zip(&x[row * width..][..width])
                    .for_each(|(sum, value)| *sum += factor * value);
            }
        },
    );
}

/// The scale of a row of bytes, each of which represents `low + scale · byte`: 0 is the smallest
/// number of the row and 255 the largest.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RowScale {
    /// The difference between the values of two successive bytes.
    pub scale: f32,
    /// The value of the byte 0.
    pub low: f32,
}

/// Quantises rows of `depth` numbers to rows of `stride` bytes.
pub fn quantise(
    instructions: InstructionSet,
    x: &[f32],
    depth: usize,
    bytes: &mut [u8],
    stride: usize,
    scales: &mut [RowScale],
) {
    instructions.run(
        #[inline(always)]
        || {
            let rows = x.chunks_exact(depth).zip(bytes.chunks_exact_mut(stride)).zip(scales);
            for ((x, bytes), scale) in rows {
                let low = fold(x, f32::INFINITY, |a, b| if a < b { a } else { b });
                let high = fold(x, f32::NEG_INFINITY, |a, b| if a > b { a } else { b });
                *scale = RowScale { scale: (high - low) / 255.0, low };
                let factor = if high > low { 255.0 / (high - low) } else { 0.0 };
                bytes[depth..].fill(0);
                for (byte, x) in bytes.iter_mut().zip(x) {
                    *byte = ((x - low) * factor + ROUND).to_bits() as u8;
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<f32> {
        (0..count).map(|at| (at as f32 * 0.7).sin() * 3.0).collect()
    }

    #[test]
    fn every_kind_of_cpu_gives_the_same_to_the_bit() {
        let norm = Norm { weight: numbers(37), bias: numbers(37), eps: 1e-12 };
        let all = |instructions: InstructionSet| {
            let mut x = numbers(37 * 5);
            norm.rows(instructions, &mut x);
            norm.add(instructions, &mut x, &numbers(37 * 5));
            gelu(instructions, &mut x);
            add_scaled(instructions, &mut x, &numbers(37 * 5), [4, 0, 2, 2, 1].into_iter(), 37, 0.3);
            let (mut bytes, mut scales) = (vec![1; 40 * 5], vec![RowScale::default(); 5]);
            quantise(instructions, &x, 37, &mut bytes, 40, &mut scales);
            let mut fractions = Vec::new();
            powers(instructions, &mut x, 37, 20, &mut fractions);
            scale(instructions, &mut x, 37, 30, &fractions);
            (x, bytes, scales, fractions)
        };
        for instructions in InstructionSet::all() {
            assert_eq!(all(instructions), all(InstructionSet::Plain), "{instructions:?}");
        }
    }

    #[test]
    fn a_byte_stands_for_its_number_within_half_a_step() {
        let x = numbers(64);
        let (mut bytes, mut scales) = (vec![9; 68], vec![RowScale::default(); 1]);
        quantise(InstructionSet::Plain, &x, 64, &mut bytes, 68, &mut scales);
        let RowScale { scale, low } = scales[0];
        for (byte, x) in bytes.iter().zip(&x) {
            assert!((low + scale * f32::from(*byte) - x).abs() <= 0.501 * scale);
        }
        assert_eq!(bytes[64..], [0; 4]);
    }

    #[test]
    fn probabilities_and_norms_are_those_of_a_pencil() {
        // 2⁰ : 2^(log₂ 3) = 1 : 3
        let mut probabilities = [0.0, 3f32.log2(), 9.0];
        let mut fractions = Vec::new();
        powers(InstructionSet::Plain, &mut probabilities, 3, 2, &mut fractions);
        scale(InstructionSet::Plain, &mut probabilities, 3, 3, &fractions);
        assert!(
            (probabilities[0] - 0.25).abs() < 1e-6
                && (probabilities[1] - 0.75).abs() < 1e-6
                && probabilities[2] < 1e-30
        );
        // Mean 2, deviation 1: −1 and 1; times 2, plus 3.
        let norm = Norm { weight: vec![2.0; 2], bias: vec![3.0; 2], eps: 1e-12 };
        let mut x = [1.0, 2.0];
        norm.add(InstructionSet::Plain, &mut x, &[0.0, 1.0]);
        assert!((x[0] - 1.0).abs() < 1e-5 && (x[1] - 5.0).abs() < 1e-5);
    }
}
