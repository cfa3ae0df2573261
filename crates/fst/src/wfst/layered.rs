//! The best path by layers: one layer of states for each place of a sentence, so that nothing is composed beforehand and no
//! more of a machine is looked at than a sentence reaches.
//!
//! Costs are added in 64 bits. Of two ways to a state that cost the same the one found first stays, and ways are looked at in
//! the order of the candidates and of the layer before, so that the same input gives the same path.

use rustc_hash::FxHashMap;

use super::{ArcLabel, EPSILON, Machine, MachinePath, WordCandidate, cost};

/// What may stand at each place of a sentence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lattice {
    candidates: Vec<WordCandidate>,
    /// Where the candidates of each place end.
    ends: Vec<usize>,
}

impl Lattice {
    /// Appends a place.
    pub fn push(&mut self, candidates: impl IntoIterator<Item = WordCandidate>) {
        self.candidates.extend(candidates);
        self.ends.push(self.candidates.len());
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The candidates of a place.
    ///
    /// # Panics
    /// Where there is no such place.
    pub fn place(&self, at: usize) -> &[WordCandidate] {
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.candidates[begin..self.ends[at]]
    }
}

/// No step before: a mark's number.
const NONE: u32 = u32::MAX;

/// A state that has been reached.
#[derive(Debug, Clone, Copy)]
struct Reached {
    state: u32,
    cost: f64,
    /// The last step on the way there that writes something.
    mark: u32,
    /// What is written after it.
    output: ArcLabel,
}

/// A step on a way that writes something.
#[derive(Debug, Clone, Copy)]
struct OutputStep {
    before: u32,
    output: ArcLabel,
}

/// The states of a place, each once.
#[derive(Debug, Default)]
struct Layer {
    states: Vec<Reached>,
    /// Where each state stands, kept once there are many.
    places: FxHashMap<u32, u32>,
}

/// So many states are looked through faster than a hash finds one of them.
const FEW: usize = 16;

impl Layer {
    fn clear(&mut self) {
        self.states.clear();
        self.places.clear();
    }

    /// Takes a way where it is the first to its state or cheaper than the one there; its place then.
    #[inline]
    fn relax(&mut self, way: Reached) -> Option<usize> {
        match self.place(way.state) {
            Some(at) if way.cost < self.states[at].cost => {
                self.states[at] = way;
                Some(at)
            }
            Some(_) => None,
            None => {
                let at = self.states.len();
                self.states.push(way);
                if at == FEW {
                    self.places.extend((0u32..).zip(&self.states).map(|(at, reached)| (reached.state, at)));
                } else if at > FEW {
                    self.places.insert(way.state, at as u32);
                }
                Some(at)
            }
        }
    }

    #[inline]
    fn place(&self, state: u32) -> Option<usize> {
        if self.states.len() <= FEW {
            return self.states.iter().position(|reached| reached.state == state);
        }
        self.places.get(&state).map(|&at| at as usize)
    }
}

/// Finds best paths through one machine, sentence after sentence: keeps its memory.
#[derive(Debug)]
pub struct LayeredSearch<'m> {
    machine: &'m Machine,
    layer: Layer,
    next: Layer,
    /// The steps of all ways.
    marks: Vec<OutputStep>,
    /// States of the layer whose arcs without input are to be followed.
    agenda: Vec<u32>,
}

impl<'m> LayeredSearch<'m> {
    /// For a machine.
    pub fn new(machine: &'m Machine) -> Self {
        let (layer, next) = (Layer::default(), Layer::default());
        Self { machine, layer, next, marks: Vec::new(), agenda: Vec::new() }
    }

    /// The best path of a lattice through the machine; `None` where the machine takes none of its paths. Costs what
    /// [`best_path`](super::best_path) finds, in a fraction of its time.
    pub fn best(&mut self, lattice: &Lattice) -> Option<MachinePath> {
        self.marks.clear();
        self.layer.clear();
        let start = self.machine.start()?;
        self.layer.relax(Reached { state: start, cost: 0.0, mark: NONE, output: EPSILON });
        for at in 0..lattice.len() {
            self.close();
            self.step(lattice.place(at));
        }
        self.close();
        self.end()
    }

    /// Reads a place. Where the machine takes no candidate there, no way is left.
    fn step(&mut self, candidates: &[WordCandidate]) {
        self.next.clear();
        let machine = self.machine;
        for &Reached { state, cost: before, mark, .. } in &self.layer.states {
            for candidate in candidates {
                let mut state = state;
                let mut so_far = before + f64::from(candidate.cost);
                loop {
                    let arcs = machine.reading(state, candidate.label);
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
        // A circle of negative costs would make ways cheaper for ever; no way without one takes so many steps.
        let mut steps = 0;
        while let Some(at) = self.agenda.pop() {
            let Reached { state, mark: before, cost: so_far, .. } = self.layer.states[at as usize];
            for arc in self.machine.reading(state, EPSILON) {
                let cost = so_far + f64::from(*cost(&arc.weight));
                let way = Reached { state: arc.nextstate, cost, mark: before, output: arc.olabel };
                if cost == f64::INFINITY {
                    continue;
                }
                if let Some(place) = self.layer.relax(way) {
                    self.layer.states[place].mark = mark(&mut self.marks, before, arc.olabel);
                    self.agenda.push(place as u32);
                }
            }
            steps += 1;
            if steps > MOST_STEPS + self.layer.states.len() * self.layer.states.len() {
                break;
            }
        }
    }

    /// The best way of those that end here.
    fn end(&self) -> Option<MachinePath> {
        let ends = self.layer.states.iter().map(|reached| {
            let cost = reached.cost + f64::from(self.machine.end(reached.state));
            (cost, reached.mark)
        });
        // The first of several that cost the same.
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

/// Arcs without input are followed at least so many times.
const MOST_STEPS: usize = 64;

/// The number of a step that writes a label; a step that writes nothing leaves none.
#[inline]
fn mark(marks: &mut Vec<OutputStep>, before: u32, output: ArcLabel) -> u32 {
    if output == EPSILON {
        return before;
    }
    marks.push(OutputStep { before, output });
    marks.len() as u32 - 1
}
