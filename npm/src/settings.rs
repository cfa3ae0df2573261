//! The options of calls, from JSON.

use majuscule::{Door, Encoding, Format, RestoreOptions, UserOption};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::named::{NamedValue, nearest};
use serde_json::{Map, Value};

#[cfg(feature = "all")]
use crate::conversion::{OUTPUT, output};
use crate::failure::option_name;

/// The options of the calls that restore.
#[derive(Debug, Default)]
pub struct Settings {
    pub options: RestoreOptions,
    /// The user's own spellings, one per line.
    pub words: Option<String>,
    /// The options of reading a file.
    pub file: FileSettings,
}

/// The options that only files have.
#[derive(Debug, Default)]
pub struct FileSettings {
    pub name: Option<String>,
    pub format: Format,
    pub encoding: Option<Encoding>,
    #[cfg(feature = "all")]
    pub output: majuscule_convert::Conversion,
}

/// Options as JSON, each read once.
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

    /// Removes and returns an option, which has the program's name; `None` if it is not given.
    pub fn take<T>(
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

    /// Removes and returns a text.
    pub fn text(&mut self, name: &str) -> Result<Option<String>> {
        self.take(name, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// Removes and returns an encoding.
    pub fn encoding(&mut self) -> Result<Option<Encoding>> {
        let parse = |name: String| {
            name.parse().map_err(|problem: String| Error::usage(format!("{}: {problem}", option("encoding"))))
        };
        self.text("encoding")?.map(parse).transpose()
    }

    /// Removes and returns one of the values with names.
    pub fn named<T: NamedValue>(&mut self, name: &str) -> Result<Option<T>> {
        let names: Vec<&str> = T::VALUES.iter().map(|(_, name, _)| *name).collect();
        self.take(name, &format!("one of {}", names.join(", ")), |value| T::of_name(value.as_str()?))
    }

    /// Removes an option of restoring and sets it in `options`.
    fn set(&mut self, wanted: &UserOption, options: &mut RestoreOptions) -> Result<()> {
        let Some(value) = self.0.remove(&option_name(wanted.name)).filter(|value| !value.is_null()) else {
            return Ok(());
        };
        wanted.set_to(options, &value)
    }

    /// Removes and returns a list of texts as lines.
    fn lines(&mut self, name: &str) -> Result<Option<String>> {
        self.take(name, "a list of strings", |value| {
            let texts: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
            Some(texts?.join("\n"))
        })
    }

    /// Refuses the remaining options, which do not exist.
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

/// The options of the output: this core keeps the format.
#[cfg(not(feature = "all"))]
const OUTPUT: [&str; 0] = [];

/// The options of calls that restore, other than those of the library.
const OTHERS: [&str; 6] = ["spellings", "words", "lang", "format", "name", "encoding"];

impl Settings {
    /// Reads the options of the calls that restore.
    ///
    /// # Errors
    /// Fails if a value is not one, or an option is not known.
    pub fn read(json: &[u8]) -> Result<Self> {
        let mut values = GivenOptions::read(json)?;
        let mut options = RestoreOptions::default().in_language(values.text("lang")?);
        for option in UserOption::at(Door::JavaScript) {
            values.set(option, &mut options)?;
        }
        let file = FileSettings {
            name: values.text("name")?,
            format: values.named("format")?.unwrap_or_default(),
            encoding: values.encoding()?,
            #[cfg(feature = "all")]
            output: output(&mut values)?,
        };
        #[cfg(not(feature = "all"))]
        if values.text("to")?.is_some() {
            return Err(crate::failure::left_out("does not convert files"));
        }
        let (spellings, words) = (values.lines("spellings")?, values.lines("words")?);
        let words = spellings.or(words);
        let known: Vec<&str> =
            UserOption::at(Door::JavaScript).map(|option| option.name).chain(OTHERS).chain(OUTPUT).collect();
        values.finish(&known)?;
        Ok(Self { options, words, file })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use majuscule::{LANGUAGES, OptionKind};

    use super::*;

    /// The options that have a meaning in files alone.
    const OF_FILES: [&str; 3] = ["field", "lines", "pause-ends"];

    /// Returns the type of the values of an option in TypeScript.
    fn type_of(values: OptionKind) -> String {
        match values {
            OptionKind::Flag => "boolean".to_owned(),
            OptionKind::Text(_) | OptionKind::Choices(_) => "string".to_owned(),
            OptionKind::Count(_) | OptionKind::Probability => "number".to_owned(),
            OptionKind::Seconds => "number | \"never\"".to_owned(),
            OptionKind::Choice(names, _) => {
                names().iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(" | ")
            }
            OptionKind::Marks => "boolean | string".to_owned(),
        }
    }

    /// Returns the declarations of the options, of files or of all texts.
    fn declared(of_files: bool) -> String {
        let options =
            UserOption::at(Door::JavaScript).filter(|option| OF_FILES.contains(&option.name) == of_files);
        let declare = |option: &UserOption| {
            let (name, values) = (option_name(option.name), type_of(option.kind));
            format!("  /** {}. */\n  {name}?: {values};\n", option.summary())
        };
        options.map(declare).collect()
    }

    /// The options, languages and formats of `index.d.ts` are the library's. `MAJUSCULE_BLESS=1 cargo test` rewrites
    /// them.
    #[test]
    fn the_types_have_the_options_of_the_library() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/index.d.ts");
        let found = fs::read_to_string(path).unwrap();
        let mut written = found.clone();
        for of_files in [false, true] {
            let [begin, end] = ["begin", "end"].map(|place| match of_files {
                true => format!("  // Options of files: {place}\n"),
                false => format!("  // Options: {place}\n"),
            });
            let (before, rest) = written.split_once(&begin).unwrap();
            let (_, after) = rest.split_once(&end).unwrap();
            written = format!("{before}{begin}{}{end}{after}", declared(of_files));
        }
        let formats = Format::VALUES.iter().map(|(_, name, _)| *name).collect();
        for (name, values) in [("Language", LANGUAGES.to_vec()), ("Format", formats)] {
            let begin = format!("export type {name} =");
            let (before, rest) = written.split_once(&begin).unwrap();
            let (_, after) = rest.split_once(";\n").unwrap();
            let values = values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(" | ");
            written = format!("{before}{begin} {values};\n{after}");
        }
        if std::env::var_os("MAJUSCULE_BLESS").is_some() {
            fs::write(path, &written).unwrap();
        } else {
            assert_eq!(found, written, "MAJUSCULE_BLESS=1 cargo test writes the options anew");
        }
    }
}
