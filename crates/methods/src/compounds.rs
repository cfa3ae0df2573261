//! Guesses the capitals of compounds in mixed case that no list of spellings contains: `l'Olympia`,
//! `EU-lidstaat`.

use rustc_hash::FxHashMap;

use majuscule_text::compound::{compound, is_joint};
use majuscule_text::{Capitals, Case, Locale};

/// The cases of the parts of compounds, learned from the spellings of known compounds.
#[derive(Debug)]
pub struct Compounds {
    parts: FxHashMap<Box<str>, Case>,
    /// The case of an unknown part after an acronym: Dutch has `EU-lidstaat`, German `EU-Staat`.
    after_acronym: Case,
}

/// Prefixes that keep a small letter before a name: `anti-European`, `trans-Siberian`.
const PREFIXES: [&str; 15] = [
    "anti", "ex", "extra", "inter", "intra", "mid", "neo", "non", "pan", "post", "pre", "pro", "sub",
    "super", "trans",
];

impl Compounds {
    /// Learns from a text of spellings, one per line.
    pub fn new(text: &str, locale: Locale) -> Self {
        let mut counts: FxHashMap<String, [u32; 3]> = FxHashMap::default();
        let mut after_acronym = [0u32; 3];
        for spelling in text.lines().filter(|spelling| spelling.contains(is_joint)) {
            let mut before = None;
            for part in spelling.split(is_joint) {
                let kind = match Case::of(part, locale) {
                    Case::Lower => 0,
                    Case::Upper if locale.letter_count(part) > 1 => 2,
                    _ => 1,
                };
                counts.entry(locale.lower(part)).or_default()[kind] += 1;
                after_acronym[kind] += u32::from(before == Some(2));
                before = Some(kind);
            }
        }
        let case = |[lower, title, upper]: [u32; 3]| match lower.max(title).max(upper) {
            most if most == title => Case::Title,
            most if most == upper => Case::Upper,
            _ => Case::Lower,
        };
        let parts = counts.into_iter().map(|(part, counts)| (part.into(), case(counts)));
        Self { parts: parts.collect(), after_acronym: case(after_acronym) }
    }

    /// Returns the capitals of a compound in mixed case. `known` returns the case of a part that the
    /// model knows. Returns `None` if no part can have a capital.
    pub fn mixed(
        &self,
        lower: &str,
        locale: Locale,
        known: impl Fn(&str) -> Option<Case>,
    ) -> Option<Capitals> {
        let acronym = |part: &str| self.part(part, &known) == Some(Case::Upper);
        let guess = |part: &str| match part {
            _ if precedes(part, lower, '\'') => Case::Lower,
            _ if precedes(part, lower, '-') && PREFIXES.contains(&part) => Case::Lower,
            _ if !lower.starts_with(part) && acronym(lower.split(is_joint).next().unwrap_or(lower)) => {
                self.after_acronym
            }
            _ if !lower.starts_with(part) && !lower.ends_with(part) && locale.letter_count(part) <= 3 => {
                Case::Lower
            }
            _ => Case::Title,
        };
        let capitals = |case: &dyn Fn(&str) -> Case| {
            let capitals = compound(lower, locale, |part| Some(case(part))).capitals(lower, locale);
            Some(capitals).filter(|capitals| capitals.0 != 0)
        };
        let by_parts = |part: &str| self.part(part, &known).unwrap_or_else(|| guess(part));
        // If no known part has a capital, all parts are guessed: a part that is seldom a name may be
        // one in a compound.
        capitals(&by_parts).or_else(|| capitals(&guess))
    }

    fn part(&self, part: &str, known: impl Fn(&str) -> Option<Case>) -> Option<Case> {
        self.parts.get(part).copied().or_else(|| known(part))
    }
}

/// Returns true if a compound begins with this part and this joint.
fn precedes(part: &str, lower: &str, joint: char) -> bool {
    lower.strip_prefix(part).is_some_and(|rest| rest.starts_with(joint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed(text: &str, lower: &str) -> Option<String> {
        let capitals = Compounds::new(text, Locale::Root).mixed(lower, Locale::Root, |_| None)?;
        Some(Case::of_capitals(capitals, lower, Locale::Root).applied(lower, Locale::Root))
    }

    #[test]
    fn a_compound_without_a_spelling_has_its_names_in_capitals() {
        let spellings = [
            "Roland-Garros",
            "l'Olympia",
            "dell'Ucraina",
            "qu'Ursula",
            "Boulogne-sur-Mer",
            "non-European",
            "O'Leary",
            "Jean-Pierre's",
            "l'Inter",
        ];
        for spelling in spellings {
            assert_eq!(mixed("", &spelling.to_lowercase()).as_deref(), Some(spelling));
        }
        for word in ["l'", "-", "non-"] {
            assert_eq!(mixed("", word), None, "{word}");
        }
    }

    #[test]
    fn parts_have_the_case_that_other_compounds_show() {
        let [dutch, german] =
            ["EU-burger\nEU-beleid\nVN-gezant\nAnti-VN\n", "EU-Staat\nUN-Rat\nBerlin-weit\n"];
        assert_eq!(mixed(dutch, "eu-lidstaat").as_deref(), Some("EU-lidstaat"));
        assert_eq!(mixed(dutch, "vn-burger").as_deref(), Some("VN-burger"));
        assert_eq!(mixed(german, "eu-land").as_deref(), Some("EU-Land"));
        assert_eq!(mixed(german, "weit-weit").as_deref(), Some("Weit-Weit"), "one of them is a name here");
    }

    #[test]
    fn a_part_that_the_model_knows_has_its_case() {
        let known = |part: &str| Some(if part == "onu" { Case::Upper } else { Case::Lower });
        let capitals = |lower| Compounds::new("", Locale::Root).mixed(lower, Locale::Root, known);
        assert_eq!(capitals("onu-armee"), Some(Capitals(0b111)));
        assert_eq!(capitals("l'europe"), Some(Capitals(0b10)));
    }
}
