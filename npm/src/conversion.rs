//! Converts files to another format, either unchanged or after restoring.

use std::path::Path;

use majuscule::{Format, Input};
use majuscule_base::error::{Error, Result, option, worded};
use majuscule_base::named::NamedValue;
use majuscule_convert::{Conversion, ConversionNotes};
use majuscule_restore::{FileReport, GivenOptions};

use crate::failure::option_name;

/// Converts a file with options in JSON, and returns it with a report.
///
/// # Errors
/// Fails if a value is not valid for its option, if an option is not known, if the file violates its format, or if
/// something would be lost.
pub fn convert(options: &[u8], bytes: &[u8]) -> Result<(Vec<u8>, FileReport)> {
    let mut given = GivenOptions::read(options, option_name)?;
    let mut conversion = given.set(Conversion::default())?;
    if conversion.to == Format::Auto {
        let to = option("to");
        return Err(Error::usage(format!("{to} is missing: name the format of the output, such as vtt")));
    }
    if let Some(language) = given.text("lang")? {
        conversion.set_language(Some(&language), "");
    }
    conversion.from = given.named("from")?.unwrap_or_default();
    conversion.field = given.text("field")?;
    let (name, encoding) = (given.text("name")?, given.encoding()?);
    given.finish()?;
    let (mut input, _) = Input::new(name.as_deref().unwrap_or("the file"), bytes)?.decoded(encoding, None)?;
    if conversion.from == Format::Auto {
        conversion.from = Format::detect(&mut input)?.kind;
    }
    write(&conversion, input, FileReport::default())
}

/// Converts a file, and returns it with the `report`, to which the notes of the conversion are
/// added.
///
/// # Errors
/// Fails if the file violates its format, or something would be lost.
pub fn write(conversion: &Conversion, input: Input<'_>, report: FileReport) -> Result<(Vec<u8>, FileReport)> {
    let mut out = Vec::new();
    let ConversionNotes { left_out, cues } =
        conversion.run(input, &mut out, Path::new("the converted file"))?;
    let left_out = left_out.map(|left| format!("left out: {left}"));
    let found = left_out.into_iter().chain(cues).map(|note| worded(&note, option_name));
    let notes = report.notes.into_iter().chain(found).collect();
    Ok((out, FileReport { format: conversion.to.name_of(), encoding: None, notes, ..report }))
}
