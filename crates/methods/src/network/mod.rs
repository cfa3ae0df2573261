//! Runs the networks of the methods `bert` and `cnn-bilstm` on the CPU, from words to choices, without a
//! tensor library.

use std::fmt::Display;

use majuscule_base::error::{Error, Result};

/// The advice for a model whose files do not fit.
const ADVICE: &str = "copy the model again or train it again";

/// Returns the error of a failed computation of a model of a method, such as for lack of memory.
fn failed(method: &str, problem: impl Display) -> Error {
    Error::model(method, format!("computing failed: {problem}"))
}

/// Refuses scores that are not finite.
fn check_scores(method: &str, scores: &[Vec<f32>]) -> Result<()> {
    match scores.iter().flatten().all(|score| score.is_finite()) {
        true => Ok(()),
        false => Err(failed(
            method,
            "a score is not a finite number, so weights are too large: train the model again",
        )),
    }
}

pub mod bert;
pub mod cnn_bilstm;
pub mod exp;
pub mod heads;
pub mod instruction_set;
pub mod lanes;
pub mod matrix;
pub mod subwords;
mod products;
pub mod sequences;
pub mod session;
pub mod tensors;
mod threads;
pub mod windower;
pub mod word_lexicon;
