//! LookAhead (Zhang et al. 2019, algorithm 1): slow weights that follow the weights which an optimiser
//! moves.

use candle_core::{CpuStorage, Device, InplaceOp1, Layout, Result, Tensor, Var, bail};

use crate::bert::ops::read;

/// The slow weights of a tensor. They begin as the values of the tensor before its first step.
#[derive(Debug, Clone)]
pub(super) struct SlowWeights(Tensor);

impl SlowWeights {
    /// Copies the values of a tensor before its first step.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub(super) fn new(tensor: &Var) -> Result<Self> {
        Ok(Self(tensor.copy()?.detach()))
    }

    /// Restores saved slow weights.
    pub(super) fn saved(values: Tensor) -> Self {
        Self(values)
    }

    /// Returns the values.
    pub(super) fn values(&self) -> &Tensor {
        &self.0
    }

    /// Moves the slow weights to a device.
    ///
    /// # Errors
    /// Fails if the device does not have enough memory.
    pub(super) fn on(self, device: &Device) -> Result<Self> {
        self.0.to_device(device).map(Self)
    }

    /// Moves the slow weights by `fraction` of their distance towards the tensor, and then sets the tensor to the
    /// slow weights.
    ///
    /// # Errors
    /// Fails if the shapes do not match.
    pub(super) fn sync(&mut self, tensor: &Var, fraction: f64) -> Result<()> {
        if tensor.device().is_cpu() {
            read(tensor, |fast| self.0.inplace_op1(&SlowStep { fast, fraction: fraction as f32 }))??;
        } else {
            self.0 = self.moved(tensor, fraction)?;
        }
        tensor.set(&self.0)
    }

    /// Returns the slow weights as [`sync`](Self::sync) would leave them.
    ///
    /// # Errors
    /// Fails if the shapes do not match.
    pub(super) fn moved(&self, tensor: &Var, fraction: f64) -> Result<Tensor> {
        &self.0 + ((tensor.as_detached_tensor() - &self.0)? * fraction)?
    }
}

/// A step of slow weights in memory.
struct SlowStep<'a> {
    fast: &'a [f32],
    fraction: f32,
}

/// The number of weights in a block, which is moved only if its slow and fast weights differ. Most rows of the
/// embedding table have not yet been moved by any step, and are skipped.
const COMPARED: usize = 256;

impl InplaceOp1 for SlowStep<'_> {
    fn name(&self) -> &'static str {
        "lookahead"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let (CpuStorage::F32(slow), Some((start, end))) = (storage, layout.contiguous_offsets()) else {
            bail!("LookAhead moves 32-bit numbers on the CPU")
        };
        let slow = &mut slow[start..end];
        if slow.len() != self.fast.len() {
            bail!("{} weights, but {} slow weights", self.fast.len(), slow.len())
        }
        for (slow, fast) in slow.chunks_mut(COMPARED).zip(self.fast.chunks(COMPARED)) {
            if slow != fast {
                slow.iter_mut().zip(fast).for_each(|(slow, fast)| *slow += (fast - *slow) * self.fraction);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(tensor: &Tensor) -> Vec<f32> {
        tensor.flatten_all().unwrap().to_vec1().unwrap()
    }

    #[test]
    fn slow_weights_go_a_share_of_the_way_and_the_weights_go_on_from_there() {
        let tensor = Var::new(&[1.0f32, -2.0, 0.5], &Device::Cpu).unwrap();
        let mut slow = SlowWeights::new(&tensor).unwrap();
        tensor.set(&Tensor::new(&[2.0f32, -4.0, 0.5], &Device::Cpu).unwrap()).unwrap();
        assert_eq!(values(slow.values()), [1.0, -2.0, 0.5]);
        let expected = [1.25, -2.5, 0.5];
        assert_eq!(values(&slow.moved(&tensor, 0.25).unwrap()), expected);
        slow.sync(&tensor, 0.25).unwrap();
        assert_eq!([values(slow.values()), values(&tensor)], [expected; 2]);
        assert_eq!(values(&slow.moved(&tensor, 0.25).unwrap()), expected);
    }

    #[test]
    fn weights_in_memory_move_as_on_any_device_and_those_that_no_step_moved_stay() {
        let start: Vec<f32> = (0..3 * COMPARED + 5).map(|at| (at as f32).sin()).collect();
        let tensor = Var::from_slice(&start, start.len(), &Device::Cpu).unwrap();
        let mut slow = SlowWeights::new(&tensor).unwrap();
        let moved = COMPARED..2 * COMPARED + 1;
        for round in 1..4 {
            let mut fast = values(&tensor);
            fast[moved.clone()].iter_mut().for_each(|value| *value += round as f32 / 7.0);
            tensor.set(&Tensor::from_vec(fast, start.len(), &Device::Cpu).unwrap()).unwrap();
            let expected = values(&slow.moved(&tensor, 0.5).unwrap());
            slow.sync(&tensor, 0.5).unwrap();
            assert!(values(&tensor).iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6));
        }
        let stayed = |at: usize| values(&tensor)[at].to_bits() == start[at].to_bits();
        assert!((0..start.len()).all(|at| stayed(at) != moved.contains(&at)));
    }
}
