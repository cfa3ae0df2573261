//! The files of a model: its subwords and words, its weights, and the spellings in mixed case.

use super::engine::CnnBilstmEngine;
use super::shape::takes_bytes;
use super::subwords::SubwordVocabulary;
use super::{CnnBilstm, CnnBilstmSettings, NAME, WINDOWS};
use crate::backend::Backend;
use crate::model::{self, Draft, MANIFEST, Section, Store};
use crate::network::ADVICE;
use crate::network::heads::Heads;
use crate::network::instruction_set::InstructionSet;
use crate::network::products::EnginePrecision;
use crate::network::subwords::NativeTokenizer;
use crate::network::tensors::{self, TensorFile, WeightSource};
use crate::network::word_lexicon::WordLexicon;
use crate::spellings::ClassCases;
use majuscule_base::bytes::Bytes;
use majuscule_base::error::{Error, Result};
use majuscule_text::{Labels, Locale};

/// The tokenizer.
pub const TOKENIZER: &str = "tokenizer.json";
/// The words that have a vector of their own.
pub const WORDS: &str = "words.txt";
/// The weights.
pub const WEIGHTS: &str = "model.safetensors";
/// The lexicon, if the network reads one.
pub const LEXICON: &str = "lexicon.bin";
/// The spellings in mixed case.
pub const MIXED: &str = "mixed.txt";

/// Returns the error of a model whose files do not fit.
fn wrong(store: &dyn Store, problem: String) -> Error {
    store.wrong(format!("{problem}: {ADVICE}"))
}

/// The parts of a model other than its weights.
#[derive(Debug, Clone)]
pub struct CnnBilstmParts {
    /// The tokenizer, in the form of Hugging Face.
    pub tokenizer: Vec<u8>,
    /// The words that have a vector of their own, one per line.
    pub words: String,
    /// The spellings in mixed case, one per line.
    pub mixed: String,
    /// The lexicon that the network reads.
    pub lexicon: Option<Vec<u8>>,
    /// The settings.
    pub settings: CnnBilstmSettings,
    /// The locale.
    pub locale: Locale,
    /// The labels.
    pub labels: Labels,
}

impl CnnBilstmParts {
    /// Reads the parts and the weights of a model, without checking the weights.
    ///
    /// # Errors
    /// Returns [`Error::Model`] if a file of it is missing, cut off or altered.
    fn read(store: &dyn Store) -> Result<(Self, Bytes)> {
        let manifest = store.manifest();
        let settings: CnnBilstmSettings = model::settings(store, NAME, ADVICE)?;
        // All checksums are verified before any file is read.
        let lexicon = settings.shape.lexicon.then(|| store.section(LEXICON)).transpose()?;
        let (tokenizer, weights) = (store.section(TOKENIZER)?.to_vec(), store.section(WEIGHTS)?);
        let (words, mixed) = (store.text(WORDS, ADVICE)?, store.text(MIXED, ADVICE)?);
        let (locale, labels) = (manifest.locale, manifest.labels.clone());
        let lexicon = lexicon.map(|lexicon| lexicon.to_vec());
        Ok((Self { tokenizer, words, mixed, lexicon, settings, locale, labels }, weights))
    }

