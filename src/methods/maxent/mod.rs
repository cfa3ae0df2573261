//! Maximum entropy (Batista et al. 2007, section 4.2): a weighted sum of what is seen around a word, for each class.

pub mod boundary;
pub mod filling;
pub mod hash;
mod letters;
mod line_evidence;
pub mod observe;
pub mod gazetteers;
pub mod profile;
mod session;
pub mod table;
pub mod templates;
pub mod weights;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::methods::spellings::ClassCases;
use crate::model::{Section, Store};
use crate::restorer::{Details, Restorer, Session, Want};
use crate::text::compound::{compound, is_joint};
use crate::text::{Capitals, Case, Class, Labels, Locale, Mark, Token};
use boundary::{BUCKETS, Bonus, DISTANCES};
use filling::FeatureSet;
use gazetteers::Gazetteers;
use hash::hash;
use observe::WordFeatures;
use table::HashTable;
use templates::Group;
use weights::WeightTable;

/// The files of a model: the weights of features, how words are written elsewhere, and spellings of mixed case.
const WEIGHTS: &str = "weights.bin";
const WORDS: &str = "words.bin";
const MIXED: &str = "mixed.txt";

/// The classes: lower, title, upper, mixed. The weights of the first are 0 for all features.
pub const CLASSES: usize = 4;

/// The weights of a feature: those of the classes but the first, and one for the beginning of a sentence at the word.
pub const WEIGHTS_EACH: usize = CLASSES;

/// The weight for the beginning of a sentence.
pub const BEGIN: usize = CLASSES - 1;

/// Bytes for a word: its profile and the sums of weights, two each.
pub const WORD: usize = 2 + 2 * WEIGHTS_EACH;

/// Sums of weights.
type Sums = [i32; WEIGHTS_EACH];

/// A trained model.
#[derive(Debug)]
pub struct Maxent {
    /// For each feature its weights, in [`MaxentSettings::steps`].
    pub weights: WeightTable,
    /// For each word its [profile](profile::WordCounts::profile), and the sums of the weights of its own features.
    pub words: HashTable<WORD>,
    /// What lists and another lexicon say of words.
    pub gazetteers: Gazetteers,
    /// The cases of classes; words in mixed case are known by their hashes.
    pub cases: ClassCases<u64>,
    /// The settings that it was trained with.
    pub settings: MaxentSettings,
    /// The features that the settings name.
    pub features: FeatureSet,
    labels: Labels,
}

/// What a model needs to know of how it was trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MaxentSettings {
    /// The [version](templates::VERSION) of the features.
    pub version: u32,
    /// The features.
    pub groups: Vec<Group>,
    /// Words of right context that they see.
    pub look_ahead: usize,
    /// How many steps a weight of 1 has.
    pub steps: u32,
    /// How many features have weights larger than the most steps that there are, which they count as.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cut: usize,
    /// Whether it also chooses where sentences begin, and so end: it was trained on text that does not show it.
    pub begins: bool,
    /// How much worse a capital too many is than one too few.
    pub capital_cost: f32,
}

