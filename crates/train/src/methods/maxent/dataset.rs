//! Turns a corpus into a row of features and a target for each word.

use super::MaxentConfig;
use super::adapt;
use super::count::WordTallies;
use crate::corpus::{Corpus, Example, Gold};
use majuscule_base::error::Result;
use majuscule_methods::maxent::Maxent;
use majuscule_methods::maxent::boundary::FAR;
use majuscule_methods::maxent::filling::{FeatureSet, Filler, GapSet, Observation, Values};
use majuscule_methods::maxent::gazetteers::Gazetteers;
use majuscule_methods::maxent::hash::hash;
use majuscule_methods::maxent::marks::{MarkClasses, MarkHistory};
use majuscule_methods::maxent::observe::{Observer, WordFeatures};
use majuscule_methods::maxent::tagger;
use majuscule_methods::maxent::templates::{BEGUN, NO_WORD};
use majuscule_methods::sentence_starts::BoundaryEvidence;
use majuscule_text::{Class, Mark, MarkSet, Upos};

/// The words that weights are learned from, in the order of the corpus.
#[derive(Clone, Copy)]
pub(super) struct DataSet<'a> {
    pub(super) config: &'a MaxentConfig,
    pub(super) set: &'a FeatureSet,
    pub(super) corpus: &'a Corpus,
    pub(super) words: &'a WordTallies,
    /// The model to be adapted, if any.
    pub(super) model: Option<&'a Maxent>,
    pub(super) gazetteers: &'a Gazetteers,
    /// True if sentence beginnings are learned.
    pub(super) begins: bool,
    /// The gaps to learn from, if marks are learned and not cases.
    pub(super) gaps: Option<GapData<'a>>,
    /// The text to learn parts of speech from, in place of the corpus, if they are learned and not
    /// cases.
    pub(super) tagged: Option<&'a [Example]>,
}

/// The gaps after words, from which marks are learned.
#[derive(Clone, Copy)]
pub(super) struct GapData<'a> {
    pub(super) features: &'a GapSet,
    /// The marks of the model.
    pub(super) marks: MarkSet,
    pub(super) learned: GapLabels,
    /// The fraction of windows that are learned from.
    pub(super) fraction: f32,
}

/// The labels of gaps that are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GapLabels {
    /// The marks in the gaps, in these classes.
    Marks(MarkClasses),
    /// The openings of these marks, before words that may open a clause.
    Openings(MarkSet),
}

/// A word to learn from.
pub(super) struct ExampleRow<'a> {
    /// The position of the word in its example; the length of the example means the position after the
    /// last word.
    pub(super) at: usize,
    pub(super) features: &'a [u64],
    /// The number of features that also affect the word's class; the features after them affect only
    /// sentence beginnings.
    pub(super) all: usize,
    pub(super) observation: Observation<'a>,
    pub(super) answer: TrainingTarget,
}

/// The training target of a word; `None` for a field that the word does not teach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TrainingTarget {
    pub(super) class: Option<Class>,
    /// True if the text does not show whether the class is lower or title.
    pub(super) lower_or_title: bool,
    /// True if a sentence begins at the word.
    pub(super) begins: Option<bool>,
    /// The [class](MarkClasses::class) of the mark after the word, or one of the five classes of
    /// another decision.
    pub(super) mark: Option<usize>,
}

/// Reusable memory for the words of an example.
#[derive(Default)]
pub(super) struct ExampleScratch {
    seen: Vec<WordFeatures>,
    features: Vec<u64>,
}

