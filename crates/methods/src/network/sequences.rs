//! The order of the rows of sequences that are read step by step, several at once.

use std::ops::Range;

/// Sequences of several lengths side by side, the longest first. Their rows are stored step by
/// step: the first row of each sequence, then the second row of each sequence that has one, and so
/// on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceSteps {
    /// The first row of each step, and the end of the last one.
    starts: Vec<usize>,
}

impl SequenceSteps {
    /// Makes the steps of sequences of these lengths, in descending order.
    pub fn new(lengths: &[usize]) -> Self {
        let mut starts = vec![0];
        let mut active = lengths.len();
        let mut rows = 0;
        for step in 0..lengths.first().copied().unwrap_or_default() {
            while lengths[active - 1] <= step {
                active -= 1;
            }
            rows += active;
            starts.push(rows);
        }
        Self { starts }
    }

    /// Returns the number of steps of the longest sequence.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns true if there are no steps.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.starts[self.len()]
    }

    /// Returns the number of sequences, which all have the first step.
    pub fn most(&self) -> usize {
        self.starts.get(1).copied().unwrap_or_default()
    }

    /// Returns the rows of a step.
    pub fn at(&self, step: usize) -> Range<usize> {
        self.starts[step]..self.starts[step + 1]
    }

    /// Returns the row of a step of a sequence.
    pub fn row(&self, sequence: usize, step: usize) -> usize {
        self.starts[step] + sequence
    }

    /// Returns the steps in the order of a direction, each with the step before it, if any.
    pub fn order(
        &self,
        direction: Direction,
    ) -> impl DoubleEndedIterator<Item = (usize, Option<usize>)> + use<> {
        let len = self.len();
        (0..len).map(move |at| match direction {
            Direction::Forward => (at, at.checked_sub(1)),
            Direction::Backward => (len - 1 - at, at.checked_sub(1).map(|before| len - 1 - before)),
        })
    }

    /// Returns the number of sequences that have both steps.
    pub fn both(&self, one: usize, other: usize) -> usize {
        self.at(one).len().min(self.at(other).len())
    }
}

/// The direction of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the first step to the last.
    Forward,
    /// From the last step to the first.
    Backward,
}

impl Direction {
    /// Both directions, in the order in which their states are side by side.
    pub const BOTH: [Self; 2] = [Self::Forward, Self::Backward];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_step_by_step() {
        // a b c / d e / f: steps a d f, b e, c.
        let steps = SequenceSteps::new(&[3, 2, 1]);
        assert_eq!((steps.len(), steps.rows()), (3, 6));
        assert_eq!([0, 1, 2].map(|step| steps.at(step)), [0..3, 3..5, 5..6]);
        assert_eq!((steps.row(1, 1), steps.both(0, 1)), (4, 2));
        assert_eq!(SequenceSteps::new(&[]).rows(), 0);
        let order = |direction| steps.order(direction).collect::<Vec<_>>();
        assert_eq!(order(Direction::Forward), [(0, None), (1, Some(0)), (2, Some(1))]);
        assert_eq!(order(Direction::Backward), [(2, None), (1, Some(2)), (0, Some(1))]);
    }
}
