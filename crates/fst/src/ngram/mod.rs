//! The transducer of Batista et al. 2007, section 4.1, figure 3: a language model of cased text as
//! a weighted machine, whose cheapest path has the forms of the words of a sentence.
//!
//! The result depends on the kind of the back-off arcs ([`BackOff`]):
//!
//! - *failure* arcs, the default, find the most probable forms exactly, as [`hmm`] with map weight
//!   0 does, and as trying all combinations would;
//! - *epsilon* arcs compute the paper's bestpath(S ∘ T), an approximation: a path may back off even
//!   if the longer n-gram is known, so that an improbable n-gram counts as if it had not been seen.
//!
//! A model contains the machine with its symbols as an OpenFst file, which is smaller
//! than the language model and faster to load than to build. The `fst` verbs and
//! OpenFst's programs can read it directly.
mod train;

use serde::{Deserialize, Serialize};
pub use train::{NgramConfig, train};

use crate::wfst::{self, BackOff, EPSILON, EPSILON_SYMBOL, FAILURE_SYMBOL, Machine, Symbols};
use majuscule_base::error::{Error, Result};
use majuscule_lm::forms::Forms;
use majuscule_lm::search::Scorer;
use majuscule_lm::vocab::SPECIAL;
use majuscule_lm::{MAX_ORDER, Vocabulary, WordId};
use majuscule_methods::gaps::MarkCosts;
use majuscule_methods::hmm::candidates::{Candidates, FormCandidate};
use majuscule_methods::hmm::events::{self, AskedMarks, EventSession};
use majuscule_methods::hmm::guess::Guesser;
use majuscule_methods::hmm::session::{self, HmmSession};
use majuscule_methods::model::{Section, Store};
use majuscule_methods::{Method, classical, hmm};
use majuscule_text::restorer::{Details, Labelling, Request, Restorer, Session};
use majuscule_text::{Labels, Locale, Tokens};

/// The method, for a program's list of methods.
pub const METHOD: Method = Method {
    name: "ngram",
    has_backends: false,
    load: |store, on| classical(on, "ngram", || Ngram::load(store)),
};

/// The name of the file that contains the machine.
const MACHINE: &str = "model.fst";

/// A trained `ngram` model.
#[derive(Debug)]
pub struct Ngram {
    machine: Machine,
    vocabulary: Vocabulary,
    forms: Forms,
    guesser: Option<Guesser>,
    settings: NgramSettings,
    locale: Locale,
    labels: Labels,
    /// The files made in training, to be written.
    sections: Vec<Section>,
}

/// The settings of training that a model needs at run time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NgramSettings {
    /// The kind of the machine's back-off arcs.
    pub arcs: BackOff,
    /// The length of the longest n-grams.
    pub order: u8,
    /// The exponent of the map's weights.
    pub map_weight: f32,
    /// The costs of marks, if the model has any.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub marks: Option<MarkCosts>,
}

impl Ngram {
    /// Reads a model from a store.
    ///
    /// # Errors
    /// Returns [`Error::Model`] if a file of the model is missing, cut off or altered.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let settings = NgramSettings::deserialize(&manifest.settings).map_err(|error| {
            Error::model(
                store.name(),
                format!("its settings are not valid for ngram ({error}): train it again"),
            )
        })?;
        let wrong = |problem: &str| hmm::wrong(store, MACHINE, problem);
        let (machine, facts) = wfst::read(MACHINE, &store.section(MACHINE)?)
            .map_err(|error| Error::model(store.name(), error.to_string()))?;
        let symbols = facts.inputs.ok_or_else(|| wrong("has no table of symbols"))?;
        let machine = settings.arcs.of(machine, &symbols).map_err(|error| wrong(&error.to_string()))?;
        let vocabulary = vocabulary(&symbols)
            .ok_or_else(|| wrong("has symbols that do not belong to a language model"))?;
        let (forms, guesser) = hmm::map(store, &vocabulary)?;
        let (locale, labels) = (manifest.locale, manifest.labels.clone());
        Ok(Self { machine, vocabulary, forms, guesser, settings, locale, labels, sections: Vec::new() })
    }

    /// Returns the files that make up the model.
    pub fn sections(self) -> Vec<Section> {
        self.sections
    }

    /// Returns the settings that the manifest records.
    pub fn settings(&self) -> &NgramSettings {
        &self.settings
    }

    /// Returns the marks among which a session for this request chooses, if the model knows any.
    fn marks(&self, request: Request) -> Option<AskedMarks> {
        let costs = self.settings.marks.unwrap_or_default();
        AskedMarks::asked(self.labels.marks(), costs, &self.candidates(), request)
    }

    fn candidates(&self) -> Candidates<'_> {
        Candidates {
            vocabulary: &self.vocabulary,
            forms: &self.forms,
            guesser: self.guesser.as_ref(),
            map_weight: self.settings.map_weight,
            locale: self.locale,
            skips: match self.settings.arcs {
                BackOff::Failure => 0,
                BackOff::Epsilon => self.settings.order.clamp(1, MAX_ORDER as u8) - 1,
            },
        }
    }
}

