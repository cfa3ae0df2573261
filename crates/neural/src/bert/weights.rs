//! Weights as safetensors: reads bytes into tensors by name, and writes them back.

use std::collections::{BTreeMap, HashMap};

use candle_core::{DType, Device, Result as Computed, Tensor};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

use super::config::{EncoderConfig, EncoderKind};
use super::tagger::ENCODER;

/// Tensors by name.
pub type TensorMap = BTreeMap<String, Tensor>;

/// The names and shapes of tensors.
pub type Shapes = Vec<(String, Vec<usize>)>;

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

/// The beginnings of names of tensors of other heads, and of those that older versions saved beside
/// the encoder.
const OTHERS: [&str; 11] = [
    "pooler.",
    "cls.",
    "classifier.",
    "qa_outputs.",
    "lm_head.",
    "vocab_",
    "discriminator_predictions.",
    "generator_predictions.",
    "generator_lm_head.",
    "embeddings.position_ids",
    "embeddings.token_type_ids",
];

/// The beginnings of the names of layers, and the names of the parts of a layer, first in BERT and
/// then in DistilBERT.
const LAYERS: [&str; 2] = ["encoder.layer.", "transformer.layer."];
const PARTS: [[&str; 2]; 8] = [
    ["attention.self.query", "attention.q_lin"],
    ["attention.self.key", "attention.k_lin"],
    ["attention.self.value", "attention.v_lin"],
    ["attention.output.dense", "attention.out_lin"],
    ["attention.output.LayerNorm", "sa_layer_norm"],
    ["intermediate.dense", "ffn.lin1"],
    ["output.dense", "ffn.lin2"],
    ["output.LayerNorm", "output_layer_norm"],
];

/// Translates the name of a tensor between BERT (0) and DistilBERT (1).
fn translated(name: &str, from: usize, to: usize) -> Option<String> {
    let (layer, rest) = name.strip_prefix(LAYERS[from])?.split_once('.')?;
    let (part, kind) = rest.rsplit_once('.')?;
    let parts = PARTS.iter().find(|parts| parts[from] == part)?;
    Some(format!("{}{layer}.{}.{kind}", LAYERS[to], parts[to]))
}

/// Returns the name of an encoder's tensor, which stands in a file with or without the prefix of
/// its kind.
fn encoder_name(kind: EncoderKind, name: &str) -> String {
    let name = name.strip_prefix(kind.prefix()).unwrap_or(name);
    match kind {
        EncoderKind::DistilBert => translated(name, 1, 0).unwrap_or_else(|| name.to_owned()),
        // The names of the two parts of a norm in the oldest checkpoints.
        _ => name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias"),
    }
}

/// Returns the name in the file of a tagger of this kind for the name of a tensor of a tagger.
pub fn saved_name(kind: EncoderKind, name: &str) -> String {
    let Some(rest) = name.strip_prefix(ENCODER) else { return name.to_owned() };
    let rest = match kind {
        EncoderKind::DistilBert => translated(rest, 0, 1).unwrap_or_else(|| rest.to_owned()),
        _ => rest.to_owned(),
    };
    format!("{}{rest}", kind.prefix())
}

/// Inverts [`saved_name`].
pub fn tagger_name(kind: EncoderKind, saved: &str) -> String {
    match saved.strip_prefix(kind.prefix()) {
        Some(_) => format!("{ENCODER}{}", encoder_name(kind, saved)),
        None => saved.to_owned(),
    }
}

/// Reads the encoder from the weights of a Hugging Face folder, with or without the prefix of its
/// kind and whatever head is on it.
///
/// # Errors
/// Names a tensor that is missing, unexpected, of another shape or not finite.
pub fn read_encoder(bytes: &[u8], config: &EncoderConfig, device: &Device) -> Result<TensorMap, String> {
    let named = |name: &str| {
        let name = encoder_name(config.kind, name);
        (!OTHERS.iter().any(|other| name.starts_with(other))).then_some(name)
    };
    let weights = read(bytes, &encoder_shapes(config), named, device)?;
    check_finite(&weights)?;
    Ok(weights)
}

/// Refuses weights that are NaN or infinite.
///
/// # Errors
/// Names the first tensor with such a number.
pub fn check_finite(weights: &TensorMap) -> Result<(), String> {
    // No early end: this is as fast as memory.
    let is_finite = |values: &[f32]| values.iter().fold(true, |finite, value| finite & value.is_finite());
    for (name, tensor) in weights {
        if !super::ops::read(tensor, is_finite).map_err(|error| error.to_string())? {
            return Err(format!(
                "has NaN or infinity in {name}: the training that made it went wrong, or the file was altered"
            ));
        }
    }
    Ok(())
}

