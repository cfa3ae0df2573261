//! The basis of every package of majuscule: errors, settings with named values, files that are read and published
//! whole, bytes used in place, and a flag that stops long work.
//!
//! This crate is a layer below [`majuscule`](https://docs.rs/majuscule) and has the same version. Programs use
//! `majuscule`.

// `println!` and similar macros panic if nobody reads their output.
#![deny(clippy::print_stderr, clippy::print_stdout)]

// In reading order: each module uses only the modules above it.
pub mod named;
pub mod printable;
pub mod error;
pub mod interrupt;
pub mod bytes;
pub mod files;

pub use error::{Error, Result};
