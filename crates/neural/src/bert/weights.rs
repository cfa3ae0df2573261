//! Weights as safetensors: reads bytes into tensors by name, and writes them back.

use std::collections::{BTreeMap, HashMap};

use candle_core::{DType, Device, Result as Computed, Tensor};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

use super::config::EncoderConfig;

/// Tensors by name.
pub type TensorMap = BTreeMap<String, Tensor>;

/// The names and shapes of tensors.
pub type Shapes = Vec<(String, Vec<usize>)>;

/// Returns the names and shapes of the tensors of an encoder, named as in Hugging Face's folders
/// without the prefix `bert.`.
pub fn encoder_shapes(config: &EncoderConfig) -> Shapes {
    let hidden = config.hidden_size;
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![config.vocab_size, hidden]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![config.max_position_embeddings, hidden]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![config.type_vocab_size, hidden]),
    ];
    let mut pair = |name: String, shape: Vec<usize>| {
        let bias = vec![shape[0]];
        shapes.push((format!("{name}.weight"), shape));
        shapes.push((format!("{name}.bias"), bias));
    };
    pair("embeddings.LayerNorm".to_owned(), vec![hidden]);
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

/// Names of tensors of other heads, and of those that older versions saved beside the encoder.
const OTHERS: [&str; 6] =
    ["pooler.", "cls.", "classifier.", "qa_outputs.", "embeddings.position_ids", "embeddings.token_type_ids"];

/// Reads the encoder from the weights of a Hugging Face folder, with or without the prefix `bert.`
/// and whatever head is on it.
///
/// # Errors
/// Names a tensor that is missing, unexpected or of another shape.
pub fn read_encoder(bytes: &[u8], config: &EncoderConfig, device: &Device) -> Result<TensorMap, String> {
    let named = |name: &str| {
        let name = name.strip_prefix("bert.").unwrap_or(name);
        // The names of the two parts of a norm in the oldest checkpoints.
        let name = name.replace("LayerNorm.gamma", "LayerNorm.weight");
        let name = name.replace("LayerNorm.beta", "LayerNorm.bias");
        (!OTHERS.iter().any(|other| name.starts_with(other))).then_some(name)
    };
    read(bytes, &encoder_shapes(config), named, device)
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
            return Err(format!("has {original} twice, with and without the prefix bert."));
        }
    }
    match shapes.iter().find(|(name, _)| !weights.contains_key(name)) {
        Some((name, _)) if found.is_empty() => {
            Err(format!("holds no tensors: {name} and all others are missing"))
        }
        Some((name, _)) => {
            Err(format!("lacks the tensor {name}: copy it again, or give the folder of a BERT model"))
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
