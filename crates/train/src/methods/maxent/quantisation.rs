//! Learned weights in, the table of a model out, whose weights are whole numbers of steps.

use super::cells::{Gradient, TrainingWeights};
use majuscule::methods::maxent::weights::{WeightLevels, Width};

impl TrainingWeights {
    /// The weights in steps of a model whose weights are so wide, the `kept` features with the largest ones at most. Features
    /// whose weights are all of no step are left out.
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

/// Weights as a model holds them.
#[derive(Debug, PartialEq)]
pub(super) struct Quantised {
    /// How many steps a weight of 1 has.
    pub(super) unit: u32,
    /// How many features have weights that are cut to the most steps that there are.
    pub(super) cut: usize,
    /// The bytes of their table.
    pub(super) table: Vec<u8>,
}

/// How many steps a weight of 1 has where the largest is `most`.
fn unit(width: Width, most: f32) -> u32 {
    let unit = match width {
        Width::Narrow => f32::from(width.most()) / most.clamp(0.1, LARGEST),
        Width::Wide => f32::from(width.most()) / most.max(f32::from(width.most()) / FINE),
    };
    (unit as u32).max(1)
}

/// In a byte a larger weight counts as one of this size: e to it is certainty, and small weights then keep fine steps.
const LARGEST: f32 = 6.0;

/// In two bytes a weight of 1 has at most so many steps, so that the sum of the weights of a word's own features, which takes
/// two bytes too, is whole up to 127: far beyond certainty.
const FINE: f32 = 256.0;
