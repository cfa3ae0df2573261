//! Searches for models that are too large to be built in.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Manifest, Store};
use majuscule_base::error::{Error, Result};
use majuscule_text::LanguageTag;

/// The folders of a clone of this repository that hold models that are not built in.
const CLONE: [&str; 2] = ["lm", "lm/networks"];

/// The environment variable that names a folder of models that are not built in.
const VARIABLE: &str = "MAJUSCULE_MODELS";

/// The name, in place of a language, of the model for all languages that have no model of their own.
const SHARED: &str = "multilingual";

/// A model that comes with the source of this package, but is too large to be built in. A program finds
/// it in its own folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShippedModel {
    /// The name, `LANG.PRESET` or `multilingual.PRESET`.
    pub name: &'static str,
    /// The languages that it serves.
    pub languages: &'static [&'static str],
    /// The folder of the source that holds the packed file of this name.
    pub folder: &'static str,
    /// The CRC-32 (IEEE) of the file, in hexadecimal.
    pub crc32: &'static str,
    /// The licence, which follows from the licences of the texts.
    pub licence: &'static str,
}

impl ShippedModel {
    /// All shipped models.
    pub const ALL: &'static [Self] = &[
        Self {
            name: "en.best",
            languages: &["en"],
            folder: "lm/networks",
            crc32: "97aed3c2",
            licence: "CC BY-SA 4.0; encoder Apache-2.0",
        },
        Self {
            name: "multilingual.best",
            languages: &["es", "fr", "nl", "pt"],
            folder: "lm/networks",
            crc32: "32c8b583",
            licence: "CC BY-SA 4.0; encoder MIT",
        },
        Self {
            name: "en.ngram",
            languages: &["en"],
            folder: "lm",
            crc32: "40658f89",
            licence: "CC BY-SA 4.0",
        },
        Self {
            name: "pt.ngram",
            languages: &["pt"],
            folder: "lm",
            crc32: "bb78c8cd",
            licence: "CC BY-SA 4.0",
        },
    ];

    /// Returns the model of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|model| model.name == name)
    }

    /// Returns the model of a preset that serves a language.
    pub fn of(language: &str, preset: &str) -> Option<&'static Self> {
        let serves = |model: &&Self| {
            model.languages.contains(&language) && model.name.rsplit('.').next() == Some(preset)
        };
        Self::ALL.iter().find(serves)
    }
}

/// The folders in which models that are not built in are looked for, in this order. A model is called
/// `LANG.PRESET`, or `multilingual.PRESET` if it is of all languages.
///
/// By default there are no folders: a library searches only the folders that its host names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ModelDirs {
    /// Folders that the host names.
    pub given: Vec<PathBuf>,
    /// The folder that the environment names.
    pub environment: Option<PathBuf>,
    /// The folder of the program. Inside a clone of this repository, its folders `lm` and
    /// `lm/networks` count too, as the last.
    pub program: Option<PathBuf>,
    /// The folder of the user's data.
    pub data: Option<PathBuf>,
}

impl ModelDirs {
    /// Returns the folders that a host names.
    pub fn of(given: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { given: given.into_iter().collect(), ..Self::default() }
    }

    /// Returns the folders of a program: the folder that `$MAJUSCULE_MODELS` names, the folder of the
    /// program at `program`, and `majuscule` in the user's data folder. `variable` returns the value of
    /// a variable; an empty one counts as unset.
    pub fn of_program(variable: impl Fn(&str) -> Option<OsString>, program: Option<&Path>) -> Self {
        let variable =
            |name: &str| variable(name).map(PathBuf::from).filter(|path| !path.as_os_str().is_empty());
        let home = |folder: &str| variable("HOME").map(|home| home.join(folder));
        let data = match () {
            () if cfg!(windows) => variable("APPDATA"),
            () if cfg!(target_os = "macos") => home("Library/Application Support"),
            () => variable("XDG_DATA_HOME").or_else(|| home(".local/share")),
        };
        Self {
            given: Vec::new(),
            environment: variable(VARIABLE),
            program: program.and_then(Path::parent).map(Path::to_owned),
            data: data.map(|data| data.join("majuscule")),
        }
    }

