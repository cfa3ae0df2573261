//! The weights of a network in a file of tensors: f32, bf16, or int8 with the scale of each row in another
//! tensor.

use std::collections::BTreeMap;

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

use super::matrix::WeightMatrix;

/// The names and shapes of tensors.
pub type Shapes = Vec<(String, Vec<usize>)>;

/// The end of the name of the scales of a tensor of bytes.
const SCALE: &str = ".scale";

/// The weights that an engine packs, by the names of a network.
pub trait WeightSource {
    /// Returns true if there is a tensor of this name.
    fn has(&self, name: &str) -> bool;

    /// Returns a tensor.
    ///
    /// # Errors
    /// Names a tensor that is missing.
    fn matrix(&self, name: &str) -> Result<WeightMatrix, String>;

    /// Returns the embeddings in a tensor, which are large.
    ///
    /// # Errors
    /// Names the tensor if it is missing.
    fn embeddings(&self, name: &str) -> Result<Box<dyn Embeddings>, String>;
}

/// The embeddings of subwords or words.
pub trait Embeddings: std::fmt::Debug + Send + Sync {
    /// Returns the number of embeddings.
    fn len(&self) -> usize;

    /// Returns true if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes each of these embeddings into a row of `out`; all of them must exist.
    fn write(&self, ids: &[u32], out: &mut [f32]);
}

/// Returns the embeddings in the rows of a matrix, each this wide.
pub fn embeddings(matrix: WeightMatrix, width: usize) -> Box<dyn Embeddings> {
    Box::new(MatrixRows { matrix, width })
}

/// Embeddings in memory.
#[derive(Debug)]
struct MatrixRows {
    matrix: WeightMatrix,
    width: usize,
}

impl Embeddings for MatrixRows {
    fn len(&self) -> usize {
        match &self.matrix {
            WeightMatrix::Floats(values) => values.len() / self.width,
            WeightMatrix::Bytes { scales, .. } => scales.len(),
        }
    }

    fn write(&self, ids: &[u32], out: &mut [f32]) {
        for (&id, out) in ids.iter().zip(out.chunks_exact_mut(self.width)) {
            let position = id as usize * self.width;
            match &self.matrix {
                WeightMatrix::Floats(values) => out.copy_from_slice(&values[position..][..self.width]),
                WeightMatrix::Bytes { values, scales } => {
                    let (row, scale) = (&values[position..][..self.width], scales[id as usize]);
                    out.iter_mut().zip(row).for_each(|(out, &value)| *out = f32::from(value) * scale);
                }
            }
        }
    }
}

/// A file of tensors, each with its name in a network.
#[derive(Debug)]
pub struct TensorFile<'a> {
    tensors: BTreeMap<String, TensorView<'a>>,
}

impl<'a> TensorFile<'a> {
    /// Reads a file that has tensors of these names and shapes, and no others; `settings` is the name of
    /// the file that the shapes come from. `named` maps the name in the file to the name in the network, or
    /// to `None` to skip a tensor.
    ///
    /// # Errors
    /// Names a tensor that is missing, unexpected or of another shape.
    pub fn read(
        bytes: &'a [u8],
        shapes: &Shapes,
        settings: &str,
        named: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let file = SafeTensors::deserialize(bytes)
            .map_err(|error| format!("is not a safetensors file, or is cut off ({error:?})"))?;
        let expected: BTreeMap<&str, &[usize]> =
            shapes.iter().map(|(name, shape)| (name.as_str(), shape.as_slice())).collect();
        let mut tensors = BTreeMap::new();
        let mut found = file.tensors();
        let is_empty = found.is_empty();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        for (original, view) in found {
            let Some(name) = named(&original) else { continue };
            let scaled = name.strip_suffix(SCALE).and_then(|name| expected.get(name));
            let shape = expected.get(name.as_str()).copied().or(scaled.map(|shape| &shape[..1]));
            let Some(shape) = shape else {
                return Err(format!(
                    "has a tensor {original}, which is not part of this network as {settings} describes it"
                ));
            };
            if view.shape() != shape {
                let found = view.shape();
                return Err(format!("has {original} of shape {found:?}, but {settings} requires {shape:?}"));
            }
            if tensors.insert(name, view).is_some() {
                return Err(format!("has {original} twice, with and without its prefix"));
            }
        }
        match shapes.iter().find(|(name, _)| !tensors.contains_key(name)) {
            Some((name, _)) if is_empty => {
                Err(format!("holds no tensors: {name} and all others are missing"))
            }
            Some((name, _)) => Err(format!("lacks the tensor {name}")),
            None => Ok(Self { tensors }),
        }
    }

