//! Spellings that no model has to learn: abbreviations, letters one by one, units, species, particles
//! of names. Lists in `lexicons/` and the facts of each language settle them, so that a new entry
//! needs no new model.
//!
//! A convention replaces the case that the method chose, and nothing else: the user's spellings, kept capitals and
//! sentence starts take precedence over it as they do over the method ([`resolve`](super::resolve())). It sees the
//! words and the marks around them, never the capitals of the source, so restoring twice changes nothing. No
//! convention depends on the presence or absence of a mark that may be inserted later: a full stop counts only after
//! words after which none is inserted.

mod letters;
mod names;
mod pairs;
mod stems;
mod style;
mod tables;
mod units;

use super::case::Case;
use super::house_style::HouseStyle;
use super::label::Choice;
use super::locale::Locale;
use super::options::RestoreOptions;
use super::sentence::Abbreviation;
use super::tokens::{Break, Token, Tokens};
use majuscule_base::interrupt::{Interrupt, WORDS_AT_ONCE};
use names::PARTICLES;
use tables::LanguageTables;

/// The number of words before a word that a convention may look at.
const LOOK_BACK: usize = 16;

/// The largest number of words after a word that a convention may look at.
const LOOK_AHEAD: usize = 8;

/// Words with the cases that were chosen for them.
#[derive(Debug, Clone, Default)]
pub struct ChosenWords {
    tokens: Tokens,
    cases: Vec<Case>,
}

impl ChosenWords {
    /// Removes all words and keeps the memory.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.cases.clear();
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Returns true if there are no words.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// Returns true if the last word is one letter.
    fn ends_in_letter(&self) -> bool {
        self.len().checked_sub(1).is_some_and(|last| is_letter(self.tokens.lower(last)))
    }

    /// Appends word `at` of a list with the case chosen for it.
    pub fn push(&mut self, tokens: &Tokens, at: usize, case: Case) {
        self.tokens.extend(tokens, at..at + 1);
        self.cases.push(case);
    }
}

/// The words after a piece that decide the case of one of its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NeededWords {
    /// The largest number of words.
    count: usize,
    /// True if no word after the first word of more than one letter counts.
    to_letters: bool,
    /// True if the cases chosen for these words count.
    chosen: bool,
}

impl NeededWords {
    /// Returns true if no word is needed.
    pub fn is_none(self) -> bool {
        self.count == 0
    }

    /// Returns true if the cases chosen for the words are needed too.
    pub fn are_chosen(self) -> bool {
        self.chosen
    }

    /// Returns the words that meet both needs.
    fn or(self, other: Self) -> Self {
        Self {
            count: self.count.max(other.count),
            to_letters: self.to_letters && other.is_none(),
            chosen: self.chosen || other.chosen,
        }
    }

    /// Returns true if these words are enough.
    pub fn are_met(self, words: &ChosenWords) -> bool {
        let is_over = words.tokens.as_slice().last().is_some_and(opens_line);
        is_over
            || words.len() >= self.count
            || self.to_letters && !words.is_empty() && !words.ends_in_letter()
    }
}

/// The properties of the previous word that the next word on its line depends on.
#[derive(Debug, Clone, Copy, Default)]
struct Trail {
    /// True if any of the other fields is set.
    counts: bool,
    is_number: bool,
    is_stopped: bool,
    /// The number of words since a title of address, 1 if it is the word before; 0 without one near.
    since_title: u8,
}

/// Applies the conventions of a language to the choices of a method, piece by piece.
#[derive(Debug, Clone, Default)]
pub struct Conventions {
    tables: Option<&'static LanguageTables>,
    locale: Locale,
    style: HouseStyle,
    /// The number of words after a word that may be looked at.
    reach: usize,
    /// The last words of a line that continues in the next piece.
    before: ChosenWords,
    /// Memory that is reused for these words.
    spare: ChosenWords,
    /// The properties of the previous word that the case of the next word depends on.
    trail: Trail,
    interrupt: Interrupt,
}

