//! Numbers aligned to cache lines: a load that spans two cache lines takes twice as long.

use std::ops::{Deref, DerefMut};

/// The number of bytes in a cache line.
const LINE: usize = 64;

/// Numbers that begin at a cache line.
#[derive(Debug, Clone, Default)]
pub struct Aligned<T> {
    values: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// Creates `len` zeros.
    pub fn zeros(len: usize) -> Self {
        let mut zeros = Self::default();
        zeros.reset(len);
        zeros
    }

    /// Replaces the numbers by `len` zeros.
    pub fn reset(&mut self, len: usize) {
        self.values.clear();
        self.room(len);
    }

    /// Sets the length and leaves the values unspecified.
    pub fn room(&mut self, len: usize) {
        let spare = LINE / size_of::<T>();
        if self.values.len() < len + spare {
            self.values.resize(len + spare, T::default());
        }
        self.start = self.values.as_ptr().align_offset(LINE).min(spare);
        self.len = len;
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values[self.start..][..self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.start..][..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_at_a_cache_line() {
        let mut numbers = Aligned::<f32>::default();
        for len in [0, 5, 1000, 3] {
            numbers.reset(len);
            assert!(numbers.len() == len && numbers.iter().all(|number| *number == 0.0));
            assert_eq!(numbers.as_ptr().align_offset(LINE), 0);
            numbers.fill(1.0);
        }
    }
}
