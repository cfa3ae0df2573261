//! A tagger on BERT or a similar encoder (Rei et al. 2020), with its weights as tensors for training, adaptation and
//! use on a GPU.

mod device;
pub mod dropout;
pub mod encoder;
#[cfg(test)]
mod engine_tests;
pub mod ops;
#[cfg(test)]
mod reference;
pub mod tagger;
pub mod tokenize;
mod train;
mod vocabulary;
pub mod weights;

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use candle_core::{Device, Result as Computed, Tensor};

pub use crate::shared::adam::Optimizer;
pub use crate::shared::heads::{HeadSizes, Heads};
pub use crate::shared::predict::{HeadOptions, Prediction};
use majuscule_methods::network::bert::windows::EncoderWindow;
pub use majuscule_methods::network::bert::windows::LabelledSubword;
use majuscule_methods::network::bert::{
    BertFiles, BertModel, CONFIG, EngineScorer, MIXED, TOKENIZER, WEIGHTS, WindowScorer, failed,
};
pub use majuscule_methods::network::bert::{BertSettings, config, engine, names};
pub use train::{BertAdaptation, BertConfig, BertTrainingOptions, LayerConfig, LossConfig, Schedule, train};

use config::EncoderConfig;
use dropout::NoDropout;
use encoder::EncoderBatch;
use engine::EnginePrecision;
use majuscule_base::error::{Error, Result, option};
use majuscule_methods::Method;
use majuscule_methods::backend::{Backend, Precision};
use majuscule_methods::model::{Section, Store};
use majuscule_text::restorer::LayerWeights;
use tagger::BertTagger;
use tokenize::HuggingFaceTokenizer;
use weights::{TensorMap, TensorWeights};

/// The method, for the list of methods of a program. Models with int8 weights compute as in a program without
/// tensors.
pub const METHOD: Method = Method {
    name: "bert",
    has_backends: true,
    load: |store, computing| match BertSettings::of(store)?.in_bytes {
        true => Ok(Arc::new(majuscule_methods::network::bert::load(store, computing)?)),
        false => Ok(Arc::new(load(store, computing)?)),
    },
};

/// A trained model whose weights are tensors.
pub type Bert = BertModel<HuggingFaceTokenizer, TensorScorer>;

/// The weights of a model as tensors.
#[derive(Debug)]
pub struct TensorScorer {
    config: EncoderConfig,
    /// The weights.
    pub weights: TensorMap,
    /// The tagger.
    pub tagger: BertTagger,
    padding: u32,
    /// The engine, made when it is first needed.
    engine: OnceLock<EngineScorer>,
    precision: Precision,
}

/// Reads a model.
///
/// # Errors
/// Returns [`Error::Model`] if a file of the model is missing, cut off or altered, or has int8 weights, and
/// [`Error::Usage`] if the backend is not available.
pub fn load(store: &dyn Store, computing: &Backend) -> Result<Bert> {
    let (device, precision) = device::place(computing)?;
    let files = BertFiles::read(store)?;
    if files.settings.in_bytes {
        let problem = "its int8 weights cannot be trained: use the model that it was made from";
        return Err(Error::model(store.name(), problem));
    }
    let subwords = files.subwords(|json, subwords| HuggingFaceTokenizer::read(json, Some(subwords)))?;
    let scorer = files.weights(|file| {
        let weights = weights::tensors(file, &Device::Cpu)?;
        TensorScorer::new(weights, &files.config, subwords.special.padding).map_err(|error| error.to_string())
    })?;
    on(files.model(subwords, scorer), &device, precision).map_err(failed)
}

/// Moves a model to this device and precision. The saved form stays the same.
fn on(mut model: Bert, device: &Device, precision: Precision) -> Computed<Bert> {
    model.scorer.precision = precision;
    if !device.is_cpu() {
        let placed = device::placed(&model.scorer.weights, device, precision)?;
        model.scorer.tagger = BertTagger::new(&placed, &model.config)?;
    }
    Ok(model)
}