    /// Opens the model of this name for a language: a packed file or a folder. The model must be of the
    /// method `method`.
    ///
    /// # Errors
    /// [`Error::NoModel`] if there is no such model, with the folders; [`Error::Model`] if the model is
    /// of another language or method, and the errors of [`open`](super::open).
    pub fn open(&self, language: &LanguageTag, name: &str, method: &str) -> Result<Box<dyn Store>> {
        let language = language.primary();
        let Some(path) = self.find(&language, name) else {
            let problem = self.missing(&language, name, method).into();
            return Err(Error::NoModel { model: format!("{name} of {language}"), problem });
        };
        let store = super::open(&path)?;
        match misnamed(store.manifest(), &language, method) {
            None => Ok(store),
            Some(problem) => Err(Error::model(store.name(), problem)),
        }
    }

    /// Returns the model of this name in the first folder that has one. A model of several languages
    /// counts for each language that it serves.
    pub fn find(&self, language: &str, name: &str) -> Option<PathBuf> {
        let files = |folder: PathBuf| [language, SHARED].map(|of| (of, folder.join(format!("{of}.{name}"))));
        let serves =
            |of: &str, path: &Path| path.exists() && (of != SHARED || covers(path, language).unwrap_or(true));
        self.folders().flat_map(files).find(|(of, path)| serves(of, path)).map(|(_, path)| path)
    }

    /// Returns all folders, in the order of the search.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let Self { given, environment, program, data } = self;
        // A program that cargo built is in target/release of its clone.
        let clone = program.as_deref().and_then(|folder| folder.parent()?.parent());
        let clone = clone.filter(|folder| is_clone(folder));
        let models = clone.into_iter().flat_map(|clone| CLONE.map(|folder| clone.join(folder)));
        let others = [environment, program, data].into_iter().flatten().cloned();
        given.iter().cloned().chain(others).chain(models)
    }

    fn missing(&self, language: &str, name: &str, method: &str) -> String {
        let folders: Vec<String> = self.folders().map(|folder| folder.display().to_string()).collect();
        let name_of_file = format!("{language}.{name}");
        let shipped = ShippedModel::of(language, name)
            .map(|model| format!("copy {}/{} from the source of majuscule, or ", model.folder, model.name));
        let make = format!(
            "{}make one (majuscule train {method}, and compact with --pack {name_of_file})",
            shipped.unwrap_or_default()
        );
        if folders.is_empty() {
            return format!("no model {name} of {language} is built in: {make} and name its folder or file");
        }
        // Only a program reads the environment.
        let variable = self.program.as_ref().map(|_| format!(", or name its folder in {VARIABLE}"));
        let (folders, variable) = (folders.join(" or "), variable.unwrap_or_default());
        format!("no model {name} of {language} is in {folders}: {make} and put it into one of them{variable}")
    }
}

/// Returns true if a model serves a language.
///
/// # Errors
/// If the file is not a model.
fn covers(path: &Path, language: &str) -> Result<bool> {
    Ok(super::open(path)?.manifest().covers(language))
}

/// Describes the difference between a model and its name, if there is one.
fn misnamed(manifest: &Manifest, language: &str, method: &str) -> Option<String> {
    let Manifest { method: found, language: languages, .. } = manifest;
    if found != method {
        return Some(format!(
            "is a model of {found}, but one of {method} is expected there: rename it, or train {method}"
        ));
    }
    (!manifest.covers(language)).then(|| format!("is a model of {languages}, but one of {language} is expected there: rename it, or train one of {language}"))
}

