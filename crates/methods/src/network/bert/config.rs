//! The kind and shape of an encoder, from `config.json` of a Hugging Face folder.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The kinds of encoders. All of them have BERT's network, except for the input embeddings, the names of
/// tensors, and the relative position bias in the attention of MPNet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EncoderKind {
    /// BERT (Devlin et al. 2019).
    #[default]
    Bert,
    /// RoBERTa (Liu et al. 2019), and DistilRoBERTa, which has fewer layers.
    Roberta,
    /// XLM-R (Conneau et al. 2020): RoBERTa with a vocabulary of many languages.
    XlmRoberta,
    /// DistilBERT (Sanh et al. 2019).
    DistilBert,
    /// The discriminator of ELECTRA (Clark et al. 2020).
    Electra,
    /// MPNet (Song et al. 2020).
    Mpnet,
}

impl EncoderKind {
    /// The kinds, each with its name, the prefix of the encoder's tensors in a file, and the name of a tagger on such an
    /// encoder.
    const ALL: [(Self, &str, &str, &str); 6] = [
        (Self::Bert, "bert", "bert.", "BertForTokenClassification"),
        (Self::Roberta, "roberta", "roberta.", "RobertaForTokenClassification"),
        (Self::XlmRoberta, "xlm-roberta", "roberta.", "XLMRobertaForTokenClassification"),
        (Self::DistilBert, "distilbert", "distilbert.", "DistilBertForTokenClassification"),
        (Self::Electra, "electra", "electra.", "ElectraForTokenClassification"),
        (Self::Mpnet, "mpnet", "mpnet.", "MPNetForTokenClassification"),
    ];

    /// Returns the prefix of the names of the encoder's tensors in a file.
    pub fn prefix(self) -> &'static str {
        let (_, _, prefix, _) = Self::ALL[self as usize];
        prefix
    }
}

/// The kind and shape of an encoder. The fields have the names of BERT's `config.json`, whatever names the
/// kind itself uses; those that not all files have are set by [`EncoderConfig::read`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncoderConfig {
    /// The kind.
    #[serde(skip)]
    pub kind: EncoderKind,
    /// The number of subwords in the vocabulary.
    pub vocab_size: usize,
    /// The length of the vector of each subword in a layer.
    pub hidden_size: usize,
    /// The length of the embedding of each subword. If it is not `hidden_size`, a matrix widens it.
    #[serde(skip)]
    pub embedding_size: usize,
    /// The number of transformer layers.
    pub num_hidden_layers: usize,
    /// The number of attention heads in a layer.
    pub num_attention_heads: usize,
    /// The length of the vector between the two halves of a feed-forward network.
    pub intermediate_size: usize,
    /// The number of embeddings of positions.
    pub max_position_embeddings: usize,
    /// The position of the first subword of a text: in RoBERTa and MPNet the id of the padding plus 1.
    #[serde(skip)]
    pub first_position: usize,
    /// The number of segment types, of which all texts use the first; 0 if there are no segments.
    #[serde(default = "two")]
    pub type_vocab_size: usize,
    /// The number of buckets of distances for the relative position bias in attention; 0 if there is no such
    /// bias.
    #[serde(skip)]
    pub relative_attention_num_buckets: usize,
    /// The epsilon that is added to a variance before the square root.
    #[serde(default = "layer_norm_eps")]
    pub layer_norm_eps: f64,
    /// The dropout rate of values in training.
    #[serde(default = "dropout")]
    pub hidden_dropout_prob: f64,
    /// The dropout rate of attention in training.
    #[serde(default = "dropout")]
    pub attention_probs_dropout_prob: f64,
}

fn two() -> usize {
    2
}

fn layer_norm_eps() -> f64 {
    1e-12
}

fn dropout() -> f64 {
    0.1
}

/// The shape of an encoder as the `config.json` of DistilBERT describes it.
#[derive(Debug, Serialize, Deserialize)]
struct DistilBertShape {
    vocab_size: usize,
    dim: usize,
    n_layers: usize,
    n_heads: usize,
    hidden_dim: usize,
    max_position_embeddings: usize,
    #[serde(default = "dropout")]
    dropout: f64,
    #[serde(default = "dropout")]
    attention_dropout: f64,
}

