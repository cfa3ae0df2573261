//! What is left out in training.

use candle_core::{Device, Result, Tensor};

/// Leaves values out by chance, or keeps all.
pub trait Dropout {
    /// What values of this shape are multiplied by to leave this share of them out and keep their mean; `None` to keep all.
    ///
    /// # Errors
    /// Where there is no memory.
    fn mask(&mut self, shape: &[usize], share: f64, device: &Device) -> Result<Option<Tensor>>;

    /// Which of so many layers are left out, never all; `None` to keep all.
    fn layers(&mut self, count: usize) -> Option<Vec<bool>>;

    /// The share left out before the head.
    fn head(&self) -> f64;

    /// Values without those left out.
    ///
    /// # Errors
    /// Where there is no memory.
    fn thin(&mut self, values: Tensor, share: f64) -> Result<Tensor> {
        match self.mask(values.dims(), share, values.device())? {
            Some(mask) => values.mul(&mask),
            None => Ok(values),
        }
    }
}

/// Keeps all.
#[derive(Debug, Clone, Copy)]
pub struct Keep;

impl Dropout for Keep {
    fn mask(&mut self, _: &[usize], _: f64, _: &Device) -> Result<Option<Tensor>> {
        Ok(None)
    }

    fn layers(&mut self, _: usize) -> Option<Vec<bool>> {
        None
    }

    fn head(&self) -> f64 {
        0.0
    }
}