/// Builds the vocabulary of a table of symbols, in which a word's number is its label minus one.
fn vocabulary(symbols: &Symbols) -> Option<Vocabulary> {
    let mut vocabulary = Vocabulary::new();
    for (label, word) in symbols.iter().skip(1).filter(|&(_, word)| word != FAILURE_SYMBOL) {
        if vocabulary.insert(word) != WordId(label - 1) {
            return None;
        }
    }
    (symbols.word(EPSILON) == Some(EPSILON_SYMBOL) && vocabulary.len() >= SPECIAL.len()).then_some(vocabulary)
}

impl Restorer for Ngram {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn look_ahead(&self) -> Option<usize> {
        None
    }

    fn details(&self) -> Option<&dyn Details> {
        Some(self)
    }

    /// Epsilon arcs allow optional back-off, so that sums over their paths are not probabilities.
    fn has_probabilities(&self) -> bool {
        self.settings.arcs == BackOff::Failure
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        let confidence = request.confidence && self.has_probabilities();
        let request = Request { confidence, ..request };
        let scorer = &self.machine;
        match self.marks(request) {
            Some(marks) => Box::new(EventSession::new(self.candidates(), marks, scorer, request)),
            None => Box::new(HmmSession::new(self.candidates(), scorer, request)),
        }
    }
}

impl Details for Ngram {
    fn knows(&self, lower: &str) -> Option<bool> {
        Some(!self.forms.get(lower).is_empty())
    }

    fn n_best(&self, sentence: &Tokens, n: usize) -> Option<Vec<Labelling>> {
        let scorer = &self.machine;
        Some(match self.marks(Request::default()) {
            Some(marks) => events::n_best(self.candidates(), marks, scorer, sentence, n),
            None => session::n_best(&self.candidates(), scorer, sentence, n),
        })
    }
}

/// A word of the language model is read as its number plus one.
impl Scorer for Machine {
    type State = u32;
    type Candidate = FormCandidate;

    fn start(&self) -> u32 {
        Machine::start(self).unwrap_or(0)
    }

    #[inline]
    fn step(&self, _: usize, state: u32, next: FormCandidate) -> (f32, u32) {
        let (ended, state) =
            if next.opens { (Machine::finish(self, state), Scorer::start(self)) } else { (0.0, state) };
        let (cost, state) = Machine::step(self, state, next.word.0 + 1, next.skips);
        (ended + cost + next.cost, state)
    }

