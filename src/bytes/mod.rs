//! Bytes used where they lie: inside the program, in a mapped file or in memory.

pub mod hash;
mod map;

use std::fmt;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use crate::error::Result;
use map::Map;

/// Sections of files begin at a multiple of this, a line of memory, so that nothing aligned in them lies in two.
pub const ALIGN: usize = 64;

/// Bytes, wherever they lie. Cheap to clone.
#[derive(Clone)]
pub enum Bytes {
    /// Inside the program.
    Static(&'static [u8]),
    /// In a mapped file, or in whatever else holds them.
    Mapped(Arc<dyn Deref<Target = [u8]> + Send + Sync>, Range<usize>),
    /// In memory.
    Owned(Arc<[u8]>),
}

impl Bytes {
    /// A file, mapped where there are memory maps, read elsewhere.
    ///
    /// # Errors
    /// Where it cannot be opened.
    pub fn map(path: impl AsRef<Path>) -> Result<Self> {
        let map = Map::open(path.as_ref())?;
        let len = map.len();
        Ok(Self::Mapped(Arc::new(map), 0..len))
    }

    /// So many zeros, written over by `fill`, at an address that is a multiple of [`ALIGN`].
    pub fn filled(len: usize, fill: impl FnOnce(&mut [u8])) -> Self {
        let mut bytes = vec![0; len + ALIGN];
        let start = bytes.as_ptr().align_offset(ALIGN).min(ALIGN);
        fill(&mut bytes[start..start + len]);
        Self::Mapped(Arc::new(bytes), start..start + len)
    }

    /// A part of them; a copy only of [`Bytes::Owned`].
    ///
    /// # Panics
    /// Where they do not have that range.
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
    fn filled_bytes_begin_at_a_line_of_memory() {
        for len in [0, 1, 63, 64, 1000] {
            let bytes = Bytes::filled(len, |bytes| bytes.fill(7));
            assert_eq!(*bytes, *vec![7; len]);
            assert_eq!(bytes.as_ptr().align_offset(ALIGN), 0);
        }
    }
}
