//! Long short-term memory in both directions (Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al.
//! 2000), run over several sequences at once, so that each step is a matrix product, and its gradients.

use std::ops::Range;

use super::exp::{sigmoid, tanh};
use super::instruction_set::InstructionSet;
use super::product::{MatrixView, MatrixViewMut};
use super::sequences::{Direction, SequenceSteps};
use super::values::add;

/// The ranges of the weights of an LSTM. The columns belong to the input gate, forget gate, output gate and candidate.
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

/// The gates and memories that an LSTM computed.
#[derive(Debug)]
pub struct Trace {
    /// The four gates of each row.
    gates: Vec<f32>,
    /// The memory of each row.
    cells: Vec<f32>,
}

impl CellLayout {
    /// Returns the layouts of the LSTMs of both directions that read `inputs` numbers; `next` returns the next range of
    /// weights of a length.
    pub fn both(inputs: usize, hidden: usize, mut next: impl FnMut(usize) -> Range<usize>) -> [Self; 2] {
        [(); 2].map(|()| Self {
            hidden,
            inputs: next(inputs * 4 * hidden),
            states: next(hidden * 4 * hidden),
            bias: next(4 * hidden),
        })
    }

    /// Returns the input weights, or the recurrent weights, as a matrix.
    fn matrix<'a>(&self, weights: &'a [f32], part: &Range<usize>) -> MatrixView<'a> {
        MatrixView::new(&weights[part.clone()], 4 * self.hidden)
    }
}

/// LSTMs of both directions over the same rows of inputs, with their weights.
#[derive(Debug, Clone, Copy)]
pub struct LstmPair<'a> {
    pub weights: &'a [f32],
    pub cells: &'a [CellLayout; 2],
    pub steps: &'a SequenceSteps,
    pub inputs: &'a [f32],
}

