//! The laws of text and case, and real sentences. All are one binary, so that it is linked once.

mod cases;
mod laws;
