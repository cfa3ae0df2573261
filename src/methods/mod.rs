//! The one list of methods: how each is loaded and trained.

pub mod majority;

use crate::error::{Error, Result};
use crate::model::{Manifest, Store};
use crate::restorer::Restorer;

/// A trained model, ready for use.
pub struct Model {
    /// What it is.
    pub manifest: Manifest,
    /// What it does.
    pub restorer: Box<dyn Restorer>,
}

/// Loads a model from where it lies.
///
/// # Errors
/// [`Error::Model`] where it is of a method that this build does not have, cut off or altered.
pub fn load(store: &dyn Store) -> Result<Model> {
    let manifest = store.manifest().clone();
    let restorer: Box<dyn Restorer> = match manifest.method.as_str() {
        "majority" => Box::new(majority::Majority::load(store)?),
        method => {
            let problem =
                format!("method \"{method}\", but this build has majority only: use a newer majuscule");
            return Err(Error::model(store.name(), problem));
        }
    };
    Ok(Model { manifest, restorer })
}
