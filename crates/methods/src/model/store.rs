//! The storage of a model: a folder, one packed file, or the
//! program itself, with the same sections in each.
//!
//! A packed model consists of `MAJUSCUL`, the format and the number of sections (u32 each), a table
//! with 64 bytes per section (the name padded with zeros to 48 bytes, offset and length as u64),
//! and the sections, each at a multiple of 64 bytes. All numbers are little-endian. The first
//! section is the manifest.

use std::fs::File;
use std::io::{Cursor, ErrorKind, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Draft, FORMAT, MANIFEST, Manifest, Section, check_format};
use majuscule_base::bytes::{self, ALIGN, Bytes};
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Input};

const MAGIC: &[u8; 8] = b"MAJUSCUL";
const ENTRY: usize = 64;
const NAME: usize = 48;

/// A stored model that can be loaded.
pub trait Store {
    /// Returns the name of the model in errors.
    fn name(&self) -> &str;

    /// Returns the manifest of the model.
    fn manifest(&self) -> &Manifest;

    /// Returns the bytes of a file of the model, without a copy where possible.
    ///
    /// # Errors
    /// [`Error::Model`] if the file is missing or was altered.
    fn section(&self, name: &str) -> Result<Bytes>;

    /// Returns the error of a model that cannot be used.
    fn wrong(&self, problem: String) -> Error {
        Error::model(self.name(), problem)
    }

    /// Returns a file of the model as text; `advice` ends the error about other bytes.
    ///
    /// # Errors
    /// [`Error::Model`] if the file is missing, was altered or is not UTF-8.
    fn text(&self, name: &str, advice: &str) -> Result<String> {
        let bytes = self.section(name)?.to_vec();
        String::from_utf8(bytes).map_err(|_| self.wrong(format!("{name} is not text: {advice}")))
    }

    /// Compares every file with its checksum.
    ///
    /// # Errors
    /// [`Error::Model`] for the first file that is missing or altered.
    fn check(&self) -> Result<()> {
        self.manifest().files.iter().try_for_each(|file| file.check(&self.section(&file.name)?, self.name()))
    }
}

/// Reads the settings of a method in the manifest of a model; `advice` ends the error about other settings.
///
/// # Errors
/// [`Error::Model`] if they are not valid for the method.
pub fn settings<'m, S: Deserialize<'m>>(store: &'m dyn Store, method: &str, advice: &str) -> Result<S> {
    let problem = |error| format!("its settings are not valid for {method} ({error}): {advice}");
    S::deserialize(&store.manifest().settings).map_err(|error| store.wrong(problem(error)))
}

/// Opens a model: a folder or a packed file.
///
/// # Errors
/// If there is no model at `path`, or it is truncated,
/// altered, of another format or something else.
pub fn open(path: impl AsRef<Path>) -> Result<Box<dyn Store>> {
    let path = path.as_ref();
    let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::model(
            path.to_string_lossy(),
            "there is no such file or folder: name a model made by train",
        ),
        _ => Error::io("open the model", path, error),
    })?;
    if metadata.is_dir() {
        return Ok(Box::new(Folder::open(path)?));
    }
    Ok(Box::new(Packed::open(path.to_string_lossy(), Bytes::open(path)?)?))
}

/// Returns true if there is a model at a path: a folder or a packed file.
///
/// # Errors
/// If a file cannot be read.
pub fn is_model(path: &Path) -> Result<bool> {
    Ok(path.is_dir() || path.is_file() && files::open(path)?.peek(MAGIC.len())? == MAGIC)
}

/// Checks the bytes of a section against the manifest and returns them. The check takes less than a
/// millisecond per 10 MB in memory; a mapped file is also read from the disk.
fn checked(store: &dyn Store, name: &str, bytes: Bytes) -> Result<Bytes> {
    let missing = || store.wrong(format!("the manifest has no file {name}: train the model again"));
    let record = store.manifest().file(name).ok_or_else(missing)?;
    record.check(&bytes, store.name())?;
    Ok(bytes)
}

/// A model as a folder. All its files are opened at once, so that they belong to one model even if
/// the folder is replaced meanwhile.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    name: String,
    manifest: Manifest,
    files: Vec<(String, Result<File>)>,
}

/// The number of attempts to open a folder that is being replaced.
const ATTEMPTS: usize = 100;

