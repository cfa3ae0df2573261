//! Models of `bert`, with the toy encoder of `tests/data` and heads that nobody trained, and of `cnn-bilstm`, with
//! weights that nobody trained: their answers are arbitrary, and the same everywhere.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use majuscule_methods::model::{Draft, Packed};
use majuscule_methods::model::{FORMAT, Manifest, Section, Training};
use majuscule_methods::network::bert::{self, CONFIG, MIXED, TOKENIZER, WEIGHTS};
use majuscule_methods::network::cnn_bilstm::shape::CnnBilstmShape;
use majuscule_methods::network::cnn_bilstm::{self, CnnBilstmParts, CnnBilstmSettings};
use majuscule_methods::network::heads::Heads;
use majuscule_methods::network::matrix::WeightMatrix;
use majuscule_methods::network::tensors::{self, Embeddings, Shapes, WeightSource, embeddings};
use majuscule_methods::network::word_lexicon::WordLexicon;
use majuscule_text::{Class, Labels, Locale, Mark};
use serde_json::{Map, Value, json};

const ENCODER: &[u8] = include_bytes!("../data/toy-bert/model.safetensors");
/// The tokenizer of the same vocabulary.
const SUBWORDS: &str = include_str!("../data/toy-distilbert/tokenizer.json");
const SHAPE: &str = include_str!("../data/toy-bert/config.json");

/// Returns the model with its weights in bytes.
pub fn in_bytes() -> Draft {
    in_bytes_of("en")
}

/// Returns the same as a model of these languages.
pub fn in_bytes_of(languages: &str) -> Draft {
    let store = Packed::open("toy", whole_of(languages).pack().into()).unwrap();
    bert::in_bytes(&store).unwrap()
}

/// Returns the model with its weights in 32-bit numbers.
pub fn whole() -> Draft {
    whole_of("en")
}

/// Returns a small network on subwords with its weights in 32-bit numbers.
pub fn cnn_bilstm() -> Draft {
    let shape = CnnBilstmShape {
        subwords: 101,
        embedding: 3,
        convolutions: 1,
        channels: 4,
        layers: 2,
        hidden: 3,
        layouts: true,
        lexicon: true,
    };
    let settings = CnnBilstmSettings { shape, window: 12, runs_on: true, costs: None, in_bytes: false };
    let manifest = manifest("cnn-bilstm", "en", serde_json::to_value(&settings).unwrap());
    let parts = CnnBilstmParts {
        tokenizer: SUBWORDS.into(),
        words: "who\nlisbon\n".to_owned(),
        mixed: String::new(),
        lexicon: Some(WordLexicon::build([("who", 9, 0), ("lisbon", 300, 2)].into_iter())),
        settings,
        locale: Locale::Root,
        labels: manifest.labels.clone(),
    };
    let weights = ToyWeights(shape.tensors(2, Heads::of(&parts.labels).sizes()));
    let bytes = tensors::write(&weights.0, &weights).unwrap();
    Draft::new(manifest, parts.sections(bytes))
}

/// Returns the same with its weights in bytes.
pub fn cnn_bilstm_in_bytes() -> Draft {
    cnn_bilstm::in_bytes(&Packed::open("toy", cnn_bilstm().pack().into()).unwrap()).unwrap()
}

/// Weights of these names and shapes by a formula.
struct ToyWeights(Shapes);

impl ToyWeights {
    fn shape(&self, name: &str) -> &[usize] {
        self.0.iter().find(|(found, _)| found == name).map(|(_, shape)| shape).unwrap()
    }
}

impl WeightSource for ToyWeights {
    fn has(&self, _: &str) -> bool {
        true
    }

    fn matrix(&self, name: &str) -> Result<WeightMatrix, String> {
        let count = self.shape(name).iter().product::<usize>();
        Ok(WeightMatrix::Floats((1..=count).map(|at| (at as f32 * 1.7).sin()).collect()))
    }

    fn embeddings(&self, name: &str) -> Result<Box<dyn Embeddings>, String> {
        Ok(embeddings(self.matrix(name)?, self.shape(name)[1]))
    }
}

/// Returns the manifest of a model with these settings that chooses among three classes, and two marks.
fn manifest(method: &str, languages: &str, settings: Value) -> Manifest {
    let marks = [Mark::None, Mark::Comma, Mark::Period];
    let classes = &Class::ALL[..3];
    let labels = marks.into_iter().flat_map(|mark| classes.iter().map(move |&class| (class, mark)));
    Manifest {
        format: FORMAT,
        method: method.to_owned(),
        language: languages.to_owned(),
        locale: Locale::Root,
        version: "0.1.0".to_owned(),
        settings,
        trained_on: Training::default(),
        labels: Labels::new(labels),
        files: Vec::new(),
    }
}

fn whole_of(languages: &str) -> Draft {
    let manifest = manifest("bert", languages, json!({ "window": 12, "runs_on": true, "piece": "last" }));
    let sections: Vec<Section> = vec![
        (CONFIG.to_owned(), SHAPE.into()),
        (TOKENIZER.to_owned(), SUBWORDS.into()),
        (WEIGHTS.to_owned(), weights()),
        (MIXED.to_owned(), Vec::new()),
    ];
    Draft::new(manifest, sections)
}

/// Returns the tensors of the encoder, without the tensors of its own heads, followed by the tensors of the heads
/// here.
fn weights() -> Vec<u8> {
    let (length, rest) = ENCODER.split_first_chunk::<8>().unwrap();
    let (header, bytes) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let tensors: Map<String, Value> = serde_json::from_slice(header).unwrap();
    let is_of_encoder = |name: &str| name.starts_with("bert.e");
    let (mut header, mut data) = (Map::new(), Vec::new());
    let mut add = |name: &str, shape: &Value, bytes: &[u8]| {
        let start = data.len();
        data.extend_from_slice(bytes);
        let place = json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, data.len()] });
        header.insert(name.to_owned(), place);
    };
    for (name, tensor) in tensors.iter().filter(|(name, _)| is_of_encoder(name)) {
        let [from, to] = [0, 1].map(|at| tensor["data_offsets"][at].as_u64().unwrap() as usize);
        add(name, &tensor["shape"], &bytes[from..to]);
    }
    for (name, shape) in [
        ("layer_attention.scalars", json!([3])),
        ("layer_attention.gamma", json!([1])),
        ("classifier.weight", json!([3, 16])),
        ("classifier.bias", json!([3])),
        ("marks.weight", json!([3, 16])),
        ("marks.bias", json!([3])),
    ] {
        let count: u64 = shape.as_array().unwrap().iter().map(|size| size.as_u64().unwrap()).product();
        let numbers = (1..=count).map(|at| (at as f32 * 1.7).sin());
        add(name, &shape, &numbers.flat_map(f32::to_le_bytes).collect::<Vec<_>>());
    }
    let header = Value::Object(header).to_string();
    let length = (header.len() as u64).to_le_bytes();
    [length.as_slice(), header.as_bytes(), &data].concat()
}
