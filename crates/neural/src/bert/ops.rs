//! The operations of an encoder: for 32-bit numbers on the CPU, one forward pass and one
//! hand-written backward pass each; otherwise the [plain] tensor operations that these are tested
//! against.
//!
//! candle's own fused operations record no gradients, and its plain ones walk over memory many
//! times.

use std::sync::{Arc, Mutex, PoisonError};

use candle_core::{CpuStorage, CustomOp3, DType, Layout, Result, Shape, Storage, Tensor, bail};

use super::plain;
use crate::shared::exp::{exp, gelu as gelu_of, gelu_derivative};
use crate::shared::lanes::sum;

/// The shape of a batch of padded sequences for attention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heads {
    /// The number of attention heads.
    pub count: usize,
    /// The padded width of each sequence.
    pub width: usize,
    /// The length of each sequence.
    pub lens: Arc<[usize]>,
}

/// Computes `x · wᵀ + b`: rows in, rows out.
///
/// # Errors
/// Fails if the shapes do not match.
pub fn linear(x: &Tensor, w: &Tensor, b: &Tensor) -> Result<Tensor> {
    if !is_fused(x) {
        return plain::linear(x, w, b);
    }
    let [rows, outs] = [x.dim(0)?, w.dim(0)?];
    let product = x.detach().matmul(&w.detach().t()?)?;
    let sum = read(&product, |product| {
        read(b, |b| {
            let rows = product.chunks_exact(outs.max(1));
            rows.flat_map(|row| row.iter().zip(b).map(|(x, b)| x + b)).collect()
        })
    })??;
    let (kept_x, kept_w) = (x.detach(), w.detach());
    let backward = move |grad: &Tensor, wanted: [bool; 3]| {
        let x = if wanted[0] { Some(grad.matmul(&kept_w)?) } else { None };
        let w = if wanted[1] { Some(grad.t()?.matmul(&kept_x)?) } else { None };
        let b = if wanted[2] { Some(column_sums(grad)?) } else { None };
        Ok([x, w, b])
    };
    fused([x, w, b], sum, (rows, outs), backward)
}

/// Normalises rows: subtracts the mean, divides by the deviation, multiplies by `w` and adds `b`
/// (Ba et al. 2016).
///
/// # Errors
/// Fails if the shapes do not match.
pub fn layer_norm(x: &Tensor, w: &Tensor, b: &Tensor, eps: f64) -> Result<Tensor> {
    if !is_fused(x) {
        return plain::layer_norm(x, w, b, eps);
    }
    let (rows, width) = x.dims2()?;
    let (normed, deviations) = read(x, |x| normalised(x, width, eps as f32))?;
    let scaled = read(w, |w| {
        read(b, |b| {
            let rows = normed.chunks_exact(width);
            rows.flat_map(|row| row.iter().zip(w).zip(b).map(|((x, w), b)| x * w + b)).collect()
        })
    })??;
    let (kept_w, device) = (w.detach(), x.device().clone());
    let backward = move |grad: &Tensor, _: [bool; 3]| {
        let (mut grad_x, mut grad_w, mut grad_b) =
            (vec![0.0; normed.len()], vec![0.0; width], vec![0.0; width]);
        read(grad, |grad| {
            read(&kept_w, |w| {
                let rows = grad_x.chunks_exact_mut(width).zip(grad.chunks_exact(width));
                for ((out, grad), (x, deviation)) in rows.zip(normed.chunks_exact(width).zip(&deviations)) {
                    let (mut sum, mut sum_x) = (0.0, 0.0);
                    for i in 0..width {
                        grad_w[i] += grad[i] * x[i];
                        grad_b[i] += grad[i];
                        let scaled = grad[i] * w[i];
                        out[i] = scaled;
                        sum += scaled;
                        sum_x += scaled * x[i];
                    }
                    let (mean, mean_x) = (sum / width as f32, sum_x / width as f32);
                    out.iter_mut().zip(x).for_each(|(out, x)| *out = (*out - mean - x * mean_x) / deviation);
                }
            })
        })??;
        let tensor = |values, shape: Shape| Tensor::from_vec(values, shape, &device).map(Some);
        Ok([
            tensor(grad_x, (rows, width).into())?,
            tensor(grad_w, width.into())?,
            tensor(grad_b, width.into())?,
        ])
    };
    fused([x, w, b], scaled, (rows, width), backward)
}

