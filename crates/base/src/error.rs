//! Errors, sorted by what the user can do about them.

use std::borrow::Cow;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use crate::printable::printable;

/// The result type of the crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error that says what was found, what was expected, where, and what to do.
///
/// A problem records where its text names options ([`option`]). Display puts these names in back quotes;
/// [`Error::worded`] writes them in the style of a program, as [`worded`] does for warnings and notes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the system: a file is missing, a disk is full, a pipe is closed.
    Io {
        /// The operation: "read", "write", "create", …
        verb: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// An error in an input file, which the user can correct.
    Input {
        /// The location in the file.
        location: Location,
        /// The problem: what was found, what was expected, and what to do.
        problem: Problem,
    },
    /// A model that cannot be used: the user can train it again, or name another.
    Model {
        /// The folder or name of the model.
        model: String,
        /// The problem: what was found, what was expected, and what to do.
        problem: Problem,
    },
    /// A model that is not in any of the model folders: the user can add it there, or request another model.
    NoModel {
        /// The model, such as "best of en".
        model: String,
        /// The problem with the folders, which a host may not want to show: what was expected, and what
        /// to do.
        problem: Problem,
    },
    /// A request that no data can satisfy: the user can change the arguments.
    Usage(Problem),
    /// A panic, which is a bug of majuscule or of a method: the message to report.
    Bug(String),
    /// The host stopped the work.
    Interrupted,
}

/// Runs work of majuscule for a host that must not unwind: a panic becomes an [`Error::Bug`]. After a panic, the
/// values that the work has borrowed must not be used. In a build that aborts at a panic, the process ends instead.
///
/// ```
/// use majuscule_base::error::{Error, caught};
///
/// let error = caught::<()>(|| panic!("no such state")).unwrap_err();
/// assert!(matches!(&error, Error::Bug(message) if message == "no such state"));
/// ```
///
/// # Errors
/// The errors of the work, and [`Error::Bug`].
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(message), _) => (*message).to_owned(),
            (_, Some(message)) => message.clone(),
            _ => "a panic without a message".to_owned(),
        };
        Err(Error::Bug(message))
    })
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.worded(|name| format!("`{name}`")))
    }
}

/// The text of an error: what was found, what was expected, and what to do. It marks the option names in the text,
/// so that each program can write them in its own style.
///
/// ```
/// use majuscule_base::error::{Problem, option};
///
/// let problem = Problem::from(format!("leave {} out", option("look-ahead")));
/// assert_eq!(problem.text(), "leave look-ahead out");
/// assert_eq!(problem.worded(|name| name.replace('-', "_")), "leave look_ahead out");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Problem {
    text: String,
    /// The positions of the names of options in the text.
    options: Vec<Range<usize>>,
}

impl Problem {
    /// Returns the text, with the names of options in lower case and with hyphens between words.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text with the names of options written by `name`.
    pub fn worded(&self, name: impl Fn(&str) -> String) -> String {
        let (mut worded, mut done) = (String::with_capacity(self.text.len()), 0);
        for option in &self.options {
            worded.push_str(&self.text[done..option.start]);
            worded.push_str(&name(&self.text[option.clone()]));
            done = option.end;
        }
        worded + &self.text[done..]
    }
}

impl From<String> for Problem {
    /// Reads the names of options that are marked by [`option`].
    fn from(marked: String) -> Self {
        if !marked.contains(MARKS[0]) {
            return Self { text: marked, options: Vec::new() };
        }
        let mut problem = Self::default();
        let mut parts = marked.split(MARKS[0]);
        problem.text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let start = problem.text.len();
            match part.split_once(MARKS[1]) {
                Some((option, rest)) => {
                    problem.text.push_str(option);
                    problem.options.push(start..problem.text.len());
                    problem.text.push_str(rest);
                }
                None => problem.text.push_str(part),
            }
        }
        problem
    }
}

impl From<&str> for Problem {
    fn from(marked: &str) -> Self {
        marked.to_owned().into()
    }
}

/// A location in a file, counted from 1. A column counts characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The name of the file as the user gave it; `-` for standard input.
    pub file: String,
    /// The line, if the error has one.
    pub line: Option<u64>,
    /// The column, if the error has one.
    pub column: Option<u64>,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&shown(&self.file))?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        Ok(())
    }
}

/// Returns the name of a file as the user knows it, in one line; `-` is standard input.
fn shown(file: &str) -> Cow<'_, str> {
    if file == "-" { "standard input".into() } else { printable(file) }
}

impl Error {
    /// Creates the error for a file at `path` that the system could not `verb`.
    pub fn io(verb: &'static str, path: impl AsRef<Path>, source: std::io::Error) -> Self {
        Self::Io { verb, path: path.as_ref().to_owned(), source }
    }

