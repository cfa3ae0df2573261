//! `majuscule restore`: restores capital letters in texts.

mod arguments;
mod check;
mod conversion;
mod progress;
mod run;

pub use arguments::RestoreArgs;
pub use run::run;

use std::path::Path;

/// The name of a file in messages.
fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
}
