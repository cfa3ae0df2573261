//! Calls from other languages, whose options are an object in JSON.

use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::{Encoding, Input};
use majuscule_base::named::{NamedValue, no_option};
use majuscule_format::Format;
use majuscule_text::{Door, RestoreOptions, UserOption, UserSettings};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::models::Model;
use crate::notes::Note;
use crate::options::TextRestorer;
use crate::pool::{FileRequest, OpenedFile, RestoredFile, filled_in};

/// The options of a call in JSON, each read once.
#[derive(Debug)]
pub struct GivenOptions {
    left: Map<String, Value>,
    /// The name of an option in the language of the caller: `markThreshold` for `mark-threshold`.
    named: fn(&str) -> String,
    /// The names of the options that were read.
    known: Vec<String>,
}

impl GivenOptions {
    /// Reads a JSON object; `named` returns the name of an option in the language of the caller.
    ///
    /// # Errors
    /// Fails if the text is not an object.
    pub fn read(json: &[u8], named: fn(&str) -> String) -> Result<Self> {
        let left = serde_json::from_slice(json).map_err(|error| {
            let problem = "the options are not a JSON object";
            Error::usage(format!("{problem} ({error}): expected one such as {{\"marks\": true}}"))
        })?;
        Ok(Self { left, named, known: Vec::new() })
    }

    /// Returns true if an option is given and not read yet.
    fn has(&self, name: &str) -> bool {
        self.left.get(&(self.named)(name)).is_some_and(|value| !value.is_null())
    }

    /// Removes an option, by its name in the program, and returns its value; `None` if the option is not given.
    fn value(&mut self, name: &str) -> Option<Value> {
        let named = (self.named)(name);
        let found = self.left.remove(&named).filter(|value| !value.is_null());
        self.known.push(named);
        found
    }

