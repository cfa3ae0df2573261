//! Long short-term memory in both directions (Hochreiter & Schmidhuber 1997, with the forget gate of Gers et
//! al. 2000), over several texts at once.

use crate::network::exp::{sigmoid, tanh};
use crate::network::instruction_set::InstructionSet;
use crate::network::products::aligned::Aligned;
use crate::network::products::int8::ByteRows;
use crate::network::products::linear::Linear;
use crate::network::sequences::{Direction, SequenceSteps};

/// The LSTMs of both directions over one input.
#[derive(Debug)]
pub struct BilstmLayer {
    /// The instructions with which the layer computes.
    pub instructions: InstructionSet,
    /// The width of a state.
    pub hidden: usize,
    /// The weights of inputs, forward and backward.
    pub inputs: [Linear; 2],
    /// The weights of states, forward and backward.
    pub states: [Linear; 2],
}

/// Scratch memory.
#[derive(Debug, Clone, Default)]
pub struct LstmScratch {
    pub bytes: ByteRows,
    gates: Aligned<f32>,
    added: Aligned<f32>,
    state: LstmState,
}

/// The memory (cell state) and the hidden state of each text.
#[derive(Debug, Clone, Default)]
pub struct LstmState {
    memory: Vec<f32>,
    state: Vec<f32>,
}

impl LstmState {
    /// Sets the memory and the hidden state to 0.
    fn clear(&mut self, len: usize) {
        for values in [&mut self.memory, &mut self.state] {
            values.clear();
            values.resize(len, 0.0);
        }
    }
}

/// The number of steps whose inputs are multiplied at a time, so that the gates stay in the cache.
const STEPS: usize = 16;

impl BilstmLayer {
    /// Computes rows of states from rows of inputs, in both directions: a row has the forward state, then the
    /// backward state. If `carried` is given, the text continues from that forward state; if its flag is set,
    /// the state after the first word replaces it.
    pub fn run(
        &self,
        steps: &SequenceSteps,
        inputs: &[f32],
        mut carried: Option<(&mut LstmState, bool)>,
        out: &mut Aligned<f32>,
        scratch: &mut LstmScratch,
    ) {
        let LstmScratch { bytes, gates, added, state: kept } = scratch;
        let hidden = self.hidden;
        let width = inputs.len() / steps.rows().max(1);
        out.room(steps.rows() * 2 * hidden);
        for (at, direction) in Direction::BOTH.into_iter().enumerate() {
            kept.clear(steps.most() * hidden);
            let mut carried = carried.as_mut().filter(|_| direction == Direction::Forward);
            if let Some((carried, _)) = &carried
                && !carried.state.is_empty()
            {
                kept.clone_from(carried);
            }
            let order: Vec<usize> = steps.order(direction).map(|(step, _)| step).collect();
            for some in order.chunks(STEPS) {
                let (one, other) = (some[0], some[some.len() - 1]);
                let (start, end) = (steps.at(one.min(other)).start, steps.at(one.max(other)).end);
                self.inputs[at].apply(&inputs[start * width..end * width], gates, bytes);
                for &step in some {
                    let rows = steps.at(step);
                    // Texts that have ended (forward) or have not begun yet (backward) come last; the states
                    // of texts that have not begun are 0.
                    self.states[at].apply(&kept.state[..rows.len() * hidden], added, bytes);
                    let gates = gates[(rows.start - start) * 4 * hidden..].chunks_exact(4 * hidden);
                    let out = out[rows.start * 2 * hidden..].chunks_exact_mut(2 * hidden);
                    let LstmState { memory, state } = &mut *kept;
                    let texts = memory.chunks_exact_mut(hidden).zip(state.chunks_exact_mut(hidden));
                    self.instructions.run(
                        #[inline(always)]
                        || {
                            let rows = added.chunks_exact(4 * hidden).zip(gates).zip(texts).zip(out);
                            for (((added, gates), (memory, state)), out) in rows {
                                advance(gates, added, memory, state);
                                out[at * hidden..][..hidden].copy_from_slice(state);
                            }
                        },
                    );
                    if let Some((carried, true)) = &mut carried
                        && step == 0
                    {
                        carried.clone_from(kept);
                    }
                }
            }
        }
    }
}

/// Makes one step of a text: computes its gates, then its memory and its state.
#[inline(always)]
fn advance(gates: &[f32], added: &[f32], memory: &mut [f32], state: &mut [f32]) {
    let hidden = state.len();
    let part = |at: usize| gates[at * hidden..][..hidden].iter().zip(&added[at * hidden..][..hidden]);
    let gates = part(0).zip(part(1)).zip(part(2)).zip(part(3));
    for (((((input, forget), output), new), memory), state) in gates.zip(memory).zip(state) {
        let sum = |(gate, added): (&f32, &f32)| gate + added;
        *memory = sigmoid(sum(forget)) * *memory + sigmoid(sum(input)) * tanh(sum(new));
        *state = sigmoid(sum(output)) * tanh(*memory);
    }
}
