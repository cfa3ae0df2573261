//! The weights of features as a model stores them: integers in
//! [steps](super::MaxentSettings::steps), of one or two bytes each.

use super::table::{self, HashTable, TableReader};
use super::{Logits, WEIGHTS_EACH};
use majuscule_base::bytes::Bytes;

/// The number of bytes of the weights of a feature if each weight has two.
pub const WIDE: usize = 2 * WEIGHTS_EACH;

/// A table of weights by feature.
#[derive(Debug, Clone)]
pub enum WeightTable {
    /// One byte per weight.
    Narrow(HashTable<WEIGHTS_EACH>),
    /// Two bytes per weight, little-endian.
    Wide(HashTable<WIDE>),
}

/// The weights of a feature, as quantised levels.
pub type WeightLevels = [i16; WEIGHTS_EACH];

impl WeightTable {
    /// Opens the bytes of a table, whose header has the width of a weight.
    ///
    /// # Errors
    /// If the bytes are not a table of weights or are truncated.
    pub fn open(bytes: Bytes) -> Result<Self, String> {
        match table::width(&bytes) {
            Some(WIDE) => HashTable::open(bytes).map(Self::Wide),
            _ => HashTable::open(bytes).map(Self::Narrow),
        }
    }

    /// Returns the bytes of the table.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Narrow(table) => table.bytes(),
            Self::Wide(table) => table.bytes(),
        }
    }

    /// Returns the weights of a feature; `None` if the table lacks the feature.
    pub fn get(&self, feature: u64) -> Option<WeightLevels> {
        match self {
            Self::Narrow(table) => table.reader().get(feature).map(narrow),
            Self::Wide(table) => table.reader().get(feature).map(wide),
        }
    }

    /// Adds to `sums` the weights of the features that the table contains.
    pub fn add(&self, features: &[u64], sums: &mut Logits) {
        self.reader().add(features, sums);
    }

    /// Creates a reader, whose look-ups need not locate the parts of the table each time.
    pub fn reader(&self) -> WeightReader<'_> {
        match self {
            Self::Narrow(table) => WeightReader::Narrow(table.reader()),
            Self::Wide(table) => WeightReader::Wide(table.reader()),
        }
    }

    /// Returns the width of the weights.
    pub fn width(&self) -> Width {
        match self {
            Self::Narrow(_) => Width::Narrow,
            Self::Wide(_) => Width::Wide,
        }
    }

    /// Builds the bytes of a changed table, with new weights for some features and with
    /// additional features.
    pub fn with(&self, weights: impl Iterator<Item = (u64, WeightLevels)>) -> Vec<u8> {
        match self {
            Self::Narrow(table) => table.with(weights.map(|(feature, steps)| (feature, bytes(steps)))),
            Self::Wide(table) => table.with(weights.map(|(feature, steps)| (feature, pairs(steps)))),
        }
    }
}

/// A reader of a table of weights.
#[derive(Debug, Clone, Copy)]
pub enum WeightReader<'a> {
    /// One byte per weight.
    Narrow(TableReader<'a, WEIGHTS_EACH>),
    /// Two bytes per weight, little-endian.
    Wide(TableReader<'a, WIDE>),
}

impl WeightReader<'_> {
    /// Adds to `sums` the weights of the features that the table contains.
    pub fn add(&self, features: &[u64], sums: &mut Logits) {
        match self {
            Self::Narrow(table) => table.each(features, |values| add_narrow(values, sums)),
            Self::Wide(table) => add_wide(table, features, sums),
        }
    }
}

// If this were inlined, the rarer case would slow down the common one.
#[cold]
#[inline(never)]
fn add_wide(table: &TableReader<'_, WIDE>, features: &[u64], sums: &mut Logits) {
    table.each(features, |values| {
        for value in values {
            sums.iter_mut().zip(wide(value)).for_each(|(sum, step)| *sum += i32::from(step));
        }
    });
}

