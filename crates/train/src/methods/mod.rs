//! The training of methods: what each says of itself, and the model that comes out.

pub mod checkpoint;
pub mod forms;
pub mod hmm;
pub mod log;
pub mod majority;
pub mod maxent;
mod progress;

use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

pub use progress::{Left, Progress, Watch};
use serde::{Serialize, Serializer};

use crate::corpus::Corpus;
use majuscule::error::{Error, Result};
use majuscule::files;
use majuscule::model::{Draft, FORMAT, Manifest, Section, Store, Training};
use majuscule::text::{Labels, Locale};

/// The settings of a method, about to be trained.
pub trait Learner: Debug + Send + Sync {
    /// The method's name in manifests and on the command line.
    fn name(&self) -> &'static str;

    /// The files that are read beside the corpus.
    fn inputs(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Settings that are accepted but may not be meant.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Remarks on a trained model for its user.
    fn notes(&self, draft: &Draft) -> Vec<String> {
        let _ = draft;
        Vec::new()
    }

    /// The file of the training's progress, to be removed once the model is saved.
    fn checkpoint(&self) -> Option<&Path> {
        None
    }

    /// Returns true where the method learns from a corpus alone.
    fn needs_corpus(&self) -> bool {
        true
    }

    /// Returns true where the corpus is read more than once: standard input and pipes then have to be held, as
    /// [`Corpus::hold`] does.
    fn reads_again(&self) -> bool {
        true
    }

    /// Trains on a corpus.
    ///
    /// # Errors
    /// Where the corpus cannot be read or is no use for training.
    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, watch: &mut Watch<'_>) -> Result<Learned>;

    /// Checks the model that came out, such as its size.
    ///
    /// # Errors
    /// Where it is not what the settings ask for.
    fn check(&self, draft: &Draft) -> Result<()> {
        let _ = draft;
        Ok(())
    }
}

/// The parts of a trained model.
#[derive(Debug)]
pub struct Learned {
    /// The settings of its manifest: how the model works, and under `config` all that was asked for.
    pub settings: serde_json::Value,
    /// The labels that it chooses among.
    pub labels: Labels,
    /// Its files.
    pub sections: Vec<Section>,
    /// The names of the files that it was trained on, beside the corpus.
    pub files: Vec<String>,
}

impl Learned {
    /// A model that `model` says how it works of, trained as `config` says.
    pub fn new(
        model: &impl Serialize,
        config: &impl Serialize,
        labels: &Labels,
        sections: Vec<Section>,
    ) -> Self {
        let mut settings = json(model);
        settings["config"] = json(config);
        Self { settings, labels: labels.clone(), sections, files: Vec::new() }
    }

    /// Adds files that it was trained on, by their names alone: their folders differ from machine to machine.
    #[must_use]
    pub fn trained_on(mut self, inputs: &[PathBuf]) -> Self {
        self.files.extend(inputs.iter().map(|file| files::name(file)));
        self
    }
}

/// A value as a manifest holds it.
pub fn json(value: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).expect("settings have string keys only")
}

/// Trains a method on a corpus and makes a model to be saved. `files` are the names of the texts in its manifest; `watch` is told
/// the progress of a long training.
///
/// # Errors
/// Where the corpus cannot be read or is no use for training.
pub fn train(
    learner: &dyn Learner,
    corpus: &Corpus,
    mut files: Vec<String>,
    threads: NonZeroUsize,
    watch: &mut Watch<'_>,
) -> Result<Draft> {
    let learned = learner.learn(corpus, threads, watch)?;
    files.extend(learned.files);
    let manifest = Manifest {
        format: FORMAT,
        method: learner.name().to_owned(),
        language: corpus.language().to_owned(),
        locale: corpus.locale(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        settings: learned.settings,
        trained_on: Training { files, protocol: corpus.protocol().to_string() },
        labels: learned.labels,
        files: Vec::new(),
    };
    let draft = Draft::new(manifest, learned.sections);
    learner.check(&draft)?;
    Ok(draft)
}

/// The settings of an adaptation of a method's models to another text.
pub trait Adapter: Debug + Send + Sync {
    /// The method whose models are adapted.
    fn method(&self) -> &'static str;

    /// The file of the adaptation's progress, to be removed once the model is saved.
    fn checkpoint(&self) -> Option<&Path> {
        None
    }

    /// Adapts a model to a corpus.
    ///
    /// # Errors
    /// Where the model is altered, or the corpus cannot be read or pairs letters in another way.
    fn adapt(
        &self,
        store: &dyn Store,
        corpus: &Corpus,
        threads: NonZeroUsize,
        watch: &mut Watch<'_>,
    ) -> Result<Adapted>;
}

/// The parts of an adapted model.
#[derive(Debug)]
pub struct Adapted {
    /// The settings of the adaptation, as the manifest keeps them.
    pub config: serde_json::Value,
    /// The settings of the model that are others now.
    pub settings: serde_json::Value,
    /// The labels, where they are others now.
    pub labels: Option<Labels>,
    /// The files of the model.
    pub sections: Vec<Section>,
}

/// Adapts a model to a corpus and makes a model to be saved. `files` are the names of the texts, which the manifest names beside those
/// of the model; under `adapted` its settings hold them and the rest of what was asked for.
///
/// # Errors
/// Where the model is of another method than the adapter, and those of [`Adapter::adapt`].
pub fn adapt(
    adapter: &dyn Adapter,
    store: &dyn Store,
    corpus: &Corpus,
    files: Vec<String>,
    threads: NonZeroUsize,
    watch: &mut Watch<'_>,
) -> Result<Draft> {
    let mut manifest = store.manifest().clone();
    if manifest.method != adapter.method() {
        let (found, expected) = (&manifest.method, adapter.method());
        let problem = format!("method \"{found}\", but how to adapt it is said for models of {expected}");
        return Err(Error::model(store.name(), problem));
    }
    let adapted = adapter.adapt(store, corpus, threads, watch)?;
    for (name, value) in adapted.settings.as_object().into_iter().flatten() {
        manifest.settings[name] = value.clone();
    }
    if let Some(labels) = adapted.labels {
        manifest.labels = labels;
    }
    let mut record = adapted.config;
    record["files"] = files.clone().into();
    record["protocol"] = corpus.protocol().to_string().into();
    let mut records = manifest.settings["adapted"].as_array().cloned().unwrap_or_default();
    records.push(record);
    manifest.settings["adapted"] = records.into();
    manifest.trained_on.files.extend(files);
    manifest.version = env!("CARGO_PKG_VERSION").to_owned();
    Ok(Draft::new(manifest, adapted.sections))
}

/// Refuses a corpus that pairs letters in another way than the model that is adapted to it.
///
/// # Errors
/// [`Error::Usage`].
pub fn check_locale(corpus: &Corpus, expected: Locale) -> Result<()> {
    let found = corpus.locale();
    if found == expected {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "the corpus pairs letters as \"{found}\" does, but the model as \"{expected}\" does: give the language of the model with --lang"
    )))
}

/// Serialises files by name alone: their folders differ from machine to machine.
///
/// # Errors
/// Those of the serializer.
pub fn names<'a, S: Serializer, F>(files: &'a F, serializer: S) -> std::result::Result<S::Ok, S::Error>
where
    &'a F: IntoIterator<Item = &'a PathBuf>,
{
    serializer.collect_seq(files.into_iter().map(|file| files::name(file)))
}
