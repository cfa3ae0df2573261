//! Models named on the command line: a folder, a packed file, or the name of a built-in model.

use std::path::Path;

use majuscule::error::Result;
use majuscule::methods::{self, Preset};
use majuscule::model::{self, Store};
use majuscule::named::NamedValue;

/// The built-in model that a path means: `accurate` or
/// `fast`, unless a file or folder has that name.
pub fn built_in(path: &Path) -> Option<Preset> {
    let preset = path.to_str().and_then(Preset::of_name);
    preset.filter(|_| !path.exists())
}

/// Opens a model by its folder or file, or by the name
/// `accurate` or `fast` a built-in one of a language.
///
/// # Errors
/// If there is no model or it cannot be read.
pub fn open(path: &Path, language: &str) -> Result<Box<dyn Store>> {
    match built_in(path) {
        Some(preset) => Ok(Box::new(methods::embedded_store(language, preset)?)),
        None => model::open(path),
    }
}
