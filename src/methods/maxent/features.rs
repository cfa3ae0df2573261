//! What a model looks at: each template names parts of the context of a word, and each way to fill it is a feature.
//!
//! A feature is a 64-bit hash of its template and of the words in it. Hashes reach files, so neither they nor the numbers of
//! the templates ever change: a new template takes the next number.

use serde::{Deserialize, Serialize};

use super::outside;
use super::profile::is_rare;
use crate::text::Token;

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
    /// The marks next to it, and whether a sentence begins there, where the text shows them
    Marks,
    /// Longer stretches around it: three to five words and their profiles, for the beginnings of sentences
    Spans,
    /// The sequences of two to four letters of a word that was hardly or never seen, its ends marked
    Ngrams,
    /// The lists that it stands in (--list), by itself or within a phrase
    Lists,
    /// It and its neighbours in lists
    ListsAround,
    /// How another lexicon writes it (--forms): the most frequent form, its share and how often the word was seen
    Forms,
    /// It and its neighbours in that lexicon
    FormsAround,
    /// Its class and those of its neighbours, of 255 that are found in the corpus: words that stand among the same words
    Clusters,
    /// The case chosen for the word before it, or that a sentence began there
    Previous,
}

impl Group {
    /// Those that need nothing but a corpus, and help.
    pub const DEFAULT: [Self; 10] = [
        Self::Word,
        Self::Bigrams,
        Self::Trigrams,
        Self::Neighbours,
        Self::Wide,
        Self::Affixes,
        Self::Shape,
        Self::Profile,
        Self::Marks,
        Self::Ngrams,
    ];

    /// Those that look at lists.
    pub const LISTS: [Self; 2] = [Self::Lists, Self::ListsAround];

    /// Those that look at another lexicon.
    pub const FORMS: [Self; 2] = [Self::Forms, Self::FormsAround];

    /// Its name, as it stands in settings and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Bigrams => "bigrams",
            Self::Trigrams => "trigrams",
            Self::Neighbours => "neighbours",
            Self::Wide => "wide",
            Self::Affixes => "affixes",
            Self::Shape => "shape",
            Self::Profile => "profile",
            Self::Marks => "marks",
            Self::Spans => "spans",
            Self::Ngrams => "ngrams",
            Self::Lists => "lists",
            Self::ListsAround => "lists-around",
            Self::Forms => "forms",
            Self::FormsAround => "forms-around",
            Self::Clusters => "clusters",
            Self::Previous => "previous",
        }
    }
}

/// What is looked at of a word, worked out once for all positions that see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// A hash of its lower case; 0 beyond the ends of a sentence.
    pub hash: u64,
    /// The marks around it, and whether a sentence begins there.
    pub marks: u64,
    /// How it is written elsewhere: see [`Group::Profile`]; 0 where that is not known.
    pub profile: u16,
    /// The lists that it stands in by itself, a bit each.
    pub lists: u16,
    /// How many words the longest entry of a list has that begins with it.
    pub longest: u8,
    /// How another lexicon writes it: see [`outside::form`]; 0 where that is not known.
    pub form: u8,
    /// The number of its class; 0 where it has none.
    pub cluster: u8,
}

impl Seen {
    /// What is seen of the words before a text that was cut out of a longer one: that there are some.
    pub const UNSEEN: Self =
        Self { hash: 2, marks: 0, profile: 0, lists: 0, longest: 0, form: 0, cluster: 0 };

