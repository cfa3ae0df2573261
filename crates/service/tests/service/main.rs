//! The service against a real socket.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod audio;
mod client;
mod files;
mod json;
mod language_tool;
mod limits;
mod live;
mod multipart;
#[cfg(feature = "score")]
mod openapi;
mod socket;
mod routes;
#[cfg(feature = "score")]
mod score;
mod stop;
mod trial;
