//! Operations on rows of numbers between products of matrices, forward and backward. The threads of the current pool
//! share the blocks of rows. The result does not depend on the number of threads.

use rayon::prelude::*;

use crate::bert::train::dropout::BlockDropout;
use crate::shared::exp::{gelu, gelu_with_derivative};
use crate::shared::instruction_set::InstructionSet;
use crate::shared::lanes::sum;
use crate::shared::values::{add, multiply};

/// The number of rows of a block.
pub const BLOCK: usize = 64;

/// The factors and summands of a layer normalisation (Ba et al. 2016), one of each per column.
#[derive(Debug, Clone, Copy)]
pub struct NormWeights<'a> {
    /// The factors.
    pub weight: &'a [f32],
    /// The summands.
    pub bias: &'a [f32],
    /// The epsilon that is added to a variance.
    pub eps: f32,
}

/// Rows that are normalised to mean 0 and deviation 1, and their deviations before.
#[derive(Debug, Default)]
pub struct Normed {
    rows: Vec<f32>,
    deviations: Vec<f32>,
}

/// The gradients of the parts of [`join`], each summed over the rows.
#[derive(Debug)]
pub struct JoinGradients {
    /// The gradient of the factors of the norm.
    pub weight: Vec<f32>,
    /// The gradient of the summands of the norm.
    pub bias: Vec<f32>,
    /// The gradient of the output rows of the part, before dropout.
    pub added: Vec<f32>,
}

/// Sums the rows of `width` numbers, column by column.
pub fn column_sums(instructions: InstructionSet, rows: &[f32], width: usize) -> Vec<f32> {
    let blocks: Vec<Vec<f32>> = rows
        .par_chunks(BLOCK * width)
        .map(|rows| {
            let mut sums = vec![0.0; width];
            instructions.run(
                #[inline(always)]
                || rows.chunks_exact(width).for_each(|row| add(&mut sums, row)),
            );
            sums
        })
        .collect();
    total(&blocks, width)
}

/// Sums the rows of all blocks, in their order.
fn total(blocks: &[Vec<f32>], width: usize) -> Vec<f32> {
    let mut sums = vec![0.0; width];
    blocks.iter().for_each(|block| add(&mut sums, block));
    sums
}

/// Computes the Gaussian error linear unit.
pub fn gelu_rows(instructions: InstructionSet, values: &[f32]) -> Vec<f32> {
    const CHUNK: usize = 1 << 14;
    let mut out = vec![0.0; values.len()];
    out.par_chunks_mut(CHUNK).zip(values.par_chunks(CHUNK)).for_each(|(out, values)| {
        instructions.run(
            #[inline(always)]
            || out.iter_mut().zip(values).for_each(|(out, x)| *out = gelu(*x)),
        );
    });
    out
}

/// Replaces rows by their values of GELU, and the gradients of these values by the gradients of the rows. Returns the
/// sum of the new gradients over the rows.
pub fn gelu_rows_back(
    instructions: InstructionSet,
    rows: &mut [f32],
    grads: &mut [f32],
    width: usize,
) -> Vec<f32> {
    let block = BLOCK * width;
    let blocks: Vec<Vec<f32>> = (rows.par_chunks_mut(block), grads.par_chunks_mut(block))
        .into_par_iter()
        .map(|(rows, grads)| {
            let mut sums = vec![0.0; width];
            instructions.run(
                #[inline(always)]
                || {
                    for (row, grads) in rows.chunks_exact_mut(width).zip(grads.chunks_exact_mut(width)) {
                        for ((x, grad), sum) in row.iter_mut().zip(grads).zip(&mut sums) {
                            let (value, derivative) = gelu_with_derivative(*x);
                            *x = value;
                            *grad *= derivative;
                            *sum += *grad;
                        }
                    }
                },
            );
            sums
        })
        .collect();
    total(&blocks, width)
}

