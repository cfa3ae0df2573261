//! The names and shapes of the tensors of encoders and taggers.

use super::config::{EncoderConfig, EncoderKind};
use crate::network::heads::HeadSizes;
pub use crate::network::tensors::Shapes;

/// The prefix of the names of the encoder's tensors in a tagger.
pub const ENCODER: &str = "bert.";

/// The embeddings of subwords.
pub const WORDS: &str = "bert.embeddings.word_embeddings.weight";

/// The end of the name of the relative position biases: one row for each bucket, one column for each head.
pub const DISTANCES: &str = "encoder.relative_attention_bias.weight";

/// The layer scalars: α of equation 1.
pub const SCALARS: &str = "layer_attention.scalars";
/// The factor of the weighted sum: γ of equation 1.
pub const GAMMA: &str = "layer_attention.gamma";

/// The prefixes of the names of the tensors of the heads: for cases and for marks.
pub const HEADS: [&str; 2] = ["classifier.", "marks."];

/// Returns the names and shapes of the tensors of an encoder, named as in Hugging Face's folders of
/// BERT without the prefix `bert.`, whatever the kind.
pub fn encoder_shapes(config: &EncoderConfig) -> Shapes {
    let (hidden, width) = (config.hidden_size, config.embedding_size);
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![config.vocab_size, width]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![config.max_position_embeddings, width]),
    ];
    if config.type_vocab_size > 0 {
        let shape = vec![config.type_vocab_size, width];
        shapes.push(("embeddings.token_type_embeddings.weight".to_owned(), shape));
    }
    if config.relative_attention_num_buckets > 0 {
        let shape = vec![config.relative_attention_num_buckets, config.num_attention_heads];
        shapes.push((DISTANCES.to_owned(), shape));
    }
    let mut pair = |name: String, shape: Vec<usize>| {
        let bias = vec![shape[0]];
        shapes.push((format!("{name}.weight"), shape));
        shapes.push((format!("{name}.bias"), bias));
    };
    pair("embeddings.LayerNorm".to_owned(), vec![width]);
    if config.has_projection() {
        pair("embeddings_project".to_owned(), vec![hidden, width]);
    }
    for layer in 0..config.num_hidden_layers {
        let layer = format!("encoder.layer.{layer}");
        for name in ["query", "key", "value"] {
            pair(format!("{layer}.attention.self.{name}"), vec![hidden, hidden]);
        }
        pair(format!("{layer}.attention.output.dense"), vec![hidden, hidden]);
        pair(format!("{layer}.attention.output.LayerNorm"), vec![hidden]);
        pair(format!("{layer}.intermediate.dense"), vec![config.intermediate_size, hidden]);
        pair(format!("{layer}.output.dense"), vec![hidden, config.intermediate_size]);
        pair(format!("{layer}.output.LayerNorm"), vec![hidden]);
    }
    shapes
}

/// Returns the index of the layer that contains a tensor of an encoder, if one does; `name` is as in
/// [`encoder_shapes`].
pub fn layer_of(name: &str) -> Option<usize> {
    name.strip_prefix(LAYERS[0])?.split('.').next()?.parse().ok()
}

/// Returns the names and shapes of the tensors of a tagger.
pub fn tagger_shapes(config: &EncoderConfig, heads: HeadSizes) -> Shapes {
    let mut shapes: Shapes =
        encoder_shapes(config).into_iter().map(|(name, shape)| (format!("{ENCODER}{name}"), shape)).collect();
    // The embedding layer counts as a layer: the sum of equation 1 runs from 0.
    shapes.push((SCALARS.to_owned(), vec![config.num_hidden_layers + 1]));
    shapes.push((GAMMA.to_owned(), vec![1]));
    for (head, size) in HEADS.into_iter().zip([heads.cases, heads.marks]).filter(|(_, size)| *size > 0) {
        shapes.push((format!("{head}weight"), vec![size, config.hidden_size]));
        shapes.push((format!("{head}bias"), vec![size]));
    }
    shapes
}

/// The beginnings of the names of layers, and the names of the parts of a layer, in BERT, DistilBERT and
/// MPNet.
const LAYERS: [&str; 3] = ["encoder.layer.", "transformer.layer.", "encoder.layer."];
const PARTS: [[&str; 3]; 8] = [
    ["attention.self.query", "attention.q_lin", "attention.attn.q"],
    ["attention.self.key", "attention.k_lin", "attention.attn.k"],
    ["attention.self.value", "attention.v_lin", "attention.attn.v"],
    ["attention.output.dense", "attention.out_lin", "attention.attn.o"],
    ["attention.output.LayerNorm", "sa_layer_norm", "attention.LayerNorm"],
    ["intermediate.dense", "ffn.lin1", "intermediate.dense"],
    ["output.dense", "ffn.lin2", "output.dense"],
    ["output.LayerNorm", "output_layer_norm", "output.LayerNorm"],
];

/// Returns the column of a kind in these tables.
fn column(kind: EncoderKind) -> usize {
    match kind {
        EncoderKind::DistilBert => 1,
        EncoderKind::Mpnet => 2,
        _ => 0,
    }
}

/// Translates the name of a tensor between two columns.
fn translated(name: &str, from: usize, to: usize) -> Option<String> {
    let (layer, rest) = name.strip_prefix(LAYERS[from])?.split_once('.')?;
    let (part, kind) = rest.rsplit_once('.')?;
    let parts = PARTS.iter().find(|parts| parts[from] == part)?;
    Some(format!("{}{layer}.{}.{kind}", LAYERS[to], parts[to]))
}

/// Returns the name, as in [`encoder_shapes`], of a tensor that an encoder's file calls `name`. The name
/// in the file may have the prefix of its kind.
pub fn encoder_name(kind: EncoderKind, name: &str) -> String {
    let name = name.strip_prefix(kind.prefix()).unwrap_or(name);
    match column(kind) {
        // The oldest checkpoints have other names for the two parts of a norm.
        0 => name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias"),
        of_kind => translated(name, of_kind, 0).unwrap_or_else(|| name.to_owned()),
    }
}

/// Returns the name that a tagger's tensor has in the file of a tagger of this kind.
pub fn saved_name(kind: EncoderKind, name: &str) -> String {
    let Some(rest) = name.strip_prefix(ENCODER) else { return name.to_owned() };
    let rest = translated(rest, 0, column(kind)).unwrap_or_else(|| rest.to_owned());
    format!("{}{rest}", kind.prefix())
}

/// Inverts [`saved_name`].
pub fn tagger_name(kind: EncoderKind, saved: &str) -> String {
    match saved.strip_prefix(kind.prefix()) {
        Some(_) => format!("{ENCODER}{}", encoder_name(kind, saved)),
        None => saved.to_owned(),
    }
}
