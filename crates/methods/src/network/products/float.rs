//! Products of f32 matrices: rows are multiplied by weights that are packed into panels, and each
//! sum of products has a fixed order.
#![allow(unsafe_code)] // Vector instructions behind a check at run time, and loads from positions that were checked for a whole tile.

use super::aligned::Aligned;
use crate::network::instruction_set::InstructionSet;

/// The largest number of vectors side by side in a panel.
const VECTORS: usize = 3;

/// The right-hand matrix of a product. Its columns are stored side by side in panels that are a few
/// vectors wide, so that memory is read in order.
#[derive(Debug, Clone, Default)]
pub struct FloatPanels {
    values: Aligned<f32>,
    depth: usize,
    /// The number of columns, padded to whole vectors.
    columns: usize,
}

/// Rows of numbers at equal distances, to be written.
#[derive(Debug)]
pub struct StridedOutput<'a> {
    /// The numbers from the first row on.
    pub values: &'a mut [f32],
    /// The distance from one row to the next.
    pub stride: usize,
    /// The number of columns that are written.
    pub width: usize,
}

/// Rows of numbers at equal distances.
#[derive(Debug, Clone, Copy)]
pub struct StridedRows<'a> {
    /// The numbers from the first row on.
    pub values: &'a [f32],
    /// The distance from one row to the next.
    pub stride: usize,
    /// The number of rows.
    pub count: usize,
}

impl FloatPanels {
    /// Makes room for a matrix of this many columns, to be filled.
    pub fn clear(&mut self, instructions: InstructionSet, columns: usize, depth: usize) {
        self.columns = columns.next_multiple_of(lanes(instructions));
        self.depth = depth;
        // The padding of the last vector is never read.
        self.values.room(self.columns * depth);
    }

    /// Sets the columns, which the iterator yields one after another.
    pub fn fill_columns<'a>(
        &mut self,
        instructions: InstructionSet,
        columns: impl Iterator<Item = &'a [f32]>,
    ) {
        let most = VECTORS * lanes(instructions);
        for (column, values) in columns.enumerate() {
            let first = column / most * most;
            let width = most.min(self.columns - first);
            let panel = &mut self.values[first * self.depth + column - first..];
            panel.iter_mut().step_by(width).zip(values).for_each(|(position, value)| *position = *value);
        }
    }

    /// Sets the rows, which the iterator yields one after another; a row has one number for each
    /// column.
    pub fn fill_rows<'a>(&mut self, instructions: InstructionSet, rows: impl Iterator<Item = &'a [f32]>) {
        let most = VECTORS * lanes(instructions);
        for (row, values) in rows.enumerate() {
            for (panel, values) in values.chunks(most).enumerate() {
                let first = panel * most;
                let width = most.min(self.columns - first);
                copy(values, &mut self.values[first * self.depth + row * width..][..values.len()]);
            }
        }
    }

    /// Makes a matrix from rows, each of which becomes a column.
    pub fn of_columns(instructions: InstructionSet, values: &[f32], depth: usize) -> Self {
        let mut panels = Self::default();
        panels.clear(instructions, values.len() / depth, depth);
        panels.fill_columns(instructions, values.chunks_exact(depth));
        panels
    }

    /// Returns the number of columns, padded to whole vectors.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Writes each row times each column, plus the bias of the column if there is one.
    pub fn multiply(
        &self,
        instructions: InstructionSet,
        x: StridedRows<'_>,
        bias: &[f32],
        out: StridedOutput<'_>,
    ) {
        let StridedOutput { values: out, stride, width } = out;
        let (lanes, most) = (lanes(instructions), rows_at_once(instructions));
        let widest = VECTORS * lanes;
        for first in (0..width.min(self.columns)).step_by(widest) {
            let columns = widest.min(self.columns - first);
            let panel = &self.values[first * self.depth..][..columns * self.depth];
            let bias = bias.get(first..).unwrap_or_default();
            let written = columns.min(width - first);
            let mut row = 0;
            while row < x.count {
                let rows = most.min(1 << (x.count - row).ilog2());
                let block = FloatBlock {
                    x: &x.values[row * x.stride..],
                    stride: x.stride,
                    panel,
                    bias: &bias[..written.min(bias.len())],
                    out: &mut out[row * stride + first..],
                    out_stride: stride,
                    written,
                };
                multiply(instructions, block, rows, columns / lanes);
                row += rows;
            }
        }
    }
}

