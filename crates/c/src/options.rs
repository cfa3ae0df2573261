//! The options of a call, from JSON.

use std::num::NonZeroUsize;

use majuscule::{
    Door, Encoding, FileRequest, Format, Model, RestoreOptions, Spellings, TextRestorer, UserOption,
};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::named::{NamedValue, nearest};
use serde_json::{Map, Value};

/// The door whose options C has: its calls are those of JavaScript.
const DOOR: Door = Door::JavaScript;

/// The options that are not declared for all doors.
const OTHERS: [&str; 6] = ["lang", "spellings", "threads", "name", "format", "encoding"];

/// Returns the name of an option in C: `mark_threshold` for `mark-threshold`.
pub fn option_name(name: &str) -> String {
    name.replace('-', "_")
}

/// The options of a call.
#[derive(Debug, Default)]
pub struct CallOptions {
    restoring: RestoreOptions,
    /// The user's own spellings, one per line.
    spellings: Option<String>,
    /// The name of a file, by which its format is detected.
    name: Option<String>,
    format: Format,
    encoding: Option<Encoding>,
    /// True if the caller says which pauses end sentences.
    has_pauses: bool,
}

impl CallOptions {
    /// Reads a JSON object.
    ///
    /// # Errors
    /// Fails if the text is not one, if there is no option of a name, or if a value does not fit.
    pub fn read(json: &str) -> Result<Self> {
        let values: Map<String, Value> = serde_json::from_str(json).map_err(|error| {
            let problem = "the options are not a JSON object";
            Error::usage(format!("{problem} ({error}): expected one such as {{\"marks\": true}}"))
        })?;
        let mut read = Self::default();
        for (name, value) in values.iter().filter(|(_, value)| !value.is_null()) {
            read.set(name, value)?;
        }
        Ok(read)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        if let Some(wanted) = UserOption::at(DOOR).find(|option| option.field() == name) {
            self.has_pauses |= wanted.name == "pause-ends";
            return wanted.set_to(&mut self.restoring, value);
        }
        match name {
            "lang" => self.restoring.language = Some(text(name, value)?),
            "spellings" => {
                let lines = value.as_array().and_then(|lines| lines.iter().map(Value::as_str).collect());
                let lines: Vec<&str> = lines.ok_or_else(|| wrong(name, value, "a list of strings"))?;
                self.spellings = Some(lines.join("\n"));
            }
            "threads" => {
                let threads = value.as_u64().and_then(|number| NonZeroUsize::new(number.try_into().ok()?));
                self.restoring.threads =
                    threads.ok_or_else(|| wrong(name, value, "a whole number from 1"))?;
            }
            "name" => self.name = Some(text(name, value)?),
            "format" => {
                let names: Vec<&str> = Format::VALUES.iter().map(|(_, name, _)| *name).collect();
                let format = value.as_str().and_then(<Format as NamedValue>::of_name);
                self.format =
                    format.ok_or_else(|| wrong(name, value, &format!("one of {}", names.join(", "))))?;
            }
            "encoding" => {
                let encoding = text(name, value)?.parse();
                let problem = |problem: String| Error::usage(format!("{}: {problem}", option(name)));
                self.encoding = Some(encoding.map_err(problem)?);
            }
            unknown => return Err(no_option(unknown)),
        }
        Ok(())
    }

    /// Returns the model with the options.
    ///
    /// # Errors
    /// Fails if a spelling is not one.
    pub fn restorer(self, model: &Model) -> Result<TextRestorer> {
        let mut options = self.restoring;
        if let Some(list) = &self.spellings {
            options = model.fill_in(options);
            let spellings = Spellings::read(list.as_bytes(), "spellings", options.locale())?;
            options = options.spellings(spellings);
        }
        Ok(model.with(options))
    }

    /// Returns the tag of the language of the text: its own, or that of the model.
    pub fn language(&self, model: &Model) -> String {
        model.fill_in(self.restoring.clone()).language().to_owned()
    }

    /// Returns the name of the file, if it has one.
    pub fn file_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the format that the caller names, the encoding, and true if unreadable parts are copied.
    pub fn reading(&self) -> (Format, Option<&Encoding>, bool) {
        (self.format, self.encoding.as_ref(), self.restoring.lossy)
    }

    /// Returns the request for a file of a format. Where punctuation is inserted, the pauses of the format end
    /// sentences unless the caller says which do.
    pub fn into_file(self, format: Format) -> FileRequest {
        let mut options = self.restoring;
        if !self.has_pauses && !options.marks.is_empty() {
            options = options.pause_ends(format.sentence_pause());
        }
        let mut request = FileRequest::default().format(format).options(options);
        if let Some(encoding) = self.encoding {
            request = request.encoding(encoding);
        }
        match self.spellings {
            Some(list) => request.words("spellings", list),
            None => request,
        }
    }
}

/// Reads a value that is a text.
fn text(name: &str, value: &Value) -> Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| wrong(name, value, "a string"))
}

/// The error for a value that does not fit.
fn wrong(name: &str, value: &Value, expected: &str) -> Error {
    Error::usage(format!("{} {value}: expected {expected}", option(name)))
}

/// The error for an option that does not exist.
fn no_option(name: &str) -> Error {
    let known: Vec<String> =
        UserOption::at(DOOR).map(UserOption::field).chain(OTHERS.map(str::to_owned)).collect();
    let hint = match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("expected one of {}", known.join(", ")),
    };
    Error::usage(format!("there is no option \"{name}\": {hint}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn pauses_of_the_format_end_sentences_unless_the_caller_says_which_do() {
        let pause = |json| CallOptions::read(json).unwrap().into_file(Format::Srt).options.pause_ends;
        assert_eq!(pause("{}"), None);
        assert_eq!(pause(r#"{"marks": true}"#), Some(Duration::from_secs(2)));
        assert_eq!(pause(r#"{"marks": true, "pause_ends": 0.5}"#), Some(Duration::from_millis(500)));
        assert_eq!(pause(r#"{"marks": true, "pause_ends": "never"}"#), None);
    }

    #[test]
    fn the_header_names_every_option_and_each_refuses_an_object() {
        let header = include_str!("../include/majuscule.h");
        let (_, options) = header.split_once(" * Options. ").unwrap();
        let (options, _) = options.split_once(" * Memory. ").unwrap();
        let words: Vec<&str> = options
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .collect();
        for name in UserOption::at(DOOR).map(UserOption::field).chain(OTHERS.map(str::to_owned)) {
            assert!(words.contains(&&*name), "the header does not name the option {name}");
            let refused = CallOptions::read(&format!("{{\"{name}\": {{}}}}")).unwrap_err().to_string();
            assert!(!refused.contains("there is no option") && refused.contains("expected"), "{refused}");
            assert!(CallOptions::read(&format!("{{\"{name}\": null}}")).is_ok());
        }
    }
}
