//! Dialects of live sessions: the messages of a client and the answers to them.

use std::future::Future;

use super::worker::{LiveWorker, Outcome};

/// The messages of a client and their answers.
pub trait Dialect: Send + Sync + 'static {
    /// Returns the messages with which a session begins.
    fn begin(&self, worker: &LiveWorker) -> Outcome;

    /// Answers a message.
    fn receive(&self, worker: &mut LiveWorker, json: &str) -> impl Future<Output = Outcome> + Send;

    /// Answers the text received so far, because the client is idle for too long or the service stops.
    fn finish(&self, worker: &mut LiveWorker) -> impl Future<Output = Outcome> + Send;
}

/// The messages of this service.
pub struct OwnDialect;

impl Dialect for OwnDialect {
    fn begin(&self, worker: &LiveWorker) -> Outcome {
        worker.begin()
    }

    async fn receive(&self, worker: &mut LiveWorker, json: &str) -> Outcome {
        worker.receive(json).await
    }

    async fn finish(&self, worker: &mut LiveWorker) -> Outcome {
        worker.finish().await
    }
}
