//! The limits of live sessions.

use std::time::Duration;

/// The limits of live sessions.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LiveLimits {
    /// The largest number of sessions; any more are refused with status 429. The service needs some connections
    /// more.
    pub sessions: usize,
    /// The largest number of bytes in a message.
    pub message: usize,
    /// The largest number of messages in a second; a client that sends more is read more slowly.
    pub rate: u32,
    /// The time without any sign of a client after which it is pinged; after as much time again without one,
    /// it counts as gone.
    pub ping: Duration,
    /// The time without a message after which a session ends.
    pub idle: Duration,
    /// The time in which a client that has not read its results is disconnected.
    pub write: Duration,
}

impl Default for LiveLimits {
    fn default() -> Self {
        Self {
            sessions: 1000,
            message: 32 << 10,
            rate: 1000,
            ping: Duration::from_secs(20),
            idle: Duration::from_secs(600),
            write: Duration::from_secs(10),
        }
    }
}
