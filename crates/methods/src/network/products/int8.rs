//! Products of int8 matrices: each row is quantised with its own scale, the weights of a column share a scale, and
//! the sums are integers.
//!
//! All kinds of CPUs compute the same sums and bit-identical results.
#![allow(unsafe_code)] // Vector instructions behind a check at run time, and loads from positions that were checked for a whole tile.

use super::aligned::Aligned;
use super::rows::{RowScale, quantise};
use crate::network::instruction_set::InstructionSet;

/// The largest number of vectors side by side in a panel.
const VECTORS: usize = 3;

/// The widest panel: [`VECTORS`] of 16 sums.
const WIDTH: usize = 48;

/// The number of rows of a tile: bytes are padded to this many rows.
const TILE: usize = 16;

/// Weights with one scale per column, packed into panels: first as many weights of a column as one instruction
/// multiplies and adds, then as many of the next column, and so on.
#[derive(Debug, Clone)]
pub struct BytePanels {
    weights: Aligned<i8>,
    /// The length of a row that is multiplied with the matrix.
    len: usize,
    /// The length of a row, padded for an instruction.
    depth: usize,
    columns: usize,
    scales: Vec<f32>,
    /// The sum of the weights of each column.
    sums: Vec<f32>,
}

/// Rows as bytes.
#[derive(Debug, Clone, Default)]
pub struct ByteRows {
    bytes: Aligned<u8>,
    /// The same values as 16-bit numbers, for CPUs that multiply 16-bit numbers.
    wide: Vec<i16>,
    scales: Vec<RowScale>,
}

impl BytePanels {
    /// Makes a matrix from rows of bytes, each of which becomes a column with its scale.
    pub fn of_columns(
        instructions: InstructionSet,
        values: &[i8],
        column_scales: &[f32],
        depth: usize,
    ) -> Self {
        let filled = depth.next_multiple_of(steps(instructions));
        let (group, most) = (group(instructions, filled), widest(instructions));
        let columns = (values.len() / depth).next_multiple_of(lanes(instructions));
        let mut panels = Self {
            weights: Aligned::zeros(columns * filled),
            len: depth,
            depth: filled,
            columns,
            scales: vec![0.0; columns],
            sums: vec![0.0; columns],
        };
        for (column, (values, &scale)) in values.chunks_exact(depth).zip(column_scales).enumerate() {
            let first = column / most * most;
            let width = most.min(columns - first);
            let mut sum = 0i32;
            for (at, &weight) in values.iter().enumerate() {
                sum += i32::from(weight);
                let position = (at / group * width + column - first) * group + at % group;
                panels.weights[first * filled + position] = weight;
            }
            panels.scales[column] = scale;
            panels.sums[column] = sum as f32;
        }
        panels
    }

    /// Multiplies each of these dense rows by each column that has a bias, adds the bias, and writes dense rows to
    /// `out`.
    pub fn multiply(
        &self,
        instructions: InstructionSet,
        x: &[f32],
        bytes: &mut ByteRows,
        bias: &[f32],
        out: &mut [f32],
    ) {
        let width = bias.len();
        bytes.set(instructions, x, self.len, self.depth);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a set is chosen only if its instructions were found.
        let _tiles = (instructions == InstructionSet::Amx).then(|| unsafe { x86::Tiles::configured() });
        let (lanes, widest, most) = (lanes(instructions), widest(instructions), rows_at_once(instructions));
        let count = bytes.scales.len();
        for first in (0..width.min(self.columns)).step_by(widest) {
            let columns = widest.min(self.columns - first);
            let written = columns.min(width - first);
            let mut row = 0;
            while row < count {
                let rows = if most == TILE { most } else { most.min(1 << (count - row).ilog2()) };
                let block = ByteBlock {
                    x: &bytes.bytes[row * self.depth..],
                    wide: bytes.wide.get(row * self.depth..).unwrap_or_default(),
                    depth: self.depth,
                    panel: &self.weights[first * self.depth..][..columns * self.depth],
                    rows: &bytes.scales[row..],
                    scales: &self.scales[first..][..written],
                    sums: &self.sums[first..][..written],
                    bias: &bias[first..][..written],
                    out: &mut out[row * width + first..],
                    stride: width,
                };
                multiply(instructions, block, rows, columns / lanes);
                row += rows;
            }
        }
    }
}

