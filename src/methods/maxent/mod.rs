//! Maximum entropy (Batista et al. 2007, section 4.2): a weighted sum of what is seen around a word, for each class.

pub mod features;
pub mod profile;
pub mod table;
#[cfg(feature = "train")]
mod train;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
#[cfg(feature = "train")]
pub use train::{Config, train};

use crate::error::{Error, Result};
use crate::model::{Section, Store};
use crate::restorer::{End, Restorer, Session, Want};
use crate::text::{Break, Capitals, Case, Choice, Given, Label, Labels, Locale, Token, Tokens};
use features::{Group, REACH, Seen};
use table::{Place, Table};

/// The files of a model: the weights of features, how words are written elsewhere, and spellings of mixed case.
const WEIGHTS: &str = "weights.bin";
const WORDS: &str = "words.bin";
const MIXED: &str = "mixed.txt";

/// The classes: lower, title, upper, mixed. The weights of the first are 0 for all features.
const CLASSES: usize = 4;

/// Bytes for a word: its profile and a sum for each class, two each.
const WORD: usize = 2 * CLASSES;

/// Weights or their sums for the classes but the first.
type Sums = [i32; CLASSES - 1];

/// A trained model.
#[derive(Debug)]
pub struct Maxent {
    /// For each feature the weights of title, upper and mixed, in [`Settings::steps`].
    weights: Table<{ CLASSES - 1 }>,
    /// For each word its [profile](profile::Counts::profile), and the sums of the weights of [its own features](features::own).
    words: Table<WORD>,
    /// The mixed case of words that have one, by their hashes.
    mixed: FxHashMap<u64, Capitals>,
    mixed_text: String,
    settings: Settings,
    locale: Locale,
    labels: Labels,
}

/// What a model needs to know of how it was trained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The [version](features::VERSION) of the features.
    pub version: u32,
    /// The features.
    pub groups: Vec<Group>,
    /// Words of right context that they see.
    pub look_ahead: usize,
    /// How many steps a weight of 1 has.
    pub steps: u32,
}

impl Maxent {
    /// Reads a model.
    ///
    /// # Errors
    /// [`Error::Model`] where a file of it is missing, cut off or altered, or its features are not those of this build.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let wrong = |problem: String| Error::model(store.name(), format!("{problem}: train the model again"));
        let settings = Settings::deserialize(&manifest.settings)
            .map_err(|error| wrong(format!("its settings are not those of maxent ({error})")))?;
        if settings.version != features::VERSION {
            let (found, expected) = (settings.version, features::VERSION);
            return Err(wrong(format!("features of version {found}, but this build has {expected}")));
        }
        let weights =
            Table::open(store.section(WEIGHTS)?).map_err(|problem| wrong(format!("{WEIGHTS} {problem}")))?;
        let words =
            Table::open(store.section(WORDS)?).map_err(|problem| wrong(format!("{WORDS} {problem}")))?;
        let mixed = String::from_utf8(store.section(MIXED)?.to_vec())
            .map_err(|_| wrong(format!("{MIXED} is no text")))?;
        Ok(Self::new(weights, words, mixed, settings, manifest.locale))
    }

    fn new(
        weights: Table<{ CLASSES - 1 }>,
        words: Table<WORD>,
        mixed_text: String,
        settings: Settings,
        locale: Locale,
    ) -> Self {
        let mut mixed = FxHashMap::default();
        for spelling in mixed_text.lines() {
            let lower = Tokens::of_words([spelling], locale);
            let capitals = Case::of(spelling, locale).capitals(spelling, locale);
            mixed.insert(features::hash(lower.lower(0).as_bytes()), capitals);
        }
        Self { weights, words, mixed, mixed_text, settings, locale, labels: Labels::cases() }
    }

    /// The files that the model is written as.
    pub fn sections(&self) -> Vec<Section> {
        vec![
            (WEIGHTS.to_owned(), self.weights.bytes().to_vec()),
            (WORDS.to_owned(), self.words.bytes().to_vec()),
            (MIXED.to_owned(), self.mixed_text.clone().into_bytes()),
        ]
    }

    /// What its manifest says of how it works.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What is seen of a word, and the sums of its own features; `features` is scratch memory.
    fn seen(&self, lower: &str, token: &Token, features: &mut Vec<u64>) -> (Seen, Sums) {
        let mut seen = Seen::of(lower, token, 0);
        let mut sums = [0; CLASSES - 1];
        if let Some(bytes) = self.words.reader().get(seen.hash) {
            let (parts, _) = bytes.as_chunks();
            seen.profile = u16::from_le_bytes(parts[0]);
            sums.iter_mut().zip(&parts[1..]).for_each(|(sum, part)| *sum = i16::from_le_bytes(*part).into());
        } else {
            features.clear();
            features::own(&self.settings.groups, lower, seen, features);
            add(&self.weights, features, &mut sums);
        }
        (seen, sums)
    }

    /// The probability of each class, up to a factor that all have in common.
    #[inline]
    fn powers(&self, sums: Sums) -> [f32; CLASSES] {
        let mut powers = [1.0; CLASSES];
        for (power, sum) in powers[1..].iter_mut().zip(sums) {
            *power = (sum as f32 / self.settings.steps as f32).exp();
        }
        powers
    }

    /// The likeliest case of a word.
    fn choice(&self, word: &Word, powers: [f32; CLASSES], want: Want) -> Choice {
        let mixed = self.mixed.get(&word.seen.hash).copied();
        let case = |class: usize| match class {
            0 => Some(Case::Lower),
            1 => Some(Case::Title),
            2 => Some(Case::Upper),
            _ => mixed.map(Case::Mixed),
        };
        let case = |class: usize| {
            let case = case(class)?;
            Some(Case::of_capitals(case.capitals(&word.lower, self.locale), &word.lower, self.locale))
        };
        // Of equally likely ones the smaller change.
        let cases = (0..CLASSES).filter_map(|class| Some((case(class)?, powers[class])));
        let best =
            cases.clone().fold((Case::Lower, f32::MIN), |best, new| if new.1 > best.1 { new } else { best });
        let confidence = || {
            let same: f32 = cases.clone().filter(|(case, _)| *case == best.0).map(|(_, power)| power).sum();
            same / cases.map(|(_, power)| power).sum::<f32>()
        };
        Choice { label: Label::from(best.0), confidence: want.confidence.then(confidence) }
    }
}