impl LstmPair<'_> {
    /// Reads the rows, and returns the states of both LSTMs side by side.
    pub fn read(&self) -> (Vec<f32>, [Trace; 2]) {
        let mut states = vec![0.0; self.steps.rows() * 2 * self.cells[0].hidden];
        let traces = [0, 1].map(|at| self.read_in(at, &mut states));
        (states, traces)
    }

    fn input_rows(&self) -> MatrixView<'_> {
        let rows = self.steps.rows();
        let columns = self.inputs.len() / rows.max(1);
        MatrixView::part(self.inputs, rows, columns, columns)
    }

    /// Reads the rows in one direction, and writes its columns of `states`.
    fn read_in(&self, at: usize, states: &mut [f32]) -> Trace {
        let Self { weights, steps, .. } = *self;
        let cell = &self.cells[at];
        let hidden = cell.hidden;
        let (column, width) = (at * hidden, 2 * hidden);
        let mut gates = weights[cell.bias.clone()].repeat(steps.rows());
        MatrixViewMut::new(&mut gates, 4 * hidden).add(self.input_rows(), cell.matrix(weights, &cell.inputs));
        let mut cells = vec![0.0; steps.rows() * hidden];
        let start = vec![0.0; hidden];
        let instructions = InstructionSet::best();
        for (step, before) in steps.order(Direction::BOTH[at]) {
            let rows = steps.at(step);
            if let Some(before) = before {
                let both = steps.both(step, before);
                let known =
                    MatrixView::part(&states[steps.at(before).start * width + column..], both, hidden, width);
                let begin = rows.start * 4 * hidden;
                MatrixViewMut::new(&mut gates[begin..begin + both * 4 * hidden], 4 * hidden)
                    .add(known, cell.matrix(weights, &cell.states));
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

    /// Adds the gradients of the weights to `dense`, and returns the gradients of the inputs, given the states and their
    /// gradients.
    pub fn back(
        &self,
        states: &[f32],
        traces: [Trace; 2],
        state_gradients: &mut [f32],
        dense: &mut [f32],
    ) -> Vec<f32> {
        let Self { weights, steps, .. } = *self;
        let mut inputs = vec![0.0; self.inputs.len()];
        for (at, trace) in traces.into_iter().enumerate() {
            let cell = &self.cells[at];
            let hidden = cell.hidden;
            let (column, width) = (at * hidden, 2 * hidden);
            let Trace { mut gates, cells } = trace;
            let mut cell_gradients = vec![0.0; cells.len()];
            // The previous state and memory of each row.
            let mut states_before = vec![0.0; cells.len()];
            let nothing = vec![0.0; hidden];
            let instructions = InstructionSet::best();
            for (step, before) in steps.order(Direction::BOTH[at]).rev() {
                let rows = steps.at(step);
                let both = before.map_or(0, |before| steps.both(step, before));
                let first = before.map_or(0, |before| steps.at(before).start);
                for (at, row) in rows.clone().enumerate() {
                    let known = (at < both).then(|| first + at);
                    let old = known.map_or(&*nothing, |known| &cells[known * hidden..][..hidden]);
                    let gradients = RowGradients {
                        gates: &mut gates[row * 4 * hidden..][..4 * hidden],
                        cell: &cells[row * hidden..][..hidden],
                        old,
                        state_gradient: &state_gradients[row * width + column..][..hidden],
                        cell_gradient: &mut cell_gradients[row * hidden..][..hidden],
                    };
                    instructions.run(
                        #[inline(always)]
                        || gradients.turn(),
                    );
                    if let Some(known) = known {
                        let state = &states[known * width + column..][..hidden];
                        states_before[row * hidden..][..hidden].copy_from_slice(state);
                        // The previous memory has no other use, so this is its whole gradient.
                        let (from, to) = (row * hidden, known * hidden);
                        cell_gradients.copy_within(from..from + hidden, to);
                    }
                }
                let gates =
                    MatrixView::new(&gates[rows.start * 4 * hidden..][..both * 4 * hidden], 4 * hidden);
                MatrixViewMut::part(&mut state_gradients[first * width + column..], both, hidden, width)
                    .add(gates, cell.matrix(weights, &cell.states).transposed());
            }
            let gates_view = MatrixView::new(&gates, 4 * hidden);
            let seen = self.input_rows();
            MatrixViewMut::new(&mut dense[cell.inputs.clone()], 4 * hidden)
                .add(seen.transposed(), gates_view);
            let before = MatrixView::new(&states_before, hidden).transposed();
            MatrixViewMut::new(&mut dense[cell.states.clone()], 4 * hidden).add(before, gates_view);
            for row in gates.chunks_exact(4 * hidden) {
                add(&mut dense[cell.bias.clone()], row);
            }
            let [rows, columns] = seen.size();
            MatrixViewMut::part(&mut inputs, rows, columns, columns)
                .add(gates_view, cell.matrix(weights, &cell.inputs).transposed());
        }
        inputs
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
fn parts(gates: &mut [f32]) -> [&mut [f32]; 4] {
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

/// A row in the backward pass.
struct RowGradients<'a> {
    /// The gates, replaced by their gradients before the activation functions.
    gates: &'a mut [f32],
    cell: &'a [f32],
    old: &'a [f32],
    state_gradient: &'a [f32],
    /// The gradient of the memory from later steps, replaced by the gradient of the previous
    /// memory.
    cell_gradient: &'a mut [f32],
}

impl RowGradients<'_> {
    #[inline(always)]
    fn turn(self) {
        let [input, forget, output, new] = parts(self.gates);
        let gates = input.iter_mut().zip(forget).zip(output).zip(new);
        let memory = self.cell.iter().zip(self.old).zip(self.state_gradient).zip(self.cell_gradient);
        for ((((input, forget), output), new), (((cell, old), state_gradient), cell_gradient)) in
            gates.zip(memory)
        {
            let curve = tanh(*cell);
            let gradient = *cell_gradient + state_gradient * *output * (1.0 - curve * curve);
            *output = state_gradient * curve * *output * (1.0 - *output);
            *cell_gradient = gradient * *forget;
            *forget = gradient * old * *forget * (1.0 - *forget);
            let (old_input, old_new) = (*input, *new);
            *input = gradient * old_new * old_input * (1.0 - old_input);
            *new = gradient * old_input * (1.0 - old_new * old_new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_of_a_pencil() {
        // States of one number: all gates see 1 times the input, and only the candidate sees the
        // state.
        let mut end = 0;
        let cells = CellLayout::both(1, 1, |len| {
            end += len;
            end - len..end
        });
        let weights = [[1.0; 4], [0.0, 0.0, 0.0, 1.0], [0.0; 4]].as_flattened().repeat(2);
        let steps = SequenceSteps::new(&[2]);
        let (states, [trace, _]) =
            LstmPair { weights: &weights, cells: &cells, steps: &steps, inputs: &[1.0, 2.0] }.read();
        // σ(1) = 0.7311, tanh(1) = 0.7616: the memory is 0.5568, the state 0.7311 · tanh(0.5568) =
        // 0.3696.
        assert!((trace.cells[0] - 0.5568).abs() < 1e-4 && (states[0] - 0.3696).abs() < 1e-4, "{states:?}");
        // σ(2) = 0.8808, tanh(2.3696) = 0.9827: 0.8808 · 0.5568 + 0.8808 · 0.9827 = 1.3560; 0.8808
        // · tanh(1.3560) = 0.7711.
        assert!((trace.cells[1] - 1.3560).abs() < 1e-4 && (states[2] - 0.7711).abs() < 1e-4, "{states:?}");
    }
}
