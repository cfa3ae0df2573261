//! Detects files that another process changes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The state of a file, to detect later changes.
#[derive(Debug)]
pub struct FileStamp {
    path: PathBuf,
    state: FileState,
}

/// The device, inode, length and time of modification of a file.
type FileState = (u64, u64, u64, Option<std::time::SystemTime>);

impl FileStamp {
    /// Records the state of a file.
    ///
    /// # Errors
    /// If the file does not exist.
    pub fn new(path: &Path) -> Result<Self> {
        let metadata = fs::metadata(path).map_err(|error| Error::io("open", path, error))?;
        Ok(Self { path: path.to_owned(), state: state(&metadata) })
    }

    /// Refuses a file that has changed since.
    ///
    /// # Errors
    /// If the file has changed.
    pub fn check(&self) -> Result<()> {
        match fs::metadata(&self.path) {
            Ok(metadata) if state(&metadata) == self.state => Ok(()),
            _ => Err(Error::file(
                self.path.to_string_lossy(),
                "was changed by another process while it was read, so it was not overwritten: start again",
            )),
        }
    }
}

fn state(metadata: &fs::Metadata) -> FileState {
    #[cfg(unix)]
    let (device, number) = {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino())
    };
    #[cfg(not(unix))]
    let (device, number) = (0, 0);
    (device, number, metadata.len(), metadata.modified().ok())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_file_that_changes_meanwhile_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "told us").unwrap();
        let seen = FileStamp::new(&path).unwrap();
        assert!(seen.check().is_ok());
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(std::time::SystemTime::UNIX_EPOCH)
            .unwrap();
        assert!(seen.check().unwrap_err().to_string().contains("changed by another process"));
        let seen = FileStamp::new(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(seen.check().is_err() && FileStamp::new(&path).is_err());
    }
}