impl Folder {
    /// Opens the model in the folder at `path`.
    ///
    /// # Errors
    /// If there is no manifest or it has another format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let name = path.to_string_lossy().into_owned();
        let file = path.join(MANIFEST);
        if !file.exists() {
            let problem =
                format!("there is no {MANIFEST} in it, so it is not a model: name a folder made by train");
            return Err(Error::model(name, problem));
        }
        let mut bytes = Bytes::open(&file)?;
        for _ in 0..ATTEMPTS {
            let manifest = Manifest::read(&bytes, &name)?;
            let open = |name: &str| (name.to_owned(), bytes::open_regular(&path.join(name)));
            let names = manifest.files.iter().map(|file| file.name.as_str());
            let files = names.filter(|name| is_inside(name)).map(open).collect();
            let now = Bytes::open(&file)?;
            if *now == *bytes {
                return Ok(Self { path: path.to_owned(), name, manifest, files });
            }
            bytes = now;
        }
        Err(Error::model(name, "keeps being replaced while it is opened: try again later"))
    }
}

/// Returns true if a name denotes a file in the same folder; an altered manifest may contain other
/// names.
fn is_inside(name: &str) -> bool {
    Path::new(name).components().count() == 1 && !name.starts_with('.')
}

impl Store for Folder {
    fn name(&self) -> &str {
        &self.name
    }

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn section(&self, name: &str) -> Result<Bytes> {
        if !is_inside(name) {
            let problem =
                format!("\"{name}\" is not a valid name of a model's file: the manifest was altered");
            return Err(self.wrong(problem));
        }
        let path = self.path.join(name);
        let bytes = match self.files.iter().find(|(file, _)| file == name) {
            Some((_, Ok(file))) => {
                // Each reader needs its own position: the same file may be requested again.
                let file = file.try_clone().and_then(|mut file| file.rewind().map(|()| file));
                Bytes::of_file(file.map_err(|error| Error::io("read", &path, error))?, &path)?
            }
            _ if path.exists() => Bytes::open(&path)?,
            _ => {
                return Err(self.wrong(format!("{name} is missing: copy the model again or train it again")));
            }
        };
        checked(self, name, bytes)
    }
}

/// A model in one sequence of bytes: a packed file, or bytes in memory.
#[derive(Debug)]
pub struct Packed {
    name: String,
    bytes: Bytes,
    manifest: Manifest,
    table: Vec<(String, Range<usize>)>,
}

impl Packed {
    /// Reads the header of a packed model, which may be compressed; errors name the model as `name`.
    ///
    /// # Errors
    /// If the bytes are truncated, of another format or something else.
    pub fn open(name: impl Into<String>, bytes: Bytes) -> Result<Self> {
        let name = name.into();
        let input = Input::new(&name, Cursor::new(bytes.clone()))?;
        let bytes = if input.is_compressed() { input.bytes_of_model()?.into() } else { bytes };
        let table = table(&bytes).map_err(|problem| Error::model(&name, problem))?;
        let (_, manifest) = table.iter().find(|(section, _)| section == MANIFEST).ok_or_else(|| {
            Error::model(&name, format!("there is no {MANIFEST} in it: train the model again"))
        })?;
        let manifest = Manifest::read(&bytes[manifest.clone()], &name)?;
        Ok(Self { name, bytes, manifest, table })
    }
}

/// Returns the ranges of the sections of a packed model, after a check that all of them are inside
/// the model.
fn table(bytes: &[u8]) -> Result<Vec<(String, Range<usize>)>, String> {
    if !bytes.starts_with(MAGIC) {
        return Err(
            "this is not a packed model: it does not begin with MAJUSCUL; name a model made by train".into(),
        );
    }
    let cut_off = || "the model is cut off: copy it again or train it again".to_owned();
    let number = |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let format = number(8).ok_or_else(cut_off)?;
    check_format(format)?;
    let count = number(12).ok_or_else(cut_off)? as usize;
    let entries =
        bytes.get(16..).and_then(|rest| rest.get(..count.checked_mul(ENTRY)?)).ok_or_else(cut_off)?;
    let mut table = Vec::new();
    for entry in entries.chunks_exact(ENTRY) {
        let long = |at: usize| {
            usize::try_from(u64::from_le_bytes(entry[at..at + 8].try_into().expect("eight bytes"))).ok()
        };
        let name = entry[..NAME].split(|&b| b == 0).next().unwrap_or_default();
        let range = long(NAME).and_then(|start| Some(start..start.checked_add(long(NAME + 8)?)?));
        let range = range.filter(|range| range.end <= bytes.len()).ok_or_else(cut_off)?;
        table.push((String::from_utf8_lossy(name).into_owned(), range));
    }
    Ok(table)
}

