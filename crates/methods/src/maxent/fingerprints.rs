//! Searches for a fingerprint among several in one step.
#![allow(unsafe_code)] // Instructions for vectors, which every CPU of the architecture has.

/// The number of fingerprints that are compared in one step: few buckets have more.
pub const STEP: usize = 8;

/// Returns the index of the first of [`STEP`] fingerprints that equals `mark`; [`STEP`] if there is none.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn first_equal(marks: &[[u8; 2]; STEP], mark: u16) -> usize {
    use std::arch::x86_64::{_mm_cmpeq_epi16, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi16};

    let (halves, _) = marks.as_flattened().as_chunks();
    let [low, high] = [halves[0], halves[1]].map(i64::from_le_bytes);
    // SAFETY: every x86-64 CPU has SSE2.
    let equal = unsafe {
        let equal = _mm_cmpeq_epi16(_mm_set_epi64x(high, low), _mm_set1_epi16(mark.cast_signed()));
        _mm_movemask_epi8(equal)
    };
    // The mask has two bits for each fingerprint, and one set bit after all of them.
    (equal | 1 << (2 * STEP)).trailing_zeros() as usize / 2
}

/// Returns the index of the first of [`STEP`] fingerprints that equals `mark`; [`STEP`] if there is none.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn first_equal(marks: &[[u8; 2]; STEP], mark: u16) -> usize {
    first_zero(marks, mark)
}

/// Does the same as `first_equal` with two integers, on any CPU.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn first_zero(marks: &[[u8; 2]; STEP], mark: u16) -> usize {
    const ONES: u64 = u64::MAX / 0xffff;
    const HALF: usize = u64::BITS as usize / 16;
    const { assert!(STEP == 2 * HALF) };
    let (halves, _) = marks.as_flattened().as_chunks();
    let first = |half: [u8; 8]| {
        let differences = u64::from_le_bytes(half) ^ (ONES * u64::from(mark));
        // The subtraction sets the highest bit of the first group of sixteen bits that are all zero.
        let zeros = differences.wrapping_sub(ONES) & !differences & (ONES << 15);
        zeros.trailing_zeros() as usize / 16
    };
    match first(halves[0]) {
        HALF => HALF + first(halves[1]),
        at => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fingerprints_compared_in_one_step_are_those_compared_one_by_one(
            marks in prop::array::uniform8(prop_oneof![0u16..3, 0x7ffe..0x8003u16, 0xfffd..=0xffffu16]),
            mark in prop_oneof![0u16..3, 0x7ffe..0x8003u16, 0xfffd..=0xffffu16],
        ) {
            let bytes = marks.map(u16::to_le_bytes);
            let plain = marks.iter().position(|found| *found == mark).unwrap_or(STEP);
            prop_assert_eq!(first_equal(&bytes, mark), plain);
            prop_assert_eq!(first_zero(&bytes, mark), plain);
        }
    }
}