/// Adds the weights of features.
#[inline]
fn add(weights: &Table<{ CLASSES - 1 }>, features: &[u64], sums: &mut Sums) {
    let weights = weights.reader();
    for features in features.chunks(AT_ONCE) {
        let mut places = [Place::default(); AT_ONCE];
        for (place, &feature) in places.iter_mut().zip(features) {
            *place = weights.place(feature);
        }
        for &place in &places[..features.len()] {
            if let Some(weights) = weights.value(place) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += i32::from(*weight as i8);
                }
            }
        }
    }
}

/// So many features are looked up side by side.
const AT_ONCE: usize = 32;

impl Restorer for Maxent {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn look_ahead(&self) -> Option<usize> {
        Some(self.settings.look_ahead)
    }

    fn knows(&self, lower: &str) -> Option<bool> {
        Some(self.words.reader().get(features::hash(lower.as_bytes())).is_some())
    }

    fn session(&self, want: Want) -> Box<dyn Session + '_> {
        let look_ahead = want.look_ahead.unwrap_or(usize::MAX).min(self.settings.look_ahead);
        Box::new(Decoding {
            model: self,
            want,
            look_ahead,
            waiting: VecDeque::new(),
            spare: Vec::new(),
            seen: Vec::new(),
            features: Vec::new(),
        })
    }
}

/// So many words to the left are kept at most, so that they are seldom moved.
const KEPT: usize = 256;

/// A word that waits for its right context.
#[derive(Debug, Default)]
struct Word {
    lower: String,
    seen: Seen,
    sums: Sums,
    given: Given,
}

/// A text on its way through a model.
#[derive(Debug)]
struct Decoding<'a> {
    model: &'a Maxent,
    want: Want,
    look_ahead: usize,
    /// The words that are not answered yet, all of one sentence.
    waiting: VecDeque<Word>,
    /// Words to be used again.
    spare: Vec<Word>,
    /// What is seen of them, and before them of the words to the left.
    seen: Vec<Seen>,
    features: Vec<u64>,
}

impl Session for Decoding<'_> {
    fn push(&mut self, tokens: &Tokens, end: End, out: &mut Vec<Choice>) -> Result<()> {
        for (lower, token) in tokens.iter() {
            if token.starts || matches!(token.before, Break::Turn | Break::Paragraph | Break::Document) {
                self.finish(out);
            }
            let (seen, sums) = self.model.seen(lower, token, &mut self.features);
            let mut word = self.spare.pop().unwrap_or_default();
            word.lower.clear();
            word.lower.push_str(lower);
            self.waiting.push_back(Word { seen, sums, given: token.given, ..word });
            self.seen.push(seen);
            if self.waiting.len() > self.look_ahead {
                self.answer(out);
            }
        }
        if end == End::Flush {
            self.finish(out);
        }
        Ok(())
    }
}

impl Decoding<'_> {
    /// Answers the word that waits longest.
    fn answer(&mut self, out: &mut Vec<Choice>) {
        let at = self.seen.len() - self.waiting.len();
        let Some(mut word) = self.waiting.pop_front() else { return };
        out.push(match word.given {
            Given::Fixed(case) => {
                Choice { label: Label::from(case), confidence: self.want.confidence.then_some(1.0) }
            }
            _ => {
                let window = features::window(&self.seen, at);
                self.features.clear();
                features::context(&self.model.settings.groups, &window, self.look_ahead, &mut self.features);
                add(&self.model.weights, &self.features, &mut word.sums);
                self.model.choice(&word, self.model.powers(word.sums), self.want)
            }
        });
        self.spare.push(word);
        if self.seen.len() > KEPT {
            self.seen.drain(..self.seen.len() - self.waiting.len() - REACH);
        }
    }

    /// The sentence ends.
    fn finish(&mut self, out: &mut Vec<Choice>) {
        while !self.waiting.is_empty() {
            self.answer(out);
        }
        self.seen.clear();
    }
}
