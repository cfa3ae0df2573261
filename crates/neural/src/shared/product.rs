//! Matrix products on slices, computed by the crate gemm, which requires `unsafe` code.
#![allow(unsafe_code)] // gemm takes pointers and sizes; every view below has checked that its numbers lie in its slice.

use gemm::Parallelism;
use rayon::prelude::*;
use serde::Serialize;

#[cfg(target_arch = "x86_64")]
use super::bf16_product;

/// The precision of products in training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ProductPrecision {
    /// 32-bit numbers
    #[default]
    F32,
    /// Numbers rounded to 16 bits and summed in 32 on CPUs where this is faster (AMD with AVX-512
    /// BF16), and to 19 bits (TF32) on a GPU; 32-bit numbers on other CPUs
    Bf16,
}

impl ProductPrecision {
    /// Returns true for 32-bit numbers.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if products round their numbers on this CPU.
    pub fn rounds(self) -> bool {
        match self {
            Self::F32 => false,
            #[cfg(target_arch = "x86_64")]
            Self::Bf16 => bf16_product::is_faster(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Bf16 => false,
        }
    }
}

/// A matrix in a slice.
#[derive(Debug, Clone, Copy)]
pub struct MatrixView<'a> {
    values: &'a [f32],
    shape: MatrixShape,
}

/// A matrix in a mutable slice, row after row.
#[derive(Debug)]
pub struct MatrixViewMut<'a> {
    values: &'a mut [f32],
    shape: MatrixShape,
}

/// The numbers of rows and columns, and the distances in memory between two rows and between two columns.
#[derive(Debug, Clone, Copy)]
struct MatrixShape {
    rows: usize,
    columns: usize,
    row_step: usize,
    column_step: usize,
}

impl MatrixShape {
    /// # Panics
    /// Panics if the matrix exceeds `len` numbers.
    fn new(rows: usize, columns: usize, row_step: usize, len: usize) -> Self {
        assert!(columns <= row_step || rows <= 1, "rows overlap");
        if rows > 0 && columns > 0 {
            assert!((rows - 1) * row_step + columns <= len, "a matrix goes beyond its slice");
        }
        Self { rows, columns, row_step, column_step: 1 }
    }
}

impl<'a> MatrixView<'a> {
    /// Makes a matrix of consecutive rows of this many columns.
    ///
    /// # Panics
    /// Panics if the slice ends inside a row.
    pub fn new(values: &'a [f32], columns: usize) -> Self {
        assert!(values.len().is_multiple_of(columns), "half a row");
        Self { values, shape: MatrixShape::new(values.len() / columns, columns, columns, values.len()) }
    }

    /// Makes a matrix of the first `columns` numbers of each row, where a row begins every `step` numbers.
    ///
    /// # Panics
    /// Panics if the matrix exceeds the slice.
    pub fn part(values: &'a [f32], rows: usize, columns: usize, step: usize) -> Self {
        Self { values, shape: MatrixShape::new(rows, columns, step, values.len()) }
    }

    /// Makes a matrix of overlapping rows of `columns` numbers, where a row begins every `step` numbers.
    ///
    /// # Panics
    /// Panics if the matrix exceeds the slice.
    pub fn overlapping(values: &'a [f32], rows: usize, columns: usize, step: usize) -> Self {
        assert!(rows == 0 || (rows - 1) * step + columns <= values.len(), "a matrix goes beyond its slice");
        Self { values, shape: MatrixShape { rows, columns, row_step: step, column_step: 1 } }
    }

    /// Returns the numbers of rows and columns.
    pub fn size(&self) -> [usize; 2] {
        [self.shape.rows, self.shape.columns]
    }

    /// Returns a row of a matrix whose rows are contiguous.
    pub fn row(&self, row: usize) -> &'a [f32] {
        &self.values[row * self.shape.row_step..][..self.shape.columns]
    }

    /// Returns the values and the distance between two columns if the matrix is transposed, so that its columns are
    /// contiguous.
    pub fn columns_of_values(&self) -> Option<(&'a [f32], usize)> {
        (self.shape.column_step != 1).then_some((self.values, self.shape.column_step))
    }

    /// Swaps rows and columns.
    pub fn transposed(self) -> Self {
        let MatrixShape { rows, columns, row_step, column_step } = self.shape;
        let shape =
            MatrixShape { rows: columns, columns: rows, row_step: column_step, column_step: row_step };
        Self { shape, ..self }
    }
}

impl<'a> MatrixViewMut<'a> {
    /// Makes a mutable matrix like [`MatrixView::new`].
    ///
    /// # Panics
    /// Panics if the slice ends inside a row.
    pub fn new(values: &'a mut [f32], columns: usize) -> Self {
        let shape = MatrixView::new(values, columns).shape;
        Self { values, shape }
    }

