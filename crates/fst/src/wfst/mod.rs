//! Weighted transducers with rustfst: Batista et al. 2007, section 4.1 and figure 3.
//!
//! A language model becomes an acceptor of cased words, G: its states are the contexts of the model, its costs −ln p, and
//! from each context an arc leads to the shorter one that it backs off to. Read off lower-cased words instead, it is the
//! paper's transducer T. What the back-off arc means ([`BackOff`]) decides what the best path is:
//!
//! - an *epsilon* arc may be taken by choice, even where the longer n-gram is there: the paper's bestpath(S ∘ T), an
//!   approximation, since a sentence then costs the cheapest of all ways to back off;
//! - a *failure* arc is taken only where the word does not follow: each sentence costs exactly −ln of its probability under
//!   the model. Failure arcs stand on the cased side: on the lower-cased one an arc for "us" would hide the back-off that
//!   "US" needs. So the words of a sentence become a lattice of their forms, which is composed with G.

mod apply;
mod draw;
mod file;
mod layered;
mod plain;
mod symbols;
mod walk;

use rustfst::fst_impls::ConstFst;
use rustfst::fst_properties::FstProperties;
use rustfst::prelude::{CoreFst, ExpandedFst, SerializableFst, Tr, TropicalWeight, Trs, TrsConst};
use serde::{Deserialize, Serialize};

pub use apply::{InputLine, Transducer};
pub use draw::{dot, svg};
pub use file::{Facts, read, write};
pub use layered::{Lattice, LayeredSearch};
pub use plain::{best_path, best_paths};
pub use symbols::Symbols;
pub use walk::Walk;

use majuscule::error::{Error, Result};
use majuscule::lm::forms::Forms;
use majuscule::lm::{NgramModel, NgramState, WordId};
use majuscule::text::tokens::lower_word;
use majuscule::text::{Case, Locale};

/// What stands on an arc: the number of a word in a table of symbols. Files of other programs may have numbers below 0,
/// which are held as their 32 bits are.
pub type ArcLabel = u32;

/// The label that reads or writes nothing.
pub const EPSILON: ArcLabel = 0;

/// How the table of symbols spells [`EPSILON`].
pub const EPSILON_SYMBOL: &str = "<eps>";

/// How the table of symbols spells the label of failure arcs.
pub const FAILURE_SYMBOL: &str = "<phi>";

/// What the arcs are by which an n-gram model goes to shorter contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum BackOff {
    /// Failure arcs, taken only where a word does not follow: exact, and equal to the hmm with map weight 0
    #[default]
    Failure,
    /// Epsilon arcs, which any path may take: the bestpath(S o T) of Batista et al. 2007, an approximation
    Epsilon,
}

impl BackOff {
    /// A language model's acceptor that was read from a file, with its back-off arcs of this kind.
    ///
    /// # Errors
    /// Where it has no such arcs that lead to an end, or labels that the table of symbols lacks.
    pub fn of(self, machine: Machine, symbols: &Symbols) -> Result<Machine> {
        symbols.check(&machine, "reads", |arc| arc.ilabel)?;
        match (self, symbols.label(FAILURE_SYMBOL)) {
            (Self::Failure, Some(label)) => machine.with_failure(label),
            (Self::Failure, None) => {
                Err(Error::Usage(format!("there is no symbol {FAILURE_SYMBOL} for failure arcs")))
            }
            (Self::Epsilon, _) => machine.check_back_off(EPSILON).map(|()| machine),
        }
    }
}

/// A word that may stand at a place, and what it costs beside what the machine asks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordCandidate {
    /// What the machine reads.
    pub label: ArcLabel,
    /// −ln of its weight.
    pub cost: f32,
}

/// A way through a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct MachinePath {
    /// The sum of its costs.
    pub cost: f64,
    /// What it writes, without epsilons.
    pub output: Vec<ArcLabel>,
}