/// Returns true if a folder is a clone of this repository: its `Cargo.toml` names this package.
fn is_clone(folder: &Path) -> bool {
    /// The longest beginning of a `Cargo.toml` that is read.
    const LONGEST: u64 = 1 << 16;
    let mut text = Vec::new();
    let read =
        File::open(folder.join("Cargo.toml")).and_then(|file| file.take(LONGEST).read_to_end(&mut text));
    let name = "name = \"majuscule\"";
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
        for folder in ["mine", "target/release", "lm", "lm/networks"] {
            std::fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        std::fs::write(place.path().join("Cargo.toml"), "[package]\nname = \"majuscule\"\n").unwrap();
        let variable = |name: &str| (name == VARIABLE).then(|| mine.clone().into());
        let dirs = ModelDirs::of_program(variable, Some(&program));
        let found = || dirs.find("nl", "best");
        assert_eq!(found(), None);
        for file in [
            "lm/networks/nl.best",
            "lm/multilingual.best",
            "lm/nl.best",
            "target/release/nl.best",
            "mine/multilingual.best",
        ] {
            let path = place.path().join(file);
            std::fs::write(&path, "").unwrap();
            assert_eq!(found(), Some(path));
        }
        std::fs::create_dir(mine.join("nl.best")).unwrap();
        assert_eq!(found(), Some(mine.join("nl.best")));
        assert_eq!(dirs.find("nl", "other"), None);
        let given = ModelDirs { given: vec![place.path().join("lm")], ..dirs.clone() };
        assert_eq!(given.find("nl", "best"), Some(place.path().join("lm/nl.best")));
        let host = ModelDirs::of([mine.clone()]).missing("nl", "best", "bert");
        assert!(host.ends_with("and put it into one of them"), "{host}");
        let message = dirs.missing("nl", "best", "bert");
        assert!(message.ends_with(", or name its folder in MAJUSCULE_MODELS"), "{message}");
        assert!(message.contains("train bert, and compact with --pack nl.best"), "{message}");
        assert!(message.contains(&*mine.to_string_lossy()), "{message}");
        assert!(message.contains("copy lm/networks/multilingual.best from the source"), "{message}");
        let own = dirs.missing("nl", "ngram", "hmm");
        assert!(!own.contains("copy"), "{own}");
        let shipped = dirs.missing("en", "ngram", "hmm");
        assert!(shipped.contains("copy lm/en.ngram from the source of majuscule, or make one"), "{shipped}");
    }

    #[test]
    fn models_that_ship_are_the_files_of_this_repository() {
        for model in ShippedModel::ALL {
            let file =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(model.folder).join(model.name);
            let bytes = std::fs::read(file).unwrap();
            assert_eq!(crate::model::FileRecord::of(model.name, &bytes).crc32, model.crc32, "{}", model.name);
            assert_eq!(ShippedModel::named(model.name), Some(model));
            let (of, preset) = model.name.split_once('.').unwrap();
            assert!(of == SHARED || model.languages == [of], "{}", model.name);
            for language in model.languages {
                assert_eq!(ShippedModel::of(language, preset), Some(model));
            }
        }
        assert_eq!(ShippedModel::of("nl", "ngram"), None);
        assert_eq!(ShippedModel::named("nl.other"), None);
    }

    #[test]
    fn a_model_of_several_languages_is_found_for_those_that_it_serves() {
        let dirs = ModelDirs::of([Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lm/networks")]);
        assert!(dirs.find("pt", "best").is_some_and(|path| path.ends_with("multilingual.best")));
        assert_eq!(dirs.find("de", "best"), None);
    }

    #[test]
    fn an_empty_variable_is_unset_and_a_folder_of_another_package_is_no_clone() {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("target/release/majuscule");
        std::fs::create_dir_all(place.path().join("lm")).unwrap();
        let found = || {
            let dirs = ModelDirs::of_program(|_| Some(OsString::new()), Some(&program));
            dirs.folders().collect::<Vec<_>>()
        };
        let beside = place.path().join("target/release");
        assert_eq!(found(), std::slice::from_ref(&beside));
        let manifest = place.path().join("Cargo.toml");
        std::fs::write(&manifest, "[package]\nname = \"majuscule-cli\"\n# name = \"majuscule\"\n").unwrap();
        assert_eq!(found(), std::slice::from_ref(&beside));
        std::fs::write(&manifest, include_str!("../../../../Cargo.toml")).unwrap();
        assert_eq!(found(), [beside, place.path().join("lm"), place.path().join("lm/networks")]);
    }

    #[test]
    fn a_model_whose_name_is_wrong_is_refused() {
        let manifest = |method: &str, language: &str| Manifest {
            format: crate::model::FORMAT,
            method: method.into(),
            language: language.into(),
            locale: Default::default(),
            version: String::new(),
            settings: serde_json::Value::Null,
            trained_on: Default::default(),
            labels: majuscule_text::Labels::cases(),
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
