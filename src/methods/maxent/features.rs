//! What a model looks at: each template names parts of the context of a word, and each way to fill it is a feature.
//!
//! A feature is a 64-bit hash of its template and of the words in it. Hashes reach files, so neither they nor the numbers of
//! the templates ever change: a new template takes the next number.

use serde::{Deserialize, Serialize};

use crate::text::{Break, Token};

/// The number of the set as a whole: a model trained with another one is refused.
pub const VERSION: u32 = 2;

/// The most words to either side that a template looks at.
pub const REACH: usize = 3;

/// A group of templates, switched on and off by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Group {
    /// The word: w(i)
    Word,
    /// It with a neighbour: (w(i-1), w(i)) and (w(i), w(i+1))
    Bigrams,
    /// It with two: (w(i-2), w(i-1), w(i)) and (w(i-1), w(i), w(i+1))
    Trigrams,
    /// Neighbours without it, to two words on either side
    Neighbours,
    /// Further ones: (w(i), w(i+1), w(i+2)), and words three places away
    Wide,
    /// Its first and last one to four letters
    Affixes,
    /// Its length, its vowels and consonants, digits, hyphens and apostrophes
    Shape,
    /// How it and its neighbours are written elsewhere in the training text: the most frequent case, and its share
    Profile,
    /// The marks next to it, and whether a sentence or a line begins there, where the text shows them
    Marks,
    /// Longer stretches around it: three to five words and their profiles, for the beginnings of sentences
    Spans,
}

impl Group {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Word,
        Self::Bigrams,
        Self::Trigrams,
        Self::Neighbours,
        Self::Wide,
        Self::Affixes,
        Self::Shape,
        Self::Profile,
        Self::Marks,
        Self::Spans,
    ];
}

/// What is looked at of a word, worked out once for all positions that see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// A hash of its lower case; 0 beyond the ends of a sentence.
    pub hash: u64,
    /// The marks around it, and whether a sentence or a line begins there.
    pub marks: u64,
    /// How it is written elsewhere: see [`Group::Profile`]; 0 where that is not known.
    pub profile: u16,
}

impl Seen {
    /// What is seen of a word.
    pub fn of(lower: &str, token: &Token, profile: u16) -> Self {
        let mark = |mark: Option<char>| mark.map_or(0, u64::from);
        let line = matches!(token.before, Break::Line | Break::Cue);
        let marks =
            mark(token.left) << 34 | mark(token.right) << 2 | u64::from(line) << 1 | u64::from(token.starts);
        Self { hash: hash(lower.as_bytes()), marks, profile }
    }
}

/// Appends the features of a word that do not depend on where it stands.
pub fn own(groups: &[Group], lower: &str, seen: Seen, out: &mut Vec<u64>) {
    // The bias.
    out.push(feature(0, &[]));
    for group in groups {
        match group {
            Group::Word => out.push(feature(1, &[seen.hash])),
            Group::Affixes => affixes(lower, out),
            Group::Shape => out.push(feature(30, &[shape(lower)])),
            Group::Profile => out.push(feature(40, &[u64::from(seen.profile)])),
            Group::Bigrams
            | Group::Trigrams
            | Group::Neighbours
            | Group::Wide
            | Group::Marks
            | Group::Spans => {}
        }
    }
}

/// Appends the features of the word `window[REACH]` that depend on where it stands; `window` holds the words around it.
/// Words more than `look_ahead` places to the right are not looked at.
#[inline]
pub fn context(groups: &[Group], window: &Window, look_ahead: usize, out: &mut Vec<u64>) {
    let [left3, left2, left, word, right, right2, right3] = window.map(|seen| seen.hash);
    let can_see = |places: usize| places <= look_ahead;
    // How much a word says depends on how much else is seen.
    out.push(feature(70, &[look_ahead as u64]));
    for group in groups {
        match group {
            Group::Word | Group::Affixes | Group::Shape => {}
            Group::Bigrams => {
                out.push(feature(2, &[left, word]));
                if can_see(1) {
                    out.push(feature(3, &[word, right]));
                }
            }
            Group::Trigrams => {
                out.push(feature(4, &[left2, left, word]));
                if can_see(1) {
                    out.push(feature(5, &[left, word, right]));
                }
            }
            Group::Neighbours => {
                out.push(feature(6, &[left]));
                out.push(feature(7, &[left2, left]));
                if can_see(1) {
                    out.push(feature(8, &[right]));
                    out.push(feature(9, &[left, right]));
                }
                if can_see(2) {
                    out.push(feature(10, &[right, right2]));
                }
            }
            Group::Wide => {
                out.push(feature(11, &[left3, left2, left, word]));
                out.push(feature(12, &[left2, word]));
                out.push(feature(13, &[left3]));
                out.push(feature(14, &[left2]));
                if can_see(2) {
                    out.push(feature(15, &[word, right, right2]));
                    out.push(feature(16, &[word, right2]));
                    out.push(feature(17, &[right2]));
                }
                if can_see(3) {
                    out.push(feature(18, &[right3]));
                }
            }
            Group::Profile => {
                let [_, _, left, word, right, right2, _] = window.map(|seen| u64::from(seen.profile));
                out.push(feature(41, &[left, word]));
                if can_see(1) {
                    out.push(feature(42, &[word, right]));
                    out.push(feature(43, &[left, word, right]));
                }
                if can_see(2) {
                    out.push(feature(44, &[word, right, right2]));
                }
            }
            Group::Spans => {
                out.push(feature(60, &[left3, left2, left]));
                if can_see(1) {
                    out.push(feature(61, &[left2, left, word, right]));
                }
                if can_see(2) {
                    out.push(feature(62, &[left, word, right, right2]));
                    out.push(feature(63, &[left2, left, word, right, right2]));
                }
                if can_see(3) {
                    out.push(feature(64, &[word, right, right2, right3]));
                    out.push(feature(65, &[right, right2, right3]));
                }
                let [left3, left2, left, word, right, right2, _] = window.map(|seen| u64::from(seen.profile));
                out.push(feature(66, &[left3, left2, left, word]));
                if can_see(1) {
                    out.push(feature(67, &[left2, left, word, right]));
                }
                if can_see(2) {
                    out.push(feature(68, &[left, word, right, right2]));
                    out.push(feature(69, &[left2, left, word, right, right2]));
                }
            }
            Group::Marks => {
                let [_, _, left, word, right, _, _] = window.map(|seen| seen.marks);
                out.push(feature(50, &[word]));
                out.push(feature(51, &[left]));
                if can_see(1) {
                    out.push(feature(52, &[right]));
                }
            }
        }
    }
}

