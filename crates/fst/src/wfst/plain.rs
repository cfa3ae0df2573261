//! The n best paths as found by rustfst: the words of a sentence become a machine, which is composed
//! with another, and the shortest paths of the composition are chosen.

use rustfst::algorithms::compose::compose_filters::{ComposeFilterBuilder, TrivialComposeFilterBuilder};
use rustfst::algorithms::compose::matchers::{
    IterItemMatcher, MatchType, Matcher, MatcherFlags, REQUIRE_PRIORITY, SortedMatcher,
};
use rustfst::algorithms::compose::{ComposeFst, ComposeFstOpOptions};
use rustfst::algorithms::rm_epsilon::rm_epsilon;
use rustfst::algorithms::{ProjectType, ShortestPathConfig, connect, project, shortest_path_with_config};
use rustfst::fst_impls::{ConstFst, VectorFst};
use rustfst::prelude::{CoreFst, ExpandedFst, Fst, MutableFst, Tr, TropicalWeight, Trs};
use rustfst::{NO_LABEL, Semiring};

use super::{ArcLabel, EPSILON, Machine, MachineArc, MachinePath, cost};
use majuscule_base::error::{Error, Result};

type Foreign<T> = anyhow::Result<T>;
type Vector = VectorFst<TropicalWeight>;
type Const = ConstFst<TropicalWeight>;

/// Finds the `count` best paths with distinct outputs, best first.
///
/// # Errors
/// Returns an error if rustfst fails.
pub fn best_paths(
    machine: &Machine,
    lattice: &[impl AsRef<[ArcLabel]>],
    count: usize,
) -> Result<Vec<MachinePath>> {
    let several = || {
        let mut both = compose(machine, lattice)?;
        // Paths that differ only in their input count as one path.
        project(&mut both, ProjectType::ProjectOutput);
        rm_epsilon(&mut both)?;
        shortest(&both, count)
    };
    let mut paths = several().map_err(foreign)?;
    paths.sort_by(|a, b| a.cost.total_cmp(&b.cost).then_with(|| a.output.cmp(&b.output)));
    Ok(paths)
}

/// Composes a lattice with a machine: the paths of the lattice that the machine accepts, with their
/// costs and without states that lead nowhere. `None` if the machine accepts no path.
///
/// # Errors
/// Returns an error if rustfst fails.
pub fn composed(machine: &Machine, lattice: &[impl AsRef<[ArcLabel]>]) -> Result<Option<Machine>> {
    let machine = || {
        let mut both = compose(machine, lattice)?;
        connect(&mut both)?;
        let mut machine = Machine { start: both.start(), ..Machine::new() };
        for state in both.states_range() {
            for arc in both.get_trs(state)?.trs() {
                machine.arc(arc.ilabel, arc.olabel, *cost(&arc.weight), arc.nextstate);
            }
            machine.end_state(both.final_weight(state)?.map_or(f32::INFINITY, |weight| *cost(&weight)));
        }
        Ok(machine)
    };
    let machine = machine().map_err(foreign)?;
    machine.start.is_some().then(|| machine.fitting()).transpose()
}

fn foreign(error: anyhow::Error) -> Error {
    Error::usage(format!("rustfst cannot find a path: {error}"))
}

/// Converts a lattice to a machine with one state between two positions.
fn sausage(lattice: &[impl AsRef<[ArcLabel]>]) -> Foreign<Vector> {
    let mut fst = Vector::new();
    fst.add_states(lattice.len() + 1);
    fst.set_start(0)?;
    for (at, labels) in (0..).zip(lattice) {
        let mut labels = labels.as_ref().to_vec();
        labels.sort_unstable();
        for label in labels {
            fst.add_tr(at, Tr::new(label, label, TropicalWeight::one(), at + 1))?;
        }
    }
    fst.set_final(lattice.len() as u32, TropicalWeight::one())?;
    Ok(fst)
}

pub(super) fn compose(machine: &Machine, lattice: &[impl AsRef<[ArcLabel]>]) -> Foreign<Vector> {
    let sausage = sausage(lattice)?;
    let fst = machine.composable()?;
    let one = SortedMatcher::new(&sausage, MatchType::MatchOutput)?;
    let other = Failing { machine, fst };
    let filter = TrivialComposeFilterBuilder::<_, Vector, Const, &Vector, &Const, _, _>::new(
        &sausage,
        fst,
        Some(one),
        Some(other),
    )?;
    let options = ComposeFstOpOptions::new(None, None, filter, None);
    let both: ComposeFst<_, Vector, Const, _, _, SortedMatcher<_, _, _>, Failing<'_>, _> =
        ComposeFst::new_with_options(&sausage, fst, options)?;
    both.compute()
}

pub(super) fn shortest(fst: &Vector, count: usize) -> Foreign<Vec<MachinePath>> {
    let config = ShortestPathConfig::default().with_nshortest(count).with_unique(count > 1);
    let found: Vector = shortest_path_with_config(fst, config)?;
    let mut paths = Vec::new();
    for path in found.paths_iter() {
        let output = path.olabels.into_iter().filter(|&label| label != EPSILON).collect();
        paths.push(MachinePath { cost: f64::from(*cost(&path.weight)), output });
    }
    Ok(paths)
}

/// A matcher that finds the arcs that read a label: the arcs of the state itself or, if there are
/// none, the arcs of the state at the end of its failure arc.
#[derive(Debug)]
struct Failing<'m> {
    machine: &'m Machine,
    fst: &'m Const,
}

impl<'m> Matcher<TropicalWeight, Const, &'m Const> for Failing<'m> {
    type Iter = std::vec::IntoIter<IterItemMatcher<TropicalWeight>>;

    fn new(_: &'m Const, _: MatchType) -> Foreign<Self> {
        Err(anyhow::anyhow!("it is made of a machine"))
    }

    fn iter(&self, state: u32, label: ArcLabel) -> Foreign<Self::Iter> {
        if label == EPSILON {
            return Ok(vec![IterItemMatcher::EpsLoop].into_iter());
        }
        // In rustfst, `NO_LABEL` asks for the arcs that read nothing.
        if label == NO_LABEL {
            return Ok(items(self.machine.reading(state, EPSILON), 0.0));
        }
        let mut state = state;
        let mut more = 0.0;
        loop {
            let arcs = self.machine.reading(state, label);
            if !arcs.is_empty() {
                return Ok(items(arcs, more));
            }
            let Some(arc) = self.machine.failing(state) else { return Ok(Vec::new().into_iter()) };
            more += cost(&arc.weight);
            state = arc.nextstate;
        }
    }

    fn final_weight(&self, state: u32) -> Foreign<Option<TropicalWeight>> {
        self.fst.final_weight(state)
    }

    fn match_type(&self, _: bool) -> Foreign<MatchType> {
        Ok(MatchType::MatchInput)
    }

    fn flags(&self) -> MatcherFlags {
        MatcherFlags::REQUIRE_MATCH
    }

    fn priority(&self, _: u32) -> Foreign<usize> {
        Ok(REQUIRE_PRIORITY)
    }

    fn fst(&self) -> &&'m Const {
        &self.fst
    }
}

fn items(arcs: &[MachineArc], more: f32) -> std::vec::IntoIter<IterItemMatcher<TropicalWeight>> {
    let item = |arc: &MachineArc| {
        let weight = TropicalWeight::new(cost(&arc.weight) + more);
        IterItemMatcher::Tr(Tr { weight, ..arc.clone() })
    };
    arcs.iter().map(item).collect::<Vec<_>>().into_iter()
}
