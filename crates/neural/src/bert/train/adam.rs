//! The moments of Adam and RAdam for tensors, which can be saved so that training can resume from a file.

use std::sync::{Mutex, PoisonError};

use candle_core::{CpuStorage, InplaceOp1, Layout, Result, Tensor, Var, bail};
use rayon::prelude::*;

use crate::bert::ops::read;
use crate::shared::adam::{AdamFactors, BETAS};
use crate::shared::instruction_set::InstructionSet;

/// The number of weights that a thread moves at a time.
const PART: usize = 1 << 14;

/// The state of Adam for a tensor.
#[derive(Debug, Clone)]
pub(super) struct Moments {
    /// The number of steps that moved the tensor.
    pub(super) steps: u64,
    means: Means,
}

/// Running means of the gradient and of its square.
#[derive(Debug, Clone)]
enum Means {
    /// In memory; empty before the first step.
    InMemory([Vec<f32>; 2]),
    /// On the device of the tensor.
    OnDevice([Tensor; 2]),
}

impl Default for Moments {
    fn default() -> Self {
        Self::new(0, Default::default())
    }
}

/// The rows of a matrix that have a gradient, in ascending order; `None` if all rows have a gradient.
pub(super) type GradientRows<'a> = Option<&'a [u32]>;

impl Moments {
    /// Makes the moments after a number of steps.
    pub(super) fn new(steps: u64, means: [Vec<f32>; 2]) -> Self {
        Self { steps, means: Means::InMemory(means) }
    }

    /// Returns the running means of the gradient and of its square.
    ///
    /// # Errors
    /// Fails if the means cannot be read from their device.
    pub(super) fn means(&self) -> Result<[Vec<f32>; 2]> {
        match &self.means {
            Means::InMemory(means) => Ok(means.clone()),
            Means::OnDevice([mean, square]) => {
                let values = |tensor: &Tensor| tensor.flatten_all()?.to_vec1();
                Ok([values(mean)?, values(square)?])
            }
        }
    }

    /// Moves a tensor against its gradient. `factors` returns the factors of a step by its number.
    ///
    /// # Errors
    /// Fails if the shapes do not match.
    pub(super) fn step(
        &mut self,
        tensor: &Var,
        grad: &Tensor,
        rows: GradientRows<'_>,
        factors: impl FnOnce(u64) -> AdamFactors,
    ) -> Result<()> {
        self.steps += 1;
        let factors = factors(self.steps);
        match tensor.device().is_cpu() {
            true => self.step_in_memory(tensor, grad, rows, factors),
            false => self.step_on_device(tensor, grad, rows, factors),
        }
    }

    /// Makes a step on the CPU, in one pass.
    fn step_in_memory(
        &mut self,
        tensor: &Tensor,
        grad: &Tensor,
        rows: GradientRows<'_>,
        factors: AdamFactors,
    ) -> Result<()> {
        let count = tensor.elem_count();
        let Means::InMemory(means) = &mut self.means else {
            bail!("the means of Adam lie on another device")
        };
        means.iter_mut().for_each(|mean| mean.resize(count, 0.0));
        let width = if rows.is_some() { tensor.dim(1)? } else { count };
        read(grad, |grad| {
            let update = TensorUpdate { means: Mutex::new(means), grad, rows, width, factors };
            tensor.inplace_op1(&update)
        })?
    }