/// Whether a count is none: it then stands in no manifest.
fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Maxent {
    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Model`] where a file of it is missing, cut off or altered, or its features are not those of this build.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let wrong = |problem: String| Error::model(store.name(), format!("{problem}: train the model again"));
        let settings = MaxentSettings::deserialize(&manifest.settings)
            .map_err(|error| wrong(format!("its settings are not those of maxent ({error})")))?;
        if settings.version != templates::VERSION {
            let (found, expected) = (settings.version, templates::VERSION);
            return Err(wrong(format!("features of version {found}, but this build has {expected}")));
        }
        let weights = WeightTable::open(store.section(WEIGHTS)?)
            .map_err(|problem| wrong(format!("{WEIGHTS} {problem}")))?;
        let words =
            HashTable::open(store.section(WORDS)?).map_err(|problem| wrong(format!("{WORDS} {problem}")))?;
        let gazetteers = Gazetteers::load(store, &settings.groups)?;
        let mixed = String::from_utf8(store.section(MIXED)?.to_vec())
            .map_err(|_| wrong(format!("{MIXED} is no text")))?;
        Ok(Self::new(weights, words, gazetteers, mixed, settings, manifest.locale))
    }

    /// A model of these parts.
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
        Self { weights, words, gazetteers, cases, settings, features, labels }
    }

    /// The files that the model is written as.
    pub fn sections(&self) -> Vec<Section> {
        let mut sections = vec![
            (WEIGHTS.to_owned(), self.weights.bytes().to_vec()),
            (WORDS.to_owned(), self.words.bytes().to_vec()),
            (MIXED.to_owned(), self.cases.text().as_bytes().to_vec()),
        ];
        sections.extend(self.gazetteers.sections());
        sections
    }

    /// What its manifest says of how it works.
    pub fn settings(&self) -> &MaxentSettings {
        &self.settings
    }

    /// What is seen of a word, and the sums of its own features; `features` is scratch memory.
    fn seen(&self, lower: &str, token: &Token, features: &mut Vec<u64>) -> (WordFeatures, Sums) {
        let mut seen = self.gazetteers.seen(lower, token, 0);
        let Some(bytes) = self.words.reader().get(seen.hash) else {
            return (seen, own(&self.features, lower, seen, &self.weights, features));
        };
        let (parts, _) = bytes.as_chunks();
        seen.profile = u16::from_le_bytes(parts[0]);
        (seen, std::array::from_fn(|at| i16::from_le_bytes(parts[1 + at]).into()))
    }

    /// The case of a word of the class title. The parts of a compound that the model does not hold have each their own.
    pub fn title(&self, lower: &str, begins: bool) -> Case {
        let locale = self.cases.locale();
        let title = self.cases.case(Class::Title, lower, None).unwrap_or_default();
        if !lower.contains(is_joint) || self.knows(lower) == Some(true) {
            return title;
        }
        let words = self.words.reader();
        let part = |part: &str| match words.get(hash(part.as_bytes())) {
            Some([low, high, ..]) => profile::likely_case(u16::from_le_bytes([*low, *high])),
            None => Some(Case::Title),
        };
        let Capitals(capitals) = compound(lower, locale, part).capitals(lower, locale);
        match (capitals, begins) {
            (0, _) => title,
            (_, false) => Case::of_capitals(Capitals(capitals), lower, locale),
            (_, true) => Case::of_capitals(Capitals(capitals | 1), lower, locale),
        }
    }

    /// What is seen behind the last word of a text.
    fn nothing(&self, features: &mut Vec<u64>) -> (WordFeatures, Sums) {
        let seen = WordFeatures::default();
        (seen, own(&self.features, "", seen, &self.weights, features))
    }

    /// What each distance from the beginning of a sentence says for a beginning at a word.
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

    /// The probability of each class at a word with these sums, inside a sentence.
    #[inline]
    fn shares(&self, sums: &Sums) -> [f32; CLASSES] {
        let mut classes = [1.0; CLASSES];
        for (share, &sum) in classes[1..].iter_mut().zip(sums) {
            *share = (sum as f32 / self.settings.steps as f32).exp();
        }
        let whole: f32 = classes.iter().sum();
        classes.map(|share| share / whole)
    }
}

/// The sums of the weights of a word's own features; `features` is scratch memory.
pub fn own(
    set: &FeatureSet,
    lower: &str,
    seen: WordFeatures,
    weights: &WeightTable,
    features: &mut Vec<u64>,
) -> Sums {
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

    fn session(&self, want: Want) -> Box<dyn Session + '_> {
        let look_ahead = want.look_ahead.unwrap_or(usize::MAX).min(self.settings.look_ahead);
        Box::new(session::MaxentSession::new(self, want, look_ahead))
    }
}

impl Details for Maxent {
    fn knows(&self, lower: &str) -> Option<bool> {
        Some(self.words.reader().get(hash(lower.as_bytes())).is_some())
    }
}
