//! Turns tokens into the features of each word, in the same way for training and for a session, which
//! answers while words arrive.
//!
//! A text is observed one segment at a time: the features of a word use no other word across a marked
//! sentence start, a change of speaker, an empty line or the beginning of a text.

use super::filling::{FarWords, FeatureSet, Filler, GapSet, Observation, Values};
use super::gazetteers::Gazetteers;
use super::marks::MarkHistory;
use super::tagger::Tagging;
use super::templates::{PLACES, REACH};
use crate::sentence_starts::{BoundaryEvidence, MarkedStarts, Opening};
use majuscule_text::{Break, Token, Tokens, Upos};

/// The features of a word, computed once for all positions that see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordFeatures {
    /// The hash of its lower case; 0 beyond the ends of a segment.
    pub hash: u64,
    /// The marks around the word, and whether a sentence begins with it.
    pub marks: u64,
    /// Its profile, from how it is written elsewhere: see
    /// [`Group::Profile`](super::Group::Profile); 0 if that is not known.
    pub profile: u16,
    /// The gazetteers that contain the word as an entry, one bit each.
    pub lists: u16,
    /// The number of words in the longest gazetteer entry that begins with it.
    pub longest: u8,
    /// Its form in another lexicon: see [`form`](super::gazetteers::form); 0 if that is not known.
    pub form: u8,
    /// The number of its cluster; 0 if it has none.
    pub cluster: u8,
    /// The [number](majuscule_text::Upos::number) of its part of speech; 0 if that is not known.
    pub tag: u8,
}

impl WordFeatures {
    /// Returns true if a mark is right before the word.
    fn has_mark_before(&self) -> bool {
        self.marks >> 32 != 0
    }

    /// Returns true if a mark is right after the word.
    fn has_mark_after(&self) -> bool {
        self.marks as u32 >> 1 != 0
    }

    /// The features of the unknown words before a text that was cut out of a longer one.
    pub const UNKNOWN_LEFT: Self =
        Self { hash: 2, marks: 0, profile: 0, lists: 0, longest: 0, form: 0, cluster: 0, tag: 0 };

    /// Returns the features of a word.
    pub fn of(lower: &str, token: &Token, profile: u16) -> Self {
        let mark = |mark: Option<char>| mark.map_or(0, u64::from);
        let marks = mark(token.left) << 32 | mark(token.right) << 1 | u64::from(token.starts);
        Self { hash: super::hash::hash(lower.as_bytes()), marks, profile, ..Self::default() }
    }
}

/// The features of the words around a word, which is in the middle.
pub type Window = [WordFeatures; PLACES];

/// A gazetteer entry that covers a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GazetteerMatch {
    /// The gazetteers that contain the entry, one bit each.
    pub lists: u16,
    /// The number of words of the entry.
    pub words: usize,
    /// The number of words of the entry before the covered word.
    pub position: usize,
}

/// The number of positions without a word on either side of the words: a window around the position after
/// the last word then has all its positions.
const EMPTY: usize = PLACES;

/// The largest number of words kept, large enough that they are seldom moved.
const KEPT: usize = 256;

/// The words of a segment, in the form that features use.
#[derive(Debug)]
pub struct Observer<'a> {
    set: &'a FeatureSet,
    gazetteers: &'a Gazetteers,
    /// The features of the words, with empty positions on both sides, so that each word has a full
    /// window.
    seen: Vec<WordFeatures>,
    marked: MarkedStarts,
    tagging: Option<Tagging<'a>>,
    values: Values,
    features: Vec<u64>,
}

impl<'a> Observer<'a> {
    /// Makes an observer without words, for the features of a set.
    pub fn new(set: &'a FeatureSet, gazetteers: &'a Gazetteers) -> Self {
        let seen = vec![WordFeatures::default(); EMPTY];
        let (marked, values) = (MarkedStarts::default(), Values::default());
        let tagging = gazetteers.tagger.as_ref().map(Tagging::new);
        Self { set, gazetteers, seen, marked, tagging, values, features: Vec::new() }
    }

    /// Restarts the observer for a new segment or a new text.
    pub fn open(&mut self, opening: Opening) {
        self.seen.clear();
        self.seen.resize(EMPTY, WordFeatures::default());
        if let Some(tagging) = &mut self.tagging {
            tagging.open();
        }
        if opening == Opening::Text {
            self.marked = MarkedStarts::default();
        }
    }

    /// Adds the next word of the segment and returns the evidence in the text for a sentence start there;
    /// `starts` is true if the text marks one.
    pub fn take(&mut self, lower: &str, token: &Token, starts: bool, seen: WordFeatures) -> BoundaryEvidence {
        if self.seen.len() == EMPTY && token.before <= Break::Space && !starts {
            self.see(WordFeatures::UNKNOWN_LEFT);
        }
        self.see(seen);
        let at = self.end() - 1;
        if let Some(tagging) = &mut self.tagging {
            tagging.push(lower, &mut self.seen, at);
        }
        self.marked.take(token, starts)
    }

