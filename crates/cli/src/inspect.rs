//! `majuscule inspect`: describes a model and checks its files.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;

use super::methods::methods;
use super::named;
use super::page::print;
use majuscule_base::printable::printable;
use majuscule_methods::Backend;
use majuscule_methods::model::FileRecord;
use majuscule_restore::models::Model;
use majuscule_text::restorer::LayerWeights;

/// Describes a model, and compares its files with their checksums
///
/// For a bert model it also prints the weight of each encoder layer and the centre of gravity of
/// these weights: the sum of each layer's number times its weight, where layer 0 is the embeddings.
/// Divided by the number of layers, the centre of gravity is comparable between encoders.
#[derive(Debug, clap::Args)]
pub struct InspectArgs {
    /// Model, a folder or packed file; accurate and fast are the built-in ones of --lang
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Language of the built-in model
    #[arg(long, value_name = "LANG", default_value = "en", value_parser = super::page::language)]
    lang: String,
    /// Print the manifest as JSON, with the layer weights if there are any
    #[arg(long)]
    json: bool,
}

/// Checks the files and prints the manifest.
pub fn run(args: InspectArgs) -> Result<()> {
    let store = named::open(&args.model, &args.lang)?;
    store.check()?;
    let Model { manifest, restorer } = methods().load(&*store, &Backend::default())?;
    let details = restorer.details();
    let layers = details.and_then(|details| details.layer_weights());
    if args.json {
        let mut object = serde_json::to_value(&*manifest)?;
        if let Some(layers) = &layers {
            object["layers"] = json!({
                "weights": layers.0,
                "centre_of_gravity": layers.centre(),
                "centre_of_gravity_by_layers": layers.relative_centre(),
            });
        }
        return Ok(print(&(serde_json::to_string_pretty(&object)? + "\n"))?);
    }
    let mut page = format!(
        "method      {}\nlanguage    {} (case mappings: {})\nformat      {}, made by majuscule {}\nsettings    {}\n\
         trained on  {}\nprotocol    {}\n",
        printable(&manifest.method),
        printable(&manifest.language),
        manifest.locale,
        manifest.format,
        printable(&manifest.version),
        printable(&manifest.settings.to_string()),
        printable(&first_names(&manifest.trained_on.files)),
        printable(&manifest.trained_on.protocol)
    );
    for FileRecord { name, bytes, crc32 } in &manifest.files {
        let (name, crc32) = (printable(name), printable(crc32));
        page += &format!("file        {name}: {bytes} bytes, crc32 {crc32}, whole\n");
    }
    page += &layers.as_ref().map(lines).unwrap_or_default();
    Ok(print(&page)?)
}

/// Returns one line per layer, and the centre of gravity.
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

/// Returns the names of the files, or the first names of many files; `--json` prints all names.
fn first_names(files: &[String]) -> String {
    const SHOWN: usize = 12;
    match files.len().saturating_sub(SHOWN) {
        0 => files.join(", "),
        more => format!("{} and {more} more", files[..SHOWN].join(", ")),
    }
}