impl Conventions {
    /// Starts a text. A language without lists has no conventions.
    pub fn new(options: &RestoreOptions) -> Self {
        Self {
            tables: LanguageTables::of(options.language()),
            locale: options.locale(),
            style: options.style,
            reach: options.look_ahead.map_or(LOOK_AHEAD, |words| words.min(LOOK_AHEAD)),
            interrupt: options.interrupt.clone(),
            ..Self::default()
        }
    }

    /// Returns the words after `tokens` that are needed to decide the case of one of `tokens`: usually none.
    pub fn needed(&self, tokens: &Tokens, choices: &[Choice]) -> NeededWords {
        let (Some(tables), Some(last)) = (self.tables, tokens.len().checked_sub(1)) else {
            return NeededWords::default();
        };
        let words = Words { conventions: self, tables, tokens, choices, after: &ChosenWords::default() };
        let mut needed = words.needed(last);
        if !self.style.is_empty() {
            needed = needed.or(words.needed_by_style());
        }
        NeededWords { count: needed.count.min(self.reach), ..needed }
    }

    /// Applies the conventions to the choices for the next words. `after` holds the words after them on their line,
    /// as far as these are [needed](Self::needed) and available; `end` is the break after `tokens`. Once the
    /// interrupt flag of the options is set, the remaining words stay unchanged.
    pub fn apply(&mut self, tokens: &Tokens, choices: &mut [Choice], after: &ChosenWords, end: Break) {
        let Some(tables) = self.tables else { return };
        let (slice, lower) = (tokens.as_slice(), tokens.lower_bytes());
        for (at, token) in slice.iter().enumerate() {
            if at % WORDS_AT_ONCE == 0 && self.interrupt.check().is_err() {
                return;
            }
            let case = choices[at].label.case;
            // Most words keep the case that the method chose, and do not affect the next word.
            let word = &lower[token.lower.start as usize..token.lower.end as usize];
            if self.may_count(tables, token, word, case) && !self.is_lone(tables, tokens, at, case) {
                self.settle(tables, tokens, choices, after, at);
            }
            // The words after this one still have the cases that the method chose, in this piece as in the next.
            if !self.style.is_empty() {
                self.apply_style(tables, tokens, choices, after, at);
            }
        }
        match end < Break::Line {
            true => self.remember(tokens, choices),
            false => self.before.clear(),
        }
    }

    /// Applies the conventions to word `at`, and notes its role for the next word.
    fn settle(
        &mut self,
        tables: &'static LanguageTables,
        tokens: &Tokens,
        choices: &mut [Choice],
        after: &ChosenWords,
        at: usize,
    ) {
        let words = Words { conventions: self, tables, tokens, choices, after };
        if let Some(case) = words.settle(at) {
            let choice = &mut choices[at];
            choice.label.case = case;
            choice.confidence = choice.confidence.map(|_| 1.0);
        }
        let (token, lower) = (&tokens.as_slice()[at], tokens.lower(at));
        let may_be_listed = tables.may_count(lower.as_bytes());
        let is_stopped = token.right == Some('.') && may_be_listed;
        let since_title = match self.trail.since_title {
            _ if may_be_listed && tables.is_title(lower, token) => 1,
            since if (1..=PARTICLES as u8).contains(&since) => since + 1,
            _ => 0,
        };
        let is_number = lower.starts_with(|c: char| c.is_ascii_digit());
        let counts = is_number || is_stopped || since_title > 0;
        self.trail = Trail { counts, is_number, is_stopped, since_title };
    }

    /// Returns false if no convention applies to a word, and the word does not affect the next one. The result never
    /// depends on a mark that may be inserted.
    fn may_count(&self, tables: &LanguageTables, token: &Token, word: &[u8], case: Case) -> bool {
        self.trail.counts
            || case == Case::Upper
            || tables.may_count(word)
            || case != Case::Lower && tables.begins_any(word)
            || !token.is_plain && is_odd(tables, token, word)
    }

