//! `majuscule inspect`: describes a model and checks its files.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::methods::methods;
use super::named;
use super::page::print;
use majuscule_base::error::{Error, Result as Restored};
use majuscule_base::files::{self, Limits};
use majuscule_base::printable::printable;
use majuscule_methods::Backend;
use majuscule_methods::model::FileRecord;
use majuscule_restore::models::Model;
use majuscule_text::restorer::{EncoderCheck, LayerWeights};

/// Describes a model, and compares its files with their checksums
///
/// For a bert model it also prints the weight of each encoder layer and the centre of gravity of
/// these weights: the sum of each layer's number times its weight, where layer 0 is the embeddings.
/// Divided by the number of layers, the centre of gravity is comparable between encoders.
#[derive(Debug, clap::Args)]
pub struct InspectArgs {
    /// The limits on the memory that a file may take.
    #[arg(from_global, id = "input_limit")]
    limits: Limits,
    /// Model, a folder or packed file; accurate and fast are the built-in ones of --lang
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Language of the built-in model
    #[arg(long, value_name = "LANG", default_value = "en", value_parser = super::page::language)]
    lang: String,
    /// Print the manifest as JSON, with the layer weights if there are any
    #[arg(long)]
    json: bool,
    /// Check the encoder of a bert model: compute the last hidden states of a text (by default a
    /// short English one) with candle-transformers too, and print the largest differences from the
    /// states of the training graph and of the CPU engine. A difference that rounding does not
    /// explain is an error
    #[arg(long, value_name = "TEXT", num_args = 0..=1, require_equals = true)]
    check_encoder: Option<Option<PathBuf>>,
}

/// A text for the encoder: common words, names, numbers, marks inside words, and letters with marks.
const TEXT: &str = "\
the minister met angela merkel in lisbon on monday and gave her the 25 letters of 1.5 million readers
who asked us what o'neill-smith of the bbc had said about são paulo and the café at münchen's station
i
";

/// Checks the files and prints the manifest.
pub fn run(args: InspectArgs) -> Result<ExitCode> {
    let store = named::open(&args.model, &args.lang)?;
    store.check()?;
    let Model { manifest, restorer } = methods().load(&*store, &Backend::default())?;
    let details = restorer.details();
    let layers = details.and_then(|details| details.layer_weights());
    let check = args.check_encoder.as_ref().map(|text| -> Restored<EncoderCheck> {
        let text = text.as_ref().map_or_else(|| Ok(TEXT.to_owned()), |text| files::open(text)?.within(args.limits).text())?;
        let check = details.and_then(|details| details.check_encoder(&text));
        let method = printable(&manifest.method);
        check.ok_or_else(|| {
            let model = args.model.display();
            Error::usage(match manifest.method == "bert" {
                true => format!(
                    "{model} cannot be checked here: check a model with floating-point weights, in a build with --features neural"
                ),
                false => format!("{model} is a {method} model: only bert models have an encoder to check"),
            })
        })?
    });
    let check = check.transpose()?;
    if args.json {
        let mut object = serde_json::to_value(&*manifest)?;
        if let Some(layers) = &layers {
            object["layers"] = facts(layers);
        }
        if let Some(check) = &check {
            let EncoderCheck { graph, engine, largest, subwords } = check;
            let tolerance = check.tolerance();
            object["encoder_check"] = json!({
                "graph": graph, "engine": engine, "largest": largest, "subwords": subwords, "tolerance": tolerance
            });
        }
        print(&(serde_json::to_string_pretty(&object)? + "\n"))?;
        return passed(&args.model, check);
    }
    let mut page = format!(
        "method      {}\nlanguage    {} (case pairs: {})\nformat      {}, made by majuscule {}\nsettings    {}\n",
        printable(&manifest.method),
        printable(&manifest.language),
        manifest.locale,
        manifest.format,
        printable(&manifest.version),
        printable(&manifest.settings.to_string())
    );
    page += &format!(
        "trained on  {}\nprotocol    {}\n",
        printable(&first_names(&manifest.trained_on.files)),
        printable(&manifest.trained_on.protocol)
    );
    for FileRecord { name, bytes, crc32 } in &manifest.files {
        let (name, crc32) = (printable(name), printable(crc32));
        page += &format!("file        {name}: {bytes} bytes, crc32 {crc32}, whole\n");
    }
    page += &layers.as_ref().map(lines).unwrap_or_default();
    if let Some(EncoderCheck { graph, engine, largest, subwords }) = &check {
        let states =
            format!("in the last hidden states of {subwords} subwords, whose numbers reach {largest:.1}");
        page += &format!(
            "graph       (training) differs from candle-transformers by at most {graph:.1e} {states}\n\
             engine      (restoring on the CPU) differs from candle-transformers by at most {engine:.1e} {states}\n"
        );
    }
    print(&page)?;
    passed(&args.model, check)
}

/// Fails if an implementation of the encoder differs by more than rounding explains.
fn passed(model: &Path, check: Option<EncoderCheck>) -> Result<ExitCode> {
    let Some(check) = check.filter(|check| !check.is_passed()) else { return Ok(ExitCode::SUCCESS) };
    let EncoderCheck { graph, engine, .. } = check;
    let wrong = [("graph", graph), ("engine", engine)].into_iter().filter(|(_, by)| *by > check.tolerance());
    let wrong: Vec<String> = wrong.map(|(name, by)| format!("the {name} by {by:.1e}")).collect();
    let problem = format!(
        "its encoder differs from candle-transformers ({}) by more than rounding explains ({:.1e}): please report this bug",
        wrong.join(" and "),
        check.tolerance()
    );
    Err(Error::model(model.to_string_lossy(), problem).into())
}

/// One line per layer, and the centre of gravity.
fn lines(layers: &LayerWeights) -> String {
    let line = |(layer, weight): (usize, &f64)| {
        let what = if layer == 0 { " (embeddings)" } else { "" };
        format!("{:<12}{weight:.4}{what}\n", format!("layer {layer}"))
    };
    let mut lines: String = layers.0.iter().enumerate().map(line).collect();
    if let Some(relative) = layers.relative_centre() {
        let (centre, count) = (layers.centre(), layers.layers());
        lines +=
            &format!("gravity     centre at layer {centre:.3} of {count}: {relative:.3} of the way up\n");
    }
    lines
}

fn facts(layers: &LayerWeights) -> Value {
    json!({
        "weights": layers.0,
        "centre_of_gravity": layers.centre(),
        "centre_of_gravity_by_layers": layers.relative_centre(),
    })
}

/// The names of the files, or the first few of many; `--json` prints all.
fn first_names(files: &[String]) -> String {
    const SHOWN: usize = 12;
    match files.len().saturating_sub(SHOWN) {
        0 => files.join(", "),
        more => format!("{} and {more} more", files[..SHOWN].join(", ")),
    }
}
