//! The queue of requests that compute: a bounded number at once, and a bounded number that wait.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use majuscule::{Interrupt, Result, caught};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::options::ServiceOptions;
use crate::problem::ApiError;

/// The queue of requests that compute.
#[derive(Debug)]
pub struct Queue {
    threads: usize,
    /// The number of requests that compute or wait.
    room: usize,
    free_room: Arc<Semaphore>,
    free_threads: Arc<Semaphore>,
    timeout: Duration,
}

/// Sets a flag once the answer is not waited for any longer.
struct StopOnDrop(Interrupt);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

impl Queue {
    /// Makes an empty queue.
    pub fn new(options: &ServiceOptions) -> Self {
        let threads = options.threads.get();
        let room = threads.saturating_add(options.queue).min(Semaphore::MAX_PERMITS);
        Self {
            threads,
            room,
            free_room: Arc::new(Semaphore::new(room)),
            free_threads: Arc::new(Semaphore::new(threads)),
            timeout: options.timeout,
        }
    }

    /// Returns the numbers of requests that wait and that compute.
    pub fn lengths(&self) -> (usize, usize) {
        let running = self.threads - self.free_threads.available_permits();
        let all = self.room - self.free_room.available_permits();
        (all.saturating_sub(running), running)
    }

    /// Does some work of the library on a thread of its own. The work stops at its flag if it takes too
    /// long or the client has gone; its thread is free only once it has stopped.
    ///
    /// # Errors
    /// Those of the work; a full queue and work that takes too long are errors too.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(Interrupt) -> Result<T> + Send + 'static,
    ) -> Result<T, ApiError> {
        let Ok(place) = Arc::clone(&self.free_room).try_acquire_owned() else {
            let detail = format!("{} requests are computed or wait already: try again later", self.room);
            return Err(ApiError::busy(detail));
        };
        let interrupt = Interrupt::new();
        let _stop = StopOnDrop(interrupt.clone());
        let done = async {
            let thread = Arc::clone(&self.free_threads).acquire_owned().await;
            let held = (place, thread.map_err(|_| ApiError::bug("the queue is closed"))?);
            let work = move || {
                let done = caught(|| work(interrupt));
                drop(held);
                done
            };
            spawn_blocking(work)
                .await
                .map_err(|error| ApiError::bug(&error.to_string()))?
                .map_err(ApiError::from)
        };
        timeout(self.timeout, done).await.unwrap_or_else(|_| Err(self.too_slow()))
    }

    fn too_slow(&self) -> ApiError {
        let seconds = self.timeout.as_secs_f64();
        let detail = format!(
            "the answer was not ready within {seconds} s: send a shorter text, or use the preset fast"
        );
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, detail)
    }
}