    /// Returns the vocabulary of subwords and words.
    ///
    /// # Errors
    /// Describes the fault in their files.
    pub fn vocabulary(&self) -> std::result::Result<SubwordVocabulary, String> {
        let subwords = NativeTokenizer::read(&self.tokenizer, self.settings.shape.subwords)
            .map_err(|problem| format!("{TOKENIZER} {problem}"))?;
        let lexicon = self.lexicon.clone().map(|bytes| WordLexicon::open(bytes.into())).transpose();
        let lexicon = lexicon.map_err(|problem| format!("{LEXICON} {problem}"))?;
        let words = SubwordVocabulary::new(subwords, &self.words, lexicon);
        words.map_err(|problem| format!("{WORDS} {problem}"))
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// Describes the first impossible setting.
    fn check(&self) -> std::result::Result<(), String> {
        if let Some((name, number, most)) = self.settings.shape.wrong() {
            return Err(format!("its settings have {name} {number}: expected from 1 to {most}"));
        }
        let (window, labels) = (self.settings.window, self.labels.len());
        match WINDOWS.contains(&window) && Heads::of(&self.labels).sizes().all() > 0 {
            true => Ok(()),
            false => Err(format!(
                "its window of {window} words or its number of labels, {labels}, is out of range"
            )),
        }
    }

    /// Reads the tensors, which must be finite and have the right names and shapes.
    fn tensors<'a>(&self, words: usize, weights: &'a [u8]) -> std::result::Result<TensorFile<'a>, String> {
        let shapes = self.settings.shape.tensors(words, Heads::of(&self.labels).sizes());
        let file = TensorFile::read(weights, &shapes, MANIFEST, |name| Some(name.to_owned()));
        file.and_then(|file| file.check().map(|()| file)).map_err(|problem| format!("{WEIGHTS} {problem}"))
    }

    /// Makes the model of these parts, with their vocabulary and these weights.
    ///
    /// # Errors
    /// Names a weight that is missing.
    pub fn model(
        self,
        vocabulary: SubwordVocabulary,
        weights: &dyn WeightSource,
        precision: EnginePrecision,
    ) -> std::result::Result<CnnBilstm, String> {
        let Self { mixed, settings, locale, labels, .. } = self;
        let heads = Heads::of(&labels);
        let engine = CnnBilstmEngine::on(
            InstructionSet::best(),
            weights,
            settings.shape,
            vocabulary.special(),
            heads.sizes(),
            precision,
        )?;
        let cases = ClassCases::new(mixed, locale, str::to_owned);
        Ok(CnnBilstm { vocabulary, engine, cases, settings, labels, heads })
    }

    /// Returns the files of a model with these weights.
    pub fn sections(self, weights: Vec<u8>) -> Vec<Section> {
        let mut sections = vec![
            (TOKENIZER.to_owned(), self.tokenizer),
            (WORDS.to_owned(), self.words.into_bytes()),
            (WEIGHTS.to_owned(), weights),
            (MIXED.to_owned(), self.mixed.into_bytes()),
        ];
        sections.extend(self.lexicon.map(|lexicon| (LEXICON.to_owned(), lexicon)));
        sections
    }
}

/// Reads a model.
///
/// # Errors
/// Returns [`Error::Model`] if a file of it is missing, cut off or altered, and [`Error::Usage`] if the
/// backend is not available.
pub fn load(store: &dyn Store, computing: &Backend) -> Result<CnnBilstm> {
    let (parts, weights) = CnnBilstmParts::read(store)?;
    let precision = EnginePrecision::of(computing, parts.settings.in_bytes, NAME)?;
    let read = || {
        parts.check()?;
        let vocabulary = parts.vocabulary()?;
        let tensors = parts.tensors(vocabulary.words(), &weights)?;
        parts.model(vocabulary, &tensors, precision)
    };
    read().map_err(|problem| wrong(store, problem))
}

/// Reads the parts of a model, and its weights with `read`, which also receives the number of words that have a vector.
///
/// # Errors
/// Returns [`Error::Model`] if a file of the model is missing or altered, and for an error of `read`.
pub fn read_with<T>(
    store: &dyn Store,
    read: impl FnOnce(&CnnBilstmParts, usize, &TensorFile<'_>) -> std::result::Result<T, String>,
) -> Result<(CnnBilstmParts, T)> {
    let (parts, weights) = CnnBilstmParts::read(store)?;
    let read = || {
        parts.check()?;
        let words = parts.vocabulary()?.words();
        read(&parts, words, &parts.tensors(words, &weights)?)
    };
    let weights = read().map_err(|problem| wrong(store, problem))?;
    Ok((parts, weights))
}

/// Returns a quarter-size form of a model, whose weights are int8.
///
/// # Errors
/// Returns [`Error::Model`] if a file of the model is missing or altered.
pub fn in_bytes(store: &dyn Store) -> Result<Draft> {
    let (mut parts, weights) =
        read_with(store, |_, _, tensors| tensors::in_bytes(tensors, takes_bytes, str::to_owned))?;
    parts.settings.in_bytes = true;
    let settings = parts.settings.clone();
    let draft = Draft::like(store, &settings, parts.sections(weights));
    draft.map_err(|error| wrong(store, error.to_string()))
}