/// Returns true for a tensor that the fused operations of this file can read.
fn is_fused(x: &Tensor) -> bool {
    x.device().is_cpu() && x.dtype() == DType::F32
}

/// Returns rows with mean 0 and deviation 1, and their original deviations.
fn normalised(x: &[f32], width: usize, eps: f32) -> (Vec<f32>, Vec<f32>) {
    let mut deviations = Vec::with_capacity(x.len() / width.max(1));
    let mut normed = Vec::with_capacity(x.len());
    for row in x.chunks_exact(width) {
        let mean = sum(row, |x| x) / width as f32;
        let deviation = (sum(row, |x| (x - mean) * (x - mean)) / width as f32 + eps).sqrt();
        deviations.push(deviation);
        normed.extend(row.iter().map(|x| (x - mean) / deviation));
    }
    (normed, deviations)
}

/// Computes the Gaussian error linear unit, `x · Φ(x)` (Hendrycks & Gimpel 2016), by the error
/// function.
///
/// # Errors
/// Fails if there is not enough memory.
pub fn gelu(x: &Tensor) -> Result<Tensor> {
    if !is_fused(x) {
        return plain::gelu(x);
    }
    let (rows, width) = x.dims2()?;
    let out = read(x, |x| x.iter().map(|&x| gelu_of(x)).collect())?;
    let (kept, device) = (x.detach(), x.device().clone());
    let backward = move |grad: &Tensor, _: [bool; 3]| {
        let gradient = read(grad, |grad| {
            read(&kept, |x| {
                x.iter().zip(grad).map(|(&x, grad)| gelu_derivative(x) * grad).collect::<Vec<_>>()
            })
        })??;
        Ok([Some(Tensor::from_vec(gradient, (rows, width), &device)?), None, None])
    };
    // One argument only: it stands for all three, and only its first gradient is returned.
    fused([x, x, x], out, (rows, width), backward)
}

/// Computes attention (Vaswani et al. 2017, section 3.2) within each sequence: rows of queries,
/// keys and values in, rows out. `mask` has the dropout factors of attention probabilities, of
/// sequences × heads × width × width.
///
/// # Errors
/// Fails if the shapes do not match.
pub fn attention(q: &Tensor, k: &Tensor, v: &Tensor, heads: &Heads, mask: Option<&Tensor>) -> Result<Tensor> {
    if !is_fused(q) {
        return plain::attention(q, k, v, heads, mask);
    }
    let (rows, hidden) = q.dims2()?;
    let scale = 1.0 / ((hidden / heads.count) as f32).sqrt();
    let [split_q, split_k, split_v] = [q, k, v].map(|x| split(&x.detach(), heads));
    let (q_heads, k_heads, v_heads) = (split_q?, split_k?, split_v?);
    let scores = q_heads.matmul(&k_heads.t()?)?;
    let probabilities = read(&scores, |scores| softmax(scores, scale, heads))?;
    let probabilities = Tensor::from_vec(probabilities, scores.shape(), q.device())?;
    let mask = mask.map(|mask| mask.reshape(probabilities.shape())).transpose()?;
    let used = mask.as_ref().map_or_else(|| Ok(probabilities.clone()), |mask| probabilities.mul(mask))?;
    let out = read(&used.matmul(&v_heads)?, |out| joined(out, hidden, heads))?;
    let (heads, device) = (heads.clone(), q.device().clone());
    let backward = move |grad: &Tensor, _: [bool; 3]| {
        let grad = split(grad, &heads)?;
        let grad_v = used.t()?.matmul(&grad)?;
        let mut grad_probabilities = grad.matmul(&v_heads.t()?)?;
        if let Some(mask) = &mask {
            grad_probabilities = grad_probabilities.mul(mask)?;
        }
        let grad_scores = read(&probabilities, |probabilities| {
            read(&grad_probabilities, |grad| softmax_back(probabilities, grad, scale, heads.width))
        })??;
        let grad_scores = Tensor::from_vec(grad_scores, probabilities.shape(), &device)?;
        let back = |heads_of: Tensor| {
            let rows_of = read(&heads_of, |values| joined(values, hidden, &heads))?;
            Tensor::from_vec(rows_of, (rows, hidden), &device).map(Some)
        };
        Ok([back(grad_scores.matmul(&k_heads)?)?, back(grad_scores.t()?.matmul(&q_heads)?)?, back(grad_v)?])
    };
    fused([q, k, v], out, (rows, hidden), backward)
}