impl Store for Packed {
    fn name(&self) -> &str {
        &self.name
    }

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn section(&self, name: &str) -> Result<Bytes> {
        let found = self.table.iter().find(|(section, _)| section == name);
        let missing = || self.wrong(format!("there is no {name} in it: train the model again"));
        let (_, range) = found.ok_or_else(missing)?;
        let bytes = self.bytes.slice(range.clone());
        // A built-in model was checked when it was built.
        if let Bytes::Static(_) = bytes {
            return Ok(bytes);
        }
        checked(self, name, bytes)
    }
}

impl Draft {
    /// Creates a model like a stored one, but with these settings of the method and these sections.
    ///
    /// # Errors
    /// If the settings cannot be written.
    pub fn like(
        store: &dyn Store,
        settings: &impl Serialize,
        sections: Vec<Section>,
    ) -> serde_json::Result<Self> {
        let mut manifest = store.manifest().clone();
        let settings = serde_json::to_value(settings)?;
        if let (Some(all), Some(settings)) = (manifest.settings.as_object_mut(), settings.as_object()) {
            all.extend(settings.clone());
        }
        Ok(Self::new(manifest, sections))
    }

    /// Writes the model as a folder that appears only once it is complete. An existing model is
    /// replaced only with `force`.
    ///
    /// # Errors
    /// If an existing folder may not be replaced, or the system cannot write.
    pub fn save(&self, path: impl AsRef<Path>, force: bool) -> Result<()> {
        files::publish_folder(path, force.then_some(MANIFEST), |folder| {
            for (name, bytes) in &self.sections {
                write(&folder.join(name), bytes)?;
            }
            write(&folder.join(MANIFEST), &self.manifest_bytes())
        })
    }

    /// Returns the model as the bytes of one packed file.
    pub fn pack(&self) -> Vec<u8> {
        let manifest = self.manifest_bytes();
        let mut sections = vec![(MANIFEST, &manifest)];
        sections.extend(self.sections.iter().map(|(name, bytes)| (name.as_str(), bytes)));
        let mut head = MAGIC.to_vec();
        head.extend(FORMAT.to_le_bytes());
        head.extend((sections.len() as u32).to_le_bytes());
        let mut body = Vec::new();
        let start = (head.len() + sections.len() * ENTRY).next_multiple_of(ALIGN);
        for (name, bytes) in sections {
            assert!(name.len() <= NAME, "a section's name has at most {NAME} bytes");
            head.extend(name.bytes().chain(std::iter::repeat(0)).take(NAME));
            head.extend(((start + body.len()) as u64).to_le_bytes());
            head.extend((bytes.len() as u64).to_le_bytes());
            body.extend(bytes);
            body.resize(body.len().next_multiple_of(ALIGN), 0);
        }
        head.resize(start, 0);
        head.extend(body);
        head
    }
}

/// Returns the largest number of bytes that a section of this size needs in a packed model.
pub fn packed(section: usize) -> usize {
    // The entry of the section, its bytes and the padding of both.
    ENTRY + section.next_multiple_of(ALIGN)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    use std::io::Write;
    let written = File::create_new(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(|error| Error::io("write", path, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_text::{Labels, Locale};

    #[test]
    fn damage_in_a_model_that_is_mapped_is_noticed_when_it_is_opened() {
        let manifest = Manifest {
            format: FORMAT,
            method: "majority".into(),
            language: "en".into(),
            locale: Locale::default(),
            version: "0".into(),
            settings: serde_json::Value::Null,
            trained_on: Default::default(),
            labels: Labels::cases(),
            files: Vec::new(),
        };
        // More than the file contains.
        let draft = Draft::new(manifest, vec![("words.bin".into(), vec![7; (64 << 20) + 1])]);
        let temporary = tempfile::tempdir().unwrap();
        let [folder, packed] = ["folder", "packed"].map(|name| temporary.path().join(name));
        draft.save(&folder, false).unwrap();
        std::fs::write(&packed, draft.pack()).unwrap();
        for (model, file) in [(&folder, folder.join("words.bin")), (&packed, packed.clone())] {
            assert!(open(model).unwrap().section("words.bin").is_ok());
            alter(&file, 60 << 20);
            let error = open(model).unwrap().section("words.bin").unwrap_err().to_string();
            assert!(error.contains("words.bin has checksum") && error.contains("altered"), "{error}");
        }
    }

    fn alter(file: &Path, at: u64) {
        use std::io::{SeekFrom, Write};
        let mut file = File::options().write(true).open(file).unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&[0]).unwrap();
    }
}