    /// Returns the tensors by name.
    pub fn tensors(&self) -> &BTreeMap<String, TensorView<'a>> {
        &self.tensors
    }

    /// Refuses weights that are NaN or infinite, and tensors of other types.
    ///
    /// # Errors
    /// Names the first tensor with such a number.
    pub fn check(&self) -> Result<(), String> {
        for (name, view) in &self.tensors {
            // Bytes are finite, and their scales are a tensor too.
            if view.dtype() != Dtype::I8 {
                let Finite(finite) = floats(view)?;
                refuse_unless(finite, name)?;
            }
        }
        Ok(())
    }

    fn view(&self, name: &str) -> Result<&TensorView<'a>, String> {
        self.tensors.get(name).ok_or_else(|| format!("there is no tensor {name}"))
    }
}

/// Refuses weights that are NaN or infinite.
///
/// # Errors
/// Names the tensor.
pub fn check_finite(name: &str, values: &[f32]) -> Result<(), String> {
    let Finite(finite) = values.iter().copied().collect();
    refuse_unless(finite, name)
}

/// True if all numbers are finite.
struct Finite(bool);

impl FromIterator<f32> for Finite {
    /// Checks all numbers, without an early exit, at the speed of memory.
    fn from_iter<I: IntoIterator<Item = f32>>(numbers: I) -> Self {
        Self(numbers.into_iter().fold(true, |finite, number| finite & number.is_finite()))
    }
}

fn refuse_unless(finite: bool, name: &str) -> Result<(), String> {
    let problem = || format!("has NaN or infinity in {name}: its training failed or the file is damaged");
    finite.then_some(()).ok_or_else(problem)
}

impl WeightSource for TensorFile<'_> {
    fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    fn matrix(&self, name: &str) -> Result<WeightMatrix, String> {
        let view = self.view(name)?;
        if view.dtype() != Dtype::I8 {
            return floats(view).map(WeightMatrix::Floats);
        }
        let values = view.data().iter().map(|&byte| byte as i8).collect();
        Ok(WeightMatrix::Bytes { values, scales: floats(self.view(&format!("{name}{SCALE}"))?)? })
    }

    fn embeddings(&self, name: &str) -> Result<Box<dyn Embeddings>, String> {
        let width = self.view(name)?.shape().last().copied().unwrap_or(1);
        Ok(embeddings(self.matrix(name)?, width))
    }
}

/// Collects the numbers of a tensor in f32 or bf16.
fn floats<T: FromIterator<f32>>(view: &TensorView<'_>) -> Result<T, String> {
    let (quads, _) = view.data().as_chunks::<4>();
    let (pairs, _) = view.data().as_chunks::<2>();
    match view.dtype() {
        Dtype::F32 => Ok(quads.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()),
        // A bf16 number is the upper half of an f32 number.
        Dtype::BF16 => Ok(pairs.iter().map(|[low, high]| f32::from_le_bytes([0, 0, *low, *high])).collect()),
        other => Err(format!("holds values of type {other:?}: expected floating-point numbers or bytes")),
    }
}

/// Returns a file of tensors of these names and shapes.
///
/// # Errors
/// Names a tensor that is missing.
pub fn write(shapes: &Shapes, weights: &dyn WeightSource) -> Result<Vec<u8>, String> {
    let tensors = shapes.iter().map(|(name, shape)| Ok((name.clone(), shape.clone(), weights.matrix(name)?)));
    written(tensors.collect::<Result<_, String>>()?)
}

/// Returns a file of the same tensors, in which the `large` matrices are int8. `saved` returns the name in
/// the file for the name of a tensor.
///
/// # Errors
/// Names a tensor that cannot be read.
pub fn in_bytes(
    weights: &TensorFile<'_>,
    large: impl Fn(&str) -> bool,
    saved: impl Fn(&str) -> String,
) -> Result<Vec<u8>, String> {
    let tensor = |(name, view): (&String, &TensorView<'_>)| {
        let (shape, matrix) = (view.shape().to_vec(), weights.matrix(name)?);
        let matrix = match (&shape[..], large(name)) {
            ([_, width], true) => matrix.in_bytes(*width),
            _ => matrix,
        };
        Ok((saved(name), shape, matrix))
    };
    written(weights.tensors().iter().map(tensor).collect::<Result<_, String>>()?)
}

/// Returns a file of tensors, each with its name and its shape.
fn written(tensors: Vec<(String, Vec<usize>, WeightMatrix)>) -> Result<Vec<u8>, String> {
    let mut data: Vec<(String, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
    let numbers = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect();
    for (name, shape, matrix) in tensors {
        match matrix {
            WeightMatrix::Floats(values) => data.push((name, Dtype::F32, shape, numbers(&values))),
            WeightMatrix::Bytes { values, scales } => {
                data.push((format!("{name}{SCALE}"), Dtype::F32, vec![scales.len()], numbers(&scales)));
                let values = values.iter().map(|&value| value as u8).collect();
                data.push((name, Dtype::I8, shape, values));
            }
        }
    }
    let views = data.iter().map(|(name, kind, shape, bytes)| {
        TensorView::new(*kind, shape.clone(), bytes).map(|view| (name, view))
    });
    let views = views.collect::<Result<BTreeMap<_, _>, _>>().map_err(|error| error.to_string())?;
    safetensors::serialize(views, None).map_err(|error| error.to_string())
}
