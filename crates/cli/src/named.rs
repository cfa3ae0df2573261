//! The model that a verb is asked for: a folder, a packed file, or a built-in one by its name.

use std::path::Path;

use majuscule::error::Result;
use majuscule::methods::{self, Preset};
use majuscule::model::{self, Store};
use majuscule::named::NamedValue;

/// The built-in model that is meant: `accurate` or `fast`, unless a file or folder has that name.
pub fn built_in(path: &Path) -> Option<Preset> {
    let preset = path.to_str().and_then(Preset::of_name);
    preset.filter(|_| !path.exists())
}

/// Opens a model by its folder or file, or `accurate` or `fast`, the built-in ones of a language.
///
/// # Errors
/// Where there is none, or it cannot be read.
pub fn open(path: &Path, language: &str) -> Result<Box<dyn Store>> {
    match built_in(path) {
        Some(preset) => Ok(Box::new(methods::embedded_store(language, preset)?)),
        None => model::open(path),
    }
}
