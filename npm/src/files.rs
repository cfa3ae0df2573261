//! Restores files in their format.

use majuscule::{LANGUAGES, Model};
use majuscule_base::error::Result;
use majuscule_format::whisper;
use majuscule_restore::FileReport;
use majuscule_restore::models::language::tag_of;
use majuscule_restore::pool::detect;

#[cfg(feature = "all")]
use crate::conversion;
use crate::failure::option_name;
use crate::language::TextLanguage;
use crate::settings::Settings;

/// Returns the language of a file: the declared language, or else the detected one.
///
/// # Errors
/// Fails if the file cannot be decoded.
pub fn language(settings: &Settings, bytes: &[u8]) -> Result<TextLanguage> {
    let call = &settings.call;
    let (format, _, mut input) = call.open(bytes)?;
    if format.info().declares_language
        && let Some(declared) = whisper::language(bytes)
        && let Some(language) = LANGUAGES.into_iter().find(|language| *language == tag_of(&declared))
    {
        return Ok(TextLanguage { language: Some(language), note: None });
    }
    let detected = detect(format, call.request.options.field.as_deref(), &mut input)?;
    Ok(TextLanguage::of(detected, call.file_name()))
}

/// Restores a file and returns it with a report.
///
/// # Errors
/// Fails if the file violates its format, and returns the method's errors.
pub fn restore(model: &Model, settings: &Settings, bytes: &[u8]) -> Result<(Vec<u8>, FileReport)> {
    let call = &settings.call;
    let (out, restored) = call.restore_file(model, bytes)?;
    let report = call.report(&restored, option_name);
    #[cfg(feature = "all")]
    let wanted = majuscule_convert::Conversion {
        field: call.request.options.field.clone(),
        ..settings.output.clone()
    };
    #[cfg(feature = "all")]
    if let Some(mut conversion) = wanted.after_restoring(restored.format) {
        conversion.set_language(None, &restored.language);
        let (input, _) =
            majuscule::Input::uncompressed(call.file_name(), &*out).decoded(Some(restored.encoding), None)?;
        return conversion::write(&conversion, input, report);
    }
    Ok((out, report))
}
