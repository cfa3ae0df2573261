//! Letters one by one: `I B M`, `J. F. K.`, and words of one letter.

use super::tables::{is_name, is_species};
use super::{LOOK_BACK, Word, Words, is_marked};
use crate::text::{Break, Case};

/// The letters around a letter that are spelled with it.
struct LetterRun {
    letters: String,
    /// The number of letters before the letter.
    place: usize,
    count: usize,
    /// True if a full stop stands after each.
    is_stopped: bool,
}

impl Words<'_> {
    /// Returns the case of a word of one letter.
    pub(super) fn letter(&self, at: usize, word: Word<'_>) -> Option<Case> {
        if word.token.left.is_some_and(|left| !matches!(left, '(' | '[' | '"' | '“' | '«' | '¿' | '¡')) {
            return None;
        }
        let run = self.run(at, word);
        let case = match run.is_stopped {
            true => self.stopped_letter(at, word, &run),
            false if run.count > 1 => self.spelled_letter(at, &run),
            false => None,
        };
        case.or_else(|| self.initial_of_species(at, word)).or_else(|| self.letter_word(at, word))
    }

    /// Returns the run of letters that a letter belongs to.
    fn run(&self, at: usize, word: Word<'_>) -> LetterRun {
        let mut letters = word.lower.to_owned();
        let (mut place, mut on) = (0, 0);
        let mut first = word;
        while place < LOOK_BACK
            && let Some(left) = self.left(at, place + 1)
            && self.links(left, first)
        {
            letters.insert_str(0, left.lower);
            (first, place) = (left, place + 1);
        }
        let mut last = word;
        while let Some(right) = self.right(at, on + 1)
            && self.links(last, right)
        {
            letters.push_str(right.lower);
            (last, on) = (right, on + 1);
        }
        LetterRun {
            letters,
            place,
            count: place + 1 + on,
            is_stopped: word.is_stopped() && (place == 0 || first.is_stopped()),
        }
    }

    /// Returns true if two letters beside each other are spelled together: both with a full stop, or
    /// with nothing between them.
    fn links(&self, first: Word<'_>, second: Word<'_>) -> bool {
        let is_open = match self.conventions.puts_marks {
            // The mark between two letters may come later.
            true => true,
            false if first.is_stopped() => second.is_stopped(),
            false => !is_marked(first.token),
        };
        first.is_letter()
            && second.is_letter()
            && second.token.left.is_none()
            && second.token.before == Break::Space
            && is_open
    }

    /// Returns the case of a letter with a full stop: that of the list if it has the letters (`a. m.`,
    /// `p. ej.`), and a capital in a run of others.
    fn stopped_letter(&self, at: usize, word: Word<'_>, run: &LetterRun) -> Option<Case> {
        let letters: Vec<String> = run.letters.chars().map(String::from).collect();
        // The longest entry that holds the letter.
        for len in (2..=letters.len()).rev() {
            for from in run.place.saturating_sub(len - 1)..=run.place.min(letters.len() - len) {
                let listed = self.tables.abbreviation(&letters[from..from + len].join("."));
                if let Some(Case::Mixed(_) | Case::Upper | Case::Title | Case::Lower) =
                    listed.and_then(|entry| entry.case)
                {
                    let case = listed.and_then(|entry| entry.case)?;
                    let capitals =
                        case.capitals(&letters[from..from + len].join("."), self.conventions.locale);
                    let is_capital = capitals.contains(run.place - from);
                    return Some(if is_capital { Case::Upper } else { Case::Lower });
                }
            }
        }
        if run.count > 1 {
            return Some(Case::Upper);
        }
        let next = self.right(at, 1).filter(|next| next.token.left.is_none())?;
        let pair =
            self.tables.abbreviation(&format!("{}.{}", word.lower, next.lower)).filter(|_| next.is_stopped());
        let listed =
            self.tables.abbreviation(word.lower).filter(|entry| !entry.needs_number || next.is_number());
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
        let (place, count) = (run.place, run.count);
        if is_acronym(0, count) {
            return Some(Case::Upper);
        }
        // A word of one letter beside an acronym: `a f b i agent`, `u n y`.
        if is_word(0) && is_acronym(1, count) {
            return (place > 0).then_some(Case::Upper);
        }
        if is_word(count - 1) && is_acronym(0, count - 1) {
            return (place + 1 < count).then_some(Case::Upper);
        }
        let links = |at: usize| facts.links.contains(letters[at]);
        let before_run = self.left(at, place + 1).map_or("", |word| word.lower);
        let is_list = facts.lettered.contains(&before_run);
        // `as letras b e c`, `vitamina b c e d`.
        if count > 2 && links(count - 2) && (count == 3 || is_list) {
            return Some(if place == count - 2 { Case::Lower } else { Case::Upper });
        }
        let is_spelled = count > 2 || !is_word(0) && !is_word(1);
        is_spelled.then_some(Case::Upper)
    }

    /// Returns a capital for the letter of a genus without its full stop: `e coli`.
    fn initial_of_species(&self, at: usize, word: Word<'_>) -> Option<Case> {
        let epithet = self
            .right(at, 1)
            .filter(|next| next.token.before == Break::Space && next.token.left.is_none())?;
        let is_species =
            word.lower != "a" && !is_name(epithet.lower) && is_species(word.lower, epithet.lower);
        is_species.then_some(Case::Upper)
    }

    /// Returns lower case for a word of one letter after a name, which is no initial: `Silva e`.
    fn letter_word(&self, at: usize, word: Word<'_>) -> Option<Case> {
        let facts = self.tables.facts;
        if word.case != Case::Upper
            || word.token.starts
            || is_marked(word.token)
            || word.token.before != Break::Space
        {
            return None;
        }
        let is_word = facts.links.contains(word.lower)
            || self.conventions.is_marked && facts.articles.contains(word.lower);
        let before = self.left(at, 1)?;
        let follows_name = before.case.is_slot() || before.is_letter();
        (is_word && follows_name && !facts.lettered.contains(&before.lower)).then_some(Case::Lower)
    }
}
