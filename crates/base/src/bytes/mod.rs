//! Shared bytes without a copy: inside the program, in a mapped file or in memory.

pub mod hash;
#[cfg(not(target_family = "wasm"))]
mod map;
pub mod varint;

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Result};

/// The alignment of sections in files: the size of a cache line, so that no aligned value in them
/// crosses one.
pub const ALIGN: usize = 64;

/// The largest file that is read; larger ones are mapped, where memory maps exist.
pub const READ: u64 = 64 << 20;

/// Opens a regular file, or a link to one. A file of another kind is not even opened, since that
/// might block forever.
///
/// # Errors
/// If the file is of another kind, or cannot be opened.
pub fn open_regular(path: &Path) -> Result<File> {
    let refused = |error| Error::io("open", path, error);
    let is_regular = fs::metadata(path).map_err(refused)?.is_file();
    let file = if is_regular { Some(File::open(path).map_err(refused)?) } else { None };
    match file {
        // The name may belong to another file by now.
        Some(file) if file.metadata().map_err(refused)?.is_file() => Ok(file),
        _ => Err(Error::file(
            path.to_string_lossy(),
            "is not a regular file, but one is expected: copy it again",
        )),
    }
}

/// Bytes in any storage. Cheap to clone.
#[derive(Clone)]
pub enum Bytes {
    /// Bytes inside the program.
    Static(&'static [u8]),
    /// Bytes in a mapped file, or in any other owner.
    Mapped(Arc<dyn Deref<Target = [u8]> + Send + Sync>, Range<usize>),
    /// Bytes in memory.
    Owned(Arc<[u8]>),
}

impl Bytes {
    /// Reads a file of up to 64 MiB, so that later changes to the file do not matter. Maps a longer
    /// file where memory maps exist; [`Bytes::check_unchanged`] then detects changes.
    ///
    /// # Errors
    /// If the file cannot be read or is not a regular one: a pipe or a device may have no end.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::of_file(open_regular(path)?, path)
    }

    /// Reads or maps an open regular file, like [`Bytes::open`].
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_file(mut file: File, path: &Path) -> Result<Self> {
        let refused = |error| Error::io("read", path, error);
        let len = file.metadata().map_err(refused)?.len();
        #[cfg(not(target_family = "wasm"))]
        if len > READ {
            let map = map::Map::new(file, path)?;
            let len = map.len();
            return Ok(Self::Mapped(Arc::new(map), 0..len));
        }
        let len = usize::try_from(len).map_err(|error| refused(io::Error::other(error)))?;
        let mut read = Ok(());
        let bytes = Self::filled(len, |bytes| read = file.read_exact(bytes));
        match read.and_then(|()| file.read(&mut [0])) {
            Ok(0) => Ok(bytes),
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(refused(error)),
            _ => Err(Error::file(path.to_string_lossy(), "was changed while it was read: start again")),
        }
    }

    /// Refuses results made with a mapped file that was changed meanwhile; to be called before
    /// results are returned.
    ///
    /// # Errors
    /// An error that names the first such file.
    pub fn check_unchanged() -> Result<()> {
        #[cfg(not(target_family = "wasm"))]
        map::check_unchanged()?;
        Ok(())
    }

    /// Allocates `len` zero bytes at a multiple of [`ALIGN`] and passes them to `fill`.
    pub fn filled(len: usize, fill: impl FnOnce(&mut [u8])) -> Self {
        let mut bytes = vec![0; len + ALIGN];
        let start = bytes.as_ptr().align_offset(ALIGN).min(ALIGN);
        fill(&mut bytes[start..start + len]);
        Self::Mapped(Arc::new(bytes), start..start + len)
    }

    /// Returns a part of the bytes, copied only for [`Bytes::Owned`].
    ///
    /// # Panics
    /// If the range is not inside the bytes.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len(), "a part lies inside the whole");
        match self {
            Self::Static(bytes) => Self::Static(&bytes[range]),
            Self::Mapped(map, whole) => {
                Self::Mapped(map.clone(), whole.start + range.start..whole.start + range.end)
            }
            Self::Owned(bytes) => Self::Owned(bytes[range].into()),
        }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        let len = bytes.len();
        Self::Mapped(Arc::new(bytes), 0..len)
    }
}

impl From<Arc<[u8]>> for Bytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        let len = bytes.len();
        Self::Mapped(Arc::new(bytes), 0..len)
    }
}

impl From<&'static [u8]> for Bytes {
    fn from(bytes: &'static [u8]) -> Self {
        Self::Static(bytes)
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Static(bytes) => bytes,
            Self::Mapped(map, range) => &map[range.clone()],
            Self::Owned(bytes) => bytes,
        }
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({})", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_the_same_wherever_the_bytes_lie() {
        let text = b"told us the US";
        for bytes in [Bytes::Static(text), Bytes::from(text.to_vec()), Bytes::Owned(text[..].into())] {
            assert_eq!(*bytes.slice(5..11), *b"us the");
            assert_eq!(*bytes.slice(5..11).slice(3..6), *b"the");
            assert_eq!(*bytes.slice(14..14), *b"");
        }
    }

    #[test]
    fn a_file_that_is_read_stays_as_it_was_and_other_kinds_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        for text in ["", "told us"] {
            fs::write(&path, text).unwrap();
            let bytes = Bytes::open(&path).unwrap();
            fs::write(&path, "the").unwrap();
            assert_eq!(*bytes, *text.as_bytes());
        }
        assert!(Bytes::open(folder.path()).unwrap_err().to_string().contains("not a regular file"));
        #[cfg(unix)]
        assert!(Bytes::open("/dev/zero").unwrap_err().to_string().contains("not a regular file"));
    }

    #[test]
    fn filled_bytes_begin_at_a_line_of_memory() {
        for len in [0, 1, 63, 64, 1000] {
            let bytes = Bytes::filled(len, |bytes| bytes.fill(7));
            assert_eq!(*bytes, *vec![7; len]);
            assert_eq!(bytes.as_ptr().align_offset(ALIGN), 0);
        }
    }
}
