//! The one list of methods: how each is loaded and trained.

#[cfg(feature = "neural")]
pub mod bert;
#[cfg(feature = "neural")]
pub mod bilstm;
mod cascade;
#[cfg(all(feature = "neural", feature = "train"))]
mod chance;
#[cfg(feature = "train")]
mod checkpoint;
pub mod computing;
mod embedded;
#[cfg(all(feature = "neural", feature = "train"))]
mod forms;
pub mod hmm;
pub mod language;
#[cfg(all(feature = "neural", feature = "train"))]
mod log;
pub mod majority;
pub mod maxent;
#[cfg(feature = "fst")]
pub mod ngram;
#[cfg(feature = "train")]
mod progress;
mod spellings;

#[cfg(feature = "train")]
use std::num::NonZeroUsize;
#[cfg(feature = "train")]
use std::path::{Path, PathBuf};

pub use cascade::{Read, cascade};
pub use computing::Computing;
pub use embedded::{LANGUAGES, Preset, embedded, embedded_as, embedded_on, embedded_store, language_of};
#[cfg(feature = "train")]
pub use progress::{Left, Progress, Watch};
#[cfg(feature = "train")]
use serde::{Serialize, Serializer};

#[cfg(feature = "train")]
use crate::corpus::Corpus;
use crate::error::{Error, Result};
#[cfg(feature = "train")]
use crate::files;
#[cfg(feature = "train")]
use crate::model::{Draft, FORMAT, Training};
use crate::model::{Manifest, Store};
use crate::restorer::Restorer;
#[cfg(feature = "train")]
use crate::text::Locale;

/// A trained model, ready for use.
pub struct Model {
    /// What it is.
    pub manifest: Manifest,
    /// What it does.
    pub restorer: Box<dyn Restorer>,
}

/// Loads a model from where it lies.
///
/// # Errors
/// [`Error::Model`] where it is of a method that this build does not have, cut off or altered.
pub fn load(store: &dyn Store) -> Result<Model> {
    load_on(store, &Computing::default())
}

/// Loads a model to compute in this way.
///
/// # Errors
/// Like [`load`], and [`Error::Usage`] where it cannot be done with its method, in this build or here.
pub fn load_on(store: &dyn Store, computing: &Computing) -> Result<Model> {
    let manifest = store.manifest().clone();
    if !is_neural(&manifest) {
        computing.refuse(&manifest.method)?;
    }
    let restorer: Box<dyn Restorer> = match manifest.method.as_str() {
        "majority" => Box::new(majority::Majority::load(store)?),
        "hmm" => Box::new(hmm::Hmm::load(store)?),
        "maxent" => Box::new(maxent::Maxent::load(store)?),
        #[cfg(feature = "fst")]
        "ngram" => Box::new(ngram::Ngram::load(store)?),
        #[cfg(feature = "neural")]
        "bert" => Box::new(bert::Bert::load(store, computing)?),
        #[cfg(feature = "neural")]
        "bilstm" => Box::new(bilstm::Bilstm::load(store)?),
        #[cfg(not(feature = "neural"))]
        method @ ("bert" | "bilstm") => {
            let problem = format!(
                "method \"{method}\", but this build computes no neural networks: build majuscule with the feature neural"
            );
            return Err(Error::model(store.name(), problem));
        }
        #[cfg(not(feature = "fst"))]
        "ngram" => {
            let problem =
                "method \"ngram\", but this build has no transducers: build majuscule with the feature fst";
            return Err(Error::model(store.name(), problem));
        }
        method => {
            let problem = format!(
                "method \"{method}\", but this build has majority, hmm, ngram, maxent, bert and bilstm: use a newer majuscule"
            );
            return Err(Error::model(store.name(), problem));
        }
    };
    Ok(Model { manifest, restorer })
}

/// Whether a model is of a method that [`Computing`] says something to.
pub fn is_neural(manifest: &Manifest) -> bool {
    manifest.method == "bert"
}

