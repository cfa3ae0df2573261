//! Files: restored in their format.

use majuscule::{FileRequest, Format, Input, LANGUAGES, Model, Note};
use majuscule_base::error::Result;
use majuscule_base::named::NamedValue;
use majuscule_format::{decoded_text, whisper};
use majuscule_restore::models::language::tag_of;
use majuscule_restore::pool::{detect, detected_format};
use serde::Serialize;

#[cfg(feature = "all")]
use crate::conversion;
use crate::failure::option_name;
use crate::language::TextLanguage;
use crate::settings::Settings;

/// The name of a file in notes and errors, unless the caller names it.
pub const NAME: &str = "the file";

/// The result of restoring a file.
#[derive(Debug, Default, Serialize)]
pub struct FileReport {
    /// The format of the output.
    pub format: &'static str,
    /// The language of the text, if it was restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The encoding of the text, if it was restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<&'static str>,
    /// The notes for the user.
    pub notes: Vec<String>,
}

/// Decodes a file and detects its format, with a note if name and content differ; the file is read again for its text.
fn begin<'a>(name: &str, settings: &Settings, bytes: &'a [u8]) -> Result<(Format, Option<Note>, Input<'a>)> {
    let encoding = settings.file.encoding.as_ref();
    let (mut input, _) = decoded_text(Input::new(name, bytes)?, encoding, settings.options.lossy)?;
    let (format, note) = match settings.file.format {
        Format::Auto => detected_format(&mut input)?,
        named => (named, None),
    };
    Ok((format, note, input))
}

/// Detects the language of a file: the declared language, or the detected one.
///
/// # Errors
/// Fails if the file cannot be decoded.
pub fn language(settings: &Settings, bytes: &[u8]) -> Result<TextLanguage> {
    let name = settings.file.name.as_deref().unwrap_or(NAME);
    let (format, _, mut input) = begin(name, settings, bytes)?;
    if format.info().declares_language
        && let Some(declared) = whisper::language(bytes)
        && let Some(language) = LANGUAGES.into_iter().find(|language| *language == tag_of(&declared))
    {
        return Ok(TextLanguage { language: Some(language), note: None });
    }
    let detected = detect(format, settings.options.field.as_deref(), &mut input)?;
    Ok(TextLanguage::of(detected, name))
}

/// Restores a file and returns it with a report.
///
/// # Errors
/// Fails if the file violates its format, and like the method.
pub fn restore(model: &Model, settings: &Settings, bytes: &[u8]) -> Result<(Vec<u8>, FileReport)> {
    let name = settings.file.name.as_deref().unwrap_or(NAME);
    let (format, note, _) = begin(name, settings, bytes)?;
    let mut options = settings.options.clone();
    if options.pause_ends.is_none() && !options.marks.is_empty() {
        options = options.pause_ends(format.sentence_pause());
    }
    let mut request = FileRequest::default().format(format).options(options);
    if let Some(encoding) = &settings.file.encoding {
        request = request.encoding(encoding.clone());
    }
    if let Some(words) = &settings.words {
        request = request.words(option_name("words"), words.as_str());
    }
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    let restored = model.restore_file(Input::new(name, bytes)?, &request, &mut out)?;
    let report = FileReport {
        format: restored.format.name_of(),
        language: Some(restored.language.clone()),
        encoding: Some(restored.encoding.name()),
        notes: note.iter().chain(&restored.notes).map(|note| note.worded(name, option_name)).collect(),
    };
    #[cfg(feature = "all")]
    let wanted = majuscule_convert::Conversion {
        field: settings.options.field.clone(),
        ..settings.file.output.clone()
    };
    #[cfg(feature = "all")]
    if let Some(mut conversion) = wanted.after_restoring(restored.format) {
        conversion.set_language(None, &restored.language);
        let (input, _) = Input::uncompressed(name, &*out).decoded(Some(restored.encoding), None)?;
        return conversion::write(&conversion, input, report);
    }
    Ok((out, report))
}