    /// Makes a mutable matrix like [`MatrixView::part`].
    ///
    /// # Panics
    /// Panics if the rows exceed the slice.
    pub fn part(values: &'a mut [f32], rows: usize, columns: usize, step: usize) -> Self {
        let shape = MatrixShape::new(rows, columns, step, values.len());
        Self { values, shape }
    }

    /// Adds `a · b`.
    ///
    /// # Panics
    /// Panics if the shapes do not match.
    pub fn add(self, a: MatrixView<'_>, b: MatrixView<'_>) {
        self.multiply(a, b, true, Parallelism::None);
    }

    /// Sets the matrix to `a · b`.
    ///
    /// # Panics
    /// Panics if the shapes do not match.
    pub fn set(self, a: MatrixView<'_>, b: MatrixView<'_>) {
        self.multiply(a, b, false, Parallelism::None);
    }

    /// Adds `a · b` on all threads of the current pool. The sum does not depend on the number of threads.
    ///
    /// # Panics
    /// Panics if the shapes do not match.
    pub fn add_on_all_threads(self, a: MatrixView<'_>, b: MatrixView<'_>, precision: ProductPrecision) {
        match precision.rounds() {
            #[cfg(target_arch = "x86_64")]
            true => bf16_product::add(self, a, b),
            _ => self.multiply(a, b, true, all_threads()),
        }
    }

    /// Returns the numbers of rows and columns.
    pub fn size(&self) -> [usize; 2] {
        [self.shape.rows, self.shape.columns]
    }

    /// Returns the distance between two rows in memory, and blocks of `count` rows.
    pub fn row_blocks(&mut self, count: usize) -> (usize, impl IndexedParallelIterator<Item = &mut [f32]>) {
        let MatrixShape { rows, row_step, .. } = self.shape;
        (row_step, self.values.par_chunks_mut(count * row_step).take(rows.div_ceil(count)))
    }

    fn multiply(self, a: MatrixView<'_>, b: MatrixView<'_>, adds: bool, threads: Parallelism) {
        let MatrixShape { rows, columns, row_step, column_step } = self.shape;
        let depth = a.shape.columns;
        assert!(
            rows == a.shape.rows && columns == b.shape.columns && depth == b.shape.rows,
            "shapes do not fit"
        );
        if rows == 0 || columns == 0 || depth == 0 && adds {
            return;
        }
        // SAFETY: the shapes match, each view was checked to lie in its slice, the rows that are written do not
        // overlap, and their slice is borrowed exclusively.
        unsafe {
            gemm::gemm(
                rows,
                columns,
                depth,
                self.values.as_mut_ptr(),
                column_step as isize,
                row_step as isize,
                adds,
                a.values.as_ptr(),
                a.shape.column_step as isize,
                a.shape.row_step as isize,
                b.values.as_ptr(),
                b.shape.column_step as isize,
                b.shape.row_step as isize,
                1.0f32,
                1.0f32,
                false,
                false,
                false,
                threads,
            );
        }
    }
}

fn all_threads() -> Parallelism {
    match rayon::current_num_threads() {
        1 => Parallelism::None,
        threads => Parallelism::Rayon(threads),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(len: usize, seed: usize) -> Vec<f32> {
        (0..len).map(|at| ((at * 37 + seed * 11) % 19) as f32 - 9.0).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn products_are_sums_of_products(
            rows in 0usize..20,
            depth in 0usize..20,
            columns in 1usize..20,
            wider in 0usize..5,
            turned in prop::bool::ANY,
        ) {
            let step = depth + wider;
            let (a, b, start) =
                (numbers(rows * step, 1), numbers(depth * columns, 2), numbers(rows * columns, 3));
            let mut found = start.clone();
            // Small integers: the order of additions does not matter.
            let b_at = |k: usize, j: usize| if turned { b[j * depth + k] } else { b[k * columns + j] };
            let b_view = if turned {
                MatrixView::part(&b, columns, depth, depth).transposed()
            } else {
                MatrixView::part(&b, depth, columns, columns)
            };
            MatrixViewMut::new(&mut found, columns).add(MatrixView::part(&a, rows, depth, step), b_view);
            for (at, value) in found.iter().enumerate() {
                let (i, j) = (at / columns, at % columns);
                let sum: f32 = (0..depth).map(|k| a[i * step + k] * b_at(k, j)).sum();
                prop_assert_eq!(*value, start[at] + sum);
            }
            let a_view = MatrixView::part(&a, rows, depth, step);
            let mut other = start.clone();
            MatrixViewMut::new(&mut other, columns).add_on_all_threads(a_view, b_view, ProductPrecision::F32);
            prop_assert_eq!(&other, &found);
            let differences: Vec<f32> = found.iter().zip(&start).map(|(found, start)| found - start).collect();
            MatrixViewMut::new(&mut other, columns).set(a_view, b_view);
            prop_assert_eq!(&other, &differences);
        }
    }
}
