//! Helpers of all verbs: printing a page, reading an argument.

use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::thread;

use crate::host;
use majuscule_base::error::{Error, Result};
use majuscule_base::printable::printable_lines;
use majuscule_text::LanguageTag;

/// Prints a page to standard output, after [`printable_lines`].
///
/// # Errors
/// If the page cannot be written; [`Error::is_closed_pipe`] recognises a closed pipe.
pub fn print(page: &str) -> Result<()> {
    print_with(|out| out.write_all(printable_lines(page).as_bytes()))
}

/// Calls `write` with a buffered standard output.
///
/// # Errors
/// See [`print`].
pub fn print_with(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, host::stdout());
    let written = write(&mut out).and_then(|()| out.flush());
    written.map_err(|error| Error::io("write", "standard output", error))
}

/// Returns the number of threads: the requested number, but at most, and by default, the number of
/// cores. More threads would only wait for each other, and a system refuses thousands.
pub fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    let most = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    asked.map_or(most, |asked| asked.min(most))
}

/// Reads a number of at least 1.
///
/// # Errors
/// A text that is not such a number: the error says what was expected.
pub fn number(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "expected a number from 1")
}

/// Reads a probability from 0 to 1.
///
/// # Errors
/// A text that is not such a number: the error says what was expected.
pub fn probability(text: &str) -> Result<f32, &'static str> {
    let probability = text.parse().ok().filter(|probability| (0.0..=1.0).contains(probability));
    probability.ok_or("expected a probability from 0 to 1")
}

/// Reads a name and the path that it stands for: `NAME=PATH`.
#[cfg(any(feature = "learning", feature = "service"))]
pub fn named_path(text: &str) -> Option<(String, std::path::PathBuf)> {
    let (name, path) = text.split_once('=')?;
    (!name.is_empty() && !path.is_empty()).then(|| (name.to_owned(), path.into()))
}

/// Checks a language tag, or several tags separated by commas.
///
/// # Errors
/// A text with a part that is not a [`LanguageTag`].
pub fn language(text: &str) -> Result<String> {
    text.split(',').try_for_each(|tag| tag.parse::<LanguageTag>().map(drop))?;
    Ok(text.to_owned())
}
