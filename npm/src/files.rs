//! Files: restored in their format, or converted to another one.

use std::path::Path;

use majuscule::error::{Error, Result, option, worded};
use majuscule::format::convert::Conversion;
use majuscule::format::cues::{CueCut, CueLimits};
use majuscule::format::{decoded_text, whisper};
use majuscule::methods::language::tag_of;
use majuscule::named::NamedValue;
use majuscule::restore::pool::{detect, detected_format};
use majuscule::{FileRequest, Format, Input, Interrupt, LANGUAGES, Model, Note};
use serde::Serialize;

use crate::failure::option_name;
use crate::language::TextLanguage;
use crate::settings::{GivenOptions, Settings};

/// The name of a file in notes and errors, unless the caller names it.
const NAME: &str = "the file";

/// What became of a file.
#[derive(Debug, Default, Serialize)]
pub struct FileReport {
    format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    notes: Vec<String>,
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

/// Detects the language of a file: that which it declares, or that of its text.
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
/// Fails if the file is not what its format says, and like the method.
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
        language: Some(restored.language),
        encoding: Some(restored.encoding.name()),
        notes: note.iter().chain(&restored.notes).map(|note| note.worded(name, option_name)).collect(),
    };
    Ok((out, report))
}

/// The options of a conversion.
const CONVERT: [&str; 13] = [
    "to",
    "from",
    "cues",
    "drop",
    "field",
    "name",
    "encoding",
    "lang",
    "max-chars",
    "max-lines",
    "max-seconds",
    "min-seconds",
    "max-cps",
];

/// A conversion of a file.
#[derive(Debug, Default)]
pub struct FileConversion {
    name: Option<String>,
    encoding: Option<majuscule::Encoding>,
    conversion: Conversion,
}

impl FileConversion {
    /// Reads the options of a conversion.
    ///
    /// # Errors
    /// Fails if a value is not one, or an option is not known.
    pub fn read(json: &[u8]) -> Result<Self> {
        let mut values = GivenOptions::read(json)?;
        let Some(to) = values.named::<Format>("to")?.filter(|to| *to != Format::Auto) else {
            let to = option("to");
            return Err(Error::usage(format!("{to} is missing: name the format of the output, such as vtt")));
        };
        let usual = CueLimits::default();
        let mut seconds = |name: &str, usual: f64| {
            values.fraction(name, [0.0, f64::MAX], "a number").map(|given| given.unwrap_or(usual))
        };
        let limits = CueLimits {
            max_seconds: seconds("max-seconds", usual.max_seconds)?,
            min_seconds: seconds("min-seconds", usual.min_seconds)?,
            max_cps: seconds("max-cps", usual.max_cps)?,
            max_chars: values.number("max-chars", 1)?.unwrap_or(usual.max_chars),
            max_lines: values.number("max-lines", 1)?.unwrap_or(usual.max_lines),
            language: values.text("lang")?,
        };
        let cut = values.named::<CueCut>("cues")?;
        let changed = cut.is_none() && limits != CueLimits::default();
        if changed {
            let problem = format!("limits of cues are for new cues: give {} with them", option("cues"));
            return Err(Error::usage(problem));
        }
        let conversion = Conversion {
            from: values.named("from")?.unwrap_or_default(),
            to,
            field: values.text("field")?,
            drop: values.flag("drop")?,
            cues: cut.map(|CueCut::Sentence| limits),
            interrupt: Interrupt::default(),
        };
        let (name, encoding) = (values.text("name")?, values.encoding()?);
        values.finish(&CONVERT)?;
        Ok(Self { name, encoding, conversion })
    }

    /// Converts a file and returns it with a report.
    ///
    /// # Errors
    /// Fails if the file is not what its format says, or something would be lost.
    pub fn run(&self, bytes: &[u8]) -> Result<(Vec<u8>, FileReport)> {
        let name = self.name.as_deref().unwrap_or(NAME);
        let mut conversion = self.conversion.clone();
        let (mut input, _) = Input::new(name, bytes)?.decoded(self.encoding.clone(), None)?;
        if conversion.from == Format::Auto {
            conversion.from = Format::detect(&mut input)?.kind;
        }
        let mut out = Vec::with_capacity(bytes.len());
        let notes = conversion.run(input, &mut out, Path::new("the converted file"))?;
        let left_out = notes.left_out.map(|left| format!("left out: {left}"));
        let notes = left_out.into_iter().chain(notes.cues).map(|note| worded(&note, option_name)).collect();
        Ok((out, FileReport { format: conversion.to.name_of(), notes, ..FileReport::default() }))
    }
}
