//! The laws of text and case, and real sentences: one binary, so that it is linked once.

mod cases;
mod laws;
