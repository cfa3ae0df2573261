//! `majuscule restore` as a user meets it: its output, its errors, and the files that it leaves.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod capitals;
mod confidence;
mod encodings;
mod files;
mod formats;
mod languages;
mod marks;
mod models;
mod streams;
