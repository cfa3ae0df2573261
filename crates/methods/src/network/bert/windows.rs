//! Windows of subwords for the encoder. The scores of a word that is a target of several windows are
//! averaged (Courtland et al. 2020).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::failed;
use crate::network::heads::{HeadSizes, RightContext, WordContext};
use crate::network::subwords::SubwordTokenizer;
use crate::network::windower::{EncodedWord, WindowOptions, WindowWord, WordEncoder, right_context};
use majuscule_base::error::Result;
use majuscule_base::named::NamedValue;

/// A text for the encoder, and its words that are to be labelled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EncoderWindow {
    /// The subwords, including the special ones before and after all words.
    pub ids: Vec<u32>,
    /// The positions of the first and last subwords of the word before the first target, whose mark shows
    /// whether a sentence begins at the target.
    pub before: Option<[u32; 2]>,
    /// The words that are to be labelled, in order, from the first word that is not finished yet.
    pub targets: Vec<WindowTarget>,
    /// The number of targets that no later window contains.
    pub done: usize,
}

impl EncoderWindow {
    /// Returns the positions whose scores are needed: the position of the word before the targets, if there
    /// is one, and the positions of targets with subwords.
    pub fn positions(&self, subword: LabelledSubword) -> impl Iterator<Item = u32> {
        let targets = self.targets.iter().map(|target| target.positions);
        std::iter::once(self.before).chain(targets).flatten().map(move |positions| subword.of(positions))
    }
}

/// A word that is to be labelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowTarget {
    /// The word and its subwords.
    pub word: Arc<EncodedWord<Box<[u32]>>>,
    /// The facts in the text about the word.
    pub context: WordContext,
    /// The text after it.
    pub after: RightContext,
    /// The positions of its first and last subwords in the window; `None` for a word without subwords.
    pub positions: Option<[u32; 2]>,
    /// The [odds](super::Heads::start_odds) of a sentence end after the word, as shown by the capital of
    /// the next word: the lowest odds of all windows.
    pub start_odds: u16,
}

impl WindowTarget {
    /// Returns the position of the subword that is labelled.
    pub fn position(&self, subword: LabelledSubword) -> Option<u32> {
        self.positions.map(|positions| subword.of(positions))
    }
}

/// The subword that carries the labels of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelledSubword {
    /// The first subword, as in Rei et al. 2020.
    #[default]
    First,
    /// The last subword, which is next to the mark after the word.
    Last,
}

impl LabelledSubword {
    /// Returns the subword of a word with these first and last subwords.
    fn of(self, [first, last]: [u32; 2]) -> u32 {
        if self == Self::First { first } else { last }
    }

    /// Returns true for the default, which a manifest does not mention.
    pub fn is_first(&self) -> bool {
        *self == Self::First
    }
}

impl NamedValue for LabelledSubword {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::First, "first", "The first subword of a word"),
        (Self::Last, "last", "The last subword of a word, next to the mark after it"),
    ];
}

/// Returns the options of windows of this many subwords, including the special ones.
pub fn options(window: usize, runs_on: bool, look_ahead: Option<usize>, predictions: usize) -> WindowOptions {
    let capacity = window - 2;
    WindowOptions { predictions, ..WindowOptions::new(capacity, capacity / 4, runs_on, look_ahead) }
}

impl<P: SubwordTokenizer> WordEncoder for &P {
    type Ids = Box<[u32]>;
    type Window = EncoderWindow;

    fn encode(&self, lower: &str, capacity: usize) -> Result<Self::Ids> {
        let mut subwords = self.of(lower).map_err(failed)?;
        subwords.truncate(capacity);
        Ok(subwords.into())
    }

    fn size(subwords: &Self::Ids) -> usize {
        subwords.len()
    }

