//! Weighted transducers with rustfst: Batista et al. 2007, section 4.1 and figure 3.
//!
//! A language model becomes an acceptor of cased words, G: its states are the contexts of the
//! model, its costs are −ln p, and an arc leads from each context to the shorter one that it backs
//! off to. With lower-cased words as its input, it is the paper's transducer T. The meaning of the
//! back-off arc ([`BackOff`]) determines the best path:
//!
//! - an *epsilon* arc is optional and may be taken even if the longer n-gram exists: the paper's
//!   bestpath(S ∘ T), an approximation, since a sentence then costs as much as its cheapest
//!   sequence of back-offs;
//! - a *failure* arc is taken only if the word does not follow: each sentence costs exactly −ln of
//!   its probability under the model. Failure arcs must be on the cased side, because on the
//!   lower-cased side an arc for "us" would hide the back-off that "US" needs. The words of a
//!   sentence therefore become a lattice of their forms, composed with G.

mod apply;
mod draw;
mod file;
mod layered;
mod plain;
mod symbols;
mod walk;

use std::sync::OnceLock;

use rustfst::fst_impls::ConstFst;
use rustfst::fst_properties::FstProperties;
use rustfst::prelude::{SerializableFst, Tr, TropicalWeight};
use serde::{Deserialize, Serialize};

pub use apply::{InputLine, Transducer};
pub use draw::{dot, svg};
pub use file::{Facts, read, write};
pub use layered::LayeredSearch;
pub use plain::{best_paths, composed};
pub use symbols::Symbols;

use majuscule_base::error::{Error, Result};
use majuscule_lm::forms::Forms;
use majuscule_lm::{NgramModel, NgramState, WordId};
use majuscule_text::tokens::lower_word;
use majuscule_text::{Case, Locale};

/// The label of an arc: the number of a word in a table of symbols. Files of other programs may
/// contain negative numbers, which are kept as their 32 bits.
pub type ArcLabel = u32;

/// The label that reads or writes nothing.
pub const EPSILON: ArcLabel = 0;

/// The name of [`EPSILON`] in tables of symbols.
pub const EPSILON_SYMBOL: &str = "<eps>";

/// The name of the label of failure arcs in tables of symbols.
pub const FAILURE_SYMBOL: &str = "<phi>";

/// The kind of arcs with which an n-gram model backs off to shorter contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum BackOff {
    /// Failure arcs, taken only if a word does not follow: exact, and
    /// equal to the hmm with map weight 0
    #[default]
    Failure,
    /// Epsilon arcs, which any path may take: the bestpath(S o T) of
    /// Batista et al. 2007, an approximation
    Epsilon,
}

impl BackOff {
    /// Prepares a language model's acceptor that was read from a file, so that its back-off arcs
    /// are of this kind.
    ///
    /// # Errors
    /// Returns an error if the back-off arcs form a cycle or a state has several, if there is no
    /// symbol for failure arcs, or if the table of symbols lacks a label.
    pub fn of(self, machine: Machine, symbols: &Symbols) -> Result<Machine> {
        symbols.check(&machine, "reads", |arc| arc.ilabel)?;
        match (self, symbols.label(FAILURE_SYMBOL)) {
            (Self::Failure, Some(label)) => machine.with_failure(label),
            (Self::Failure, None) => {
                Err(Error::usage(format!("there is no symbol {FAILURE_SYMBOL} for failure arcs")))
            }
            (Self::Epsilon, _) => machine.check_back_off(EPSILON).map(|()| machine),
        }
    }
}

/// A path through a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct MachinePath {
    /// The total cost of the path.
    pub cost: f64,
    /// The labels that the path writes, without epsilons.
    pub output: Vec<ArcLabel>,
}

/// A machine with costs in the tropical semiring, whose arcs are sorted by input label.
#[derive(Debug, Clone)]
pub struct Machine {
    start: Option<u32>,
    /// The final cost of each state; infinite if the state is not final.
    finals: Vec<f32>,
    /// The start of each state's arcs, followed by the end of the last state's.
    begins: Vec<usize>,
    arcs: Vec<MachineArc>,
    failure: Option<ArcLabel>,
    /// The machine as rustfst composes it, made on demand.
    composable: OnceLock<ConstFst<TropicalWeight>>,
}

/// Properties of a machine's arcs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    /// True if every arc writes the label that it reads.
    pub acceptor: bool,
    /// True if no two arcs of a state read the same label.
    pub input_deterministic: bool,
}

