//! Memory-mapped files: the only code that needs `unsafe` to map them.
#![allow(unsafe_code)] // Mapping a file cannot be made safe: another process may change it meanwhile.

use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use crate::error::{Error, Result, option};

/// The contents of a file, without a copy. If another process truncates the file, this process ends
/// with a signal (SIGBUS); if another process overwrites it, the bytes change, which
/// [`check_unchanged`] detects.
#[derive(Debug)]
pub(super) struct Map {
    bytes: memmap2::Mmap,
    watched: Arc<Watched>,
}

/// A mapped file and its state at the time of mapping.
#[derive(Debug)]
struct Watched {
    path: PathBuf,
    file: File,
    state: Option<(u64, SystemTime)>,
}

/// The files that are mapped at present.
static MAPPED: Mutex<Vec<Weak<Watched>>> = Mutex::new(Vec::new());

/// The files that had changed by the time their maps were dropped.
static CHANGED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl Map {
    /// Maps an open file, which must not be empty.
    pub(super) fn new(file: File, path: &Path) -> Result<Self> {
        // SAFETY: the bytes are read as plain bytes, with every bound checked, so no content causes
        // undefined behaviour. A model that another process truncates while it is in use ends this
        // process with a signal; majuscule itself replaces models by renaming, which leaves the old
        // file to the processes that have it open.
        let bytes = unsafe { memmap2::Mmap::map(&file) }.map_err(|error| Error::io("map", path, error))?;
        let watched = Arc::new(Watched { path: path.to_owned(), state: state(&file), file });
        let mut mapped = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        mapped.retain(|watched| watched.strong_count() > 0);
        mapped.push(Arc::downgrade(&watched));
        Ok(Self { bytes, watched })
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        if self.watched.has_changed() {
            let mut changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
            changed.push(self.watched.path.clone());
        }
    }
}

impl Watched {
    /// Returns true if the contents of the file have changed. A file that is removed, or whose name
    /// now belongs to another file, has not changed.
    fn has_changed(&self) -> bool {
        state(&self.file) != self.state
    }
}

fn state(file: &File) -> Option<(u64, SystemTime)> {
    let metadata = file.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// Refuses results made with a file that changed while it was mapped.
///
/// # Errors
/// An error that names the first such file.
pub(super) fn check_unchanged() -> Result<()> {
    let mapped = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
    let now = mapped.iter().filter_map(Weak::upgrade).find(|file| file.has_changed());
    let before = || CHANGED.lock().unwrap_or_else(PoisonError::into_inner).first().cloned();
    match now.map(|watched| watched.path.clone()).or_else(before) {
        None => Ok(()),
        Some(path) => Err(Error::file(
            path.to_string_lossy(),
            format!(
                "was changed while it was in use: start again, and replace models by renaming, as train {} does",
                option("force")
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_is_written_over_is_noticed_and_one_that_is_replaced_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, "told us").unwrap();
        let map = Map::new(File::open(&path).unwrap(), &path).unwrap();
        fs::write(folder.path().join("new"), "another").unwrap();
        fs::rename(folder.path().join("new"), &path).unwrap();
        assert!(!map.watched.has_changed());
        assert_eq!(*map, *b"told us");
        let map = Map::new(File::open(&path).unwrap(), &path).unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert!(map.watched.has_changed());
        assert!(check_unchanged().unwrap_err().to_string().contains("while it was in use"));
        drop(map);
        assert!(check_unchanged().is_err());
        CHANGED.lock().unwrap().clear();
    }
}
