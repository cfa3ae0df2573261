//! The service against a real socket.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod client;
mod limits;
mod routes;
mod stop;
mod trial;