type MachineArc = Tr<TropicalWeight>;

/// The sort key of arcs: by input label, then by output label.
fn order(arc: &MachineArc) -> (ArcLabel, ArcLabel) {
    (arc.ilabel, arc.olabel)
}

impl Machine {
    /// Creates a machine without states.
    fn new() -> Self {
        let (finals, arcs) = (Vec::new(), Vec::new());
        Self { start: None, finals, begins: vec![0], arcs, failure: None, composable: OnceLock::new() }
    }

    fn arc(&mut self, input: ArcLabel, output: ArcLabel, cost: f32, next: u32) {
        self.arcs.push(Tr::new(input, output, cost, next));
    }

    /// Ends a state with a final cost: the arcs added since the previous state belong to it and are
    /// sorted.
    fn end_state(&mut self, last: f32) {
        let begin = self.begins[self.finals.len()];
        let arcs = &mut self.arcs[begin..];
        if !arcs.is_sorted_by_key(order) {
            arcs.sort_by_key(order);
        }
        self.finals.push(last);
        self.begins.push(self.arcs.len());
    }

    /// Returns the machine if its size fits into a file.
    fn fitting(self) -> Result<Self> {
        match i32::try_from(self.states().max(self.arcs())) {
            Ok(_) => Ok(self),
            Err(_) => Err(Error::usage("the machine is too large: more than 2,147,483,647 states or arcs")),
        }
    }

    /// Builds the acceptor G of a language model. A word's label is its number plus one; the label
    /// of failure arcs comes after the labels of all words.
    ///
    /// # Errors
    /// Returns an error if the model has more n-grams than a machine can hold.
    pub fn of_model(model: &NgramModel, back_off: BackOff) -> Result<Self> {
        let failure = model.vocabulary().len() as ArcLabel + 1;
        let label = |word: WordId| word.0 + 1;
        let machine = acceptor(model, back_off, failure, |machine, word, cost, next| {
            machine.arc(label(word), label(word), cost, next);
        });
        Ok(Self { failure: (back_off == BackOff::Failure).then_some(failure), ..machine.fitting()? })
    }

    /// Builds the transducer T of a language model, as in the paper's figure 3: it reads
    /// lower-cased words and writes their forms. Back-off arcs are epsilons. A word without forms
    /// must be read as `<unk>`. The tables of input and output symbols are returned with it.
    /// `map_weight` is the exponent of the forms' weights; 0 ignores them.
    ///
    /// # Errors
    /// Returns an error if the model has more n-grams than a machine can hold.
    pub fn lowered(
        model: &NgramModel,
        forms: &Forms,
        locale: Locale,
        map_weight: f32,
    ) -> Result<(Self, Symbols, Symbols)> {
        let mut inputs = Symbols::new([EPSILON_SYMBOL, "<unk>"])?;
        let mut outputs = Symbols::of_model(model, BackOff::Epsilon)?;
        // The input and output labels and the cost of each form of each word of the model.
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
        let machine = acceptor(model, BackOff::Epsilon, EPSILON, |machine, word, cost, next| {
            for &(input, output, more) in &spelled[word.0 as usize] {
                machine.arc(input, output, cost + more, next);
            }
        });
        Ok((machine.fitting()?, inputs, outputs))
    }

    /// Returns the machine as rustfst composes it.
    fn composable(&self) -> Result<&ConstFst<TropicalWeight>> {
        if let Some(fst) = self.composable.get() {
            return Ok(fst);
        }
        // rustfst can build such a machine only from the bytes of a file, which are valid here.
        let mut bytes = Vec::new();
        write(self, None, &mut bytes).expect("memory takes all");
        let fst = ConstFst::load(&bytes)
            .map_err(|error| Error::usage(format!("rustfst rejects the machine: {error}")))?;
        Ok(self.composable.get_or_init(|| fst))
    }

    /// Returns the machine with the arcs of this label as failure arcs.
    ///
    /// # Errors
    /// Returns an error if failure arcs form a cycle or a state has several.
    pub fn with_failure(self, label: ArcLabel) -> Result<Self> {
        self.check_back_off(label)?;
        Ok(Self { failure: Some(label), ..self })
    }

