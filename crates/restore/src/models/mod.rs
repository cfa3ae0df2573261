//! Trained models: the presets, the built-in models, the methods whose models a program can load, and combinations of
//! models.

mod cascade;
mod embedded;
pub mod language;
mod voting;

pub use cascade::{Read, cascade};
pub use embedded::{LANGUAGES, Preset};
pub use language::{DetectedLanguage, detect_language};
pub use voting::{VotingOptions, voting};

use std::path::Path;
use std::sync::Arc;

use majuscule_base::error::{Error, Result};
use majuscule_methods::model::{self, Bytes, Manifest, ModelDirs, Packed, Store};
#[cfg(feature = "network")]
use majuscule_methods::network;
use majuscule_methods::{Backend, CLASSICAL, Method};
use majuscule_text::restorer::Restorer;

/// A trained model, ready for use. A clone shares it.
#[derive(Clone)]
pub struct Model {
    /// The description of the model: method, language and settings.
    pub manifest: Arc<Manifest>,
    /// The restorer that the model runs.
    pub restorer: Arc<dyn Restorer>,
}

impl Model {
    /// Loads the accurate built-in model of a language. Only the language of a tag such as `pt-BR` is used.
    ///
    /// ```
    /// let model = majuscule::Model::embedded("en")?;
    /// assert_eq!(model.manifest.language, "en");
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] if the language has no built-in model or this build leaves it out.
    pub fn embedded(language: &str) -> Result<Self> {
        Self::embedded_as(language, Preset::Accurate)
    }

    /// Loads one of the two built-in models of a language. Models of the other presets are not built
    /// in: see [`Methods::load_preset`].
    ///
    /// # Errors
    /// The errors of [`Model::embedded`].
    pub fn embedded_as(language: &str, preset: Preset) -> Result<Self> {
        Methods::all().load_preset(language, preset, &Backend::default())
    }

    /// Loads a model of a method of [this package](Methods::all) from a folder or a packed file.
    ///
    /// # Errors
    /// [`Error::Model`] if the model is of another method, truncated or altered; [`Error::Io`] if
    /// it cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        load(&*model::open(path.as_ref())?)
    }

    /// Loads a model of a method of [this package](Methods::all) from the bytes of a packed file.
    ///
    /// ```
    /// let file = "../../lm/en.fast";
    /// let bytes: Vec<u8> = std::fs::read(file).map_err(|error| majuscule::Error::io("read", file, error))?;
    /// let model = majuscule::Model::from_bytes(bytes)?;
    /// assert_eq!(model.restore("we met in lisbon")?, "We met in Lisbon");
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Model`] if the model is of another method, truncated or altered.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Result<Self> {
        load(&Packed::open("the model", bytes.into())?)
    }
}

/// The methods whose models a program can load.
#[derive(Debug, Clone)]
pub struct Methods {
    methods: Vec<Method>,
    /// The methods that this program leaves out, with advice on how to get them.
    absent: Vec<(&'static str, &'static str)>,
    /// The folders of models that are not built in.
    dirs: ModelDirs,
}

impl Default for Methods {
    /// [All methods](Methods::all) of this package.
    fn default() -> Self {
        Self::all()
    }
}

impl Methods {
    /// Returns all methods of this package: the [classical](CLASSICAL) ones, and `bert` and `cnn-bilstm` with the
    /// feature `network`. Methods of other packages, such as `ngram`, are [added](Self::with).
    pub fn all() -> Self {
        let classical = Self::of(&CLASSICAL);
        #[cfg(feature = "network")]
        return classical.with(network::bert::METHOD).with(network::cnn_bilstm::METHOD);
        #[cfg(not(feature = "network"))]
        return ["bert", "cnn-bilstm"].into_iter().fold(classical, |methods, name| {
            methods.without(name, "this build cannot run networks: build with the feature network")
        });
    }

    /// Makes a list of these methods alone, for a program that leaves out the code of all others.
    pub fn of(methods: &[Method]) -> Self {
        Self { methods: methods.to_vec(), absent: Vec::new(), dirs: ModelDirs::default() }
    }

    /// Adds a method, which replaces any method of the same name.
    #[must_use]
    pub fn with(mut self, method: Method) -> Self {
        self.methods.retain(|earlier| earlier.name != method.name);
        self.methods.push(method);
        self
    }

    /// Looks for models that are not built in in these folders.
    #[must_use]
    pub fn looking_in(self, dirs: ModelDirs) -> Self {
        Self { dirs, ..self }
    }

    /// Adds advice on how to get a method that the program leaves out: `this build has no
    /// transducers: …`.
    #[must_use]
    pub fn without(mut self, method: &'static str, advice: &'static str) -> Self {
        self.absent.push((method, advice));
        self
    }

    /// Returns the advice on how to get a method that the program leaves out; `None` for any other method.
    pub fn absence(&self, name: &str) -> Option<&'static str> {
        self.absent.iter().find(|(absent, _)| *absent == name).map(|(_, advice)| *advice)
    }

    /// Returns the names of all methods, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.methods.iter().map(|method| method.name)
    }

    /// Returns true if the models of a method of that name compute on several [backends](Backend).
    pub fn has_backends(&self, name: &str) -> bool {
        self.methods.iter().any(|method| method.name == name && method.has_backends)
    }

    /// Loads a model to compute on a backend.
    ///
    /// # Errors
    /// [`Error::Model`] if the model is of a method that is not among these, truncated or altered;
    /// [`Error::Usage`] if its method or this machine does not support the backend.
    pub fn load(&self, store: &dyn Store, computing: &Backend) -> Result<Model> {
        let manifest = store.manifest().clone();
        let name = manifest.method.as_str();
        match self.methods.iter().find(|method| method.name == name) {
            Some(method) => {
                Ok(Model { restorer: (method.load)(store, computing)?, manifest: Arc::new(manifest) })
            }
            None => Err(Error::model(store.name(), self.problem(name))),
        }
    }

    fn problem(&self, name: &str) -> String {
        if let Some(advice) = self.absence(name) {
            return format!("method \"{name}\", but {advice}");
        }
        let known: Vec<_> = self.names().chain(self.absent.iter().map(|(name, _)| *name)).collect();
        let known = match known.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
            None => "none".to_owned(),
        };
        format!("method \"{name}\", but this build has {known}: use a newer majuscule")
    }
}

/// Loads a model of a method of [this package](Methods::all).
///
/// # Errors
/// The errors of [`Methods::load`].
pub fn load(store: &dyn Store) -> Result<Model> {
    Methods::default().load(store, &Backend::default())
}
