//! Files converted to another format, as they are or once they are restored.

use std::path::Path;

use majuscule::{Encoding, Format, Input};
use majuscule_base::error::{Error, Result, option, worded};
use majuscule_base::named::NamedValue;
use majuscule_convert::{Conversion, ConversionNotes, CueCut, CueLimits, TranscriptForm};
use serde_json::Value;

use crate::failure::option_name;
use crate::files::{FileReport, NAME};
use crate::settings::GivenOptions;

/// The options of the output.
pub const OUTPUT: [&str; 14] = [
    "to",
    "cues",
    "drop",
    "strict",
    "speakers",
    "names",
    "times",
    "paragraphs",
    "markdown",
    "max-chars",
    "max-lines",
    "max-seconds",
    "min-seconds",
    "max-cps",
];

/// The options of a conversion besides those of the output.
const INPUT: [&str; 5] = ["from", "field", "name", "encoding", "lang"];

const TRUE_OR_FALSE: &str = "true or false";

/// A conversion of a file.
#[derive(Debug, Default)]
pub struct FileConversion {
    name: Option<String>,
    encoding: Option<Encoding>,
    conversion: Conversion,
}

/// The values that only conversions have.
impl GivenOptions {
    /// Takes true or false.
    fn flag(&mut self, name: &str) -> Result<bool> {
        Ok(self.take(name, TRUE_OR_FALSE, Value::as_bool)?.unwrap_or_default())
    }

    /// Takes a whole number from `least` on.
    fn number(&mut self, name: &str, least: usize) -> Result<Option<usize>> {
        let read = |value: &Value| usize::try_from(value.as_u64()?).ok().filter(|number| *number >= least);
        self.take(name, &format!("a whole number from {least}"), read)
    }

    /// Takes a number from `least` to `most`, which `expected` describes.
    fn fraction(&mut self, name: &str, [least, most]: [f64; 2], expected: &str) -> Result<Option<f64>> {
        self.take(name, expected, |value| value.as_f64().filter(|number| (least..=most).contains(number)))
    }
}

/// Reads the options of the output: its format, [`Format::Auto`] if it is the file's, and its new cues.
///
/// # Errors
/// Fails if a value is not one.
pub fn output(values: &mut GivenOptions) -> Result<Conversion> {
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
        language: None,
        max_words: None,
    };
    let cut = values.named::<CueCut>("cues")?;
    if cut.is_none() && limits != usual {
        return Err(without_cues());
    }
    // A former option, whose effect is the default.
    values.flag("drop")?;
    Ok(Conversion {
        to: values.named("to")?.unwrap_or_default(),
        cues: cut.map(|CueCut::Sentence| limits),
        strict: values.flag("strict")?,
        speakers: values.take("speakers", TRUE_OR_FALSE, Value::as_bool)?,
        names: values.text("names")?.map(|names| names.parse()).transpose()?.unwrap_or_default(),
        transcript: TranscriptForm {
            paragraphs: values.flag("paragraphs")?,
            times: values.flag("times")?,
            markdown: values.flag("markdown")?,
        },
        ..Conversion::default()
    })
}

impl FileConversion {
    /// Reads the options of a conversion.
    ///
    /// # Errors
    /// Fails if a value is not one, or an option is not known.
    pub fn read(json: &[u8]) -> Result<Self> {
        let mut values = GivenOptions::read(json)?;
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
        values.finish(&[&OUTPUT[..], &INPUT].concat())?;
        Ok(Self { name, encoding, conversion })
    }

    /// Converts a file and returns it with a report.
    ///
    /// # Errors
    /// Fails if the file violates its format, or something would be lost.
    pub fn run(&self, bytes: &[u8]) -> Result<(Vec<u8>, FileReport)> {
        let name = self.name.as_deref().unwrap_or(NAME);
        let mut conversion = self.conversion.clone();
        let (mut input, _) = Input::new(name, bytes)?.decoded(self.encoding.clone(), None)?;
        if conversion.from == Format::Auto {
            conversion.from = Format::detect(&mut input)?.kind;
        }
        write(&conversion, input, FileReport::default())
    }
}

/// Converts a file, and returns it with a report that continues the one given.
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

fn without_cues() -> Error {
    Error::usage(format!("limits of cues are for new cues: give {} too", option("cues")))
}
