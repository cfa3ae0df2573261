//! Quantises learned weights into the table of a model.

use super::cells::{Gradient, TrainingWeights};
use majuscule_methods::maxent::weights::{WeightLevels, Width};

impl TrainingWeights {
    /// Quantises the weights of the `kept` features with the largest weights to the given width.
    /// Features whose weights all become 0 are left out.
    pub(super) fn quantised(&self, width: Width, kept: usize) -> Quantised {
        let most = self.by_feature().flat_map(|(_, weights)| weights);
        let most = most.fold(0.0f32, |most, weight| most.max(weight.abs()));
        let unit = unit(width, most);
        let step = |weight: f32| width.nearest(weight * unit as f32);
        let mut found: Vec<(u64, WeightLevels)> = self
            .by_feature()
            .map(|(feature, weights)| (feature, weights.map(step)))
            .filter(|(_, steps)| *steps != WeightLevels::default())
            .collect();
        let size = |steps: &WeightLevels| steps.map(i16::unsigned_abs).into_iter().max();
        found.sort_unstable_by(|a, b| size(&b.1).cmp(&size(&a.1)).then(a.0.cmp(&b.0)));
        found.truncate(kept);
        let room = f32::from(width.most()) + 0.5;
        let is_cut = |weights: &Gradient| weights.iter().any(|weight| weight.abs() * unit as f32 > room);
        let cut = self.by_feature().filter(|(_, weights)| is_cut(weights)).count();
        Quantised { unit, cut, table: width.build(found.into_iter()) }
    }
}

/// The weights in the form that a model holds.
#[derive(Debug, PartialEq)]
pub(super) struct Quantised {
    /// The number of quantisation levels that represent a weight of 1.
    pub(super) unit: u32,
    /// The number of features with weights that are cut to the highest level.
    pub(super) cut: usize,
    /// The bytes of the weight table.
    pub(super) table: Vec<u8>,
}

/// Returns the number of levels that represent a weight of 1 if the largest weight is `most`.
fn unit(width: Width, most: f32) -> u32 {
    let unit = match width {
        Width::Narrow => f32::from(width.most()) / most.clamp(0.1, LARGEST),
        Width::Wide => f32::from(width.most()) / most.max(f32::from(width.most()) / FINE),
    };
    (unit as u32).max(1)
}

/// The largest weight that a byte represents; larger weights are clipped. Odds of e to this power
/// are near certainty, and small weights keep fine levels.
const LARGEST: f32 = 6.0;

/// The largest number of levels that represent a weight of 1 in two bytes. The sum of the weights
/// of a word's own features, which also has two bytes, is then exact up to 127, far beyond
/// certainty.
const FINE: f32 = 256.0;