/// A method with its settings, about to be trained.
#[cfg(feature = "train")]
#[derive(Debug, Clone)]
#[cfg_attr(feature = "cli", derive(clap::Subcommand))]
pub enum Method {
    /// The most frequent form of each word, wherever it stands: the baseline
    Majority(majority::Config),
    /// Hidden Markov model: an n-gram language model of forms, decoded exactly (SRILM's disambig)
    Hmm(hmm::Config),
    /// Maximum entropy: a weighted sum of what is seen around a word
    Maxent(maxent::Config),
    /// Transducer: an n-gram language model as a weighted machine, and the best path through it
    #[cfg(feature = "fst")]
    Ngram(ngram::Config),
    /// Neural: a pretrained BERT encoder, and a label for each word from all of its layers
    #[cfg(feature = "neural")]
    Bert(bert::Config),
    /// Neural, from scratch: words and their letters, read in both directions by LSTMs, and a chain of labels (CRF)
    #[cfg(feature = "neural")]
    Bilstm(bilstm::Config),
}

#[cfg(feature = "train")]
impl Method {
    /// Its name in manifests and on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Majority(_) => "majority",
            Self::Hmm(_) => "hmm",
            Self::Maxent(_) => "maxent",
            #[cfg(feature = "fst")]
            Self::Ngram(_) => "ngram",
            #[cfg(feature = "neural")]
            Self::Bert(_) => "bert",
            #[cfg(feature = "neural")]
            Self::Bilstm(_) => "bilstm",
        }
    }

    /// The files that it reads beside the corpus.
    pub fn inputs(&self) -> Vec<PathBuf> {
        match self {
            Self::Majority(config) => config.lexicon.clone(),
            Self::Hmm(config) => config.language.inputs(),
            Self::Maxent(config) => config.inputs(),
            #[cfg(feature = "fst")]
            Self::Ngram(config) => config.language.inputs(),
            #[cfg(feature = "neural")]
            Self::Bert(config) => vec![config.encoder.clone()],
            #[cfg(feature = "neural")]
            Self::Bilstm(_) => Vec::new(),
        }
    }

    /// What may not be as it was meant, though it can be done.
    pub fn warnings(&self) -> Vec<String> {
        match self {
            #[cfg(feature = "neural")]
            Self::Bert(config) => config.warnings(),
            _ => Vec::new(),
        }
    }

    /// What its user should know of a model that was trained.
    pub fn notes(&self, draft: &Draft) -> Vec<String> {
        match self {
            Self::Maxent(_) => maxent::cut_note(&draft.manifest().settings).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Where it keeps how far its training has come: to be removed once the model is saved.
    pub fn checkpoint(&self) -> Option<&Path> {
        match self {
            Self::Maxent(config) => config.checkpoint.as_deref(),
            #[cfg(feature = "neural")]
            Self::Bert(config) => config.checkpoint.as_deref(),
            _ => None,
        }
    }

    /// Whether it learns from a corpus alone, and so cannot do without.
    pub fn needs_corpus(&self) -> bool {
        match self {
            Self::Majority(config) => config.lexicon.is_empty(),
            Self::Hmm(config) => config.language.lm.is_none(),
            Self::Maxent(_) => true,
            #[cfg(feature = "fst")]
            Self::Ngram(config) => config.language.lm.is_none(),
            #[cfg(feature = "neural")]
            Self::Bert(_) | Self::Bilstm(_) => true,
        }
    }

    /// Whether it goes over the corpus more than once: standard input and pipes then have to be held, as
    /// [`Corpus::hold`] does.
    pub fn reads_again(&self) -> bool {
        match self {
            Self::Majority(_) => false,
            Self::Hmm(_) | Self::Maxent(_) => true,
            #[cfg(feature = "fst")]
            Self::Ngram(_) => true,
            #[cfg(feature = "neural")]
            Self::Bert(_) | Self::Bilstm(_) => true,
        }
    }

    /// Trains it on a corpus and makes a model to be saved. `files` are what the manifest says it was trained on.
    ///
    /// # Errors
    /// Where the corpus cannot be read or is no use for training.
    pub fn train(&self, corpus: &Corpus, files: Vec<String>, threads: NonZeroUsize) -> Result<Draft> {
        self.train_watched(corpus, files, threads, &mut |_| {})
    }

    /// The same, and tells how far it is. So far only `bert` does.
    ///
    /// # Errors
    /// Like [`Method::train`].
    #[cfg_attr(not(feature = "neural"), allow(unused_variables, reason = "other methods tell nothing"))]
    pub fn train_watched(
        &self,
        corpus: &Corpus,
        mut files: Vec<String>,
        threads: NonZeroUsize,
        watch: &mut Watch<'_>,
    ) -> Result<Draft> {
        let (settings, labels, sections) = match self {
            Self::Majority(config) => {
                let (model, sources) = majority::train(config, corpus, threads)?;
                files.extend(sources);
                (settings(model.settings(), config), model.labels().clone(), model.sections())
            }
            Self::Maxent(config) => {
                let model = maxent::train(config, corpus, threads)?;
                files.extend(config.inputs().iter().map(|file| files::name(file)));
                (settings(model.settings(), config), model.labels().clone(), model.sections())
            }
            Self::Hmm(config) => {
                let model = hmm::train(config, corpus, threads)?;
                files.extend(config.language.inputs().iter().map(|file| files::name(file)));
                let config = config.language.recorded(config, model.guesses());
                (settings(model.settings(), &config), model.labels().clone(), model.sections())
            }
            #[cfg(feature = "fst")]
            Self::Ngram(config) => {
                let model = ngram::train(config, corpus, threads)?;
                files.extend(config.language.inputs().iter().map(|file| files::name(file)));
                let config = config.language.recorded(config, model.guesses());
                (settings(model.settings(), &config), model.labels().clone(), model.sections())
            }
            #[cfg(feature = "neural")]
            Self::Bert(config) => {
                let model = bert::train(config, corpus, threads, watch)?;
                files.push(files::name(&config.encoder));
                (settings(model.settings(), config), model.labels().clone(), model.sections()?)
            }
            #[cfg(feature = "neural")]
            Self::Bilstm(config) => {
                let model = bilstm::train(config, corpus, threads)?;
                (settings(model.settings(), config), model.labels().clone(), model.sections())
            }
        };
        let manifest = Manifest {
            format: FORMAT,
            method: self.name().to_owned(),
            language: corpus.language().to_owned(),
            locale: corpus.locale(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            settings,
            trained_on: Training { files, protocol: corpus.protocol().to_string() },
            labels,
            files: Vec::new(),
        };
        let draft = Draft::new(manifest, sections);
        if let Self::Maxent(config) = self {
            config.size.check(&draft)?;
        }
        Ok(draft)
    }
}

/// How a model is adapted, by its method.
#[cfg(feature = "train")]
#[derive(Debug, Clone)]
#[cfg_attr(feature = "cli", derive(clap::Subcommand))]
pub enum Adaptation {
    /// Weights move as far as the text has reason for (Chelba & Acero 2004)
    Maxent(maxent::Adaptation),
    /// Training goes on on the text (Rei et al. 2020)
    #[cfg(feature = "neural")]
    Bert(bert::Adaptation),
}

#[cfg(feature = "train")]
impl Adaptation {
    /// The one of a method, with nothing asked for; `None` where its models cannot be adapted.
    pub fn of(method: &str) -> Option<Self> {
        match method {
            "maxent" => Some(Self::Maxent(maxent::Adaptation::default())),
            #[cfg(feature = "neural")]
            "bert" => Some(Self::Bert(bert::Adaptation::default())),
            _ => None,
        }
    }

    /// The method whose models it is for.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Maxent(_) => "maxent",
            #[cfg(feature = "neural")]
            Self::Bert(_) => "bert",
        }
    }

    /// Where it keeps how far it has come: to be removed once the model is saved.
    pub fn checkpoint(&self) -> Option<&Path> {
        match self {
            Self::Maxent(_) => None,
            #[cfg(feature = "neural")]
            Self::Bert(adaptation) => adaptation.checkpoint.as_deref(),
        }
    }
}

