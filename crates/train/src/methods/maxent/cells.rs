//! The weights of features during training.

use super::adapt::Base;
use super::lazy::{Lazy, Penalty};
use majuscule_methods::maxent::{BEGIN, WEIGHTS_EACH};

/// One number for each weight of a feature.
pub(super) type Gradient = [f32; WEIGHTS_EACH];

/// The weights of a feature, followed by the sum of squared gradients of its class weights and the
/// sum for its weight for a sentence beginning.
pub(super) type WeightCell = [f32; WEIGHTS_EACH + 2];

/// The weights during training.
#[derive(Clone)]
pub(super) struct TrainingWeights {
    pub(super) cells: Vec<WeightCell>,
    pub(super) index: Index,
    /// For each cell that features with the same hash share, the feature with the majority of the
    /// cell's gradients (Boyer & Moore 1991) and the lead of that feature.
    pub(super) leaders: Vec<(u64, u32)>,
    /// The deferred updates of cells, applied when a cell is touched; `None` if there are none.
    pub(super) lazy: Option<Lazy>,
    /// The weights to which these are added, if these are moves of an adapted model.
    pub(super) base: Option<Base>,
}

/// The index from features to cells.
#[derive(Clone)]
pub(super) enum Index {
    /// The first bits of a feature's hash are the number of its cell, so features with the same
    /// bits share a cell.
    Hashed(u32),
    /// A hash table with open addressing from chosen features to cell numbers; its length is a
    /// power of two.
    Chosen(Vec<(u64, u32)>),
}

/// The cell number of an empty slot.
const NONE: u32 = u32::MAX;

impl Index {
    #[inline]
    pub(super) fn cell(&self, feature: u64) -> u32 {
        match self {
            Self::Hashed(bits) => (feature >> (64 - bits)) as u32,
            Self::Chosen(slots) => {
                let mut at = feature as usize & (slots.len() - 1);
                loop {
                    let (found, cell) = slots[at];
                    if cell == NONE || found == feature {
                        return cell;
                    }
                    at = (at + 1) & (slots.len() - 1);
                }
            }
        }
    }
}

impl TrainingWeights {
    pub(super) fn hashed(bits: u32) -> Self {
        let cells = vec![WeightCell::default(); 1 << bits];
        Self { cells, index: Index::Hashed(bits), leaders: vec![(0, 0); 1 << bits], lazy: None, base: None }
    }

    /// Creates zero weights for the chosen features.
    pub(super) fn of(chosen: Vec<u64>) -> Self {
        let mut slots = vec![(0, NONE); (chosen.len() * 2).next_power_of_two()];
        for (cell, feature) in (0..).zip(&chosen) {
            let mut at = *feature as usize & (slots.len() - 1);
            while slots[at].1 != NONE {
                at = (at + 1) & (slots.len() - 1);
            }
            slots[at] = (*feature, cell);
        }
        let cells = vec![WeightCell::default(); chosen.len()];
        Self { cells, index: Index::Chosen(slots), leaders: Vec::new(), lazy: None, base: None }
    }

    /// Creates weights for the chosen features, in this order, with these values.
    pub(super) fn with(chosen: Vec<u64>, values: &[Gradient]) -> Self {
        let mut weights = Self::of(chosen);
        for (cell, values) in weights.cells.iter_mut().zip(values) {
            cell[..WEIGHTS_EACH].copy_from_slice(values);
        }
        weights
    }

    /// Returns the chosen features, in the order given to [`TrainingWeights::of`].
    pub(super) fn features(&self) -> Vec<u64> {
        let Index::Chosen(slots) = &self.index else { return Vec::new() };
        let mut features = vec![0; self.cells.len()];
        for &(feature, cell) in slots.iter().filter(|(_, cell)| *cell != NONE) {
            features[cell as usize] = feature;
        }
        features
    }

    /// Returns the weights of each cell; for [`TrainingWeights::of`], in the order of its features.
    #[cfg(test)]
    pub(super) fn values(&self) -> impl Iterator<Item = Gradient> {
        self.cells.iter().map(|cell| [cell[0], cell[1], cell[2], cell[3]])
    }

    /// Returns the weights with deferred updates for a penalty or for averaging, if either is used.
    pub(super) fn lazily(self, penalty: Penalty, average: bool) -> Self {
        let needed = average || penalty != Penalty::None;
        Self { lazy: needed.then(|| Lazy::new(penalty, average, self.cells.len())), ..self }
    }

    /// Returns the weights as differences from the weights of a model, if one is adapted.
    pub(super) fn over(self, base: Option<Base>) -> Self {
        Self { base, ..self }
    }

    /// Applies all deferred updates, and returns the resulting weights.
    pub(super) fn settle(mut self) -> Self {
        if let Some(lazy) = self.lazy.take() {
            lazy.settle(&mut self.cells);
        }
        self
    }

    /// Returns a copy of the weights after all deferred updates, so that training can continue.
    pub(super) fn settled(&self) -> Self {
        self.clone().settle()
    }

    /// Sums the weights of features. Features after the first `all` affect only sentence
    /// beginnings.
    #[inline]
    pub(super) fn logits(&self, features: &[u64], all: usize) -> Gradient {
        let mut sums = self.base.as_ref().map_or([0.0; WEIGHTS_EACH], |base| base.logits(features, all));
        for (number, &feature) in features.iter().enumerate() {
            let at = self.index.cell(feature) as usize;
            let Some(cell) = self.cells.get(at) else { continue };
            let weights = match &self.lazy {
                None => [cell[0], cell[1], cell[2], cell[3]],
                Some(lazy) => lazy.now(at, cell),
            };
            match number < all {
                true => sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight),
                false => sums[BEGIN] += weights[BEGIN],
            }
        }
        sums
    }

    /// Returns the `size` features with the largest weights, chosen from weights shared by hash; ties
    /// go to the lower hash.
    pub(super) fn chosen(&self, size: usize) -> Vec<u64> {
        let score = |cell: &WeightCell| {
            let weight = |weights: &[f32], sum: f32| {
                weights.iter().fold(0.0f32, |most, weight| most.max(weight.abs())) * sum.sqrt().sqrt()
            };
            weight(&cell[..BEGIN], cell[WEIGHTS_EACH])
                .max(weight(&cell[BEGIN..=BEGIN], cell[WEIGHTS_EACH + 1]))
        };
        let leaders = self.cells.iter().zip(&self.leaders).filter(|(_, (feature, _))| *feature != 0);
        let mut found: Vec<(f32, u64)> =
            leaders.map(|(cell, (feature, _))| (score(cell), *feature)).collect();
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(size);
        found.into_iter().map(|(_, feature)| feature).collect()
    }

    /// Returns the weights of each chosen feature.
    pub(super) fn by_feature(&self) -> impl Iterator<Item = (u64, Gradient)> {
        let slots = match &self.index {
            Index::Chosen(slots) => slots.as_slice(),
            Index::Hashed(_) => &[],
        };
        slots.iter().filter(|(_, cell)| *cell != NONE).map(|&(feature, cell)| {
            let cell = self.cells[cell as usize];
            (feature, [cell[0], cell[1], cell[2], cell[3]])
        })
    }
}