    /// Ends the segment: its last word has no right context but the end.
    pub fn close(&mut self) {
        let end = self.end();
        if let Some(tagging) = &mut self.tagging {
            tagging.close(&mut self.seen, end);
        }
    }

    /// Appends the features of a word.
    fn see(&mut self, seen: WordFeatures) {
        let at = self.end();
        self.seen[at] = seen;
        self.seen.push(WordFeatures::default());
    }

    /// Returns the position after the last word.
    fn end(&self) -> usize {
        self.seen.len() + REACH - EMPTY
    }

    /// If there are many words, drops those that are not in the windows of the last `waiting` words, or
    /// of the word before them, which may have to be tagged again.
    pub fn forget(&mut self, waiting: usize) {
        if self.seen.len() > KEPT {
            self.seen.drain(..self.end() - waiting - REACH - 1);
        }
    }

    /// Returns the context-dependent features of the word `back` positions before the end; the features
    /// of the position after the last word if `back` is 0. At most `look_ahead` words to the right count.
    #[inline]
    pub fn context(&mut self, back: usize, look_ahead: usize) -> &[u64] {
        self.features.clear();
        let at = self.end() - back;
        if let Some(window) = self.seen[at - REACH..].first_chunk() {
            let (values, features) = (&mut self.values, &mut self.features);
            self.set
                .context(window, look_ahead, values, |filler, values| features.push(filler.feature(values)));
            if let Some(phrase) = phrase(self.set, self.gazetteers, window, look_ahead) {
                self.set.phrase(phrase, values, |filler, values| features.push(filler.feature(values)));
            }
        }
        &self.features
    }

    /// Returns the core features of the gap after the word `back` positions before the end. At most
    /// `look_ahead` words to the right count.
    #[inline]
    pub fn gap(&mut self, back: usize, look_ahead: usize, set: &GapSet, history: &MarkHistory) -> &[u64] {
        self.features.clear();
        let at = self.end() - back;
        if let Some(window) = self.seen[at - REACH..].first_chunk() {
            let (values, features) = (&mut self.values, &mut self.features);
            set.core(window, look_ahead, history, values, |filler, values| {
                features.push(filler.feature(values));
            });
        }
        &self.features
    }

    /// Returns the features, except the core features, of the gap whose core features were computed last,
    /// `back` positions before the end.
    #[inline]
    pub fn rest_of_gap(&mut self, back: usize, look_ahead: usize, set: &GapSet) -> &[u64] {
        self.features.clear();
        let far = if look_ahead > REACH { self.far(back) } else { FarWords::default() };
        let (values, features) = (&mut self.values, &mut self.features);
        let mut emit = |filler: &Filler, values: &Values| features.push(filler.feature(values));
        set.rest(look_ahead, values, &mut emit);
        set.far(&far, look_ahead, values, emit);
        &self.features
    }

    /// Returns all features of the gap after the word `back` positions before the end.
    pub fn whole_gap(
        &mut self,
        back: usize,
        look_ahead: usize,
        set: &GapSet,
        history: &MarkHistory,
    ) -> &[u64] {
        let observed = self.observed(0, None, BoundaryEvidence::Nothing, back, &[]);
        self.features.clear();
        observed.gap(look_ahead, set, history, |filler, values| self.features.push(filler.feature(values)));
        &self.features
    }

    /// Returns true if the word `back` positions before the end is repeated: an equal word is seen next
    /// to it, with no mark between.
    #[inline]
    pub fn is_repeated(&self, back: usize, look_ahead: usize) -> bool {
        let at = self.end() - back;
        is_repeated(&self.seen[at - 1..], look_ahead)
    }
}

/// Returns true if the second of some words equals the first or, if there is look-ahead, the third,
/// with no mark between them.
#[inline]
fn is_repeated(words: &[WordFeatures], look_ahead: usize) -> bool {
    let is_twice = |first: &WordFeatures, second: &WordFeatures| {
        first.hash == second.hash && !first.has_mark_after() && !second.has_mark_before()
    };
    is_twice(&words[0], &words[1]) || look_ahead > 0 && is_twice(&words[1], &words[2])
}

/// Returns the part of speech of each word of a text by the tagger of these gazetteers.
pub fn tags(gazetteers: &Gazetteers, tokens: &Tokens) -> Vec<Option<Upos>> {
    let set = FeatureSet::new(&[]);
    let seen = tokens.iter().map(|(lower, token)| WordFeatures::of(lower, token, 0));
    let (seen, mut tags) = (Vec::from_iter(seen), vec![None; tokens.len()]);
    Observer::new(&set, gazetteers).text(tokens, &seen, |_, word| {
        if let Some(tag) = tags.get_mut(word.at) {
            *tag = Upos::of_number(word.window[REACH].tag);
        }
    });
    tags
}

