//! Live text: words in as they come, restored words out as soon as they are certain, over a WebSocket.
//!
//! A session has no thread. It is a task of the connection, which reads a message, computes the answer and
//! writes it before it reads the next message. So nothing more is read from a client that does not read, and
//! memory is bounded.

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