/// The id of the padding of RoBERTa and MPNet, the length of ELECTRA's embeddings, and the number of MPNet's
/// buckets of distances, if `config.json` leaves them out.
const PADDING: u64 = 1;
const EMBEDDING: u64 = 128;
const BUCKETS: u64 = 32;

/// The upper limit of each number: larger ones come from an altered file.
const MOST: usize = 1 << 24;

/// The upper limit of the number of layers, about ten times as many as the deepest encoders have. It limits
/// the names of tensors, which are all created before the weights are read.
const MOST_LAYERS: usize = 1 << 9;

/// The upper limit of the length of a vector: a sum of that many products of bytes fits into 32 bits.
const MOST_WIDTH: usize = 1 << 16;

/// The upper limit of the number of buckets of distances: from distance 128 on, all distances share a
/// bucket, and 256 buckets are enough for the smaller distances on both sides.
const MOST_BUCKETS: usize = 256;

/// The least number of subwords of a text that an encoder must accept.
const FEWEST: usize = 4;

impl EncoderConfig {
    /// Reads a `config.json`.
    ///
    /// # Errors
    /// Describes the fault, if the encoder is of another kind or of an impossible shape.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let json: Value = serde_json::from_slice(bytes).map_err(|error| format!("is not JSON ({error})"))?;
        let kind = kind(&json)?;
        check_architecture(&json)?;
        let mut config = match kind {
            EncoderKind::DistilBert => Self::of_distilbert(shape(&json)?),
            _ => Self { kind, ..shape(&json)? },
        };
        config.embedding_size = config.hidden_size;
        let number = |name: &str, default| match json.get(name) {
            None | Some(Value::Null) => Ok(default),
            Some(value) => value.as_u64().ok_or_else(|| format!("has {name} {value}: expected a number")),
        };
        match kind {
            EncoderKind::Roberta | EncoderKind::XlmRoberta | EncoderKind::Mpnet => {
                config.first_position = small(number("pad_token_id", PADDING)?).saturating_add(1);
            }
            EncoderKind::Electra => config.embedding_size = small(number("embedding_size", EMBEDDING)?),
            EncoderKind::Bert | EncoderKind::DistilBert => {}
        }
        if kind == EncoderKind::Mpnet {
            config.type_vocab_size = 0;
            config.relative_attention_num_buckets = small(number("relative_attention_num_buckets", BUCKETS)?);
        }
        config.check()?;
        Ok(config)
    }

    fn of_distilbert(shape: DistilBertShape) -> Self {
        Self {
            kind: EncoderKind::DistilBert,
            vocab_size: shape.vocab_size,
            hidden_size: shape.dim,
            embedding_size: 0,
            num_hidden_layers: shape.n_layers,
            num_attention_heads: shape.n_heads,
            intermediate_size: shape.hidden_dim,
            max_position_embeddings: shape.max_position_embeddings,
            first_position: 0,
            type_vocab_size: 0,
            relative_attention_num_buckets: 0,
            layer_norm_eps: layer_norm_eps(),
            hidden_dropout_prob: shape.dropout,
            attention_probs_dropout_prob: shape.attention_dropout,
        }
    }

    /// Returns the `config.json` of a tagger on this encoder, as Hugging Face has it.
    pub fn json(&self) -> Map<String, Value> {
        let object = |value: Value| value.as_object().cloned().unwrap_or_default();
        let (_, name, _, architecture) = EncoderKind::ALL[self.kind as usize];
        let mut json = object(json!({ "model_type": name, "architectures": [architecture] }));
        json.extend(object(self.shape()));
        match self.kind {
            EncoderKind::Roberta | EncoderKind::XlmRoberta => {
                json.insert("pad_token_id".to_owned(), (self.first_position - 1).into());
            }
            EncoderKind::Electra => {
                json.insert("embedding_size".to_owned(), self.embedding_size.into());
            }
            EncoderKind::Mpnet => {
                json.insert("pad_token_id".to_owned(), (self.first_position - 1).into());
                let buckets = self.relative_attention_num_buckets.into();
                json.insert("relative_attention_num_buckets".to_owned(), buckets);
                json.remove("type_vocab_size");
            }
            EncoderKind::Bert | EncoderKind::DistilBert => {}
        }
        json
    }

    fn shape(&self) -> Value {
        let shape = match self.kind {
            EncoderKind::DistilBert => serde_json::to_value(DistilBertShape {
                vocab_size: self.vocab_size,
                dim: self.hidden_size,
                n_layers: self.num_hidden_layers,
                n_heads: self.num_attention_heads,
                hidden_dim: self.intermediate_size,
                max_position_embeddings: self.max_position_embeddings,
                dropout: self.hidden_dropout_prob,
                attention_dropout: self.attention_probs_dropout_prob,
            }),
            _ => serde_json::to_value(self),
        };
        shape.expect("a shape has string keys only")
    }

    /// Returns the number of subwords in the longest text.
    pub fn longest(&self) -> usize {
        self.max_position_embeddings - self.first_position
    }

    /// Returns true if a matrix projects the embeddings to the hidden size, because the two sizes differ.
    pub fn has_projection(&self) -> bool {
        self.embedding_size != self.hidden_size
    }

    fn check(&self) -> Result<(), String> {
        let types = match self.kind {
            EncoderKind::DistilBert | EncoderKind::Mpnet => 1,
            _ => self.type_vocab_size,
        };
        let numbers = [
            ("vocab_size", self.vocab_size, MOST),
            ("hidden_size", self.hidden_size, MOST_WIDTH),
            ("embedding_size", self.embedding_size, MOST_WIDTH),
            ("num_hidden_layers", self.num_hidden_layers, MOST_LAYERS),
            ("num_attention_heads", self.num_attention_heads, MOST_WIDTH),
            ("intermediate_size", self.intermediate_size, MOST_WIDTH),
            ("type_vocab_size", types, MOST),
        ];
        if let Some((name, number, most)) = numbers.iter().find(|(_, n, most)| !(1..=*most).contains(n)) {
            return Err(format!("has {name} {number}: expected a number from 1 to {most}"));
        }
        let fewest = self.first_position.saturating_add(FEWEST);
        if !(fewest..=MOST.max(fewest)).contains(&self.max_position_embeddings) {
            let found = self.max_position_embeddings;
            return Err(format!("has max_position_embeddings {found}: expected at least {fewest}"));
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let (size, heads) = (self.hidden_size, self.num_attention_heads);
            return Err(format!(
                "has hidden_size {size}, which is not divisible by its {heads} attention heads"
            ));
        }
        let buckets = self.relative_attention_num_buckets;
        if self.kind == EncoderKind::Mpnet && !(4..=MOST_BUCKETS).contains(&buckets)
            || !buckets.is_multiple_of(4)
        {
            return Err(format!(
                "has relative_attention_num_buckets {buckets}: expected a multiple of 4 up to {MOST_BUCKETS}"
            ));
        }
        let fractions = [self.hidden_dropout_prob, self.attention_probs_dropout_prob];
        if fractions.iter().any(|fraction| !(0.0..1.0).contains(fraction)) {
            return Err("has a dropout that is not from 0 to less than 1".to_owned());
        }
        if !(self.layer_norm_eps.is_finite() && self.layer_norm_eps > 0.0) {
            return Err(format!("has layer_norm_eps {}: expected more than 0", self.layer_norm_eps));
        }
        Ok(())
    }
}

