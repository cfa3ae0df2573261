//! `majuscule models`: lists the models of the presets, and says how to get those that are missing.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use super::methods::methods;
use super::page::print;
use majuscule_base::bytes::Bytes;
use majuscule_base::error::{Error, Result as Listed};
use majuscule_base::named::NamedValue;
use majuscule_base::printable::printable;
use majuscule_methods::model::{FileRecord, ShippedModel, Store};
use majuscule_restore::models::{LANGUAGES, Methods, Preset};
use majuscule_text::Language;

/// Lists the models of the presets, built in and external, and explains how to get others
///
/// The checksums of each model are verified. A file that a preset cannot use is shown with the reason,
/// and the exit code is 1.
#[derive(Debug, clap::Args)]
pub struct ModelsArgs {
    /// List the models of this language only
    #[arg(long, value_name = "LANG", value_parser = super::page::language)]
    lang: Option<String>,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

/// The model of a preset of a language.
#[derive(Serialize)]
struct ListedModel {
    #[serde(rename = "model")]
    name: String,
    language: String,
    preset: &'static str,
    /// The file or folder; `None` if the model is built in or missing.
    path: Option<PathBuf>,
    #[serde(flatten)]
    state: ModelState,
}

/// The state of a model.
#[derive(Serialize)]
#[serde(untagged)]
enum ModelState {
    Whole { method: String, bytes: u64, crc32: Option<String>, licence: Option<&'static str> },
    Missing { missing: bool },
    Unusable { problem: String },
}

/// Prints the list.
pub fn run(args: &ModelsArgs) -> Result<ExitCode> {
    let methods = methods();
    let languages: Vec<&str> = match &args.lang {
        Some(language) => vec![language],
        None => LANGUAGES.to_vec(),
    };
    let presets = |language| Preset::VALUES.iter().map(move |(preset, ..)| (language, *preset));
    let all = languages.into_iter().flat_map(presets);
    let all: Vec<ListedModel> =
        all.map(|(language, preset)| listed(&methods, language, preset)).collect::<Listed<_>>()?;
    let folders = methods.model_folders();
    print(&match args.json {
        true => serde_json::to_string_pretty(&json!({ "models": all, "folders": folders }))? + "\n",
        false => page(&all, &folders),
    })?;
    let is_unusable = |model: &ListedModel| matches!(model.state, ModelState::Unusable { .. });
    Ok(if all.iter().any(is_unusable) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Looks for the model of a preset, and compares it with its checksums.
///
/// # Errors
/// If `language` is not the tag of a language.
fn listed(methods: &Methods, language: &str, preset: Preset) -> Listed<ListedModel> {
    let path = methods.preset_path(language, preset)?;
    let name = format!("{language}.{}", preset.name());
    let unusable = |error: Error| ModelState::Unusable { problem: error.to_string() };
    let state = match methods.preset_store(language, preset) {
        // Without a file there is nothing that could be unusable.
        Err(_) if path.is_none() => ModelState::Missing { missing: true },
        Err(error) => unusable(error),
        Ok(store) => whole(&*store, &name, path.as_deref()).unwrap_or_else(unusable),
    };
    Ok(ListedModel { name, language: language.to_owned(), preset: preset.name(), path, state })
}

/// Describes a model after a check.
///
/// # Errors
/// If a file of it is altered or cannot be read.
fn whole(store: &dyn Store, name: &str, path: Option<&Path>) -> Listed<ModelState> {
    store.check()?;
    let manifest = store.manifest();
    let of_language = || Language::of(&manifest.language).and_then(|language| language.licence);
    let (bytes, crc32, licence) = match path {
        Some(file) if file.is_file() => {
            let FileRecord { bytes, crc32, .. } = FileRecord::of(name, &Bytes::open(file)?);
            let named = file.file_name().and_then(|name| name.to_str()).and_then(ShippedModel::named);
            let shipped = named.filter(|shipped| shipped.crc32 == crc32);
            (bytes, Some(crc32), shipped.map(|shipped| shipped.licence))
        }
        _ => {
            let bytes = manifest.files.iter().map(|file| file.bytes).sum();
            (bytes, None, of_language().filter(|_| path.is_none()))
        }
    };
    Ok(ModelState::Whole { method: manifest.method.clone(), bytes, crc32, licence })
}

impl ListedModel {
    /// Returns the line of this model in the list.
    fn line(&self) -> String {
        let name = &self.name;
        match &self.state {
            ModelState::Whole { method, bytes, crc32, licence } => {
                let place =
                    self.path.as_ref().map_or("built in".to_owned(), |path| path.display().to_string());
                let crc32 = crc32.as_ref().map_or_else(String::new, |crc32| format!("crc32 {crc32}"));
                format!(
                    "{name:<12} {method:<10} {:>5.1} MB  {crc32:<14}  {:<15}  {}\n",
                    *bytes as f64 / 1e6,
                    licence.unwrap_or("unknown licence"),
                    printable(&place),
                    method = printable(method),
                )
            }
            ModelState::Missing { .. } => format!("{name:<12} missing\n"),
            ModelState::Unusable { problem } => {
                format!("{name:<12} cannot be used: {}\n", printable(problem))
            }
        }
    }
}

/// Returns the list as text, followed by instructions on how to get the missing models.
fn page(all: &[ListedModel], folders: &[PathBuf]) -> String {
    let mut page: String = all.iter().map(ListedModel::line).collect();
    let is_missing = |model: &&ListedModel| matches!(model.state, ModelState::Missing { .. });
    let missing: Vec<&ListedModel> = all.iter().filter(is_missing).collect();
    if missing.is_empty() {
        return page;
    }
    page.push('\n');
    let shipped = missing.iter().filter_map(|model| ShippedModel::of(&model.language, model.preset));
    let mut shipped: Vec<_> = shipped.collect();
    // One model may serve several languages, which follow each other.
    shipped.dedup();
    for ShippedModel { folder, name, .. } in shipped {
        page += &format!("Copy {folder}/{name} from the source of majuscule.\n");
    }
    page += "To make a model that does not come with majuscule: majuscule train cnn-bilstm for small,\n\
             train bert for best or train hmm for ngram, then majuscule compact --pack LANG.PRESET.\n\
             Put it into one of these folders, or name its folder in MAJUSCULE_MODELS:\n";
    for folder in folders {
        page += &format!("  {}\n", printable(&folder.display().to_string()));
    }
    page
}
