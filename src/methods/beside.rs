//! The models that lie beside the program, since they are too large to be built in.

use std::env;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::model::{self, Manifest, Store};
use crate::text::LanguageTag;

/// The variable that names a folder of such models.
const VARIABLE: &str = "MAJUSCULE_MODELS";

/// The model of all languages that have none of their own.
const SHARED: &str = "multilingual";

/// The tag in manifests of a model of any language.
const ANY: &str = "mul";

/// Opens the model of this name for a language: `LANG.NAME`, or else `multilingual.NAME`, a packed file
/// or a folder, in the folder that `$MAJUSCULE_MODELS` names, beside the program, or in the user's
/// data folder. It is of the method `method`.
///
/// # Errors
/// [`Error::Usage`] if there is none, with the places; [`Error::Model`] if the model is of another
/// language or method, and the errors of [`model::open`].
pub fn open(language: &LanguageTag, name: &str, method: &str) -> Result<Box<dyn Store>> {
    let places = places(&|variable| env::var_os(variable).map(PathBuf::from), env::current_exe().ok());
    let language = language.primary();
    let Some(path) = find(&places, &language, name) else {
        return Err(Error::Usage(missing(&places, &language, name, method)));
    };
    let store = model::open(&path)?;
    match misnamed(store.manifest(), &language, method) {
        None => Ok(store),
        Some(problem) => Err(Error::model(store.name(), problem)),
    }
}

/// Describes the difference between a model and its name, if there is one.
fn misnamed(manifest: &Manifest, language: &str, method: &str) -> Option<String> {
    let Manifest { method: found, language: languages, .. } = manifest;
    let is_covered = |tag: &str| tag == ANY || tag.split(['-', '_']).next() == Some(language);
    if found != method {
        return Some(format!(
            "is a model of {found}, but one of {method} is expected there: rename it, or train {method}"
        ));
    }
    let covers = languages.split(',').any(is_covered);
    (!covers).then(|| format!("is a model of {languages}, but one of {language} is expected there: rename it, or train one of {language}"))
}

/// Returns the model of this name in the first place that has one.
fn find(places: &[PathBuf], language: &str, name: &str) -> Option<PathBuf> {
    let files = |place: &PathBuf| [language, SHARED].map(|of| place.join(format!("{of}.{name}")));
    places.iter().flat_map(files).find(|path| path.exists())
}

fn missing(places: &[PathBuf], language: &str, name: &str, method: &str) -> String {
    let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    format!(
        "no model {name} of {language} lies in {}: make one (majuscule train {method}, and compact with --pack {language}.{name}) and put it into \
         one of them, or name its folder in {VARIABLE}",
        places.join(" or ")
    )
}

/// The places where models lie, the first ones first; `variable` returns that of the environment, and
/// an empty one counts as unset.
fn places(variable: &dyn Fn(&str) -> Option<PathBuf>, program: Option<PathBuf>) -> Vec<PathBuf> {
    let variable = |name: &str| variable(name).filter(|path| !path.as_os_str().is_empty());
    let program = program.as_deref().and_then(Path::parent);
    let home = |folder: &str| variable("HOME").map(|home| home.join(folder));
    let data = match () {
        () if cfg!(windows) => variable("APPDATA"),
        () if cfg!(target_os = "macos") => home("Library/Application Support"),
        () => variable("XDG_DATA_HOME").or_else(|| home(".local/share")),
    };
    // A program that cargo built lies in target/release of its clone, whose models are in lm.
    let clone = program.and_then(|folder| folder.parent()?.parent()).filter(|folder| is_clone(folder));
    let all = [
        variable(VARIABLE),
        program.map(Path::to_owned),
        data.map(|data| data.join("majuscule")),
        clone.map(|clone| clone.join("lm")),
    ];
    all.into_iter().flatten().collect()
}

/// Returns true if a folder is a clone of this repository: its `Cargo.toml` names this package.
fn is_clone(folder: &Path) -> bool {
    /// The longest beginning of a `Cargo.toml` that is read.
    const LONGEST: u64 = 1 << 16;
    let mut text = Vec::new();
    let read =
        File::open(folder.join("Cargo.toml")).and_then(|file| file.take(LONGEST).read_to_end(&mut text));
    let name = concat!("name = \"", env!("CARGO_PKG_NAME"), "\"");
    read.is_ok() && String::from_utf8_lossy(&text).lines().any(|line| line == name)
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
        std::fs::write(place.path().join("Cargo.toml"), "[package]\nname = \"majuscule\"\n").unwrap();
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
        std::fs::create_dir(mine.join("nl.best")).unwrap();
        assert_eq!(found(), Some(mine.join("nl.best")));
        assert_eq!(find(&places, "nl", "other"), None);
        let message = missing(&places, "nl", "best", "bert");
        assert!(message.contains("train bert, and compact with --pack nl.best"), "{message}");
        assert!(message.contains(&*mine.to_string_lossy()), "{message}");
    }

    #[test]
    fn an_empty_variable_is_unset_and_a_folder_of_another_package_is_no_clone() {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("target/release/majuscule");
        std::fs::create_dir_all(place.path().join("lm")).unwrap();
        let found = || places(&|_| Some(PathBuf::new()), Some(program.clone()));
        let beside = place.path().join("target/release");
        assert_eq!(found(), std::slice::from_ref(&beside));
        let manifest = place.path().join("Cargo.toml");
        std::fs::write(&manifest, "[package]\nname = \"majuscule-cli\"\n# name = \"majuscule\"\n").unwrap();
        assert_eq!(found(), std::slice::from_ref(&beside));
        std::fs::write(&manifest, include_str!("../../Cargo.toml")).unwrap();
        assert_eq!(found(), [beside, place.path().join("lm")]);
    }

    #[test]
    fn a_model_whose_name_is_wrong_is_refused() {
        let manifest = |method: &str, language: &str| Manifest {
            format: model::FORMAT,
            method: method.into(),
            language: language.into(),
            locale: Default::default(),
            version: String::new(),
            settings: serde_json::Value::Null,
            trained_on: Default::default(),
            labels: crate::text::Labels::cases(),
            files: Vec::new(),
        };
        for language in ["pt", "pt-BR", "en,pt", "mul"] {
            assert_eq!(misnamed(&manifest("bert", language), "pt", "bert"), None);
        }
        let of_another_method = misnamed(&manifest("majority", "pt"), "pt", "bert").unwrap();
        assert!(of_another_method.contains("of majority, but one of bert"), "{of_another_method}");
        let of_another_language = misnamed(&manifest("bert", "en,ptx"), "pt", "bert").unwrap();
        assert!(of_another_language.contains("of en,ptx, but one of pt"), "{of_another_language}");
    }
}
