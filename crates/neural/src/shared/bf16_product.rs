//! Matrix products of numbers rounded to bf16, summed in 32 bits, on all threads of the current pool,
//! with AVX-512 BF16.
#![allow(unsafe_code)] // Vector instructions behind a check at run time, and loads from panels whose lengths were checked.

use std::arch::x86_64::{
    __cpuid, __m512bh, __m512i, _mm512_add_ps, _mm512_dpbf16_ps, _mm512_loadu_si512, _mm512_mask_storeu_ps,
    _mm512_maskz_loadu_ps, _mm512_set1_epi32, _mm512_setzero_ps,
};
use std::mem::transmute;
use std::ops::Range;
use std::sync::LazyLock;

use rayon::prelude::*;

use super::instruction_set::InstructionSet;
use super::product::{MatrixView, MatrixViewMut};

/// The size of a tile: rows of the one matrix by columns of the other.
const ROWS: usize = 8;
const COLUMNS: usize = 48;
/// The number of rows that a thread processes at a time: a few tiles.
const BLOCK: usize = 8 * ROWS;
/// The largest depth that is summed at once, so that the panels of a tile stay in the nearest caches.
const DEPTH: usize = 1024;

/// A part of a matrix, of at most [`ROWS`] rows and [`COLUMNS`] columns.
struct Tile<'a> {
    /// The values of the matrix, starting with the first value of the tile.
    values: &'a mut [f32],
    /// The distance between two rows.
    step: usize,
    rows: usize,
    columns: usize,
}

/// Returns true if this CPU multiplies bf16 numbers faster than f32 numbers. AMD CPUs with AVX512-BF16 process twice
/// as many numbers at a time. Intel CPUs issue these instructions so rarely that they process half as many (measured
/// on a Xeon with AMX masked).
pub fn is_faster() -> bool {
    static FASTER: LazyLock<bool> = LazyLock::new(|| is_there() && is_of_amd());
    *FASTER
}

/// Returns true if this CPU has the instructions of AVX-512 BF16.
fn is_there() -> bool {
    InstructionSet::all().any(|set| set == InstructionSet::Avx512) && is_x86_feature_detected!("avx512bf16")
}

/// Returns true if this is an AMD CPU.
fn is_of_amd() -> bool {
    let maker = __cpuid(0);
    let name = [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes);
    name.as_flattened() == b"AuthenticAMD"
}

/// Adds `a · b`, with all numbers of `a` and `b` rounded to bf16. The sum does not depend on the number of threads.
///
/// # Panics
/// Panics if the shapes do not match, or the CPU lacks the instructions.
pub fn add(mut out: MatrixViewMut<'_>, a: MatrixView<'_>, b: MatrixView<'_>) {
    let ([rows, depth], [_, columns]) = (a.size(), b.size());
    assert!(out.size() == [rows, columns] && b.size()[0] == depth, "shapes do not fit");
    if rows == 0 || columns == 0 {
        return;
    }
    assert!(is_there(), "a CPU with AVX-512 BF16");
    let instructions = InstructionSet::best();
    let panel_of =
        |view: MatrixView<'_>, rows: Range<usize>, depth: &Range<usize>, panel: &mut [u32], lanes| {
            instructions.run(
                #[inline(always)]
                || pack(view, rows, depth.clone(), panel, lanes),
            );
        };
    for first in (0..depth).step_by(DEPTH) {
        let depth = first..depth.min(first + DEPTH);
        let pairs = depth.len().div_ceil(2);
        let mut panels = vec![0; columns.div_ceil(COLUMNS) * pairs * COLUMNS];
        panels.par_chunks_mut(pairs * COLUMNS).enumerate().for_each(|(at, panel)| {
            panel_of(b.transposed(), part(at, COLUMNS, columns), &depth, panel, COLUMNS);
        });
        let (step, blocks) = out.row_blocks(BLOCK);
        blocks.enumerate().for_each_init(Vec::new, |own, (at, out)| {
            let block = part(at, BLOCK, rows);
            own.resize(BLOCK * pairs, 0);
            for (tile, panel) in own.chunks_exact_mut(ROWS * pairs).enumerate() {
                let part = part(tile, ROWS, block.len());
                panel_of(a, block.start + part.start..block.start + part.end, &depth, panel, ROWS);
            }
            for (position, panel) in panels.chunks_exact(pairs * COLUMNS).enumerate() {
                let columns = part(position, COLUMNS, columns);
                for (tile, own) in own.chunks_exact(ROWS * pairs).enumerate() {
                    let rows = part(tile, ROWS, block.len());
                    if rows.is_empty() {
                        break;
                    }
                    let values = &mut out[rows.start * step + columns.start..];
                    let tile = Tile { values, step, rows: rows.len(), columns: columns.len() };
                    // SAFETY: the CPU has the instructions, as was checked above.
                    unsafe { add_panels(own, panel, tile) };
                }
            }
        });
    }
}

