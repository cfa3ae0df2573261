//! Trained models: their description (the manifest) and their storage (the store).

mod search;
mod store;

use serde::{Deserialize, Serialize};

pub use majuscule_base::bytes::Bytes;
pub use search::{ModelDirs, ShippedModel};
pub use store::{Folder, Packed, Store, is_model, open, packed, settings};

use majuscule_base::error::{Error, Result};
use majuscule_text::{Labels, Locale};

/// The model format that this build writes. Earlier formats
/// can be read too; in format 1 a manifest has no checksum.
pub const FORMAT: u32 = 2;

/// The name of the manifest, in a folder and in a packed file.
pub const MANIFEST: &str = "majuscule.json";

/// The description of a model: everything but the learned numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The number of the format, [`FORMAT`] in new models.
    pub format: u32,
    /// The method that made the model and can run it.
    pub method: String,
    /// The tag of the language, or of several: `en,pt`.
    pub language: String,
    /// The case mappings of the model.
    pub locale: Locale,
    /// The version of majuscule that made the model.
    pub version: String,
    /// The settings of the method.
    pub settings: serde_json::Value,
    /// The training corpora and protocol.
    pub trained_on: Training,
    /// The labels that the model chooses from, in the order of their ids.
    pub labels: Labels,
    /// The files of the model.
    pub files: Vec<FileRecord>,
}

/// The tag in manifests of a model of any language.
const ANY: &str = "mul";

impl Manifest {
    /// Returns true if the model covers this language, perhaps among others.
    pub fn is_of(&self, language: &str) -> bool {
        self.language.split(',').any(|tag| tag == language)
    }

    /// Returns true if the model covers several languages.
    pub fn is_shared(&self) -> bool {
        self.language == ANY || self.language.contains(',')
    }

    /// Returns true if the model covers this language in any region, or covers all languages.
    pub fn covers(&self, primary: &str) -> bool {
        let is_covered = |tag: &str| tag == ANY || tag.split(['-', '_']).next() == Some(primary);
        self.language.split(',').any(is_covered)
    }
}

/// The facts about the training data of a model that its users need to know.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Training {
    /// The names of the files, without folders.
    pub files: Vec<String>,
    /// The signature of the protocol.
    pub protocol: String,
}

/// A file of a model, as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The name of the file.
    pub name: String,
    /// The length of the file in bytes.
    pub bytes: u64,
    /// The CRC-32 (IEEE) of the file, in hexadecimal.
    pub crc32: String,
}

/// A section of a model: the name of a file, and its bytes.
pub type Section = (String, Vec<u8>);

/// A model that is ready to be written.
#[derive(Debug, Clone)]
pub struct Draft {
    manifest: Manifest,
    sections: Vec<Section>,
}

impl Manifest {
    /// Reads a manifest; errors name the model as `model`.
    ///
    /// # Errors
    /// [`Error::Model`] if the manifest has another format, is truncated, or is something else.
    pub fn read(bytes: &[u8], model: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct PackedHeader {
            format: u32,
            checksum: Option<String>,
        }
        let foreign = |error: serde_json::Error| {
            Error::model(
                model,
                format!("{MANIFEST} is not a manifest of majuscule ({error}): train the model again"),
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
                _ => return altered(&format!("does not match its checksum, {stored}")),
            },
            None if format == 1 => {}
            None => return altered("has no checksum"),
        }
        serde_json::from_slice(bytes).map_err(foreign)
    }

    /// Returns the record of the file with this name.
    pub fn file(&self, name: &str) -> Option<&FileRecord> {
        self.files.iter().find(|file| file.name == name)
    }
}

impl FileRecord {
    /// Creates the record of a file with these bytes.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        let crc32 = format!("{:08x}", crc32fast::hash(bytes));
        Self { name: name.to_owned(), bytes: bytes.len() as u64, crc32 }
    }

    /// Checks that the bytes are the ones that were written.
    ///
    /// # Errors
    /// [`Error::Model`] if they are not.
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
    /// Creates a model with these sections, and enters their records in the manifest.
    pub fn new(mut manifest: Manifest, sections: Vec<Section>) -> Self {
        manifest.files = sections.iter().map(|(name, bytes)| FileRecord::of(name, bytes)).collect();
        Self { manifest, sections }
    }

    /// Returns the manifest of the model.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the manifest as written to disk, with its checksum.
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

/// The placeholder for the checksum of a manifest while the checksum is computed.
const NO_CHECKSUM: &str = "00000000";

/// Returns the checksum of a manifest whose own checksum is `stored`: the CRC-32 (IEEE) of its
/// bytes, with zeros in place of `stored`.
fn sealed(bytes: &[u8], stored: &str) -> Option<String> {
    let value = format!("\"{stored}\"");
    let at = bytes.windows(value.len()).rposition(|window| window == value.as_bytes())?;
    let (before, after) = (&bytes[..at], &bytes[at + value.len()..]);
    let unsealed = [before, b"\"", NO_CHECKSUM.as_bytes(), b"\"", after].concat();
    Some(format!("{:08x}", crc32fast::hash(&unsealed)))
}

/// Refuses a model format that this build cannot read.
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
                // Hexadecimal digits are accepted in lower case only, and everything else is
                // covered by the checksum.
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
