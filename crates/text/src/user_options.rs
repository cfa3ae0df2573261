//! The options that a person may set, each declared once: its name, its help, its values, where it can be given and
//! what it sets. The other settings, such as limits and threads, are the program's own.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

use super::house_style::StyleRule;
use super::mark::MarkForm;
use super::options::{CapitalBalance, Context, OutputForm, RestoreOptions, SentenceStart, WantedMarks};
use super::source_capitals::Capitalized;
use majuscule_base::error::{Error, option};
use majuscule_base::named::{NamedValue, no_option};

/// An option of settings `S` that a person may set.
#[derive(Debug)]
pub struct UserOption<S = RestoreOptions> {
    /// The name, with hyphens between its words.
    pub name: &'static str,
    /// The effect of the option: one paragraph, and further paragraphs that only the help of the program shows.
    pub help: &'static str,
    /// The kind of its values.
    pub kind: OptionKind,
    /// The doors where it can be given.
    pub doors: &'static [Door],
    /// Sets the option.
    pub set: fn(&mut S, &OptionValue) -> Result<(), WrongValue>,
}

/// Settings with options that a person may set.
pub trait UserSettings: Default + 'static {
    /// The options, in the order of help.
    const OPTIONS: &'static [UserOption<Self>];

    /// Returns the heading of an option in help, if it has a separate one.
    fn heading(_: &UserOption<Self>) -> Option<&'static str> {
        None
    }
}

impl RestoreOptions {
    /// Sets an option by its name and the text of its value, as on the command line: `sentence-start`, `always`.
    ///
    /// # Errors
    /// Fails if there is no option of this name, or if the value does not fit.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), Error> {
        let Some(wanted) = UserOption::<Self>::named(Program, name) else {
            let known: Vec<&str> = UserOption::<Self>::at(Program).map(|option| option.name).collect();
            return Err(no_option(name, &known));
        };
        (wanted.set)(self, &wanted.read(text)).map_err(|wrong| wanted.error(text, wrong))
    }
}

impl UserSettings for RestoreOptions {
    const OPTIONS: &'static [UserOption] = &USER_OPTIONS;
}

/// A place where people give options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// The command line.
    Program,
    /// A request over HTTP.
    Service,
    /// A call in JavaScript.
    JavaScript,
    /// A call in Python.
    Python,
}

