//! Errors, sorted by what the user can do about them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::printable::printable;

/// The result type of the crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error that says what was found, what was expected, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the system: a file is missing, a disk is full, a pipe is closed.
    #[error("cannot {verb} {path}: {source}", path = shown(&path.to_string_lossy()))]
    Io {
        /// The operation: "read", "write", "create", …
        verb: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// An error in an input file, which the user can correct.
    #[error("{place}: {problem}")]
    Input {
        /// The place in the file.
        place: Place,
        /// The problem: what was found, what was expected, and what to do.
        problem: String,
    },
    /// A model that cannot be used: the user can train it again, or name another.
    #[error("{model}: {problem}", model = printable(model))]
    Model {
        /// The model's folder or name.
        model: String,
        /// The problem: what was found, what was expected, and what to do.
        problem: String,
    },
    /// A request that no data can satisfy: the user can change the arguments.
    #[error("{0}")]
    Usage(String),
}

/// A place in a file, counted from 1. A column counts characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name as the user gave it; `-` for standard input.
    pub file: String,
    /// The line, if the error has one.
    pub line: Option<u64>,
    /// The column, if the error has one.
    pub column: Option<u64>,
}

impl std::fmt::Display for Place {
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

/// The name of a file as the user knows it, in one line; `-` is standard input.
fn shown(file: &str) -> Cow<'_, str> {
    if file == "-" { "standard input".into() } else { printable(file) }
}

impl Error {
    /// An error of the system at the attempt to `verb` the file at `path`.
    pub fn io(verb: &'static str, path: impl AsRef<Path>, source: std::io::Error) -> Self {
        Self::Io { verb, path: path.as_ref().to_owned(), source }
    }

    /// An error in a file as a whole.
    pub fn file(file: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Input { place: Place { file: file.into(), line: None, column: None }, problem: problem.into() }
    }

    /// An error in one line of a file, counted from 1.
    pub fn line(file: impl Into<String>, line: u64, problem: impl Into<String>) -> Self {
        let place = Place { file: file.into(), line: Some(line), column: None };
        Self::Input { place, problem: problem.into() }
    }

    /// An error of a model that cannot be used.
    pub fn model(model: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Model { model: model.into(), problem: problem.into() }
    }

    /// Returns true if the error is a pipe that its reader
    /// closed (`| head`), which is not an error to a user.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe)
    }
}
