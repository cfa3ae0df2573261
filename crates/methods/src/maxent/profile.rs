//! The profile of a word: its counts in the training text as a two-byte number.

use majuscule_text::{Case, Class};

/// The counts of a word in the training text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordCounts {
    /// Occurrences inside sentences, by class.
    pub classes: [u32; 4],
    /// Occurrences at the beginning of sentences.
    pub first: u32,
    /// Occurrences at the end of sentences.
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

    /// Returns the sum of two counts.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            classes: std::array::from_fn(|class| self.classes[class] + other.classes[class]),
            first: self.first + other.first,
            last: self.last + other.last,
        }
    }

    /// Returns the counts without one occurrence. An occurrence must not count for its own training
    /// example, or a word seen only once would always be known in training.
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

    /// Returns the profile as a number: 0 for an unseen word.
    pub fn profile(&self) -> u16 {
        let inside: u32 = self.classes.iter().sum();
        let all = inside + self.first;
        if all == 0 {
            return 0;
        }
        let bucket =
            |fraction: f64, limits: &[f64]| limits.iter().filter(|&&limit| fraction >= limit).count() as u16;
        let fraction = |count: u32, of: u32| f64::from(count) / f64::from(of.max(1));
        let title = bucket(fraction(self.classes[1], inside), &[0.005, 0.05, 0.2, 0.5, 0.8, 0.95, 0.995]);
        let upper = bucket(fraction(self.classes[2] + self.classes[3], inside), &[0.01, 0.5, 0.95]);
        let count = bucket(f64::from(inside), &[1.0, 4.0, 30.0]);
        let first = bucket(fraction(self.first, all), &[0.005, 0.05, 0.3]);
        let last = bucket(fraction(self.last, all), &[0.005, 0.05, 0.3]);
        1 + (title | upper << 3 | count << 5 | first << 7 | last << 9)
    }
}

/// Returns true for the profile of a word seen fewer than four times inside sentences: unseen words
/// resemble rare words (Brants 2000, section 2.3).
#[inline]
pub fn is_rare(profile: u16) -> bool {
    profile == 0 || (profile - 1) >> 5 & 3 < 2
}

/// Returns the odds that a sentence begins at a word with a capital, judged by the capital alone.
/// The odds are 1 unless words with this profile were often seen inside sentences, where less than
/// one in five had a capital and hardly any was in all capitals.
#[inline]
pub fn start_odds(profile: u16) -> f32 {
    // A capital in less than one of 200, 20 and 5 occurrences. Most of these words began a
    // quotation.
    const BY_TITLE: [f32; 3] = [1000.0, 500.0, 10.0];
    let bits = profile.wrapping_sub(1);
    let is_known = profile != 0 && bits >> 3 & 3 == 0 && bits >> 5 & 3 == 3;
    let odds = BY_TITLE.get(usize::from(bits & 7)).filter(|_| is_known);
    odds.copied().unwrap_or(1.0)
}

/// Returns true for the profile of a word that was seen often and hardly ever ended a sentence, such
/// as an article.
#[inline]
pub fn never_ends(profile: u16) -> bool {
    let bits = profile.wrapping_sub(1);
    profile != 0 && bits >> 5 & 3 == 3 && bits >> 9 & 3 == 0
}

/// Returns the case in which a word with this profile is mostly written inside sentences; `None` for
/// lower case.
pub fn likely_case(profile: u16) -> Option<Case> {
    let (title, upper) = (profile.saturating_sub(1) & 7, profile.saturating_sub(1) >> 3 & 3);
    match (title, upper) {
        (_, 2..) => Some(Case::Upper),
        (4.., _) => Some(Case::Title),
        _ => None,
    }
}
