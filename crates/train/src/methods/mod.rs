//! Training of methods: the interface of their settings, and the resulting models.

pub mod balance;
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

use crate::corpus::{Corpus, Protocol};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files;
use majuscule_methods::model::{Draft, FORMAT, Manifest, Section, Store, Training};
use majuscule_text::{Labels, Locale};

/// The settings of a method to be trained.
pub trait Learner: Debug + Send + Sync {
    /// Returns the method's name in manifests and on the command line.
    fn name(&self) -> &'static str;

    /// Returns the files that are read besides the corpus.
    fn inputs(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns warnings about settings that are accepted but may not be intended, with marked
    /// names of options ([`majuscule_base::error::worded`]).
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns notes for the user on a trained model, with marked names of options
    /// ([`majuscule_base::error::worded`]).
    fn notes(&self, draft: &Draft) -> Vec<String> {
        let _ = draft;
        Vec::new()
    }

    /// Returns the checkpoint of the training, which is removed once the model is saved.
    fn checkpoint(&self) -> Option<&Path> {
        None
    }

    /// Returns the protocol under which the method is trained by default.
    fn default_protocol(&self) -> Protocol {
        Protocol::default()
    }

    /// Returns true if the method learns from a corpus alone.
    fn needs_corpus(&self) -> bool {
        true
    }

    /// Returns true if the corpus is read more than once. Standard input and pipes must then be
    /// held, as by [`Corpus::hold`].
    fn reads_again(&self) -> bool {
        true
    }

    /// Trains on a corpus.
    ///
    /// # Errors
    /// If the corpus cannot be read or is of no use for training.
    fn learn(&self, corpus: &Corpus, threads: NonZeroUsize, watch: &mut Watch<'_>) -> Result<Learned>;

    /// Checks the resulting model, for instance its size.
    ///
    /// # Errors
    /// If the model does not match the settings.
    fn check(&self, draft: &Draft) -> Result<()> {
        let _ = draft;
        Ok(())
    }
}

/// The parts of a trained model.
#[derive(Debug)]
pub struct Learned {
    /// The settings in the manifest: the settings of the model and, under `config`, of the
    /// training.
    pub settings: serde_json::Value,
    /// The labels that the model chooses among.
    pub labels: Labels,
    /// The files of the model.
    pub sections: Vec<Section>,
    /// The names of the files other than the corpus that the model was trained on.
    pub files: Vec<String>,
}

impl Learned {
    /// Creates a trained model from the settings of the model and of its training.
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

    /// Adds files that the model was trained on, by name only, since their folders differ between
    /// machines.
    #[must_use]
    pub fn trained_on(mut self, inputs: &[PathBuf]) -> Self {
        self.files.extend(inputs.iter().map(|file| files::name(file)));
        self
    }

    /// Returns the model to be saved, of the method with this name.
    fn draft(self, method: &str, language: &str, locale: Locale, mut trained_on: Training) -> Draft {
        trained_on.files.extend(self.files);
        let manifest = Manifest {
            format: FORMAT,
            method: method.to_owned(),
            language: language.to_owned(),
            locale,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            settings: self.settings,
            trained_on,
            labels: self.labels,
            files: Vec::new(),
        };
        Draft::new(manifest, self.sections)
    }
}

/// Converts a value to JSON for a manifest.
pub fn json(value: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).expect("settings have string keys only")
}

/// Trains a method on a corpus and returns a model to be saved. `files` are the names under which
/// the manifest lists the texts; `watch` receives the progress of a long training.
///
/// # Errors
/// If the corpus cannot be read or is of no use for training.
pub fn train(
    learner: &dyn Learner,
    corpus: &Corpus,
    files: Vec<String>,
    threads: NonZeroUsize,
    watch: &mut Watch<'_>,
) -> Result<Draft> {
    let learned = learner.learn(corpus, threads, watch)?;
    let trained_on = Training { files, protocol: corpus.protocol().to_string() };
    let draft = learned.draft(learner.name(), corpus.language(), corpus.locale(), trained_on);
    learner.check(&draft)?;
    Ok(draft)
}

/// The settings for adapting a method's models to another text.
pub trait Adapter: Debug + Send + Sync {
    /// Returns the method whose models are adapted.
    fn method(&self) -> &'static str;

    /// Returns the checkpoint of the adaptation, which is removed once the model is saved.
    fn checkpoint(&self) -> Option<&Path> {
        None
    }

    /// Adapts a model to a corpus.
    ///
    /// # Errors
    /// If the model is altered, or if the corpus cannot be read or has another case mapping.
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
    /// The changed settings of the model.
    pub settings: serde_json::Value,
    /// The labels, if they changed.
    pub labels: Option<Labels>,
    /// The files of the model.
    pub sections: Vec<Section>,
}

/// Adapts a model to a corpus and returns a model to be saved. `files` are the names of the texts.
/// The manifest lists them after the texts of the model, and also in its settings under `adapted`,
/// with the settings of the adaptation.
///
/// # Errors
/// If the model is of another method than the adapter; also the errors of [`Adapter::adapt`].
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
        let problem =
            format!("method \"{found}\", but the settings of adaptation are for models of {expected}");
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

/// Refuses a corpus whose case mapping differs from the case mapping of the model to be adapted.
///
/// # Errors
/// [`Error::Usage`].
pub fn check_locale(corpus: &Corpus, expected: Locale) -> Result<()> {
    let found = corpus.locale();
    if found == expected {
        return Ok(());
    }
    Err(Error::usage(format!(
        "the corpus has the case mappings of \"{found}\", but the model has the case mappings of \"{expected}\": give the language of the model with {}",
        option("lang")
    )))
}

/// Serialises files by name only, since their folders differ between machines.
///
/// # Errors
/// The errors of the serialiser.
pub fn names<'a, S: Serializer, F>(files: &'a F, serializer: S) -> std::result::Result<S::Ok, S::Error>
where
    &'a F: IntoIterator<Item = &'a PathBuf>,
{
    serializer.collect_seq(files.into_iter().map(|file| files::name(file)))
}
