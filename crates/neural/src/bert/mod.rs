//! A tagger on BERT or its kin (Rei et al. 2020): a piece of each word, as all layers of the encoder
//! see it, decides the case of the word, and the mark after it (Courtland et al. 2020).

pub mod config;
mod device;
pub mod dropout;
pub mod encoder;
pub mod engine;
pub mod ops;
pub mod reference;
pub mod tagger;
pub mod tokenize;
mod vocabulary;
pub mod weights;
mod windows;
mod train;

use std::fmt::Display;
use std::sync::OnceLock;

pub use crate::shared::adam::Optimizer;
use candle_core::{Device, Result as Computed, Tensor};
use serde::{Deserialize, Serialize};
pub use train::{BertAdaptation, BertConfig, LossConfig, OptimizerConfig, Schedule, adapt, train};

use crate::shared::heads::{ChainState, ChainWord};
pub use crate::shared::heads::{HeadSizes, Heads};
pub use crate::shared::predict::{HeadOptions, Prediction};
use crate::shared::samples::runs;
use crate::shared::session::{WindowModel, WindowSession};
use crate::shared::windower::Windower;
use config::EncoderConfig;
use dropout::NoDropout;
use encoder::PieceBatch;
use engine::{Engine, ScoreRequest};
use majuscule::error::{Error, Result, option};
use majuscule::methods::Method;
use majuscule::methods::backend::{Backend, Precision};
use majuscule::methods::gaps::MarkCosts;
use majuscule::methods::spellings::ClassCases;
use majuscule::model::{Section, Store};
use majuscule::restorer::{Details, EncoderCheck, LayerWeights, Request, Restorer, Session};
use majuscule::text::{Choice, Labels, Locale, Tokens};
use tagger::Tagger;
use tokenize::Pieces;
use weights::TensorMap;
pub use windows::LabelledPiece;
use windows::{PieceWindow, ScorePool, ScoredWord, WindowTarget};

/// The method, for the list of a program.
pub const METHOD: Method = Method {
    name: "bert",
    has_backends: true,
    load: |store, computing| Ok(Box::new(Bert::load(store, computing)?)),
};

/// The files of a model: those of a Hugging Face folder, and the spellings in mixed case.
const CONFIG: &str = "config.json";
const TOKENIZER: &str = "tokenizer.json";
const WEIGHTS: &str = "model.safetensors";
const MIXED: &str = "mixed.txt";

/// A trained model.
#[derive(Debug)]
pub struct Bert {
    config: EncoderConfig,
    pieces: Pieces,
    weights: TensorMap,
    tagger: Tagger,
    /// The engine, made when it is first needed.
    engine: OnceLock<Engine>,
    precision: Precision,
    cases: ClassCases<String>,
    settings: BertSettings,
    labels: Labels,
    heads: Heads,
}

/// The settings of a model that depend on its training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BertSettings {
    /// The number of pieces that the encoder sees at a time; longer sentences are cut into
    /// overlapping windows.
    pub window: usize,
    /// True if a text continues after the end of a line, as in training.
    pub runs_on: bool,
    /// The number of pieces that remain of the encoder's vocabulary, if it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_pieces: Option<usize>,
    /// The piece of a word that has its labels.
    #[serde(default, skip_serializing_if = "is_first")]
    pub piece: LabelledPiece,
    /// The costs of marks, if the model finds marks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<MarkCosts>,
}

/// Returns true for the piece that a manifest does not name.
fn is_first(piece: &LabelledPiece) -> bool {
    *piece == LabelledPiece::First
}

