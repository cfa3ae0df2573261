//! `--device` and `--precision`: the backend of a neural model.

use majuscule::methods::Backend;
use majuscule::methods::backend::{Device, Precision};

/// The backend that is asked for.
#[derive(Debug, Clone, Copy, clap::Args)]
#[group(skip)]
pub struct BackendArgs {
    /// What computes a model of bert: auto, cpu or cuda:N. auto is the first GPU where there is one and this build can use it
    #[arg(long, value_name = "DEVICE", default_value_t)]
    device: Device,
    /// How exactly a model of bert computes: f32, or on the processor int8, which is faster, and on a GPU bf16 or f16; by default f32
    #[arg(long, value_name = "NUMBERS")]
    precision: Option<Precision>,
}

impl BackendArgs {
    /// The backend as the library takes it.
    pub fn computing(self) -> Backend {
        Backend { device: self.device, precision: self.precision }
    }
}