/// The kind of the values of an option.
#[derive(Debug, Clone, Copy)]
pub enum OptionKind {
    /// True or false.
    Flag,
    /// A text, with the name of its value in help.
    Text(&'static str),
    /// A whole number, with its smallest value.
    Count(usize),
    /// A number from 0 to 1.
    Probability,
    /// A number of seconds, or `never`.
    Seconds,
    /// A number, with the name of its value in help.
    Number(&'static str),
    /// One of the named values, each with a line of help.
    Choice(fn() -> Vec<(&'static str, &'static str)>, Option<&'static str>),
    /// Some of the named values.
    Choices(fn() -> Vec<(&'static str, &'static str)>),
    /// Punctuation marks, or where they are inserted.
    Marks,
}

/// A value that is given to an option.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// True or false.
    Flag(bool),
    /// A whole number from 0.
    Count(usize),
    /// Any other number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
}

/// The reason why a value does not fit an option.
#[derive(Debug)]
pub enum WrongValue {
    /// The value is none of the values of the option.
    Unexpected,
    /// The text of the value has a mistake.
    Text(Error),
}

use Door::{JavaScript, Program, Python, Service};

/// Every door.
pub const EVERYWHERE: &[Door] = &[Program, Service, JavaScript, Python];
const NOT_IN_REQUESTS: &[Door] = &[Program, JavaScript, Python];

/// The lengths of a pause, in seconds, that an option accepts.
const PAUSES: RangeInclusive<f64> = 0.001..=3600.0;

/// The options for restoring text, in the order in which help lists them.
const USER_OPTIONS: [UserOption; 19] = [
    UserOption {
        name: "field",
        help: "Field of jsonl, or column of tsv or csv, that holds the text (text by default; result.text names a nested \
               field of jsonl); number of the conll column that holds the words, or of the column of a table without a \
               header",
        kind: OptionKind::Text("NAME"),
        doors: &[Program, JavaScript],
        set: |options, value| set(&mut options.field, value.text().map(Some)),
    },
    UserOption {
        name: "context",
        help: "Extent of one text: words of one text influence each other, words of two texts never do. With line, no \
               line or record waits for the next one",
        kind: OptionKind::Choice(choices::<Context>, Some("auto")),
        doors: NOT_IN_REQUESTS,
        set: |options, value| set(&mut options.context, value.named()),
    },
    UserOption {
        name: "group",
        help: "Field of jsonl (call, or meta.call for a nested field) that groups records: consecutive records with the \
               same value form one text",
        kind: OptionKind::Text("FIELD"),
        doors: &[Program],
        set: |options, value| set(&mut options.group, value.text().map(Some)),
    },
    UserOption {
        name: "case",
        help: "Capitals of the input to keep: auto by default, but ignore for live text, which cannot wait for the whole \
               line that auto examines",
        kind: OptionKind::Choice(choices::<Capitalized>, None),
        doors: EVERYWHERE,
        set: |options, value| set(&mut options.capitalized, value.named()),
    },
    UserOption {
        name: "sentence-start",
        help: "Sentence starts that get a capital",
        kind: OptionKind::Choice(choices::<SentenceStart>, Some("auto")),
        doors: EVERYWHERE,
        set: |options, value| set(&mut options.sentence_start, value.named()),
    },
    UserOption {
        name: "capitals",
        help: "Balance between missing and superfluous capitals, for maxent and networks",
        kind: OptionKind::Choice(choices::<CapitalBalance>, Some("balanced")),
        doors: EVERYWHERE,
        set: |options, value| set(&mut options.capitals, value.named()),
    },
    UserOption {
        name: "style",
        help: "Rules of a house style, with commas between them",
        kind: OptionKind::Choices(choices::<StyleRule>),
        doors: EVERYWHERE,
        set: |options, value| set(&mut options.style, value.parsed()),
    },
    UserOption {
        name: "marks",
        help: "Insert commas, full stops and question marks where the text has no punctuation; all inserts them \
               everywhere, and a list such as .,?!:;-… inserts these marks everywhere\n\n\
               By default (auto), a line or cue with punctuation is left as it is, and so is one without any between \
               lines that have some. Live text does not wait for whole lines: its default is all. Existing punctuation \
               and capitals stay, so restoring a text twice changes nothing the second time. The model must have been \
               trained with punctuation (train maxent --marks). Each word waits for the next one, since the input may \
               have a mark between them.",
        kind: OptionKind::Marks,
        doors: EVERYWHERE,
        set: |options, value| {
            let wanted = match value {
                OptionValue::Flag(true) => WantedMarks::AUTO,
                OptionValue::Flag(false) => WantedMarks::default(),
                OptionValue::Text(text) => match text.as_str() {
                    "none" | "false" => WantedMarks::default(),
                    "true" => WantedMarks::AUTO,
                    marks => marks.parse()?,
                },
                _ => return Err(WrongValue::Unexpected),
            };
            (options.marks, options.mark_places) = (wanted.marks, wanted.places);
            Ok(())
        },
    },
    UserOption {
        name: "mark-form",
        help: "Form of punctuation marks: by default as the language writes them (with spaces in French), but apart in \
               tok and joined in ctm, stm, trn and nlp. With apart, marks in ctm and conll get rows of their own",
        kind: OptionKind::Choice(choices::<MarkForm>, None),
        doors: EVERYWHERE,
        set: |options, value| set(&mut options.mark_form, value.named().map(Some)),
    },
    UserOption {
        name: "mark-threshold",
        help: "Insert only punctuation marks of at least probability P (0 to 1); by default, the model decides by the \
               costs it was trained with. With P, hmm and ngram use at most 8 later words",
        kind: OptionKind::Probability,
        doors: EVERYWHERE,
        set: |options, value| set(&mut options.mark_threshold, value.probability().map(Some)),
    },
    UserOption {
        name: "pause-ends",
        help: "End a sentence at each pause of at least this many seconds between the words of ctm, the segments of stm \
               and whisper-json, or the cues of srt, vtt and ass\n\n\
               With punctuation, pauses of 2 seconds end a sentence by default; never turns this off.",
        kind: OptionKind::Seconds,
        doors: NOT_IN_REQUESTS,
        set: |options, value| set(&mut options.pause_ends, value.pause()),
    },
    UserOption {
        name: "lines",
        help: "Lines of the output: the lines of the input, or for plain text one sentence or one paragraph per line",
        kind: OptionKind::Choice(choices::<OutputLines>, Some("same")),
        doors: &[Program, JavaScript],
        set: |options, value| {
            options.form = match value.named()? {
                OutputLines::Same => OutputForm::Text,
                OutputLines::Sentence => OutputForm::Sentences,
                OutputLines::Paragraph => OutputForm::Paragraphs,
            };
            Ok(())
        },
    },
    UserOption {
        name: "locale",
        help: "Language whose case mappings are used, such as tr or nl; by default the model's language",
        kind: OptionKind::Text("LANG"),
        doors: NOT_IN_REQUESTS,
        set: |options, value| set(&mut options.locale, value.parsed().map(Some)),
    },
    UserOption {
        name: "look-ahead",
        help: "Number of later words that a choice may depend on, which live text then waits for; 0 means no later \
               words. By default all the context that the method uses, and 1 for live text",
        kind: OptionKind::Count(0),
        doors: EVERYWHERE,
        set: |options, value| set(&mut options.look_ahead, value.count(0).map(Some)),
    },
    UserOption {
        name: "threshold",
        help: "Leave a word as it is in the input if its case has a probability below P (0 to 1). The user's own \
               spellings, capitals that are kept and sentence starts count as certain",
        kind: OptionKind::Probability,
        doors: EVERYWHERE,
        set: |options, value| set(&mut options.threshold, value.probability().map(Some)),
    },
    UserOption {
        name: "lossy",
        help: "Copy unreadable parts (bytes that are not UTF-8, parts of a file that are not in its format) unchanged, \
               instead of stopping there",
        kind: OptionKind::Flag,
        doors: EVERYWHERE,
        set: |options, value| set(&mut options.lossy, value.flag()),
    },
    UserOption {
        name: "before",
        help: "Text before the text, as at the cursor of an editor: it is context, and the text goes on in its last \
               sentence. A space is inserted if one is missing",
        kind: OptionKind::Text("STRING"),
        doors: EVERYWHERE,
        set: |options, value| {
            options.around.get_or_insert_default().set_before(&value.text()?);
            Ok(())
        },
    },
    UserOption {
        name: "after",
        help: "Text after the text, as at the cursor of an editor: it is context, and no sentence ends before its \
               small letters",
        kind: OptionKind::Text("STRING"),
        doors: EVERYWHERE,
        set: |options, value| {
            options.around.get_or_insert_default().set_after(&value.text()?);
            Ok(())
        },
    },
    UserOption {
        name: "predictions",
        help: "Number of contexts in which each word is decided",
        kind: OptionKind::Count(1),
        // The program passes this number to models that average; for other models it sets the windows.
        doors: &[JavaScript, Python],
        set: |options, value| {
            options.predictions = NonZeroUsize::new(value.count(1)?).ok_or(WrongValue::Unexpected)?;
            Ok(())
        },
    },
];

/// The lines of the output, as an option names them.
#[derive(Debug, Clone, Copy, PartialEq)]
enum OutputLines {
    Same,
    Sentence,
    Paragraph,
}

impl NamedValue for OutputLines {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Same, "same", "The lines of the input"),
        (Self::Sentence, "sentence", "One sentence per line; empty lines stay"),
        (
            Self::Paragraph,
            "paragraph",
            "One paragraph per line, with empty lines between them; empty lines stay",
        ),
    ];
}