/// A machine with costs in the tropical semiring, its arcs sorted by what they read.
#[derive(Debug, Clone)]
pub struct Machine {
    fst: ConstFst<TropicalWeight>,
    /// The arcs of each state, where they lie in `fst`.
    arcs: Vec<TrsConst<TropicalWeight>>,
    failure: Option<ArcLabel>,
}

/// What is known of the arcs of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    /// Whether every arc writes what it reads.
    pub acceptor: bool,
    /// Whether no two arcs of a state read the same label.
    pub input_deterministic: bool,
}

type MachineArc = Tr<TropicalWeight>;

/// What a machine is made of.
#[derive(Debug, Clone, Default, PartialEq)]
struct MachineParts {
    start: Option<u32>,
    /// What it costs to end in a state; infinite where it is not final.
    finals: Vec<f32>,
    /// Where the arcs of each state begin, and after them where the last end.
    begins: Vec<usize>,
    arcs: Vec<MachineArc>,
}

impl MachineParts {
    fn new() -> Self {
        Self { begins: vec![0], ..Self::default() }
    }

    fn arc(&mut self, input: ArcLabel, output: ArcLabel, cost: f32, next: u32) {
        self.arcs.push(Tr::new(input, output, cost, next));
    }

    /// The arcs pushed last are those of a state that ends at this cost. Sorts them.
    fn end_state(&mut self, last: f32) {
        let begin = self.begins[self.finals.len()];
        let arcs = &mut self.arcs[begin..];
        if !arcs.is_sorted_by_key(order) {
            arcs.sort_by_key(order);
        }
        self.finals.push(last);
        self.begins.push(self.arcs.len());
    }
}

/// The order in which arcs stand: by what they read, then by what they write.
fn order(arc: &MachineArc) -> (ArcLabel, ArcLabel) {
    (arc.ilabel, arc.olabel)
}

impl Machine {
    /// The acceptor G of a language model. A word's label is its number plus one; the label of failure arcs comes after those
    /// of all words.
    ///
    /// # Errors
    /// Where the model has more n-grams than a machine can hold.
    pub fn of_model(model: &NgramModel, back_off: BackOff) -> Result<Self> {
        let failure = model.vocabulary().len() as ArcLabel + 1;
        let label = |word: WordId| word.0 + 1;
        let parts = acceptor(model, back_off, failure, |parts, word, cost, next| {
            parts.arc(label(word), label(word), cost, next);
        });
        Self::new(parts, (back_off == BackOff::Failure).then_some(failure))
    }

    /// The transducer T of a language model, as in the paper's figure 3: it reads lower-cased words and writes their forms.
    /// Back-off arcs are epsilons. A word without forms is to be read as `<unk>`. With it come the tables of what it reads and
    /// what it writes. `map_weight` is the power to which the weights of the forms are raised; 0 leaves them out.
    ///
    /// # Errors
    /// Where the model has more n-grams than a machine can hold.
    pub fn lowered(
        model: &NgramModel,
        forms: &Forms,
        locale: Locale,
        map_weight: f32,
    ) -> Result<(Self, Symbols, Symbols)> {
        let mut inputs = Symbols::new([EPSILON_SYMBOL, "<unk>"])?;
        let mut outputs = Symbols::of_model(model, BackOff::Epsilon)?;
        // What each word of the model is read and written as.
        let mut spelled: Vec<Vec<(ArcLabel, ArcLabel, f32)>> = vec![Vec::new(); model.vocabulary().len()];
        let unknown = WordId::UNKNOWN.0 + 1;
        spelled[WordId::UNKNOWN.0 as usize].push((inputs.label("<unk>").unwrap_or(unknown), unknown, 0.0));
        for (key, forms) in forms.iter() {
            let input = inputs.add(key);
            for form in forms {
                let output = outputs.add(&spelling(model, key, form.word, form.case, locale));
                spelled[form.word.0 as usize].push((input, output, -form.weight * map_weight));
            }
        }
        let parts = acceptor(model, BackOff::Epsilon, EPSILON, |parts, word, cost, next| {
            for &(input, output, more) in &spelled[word.0 as usize] {
                parts.arc(input, output, cost + more, next);
            }
        });
        Ok((Self::new(parts, None)?, inputs, outputs))
    }

