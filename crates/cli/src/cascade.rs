//! `--cascade`: two models that work as one.

use std::path::PathBuf;
use std::sync::Arc;

use super::named;
use majuscule_base::error::{Error, Result};
use majuscule_methods::Backend;
use majuscule_restore::models::{Model, Read, cascade};

/// The default of `--sure`.
const SURE: f32 = 0.9;

/// The options of a cascade of two models.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct CascadeArgs {
    /// Two models: the first decides the words of which it is certain; the second, slower and better,
    /// reads only sentences or lines with a word in doubt, or a mark in doubt if it inserts
    /// punctuation. Folders or packed files; accurate and fast are the built-in models of --lang
    #[arg(long, value_name = "FAST,EXACT", value_delimiter = ',', num_args = 1, conflicts_with_all = ["model", "preset"])]
    cascade: Vec<PathBuf>,
    /// Probability, from 0 to 1, from which the first model decides a word or punctuation mark
    /// [default: 0.9]
    #[arg(long, value_name = "P", value_parser = super::page::probability, allow_negative_numbers = true, requires = "cascade")]
    sure: Option<f32>,
}

impl CascadeArgs {
    /// Returns the models that the option names.
    pub fn files(&self) -> &[PathBuf] {
        &self.cascade
    }

    /// Loads both models as one, with a count of the words that each model reads; `None` if the
    /// option names no models. The second model runs on the given backend, and so does the first if
    /// its method has backends.
    ///
    /// # Errors
    /// If there are not two models, one cannot be read, or they do not fit together, or if `--sure` is
    /// given without models.
    pub fn load(&self, language: &str, computing: &Backend) -> Result<Option<(Model, Arc<Read>)>> {
        let [fast, exact] = match self.cascade.as_slice() {
            // The parser accepts this together with an option that excludes a cascade.
            [] if self.sure.is_some() => {
                let problem = "--sure is for the first model of --cascade FAST,EXACT: give --cascade too, or leave --sure out";
                return Err(Error::usage(problem));
            }
            [] => return Ok(None),
            [fast, exact] => [fast, exact],
            other => {
                let problem =
                    format!("--cascade names {} models: expected two, such as fast,my-model", other.len());
                return Err(Error::usage(problem));
            }
        };
        let load = |path, is_second| named::load(path, language, computing, is_second);
        cascade(load(fast, false)?, load(exact, true)?, self.sure.unwrap_or(SURE)).map(Some)
    }
}
