//! Files converted to another format.

use std::path::Path;

use majuscule::{Encoding, Format, Input, Interrupt};
use majuscule_base::error::{Error, Result, option, worded};
use majuscule_base::named::NamedValue;
use majuscule_convert::{Conversion, CueCut, CueLimits};
use serde_json::Value;

use crate::failure::option_name;
use crate::files::{FileReport, NAME};
use crate::settings::GivenOptions;

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
    encoding: Option<Encoding>,
    conversion: Conversion,
}

/// The values that only conversions have.
impl GivenOptions {
    /// Takes true or false.
    fn flag(&mut self, name: &str) -> Result<bool> {
        Ok(self.take(name, "true or false", Value::as_bool)?.unwrap_or_default())
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
            max_words: None,
        };
        let cut = values.named::<CueCut>("cues")?;
        let changed = cut.is_none() && limits != CueLimits::default();
        if changed {
            let problem = format!("limits of cues are for new cues: give {} too", option("cues"));
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
