//! The C interface of the library: handles, texts with lengths, and codes.
//!
//! `include/majuscule.h` has the functions as C sees them, and is made from their comments in `abi.rs`.

mod calls;
mod abi;