    /// Makes a step on any device, by tensor operations.
    fn step_on_device(
        &mut self,
        tensor: &Var,
        grad: &Tensor,
        rows: GradientRows<'_>,
        factors: AdamFactors,
    ) -> Result<()> {
        let AdamFactors { rate, scale, root, floor } = factors;
        let [mean, square] = match &self.means {
            Means::OnDevice(means) => means.clone(),
            Means::InMemory([mean, square]) if !mean.is_empty() => {
                let there = |values: &[f32]| Tensor::from_slice(values, tensor.shape(), tensor.device());
                [there(mean)?, there(square)?]
            }
            Means::InMemory(_) => [tensor.zeros_like()?, tensor.zeros_like()?],
        };
        let grad = match rows {
            // A GPU adds rows to a tensor one after the other, but gathers them all at once.
            Some(rows) => {
                let mut positions = vec![rows.len() as u32; tensor.dim(0)?];
                (0..).zip(rows).for_each(|(position, &row)| positions[row as usize] = position);
                let positions = Tensor::from_vec(positions, tensor.dim(0)?, tensor.device())?;
                let nothing = Tensor::zeros((1, tensor.dim(1)?), grad.dtype(), grad.device())?;
                Tensor::cat(&[grad, &nothing], 0)?.index_select(&positions, 0)?
            }
            None => grad.clone(),
        };
        let grad = (grad * f64::from(scale))?;
        let moved =
            |mean: Tensor, to: Tensor, beta: f32| (mean * f64::from(beta))? + (to * f64::from(1.0 - beta))?;
        let square = moved(square, grad.sqr()?, BETAS[1])?;
        let mean = moved(mean, grad, BETAS[0])?;
        let length = ((square.sqrt()? * f64::from(root))? + f64::from(floor))?;
        tensor.set(&(tensor.as_tensor() - ((&mean / length)? * f64::from(rate))?)?)?;
        self.means = Means::OnDevice([mean.detach(), square.detach()]);
        Ok(())
    }
}

/// A step on a tensor in memory.
struct TensorUpdate<'a> {
    means: Mutex<&'a mut [Vec<f32>; 2]>,
    grad: &'a [f32],
    rows: GradientRows<'a>,
    width: usize,
    factors: AdamFactors,
}

