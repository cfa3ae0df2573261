//! The options of calls, from JSON.

use majuscule_base::error::Result;
use majuscule_restore::{CallOptions, GivenOptions};

use crate::failure::option_name;

/// The options of the calls that restore.
#[derive(Debug, Default)]
pub struct Settings {
    pub call: CallOptions,
    /// The form of the output of a file.
    #[cfg(feature = "all")]
    pub output: majuscule_convert::Conversion,
}

impl Settings {
    /// Reads the options of the calls that restore.
    ///
    /// # Errors
    /// Fails if a value is not valid for its option, or if an option is not known.
    pub fn read(json: &[u8]) -> Result<Self> {
        let mut given = GivenOptions::read(json, option_name)?;
        let read = Self {
            call: CallOptions::read(&mut given)?,
            #[cfg(feature = "all")]
            output: given.set(majuscule_convert::Conversion::default())?,
        };
        #[cfg(not(feature = "all"))]
        if given.text("to")?.is_some() {
            return Err(crate::failure::left_out("does not convert files"));
        }
        given.finish()?;
        Ok(read)
    }
}

#[cfg(all(test, feature = "all"))]
mod tests {
    use std::fs;

    use majuscule::{Format, LANGUAGES, RestoreOptions};
    use majuscule_base::named::NamedValue;
    use majuscule_convert::Conversion;
    use majuscule_text::{Door, OptionKind, UserOption, UserSettings};

    use super::*;

    /// The options that have a meaning in files alone.
    const OF_FILES: [&str; 3] = ["field", "lines", "pause-ends"];

    /// Returns the type of the values of an option in TypeScript.
    fn type_of(values: OptionKind) -> String {
        match values {
            OptionKind::Flag => "boolean".to_owned(),
            OptionKind::Text(_) | OptionKind::Choices(_) => "string".to_owned(),
            OptionKind::Count(_) | OptionKind::Number(_) | OptionKind::Probability => "number".to_owned(),
            OptionKind::Seconds => "number | \"never\"".to_owned(),
            OptionKind::Choice(names, _) => {
                names().iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(" | ")
            }
            OptionKind::Marks => "boolean | string".to_owned(),
        }
    }

    /// Returns the declarations of some options.
    fn declared<S: UserSettings>(are_wanted: impl Fn(&str) -> bool) -> String {
        let options = UserOption::<S>::at(Door::JavaScript).filter(|option| are_wanted(option.name));
        let declare = |option: &UserOption<S>| {
            let values = if option.name == "to" { "Format".to_owned() } else { type_of(option.kind) };
            format!("  /** {}. */\n  {}?: {values};\n", option.summary(), option_name(option.name))
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
        for (place, declared) in [
            ("Options", declared::<RestoreOptions>(|name| !OF_FILES.contains(&name))),
            ("Options of files", declared::<RestoreOptions>(|name| OF_FILES.contains(&name))),
            ("Options of the output", declared::<Conversion>(|_| true)),
        ] {
            let [begin, end] = ["begin", "end"].map(|side| format!("  // {place}: {side}\n"));
            let (before, rest) = written.split_once(&begin).unwrap();
            let (_, after) = rest.split_once(&end).unwrap();
            written = format!("{before}{begin}{declared}{end}{after}");
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
