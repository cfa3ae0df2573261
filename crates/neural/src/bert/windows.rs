//! Windows of pieces for the encoder, and the scores of words that are targets of several windows,
//! which are averaged (Courtland et al. 2020).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::failed;
use super::tokenize::Pieces;
use crate::shared::windower::{EncodedWord, WindowOptions, WindowWord, WordEncoder};
use majuscule::error::Result;
use majuscule::text::Constraint;

/// A text for the encoder, and its words that are to be labelled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PieceWindow {
    /// The pieces, including the special ones before and after all words.
    pub ids: Vec<u32>,
    /// The requested words, in order: the first ones not labelled yet.
    pub targets: Vec<WindowTarget>,
    /// The number of targets that no later window contains.
    pub done: usize,
}

/// A word that is to be labelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowTarget {
    /// The word and its pieces.
    pub word: Arc<EncodedWord<Box<[u32]>>>,
    /// The constraint on its case.
    pub constraint: Constraint,
    /// The position of its first piece in the window; `None` for a word without pieces.
    pub first: Option<u32>,
}

/// Returns the options of windows of this many pieces, including the special ones.
pub fn options(window: usize, runs_on: bool, look_ahead: Option<usize>, predictions: usize) -> WindowOptions {
    let capacity = window - 2;
    WindowOptions { capacity, overlap: capacity / 4, runs_on, look_ahead, predictions }
}

impl WordEncoder for &Pieces {
    type Ids = Box<[u32]>;
    type Window = PieceWindow;

    fn encode(&self, lower: &str, capacity: usize) -> Result<Self::Ids> {
        let mut pieces = self.of(lower).map_err(failed)?;
        pieces.truncate(capacity);
        Ok(pieces.into())
    }

    fn size(pieces: &Self::Ids) -> usize {
        pieces.len()
    }

    fn window(&self, words: &[WindowWord<Self::Ids>], targets: Range<usize>, done: usize) -> PieceWindow {
        let mut ids = vec![self.special.first];
        let mut found = Vec::with_capacity(targets.len());
        for (at, WindowWord { word, constraint }) in words.iter().enumerate() {
            if targets.contains(&at) {
                let first = (!word.ids.is_empty()).then_some(ids.len() as u32);
                found.push(WindowTarget { word: word.clone(), constraint: *constraint, first });
            }
            ids.extend_from_slice(&word.ids);
        }
        ids.push(self.special.last);
        PieceWindow { ids, targets: found, done }
    }
}

/// The scores of words that are targets of later windows, too.
#[derive(Debug, Clone, Default)]
pub struct ScorePool {
    words: VecDeque<(WindowTarget, Vec<f32>)>,
}

impl ScorePool {
    /// Adds the scores of the targets of a window, none for those without pieces, and returns the
    /// words that are finished: each with ln of the sum of the probabilities that each window gives
    /// a label.
    pub fn add<'s>(
        &mut self,
        window: PieceWindow,
        scores: &mut impl Iterator<Item = &'s [f32]>,
    ) -> impl Iterator<Item = (WindowTarget, Vec<f32>)> {
        for (at, target) in window.targets.into_iter().enumerate() {
            let scores = target.first.and_then(|_| scores.next()).unwrap_or_default();
            match self.words.get_mut(at) {
                Some((_, sum)) => {
                    sum.iter_mut().zip(ln_softmax(scores)).for_each(|(a, b)| *a = ln_add(*a, b));
                }
                None => self.words.push_back((target, ln_softmax(scores).collect())),
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
    use crate::shared::windower::Windower;
    use majuscule::text::{Locale, Tokens};

    const VOCABULARY: &[u8] = include_bytes!("../../../../tests/data/toy-bert/vocab.txt");

    fn pieces() -> Pieces {
        Pieces::read_vocabulary(VOCABULARY, true, None).unwrap()
    }

    fn windows(pieces: &Pieces, words: &[String], options: WindowOptions) -> Vec<PieceWindow> {
        let mut windows = Vec::new();
        let tokens = Tokens::of_words(words.iter().map(String::as_str), Locale::Root);
        Windower::new(pieces, options).push_document(&tokens, &mut windows).unwrap();
        windows
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn every_word_is_a_target_once_in_order_in_a_window_that_fits(
            words in prop::collection::vec("[a-z]{1,9}|lisbon|\u{200b}", 0..60),
            window in 3usize..30,
            look_ahead in prop::option::of(0usize..9),
        ) {
            let pieces = pieces();
            let windows = windows(&pieces, &words, options(window, false, look_ahead, 1));
            let targets = windows.iter().flat_map(|window| &window.targets).map(|target| &target.word.lower);
            prop_assert!(targets.eq(&words));
            prop_assert!(windows.iter().all(|window| window.done == window.targets.len()));
            for PieceWindow { ids, targets, .. } in &windows {
                prop_assert!(ids.len() <= window && !targets.is_empty());
                for target in targets {
                    let own = pieces.of(&target.word.lower).unwrap();
                    prop_assert_eq!(target.first.map(|first| ids[first as usize]), own.first().copied());
                }
            }
        }

        #[test]
        fn words_leave_the_pool_once_and_in_order_however_many_windows_have_them_as_targets(
            words in prop::collection::vec("[a-z]{1,9}|lisbon|\u{200b}", 0..60),
            window in 3usize..30,
            predictions in 1usize..12,
        ) {
            let pieces = pieces();
            let mut pool = ScorePool::default();
            let mut found = Vec::new();
            for of_pieces in windows(&pieces, &words, options(window, false, None, predictions)) {
                let PieceWindow { ids, targets, done } = &of_pieces;
                prop_assert!(ids.len() <= window && !targets.is_empty() && *done > 0);
                let scores: Vec<[f32; 2]> =
                    targets.iter().filter(|target| target.first.is_some()).map(|_| [1.0, 2.0]).collect();
                found.extend(pool.add(of_pieces, &mut scores.iter().map(<[f32; 2]>::as_slice)));
            }
            prop_assert!(pool.words.is_empty());
            prop_assert!(found.iter().map(|(target, _)| &target.word.lower).eq(&words));
            // All windows give the same scores.
            for (target, scores) in &found {
                match target.first {
                    Some(_) => prop_assert!((scores[1] - scores[0] - 1.0).abs() < 1e-4),
                    None => prop_assert!(scores.is_empty()),
                }
            }
        }
    }

    fn targets(window: usize, predictions: usize) -> Vec<String> {
        let words: Vec<String> =
            "the in of and met who us we to with".split(' ').map(str::to_owned).collect();
        let targets = |window: &PieceWindow| {
            window.targets.iter().map(|target| target.word.lower.as_str()).collect::<Vec<_>>().join(" ")
        };
        windows(&pieces(), &words, options(window, false, None, predictions)).iter().map(targets).collect()
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
        let target = WindowTarget { word, constraint: Constraint::Free, first: Some(1) };
        let window = |done| PieceWindow { ids: Vec::new(), targets: vec![target.clone()], done };
        let mut pool = ScorePool::default();
        // 0.5, 0.5 and 0.8, 0.2 make 0.65, 0.35.
        assert_eq!(pool.add(window(0), &mut [[3.0, 3.0].as_slice()].into_iter()).count(), 0);
        let found: Vec<_> = pool.add(window(1), &mut [[4f32.ln(), 0.0].as_slice()].into_iter()).collect();
        let [(_, sums)] = &found[..] else { panic!("{found:?}") };
        assert!((sums[0].exp() / 2.0 - 0.65).abs() < 1e-6 && (sums[1].exp() / 2.0 - 0.35).abs() < 1e-6);
    }
}