impl OptionKind {
    /// Returns true if the values are texts.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text(_) | Self::Choice(..) | Self::Choices(_) | Self::Marks)
    }
}

/// Returns the names of a setting's values, each with a line of help.
pub fn choices<T: NamedValue>() -> Vec<(&'static str, &'static str)> {
    T::VALUES.iter().map(|(_, name, help)| (*name, *help)).collect()
}

/// Sets one option to a value that was read.
///
/// # Errors
/// Fails if the value does not fit.
pub fn set<T>(place: &mut T, found: Result<T, WrongValue>) -> Result<(), WrongValue> {
    *place = found?;
    Ok(())
}

impl<S: UserSettings> UserOption<S> {
    /// Returns the options that can be given at a door.
    pub fn at(door: Door) -> impl Iterator<Item = &'static Self> {
        S::OPTIONS.iter().filter(move |option| option.doors.contains(&door))
    }

    /// Returns the option with this name at a door.
    pub fn named(door: Door, name: &str) -> Option<&'static Self> {
        Self::at(door).find(|option| option.name == name)
    }
}

impl<S> UserOption<S> {
    /// Returns the name with underscores between its words, as the fields of requests and of programs have it.
    pub fn field(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Returns the first paragraph of the help.
    pub fn summary(&self) -> &'static str {
        self.help.split_once("\n\n").map_or(self.help, |(summary, _)| summary)
    }

