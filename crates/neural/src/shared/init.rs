//! Random initial weights.

use std::ops::Range;

use majuscule_train::random::{Purpose, Random, generator, unit};

use super::lstm::CellLayout;

/// Initial weights, which are 0 unless they are drawn.
pub struct WeightDraws {
    pub values: Vec<f32>,
    random: Random,
}

impl WeightDraws {
    /// Makes `len` weights.
    pub fn new(len: usize, seed: u64) -> Self {
        Self { values: vec![0.0; len], random: generator(seed, Purpose::Beginning, 0) }
    }

    fn fill(&mut self, part: &Range<usize>, bound: f64) {
        self.values[part.clone()].fill_with(|| uniform(&mut self.random, bound));
    }

    /// Draws embeddings of this width, whose norms are about 1.
    pub fn table(&mut self, part: &Range<usize>, width: usize) {
        self.fill(part, (3.0 / width as f64).sqrt());
    }

    /// Draws matrices side by side, each of this many columns, as in Glorot & Bengio 2010; `rows` is the number of
    /// rows.
    pub fn matrix(&mut self, part: &Range<usize>, rows: usize, columns: usize) {
        self.fill(part, (6.0 / (rows + columns) as f64).sqrt());
    }

    /// Draws the weights of an LSTM, each of whose gates has its own matrix. The biases of its forget gate are 1.
    pub fn lstm(&mut self, cell: &CellLayout) {
        let hidden = cell.hidden;
        self.matrix(&cell.inputs, cell.inputs.len() / (4 * hidden), hidden);
        self.matrix(&cell.states, hidden, hidden);
        self.values[cell.bias.clone()][hidden..2 * hidden].fill(1.0);
    }
}

/// Draws a weight uniformly between −`bound` and `bound`.
pub fn uniform(random: &mut Random, bound: f64) -> f32 {
    ((2.0 * unit(random) - 1.0) * bound) as f32
}

/// Draws a weight with mean 0 and this standard deviation. It is a sum of twelve uniform numbers: close to a normal
/// distribution, never beyond six deviations, and the same on every computer, unlike formulas with logarithms.
pub fn normal(random: &mut Random, deviation: f64) -> f32 {
    let sum: f64 = (0..12).map(|_| unit(random)).sum();
    ((sum - 6.0) * deviation) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_weight_has_its_deviation_and_its_tails() {
        let mut random = generator(1, Purpose::Beginning, 0);
        let values: Vec<f64> = (0..20_000).map(|_| f64::from(normal(&mut random, 0.5))).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
        assert!(mean.abs() < 0.02 && (deviation - 0.5).abs() < 0.02, "{mean} {deviation}");
        // 4.6 % lie beyond two deviations.
        let beyond = values.iter().filter(|value| value.abs() > 1.0).count();
        assert!((800..1050).contains(&beyond), "{beyond}");
    }
}