impl DataSet<'_> {
    /// Passes each example to learn from to `visit`, in order.
    ///
    /// # Errors
    /// If the corpus cannot be read, or if `visit` fails.
    pub(super) fn for_each(&self, visit: &mut dyn FnMut(&Example) -> Result<()>) -> Result<()> {
        match self.tagged {
            Some(examples) => examples.iter().try_for_each(visit),
            None => self.corpus.for_each(visit),
        }
    }

    /// Passes each word of an example that teaches something to `visit`, in order, and then the
    /// position after the last word.
    #[inline]
    pub(super) fn rows(
        &self,
        example: &Example,
        scratch: &mut ExampleScratch,
        mut visit: impl FnMut(ExampleRow<'_>),
    ) {
        if let Some(gaps) = self.gaps {
            return self.gap_rows(example, gaps, scratch, visit);
        }
        if self.tagged.is_some() {
            return self.tag_rows(example, scratch, visit);
        }
        let ExampleScratch { seen, features } = scratch;
        self.seen(example, seen);
        let look_ahead = self.look_ahead(seen);
        let mut observer = Observer::new(self.set, self.gazetteers);
        let mut history = GoldHistory::default();
        observer.text(&example.tokens, seen, |observer, word| {
            if word.opening.is_some() {
                history = GoldHistory::default();
            }
            let gold = example.gold.get(word.at);
            let (lower, answer) = match gold {
                Some(gold) => {
                    let lower = example.tokens.lower(word.at);
                    (lower, self.answer(word.shown, lower, gold))
                }
                None => ("", self.answer_behind(word.shown, example)),
            };
            if answer != TrainingTarget::default() {
                let before = Some(history.before);
                let of_class = Observation { before, ..observer.observation(lower, word, look_ahead) };
                let distance = answer.begins.map(|_| history.distance);
                let observation = Observation { distance, ..of_class };
                features.clear();
                let add = |filler: &Filler, values: &Values, _: &str| features.push(filler.feature(values));
                self.set.all(&observation, add);
                let all = features.len() - distance.map_or(0, |_| self.set.histories());
                visit(ExampleRow { at: word.at, features, all, observation, answer });
            }
            if let Some(gold) = gold {
                history.add(gold, word.shown);
            }
        });
    }

    /// Passes each gap of an example to `visit`, in order, if the mark in the gap is known.
    fn gap_rows(
        &self,
        example: &Example,
        GapData { features: set, marks, learned, fraction }: GapData<'_>,
        scratch: &mut ExampleScratch,
        mut visit: impl FnMut(ExampleRow<'_>),
    ) {
        if !shows_marks(example) {
            return;
        }
        let ExampleScratch { seen, features } = scratch;
        self.seen(example, seen);
        // The bits that choose windows are not the bits that decide their look-ahead.
        if fraction < 1.0 && fraction_of(digest(seen).rotate_left(32)) >= fraction {
            return;
        }
        let look_ahead = self.look_ahead(seen);
        let mut history = MarkHistory::default();
        Observer::new(self.set, self.gazetteers).text(&example.tokens, seen, |observer, word| {
            let Some(gold) = example.gold.get(word.at) else { return };
            if word.opening.is_some() {
                history = MarkHistory::default();
            }
            let may_open = history.is_after_mark();
            history.take(&seen[word.at]);
            let mark = gold.label.mark.within(marks);
            let class = match learned {
                GapLabels::Marks(_) if mark == Mark::SentenceEnd => None,
                GapLabels::Marks(classes) => classes.class(mark, marks),
                GapLabels::Openings(_) if !may_open => None,
                GapLabels::Openings(openings) => {
                    MarkClasses::Frequent.class(opening(&example.gold[word.at..]), openings)
                }
            };
            // The last gap of a window is skipped, because the words after it are missing.
            if class.is_some() && word.at + 1 < seen.len() {
                features.clear();
                word.gap(look_ahead, set, &history, |filler, values| features.push(filler.feature(values)));
                let observation = observer.observation(example.tokens.lower(word.at), word, look_ahead);
                let answer = TrainingTarget { mark: class, ..TrainingTarget::default() };
                visit(ExampleRow { at: word.at, all: features.len(), features, observation, answer });
            }
            let stays = matches!(learned, GapLabels::Openings(_)) && mark != Mark::None;
            history.mark(if stays { mark } else { self.remembered(mark, &seen[word.at], word.at) });
        });
    }

    /// Passes the two decisions about the part of speech of each word to `visit`, in order, once
    /// without right context and again with it.
    fn tag_rows(
        &self,
        example: &Example,
        scratch: &mut ExampleScratch,
        mut visit: impl FnMut(ExampleRow<'_>),
    ) {
        let ExampleScratch { seen, features } = scratch;
        self.seen(example, seen);
        for (seen, gold) in seen.iter_mut().zip(&example.gold) {
            seen.tag = gold.tag.map_or(0, Upos::number);
        }
        Observer::new(self.set, self.gazetteers).text(&example.tokens, seen, |observer, word| {
            let Some(tag) = example.gold.get(word.at).and_then(|gold| gold.tag) else { return };
            let [group, member] = tagger::classes(tag);
            for look_ahead in 0..=tagger::LOOK_AHEAD {
                let observation = observer.observation(example.tokens.lower(word.at), word, look_ahead);
                features.clear();
                self.set.all(&observation, |filler, values, _| features.push(filler.feature(values)));
                for class in [group, member] {
                    let answer = TrainingTarget { mark: Some(class), ..TrainingTarget::default() };
                    visit(ExampleRow { at: word.at, all: features.len(), features, observation, answer });
                    features.iter_mut().for_each(|feature| *feature = tagger::second(*feature, group));
                }
            }
        });
    }

    /// Returns the mark that the history of later gaps contains instead of the correct mark. A model
    /// misses some marks and inserts superfluous ones, so training imitates such a history: some
    /// marks, chosen by their words and positions, are omitted, and some are added.
    fn remembered(&self, mark: Mark, word: &WordFeatures, at: usize) -> Mark {
        let draw = hash(&(word.hash ^ (at as u64) << 1).to_le_bytes());
        let fraction = fraction_of(draw);
        match mark {
            Mark::None if fraction < ADDED && draw & (1 << 40) == 0 => Mark::Comma,
            Mark::None if fraction < ADDED => Mark::Period,
            Mark::None => mark,
            _ if fraction < MISSED => Mark::None,
            _ => mark,
        }
    }

    /// Returns the target of the position after the last word: a sentence begins there, unless the
    /// window ends inside a sentence.
    fn answer_behind(&self, shown: BoundaryEvidence, example: &Example) -> TrainingTarget {
        let ends = example.gold.last().is_some_and(|gold| gold.ends);
        let is_open = self.begins && shown == BoundaryEvidence::Nothing;
        TrainingTarget { begins: is_open.then_some(ends), ..TrainingTarget::default() }
    }

    /// Returns the training target of a word.
    fn answer(&self, shown: BoundaryEvidence, lower: &str, gold: &Gold) -> TrainingTarget {
        let is_open = self.begins && shown == BoundaryEvidence::Nothing;
        let begins = is_open.then_some(gold.initial);
        let class = gold.label.case.class();
        let is_first = gold.initial || shown == BoundaryEvidence::Begins;
        match gold.scored {
            false => TrainingTarget { begins, ..TrainingTarget::default() },
            // The capital of a sentence-initial word may be due to its position; the capital of a
            // single letter teaches nothing.
            true if is_first && lower.chars().nth(1).is_none() => {
                TrainingTarget { begins, ..TrainingTarget::default() }
            }
            true if is_first && class == Class::Title => {
                TrainingTarget { begins, lower_or_title: true, ..TrainingTarget::default() }
            }
            true => TrainingTarget { begins, class: Some(class), ..TrainingTarget::default() },
        }
    }

    /// Returns the number of words of right context that are seen in an example. Some examples,
    /// chosen by their words, get fewer, so that the model also works with less look-ahead.
    fn look_ahead(&self, seen: &[WordFeatures]) -> usize {
        let all = self.config.look_ahead;
        let draw = digest(seen);
        if all > 0 && fraction_of(draw) < self.config.right_context_dropout {
            draw as usize % all
        } else {
            all
        }
    }

    /// Passes each word of the held-out examples, or of all others, to `visit`.
    pub(super) fn rows_of(&self, held_out: bool, mut visit: impl FnMut(ExampleRow<'_>)) -> Result<()> {
        let (mut numbers, mut scratch) = (0.., ExampleScratch::default());
        self.for_each(&mut |example| {
            if numbers.next().is_some_and(|number| self.config.solving.holds_out(number)) == held_out {
                self.rows(example, &mut scratch, &mut visit);
            }
            Ok(())
        })
    }

    /// Computes the features of the words of an example, each as if the word itself had not been
    /// counted.
    fn seen(&self, example: &Example, seen: &mut Vec<WordFeatures>) {
        seen.clear();
        for ((lower, token), gold) in example.tokens.iter().zip(&example.gold) {
            let counts = self.words.get(lower).map(|word| word.counts).unwrap_or_default();
            let profile = counts.without(gold.label.case.class(), gold.initial, gold.ends).profile();
            seen.push(self.gazetteers.seen(lower, token, adapt::profile(self, lower, profile)));
        }
    }
}

/// Returns the mark whose opening occurs in the clause that begins with the first of these words.
/// An opening inside the clause counts too (`pero ¿qué`), since openings are inserted only before
/// the first word of a clause.
fn opening(words: &[Gold]) -> Mark {
    let len = words.iter().position(|gold| gold.label.mark != Mark::None).map_or(words.len(), |at| at + 1);
    words[..len].iter().map(|gold| gold.opening).fold(Mark::None, Mark::stronger)
}

/// Returns a digest of the words of an example.
fn digest(seen: &[WordFeatures]) -> u64 {
    hash(&seen.iter().fold(0u64, |digest, seen| digest.rotate_left(7) ^ seen.hash).to_le_bytes())
}

/// Returns a number from 0 to 1 of the first bits of a hash.
fn fraction_of(hash: u64) -> f32 {
    (hash >> 40) as f32 / (1u64 << 24) as f32
}

/// Returns true if marks were written in the text of an example: a text that lost its marks does not
/// teach where marks are absent.
pub(super) fn shows_marks(example: &Example) -> bool {
    let marks = example.gold.iter().filter(|gold| gold.label.mark.character().is_some()).count();
    marks * SPARSE > example.gold.len()
}

/// The fraction of marks that are omitted from the history in training, and the fraction of other
/// gaps that get a mark there: about the error rates of a model. On talks (2.1 M words), F1 is 0.6
/// points higher than with the correct history.
const MISSED: f32 = 0.5;
const ADDED: f32 = 0.04;

/// A text with at least this number of words per mark counts as a text without marks; ordinary text
/// has about ten.
const SPARSE: usize = 50;

/// The history of the words before one in its segment.
struct GoldHistory {
    /// The number of words since a sentence began; 0 if none did.
    distance: usize,
    /// The choice for the previous word.
    before: usize,
}

impl Default for GoldHistory {
    fn default() -> Self {
        Self { distance: 0, before: NO_WORD }
    }
}

impl GoldHistory {
    fn add(&mut self, gold: &Gold, shown: BoundaryEvidence) {
        let begins = gold.initial || shown == BoundaryEvidence::Begins;
        self.before = if begins { BEGUN } else { gold.label.case.class() as usize };
        self.distance = match self.distance {
            _ if begins => 1,
            0 => 0,
            distance => (distance + 1).min(FAR),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use majuscule_methods::maxent::templates::Group;
    use majuscule_text::{Break, Case, Locale, Token, Tokens};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn training_sees_what_the_observer_shows(
            words in prop::collection::vec(("[a-c]{2,3}", 0usize..4, prop::bool::weighted(0.1)), 1..90),
        ) {
            let mut example = Example::default();
            for (word, before, starts) in &words {
                let before = [Break::Space, Break::Space, Break::Turn, Break::Document][*before];
                example.tokens.push(word, Locale::Root, Token { before, starts: *starts, ..Token::default() });
                example.gold.push(Gold { label: Case::Lower.into(), scored: true, initial: *starts, ..Gold::default() });
            }
            let tokens: &Tokens = &example.tokens;
            let config = MaxentConfig { right_context_dropout: 0.0, ..MaxentConfig::default() };
            let set = FeatureSet::new(&[&Group::DEFAULT[..], &[Group::Spans, Group::Previous]].concat());
            let corpus = Corpus::of_text("", Reading::default(), Protocol::Mix, Locale::Root);
            let (counts, gazetteers) = (WordTallies::default(), Gazetteers::default());
            let data = DataSet {
                config: &config, set: &set, corpus: &corpus, words: &counts, model: None, gazetteers: &gazetteers, begins: true, gaps: None, tagged: None,
            };
            let mut rows = Vec::new();
            data.rows(&example, &mut ExampleScratch::default(), |row| rows.push((row.at, row.features.to_vec())));
            let seen: Vec<WordFeatures> = tokens.iter().map(|(lower, token)| WordFeatures::of(lower, token, 0)).collect();
            let (mut shown, mut found) = (Vec::new(), rows.iter().peekable());
            Observer::new(&set, &gazetteers).text(tokens, &seen, |observer, word| {
                let is_behind = word.at == tokens.len();
                let lower = if is_behind { "" } else { tokens.lower(word.at) };
                shown.clear();
                set.all(&observer.observation(lower, word, config.look_ahead), |filler, values, _| {
                    shown.push(filler.feature(values));
                });
                match found.next_if(|(at, _)| *at == word.at) {
                    Some((_, row)) => assert!(row.starts_with(&shown)),
                    None => assert!(is_behind && word.shown != BoundaryEvidence::Nothing),
                }
            });
            prop_assert!(found.next().is_none());
        }
    }
}