/// Encoders of the same size and use that are not supported: `model_type`, the name, and the difference from
/// BERT.
const OTHER_ENCODERS: [(&str, &str, &str); 4] = [
    ("albert", "ALBERT", "whose layers share their weights"),
    ("deberta", "DeBERTa", "whose attention uses relative positions"),
    ("deberta-v2", "DeBERTa", "whose attention uses relative positions"),
    ("modernbert", "ModernBERT", "whose layers have gates and rotary positions"),
];

/// Returns the kind that a `config.json` names; the oldest files name no kind and are BERT's.
fn kind(json: &Value) -> Result<EncoderKind, String> {
    let Some(found) = json.get("model_type").filter(|found| !found.is_null()) else {
        return Ok(EncoderKind::Bert);
    };
    let kind = EncoderKind::ALL.into_iter().find(|(_, name, ..)| found.as_str() == Some(name));
    kind.map(|(kind, ..)| kind).ok_or_else(|| {
        let names = EncoderKind::ALL.map(|(_, name, ..)| name).join(", ");
        let other = OTHER_ENCODERS.iter().find(|(name, ..)| found.as_str() == Some(name));
        let reason = other.map(|(_, name, reason)| format!(" ({name}, {reason})")).unwrap_or_default();
        format!("has model_type {found}{reason}: expected an encoder of one of these kinds: {names}")
    })
}