/// Adds the output rows of a part of the network, after dropout, to its input rows, and normalises
/// the sums into `out`.
pub fn join(
    instructions: InstructionSet,
    results: &mut [f32],
    dropout: Option<BlockDropout>,
    before: Option<&[f32]>,
    norm: NormWeights<'_>,
    out: &mut [f32],
) -> Normed {
    let width = norm.weight.len();
    let block = BLOCK * width;
    let mut normed = Normed { rows: vec![0.0; results.len()], deviations: vec![0.0; results.len() / width] };
    let rows = (results.par_chunks_mut(block), out.par_chunks_mut(block), normed.rows.par_chunks_mut(block));
    let deviations = normed.deviations.par_chunks_mut(BLOCK);
    rows.into_par_iter().zip(deviations).enumerate().for_each(
        |(at, ((results, out, normed), deviations))| {
            let factors = dropout.map(|dropout| dropout.factors(instructions, at, results.len()));
            let before = before.map(|before| &before[at * block..][..results.len()]);
            instructions.run(
                #[inline(always)]
                || {
                    let outs =
                        out.chunks_exact_mut(width).zip(normed.chunks_exact_mut(width)).zip(deviations);
                    for (row, (results, ((out, normed), deviation))) in
                        results.chunks_exact_mut(width).zip(outs).enumerate()
                    {
                        let position = row * width..(row + 1) * width;
                        if let Some(factors) = &factors {
                            multiply(results, &factors[position.clone()]);
                        }
                        if let Some(before) = before {
                            add(results, &before[position]);
                        }
                        let mean = sum(results, |x| x) / width as f32;
                        let variance = sum(results, |x| (x - mean) * (x - mean)) / width as f32;
                        *deviation = (variance + norm.eps).sqrt();
                        let factor = 1.0 / *deviation;
                        let weights = norm.weight.iter().zip(norm.bias);
                        for (((x, normed), out), (weight, bias)) in
                            results.iter().zip(normed).zip(out).zip(weights)
                        {
                            *normed = (x - mean) * factor;
                            *out = *normed * weight + bias;
                        }
                    }
                },
            );
        },
    );
    normed
}

/// Replaces the gradients of the output of [`join`] by the gradients of the sums that [`join`] normalised, and writes
/// the gradients of the `results` of the part to `results`.
pub fn join_back(
    instructions: InstructionSet,
    grads: &mut [f32],
    normed: &Normed,
    norm: NormWeights<'_>,
    dropout: Option<BlockDropout>,
    results: &mut [f32],
) -> JoinGradients {
    let width = norm.weight.len();
    let block = BLOCK * width;
    let rows = (grads.par_chunks_mut(block), results.par_chunks_mut(block), normed.rows.par_chunks(block));
    let blocks: Vec<Vec<f32>> = rows
        .into_par_iter()
        .zip(normed.deviations.par_chunks(BLOCK))
        .enumerate()
        .map(|(at, ((grads, results, normed), deviations))| {
            let factors = dropout.map(|dropout| dropout.factors(instructions, at, results.len()));
            let mut sums = vec![0.0; 3 * width];
            instructions.run(
                #[inline(always)]
                || {
                    let (weight_sums, rest) = sums.split_at_mut(width);
                    let (bias_sums, added_sums) = rest.split_at_mut(width);
                    let rows = grads.chunks_exact_mut(width).zip(results.chunks_exact_mut(width));
                    for (row, (((grads, results), normed), deviation)) in
                        rows.zip(normed.chunks_exact(width)).zip(deviations).enumerate()
                    {
                        for ((sum, grad), x) in weight_sums.iter_mut().zip(&*grads).zip(normed) {
                            *sum += grad * x;
                        }
                        add(bias_sums, grads);
                        multiply(grads, norm.weight);
                        let mean = sum(grads, |grad| grad) / width as f32;
                        results
                            .iter_mut()
                            .zip(&*grads)
                            .zip(normed)
                            .for_each(|((product, grad), x)| *product = grad * x);
                        let mean_x = sum(results, |product| product) / width as f32;
                        let factor = 1.0 / deviation;
                        for (grad, x) in grads.iter_mut().zip(normed) {
                            *grad = (*grad - mean - x * mean_x) * factor;
                        }
                        results.copy_from_slice(grads);
                        if let Some(factors) = &factors {
                            multiply(results, &factors[row * width..][..width]);
                        }
                        add(added_sums, results);
                    }
                },
            );
            sums
        })
        .collect();
    let sums = total(&blocks, 3 * width);
    let part = |at: usize| sums[at * width..][..width].to_vec();
    JoinGradients { weight: part(0), bias: part(1), added: part(2) }
}
