//! The limits and settings of the service.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use crate::site::HostNames;

/// Receives an entry for each request.
pub type Log = Arc<dyn Fn(&LogEntry<'_>) + Send + Sync>;

/// The limits and settings of the service.
#[derive(Clone)]
pub struct ServiceOptions {
    /// The number of requests that compute at once; the number of cores by default.
    pub threads: NonZeroUsize,
    /// The largest number of requests that wait for a thread; further requests are refused with status 429.
    pub queue: usize,
    /// The largest number of bytes in a file, and in its answer. Data beyond 64 KiB is on disk, in the folder
    /// for temporary files, which `TMPDIR` names on Unix.
    pub body_limit: usize,
    /// The largest number of bytes of a file that is held in memory whole, such as a document of JSON. A line of
    /// other files, or an item of several lines, may have a thirty-second of this number.
    pub input_limit: usize,
    /// The largest number of bytes on disk in all files together.
    pub spool_limit: u64,
    /// The largest number of bytes in a body of JSON, whose answer is up to 30 times as long.
    pub json_limit: usize,
    /// The largest number of bytes for all bodies of JSON and files that are held in memory whole, and for the data
    /// made from them. Live sessions share half as many bytes in addition.
    pub memory_limit: usize,
    /// The longest time for each of three steps: to receive a body of JSON or 64 KiB of a file, to wait for and
    /// compute an answer or a part of a file, and to send more of an answer to a client.
    pub timeout: Duration,
    /// The longest time for the head of a request to arrive. Idle connections are closed after this time.
    pub head_timeout: Duration,
    /// The largest number of open connections. A few further connections can request only `/health`, `/ready` and the
    /// page; all others are closed at once.
    pub connections: usize,
    /// The longest time that running requests have to finish once the service stops.
    pub grace: Duration,
    /// The limits of live sessions.
    pub live: LiveLimits,
    /// The host names that the service answers to; all by default. Without a token, set [`HostNames::LoopbackAnd`],
    /// because otherwise web pages of any site can read the answers.
    pub hosts: HostNames,
    /// The token that clients send as `Authorization: Bearer TOKEN`; `None` requires no token.
    pub token: Option<String>,
    /// Receives an entry for each request, which never contains the text of the request.
    pub log: Option<Log>,
}

impl Default for ServiceOptions {
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            queue: 64,
            body_limit: 1 << 30,
            input_limit: 32 << 20,
            spool_limit: 8 << 30,
            json_limit: 2 << 20,
            memory_limit: 256 << 20,
            timeout: Duration::from_secs(60),
            head_timeout: Duration::from_secs(10),
            connections: 1024,
            grace: Duration::from_secs(10),
            live: LiveLimits::default(),
            hosts: HostNames::default(),
            token: None,
            log: None,
        }
    }
}

/// The limits of live sessions.
#[derive(Debug, Clone)]
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

/// An answered request, without its text.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LogEntry<'a> {
    /// The identifier of the request.
    pub id: &'a str,
    /// The method.
    pub method: &'a str,
    /// The route, such as `/v1/restore`; `other` for a path without one.
    pub route: &'a str,
    /// The status.
    pub status: u16,
    /// The time to the answer.
    pub time: Duration,
    /// An internal error that the answer omits, because it names files of the machine.
    pub error: Option<&'a str>,
}
