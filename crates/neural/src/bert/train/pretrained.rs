//! A pretrained encoder from a Hugging Face folder, with all its layers and subwords, or a part of them.

use std::collections::BTreeSet;
use std::path::Path;

use candle_core::{Device, Result as Computed, Tensor};
use rustc_hash::FxHashSet;
use serde::Serialize;
use serde_json::Value;

use crate::bert::config::EncoderConfig;
use crate::bert::names::{encoder_shapes, layer_of};
use crate::bert::tokenize::{HuggingFaceTokenizer, SpecialNames, SubwordTokenizer};
use crate::bert::weights::{self, TensorMap};
use crate::bert::{CONFIG, TOKENIZER, WEIGHTS, failed};
use crate::shared::init::normal;
use majuscule_base::bytes::Bytes;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files;
use majuscule_methods::model::FileRecord;
use majuscule_train::corpus::Corpus;
use majuscule_train::random::{Purpose, generator};

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

/// The table with a row for each subword.
const WORDS: &str = "embeddings.word_embeddings.weight";

/// Cuts the vocabulary to the subwords of the words of a corpus, and to the subwords that any other
/// word may need. The words of the corpus have the same subwords and vectors as before.
///
/// # Errors
/// Fails if the corpus cannot be read, or if the tokenizer cannot be cut.
pub(super) fn keep_subwords(pretrained: Pretrained, corpus: &Corpus) -> Result<Pretrained> {
    let Pretrained { mut config, subwords, mut weights } = pretrained;
    let mut words: FxHashSet<String> = FxHashSet::default();
    let mut used = BTreeSet::new();
    corpus.for_each(&mut |example| {
        for (lower, _) in example.tokens.iter() {
            if !words.contains(lower) {
                used.extend(subwords.of(lower).map_err(failed)?);
                words.insert(lower.to_owned());
            }
        }
        Ok(())
    })?;
    // RoBERTa counts positions from the id of its padding, which must not change.
    used.extend(0..config.first_position as u32);
    let (subwords, kept) = subwords.cut(used).map_err(failed)?;
    let rows = || -> Computed<Tensor> {
        let kept = Tensor::from_slice(&kept, kept.len(), &Device::Cpu)?;
        weights[WORDS].index_select(&kept, 0)
    };
    let rows = rows().map_err(failed)?;
    weights.insert(WORDS.to_owned(), rows);
    config.vocab_size = kept.len();
    Ok(Pretrained { config, subwords, weights })
}

/// The standard deviation of new weights, which is the same as for the initial weights of BERT's pretraining.
const DEVIATION: f64 = 0.02;

/// The layers of a pretrained encoder with which a training begins: all layers or the first layers. The top layers among
/// them may be reinitialised (Zhang et al. 2021, "Revisiting few-sample BERT fine-tuning", section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, clap::Args)]
pub struct LayerConfig {
    /// Keep only the first N layers of the encoder: fewer are faster, and the last layers of an
    /// encoder made for sentence vectors say less about words [default: all]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<usize>,
    /// Reinitialise the weights of the last N of the layers that are kept (Zhang et al. 2021)
    #[arg(long, value_name = "N", default_value_t)]
    #[serde(skip_serializing_if = "is_none")]
    pub reset_layers: usize,
}

/// Returns true if no layer is reinitialised.
fn is_none(layers: &usize) -> bool {
    *layers == 0
}

impl LayerConfig {
    /// Returns the encoder in `folder` with the chosen layers. New weights are drawn with `seed`.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the encoder has fewer layers.
    pub(super) fn applied(self, mut of: Pretrained, folder: &Path, seed: u64) -> Result<Pretrained> {
        let Self { layers, reset_layers } = self;
        let all = of.config.num_hidden_layers;
        let kept = layers.unwrap_or(all);
        let refused = |name: &str, number: usize, expected: &str| {
            let (name, folder) = (option(name), folder.display());
            Err(Error::usage(format!("{name} {number}: {folder} has {all} layers, so expected {expected}")))
        };
        if !(1..=all).contains(&kept) {
            return refused("layers", kept, &format!("a number from 1 to {all}"));
        }
        if reset_layers > kept {
            return refused("reset-layers", reset_layers, &format!("at most the {kept} that are kept"));
        }
        of.config.num_hidden_layers = kept;
        of.weights.retain(|name, _| layer_of(name).is_none_or(|layer| layer < kept));
        for layer in kept - reset_layers..kept {
            draw(&mut of, layer, seed).map_err(failed)?;
        }
        Ok(of)
    }
}

/// Reinitialises the weights of a layer. The new weights depend only on the seed and the layer.
fn draw(of: &mut Pretrained, layer: usize, seed: u64) -> Computed<()> {
    // The generator of step 0 draws the heads.
    let mut random = generator(seed, Purpose::Beginning, 1 + layer as u64);
    let shapes = encoder_shapes(&of.config).into_iter();
    for (name, shape) in shapes.filter(|(name, _)| layer_of(name) == Some(layer)) {
        let value = |_| match () {
            () if name.ends_with(".bias") => 0.0,
            () if name.ends_with("LayerNorm.weight") => 1.0,
            () => normal(&mut random, DEVIATION),
        };
        let values: Vec<f32> = (0..shape.iter().product()).map(value).collect();
        of.weights.insert(name, Tensor::from_vec(values, shape, &Device::Cpu)?);
    }
    Ok(())
}
