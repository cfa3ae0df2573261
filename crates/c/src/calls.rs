//! The calls behind the functions of C, without an address in them.

use std::num::NonZeroUsize;

use majuscule::{Model, Preset, Stream};
use majuscule_base::error::{Error, Result};
use majuscule_base::named::NamedValue;
use majuscule_restore::{CallOptions, GivenOptions};

/// Returns the name of an option in C: `mark_threshold` for `mark-threshold`.
pub fn option_name(name: &str) -> String {
    name.replace('-', "_")
}

/// Reads the options of a call.
///
/// # Errors
/// Fails if the text is not a JSON object, if there is no option of a name, or if a value does not fit.
pub fn read_options(json: &str) -> Result<CallOptions> {
    let mut given = GivenOptions::read(json.as_bytes(), option_name)?;
    let threads = given.take("threads", "a whole number from 1", |value| {
        NonZeroUsize::new(value.as_u64()?.try_into().ok()?)
    })?;
    let mut options = CallOptions::read(&mut given)?;
    if let Some(threads) = threads {
        options.request.options.threads = threads;
    }
    given.finish()?;
    Ok(options)
}

/// The preset of a caller who names none: the best that this build has.
const PRESET: Preset = match cfg!(feature = "network") {
    true => Preset::Accurate,
    false => Preset::Fast,
};

/// Loads a built-in model.
///
/// # Errors
/// Fails if there is no preset of that name, or if the model is not in this build.
pub fn embedded(language: &str, preset: Option<&str>) -> Result<Model> {
    let known = |name: &str| {
        Preset::of_name(name).ok_or_else(|| {
            Error::usage(format!(
                "there is no preset \"{name}\": expected one of {}, or NULL",
                Preset::names()
            ))
        })
    };
    let preset = preset.map_or(Ok(PRESET), known)?;
    #[cfg(all(feature = "fast-en", not(feature = "lang-en")))]
    if preset == Preset::Fast && is_english(language) {
        return Model::from_bytes(majuscule_embed::en_fast::MODELS[0]);
    }
    Model::embedded_as(language, preset)
}

/// Returns true for the tag of English, or of a kind of English.
#[cfg(all(feature = "fast-en", not(feature = "lang-en")))]
fn is_english(tag: &str) -> bool {
    tag.split('-').next().is_some_and(|primary| primary.eq_ignore_ascii_case("en"))
}

/// Reads UTF-8.
///
/// # Errors
/// Fails at the first byte that is not.
pub fn utf8<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let found = match error.error_len() {
            Some(_) => format!("byte {at}, 0x{:02X}, is not UTF-8", bytes[at]),
            None => format!("it ends at byte {at} inside a character of UTF-8"),
        };
        Error::file(name, format!("{found}: convert it to UTF-8 first"))
    })
}

/// Restores a file and returns it with a report in JSON.
///
/// # Errors
/// Fails if the file violates its format, and like the method.
pub fn restore_file(model: &Model, options: &CallOptions, bytes: &[u8]) -> Result<(Vec<u8>, String)> {
    let (out, restored) = options.restore_file(model, bytes)?;
    let report = serde_json::to_string(&options.report(&restored, option_name))
        .map_err(|error| Error::Bug(error.to_string()))?;
    Ok((out, report))
}

/// A text that is restored while it arrives; `None` once it has ended.
pub struct LiveText(Option<Stream>);

impl LiveText {
    /// Starts a text.
    ///
    /// # Errors
    /// Fails if the model does not support the options.
    pub fn start(model: &Model, options: &CallOptions) -> Result<Self> {
        Ok(Self(Some(options.restorer(model)?.stream()?)))
    }

    /// Does some work on the text and returns the output. An error or a panic ends the text.
    ///
    /// # Errors
    /// Fails if the text has ended, and like the work.
    pub fn run(&mut self, work: impl FnOnce(&mut Stream, &mut Vec<u8>) -> Result<()>) -> Result<Vec<u8>> {
        let mut stream = self.0.take().ok_or_else(ended)?;
        let mut out = Vec::new();
        work(&mut stream, &mut out)?;
        self.0 = Some(stream);
        Ok(out)
    }

    /// Ends the text.
    pub fn end(&mut self) {
        self.0 = None;
    }
}

fn ended() -> Error {
    Error::usage("the stream has ended: start another one with mj_stream_new")
}

#[cfg(test)]
mod tests {
    use majuscule_text::{Door, RestoreOptions, UserOption};

    use super::*;

    /// The options that are not declared for all doors.
    const OTHERS: [&str; 6] = ["lang", "spellings", "threads", "name", "format", "encoding"];

    #[test]
    fn the_header_names_every_option_and_each_refuses_an_object() {
        let header = include_str!("../include/majuscule.h");
        let (_, options) = header.split_once(" * Options. ").unwrap();
        let (options, _) = options.split_once(" * Memory. ").unwrap();
        let words: Vec<&str> = options
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .collect();
        let declared = UserOption::<RestoreOptions>::at(Door::JavaScript).map(UserOption::field);
        for name in declared.chain(OTHERS.map(str::to_owned)) {
            assert!(words.contains(&&*name), "the header does not name the option {name}");
            let refused = read_options(&format!("{{\"{name}\": {{}}}}")).unwrap_err().to_string();
            assert!(!refused.contains("there is no option") && refused.contains("expected"), "{refused}");
            assert!(read_options(&format!("{{\"{name}\": null}}")).is_ok());
        }
    }
}
