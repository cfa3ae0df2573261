//! Live text: words in as they come, restored words out as soon as they are certain, over a WebSocket.
//!
//! A session has no thread. It is a task of the connection, which reads a message, computes what it is
//! answered with, and writes that, before it reads the next one. So a client that reads nothing is read
//! from no further, and memory is bounded.

mod limits;
mod messages;
mod words;
mod session;
mod sessions;
mod worker;
mod pace;
mod dialect;
mod vosk;
mod socket;
mod handshake;

pub use handshake::{socket, vosk};
pub use limits::LiveLimits;
pub use sessions::LiveSessions;