/// Splits rows of all heads side by side into (sequences × heads) × width × the size of a head.
fn split(x: &Tensor, Heads { count, width, .. }: &Heads) -> Result<Tensor> {
    let (rows, hidden) = x.dims2()?;
    let size = hidden / count;
    let values = read(x, |x| {
        let mut out = Vec::with_capacity(x.len());
        for sequence in x.chunks_exact(width * hidden) {
            for head in 0..*count {
                for row in sequence.chunks_exact(hidden) {
                    out.extend_from_slice(&row[head * size..][..size]);
                }
            }
        }
        out
    })?;
    Tensor::from_vec(values, (rows / width * count, *width, size), x.device())
}

/// Inverts [`split`].
fn joined(x: &[f32], hidden: usize, Heads { count, width, .. }: &Heads) -> Vec<f32> {
    let size = hidden / count;
    let mut out = Vec::with_capacity(x.len());
    for sequence in x.chunks_exact(width * hidden) {
        for row in 0..*width {
            for head in 0..*count {
                out.extend_from_slice(&sequence[(head * width + row) * size..][..size]);
            }
        }
    }
    out
}

/// Computes the softmax of each row of scores, times `scale`, over the words of the sequence.
fn softmax(scores: &[f32], scale: f32, Heads { count, width, lens }: &Heads) -> Vec<f32> {
    let mut probabilities = vec![0.0; scores.len()];
    let sequence = count * width * width;
    let sequences = probabilities.chunks_exact_mut(sequence).zip(scores.chunks_exact(sequence));
    for ((probabilities, scores), &len) in sequences.zip(lens.iter()) {
        for (probabilities, scores) in probabilities.chunks_exact_mut(*width).zip(scores.chunks_exact(*width))
        {
            let (probabilities, scores) = (&mut probabilities[..len], &scores[..len]);
            let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            probabilities
                .iter_mut()
                .zip(scores)
                .for_each(|(probability, score)| *probability = exp((score - most) * scale));
            let whole = sum(probabilities, |probability| probability);
            probabilities.iter_mut().for_each(|probability| *probability /= whole);
        }
    }
    probabilities
}

fn softmax_back(probabilities: &[f32], grad: &[f32], scale: f32, width: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(probabilities.len());
    for (probabilities, grad) in probabilities.chunks_exact(width).zip(grad.chunks_exact(width)) {
        let dot: f32 = probabilities.iter().zip(grad).map(|(probability, grad)| probability * grad).sum();
        out.extend(
            probabilities.iter().zip(grad).map(|(probability, grad)| scale * probability * (grad - dot)),
        );
    }
    out
}

