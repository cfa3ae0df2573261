//! The hash of words and features. It is written to files, so it never changes.

use majuscule_base::bytes::hash::product;

const K: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
fn mix(hash: u64, part: u64) -> u64 {
    let (low, high) = product(hash ^ part, K);
    high ^ low
}

/// Returns the hash of a feature: the number of its template and the values that fill it.
#[inline]
pub fn feature(template: u64, values: impl IntoIterator<Item = u64>) -> u64 {
    finish(start(template), values)
}

/// Returns the initial state of the hashes of a template.
pub fn start(template: u64) -> u64 {
    (template + 1).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Completes a hash of [`start`] with the values that fill the template.
#[inline]
pub fn finish(start: u64, values: impl IntoIterator<Item = u64>) -> u64 {
    mix(values.into_iter().fold(start, mix), K)
}

/// Returns a hash of bytes, eight per step; never 0.
#[inline]
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64 ^ 0x6d61_7865_6e74_3031;
    let (parts, rest) = bytes.as_chunks();
    for part in parts {
        hash = mix(hash, u64::from_le_bytes(*part));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(hash, u64::from_le_bytes(last)) | 1
}
