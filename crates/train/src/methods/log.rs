//! A log of training events, one line of JSON each.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use serde_json::Value;

use majuscule_base::error::{Error, Result};

/// The log file, if there is one.
pub struct Log(Option<(PathBuf, File)>);

impl Log {
    /// Opens the file for appending.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn open(path: Option<&PathBuf>) -> Result<Self> {
        let open = |path: &PathBuf| {
            let file = File::options().create(true).append(true).open(path);
            file.map(|file| (path.clone(), file)).map_err(|error| Error::io("write", path, error))
        };
        path.map(open).transpose().map(Self)
    }

    /// Writes a line.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn line(&mut self, value: &Value) -> Result<()> {
        let Some((path, file)) = &mut self.0 else { return Ok(()) };
        file.write_all(format!("{value}\n").as_bytes()).map_err(|error| Error::io("write", path, error))
    }
}