    /// What is seen of a word.
    pub fn of(lower: &str, token: &Token, profile: u16) -> Self {
        let mark = |mark: Option<char>| mark.map_or(0, u64::from);
        let marks = mark(token.left) << 32 | mark(token.right) << 1 | u64::from(token.starts);
        Self { hash: hash(lower.as_bytes()), marks, profile, ..Self::default() }
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
            Group::Ngrams if is_rare(seen.profile) => ngrams(lower, &mut |kind, letters| {
                out.push(feature(29, &[kind, hash(letters.as_bytes())]));
            }),
            Group::Ngrams => {}
            Group::Lists => lists(seen.lists, out),
            Group::Forms => {
                out.push(feature(66, &[outside::class(seen.form)]));
                out.push(feature(67, &[u64::from(seen.form)]));
            }
            Group::Clusters => out.push(feature(80, &[u64::from(seen.cluster)])),
            Group::Bigrams
            | Group::Trigrams
            | Group::Neighbours
            | Group::Wide
            | Group::Marks
            | Group::Spans
            | Group::ListsAround
            | Group::FormsAround
            | Group::Previous => {}
        }
    }
}

/// Appends the features of the word `window[REACH]` that depend on where it stands; `window` holds the words around it.
/// Words more than `look_ahead` places to the right are not looked at.
pub fn context(groups: &[Group], window: &Window, look_ahead: usize, out: &mut Vec<u64>) {
    for &group in groups {
        around(group, window, look_ahead, out);
    }
}

