//! Sums and other reductions over parallel lanes, so that the compiler vectorises them.

/// The number of lanes. The order of a sum is the same on every CPU.
pub const LANES: usize = 16;

/// Sums a function of numbers.
#[inline(always)]
pub fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &value)| *lane += of(value));
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|&value| of(value)).sum::<f32>()
}

/// Combines numbers with an operation whose order does not matter.
#[inline(always)]
pub fn fold(values: &[f32], start: f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [start; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &value)| *lane = join(*lane, value));
    }
    lanes.into_iter().chain(rest.iter().copied()).fold(start, join)
}

/// Returns the largest number.
#[inline(always)]
pub fn max(values: &[f32]) -> f32 {
    fold(values, f32::NEG_INFINITY, |a, b| if a > b { a } else { b })
}
