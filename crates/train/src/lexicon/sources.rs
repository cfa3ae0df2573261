//! The sources of forms, and the dates of updates.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use majuscule_base::error::Error;

/// A corpus, list or lexicon from which forms come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LexiconSource {
    name: String,
    /// The number of words or entries in the source.
    pub words: u64,
}

impl LexiconSource {
    /// Creates a source. Control characters in its name become spaces, since the name is written to
    /// files of lines with tabs.
    pub fn new(name: &str, words: u64) -> Self {
        let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let name = if name.trim().is_empty() { "unnamed" } else { name.trim() };
        Self { name: name.to_owned(), words }
    }

    /// The name of the source.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A record of new counts that were added to old counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LexiconUpdate {
    /// The date of the update.
    pub date: Date,
    /// The factor by which older counts were multiplied, from 0 to 1.
    pub decay: f64,
    /// The names of the sources that were added.
    pub sources: Vec<String>,
}

/// A date: year, month, day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Creates a date of the Gregorian calendar; `None` if there is no such day.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
        let days = match month {
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            1..=12 => 31,
            _ => return None,
        };
        (year <= 9999 && (1..=days).contains(&day)).then_some(Self { year, month, day })
    }
}

impl FromStr for Date {
    type Err = Error;

    /// Parses a date such as `2026-11-20`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let parse = || {
            let shape = text.bytes().map(|b| if b.is_ascii_digit() { b'0' } else { b });
            if !shape.eq(*b"0000-00-00") {
                return None;
            }
            Self::new(text[..4].parse().ok()?, text[5..7].parse().ok()?, text[8..].parse().ok()?)
        };
        parse().ok_or_else(|| {
            Error::usage(format!(
                "date \"{}\" is not a day: expected year-month-day, such as 2026-11-20",
                text.escape_debug()
            ))
        })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The index of a source in the list of sources.
pub(super) type SourceId = u16;

/// The id of a set of sources. A lexicon has many forms but few different sets, so a form keeps
/// only the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct SetId(u32);

impl SetId {
    /// The empty set.
    pub(super) const NONE: Self = Self(0);
}

/// Sets of sources, each stored once.
#[derive(Debug, Clone)]
pub(super) struct SourceSets {
    sets: Vec<Vec<SourceId>>,
    ids: BTreeMap<Vec<SourceId>, SetId>,
}

impl Default for SourceSets {
    fn default() -> Self {
        Self { sets: vec![Vec::new()], ids: BTreeMap::from([(Vec::new(), SetId::NONE)]) }
    }
}

impl SourceSets {
    /// The sources of a set, in order.
    pub(super) fn get(&self, id: SetId) -> &[SourceId] {
        &self.sets[id.0 as usize]
    }

    /// The id of a set, whatever the order of its sources.
    pub(super) fn id(&mut self, mut set: Vec<SourceId>) -> SetId {
        set.sort_unstable();
        set.dedup();
        if let Some(&id) = self.ids.get(&set) {
            return id;
        }
        let id = SetId(u32::try_from(self.sets.len()).expect("there are fewer sets than forms in memory"));
        self.sets.push(set.clone());
        self.ids.insert(set, id);
        id
    }

    /// The id of the union of two sets.
    pub(super) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        match (a, b) {
            _ if a == b => a,
            (SetId::NONE, other) | (other, SetId::NONE) => other,
            _ => {
                let set = [self.get(a), self.get(b)].concat();
                self.id(set)
            }
        }
    }

    /// The ids of all sets.
    pub(super) fn ids(&self) -> impl Iterator<Item = SetId> + use<> {
        (0..self.sets.len() as u32).map(SetId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_a_day_of_the_calendar() {
        for good in ["2026-11-20", "2024-02-29", "2000-02-29", "0001-01-01"] {
            assert_eq!(good.parse::<Date>().unwrap().to_string(), good);
        }
        for bad in
            ["", "2026-11-31", "2026-13-01", "2025-02-29", "1900-02-29", "2026-1-1", "20261120", "２026-11-2"]
        {
            assert!(bad.parse::<Date>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_set_of_sources_is_kept_once_whatever_its_order() {
        let mut sets = SourceSets::default();
        let ab = sets.id(vec![1, 0]);
        let (a, b) = (sets.id(vec![0]), sets.id(vec![1]));
        assert_eq!(sets.union(a, b), ab);
        assert_eq!(sets.union(ab, SetId::NONE), ab);
        assert_eq!(sets.get(ab), [0, 1]);
    }
}
