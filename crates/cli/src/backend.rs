//! `--device` and `--precision`: the backend of a neural model.

use majuscule_methods::Backend;
use majuscule_methods::backend::{Device, Precision};

/// The options that choose the backend.
#[derive(Debug, Clone, Copy, clap::Args)]
#[group(skip)]
pub struct BackendArgs {
    /// Device for a bert model: auto, cpu or cuda:N. auto is the
    /// first GPU that this build can use, or else the CPU
    #[arg(long, value_name = "DEVICE", default_value_t)]
    device: Device,
    /// Number format for a bert or cnn-bilstm model: f32, int8 (CPU only,
    /// faster), bf16 or f16 (GPU only). The default is f32, or int8
    /// for a model made by compact
    #[arg(long, value_name = "NUMBERS")]
    precision: Option<Precision>,
}

impl BackendArgs {
    /// Returns the backend as the library represents it.
    pub fn computing(self) -> Backend {
        Backend { device: self.device, precision: self.precision }
    }
}
