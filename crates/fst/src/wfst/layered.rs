//! The best path by layers, one layer of states for each position of a sentence. Nothing is
//! composed beforehand, and only the states of a machine that a sentence reaches are visited.
//!
//! Costs are added in 64 bits. If two paths to a state have equal costs, the first one found stays;
//! paths are explored in the order of the candidates and of the previous layer, so that the same
//! input yields the same path.

use rustc_hash::FxHashMap;

use super::{ArcLabel, EPSILON, Machine, MachinePath, cost};

/// The index of the last output step on a path that has none.
const NONE: u32 = u32::MAX;

/// A state that has been reached.
#[derive(Debug, Clone, Copy)]
struct Reached {
    state: u32,
    cost: f64,
    /// The last output step on the path to the state.
    mark: u32,
    /// The label that is written after that step.
    output: ArcLabel,
}

/// A step of a path that writes a label.
#[derive(Debug, Clone, Copy)]
struct OutputStep {
    before: u32,
    output: ArcLabel,
}

/// The distinct states of a position.
#[derive(Debug, Default)]
struct Layer {
    states: Vec<Reached>,
    /// The index of each state, filled once there are more than [`FEW`].
    positions: FxHashMap<u32, u32>,
}

/// The number of states up to which a linear search is faster than a hash table.
const FEW: usize = 16;

impl Layer {
    fn clear(&mut self) {
        self.states.clear();
        self.positions.clear();
    }

    /// Adds a path if it is the first to its state or cheaper than the known one; returns the index
    /// of the state if the path was added.
    #[inline]
    fn relax(&mut self, way: Reached) -> Option<usize> {
        match self.position(way.state) {
            Some(at) if way.cost < self.states[at].cost => {
                self.states[at] = way;
                Some(at)
            }
            Some(_) => None,
            None => {
                let at = self.states.len();
                self.states.push(way);
                if at == FEW {
                    self.positions
                        .extend((0u32..).zip(&self.states).map(|(at, reached)| (reached.state, at)));
                } else if at > FEW {
                    self.positions.insert(way.state, at as u32);
                }
                Some(at)
            }
        }
    }

    #[inline]
    fn position(&self, state: u32) -> Option<usize> {
        if self.states.len() <= FEW {
            return self.states.iter().position(|reached| reached.state == state);
        }
        self.positions.get(&state).map(|&at| at as usize)
    }
}

/// Finds best paths through a machine for one sentence after another, reusing its memory.
#[derive(Debug)]
pub struct LayeredSearch<'m> {
    machine: &'m Machine,
    layer: Layer,
    next: Layer,
    /// The output steps of all paths.
    marks: Vec<OutputStep>,
    /// The states of the layer whose arcs without input are still to be followed.
    agenda: Vec<u32>,
}

impl<'m> LayeredSearch<'m> {
    /// Creates a search through a machine.
    pub fn new(machine: &'m Machine) -> Self {
        let (layer, next) = (Layer::default(), Layer::default());
        Self { machine, layer, next, marks: Vec::new(), agenda: Vec::new() }
    }

    /// Finds the best path of a lattice, which has the labels that each word of a sentence may be read
    /// as; `None` if the machine accepts none of its paths.
    pub fn best(&mut self, lattice: &[impl AsRef<[ArcLabel]>]) -> Option<MachinePath> {
        self.marks.clear();
        self.layer.clear();
        let start = self.machine.start()?;
        self.layer.relax(Reached { state: start, cost: 0.0, mark: NONE, output: EPSILON });
        for labels in lattice {
            self.close();
            self.step(labels.as_ref());
        }
        self.close();
        self.end()
    }

    /// Reads a word. If the machine accepts none of its labels, no path is left.
    fn step(&mut self, labels: &[ArcLabel]) {
        self.next.clear();
        let machine = self.machine;
        for &Reached { state, cost: before, mark, .. } in &self.layer.states {
            for &label in labels {
                let (mut state, mut so_far) = (state, before);
                loop {
                    let arcs = machine.reading(state, label);
                    for arc in arcs {
                        let cost = so_far + f64::from(*cost(&arc.weight));
                        if cost < f64::INFINITY {
                            self.next.relax(Reached { state: arc.nextstate, cost, mark, output: arc.olabel });
                        }
                    }
                    if !arcs.is_empty() {
                        break;
                    }
                    let Some(arc) = machine.failing(state) else { break };
                    so_far += f64::from(*cost(&arc.weight));
                    state = arc.nextstate;
                }
            }
        }
        for reached in &mut self.next.states {
            reached.mark = mark(&mut self.marks, reached.mark, reached.output);
        }
        std::mem::swap(&mut self.layer, &mut self.next);
    }

    /// Follows the arcs that read nothing.
    fn close(&mut self) {
        self.agenda.clear();
        self.agenda.extend((0..self.layer.states.len() as u32).rev());
        // A cycle of negative cost would lower costs forever; a path without
        // one takes at most this many steps.
        let mut steps = 0;
        while let Some(at) = self.agenda.pop() {
            let Reached { state, mark: before, cost: so_far, .. } = self.layer.states[at as usize];
            for arc in self.machine.reading(state, EPSILON) {
                let cost = so_far + f64::from(*cost(&arc.weight));
                let way = Reached { state: arc.nextstate, cost, mark: before, output: arc.olabel };
                if cost == f64::INFINITY {
                    continue;
                }
                if let Some(position) = self.layer.relax(way) {
                    self.layer.states[position].mark = mark(&mut self.marks, before, arc.olabel);
                    self.agenda.push(position as u32);
                }
            }
            steps += 1;
            if steps > MOST_STEPS + self.layer.states.len() * self.layer.states.len() {
                break;
            }
        }
    }

    /// Finds the best path that can end in the current layer.
    fn end(&self) -> Option<MachinePath> {
        let ends = self.layer.states.iter().map(|reached| {
            let cost = reached.cost + f64::from(self.machine.end(reached.state));
            (cost, reached.mark)
        });
        // Of several paths with equal costs, the first one is chosen.
        let (cost, mut mark) = ends.reduce(|best, other| if other.0 < best.0 { other } else { best })?;
        if cost == f64::INFINITY {
            return None;
        }
        let mut output = Vec::new();
        while mark != NONE {
            let OutputStep { before, output: label } = self.marks[mark as usize];
            output.push(label);
            mark = before;
        }
        output.reverse();
        Some(MachinePath { cost, output })
    }
}

/// The minimum limit on the number of times that arcs without input are followed.
const MOST_STEPS: usize = 64;

/// Records a step that writes a label and returns its number; a step that
/// writes nothing is not recorded.
#[inline]
fn mark(marks: &mut Vec<OutputStep>, before: u32, output: ArcLabel) -> u32 {
    if output == EPSILON {
        return before;
    }
    marks.push(OutputStep { before, output });
    marks.len() as u32 - 1
}
