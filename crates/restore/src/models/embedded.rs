//! The models of the presets. Two models of each language are built in, with the feature of the language.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

use super::{Backend, Methods, Model};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::named::NamedValue;
use majuscule_methods::model::{Bytes, Packed, Store};
use majuscule_text::LanguageTag;
use majuscule_text::language::BUILT_IN;

/// The languages that have a built-in model.
pub const LANGUAGES: [&str; BUILT_IN.len()] = BUILT_IN;

/// Each language that is built in, with its packed models in the order of their presets: accurate, fast.
const PACKED: &[(&str, &[&[u8]])] = &[
    #[cfg(feature = "lang-en")]
    ("en", majuscule_embed::en::MODELS),
    #[cfg(feature = "lang-es")]
    ("es", majuscule_es::MODELS),
    #[cfg(feature = "lang-fr")]
    ("fr", majuscule_fr::MODELS),
    #[cfg(feature = "lang-nl")]
    ("nl", majuscule_nl::MODELS),
    #[cfg(feature = "lang-pt")]
    ("pt", majuscule_pt::MODELS),
    #[cfg(feature = "lang-de")]
    ("de", majuscule_de::MODELS),
    #[cfg(feature = "lang-it")]
    ("it", majuscule_it::MODELS),
];

/// One of the models of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// A small network, built in
    #[default]
    Accurate,
    /// A maximum entropy model, built in: several times as fast, a quarter of the size
    Fast,
    /// A large network, an external file
    Best,
    /// A language model of three words, an external file
    Ngram,
}

impl NamedValue for Preset {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Accurate, "accurate", "A small network (method cnn-bilstm)"),
        (
            Self::Fast,
            "fast",
            "A maximum entropy model (method maxent): several times as fast, a quarter of the size",
        ),
        (
            Self::Best,
            "best",
            "A large network (method bert): a file LANG.best next to the program or in $MAJUSCULE_MODELS",
        ),
        (
            Self::Ngram,
            "ngram",
            "A language model (method hmm): a file LANG.ngram next to the program or in $MAJUSCULE_MODELS",
        ),
    ];
}

impl Preset {
    /// Returns the name of the preset on the command line.
    pub fn name(self) -> &'static str {
        self.name_of()
    }

    /// Returns the method of a preset whose models are separate files; `None` for a preset whose models are built in.
    pub fn external_method(self) -> Option<&'static str> {
        match self {
            Self::Best => Some("bert"),
            Self::Ngram => Some("hmm"),
            Self::Accurate | Self::Fast => None,
        }
    }
}

fn packed(language: &str, preset: Preset) -> Option<&'static [u8]> {
    let (_, models) = PACKED.iter().find(|(of, _)| *of == language)?;
    models.get(preset as usize).copied()
}

impl Methods {
    /// Loads the model of a preset of a language: a built-in model, or for [`Preset::Best`] and [`Preset::Ngram`] a
    /// model from the [folders](Methods::looking_in) of such models.
    ///
    /// # Errors
    /// The errors of [`Methods::preset_store`] and [`Methods::load`].
    pub fn load_preset(&self, language: &str, preset: Preset, computing: &Backend) -> Result<Model> {
        let mut model = self.load(&*self.preset_store(language, preset)?, computing)?;
        if model.manifest.is_shared() {
            // The case mappings are for the requested language, not for all languages of the model.
            Arc::make_mut(&mut model.manifest).locale = language.parse()?;
        }
        Ok(model)
    }

    /// Returns the files of the model of a preset: a built-in model, or for [`Preset::Best`] and [`Preset::Ngram`] a
    /// packed file or a folder in one of the [folders](Methods::looking_in) of such models.
    ///
    /// # Errors
    /// Returns the errors of [`Model::embedded`], [`Error::NoModel`] if there is no such file, and [`Error::Usage`] if
    /// `language` is not a [`LanguageTag`].
    pub fn preset_store(&self, language: &str, preset: Preset) -> Result<Box<dyn Store>> {
        let language: LanguageTag = language.parse()?;
        if let Some(method) = preset.external_method() {
            return self.dirs.open(&language, preset.name(), method);
        }
        let tag = language.primary();
        let Some(bytes) = packed(&tag, preset) else {
            let list = LANGUAGES.join(", ");
            return Err(Error::usage(match LANGUAGES.contains(&tag.as_str()) {
                true => format!("this build leaves out the model of {tag}: build with --features lang-{tag}"),
                false => format!(
                    "no model of language \"{language}\" is built in: expected one of {list}, or {} FOLDER",
                    option("model")
                ),
            }));
        };
        Ok(Box::new(Packed::open(format!("the built-in model of {tag}"), Bytes::Static(bytes))?))
    }

    /// Returns the file or folder that [`Methods::preset_store`] opens; `None` for a built-in model, and if
    /// there is no such file.
    ///
    /// # Errors
    /// [`Error::Usage`] if `language` is not a [`LanguageTag`].
    pub fn preset_path(&self, language: &str, preset: Preset) -> Result<Option<PathBuf>> {
        let language: LanguageTag = language.parse()?;
        Ok(preset.external_method().and_then(|_| self.dirs.find(&language.primary(), preset.name())))
    }

    /// Returns the folders in which models that are not built in are looked for, in order.
    pub fn model_folders(&self) -> Vec<PathBuf> {
        self.dirs.folders().collect()
    }
}

/// Returns true if the models of a language are built in.
pub(super) fn is_built_in(language: &str) -> bool {
    packed(language, Preset::default()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_base::bytes::ALIGN;
    #[cfg(feature = "lang-en")]
    use majuscule_methods::model::{Draft, Manifest};

    #[test]
    #[cfg(feature = "lang-en")]
    fn a_model_brings_a_language_that_no_list_names() {
        let english = Methods::all().preset_store("en", Preset::Fast).unwrap();
        let sections = english.manifest().files.iter();
        let sections =
            sections.map(|file| (file.name.clone(), english.section(&file.name).unwrap().to_vec()));
        let manifest = Manifest { language: "qtx".to_owned(), ..english.manifest().clone() };
        let toy = Model::from_bytes(Draft::new(manifest, sections.collect()).pack()).unwrap();
        assert_eq!(toy.manifest.language, "qtx");
        assert_eq!(toy.restore("we met in lisbon").unwrap(), "We met in Lisbon");
    }

    #[test]
    fn built_in_models_are_of_their_language_and_preset_and_begin_where_their_sections_are_aligned() {
        let built_in: Vec<&str> = PACKED.iter().map(|(language, _)| *language).collect();
        if cfg!(feature = "languages") {
            assert_eq!(built_in, LANGUAGES);
        }
        for language in built_in {
            for preset in [Preset::Accurate, Preset::Fast] {
                let bytes = packed(language, preset).unwrap();
                assert_eq!(bytes.as_ptr().addr() % ALIGN, 0, "{language}.{}", preset.name());
                let store = Methods::all().preset_store(language, preset).unwrap();
                assert_eq!(store.manifest().language, language);
            }
            let [accurate, fast] = [Preset::Accurate, Preset::Fast].map(|preset| packed(language, preset));
            assert!(accurate.unwrap().len() > fast.unwrap().len(), "the models of {language} are exchanged");
        }
    }
}
