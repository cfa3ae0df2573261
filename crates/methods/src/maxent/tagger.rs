//! A tagger of parts of speech: a maximum entropy model over the word, its neighbours and its letters.
//! It tags words from left to right and uses the tags that it chose before.
//!
//! A part of speech is found in two decisions of at most five classes each, so that the weights of a
//! decision fit the tables of cases and marks: first a group, and then a part of speech of the group.
//! The second decision uses the features of the first decision, combined with the group.
//!
//! A word is tagged twice: when it arrives, without right context, and again when the next word is
//! known. A model that looks `n` words ahead therefore never sees more than `n` words, and live text
//! is tagged like a text that is complete.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::filling::{FeatureSet, Values};
use super::hash::{feature, hash};
use super::observe::{Window, WordFeatures};
use super::table::HashTable;
use super::templates::{REACH, VERSION};
use super::weights::{WeightReader, WeightTable};
use super::{Logits, WEIGHTS_EACH};
use crate::model::{Section, Store};
use majuscule_base::error::{Error, Result};
use majuscule_text::Upos;

/// The method in the manifest of a tagger.
pub const METHOD: &str = "tagger";

/// The file of the weights of a tagger, in the tagger's own file and in a model that uses parts of
/// speech.
pub const TAGS: &str = "tags.bin";

/// The file of the words that a tagger was trained on.
pub const WORDS: &str = "tagged-words.bin";

/// The number of words to the right that a tag depends on.
pub const LOOK_AHEAD: usize = 1;

/// The groups of the first decision. Parts of speech that are easily confused share a group, so the
/// second decision is between them alone. The indices of groups and members are part of hashes and
/// weights, so they never change.
const GROUPS: [&[Upos]; WEIGHTS_EACH + 1] = [
    &[Upos::Noun, Upos::Propn, Upos::Adj, Upos::Num, Upos::X],
    &[Upos::Verb, Upos::Aux],
    &[Upos::Adp, Upos::Adv, Upos::Sconj, Upos::Part, Upos::Cconj],
    &[Upos::Pron, Upos::Det],
    &[Upos::Intj, Upos::Sym, Upos::Punct],
];

/// The number of the template of the features of second decisions.
const SECOND: u64 = 350;

/// Returns the classes of a part of speech in the two decisions.
pub fn classes(upos: Upos) -> [usize; 2] {
    let member = |group: &&[Upos]| group.iter().position(|member| *member == upos);
    let found = GROUPS.iter().enumerate().find_map(|(at, group)| Some([at, member(group)?]));
    // The groups hold every part of speech.
    found.unwrap_or([0, 4])
}

/// Returns the feature of the second decision, within `group`, that corresponds to a feature of the
/// first decision.
#[inline]
pub fn second(feature_of_first: u64, group: usize) -> u64 {
    feature(SECOND, [feature_of_first, group as u64])
}

/// Returns the likeliest of the first `count` classes of a decision; the first of equally likely ones.
fn likeliest(sums: &Logits, count: usize) -> usize {
    let sums = sums.iter().take(count - 1).enumerate();
    sums.fold((0, 0), |best, (at, &sum)| if sum > best.1 { (at + 1, sum) } else { best }).0
}

/// A tagger of parts of speech.
#[derive(Debug, Clone)]
pub struct Tagger {
    weights: WeightTable,
    features: Arc<FeatureSet>,
}

/// The settings of a tagger that is a file of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaggerSettings {
    /// The [version](VERSION) of the features.
    pub version: u32,
}

impl Tagger {
    /// Makes a tagger with these weights.
    pub fn new(weights: WeightTable) -> Self {
        Self { weights, features: Arc::new(FeatureSet::of_tags()) }
    }

    /// Reads the tagger of a file that `majuscule tagger train` wrote.
    ///
    /// # Errors
    /// [`Error::Model`] if the file is a model of another kind, truncated or altered, or if its
    /// features differ from this build's.
    pub fn open(store: &dyn Store) -> Result<Self> {
        let manifest = store.manifest();
        let wrong = |problem: String| Err(Error::model(store.name(), problem));
        if manifest.method != METHOD {
            let found = &manifest.method;
            return wrong(format!("is a {found} model, but a tagger made by tagger train is expected"));
        }
        match TaggerSettings::deserialize(&manifest.settings) {
            Ok(settings) if settings.version == VERSION => Self::load(store),
            Ok(TaggerSettings { version }) => wrong(format!(
                "features of version {version}, but this build has {VERSION}: train the tagger again"
            )),
            Err(error) => {
                wrong(format!("its settings are not valid for a tagger ({error}): train the tagger again"))
            }
        }
    }

    /// Reads the tagger in a model.
    ///
    /// # Errors
    /// [`Error::Model`] if its weights are missing, truncated or altered.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let wrong = |problem: String| store.wrong(format!("{TAGS} {problem}: train the model again"));
        Ok(Self::new(WeightTable::open(store.section(TAGS)?).map_err(wrong)?))
    }

    /// Returns the file of the tagger.
    pub fn section(&self) -> Section {
        (TAGS.to_owned(), self.weights.bytes().to_vec())
    }
}

