//! Slopes of a loss, from the states of an LSTM back to its inputs and weights.

use crate::bilstm::lstm::{Cell, Direction, Steps, Trace, parts, tanh};
use crate::bilstm::product::{View, ViewMut};
use crate::bilstm::weights::CellLayout;

/// What an LSTM has read, and what it made of it.
pub(super) struct Read<'a> {
    pub(super) cell: Cell<'a>,
    pub(super) layout: &'a CellLayout,
    pub(super) steps: &'a Steps,
    pub(super) direction: Direction,
    pub(super) inputs: &'a [f32],
    /// Rows of `width` numbers; the states are the columns from `column` on.
    pub(super) states: &'a [f32],
    pub(super) column: usize,
    pub(super) width: usize,
}

impl Read<'_> {
    /// Adds the slopes of the weights and of the inputs, given those of the states in the same rows and columns.
    pub(super) fn back(
        &self,
        trace: Trace,
        state_slopes: &mut [f32],
        weights: &mut [f32],
        inputs: &mut [f32],
    ) {
        let Self { cell, layout, steps, direction, column, width, .. } = *self;
        let hidden = cell.hidden;
        let Trace { mut gates, cells } = trace;
        let mut cell_slopes = vec![0.0; cells.len()];
        // For each row the state and the memory before it.
        let mut states_before = vec![0.0; cells.len()];
        let nothing = vec![0.0; hidden];
        for (step, before) in steps.order(direction).rev() {
            let rows = steps.at(step);
            let both = before.map_or(0, |before| steps.both(step, before));
            let first = before.map_or(0, |before| steps.at(before).start);
            for (at, row) in rows.clone().enumerate() {
                let known = (at < both).then(|| first + at);
                let old = known.map_or(&*nothing, |known| &cells[known * hidden..][..hidden]);
                let slopes = Slopes {
                    gates: &mut gates[row * 4 * hidden..][..4 * hidden],
                    cell: &cells[row * hidden..][..hidden],
                    old,
                    state_slope: &state_slopes[row * width + column..][..hidden],
                    cell_slope: &mut cell_slopes[row * hidden..][..hidden],
                };
                slopes.turn();
                if let Some(known) = known {
                    let state = &self.states[known * width + column..][..hidden];
                    states_before[row * hidden..][..hidden].copy_from_slice(state);
                    // The memory before has no other use, so its slope is what comes from here.
                    let (from, to) = (row * hidden, known * hidden);
                    cell_slopes.copy_within(from..from + hidden, to);
                }
            }
            let gates = View::new(&gates[rows.start * 4 * hidden..][..both * 4 * hidden], 4 * hidden);
            ViewMut::part(&mut state_slopes[first * width + column..], both, hidden, width)
                .add(gates, View::new(cell.states, 4 * hidden).transposed());
        }
        let rows = steps.rows();
        let gates_view = View::new(&gates, 4 * hidden);
        let columns = self.inputs.len() / rows.max(1);
        let seen = View::part(self.inputs, rows, columns, columns).transposed();
        ViewMut::new(&mut weights[layout.inputs.clone()], 4 * hidden).add(seen, gates_view);
        let before = View::new(&states_before, hidden).transposed();
        ViewMut::new(&mut weights[layout.states.clone()], 4 * hidden).add(before, gates_view);
        for row in gates.chunks_exact(4 * hidden) {
            weights[layout.bias.clone()].iter_mut().zip(row).for_each(|(sum, slope)| *sum += slope);
        }
        ViewMut::part(inputs, rows, columns, columns)
            .add(gates_view, View::new(cell.inputs, 4 * hidden).transposed());
    }
}

/// A row on the way back.
struct Slopes<'a> {
    /// The gates; their slopes, before the curves, take their places.
    gates: &'a mut [f32],
    cell: &'a [f32],
    old: &'a [f32],
    state_slope: &'a [f32],
    /// The slope of the memory from later steps; that of the memory before takes its place.
    cell_slope: &'a mut [f32],
}

impl Slopes<'_> {
    fn turn(self) {
        let [input, forget, output, new] = parts(self.gates);
        let gates = input.iter_mut().zip(forget).zip(output).zip(new);
        let memory = self.cell.iter().zip(self.old).zip(self.state_slope).zip(self.cell_slope);
        for ((((input, forget), output), new), (((cell, old), state_slope), cell_slope)) in gates.zip(memory)
        {
            let curve = tanh(*cell);
            let slope = *cell_slope + state_slope * *output * (1.0 - curve * curve);
            *output = state_slope * curve * *output * (1.0 - *output);
            *cell_slope = slope * *forget;
            *forget = slope * old * *forget * (1.0 - *forget);
            let (old_input, old_new) = (*input, *new);
            *input = slope * old_new * old_input * (1.0 - old_input);
            *new = slope * old_input * (1.0 - old_new * old_new);
        }
    }
}
