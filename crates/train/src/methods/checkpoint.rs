//! Shared parts of the checkpoints of all methods: the settings that identify a training, and the
//! errors for a checkpoint of another training.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::corpus::Corpus;
use majuscule_base::error::Error;
use majuscule_base::files::Encoding;

/// Returns, as JSON, all settings that the states of a training depend on, but not the contents of
/// its files. `version` has to change whenever states change in meaning.
pub fn settings(config: &impl Serialize, version: String, corpus: &Corpus) -> String {
    let value = serde_json::to_value(config).expect("settings have string keys only");
    let mut settings: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
    let reading = corpus.reading();
    let files = corpus.files().into_iter().map(|(name, bytes)| match bytes {
        Some(bytes) => format!("{name} of {bytes} bytes"),
        None => name,
    });
    let others: [(&str, Value); 9] = [
        ("version", version.into()),
        ("corpus", files.collect::<Vec<_>>().into()),
        ("protocol", corpus.protocol().to_string().into()),
        ("lang", reading.language().into()),
        ("locale", corpus.locale().to_string().into()),
        ("format", format!("{:?}", reading.format).to_lowercase().into()),
        ("field", reading.field.clone().into()),
        ("encoding", reading.encoding.as_ref().map(Encoding::name).into()),
        ("split", reading.split.into()),
    ];
    settings.extend(others.map(|(name, value)| (name.to_owned(), value)));
    Value::Object(settings).to_string()
}

/// Returns an error that names the first difference between the settings with which a training
/// began and the current settings.
pub fn other_settings(file: &str, found: &[u8], expected: &str) -> Error {
    let parsed = |bytes: &[u8]| serde_json::from_slice::<Map<String, Value>>(bytes).unwrap_or_default();
    let (found, expected) = (parsed(found), parsed(expected.as_bytes()));
    let of = |settings: &Map<String, Value>, name: &str| {
        settings.get(name).map_or("none".to_owned(), Value::to_string)
    };
    let differs = expected.keys().chain(found.keys()).find(|name| found.get(*name) != expected.get(*name));
    let name = differs.map_or("settings", String::as_str);
    let (theirs, ours) = (of(&found, name), of(&expected, name));
    Error::usage(format!(
        "{file} is of a training with {name} {theirs}, but this one has {ours}: continue with the same settings, or remove the file to start again",
        name = name.replace('_', "-")
    ))
}

/// Returns the error for an input, described by `what`, whose contents changed after the training
/// began.
pub fn altered_input(file: &str, what: &str) -> Error {
    let cure = "give the original files, or remove the checkpoint to start again";
    Error::file(file, format!("{what} has been changed since the training began: {cure}"))
}