impl ByteRows {
    fn set(&mut self, instructions: InstructionSet, x: &[f32], depth: usize, stride: usize) {
        let rows = x.len() / depth;
        let room = if steps(instructions) > 4 { rows.next_multiple_of(TILE) } else { rows };
        self.bytes.room(room * stride);
        self.scales.resize(rows, RowScale::default());
        quantise(instructions, x, depth, &mut self.bytes, stride, &mut self.scales);
        self.wide.clear();
        if group(instructions, stride) <= 2 {
            self.wide.resize(self.bytes.len(), 0);
            let (wide, bytes) = (&mut self.wide, &self.bytes);
            instructions.run(
                #[inline(always)]
                || wide.iter_mut().zip(bytes.iter()).for_each(|(wide, &byte)| *wide = i16::from(byte)),
            );
        }
    }
}

/// A few rows and one panel.
struct ByteBlock<'a> {
    x: &'a [u8],
    wide: &'a [i16],
    depth: usize,
    panel: &'a [i8],
    rows: &'a [RowScale],
    scales: &'a [f32],
    sums: &'a [f32],
    bias: &'a [f32],
    out: &'a mut [f32],
    stride: usize,
}

impl ByteBlock<'_> {
    /// Writes the values that are represented by sums of bytes times weights. Each row of `tile` has a few vectors of
    /// sums.
    #[inline(always)]
    fn write<const L: usize, const V: usize>(self, tile: &[[[i32; L]; V]]) {
        let width = self.scales.len();
        let value = |of: &RowScale, sum: i32, scale: f32, all: f32, bias: f32| {
            scale * (of.scale * sum as f32 + of.low * all) + bias
        };
        let rows = tile.iter().zip(self.rows).zip(self.out.chunks_mut(self.stride));
        if width == L * V {
            // The compiler knows the length: whole vectors, with no remainder.
            let (scales, alls) = (self.scales.as_chunks::<L>().0, self.sums.as_chunks::<L>().0);
            let biases = self.bias.as_chunks::<L>().0;
            for ((sums, of), out) in rows {
                let columns = scales.iter().zip(alls).zip(biases);
                let outs = out[..width].as_chunks_mut::<L>().0.iter_mut();
                for ((out, sums), ((scales, alls), biases)) in outs.zip(sums).zip(columns) {
                    *out = std::array::from_fn(|i| value(of, sums[i], scales[i], alls[i], biases[i]));
                }
            }
        } else {
            for ((sums, of), out) in rows {
                let columns = self.scales.iter().zip(self.sums).zip(self.bias);
                for ((out, &sum), ((scale, all), bias)) in
                    out.iter_mut().zip(sums.as_flattened()).zip(columns)
                {
                    *out = value(of, sum, *scale, *all, *bias);
                }
            }
        }
    }
}

/// Returns the widest panel of an instruction set.
fn widest(instructions: InstructionSet) -> usize {
    WIDTH.min(VECTORS * lanes(instructions))
}

/// Returns the multiple to which the length of a row is padded.
fn steps(instructions: InstructionSet) -> usize {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Amx => 64,
        _ => 4,
    }
}

/// Returns the number of sums in a vector.
fn lanes(instructions: InstructionSet) -> usize {
    match instructions {
        #[cfg(target_arch = "aarch64")]
        InstructionSet::NeonDot => 4,
        #[cfg(target_feature = "simd128")]
        InstructionSet::Simd128 => 4,
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512Vnni => 16,
        // A panel is always three tiles side by side.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Amx => WIDTH,
        _ => 8,
    }
}

/// Returns the number of weights of a column that one instruction multiplies and adds.
fn group(instructions: InstructionSet, depth: usize) -> usize {
    match instructions {
        // The whole column: compilers optimise this sum best.
        InstructionSet::Plain => depth,
        #[cfg(target_arch = "aarch64")]
        InstructionSet::Neon => 1,
        #[cfg(target_arch = "aarch64")]
        InstructionSet::NeonDot => 4,
        #[cfg(target_feature = "simd128")]
        InstructionSet::Simd128 => 2,
        // The AVX2 instruction for bytes saturates sums at 16 bits, so an instruction for 16-bit numbers is used,
        // which multiplies half as many.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => 2,
        #[cfg(target_arch = "x86_64")]
        InstructionSet::AvxVnni | InstructionSet::Avx512Vnni | InstructionSet::Amx => 4,
    }
}

/// Returns the number of rows whose sums fit into the registers, with a panel of [`VECTORS`].
fn rows_at_once(instructions: InstructionSet) -> usize {
    match lanes(instructions) {
        WIDTH => TILE,
        16 => 8,
        _ => 4,
    }
}

