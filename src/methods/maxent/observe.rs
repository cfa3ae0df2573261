//! Tokens in, what a word sees of them out: the same for a session, which answers while words come, and for training.
//!
//! A text is observed a segment at a time: a word sees no other across the beginning of a sentence that shows, nor across
//! another speaker, an empty line or the beginning of a text.

use super::filling::{FeatureSet, Observation, Values};
use super::gazetteers::Gazetteers;
use super::templates::{PLACES, REACH};
use crate::text::Tokens;
use crate::text::{Break, Token};

/// What is looked at of a word, worked out once for all positions that see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordFeatures {
    /// A hash of its lower case; 0 beyond the ends of a segment.
    pub hash: u64,
    /// The marks around it, and whether a sentence begins there.
    pub marks: u64,
    /// How it is written elsewhere: see [`Group::Profile`](super::Group::Profile); 0 where that is not known.
    pub profile: u16,
    /// The lists that it stands in by itself, a bit each.
    pub lists: u16,
    /// How many words the longest entry of a list has that begins with it.
    pub longest: u8,
    /// How another lexicon writes it: see [`form`](super::gazetteers::form); 0 where that is not known.
    pub form: u8,
    /// The number of its class; 0 where it has none.
    pub cluster: u8,
}

impl WordFeatures {
    /// Returns true where a mark stands right before the word.
    fn has_mark_before(&self) -> bool {
        self.marks >> 32 != 0
    }

    /// Returns true where a mark stands right after the word.
    fn has_mark_after(&self) -> bool {
        self.marks as u32 >> 1 != 0
    }

    /// What is seen of the words before a text that was cut out of a longer one: that there are some.
    pub const UNKNOWN_LEFT: Self =
        Self { hash: 2, marks: 0, profile: 0, lists: 0, longest: 0, form: 0, cluster: 0 };

    /// What is seen of a word.
    pub fn of(lower: &str, token: &Token, profile: u16) -> Self {
        let mark = |mark: Option<char>| mark.map_or(0, u64::from);
        let marks = mark(token.left) << 32 | mark(token.right) << 1 | u64::from(token.starts);
        Self { hash: super::hash::hash(lower.as_bytes()), marks, profile, ..Self::default() }
    }
}

/// The words around one, which is in the middle.
pub type Window = [WordFeatures; PLACES];

/// An entry of a list that covers a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GazetteerMatch {
    /// Its lists, a bit each.
    pub lists: u16,
    /// How many words it has.
    pub words: usize,
    /// How many of them stand before the word.
    pub place: usize,
}

/// What a text shows of whether a sentence begins at a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoundaryEvidence {
    /// Nothing: the model has to find out.
    #[default]
    Nothing,
    /// It does.
    Begins,
    /// It does not.
    Inside,
}

/// Where a text showed a sentence's beginning, it shows all others too for so many words.
const SHOWN: usize = 64;

/// What begins at a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Another text.
    Text,
    /// Another segment of the text.
    Segment,
}

impl Opening {
    /// What begins at a token; `starts` says whether a sentence is known to begin there.
    pub fn of(token: &Token, starts: bool) -> Option<Self> {
        match token.before {
            Break::Document => Some(Self::Text),
            Break::Turn | Break::Paragraph => Some(Self::Segment),
            _ => starts.then_some(Self::Segment),
        }
    }
}

/// So many places without a word stand around those with one: a window of the place behind the last has them all.
const EMPTY: usize = PLACES;

/// So many words are kept at most, so that they are seldom moved.
const KEPT: usize = 256;

/// The words of a segment, as features look at them.
#[derive(Debug)]
pub struct Observer<'a> {
    set: &'a FeatureSet,
    gazetteers: &'a Gazetteers,
    /// What is seen of the words; nothing on both sides, so that each has a window.
    seen: Vec<WordFeatures>,
    /// For how many words more a text shows the beginnings of sentences.
    shows: usize,
    values: Values,
    features: Vec<u64>,
}

impl<'a> Observer<'a> {
    /// An observer of no words yet, for features of a set.
    pub fn new(set: &'a FeatureSet, gazetteers: &'a Gazetteers) -> Self {
        let seen = vec![WordFeatures::default(); EMPTY];
        Self { set, gazetteers, seen, shows: 0, values: Values::default(), features: Vec::new() }
    }

    /// Begins anew with a segment or a text.
    pub fn open(&mut self, opening: Opening) {
        self.seen.clear();
        self.seen.resize(EMPTY, WordFeatures::default());
        if opening == Opening::Text {
            self.shows = 0;
        }
    }