    /// Removes an option and reads its value with `read`, which returns `None` unless the value is as `expected`.
    ///
    /// # Errors
    /// Fails if `read` returns `None`.
    pub fn take<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let wrong = || Error::usage(format!("{} {value}: expected {expected}", option(name)));
        read(&value).map(Some).ok_or_else(wrong)
    }

    /// Removes and returns a text.
    ///
    /// # Errors
    /// Fails if the value is not a text.
    pub fn text(&mut self, name: &str) -> Result<Option<String>> {
        self.take(name, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// Removes and returns a list of texts as lines.
    ///
    /// # Errors
    /// Fails if the value is not a list of texts.
    pub fn lines(&mut self, name: &str) -> Result<Option<String>> {
        self.take(name, "a list of strings", |value| {
            let texts: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
            Some(texts?.join("\n"))
        })
    }

    /// Removes and returns the encoding.
    ///
    /// # Errors
    /// Fails if no encoding has this name.
    pub fn encoding(&mut self) -> Result<Option<Encoding>> {
        let wrong = |problem: String| Error::usage(format!("{}: {problem}", option("encoding")));
        self.text("encoding")?.map(|name| name.parse().map_err(wrong)).transpose()
    }

    /// Removes an option and returns its value, one of the named values of `T`.
    ///
    /// # Errors
    /// Fails if the value is not one of the names.
    pub fn named<T: NamedValue>(&mut self, name: &str) -> Result<Option<T>> {
        self.take(name, &format!("one of {}", T::names()), |value| T::of_name(value.as_str()?))
    }

    /// Removes all options of `settings` that are given, and returns the settings with them. Calls from all languages
    /// have the options of JavaScript.
    ///
    /// # Errors
    /// Fails if a value is not valid for its option.
    pub fn set<S: UserSettings>(&mut self, mut settings: S) -> Result<S> {
        for wanted in UserOption::<S>::at(Door::JavaScript) {
            if let Some(value) = self.value(wanted.name) {
                wanted.set_to(&mut settings, &value)?;
            }
        }
        Ok(settings)
    }

    /// Refuses the remaining options, which do not exist.
    ///
    /// # Errors
    /// Fails if an option is left.
    pub fn finish(self) -> Result<()> {
        let Some(name) = self.left.keys().next() else { return Ok(()) };
        let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
        Err(no_option(name, &known))
    }
}

/// The options of a call that restores.
#[derive(Debug, Default)]
pub struct CallOptions {
    /// The request for a file, with the options of restoring.
    pub request: FileRequest,
    /// The name of a file, which shows its format.
    name: Option<String>,
    /// True if the caller specifies which pauses end sentences.
    has_pauses: bool,
}

impl CallOptions {
    /// Reads the options that calls from all languages have.
    ///
    /// # Errors
    /// Fails if a value is not valid for its option.
    pub fn read(given: &mut GivenOptions) -> Result<Self> {
        let has_pauses = given.has("pause-ends");
        let language = given.text("lang")?;
        let restoring = given.set(RestoreOptions::default().in_language(language))?;
        // `words` is the former name of `spellings`.
        let spellings = if given.has("words") { "words" } else { "spellings" };
        let mut request = FileRequest::default().options(restoring);
        request.words = given.lines(spellings)?.map(|list| ("spellings".to_owned(), list.into_bytes()));
        let name = given.text("name")?;
        request.format = given.named("format")?.unwrap_or_default();
        request.encoding = given.encoding()?;
        Ok(Self { request, name, has_pauses })
    }

    /// Returns the model with the options and the user's own spellings.
    ///
    /// # Errors
    /// Fails if a spelling is not valid.
    pub fn restorer(&self, model: &Model) -> Result<TextRestorer> {
        Ok(model.with(filled_in(&self.request, model, None)?))
    }

    /// Returns the name of the file in notes and errors.
    pub fn file_name(&self) -> &str {
        self.name.as_deref().unwrap_or("the file")
    }

    /// Decodes a file and detects its format. The note reports that the name and the content indicate different
    /// formats.
    ///
    /// # Errors
    /// Fails if the file cannot be decoded.
    pub fn open<'a>(&self, bytes: &'a [u8]) -> Result<(Format, Option<Note>, Input<'a>)> {
        let file = OpenedFile::open(Input::new(self.file_name(), bytes)?, &self.request)?;
        Ok((file.format, file.note, file.input))
    }

    /// Restores a file.
    ///
    /// # Errors
    /// Fails if the file violates its format, and returns the method's errors.
    pub fn restore_file(&self, model: &Model, bytes: &[u8]) -> Result<(Vec<u8>, RestoredFile)> {
        let (format, note, _) = self.open(bytes)?;
        let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 16);
        let input = Input::new(self.file_name(), bytes)?;
        let mut restored = model.restore_file(input, &self.request(format), &mut out)?;
        restored.notes.splice(..0, note);
        Ok((out, restored))
    }

    /// Returns the report on a restored file; `named` returns the name of an option in the language of the caller.
    pub fn report(&self, restored: &RestoredFile, named: fn(&str) -> String) -> FileReport {
        FileReport {
            format: restored.format.name_of(),
            language: Some(restored.language.clone()),
            encoding: Some(restored.encoding.name()),
            notes: restored.notes.iter().map(|note| note.worded(self.file_name(), named)).collect(),
        }
    }

    /// Returns the request for a file of a format. If punctuation is inserted and the caller does not specify which
    /// pauses end sentences, the usual pauses of the format do.
    fn request(&self, format: Format) -> FileRequest {
        let request = self.request.clone().format(format);
        if self.has_pauses || request.options.marks.is_empty() {
            return request;
        }
        let options = request.options.clone().pause_ends(format.sentence_pause());
        request.options(options)
    }
}

/// What became of a file.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn read(json: &str) -> Result<CallOptions> {
        let mut given = GivenOptions::read(json.as_bytes(), |name| name.replace('-', "_"))?;
        let options = CallOptions::read(&mut given)?;
        given.finish()?;
        Ok(options)
    }

    #[test]
    fn pauses_of_the_format_end_sentences_unless_the_caller_says_which_do() {
        let pause = |json| read(json).unwrap().request(Format::Srt).options.pause_ends;
        assert_eq!(pause("{}"), None);
        assert_eq!(pause(r#"{"marks": true}"#), Some(Duration::from_secs(2)));
        assert_eq!(pause(r#"{"marks": true, "pause_ends": 0.5}"#), Some(Duration::from_millis(500)));
        assert_eq!(pause(r#"{"marks": true, "pause_ends": "never"}"#), None);
    }

    #[test]
    fn an_option_that_does_not_exist_names_the_nearest() {
        let wrong = |json| read(json).unwrap_err().to_string();
        assert_eq!(wrong(r#"{"mark": true}"#), "there is no option \"mark\": did you mean \"marks\"?");
        assert!(wrong(r#"{"colour": 1}"#).contains("expected one of"), "{}", wrong(r#"{"colour": 1}"#));
        assert_eq!(wrong(r#"{"lang": 7}"#), "`lang` 7: expected a string");
        assert!(wrong("[]").contains("are not a JSON object"), "{}", wrong("[]"));
        assert_eq!(
            read(r#"{"words": ["iPhone", "McX"]}"#).unwrap().request.words,
            Some(("spellings".to_owned(), b"iPhone\nMcX".to_vec()))
        );
    }
}