    /// Returns true if a word is one letter among longer words, as `a` mostly is.
    fn is_lone(&self, tables: &LanguageTables, tokens: &Tokens, at: usize, case: Case) -> bool {
        let word = |at: usize| (at < tokens.len()).then(|| tokens.lower(at));
        let is_long = |word: &str| word.len() > 2 || word.len() == 2 && word.is_ascii();
        let is_letter = matches!(tokens.lower(at).as_bytes(), [letter] if letter.is_ascii_alphabetic())
            && !tables.is_paired(tokens.lower(at));
        let token = &tokens.as_slice()[at];
        if !is_letter || self.trail.counts || token.right.is_some() || joins(token.left) {
            return false;
        }
        let before = at.checked_sub(1).and_then(word).is_some_and(is_long);
        let after = word(at + 1).is_some_and(|word| is_long(word) && !tables::is_epithet(word));
        before && after && (case == Case::Lower || tables.facts.links.is_empty())
    }

    /// Keeps the last words of a line that continues in the next piece.
    fn remember(&mut self, tokens: &Tokens, choices: &[Choice]) {
        let slice = tokens.as_slice();
        let line = slice.iter().rposition(opens_line).unwrap_or(0);
        let from = line.max(tokens.len().saturating_sub(LOOK_BACK));
        let kept = self.before.len().min((LOOK_BACK + from).saturating_sub(tokens.len()));
        let mut before = std::mem::take(&mut self.spare);
        before.clear();
        for at in self.before.len() - kept..self.before.len() {
            before.push(&self.before.tokens, at, self.before.cases[at]);
        }
        (from..tokens.len()).for_each(|at| before.push(tokens, at, choices[at].label.case));
        self.spare = std::mem::replace(&mut self.before, before);
    }
}

/// Returns true if a convention may apply to a word because of its letters or the adjacent marks.
fn is_odd(tables: &LanguageTables, token: &Token, word: &[u8]) -> bool {
    let [first, second, ..] = word else { return true };
    let joint = word.iter().position(|byte| matches!(byte, b'\'' | b'-'));
    first.is_ascii_digit()
        || word.len() == 2 && !first.is_ascii()
        || matches!(second, b'.' | b'\'')
        || word.len() > 2 && word[2] == b'.'
        || token.right.is_some_and(|mark| matches!(mark, '/' | '+' | '-' | '⁺' | '⁻'))
        || joins(token.left)
        || joint.is_some_and(|joint| tables.may_count(&word[..joint]))
}

/// Returns true if a mark before a word joins it to the previous word: `km/h`.
fn joins(left: Option<char>) -> bool {
    left.is_some_and(|mark| matches!(mark, '/' | '-'))
}

/// Returns true if a word is one letter of at most two bytes, as in any alphabet that the languages use.
fn is_letter(lower: &str) -> bool {
    let mut chars = lower.chars();
    lower.len() <= 2
        && chars.next().is_some_and(|c| c.is_alphabetic() && !matches!(c, 'ª' | 'º'))
        && chars.next().is_none()
}

/// Returns true if a line ends before a word.
fn opens_line(token: &Token) -> bool {
    token.before >= Break::Line || token.opens_line
}

/// Returns true if a line ends between two words, or sung text begins or ends there.
fn is_parted(first: &Token, second: &Token) -> bool {
    let is_note = |mark: Option<char>| mark.is_some_and(|mark| matches!(mark, '♪' | '♫'));
    opens_line(second) || is_note(first.right) || is_note(second.left)
}

/// A word as conventions see it.
#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    lower: &'a str,
    token: &'a Token,
    case: Case,
}

impl Word<'_> {
    fn is_letter(&self) -> bool {
        is_letter(self.lower)
    }

    fn is_number(&self) -> bool {
        self.lower.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Returns true if a full stop is after the word.
    fn is_stopped(&self) -> bool {
        self.token.right == Some('.')
    }
}

/// The words of a piece and the words around it, while the conventions are applied.
#[derive(Clone, Copy)]
struct Words<'a> {
    conventions: &'a Conventions,
    tables: &'static LanguageTables,
    tokens: &'a Tokens,
    choices: &'a [Choice],
    after: &'a ChosenWords,
}

