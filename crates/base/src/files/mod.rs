//! Files: opens any input, and publishes each output as a whole.

use std::fs;
use std::path::{Path, PathBuf};

pub use encoding::{Encoding, TextEncoder, seven_bit};
pub use input::{BOM, Dribble, Input, Lines, len, not_utf8, open, undecoded, unwritten};
pub use limits::{ByteSize, Limits, bytes};
pub use outputs::{check_inputs, check_new, check_output, check_output_folder, check_replaceable};
pub use publish::{Publish, publish, publish_folder, unpublished};
pub use stamp::FileStamp;
pub use unfinished::{ScratchFile, remove_unfinished};

use crate::error::{Error, Result};

mod compression;
#[cfg_attr(not(feature = "encodings"), path = "no_double_byte.rs")]
mod double_byte;
mod encoding;
mod input;
mod limits;
mod outputs;
mod publish;
mod stamp;
mod unfinished;

/// Returns the name of a file without its folders, which differ from machine to machine.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the name of a file without the extension of its compression, if it has one.
pub fn uncompressed_name(name: &str) -> &str {
    [".gz", ".zst", ".xz"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// Returns the entries of a folder, sorted by name, without names that begin with a full stop.
///
/// # Errors
/// If the folder cannot be read.
pub fn paths_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let error = |error| Error::io("read", folder, error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if !name(&path).starts_with('.') {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    Ok(paths)
}
