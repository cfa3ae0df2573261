//! Dropout in training, which is reproducible for the same seed, step and device.

use candle_core::{DType, Device, Result, Tensor};
use rayon::prelude::*;

use crate::bert::dropout::Dropout;
use crate::shared::instruction_set::InstructionSet;
use crate::shared::values::multiply;
use majuscule_train::random::{DropoutFactors, Purpose, Random, generator, mask, unit};

/// Random dropout masks.
pub(super) struct RandomDropout {
    pub(super) random: Random,
    /// The dropout rate before the head.
    pub(super) head: f64,
    /// The dropout rate of layers.
    pub(super) layers: f64,
}

impl RandomDropout {
    /// Returns the factors of `count` values before the heads; `None` to keep all.
    pub(super) fn factors(&mut self, count: usize) -> Option<Vec<f32>> {
        (self.head > 0.0).then(|| mask(&mut self.random, self.head, count))
    }
}

impl Dropout for RandomDropout {
    fn mask(&mut self, shape: &[usize], rate: f64, device: &Device) -> Result<Option<Tensor>> {
        if rate == 0.0 {
            return Ok(None);
        }
        if !device.is_cpu() {
            return drawn_on(shape, rate, device).map(Some);
        }
        let factors = mask(&mut self.random, rate, shape.iter().product());
        Tensor::from_vec(factors, shape, device).map(Some)
    }

    fn layers(&mut self, count: usize) -> Option<Vec<bool>> {
        if self.layers == 0.0 {
            return None;
        }
        loop {
            let dropped: Vec<bool> = (0..count).map(|_| unit(&mut self.random) < self.layers).collect();
            if dropped.contains(&false) {
                return Some(dropped);
            }
        }
    }

    fn head(&self) -> f64 {
        self.head
    }
}

/// Draws a mask with the generator of a device, so that no mask is copied to it.
fn drawn_on(shape: &[usize], rate: f64, device: &Device) -> Result<Tensor> {
    let kept = Tensor::rand(0f32, 1f32, shape, device)?.ge(rate)?;
    kept.to_dtype(DType::F32)? / (1.0 - rate)
}

/// Dropout at one point of a network in one step. Each block of values has its own draws, so that
/// blocks can be computed in any order, and the backward pass draws the same values as the forward
/// pass.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockDropout {
    seed: u64,
    step: u64,
    position: u32,
    factors: DropoutFactors,
}

/// The number of values of a block of [`BlockDropout::apply`].
const BLOCK: usize = 1 << 14;

impl BlockDropout {
    /// Makes the dropout of a point, or none for the rate 0.
    pub(super) fn new(seed: u64, step: u64, position: u32, rate: f64) -> Option<Self> {
        (rate > 0.0).then(|| Self { seed, step, position, factors: DropoutFactors::new(rate) })
    }

    /// Returns the factor of values that are kept.
    pub(super) fn kept(&self) -> f32 {
        self.factors.kept
    }

    /// Returns the factors of the values of a block.
    pub(super) fn factors(&self, instructions: InstructionSet, block: usize, count: usize) -> Vec<f32> {
        let mut random = generator(self.seed, Purpose::Dropout, self.step);
        // Stream 0 belongs to the head.
        random.set_stream((u64::from(self.position) + 1) << 32 | block as u64);
        let draws = self.factors.draws(&mut random, count);
        let mut out = vec![0.0; count];
        instructions.run(
            #[inline(always)]
            || self.factors.fill(&mut out, &draws),
        );
        out
    }

    /// Drops values, in blocks of `BLOCK` values.
    pub(super) fn apply(&self, instructions: InstructionSet, values: &mut [f32]) {
        values.par_chunks_mut(BLOCK).enumerate().for_each(|(block, values)| {
            multiply(values, &self.factors(instructions, block, values.len()));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dropout(layers: f64) -> RandomDropout {
        RandomDropout { random: generator(1, Purpose::Dropout, 1), head: 0.1, layers }
    }

    #[test]
    fn the_mean_stays_and_the_share_is_dropped() {
        let here = dropout(0.0).mask(&[100, 1000], 0.1, &Device::Cpu).unwrap().unwrap();
        for mask in [here, drawn_on(&[100, 1000], 0.1, &Device::Cpu).unwrap()] {
            let values: Vec<f32> = mask.flatten_all().unwrap().to_vec1().unwrap();
            let dropped = values.iter().filter(|value| **value == 0.0).count();
            assert!((9_500..10_500).contains(&dropped), "{dropped}");
            let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / values.len() as f64;
            assert!((mean - 1.0).abs() < 0.006, "{mean}");
        }
    }

    #[test]
    fn blocks_have_draws_of_their_own_and_the_same_again() {
        let dropout = BlockDropout::new(1, 2, 3, 0.1).unwrap();
        let instructions = InstructionSet::best();
        let mut values = vec![1.0; 2 * BLOCK + 5];
        dropout.apply(instructions, &mut values);
        assert!(values.iter().all(|&value| value == 0.0 || value == dropout.kept()));
        let dropped = values.iter().filter(|value| **value == 0.0).count();
        assert!((3_000..3_600).contains(&dropped), "{dropped}");
        let block = |block: usize| dropout.factors(instructions, block, BLOCK);
        assert_eq!([block(0), block(1)].concat(), values[..2 * BLOCK]);
        assert_ne!(block(0), block(1));
        for other in [
            BlockDropout::new(2, 2, 3, 0.1),
            BlockDropout::new(1, 3, 3, 0.1),
            BlockDropout::new(1, 2, 4, 0.1),
        ] {
            assert_ne!(other.unwrap().factors(instructions, 0, BLOCK), block(0));
        }
        assert!(BlockDropout::new(1, 2, 3, 0.0).is_none());
    }

    #[test]
    fn some_layer_always_stays() {
        let mut dropout = dropout(0.9);
        assert!((0..200).all(|_| dropout.layers(3).unwrap().contains(&false)));
        assert!(dropout.layers(1).unwrap() == [false]);
    }
}
