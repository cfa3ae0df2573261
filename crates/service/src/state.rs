//! The state that all requests share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use majuscule::ModelPool;

use crate::live::LiveSessions;
use crate::metrics::Metrics;
use crate::options::ServiceOptions;
use crate::queue::Queue;
use crate::room::Room;

/// The state that all requests share.
pub struct Service {
    /// The models.
    pub pool: Arc<ModelPool>,
    /// The limits.
    pub options: ServiceOptions,
    /// The queue of requests that compute.
    pub queue: Queue,
    /// The memory for bodies and documents.
    pub memory: Room,
    /// The room on disk for files.
    pub spool: Room,
    /// The live sessions.
    pub live: LiveSessions,
    /// The counts of requests.
    pub metrics: Metrics,
    /// The number of identifiers that were made for requests.
    pub made_ids: AtomicU64,
}

impl Service {
    /// Makes the state of a service without requests.
    pub fn new(pool: Arc<ModelPool>, options: ServiceOptions) -> Self {
        Self {
            pool,
            queue: Queue::new(&options),
            memory: Room::new(options.memory_limit as u64),
            spool: Room::new(options.spool_limit),
            live: LiveSessions::new(options.live.sessions, options.memory_limit as u64 / 2),
            options,
            metrics: Metrics::default(),
            made_ids: AtomicU64::new(0),
        }
    }
}
