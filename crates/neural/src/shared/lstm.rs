//! Long short-term memory (Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al.
//! 2000), run over several sequences at once, so that each step is a matrix product.

use std::ops::Range;

use super::exp::{sigmoid, tanh};
use super::instruction_set::InstructionSet;
use super::product::{MatrixView, MatrixViewMut};
use super::sequences::{Direction, SequenceSteps};

/// The ranges of the weights of an LSTM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellLayout {
    /// The width of the state.
    pub hidden: usize,
    /// The input weights, with a row for each input and columns for the four gates.
    pub inputs: Range<usize>,
    /// The recurrent weights, with a row for each number of the state and columns for the four
    /// gates.
    pub states: Range<usize>,
    pub bias: Range<usize>,
}

/// The weights of an LSTM. The columns belong to the input gate, forget gate, output gate and candidate.
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
    pub fn new(weights: &'a [f32], layout: &CellLayout) -> Self {
        let [inputs, states, bias] =
            [&layout.inputs, &layout.states, &layout.bias].map(|part| &weights[part.clone()]);
        Self { hidden: layout.hidden, inputs, states, bias }
    }

    /// Reads rows of inputs in one direction. Writes the states into `states`, which has rows of `width` numbers,
    /// from column `column` on.
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
        let instructions = InstructionSet::best();
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
            instructions.run(
                #[inline(always)]
                || {
                    for (at, row) in rows.enumerate() {
                        let known = before.filter(|&before| at < steps.at(before).len());
                        let known = known.map(|before| (steps.at(before).start + at) * hidden);
                        // The previous memory is in other rows of the same buffer.
                        let (old, new) = apart(&mut cells, row * hidden, hidden, known, &start);
                        let state = &mut states[row * width + column..][..hidden];
                        step_on(&mut gates[row * 4 * hidden..][..4 * hidden], old, new, state);
                    }
                },
            );
        }
        Trace { gates, cells }
    }
}

/// Borrows two rows of a buffer: a row to read, or `none` if there is no such row, and a row to write.
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
#[inline(always)]
pub fn parts(gates: &mut [f32]) -> [&mut [f32]; 4] {
    let hidden = gates.len() / 4;
    let (first, second) = gates.split_at_mut(2 * hidden);
    let (input, forget) = first.split_at_mut(hidden);
    let (output, new) = second.split_at_mut(hidden);
    [input, forget, output, new]
}

/// Makes one step: computes the gates, then the memory and the state.
#[inline(always)]
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

#[cfg(test)]
mod tests {
    use super::*;

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