    /// Sets the option to a value that comes from another program, such as a JSON value.
    ///
    /// # Errors
    /// Fails if the value does not fit.
    pub fn set_to<'v, V>(&self, settings: &mut S, value: V) -> Result<(), Error>
    where
        V: Deserializer<'v> + Display + Copy,
    {
        let given = OptionValue::deserialize(value).map_err(|_| WrongValue::Unexpected);
        given.and_then(|given| (self.set)(settings, &given)).map_err(|wrong| self.error(value, wrong))
    }

    /// Reads a value that is given as text.
    pub fn read(&self, text: &str) -> OptionValue {
        let read = match self.kind {
            _ if self.kind.is_text() => None,
            OptionKind::Flag => text.parse().ok().map(OptionValue::Flag),
            OptionKind::Count(_) => text.parse().ok().map(OptionValue::Count),
            _ => text.parse().ok().map(OptionValue::Number),
        };
        read.unwrap_or_else(|| OptionValue::Text(text.to_owned()))
    }

    /// Returns a description of the expected values for an error message.
    pub fn expected(&self) -> String {
        match self.kind {
            OptionKind::Flag => "true or false".to_owned(),
            OptionKind::Text(_) => "a string".to_owned(),
            OptionKind::Count(least) => format!("a whole number from {least}"),
            OptionKind::Probability => "a probability from 0 to 1".to_owned(),
            OptionKind::Number(_) => "a number".to_owned(),
            OptionKind::Seconds => {
                format!("seconds from {} to {}, such as 1.5, or never", PAUSES.start(), PAUSES.end())
            }
            OptionKind::Choice(names, _) => format!("one of {}", listed(names)),
            OptionKind::Choices(names) => {
                format!("one or more of {}, with commas between them", listed(names))
            }
            OptionKind::Marks => "true, false, \"auto\", \"all\" or marks such as \".,?\"".to_owned(),
        }
    }

    /// Returns the error for a value that does not fit.
    pub fn error(&self, found: impl Display, wrong: WrongValue) -> Error {
        match wrong {
            WrongValue::Unexpected => {
                Error::usage(format!("{} {found}: expected {}", option(self.name), self.expected()))
            }
            WrongValue::Text(error) => error,
        }
    }
}

/// Returns the names, with commas between them.
fn listed(names: fn() -> Vec<(&'static str, &'static str)>) -> String {
    names().into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}

impl From<Error> for WrongValue {
    fn from(error: Error) -> Self {
        Self::Text(error)
    }
}

impl OptionValue {
    /// Reads true or false.
    ///
    /// # Errors
    /// Fails if it is another value.
    pub fn flag(&self) -> Result<bool, WrongValue> {
        match self {
            Self::Flag(flag) => Ok(*flag),
            _ => Err(WrongValue::Unexpected),
        }
    }