fn column_sums(x: &Tensor) -> Result<Tensor> {
    let (_, width) = x.dims2()?;
    let mut sums = vec![0.0f32; width];
    read(x, |x| {
        for row in x.chunks_exact(width.max(1)) {
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
    })?;
    Tensor::from_vec(sums, width, x.device())
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

/// Makes a tensor of these values, whose gradient `backward` propagates to the arguments. It is
/// told which of them have one.
fn fused(
    [a, b, c]: [&Tensor; 3],
    values: Vec<f32>,
    shape: (usize, usize),
    backward: impl Fn(&Tensor, [bool; 3]) -> Result<[Option<Tensor>; 3]> + Send + Sync + 'static,
) -> Result<Tensor> {
    let wanted = [a, b, c].map(|tensor| tensor.is_variable() || tensor.track_op());
    let values = Mutex::new(values);
    a.apply_op3(b, c, Fused { values, shape, wanted, backward })
}

/// An operation that is already computed.
struct Fused<F> {
    values: Mutex<Vec<f32>>,
    shape: (usize, usize),
    wanted: [bool; 3],
    backward: F,
}

impl<F: Fn(&Tensor, [bool; 3]) -> Result<[Option<Tensor>; 3]>> CustomOp3 for Fused<F> {
    fn name(&self) -> &'static str {
        "fused"
    }

    fn cpu_fwd(
        &self,
        _: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let values = std::mem::take(&mut *self.values.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((CpuStorage::F32(values), self.shape.into()))
    }

    fn bwd(
        &self,
        _: &Tensor,
        _: &Tensor,
        _: &Tensor,
        _: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let grads = (self.backward)(&grad.contiguous()?, self.wanted)?;
        let [a, b, c] = grads;
        Ok((a.filter(|_| self.wanted[0]), b.filter(|_| self.wanted[1]), c.filter(|_| self.wanted[2])))
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Var};

    use super::*;

    /// Returns arbitrary numbers, the same every time.
    fn some(seed: u32, shape: &[usize]) -> Var {
        let values: Vec<f32> = (0..shape.iter().product::<usize>() as u32)
            .map(|at| {
                ((at + 1).wrapping_mul(2_654_435_761).wrapping_add(seed * 97) >> 8) as f32 / 8_388_608.0 - 1.0
            })
            .collect();
        Var::from_vec(values, shape, &Device::Cpu).unwrap()
    }

    fn values(tensor: &Tensor) -> Vec<f32> {
        tensor.flatten_all().unwrap().to_vec1().unwrap()
    }

    fn near(found: &Tensor, expected: &Tensor, what: &str) {
        for (found, expected) in values(found).iter().zip(values(expected)) {
            assert!((found - expected).abs() < 1e-5, "{what}: {found}, but {expected}");
        }
    }

    /// Checks that both ways give the same values, and the same gradients of a sum that weighs each
    /// value differently.
    fn alike(vars: &[&Var], fast: &dyn Fn() -> Result<Tensor>, slow: &dyn Fn() -> Result<Tensor>) {
        let (fast, slow) = (fast().unwrap(), slow().unwrap());
        near(&fast, &slow, "values");
        let weights = some(9, fast.dims());
        let grads = |out: &Tensor| out.mul(&weights).unwrap().sum_all().unwrap().backward().unwrap();
        let (fast, slow) = (grads(&fast), grads(&slow));
        for (at, var) in vars.iter().enumerate() {
            near(fast.get(var).unwrap(), slow.get(var).unwrap(), &format!("gradient {at}"));
        }
    }

    #[test]
    fn fast_operations_are_the_plain_ones() {
        let (x, w, b) = (some(1, &[5, 7]), some(2, &[3, 7]), some(3, &[3]));
        alike(&[&x, &w, &b], &|| linear(&x, &w, &b), &|| plain::linear(&x, &w, &b));
        let (w, b) = (some(2, &[7]), some(3, &[7]));
        alike(&[&x, &w, &b], &|| layer_norm(&x, &w, &b, 1e-12), &|| plain::layer_norm(&x, &w, &b, 1e-12));
        alike(&[&x], &|| gelu(&x), &|| plain::gelu(&x));
    }

    #[test]
    fn attention_is_the_plain_one_with_and_without_a_mask() {
        let [q, k, v] = [1, 2, 3].map(|seed| some(seed, &[2 * 4, 6]));
        let heads = Heads { count: 3, width: 4, lens: [4, 2].into() };
        let mask = some(4, &[2, 3, 4, 4]).as_detached_tensor();
        for mask in [None, Some(&mask)] {
            // The rows after the end of a text are not used.
            let cut = |out: Tensor| Tensor::cat(&[out.narrow(0, 0, 4)?, out.narrow(0, 4, 2)?], 0);
            alike(&[&q, &k, &v], &|| cut(attention(&q, &k, &v, &heads, mask)?), &|| {
                cut(plain::attention(&q, &k, &v, &heads, mask)?)
            });
        }
    }

    #[test]
    fn no_gradient_is_made_for_what_has_none() {
        let (x, w, b) = (some(1, &[5, 7]), some(2, &[3, 7]), some(3, &[3]));
        let frozen = (w.as_detached_tensor(), b.as_detached_tensor());
        let out = linear(&x, &frozen.0, &frozen.1).unwrap();
        let grads = out.sum_all().unwrap().backward().unwrap();
        assert!(grads.get(&x).is_some() && grads.get(&frozen.0).is_none() && grads.get(&frozen.1).is_none());
    }
}
