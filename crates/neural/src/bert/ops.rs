//! The operations of an encoder, composed of tensor operations that every device supports and that can be
//! differentiated automatically.

use std::sync::Arc;

use candle_core::{D, DType, Result, Storage, Tensor, bail};

/// The shape of a batch of padded sequences for attention.
#[derive(Debug, Clone)]
pub struct AttentionHeads {
    /// The number of attention heads.
    pub count: usize,
    /// The padded width of each sequence.
    pub width: usize,
    /// The length of each sequence.
    pub lens: Arc<[usize]>,
    /// The summands of attention scores for the distances between subwords (relative position biases), heads × width
    /// × width, if the encoder has them.
    pub distances: Option<Tensor>,
}

/// Computes `x · wᵀ + b`: rows in, rows out.
///
/// # Errors
/// Fails if the shapes do not match.
pub fn linear(x: &Tensor, w: &Tensor, b: &Tensor) -> Result<Tensor> {
    x.matmul(&w.t()?)?.broadcast_add(b)
}

/// Returns the rows of a table with these indices, as `index_select` does. On a GPU, rows that need a gradient
/// are computed as a product with a one-hot matrix, as the gradient of candle's `index_select` adds rows one at
/// a time there.
///
/// # Errors
/// Fails if there is no such row.
pub fn rows(table: &Tensor, numbers: &[u32]) -> Result<Tensor> {
    match table.device().is_cpu() || !table.track_op() {
        true => table.index_select(&Tensor::from_slice(numbers, numbers.len(), table.device())?, 0),
        false => rows_by_product(table, numbers),
    }
}

fn rows_by_product(table: &Tensor, numbers: &[u32]) -> Result<Tensor> {
    let count = table.dim(0)? as u32;
    // For a missing row, the product would be a row of zeros.
    if let Some(number) = numbers.iter().find(|&&number| number >= count) {
        bail!("row {number} of a table of {count} rows")
    }
    let numbers = Tensor::from_slice(numbers, numbers.len(), table.device())?;
    let all = Tensor::arange(0, count, table.device())?.unsqueeze(0)?;
    let chosen = numbers.unsqueeze(1)?.broadcast_eq(&all)?;
    chosen.to_dtype(table.dtype())?.matmul(&table.contiguous()?)
}

/// Normalises rows: subtracts the mean, divides by the deviation, multiplies by `w` and adds `b`
/// (Ba et al. 2016). Means are taken over 32-bit numbers, whatever the precision of the input.
///
/// # Errors
/// Fails if the shapes do not match.
pub fn layer_norm(x: &Tensor, w: &Tensor, b: &Tensor, eps: f64) -> Result<Tensor> {
    let kind = x.dtype();
    let [x, w, b] = [x, w, b].map(|tensor| tensor.to_dtype(DType::F32));
    let (x, w, b) = (x?, w?, b?);
    let centred = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
    let deviation = (centred.sqr()?.mean_keepdim(D::Minus1)? + eps)?.sqrt()?;
    centred.broadcast_div(&deviation)?.broadcast_mul(&w)?.broadcast_add(&b)?.to_dtype(kind)
}

/// Computes attention (Vaswani et al. 2017, section 3.2) within each sequence, from rows of queries, keys and
/// values to rows of results. `mask` has the dropout factors of the attention probabilities, sequences × heads
/// × width × width.
///
/// # Errors
/// Fails if the shapes do not match.
pub fn attention(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    heads: &AttentionHeads,
    mask: Option<&Tensor>,
) -> Result<Tensor> {
    let (rows, hidden) = q.dims2()?;
    let AttentionHeads { count, width, lens, distances } = heads;
    let size = hidden / count;
    let split = |x: &Tensor| x.reshape((rows / width, *width, *count, size))?.transpose(1, 2)?.contiguous();
    let (q, k, v) = ((split(q)? / (size as f64).sqrt())?, split(k)?, split(v)?);
    let mut scores = q.matmul(&k.t()?)?;
    if let Some(summands) = distances {
        scores = scores.broadcast_add(summands)?;
    }
    // Not −∞, with which a row without words would become NaN.
    let filling: Vec<f32> =
        lens.iter().flat_map(|&len| (0..*width).map(move |at| if at < len { 0.0 } else { -1e9 })).collect();
    let filling = Tensor::from_vec(filling, (lens.len(), 1, 1, *width), q.device())?.to_dtype(q.dtype())?;
    let scores = scores.broadcast_add(&filling)?;
    let mut probabilities = softmax(&scores)?;
    if let Some(mask) = mask {
        probabilities = probabilities.mul(&mask.reshape(probabilities.shape())?)?;
    }
    probabilities.matmul(&v)?.transpose(1, 2)?.contiguous()?.reshape((rows, hidden))
}

/// Computes the softmax over the last dimension, summed over 32-bit numbers, whatever the precision
/// of the input.
///
/// # Errors
/// Fails if there is not enough memory.
pub fn softmax(x: &Tensor) -> Result<Tensor> {
    let kind = x.dtype();
    let x = x.to_dtype(DType::F32)?;
    let exp = x.broadcast_sub(&x.max_keepdim(D::Minus1)?.detach())?.exp()?;
    exp.broadcast_div(&exp.sum_keepdim(D::Minus1)?)?.to_dtype(kind)
}

/// Computes ln P of the correct classes, one per row, from rows of scores.
///
/// # Errors
/// Fails if the shapes do not match.
pub fn log_probabilities(scores: &Tensor, classes: &Tensor) -> Result<Tensor> {
    let scores = scores.to_dtype(DType::F32)?;
    let shifted = scores.broadcast_sub(&scores.max_keepdim(D::Minus1)?.detach())?;
    let logs = shifted.broadcast_sub(&shifted.exp()?.sum_keepdim(D::Minus1)?.log()?)?;
    logs.gather(&classes.unsqueeze(1)?, 1)
}

/// Passes the values of a tensor on the CPU to `look`.
///
/// # Errors
/// Fails if the tensor is on another device or does not hold `f32`.
pub fn read<R>(tensor: &Tensor, look: impl FnOnce(&[f32]) -> R) -> Result<R> {
    let tensor = tensor.contiguous()?;
    let (storage, layout) = tensor.storage_and_layout();
    let (Storage::Cpu(storage), Some((start, end))) = (&*storage, layout.contiguous_offsets()) else {
        bail!("a tensor on the CPU was expected")
    };
    Ok(look(&storage.as_slice::<f32>()?[start..end]))
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Var};

    use super::*;

    #[test]
    fn rows_and_their_gradients_are_the_same_by_product() {
        let table = Var::from_vec((0..15).map(|x| x as f32 / 4.0).collect(), (5, 3), &Device::Cpu).unwrap();
        let numbers = [3u32, 0, 3, 4];
        let both = [rows(&table, &numbers).unwrap(), rows_by_product(&table, &numbers).unwrap()];
        let [selected, product] = both.map(|rows| {
            let grads = rows.sqr().unwrap().sum_all().unwrap().backward().unwrap();
            let grad = grads.get(&table).unwrap().to_vec2::<f32>().unwrap();
            (rows.to_vec2::<f32>().unwrap(), grad)
        });
        assert_eq!(selected, product);
        assert_eq!(product.0[2], [2.25, 2.5, 2.75]);
        assert_eq!(product.1[3], [9.0, 10.0, 11.0]);
        assert_eq!(product.1[1], [0.0; 3]);
        assert!(rows(&table, &[5]).is_err() && rows_by_product(&table, &[5]).is_err());
    }
}
