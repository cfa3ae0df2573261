//! The queue of requests that need computation: a bounded number run at once, and a bounded number wait.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use majuscule::{Interrupt, caught};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::options::ServiceOptions;
use crate::problem::ApiError;

/// The queue of requests that compute.
#[derive(Debug)]
pub struct Queue {
    threads: usize,
    /// The largest number of requests that compute or wait.
    room: usize,
    free_room: Arc<Semaphore>,
    free_threads: Arc<Semaphore>,
    /// The number of requests that compute although nobody waits for their answer.
    abandoned: Arc<AtomicUsize>,
    timeout: Duration,
}

/// The longest time that work keeps a thread while other requests wait for one.
const TURN: Duration = Duration::from_millis(50);

/// The turn of some work on a thread.
pub struct Turn {
    /// The flag that interrupts the work.
    pub interrupt: Interrupt,
    threads: Arc<Semaphore>,
    thread: Option<OwnedSemaphorePermit>,
    begun: Instant,
    /// The number of completed steps.
    steps: Arc<AtomicU64>,
}

impl Turn {
    /// Records that the work makes progress. After its turn, requests that wait for a thread go first.
    pub fn step(&mut self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
        if self.begun.elapsed() < TURN {
            return;
        }
        self.thread = None;
        // Waiting requests are served in order, and this work after them. The semaphore is never closed.
        self.thread = Handle::current().block_on(Arc::clone(&self.threads).acquire_owned()).ok();
        self.begun = Instant::now();
    }
}

/// Work and its request, either of which may end first.
#[derive(Debug, Clone, Default)]
struct Attendance {
    state: Arc<AtomicU8>,
    abandoned: Arc<AtomicUsize>,
}

impl Attendance {
    /// No thread has the work: it has not begun, or has ended.
    const IDLE: u8 = 0;
    const RUNNING: u8 = 1;
    const ABANDONED: u8 = 2;

    fn begin(&self) {
        self.state.store(Self::RUNNING, Ordering::Relaxed);
    }

    /// Counts the work if it continues after its request.
    fn leave(&self) {
        self.abandoned.fetch_add(1, Ordering::Relaxed);
        let (from, to, order) = (Self::RUNNING, Self::ABANDONED, Ordering::Relaxed);
        if self.state.compare_exchange(from, to, order, order).is_err() {
            self.abandoned.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn end(&self) {
        if self.state.swap(Self::IDLE, Ordering::Relaxed) == Self::ABANDONED {
            self.abandoned.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Interrupts the work once nobody waits for its answer.
struct StopOnDrop(Interrupt, Attendance);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
        self.1.leave();
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
            abandoned: Arc::default(),
            timeout: options.timeout,
        }
    }

    /// Returns the numbers of requests that wait and that compute.
    pub fn lengths(&self) -> (usize, usize) {
        let running = self.threads - self.free_threads.available_permits();
        let all = self.room - self.free_room.available_permits();
        (all.saturating_sub(running), running)
    }

    /// Returns the number of requests that compute although nobody waits for their answer any more.
    pub fn abandoned(&self) -> usize {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Runs work of the library on a separate thread. The flag interrupts the work if it takes too long or the client
    /// has gone; the thread is free only once the work has stopped.
    ///
    /// # Errors
    /// Returns the errors of the work; fails if the queue is full or the work takes too long.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(Interrupt) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.run_in_turns(|turn| work(turn.interrupt.clone())).await
    }

    /// Runs work like [`Self::run`], but without a limit on its time as long as it makes progress, which it reports
    /// by calls of [`Turn::step`].
    ///
    /// # Errors
    /// The errors of [`Self::run`].
    pub async fn run_in_turns<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Turn) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let Ok(place) = Arc::clone(&self.free_room).try_acquire_owned() else {
            let detail = format!("{} requests are already running or waiting: try again later", self.room);
            return Err(ApiError::busy(detail));
        };
        self.run_at(place, work).await
    }

    /// Runs work like [`Self::run`], but waits for a slot in the queue.
    ///
    /// # Errors
    /// Returns the errors of the work; fails if the work waits or takes too long.
    pub async fn run_patiently<T: Send + 'static>(
        &self,
        work: impl FnOnce(Interrupt) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let place = timeout(self.timeout, Arc::clone(&self.free_room).acquire_owned()).await;
        let place = place.map_err(|_| self.too_slow())?.map_err(|_| ApiError::bug("the queue is closed"))?;
        self.run_at(place, |turn| work(turn.interrupt.clone())).await
    }

    async fn run_at<T: Send + 'static>(
        &self,
        place: OwnedSemaphorePermit,
        work: impl FnOnce(&mut Turn) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let interrupt = Interrupt::new();
        let attendance = Attendance { abandoned: Arc::clone(&self.abandoned), ..Attendance::default() };
        let _stop = StopOnDrop(interrupt.clone(), attendance.clone());
        let steps = Arc::new(AtomicU64::new(0));
        let mut turn = Turn {
            interrupt,
            threads: Arc::clone(&self.free_threads),
            thread: None,
            begun: Instant::now(),
            steps: Arc::clone(&steps),
        };
        let mut done = pin!(async {
            turn.thread = Arc::clone(&self.free_threads).acquire_owned().await.ok();
            turn.begun = Instant::now();
            attendance.begin();
            let work = move || {
                let done = caught(|| Ok(work(&mut turn)));
                attendance.end();
                drop((turn, place));
                done
            };
            spawn_blocking(work).await.map_err(|error| ApiError::bug(&error.to_string()))??
        });
        let mut seen = 0;
        loop {
            if let Ok(done) = timeout(self.timeout, &mut done).await {
                return done;
            }
            let now = steps.load(Ordering::Relaxed);
            if now == seen {
                return Err(self.too_slow());
            }
            seen = now;
        }
    }

    fn too_slow(&self) -> ApiError {
        let seconds = self.timeout.as_secs_f64();
        let detail = format!(
            "the answer was not ready within {seconds} s: send a shorter text, or use the preset fast"
        );
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, detail)
    }
}
