//! The shape of an encoder, from `config.json` of a Hugging Face folder.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The shape of an encoder, as Hugging Face's `config.json` calls it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncoderConfig {
    /// The number of pieces in the vocabulary.
    pub vocab_size: usize,
    /// The length of each word's vector.
    pub hidden_size: usize,
    /// The number of transformer layers.
    pub num_hidden_layers: usize,
    /// The number of attention heads in a layer.
    pub num_attention_heads: usize,
    /// The length of the vector between the two halves of a feed-forward network.
    pub intermediate_size: usize,
    /// The number of pieces in the longest text.
    pub max_position_embeddings: usize,
    /// The number of segment types; all text here has the first.
    #[serde(default = "two")]
    pub type_vocab_size: usize,
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

/// The upper limit of each number: larger ones come from an altered file.
const MOST: usize = 1 << 24;

impl EncoderConfig {
    /// Reads a `config.json`.
    ///
    /// # Errors
    /// Describes the fault, if the shape is of another architecture or impossible.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let json: Value = serde_json::from_slice(bytes).map_err(|error| format!("is no JSON ({error})"))?;
        check_architecture(&json)?;
        let config: Self = serde_json::from_value(json)
            .map_err(|error| format!("does not describe a BERT encoder ({error})"))?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        let numbers = [
            ("vocab_size", self.vocab_size),
            ("hidden_size", self.hidden_size),
            ("num_hidden_layers", self.num_hidden_layers),
            ("num_attention_heads", self.num_attention_heads),
            ("intermediate_size", self.intermediate_size),
            ("type_vocab_size", self.type_vocab_size),
        ];
        if let Some((name, number)) = numbers.iter().find(|(_, number)| !(1..=MOST).contains(number)) {
            return Err(format!("says {name} {number}: expected a number from 1 to {MOST}"));
        }
        if !(4..=MOST).contains(&self.max_position_embeddings) {
            let found = self.max_position_embeddings;
            return Err(format!("says max_position_embeddings {found}: expected at least 4"));
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let (size, heads) = (self.hidden_size, self.num_attention_heads);
            return Err(format!("says hidden_size {size}, which {heads} attention heads cannot share"));
        }
        let shares = [self.hidden_dropout_prob, self.attention_probs_dropout_prob];
        if shares.iter().any(|share| !(0.0..1.0).contains(share)) {
            return Err("says a dropout that is no share from 0 to less than 1".to_owned());
        }
        if !(self.layer_norm_eps.is_finite() && self.layer_norm_eps > 0.0) {
            return Err(format!("says layer_norm_eps {}: expected more than 0", self.layer_norm_eps));
        }
        Ok(())
    }
}

/// Refuses architectures other than BERT.
fn check_architecture(json: &Value) -> Result<(), String> {
    let says = |name: &str| json.get(name).and_then(Value::as_str);
    let expected = [("model_type", "bert"), ("hidden_act", "gelu"), ("position_embedding_type", "absolute")];
    for (name, expected) in expected {
        if let Some(found) = says(name)
            && found != expected
        {
            return Err(format!(
                "says {name} \"{found}\": expected \"{expected}\"; give the folder of a BERT model"
            ));
        }
    }
    if json.get("is_decoder").and_then(Value::as_bool) == Some(true) {
        return Err("says is_decoder: expected an encoder; give the folder of a BERT model".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOY: &str = r#"{"model_type": "bert", "hidden_act": "gelu", "vocab_size": 9, "hidden_size": 4, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 8, "max_position_embeddings": 16}"#;

    #[test]
    fn what_is_left_out_is_as_in_the_first_models() {
        let config = EncoderConfig::read(TOY.as_bytes()).unwrap();
        assert_eq!((config.type_vocab_size, config.layer_norm_eps), (2, 1e-12));
        let again = serde_json::to_vec(&config).unwrap();
        assert_eq!(EncoderConfig::read(&again).unwrap(), config);
    }

    #[test]
    fn what_is_no_bert_is_named() {
        for (from, to, problem) in [
            ("\"bert\"", "\"roberta\"", "model_type \"roberta\": expected \"bert\""),
            ("\"gelu\"", "\"gelu_new\"", "hidden_act \"gelu_new\""),
            ("\"hidden_size\": 4", "\"hidden_size\": 5", "2 attention heads cannot share"),
            ("\"hidden_size\": 4", "\"hidden_size\": 0", "hidden_size 0: expected a number from 1"),
            ("\"hidden_size\": 4,", "", "missing field `hidden_size`"),
            ("}", "", "is no JSON"),
        ] {
            let error = EncoderConfig::read(TOY.replace(from, to).as_bytes()).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
