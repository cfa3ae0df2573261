//! Dropout of values in training.

use candle_core::{Device, Result, Tensor};

/// A source of dropout masks, or no dropout.
pub trait Dropout {
    /// Returns the factors that drop values of this shape at this rate and keep their mean; `None`
    /// to keep all.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    fn mask(&mut self, shape: &[usize], rate: f64, device: &Device) -> Result<Option<Tensor>>;

    /// Returns for each of `count` layers whether it is dropped, and never drops all layers. Returns `None` to keep
    /// all layers.
    fn layers(&mut self, count: usize) -> Option<Vec<bool>>;

    /// Returns the dropout rate before the head.
    fn head(&self) -> f64;

    /// Drops values at this rate.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    fn apply(&mut self, values: Tensor, rate: f64) -> Result<Tensor> {
        match self.mask(values.dims(), rate, values.device())? {
            Some(mask) => values.mul(&mask),
            None => Ok(values),
        }
    }
}

/// The absence of dropout.
#[derive(Debug, Clone, Copy)]
pub struct NoDropout;

impl Dropout for NoDropout {
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
