//! Weights as safetensors: reads bytes into tensors by name, and writes them back.

use std::collections::{BTreeMap, HashMap};

use candle_core::{DType, Device, Result as Computed, Tensor};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

use super::config::EncoderConfig;
use super::names::{Shapes, encoder_name, encoder_shapes};
use super::ops;
use majuscule_methods::network::bert::CONFIG;
use majuscule_methods::network::matrix::WeightMatrix;
use majuscule_methods::network::tensors::{
    Embeddings, TensorFile, WeightSource, check_finite as check_values,
};

/// Tensors by name.
pub type TensorMap = BTreeMap<String, Tensor>;

/// The prefixes of the names of tensors that are skipped: other heads, and buffers of ids that older versions saved
/// with the encoder.
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

/// Reads the encoder from the weights of a Hugging Face folder. Names may lack the prefix of the kind of encoder.
/// Other heads are skipped.
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
    for (name, tensor) in weights {
        let check = ops::read(tensor, |values| check_values(name, values));
        check.map_err(|error| error.to_string())??;
    }
    Ok(())
}

/// Reads these tensors and no others, as 32-bit numbers. `named` maps a name in the file to the name in the result,
/// or to `None` to skip the tensor.
///
/// # Errors
/// Names a tensor that is missing, unexpected, of another shape or of another type.
pub fn read(
    bytes: &[u8],
    shapes: &Shapes,
    named: impl Fn(&str) -> Option<String>,
    device: &Device,
) -> Result<TensorMap, String> {
    tensors(&TensorFile::read(bytes, shapes, CONFIG, named)?, device)
}

/// Returns the tensors of a file as 32-bit numbers.
///
/// # Errors
/// Names a tensor of another type.
pub fn tensors(file: &TensorFile<'_>, device: &Device) -> Result<TensorMap, String> {
    let tensors = file.tensors().iter();
    tensors.map(|(name, view)| Ok((name.clone(), as_floats(view, device)?))).collect()
}

fn as_floats(view: &TensorView<'_>, device: &Device) -> Result<Tensor, String> {
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

/// The weights of a tagger on the CPU, for an engine to pack.
#[derive(Debug)]
pub struct TensorWeights<'a>(pub &'a TensorMap);

impl WeightSource for TensorWeights<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    fn matrix(&self, name: &str) -> Result<WeightMatrix, String> {
        let read = |tensor| ops::read(&tensor, |values| WeightMatrix::Floats(values.to_vec()));
        super::encoder::tensor(self.0, name.to_owned()).and_then(read).map_err(|error| error.to_string())
    }

    fn embeddings(&self, name: &str) -> Result<Box<dyn Embeddings>, String> {
        let rows = || -> Computed<TensorRows> {
            let tensor = super::encoder::tensor(self.0, name.to_owned())?.contiguous()?;
            let (subwords, width) = tensor.dims2()?;
            Ok(TensorRows { tensor, subwords, width })
        };
        rows().map(|rows| Box::new(rows) as Box<dyn Embeddings>).map_err(|error| error.to_string())
    }
}

/// Embeddings that stay in their tensor, which is on the CPU.
#[derive(Debug)]
struct TensorRows {
    tensor: Tensor,
    subwords: usize,
    width: usize,
}

impl Embeddings for TensorRows {
    fn len(&self) -> usize {
        self.subwords
    }

    fn write(&self, ids: &[u32], out: &mut [f32]) {
        let read = ops::read(&self.tensor, |values| {
            for (&id, out) in ids.iter().zip(out.chunks_exact_mut(self.width)) {
                out.copy_from_slice(&values[id as usize * self.width..][..self.width]);
            }
        });
        read.expect("the tensor was read on the CPU before");
    }
}

/// Returns the bytes of a safetensors file, which are always the same for the same tensors.
///
/// # Errors
/// Fails if a tensor cannot be read from its device.
pub fn write(weights: &TensorMap) -> Computed<Vec<u8>> {
    write_with(weights, None)
}

/// The key of the note in a file of tensors.
pub const NOTE: &str = "majuscule";

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
