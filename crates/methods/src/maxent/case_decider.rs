//! Decides the case of a word, and the probability that a sentence begins with it.

use rustc_hash::FxHashMap;

use super::boundary::{Bonus, BoundaryModel};
use super::filling::{Filler, Values};
use super::observe::WordFeatures;
use super::templates::{BEGUN, PREVIOUS};
use super::{BEGIN, CLASSES, Logits, Maxent};
use majuscule_text::restorer::Request;
use majuscule_text::{Case, Class, Constraint};

/// The part of a session that decides the case of words.
#[derive(Debug)]
pub(super) struct CaseDecider<'a> {
    model: &'a Maxent,
    /// True if the probabilities of cases are requested.
    confidence: bool,
    /// The factor on the probability of lower case.
    capital_cost: f32,
    /// The factor on the odds of a sentence start that the text does not show.
    start_odds: f32,
    /// True if features use the case of the previous word.
    pub(super) looks_before: bool,
    /// A word stays in lower case if the probability of a sentence start is below this value and no
    /// class has a logit above `far`.
    seldom: f32,
    far: i32,
    /// The bonus of each profile.
    bonuses: FxHashMap<u16, Bonus>,
    pub(super) features: Vec<u64>,
    values: Values,
}

impl<'a> CaseDecider<'a> {
    pub(super) fn new(model: &'a Maxent, request: &Request) -> Self {
        let super::MaxentSettings { capital_cost, steps, .. } = model.settings;
        let capital_cost = capital_cost * request.capitals.lower_odds();
        Self {
            model,
            confidence: request.confidence,
            capital_cost,
            start_odds: request.capitals.start_odds(),
            looks_before: model.features.looks_before(),
            seldom: SELDOM * capital_cost,
            far: (steps as f32 * (NO_CAPITAL + capital_cost.ln())) as i32,
            bonuses: FxHashMap::default(),
            features: Vec::new(),
            values: Values::default(),
        }
    }

    /// Returns the probability that a sentence begins at a word with these logits, and the boundary
    /// model after it.
    pub(super) fn begins(
        &mut self,
        logits: &Logits,
        word: WordFeatures,
        chain: BoundaryModel,
    ) -> (f32, BoundaryModel) {
        let model = self.model;
        let sum = logits[BEGIN] as f32 / model.settings.steps as f32;
        if !model.settings.begins || sum < HOPELESS {
            return (0.0, chain.inside());
        }
        let bonus = self.bonuses.entry(word.profile).or_insert_with(|| model.bonus(word));
        chain.step(sum, bonus)
    }

    /// Multiplies the odds of a sentence start.
    pub(super) fn add_position(&self, factor: f32, logits: &mut Logits) {
        logits[BEGIN] += (factor.ln() * self.model.settings.steps as f32) as i32;
    }

    /// Returns true if no class but lower case is probable enough to be considered.
    pub(super) fn is_plain(&self, logits: &Logits, begins: f32) -> bool {
        begins < self.seldom && logits[..BEGIN].iter().all(|&sum| sum < self.far)
    }

    /// Returns the most probable case of a word with these logits, and the probability of that case if
    /// it is requested. A sentence begins at the word with probability `begins`. `fractions` are the
    /// probabilities of the classes; if `None`, they are computed from the logits.
    pub(super) fn likeliest(
        &self,
        word: WordFeatures,
        lower: &str,
        logits: &Logits,
        fractions: Option<[f32; CLASSES]>,
        begins: f32,
    ) -> (Case, Option<f32>) {
        let model = self.model;
        let starts = self.start_odds * begins;
        let begins = starts / (1.0 - begins + starts);
        // The spelling comes from a gazetteer only, so no weight was learned for or against it.
        let only = (word.profile == 0).then(|| model.cases.mixed(&word.hash)).flatten();
        let is_open = fractions.is_none() && only.is_none() && !self.confidence;
        if is_open && self.is_plain(logits, begins) {
            return (Case::Lower, None);
        }
        let mut fractions = begun(fractions.unwrap_or_else(|| model.probabilities(logits)), begins);
        // A compound is not analysed if the class of mixed case could not be chosen.
        let [small, title, upper, inside] = fractions;
        let may_win = self.confidence || inside > title.max(upper).max(small * self.capital_cost);
        let compound = || model.cases.compound(lower, |part| model.part_case(part));
        let mixed = model.cases.mixed(&word.hash).or_else(|| may_win.then(compound).flatten());
        if mixed.is_none() {
            fractions[Class::Mixed as usize] = 0.0;
        }
        if only.is_some() {
            fractions = [0.0, 0.0, 0.0, 1.0];
        }
        let case = |class: Class| match class {
            Class::Title => model.title(lower, begins > 0.5),
            // `l'Europe` begins a sentence as `L'Europe`, and `iPhone` as `iPhone`.
            Class::Mixed if begins > 0.5 => {
                let inside = model.cases.case(class, lower, mixed).unwrap_or_default();
                inside.opening(lower, model.cases.locale())
            }
            _ => model.cases.case(class, lower, mixed).unwrap_or_default(),
        };
        // Among equally probable classes, the smallest change wins.
        let mut best = (Class::Lower, fractions[0] * self.capital_cost);
        for class in [Class::Title, Class::Upper, Class::Mixed] {
            if fractions[class as usize] > best.1 {
                best = (class, fractions[class as usize]);
            }
        }
        let found = case(best.0);
        let confidence = || {
            let same = Class::ALL.into_iter().filter(|&class| case(class) == found);
            same.map(|class| fractions[class as usize]).sum::<f32>() / fractions.iter().sum::<f32>()
        };
        (found, self.confidence.then(confidence))
    }

