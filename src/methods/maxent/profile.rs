//! How a word is written in the training text, as a number of two bytes.

use crate::text::{Case, Class};

/// How often a word was seen, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordCounts {
    /// Inside sentences, in each class.
    pub classes: [u32; 4],
    /// At the beginning of sentences.
    pub first: u32,
    /// At their end.
    pub last: u32,
}

impl WordCounts {
    /// Counts an occurrence.
    pub fn add(&mut self, class: Class, first: bool, last: bool) {
        if first {
            self.first += 1;
        } else {
            self.classes[class as usize] += 1;
        }
        self.last += u32::from(last);
    }

    /// The sum of two.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            classes: std::array::from_fn(|class| self.classes[class] + other.classes[class]),
            first: self.first + other.first,
            last: self.last + other.last,
        }
    }

    /// As if one occurrence had not been seen: a word must not be trained on its own count, or what was seen once would
    /// always be known.
    pub fn without(&self, class: Class, first: bool, last: bool) -> Self {
        let mut less = *self;
        if first {
            less.first = less.first.saturating_sub(1);
        } else {
            let count = &mut less.classes[class as usize];
            *count = count.saturating_sub(1);
        }
        less.last = less.last.saturating_sub(u32::from(last));
        less
    }

    /// The number: 0 for a word that was not seen.
    pub fn profile(&self) -> u16 {
        let inside: u32 = self.classes.iter().sum();
        let all = inside + self.first;
        if all == 0 {
            return 0;
        }
        let bucket =
            |share: f64, limits: &[f64]| limits.iter().filter(|&&limit| share >= limit).count() as u16;
        let share = |count: u32, of: u32| f64::from(count) / f64::from(of.max(1));
        let title = bucket(share(self.classes[1], inside), &[0.005, 0.05, 0.2, 0.5, 0.8, 0.95, 0.995]);
        let upper = bucket(share(self.classes[2] + self.classes[3], inside), &[0.01, 0.5, 0.95]);
        let count = bucket(f64::from(inside), &[1.0, 4.0, 30.0]);
        let first = bucket(share(self.first, all), &[0.005, 0.05, 0.3]);
        let last = bucket(share(self.last, all), &[0.005, 0.05, 0.3]);
        1 + (title | upper << 3 | count << 5 | first << 7 | last << 9)
    }
}

/// Whether the number is that of a word seen fewer than four times inside sentences: what rare words look like, words that
/// were never seen look like too (Brants 2000, section 2.3).
#[inline]
pub fn is_rare(profile: u16) -> bool {
    profile == 0 || (profile - 1) >> 5 & 3 < 2
}

/// The case in which a word with this number is mostly written inside sentences; `None` where that is lower case.
pub fn likely_case(profile: u16) -> Option<Case> {
    let (title, upper) = (profile.saturating_sub(1) & 7, profile.saturating_sub(1) >> 3 & 3);
    match (title, upper) {
        (_, 2..) => Some(Case::Upper),
        (4.., _) => Some(Case::Title),
        _ => None,
    }
}
