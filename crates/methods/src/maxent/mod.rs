//! Maximum entropy (Batista et al. 2007, section 4.2): a weighted sum of the features around a
//! word, for each class.

pub mod boundary;
mod case_decider;
pub mod filling;
mod fingerprints;
pub mod hash;
mod letters;
mod line_evidence;
pub mod marks;
pub mod observe;
pub mod openings;
pub mod gazetteers;
pub mod profile;
mod session;
pub mod table;
pub mod tagger;
pub mod templates;
pub mod weights;

use serde::{Deserialize, Serialize};

use crate::model::{self, Section, Store};
use crate::spellings::ClassCases;
use boundary::{BUCKETS, Bonus, DISTANCES};
use filling::{FeatureSet, GapSet};
use gazetteers::Gazetteers;
use hash::hash;
use majuscule_base::error::{Error, Result};
use majuscule_text::compound::{compound, is_joint};
use majuscule_text::restorer::{Details, Request, Restorer, Session};
use majuscule_text::{Capitals, Case, Class, Labels, Locale, Mark, Token};
use marks::{MarkModel, MarkSettings};
use observe::WordFeatures;
use openings::{OpeningModel, OpeningSettings};
use table::{HashTable, TableReader};
use templates::Group;
use weights::WeightTable;

/// The files of a model: the weights of features, the profiles of words, and spellings in mixed
/// case.
const WEIGHTS: &str = "weights.bin";
const WORDS: &str = "words.bin";
const MIXED: &str = "mixed.txt";
/// The file of the weights of marks, in a model that finds marks.
const MARKS: &str = "marks.bin";
/// The file of the weights of openings, in a model that finds openings.
const OPENINGS: &str = "openings.bin";
/// The file of the weights that distinguish rare marks, in a model of more than four marks.
const RARE_MARKS: &str = "rare-marks.bin";

/// The number of classes: lower, title, upper, mixed. The weights of the first are 0 for all
/// features.
pub const CLASSES: usize = 4;

/// The number of weights of a feature: one for each class but the first, and one for a sentence
/// start at the word.
pub const WEIGHTS_EACH: usize = CLASSES;

/// The index of the weight for a sentence start.
pub const BEGIN: usize = CLASSES - 1;

/// The number of bytes of a word in the table: its profile and its sums of weights, two bytes each.
pub const WORD: usize = 2 + 2 * WEIGHTS_EACH;

/// The logits of a word, in quantised levels of weights.
type Logits = [i32; WEIGHTS_EACH];

/// A trained model of the method `maxent`.
#[derive(Debug)]
pub struct Maxent {
    /// The weights of each feature, in [`MaxentSettings::steps`].
    pub weights: WeightTable,
    /// The [profile](profile::WordCounts::profile) of each word, and the sums of the weights of its
    /// own features.
    pub words: HashTable<WORD>,
    /// The lists and the other lexicon that describe words.
    pub gazetteers: Gazetteers,
    /// The cases of classes; words in mixed case are looked up by their hashes.
    pub cases: ClassCases<u64>,
    /// The settings of training.
    pub settings: MaxentSettings,
    /// The features named by the settings.
    pub features: FeatureSet,
    /// The part that finds marks, if the model was trained for them.
    pub marks: Option<MarkModel>,
    /// The part that finds openings of sentences, if the model was trained for them.
    pub openings: Option<OpeningModel>,
    labels: Labels,
}

/// The settings of training that a model needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MaxentSettings {
    /// The [version](templates::VERSION) of the features.
    pub version: u32,
    /// The groups of features.
    pub groups: Vec<Group>,
    /// The number of words of right context that the features use.
    pub look_ahead: usize,
    /// The number of quantisation steps that make up a weight of 1.
    pub steps: u32,
    /// The number of features whose weights exceed the largest representable number of steps and
    /// were clipped to it.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cut: usize,
    /// True if the model also predicts sentence starts, and therefore sentence ends. Such a model was
    /// trained on text that does not show them.
    pub begins: bool,
    /// The cost of a superfluous capital relative to the cost of a missing one.
    pub capital_cost: f32,
    /// The settings of marks, if the model finds them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<MarkSettings>,
    /// The settings of openings, if the model finds them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<OpeningSettings>,
}

