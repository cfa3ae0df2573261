//! `--cascade`: two models for one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::methods::methods;
use super::named;
use majuscule::error::{Error, Result};
use majuscule::methods::{Backend, Model, Read, cascade};

/// Two models, one behind the other.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct CascadeArgs {
    /// Two models: the first answers where it is sure, and the second, slower and better, reads only the sentences or lines that
    /// have a word in doubt. Folders or files; accurate and fast are the built-in models of --lang
    #[arg(long, value_name = "FAST,EXACT", value_delimiter = ',', num_args = 1, conflicts_with_all = ["model", "preset"])]
    cascade: Vec<PathBuf>,
    /// How sure the first must be of each word, a probability from 0 to 1
    #[arg(long, value_name = "P", requires = "cascade", default_value_t = 0.9)]
    sure: f32,
}

impl CascadeArgs {
    /// The files that it names.
    pub fn files(&self) -> &[PathBuf] {
        &self.cascade
    }

    /// The two as one model, and what counts the words of each; `None` where none are named. The second computes as is asked for, and
    /// so does the first where it can.
    ///
    /// # Errors
    /// Where there are not two, one cannot be read, or they do not go together.
    pub fn load(&self, language: &str, computing: &Backend) -> Result<Option<(Model, Arc<Read>)>> {
        let [fast, exact] = match self.cascade.as_slice() {
            [] => return Ok(None),
            [fast, exact] => [fast, exact],
            other => {
                let problem =
                    format!("--cascade names {} models: expected two, such as fast,my-model", other.len());
                return Err(Error::Usage(problem));
            }
        };
        let load = |path, is_second| load_named(path, language, computing, is_second);
        cascade(load(fast, false)?, load(exact, true)?, self.sure).map(Some)
    }
}

/// A model by its folder or file, or `accurate` or `fast`, the built-in ones of a language. It computes as is asked for where it can, and
/// where it `must`.
///
/// # Errors
/// Where it cannot be read or does not compute so.
pub fn load_named(path: &Path, language: &str, computing: &Backend, must: bool) -> Result<Model> {
    let asked = |is_meant| if is_meant { *computing } else { Backend::default() };
    let store = named::open(path, language)?;
    let methods = methods();
    methods.load(&*store, &asked(must || methods.has_backends(&store.manifest().method)))
}