impl Bert {
    /// Reads a model.
    ///
    /// # Errors
    /// Returns [`Error::Model`] if a file of it is missing, cut off or altered, and
    /// [`Error::Usage`] if the backend is not available.
    pub fn load(store: &dyn Store, computing: &Backend) -> Result<Self> {
        let (device, precision) = device::place(computing)?;
        let manifest = store.manifest();
        let wrong = |problem: String| Error::model(store.name(), format!("{problem}: train it again"));
        let settings = BertSettings::deserialize(&manifest.settings)
            .map_err(|error| wrong(format!("its settings are not those of bert ({error})")))?;
        // All checksums are verified before any file is read.
        let [config, pieces, weights, mixed] =
            [CONFIG, TOKENIZER, WEIGHTS, MIXED].map(|name| store.section(name));
        let (config, pieces, weights, mixed) = (config?, pieces?, weights?, mixed?);
        let config = EncoderConfig::read(&config).map_err(|problem| wrong(format!("{CONFIG} {problem}")))?;
        let pieces = Pieces::read(&pieces, Some(config.vocab_size))
            .map_err(|problem| wrong(format!("{TOKENIZER} {problem}")))?;
        let shapes = tagger::shapes(&config, Heads::of(&manifest.labels).sizes());
        let named = |name: &str| Some(weights::tagger_name(config.kind, name));
        let weights = weights::read(&weights, &shapes, named, &Device::Cpu)
            .and_then(|weights| weights::check_finite(&weights).map(|()| weights))
            .map_err(|problem| wrong(format!("{WEIGHTS} {problem}")))?;
        let mixed = String::from_utf8(mixed.to_vec()).map_err(|_| wrong(format!("{MIXED} is no text")))?;
        if !(3..=config.longest()).contains(&settings.window) {
            let most = config.longest();
            return Err(wrong(format!(
                "its window is {}, but its encoder takes 3 to {most}",
                settings.window
            )));
        }
        let model =
            Self::new(config, pieces, weights, mixed, settings, manifest.locale, manifest.labels.clone())
                .map_err(|problem| wrong(problem.to_string()))?;
        model.on(&device, precision).map_err(failed)
    }

    /// Moves the model to this device and precision. The saved form stays the same.
    fn on(self, device: &Device, precision: Precision) -> Computed<Self> {
        if device.is_cpu() {
            return Ok(Self { precision, ..self });
        }
        let tagger = Tagger::new(&device::placed(&self.weights, device, precision)?, &self.config)?;
        Ok(Self { tagger, precision, ..self })
    }

    fn new(
        config: EncoderConfig,
        pieces: Pieces,
        weights: TensorMap,
        mixed_text: String,
        settings: BertSettings,
        locale: Locale,
        labels: Labels,
    ) -> Computed<Self> {
        let tagger = Tagger::new(&weights, &config)?;
        let cases = ClassCases::new(mixed_text, locale, str::to_owned);
        let (engine, precision, heads) = (OnceLock::new(), Precision::F32, Heads::of(&labels));
        Ok(Self { config, pieces, weights, tagger, engine, precision, cases, settings, labels, heads })
    }

    /// Returns the files of the model.
    ///
    /// # Errors
    /// Fails if the weights cannot be read from their device.
    pub fn sections(&self) -> Result<Vec<Section>> {
        let mut config = self.config.json();
        for (name, labels) in ["id2label", "id2mark"].into_iter().zip(self.heads.names()) {
            let labels = labels.iter().enumerate().map(|(id, &label)| (id.to_string(), label.into()));
            let labels: serde_json::Map<_, _> = labels.collect();
            // A model of case alone has one mark: none.
            if labels.len() > 1 {
                config.insert(name.to_owned(), labels.into());
            }
        }
        let mut bytes = serde_json::to_vec_pretty(&config).expect("settings have string keys only");
        bytes.push(b'\n');
        let named = |(name, tensor): (&String, &Tensor)| {
            (weights::saved_name(self.config.kind, name), tensor.clone())
        };
        let weights = self.weights.iter().map(named).collect();
        Ok(vec![
            (CONFIG.to_owned(), bytes),
            (TOKENIZER.to_owned(), self.pieces.json()),
            (WEIGHTS.to_owned(), weights::write(&weights).map_err(failed)?),
            (MIXED.to_owned(), self.cases.text().as_bytes().to_vec()),
        ])
    }

    /// Returns the model with these costs of marks.
    #[must_use]
    pub fn with_costs(mut self, costs: MarkCosts) -> Self {
        self.settings.costs = Some(costs);
        self
    }

    /// Returns the settings in the manifest of the model.
    pub fn settings(&self) -> &BertSettings {
        &self.settings
    }

