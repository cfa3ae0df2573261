//! LookAhead (Zhang et al. 2019, algorithm 1): slow weights that follow the weights which an optimiser
//! moves.

use candle_core::{CpuStorage, InplaceOp1, Layout, Result, Tensor, Var, bail};

use crate::bert::ops::read;

/// Moves slow weights by `fraction` of their distance towards a tensor, and then sets the tensor to the slow weights.
///
/// # Errors
/// Fails if the shapes do not match.
pub(super) fn sync(slow: &mut Tensor, tensor: &Var, fraction: f64) -> Result<()> {
    if tensor.device().is_cpu() {
        read(tensor, |fast| slow.inplace_op1(&SlowStep { fast, fraction: fraction as f32 }))??;
    } else {
        *slow = moved(slow, tensor, fraction)?;
    }
    tensor.set(slow)
}

/// Returns slow weights as [`sync`] would leave them.
///
/// # Errors
/// Fails if the shapes do not match.
pub(super) fn moved(slow: &Tensor, tensor: &Var, fraction: f64) -> Result<Tensor> {
    slow + ((tensor.as_detached_tensor() - slow)? * fraction)?
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
    use candle_core::Device;

    fn values(tensor: &Tensor) -> Vec<f32> {
        tensor.flatten_all().unwrap().to_vec1().unwrap()
    }

    #[test]
    fn slow_weights_go_a_share_of_the_way_and_the_weights_go_on_from_there() {
        let tensor = Var::new(&[1.0f32, -2.0, 0.5], &Device::Cpu).unwrap();
        let mut slow = tensor.copy().unwrap().detach();
        tensor.set(&Tensor::new(&[2.0f32, -4.0, 0.5], &Device::Cpu).unwrap()).unwrap();
        assert_eq!(values(&slow), [1.0, -2.0, 0.5]);
        let expected = [1.25, -2.5, 0.5];
        assert_eq!(values(&moved(&slow, &tensor, 0.25).unwrap()), expected);
        sync(&mut slow, &tensor, 0.25).unwrap();
        assert_eq!([values(&slow), values(&tensor)], [expected; 2]);
        assert_eq!(values(&moved(&slow, &tensor, 0.25).unwrap()), expected);
    }

    #[test]
    fn weights_in_memory_move_as_on_any_device_and_those_that_no_step_moved_stay() {
        let start: Vec<f32> = (0..3 * COMPARED + 5).map(|at| (at as f32).sin()).collect();
        let tensor = Var::from_slice(&start, start.len(), &Device::Cpu).unwrap();
        let mut slow = tensor.copy().unwrap().detach();
        let moving = COMPARED..2 * COMPARED + 1;
        for round in 1..4 {
            let mut fast = values(&tensor);
            fast[moving.clone()].iter_mut().for_each(|value| *value += round as f32 / 7.0);
            tensor.set(&Tensor::from_vec(fast, start.len(), &Device::Cpu).unwrap()).unwrap();
            let expected = values(&moved(&slow, &tensor, 0.5).unwrap());
            sync(&mut slow, &tensor, 0.5).unwrap();
            assert!(values(&tensor).iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6));
        }
        let stayed = |at: usize| values(&tensor)[at].to_bits() == start[at].to_bits();
        assert!((0..start.len()).all(|at| stayed(at) != moving.contains(&at)));
    }
}