    /// Refuses a machine if its back-off arcs, which have this label, form a cycle, or if a state
    /// has several of them.
    fn check_back_off(&self, label: ArcLabel) -> Result<()> {
        // Follows the back-off arcs of every state in turn: no state may be
        // visited twice on the same path.
        let mut seen = vec![0u32; self.states()];
        for first in 0..self.states() as u32 {
            let mut at = Some(first);
            while let Some(state) = at.filter(|&state| seen[state as usize] == 0) {
                seen[state as usize] = first + 1;
                let arcs = self.reading(state, label);
                if arcs.len() > 1 {
                    let problem =
                        format!("state {state} backs off in {} ways: expected one at most", arcs.len());
                    return Err(Error::usage(problem));
                }
                at = arcs.first().map(|arc| arc.nextstate);
            }
            if let Some(state) = at.filter(|&state| seen[state as usize] == first + 1) {
                let problem = format!(
                    "state {state} backs off to itself through other states: no word ends that cycle"
                );
                return Err(Error::usage(problem));
            }
        }
        Ok(())
    }

    /// Returns the label of the failure arcs, if there are any.
    pub fn failure(&self) -> Option<ArcLabel> {
        self.failure
    }

    /// Returns the number of states.
    pub fn states(&self) -> usize {
        self.finals.len()
    }

    /// Returns the number of arcs.
    pub fn arcs(&self) -> usize {
        self.arcs.len()
    }

    /// Returns the number of final states.
    pub fn finals(&self) -> usize {
        self.finals.iter().filter(|&&cost| cost < f32::INFINITY).count()
    }

    /// Returns the number of arcs that read a label.
    pub fn count_reading(&self, label: ArcLabel) -> usize {
        self.arcs.iter().filter(|arc| arc.ilabel == label).count()
    }

    /// Returns the properties of the machine's arcs.
    pub fn properties(&self) -> Properties {
        let properties = file::properties(self);
        Properties {
            acceptor: properties.contains(FstProperties::ACCEPTOR),
            input_deterministic: properties.contains(FstProperties::I_DETERMINISTIC),
        }
    }

    /// Returns the start state.
    pub fn start(&self) -> Option<u32> {
        self.start
    }

    /// Returns the final cost of a state; infinite if the state is not final.
    fn end(&self, state: u32) -> f32 {
        self.finals.get(state as usize).copied().unwrap_or(f32::INFINITY)
    }

    #[inline]
    fn out(&self, state: u32) -> &[MachineArc] {
        &self.arcs[self.begins[state as usize]..self.begins[state as usize + 1]]
    }

    /// Returns the arcs of a state that read a label.
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

    /// Returns the failure arc of a state.
    #[inline]
    fn failing(&self, state: u32) -> Option<&MachineArc> {
        let label = self.failure?;
        match self.out(state).last() {
            // In the machine of a language model, the failure arc comes last.
            Some(arc) if arc.ilabel == label => Some(arc),
            _ => self.reading(state, label).first(),
        }
    }
}

/// Finds the first arc of a label without a search, in a state that every word follows.
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

/// Builds the states of a language model. `follow` adds the arcs of each word that follows a state,
/// given the word's cost and the next state; `failure` is the label of failure arcs.
fn acceptor(
    model: &NgramModel,
    back_off: BackOff,
    failure: ArcLabel,
    follow: impl Fn(&mut Machine, WordId, f32, u32),
) -> Machine {
    let mut machine = Machine::new();
    // The machine's state number of each state of the model.
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
                // Only the empty state has no back-off; the state after `<s>` is the start.
                WordId::START => machine.start = Some(number(step.state)),
                WordId::END => end = nats(step.log10),
                _ => follow(&mut machine, word, nats(step.log10), number(step.state)),
            }
        }
        if let Some((log10, shorter)) = state.back_off {
            let shorter = number(shorter);
            machine.arc(label, label, nats(log10), shorter);
            // The final cost by way of a failure arc is computed here, so that no search has to
            // follow the arc.
            if back_off == BackOff::Failure && end == f32::INFINITY {
                end = nats(log10) + machine.finals[shorter as usize];
            }
        }
        machine.end_state(end);
    });
    machine
}

/// Converts log10 p to a cost, −ln p.
fn nats(log10: f32) -> f32 {
    let cost = (-f64::from(log10) * std::f64::consts::LN_10) as f32;
    // Adding 0 turns −0 into 0.
    cost + 0.0
}

/// Returns the spelling of a form: the model's spelling, if the model has the word in that case.
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
