//! `majuscule restore`: restores capital letters and punctuation in texts.

mod arguments;
mod check;
mod conversion;
mod help;
mod progress;
mod run;

pub use arguments::RestoreArgs;
pub use help::in_groups;
pub use run::run;

use std::path::Path;

/// Returns the name of a file in messages.
fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
}