    /// Reads a text; several texts are joined with commas.
    ///
    /// # Errors
    /// Fails if it is another value.
    pub fn text(&self) -> Result<String, WrongValue> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            Self::Texts(texts) => Ok(texts.join(",")),
            _ => Err(WrongValue::Unexpected),
        }
    }

    /// Reads a text and parses it.
    ///
    /// # Errors
    /// Fails if it is another value.
    pub fn parsed<T: FromStr<Err = Error>>(&self) -> Result<T, WrongValue> {
        Ok(self.text()?.parse()?)
    }

    /// Reads one of the named values.
    ///
    /// # Errors
    /// Fails if it is another value.
    pub fn named<T: NamedValue>(&self) -> Result<T, WrongValue> {
        T::of_name(&self.text()?).ok_or(WrongValue::Unexpected)
    }

    /// Reads a number in a range.
    ///
    /// # Errors
    /// Fails if it is another value.
    pub fn number(&self, range: RangeInclusive<f64>) -> Result<f64, WrongValue> {
        let number = match *self {
            Self::Count(count) => count as f64,
            Self::Number(number) => number,
            _ => return Err(WrongValue::Unexpected),
        };
        if range.contains(&number) { Ok(number) } else { Err(WrongValue::Unexpected) }
    }

    /// Reads a whole number of at least `least`.
    ///
    /// # Errors
    /// Fails if it is another value.
    pub fn count(&self, least: usize) -> Result<usize, WrongValue> {
        match *self {
            Self::Count(count) if count >= least => Ok(count),
            // JSON has one kind of number: 2.0 is a whole one.
            Self::Number(number)
                if number.fract() == 0.0 && (least as f64..=u32::MAX.into()).contains(&number) =>
            {
                Ok(number as usize)
            }
            _ => Err(WrongValue::Unexpected),
        }
    }

    fn probability(&self) -> Result<f32, WrongValue> {
        Ok(self.number(0.0..=1.0)? as f32)
    }

    /// Reads the shortest pause that ends a sentence; `None` if no pause does.
    fn pause(&self) -> Result<Option<Duration>, WrongValue> {
        match self {
            Self::Text(text) if text == "never" => Ok(None),
            _ => Ok(Some(Duration::from_secs_f64(self.number(PAUSES)?))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets one option, and returns the options as text.
    fn set_to(wanted: &UserOption, value: &OptionValue) -> Result<String, WrongValue> {
        let mut options = RestoreOptions::default();
        (wanted.set)(&mut options, value)?;
        Ok(format!("{options:?}"))
    }

    /// A value that an option accepts and that is not its default.
    fn sample(wanted: &UserOption) -> OptionValue {
        let text = match wanted.kind {
            OptionKind::Flag => "true".to_owned(),
            OptionKind::Text(_) => "tr".to_owned(),
            OptionKind::Count(least) => (least + 1).to_string(),
            OptionKind::Probability | OptionKind::Seconds | OptionKind::Number(_) => "0.5".to_owned(),
            OptionKind::Choice(names, _) | OptionKind::Choices(names) => {
                names().last().map_or_else(String::new, |(name, _)| (*name).to_owned())
            }
            OptionKind::Marks => ".,".to_owned(),
        };
        wanted.read(&text)
    }

    #[test]
    fn every_option_changes_what_it_names_and_a_default_changes_nothing() {
        let untouched = format!("{:?}", RestoreOptions::default());
        for wanted in &USER_OPTIONS {
            let set = set_to(wanted, &sample(wanted)).unwrap();
            assert_ne!(set, untouched, "{}", wanted.name);
            if let OptionKind::Choice(_, Some(default)) = wanted.kind {
                assert_eq!(set_to(wanted, &wanted.read(default)).unwrap(), untouched, "{}", wanted.name);
            }
        }
    }

    #[test]
    fn a_value_of_another_kind_is_refused_and_the_error_says_what_is_expected() {
        for wanted in &USER_OPTIONS {
            let other = match wanted.kind.is_text() {
                true => OptionValue::Number(7.0),
                false => OptionValue::Text("seven".to_owned()),
            };
            assert!(matches!(set_to(wanted, &other), Err(WrongValue::Unexpected)), "{}", wanted.name);
        }
        for (name, text, expected) in [
            ("threshold", "1.5", "`threshold` 1.5: expected a probability from 0 to 1"),
            ("predictions", "0", "`predictions` 0: expected a whole number from 1"),
            ("look-ahead", "0.5", "`look-ahead` 0.5: expected a whole number from 0"),
            ("look-ahead", "1e3", "`look-ahead` 1e3: expected a whole number from 0"),
            ("pause-ends", "0", "`pause-ends` 0: expected seconds from 0.001 to 3600, such as 1.5, or never"),
            ("sentence-start", "often", "`sentence-start` often: expected one of auto, always, never"),
        ] {
            let wanted = USER_OPTIONS.iter().find(|option| option.name == name).unwrap();
            let wrong = set_to(wanted, &wanted.read(text)).unwrap_err();
            assert_eq!(wanted.error(text, wrong).to_string(), expected);
        }
        let wrong = |name, text| RestoreOptions::default().set(name, text).unwrap_err().to_string();
        assert_eq!(wrong("mark", "all"), "there is no option \"mark\": did you mean \"marks\"?");
        assert!(wrong("marks", "#").contains("auto or all"), "{}", wrong("marks", "#"));
        assert!(wrong("style", "loud").contains("not a style rule"), "{}", wrong("style", "loud"));
    }

    #[test]
    fn an_option_has_one_name_and_is_known_where_it_can_be_given() {
        let mut names: Vec<&str> = USER_OPTIONS.iter().map(|option| option.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|two| two[0] != two[1]), "{names:?}");
        assert!(
            UserOption::<RestoreOptions>::named(Service, "group").is_none()
                && UserOption::<RestoreOptions>::named(Program, "group").is_some()
        );
    }
}
