//! Letters one by one: `I B M`, `J. F. K.`, and words of one letter.

use super::tables::{is_name, is_species};
use super::{LOOK_BACK, Word, Words};
use crate::language::has_word;
use crate::{Break, Case, Mark};

/// A run of letters that are spelled together, and the position of one letter in it.
struct LetterRun {
    letters: String,
    /// The number of letters before the letter.
    position: usize,
    count: usize,
    /// True if a full stop is after each letter.
    is_stopped: bool,
}

/// Returns true if a mark may be inserted between two letters.
fn is_between(mark: char) -> bool {
    Mark::of(mark) != Mark::None
}

impl Words<'_> {
    /// Returns the case of a word of one letter.
    pub(super) fn letter(&self, at: usize, word: Word<'_>) -> Option<Case> {
        if !self.is_apart(word) {
            return None;
        }
        if self.is_versus(at, word) {
            return Some(Case::Lower);
        }
        let run = self.run(at, word);
        let case = match run.is_stopped {
            true => self.stopped_letter(at, word, &run),
            false if run.count > 1 => self.spelled_letter(at, &run),
            false => None,
        };
        case.or_else(|| self.initial_of_species(at, word)).or_else(|| self.letter_word(at, word))
    }

    /// Returns true for the `v.` between the parties of a case: `Roe v. Wade`, but `George V. Higgins`.
    fn is_versus(&self, at: usize, word: Word<'_>) -> bool {
        let is_party = |word: &Word<'_>| word.case.is_slot() && !word.is_letter();
        self.tables.language.has_versus
            && word.lower == "v"
            && word.is_stopped()
            && self.right(at, 1).as_ref().is_some_and(is_party)
            && self.left(at, 1).filter(is_party).is_some_and(|before| !is_name(before.lower))
    }

    /// Returns the run of letters that a letter belongs to: letters that all have a full stop, or
    /// letters with nothing between them.
    fn run(&self, at: usize, word: Word<'_>) -> LetterRun {
        let right = |on: usize| self.right(at, on).filter(|word| self.is_open_letter(*word));
        let is_whole = |word: &Word<'_>| word.is_letter() && word.token.before != Break::None;
        let left = |back: usize| self.left(at, back).filter(is_whole);
        let stopped = |word: Option<Word<'_>>| word.is_some_and(|word| self.is_stopped_letter(word));
        let is_stopped = stopped(Some(word))
            && (stopped(right(1)) || self.is_open_letter(word) && stopped(left(1)) || left(1).is_none());
        // Other marks between two letters may be inserted later.
        let links = |first: Word<'_>, second: Option<Word<'_>>, third: Option<Word<'_>>| match second {
            None => false,
            Some(second) if is_stopped => self.is_stopped_letter(first) && self.is_stopped_letter(second),
            // The full stop of the last letter may be the end of the sentence.
            Some(second) => {
                !self.is_stopped_letter(first)
                    && first.token.right.is_none_or(is_between)
                    && !(self.is_stopped_letter(second) && stopped(third))
            }
        };
        let mut letters = word.lower.to_owned();
        let (mut position, mut on) = (0, 0);
        let (mut first, mut second) = (word, right(1));
        while position < LOOK_BACK
            && self.is_open_letter(first)
            && let Some(before) = left(position + 1)
            && links(before, Some(first), second)
        {
            letters.insert_str(0, before.lower);
            (second, first, position) = (Some(first), before, position + 1);
        }
        let mut last = word;
        while links(last, right(on + 1), right(on + 2)) {
            let Some(next) = right(on + 1) else { break };
            letters.push_str(next.lower);
            (last, on) = (next, on + 1);
        }
        LetterRun { letters, position, count: position + 1 + on, is_stopped }
    }

    /// Returns true if the word is a letter with nothing but a space before it.
    fn is_open_letter(&self, word: Word<'_>) -> bool {
        word.is_letter() && word.token.before == Break::Space && self.is_apart(word)
    }

    /// Returns true if a full stop is after a letter that is not itself a word. After a word, the stop may be
    /// inserted.
    fn is_stopped_letter(&self, word: Word<'_>) -> bool {
        word.is_stopped() && !self.tables.language.one_letter.contains(word.lower)
    }

    /// Returns the case of a letter with a full stop: its case in the list of abbreviations if the list has these
    /// letters (`a. m.`, `p. ej.`), and a capital in any other run of letters.
    fn stopped_letter(&self, at: usize, word: Word<'_>, run: &LetterRun) -> Option<Case> {
        let letters: Vec<String> = run.letters.chars().map(String::from).collect();
        // The longest entry that holds the letter.
        for len in (2..=letters.len()).rev() {
            for from in run.position.saturating_sub(len - 1)..=run.position.min(letters.len() - len) {
                let listed = self.tables.abbreviation(&letters[from..from + len].join("."));
                if let Some(Case::Mixed(_) | Case::Upper | Case::Title | Case::Lower) =
                    listed.and_then(|entry| entry.case)
                {
                    let case = listed.and_then(|entry| entry.case)?;
                    let capitals =
                        case.capitals(&letters[from..from + len].join("."), self.conventions.locale);
                    let is_capital = capitals.contains(run.position - from);
                    return Some(if is_capital { Case::Upper } else { Case::Lower });
                }
            }
        }
        if run.count > 1 {
            return Some(Case::Upper);
        }
        let next = self.right(at, 1)?;
        let joint = match (next.token.left, next.token.before) {
            (Some('-'), Break::None) => ".-",
            _ if self.is_apart(next) => ".",
            _ => return None,
        };
        let pair = self.tables.abbreviation(&format!("{}{joint}{}", word.lower, next.lower));
        let pair = pair.filter(|_| next.is_stopped());
        let listed = self.tables.abbreviation(word.lower);
        let listed = listed.filter(|entry| !entry.needs_number || next.is_number());
        match pair.or(listed)?.case? {
            Case::Lower => Some(Case::Lower),
            _ => None,
        }
    }

    /// Returns the case of a letter among others without full stops.
    fn spelled_letter(&self, at: usize, run: &LetterRun) -> Option<Case> {
        let facts = self.tables.facts;
        let letters: Vec<char> = run.letters.chars().collect();
        let is_word = |at: usize| facts.letter_words.contains(letters[at]);
        if letters.iter().all(|&c| facts.letter_words.contains(c)) {
            return None;
        }
        let is_acronym = |from: usize, to: usize| {
            to - from > 1 && self.tables.is_acronym(&letters[from..to].iter().collect::<String>())
        };
        let (position, count) = (run.position, run.count);
        if is_acronym(0, count) {
            return Some(Case::Upper);
        }
        // An acronym that is a common word if its letters are joined: `u s`.
        if has_word(facts.spelled, &run.letters) {
            return Some(Case::Upper);
        }
        let is_acronym = |from: usize, to: usize| {
            is_acronym(from, to) || has_word(facts.spelled, &letters[from..to].iter().collect::<String>())
        };
        // A word of one letter next to an acronym: `a f b i agent`, `u n y`.
        if is_word(0) && is_acronym(1, count) {
            return (position > 0).then_some(Case::Upper);
        }
        if is_word(count - 1) && is_acronym(0, count - 1) {
            return (position + 1 < count).then_some(Case::Upper);
        }
        let links = |at: usize| facts.between.contains(letters[at]);
        let before_run = self.left(at, position + 1);
        let is_list = before_run.is_some_and(|word| has_word(facts.lettered, word.lower));
        // `10 a m`, `siglo x a c`.
        let joined: String = letters[count - 2..].iter().flat_map(|&c| [c, '.']).collect();
        let listed = self.tables.abbreviation(joined.trim_end_matches('.')).and_then(|entry| entry.case);
        let is_hour = |word: Word<'_>| word.is_number() || has_word(facts.hours, word.lower);
        let is_time = count == 2 && before_run.is_some_and(is_hour);
        if let Some(case @ (Case::Lower | Case::Mixed(_))) = listed
            && position + 2 >= count
            && (is_time || case != Case::Lower)
        {
            let capitals = case.capitals(&joined, self.conventions.locale);
            let is_capital = capitals.contains(position + 2 - count);
            return Some(if is_capital { Case::Upper } else { Case::Lower });
        }
        // `as letras b e c`, `vitamina b c e d`.
        if count > 2 && links(count - 2) && (count == 3 || is_list) {
            // `a vitamina b e a vitamina c`.
            if position + 1 == count
                && facts.articles.contains(letters[position])
                && self.right(at, 1).is_some()
            {
                return None;
            }
            return Some(if position == count - 2 { Case::Lower } else { Case::Upper });
        }
        // `a b c` may be an article before two letters, `é r u i` a word before a name, and `j o s e y` a
        // name before a word.
        let is_article = count == 3 || !letters[0].is_ascii();
        let is_link = letters[count - 1] == 'y' && links(count - 1);
        if position == 0 && is_word(0) && is_article || position + 1 == count && is_link {
            return None;
        }
        let is_spelled = count > 2 || !is_word(0) && !is_word(1);
        is_spelled.then_some(Case::Upper)
    }

    /// Returns a capital for the letter of a genus without its full stop: `e coli`.
    fn initial_of_species(&self, at: usize, word: Word<'_>) -> Option<Case> {
        let epithet =
            self.right(at, 1).filter(|next| next.token.before == Break::Space && self.is_apart(*next))?;
        let is_species =
            word.lower != "a" && !is_name(epithet.lower) && is_species(word.lower, epithet.lower);
        is_species.then_some(Case::Upper)
    }

    /// Returns lower case for a word of one letter after a name, which is not an initial: `Silva e`.
    fn letter_word(&self, at: usize, word: Word<'_>) -> Option<Case> {
        let facts = self.tables.facts;
        if word.case != Case::Upper || word.token.before != Break::Space || self.is_stopped_letter(word) {
            return None;
        }
        let before = self.left(at, 1)?;
        let follows_link = before.case == Case::Lower && facts.links.contains(before.lower);
        let is_word = facts.links.contains(word.lower) || follows_link && facts.articles.contains(word.lower);
        let follows_name = before.case.is_slot() || before.is_letter();
        (is_word && follows_name && !has_word(facts.lettered, before.lower)).then_some(Case::Lower)
    }
}