impl InplaceOp1 for TensorUpdate<'_> {
    fn name(&self) -> &'static str {
        "adam"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let (CpuStorage::F32(values), Some((start, end))) = (storage, layout.contiguous_offsets()) else {
            bail!("Adam moves 32-bit numbers on the CPU")
        };
        let values = &mut values[start..end];
        let mut means = self.means.lock().unwrap_or_else(PoisonError::into_inner);
        let [means, squares] = &mut **means;
        let instructions = InstructionSet::best();
        let apply = |values: &mut [f32], means: &mut [f32], squares: &mut [f32], grad: &[f32]| {
            instructions.run(
                #[inline(always)]
                || self.factors.apply(values, means, squares, grad),
            );
        };
        let Some(rows) = self.rows else {
            if self.grad.len() != values.len() {
                bail!("a gradient of {} values for {}", self.grad.len(), values.len())
            }
            let means = means.par_chunks_mut(PART).zip(squares.par_chunks_mut(PART));
            values
                .par_chunks_mut(PART)
                .zip(means)
                .zip(self.grad.par_chunks(PART))
                .for_each(|((values, (means, squares)), grad)| apply(values, means, squares, grad));
            return Ok(());
        };
        let no_gradient = vec![0.0; self.width];
        let means = means.par_chunks_mut(self.width).zip(squares.par_chunks_mut(self.width));
        let parts = values.par_chunks_mut(self.width).zip(means).enumerate().with_min_len(PART / self.width);
        parts.for_each(|(row, (values, (means, squares)))| match rows.binary_search(&(row as u32)) {
            Ok(at) => apply(values, means, squares, &self.grad[at * self.width..][..self.width]),
            // A row that never had a gradient stays as it is.
            Err(_) if squares.iter().all(|square| *square == 0.0) => {}
            Err(_) => apply(values, means, squares, &no_gradient),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Var};

    use super::*;
    use crate::shared::adam::Optimizer;

    #[test]
    fn any_device_moves_as_the_cpu_does() {
        [Optimizer::Adam, Optimizer::Radam].into_iter().for_each(moves_alike);
    }

    fn moves_alike(optimizer: Optimizer) {
        let start: Vec<f32> = (0..12).map(|x| x as f32 / 7.0).collect();
        let new = || Var::from_vec(start.clone(), (4, 3), &Device::Cpu).unwrap();
        let (here, there) = (new(), new());
        let (mut of_here, mut of_there) = (Moments::default(), Moments::default());
        for rows in [Some([1u32, 3]), None, Some([0, 3]), None, Some([0, 1]), None] {
            let count = if rows.is_some() { 2 } else { 4 };
            let grad: Vec<f32> = (0..3 * count).map(|x| x as f32 - 2.5).collect();
            let grad = Tensor::from_vec(grad, (count, 3), &Device::Cpu).unwrap();
            let rows = rows.as_ref().map(<[u32; 2]>::as_slice);
            of_here.step(&here, &grad, rows, |step| optimizer.factors(step, 0.1, 0.5)).unwrap();
            of_there.steps += 1;
            let factors = optimizer.factors(of_there.steps, 0.1, 0.5);
            of_there.step_on_device(&there, &grad, rows, factors).unwrap();
            let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
            let values = |var: &Var| var.flatten_all().unwrap().to_vec1::<f32>().unwrap();
            assert!(near(&values(&here), &values(&there)));
            for (here, there) in of_here.means().unwrap().iter().zip(of_there.means().unwrap()) {
                assert!(near(here, &there));
            }
        }
        // Moments saved from one device continue on the other.
        let mut goes_on = Moments::new(of_here.steps, of_here.means().unwrap());
        let (grad, again) = (Tensor::ones_like(&here).unwrap(), Var::from_tensor(&here).unwrap());
        let factors = AdamFactors { rate: 0.1, scale: 1.0, root: 1.0, floor: 1e-8 };
        goes_on.step_on_device(&again, &grad, None, factors).unwrap();
        of_there.step_on_device(&there, &grad, None, factors).unwrap();
        let furthest = (again.as_tensor() - there.as_tensor()).unwrap().abs().unwrap().max_all().unwrap();
        assert!(furthest.to_scalar::<f32>().unwrap() < 1e-6);
    }

    #[test]
    fn rows_without_a_gradient_move_as_with_a_gradient_of_0() {
        [Optimizer::Adam, Optimizer::Radam].into_iter().for_each(rows_move_as_whole);
    }

    fn rows_move_as_whole(optimizer: Optimizer) {
        let start: Vec<f32> = (0..12).map(|x| x as f32 / 7.0).collect();
        let new = || Var::from_vec(start.clone(), (4, 3), &Device::Cpu).unwrap();
        let (dense, sparse) = (new(), new());
        let (mut of_dense, mut of_sparse) = (Moments::default(), Moments::default());
        let factors = |step| optimizer.factors(step, 0.1, 0.5);
        for rows in [vec![1u32, 3], vec![0, 3], vec![3], vec![1], vec![], vec![3], vec![0]] {
            let grad: Vec<f32> = (0..rows.len() * 3).map(|x| x as f32 - 2.5).collect();
            let mut whole = vec![0.0; 12];
            for (&row, grad) in rows.iter().zip(grad.chunks(3)) {
                whole[row as usize * 3..][..3].copy_from_slice(grad);
            }
            let grad = Tensor::from_vec(grad, (rows.len(), 3), &Device::Cpu).unwrap();
            let whole = Tensor::from_vec(whole, (4, 3), &Device::Cpu).unwrap();
            of_dense.step(&dense, &whole, None, factors).unwrap();
            of_sparse.step(&sparse, &grad, Some(&rows), factors).unwrap();
            assert_eq!(dense.to_vec2::<f32>().unwrap(), sparse.to_vec2::<f32>().unwrap());
        }
        // No step had a gradient for this row.
        assert_eq!(sparse.to_vec2::<f32>().unwrap()[2], start[6..9]);
    }
}
