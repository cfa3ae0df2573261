//! What is done with rows of numbers between products of matrices, written so that the compiler works on many at once.

use super::machine::Machine;
use crate::shared::exp::{exp, gelu as gelu_of};

/// Numbers that are added side by side; the order of a sum is the same on every processor.
const LANES: usize = 16;

/// What a norm multiplies with and adds.
#[derive(Debug, Clone)]
pub struct Norm {
    /// The factors.
    pub weight: Vec<f32>,
    /// The summands.
    pub bias: Vec<f32>,
    /// What is added to a variance.
    pub eps: f32,
}

impl Norm {
    /// Adds rows to rows and normalises the sums (Ba et al. 2016).
    pub fn add(&self, machine: Machine, x: &mut [f32], added: &[f32]) {
        let width = self.weight.len();
        machine.run(
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
    pub fn rows(&self, machine: Machine, x: &mut [f32]) {
        machine.run(
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

/// A sum of what is made of numbers.
#[inline(always)]
fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &value)| *lane += of(value));
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|&value| of(value)).sum::<f32>()
}

/// x · Φ(x) of each.
pub fn gelu(machine: Machine, values: &mut [f32]) {
    machine.run(
        #[inline(always)]
        || values.iter_mut().for_each(|value| *value = gelu_of(*value)),
    );
}

/// The softmax of the first `len` numbers of each row of `width`; what follows becomes as good as 0.
pub fn softmax(machine: Machine, values: &mut [f32], width: usize, len: usize) {
    machine.run(
        #[inline(always)]
        || {
            for row in values.chunks_exact_mut(width) {
                row[len..].fill(f32::NEG_INFINITY);
                let most = fold(row, f32::NEG_INFINITY, |a, b| if a > b { a } else { b });
                row.iter_mut().for_each(|value| *value = exp(*value - most));
                let factor = 1.0 / sum(row, |value| value);
                row.iter_mut().for_each(|value| *value *= factor);
            }
        },
    );
}

/// Numbers joined by an operation whose order does not matter.
#[inline(always)]
fn fold(values: &[f32], start: f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [start; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &value)| *lane = join(*lane, value));
    }
    lanes.into_iter().chain(rest.iter().copied()).fold(start, join)
}

/// Adds rows, multiplied by a factor.
pub fn add_scaled(machine: Machine, sum: &mut [f32], rows: &[f32], factor: f32) {
    machine.run(
        #[inline(always)]
        || sum.iter_mut().zip(rows).for_each(|(sum, value)| *sum += factor * value),
    );
}

/// Added to a small number, this leaves it, rounded, in the lowest bits.
pub const ROUND: f32 = 12_582_912.0;

/// A row as bytes, each of which stands for `low + scale · byte`, `low` the least number of the row and 255 its greatest.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scale {
    /// What a byte counts.
    pub scale: f32,
    /// What 0 stands for.
    pub low: f32,
}

/// Rows of `depth` numbers as rows of `stride` bytes.
pub fn quantise(
    machine: Machine,
    x: &[f32],
    depth: usize,
    bytes: &mut [u8],
    stride: usize,
    scales: &mut [Scale],
) {
    machine.run(
        #[inline(always)]
        || {
            let rows = x.chunks_exact(depth).zip(bytes.chunks_exact_mut(stride)).zip(scales);
            for ((x, bytes), scale) in rows {
                let low = fold(x, f32::INFINITY, |a, b| if a < b { a } else { b });
                let high = fold(x, f32::NEG_INFINITY, |a, b| if a > b { a } else { b });
                *scale = Scale { scale: (high - low) / 255.0, low };
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
    fn every_kind_of_processor_gives_the_same_to_the_bit() {
        let norm = Norm { weight: numbers(37), bias: numbers(37), eps: 1e-12 };
        let all = |machine: Machine| {
            let mut x = numbers(37 * 5);
            norm.rows(machine, &mut x);
            norm.add(machine, &mut x, &numbers(37 * 5));
            gelu(machine, &mut x);
            add_scaled(machine, &mut x, &numbers(37 * 5), 0.3);
            let (mut bytes, mut scales) = (vec![1; 40 * 5], vec![Scale::default(); 5]);
            quantise(machine, &x, 37, &mut bytes, 40, &mut scales);
            softmax(machine, &mut x, 37, 20);
            (x, bytes, scales)
        };
        for machine in Machine::all() {
            assert_eq!(all(machine), all(Machine::Plain), "{machine:?}");
        }
    }

    #[test]
    fn a_byte_stands_for_its_number_within_half_a_step() {
        let x = numbers(64);
        let (mut bytes, mut scales) = (vec![9; 68], vec![Scale::default(); 1]);
        quantise(Machine::Plain, &x, 64, &mut bytes, 68, &mut scales);
        let Scale { scale, low } = scales[0];
        for (byte, x) in bytes.iter().zip(&x) {
            assert!((low + scale * f32::from(*byte) - x).abs() <= 0.501 * scale);
        }
        assert_eq!(bytes[64..], [0; 4]);
    }

    #[test]
    fn shares_and_norms_are_those_of_a_pencil() {
        // e⁰ : e^(ln 3) = 1 : 3
        let mut shares = [0.0, 3f32.ln(), 9.0];
        softmax(Machine::Plain, &mut shares, 3, 2);
        assert!((shares[0] - 0.25).abs() < 1e-6 && (shares[1] - 0.75).abs() < 1e-6 && shares[2] < 1e-30);
        // Mean 2, deviation 1: −1 and 1; times 2, plus 3.
        let norm = Norm { weight: vec![2.0; 2], bias: vec![3.0; 2], eps: 1e-12 };
        let mut x = [1.0, 2.0];
        norm.add(Machine::Plain, &mut x, &[0.0, 1.0]);
        assert!((x[0] - 1.0).abs() < 1e-5 && (x[1] - 5.0).abs() < 1e-5);
    }
}
