//! The limits and settings of the service.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use crate::live::LiveLimits;
use crate::site::HostNames;

/// Receives an entry for each request.
pub type Log = Arc<dyn Fn(&LogEntry<'_>) + Send + Sync>;

/// The limits and settings of the service.
#[derive(Clone)]
#[non_exhaustive]
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

impl fmt::Debug for ServiceOptions {
    /// Formats the options without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, queue, body_limit, timeout, .. } = self;
        f.debug_struct("ServiceOptions")
            .field("threads", threads)
            .field("queue", queue)
            .field("body_limit", body_limit)
            .field("timeout", timeout)
            .finish_non_exhaustive()
    }
}

/// Defines a setter for each option.
macro_rules! setters {
    ($($name:ident: $type:ty,)*) => {
        impl ServiceOptions {
            $(
                #[doc = concat!("Sets [`Self::", stringify!($name), "`].")]
                #[must_use]
                pub fn $name(self, $name: $type) -> Self {
                    Self { $name, ..self }
                }
            )*
        }
    };
}

setters! {
    threads: NonZeroUsize,
    queue: usize,
    body_limit: usize,
    input_limit: usize,
    spool_limit: u64,
    json_limit: usize,
    memory_limit: usize,
    timeout: Duration,
    head_timeout: Duration,
    connections: usize,
    grace: Duration,
    live: LiveLimits,
    hosts: HostNames,
    token: Option<String>,
    log: Option<Log>,
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
