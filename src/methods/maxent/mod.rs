//! Maximum entropy (Batista et al. 2007, section 4.2): a weighted sum of what is seen around a word.

pub mod features;
pub mod profile;
#[cfg(feature = "train")]
mod train;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
#[cfg(feature = "train")]
pub use train::{Config, train};

use crate::text::{Labels, Tokens};
use features::Group;

/// The classes: lower, title, upper, mixed. The first one's weights are 0.
pub(crate) const CLASSES: usize = 4;

/// A trained model.
#[derive(Debug)]
pub struct Maxent {
    weights: Weights,
    profiles: FxHashMap<String, u16>,
    settings: Settings,
    labels: Labels,
}

/// What a model needs to know of how it was trained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The features.
    pub groups: Vec<Group>,
    /// Words of right context.
    pub look_ahead: usize,
}

/// Weights that features share by their hashes: those of the classes but the first, and the sum of squared gradients.
#[derive(Debug)]
pub struct Weights {
    slots: Vec<[f32; CLASSES]>,
    bits: u32,
}

impl Weights {
    fn new(bits: u32) -> Self {
        Self { slots: vec![[0.0; CLASSES]; 1 << bits], bits }
    }

    #[inline]
    fn slot(&self, feature: u64) -> u32 {
        (feature >> (64 - self.bits)) as u32
    }

    /// The probability of each class.
    #[inline]
    fn shares(&self, features: &[u64]) -> [f32; CLASSES] {
        let mut sums = [0.0; CLASSES];
        for &feature in features {
            let cell = &self.slots[self.slot(feature) as usize];
            for class in 1..CLASSES {
                sums[class] += cell[class - 1];
            }
        }
        let most = sums.iter().copied().fold(f32::MIN, f32::max);
        let powers = sums.map(|sum| (sum - most).exp());
        let whole: f32 = powers.iter().sum();
        powers.map(|power| power / whole)
    }
}

impl Maxent {
    /// The class of each word: for trying out.
    pub fn classes(&self, tokens: &Tokens) -> Vec<usize> {
        let mut seen = Vec::new();
        features::seen(tokens, |word| self.profiles.get(word).copied().unwrap_or(0), &mut seen);
        let mut out = Vec::new();
        tokens
            .iter()
            .enumerate()
            .map(|(at, (lower, _))| {
                features::extract(
                    &self.settings.groups,
                    lower,
                    &features::window(&seen, at),
                    self.settings.look_ahead,
                    &mut out,
                );
                let shares = self.weights.shares(&out);
                (0..CLASSES).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap_or(0)
            })
            .collect()
    }
}
