//! Determines the language that a model, a lexicon or a recipe stores: the named language, or else
//! the detected language of the text.

use std::path::{Path, PathBuf};

use majuscule_base::error::{Error, Result};
use majuscule_base::files;
use majuscule_format::Format;
use majuscule_restore::models::DetectedLanguage;
use majuscule_restore::models::language::{LanguageEvidence, Other, name_of};
use majuscule_restore::pool::{detected_format, language_evidence};
use majuscule_train::corpus::{DEFAULT_LANGUAGE, Reading};

/// The smallest number of words with which a text in an unrecognised language is refused: fewer words may be names.
const ENOUGH_TO_REFUSE: u32 = 40;

/// Detects and reports the language of a training text, unless the user names the language.
///
/// # Errors
/// Returns an error if a file cannot be read, or is in a language that the detector does not know:
/// otherwise, the language would be stored as English.
pub fn detect_stored(reading: &mut Reading, files: &[PathBuf]) -> Result<()> {
    if reading.language.is_some() || files.is_empty() {
        return Ok(());
    }
    match detected(reading, files)? {
        Some(tag) => {
            tell!("language: {} ({tag}), detected; --lang names another", name_of(tag));
            reading.language = Some(tag.to_owned());
        }
        None => {
            let (name, tag) = (name_of(DEFAULT_LANGUAGE), DEFAULT_LANGUAGE);
            tell!(
                "language: {name} ({tag}) by default, since the text does not show it; --lang names another"
            );
        }
    }
    Ok(())
}

/// Returns the language of the first file that shows one; `None` if no file does. Streams are not read,
/// since that would consume them.
///
/// # Errors
/// See [`detect_stored`].
pub fn detected(reading: &Reading, files: &[PathBuf]) -> Result<Option<&'static str>> {
    for file in files {
        let evidence = evidence_of(reading, file)?;
        match (evidence.detected(), evidence.other_than(DEFAULT_LANGUAGE)) {
            (_, Some(Other::Language(tag, _))) => return Ok(Some(tag)),
            (DetectedLanguage::BuiltIn(tag), None) if tag == DEFAULT_LANGUAGE => return Ok(Some(tag)),
            (_, Some(_)) | (DetectedLanguage::Other(_), None) if evidence.len() >= ENOUGH_TO_REFUSE => {
                let problem =
                    "is in a language that is not recognised: name it with --lang, such as --lang el";
                return Err(Error::file(file.to_string_lossy(), problem));
            }
            // A few words, which may be names.
            _ => {}
        }
    }
    Ok(None)
}

fn evidence_of(reading: &Reading, file: &Path) -> Result<LanguageEvidence> {
    if files::len(file).is_none() {
        return Ok(LanguageEvidence::default());
    }
    let input = files::open(file)?.within(reading.limits);
    let mut input = input.decoded(reading.encoding.clone(), None)?.0;
    let kind = match reading.format {
        Format::Auto => detected_format(&mut input)?.0,
        kind => kind,
    };
    language_evidence(kind, reading.field.as_deref(), &mut input)
}
