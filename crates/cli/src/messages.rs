//! Messages on standard error. A message that cannot be written never ends the work.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;

use crate::host;
use majuscule::files::Encoding;
use majuscule::printable::printable;

/// Prints a message, with the arguments of `format!`. See [`print`].
macro_rules! tell {
    ($($argument:tt)*) => { $crate::messages::print(format_args!($($argument)*)) };
}

/// The progress bar on the screen.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Prints a message on a line of its own, above a progress bar on the screen. A message that cannot
/// be written is lost: standard error may be closed or full.
pub fn print(message: impl Display) {
    let message = message.to_string();
    let shown = printable(&message);
    if host::hear(&shown) {
        return;
    }
    let line = format!("{shown}\n");
    let write = || {
        let _ = io::stderr().lock().write_all(line.as_bytes());
    };
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Sets the progress bar on the screen, which messages clear first; `None` once it is gone.
pub fn set_bar(bar: Option<&ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar.cloned();
}

/// Reports the encoding in which a text was read if it is not the one named.
pub fn tell_encoding(file: &Path, named: Option<&Encoding>, read: &Encoding) {
    let Some(named) = named.filter(|named| *named != read) else { return };
    let file = if file == Path::new("-") { "standard input".into() } else { file.to_string_lossy() };
    tell!("majuscule: {file}: read as {}, its actual encoding, instead of {}", read.name(), named.name());
}
