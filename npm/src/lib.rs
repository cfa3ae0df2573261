//! The core of the npm package, compiled to WebAssembly: the library behind functions that JavaScript calls.
//!
//! An instance has one model. `majuscule.js` writes the input of a call into its memory and reads the answer there: text
//! as UTF-8, options and words as JSON.

mod abi;
#[cfg(feature = "all")]
mod conversion;
mod core;
mod failure;
mod files;
mod language;
mod settings;
mod words;
