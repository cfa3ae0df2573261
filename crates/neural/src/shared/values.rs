//! Sums and products of arrays of numbers.

/// Adds numbers to sums.
#[inline(always)]
pub fn add(sums: &mut [f32], values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

/// Multiplies numbers by factors.
#[inline(always)]
pub fn multiply(values: &mut [f32], factors: &[f32]) {
    values.iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
}
