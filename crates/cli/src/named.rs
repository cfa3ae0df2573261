//! Models named on the command line: a folder, a packed file, or the name of a preset.

use std::path::Path;

use majuscule_base::error::Result;
use majuscule_base::named::NamedValue;
use majuscule_methods::Backend;
use majuscule_methods::model::{self, Store};
use majuscule_restore::models::{Model, Preset};

use crate::host;
use crate::methods::methods;

/// Returns the preset whose name a path is, such as `accurate`, unless a file or folder has that
/// name.
pub fn built_in(path: &Path) -> Option<Preset> {
    let preset = path.to_str().and_then(Preset::of_name);
    preset.filter(|_| !path.exists())
}

/// Opens a model: a folder, a packed file, or a preset of a language.
///
/// # Errors
/// If there is no model or it cannot be read.
pub fn open(path: &Path, language: &str) -> Result<Box<dyn Store>> {
    match built_in(path) {
        Some(preset) => methods().preset_store(language, preset),
        None => model::open(path),
    }
}

/// Loads a model of the host, or a model that [`open`] opens. The model runs on the given backend if its method has
/// backends, or if `must` is true.
///
/// # Errors
/// Like [`open`], and if the model does not run on the backend.
pub fn load(path: &Path, language: &str, computing: &Backend, must: bool) -> Result<Model> {
    if let Some(model) = host::model(path) {
        return Ok(model);
    }
    let store = open(path, language)?;
    let methods = methods();
    let is_meant = must || methods.has_backends(&store.manifest().method);
    methods.load(&*store, &if is_meant { *computing } else { Backend::default() })
}