/// Returns the files of a model.
///
/// # Errors
/// Fails if the weights cannot be read from their device.
pub fn sections(model: &Bert) -> Result<Vec<Section>> {
    let mut config = model.config.json();
    for (name, labels) in ["id2label", "id2mark"].into_iter().zip(model.heads.names()) {
        let labels = labels.iter().enumerate().map(|(id, &label)| (id.to_string(), label.into()));
        let labels: serde_json::Map<_, _> = labels.collect();
        // A model that restores only case has a single mark: no mark.
        if labels.len() > 1 {
            config.insert(name.to_owned(), labels.into());
        }
    }
    let mut bytes = serde_json::to_vec_pretty(&config).expect("settings have string keys only");
    bytes.push(b'\n');
    let named =
        |(name, tensor): (&String, &Tensor)| (names::saved_name(model.config.kind, name), tensor.clone());
    let weights = model.scorer.weights.iter().map(named).collect();
    Ok(vec![
        (CONFIG.to_owned(), bytes),
        (TOKENIZER.to_owned(), model.subwords.json()),
        (WEIGHTS.to_owned(), weights::write(&weights).map_err(failed)?),
        (MIXED.to_owned(), model.cases.text().as_bytes().to_vec()),
    ])
}

impl TensorScorer {
    /// Makes the tagger of these weights, which are on the CPU; `padding` is the id of the padding subword.
    fn new(weights: TensorMap, config: &EncoderConfig, padding: u32) -> Computed<Self> {
        Ok(Self {
            tagger: BertTagger::new(&weights, config)?,
            config: config.clone(),
            weights,
            padding,
            engine: OnceLock::new(),
            precision: Precision::F32,
        })
    }

    /// Returns the engine, which computes the scores on the CPU.
    fn engine(&self) -> Result<&EngineScorer> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let precision = match self.precision {
            Precision::Int8 => EnginePrecision::Int8,
            Precision::F32 | Precision::Bf16 | Precision::F16 => EnginePrecision::F32,
        };
        let engine =
            EngineScorer::new(&TensorWeights(&self.weights), &self.config, precision).map_err(failed)?;
        Ok(self.engine.get_or_init(|| engine))
    }

    /// Computes the scores by tensor operations, on a GPU.
    fn graph_scores(&self, windows: &[&EncoderWindow], subword: LabelledSubword) -> Computed<Vec<Vec<f32>>> {
        let batch = EncoderBatch::new(windows.iter().map(|window| window.ids.as_slice()), self.padding);
        let row = |(at, window): (usize, &&EncoderWindow)| {
            window.positions(subword).map(|position| (at * batch.width) as u32 + position).collect::<Vec<_>>()
        };
        let rows: Vec<u32> = windows.iter().enumerate().flat_map(row).collect();
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let words = self.tagger.encoder().words();
        self.tagger.scores(&batch, words, &rows, &mut NoDropout)?.to_vec2()
    }
}

impl WindowScorer for TensorScorer {
    fn is_by_itself(&self) -> bool {
        self.tagger.encoder().words().device().is_cpu()
    }

    /// If a device does not have enough memory for all windows, they are computed in parts.
    fn scores(
        &self,
        windows: &[&EncoderWindow],
        subword: LabelledSubword,
        threads: NonZeroUsize,
    ) -> Result<Vec<Vec<f32>>> {
        if self.is_by_itself() {
            return self.engine()?.scores(windows, subword, threads);
        }
        match self.graph_scores(windows, subword) {
            Ok(scores) => Ok(scores),
            Err(error) if !device::is_full(&error) => Err(failed(error)),
            Err(_) if windows.len() > 1 => {
                let (first, second) = windows.split_at(windows.len() / 2);
                Ok([self.scores(first, subword, threads)?, self.scores(second, subword, threads)?].concat())
            }
            Err(error) => {
                let subwords = windows.first().map_or(0, |window| window.ids.len());
                Err(failed(format!(
                    "no memory for {subwords} subwords of a text at a time ({error}): try {} cpu",
                    option("device")
                )))
            }
        }
    }

    fn layer_weights(&self) -> Option<LayerWeights> {
        let weights = self.tagger.layer_weights().ok()?;
        Some(LayerWeights(weights.into_iter().map(f64::from).collect()))
    }
}
