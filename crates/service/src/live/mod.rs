//! Live text over a WebSocket: words are received as they come, and are restored and sent as soon as they are
//! certain.
//!
//! A session has no thread. It is a task of the connection, which reads a message, computes the answer and writes it
//! before it reads the next message. So the service reads nothing more from a client that reads no answers, and
//! memory is bounded.

mod messages;
mod words;
mod session;
mod sessions;
mod worker;
mod pace;
mod vosk;
mod socket;
mod handshake;

pub use handshake::{socket, vosk};
pub use sessions::LiveSessions;