/// The words that a tagger was trained on.
#[derive(Debug, Clone)]
pub struct TaggedWords(HashTable<1>);

impl TaggedWords {
    /// Makes the table of these words, in lower case.
    ///
    /// # Errors
    /// If the table cannot be built.
    pub fn new<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let hashes = words.map(|lower| (hash(lower.as_bytes()), [1]));
        HashTable::open(HashTable::build(hashes).into()).map(Self).map_err(Error::usage)
    }

    /// Reads the table of a tagger.
    ///
    /// # Errors
    /// [`Error::Model`] if it is missing, truncated or altered.
    pub fn load(store: &dyn Store) -> Result<Self> {
        let wrong = |problem: String| store.wrong(format!("{WORDS} {problem}: train the tagger again"));
        HashTable::open(store.section(WORDS)?).map(Self).map_err(wrong)
    }

    /// Returns the file of the table.
    pub fn section(&self) -> Section {
        (WORDS.to_owned(), self.0.bytes().to_vec())
    }

    /// Returns true if the tagger was trained on a word.
    pub fn has(&self, lower: &str) -> bool {
        self.0.reader().get(hash(lower.as_bytes())).is_some()
    }
}

/// The state of a tagger in a segment.
#[derive(Debug)]
pub struct Tagging<'a> {
    features: &'a FeatureSet,
    weights: WeightReader<'a>,
    /// The features of the last word: its own features, whose number is `own`, and then the features
    /// of its context.
    found: Vec<u64>,
    own: usize,
    second: Vec<u64>,
    values: Values,
    /// True if the last word was tagged without right context.
    is_open: bool,
}

impl<'a> Tagging<'a> {
    /// Starts a segment.
    pub fn new(tagger: &'a Tagger) -> Self {
        Self {
            features: &tagger.features,
            weights: tagger.weights.reader(),
            found: Vec::new(),
            own: 0,
            second: Vec::new(),
            values: Values::default(),
            is_open: false,
        }
    }

    /// Starts another segment.
    pub fn open(&mut self) {
        self.is_open = false;
    }

    /// Tags the previous word with the new word, at position `at`, as its right context, and then the
    /// new word without right context.
    pub fn push(&mut self, lower: &str, seen: &mut [WordFeatures], at: usize) {
        let word = seen[at];
        self.close(seen, at);
        self.take(lower, word);
        self.tag(seen, at, 0);
        self.is_open = true;
    }

    /// Tags the last word, at `end - 1`, with its right context, unless that was done before.
    pub fn close(&mut self, seen: &mut [WordFeatures], end: usize) {
        if std::mem::take(&mut self.is_open) {
            self.tag(seen, end - 1, LOOK_AHEAD);
        }
    }

    /// Computes the features of a word that do not depend on its context.
    fn take(&mut self, lower: &str, seen: WordFeatures) {
        self.found.clear();
        self.features.own(lower, seen, |filler, values, _| self.found.push(filler.feature(values)));
        self.own = self.found.len();
    }

    /// Tags the word whose own features were computed.
    fn tag(&mut self, seen: &mut [WordFeatures], at: usize, look_ahead: usize) {
        let Some(window) = seen.get(at - REACH..).and_then(<[_]>::first_chunk) else { return };
        let tag = self.choose(window, look_ahead);
        seen[at].tag = tag.number();
    }

    fn choose(&mut self, window: &Window, look_ahead: usize) -> Upos {
        let Self { features, weights, found, second, values, .. } = self;
        found.truncate(self.own);
        features.context(window, look_ahead, values, |filler, values| found.push(filler.feature(values)));
        let mut sums = [0; WEIGHTS_EACH];
        weights.add(found, &mut sums);
        let group = likeliest(&sums, GROUPS.len());
        second.clear();
        second.extend(found.iter().map(|&feature| self::second(feature, group)));
        let mut sums = [0; WEIGHTS_EACH];
        weights.add(second, &mut sums);
        GROUPS[group][likeliest(&sums, GROUPS[group].len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_base::named::NamedValue;

    #[test]
    fn every_part_of_speech_is_in_one_group() {
        for &(upos, ..) in Upos::VALUES {
            let [group, member] = classes(upos);
            assert_eq!(GROUPS[group][member], upos);
        }
        assert_eq!(GROUPS.iter().map(|group| group.len()).sum::<usize>(), Upos::VALUES.len());
        assert!(GROUPS.iter().all(|group| group.len() <= WEIGHTS_EACH + 1));
    }

    #[test]
    fn the_likeliest_class_is_the_first_of_equals() {
        assert_eq!(likeliest(&[-1, -2, 0, 0], 5), 0);
        assert_eq!(likeliest(&[1, 3, 3, 9], 5), 4);
        assert_eq!(likeliest(&[1, 3, 3, 9], 4), 2);
    }
}
