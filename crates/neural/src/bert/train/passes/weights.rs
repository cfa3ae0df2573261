//! The weights of a tagger, read in place, and products with them.

use std::collections::BTreeMap;
use std::ops::{Deref, Range};

use candle_core::{Result as Computed, Storage, Var, bail};

use crate::shared::product::{MatrixView, MatrixViewMut, ProductPrecision};

/// The weights of a tagger, which are locked against writing while this value exists.
pub struct WeightGuards<'a>(BTreeMap<&'a str, WeightGuard<'a>>);

struct WeightGuard<'a> {
    storage: Box<dyn Deref<Target = Storage> + 'a>,
    range: Range<usize>,
}

impl<'a> WeightGuards<'a> {
    /// Reads weights in place.
    ///
    /// # Errors
    /// Fails if they are not 32-bit numbers on the CPU.
    pub fn new(weights: &'a BTreeMap<String, Var>) -> Computed<Self> {
        let guard = |(name, var): (&'a String, &'a Var)| {
            let (storage, layout) = var.storage_and_layout();
            match (&*storage, layout.contiguous_offsets()) {
                (Storage::Cpu(_), Some((start, end))) => {
                    Ok((name.as_str(), WeightGuard { storage: Box::new(storage), range: start..end }))
                }
                _ => bail!("{name} is not on the CPU"),
            }
        };
        weights.iter().map(guard).collect::<Computed<_>>().map(Self)
    }

    /// Returns the values of a weight.
    ///
    /// # Errors
    /// Fails if the weight is missing.
    pub fn values(&self, name: &str) -> Computed<&[f32]> {
        let Some(WeightGuard { storage, range }) = self.0.get(name) else {
            bail!("there is no tensor {name}")
        };
        let Storage::Cpu(storage) = &***storage else { bail!("{name} is not on the CPU") };
        Ok(&storage.as_slice::<f32>()?[range.clone()])
    }

    /// Returns the weight and the bias whose names begin with `prefix`.
    ///
    /// # Errors
    /// Fails if one is missing.
    pub fn affine(&self, prefix: &str) -> Computed<Affine<'_>> {
        Ok(Affine {
            weight: self.values(&format!("{prefix}weight"))?,
            bias: self.values(&format!("{prefix}bias"))?,
        })
    }
}

/// The weight of a product, and its bias.
#[derive(Debug, Clone, Copy)]
pub struct Affine<'a> {
    /// The weight, one row for each column of the result.
    pub weight: &'a [f32],
    /// The bias.
    pub bias: &'a [f32],
}

impl Affine<'_> {
    fn columns(&self) -> usize {
        self.weight.len() / self.bias.len()
    }

    /// Computes `x · wᵀ + b` for rows.
    pub fn product(&self, x: &[f32], precision: ProductPrecision) -> Vec<f32> {
        let ins = self.columns();
        let mut out = self.bias.repeat(x.len() / ins);
        let (x, weight) = (MatrixView::new(x, ins), MatrixView::new(self.weight, ins));
        MatrixViewMut::new(&mut out, self.bias.len()).add_on_all_threads(x, weight.transposed(), precision);
        out
    }

    /// Adds the gradients of `x` in [`product`](Self::product) to `out`, given the gradients of the result.
    pub fn product_back(&self, grads: &[f32], out: &mut [f32], precision: ProductPrecision) {
        let ins = self.columns();
        let (grads, weight) = (MatrixView::new(grads, self.bias.len()), MatrixView::new(self.weight, ins));
        MatrixViewMut::new(out, ins).add_on_all_threads(grads, weight, precision);
    }

    /// Computes the gradient of the weight in [`product`](Self::product) from the gradients of the
    /// result.
    pub fn weight_gradient(&self, grads: &[f32], x: &[f32], precision: ProductPrecision) -> Vec<f32> {
        let ins = self.columns();
        let mut out = vec![0.0; self.weight.len()];
        let (grads, x) = (MatrixView::new(grads, self.bias.len()), MatrixView::new(x, ins));
        MatrixViewMut::new(&mut out, ins).add_on_all_threads(grads.transposed(), x, precision);
        out
    }
}
