//! Adam for a network with tables of embeddings: rows that do not occur in a batch keep their weights and
//! moments.

use super::adam::{AdamFactors, clip_scale, squared_norm};
use super::instruction_set::InstructionSet;

/// The gradient of a loss with respect to every weight.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseGradient {
    /// The gradient of the weights outside tables, which are the first weights.
    pub dense: Vec<f32>,
    pub tables: Vec<TableGradient>,
}

/// The gradient of a table of embeddings, for the rows that occur in a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct TableGradient {
    /// The position of the table among the weights.
    start: usize,
    width: usize,
    /// The rows that occur, in order.
    ids: Vec<u32>,
    rows: Vec<f32>,
}

impl TableGradient {
    /// Makes a gradient of zeros for these rows.
    pub fn new(start: usize, width: usize, ids: impl Iterator<Item = u32>) -> Self {
        let mut ids: Vec<u32> = ids.collect();
        ids.sort_unstable();
        ids.dedup();
        let rows = vec![0.0; ids.len() * width];
        Self { start, width, ids, rows }
    }

    /// Returns the gradient of a row.
    ///
    /// # Panics
    /// Panics if the row does not occur.
    pub fn row(&mut self, id: u32) -> &mut [f32] {
        let at = self.ids.binary_search(&id).expect("all rows that occur are in the list");
        &mut self.rows[at * self.width..][..self.width]
    }

    /// Returns the position among the weights and the gradient of each row that occurs.
    pub fn positions(&self) -> impl Iterator<Item = (usize, &[f32])> {
        let position = |&id: &u32| self.start + id as usize * self.width;
        self.ids.iter().map(position).zip(self.rows.chunks_exact(self.width))
    }
}

/// Running means of the gradient and of its square.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseAdam {
    pub means: Vec<f32>,
    pub squares: Vec<f32>,
    pub steps: u64,
}

impl SparseAdam {
    /// Makes the initial moments of `len` weights, which are 0.
    pub fn new(len: usize) -> Self {
        Self { means: vec![0.0; len], squares: vec![0.0; len], steps: 0 }
    }

    /// Updates weights with a gradient, which is clipped to `clip` unless that is 0.
    pub fn step(&mut self, weights: &mut [f32], gradient: &SparseGradient, rate: f64, clip: f64) {
        let tables = gradient.tables.iter().map(|table| squared_norm(&table.rows)).sum::<f64>();
        self.steps += 1;
        let scale = clip_scale(squared_norm(&gradient.dense) + tables, clip);
        let factors = AdamFactors::new(self.steps, rate, scale);
        self.change(weights, 0, &gradient.dense, factors);
        for (start, row) in gradient.tables.iter().flat_map(TableGradient::positions) {
            self.change(weights, start, row, factors);
        }
    }

    fn change(&mut self, weights: &mut [f32], start: usize, gradient: &[f32], factors: AdamFactors) {
        let range = start..start + gradient.len();
        let (means, squares) = (&mut self.means[range.clone()], &mut self.squares[range.clone()]);
        InstructionSet::best().run(
            #[inline(always)]
            || factors.apply(&mut weights[range], means, squares, gradient),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_as_long_as_the_rate_and_rows_that_do_not_occur_stay() {
        // Four weights, and a table of three rows of two.
        let mut weights = vec![1.0; 4 + 3 * 2];
        let mut adam = SparseAdam::new(weights.len());
        let mut table = TableGradient::new(4, 2, [1, 1].into_iter());
        table.row(1).copy_from_slice(&[0.5, 0.0]);
        let gradient = SparseGradient { dense: vec![-4.0; 4], tables: vec![table] };
        // The first step is as long as the learning rate, whatever the gradient, and so is the
        // second with the same gradient.
        for clip in [0.0, 1e3] {
            adam.step(&mut weights, &gradient, 0.1, clip);
        }
        assert!(weights[..4].iter().all(|value| (value - 1.2).abs() < 1e-6));
        assert!((weights[6] - 0.8).abs() < 1e-6, "{weights:?}");
        assert_eq!([weights[4], weights[5], weights[7], weights[8], weights[9]], [1.0; 5]);
    }
}
