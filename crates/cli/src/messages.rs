//! Messages on standard error. A message that cannot be written never ends the work.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;

use crate::host;
use majuscule_base::files::Encoding;
use majuscule_base::printable::printable;

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

/// Returns the name of a file in messages.
pub fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
}

/// Reports the encodings of texts that were not read in the named encoding, with one line for each
/// encoding.
pub fn tell_encodings(read: &[(PathBuf, Encoding)], named: Option<&Encoding>) {
    let Some(named) = named else { return };
    let mut others: Vec<_> = read.iter().filter(|(_, found)| found != named).collect();
    while let Some((file, found)) = others.first().copied() {
        let before = others.len();
        others.retain(|(_, other)| other != found);
        let count = before - others.len();
        let (files, whose) = match count {
            1 => (shown(file), "its"),
            _ => (format!("{count} files, such as {}", shown(file)), "their"),
        };
        tell!(
            "majuscule: {files}: read as {}, {whose} actual encoding, instead of {}",
            found.name(),
            named.name()
        );
    }
}
