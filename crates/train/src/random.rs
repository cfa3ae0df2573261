//! Draws random numbers and shuffles values, reproducibly for each seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The random generator.
pub type Random = ChaCha8Rng;

/// Creates the generator for one purpose and one training step.
pub fn generator(seed: u64, purpose: Purpose, step: u64) -> Random {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&step.to_le_bytes());
    bytes[16] = purpose as u8;
    Random::from_seed(bytes)
}

/// The purpose for which random numbers are drawn.
#[derive(Debug, Clone, Copy)]
pub enum Purpose {
    /// Initial weights.
    Beginning,
    /// Held-out examples.
    HeldOut,
    /// The order of examples.
    Order,
    /// Dropout masks.
    Dropout,
}

/// Draws a number below `bound`, uniformly; 0 if `bound` is 0.
pub fn below(random: &mut Random, bound: u64) -> u64 {
    let limit = bound.wrapping_neg().checked_rem(bound).unwrap_or_default();
    loop {
        let wide = u128::from(random.next_u64()) * u128::from(bound);
        // Lemire 2019: the few products that would favour some numbers are rejected.
        if wide as u64 >= limit {
            return (wide >> 64) as u64;
        }
    }
}

/// Draws a number below `end`, uniformly, for the training of neural methods. It differs from
/// [`below`] so that a seed still results in the same network as in earlier versions.
pub fn below_by_remainder(random: &mut Random, end: usize) -> usize {
    let end = end.max(1) as u64;
    // Larger numbers form an incomplete range, whose remainders would be too frequent.
    let complete = u64::MAX - u64::MAX % end;
    loop {
        let number = random.next_u64();
        if number < complete {
            return (number % end) as usize;
        }
    }
}

/// Shuffles values (Fisher–Yates); `below` draws a number below its argument.
pub fn shuffle<T>(values: &mut [T], mut below: impl FnMut(usize) -> usize) {
    for end in (2..=values.len()).rev() {
        values.swap(below(end), end - 1);
    }
}

/// Draws a number from 0 to less than 1.
pub fn unit(random: &mut Random) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Draws a dropout mask of `count` factors: each is 0 with probability `fraction`, and otherwise
/// the factor that preserves the mean.
pub fn mask(random: &mut Random, fraction: f64, count: usize) -> Vec<f32> {
    let factors = DropoutFactors::new(fraction);
    let mut mask = vec![0.0; count];
    factors.fill(&mut mask, &factors.draws(random, count));
    mask
}

/// The factors of a dropout mask: 0 for a dropped value, and the factor that preserves the mean for a kept value.
#[derive(Debug, Clone, Copy)]
pub struct DropoutFactors {
    /// A draw below this number drops a value.
    dropped: u16,
    /// The factor of values that are kept.
    pub kept: f32,
}

impl DropoutFactors {
    /// Makes the factors for the fraction of values that are dropped.
    pub fn new(fraction: f64) -> Self {
        // A draw has two bytes, so a fraction of 0.1 becomes 6554/65536.
        let dropped = (fraction * 65536.0).round().min(65535.0) as u16;
        Self { dropped, kept: 1.0 / (1.0 - f32::from(dropped) / 65536.0) }
    }

    /// Draws two random bytes for each of `count` values.
    pub fn draws(self, random: &mut Random, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; 2 * count];
        random.fill_bytes(&mut bytes);
        bytes
    }

    /// Fills a mask with the factors that `draws` select.
    #[inline(always)]
    pub fn fill(self, mask: &mut [f32], draws: &[u8]) {
        let (pairs, _) = draws.as_chunks::<2>();
        for (factor, &pair) in mask.iter_mut().zip(pairs) {
            *factor = if u16::from_le_bytes(pair) < self.dropped { 0.0 } else { self.kept };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_comes_about_as_often() {
        let mut random = Random::seed_from_u64(1);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut values = [1, 2, 3];
            shuffle(&mut values, |end| below(&mut random, end as u64) as usize);
            *counts.entry(values).or_insert(0) += 1;
        }
        assert!(counts.len() == 6 && counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