    /// Returns the tagger.
    pub fn tagger(&self) -> &Tagger {
        &self.tagger
    }

    /// Returns true if scores are bit-identical whatever is computed together.
    fn is_by_itself(&self) -> bool {
        self.tagger.encoder().words().device().is_cpu()
    }

    /// Returns the scores of the labels of each target with pieces, window after window. If a
    /// device does not have enough memory for all, they are computed in parts.
    fn scores(&self, windows: &[&PieceWindow], request: Request) -> Result<Vec<Vec<f32>>> {
        if self.is_by_itself() {
            return self.engine_scores(windows, request).map_err(failed);
        }
        match self.graph_scores(windows) {
            Ok(scores) => Ok(scores),
            Err(error) if !device::is_full(&error) => Err(failed(error)),
            Err(_) if windows.len() > 1 => {
                let (first, second) = windows.split_at(windows.len() / 2);
                Ok([self.scores(first, request)?, self.scores(second, request)?].concat())
            }
            Err(error) => {
                let pieces = windows.first().map_or(0, |window| window.ids.len());
                Err(failed(format!(
                    "no memory for {pieces} pieces of a text at a time ({error}): try {} cpu",
                    option("device")
                )))
            }
        }
    }

    /// Computes the scores with the engine, on the processor.
    fn engine_scores(&self, windows: &[&PieceWindow], request: Request) -> Computed<Vec<Vec<f32>>> {
        let place = |target: &WindowTarget| target.place(self.settings.piece);
        let requests: Vec<ScoreRequest<'_>> = windows
            .iter()
            .map(|window| ScoreRequest {
                ids: &window.ids,
                places: window.targets.iter().filter_map(place).collect(),
            })
            .collect();
        self.engine()?.scores(&requests, request.threads)
    }

    fn engine(&self) -> Computed<&Engine> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let precision = match self.precision {
            Precision::Int8 => engine::EnginePrecision::Int8,
            Precision::F32 | Precision::Bf16 | Precision::F16 => engine::EnginePrecision::F32,
        };
        let engine = Engine::new(&self.weights, &self.config, precision)?;
        Ok(self.engine.get_or_init(|| engine))
    }

    /// Computes the scores by tensor operations, on a GPU.
    fn graph_scores(&self, windows: &[&PieceWindow]) -> Computed<Vec<Vec<f32>>> {
        let batch =
            PieceBatch::new(windows.iter().map(|window| window.ids.as_slice()), self.pieces.special.padding);
        let targets = windows.iter().map(|window| window.targets.as_slice());
        let rows = rows(targets, batch.width, self.settings.piece);
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let words = self.tagger.encoder().words();
        self.tagger.scores(&batch, words, &rows, &mut NoDropout)?.to_vec2()
    }

    /// Returns the scores of the labels of all words of documents, windows of about equal length
    /// together.
    fn scored(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<ScoredWord>>> {
        let mut windows = Vec::new();
        let mut counts = Vec::with_capacity(documents.len());
        let mut windower = self.windower(request);
        for document in documents {
            let before = windows.len();
            windower.push_document(document, &mut windows)?;
            counts.push(windows.len() - before);
        }
        let mut order: Vec<usize> = (0..windows.len()).collect();
        order.sort_by_key(|&at| windows[at].ids.len());
        let mut scores = vec![Vec::new(); windows.len()];
        for group in runs(&order, |&at| windows[at].ids.len(), BATCH) {
            let group_windows: Vec<&PieceWindow> = group.iter().map(|&at| &windows[at]).collect();
            let mut found = self.scores(&group_windows, request)?.into_iter();
            for &at in group {
                let targets = windows[at].targets.iter().filter(|target| target.places.is_some()).count();
                scores[at] = found.by_ref().take(targets).collect();
            }
        }
        let mut windows = windows.into_iter().zip(&scores);
        let document = |count| {
            let mut pool = ScorePool::new(self.heads.sizes());
            let windows = windows.by_ref().take(count);
            let add = |(window, scores): (_, &Vec<Vec<f32>>)| {
                pool.add(window, &mut scores.iter().map(Vec::as_slice))
            };
            windows.flat_map(add).collect()
        };
        Ok(counts.into_iter().map(document).collect())
    }

    /// Returns the choice for the next word of a text.
    fn choice(
        &self,
        (target, ln): &ScoredWord,
        costs: MarkCosts,
        chain: &mut ChainState,
        request: &Request,
    ) -> Choice {
        let WindowTarget { word, context, after, .. } = target;
        let word = ChainWord { lower: &word.lower, context: *context, after: *after };
        self.heads.choice(&word, ln, &self.cases, costs, chain, request)
    }

    fn costs(&self) -> MarkCosts {
        self.settings.costs.unwrap_or_default()
    }
}