    fn new(parts: MachineParts, failure: Option<ArcLabel>) -> Result<Self> {
        // rustfst makes such a machine from a file's bytes alone; these are known to be right.
        let mut bytes = Vec::new();
        file::put(&parts, None, &mut bytes)
            .map_err(|error| Error::Usage(format!("the machine is too large: {error}")))?;
        drop(parts);
        let fst = ConstFst::load(&bytes)
            .map_err(|error| Error::Usage(format!("rustfst does not take the machine: {error}")))?;
        drop(bytes);
        let arcs = (0..fst.num_states() as u32).map_while(|state| fst.get_trs(state).ok()).collect();
        Ok(Self { fst, arcs, failure })
    }

    /// The same machine, whose arcs of this label are failure arcs.
    ///
    /// # Errors
    /// Where failure arcs lead round in a circle, or a state has several.
    pub fn with_failure(self, label: ArcLabel) -> Result<Self> {
        self.check_back_off(label)?;
        Ok(Self { failure: Some(label), ..self })
    }

    /// Refuses a machine that backs off, by the arcs of a label, round in a circle or in several ways.
    fn check_back_off(&self, label: ArcLabel) -> Result<()> {
        // Every state in turn, and those that it leads to: none may come twice on one way.
        let mut seen = vec![0u32; self.states()];
        for first in 0..self.states() as u32 {
            let mut at = Some(first);
            while let Some(state) = at.filter(|&state| seen[state as usize] == 0) {
                seen[state as usize] = first + 1;
                let arcs = self.reading(state, label);
                if arcs.len() > 1 {
                    let problem =
                        format!("state {state} backs off in {} ways: expected one at most", arcs.len());
                    return Err(Error::Usage(problem));
                }
                at = arcs.first().map(|arc| arc.nextstate);
            }
            if let Some(state) = at.filter(|&state| seen[state as usize] == first + 1) {
                let problem =
                    format!("state {state} backs off to itself in the end: no word ends that circle");
                return Err(Error::Usage(problem));
            }
        }
        Ok(())
    }

    /// The label of its failure arcs, where it has any.
    pub fn failure(&self) -> Option<ArcLabel> {
        self.failure
    }

    /// How many states it has.
    pub fn states(&self) -> usize {
        self.arcs.len()
    }

    /// How many arcs it has.
    pub fn arcs(&self) -> usize {
        self.arcs.iter().map(|arcs| arcs.len()).sum()
    }

    /// How many states are final.
    pub fn finals(&self) -> usize {
        (0..self.states() as u32).filter(|&state| self.end(state) < f32::INFINITY).count()
    }

    /// How many arcs read a label.
    pub fn count_reading(&self, label: ArcLabel) -> usize {
        (0..self.states() as u32).map(|state| self.reading(state, label).len()).sum()
    }

    /// What is known of its arcs.
    pub fn properties(&self) -> Properties {
        let properties = self.fst.properties();
        Properties {
            acceptor: properties.contains(FstProperties::ACCEPTOR),
            input_deterministic: properties.contains(FstProperties::I_DETERMINISTIC),
        }
    }

    fn all_arcs(&self) -> impl Iterator<Item = &MachineArc> {
        self.arcs.iter().flat_map(|arcs| arcs.trs())
    }

    /// The state before anything is read.
    pub fn start(&self) -> Option<u32> {
        self.fst.start()
    }

    /// What it costs to end in a state; infinite where it is not final.
    fn end(&self, state: u32) -> f32 {
        match self.fst.final_weight(state) {
            Ok(Some(weight)) => *cost(&weight),
            _ => f32::INFINITY,
        }
    }

