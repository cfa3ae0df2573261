//! What can go wrong, sorted by what the user can do about it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::printable::printable;

/// The crate's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong: found, expected, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused: a file is missing, a disk is full, a pipe is closed.
    #[error("cannot {verb} {path}: {source}", path = shown(&path.to_string_lossy()))]
    Io {
        /// What was tried: "read", "write", "create", …
        verb: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something in a file that was given: mend the file.
    #[error("{place}: {problem}")]
    Input {
        /// Where it stands.
        place: Place,
        /// What was found, what was expected, and what to do.
        problem: String,
    },
    /// A model that cannot be used: train it again, or name another.
    #[error("{model}: {problem}", model = printable(model))]
    Model {
        /// The model's folder or name.
        model: String,
        /// What was found, what was expected, and what to do.
        problem: String,
    },
    /// A request that no data can satisfy: change the arguments.
    #[error("{0}")]
    Usage(String),
}

/// A place in a file, counted from 1. A column counts characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name as the user gave it; `-` for standard input.
    pub file: String,
    /// The line, where there is one to name.
    pub line: Option<u64>,
    /// The column, where there is one to name.
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

/// What the user calls a file, in one line; `-` is standard input.
fn shown(file: &str) -> Cow<'_, str> {
    if file == "-" { "standard input".into() } else { printable(file) }
}

impl Error {
    /// The system's refusal to `verb` the file at `path`.
    pub fn io(verb: &'static str, path: impl AsRef<Path>, source: std::io::Error) -> Self {
        Self::Io { verb, path: path.as_ref().to_owned(), source }
    }

    /// A problem in a file as a whole.
    pub fn file(file: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Input { place: Place { file: file.into(), line: None, column: None }, problem: problem.into() }
    }

    /// A problem in one line of a file, counted from 1.
    pub fn line(file: impl Into<String>, line: u64, problem: impl Into<String>) -> Self {
        let place = Place { file: file.into(), line: Some(line), column: None };
        Self::Input { place, problem: problem.into() }
    }

    /// A model that cannot be used.
    pub fn model(model: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Model { model: model.into(), problem: problem.into() }
    }

    /// Whether this is a pipe that its reader closed (`| head`), which is no error to a user.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe)
    }
}