fn multiply(instructions: InstructionSet, block: ByteBlock<'_>, rows: usize, vectors: usize) {
    match instructions {
        InstructionSet::Plain => kernel_for!(plain, rows, vectors)(block),
        // SAFETY: a set is chosen only if its instructions were found.
        #[cfg(target_arch = "aarch64")]
        InstructionSet::Neon => unsafe { kernel_for!(aarch64::neon, rows, vectors)(block) },
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        InstructionSet::NeonDot => unsafe { kernel_for!(aarch64::neon_dot, rows, vectors)(block) },
        #[cfg(target_feature = "simd128")]
        InstructionSet::Simd128 => kernel_for!(wasm::simd128, rows, vectors)(block),
        // SAFETY: a set is chosen only if its instructions were found.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe {
            kernel_for!(x86::avx2, rows, vectors)(block)
        },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::AvxVnni => unsafe { kernel_for!(x86::avx_vnni, rows, vectors)(block) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512Vnni => unsafe { kernel_for!(x86::avx512_vnni, rows, vectors)(block) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Amx => unsafe { x86::amx(block) },
    }
}

/// The kernel for any CPU, which the other kernels are tested against.
fn plain<const R: usize, const V: usize>(block: ByteBlock<'_>) {
    let mut tile = [[[0; 8]; V]; R];
    for (row, sums) in tile.iter_mut().enumerate() {
        let x = &block.x[row * block.depth..][..block.depth];
        let sums = sums.as_flattened_mut().iter_mut();
        for (sum, weights) in sums.zip(block.panel.chunks_exact(block.depth)) {
            *sum = x.iter().zip(weights).map(|(&x, &weight)| i32::from(x) * i32::from(weight)).sum();
        }
    }
    block.write(&tile);
}

/// Returns the first `R` rows of numbers.
#[cfg(any(target_arch = "aarch64", target_feature = "simd128"))]
#[inline(always)]
fn rows_of<T, const R: usize>(numbers: &[T], depth: usize) -> [&[T]; R] {
    std::array::from_fn(|row| &numbers[row * depth..][..depth])
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use std::arch::aarch64::*;
    use std::arch::asm;

    use super::{ByteBlock, rows_of};

    /// Multiplies rows of 16-bit numbers by a panel, a weight of each column after the other.
    #[target_feature(enable = "neon")]
    pub fn neon<const R: usize, const V: usize>(block: ByteBlock<'_>) {
        const LANES: usize = 8;
        assert!(block.panel.len() == block.depth * V * LANES, "a panel as deep as the rows are long");
        let rows: [_; R] = rows_of(block.wide, block.depth);
        let mut sums = [[[vdupq_n_s32(0); 2]; V]; R];
        for (at, weights) in block.panel.chunks_exact(V * LANES).enumerate() {
            let mut loaded = [vdupq_n_s16(0); V];
            for (loaded, weights) in loaded.iter_mut().zip(weights.as_chunks::<LANES>().0) {
                // SAFETY: eight bytes are there.
                *loaded = vmovl_s8(unsafe { vld1_s8(weights.as_ptr()) });
            }
            for (row, sums) in rows.iter().zip(&mut sums) {
                for (sum, weights) in sums.iter_mut().zip(loaded) {
                    sum[0] = vmlal_n_s16(sum[0], vget_low_s16(weights), row[at]);
                    sum[1] = vmlal_high_n_s16(sum[1], weights, row[at]);
                }
            }
        }
        // SAFETY: two vectors are eight numbers.
        block.write(unsafe { &*(&raw const sums).cast::<[[[i32; LANES]; V]; R]>() });
    }

    /// Multiplies rows of bytes by a panel, four weights of each column after the other. The instruction expects
    /// signed bytes, so 128 is subtracted from each byte, and each sum begins with the amount that its column loses
    /// by that.
    #[target_feature(enable = "neon,dotprod")]
    pub fn neon_dot<const R: usize, const V: usize>(block: ByteBlock<'_>) {
        const LANES: usize = 4;
        const GROUP: usize = 4;
        assert!(block.panel.len() == block.depth * V * LANES, "a panel as deep as the rows are long");
        let rows: [_; R] = rows_of(block.x, block.depth);
        let mut lacking = [[0i32; LANES]; V];
        lacking
            .as_flattened_mut()
            .iter_mut()
            .zip(block.sums)
            .for_each(|(lacking, &sum)| *lacking = 128 * sum as i32);
        // SAFETY: four numbers are there.
        let sums = lacking.map(|lacking| unsafe { vld1q_s32(lacking.as_ptr()) });
        let mut sums = [sums; R];
        for (at, weights) in block.panel.chunks_exact(V * LANES * GROUP).enumerate() {
            let mut loaded = [vdupq_n_s8(0); V];
            for (loaded, weights) in loaded.iter_mut().zip(weights.as_chunks::<{ LANES * GROUP }>().0) {
                // SAFETY: sixteen bytes are there.
                *loaded = unsafe { vld1q_s8(weights.as_ptr()) };
            }
            for (row, sums) in rows.iter().zip(&mut sums) {
                let bytes = row.as_chunks::<GROUP>().0[at];
                let x = vreinterpretq_s8_u32(vdupq_n_u32(u32::from_le_bytes(bytes) ^ 0x8080_8080));
                for (sum, weights) in sums.iter_mut().zip(loaded) {
                    // SAFETY: the instruction reads and writes only registers. Its intrinsic is not stable yet.
                    unsafe {
                        asm!(
                            "sdot {sum:v}.4s, {weights:v}.16b, {x:v}.16b",
                            sum = inout(vreg) *sum, weights = in(vreg) weights, x = in(vreg) x,
                            options(pure, nomem, nostack, preserves_flags),
                        );
                    }
                }
            }
        }
        // SAFETY: a vector is four numbers.
        block.write(unsafe { &*(&raw const sums).cast::<[[[i32; LANES]; V]; R]>() });
    }
}

#[cfg(target_feature = "simd128")]
mod wasm {
    use std::arch::wasm32::*;

    use super::{ByteBlock, rows_of};

    /// The number of sums in a vector.
    const LANES: usize = 4;

    /// The number of weights of a column that one instruction multiplies and adds.
    const GROUP: usize = 2;

    /// Multiplies rows by a panel, with the sums held in vectors.
    pub fn simd128<const R: usize, const V: usize>(block: ByteBlock<'_>) {
        assert!(block.panel.len() == block.depth * V * LANES, "a panel as deep as the rows are long");
        let rows: [_; R] = rows_of(block.wide, block.depth);
        let mut sums = [[i32x4_splat(0); V]; R];
        for (at, weights) in block.panel.chunks_exact(V * LANES * GROUP).enumerate() {
            let mut loaded = [i32x4_splat(0); V];
            for (loaded, weights) in loaded.iter_mut().zip(weights.as_chunks::<{ LANES * GROUP }>().0) {
                // SAFETY: eight bytes are there.
                *loaded = unsafe { i16x8_load_extend_i8x8(weights.as_ptr()) };
            }
            for (row, sums) in rows.iter().zip(&mut sums) {
                let numbers = &row[at * GROUP..][..GROUP];
                // SAFETY: two numbers of 16 bits are there; the load needs no alignment.
                let x = unsafe { v128_load32_splat(numbers.as_ptr().cast()) };
                for (sum, weights) in sums.iter_mut().zip(loaded) {
                    *sum = i32x4_add(*sum, i32x4_dot_i16x8(x, weights));
                }
            }
        }
        // SAFETY: a vector is four numbers.
        block.write(unsafe { &*(&raw const sums).cast::<[[[i32; LANES]; V]; R]>() });
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::asm;
    use std::arch::x86_64::*;

    use super::{ByteBlock, TILE, WIDTH};

    /// The number of steps by which weights are prefetched.
    const AHEAD: usize = 16;

    macro_rules! kernel {
        (
            $name:ident, $features:literal, lanes $lanes:literal, group $group:literal, $x:ident,
            $zero:ident, $load:ident, $splat:ident, $dot:ident
        ) => {
            /// Multiplies rows by a panel, with the sums held in registers.
            #[target_feature(enable = $features)]
            pub fn $name<const R: usize, const V: usize>(block: ByteBlock<'_>) {
                assert!(
                    block.$x.len() >= R * block.depth && block.depth.is_multiple_of($group),
                    "whole rows"
                );
                assert!(
                    block.panel.len() == block.depth * V * $lanes,
                    "a panel as deep as the rows are long"
                );
                let mut rows = [block.$x.as_ptr(); R];
                for (row, start) in rows.iter_mut().enumerate() {
                    *start = start.wrapping_add(row * block.depth);
                }
                // Otherwise the compiler recomputes the address of each row in every step.
                let rows = std::hint::black_box(rows);
                let mut sums = [[$zero(); V]; R];
                for (at, weights) in block.panel.chunks_exact(V * $lanes * $group).enumerate() {
                    for line in 0..(V * $lanes * $group).div_ceil(64) {
                        // A prefetch reads nothing, so the address may be beyond the end.
                        let ahead = weights.as_ptr().wrapping_add(AHEAD * V * $lanes * $group + line * 64);
                        _mm_prefetch::<_MM_HINT_T0>(ahead);
                    }
                    let mut loaded = [$zero(); V];
                    for (v, loaded) in loaded.iter_mut().enumerate() {
                        // SAFETY: the chunk holds V vectors.
                        *loaded = unsafe { $load(weights.as_ptr().add(v * $lanes * $group)) };
                    }
                    for (row, sums) in rows.iter().zip(&mut sums) {
                        // SAFETY: each of R rows has as many whole groups of numbers as the panel
                        // has chunks.
                        let x = unsafe { row.add(at * $group) };
                        // SAFETY: a group is 32 bits of the row; the load needs no alignment.
                        let x = $splat(unsafe { x.cast::<i32>().read_unaligned() });
                        for (sum, weights) in sums.iter_mut().zip(loaded) {
                            *sum = $dot(*sum, x, weights);
                        }
                    }
                }
                // SAFETY: a vector consists of this many numbers.
                block.write(unsafe { &*(&raw const sums).cast::<[[[i32; $lanes]; V]; R]>() });
            }
        };
    }

    /// # Safety
    /// 16 bytes can be read.
    #[target_feature(enable = "avx2")]
    unsafe fn load_wide(weights: *const i8) -> __m256i {
        // SAFETY: the caller guarantees it.
        _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(weights.cast()) })
    }

    #[target_feature(enable = "avx2")]
    fn dot_wide(sum: __m256i, x: __m256i, weights: __m256i) -> __m256i {
        _mm256_add_epi32(sum, _mm256_madd_epi16(x, weights))
    }

    /// # Safety
    /// 32 bytes can be read.
    #[target_feature(enable = "avx2")]
    unsafe fn load_256(weights: *const i8) -> __m256i {
        // SAFETY: the caller guarantees it.
        unsafe { _mm256_loadu_si256(weights.cast()) }
    }

    /// # Safety
    /// 64 bytes can be read.
    #[target_feature(enable = "avx512f")]
    unsafe fn load_512(weights: *const i8) -> __m512i {
        // SAFETY: the caller guarantees it.
        unsafe { _mm512_loadu_si512(weights.cast()) }
    }

    kernel!(
        avx2, "avx2,fma", lanes 8, group 2, wide,
        _mm256_setzero_si256, load_wide, _mm256_set1_epi32, dot_wide
    );
    kernel!(
        avx_vnni, "avx2,fma,avxvnni", lanes 8, group 4, x,
        _mm256_setzero_si256, load_256, _mm256_set1_epi32, _mm256_dpbusd_avx_epi32
    );
    kernel!(
        avx512_vnni, "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma", lanes 16, group 4, x,
        _mm512_setzero_si512, load_512, _mm512_set1_epi32, _mm512_dpbusd_epi32
    );

    /// The configuration of tiles, set for this thread until the value is dropped.
    pub struct Tiles;

    impl Tiles {
        /// # Safety
        /// The CPU has tiles, and the system allows them.
        pub unsafe fn configured() -> Self {
            // The layout of Intel's manual: palette 1; from byte 16 on, the number of bytes of a row of each tile;
            // from byte 48 on, its number of rows.
            let mut shape = [0u8; 64];
            shape[0] = 1;
            for tile in 0..8 {
                shape[16 + 2 * tile] = 64;
                shape[48 + tile] = 16;
            }
            // SAFETY: it reads 64 bytes; the compiler itself uses no tiles.
            unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const shape, options(nostack, readonly)) };
            Self
        }
    }

    impl Drop for Tiles {
        fn drop(&mut self) {
            // SAFETY: this one was configured, so there are tiles.
            unsafe { asm!("tilerelease", options(nostack, nomem)) };
        }
    }

    /// Multiplies sixteen rows by a panel of three tiles; rows beyond the last one are computed and
    /// ignored.
    ///
    /// # Safety
    /// [`Tiles`] are configured.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
    pub unsafe fn amx(block: ByteBlock<'_>) {
        let steps = block.depth / 64;
        assert!(block.depth.is_multiple_of(64) && steps > 0, "rows of whole tiles");
        assert!(block.x.len() >= TILE * block.depth, "sixteen rows");
        assert!(block.panel.len() == block.depth * WIDTH, "a panel as deep as the rows are long");
        let mut tile = [[[0i32; 16]; WIDTH / 16]; TILE];
        // SAFETY: a step reads 16 rows of 64 bytes at the distance of the depth, and 16 groups of
        // the panel; the checks above ensure that both exist. At the end 16 rows of three times 64
        // bytes are written, which is all of the tile.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "2:",
                "tileloadd tmm3, [{x} + {depth}]",
                "tileloadd tmm4, [{panel} + {width}]",
                "tdpbusd tmm0, tmm3, tmm4",
                "tileloadd tmm5, [{panel} + {width} + 64]",
                "tdpbusd tmm1, tmm3, tmm5",
                "tileloadd tmm6, [{panel} + {width} + 128]",
                "tdpbusd tmm2, tmm3, tmm6",
                "add {x}, 64",
                "add {panel}, 3072",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{out} + {width}], tmm0",
                "tilestored [{out} + {width} + 64], tmm1",
                "tilestored [{out} + {width} + 128], tmm2",
                x = inout(reg) block.x.as_ptr() => _,
                panel = inout(reg) block.panel.as_ptr() => _,
                steps = inout(reg) steps => _,
                depth = in(reg) block.depth,
                width = in(reg) 4 * WIDTH,
                out = in(reg) tile.as_mut_ptr(),
                options(nostack),
            );
        }
        block.write(&tile);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::network::matrix::WeightMatrix;

    fn product(
        instructions: InstructionSet,
        x: &[f32],
        weights: &[f32],
        bias: &[f32],
        depth: usize,
    ) -> Vec<f32> {
        let mut out = vec![f32::NAN; x.len() / depth * bias.len()];
        let WeightMatrix::Bytes { values, scales } = WeightMatrix::Floats(weights.to_vec()).in_bytes(depth)
        else {
            panic!("floats")
        };
        let panels = BytePanels::of_columns(instructions, &values, &scales, depth);
        panels.multiply(instructions, x, &mut ByteRows::default(), bias, &mut out);
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

        #[test]
        fn every_kind_of_cpu_gives_what_the_plain_code_gives(
            (rows, columns, depth) in (1usize..40, 1usize..110, 1usize..140),
            seed in any::<u32>(),
        ) {
            let number = |at: usize| ((at as f32 + seed as f32 % 97.0) * 0.7).sin();
            let x: Vec<f32> = (0..rows * depth).map(number).collect();
            let weights: Vec<f32> = (0..columns * depth).map(|at| number(3 * at + 1)).collect();
            let bias: Vec<f32> = (0..columns).map(|at| number(7 * at)).collect();
            let plain = product(InstructionSet::Plain, &x, &weights, &bias, depth);
            for instructions in InstructionSet::all() {
                prop_assert_eq!(&product(instructions, &x, &weights, &bias, depth), &plain, "{:?}", instructions);
            }
            for (at, found) in plain.iter().enumerate() {
                let (x, w) = (&x[at / columns * depth..], &weights[at % columns * depth..]);
                let expected = (0..depth).map(|i| x[i] * w[i]).sum::<f32>() + bias[at % columns];
                // Half a step of each of the two in every product: 1/255 and 1/254.
                prop_assert!((found - expected).abs() < 0.009 * depth as f32, "{found}, {expected}");
            }
        }
    }

    #[test]
    fn the_largest_bytes_overflow_nowhere() {
        let (depth, weights) = (4096, vec![1.0; 4096]);
        let x: Vec<f32> = (0..4096).map(|at| if at == 0 { 0.0 } else { 1.0 }).collect();
        for instructions in InstructionSet::all() {
            let found = product(instructions, &x, &weights, &[0.5], depth);
            assert!((found[0] - 4095.5).abs() < 1e-2, "{instructions:?}: {found:?}");
        }
    }

    #[test]
    fn rows_and_columns_of_equal_numbers_are_kept() {
        // A row of 2 is 2 + 0 · byte; a column of zeros has the scale 0. 3 · 2 · 1 = 6.
        for instructions in InstructionSet::all() {
            assert_eq!(
                product(instructions, &[2.0; 3], &[1.0, 1.0, 1.0, 0.0, 0.0, 0.0], &[0.0, 1.0], 3)[1],
                1.0
            );
            assert!((product(instructions, &[2.0; 3], &[1.0; 3], &[0.0], 3)[0] - 6.0).abs() < 1e-5);
        }
    }
}
