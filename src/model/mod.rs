//! Trained models: what they are (the manifest) and where they lie (the store).

mod store;

use serde::{Deserialize, Serialize};

pub use crate::bytes::Bytes;
pub use store::{Embedded, Folder, Packed, Store, open, packed};

use crate::error::{Error, Result};
use crate::text::{Labels, Locale};

/// The format that this build writes. It reads those before it too: in the first one a manifest has no checksum.
pub const FORMAT: u32 = 2;

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
        struct PackedHeader {
            format: u32,
            checksum: Option<String>,
        }
        let foreign = |error: serde_json::Error| {
            Error::model(
                model,
                format!("{MANIFEST} is no manifest of majuscule ({error}): train the model again"),
            )
        };
        let PackedHeader { format, checksum } = serde_json::from_slice(bytes).map_err(foreign)?;
        check_format(format).map_err(|problem| Error::model(model, problem))?;
        let altered = |what: &str| {
            let problem = format!("{MANIFEST} {what}: it was altered; copy or train the model again");
            Err(Error::model(model, problem))
        };
        match checksum {
            Some(stored) => match sealed(bytes, &stored) {
                Some(found) if found == stored => {}
                _ => return altered(&format!("is not what its checksum, {stored}, was made of")),
            },
            None if format == 1 => {}
            None => return altered("has no checksum"),
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

    /// The manifest as it is written, with its checksum.
    fn manifest_bytes(&self) -> Vec<u8> {
        #[derive(Serialize)]
        struct Sealed<'a> {
            #[serde(flatten)]
            manifest: &'a Manifest,
            checksum: &'static str,
        }
        let unsealed = Sealed { manifest: &self.manifest, checksum: NO_CHECKSUM };
        let mut bytes = serde_json::to_vec_pretty(&unsealed).expect("a manifest has string keys only");
        bytes.push(b'\n');
        let checksum = format!("{:08x}", crc32fast::hash(&bytes));
        let at = bytes.len() - "\"\n}\n".len() - checksum.len();
        bytes[at..at + checksum.len()].copy_from_slice(checksum.as_bytes());
        bytes
    }
}

/// What stands for the checksum of a manifest while it is made.
const NO_CHECKSUM: &str = "00000000";

/// The checksum of a manifest that has `stored` as its own: the CRC-32 (IEEE) of its bytes, with zeros where that stands.
fn sealed(bytes: &[u8], stored: &str) -> Option<String> {
    let value = format!("\"{stored}\"");
    let at = bytes.windows(value.len()).rposition(|window| window == value.as_bytes())?;
    let (before, after) = (&bytes[..at], &bytes[at + value.len()..]);
    let unsealed = [before, b"\"", NO_CHECKSUM.as_bytes(), b"\"", after].concat();
    Some(format!("{:08x}", crc32fast::hash(&unsealed)))
}

/// Refuses a format of models that this build does not read.
fn check_format(format: u32) -> Result<(), String> {
    match format {
        1..=FORMAT => Ok(()),
        0 => Err(format!("model format 0, but this build reads 1 to {FORMAT}: train the model again")),
        _ => Err(format!("model format {format}, but this build reads {FORMAT}: use a newer majuscule")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        Manifest {
            format: FORMAT,
            method: "majority".into(),
            language: "en".into(),
            locale: Locale::default(),
            version: "0".into(),
            settings: serde_json::json!({"threshold": 0.5}),
            trained_on: Training { files: vec!["news.txt".into()], protocol: "text".into() },
            labels: Labels::cases(),
            files: Vec::new(),
        }
    }

    #[test]
    fn no_byte_of_a_manifest_can_be_altered() {
        let draft = Draft::new(manifest(), vec![("words.bin".into(), vec![1, 2, 3])]);
        let bytes = draft.manifest_bytes();
        assert_eq!(Manifest::read(&bytes, "model").unwrap(), *draft.manifest());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut altered = bytes.clone();
                altered[at] ^= 1 << bit;
                let read = Manifest::read(&altered, "model");
                // Hexadecimal digits are read in one case only, and the rest is in the checksum.
                assert!(read.is_err(), "{at}: {}", String::from_utf8_lossy(&altered));
            }
        }
    }

    #[test]
    fn a_manifest_without_a_checksum_is_of_the_first_format() {
        let of_format = |format| {
            let bytes = serde_json::to_vec(&Manifest { format, ..manifest() }).unwrap();
            Manifest::read(&bytes, "model")
        };
        assert!(of_format(1).is_ok());
        assert!(of_format(2).unwrap_err().to_string().contains("has no checksum"));
        for format in [0, FORMAT + 1] {
            let error = of_format(format).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("model: model format {format}, but this build reads")),
                "{error}"
            );
        }
    }
}
