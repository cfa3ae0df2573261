//! Products of matrices on the CPU, and operations on rows between them.
//!
//! Every sum has a fixed order, independent of other rows, so a row is bit-identical if it is computed
//! alone or with other rows.

/// Selects the variant of a kernel for a number of rows, a power of two up to 8, and a number of
/// vectors up to 3.
macro_rules! kernel_for {
    ($($kernel:ident)::+, $rows:expr, $vectors:expr) => {
        match ($rows, $vectors) {
            (8, 3) => $($kernel)::+::<8, 3>,
            (8, 2) => $($kernel)::+::<8, 2>,
            (8, 1) => $($kernel)::+::<8, 1>,
            (4, 3) => $($kernel)::+::<4, 3>,
            (4, 2) => $($kernel)::+::<4, 2>,
            (4, 1) => $($kernel)::+::<4, 1>,
            (2, 3) => $($kernel)::+::<2, 3>,
            (2, 2) => $($kernel)::+::<2, 2>,
            (2, 1) => $($kernel)::+::<2, 1>,
            (1, 3) => $($kernel)::+::<1, 3>,
            (1, 2) => $($kernel)::+::<1, 2>,
            _ => $($kernel)::+::<1, 1>,
        }
    };
}

pub mod aligned;
pub mod float;
pub mod int8;
pub mod linear;
pub mod rows;

use crate::backend::{Backend, Device, Precision};
use majuscule_base::error::{Error, Result, option};

/// The precision of the large products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnginePrecision {
    /// 32-bit numbers.
    #[default]
    F32,
    /// 8-bit integers: weights have one scale for each output, states one scale for each row.
    /// Attention, norms, LSTM memories, sums of layers and heads stay in f32.
    Int8,
}

impl EnginePrecision {
    /// Returns the requested precision, or by default the precision of the model's weights; `method`
    /// is named in errors.
    ///
    /// # Errors
    /// [`Error::Usage`] if the CPU does not support the precision, or if a GPU is requested.
    pub fn of(computing: &Backend, in_bytes: bool, method: &str) -> Result<Self> {
        if let Device::Cuda(_) = computing.device {
            return Err(Error::usage(format!(
                "{} {}: int8 models, and all {method} models in a build without the feature cuda, run on the CPU: leave the option out",
                option("device"),
                computing.device
            )));
        }
        match computing.precision {
            None if in_bytes => Ok(Self::Int8),
            Some(Precision::Int8) => Ok(Self::Int8),
            None | Some(Precision::F32) => Ok(Self::F32),
            Some(other) => {
                Err(Error::usage(format!("{} {other}: the CPU computes in f32 or int8", option("precision"))))
            }
        }
    }
}
