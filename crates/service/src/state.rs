//! What all requests share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use majuscule::ModelPool;
use tokio::sync::Semaphore;

use crate::metrics::Metrics;
use crate::options::ServiceOptions;
use crate::queue::Queue;

/// The number of bytes that one permit of [`Service::memory`] stands for.
pub const MEMORY_UNIT: usize = 1 << 10;

/// What all requests share.
pub struct Service {
    /// The models.
    pub pool: Arc<ModelPool>,
    /// The limits.
    pub options: ServiceOptions,
    /// The queue of requests that compute.
    pub queue: Queue,
    /// The memory for bodies that is left, in units of [`MEMORY_UNIT`].
    pub memory: Arc<Semaphore>,
    /// The counts of requests.
    pub metrics: Metrics,
    /// The number of identifiers that were made for requests.
    pub made_ids: AtomicU64,
}

impl Service {
    /// Makes the state of a service without requests.
    pub fn new(pool: Arc<ModelPool>, options: ServiceOptions) -> Self {
        let units = (options.memory_limit / MEMORY_UNIT).min(Semaphore::MAX_PERMITS);
        Self {
            pool,
            queue: Queue::new(&options),
            memory: Arc::new(Semaphore::new(units)),
            options,
            metrics: Metrics::default(),
            made_ids: AtomicU64::new(0),
        }
    }
}
