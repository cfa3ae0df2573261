//! The limits of live sessions.

use std::time::Duration;

/// The limits of live sessions.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LiveLimits {
    /// The largest number of sessions; further sessions are refused with status 429. The limit on connections should
    /// be a little larger.
    pub sessions: usize,
    /// The largest number of bytes in a message.
    pub message: usize,
    /// The largest number of messages per second; the messages of a faster client are read with a delay.
    pub rate: u32,
    /// The time without any frame from a client after which the client is pinged. The connection is closed after the
    /// same time without an answer.
    pub ping: Duration,
    /// The time without a message after which a session ends.
    pub idle: Duration,
    /// The time after which a client that does not read its results is disconnected.
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
