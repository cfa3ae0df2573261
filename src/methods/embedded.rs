//! The models inside the program, a feature each.

use super::{Model, load};
use crate::error::{Error, Result};
use crate::model::{Bytes, Packed};
use crate::text::{Locale, tokenize::tokenize};

/// The languages that have one.
pub const LANGUAGES: [&str; 5] = ["en", "es", "fr", "nl", "pt"];

#[allow(unused_macros, reason = "a build without languages has no use for it")]
macro_rules! packed {
    ($file:literal) => {{
        static MODEL: &crate::model::Embedded<[u8]> =
            &crate::model::Embedded(*include_bytes!(concat!("../../lm/", $file)));
        Some(&MODEL.0)
    }};
}

fn packed(language: &str) -> Option<&'static [u8]> {
    match language {
        #[cfg(feature = "lang-en")]
        "en" => packed!("en.majority"),
        #[cfg(feature = "lang-es")]
        "es" => packed!("es.majority"),
        #[cfg(feature = "lang-fr")]
        "fr" => packed!("fr.majority"),
        #[cfg(feature = "lang-nl")]
        "nl" => packed!("nl.majority"),
        #[cfg(feature = "lang-pt")]
        "pt" => packed!("pt.majority"),
        _ => None,
    }
}

/// The model of a language that is inside the program; of a tag such as `pt-BR`, its language counts.
///
/// ```
/// # #[cfg(feature = "lang-en")] {
/// let model = majuscule::methods::embedded("en")?;
/// assert_eq!(model.manifest.language, "en");
/// # }
/// # Ok::<(), majuscule::error::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for a language that has none, or that this build leaves out.
pub fn embedded(language: &str) -> Result<Model> {
    let tag = language.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let Some(bytes) = packed(&tag) else {
        let list = LANGUAGES.join(", ");
        return Err(Error::Usage(match LANGUAGES.contains(&tag.as_str()) {
            true => format!("this build leaves out the model of {tag}: build with --features lang-{tag}"),
            false => format!(
                "no model of language \"{language}\" is built in: expected one of {list}, or --model FOLDER"
            ),
        }));
    };
    load(&Packed::open(format!("the built-in model of {tag}"), Bytes::Static(bytes))?)
}

/// The commonest words of each of [`LANGUAGES`]: a dozen of them make a fourth of any text, and few stand in another's.
const COMMON: [&str; LANGUAGES.len()] = [
    "the and of to is that it you was for with have",
    "el los las y que en una por con del se es",
    "le les et des est que une dans pour du vous pas",
    "het een van ik dat is niet op te zijn voor met",
    "o os e que em uma não do da com para um",
];

/// The model inside the program for the language of a text, told by its commonest words; the first of [`LANGUAGES`] that
/// this build has where they say nothing.
///
/// ```
/// # #[cfg(feature = "languages")] {
/// let model = majuscule::methods::embedded_for("o presidente falou ontem em lisboa com a chanceler")?;
/// assert_eq!(model.manifest.language, "pt");
/// # }
/// # Ok::<(), majuscule::error::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] where this build has no models inside.
pub fn embedded_for(text: &str) -> Result<Model> {
    let tokens = tokenize(text, Locale::Root, "");
    let hits = |common: &str| {
        let common: Vec<_> = common.split(' ').collect();
        tokens.iter().filter(|(lower, _)| common.contains(lower)).count()
    };
    // From the last, since max_by_key gives the last of the best.
    let built_in = LANGUAGES.iter().zip(COMMON).rev().filter(|(language, _)| packed(language).is_some());
    match built_in.max_by_key(|(_, common)| hits(common)) {
        Some((language, _)) => embedded(language),
        None => Err(Error::Usage(
            "this build has no models inside: build with --features languages, or give --model FOLDER".into(),
        )),
    }
}
