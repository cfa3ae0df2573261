//! A file in memory without a copy: the one use of `unsafe` for it.
#![allow(unsafe_code)] // Mapping a file cannot be made safe: another process may change it meanwhile.

use std::fs::File;
use std::ops::Deref;
use std::path::Path;

use crate::error::{Error, Result};

/// The contents of a file: mapped where there are memory maps, read elsewhere.
#[derive(Debug)]
pub(super) struct Map {
    #[cfg(not(target_family = "wasm"))]
    bytes: Option<memmap2::Mmap>,
    #[cfg(target_family = "wasm")]
    bytes: Vec<u8>,
}

#[cfg(not(target_family = "wasm"))]
impl Map {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
        let metadata = file.metadata().map_err(|error| Error::io("read", path, error))?;
        // An empty file cannot be mapped.
        if metadata.len() == 0 {
            return Ok(Self { bytes: None });
        }
        // SAFETY: the bytes are read as bytes alone, with every bound checked, so whatever stands in them is no undefined
        // behaviour of ours. A model that another process cuts short while it is in use ends this process with a signal;
        // majuscule itself replaces models by renaming, which leaves the old file to those who have it open.
        let bytes = unsafe { memmap2::Mmap::map(&file) }.map_err(|error| Error::io("map", path, error))?;
        Ok(Self { bytes: Some(bytes) })
    }
}

#[cfg(not(target_family = "wasm"))]
impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or_default()
    }
}

#[cfg(target_family = "wasm")]
impl Map {
    pub(super) fn open(path: &Path) -> Result<Self> {
        use std::io::Read;
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
        read.map_err(|error| Error::io("read", path, error))?;
        Ok(Self { bytes })
    }
}

#[cfg(target_family = "wasm")]
impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}