/// Cuts `0..end` into parts of `size`, and returns the part with the index `at`.
fn part(at: usize, size: usize, end: usize) -> Range<usize> {
    end.min(at * size)..end.min((at + 1) * size)
}

/// Packs rows into a panel: for every two numbers of the depth, the panel has one pair for each row, and zeros for
/// the missing rows up to `lanes`.
#[inline(always)]
fn pack(view: MatrixView<'_>, rows: Range<usize>, depth: Range<usize>, panel: &mut [u32], lanes: usize) {
    let count = rows.len();
    if count < lanes {
        panel.fill(0);
    }
    match view.columns_of_values() {
        // The matrix is transposed: the values of each column are contiguous.
        Some((values, step)) => {
            let column = |at: usize| &values[at * step..][rows.clone()];
            for (pair, panel) in panel.chunks_exact_mut(lanes).enumerate() {
                let at = depth.start + 2 * pair;
                if at + 1 < depth.end {
                    for ((out, &low), &high) in panel.iter_mut().zip(column(at)).zip(column(at + 1)) {
                        *out = short(low) | short(high) << 16;
                    }
                } else {
                    panel.iter_mut().zip(column(at)).for_each(|(out, &low)| *out = short(low));
                }
            }
        }
        None => {
            for (lane, row) in rows.enumerate() {
                let (pairs, rest) = view.row(row)[depth.clone()].as_chunks::<2>();
                let positions = panel.iter_mut().skip(lane).step_by(lanes);
                let last = rest.iter().map(|&low| short(low));
                let pairs = pairs.iter().map(|&[low, high]| short(low) | short(high) << 16);
                positions.zip(pairs.chain(last)).for_each(|(out, pair)| *out = pair);
            }
        }
    }
}

/// Rounds to the nearest bf16, with ties to even.
#[inline(always)]
fn short(x: f32) -> u32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    if x.is_nan() { 0x7fc0 } else { rounded }
}

