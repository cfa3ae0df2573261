//! All live sessions: those with a connection, and those that wait for their client to come back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};

use super::LiveLimits;
use super::session::LiveSession;
use crate::problem::ApiError;
use crate::room::{Room, RoomShare};

/// The wait between two looks at a session that another connection is to let go, and their number.
const LOOK: Duration = Duration::from_millis(20);
const LOOKS: usize = 500;

/// A session that a connection and a thread of the queue share.
pub type SharedSession = Arc<Mutex<LiveSession>>;

/// All live sessions.
pub struct LiveSessions {
    limits: LiveLimits,
    /// The places for sessions with a connection.
    room: Arc<Semaphore>,
    memory: Room,
    places: Mutex<SessionPlaces>,
    words: AtomicU64,
}

#[derive(Default)]
struct SessionPlaces {
    /// The signal for a connection to let its session go.
    connected: BTreeMap<String, Arc<Notify>>,
    /// The sessions without a connection, the oldest first, and when they lost it.
    kept: VecDeque<(Instant, String, SharedSession)>,
}

/// The connection of a session.
pub struct Seat {
    id: String,
    sessions: Arc<LiveSessions>,
    /// Tells that another connection goes on with the session.
    pub let_go: Arc<Notify>,
    _place: OwnedSemaphorePermit,
}

impl LiveSessions {
    /// Makes a list without sessions, which share so many bytes of memory.
    pub fn new(limits: LiveLimits, memory: u64) -> Self {
        let room = Arc::new(Semaphore::new(limits.sessions.min(Semaphore::MAX_PERMITS)));
        Self { limits, room, memory: Room::new(memory), places: Mutex::default(), words: AtomicU64::new(0) }
    }

    /// Returns a share of the memory of all sessions.
    pub fn memory(&self) -> RoomShare {
        self.memory.share()
    }

    /// Returns the limits of sessions.
    pub fn limits(&self) -> &LiveLimits {
        &self.limits
    }

    /// Returns the number of sessions with a connection, and that of all words in final results.
    pub fn counts(&self) -> (usize, u64) {
        let free = self.room.available_permits();
        (self.limits.sessions.saturating_sub(free), self.words.load(Ordering::Relaxed))
    }

    /// Counts words in final results.
    pub fn count_words(&self, words: u64) {
        self.words.fetch_add(words, Ordering::Relaxed);
    }

    /// Takes a place for a session.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn admit(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.room).try_acquire_owned().map_err(|_| {
            ApiError::busy(format!(
                "{} live sessions are open, the limit: try again later",
                self.limits.sessions
            ))
        })
    }

    /// Seats a new session.
    pub fn seat(self: &Arc<Self>, id: String, place: OwnedSemaphorePermit) -> Seat {
        let let_go = Arc::new(Notify::new());
        self.places().connected.insert(id.clone(), Arc::clone(&let_go));
        Seat { id, sessions: Arc::clone(self), let_go, _place: place }
    }

    /// Seats a session again; another connection that still has it lets it go.
    ///
    /// # Errors
    /// Fails if there is no such session, or the other connection does not let it go.
    pub async fn resume(
        self: &Arc<Self>,
        id: &str,
        place: OwnedSemaphorePermit,
    ) -> Result<(SharedSession, Seat), ApiError> {
        self.drop_expired();
        for _ in 0..LOOKS {
            let (kept, let_go) = self.places().find(id);
            if let Some(session) = kept {
                return Ok((session, self.seat(id.to_owned(), place)));
            }
            let_go.ok_or_else(|| self.no_such_session())?.notify_one();
            sleep(LOOK).await;
        }
        let detail = "another connection is still using the session: try again later";
        Err(ApiError::new(StatusCode::CONFLICT, detail).with("field", "session"))
    }

    fn no_such_session(&self) -> ApiError {
        let seconds = self.limits.kept.as_secs_f64();
        let detail = format!(
            "there is no such session: one without a connection is kept for {seconds} s; start another one"
        );
        ApiError::new(StatusCode::NOT_FOUND, detail).with("field", "session")
    }

    /// Drops the sessions whose clients have not come back in time.
    pub fn drop_expired(&self) {
        let mut places = self.places();
        while places.kept.pop_front_if(|(since, ..)| since.elapsed() >= self.limits.kept).is_some() {}
    }

    fn places(&self) -> MutexGuard<'_, SessionPlaces> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionPlaces {
    /// Removes and returns a session, or returns what tells its connection to let it go.
    fn find(&mut self, id: &str) -> (Option<SharedSession>, Option<Arc<Notify>>) {
        let at = self.kept.iter().position(|(_, of, _)| of == id);
        let kept = at.and_then(|at| self.kept.remove(at)).map(|(.., session)| session);
        (kept, self.connected.get(id).cloned())
    }
}

impl Seat {
    /// Leaves the session for a connection that goes on with it.
    pub fn keep(self, session: SharedSession) {
        let sessions = Arc::clone(&self.sessions);
        {
            let mut places = sessions.places();
            places.connected.remove(&self.id);
            places.kept.push_back((Instant::now(), self.id.clone(), session));
            if places.kept.len() > sessions.limits.kept_sessions {
                places.kept.pop_front();
            }
        }
        tokio::spawn(async move {
            sleep(sessions.limits.kept).await;
            sessions.drop_expired();
        });
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut places = self.sessions.places();
        // Not the seat of a connection that goes on with the session already.
        if places.connected.get(&self.id).is_some_and(|let_go| Arc::ptr_eq(let_go, &self.let_go)) {
            places.connected.remove(&self.id);
        }
    }
}

/// Makes the name of a session, which nobody can guess.
///
/// # Errors
/// Fails if the system has no random numbers.
pub fn new_id() -> Result<String, ApiError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| ApiError::bug(&format!("no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
