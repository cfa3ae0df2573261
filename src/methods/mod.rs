//! The methods of restoring, and the list of them that a program puts together.

mod cascade;
pub mod backend;
mod embedded;
pub mod hmm;
pub mod language;
pub mod majority;
pub mod maxent;
pub mod spellings;

pub use backend::Backend;
pub use cascade::{Read, cascade};
pub use embedded::{LANGUAGES, Preset, embedded, embedded_as, embedded_on, embedded_store, language_of};

use std::path::Path;

use crate::error::{Error, Result};
use crate::model::{self, Manifest, Store};
use crate::restorer::Restorer;

/// A trained model, ready for use.
pub struct Model {
    /// What it is.
    pub manifest: Manifest,
    /// What it does.
    pub restorer: Box<dyn Restorer>,
}

impl Model {
    /// The accurate model of a language that is built in; of a tag such as `pt-BR`, its language counts.
    ///
    /// # Errors
    /// [`Error::Usage`] for a language that has none, or that this build leaves out.
    pub fn embedded(language: &str) -> Result<Self> {
        embedded(language)
    }

    /// One of the two built-in models of a language.
    ///
    /// # Errors
    /// Those of [`Model::embedded`].
    pub fn embedded_as(language: &str, preset: Preset) -> Result<Self> {
        embedded_as(language, preset)
    }

    /// A model of a [classical](CLASSICAL) method, in a folder or a packed file.
    ///
    /// # Errors
    /// [`Error::Model`] where it is of another method, cut off or altered; [`Error::Io`] where it cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        load(&*model::open(path.as_ref())?)
    }
}

/// A method by its name in manifests, and the loader of its models.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// The name in manifests and on the command line.
    pub name: &'static str,
    /// True where the method computes on several [backends](Backend), and so has layers to show.
    pub has_backends: bool,
    /// Loads a model.
    pub load: fn(&dyn Store, &Backend) -> Result<Box<dyn Restorer>>,
}

/// The methods that need no other package.
pub const CLASSICAL: [Method; 3] = [
    Method {
        name: "majority",
        has_backends: false,
        load: |store, on| classical(on, "majority", || majority::Majority::load(store)),
    },
    Method {
        name: "hmm",
        has_backends: false,
        load: |store, on| classical(on, "hmm", || hmm::Hmm::load(store)),
    },
    Method {
        name: "maxent",
        has_backends: false,
        load: |store, on| classical(on, "maxent", || maxent::Maxent::load(store)),
    },
];

/// Loads a model of a method that computes on the processor alone.
///
/// # Errors
/// [`Error::Usage`] where another backend is asked for, and those of `load`.
pub fn classical<R: Restorer + 'static>(
    computing: &Backend,
    method: &str,
    load: impl FnOnce() -> Result<R>,
) -> Result<Box<dyn Restorer>> {
    computing.refuse(method)?;
    Ok(Box::new(load()?))
}

/// The methods whose models a program can load.
#[derive(Debug, Clone)]
pub struct Methods {
    methods: Vec<Method>,
    /// Methods that this program leaves out, and the advice how to get them.
    absent: Vec<(&'static str, &'static str)>,
}

impl Default for Methods {
    /// The [classical](CLASSICAL) ones.
    fn default() -> Self {
        Self { methods: CLASSICAL.to_vec(), absent: Vec::new() }
    }
}

impl Methods {
    /// Adds a method.
    #[must_use]
    pub fn with(mut self, method: Method) -> Self {
        self.methods.push(method);
        self
    }

    /// Adds the advice how to get a method that the program leaves out: `this build has no transducers: …`.
    #[must_use]
    pub fn without(mut self, method: &'static str, advice: &'static str) -> Self {
        self.absent.push((method, advice));
        self
    }

    /// The advice how to get a method that the program leaves out; `None` for any other.
    pub fn absence(&self, name: &str) -> Option<&'static str> {
        self.absent.iter().find(|(absent, _)| *absent == name).map(|(_, advice)| *advice)
    }

    /// The names of all methods, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.methods.iter().map(|method| method.name)
    }

    /// Returns true where the models of a method of that name compute on several [backends](Backend).
    pub fn has_backends(&self, name: &str) -> bool {
        self.methods.iter().any(|method| method.name == name && method.has_backends)
    }

    /// Loads a model to compute in this way.
    ///
    /// # Errors
    /// [`Error::Model`] where it is of a method that is not among these, cut off or altered; [`Error::Usage`] where it cannot be
    /// computed in this way with its method or on this machine.
    pub fn load(&self, store: &dyn Store, computing: &Backend) -> Result<Model> {
        let manifest = store.manifest().clone();
        let name = manifest.method.as_str();
        match self.methods.iter().find(|method| method.name == name) {
            Some(method) => Ok(Model { restorer: (method.load)(store, computing)?, manifest }),
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

/// Loads a model of a [classical](CLASSICAL) method.
///
/// # Errors
/// Like [`Methods::load`].
pub fn load(store: &dyn Store) -> Result<Model> {
    Methods::default().load(store, &Backend::default())
}
