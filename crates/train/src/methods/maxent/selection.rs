//! Selects the most important features from weights shared by hash.

use super::cells::{Index, TrainingWeights, WeightCell};
use majuscule_methods::maxent::{BEGIN, WEIGHTS_EACH};

impl TrainingWeights {
    /// Returns the `size` features with the largest weights; ties go to the lower hash.
    pub(super) fn chosen(&self, size: usize) -> Vec<u64> {
        let Index::Hashed(_, leaders) = &self.index else { return Vec::new() };
        let score = |cell: &WeightCell| {
            let weight = |weights: &[f32], sum: f32| {
                weights.iter().fold(0.0f32, |most, weight| most.max(weight.abs())) * sum.sqrt().sqrt()
            };
            weight(&cell[..BEGIN], cell[WEIGHTS_EACH])
                .max(weight(&cell[BEGIN..=BEGIN], cell[WEIGHTS_EACH + 1]))
        };
        let mut found: Vec<(f32, u64)> = self
            .cells
            .iter()
            .zip(leaders)
            .filter(|(_, (feature, _))| *feature != 0)
            .map(|(cell, (feature, _))| (score(cell), *feature))
            .collect();
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(size);
        found.into_iter().map(|(_, feature)| feature).collect()
    }
}
