//! What is left out in training by chance: the same for the same seed, step and device.

use candle_core::{DType, Device, Result, Tensor};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::methods::bert::dropout::Dropout;

/// A generator for each purpose and each step of a training.
pub(super) fn generator(seed: u64, purpose: Purpose, step: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&step.to_le_bytes());
    bytes[16] = purpose as u8;
    ChaCha8Rng::from_seed(bytes)
}

/// What chance is for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purpose {
    Beginning,
    HeldOut,
    Order,
    Dropout,
}

/// A whole number below `end`, each equally often.
pub(super) fn below(random: &mut ChaCha8Rng, end: usize) -> usize {
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

/// A number from 0 to less than 1.
pub(super) fn unit(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Fisher and Yates's shuffle.
pub(super) fn shuffle<T>(values: &mut [T], random: &mut ChaCha8Rng) {
    for end in (2..=values.len()).rev() {
        values.swap(below(random, end), end - 1);
    }
}

/// Leaves out by chance.
pub(super) struct Noise {
    pub(super) random: ChaCha8Rng,
    pub(super) head: f64,
    pub(super) layers: f64,
}

impl Dropout for Noise {
    fn mask(&mut self, shape: &[usize], share: f64, device: &Device) -> Result<Option<Tensor>> {
        if share == 0.0 {
            return Ok(None);
        }
        if !device.is_cpu() {
            return drawn_there(shape, share, device).map(Some);
        }
        // Two bytes decide on a value: 0.1 becomes 6554 of 65536.
        let dropped = (share * 65536.0).round().min(65535.0) as u16;
        let kept = 1.0 / (1.0 - f32::from(dropped) / 65536.0);
        let mut bytes = vec![0; 2 * shape.iter().product::<usize>()];
        self.random.fill_bytes(&mut bytes);
        let (pairs, _) = bytes.as_chunks::<2>();
        let mask: Vec<f32> =
            pairs.iter().map(|&pair| if u16::from_le_bytes(pair) < dropped { 0.0 } else { kept }).collect();
        Tensor::from_vec(mask, shape, device).map(Some)
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

/// A mask by the generator of a device, so that none has to be carried there.
fn drawn_there(shape: &[usize], share: f64, device: &Device) -> Result<Tensor> {
    let kept = Tensor::rand(0f32, 1f32, shape, device)?.ge(share)?;
    kept.to_dtype(DType::F32)? / (1.0 - share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(layers: f64) -> Noise {
        Noise { random: generator(1, Purpose::Dropout, 1), head: 0.1, layers }
    }

    #[test]
    fn the_mean_stays_and_the_share_is_left_out() {
        let here = noise(0.0).mask(&[100, 1000], 0.1, &Device::Cpu).unwrap().unwrap();
        for mask in [here, drawn_there(&[100, 1000], 0.1, &Device::Cpu).unwrap()] {
            let values: Vec<f32> = mask.flatten_all().unwrap().to_vec1().unwrap();
            let dropped = values.iter().filter(|value| **value == 0.0).count();
            assert!((9_500..10_500).contains(&dropped), "{dropped}");
            let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / values.len() as f64;
            assert!((mean - 1.0).abs() < 0.006, "{mean}");
        }
    }

    #[test]
    fn some_layer_always_stays() {
        let mut noise = noise(0.9);
        assert!((0..200).all(|_| noise.layers(3).unwrap().contains(&false)));
        assert!(noise.layers(1).unwrap() == [false]);
    }
}
