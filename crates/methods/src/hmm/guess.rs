//! Guesses the case of a word that the map lacks: from its parts, its ending, and capitals before
//! it.
//!
//! Endings are used as in Brants 2000, section 2.3: P(case | ending of i letters) is estimated from
//! the rare words with this ending, smoothed by the ending of i - 1 letters. The text of a guesser
//! has one line per ending: the ending, then P(lower), P(title) and P(upper), separated by tabs.
//! The first line has an empty ending. The last line, `^`, has the factors by which a preceding
//! word of capitals changes the probability of each case.

use rustc_hash::FxHashMap;

use majuscule_text::{Case, Class};

/// The cases among which the guesser chooses.
pub const CASES: [Case; 3] = [Case::Lower, Case::Title, Case::Upper];

/// The length of the longest endings, in characters.
pub const LONGEST: usize = 5;

/// The ending that marks the line for words after a word of capitals.
pub const AFTER_CAPITALS: &str = "^";

/// The probability above which a guess is as good as an entry of the map.
const SURE: f32 = 0.9;

/// Guesses the case of a word.
#[derive(Debug, Clone)]
pub struct Guesser {
    endings: FxHashMap<String, [f32; 3]>,
    after_capitals: [f32; 3],
}

impl Guesser {
    /// Reads a guesser.
    ///
    /// # Errors
    /// A message that names the first invalid line.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut endings = FxHashMap::default();
        for (line, text) in (1..).zip(text.lines()) {
            let mut fields = text.split('\t');
            let ending = fields.next().unwrap_or_default();
            let mut numbers = fields.map(str::parse::<f32>);
            let mut number = || numbers.next()?.ok().filter(|p| p.is_finite() && *p >= 0.0);
            let (Some(lower), Some(title), Some(upper)) = (number(), number(), number()) else {
                return Err(format!("line {line}: expected an ending and three numbers, separated by tabs"));
            };
            endings.insert(ending.to_owned(), [lower, title, upper]);
        }
        let after_capitals = endings.remove(AFTER_CAPITALS).ok_or("has no line ^: it is cut off")?;
        if !endings.contains_key("") {
            return Err("has no line for all endings: it is cut off".to_owned());
        }
        Ok(Self { endings, after_capitals })
    }

    /// Returns the case of a word if the guess is certain.
    pub fn sure(&self, lower: &str) -> Option<Case> {
        let fractions = self.costs(lower, false).map(|cost| (-cost).exp());
        let whole: f32 = fractions.iter().sum();
        CASES.into_iter().zip(fractions).find(|(_, fraction)| *fraction > SURE * whole).map(|(case, _)| case)
    }

    /// Returns the costs −ln P of lower, title and upper case, up to a common constant.
    pub fn costs(&self, lower: &str, after_capitals: bool) -> [f32; 3] {
        let starts = lower.char_indices().rev().map(|(at, _)| at).take(LONGEST);
        let known = starts.filter_map(|at| self.endings.get(&lower[at..])).last();
        let fractions = known.or_else(|| self.endings.get("")).copied().unwrap_or([1.0; 3]);
        std::array::from_fn(|case| {
            let factor = if after_capitals { self.after_capitals[case] } else { 1.0 };
            -(fractions[case] * factor).max(f32::MIN_POSITIVE).ln()
        })
    }
}

/// Returns true if a word with this case and number of letters consists of capitals; a word of one
/// letter never counts.
pub fn is_capitals(case: Case, letters: usize) -> bool {
    case.class() == Class::Upper && letters > 1
}