/// Adds weights of one byte each, two at a time in one integer. An offset of 128 makes all of them
/// non-negative.
#[inline]
fn add_narrow(values: &[[u8; WEIGHTS_EACH]], sums: &mut Logits) {
    const TWO: u32 = 0x00ff_00ff;
    // The sum of the weights that are looked up together fits into 16 bits.
    const { assert!(table::AT_ONCE <= 256) };
    let (mut even, mut odd) = (0, 0);
    for value in values {
        let value = u32::from_le_bytes(*value) ^ 0x8080_8080;
        even += value & TWO;
        odd += value >> 8 & TWO;
    }
    let more = 128 * values.len() as i32;
    for (sum, added) in sums.iter_mut().zip([even & 0xffff, odd & 0xffff, even >> 16, odd >> 16]) {
        *sum += added as i32 - more;
    }
}

fn narrow(value: &[u8; WEIGHTS_EACH]) -> WeightLevels {
    value.map(|byte| i16::from(byte as i8))
}

#[inline]
fn wide(value: &[u8; WIDE]) -> WeightLevels {
    std::array::from_fn(|at| i16::from_le_bytes([value[2 * at], value[2 * at + 1]]))
}

/// The width of a weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// One byte.
    Narrow,
    /// Two bytes.
    Wide,
}

impl Width {
    /// Returns the largest number of steps of a weight, positive or negative.
    pub fn most(self) -> i16 {
        match self {
            Self::Narrow => i8::MAX.into(),
            Self::Wide => i16::MAX,
        }
    }

    /// Returns the nearest representable number of steps.
    pub fn nearest(self, steps: f32) -> i16 {
        let most = f32::from(self.most());
        steps.round().clamp(-most, most) as i16
    }

    /// Returns the number of features that fit into this many bytes.
    pub fn room(self, bytes: usize) -> usize {
        match self {
            Self::Narrow => HashTable::<WEIGHTS_EACH>::room(bytes),
            Self::Wide => HashTable::<WIDE>::room(bytes),
        }
    }

    /// Returns the number of bytes of a table of this many features.
    pub fn size(self, features: usize) -> usize {
        match self {
            Self::Narrow => HashTable::<WEIGHTS_EACH>::size(features),
            Self::Wide => HashTable::<WIDE>::size(features),
        }
    }

    /// Builds the bytes of a table of weights, each within [`Width::most`].
    pub fn build(self, weights: impl Iterator<Item = (u64, WeightLevels)>) -> Vec<u8> {
        match self {
            Self::Narrow => HashTable::build(weights.map(|(feature, steps)| (feature, bytes(steps)))),
            Self::Wide => HashTable::build(weights.map(|(feature, steps)| (feature, pairs(steps)))),
        }
    }
}

fn bytes(steps: WeightLevels) -> [u8; WEIGHTS_EACH] {
    steps.map(|step| step as u8)
}

fn pairs(steps: WeightLevels) -> [u8; WIDE] {
    std::array::from_fn(|at| steps[at / 2].to_le_bytes()[at % 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn weights_of_either_width_are_added_as_they_went_in(
            weights in prop::collection::btree_map(any::<u64>(), prop::array::uniform4(-127i16..=127), 0..40),
            scale in prop_oneof![Just(1i16), Just(258)],
        ) {
            let scaled = |steps: &WeightLevels| steps.map(|step| step * scale);
            let width = if scale == 1 { Width::Narrow } else { Width::Wide };
            let bytes = width.build(weights.iter().map(|(feature, steps)| (*feature, scaled(steps))));
            let table = WeightTable::open(bytes.into()).unwrap();
            prop_assert_eq!(table.width(), width);
            let (mut sums, mut plain) = ([0; WEIGHTS_EACH], [0; WEIGHTS_EACH]);
            let features: Vec<u64> = weights.keys().copied().collect();
            table.add(&features, &mut sums);
            for feature in &features {
                let steps = table.get(*feature).unwrap();
                plain.iter_mut().zip(steps).for_each(|(sum, step)| *sum += i32::from(step));
            }
            prop_assert_eq!(sums, plain);
        }
    }
}