/// Copies a few vectors without the function call that a copy of variable length needs.
#[inline(always)]
fn copy(from: &[f32], to: &mut [f32]) {
    let ((from, from_rest), (to, to_rest)) = (from.as_chunks::<8>(), to.as_chunks_mut::<8>());
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    to_rest.iter_mut().zip(from_rest).for_each(|(to, from)| *to = *from);
}

/// A few rows and one panel.
struct FloatBlock<'a> {
    x: &'a [f32],
    stride: usize,
    panel: &'a [f32],
    bias: &'a [f32],
    out: &'a mut [f32],
    out_stride: usize,
    written: usize,
}

impl FloatBlock<'_> {
    /// Writes sums. Each row of `tile` has a few vectors of sums.
    #[inline(always)]
    fn write<const L: usize, const V: usize>(self, tile: &[[[f32; L]; V]]) {
        let rows = tile.iter().zip(self.out.chunks_mut(self.out_stride));
        let is_whole = self.written == L * V;
        for (sums, out) in rows {
            let out = &mut out[..self.written];
            if is_whole {
                // The compiler knows the length: whole vectors, with no remainder.
                out.as_chunks_mut::<L>().0.iter_mut().zip(sums).for_each(|(out, sums)| *out = *sums);
            } else {
                copy(&sums.as_flattened()[..self.written], out);
            }
            out.iter_mut().zip(self.bias).for_each(|(out, bias)| *out += bias);
        }
    }
}

/// Returns the number of 32-bit numbers in a vector.
fn lanes(instructions: InstructionSet) -> usize {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 | InstructionSet::Avx512Vnni | InstructionSet::Amx => 16,
        _ => 8,
    }
}

/// Returns the number of rows whose sums fit into the registers, with a panel of [`VECTORS`].
fn rows_at_once(instructions: InstructionSet) -> usize {
    if lanes(instructions) == 16 { 8 } else { 4 }
}

fn multiply(instructions: InstructionSet, block: FloatBlock<'_>, rows: usize, vectors: usize) {
    match instructions {
        // SAFETY: a set is chosen only if its instructions were found.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::AvxVnni => unsafe {
            kernel_for!(x86::avx2, rows, vectors)(block)
        },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 | InstructionSet::Avx512Vnni | InstructionSet::Amx => unsafe {
            kernel_for!(x86::avx512, rows, vectors)(block)
        },
        // The compiler vectorises this kernel on other CPUs.
        _ => kernel_for!(plain, rows, vectors)(block),
    }
}