    fn window(
        &self,
        words: &[WindowWord<Self::Ids>],
        after: RightContext,
        targets: Range<usize>,
        done: usize,
    ) -> EncoderWindow {
        let mut ids = vec![self.special().first];
        let mut before = None;
        let mut found = Vec::with_capacity(targets.len());
        for (at, WindowWord { word, context }) in words.iter().enumerate() {
            let first = ids.len() as u32;
            ids.extend_from_slice(&word.ids);
            let positions = (!word.ids.is_empty()).then(|| [first, ids.len() as u32 - 1]);
            if at + 1 == targets.start {
                before = positions;
            } else if targets.contains(&at) {
                let after = right_context(words, at, after);
                found.push(WindowTarget {
                    word: word.clone(),
                    context: *context,
                    after,
                    positions,
                    start_odds: 1,
                });
            }
        }
        ids.push(self.special().last);
        EncoderWindow { ids, before, targets: found, done }
    }
}

/// A word, and ln of the probability of each label, head after head, each head shifted by a constant; a
/// word without subwords has no scores. The scores of the mark before the word follow, if a window contains
/// the previous word.
pub type ScoredWord = (WindowTarget, Vec<f32>);

/// The scores of words that are also targets of later windows.
#[derive(Debug, Clone, Default)]
pub struct ScorePool {
    words: VecDeque<ScoredWord>,
}

impl ScorePool {
    /// Adds the scores of these heads at the [positions](EncoderWindow::positions) of a window, and returns the words that
    /// are finished: each with ln of the sum over the windows of the probability of each label of a head.
    pub fn add<'s>(
        &mut self,
        window: EncoderWindow,
        heads: HeadSizes,
        scores: &mut impl Iterator<Item = &'s [f32]>,
    ) -> std::vec::IntoIter<ScoredWord> {
        let mut next = |positions: Option<[u32; 2]>| {
            let scores = positions.and_then(|_| scores.next()).unwrap_or_default();
            scores.split_at(heads.cases.min(scores.len()))
        };
        let (_, mut before) = next(window.before);
        for (at, target) in window.targets.into_iter().enumerate() {
            let (cases, marks) = next(target.positions);
            let is_seen = cases.len() + marks.len() > 0;
            let known_before = if is_seen { before } else { &[] };
            before = marks;
            let probabilities = ln_softmax(cases).chain(ln_softmax(marks)).chain(ln_softmax(known_before));
            match self.words.get_mut(at) {
                Some((known, sum)) => {
                    // A later window knows more of the text.
                    known.after = target.after;
                    known.start_odds = known.start_odds.min(target.start_odds);
                    let mut probabilities = probabilities;
                    sum.iter_mut().zip(&mut probabilities).for_each(|(a, b)| *a = ln_add(*a, b));
                    sum.extend(probabilities);
                }
                None => self.words.push_back((target, probabilities.collect())),
            }
        }
        self.words.drain(..window.done.min(self.words.len())).collect::<Vec<_>>().into_iter()
    }
}

/// Computes ln of the softmax.
fn ln_softmax(scores: &[f32]) -> impl Iterator<Item = f32> {
    let whole = scores.iter().copied().reduce(ln_add).unwrap_or_default();
    scores.iter().map(move |score| score - whole)
}

