//! `majuscule compact`: a small form of a model.

use std::path::PathBuf;
use std::process::ExitCode;

use majuscule::error::Error;

use super::model_files;
use super::train::ModelTarget;
use crate::named;

/// Makes a small form of a model of bert, cnn-bilstm or hmm
///
/// That of bert and of cnn-bilstm has a quarter of the size. It computes as the model does with --precision
/// int8, and so do builds without the feature neural; it cannot be trained further. That of hmm has a language
/// model of about four bytes per n-gram, a seventh of the size, with values rounded to 256 levels,
/// and leaves out words that it can guess.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  majuscule compact my-tagger --pack my.packed
  majuscule compact my-hmm -o my-small-hmm
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
    let small = match store.manifest().method.as_str() {
        "bert" => majuscule::methods::network::bert::in_bytes(&*store)?,
        "cnn-bilstm" => majuscule::methods::network::cnn_bilstm::in_bytes(&*store)?,
        "hmm" => majuscule_train::methods::hmm::compact(&*store)?,
        other => {
            let problem =
                format!("is a model of {other}: only those of bert, cnn-bilstm and hmm have a small form");
            return Err(Error::model(store.name(), problem).into());
        }
    };
    args.target.publish(&small)?;
    Ok(ExitCode::SUCCESS)
}
