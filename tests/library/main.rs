//! The laws of text and case, real sentences, and words one by one. All are one binary, so that it is linked once.

mod api;
mod between;
mod cases;
mod laws;
mod live;
mod punctuation;
mod words;
