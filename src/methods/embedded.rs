//! The models of the presets: two of each language are built in, each with a feature of the package.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

use super::{Backend, Methods, Model};
use crate::error::{Error, Result, option};
use crate::model::{Bytes, Packed, Store};
use crate::named::NamedValue;
use crate::text::LanguageTag;
use crate::text::language::BUILT_IN;

/// The languages that have a built-in model.
pub const LANGUAGES: [&str; BUILT_IN.len()] = BUILT_IN;

#[cfg(feature = "lang-en")]
macro_rules! packed {
    ($file:literal) => {{
        static MODEL: &crate::model::Embedded<[u8]> =
            &crate::model::Embedded(*include_bytes!(concat!("../../lm/", $file)));
        &MODEL.0
    }};
}

/// A language, and its packed models: accurate, fast.
type PackedModels = (&'static str, [&'static [u8]; 2]);

/// The packed models that this package builds in.
const OWN: &[PackedModels] = &[
    #[cfg(feature = "lang-en")]
    ("en", [packed!("en.accurate"), packed!("en.fast")]),
];

/// Returns all packed models that are built in.
fn all_packed() -> impl Iterator<Item = &'static PackedModels> {
    #[cfg(feature = "majuscule-languages")]
    let others = majuscule_languages::MODELS;
    #[cfg(not(feature = "majuscule-languages"))]
    let others: &[PackedModels] = &[];
    OWN.iter().chain(others)
}

/// One of the models of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// All features, up to three words of look-ahead
    #[default]
    Accurate,
    /// Fewer features and one word of look-ahead: two to three times as fast, a quarter of the size
    Fast,
    /// A small network, a file beside the program
    Small,
    /// A network, a file beside the program
    Best,
    /// A language model of three words, a file beside the program
    Ngram,
}

impl NamedValue for Preset {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Accurate, "accurate", "All features, up to three words of look-ahead"),
        (
            Self::Fast,
            "fast",
            "Fewer features and one word of look-ahead: two to three times as fast, a quarter of the size",
        ),
        (
            Self::Small,
            "small",
            "A small network (method cnn-bilstm): a file LANG.small next to the program or in $MAJUSCULE_MODELS",
        ),
        (
            Self::Best,
            "best",
            "A network (method bert): a file LANG.best next to the program or in $MAJUSCULE_MODELS",
        ),
        (
            Self::Ngram,
            "ngram",
            "A language model (method hmm): a file LANG.ngram next to the program or in $MAJUSCULE_MODELS",
        ),
    ];
}

impl Preset {
    /// The name of the preset on the command line.
    pub fn name(self) -> &'static str {
        self.name_of()
    }

    /// The method of the models of a preset that lie in files of their own; `None` if they are built in.
    pub fn external_method(self) -> Option<&'static str> {
        match self {
            Self::Small => Some("cnn-bilstm"),
            Self::Best => Some("bert"),
            Self::Ngram => Some("hmm"),
            Self::Accurate | Self::Fast => None,
        }
    }
}

fn packed(language: &str, preset: Preset) -> Option<&'static [u8]> {
    let &(_, [accurate, fast]) = all_packed().find(|(of, _)| *of == language)?;
    match preset {
        Preset::Accurate => Some(accurate),
        Preset::Fast => Some(fast),
        Preset::Small | Preset::Best | Preset::Ngram => None,
    }
}

/// Loads the accurate built-in model of a language. Of a tag such as `pt-BR`, only the language
/// counts.
///
/// ```
/// let model = majuscule::methods::embedded("en")?;
/// assert_eq!(model.manifest.language, "en");
/// # Ok::<(), majuscule::error::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] if the language has no built-in model or this build leaves it out.
pub fn embedded(language: &str) -> Result<Model> {
    embedded_as(language, Preset::Accurate)
}

/// Loads one of the two built-in models of a language.
///
/// # Errors
/// Those of [`embedded`].
pub fn embedded_as(language: &str, preset: Preset) -> Result<Model> {
    Methods::all().load_preset(language, preset, &Backend::default())
}

impl Methods {
    /// Loads the model of a preset of a language: one that is built in, or for [`Preset::Small`],
    /// [`Preset::Best`] and [`Preset::Ngram`] one in the [folders](Methods::looking_in) of such models.
    ///
    /// # Errors
    /// Those of [`Methods::preset_store`] and [`Methods::load`].
    pub fn load_preset(&self, language: &str, preset: Preset, computing: &Backend) -> Result<Model> {
        let mut model = self.load(&*self.preset_store(language, preset)?, computing)?;
        if model.manifest.is_shared() {
            // Letters pair as in the language that is asked for, not as in all that the model serves.
            Arc::make_mut(&mut model.manifest).locale = language.parse()?;
        }
        Ok(model)
    }

    /// The files of the model of a preset: one that is built in, or for [`Preset::Small`],
    /// [`Preset::Best`] and [`Preset::Ngram`] a packed file or a folder in one of the
    /// [folders](Methods::looking_in) of such models.
    ///
    /// # Errors
    /// Those of [`embedded`], [`Error::NoModel`] if there is no such file, and [`Error::Usage`] if
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

    /// Returns the file or folder that [`Methods::preset_store`] opens; `None` for a built-in model, and
    /// if there is none.
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

/// Returns true if this build has the models of a language inside.
pub(super) fn is_built_in(language: &str) -> bool {
    packed(language, Preset::default()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::ALIGN;

    #[test]
    fn built_in_models_are_of_their_language_and_preset_and_begin_where_their_sections_are_aligned() {
        let built_in: Vec<&str> = all_packed().map(|(language, _)| *language).collect();
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
