//! The files of a model: the files of a Hugging Face folder, and the spellings in mixed case.

use crate::model::{Draft, Section, Store};
use crate::spellings::ClassCases;
use majuscule_base::bytes::Bytes;
use majuscule_base::error::{Error, Result};

use super::config::EncoderConfig;
use super::{BertModel, BertSettings, METHOD, names, wrong};
use crate::network::ADVICE;
use crate::network::heads::Heads;
use crate::network::subwords::NEEDS_NEURAL;
use crate::network::tensors::{self, TensorFile};

/// The settings of the encoder.
pub const CONFIG: &str = "config.json";
/// The tokenizer.
pub const TOKENIZER: &str = "tokenizer.json";
/// The weights.
pub const WEIGHTS: &str = "model.safetensors";
/// The spellings in mixed case.
pub const MIXED: &str = "mixed.txt";

/// The files of a model, whose settings have been read.
pub struct BertFiles<'s> {
    store: &'s dyn Store,
    /// The settings in the manifest.
    pub settings: BertSettings,
    /// The encoder.
    pub config: EncoderConfig,
    /// The heads.
    pub heads: Heads,
    config_json: Bytes,
    tokenizer: Bytes,
    weights: Bytes,
    mixed: String,
}

impl<'s> BertFiles<'s> {
    /// Verifies the checksums of all files of a model, and reads its settings.
    ///
    /// # Errors
    /// Returns [`Error::Model`] if a file is missing, cut off or altered, or if the settings do not
    /// fit.
    pub fn read(store: &'s dyn Store) -> Result<Self> {
        let settings = BertSettings::of(store)?;
        let [config_json, tokenizer, weights] = [CONFIG, TOKENIZER, WEIGHTS].map(|name| store.section(name));
        let (config_json, tokenizer, weights) = (config_json?, tokenizer?, weights?);
        let mixed = store.text(MIXED, ADVICE)?;
        let config = EncoderConfig::read(&config_json).map_err(in_file(store, CONFIG))?;
        settings.check(&config).map_err(|problem| wrong(store, problem))?;
        let heads = Heads::of(&store.manifest().labels);
        if heads.sizes().all() == 0 {
            return Err(wrong(store, "its labels differ neither in case nor in punctuation"));
        }
        Ok(Self { store, settings, config, heads, config_json, tokenizer, weights, mixed })
    }

    /// Reads the tokenizer with `read`, which accepts the bytes and the number of subwords.
    ///
    /// # Errors
    /// Returns [`Error::Model`] if `read` refuses it.
    pub fn subwords<P>(
        &self,
        read: impl FnOnce(&[u8], usize) -> std::result::Result<P, String>,
    ) -> Result<P> {
        read(&self.tokenizer, self.config.vocab_size).map_err(in_file(self.store, TOKENIZER))
    }

    /// Reads the weights with `read`, which accepts finite tensors with the expected names and
    /// shapes.
    ///
    /// # Errors
    /// Returns [`Error::Model`] if the tensors are not as expected, or if `read` refuses them.
    pub fn weights<W>(
        &self,
        read: impl FnOnce(&TensorFile<'_>) -> std::result::Result<W, String>,
    ) -> Result<W> {
        let shapes = names::tagger_shapes(&self.config, self.heads.sizes());
        let named = |name: &str| Some(names::tagger_name(self.config.kind, name));
        TensorFile::read(&self.weights, &shapes, CONFIG, named)
            .and_then(|file| file.check().and_then(|()| read(&file)))
            .map_err(in_file(self.store, WEIGHTS))
    }

    /// Makes the model from a tokenizer and the computation of scores.
    pub fn model<P, S>(self, subwords: P, scorer: S) -> BertModel<P, S> {
        let Self { store, settings, config, heads, mixed, .. } = self;
        let cases = ClassCases::new(mixed, store.manifest().locale, str::to_owned);
        let labels = store.manifest().labels.clone();
        BertModel { config, subwords, scorer, cases, settings, labels, heads }
    }
}

/// Returns a function that makes the error of an invalid file of a model.
fn in_file(store: &dyn Store, name: &str) -> impl Fn(String) -> Error {
    move |problem| match problem.ends_with(NEEDS_NEURAL) {
        true => store.wrong(format!("{name} {problem}")),
        false => wrong(store, format!("{name} {problem}")),
    }
}

/// Returns a quarter-size form of a model, whose weights and embeddings are int8, as the engine uses
/// them with `--precision int8`.
///
/// # Errors
/// Returns [`Error::Model`] if the model is of another method, or if one of its files is missing or
/// altered.
pub fn in_bytes(store: &dyn Store) -> Result<Draft> {
    let method = &store.manifest().method;
    if method != METHOD.name {
        return Err(store.wrong(format!("is a {method} model: only bert models have int8 weights")));
    }
    let files = BertFiles::read(store)?;
    let saved = |name: &str| names::saved_name(files.config.kind, name);
    // The heads are small, and so is the matrix of distances.
    let large = |name: &str| name.starts_with(names::ENCODER) && !name.ends_with(names::DISTANCES);
    let weights = files.weights(|weights| tensors::in_bytes(weights, large, saved))?;
    let settings = BertSettings { in_bytes: true, ..files.settings };
    let sections: Vec<Section> = vec![
        (CONFIG.to_owned(), files.config_json.to_vec()),
        (TOKENIZER.to_owned(), files.tokenizer.to_vec()),
        (WEIGHTS.to_owned(), weights),
        (MIXED.to_owned(), files.mixed.into_bytes()),
    ];
    Draft::like(store, &settings, sections).map_err(|error| wrong(store, error))
}
