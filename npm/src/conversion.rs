//! Converts files to another format, either unchanged or after restoring.

use std::path::Path;

use majuscule::{Encoding, Format, Input};
use majuscule_base::error::{Error, Result, option, worded};
use majuscule_base::named::NamedValue;
use majuscule_convert::{Conversion, ConversionNotes};
use majuscule_restore::GivenOptions;
use majuscule_text::Door;

use crate::failure::option_name;
use crate::files::FileReport;

/// A conversion of a file.
#[derive(Debug, Default)]
pub struct FileConversion {
    name: Option<String>,
    encoding: Option<Encoding>,
    conversion: Conversion,
}

/// Reads the options of the output: its format, [`Format::Auto`] if the file keeps its format, and
/// its new cues.
///
/// # Errors
/// Fails if a value is not valid for its option.
pub fn output(given: &mut GivenOptions) -> Result<Conversion> {
    let mut output = Conversion::default();
    given.set(Door::JavaScript, &mut output)?;
    Ok(output)
}

impl FileConversion {
    /// Reads the options of a conversion.
    ///
    /// # Errors
    /// Fails if a value is not valid for its option, or if an option is not known.
    pub fn read(json: &[u8]) -> Result<Self> {
        let mut values = GivenOptions::read(json, option_name)?;
        let mut output = output(&mut values)?;
        if output.to == Format::Auto {
            let to = option("to");
            return Err(Error::usage(format!("{to} is missing: name the format of the output, such as vtt")));
        }
        if let Some(language) = values.text("lang")? {
            output.set_language(Some(&language), "");
        }
        let (from, field) = (values.named("from")?.unwrap_or_default(), values.text("field")?);
        let conversion = Conversion { from, field, ..output };
        let (name, encoding) = (values.text("name")?, values.encoding()?);
        values.finish()?;
        Ok(Self { name, encoding, conversion })
    }

    /// Converts a file and returns it with a report.
    ///
    /// # Errors
    /// Fails if the file violates its format, or something would be lost.
    pub fn run(&self, bytes: &[u8]) -> Result<(Vec<u8>, FileReport)> {
        let name = self.name.as_deref().unwrap_or("the file");
        let mut conversion = self.conversion.clone();
        let (mut input, _) = Input::new(name, bytes)?.decoded(self.encoding.clone(), None)?;
        if conversion.from == Format::Auto {
            conversion.from = Format::detect(&mut input)?.kind;
        }
        write(&conversion, input, FileReport::default())
    }
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
