//! Measures how far confidences deviate from accuracy: expected calibration error (Naeini et al.
//! 2015, section 2).

use std::ops::AddAssign;

use super::slots::ratio;

/// The number of bins. Ten are the usual choice, which makes figures comparable.
const BINS: usize = 10;

/// The unit in which confidences are summed, so that sums are exact in any order.
const UNIT: f64 = 1.0 / (1 << 20) as f64;

/// The counts of words in each tenth of the confidence range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Calibration {
    bins: [Bin; BINS],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Bin {
    words: u64,
    right: u64,
    confidence: u64,
}

impl Calibration {
    /// Counts a word with the confidence of its choice; `right` is true if the choice is right.
    #[inline]
    pub fn add(&mut self, confidence: f32, right: bool) {
        let confidence = f64::from(confidence.clamp(0.0, 1.0));
        // NaN counts as confidence 0, because `as` converts it to 0.
        let bin = &mut self.bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
        bin.words += 1;
        bin.right += u64::from(right);
        bin.confidence += (confidence / UNIT).round() as u64;
    }

    /// Returns the mean distance between confidence and accuracy over the bins, weighted by the
    /// number of words in each bin. `None` without words.
    pub fn expected_error(&self) -> Option<f64> {
        let words: u64 = self.bins.iter().map(|bin| bin.words).sum();
        let distances =
            self.bins.iter().map(|bin| (bin.confidence as f64 * UNIT - bin.right as f64).abs()).sum::<f64>();
        ratio(1, words).map(|fraction| distances * fraction)
    }
}

impl AddAssign for Calibration {
    fn add_assign(&mut self, other: Self) {
        for (sum, bin) in self.bins.iter_mut().zip(other.bins) {
            sum.words += bin.words;
            sum.right += bin.right;
            sum.confidence += bin.confidence;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(words: &[(f32, bool)]) -> Option<f64> {
        let mut calibration = Calibration::default();
        for &(confidence, right) in words {
            calibration.add(confidence, right);
        }
        calibration.expected_error()
    }

    #[test]
    fn the_error_is_the_distance_of_each_bin_by_its_words() {
        // Bin .7-.8: 2 words at .75, one right: |1.5 - 1| = .5. Bin .9-1: 2 at 1, both right: 0.
        // Together .5 / 4.
        let error = error(&[(0.75, true), (0.75, false), (1.0, true), (1.0, true)]).unwrap();
        assert!((error - 0.125).abs() < 1e-6);
    }

    #[test]
    fn sure_and_right_has_no_error_and_nothing_has_none() {
        assert_eq!(error(&[(1.0, true)]), Some(0.0));
        assert_eq!(error(&[(1.0, false)]), Some(1.0));
        assert_eq!(error(&[]), None);
        assert_eq!(error(&[(f32::NAN, false)]), Some(0.0));
    }
}
