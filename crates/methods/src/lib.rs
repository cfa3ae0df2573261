//! The methods of restoration: runs the models of `majority`, `hmm`, `maxent`, `bert` and `cnn-bilstm`, and stores
//! models as folders and packed files.
//!
//! This crate is a layer below [`majuscule`](https://docs.rs/majuscule) and has the same version number. Programs
//! should depend on `majuscule`.

// `println!` and similar macros panic if nobody reads their output.
#![deny(clippy::print_stderr, clippy::print_stdout)]

// In reading order: each module uses only the modules above it and the types of this file.
pub mod model;
pub mod backend;
pub mod gaps;
pub mod sentence_starts;
mod compounds;
pub mod spellings;
pub mod hmm;
pub mod majority;
pub mod maxent;
#[cfg(feature = "network")]
pub mod network;

pub use backend::Backend;

use std::sync::Arc;

use majuscule_base::error::Result;
use majuscule_text::restorer::Restorer;
use model::Store;

/// A method: its name in manifests, and the loader of its models.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// The name of the method in manifests and on the command line.
    pub name: &'static str,
    /// True if models of the method run on several [backends](Backend), and therefore have layers that can be shown.
    pub has_backends: bool,
    /// Loads a model.
    pub load: fn(&dyn Store, &Backend) -> Result<Arc<dyn Restorer>>,
}

/// The method `majority`.
pub const MAJORITY: Method = Method {
    name: "majority",
    has_backends: false,
    load: |store, on| classical(on, "majority", || majority::Majority::load(store)),
};

/// The method `hmm`.
pub const HMM: Method = Method {
    name: "hmm",
    has_backends: false,
    load: |store, on| classical(on, "hmm", || hmm::Hmm::load(store)),
};

/// The method `maxent`, of the built-in models.
pub const MAXENT: Method = Method {
    name: "maxent",
    has_backends: false,
    load: |store, on| classical(on, "maxent", || maxent::Maxent::load(store)),
};

/// The methods without networks.
pub const CLASSICAL: [Method; 3] = [MAJORITY, HMM, MAXENT];

/// Loads a model of a method that computes only on the CPU.
///
/// # Errors
/// [`Error::Usage`](majuscule_base::Error::Usage) if another backend is requested; also returns the errors of `load`.
pub fn classical<R: Restorer + 'static>(
    computing: &Backend,
    method: &str,
    load: impl FnOnce() -> Result<R>,
) -> Result<Arc<dyn Restorer>> {
    computing.refuse(method)?;
    Ok(Arc::new(load()?))
}
