//! Dropout in training, the same for the same seed, step and device.

use candle_core::{DType, Device, Result, Tensor};

use crate::bert::dropout::Dropout;
use majuscule_train::random::{Random, mask, unit};

/// Random dropout masks.
pub(super) struct RandomDropout {
    pub(super) random: Random,
    /// The dropout rate before the head.
    pub(super) head: f64,
    /// The dropout rate of layers.
    pub(super) layers: f64,
}

impl Dropout for RandomDropout {
    fn mask(&mut self, shape: &[usize], rate: f64, device: &Device) -> Result<Option<Tensor>> {
        if rate == 0.0 {
            return Ok(None);
        }
        if !device.is_cpu() {
            return drawn_on(shape, rate, device).map(Some);
        }
        let mask = mask(&mut self.random, rate, shape.iter().product());
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

/// Draws a mask with the generator of a device, which needs no copy.
fn drawn_on(shape: &[usize], rate: f64, device: &Device) -> Result<Tensor> {
    let kept = Tensor::rand(0f32, 1f32, shape, device)?.ge(rate)?;
    kept.to_dtype(DType::F32)? / (1.0 - rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_train::random::{Purpose, generator};

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
    fn some_layer_always_stays() {
        let mut dropout = dropout(0.9);
        assert!((0..200).all(|_| dropout.layers(3).unwrap().contains(&false)));
        assert!(dropout.layers(1).unwrap() == [false]);
    }
}