/// Returns true for 0, which is not written to a manifest.
fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Maxent {
    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Model`] if a file of the model is missing, truncated or altered, or if its features differ
    /// from this build's.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let wrong = |problem: String| Error::model(store.name(), format!("{problem}: train the model again"));
        let settings: MaxentSettings = model::settings(store, "maxent", "train the model again")?;
        if settings.version != templates::VERSION {
            let (found, expected) = (settings.version, templates::VERSION);
            return Err(wrong(format!("features of version {found}, but this build has {expected}")));
        }
        let table = |name: &str| {
            WeightTable::open(store.section(name)?).map_err(|problem| wrong(format!("{name} {problem}")))
        };
        let weights = table(WEIGHTS)?;
        let words =
            HashTable::open(store.section(WORDS)?).map_err(|problem| wrong(format!("{WORDS} {problem}")))?;
        let gazetteers = Gazetteers::load(store, &settings)?;
        let mixed = store.text(MIXED, "train the model again")?;
        let marks = settings.marks.clone().map(|settings| {
            if marks::has_rare(settings.marks) != settings.rare_steps.is_some() {
                return Err(wrong(format!(
                    "its punctuation marks are {}, but the setting rare_steps is missing, or is there without a rare mark",
                    settings.marks
                )));
            }
            let rare = settings.rare_steps.map(|_| table(RARE_MARKS)).transpose()?;
            let features = GapSet::new(settings.clusters);
            Ok(MarkModel { weights: table(MARKS)?, rare, settings, features })
        });
        let openings = settings.openings.clone().map(|settings| {
            let features = GapSet::new(settings.clusters);
            Ok(OpeningModel { weights: table(OPENINGS)?, settings, features })
        });
        let model = Self::new(weights, words, gazetteers, mixed, settings, manifest.locale);
        Ok(model.with_marks(marks.transpose()?).with_openings(openings.transpose()?))
    }

    /// Creates a model from these parts.
    pub fn new(
        weights: WeightTable,
        words: HashTable<WORD>,
        gazetteers: Gazetteers,
        mixed_text: String,
        settings: MaxentSettings,
        locale: Locale,
    ) -> Self {
        let cases = ClassCases::new(mixed_text, locale, |lower| hash(lower.as_bytes()));
        let marks: &[Mark] = if settings.begins { &[Mark::None, Mark::SentenceEnd] } else { &[Mark::None] };
        let labels = marks.iter().flat_map(|&mark| Class::ALL.map(|class| (class, mark)));
        let features = FeatureSet::new(&settings.groups);
        let labels = Labels::new(labels);
        Self { weights, words, gazetteers, cases, settings, features, marks: None, openings: None, labels }
    }

    /// Returns the model with a part that finds marks.
    #[must_use]
    pub fn with_marks(mut self, marks: Option<MarkModel>) -> Self {
        if let Some(marks) = &marks {
            let all = [Mark::None].into_iter().chain(marks.settings.marks.iter());
            let ends = self.settings.begins.then_some(Mark::SentenceEnd);
            let labels = all.chain(ends).flat_map(|mark| Class::ALL.map(|class| (class, mark)));
            self.labels = Labels::new(labels);
            self.settings.marks = Some(marks.settings.clone());
        }
        Self { marks, ..self }
    }

    /// Returns the model with a part that finds openings of sentences.
    #[must_use]
    pub fn with_openings(mut self, openings: Option<OpeningModel>) -> Self {
        self.settings.openings = openings.as_ref().map(|openings| openings.settings.clone());
        Self { openings, ..self }
    }

    /// Returns the files of the model.
    pub fn sections(&self) -> Vec<Section> {
        let mut sections = vec![
            (WEIGHTS.to_owned(), self.weights.bytes().to_vec()),
            (WORDS.to_owned(), self.words.bytes().to_vec()),
            (MIXED.to_owned(), self.cases.text().as_bytes().to_vec()),
        ];
        let tables = |marks: &MarkModel| {
            let rare = marks.rare.as_ref().map(|rare| (RARE_MARKS.to_owned(), rare.bytes().to_vec()));
            [(MARKS.to_owned(), marks.weights.bytes().to_vec())].into_iter().chain(rare)
        };
        sections.extend(self.marks.iter().flat_map(tables));
        let openings = self.openings.iter();
        sections.extend(openings.map(|part| (OPENINGS.to_owned(), part.weights.bytes().to_vec())));
        sections.extend(self.gazetteers.sections());
        sections
    }

    /// Returns the features of a word, and the sums of the weights of its own features; `words` reads the
    /// table of known words, and `features` is scratch memory.
    fn seen(
        &self,
        words: &TableReader<'_, WORD>,
        lower: &str,
        token: &Token,
        features: &mut Vec<u64>,
    ) -> (WordFeatures, Logits) {
        let mut seen = self.gazetteers.seen(lower, token, 0);
        let Some(bytes) = words.get(seen.hash) else {
            return (seen, own(&self.features, lower, seen, &self.weights, features));
        };
        let (parts, _) = bytes.as_chunks();
        seen.profile = u16::from_le_bytes(parts[0]);
        (seen, std::array::from_fn(|at| i16::from_le_bytes(parts[1 + at]).into()))
    }

    /// Returns the case of a word of the class title. If the word is a compound that the model lacks, each
    /// part has its own case.
    pub fn title(&self, lower: &str, begins: bool) -> Case {
        let locale = self.cases.locale();
        let title = self.cases.case(Class::Title, lower, None).unwrap_or_default();
        if !lower.contains(is_joint) || self.knows(lower) == Some(true) {
            return title;
        }
        let part = |part: &str| Some(self.part_case(part).unwrap_or(Case::Title));
        let Capitals(capitals) = compound(lower, locale, part).capitals(lower, locale);
        match (capitals, begins) {
            (0, _) => title,
            (_, false) => Case::of_capitals(Capitals(capitals), lower, locale),
            (_, true) => Case::of_capitals(Capitals(capitals | 1), lower, locale),
        }
    }

    /// Returns the case of a part of a compound, if the model knows that word.
    fn part_case(&self, part: &str) -> Option<Case> {
        let [low, high, ..] = self.words.reader().get(hash(part.as_bytes()))?;
        Some(profile::likely_case(u16::from_le_bytes([*low, *high])).unwrap_or(Case::Lower))
    }

    /// Returns the features of the position after the last word of a text.
    fn nothing(&self, features: &mut Vec<u64>) -> (WordFeatures, Logits) {
        let seen = WordFeatures::default();
        (seen, own(&self.features, "", seen, &self.weights, features))
    }

    /// Returns, for each distance from the last sentence start, the term that it adds to the logit of a
    /// start at a word.
    fn bonus(&self, word: WordFeatures) -> Bonus {
        let mut bonus = [0.0; BUCKETS];
        let mut features = Vec::new();
        for (bonus, distance) in bonus.iter_mut().zip(DISTANCES) {
            let mut sums = [0; WEIGHTS_EACH];
            features.clear();
            self.features.history(distance, word, |filler, values| features.push(filler.feature(values)));
            self.weights.add(&features, &mut sums);
            *bonus = sums[BEGIN] as f32 / self.settings.steps as f32;
        }
        bonus
    }

    /// Returns the probability of each class of a word with these logits inside a sentence.
    #[inline]
    fn probabilities(&self, sums: &Logits) -> [f32; CLASSES] {
        let mut classes = [1.0; CLASSES];
        for (fraction, &sum) in classes[1..].iter_mut().zip(sums) {
            *fraction = (sum as f32 / self.settings.steps as f32).exp();
        }
        let whole: f32 = classes.iter().sum();
        classes.map(|fraction| fraction / whole)
    }
}

/// Returns the sums of the weights of a word's own features; `features` is scratch memory.
pub fn own(
    set: &FeatureSet,
    lower: &str,
    seen: WordFeatures,
    weights: &WeightTable,
    features: &mut Vec<u64>,
) -> Logits {
    let mut sums = [0; WEIGHTS_EACH];
    features.clear();
    set.own(lower, seen, |filler, values, _| features.push(filler.feature(values)));
    weights.add(features, &mut sums);
    sums
}

impl Restorer for Maxent {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn look_ahead(&self) -> Option<usize> {
        Some(self.settings.look_ahead)
    }

    fn details(&self) -> Option<&dyn Details> {
        Some(self)
    }

    fn balances_capitals(&self) -> bool {
        true
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        let look_ahead = request.look_ahead.unwrap_or(usize::MAX).min(self.settings.look_ahead);
        Box::new(session::MaxentSession::new(self, request, look_ahead))
    }
}

impl Details for Maxent {
    fn knows(&self, lower: &str) -> Option<bool> {
        Some(self.words.reader().get(hash(lower.as_bytes())).is_some())
    }
}
