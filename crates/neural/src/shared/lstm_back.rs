//! Propagates the gradients of a loss through an LSTM, from its states back to its inputs and weights.

use super::exp::tanh;
use super::instruction_set::InstructionSet;
use super::lstm::{CellLayout, LstmCell, Trace, parts};
use super::product::{MatrixView, MatrixViewMut};
use super::sequences::{Direction, SequenceSteps};

/// The inputs and states of an LSTM that has read a text.
pub struct LstmPass<'a> {
    pub cell: LstmCell<'a>,
    pub layout: &'a CellLayout,
    pub steps: &'a SequenceSteps,
    pub direction: Direction,
    pub inputs: &'a [f32],
    /// Rows of `width` numbers; the states are the columns from `column` on.
    pub states: &'a [f32],
    pub column: usize,
    pub width: usize,
}

impl LstmPass<'_> {
    /// Adds the gradients of the weights and of the inputs, given the gradients of the states, which have the same
    /// rows and columns as the states.
    pub fn back(&self, trace: Trace, state_gradients: &mut [f32], weights: &mut [f32], inputs: &mut [f32]) {
        let Self { cell, layout, steps, direction, column, width, .. } = *self;
        let hidden = cell.hidden;
        let Trace { mut gates, cells } = trace;
        let mut cell_gradients = vec![0.0; cells.len()];
        // The previous state and memory of each row.
        let mut states_before = vec![0.0; cells.len()];
        let nothing = vec![0.0; hidden];
        let instructions = InstructionSet::best();
        for (step, before) in steps.order(direction).rev() {
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
                    let state = &self.states[known * width + column..][..hidden];
                    states_before[row * hidden..][..hidden].copy_from_slice(state);
                    // The previous memory has no other use, so this is its whole gradient.
                    let (from, to) = (row * hidden, known * hidden);
                    cell_gradients.copy_within(from..from + hidden, to);
                }
            }
            let gates = MatrixView::new(&gates[rows.start * 4 * hidden..][..both * 4 * hidden], 4 * hidden);
            MatrixViewMut::part(&mut state_gradients[first * width + column..], both, hidden, width)
                .add(gates, MatrixView::new(cell.states, 4 * hidden).transposed());
        }
        let rows = steps.rows();
        let gates_view = MatrixView::new(&gates, 4 * hidden);
        let columns = self.inputs.len() / rows.max(1);
        let seen = MatrixView::part(self.inputs, rows, columns, columns).transposed();
        MatrixViewMut::new(&mut weights[layout.inputs.clone()], 4 * hidden).add(seen, gates_view);
        let before = MatrixView::new(&states_before, hidden).transposed();
        MatrixViewMut::new(&mut weights[layout.states.clone()], 4 * hidden).add(before, gates_view);
        for row in gates.chunks_exact(4 * hidden) {
            weights[layout.bias.clone()].iter_mut().zip(row).for_each(|(sum, gradient)| *sum += gradient);
        }
        MatrixViewMut::part(inputs, rows, columns, columns)
            .add(gates_view, MatrixView::new(cell.inputs, 4 * hidden).transposed());
    }
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