    /// Adds the weights of the choice for the previous word to the logits of a word. If several
    /// previous choices are possible, returns the probability of each class, summed over these choices
    /// (the forward algorithm, as in the boundary model), and adds only the mean weight for a sentence
    /// start to the logits.
    pub(super) fn look_before(
        &mut self,
        before: &[f32; PREVIOUS],
        word: WordFeatures,
        logits: &mut Logits,
    ) -> Option<[f32; CLASSES]> {
        let likely = || before.iter().enumerate().filter(|(_, fraction)| **fraction > SELDOM);
        if likely().count() == 1 {
            likely().for_each(|(at, _)| self.add_previous(at, word, logits));
            return None;
        }
        let (mut fractions, mut begins) = ([0.0; CLASSES], 0.0);
        let whole: f32 = likely().map(|(_, fraction)| fraction).sum();
        for (at, fraction) in likely() {
            let (mut logits, beginning, fraction) = (*logits, logits[BEGIN], fraction / whole);
            self.add_previous(at, word, &mut logits);
            begins += fraction * (logits[BEGIN] - beginning) as f32;
            for (sum, class) in fractions.iter_mut().zip(self.model.probabilities(&logits)) {
                *sum += fraction * class;
            }
        }
        logits[BEGIN] += begins as i32;
        Some(fractions)
    }

    /// Returns the probability of each choice for a word, from which the features of the next word
    /// follow. `fractions` are the probabilities of the word's classes; if `None`, they are computed
    /// from the logits.
    pub(super) fn before(
        &self,
        constraint: Constraint,
        logits: &Logits,
        fractions: Option<[f32; CLASSES]>,
        begins: f32,
    ) -> [f32; PREVIOUS] {
        let fractions = match constraint {
            Constraint::Fixed(case) => Class::ALL.map(|class| f32::from(u8::from(class == case.class()))),
            _ => fractions.unwrap_or_else(|| match self.is_plain(logits, begins) {
                true => PLAIN,
                false => self.model.probabilities(logits),
            }),
        };
        let mut before = [0.0; PREVIOUS];
        for (before, fraction) in before.iter_mut().zip(fractions) {
            *before = fraction * (1.0 - begins);
        }
        before[BEGUN] = begins;
        before
    }

    pub(super) fn add_previous(&mut self, before: usize, word: WordFeatures, logits: &mut Logits) {
        self.features.clear();
        let features = &mut self.features;
        let emit = |filler: &Filler, values: &Values| features.push(filler.feature(values));
        self.model.features.previous(before, word, &mut self.values, emit);
        let upper = logits[UPPER];
        self.model.weights.add(&self.features, logits);
        if before == Class::Upper as usize {
            // Among ordinary words an acronym does not make capitals more probable: the weights that
            // favour capitals after an acronym were learned from text in all capitals.
            logits[UPPER] = logits[UPPER].min(upper);
        }
    }
}

/// Returns the probability of each class if a sentence begins at the word with probability `begins`: a
/// word in lower case gets a capital at the start of a sentence.
#[inline]
fn begun([lower, title, upper, mixed]: [f32; CLASSES], begins: f32) -> [f32; CLASSES] {
    [lower * (1.0 - begins), title + lower * begins, upper, mixed]
}

/// The index of the logit of upper case.
pub(super) const UPPER: usize = Class::Upper as usize - 1;

/// The index of the logit of title case.
pub(super) const TITLE: usize = Class::Title as usize - 1;

/// The logit of an impossible class.
pub(super) const NEVER: f32 = -30.0;

/// The probabilities of the classes of a word that is certainly in lower case.
const PLAIN: [f32; CLASSES] = [1.0, 0.0, 0.0, 0.0];

/// Below this logit no sentence start is considered, whatever came before: only one such word in a
/// thousand begins a sentence.
const HOPELESS: f32 = -7.0;

/// Sentence starts with a lower probability do not affect the case of a word if the capital cost is 1.
const SELDOM: f32 = 0.01;

/// If no class but lower case has a logit above this value, and the capital cost is 1, none of these
/// classes is probable enough to be considered inside a sentence.
const NO_CAPITAL: f32 = -3.0;
