//! Numbers and orders drawn at random, the same for the same seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What numbers are drawn from.
pub type Random = ChaCha8Rng;

/// A generator for each purpose and each step of a training.
pub fn generator(seed: u64, purpose: Purpose, step: u64) -> Random {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&step.to_le_bytes());
    bytes[16] = purpose as u8;
    Random::from_seed(bytes)
}

/// What chance is for.
#[derive(Debug, Clone, Copy)]
pub enum Purpose {
    /// The weights at the beginning.
    Beginning,
    /// The examples held out.
    HeldOut,
    /// The order of examples.
    Order,
    /// The values dropped out.
    Dropout,
}

/// Draws a number below `bound`, each as likely; 0 where that is 0.
pub fn below(random: &mut Random, bound: u64) -> u64 {
    let limit = bound.wrapping_neg().checked_rem(bound).unwrap_or_default();
    loop {
        let wide = u128::from(random.next_u64()) * u128::from(bound);
        // Lemire 2019: the few products that would favour some numbers are drawn again.
        if wide as u64 >= limit {
            return (wide >> 64) as u64;
        }
    }
}

/// Draws a number below `end`, each as likely, as the training of neural methods does. It draws otherwise than [`below`], and a
/// seed is to give the same network as before.
pub fn below_by_remainder(random: &mut Random, end: usize) -> usize {
    let end = end.max(1) as u64;
    // Numbers of the last, incomplete round would come too often.
    let complete = u64::MAX - u64::MAX % end;
    loop {
        let number = random.next_u64();
        if number < complete {
            return (number % end) as usize;
        }
    }
}

/// Shuffles values as Fisher and Yates do; `below` draws a number below another.
pub fn shuffle<T>(values: &mut [T], mut below: impl FnMut(usize) -> usize) {
    for end in (2..=values.len()).rev() {
        values.swap(below(end), end - 1);
    }
}

/// A number from 0 to less than 1.
pub fn unit(random: &mut Random) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// So many factors for numbers of which a share is left out: 0 for these, and for the others what keeps the mean.
pub fn mask(random: &mut Random, share: f64, count: usize) -> Vec<f32> {
    // Two bytes decide on a value: 0.1 becomes 6554 of 65536.
    let dropped = (share * 65536.0).round().min(65535.0) as u16;
    let kept = 1.0 / (1.0 - f32::from(dropped) / 65536.0);
    let mut bytes = vec![0; 2 * count];
    random.fill_bytes(&mut bytes);
    let (pairs, _) = bytes.as_chunks::<2>();
    pairs.iter().map(|&pair| if u16::from_le_bytes(pair) < dropped { 0.0 } else { kept }).collect()
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
