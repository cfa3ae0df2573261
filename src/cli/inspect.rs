//! `majuscule inspect`: what a model is, and whether it is whole.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use super::page::print;
use crate::methods::load;
use crate::model;

/// Prints what a model is, and compares its files with their checksums
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A model folder, or a packed model
    #[arg(value_name = "FOLDER")]
    model: PathBuf,
    /// Print the manifest as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the manifest once the files are seen to be whole.
pub fn run(args: Args) -> Result<ExitCode> {
    let store = model::open(&args.model)?;
    store.check()?;
    load(&*store)?;
    let manifest = store.manifest();
    if args.json {
        print(&(serde_json::to_string_pretty(manifest)? + "\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = format!(
        "method      {}\nlanguage    {} (case pairs: {})\nformat      {}, made by majuscule {}\nsettings    {}\n",
        manifest.method,
        manifest.language,
        manifest.locale,
        manifest.format,
        manifest.version,
        manifest.settings
    );
    page += &format!(
        "trained on  {}\nprotocol    {}\n",
        shortened(&manifest.trained_on.files),
        manifest.trained_on.protocol
    );
    for file in &manifest.files {
        page += &format!("file        {}: {} bytes, crc32 {}, whole\n", file.name, file.bytes, file.crc32);
    }
    print(&page)?;
    Ok(ExitCode::SUCCESS)
}

/// The names of files; of many, the first ones. `--json` has all.
fn shortened(files: &[String]) -> String {
    const SHOWN: usize = 12;
    match files.len().saturating_sub(SHOWN) {
        0 => files.join(", "),
        more => format!("{} and {more} more", files[..SHOWN].join(", ")),
    }
}