/// Adds the product of a panel of rows and a panel of columns to a tile.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma")]
fn add_panels(rows: &[u32], columns: &[u32], tile: Tile<'_>) {
    const LANES: usize = 16;
    const VECTORS: usize = COLUMNS / LANES;
    let mut sums = [[_mm512_setzero_ps(); VECTORS]; ROWS];
    let (rows, _) = rows.as_chunks::<ROWS>();
    let (columns, _) = columns.as_chunks::<COLUMNS>();
    let pairs = rows.len().min(columns.len());
    for pair in 0..pairs {
        let (rows, columns) = (&rows[pair], &columns[pair]);
        let mut loaded = [_mm512_set1_epi32(0); VECTORS];
        for (v, loaded) in loaded.iter_mut().enumerate() {
            // SAFETY: the numbers from `v * LANES` to `(v + 1) * LANES` are among the `COLUMNS` numbers.
            *loaded = unsafe { _mm512_loadu_si512(columns.as_ptr().add(v * LANES).cast()) };
        }
        for r in 0..ROWS {
            // SAFETY: both types are 512 bits, and any bits are valid.
            let row = unsafe { transmute::<__m512i, __m512bh>(_mm512_set1_epi32(rows[r] as i32)) };
            for v in 0..VECTORS {
                // SAFETY: as above.
                let column = unsafe { transmute::<__m512i, __m512bh>(loaded[v]) };
                sums[r][v] = _mm512_dpbf16_ps(sums[r][v], row, column);
            }
        }
    }
    let Tile { values, step, rows, columns } = tile;
    assert!(rows <= ROWS && columns <= COLUMNS && (rows == 0 || (rows - 1) * step + columns <= values.len()));
    for (r, sums) in sums.iter().enumerate().take(rows) {
        for (v, sum) in sums.iter().enumerate() {
            let lanes = columns.saturating_sub(v * LANES).min(LANES);
            let mask = ((1u32 << lanes) - 1) as u16;
            // SAFETY: the numbers of the mask are inside the slice, as was checked; no other numbers are accessed.
            unsafe {
                let position = values.as_mut_ptr().wrapping_add(r * step + v * LANES);
                _mm512_mask_storeu_ps(
                    position,
                    mask,
                    _mm512_add_ps(_mm512_maskz_loadu_ps(mask, position), *sum),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers with more digits than bf16 has.
    fn numbers(len: usize, seed: usize) -> Vec<f32> {
        (0..len).map(|at| ((at * 37 + seed * 11) % 1009) as f32 / 64.0 - 8.0).collect()
    }

    fn rounded(x: f32) -> f64 {
        f64::from(f32::from_bits(short(x) << 16))
    }

    #[test]
    fn numbers_become_the_nearest_short_ones() {
        for (x, expected) in [(1.0, 1.0), (-2.5, -2.5), (1.001, 1.0), (1.004, 1.0078125), (0.0, 0.0)] {
            assert_eq!(rounded(x), expected, "{x}");
        }
        // Halfway between two, the even one.
        assert_eq!((rounded(1.0 + 1.0 / 256.0), rounded(1.0 + 3.0 / 256.0)), (1.0, 1.015_625));
        assert!(rounded(f32::from_bits(0xffff_ffff)).is_nan() && rounded(f32::INFINITY).is_infinite());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

        #[test]
        fn products_are_sums_of_products_of_rounded_numbers(
            rows in 0usize..150,
            depth in prop_oneof![0usize..40, DEPTH - 1..DEPTH + 3],
            columns in 1usize..110,
            turned in prop::array::uniform2(prop::bool::ANY),
            wider in 0usize..3,
        ) {
            if !is_there() {
                return Ok(());
            }
            let (a, b) = (numbers(rows * depth, 1), numbers(depth * columns, 2));
            let view = |values, rows, columns, turned| match turned {
                true => MatrixView::part(values, columns, rows, rows).transposed(),
                false => MatrixView::part(values, rows, columns, columns),
            };
            let at = |turned: bool, row: usize, column: usize, [rows, columns]: [usize; 2]| {
                if turned { column * rows + row } else { row * columns + column }
            };
            let step = columns + wider;
            let start = numbers(rows * step, 3);
            let mut found = start.clone();
            let (a_view, b_view) = (view(&a, rows, depth, turned[0]), view(&b, depth, columns, turned[1]));
            add(MatrixViewMut::part(&mut found, rows, columns, step), a_view, b_view);
            for row in 0..rows {
                for column in 0..step {
                    let product = |k: usize| {
                        let positions =
                            [at(turned[0], row, k, [rows, depth]), at(turned[1], k, column, [depth, columns])];
                        rounded(a[positions[0]]) * rounded(b[positions[1]])
                    };
                    let sum: f64 = if column < columns { (0..depth).map(product).sum() } else { 0.0 };
                    let (found, expected) = (found[row * step + column], f64::from(start[row * step + column]) + sum);
                    let far = (f64::from(found) - expected).abs();
                    prop_assert!(far < 1e-5 * expected.abs() + 1e-2, "{} {}", found, expected);
                }
            }
        }
    }
}