/// The state of a text between its windows.
#[derive(Debug, Clone)]
pub struct TextState {
    pool: ScorePool,
    chain: ChainState,
}

/// Returns the rows of the labelled pieces of targets in a batch of windows of this width.
fn rows<'a>(
    windows: impl IntoIterator<Item = &'a [WindowTarget]>,
    width: usize,
    piece: LabelledPiece,
) -> Vec<u32> {
    let row = |(at, targets): (usize, &'a [WindowTarget])| {
        targets.iter().filter_map(move |target| Some((at * width) as u32 + target.place(piece)?))
    };
    windows.into_iter().enumerate().flat_map(row).collect()
}

/// Returns the error of a failed computation, such as for want of memory.
fn failed(problem: impl Display) -> Error {
    Error::model("bert", format!("computing failed: {problem}"))
}

/// The number of pieces that go through the encoder at a time.
const BATCH: usize = 2048;

impl Restorer for Bert {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    /// All words up to the end of a sentence, or of a line.
    fn look_ahead(&self) -> Option<usize> {
        None
    }

    fn averages_contexts(&self) -> bool {
        true
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        Box::new(WindowSession::new(self, request))
    }

    fn details(&self) -> Option<&dyn Details> {
        Some(self)
    }

    /// Windows of about equal length go through the encoder together.
    fn restore_batch(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<Choice>>> {
        let document = |words: Vec<ScoredWord>| {
            let (mut chain, costs) = (ChainState::default(), self.costs());
            words.iter().map(|word| self.choice(word, costs, &mut chain, &request)).collect()
        };
        Ok(self.scored(documents, request)?.into_iter().map(document).collect())
    }
}

impl Details for Bert {
    fn check_encoder(&self, text: &str) -> Option<Result<EncoderCheck>> {
        Some(self.compare(text))
    }

    fn layer_weights(&self) -> Option<LayerWeights> {
        let weights = self.tagger.layer_weights().ok()?;
        Some(LayerWeights(weights.into_iter().map(f64::from).collect()))
    }
}

impl WindowModel for Bert {
    type Window = PieceWindow;
    type Encoder<'m> = &'m Pieces;
    type Pending = TextState;

    fn windower(&self, request: Request) -> Windower<&Pieces> {
        let BertSettings { window, runs_on, .. } = self.settings;
        let options = windows::options(window, runs_on, request.look_ahead, request.predictions.get());
        Windower::new(&self.pieces, options.for_request(&request, self.heads.marks()))
    }

    fn begin(&self) -> TextState {
        TextState { pool: ScorePool::new(self.heads.sizes()), chain: ChainState::default() }
    }

    fn answer(
        &self,
        windows: Vec<PieceWindow>,
        state: &mut TextState,
        request: Request,
        out: &mut Vec<Choice>,
    ) -> Result<()> {
        // If scores depend on the batch, a window goes alone.
        let together = if self.is_by_itself() { windows.len().max(1) } else { 1 };
        let mut windows = windows.into_iter().peekable();
        while windows.peek().is_some() {
            let group: Vec<PieceWindow> = windows.by_ref().take(together).collect();
            let scores = self.scores(&group.iter().collect::<Vec<_>>(), request)?;
            let mut scores = scores.iter().map(Vec::as_slice);
            let (TextState { pool, chain }, costs) = (&mut *state, self.costs());
            for window in group {
                let finished = pool.add(window, &mut scores);
                out.extend(finished.map(|word| self.choice(&word, costs, chain, &request)));
            }
        }
        Ok(())
    }
}
