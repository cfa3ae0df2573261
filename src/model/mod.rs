//! Trained models: what they are (the manifest) and where they lie (the store).

mod store;

use serde::{Deserialize, Serialize};

pub use crate::bytes::Bytes;
pub use store::{Embedded, Folder, Packed, Store, open, packed};

use crate::error::{Error, Result};
use crate::text::{Labels, Locale};

/// The format that this build writes and reads.
pub const FORMAT: u32 = 1;

/// The manifest's name, in a folder and in a packed file.
pub const MANIFEST: &str = "majuscule.json";

/// What a model is: everything but the numbers that it learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The number of the format: [`FORMAT`].
    pub format: u32,
    /// The method that made it and can run it.
    pub method: String,
    /// The language's tag, or those of several: `en,pt`.
    pub language: String,
    /// The case pairs.
    pub locale: Locale,
    /// The version of majuscule that made it.
    pub version: String,
    /// The method's settings.
    pub settings: serde_json::Value,
    /// What it was trained on.
    pub trained_on: Training,
    /// The labels that it chooses among, in the order of their ids.
    pub labels: Labels,
    /// The files that belong to it.
    pub files: Vec<FileRecord>,
}

impl Manifest {
    /// Whether it is for texts of this language, perhaps among others.
    pub fn is_of(&self, language: &str) -> bool {
        self.language.split(',').any(|tag| tag == language)
    }
}

/// What a model was trained on, as far as a reader of the model needs it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Training {
    /// The files, by name alone.
    pub files: Vec<String>,
    /// The protocol's signature.
    pub protocol: String,
}

/// A file of a model, as it was when it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its CRC-32 (IEEE), in hexadecimal.
    pub crc32: String,
}

/// A section of a model: a file, by name, and its bytes.
pub type Section = (String, Vec<u8>);

/// A model about to be written.
#[derive(Debug, Clone)]
pub struct Draft {
    manifest: Manifest,
    sections: Vec<Section>,
}

impl Manifest {
    /// Reads a manifest; `model` is the model's name for errors.
    ///
    /// # Errors
    /// [`Error::Model`] where it is of another format, cut off, or something else.
    pub fn read(bytes: &[u8], model: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let foreign = |error: serde_json::Error| {
            Error::model(
                model,
                format!("{MANIFEST} is no manifest of majuscule ({error}): train the model again"),
            )
        };
        let Format { format } = serde_json::from_slice(bytes).map_err(foreign)?;
        if format != FORMAT {
            let problem = format!("model format {format}, but this build reads {FORMAT}");
            let cure = if format > FORMAT { "use a newer majuscule" } else { "train the model again" };
            return Err(Error::model(model, format!("{problem}: {cure}")));
        }
        serde_json::from_slice(bytes).map_err(foreign)
    }

    /// The record of a file.
    pub fn file(&self, name: &str) -> Option<&FileRecord> {
        self.files.iter().find(|file| file.name == name)
    }
}

impl FileRecord {
    /// The record of a file with these bytes.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        let crc32 = format!("{:08x}", crc32fast::hash(bytes));
        Self { name: name.to_owned(), bytes: bytes.len() as u64, crc32 }
    }

    /// Whether the bytes are the ones that were written.
    ///
    /// # Errors
    /// [`Error::Model`] where they are not.
    pub fn check(&self, bytes: &[u8], model: &str) -> Result<()> {
        let found = Self::of(&self.name, bytes);
        if found.bytes != self.bytes {
            let problem =
                format!("{} has {} bytes, but the manifest says {}", self.name, found.bytes, self.bytes);
            return Err(Error::model(model, format!("{problem}: copy the model again or train it again")));
        }
        if found.crc32 != self.crc32 {
            let problem =
                format!("{} has checksum {}, but the manifest says {}", self.name, found.crc32, self.crc32);
            return Err(Error::model(
                model,
                format!("{problem}: it was altered; copy or train the model again"),
            ));
        }
        Ok(())
    }
}

impl Draft {
    /// A model of these sections; their records are entered in the manifest.
    pub fn new(mut manifest: Manifest, sections: Vec<Section>) -> Self {
        manifest.files = sections.iter().map(|(name, bytes)| FileRecord::of(name, bytes)).collect();
        Self { manifest, sections }
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn manifest_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(&self.manifest).expect("a manifest has string keys only");
        bytes.push(b'\n');
        bytes
    }
}
