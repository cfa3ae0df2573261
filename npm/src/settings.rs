//! The options of calls, from JSON.

use std::num::NonZeroUsize;
use std::time::Duration;

use majuscule::error::{Error, Result, option};
use majuscule::named::{NamedValue, nearest};
use majuscule::{Encoding, Format, OutputForm, RestoreOptions, WantedMarks};
use serde_json::{Map, Value};

use crate::failure::option_name;

/// The options of the calls that restore.
#[derive(Debug, Default)]
pub struct Settings {
    pub options: RestoreOptions,
    /// The user's own spellings, one per line.
    pub words: Option<String>,
    /// How a file is read.
    pub file: FileSettings,
}

/// The options that only files have.
#[derive(Debug, Default)]
pub struct FileSettings {
    pub name: Option<String>,
    pub format: Format,
    pub encoding: Option<Encoding>,
}

/// Options as JSON, of which each is taken once.
pub struct GivenOptions(Map<String, Value>);

impl GivenOptions {
    /// Reads an object.
    ///
    /// # Errors
    /// Fails if the bytes are not one.
    pub fn read(json: &[u8]) -> Result<Self> {
        match serde_json::from_slice(json) {
            Ok(Value::Object(values)) => Ok(Self(values)),
            _ => Err(Error::usage("the options are not an object")),
        }
    }

    /// Takes an option, which has the program's name; `None` if it is not given.
    fn take<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>> {
        match self.0.remove(&option_name(name)) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match read(&value) {
                Some(read) => Ok(Some(read)),
                None => Err(Error::usage(format!("{} {value}: expected {expected}", option(name)))),
            },
        }
    }

    /// Takes a text.
    pub fn text(&mut self, name: &str) -> Result<Option<String>> {
        self.take(name, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// Takes a text that is parsed.
    pub fn parsed<T: std::str::FromStr<Err = Error>>(&mut self, name: &str) -> Result<Option<T>> {
        self.text(name)?.map(|text| text.parse()).transpose()
    }

    /// Takes an encoding.
    pub fn encoding(&mut self) -> Result<Option<Encoding>> {
        let parse = |name: String| {
            name.parse().map_err(|problem: String| Error::usage(format!("{}: {problem}", option("encoding"))))
        };
        self.text("encoding")?.map(parse).transpose()
    }

    /// Takes one of the values with names.
    pub fn named<T: NamedValue>(&mut self, name: &str) -> Result<Option<T>> {
        let names: Vec<&str> = T::VALUES.iter().map(|(_, name, _)| *name).collect();
        self.take(name, &format!("one of {}", names.join(", ")), |value| T::of_name(value.as_str()?))
    }

    /// Takes true or false.
    pub fn flag(&mut self, name: &str) -> Result<bool> {
        Ok(self.take(name, "true or false", Value::as_bool)?.unwrap_or_default())
    }

    /// Takes a whole number from `least` on.
    pub fn number(&mut self, name: &str, least: usize) -> Result<Option<usize>> {
        let read = |value: &Value| usize::try_from(value.as_u64()?).ok().filter(|number| *number >= least);
        self.take(name, &format!("a whole number from {least}"), read)
    }

    /// Takes a number from `least` to `most`, which `expected` describes.
    pub fn fraction(&mut self, name: &str, [least, most]: [f64; 2], expected: &str) -> Result<Option<f64>> {
        self.take(name, expected, |value| value.as_f64().filter(|number| (least..=most).contains(number)))
    }

    fn probability(&mut self, name: &str) -> Result<Option<f32>> {
        Ok(self.fraction(name, [0.0, 1.0], "a probability from 0 to 1")?.map(|found| found as f32))
    }

    /// Takes the marks to insert: `true` is "auto".
    fn marks(&mut self) -> Result<WantedMarks> {
        let value = self.take(
            "marks",
            "true, false, \"auto\", \"all\" or marks such as \".,?\"",
            |value| match value {
                Value::Bool(true) => Some(Ok(WantedMarks::AUTO)),
                Value::Bool(false) => Some(Ok(WantedMarks::default())),
                Value::String(named) => Some(named.parse()),
                _ => None,
            },
        )?;
        value.unwrap_or_else(|| Ok(WantedMarks::default()))
    }

    /// Takes a list of texts as lines.
    fn lines(&mut self, name: &str) -> Result<Option<String>> {
        self.take(name, "a list of strings", |value| {
            let texts: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
            Some(texts?.join("\n"))
        })
    }

    /// Refuses what is left: options that there are not.
    ///
    /// # Errors
    /// Fails if an option is left; `known` are those that there are.
    pub fn finish(self, known: &[&str]) -> Result<()> {
        let Some(name) = self.0.keys().next() else { return Ok(()) };
        let known: Vec<String> = known.iter().map(|name| option_name(name)).collect();
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("expected one of {}", known.join(", ")),
        };
        Err(Error::usage(format!("there is no option \"{name}\": {hint}")))
    }
}

/// The options of the calls that restore.
const RESTORE: [&str; 15] = [
    "marks",
    "words",
    "case",
    "sentence-start",
    "capitals",
    "context",
    "lang",
    "locale",
    "look-ahead",
    "lossy",
    "mark-threshold",
    "pause-ends",
    "predictions",
    "style",
    "threshold",
];

/// The options that only files have.
const FILE: [&str; 5] = ["format", "name", "encoding", "field", "lines"];

impl Settings {
    /// Reads the options of the calls that restore.
    ///
    /// # Errors
    /// Fails if a value is not one, or an option is not known.
    pub fn read(json: &[u8]) -> Result<Self> {
        let mut values = GivenOptions::read(json)?;
        let WantedMarks { marks, places } = values.marks()?;
        let seconds = values.fraction("pause-ends", [0.001, 3600.0], "seconds from 0.001 to 3600")?;
        let lines = values.take("lines", "one of same, sentence", |value| match value.as_str()? {
            "same" => Some(OutputForm::Text),
            "sentence" => Some(OutputForm::Sentences),
            _ => None,
        })?;
        let options = RestoreOptions::default()
            .marks(marks)
            .mark_places(places)
            .in_language(values.text("lang")?)
            .in_locale(values.parsed("locale")?)
            .capitalized(values.named("case")?.unwrap_or_default())
            .sentence_start(values.named("sentence-start")?.unwrap_or_default())
            .capitals(values.named("capitals")?.unwrap_or_default())
            .style(values.parsed("style")?.unwrap_or_default())
            .context(values.named("context")?.unwrap_or_default())
            .lossy(values.flag("lossy")?)
            .look_ahead(values.number("look-ahead", 0)?)
            .predictions(
                values.number("predictions", 1)?.and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN),
            )
            .threshold(values.probability("threshold")?)
            .mark_threshold(values.probability("mark-threshold")?)
            .pause_ends(seconds.map(Duration::from_secs_f64))
            .field(values.text("field")?)
            .form(lines.unwrap_or_default());
        let file = FileSettings {
            name: values.text("name")?,
            format: values.named("format")?.unwrap_or_default(),
            encoding: values.encoding()?,
        };
        let words = values.lines("words")?;
        values.finish(&[&RESTORE[..], &FILE].concat())?;
        Ok(Self { options, words, file })
    }
}
