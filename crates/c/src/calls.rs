//! The calls behind the functions of C, without an address in them.

use majuscule::{Model, Preset, Stream};
use majuscule_base::error::{Error, Result};
use majuscule_base::named::NamedValue;
use majuscule_restore::CallOptions;
use serde::Serialize;

use crate::options::option_name;

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
        let names: Vec<&str> = Preset::VALUES.iter().map(|(_, name, _)| *name).collect();
        let expected = names.join(", ");
        Preset::of_name(name).ok_or_else(|| {
            Error::usage(format!("there is no preset \"{name}\": expected one of {expected}, or NULL"))
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

/// What became of a file.
#[derive(Debug, Serialize)]
struct RestoredFileReport {
    format: &'static str,
    language: String,
    encoding: &'static str,
    notes: Vec<String>,
}

/// Restores a file and returns it with a report in JSON.
///
/// # Errors
/// Fails if the file violates its format, and like the method.
pub fn restore_file(model: &Model, options: &CallOptions, bytes: &[u8]) -> Result<(Vec<u8>, String)> {
    let (out, restored) = options.restore_file(model, bytes)?;
    let name = options.file_name();
    let notes = restored.notes.iter().map(|note| note.worded(name, option_name)).collect();
    let report = RestoredFileReport {
        format: restored.format.name_of(),
        language: restored.language,
        encoding: restored.encoding.name(),
        notes,
    };
    let report = serde_json::to_string(&report).map_err(|error| Error::Bug(error.to_string()))?;
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
