//! What all verbs share: a page printed, an argument read.

use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::thread;

use majuscule::error::{Error, Result};
use majuscule::printable::printable_lines;

/// Prints a page to standard output; see [`printable_lines`].
///
/// # Errors
/// Where it cannot be written; a closed pipe is one that [`Error::is_closed_pipe`] knows.
pub fn print(page: &str) -> Result<()> {
    print_with(|out| out.write_all(printable_lines(page).as_bytes()))
}

/// Prints to standard output what `write` writes.
///
/// # Errors
/// See [`print`].
pub fn print_with(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    written.map_err(|error| Error::io("write", "standard output", error))
}

/// As many threads as were asked for, but no more than the machine runs at once; as many as that where none were. More would
/// only wait for each other, and a system refuses thousands.
pub fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    let most = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    asked.map_or(most, |asked| asked.min(most))
}

/// Reads a number of things that there must be one of.
///
/// # Errors
/// What was expected.
pub fn number(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "expected a number from 1")
}