/// Reads these tensors and no others, as 32-bit numbers. `named` maps the name in the file to the
/// name here, or to `None` to skip a tensor.
///
/// # Errors
/// Names a tensor that is missing, unexpected, of another shape or of another type.
pub fn read(
    bytes: &[u8],
    shapes: &[(String, Vec<usize>)],
    named: impl Fn(&str) -> Option<String>,
    device: &Device,
) -> Result<TensorMap, String> {
    let file = SafeTensors::deserialize(bytes)
        .map_err(|error| format!("is no safetensors file, or cut off ({error:?}): copy it again"))?;
    let expected: BTreeMap<&str, &[usize]> =
        shapes.iter().map(|(name, shape)| (name.as_str(), shape.as_slice())).collect();
    let mut weights = TensorMap::new();
    let mut found = file.tensors();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    for (original, view) in &found {
        let Some(name) = named(original) else { continue };
        let Some(shape) = expected.get(name.as_str()) else {
            return Err(format!(
                "has a tensor {original}, which is not part of this encoder: is config.json of the same model?"
            ));
        };
        if view.shape() != *shape {
            let found = view.shape();
            return Err(format!("has {original} of shape {found:?}, but config.json makes it {shape:?}"));
        }
        let tensor = tensor(view, device)?;
        if weights.insert(name, tensor).is_some() {
            return Err(format!("has {original} twice, with and without its prefix"));
        }
    }
    match shapes.iter().find(|(name, _)| !weights.contains_key(name)) {
        Some((name, _)) if found.is_empty() => {
            Err(format!("holds no tensors: {name} and all others are missing"))
        }
        Some((name, _)) => {
            Err(format!("lacks the tensor {name}: copy it again, or give the folder of an encoder"))
        }
        None => Ok(weights),
    }
}

fn tensor(view: &TensorView<'_>, device: &Device) -> Result<Tensor, String> {
    let dtype = match view.dtype() {
        Dtype::F32 => DType::F32,
        Dtype::F16 => DType::F16,
        Dtype::BF16 => DType::BF16,
        Dtype::F64 => DType::F64,
        other => return Err(format!("holds values of type {other:?}: expected floating-point numbers")),
    };
    let tensor = Tensor::from_raw_buffer(view.data(), dtype, view.shape(), device);
    tensor.and_then(|tensor| tensor.to_dtype(DType::F32)).map_err(|error| error.to_string())
}

/// Returns the bytes of a file of tensors, always the same for the same tensors.
///
/// # Errors
/// Fails if a tensor cannot be read from its device.
pub fn write(weights: &TensorMap) -> Computed<Vec<u8>> {
    write_with(weights, None)
}

/// The key of the note in a file of tensors.
const NOTE: &str = "majuscule";

/// Returns the bytes of a file of tensors with a note.
///
/// # Errors
/// Fails like [`write()`].
pub fn write_with(weights: &TensorMap, note: Option<String>) -> Computed<Vec<u8>> {
    let values = |tensor: &Tensor| -> Computed<(Vec<usize>, Vec<u8>)> {
        let values = tensor.flatten_all()?.to_vec1::<f32>()?;
        Ok((tensor.dims().to_vec(), values.iter().flat_map(|value| value.to_le_bytes()).collect()))
    };
    let data: BTreeMap<&str, (Vec<usize>, Vec<u8>)> =
        weights.iter().map(|(name, tensor)| Ok((name.as_str(), values(tensor)?))).collect::<Computed<_>>()?;
    let views = data.iter().map(|(name, (shape, bytes))| {
        TensorView::new(Dtype::F32, shape.clone(), bytes).map(|view| (*name, view))
    });
    let views = views.collect::<Result<Vec<_>, _>>().map_err(candle_core::Error::wrap)?;
    let note = note.map(|note| HashMap::from([(NOTE.to_owned(), note)]));
    safetensors::serialize(views, note).map_err(candle_core::Error::wrap)
}

/// Returns the note in a file of tensors, if there is one.
pub fn note(bytes: &[u8]) -> Option<String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).ok()?;
    metadata.metadata().as_ref()?.get(NOTE).cloned()
}
