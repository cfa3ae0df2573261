//! Unfinished files and folders, written under a hidden name in the folder of the final one. The
//! writing process locks them and removes them on failure; if that process is killed, the next
//! process that writes in the folder removes them.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};

/// A file or folder without its final name.
#[derive(Debug)]
pub(super) struct Unfinished {
    path: PathBuf,
    /// `None` if folders cannot be locked.
    lock: Option<File>,
}

/// All unfinished files and folders of this process.
static ALL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The folders already searched for unfinished files of dead processes.
static CLEARED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn all() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all unfinished files of this process, for a process that is being terminated. No others
/// can be begun or finished while the guard lives.
#[must_use = "the guard keeps other threads from beginning or finishing files"]
pub fn remove_unfinished() -> impl Sized {
    let mut all = all();
    for path in std::mem::take(&mut *all) {
        // A folder that is being filled may need another attempt.
        let _ = (0..10).find(|_| remove(&path).is_ok());
    }
    all
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

impl Unfinished {
    /// Creates a file in the folder of `target`, opened with `options`.
    pub(super) fn file(target: &Path, options: &mut OpenOptions) -> Result<(Self, File)> {
        let mut created = None;
        let unfinished = Self::new(target, |path| {
            let file = options.create_new(true).open(path)?;
            let lock = file.try_clone()?;
            created = Some(file);
            Ok(Some(lock))
        })?;
        let missing = || Error::io("create", target, io::ErrorKind::NotFound.into());
        Ok((unfinished, created.ok_or_else(missing)?))
    }

    /// Creates an empty folder next to `target`.
    pub(super) fn folder(target: &Path) -> Result<Self> {
        Self::new(target, |path| {
            fs::create_dir(path)?;
            if !cfg!(unix) {
                return Ok(None);
            }
            // Until it is locked, another process may remove it as the folder of a dead one: the next name is tried then.
            let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
            File::open(path).map(Some).map_err(|error| match is_gone(&error) {
                true => io::ErrorKind::AlreadyExists.into(),
                false => error,
            })
        })
    }

    /// Calls `create` with an unused name, and locks the result.
    fn new(target: &Path, mut create: impl FnMut(&Path) -> io::Result<Option<File>>) -> Result<Self> {
        let folder = parent(target);
        clear(folder);
        // The files of other processes are skipped.
        for n in 0..10_000 {
            let path = folder.join(format!(".majuscule-{n}.tmp"));
            let mut all = all();
            let lock = match create(&path) {
                Ok(lock) => lock,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(Error::io("create", target, error)),
            };
            // On a system without locks, nobody removes unlocked files either.
            let is_ours = lock.as_ref().is_none_or(|file| file.lock().is_err() || is_at(file, &path));
            if is_ours {
                all.insert(path.clone());
                return Ok(Self { path, lock });
            }
        }
        let problem = "contains 10000 unfinished files named .majuscule-….tmp: remove them";
        Err(Error::file(folder.to_string_lossy(), problem))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames it to its final name, replacing any file there.
    pub(super) fn rename(self, target: &Path) -> io::Result<()> {
        let mut all = all();
        fs::rename(&self.path, target)?;
        all.remove(&self.path);
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut all = all();
        // A finished file has left this name, which may now belong to another process.
        if all.remove(&self.path) {
            let _ = remove(&self.path);
        }
        self.lock = None;
    }
}

/// Removes the unfinished files of dead processes, which are
/// not locked, from a folder. Each folder is searched once.
fn clear(folder: &Path) {
    let mut cleared = CLEARED.lock().unwrap_or_else(PoisonError::into_inner);
    if !cleared.insert(folder.to_owned()) {
        return;
    }
    for path in paths_beside(folder) {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        let opened = match metadata.is_dir() {
            true if cfg!(unix) => File::open(&path),
            false if metadata.is_file() => File::options().write(true).open(&path),
            _ => continue,
        };
        let Ok(file) = opened else { continue };
        match file.try_lock() {
            Ok(()) if is_at(&file, &path) => {
                let _ = remove(&path);
            }
            Ok(()) | Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}

/// Returns true if the open file is the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let position = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (open, named) = (file.metadata().map(position), fs::symlink_metadata(path).map(position));
    matches!((open, named), (Ok(open), Ok(named)) if open == named)
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Returns the unfinished files and folders in a folder, recognised by their names.
fn paths_beside(folder: &Path) -> Vec<PathBuf> {
    let is_unfinished = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let number = name.strip_prefix(".majuscule-").and_then(|name| name.strip_suffix(".tmp"));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_unfinished).collect()
}

/// A temporary file for data that exceed memory. It is removed when it is dropped, and on Unix
/// however the process ends.
#[derive(Debug)]
pub struct ScratchFile {
    file: File,
    /// `None` if the file has no name any more.
    _unfinished: Option<Unfinished>,
}

impl ScratchFile {
    /// Creates an empty temporary file in `folder`, or in the current folder if `folder` is empty.
    ///
    /// # Errors
    /// If no file can be created there.
    pub fn new(folder: &Path) -> Result<Self> {
        let target = folder.join("temporary file");
        let (unfinished, file) = Unfinished::file(&target, File::options().read(true).write(true))?;
        // On Unix an open file needs no name.
        let unfinished = if cfg!(unix) { None } else { Some(unfinished) };
        Ok(Self { file, _unfinished: unfinished })
    }

    /// Returns the open file.
    pub fn file(&self) -> &File {
        &self.file
    }
}