    /// Takes the next word of the segment and tells what the text shows of a sentence's beginning there; `starts` says whether
    /// it shows one.
    pub fn take(&mut self, token: &Token, starts: bool, seen: WordFeatures) -> BoundaryEvidence {
        if self.seen.len() == EMPTY && token.before <= Break::Space && !starts {
            self.see(WordFeatures::UNKNOWN_LEFT);
        }
        self.see(seen);
        self.shows = if starts { SHOWN } else { self.shows.saturating_sub(1) };
        match (starts, self.shows) {
            (true, _) => BoundaryEvidence::Begins,
            (false, 0) => BoundaryEvidence::Nothing,
            (false, _) => BoundaryEvidence::Inside,
        }
    }

    /// Puts what is seen of a word behind the last one.
    fn see(&mut self, seen: WordFeatures) {
        let at = self.end();
        self.seen[at] = seen;
        self.seen.push(WordFeatures::default());
    }

    /// The place behind the last word.
    fn end(&self) -> usize {
        self.seen.len() + REACH - EMPTY
    }

    /// Forgets words that none of the last `waiting` ones sees, where there are many.
    pub fn forget(&mut self, waiting: usize) {
        if self.seen.len() > KEPT {
            self.seen.drain(..self.end() - waiting - REACH);
        }
    }

    /// The features of the word `back` places before the end of what was taken that depend on where it stands; those of the
    /// place behind the last word where `back` is 0. At most `look_ahead` words to the right count.
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

    /// Returns true where the word `back` places before the end stands next to itself, with no mark between, as far as is seen.
    #[inline]
    pub fn is_repeated(&self, back: usize, look_ahead: usize) -> bool {
        let at = self.end() - back;
        is_repeated(&self.seen[at - 1..], look_ahead)
    }
}

/// Whether the second of some words is the first or the third, as far as that is seen, with no mark between them.
#[inline]
fn is_repeated(words: &[WordFeatures], look_ahead: usize) -> bool {
    let is_twice = |first: &WordFeatures, second: &WordFeatures| {
        first.hash == second.hash && !first.has_mark_after() && !second.has_mark_before()
    };
    is_twice(&words[0], &words[1]) || look_ahead > 0 && is_twice(&words[1], &words[2])
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

/// A word of a text that is there as a whole.
#[derive(Debug, Clone, Copy)]
pub struct Observed {
    /// Its place in the text, whose length is the place behind the last word.
    pub at: usize,
    /// What it opens.
    pub opening: Option<Opening>,
    /// What the text shows of a sentence's beginning there; behind the last word what it shows at that.
    pub shown: BoundaryEvidence,
    window: Window,
}

impl Observed {
    /// Whether the word stands next to itself, as far as is seen.
    pub fn is_repeated(&self, look_ahead: usize) -> bool {
        is_repeated(&self.window[REACH - 1..], look_ahead)
    }
}

impl Observer<'_> {
    /// Gives each word of a text, of which this is seen, to `visit`, and at last the place behind the last one.
    pub fn text(&mut self, tokens: &Tokens, seen: &[WordFeatures], mut visit: impl FnMut(&Self, &Observed)) {
        self.open(Opening::Text);
        let tokens = tokens.as_slice();
        let opening = |at: usize| Opening::of(&tokens[at], tokens[at].starts);
        let (mut from, mut last, mut shown) = (0, BoundaryEvidence::Nothing, Vec::new());
        while from < tokens.len() {
            let to = (from + 1..tokens.len()).find(|&at| opening(at).is_some()).unwrap_or(tokens.len());
            if let Some(opening) = opening(from) {
                self.open(opening);
            }
            shown.clear();
            let words = tokens[from..to].iter().zip(&seen[from..to]);
            shown.extend(words.map(|(token, seen)| self.take(token, token.starts, *seen)));
            for (at, &shown) in (from..to).zip(&shown) {
                let opening = if at == from { opening(at) } else { None };
                visit(self, &Observed { at, opening, shown, window: self.window(to - at) });
                last = shown;
            }
            from = to;
        }
        visit(self, &Observed { at: tokens.len(), opening: None, shown: last, window: self.window(0) });
    }

    fn window(&self, back: usize) -> Window {
        let at = self.end() - back;
        std::array::from_fn(|place| self.seen[at + place - REACH])
    }

    /// What there is to see at a word.
    pub fn observation<'w>(
        &self,
        lower: &'w str,
        observed: &'w Observed,
        look_ahead: usize,
    ) -> Observation<'w> {
        let window = &observed.window;
        let phrase = phrase(self.set, self.gazetteers, window, look_ahead);
        Observation { lower, window, look_ahead, phrase, before: None, distance: None }
    }
}
