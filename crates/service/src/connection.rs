//! The connection of a request; a WebSocket keeps the connection after its request is answered.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, watch};

/// The stages in which the service stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stopping {
    /// The service runs.
    Not,
    /// Accepted requests are finished.
    Gently,
    /// Unfinished requests are cut off.
    AtOnce,
}

/// A connection: its permit, and the signal that the service stops.
#[derive(Debug, Clone)]
pub struct Connection {
    /// Releases the permit once nothing uses the connection.
    _held: Arc<OwnedSemaphorePermit>,
    /// True if the connection exceeds the limit on connections.
    pub is_spare: bool,
    stopping: watch::Receiver<Stopping>,
}

impl Connection {
    /// Creates a connection that holds a permit and is notified when the service stops.
    pub fn new(held: OwnedSemaphorePermit, is_spare: bool, stopping: watch::Receiver<Stopping>) -> Self {
        Self { _held: Arc::new(held), is_spare, stopping }
    }

    /// Waits until the service has reached a stage of stopping.
    pub async fn until(&mut self, stage: Stopping) {
        // The sender is gone only if the server has ended, so nothing is left to wait for.
        let _ = self.stopping.wait_for(|now| *now >= stage).await;
    }
}

/// Waits until the service has reached a stage of stopping; waits for ever if another server serves the routes.
pub async fn until(connection: &mut Option<Connection>, stage: Stopping) {
    match connection {
        Some(connection) => connection.until(stage).await,
        None => std::future::pending().await,
    }
}
