//! Long short-term memory (Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al.
//! 2000), run over several sequences at once, so that each step is a matrix product.

use std::ops::Range;

use super::weights::{CellLayout, NetworkWeights};
use crate::shared::exp::exp;
use crate::shared::product::{MatrixView, MatrixViewMut};

/// Sequences of several lengths side by side, the longest first. Their rows are stored step by
/// step: the first of each sequence, then the second of those that have one, and so on.
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

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.starts[self.len()]
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
    Forward,
    Backward,
}

impl Direction {
    /// Both directions, in the order in which their states stand side by side.
    pub const BOTH: [Self; 2] = [Self::Forward, Self::Backward];
}

/// The weights of an LSTM. The columns are those of its input gate, forget gate, output gate and
/// candidate.
#[derive(Debug, Clone, Copy)]
pub struct LstmCell<'a> {
    pub hidden: usize,
    pub inputs: &'a [f32],
    pub states: &'a [f32],
    pub bias: &'a [f32],
}

/// The gates and memories that an LSTM computed.
#[derive(Debug)]
pub struct Trace {
    /// The four gates of each row.
    pub gates: Vec<f32>,
    /// The memory of each row.
    pub cells: Vec<f32>,
}

impl<'a> LstmCell<'a> {
    /// Returns a cell with weights of a network.
    pub fn new(weights: &'a NetworkWeights, layout: &CellLayout) -> Self {
        let [inputs, states, bias] =
            [&layout.inputs, &layout.states, &layout.bias].map(|part| weights.part(part));
        Self { hidden: layout.hidden, inputs, states, bias }
    }

    /// Reads rows of inputs in one direction. The states become the columns from `column` on of
    /// rows of `width` numbers.
    pub fn run(
        &self,
        steps: &SequenceSteps,
        inputs: MatrixView<'_>,
        direction: Direction,
        states: &mut [f32],
        (column, width): (usize, usize),
    ) -> Trace {
        let hidden = self.hidden;
        let mut gates = self.bias.repeat(steps.rows());
        MatrixViewMut::new(&mut gates, 4 * hidden).add(inputs, MatrixView::new(self.inputs, 4 * hidden));
        let mut cells = vec![0.0; steps.rows() * hidden];
        let start = vec![0.0; hidden];
        for (step, before) in steps.order(direction) {
            let rows = steps.at(step);
            if let Some(before) = before {
                let both = steps.both(step, before);
                let known =
                    MatrixView::part(&states[steps.at(before).start * width + column..], both, hidden, width);
                let begin = rows.start * 4 * hidden;
                MatrixViewMut::new(&mut gates[begin..begin + both * 4 * hidden], 4 * hidden)
                    .add(known, MatrixView::new(self.states, 4 * hidden));
            }
            for (at, row) in rows.enumerate() {
                let known = before.filter(|&before| at < steps.at(before).len());
                let known = known.map(|before| (steps.at(before).start + at) * hidden);
                // The previous memory is in other rows of the same buffer.
                let (old, new) = apart(&mut cells, row * hidden, hidden, known, &start);
                let state = &mut states[row * width + column..][..hidden];
                step_on(&mut gates[row * 4 * hidden..][..4 * hidden], old, new, state);
            }
        }
        Trace { gates, cells }
    }
}

/// Returns a row to read, or `none`, and a row to write.
fn apart<'a>(
    values: &'a mut [f32],
    written: usize,
    len: usize,
    read: Option<usize>,
    none: &'a [f32],
) -> (&'a [f32], &'a mut [f32]) {
    match read {
        None => (none, &mut values[written..written + len]),
        Some(read) if read < written => {
            let (head, tail) = values.split_at_mut(written);
            (&head[read..read + len], &mut tail[..len])
        }
        Some(read) => {
            let (head, tail) = values.split_at_mut(read);
            (&tail[..len], &mut head[written..written + len])
        }
    }
}

/// Returns the four gates of a row.
pub fn parts(gates: &mut [f32]) -> [&mut [f32]; 4] {
    let hidden = gates.len() / 4;
    let (first, second) = gates.split_at_mut(2 * hidden);
    let (input, forget) = first.split_at_mut(hidden);
    let (output, new) = second.split_at_mut(hidden);
    [input, forget, output, new]
}

/// Makes one step: computes the gates, then the memory and the state.
fn step_on(gates: &mut [f32], old: &[f32], cell: &mut [f32], state: &mut [f32]) {
    let hidden = cell.len();
    let (open, new) = gates.split_at_mut(3 * hidden);
    open.iter_mut().for_each(|gate| *gate = sigmoid(*gate));
    new.iter_mut().for_each(|value| *value = tanh(*value));
    let [input, forget, output, new] = parts(gates);
    let memory = input.iter().zip(forget).zip(new).zip(old).zip(cell.iter_mut());
    memory.for_each(|((((input, forget), new), old), cell)| *cell = *forget * old + *input * *new);
    let states = output.iter().zip(cell).zip(state);
    states.for_each(|((output, cell), state)| *state = *output * tanh(*cell));
}

/// Computes 1 / (1 + e⁻ˣ).
#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    let power = exp(-x.abs());
    (if x < 0.0 { power } else { 1.0 }) / (1.0 + power)
}

/// Computes the hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let power = exp(-2.0 * x.abs());
    ((1.0 - power) / (1.0 + power)).copysign(x)
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

    #[test]
    fn curves_are_those_of_the_library() {
        for x in (-3000..=3000).map(|x| x as f32 / 100.0) {
            assert!((sigmoid(x) - 1.0 / (1.0 + (-x).exp())).abs() < 3e-7, "{x}");
            assert!((tanh(x) - x.tanh()).abs() < 3e-7, "{x}");
        }
    }

    #[test]
    fn two_steps_of_a_pencil() {
        // A state of one number: all gates see 1 times the input, and only the candidate sees the
        // state.
        let cell = LstmCell { hidden: 1, inputs: &[1.0; 4], states: &[0.0, 0.0, 0.0, 1.0], bias: &[0.0; 4] };
        let mut states = [0.0; 2];
        let inputs = [1.0, 2.0];
        let trace = cell.run(
            &SequenceSteps::new(&[2]),
            MatrixView::new(&inputs, 1),
            Direction::Forward,
            &mut states,
            (0, 1),
        );
        // σ(1) = 0.7311, tanh(1) = 0.7616: the memory is 0.5568, the state 0.7311 · tanh(0.5568) =
        // 0.3696.
        assert!((trace.cells[0] - 0.5568).abs() < 1e-4 && (states[0] - 0.3696).abs() < 1e-4, "{states:?}");
        // σ(2) = 0.8808, tanh(2.3696) = 0.9827: 0.8808 · 0.5568 + 0.8808 · 0.9827 = 1.3560; 0.8808
        // · tanh(1.3560) = 0.7711.
        assert!((trace.cells[1] - 1.3560).abs() < 1e-4 && (states[1] - 0.7711).abs() < 1e-4, "{states:?}");
    }
}
