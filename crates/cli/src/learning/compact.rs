//! `majuscule compact`: a model of a network in a quarter of its size.

use std::path::PathBuf;
use std::process::ExitCode;

use super::model_files;
use super::train::ModelTarget;
use crate::named;

/// Makes a small form of a bert model, a quarter of its size, whose weights are bytes
///
/// It computes as the model does with --precision int8, and so do builds without the feature neural.
/// It cannot be trained further.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  majuscule compact my-tagger --pack my.packed
  majuscule restore --model my.packed TEXT")]
pub struct CompactArgs {
    /// Model, a folder or packed file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    target: ModelTarget,
}

/// Makes the small form and writes it.
pub fn run(args: &CompactArgs) -> anyhow::Result<ExitCode> {
    args.target.check(&model_files([&args.model]), None)?;
    let store = named::open(&args.model, "en")?;
    args.target.publish(&majuscule_network::bert::in_bytes(&*store)?)?;
    Ok(ExitCode::SUCCESS)
}