    /// Returns an error in arguments, which the user can change.
    pub fn usage(problem: impl Into<Problem>) -> Self {
        Self::Usage(problem.into())
    }

    /// Returns an error in a file as a whole.
    pub fn file(file: impl Into<String>, problem: impl Into<Problem>) -> Self {
        Self::Input {
            location: Location { file: file.into(), line: None, column: None },
            problem: problem.into(),
        }
    }

    /// Returns an error in one line of a file, counted from 1.
    pub fn line(file: impl Into<String>, line: u64, problem: impl Into<Problem>) -> Self {
        let location = Location { file: file.into(), line: Some(line), column: None };
        Self::Input { location, problem: problem.into() }
    }

    /// Returns an error about a model that cannot be used.
    pub fn model(model: impl Into<String>, problem: impl Into<Problem>) -> Self {
        Self::Model { model: model.into(), problem: problem.into() }
    }

    /// Returns the text of the error, with the names of options in the style of a program, such as `--lossy` on a
    /// command line.
    ///
    /// ```
    /// use majuscule_base::error::{Error, option};
    ///
    /// let error = Error::usage(format!("no model of xx: give {} FOLDER", option("model")));
    /// assert_eq!(error.worded(|name| format!("--{name}")), "no model of xx: give --model FOLDER");
    /// assert_eq!(error.to_string(), "no model of xx: give `model` FOLDER");
    /// ```
    pub fn worded(&self, name: impl Fn(&str) -> String) -> String {
        match self {
            Self::Io { verb, path, source } => {
                let path = shown(&path.to_string_lossy()).into_owned();
                format!("cannot {verb} {path}: {}", worded(&source.to_string(), name))
            }
            Self::Input { location, problem } => format!("{location}: {}", problem.worded(name)),
            Self::Model { model, problem } => format!("{}: {}", printable(model), problem.worded(name)),
            Self::NoModel { problem, .. } | Self::Usage(problem) => problem.worded(name),
            Self::Bug(message) => format!(
                "this is a bug of majuscule: please report it with the text and the options that show it ({})",
                printable(message)
            ),
            Self::Interrupted => "interrupted".to_owned(),
        }
    }

    /// Returns the text of the error as the problem of another error.
    pub fn problem(&self) -> Problem {
        self.worded(|name| option(name).to_string()).into()
    }

    /// Returns true if the error is that the reader of a pipe closed it (`| head`), which is not an error to a user.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

/// The name of an option in a problem.
#[derive(Debug, Clone, Copy)]
pub struct OptionName<'a>(&'a str);

/// Marks the name of an option for a problem; the name is in
/// lower case, with hyphens between words.
pub fn option(name: &str) -> OptionName<'_> {
    OptionName(name)
}

/// The characters around the name of an option in a text that becomes a [`Problem`]. They are control characters,
/// which no quoted text contains.
const MARKS: [char; 2] = ['\u{2}', '\u{3}'];

impl std::fmt::Display for OptionName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}{}", MARKS[0], self.0, MARKS[1])
    }
}

/// Returns a problem, warning or note in which `name` writes the marked names of options.
///
/// ```
/// use majuscule_base::error::{option, worded};
///
/// let note = format!("{} 16 keeps them", option("weight-bits"));
/// assert_eq!(worded(&note, |name| format!("--{name}")), "--weight-bits 16 keeps them");
/// ```
pub fn worded(problem: &str, name: impl Fn(&str) -> String) -> String {
    Problem::from(problem).worded(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_words_the_names_of_options() {
        let problem = format!("{} 3: leave {} out", option("order"), option("held-out"));
        let full = std::io::Error::other(problem.clone());
        assert_eq!(
            Error::io("write", "b", full).worded(|name| format!("--{name}")),
            "cannot write b: --order 3: leave --held-out out"
        );
        let errors = [
            Error::usage(problem.clone()),
            Error::file("a.txt", problem.clone()),
            Error::model("m", problem),
        ];
        let own = errors.each_ref().map(|error| error.worded(|name| name.replace('-', "_") + "="));
        let text = "order= 3: leave held_out= out";
        assert_eq!(own, [text.to_owned(), format!("a.txt: {text}"), format!("m: {text}")]);
        assert_eq!(errors[0].to_string(), "`order` 3: leave `held-out` out");
    }

    #[test]
    fn marks_that_name_no_option_are_no_trouble() {
        assert_eq!(Error::usage("\u{3}a\u{2}b\u{3}\u{2}").to_string(), "\u{3}a`b`");
    }
}
