//! All live sessions: their number, the memory that they share, and the words that they restored.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::ApiError;
use crate::room::{Room, RoomShare};

/// All live sessions.
pub struct LiveSessions {
    /// The largest number of sessions.
    most: usize,
    room: Arc<Semaphore>,
    memory: Room,
    words: AtomicU64,
}

impl LiveSessions {
    /// Creates the state without sessions: at most `most` sessions share this many bytes of memory.
    pub fn new(most: usize, memory: u64) -> Self {
        let room = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        Self { most, room, memory: Room::new(memory), words: AtomicU64::new(0) }
    }

    /// Returns an empty share of the memory of all sessions.
    pub fn memory(&self) -> RoomShare {
        self.memory.share()
    }

    /// Returns the number of sessions, and the number of all words in final results.
    pub fn counts(&self) -> (usize, u64) {
        let free = self.room.available_permits();
        (self.most.saturating_sub(free), self.words.load(Ordering::Relaxed))
    }

    /// Counts words in final results.
    pub fn count_words(&self, words: u64) {
        self.words.fetch_add(words, Ordering::Relaxed);
    }

    /// Reserves a slot for a session.
    ///
    /// # Errors
    /// Fails if all slots are in use.
    pub fn admit(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.room).try_acquire_owned().map_err(|_| {
            ApiError::busy(format!("all {} live sessions are in use: try again later", self.most))
        })
    }
}
