//! Matrices of weights, in f32 or int8.

use crate::network::exp::ROUND;

/// A matrix of weights, row after row.
#[derive(Debug, Clone, PartialEq)]
pub enum WeightMatrix {
    /// 32-bit numbers.
    Floats(Vec<f32>),
    /// Bytes, which are multiplied by the scale of their row.
    Bytes {
        /// The bytes.
        values: Vec<i8>,
        /// The scale of each row.
        scales: Vec<f32>,
    },
}

impl WeightMatrix {
    /// Returns the number of weights.
    pub fn len(&self) -> usize {
        match self {
            Self::Floats(floats) => floats.len(),
            Self::Bytes { values, .. } => values.len(),
        }
    }

    /// Returns true if there are no weights.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the matrix in int8. The largest absolute value of a row becomes 127.
    #[must_use]
    pub fn in_bytes(self, width: usize) -> Self {
        let Self::Floats(floats) = self else { return self };
        let mut values = Vec::with_capacity(floats.len());
        let row = |row: &[f32]| {
            let scale = row.iter().fold(0.0f32, |most, value| most.max(value.abs())) / 127.0;
            let factor = if scale > 0.0 { 1.0 / scale } else { 0.0 };
            // Adding a large number rounds to the nearest integer in its lowest bits.
            values.extend(row.iter().map(|value| (value * factor + ROUND).to_bits() as i8));
            scale
        };
        let scales = floats.chunks_exact(width).map(row).collect();
        Self::Bytes { values, scales }
    }

    /// Returns the matrix in f32.
    #[must_use]
    pub fn in_floats(self) -> Vec<f32> {
        match self {
            Self::Floats(floats) => floats,
            Self::Bytes { values, scales } => {
                let width = values.len() / scales.len().max(1);
                let rows = values.chunks_exact(width.max(1)).zip(scales);
                rows.flat_map(|(row, scale)| row.iter().map(move |&value| f32::from(value) * scale)).collect()
            }
        }
    }

    /// Multiplies all numbers by a factor.
    pub fn scale(&mut self, factor: f32) {
        let (Self::Floats(numbers) | Self::Bytes { scales: numbers, .. }) = self;
        numbers.iter_mut().for_each(|number| *number *= factor);
    }

    /// Stacks the rows of matrices. The result is int8 if all of them are, and otherwise f32.
    #[must_use]
    pub fn stacked(parts: Vec<Self>) -> Self {
        let are_bytes = parts.iter().all(|part| matches!(part, Self::Bytes { .. }));
        let (mut floats, mut values, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match part {
                Self::Bytes { values: more, scales: of_rows } if are_bytes => {
                    values.extend(more);
                    scales.extend(of_rows);
                }
                part => floats.extend(part.in_floats()),
            }
        }
        if are_bytes { Self::Bytes { values, scales } } else { Self::Floats(floats) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_within_half_a_step_of_its_number() {
        let floats = vec![0.5, -1.0, 0.25, 0.0, 0.0, 0.0];
        let bytes = WeightMatrix::Floats(floats.clone()).in_bytes(3);
        let WeightMatrix::Bytes { values, scales } = &bytes else { panic!("{bytes:?}") };
        assert_eq!((values.as_slice(), scales[1]), ([64, -127, 32, 0, 0, 0].as_slice(), 0.0));
        for (found, expected) in bytes.clone().in_floats().iter().zip(&floats) {
            assert!((found - expected).abs() <= 0.5 / 127.0);
        }
        assert_eq!(bytes.clone().in_bytes(3), bytes);
    }

    #[test]
    fn parts_lie_below_each_other() {
        let bytes = WeightMatrix::Floats(vec![127.0, 1.0]).in_bytes(2);
        let both = WeightMatrix::stacked(vec![bytes.clone(), bytes.clone()]);
        assert_eq!(both, WeightMatrix::Bytes { values: vec![127, 1, 127, 1], scales: vec![1.0, 1.0] });
        let mixed = WeightMatrix::stacked(vec![bytes, WeightMatrix::Floats(vec![0.5, 2.0])]);
        assert_eq!(mixed, WeightMatrix::Floats(vec![127.0, 1.0, 0.5, 2.0]));
    }
}