    #[inline]
    fn out(&self, state: u32) -> &[MachineArc] {
        self.arcs[state as usize].trs()
    }

    /// The arcs of a state that read a label.
    #[inline]
    fn reading(&self, state: u32, label: ArcLabel) -> &[MachineArc] {
        let arcs = self.out(state);
        let begin = match near_the_end(arcs, label) {
            Some(at) => at,
            None => arcs.partition_point(|arc| arc.ilabel < label),
        };
        let count = arcs[begin..].iter().take_while(|arc| arc.ilabel == label).count();
        &arcs[begin..begin + count]
    }

    /// The failure arc of a state.
    #[inline]
    fn failing(&self, state: u32) -> Option<&MachineArc> {
        let label = self.failure?;
        match self.out(state).last() {
            // Machines of models have it there.
            Some(arc) if arc.ilabel == label => Some(arc),
            _ => self.reading(state, label).first(),
        }
    }
}

/// The first arc of a label in a state where every word follows, without a search.
#[inline]
fn near_the_end(arcs: &[MachineArc], label: ArcLabel) -> Option<usize> {
    let last = arcs.len().checked_sub(1)?;
    let back = arcs[last].ilabel.checked_sub(label)? as usize;
    let at = last.checked_sub(back)?;
    (arcs[at].ilabel == label && (at == 0 || arcs[at - 1].ilabel < label)).then_some(at)
}

#[inline]
fn cost(weight: &TropicalWeight) -> &f32 {
    use rustfst::Semiring;
    weight.value()
}

/// The states of a language model. Each word that follows one is given to `follow`, with its cost and the state then, to make
/// arcs of; `failure` is the label of failure arcs.
fn acceptor(
    model: &NgramModel,
    back_off: BackOff,
    failure: ArcLabel,
    follow: impl Fn(&mut MachineParts, WordId, f32, u32),
) -> MachineParts {
    let mut parts = MachineParts::new();
    // The machine's numbers of the model's states.
    let mut numbers = Vec::new();
    let mut count = 0;
    model.for_each_state(&mut |follow, _| {
        if let Some(at) = follow.state.number() {
            numbers.resize(at + 1, 0);
            numbers[at] = count;
        }
        count += 1;
    });
    let number = |state: NgramState| state.number().and_then(|at| numbers.get(at).copied()).unwrap_or(0);
    let label = if back_off == BackOff::Epsilon { EPSILON } else { failure };
    model.for_each_state(&mut |state, steps| {
        let mut end = f32::INFINITY;
        for (word, step) in steps {
            match word {
                WordId::START if state.back_off.is_some() => {}
                // The one state in which nothing but the start is known.
                WordId::START => parts.start = Some(number(step.state)),
                WordId::END => end = nats(step.log10),
                _ => follow(&mut parts, word, nats(step.log10), number(step.state)),
            }
        }
        if let Some((log10, shorter)) = state.back_off {
            let shorter = number(shorter);
            parts.arc(label, label, nats(log10), shorter);
            // An end that fails is known beforehand: no search has to look for it.
            if back_off == BackOff::Failure && end == f32::INFINITY {
                end = nats(log10) + parts.finals[shorter as usize];
            }
        }
        parts.end_state(end);
    });
    parts
}

/// log10 p as a cost, −ln p.
fn nats(log10: f32) -> f32 {
    let cost = (-f64::from(log10) * std::f64::consts::LN_10) as f32;
    // No minus before a nought.
    cost + 0.0
}

/// How a form of a word is spelled: as in the model, where it has that case there.
fn spelling(model: &NgramModel, key: &str, word: WordId, case: Case, locale: Locale) -> String {
    let known = model.vocabulary().word(word);
    let mut lower = String::new();
    lower_word(known, locale, &mut lower);
    if lower == key && Case::of(known, locale) == case {
        return known.to_owned();
    }
    case.applied(key, locale)
}

#[cfg(test)]
mod tests;
