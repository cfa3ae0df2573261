//! The rules of a [house style](HouseStyle) that depend on the words around a word.

use super::{ChosenWords, Conventions, LanguageTables, NeededWords, Word, Words};
use crate::house_style::StyleRule;
use crate::language::has_word;
use crate::tokens::LinePlace;
use crate::{Case, Choice, Tokens};

/// The number of words after an office that show whether it belongs to a name: `house of the Lords`.
const OFFICE_REACH: usize = 4;

/// The number of words on either side of an office that may be part of it: `deputy prime minister`.
const LONGEST_OFFICE: usize = 2;

/// The extent of an office or institution around one of its words.
#[derive(Debug, Clone, Copy)]
struct Office {
    /// The number of its words before the word.
    before: usize,
    /// The number of its words after the word.
    after: usize,
    /// True if it is an institution that the words after it may name: `House of Commons`.
    is_body: bool,
}

impl Conventions {
    /// Applies the rules of the house style to word `at`.
    pub(super) fn apply_style(
        &self,
        tables: &'static LanguageTables,
        tokens: &Tokens,
        choices: &mut [Choice],
        after: &ChosenWords,
        at: usize,
    ) {
        let words = Words { conventions: self, tables, tokens, choices, after };
        let case = match choices[at].label.case {
            Case::Lower if words.is_capital_of_heading(at) => Case::Title,
            // An elided article stays in lower case: `l'Assemblée`.
            Case::Title | Case::Mixed(_) if words.is_small_office(at) => Case::Lower,
            _ => return,
        };
        choices[at].label.case = case;
        choices[at].confidence = choices[at].confidence.map(|_| 1.0);
    }
}

impl Words<'_> {
    /// Returns the words after a piece that the house style needs.
    pub(super) fn needed_by_style(&self) -> NeededWords {
        let len = self.tokens.len();
        let is_office = |at: &usize| self.has(StyleRule::SmallOffices) && self.is_office_word(self.here(*at));
        let office = (len.saturating_sub(OFFICE_REACH)..len).rev().find(is_office);
        let count = office.map_or(0, |at| OFFICE_REACH + 1 - (len - at));
        let is_heading = self.has(StyleRule::TitleHeadings) && self.here(len - 1).is_in_heading();
        let count = count.max(usize::from(is_heading));
        NeededWords { count, to_letters: false, chosen: office.is_some() }
    }

    fn has(&self, rule: StyleRule) -> bool {
        self.conventions.style.has(rule)
    }

    /// Returns true if a word of a heading has a capital in an English title. Articles, conjunctions and short
    /// prepositions have none, except as the first or the last word.
    fn is_capital_of_heading(&self, at: usize) -> bool {
        let word = self.here(at);
        self.has(StyleRule::TitleHeadings)
            && word.is_in_heading()
            && (!has_word(SMALL_IN_TITLES, word.lower)
                || self.left(at, 1).is_none_or(|before| before.token.right == Some(':'))
                || self.right(at, 1).is_none())
    }

    /// Returns true if a word with a capital is an office or an institution, or part of one, that does not belong to
    /// a name.
    fn is_small_office(&self, at: usize) -> bool {
        let word = self.here(at);
        let has_article = stem(word.lower) != word.lower;
        let is_title = self.has(StyleRule::TitleHeadings) && word.is_in_heading();
        let is_odd = matches!(word.case, Case::Mixed(_)) && !has_article;
        if is_title || is_odd || !self.has(StyleRule::SmallOffices) {
            return false;
        }
        let Some(Office { before, after, is_body }) = self.office(at) else { return false };
        let next = |on: usize| self.right(at, after + on).filter(|_| after + on <= OFFICE_REACH);
        let is_name = |word: Option<Word<'_>>| word.is_some_and(|word| self.is_of_name(word));
        // `the European Commission`; an article that is part of the word (`l'`) begins no name.
        let is_after_name = !has_article && is_name(self.left(at, before + 1));
        // `President Lincoln`.
        let is_before_name = is_name(next(1));
        !(is_after_name || is_before_name || is_body && self.is_named(next))
    }

    /// Returns true if the words after an institution name it: `House of Commons`, `Tribunal de Justicia`, `Assemblée
    /// nationale`. The words after an office such as `president` do not name it.
    fn is_named<'b>(&self, next: impl Fn(usize) -> Option<Word<'b>>) -> bool {
        let facts = self.tables.facts;
        let Some(first) = next(1) else { return false };
        let is_common = |word: Word<'_>| self.tables.is_common(word.lower);
        let is_name = |on: usize| next(on).is_some_and(|word| self.is_of_name(word));
        let is_naming = facts.naming_ends.split_ascii_whitespace().any(|end| first.lower.ends_with(end));
        is_naming && !is_common(first)
            || has_word(facts.name_links, first.lower)
                && (is_name(2) || next(2).is_some_and(is_common) && is_name(3))
    }

    /// Returns the office that a word belongs to.
    fn office(&self, at: usize) -> Option<Office> {
        let is_part = |word: Option<Word<'_>>| word.is_some_and(|word| self.is_office_word(word));
        if !self.is_office_word(self.here(at)) {
            return None;
        }
        let before = (1..=LONGEST_OFFICE).take_while(|&back| is_part(self.left(at, back))).count();
        let after = (1..=LONGEST_OFFICE).take_while(|&on| is_part(self.right(at, on))).count();
        let parts = at as isize - before as isize..=(at + after) as isize;
        let mut parts = parts.filter_map(|at| self.word(at));
        let facts = self.tables.facts;
        // `prime` alone is not an office.
        if parts.clone().all(|word| has_word(facts.office_parts, word.lower)) {
            return None;
        }
        let is_body = parts.any(|word| has_plural(facts.bodies, stem(word.lower)));
        Some(Office { before, after, is_body })
    }

    /// Returns true if a word with a capital may be part of a name.
    fn is_of_name(&self, word: Word<'_>) -> bool {
        word.case.is_slot() && !self.tables.is_common(word.lower) && !self.is_office_word(word)
    }

    /// Returns true if a word names a public office or an institution, or may be part of such a name, such as `prime`
    /// in `prime minister`.
    fn is_office_word(&self, word: Word<'_>) -> bool {
        let facts = self.tables.facts;
        stem(word.lower).split('-').all(|part| {
            has_plural(self.tables.language.institutions, part)
                || has_plural(facts.bodies, part)
                || has_word(facts.office_parts, part)
        })
    }
}

impl Word<'_> {
    fn is_in_heading(&self) -> bool {
        self.token.place == LinePlace::Heading
    }
}

/// Returns a word without an elided article before it: `assemblée` of `l'assemblée`.
fn stem(lower: &str) -> &str {
    lower.rsplit_once(['\'', '’']).map_or(lower, |(_, word)| word)
}

/// Returns true if a list has a word, or the word without the ending of a plural.
fn has_plural(list: &str, word: &str) -> bool {
    let singulars = [Some(word), word.strip_suffix('s'), word.strip_suffix("es")];
    singulars.into_iter().flatten().any(|word| has_word(list, word))
}

/// The words that have no capital inside an English title (The Chicago Manual of Style, section 8.159).
const SMALL_IN_TITLES: &str =
    "a an the and but or nor for as at by from in into of off on onto per to up via with vs";
