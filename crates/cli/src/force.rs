//! The permission to replace outputs: without it, no verb overwrites an existing file or folder.

use std::path::Path;

use majuscule_base::error::Result;
use majuscule_base::files;

/// The option of every verb that writes files.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[group(skip)]
pub struct ForceArg {
    /// Replace outputs that exist already
    #[arg(long)]
    force: bool,
}

impl ForceArg {
    /// Returns true if outputs that exist may be replaced.
    pub fn is_given(self) -> bool {
        self.force
    }

    /// Refuses, before any work is done, an output file that is one of the inputs, or that exists
    /// already and may not be replaced.
    ///
    /// # Errors
    /// If the output is refused.
    pub fn check(self, output: &Path, inputs: &[impl AsRef<Path>]) -> Result<()> {
        files::check_output(output, inputs)?;
        if self.force { Ok(()) } else { files::check_new(output) }
    }
}