fn shape<S: DeserializeOwned>(json: &Value) -> Result<S, String> {
    S::deserialize(json).map_err(|error| format!("does not describe an encoder ({error})"))
}

/// Converts a number to `usize`; one that does not fit becomes a number that no check accepts.
fn small(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Refuses networks other than BERT's.
fn check_architecture(json: &Value) -> Result<(), String> {
    let expected = [
        ("hidden_act", "gelu", "other activations, and approximations of this one, are not computed here"),
        ("activation", "gelu", "other activations, and approximations of this one, are not computed here"),
        ("position_embedding_type", "absolute", "relative positions are not supported"),
    ];
    for (name, expected, reason) in expected {
        if let Some(found) = json.get(name).filter(|found| !found.is_null())
            && found != expected
        {
            return Err(format!("has {name} {found}: expected \"{expected}\"; {reason}"));
        }
    }
    if json.get("is_decoder").and_then(Value::as_bool) == Some(true) {
        return Err("has is_decoder: expected an encoder".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOY: &str = r#"{"model_type": "bert", "hidden_act": "gelu", "vocab_size": 9, "hidden_size": 4, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 8, "max_position_embeddings": 16}"#;

    /// A folder of each kind.
    const KINDS: [(EncoderKind, &[u8]); 6] = [
        (EncoderKind::Bert, include_bytes!("../../../../../tests/data/toy-bert/config.json")),
        (EncoderKind::Roberta, include_bytes!("../../../../../tests/data/toy-roberta/config.json")),
        (EncoderKind::XlmRoberta, include_bytes!("../../../../../tests/data/toy-xlm-roberta/config.json")),
        (EncoderKind::DistilBert, include_bytes!("../../../../../tests/data/toy-distilbert/config.json")),
        (EncoderKind::Electra, include_bytes!("../../../../../tests/data/toy-electra/config.json")),
        (EncoderKind::Mpnet, include_bytes!("../../../../../tests/data/toy-mpnet/config.json")),
    ];

    fn again(config: &EncoderConfig) -> EncoderConfig {
        EncoderConfig::read(&serde_json::to_vec(&config.json()).unwrap()).unwrap()
    }

    #[test]
    fn what_is_left_out_is_as_in_the_first_models() {
        let config = EncoderConfig::read(TOY.as_bytes()).unwrap();
        assert_eq!((config.type_vocab_size, config.layer_norm_eps), (2, 1e-12));
        assert_eq!(again(&config), config);
        let unnamed = EncoderConfig::read(TOY.replace("\"model_type\": \"bert\",", "").as_bytes()).unwrap();
        assert_eq!(unnamed, config);
        let electra = EncoderConfig::read(TOY.replace("\"bert\"", "\"electra\"").as_bytes()).unwrap();
        assert_eq!(electra.embedding_size, 128);
    }

    #[test]
    fn every_kind_is_read_and_written_as_its_own() {
        for (kind, bytes) in KINDS {
            let config = EncoderConfig::read(bytes).unwrap();
            assert_eq!((config.kind, config.hidden_size, config.intermediate_size), (kind, 16, 32));
            assert_eq!((config.num_hidden_layers, config.num_attention_heads), (2, 2), "{kind:?}");
            // RoBERTa and MPNet have 42 positions and never uses the first two.
            assert_eq!(config.longest(), 40, "{kind:?}");
            assert_eq!(again(&config), config);
            let source: Value = serde_json::from_slice(bytes).unwrap();
            for (name, value) in config.json() {
                if name != "architectures" {
                    assert_eq!(source[&name], value, "{kind:?} {name}");
                }
            }
        }
    }

    #[test]
    fn the_config_of_bert_has_the_fields_that_it_always_had() {
        let config = EncoderConfig::read(TOY.as_bytes()).unwrap();
        let expected = r#"{"architectures":["BertForTokenClassification"],"attention_probs_dropout_prob":0.1,"hidden_dropout_prob":0.1,"hidden_size":4,"intermediate_size":8,"layer_norm_eps":1e-12,"max_position_embeddings":16,"model_type":"bert","num_attention_heads":2,"num_hidden_layers":2,"type_vocab_size":2,"vocab_size":9}"#;
        let found: std::collections::BTreeMap<String, Value> = config.json().into_iter().collect();
        assert_eq!(serde_json::to_string(&found).unwrap(), expected);
    }

    #[test]
    fn what_cannot_be_computed_is_named() {
        for (from, to, problem) in [
            (
                "\"bert\"",
                "\"gpt2\"",
                "model_type \"gpt2\": expected an encoder of one of these kinds: bert, roberta, xlm-roberta, distilbert, electra, mpnet",
            ),
            ("\"bert\"", "7", "model_type 7: expected"),
            (
                "\"bert\"",
                "\"albert\"",
                "model_type \"albert\" (ALBERT, whose layers share their weights): expected an encoder of one",
            ),
            ("\"bert\"", "\"deberta\"", "(DeBERTa, whose attention uses relative positions)"),
            ("\"bert\"", "\"deberta-v2\"", "(DeBERTa, whose attention uses relative positions)"),
            ("\"bert\"", "\"modernbert\"", "(ModernBERT, whose layers have gates and rotary positions)"),
            (
                "\"bert\"",
                "\"mpnet\", \"relative_attention_num_buckets\": 30",
                "relative_attention_num_buckets 30: expected a multiple of 4 up to 256",
            ),
            (
                "\"gelu\"",
                "\"gelu_new\"",
                "hidden_act \"gelu_new\": expected \"gelu\"; other activations, and approximations",
            ),
            (
                "\"hidden_act\": \"gelu\"",
                "\"activation\": \"relu\"",
                "activation \"relu\": expected \"gelu\"",
            ),
            (
                "\"gelu\"",
                "\"gelu\", \"position_embedding_type\": \"relative_key\"",
                "position_embedding_type \"relative_key\"",
            ),
            ("\"gelu\"", "\"gelu\", \"is_decoder\": true", "is_decoder"),
            ("\"hidden_size\": 4", "\"hidden_size\": 5", "not divisible by its 2 attention heads"),
            ("\"hidden_size\": 4", "\"hidden_size\": 0", "hidden_size 0: expected a number from 1"),
            ("\"hidden_size\": 4", "\"hidden_size\": 65537", "expected a number from 1 to 65536"),
            (
                "\"num_hidden_layers\": 2",
                "\"num_hidden_layers\": 16777216",
                "num_hidden_layers 16777216: expected a number from 1 to 512",
            ),
            ("\"hidden_size\": 4,", "", "missing field `hidden_size`"),
            (
                "\"max_position_embeddings\": 16",
                "\"max_position_embeddings\": 3",
                "max_position_embeddings 3: expected at least 4",
            ),
            (
                "\"bert\"",
                "\"roberta\", \"pad_token_id\": 12",
                "max_position_embeddings 16: expected at least 17",
            ),
            ("\"bert\"", "\"roberta\", \"pad_token_id\": 18446744073709551615", "expected at least"),
            ("\"bert\"", "\"roberta\", \"pad_token_id\": -1", "pad_token_id -1: expected a number"),
            ("\"bert\"", "\"electra\", \"embedding_size\": 0", "embedding_size 0: expected a number from 1"),
            ("}", "", "is not JSON"),
        ] {
            let error = EncoderConfig::read(TOY.replace(from, to).as_bytes()).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
