//! The models that lie beside the program, since they are too large to be built in.

use std::env;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::model::{Bytes, Packed};

/// The variable that names a folder of such models.
const VARIABLE: &str = "MAJUSCULE_MODELS";

/// The model of all languages that have none of their own.
const SHARED: &str = "multilingual";

/// Opens the model of this name for a language: `LANG.NAME`, or else `multilingual.NAME`, in the
/// folder that `$MAJUSCULE_MODELS` names, beside the program, or in the user's data folder. It is of
/// the method `method`.
///
/// # Errors
/// [`Error::Usage`] if there is none, with the places, and those of [`Packed::open`].
pub fn open(language: &str, name: &str, method: &str) -> Result<Packed> {
    let places = places(&|variable| env::var_os(variable).map(PathBuf::from), env::current_exe().ok());
    match find(&places, language, name) {
        Some(path) => Packed::open(path.to_string_lossy(), Bytes::open(&path)?),
        None => Err(Error::Usage(missing(&places, language, name, method))),
    }
}

/// Returns the model of this name in the first place that has one.
fn find(places: &[PathBuf], language: &str, name: &str) -> Option<PathBuf> {
    let files = |place: &PathBuf| [language, SHARED].map(|of| place.join(format!("{of}.{name}")));
    places.iter().flat_map(files).find(|path| path.is_file())
}

fn missing(places: &[PathBuf], language: &str, name: &str, method: &str) -> String {
    let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    format!(
        "no model {name} of {language} lies in {}: make one (majuscule train {method}, and compact with --pack {language}.{name}) and put it into \
         one of them, or name its folder in {VARIABLE}",
        places.join(" or ")
    )
}

/// The places where models lie, the first ones first; `variable` returns that of the environment.
fn places(variable: &dyn Fn(&str) -> Option<PathBuf>, program: Option<PathBuf>) -> Vec<PathBuf> {
    let program = program.as_deref().and_then(Path::parent);
    let home = |folder: &str| variable("HOME").map(|home| home.join(folder));
    let data = match () {
        () if cfg!(windows) => variable("APPDATA"),
        () if cfg!(target_os = "macos") => home("Library/Application Support"),
        () => variable("XDG_DATA_HOME").or_else(|| home(".local/share")),
    };
    // A program that cargo built lies in target/release of its clone, whose models are in lm.
    let clone = program.and_then(|folder| Some(folder.parent()?.parent()?.join("lm")));
    let all = [
        variable(VARIABLE),
        program.map(Path::to_owned),
        data.map(|data| data.join("majuscule")),
        clone.filter(|folder| folder.is_dir()),
    ];
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_found_where_the_user_says_or_beside_the_program() {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("target/release/majuscule");
        let mine = place.path().join("mine");
        for folder in ["mine", "target/release", "lm"] {
            std::fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        let variable = |name: &str| (name == VARIABLE).then(|| mine.clone());
        let places = places(&variable, Some(program.clone()));
        let found = || find(&places, "nl", "best");
        assert_eq!(found(), None);
        for file in ["lm/multilingual.best", "lm/nl.best", "target/release/nl.best", "mine/multilingual.best"]
        {
            let path = place.path().join(file);
            std::fs::write(&path, "").unwrap();
            assert_eq!(found(), Some(path));
        }
        assert_eq!(find(&places, "nl", "other"), None);
        let message = missing(&places, "nl", "best", "bert");
        assert!(message.contains("train bert, and compact with --pack nl.best"), "{message}");
        assert!(message.contains(&*mine.to_string_lossy()), "{message}");
    }
}