/// Computes ln(eᵃ + eᵇ).
fn ln_add(a: f32, b: f32) -> f32 {
    a.max(b) + (-(a - b).abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::network::subwords::{NativeTokenizer, TOY_TOKENIZER};
    use crate::network::windower::Windower;
    use majuscule_text::{Locale, Tokens};

    fn subwords() -> NativeTokenizer {
        NativeTokenizer::read(TOY_TOKENIZER.as_bytes(), 101).unwrap()
    }

    fn windows(subwords: &NativeTokenizer, words: &[String], options: WindowOptions) -> Vec<EncoderWindow> {
        let mut windows = Vec::new();
        let tokens = Tokens::of_words(words.iter().map(String::as_str), Locale::Root);
        Windower::new(subwords, options).push_document(&tokens, &mut windows).unwrap();
        windows
    }

    const CASES: HeadSizes = HeadSizes { cases: 2, marks: 0 };

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn every_word_is_a_target_once_in_order_in_a_window_that_fits(
            words in prop::collection::vec("[a-z]{1,9}|lisbon|\u{200b}", 0..60),
            window in 3usize..30,
            look_ahead in prop::option::of(0usize..9),
        ) {
            let subwords = subwords();
            let windows = windows(&subwords, &words, options(window, false, look_ahead, 1));
            let targets = windows.iter().flat_map(|window| &window.targets).map(|target| &target.word.lower);
            prop_assert!(targets.eq(&words));
            prop_assert!(windows.iter().all(|window| window.done == window.targets.len()));
            for EncoderWindow { ids, targets, .. } in &windows {
                prop_assert!(ids.len() <= window && !targets.is_empty());
                for target in targets {
                    let mut own = subwords.of(&target.word.lower).unwrap();
                    own.truncate(window - 2);
                    let ends = target.positions.map(|positions| positions.map(|position| ids[position as usize]));
                    prop_assert_eq!(ends, own.first().zip(own.last()).map(|(first, last)| [*first, *last]));
                }
            }
        }

        #[test]
        fn words_leave_the_pool_once_and_in_order_however_many_windows_have_them_as_targets(
            words in prop::collection::vec("[a-z]{1,9}|lisbon|\u{200b}", 0..60),
            window in 3usize..30,
            predictions in 1usize..12,
        ) {
            let subwords = subwords();
            let mut pool = ScorePool::default();
            let mut found = Vec::new();
            for of_subwords in windows(&subwords, &words, options(window, false, None, predictions)) {
                let EncoderWindow { ids, done, targets, .. } = &of_subwords;
                prop_assert!(ids.len() <= window && !targets.is_empty() && *done > 0);
                let scores: Vec<[f32; 2]> = of_subwords.positions(LabelledSubword::First).map(|_| [1.0, 2.0]).collect();
                found.extend(pool.add(of_subwords, CASES, &mut scores.iter().map(<[f32; 2]>::as_slice)));
            }
            prop_assert!(pool.words.is_empty());
            prop_assert!(found.iter().map(|(target, _)| &target.word.lower).eq(&words));
            // All windows have the same scores.
            for (target, scores) in &found {
                match target.positions {
                    Some(_) => prop_assert!((scores[1] - scores[0] - 1.0).abs() < 1e-4),
                    None => prop_assert!(scores.is_empty()),
                }
            }
        }
    }

    fn targets(window: usize, predictions: usize) -> Vec<String> {
        let words: Vec<String> =
            "the in of and met who us we to with".split(' ').map(str::to_owned).collect();
        let targets = |window: &EncoderWindow| {
            window.targets.iter().map(|target| target.word.lower.as_str()).collect::<Vec<_>>().join(" ")
        };
        windows(&subwords(), &words, options(window, false, None, predictions)).iter().map(targets).collect()
    }

    #[test]
    fn windows_share_a_quarter_and_each_answers_the_half_nearer_to_its_middle() {
        // Eight words at a time.
        assert_eq!(targets(10, 1), ["the in of and met who us", "we to with"]);
    }

    #[test]
    fn each_word_but_the_first_and_last_is_in_as_many_windows_as_asked_for() {
        // Four words at a time, from each second.
        assert_eq!(targets(6, 2), ["the in of and", "of and met who", "met who us we", "us we to with"]);
    }

    #[test]
    fn the_probabilities_of_several_windows_are_averaged() {
        let word = Arc::new(EncodedWord { lower: "us".to_owned(), ids: Box::default() });
        let (context, after) = (WordContext::default(), RightContext::Unknown);
        let target = WindowTarget { word, context, after, positions: Some([1, 1]), start_odds: 1 };
        let window = |done| EncoderWindow { targets: vec![target.clone()], done, ..EncoderWindow::default() };
        let mut pool = ScorePool::default();
        // 0.5, 0.5 and 0.8, 0.2 make 0.65, 0.35.
        assert_eq!(pool.add(window(0), CASES, &mut [[3.0, 3.0].as_slice()].into_iter()).count(), 0);
        let found: Vec<_> =
            pool.add(window(1), CASES, &mut [[4f32.ln(), 0.0].as_slice()].into_iter()).collect();
        let [(_, sums)] = &found[..] else { panic!("{found:?}") };
        assert!((sums[0].exp() / 2.0 - 0.65).abs() < 1e-6 && (sums[1].exp() / 2.0 - 0.35).abs() < 1e-6);
    }
}
