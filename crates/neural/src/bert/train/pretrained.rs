//! A pretrained encoder from a Hugging Face folder.

use std::path::Path;

use candle_core::Device;
use serde::Serialize;
use serde_json::Value;

use crate::bert::config::EncoderConfig;
use crate::bert::tokenize::{HuggingFaceTokenizer, SpecialNames};
use crate::bert::weights::{self, TensorMap};
use crate::bert::{CONFIG, TOKENIZER, WEIGHTS};
use majuscule_base::bytes::Bytes;
use majuscule_base::error::{Error, Result};
use majuscule_base::files;
use majuscule_methods::model::FileRecord;

/// A pretrained encoder.
pub(super) struct Pretrained {
    pub(super) config: EncoderConfig,
    pub(super) subwords: HuggingFaceTokenizer,
    /// The weights by their names in BERT, without the prefix `bert.`.
    pub(super) weights: TensorMap,
}

/// The identity of a pretrained encoder in a manifest. The name of the folder is not sufficient: it is chosen by
/// hand, and many encoders share a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct EncoderRecord {
    /// The name of its folder.
    name: String,
    /// The size of its weights in bytes.
    bytes: u64,
    /// The CRC-32 of the file of weights, in hexadecimal.
    crc32: String,
}

impl EncoderRecord {
    /// Makes the record of a folder from its weights.
    ///
    /// # Errors
    /// Fails if the weights are missing.
    pub(super) fn of(folder: &Path) -> Result<Self> {
        let FileRecord { bytes, crc32, .. } = FileRecord::of(WEIGHTS, &file(folder, WEIGHTS)?);
        Ok(Self { name: files::name(folder), bytes, crc32 })
    }
}

/// The file of a vocabulary without a tokenizer, and the files that state whether the vocabulary is cased and which
/// subwords are special.
const VOCABULARY: &str = "vocab.txt";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const SPECIAL: &str = "special_tokens_map.json";

/// Files of older formats of tokenizers, which are not supported.
const OLD_TOKENIZERS: [&str; 3] = ["merges.txt", "sentencepiece.bpe.model", "spiece.model"];

impl Pretrained {
    /// Reads a folder.
    ///
    /// # Errors
    /// Fails if a file is missing or does not match the others.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let config =
            EncoderConfig::read(&file(folder, CONFIG)?).map_err(|problem| wrong(folder, CONFIG, &problem))?;
        let subwords = subwords(folder, Some(config.vocab_size))?;
        let weights =
            weights::read_encoder(&file(folder, WEIGHTS)?, &config, &Device::Cpu).map_err(|problem| {
                wrong(folder, WEIGHTS, &format!("{problem}: copy it again, or give the folder of an encoder"))
            })?;
        Ok(Self { config, subwords, weights })
    }
}

/// Returns the tokenizer of a folder, for an encoder with this many subwords, if the number is known.
///
/// # Errors
/// Fails if the folder has no tokenizer, or if the tokenizer belongs to another model.
pub(super) fn subwords(folder: &Path, vocabulary: Option<usize>) -> Result<HuggingFaceTokenizer> {
    let settings = settings(folder, TOKENIZER_CONFIG)?;
    if folder.join(TOKENIZER).exists() || !folder.join(VOCABULARY).exists() {
        let names = SpecialNames::of(&settings).or(SpecialNames::of(&self::settings(folder, SPECIAL)?));
        return HuggingFaceTokenizer::read_named(&file(folder, TOKENIZER)?, names, vocabulary)
            .map_err(|problem| wrong(folder, TOKENIZER, &problem));
    }
    let lowercase = settings["do_lower_case"].as_bool().unwrap_or(true);
    HuggingFaceTokenizer::read_vocabulary(&file(folder, VOCABULARY)?, lowercase, vocabulary)
        .map_err(|problem| wrong(folder, VOCABULARY, &problem))
}

/// Returns the settings in a file of a folder, if it has that file.
fn settings(folder: &Path, name: &str) -> Result<Value> {
    if !folder.join(name).exists() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(&file(folder, name)?)
        .map_err(|error| wrong(folder, name, &format!("is not JSON ({error})")))
}

fn file(folder: &Path, name: &str) -> Result<Bytes> {
    let path = folder.join(name);
    if path.exists() {
        return Bytes::open(&path);
    }
    let problem = match () {
        () if !folder.is_dir() => "there is no such folder",
        () if name == WEIGHTS && folder.join("pytorch_model.bin").exists() => {
            "has pytorch_model.bin, but no model.safetensors: get that file too, or save the model again as safetensors"
        }
        () if name == TOKENIZER && OLD_TOKENIZERS.iter().any(|old| folder.join(old).exists()) => {
            "has no tokenizer.json, only the files that older programs read: get that file too, or save the tokenizer again with transformers"
        }
        () => {
            return Err(wrong(folder, name, "is missing: give the folder of an encoder with all its files"));
        }
    };
    Err(Error::usage(format!("{}: {problem}", folder.display())))
}

fn wrong(folder: &Path, file: &str, problem: &str) -> Error {
    Error::file(folder.join(file).to_string_lossy(), problem)
}