    #[inline]
    fn finish(&self, state: u32) -> f32 {
        Machine::finish(self, state)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use proptest::prelude::*;

    use super::*;
    use majuscule_methods::hmm::Hmm;
    use majuscule_text::restorer::Boundary;
    use majuscule_text::{Choice, Label};
    use majuscule_train::corpus::{Corpus, Protocol, Reading};
    use majuscule_train::lm::kneser_ney;
    use majuscule_train::methods::hmm::{self, LanguageAndMap};

    fn trained(text: &str, order: usize, arcs: BackOff) -> Option<(Hmm, Ngram)> {
        let corpus = Corpus::of_text(text, Reading::default(), Protocol::Text, Locale::Root);
        let ngrams = kneser_ney::KneserNeyConfig { order, ..Default::default() };
        let language = LanguageAndMap { ngrams, ..LanguageAndMap::default() };
        let other = hmm::HmmConfig { language: language.clone(), ..hmm::HmmConfig::default() };
        let config = NgramConfig { language, arcs, ..NgramConfig::default() };
        // Training refuses a text without evidence of case.
        let ngram = train(&config, &corpus, NonZeroUsize::MIN).ok()?;
        Some((hmm::train(&other, &corpus, NonZeroUsize::MIN).unwrap(), ngram))
    }

    fn labels(model: &dyn Restorer, tokens: &Tokens) -> Vec<Label> {
        let mut choices: Vec<Choice> = Vec::new();
        model.session(Request::default()).push(tokens, Boundary::Reset, &mut choices).unwrap();
        choices.into_iter().map(|choice| choice.label).collect()
    }

    fn any_text() -> impl Strategy<Value = String> {
        let words = vec!["us", "US", "Us", "the", "The", "in", "IN", "may", "May"];
        let sentence = prop::collection::vec(prop::sample::select(words), 1..7);
        prop::collection::vec(sentence.prop_map(|words| words.join(" ")), 3..12)
            .prop_map(|text| text.join("\n"))
    }

    fn any_tokens() -> impl Strategy<Value = Tokens> {
        let words = prop::sample::select(vec!["us", "the", "in", "may", "braga"]);
        prop::collection::vec(words, 1..6).prop_map(|words| Tokens::of_words(words, Locale::Root))
    }

    proptest! {
        #[test]
        fn the_exact_transducer_chooses_what_the_hmm_does(text in any_text(), tokens in any_tokens(), order in 1usize..5) {
            let Some((hmm, ngram)) = trained(&text, order, BackOff::Failure) else { return Ok(()) };
            let all = hmm.n_best(&tokens, 4096).unwrap();
            let cost = |labels: &[Label]| all.iter().find(|other| other.labels == labels).unwrap().log10;
            prop_assert!(cost(&labels(&ngram, &tokens)) > all[0].log10 - 1e-4);
            for (a, b) in ngram.n_best(&tokens, 5).unwrap().iter().zip(&all) {
                prop_assert!((a.log10 - b.log10).abs() < 1e-4 && (cost(&a.labels) - b.log10).abs() < 1e-4);
            }
        }

        #[test]
        fn epsilons_find_no_dearer_path_and_as_many_labellings(text in any_text(), tokens in any_tokens(), order in 1usize..4) {
            let Some((hmm, ngram)) = trained(&text, order, BackOff::Epsilon) else { return Ok(()) };
            let (exact, found) = (hmm.n_best(&tokens, 6).unwrap(), ngram.n_best(&tokens, 6).unwrap());
            prop_assert!(found[0].log10 > exact[0].log10 - 1e-4);
            prop_assert_eq!(found.len(), exact.len());
            prop_assert!(found.is_sorted_by(|a, b| a.log10 >= b.log10));
            let best = labels(&ngram, &tokens);
            let cost = found.iter().find(|other| other.labels == best).map(|other| other.log10);
            prop_assert!((cost.unwrap() - found[0].log10).abs() < 1e-6);
        }
    }

    #[test]
    fn only_failure_arcs_give_a_confidence() {
        let text = "The US told us.\nWe told the US in May.\nYou may tell us.";
        let tokens = Tokens::of_words(["the", "us", "told", "us"], Locale::Root);
        for (arcs, has) in [(BackOff::Failure, true), (BackOff::Epsilon, false)] {
            let (_, model) = trained(text, 3, arcs).unwrap();
            let mut choices = Vec::new();
            let request = Request { confidence: true, ..Request::default() };
            model.session(request).push(&tokens, Boundary::Reset, &mut choices).unwrap();
            assert!(choices.iter().all(|choice| choice.confidence.is_some() == has), "{choices:?}");
        }
    }
}