impl<'a> Words<'a> {
    /// Returns true if the mark before a word does not join it to other text. In a language with openings such as
    /// `¿`, one may be inserted after any other mark.
    fn is_apart(&self, word: Word<'_>) -> bool {
        word.token.left.is_none_or(|mark| match self.tables.language.opened.is_empty() {
            false => !matches!(mark, '/' | '°' | 'º' | '&' | '#'),
            true => matches!(mark, '(' | '[' | '"' | '“' | '«'),
        })
    }

    fn here(&self, at: usize) -> Word<'a> {
        Word {
            lower: self.tokens.lower(at),
            token: &self.tokens.as_slice()[at],
            case: self.choices[at].label.case,
        }
    }

    /// Returns a word by its position, counted from the first of the piece.
    fn word(&self, at: isize) -> Option<Word<'a>> {
        let of = |words: &'a ChosenWords, at: usize| {
            let token = words.tokens.as_slice().get(at)?;
            Some(Word { lower: words.tokens.lower(at), token, case: words.cases[at] })
        };
        let before = &self.conventions.before;
        match usize::try_from(at) {
            Ok(at) if at < self.tokens.len() => Some(self.here(at)),
            Ok(at) => of(self.after, at - self.tokens.len()),
            Err(_) => of(before, before.len().checked_add_signed(at)?),
        }
    }

    /// Returns the word `back` positions before word `at`, on its line.
    fn left(&self, at: usize, back: usize) -> Option<Word<'a>> {
        (1..=back).try_fold(self.here(at), |word, back| {
            self.word(at as isize - back as isize).filter(|before| !is_parted(before.token, word.token))
        })
    }

    /// Returns the word `on` positions after word `at`, on its line and within reach.
    fn right(&self, at: usize, on: usize) -> Option<Word<'a>> {
        let on = Some(on).filter(|on| *on <= self.conventions.reach)?;
        (1..=on).try_fold(self.here(at), |word, on| {
            self.word((at + on) as isize).filter(|after| !is_parted(word.token, after.token))
        })
    }

    /// Returns the case of word `at` by the conventions; `None` if none applies.
    fn settle(&self, at: usize) -> Option<Case> {
        let word = self.here(at);
        if word.is_letter() {
            let of_letter = || self.paired(at, word).or_else(|| self.letter(at, word));
            return self.unit(at, word).or_else(of_letter);
        }
        self.unit(at, word)
            .or_else(|| self.epithet(at, word))
            .or_else(|| self.abbreviation(at, word))
            .or_else(|| self.joined_abbreviation(at, word))
            .or_else(|| self.initialism(word))
            .or_else(|| self.derived(word))
            .or_else(|| self.paired(at, word))
            .or_else(|| self.after_abbreviation(at, word))
            .or_else(|| self.name(at, word))
    }

    /// Returns the case of an abbreviation.
    fn abbreviation(&self, at: usize, word: Word<'_>) -> Option<Case> {
        if word.case != Case::Lower
            && self.tables.begins_any(word.lower.as_bytes())
            && self.right(at, 1).is_some_and(|next| self.tables.begins(word.lower, next.lower))
        {
            return Some(Case::Lower);
        }
        let entry = self.tables.abbreviation(word.lower)?;
        let is_loose = entry.is_bare || entry.needs_number && word.case != Case::Lower;
        let counts = is_loose || word.is_stopped() && !entry.ends && !entry.needs_number;
        if !counts || entry.case == Some(word.case) || !self.fits(at, entry) {
            return None;
        }
        match entry.case {
            // At the beginning of a line, the method may have chosen the capital for a sentence start.
            Some(Case::Lower) if opens_line(word.token) => Some(Case::Title),
            Some(case) => Some(case),
            None => (word.case == Case::Upper).then_some(Case::Lower),
        }
    }

    /// Returns lower case for a common word after an abbreviation that ends no sentence: `m.b.t. de`.
    fn after_abbreviation(&self, at: usize, word: Word<'_>) -> Option<Case> {
        if word.case != Case::Title
            || !self.conventions.trail.is_stopped
            || !self.tables.is_common(word.lower)
        {
            return None;
        }
        let before = self.left(at, 1).filter(Word::is_stopped)?;
        let pair = self.left(at, 2).filter(|first| first.is_letter() && first.is_stopped());
        let pair =
            pair.and_then(|first| self.tables.abbreviation(&format!("{}.{}", first.lower, before.lower)));
        let entry = pair.or_else(|| self.tables.abbreviation(before.lower))?;
        // `a.m.` and `a.C.` end a sentence occasionally, but a common word after them usually continues it.
        let has_capital = |case: Case| case.capitals(before.lower, self.conventions.locale).contains(0);
        let is_small = entry.case.is_some_and(|case| !has_capital(case));
        let goes_on =
            !entry.is_title && !entry.needs_number && is_small && (!entry.ends || before.lower.contains('.'));
        (goes_on || entry.may_continue && self.continues(entry, word)).then_some(Case::Lower)
    }

    /// Returns true if the words around a listed abbreviation allow it to be one.
    fn fits(&self, at: usize, entry: &Abbreviation) -> bool {
        let follows = entry
            .after
            .as_ref()
            .is_none_or(|after| self.left(at, 1).is_some_and(|word| word.lower == &**after));
        // At the end of a line, an abbreviation that ends no sentence is another word: `her ID.`
        let may_end = entry.ends || entry.case.is_some_and(Case::is_slot) && !entry.is_title;
        let next = self.right(at, 1);
        follows
            && (may_end || next.is_some())
            && (!entry.needs_number || next.is_some_and(|next| self.continues(entry, next)))
    }

    /// Returns true if an abbreviation counts before the word `next`: a word that continues the sentence, if the
    /// entry allows such words, and otherwise a number.
    fn continues(&self, entry: &Abbreviation, next: Word<'_>) -> bool {
        match entry.may_continue {
            true => self.tables.abbreviations.continues(next.lower),
            false => next.is_number(),
        }
    }

    /// Returns lower case for the end of an abbreviation of two words that a hyphen joins: `c.-à-d`.
    fn joined_abbreviation(&self, at: usize, word: Word<'_>) -> Option<Case> {
        if word.token.left != Some('-') || word.token.before != Break::None {
            return None;
        }
        let first = self.left(at, 1).filter(Word::is_stopped)?;
        let entry = self.tables.abbreviation(&format!("{}.-{}", first.lower, word.lower))?;
        (entry.case == Some(Case::Lower)).then_some(Case::Lower)
    }

    /// Returns the case of a word with full stops in it, such as an initialism that no list has: `m.i.t`.
    fn initialism(&self, word: Word<'_>) -> Option<Case> {
        if !word.lower.as_bytes().iter().take(3).any(|&byte| byte == b'.') {
            return None;
        }
        let parts = || word.lower.split('.');
        let count = parts().count();
        if let Some(entry) = self.tables.abbreviation(word.lower).filter(|_| count > 1) {
            return entry.case;
        }
        if count < 2 {
            return None;
        }
        let letters = |part: &str| part.chars().all(char::is_alphabetic).then(|| part.chars().count());
        let is_single = parts().all(|part| letters(part) == Some(1));
        let is_double = || {
            self.tables.language.doubles_letters
                && parts().all(|part| letters(part) == Some(2) && part.chars().next() == part.chars().nth(1))
        };
        if is_single && (count > 2 || !self.tables.language.needs_three_letters) || is_double() {
            return Some(Case::Upper);
        }
        let (genus, epithet) = word.lower.split_once('.')?;
        tables::is_species(genus, epithet)
            .then(|| Case::of(&format!("{}.{epithet}", genus.to_uppercase()), self.conventions.locale))
    }

    /// Returns the words after word `last` that are needed to decide its case.
    fn needed(&self, last: usize) -> NeededWords {
        let word = self.here(last);
        let is_open =
            || self.tables.abbreviation(word.lower).is_some_and(|entry| entry.case != Some(word.case));
        let count = match () {
            () if word.is_letter() => LOOK_AHEAD,
            () if is_open() || self.needs_pair(word) => 1,
            () if word.case != Case::Lower && self.tables.begins_any(word.lower.as_bytes()) => 1,
            () => self.needed_by_name(last),
        };
        NeededWords { count, to_letters: word.is_letter(), chosen: count > 1 && !word.is_letter() }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::language::BUILT_IN;
    use crate::tokenize::tokenize;
    use crate::{Label, write};

    /// Returns the text as conventions spell it, if a method chooses the same case for all words.
    pub(crate) fn spelled(language: &str, text: &str, case: Case) -> String {
        let options = RestoreOptions::default().in_language(Some(language.to_owned()));
        let tokens = tokenize(text, options.locale(), language);
        let mut choices = vec![Choice::from(Label::from(case)); tokens.len()];
        Conventions::new(&options).apply(&tokens, &mut choices, &ChosenWords::default(), Break::Document);
        let options = options.sentence_start(crate::SentenceStart::Never);
        let mut out = Vec::new();
        let decisions: Vec<_> = choices.into_iter().map(crate::Decision::from).collect();
        write::write(text.as_bytes(), &tokens, &decisions, &options, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// Returns words with these numbers, and the choices of their cases.
    fn chosen(words: &[String], cases: &[usize], options: &RestoreOptions) -> (Tokens, Vec<Choice>) {
        let tokens = tokenize(&words.join(" "), options.locale(), options.language());
        let case = |k: &usize| [Case::Lower, Case::Title, Case::Upper][*k];
        let choices = cases.iter().cycle().map(|k| Choice::from(Label::from(case(k))));
        let choices = choices.take(tokens.len()).collect();
        (tokens, choices)
    }

    #[test]
    fn abbreviations_are_spelled_as_listed_whatever_the_method_says() {
        for case in [Case::Lower, Case::Title, Case::Upper] {
            let spelled = spelled("en", "x smith, cf. jones jr. and m.i.t. at 5 p.m. and", case);
            assert!(spelled.contains("cf. ") && spelled.contains(" Jr. "), "{spelled}");
            assert!(spelled.contains("M.I.T.") && spelled.contains("5 p.m."), "{spelled}");
        }
        assert_eq!(spelled("pl", "cf. m.i.t.", Case::Title), "Cf. M.i.t.");
        assert_eq!(spelled("en", "so etc", Case::Title), "So etc");
        assert_eq!(spelled("en", "the dept.", Case::Lower), "the Dept.");
    }

    #[test]
    fn an_abbreviation_with_a_hyphen_is_in_lower_case_to_its_end() {
        for case in [Case::Title, Case::Upper] {
            let spelled = spelled("fr", "il vient c.-à-d. demain", case);
            assert!(spelled.contains(".-à-d. "), "{spelled}");
        }
    }

    #[test]
    fn letters_one_by_one_are_an_acronym_unless_they_are_words() {
        assert_eq!(spelled("en", "at i b m and u s a", Case::Lower), "at I B M and U S A");
        assert_eq!(spelled("en", "i a m", Case::Lower), "i A M");
        assert_eq!(spelled("en", "we met a q there", Case::Lower), "we met a q there");
        assert_eq!(spelled("pt", "silva e a sra ana", Case::Lower), "silva e a Sra ana");
        assert_eq!(spelled("es", "las letras b y c", Case::Lower), "las letras B y C");
        assert_eq!(spelled("es", "a las 5 a. m. en 40 a. c. y", Case::Upper), "A LAS 5 a. m. EN 40 a. C. y");
    }

    #[test]
    fn units_follow_numbers() {
        let text = "5 ml, 5ml, 60 kwh, 95 mg/dl, 20 °c, ca2+ and ml";
        assert_eq!(spelled("en", text, Case::Lower), "5 ml, 5ml, 60 kWh, 95 mg/dL, 20 °C, Ca2+ and ml");
        assert_eq!(spelled("en", "5 -mah and 5 (mah)", Case::Lower), "5 -mah and 5 (mAh)");
        assert_eq!(spelled("en", "5 km and 10am", Case::Title), "5 km And 10am");
        assert_eq!(spelled("en", "4 kv and the 4th kv", Case::Lower), "4 kV and the 4th kv");
        assert_eq!(spelled("en", "the 5 g and e. coli", Case::Upper), "THE 5 G AND E. coli");
    }

    #[test]
    fn a_particle_has_a_capital_behind_a_title_alone() {
        assert_eq!(spelled("nl", "dhr. de wit en jan de wit", Case::Lower), "dhr. De Wit en jan de wit");
        assert_eq!(spelled("nl", "mw. van den berg", Case::Lower), "mw. Van den Berg");
        assert!(spelled("nl", "dhr. de/van wit", Case::Lower).ends_with("/van wit"));
        assert_eq!(spelled("nl", "mevrouw de voorzitter", Case::Lower), "mevrouw de voorzitter");
    }

    #[test]
    fn a_name_is_no_acronym() {
        assert_eq!(spelled("en", "olaf nato grimm", Case::Upper), "Olaf NATO Grimm");
    }

    proptest! {
        #[test]
        fn the_way_of_most_words_is_the_plain_one(
            words in prop::collection::vec("(de|van|dhr|mw|mevrouw|wit|5|a|b|y|e|i|cf|jr|mr|ml|mg|et|al|olaf|coli|homo|sapiens|m\\.i\\.t|ee\\.uu|d'or|sra|house|10am|mcnulty|iphone's|us-rat|ufos|pm|est|po|box|d|st|v|j|ai|heute|morgen|rio|abril|zorb|plok|wizzo|vlan|q'orbo)[.,/+-]?", 1..12),
            cases in prop::collection::vec(0usize..3, 12),
        ) {
            for language in BUILT_IN {
                let options = RestoreOptions::default().in_language(Some(language.to_owned()));
                let (tokens, choices) = chosen(&words, &cases, &options);
                let (mut found, mut plain) = (choices.clone(), choices);
                let after = ChosenWords::default();
                Conventions::new(&options).apply(&tokens, &mut found, &after, Break::Document);
                let Some(tables) = LanguageTables::of(language) else { unreachable!("it has tables") };
                let mut conventions = Conventions::new(&options);
                (0..tokens.len()).for_each(|at| conventions.settle(tables, &tokens, &mut plain, &after, at));
                prop_assert_eq!(found, plain, "{:?}, {}", words, language);
            }
        }

        #[test]
        fn words_one_by_one_are_spelled_as_all_at_once(
            words in prop::collection::vec("(de|van|dhr|mevrouw|wit|5|b|i|cf|ml|et|al|olaf|coli|homo|sapiens|prime|ministers|president|house|of|commons|4th|10am|po|box|d|st|v|j|ai|rio|abril|max|zorb|wizzo|vlan|blim)", 1..12),
            cases in prop::collection::vec(0usize..3, 12),
        ) {
            for language in BUILT_IN {
                let style = "small-offices,title-headings".parse().unwrap();
                let options = RestoreOptions::default().in_language(Some(language.to_owned())).style(style);
                let (tokens, choices) = chosen(&words, &cases, &options);
                let mut whole = choices.clone();
                Conventions::new(&options).apply(&tokens, &mut whole, &ChosenWords::default(), Break::Document);
                let (mut conventions, mut found) = (Conventions::new(&options), choices.clone());
                for at in 0..tokens.len() {
                    let (mut word, mut after) = (Tokens::new(), ChosenWords::default());
                    word.extend(&tokens, at..at + 1);
                    (at + 1..tokens.len()).for_each(|next| after.push(&tokens, next, choices[next].label.case));
                    conventions.apply(&word, &mut found[at..=at], &after, Break::Space);
                }
                prop_assert_eq!(found, whole, "{:?}, {}", words, language);
            }
        }
    }
}