/// Refuses a model that cannot be adapted.
///
/// # Errors
/// [`Error::Model`] where its method takes nothing from another text, or this build does not have it.
#[cfg(feature = "train")]
pub fn check_adaptable(store: &dyn Store) -> Result<()> {
    let method = &store.manifest().method;
    if Adaptation::of(method).is_some() {
        return Ok(());
    }
    // Where this build lacks the method, that is the reason.
    load(store)?;
    let problem = format!("method \"{method}\": only models of maxent and bert can be adapted");
    Err(Error::model(store.name(), problem))
}

/// Adapts a model to a corpus and makes a model to be saved. `files` are what its manifest says it was trained on, beside those of
/// the model; under `adapted` the settings name them and the rest of what was asked for. `watch` is told how far it is, so far by
/// `bert` alone.
///
/// # Errors
/// Where the model is of another method than the adaptation or altered, and as [`maxent::adapt`] and the one of `bert`.
#[cfg(feature = "train")]
#[cfg_attr(not(feature = "neural"), allow(unused_variables, reason = "other methods tell nothing"))]
pub fn adapt(
    adaptation: &Adaptation,
    store: &dyn Store,
    corpus: &Corpus,
    files: Vec<String>,
    threads: NonZeroUsize,
    watch: &mut Watch<'_>,
) -> Result<Draft> {
    check_adaptable(store)?;
    let mut manifest = store.manifest().clone();
    if manifest.method != adaptation.method() {
        let (found, expected) = (&manifest.method, adaptation.method());
        let problem = format!("method \"{found}\", but how to adapt it is said for models of {expected}");
        return Err(Error::model(store.name(), problem));
    }
    let value = |adapted: serde_json::Result<_>| adapted.expect("settings have string keys only");
    let (mut adapted, sections) = match adaptation {
        Adaptation::Maxent(adaptation) => {
            let model = maxent::adapt(adaptation, &maxent::Maxent::load(store)?, corpus, threads)?;
            (value(serde_json::to_value(adaptation)), model.sections())
        }
        #[cfg(feature = "neural")]
        Adaptation::Bert(adaptation) => {
            let adaptation = adaptation.clone().as_trained(&manifest.settings);
            // What it learns with is another question.
            let computing = Computing { device: computing::Device::Cpu, ..Computing::default() };
            let model = bert::Bert::load(store, &computing)?;
            let model = bert::adapt(&adaptation, &model, corpus, threads, watch)?;
            update(&mut manifest.settings, model.settings());
            manifest.labels = model.labels().clone();
            (value(serde_json::to_value(&adaptation)), model.sections()?)
        }
    };
    adapted["files"] = files.clone().into();
    adapted["protocol"] = corpus.protocol().to_string().into();
    let mut all = manifest.settings["adapted"].as_array().cloned().unwrap_or_default();
    all.push(adapted);
    manifest.settings["adapted"] = all.into();
    manifest.trained_on.files.extend(files);
    manifest.version = env!("CARGO_PKG_VERSION").to_owned();
    Ok(Draft::new(manifest, sections))
}