#[inline]
fn phrase(
    set: &FeatureSet,
    gazetteers: &Gazetteers,
    window: &Window,
    look_ahead: usize,
) -> Option<GazetteerMatch> {
    if set.looks_at_phrases() { gazetteers.phrase(window, look_ahead) } else { None }
}

/// A word of a text all of whose words are known.
#[derive(Debug, Clone, Copy)]
pub struct Observed {
    /// Its position in the text; the length of the text is the position after the last word.
    pub at: usize,
    /// The segment or text that begins at the word.
    pub opening: Option<Opening>,
    /// The evidence in the text for a sentence start at the word; for the position after the last word,
    /// the evidence at the last word.
    pub shown: BoundaryEvidence,
    window: Window,
    /// The parts of speech of the words of the window, as tagged without right context.
    early: [u8; PLACES],
    /// True at the position after the last word.
    is_behind: bool,
    far: FarWords,
}

impl Observed {
    /// Fills the templates of the gap after the word; the templates of pairs come last.
    pub fn gap(
        &self,
        look_ahead: usize,
        set: &GapSet,
        history: &MarkHistory,
        mut emit: impl FnMut(&Filler, &Values),
    ) {
        let mut values = Values::default();
        set.core(&self.window, look_ahead, history, &mut values, &mut emit);
        set.rest(look_ahead, &values, &mut emit);
        set.far(&self.far, look_ahead, &mut values, &mut emit);
        set.pairs(history, &mut values, emit);
    }

    /// Returns true if the word is repeated: an equal word is seen next to it.
    pub fn is_repeated(&self, look_ahead: usize) -> bool {
        is_repeated(&self.window[REACH - 1..], look_ahead)
    }
}

impl Observer<'_> {
    /// Passes each word of a text with these features to `visit`, and finally the position after the
    /// last word.
    pub fn text(&mut self, tokens: &Tokens, seen: &[WordFeatures], mut visit: impl FnMut(&Self, &Observed)) {
        self.open(Opening::Text);
        let (texts, tokens) = (tokens, tokens.as_slice());
        let opening = |at: usize| Opening::of(&tokens[at], tokens[at].starts);
        let (mut from, mut last, mut shown) = (0, BoundaryEvidence::Nothing, Vec::new());
        // The parts of speech without right context, at the positions of the words in the segment.
        let mut early = Vec::new();
        while from < tokens.len() {
            let to = (from + 1..tokens.len()).find(|&at| opening(at).is_some()).unwrap_or(tokens.len());
            if let Some(opening) = opening(from) {
                self.open(opening);
            }
            shown.clear();
            early.clear();
            for at in from..to {
                shown.push(self.take(texts.lower(at), &tokens[at], tokens[at].starts, seen[at]));
                early.resize(self.end(), 0);
                early[self.end() - 1] = self.seen[self.end() - 1].tag;
            }
            self.close();
            for (at, &shown) in (from..to).zip(&shown) {
                let opening = if at == from { opening(at) } else { None };
                visit(self, &self.observed(at, opening, shown, to - at, &early));
                last = shown;
            }
            from = to;
        }
        visit(self, &self.observed(tokens.len(), None, last, 0, &early));
    }

    /// Returns the word `back` positions before the end.
    fn observed(
        &self,
        at: usize,
        opening: Option<Opening>,
        shown: BoundaryEvidence,
        back: usize,
        early: &[u8],
    ) -> Observed {
        let here = self.end() - back;
        let window = std::array::from_fn(|position| self.seen[here + position - REACH]);
        let early =
            std::array::from_fn(|position| early.get(here + position - REACH).copied().unwrap_or_default());
        Observed { at, opening, shown, window, early, is_behind: back == 0, far: self.far(back) }
    }

    /// Returns the words after the window of the word `back` positions before the end.
    fn far(&self, back: usize) -> FarWords {
        let mut words = FarWords::default();
        let seen = &self.seen[self.end() - back + REACH..];
        words.iter_mut().zip(seen).for_each(|(word, seen)| *word = seen.hash);
        words
    }

    /// Returns everything that the features of a word depend on, for a model that looks `look_ahead`
    /// words ahead. At the position after the last word, the model sees one word less.
    pub fn observation<'w>(&self, lower: &'w str, observed: &Observed, look_ahead: usize) -> Observation<'w> {
        let mut window = observed.window;
        // The model does not see the right context of its last visible word.
        let last = REACH + look_ahead - usize::from(observed.is_behind);
        if let (Some(word), Some(early)) = (window.get_mut(last), observed.early.get(last)) {
            word.tag = *early;
        }
        let look_ahead = look_ahead.saturating_sub(observed.is_behind.into());
        let phrase = phrase(self.set, self.gazetteers, &window, look_ahead);
        Observation { lower, window, look_ahead, phrase, before: None, distance: None }
    }
}
