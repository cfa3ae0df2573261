//! `majuscule compact`: a small form of a model.

use std::path::PathBuf;

use majuscule_base::error::{Error, Result};

use super::model_files;
use super::train::ModelTarget;
use crate::named;

/// Makes a compact version of a bert, cnn-bilstm or hmm model
///
/// A compact bert or cnn-bilstm model is a quarter of the size and cannot be trained further. It
/// computes like the original with --precision int8, also in builds without the feature neural. A
/// compact hmm model leaves out words that it can guess, and its language model takes about four
/// bytes per n-gram, a seventh of the size, with values rounded to 256 levels.
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
pub fn run(args: &CompactArgs) -> Result<()> {
    args.target.check(&model_files([&args.model]), None)?;
    let store = named::open(&args.model, "en")?;
    let small = match store.manifest().method.as_str() {
        "bert" => majuscule_methods::network::bert::in_bytes(&*store)?,
        "cnn-bilstm" => majuscule_methods::network::cnn_bilstm::in_bytes(&*store)?,
        "hmm" => majuscule_train::methods::hmm::compact(&*store)?,
        other => {
            let problem =
                format!("is a {other} model: only bert, cnn-bilstm and hmm models can be made compact");
            return Err(Error::model(store.name(), problem));
        }
    };
    args.target.publish(&small)
}