/// Appends the features that tell how many words ago a sentence began, they bear on whether one
/// begins here.
#[inline]
pub fn history(distance: usize, word: Seen, out: &mut Vec<u64>) {
    let bucket = bucket(distance) as u64;
    out.extend([feature(80, &[bucket]), feature(81, &[bucket, u64::from(word.profile)])]);
}

/// The most words since the beginning of a sentence that are told apart; 0 stands for a beginning that was not seen.
pub const FAR: usize = 15;

/// The least distance of each bucket; those in between count as one.
pub const DISTANCES: [usize; BUCKETS] = [0, 1, 2, 3, 4, 5, 7, 10, FAR];

/// The bucket of a distance.
#[inline]
pub fn bucket(distance: usize) -> usize {
    DISTANCES[1..].iter().take_while(|&&least| distance >= least).count()
}

/// How many buckets there are.
pub const BUCKETS: usize = 9;

/// All features of a word.
pub fn extract(groups: &[Group], lower: &str, window: &Window, look_ahead: usize, out: &mut Vec<u64>) {
    out.clear();
    own(groups, lower, window[REACH], out);
    context(groups, window, look_ahead, out);
}

fn affixes(lower: &str, out: &mut Vec<u64>) {
    let ends = lower.char_indices().skip(1).map(|(at, _)| at).chain([lower.len()]);
    for (number, end) in (20..24).zip(ends) {
        out.push(feature(number, &[hash(&lower.as_bytes()[..end])]));
    }
    let starts = lower.char_indices().rev().map(|(at, _)| at);
    for (number, start) in (24..28).zip(starts) {
        out.push(feature(number, &[hash(&lower.as_bytes()[start..])]));
    }
}

/// Length, vowels, consonants, and whether there are digits, hyphens, apostrophes or stops.
fn shape(lower: &str) -> u64 {
    let (mut len, mut vowels, mut kinds) = (0u64, 0u64, 0u64);
    for c in lower.chars() {
        len += 1;
        match c {
            'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'á' | 'é' | 'í' | 'ó' | 'ú' | 'à' | 'è' | 'ã' | 'õ' | 'â'
            | 'ê' | 'ô' | 'ë' | 'ï' | 'ö' | 'ü' => vowels += 1,
            '0'..='9' => kinds |= 1,
            '-' => kinds |= 2,
            '\'' => kinds |= 4,
            '.' => kinds |= 8,
            _ => {}
        }
    }
    len.min(15) << 16 | vowels.min(7) << 8 | kinds
}

/// The words around one, which is in the middle.
pub type Window = [Seen; 2 * REACH + 1];

/// The window of word `at` of `seen`.
#[inline]
pub fn window(seen: &[Seen], at: usize) -> Window {
    std::array::from_fn(|place| {
        (at + place).checked_sub(REACH).and_then(|at| seen.get(at)).copied().unwrap_or_default()
    })
}

const K: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
fn mix(hash: u64, part: u64) -> u64 {
    let product = u128::from(hash ^ part) * u128::from(K);
    (product >> 64) as u64 ^ product as u64
}

/// The hash of a template and what fills it.
#[inline]
fn feature(template: u64, parts: &[u64]) -> u64 {
    let start = (template + 1).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mix(parts.iter().fold(start, |hash, &part| mix(hash, part)), K)
}

/// A hash of bytes, eight a step; never 0.
#[inline]
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64 ^ 0x6d61_7865_6e74_3031;
    let (parts, rest) = bytes.as_chunks();
    for part in parts {
        hash = mix(hash, u64::from_le_bytes(*part));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(hash, u64::from_le_bytes(last)) | 1
}