// Inlined, those of all groups would be worked out before the loop over some.
#[inline(never)]
fn around(group: Group, window: &Window, look_ahead: usize, out: &mut Vec<u64>) {
    let [left3, left2, left, word, right, right2, right3] = window.map(|seen| seen.hash);
    let can_see = |places: usize| places <= look_ahead;
    match group {
        Group::Word
        | Group::Affixes
        | Group::Shape
        | Group::Ngrams
        | Group::Lists
        | Group::Forms
        | Group::Previous => {}
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
            // How much a word says depends on how much else is seen.
            out.push(feature(110, &[look_ahead as u64]));
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
            out.push(feature(100, &[left3, left2, left]));
            if can_see(1) {
                out.push(feature(101, &[left2, left, word, right]));
            }
            if can_see(2) {
                out.push(feature(102, &[left, word, right, right2]));
                out.push(feature(103, &[left2, left, word, right, right2]));
            }
            if can_see(3) {
                out.push(feature(104, &[word, right, right2, right3]));
                out.push(feature(105, &[right, right2, right3]));
            }
            let [left3, left2, left, word, right, right2, _] = window.map(|seen| u64::from(seen.profile));
            out.push(feature(106, &[left3, left2, left, word]));
            if can_see(1) {
                out.push(feature(107, &[left2, left, word, right]));
            }
            if can_see(2) {
                out.push(feature(108, &[left, word, right, right2]));
                out.push(feature(109, &[left2, left, word, right, right2]));
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
        Group::ListsAround => {
            let [_, _, left, word, right, _, _] = window.map(|seen| u64::from(seen.lists));
            if left | word != 0 {
                out.push(feature(61, &[left, word]));
            }
            if can_see(1) && word | right != 0 {
                out.push(feature(62, &[word, right]));
            }
        }
        Group::FormsAround => {
            let [_, _, left, word, right, _, _] = window.map(|seen| u64::from(seen.form));
            out.push(feature(68, &[left, word]));
            if can_see(1) {
                out.push(feature(69, &[word, right]));
                out.push(feature(70, &[left, word, right]));
            }
        }
        Group::Clusters => {
            let [left3, left2, left, word, right, right2, right3] =
                window.map(|seen| u64::from(seen.cluster));
            let hash = window[REACH].hash;
            out.push(feature(81, &[left]));
            out.push(feature(82, &[left2, left]));
            out.push(feature(83, &[left, word]));
            out.push(feature(84, &[left, hash]));
            out.push(feature(91, &[left3, left2, left, word]));
            if can_see(1) {
                out.push(feature(85, &[right]));
                out.push(feature(86, &[left, word, right]));
                out.push(feature(87, &[hash, right]));
                out.push(feature(88, &[left, hash, right]));
                out.push(feature(92, &[left2, left, word, right]));
            }
            if can_see(2) {
                out.push(feature(89, &[right, right2]));
                out.push(feature(90, &[hash, right, right2]));
                out.push(feature(93, &[left, word, right, right2]));
                out.push(feature(94, &[left2, left, word, right, right2]));
            }
            if can_see(3) {
                out.push(feature(95, &[word, right, right2, right3]));
            }
        }
    }
}

/// Appends the features that tell how many words ago a sentence began, they bear on whether one
/// begins here.
#[inline]
pub fn history(distance: usize, word: Seen, out: &mut Vec<u64>) {
    let bucket = bucket(distance) as u64;
    out.extend([feature(111, &[bucket]), feature(112, &[bucket, u64::from(word.profile)])]);
}

/// Appends the features that tell what was chosen for the word before: a class by its number, [`BEGUN`] or [`NO_WORD`].
#[inline]
pub fn previous(before: usize, word: Seen, out: &mut Vec<u64>) {
    let before = before as u64;
    out.extend([
        feature(113, &[before]),
        feature(114, &[before, u64::from(word.profile)]),
        feature(115, &[before, word.hash]),
    ]);
}

/// Behind the classes, the word before began a sentence, so that its case says nothing;
pub const BEGUN: usize = 4;

/// and there is no word before.
pub const NO_WORD: usize = 5;

/// How many there are of these and the classes.
pub const PREVIOUS: usize = 6;

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

/// Gives all sequences of two to four letters of a word to `visit`, the ends of the word counted as letters: whether one
/// begins (1), ends (2) or is (3) the word, and its letters proper.
fn ngrams<'a>(lower: &'a str, visit: &mut impl FnMut(u64, &'a str)) {
    // `starts[n]` is where the last n letters begin.
    let (mut starts, mut letters) = ([0; 5], 0);
    for end in lower.char_indices().skip(1).map(|(at, _)| at).chain([lower.len()]) {
        starts.rotate_right(1);
        starts[0] = end;
        letters += 1;
        starts[2..].iter().take(letters - 1).for_each(|&start| visit(0, &lower[start..end]));
        if letters <= 3 {
            visit(1, &lower[..end]);
        }
    }
    starts[1..4].iter().take(letters).for_each(|&start| visit(2, &lower[start..]));
    if letters <= 2 {
        visit(3, lower);
    }
}

/// The lists of a word, together and each by itself.
fn lists(lists: u16, out: &mut Vec<u64>) {
    out.push(feature(60, &[u64::from(lists)]));
    if lists.count_ones() > 1 {
        let bits = (0..u16::BITS).map(|list| 1 << list).filter(|bit| lists & bit != 0);
        out.extend(bits.map(|bit: u16| feature(60, &[u64::from(bit)])));
    }
}

/// Length, vowels, consonants, and whether there are digits, hyphens, apostrophes or stops.
pub(super) fn shape(lower: &str) -> u64 {
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
pub(super) fn feature(template: u64, parts: &[u64]) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use ngrams::Ngrams;
    use proptest::prelude::*;

    /// Those of an independent crate, which keeps the ends of the word as letters.
    fn plain(word: &str) -> Vec<String> {
        let letters: Vec<char> = format!("^{word}$").chars().collect();
        let of = |n| Ngrams::new(letters.iter().copied(), n).map(|letters| letters.into_iter().collect());
        (2..=4.min(letters.len())).flat_map(of).collect()
    }

    proptest! {
        #[test]
        fn sequences_of_letters_are_those_of_the_plain_twin(word in "[a-cé]{1,7}|\\PC{1,9}") {
            let mut found = Vec::new();
            ngrams(&word, &mut |kind, letters| {
                let (first, last) = (if kind & 1 == 1 { "^" } else { "" }, if kind & 2 == 2 { "$" } else { "" });
                found.push(format!("{first}{letters}{last}"));
            });
            let mut plain = plain(&word);
            found.sort();
            plain.sort();
            prop_assert_eq!(found, plain);
        }
    }

    #[test]
    fn names_are_those_of_settings() {
        for group in
            Group::DEFAULT.into_iter().chain([Group::Clusters]).chain(Group::LISTS).chain(Group::FORMS)
        {
            assert_eq!(serde_json::to_value(group).unwrap(), group.name());
        }
    }
}