/// Refuses a corpus that pairs letters in another way than the model that is adapted to it.
#[cfg(feature = "train")]
fn check_locale(corpus: &Corpus, expected: Locale) -> Result<()> {
    let found = corpus.locale();
    if found == expected {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "the corpus pairs letters as \"{found}\" does, but the model as \"{expected}\" does: give the language of the model with --lang"
    )))
}

/// Puts what a model says of how it works now over what it said before.
#[cfg(all(feature = "neural", feature = "train"))]
fn update(settings: &mut serde_json::Value, model: &impl Serialize) {
    let now = serde_json::to_value(model).expect("settings have string keys only");
    for (name, value) in now.as_object().into_iter().flatten() {
        settings[name] = value.clone();
    }
}

/// What a manifest says of how a model works, and under `config` all that was asked for when it was trained.
#[cfg(feature = "train")]
fn settings(model: &impl Serialize, config: &impl Serialize) -> serde_json::Value {
    let value = |result: serde_json::Result<_>| result.expect("settings have string keys only");
    let mut settings = value(serde_json::to_value(model));
    settings["config"] = value(serde_json::to_value(config));
    settings
}

/// Files by name alone: their folders differ from machine to machine.
#[cfg(feature = "train")]
fn names<'a, S: Serializer, F>(files: &'a F, serializer: S) -> std::result::Result<S::Ok, S::Error>
where
    &'a F: IntoIterator<Item = &'a PathBuf>,
{
    serializer.collect_seq(files.into_iter().map(|file| files::name(file)))
}
