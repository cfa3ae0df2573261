//! `--device` and `--precision`: the backend of a neural model.

use majuscule::methods::Backend;
use majuscule::methods::backend::{Device, Precision};

/// The options that choose the backend.
#[derive(Debug, Clone, Copy, clap::Args)]
#[group(skip)]
pub struct BackendArgs {
    /// Device for a bert model: auto, cpu or cuda:N. auto is
    /// the first GPU if there is one that this build can use
    #[arg(long, value_name = "DEVICE", default_value_t)]
    device: Device,
    /// Number format for a model of bert or cnn-bilstm: f32; int8 on
    /// the CPU, which is faster; bf16 or f16 on a GPU. The default is f32,
    /// and int8 for a model made by compact
    #[arg(long, value_name = "NUMBERS")]
    precision: Option<Precision>,
}

impl BackendArgs {
    /// The backend as the library represents it.
    pub fn computing(self) -> Backend {
        Backend { device: self.device, precision: self.precision }
    }
}