/// The kernel for any CPU, which the other kernels are tested against.
fn plain<const R: usize, const V: usize>(block: FloatBlock<'_>) {
    let mut tile = [[[0.0; 8]; V]; R];
    for (row, sums) in tile.iter_mut().enumerate() {
        let mut lanes = [[0.0f32; 8]; V];
        let x = &block.x[row * block.stride..];
        for (weights, x) in block.panel.chunks_exact(V * 8).zip(x) {
            for (lanes, weights) in lanes.iter_mut().zip(weights.as_chunks::<8>().0) {
                lanes.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += x * weight);
            }
        }
        *sums = lanes;
    }
    block.write(&tile);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::FloatBlock;

    /// The number of steps by which weights are prefetched: a panel does not fit into the nearest
    /// cache.
    const AHEAD: usize = 16;

    macro_rules! kernel {
        ($name:ident, $features:literal, $lanes:literal, $zero:ident, $load:ident, $splat:ident, $fma:ident) => {
            /// Multiplies rows by a panel, with the sums held in registers.
            #[target_feature(enable = $features)]
            pub fn $name<const R: usize, const V: usize>(block: FloatBlock<'_>) {
                let width = V * $lanes;
                let depth = block.panel.len() / width;
                assert!(block.x.len() >= (R - 1) * block.stride + depth, "rows as long as the panel is deep");
                let mut rows = [block.x.as_ptr(); R];
                for (row, start) in rows.iter_mut().enumerate() {
                    *start = start.wrapping_add(row * block.stride);
                }
                // Otherwise the compiler recomputes the address of each row in every step.
                let rows = std::hint::black_box(rows);
                let mut sums = [[$zero(); V]; R];
                for (at, weights) in block.panel.chunks_exact(width).enumerate() {
                    for v in 0..V {
                        // A prefetch reads nothing, so the address may be beyond the end.
                        let ahead = weights.as_ptr().wrapping_add(AHEAD * width + v * $lanes);
                        _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
                    }
                    let mut loaded = [$zero(); V];
                    for (v, loaded) in loaded.iter_mut().enumerate() {
                        // SAFETY: the chunk holds V vectors.
                        *loaded = unsafe { $load(weights.as_ptr().add(v * $lanes)) };
                    }
                    for (row, sums) in rows.iter().zip(&mut sums) {
                        // SAFETY: at < depth, and R rows of that length were checked above.
                        let x = $splat(unsafe { *row.add(at) });
                        for (sum, weights) in sums.iter_mut().zip(loaded) {
                            *sum = $fma(x, weights, *sum);
                        }
                    }
                }
                // SAFETY: a vector consists of this many numbers.
                block.write(unsafe { &*(&raw const sums).cast::<[[[f32; $lanes]; V]; R]>() });
            }
        };
    }

    kernel!(avx2, "avx2,fma", 8, _mm256_setzero_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_fmadd_ps);
    kernel!(
        avx512,
        "avx512f,avx512bw,avx512dq,avx512vl,fma",
        16,
        _mm512_setzero_ps,
        _mm512_loadu_ps,
        _mm512_set1_ps,
        _mm512_fmadd_ps
    );
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn product(
        instructions: InstructionSet,
        x: &[f32],
        weights: &[f32],
        bias: &[f32],
        depth: usize,
    ) -> Vec<f32> {
        let (count, width) = (x.len() / depth, bias.len());
        let mut out = vec![f32::NAN; count * width];
        let panels = FloatPanels::of_columns(instructions, weights, depth);
        let rows = StridedRows { values: x, stride: depth, count };
        panels.multiply(instructions, rows, bias, StridedOutput { values: &mut out, stride: width, width });
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

        #[test]
        fn products_are_those_of_sums_written_out_and_the_same_to_the_bit_with_any_vectors(
            (rows, columns, depth) in (1usize..20, 1usize..110, 1usize..40),
            seed in any::<u32>(),
        ) {
            let number = |at: usize| ((at as f32 + seed as f32 % 97.0) * 0.7).sin();
            let x: Vec<f32> = (0..rows * depth).map(number).collect();
            let weights: Vec<f32> = (0..columns * depth).map(|at| number(3 * at + 1)).collect();
            let bias: Vec<f32> = (0..columns).map(|at| number(7 * at)).collect();
            let mut fused: Option<Vec<f32>> = None;
            for instructions in InstructionSet::all() {
                let found = product(instructions, &x, &weights, &bias, depth);
                for (at, found) in found.iter().enumerate() {
                    let (x, w) = (&x[at / columns * depth..], &weights[at % columns * depth..]);
                    let sum: f64 = (0..depth).map(|i| f64::from(x[i]) * f64::from(w[i])).sum();
                    let expected = sum + f64::from(bias[at % columns]);
                    prop_assert!((f64::from(*found) - expected).abs() < 1e-4, "{instructions:?}: {found}, {expected}");
                }
                if instructions != InstructionSet::Plain {
                    let first = fused.get_or_insert_with(|| found.clone());
                    prop_assert_eq!(&*first, &found, "{:?}", instructions);
                }
            }
        }
    }

    #[test]
    fn rows_and_columns_fill_panels_alike() {
        let columns = [[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]];
        for instructions in InstructionSet::all() {
            let by_columns = FloatPanels::of_columns(instructions, columns.as_flattened(), 2);
            let mut by_rows = FloatPanels::default();
            by_rows.clear(instructions, 3, 2);
            by_rows.fill_rows(
                instructions,
                [[1.0f32, 3.0, 5.0], [2.0, 4.0, 6.0]].iter().map(<[f32; 3]>::as_slice),
            );
            assert_eq!(*by_columns.values, *by_rows.values);
        }
    }
}
