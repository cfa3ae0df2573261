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
use crate::text::{Break, Capitals, Case, Choice, Class, Given, Label, Labels, Locale, Mark, Token, Tokens};
use features::{Group, REACH, Seen};
use table::{Place, Table};

/// The files of a model: the weights of features, how words are written elsewhere, and spellings of mixed case.
const WEIGHTS: &str = "weights.bin";
const WORDS: &str = "words.bin";
const MIXED: &str = "mixed.txt";

/// The classes: lower, title, upper, mixed. The weights of the first are 0 for all features.
const CLASSES: usize = 4;

/// The weights of a feature: those of the classes but the first, and one for the end of a sentence after the word.
const WEIGHTS_EACH: usize = CLASSES;

/// The weight for the end of a sentence.
const END: usize = CLASSES - 1;

/// Bytes for a word: its profile and the sums of weights, two each.
const WORD: usize = 2 + 2 * WEIGHTS_EACH;

/// Sums of weights.
type Sums = [i32; WEIGHTS_EACH];

/// A trained model.
#[derive(Debug)]
pub struct Maxent {
    /// For each feature its weights, in [`Settings::steps`].
    weights: Table<WEIGHTS_EACH>,
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
    /// Whether it also chooses where sentences end: it was trained on text that does not show it.
    pub ends: bool,
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
        weights: Table<WEIGHTS_EACH>,
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
        let marks: &[Mark] = if settings.ends { &[Mark::None, Mark::SentenceEnd] } else { &[Mark::None] };
        let labels = marks.iter().flat_map(|&mark| Class::ALL.map(|class| (class, mark)));
        Self { weights, words, mixed, mixed_text, settings, locale, labels: Labels::new(labels) }
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
        let mut sums = [0; WEIGHTS_EACH];
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

    /// The probabilities that these sums stand for.
    #[inline]
    fn shares(&self, sums: Sums) -> Shares {
        let power = |sum: i32| (sum as f32 / self.settings.steps as f32).exp();
        let mut classes = [1.0; CLASSES];
        for (power_of, sum) in classes[1..].iter_mut().zip(sums) {
            *power_of = power(sum);
        }
        let whole: f32 = classes.iter().sum();
        let end = if self.settings.ends { 1.0 - 1.0 / (1.0 + power(sums[END])) } else { 0.0 };
        Shares { classes: classes.map(|power| power / whole), end }
    }

    /// The likeliest label of a word.
    fn choice(&self, word: &Word, shares: &Shares, want: Want) -> Choice {
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
        let cases = (0..CLASSES).filter_map(|class| Some((case(class)?, shares.classes[class])));
        let best =
            cases.clone().fold((Case::Lower, f32::MIN), |best, new| if new.1 > best.1 { new } else { best });
        let confidence = || {
            let same: f32 = cases.clone().filter(|(case, _)| *case == best.0).map(|(_, share)| share).sum();
            same / cases.map(|(_, share)| share).sum::<f32>()
        };
        let mark = if shares.end > 0.5 { Mark::SentenceEnd } else { Mark::None };
        Choice { label: Label { case: best.0, mark }, confidence: want.confidence.then(confidence) }
    }
}

/// Probabilities: of each class, and of a sentence's end.
#[derive(Debug, Clone, Copy)]
struct Shares {
    classes: [f32; CLASSES],
    end: f32,
}

/// Adds the weights of features.
#[inline]
fn add(weights: &Table<WEIGHTS_EACH>, features: &[u64], sums: &mut Sums) {
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
                self.model.choice(&word, &self.model.shares(word.sums), self.want)
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
