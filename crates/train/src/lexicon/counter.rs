//! Counts forms in any order, and sorts them into a lexicon at the end.

use rustc_hash::FxHashMap;

use super::sources::SetId;
use super::{CountedForm, Lexicon, LexiconSource};
use majuscule_text::tokens::lower_word;
use majuscule_text::{Case, Locale};

/// Counts the forms of words, in memory that grows only with the number of different forms. Each
/// word costs one hash look-up.
#[derive(Debug, Clone, Default)]
pub struct FormCounter {
    locale: Locale,
    /// The first form of each word.
    words: FxHashMap<Box<str>, u32>,
    /// The forms of each word as a linked list: nearly every word has one or two.
    forms: Vec<Linked>,
    counted: u64,
}

#[derive(Debug, Clone, Copy)]
struct Linked {
    form: CountedForm,
    next: u32,
}

/// The end of a linked list of forms.
const LAST: u32 = u32::MAX;

impl FormCounter {
    /// Creates an empty counter.
    pub fn new(locale: Locale) -> Self {
        Self { locale, ..Self::default() }
    }

    /// Counts one occurrence of a word. The word is in lower case, as in
    /// [`Tokens`](majuscule_text::Tokens).
    #[inline]
    pub fn count(&mut self, word: &str, case: Case, initial: bool) {
        let form = self.form(word, case).0;
        if initial {
            form.initial += 1.0;
        } else {
            form.count += 1.0;
        }
        self.counted += 1;
    }

    /// Adds the counts of another counter.
    pub fn absorb(&mut self, other: &Self) {
        for (word, &first) in &other.words {
            for form in other.chain(first) {
                let sum = self.form(word, form.case).0;
                sum.count += form.count;
                sum.initial += form.initial;
            }
        }
        self.counted += other.counted;
    }

    /// The number of different words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns true if nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Turns the counts into a lexicon with one source.
    pub fn finish(self, source: &str) -> Lexicon {
        let mut lexicon = Lexicon::of_locale(self.locale);
        lexicon.sources.push(LexiconSource::new(source, self.counted));
        let set = lexicon.sets.id(vec![0]);
        self.finish_into(&mut lexicon, |_| set);
        lexicon
    }

    /// Adds to the counts of a form, and returns true if the form is new. The set of sources is
    /// stored only if the form is new.
    pub(super) fn add(&mut self, word: &str, form: CountedForm) -> bool {
        let (sum, is_new) = self.form(word, form.case);
        sum.count += form.count;
        sum.initial += form.initial;
        if is_new {
            sum.sources = form.sources;
        }
        is_new
    }

    /// Appends all words in order to a lexicon without words. Words that a lexicon cannot hold
    /// (those that contain white space) are left out.
    pub(super) fn finish_into(self, lexicon: &mut Lexicon, set: impl Fn(&CountedForm) -> SetId) {
        let mut words: Vec<(&str, u32)> = self.words.iter().map(|(word, &first)| (&**word, first)).collect();
        words.sort_unstable();
        let mut forms: Vec<CountedForm> = Vec::new();
        for (word, first) in words {
            forms.clear();
            for &form in self.chain(first) {
                let Some(case) = fit(word, form.case, self.locale) else { continue };
                let form = CountedForm { case, sources: set(&form), ..form };
                match forms.iter_mut().find(|known| known.case == case) {
                    Some(known) => {
                        known.count += form.count;
                        known.initial += form.initial;
                    }
                    None => forms.push(form),
                }
            }
            forms.sort_unstable_by_key(|form| form.case);
            lexicon.push(word, forms.iter().copied());
        }
    }

    /// Returns the form of a word, and true if the form had to be created.
    #[inline]
    fn form(&mut self, word: &str, case: Case) -> (&mut CountedForm, bool) {
        let new = self.forms.len() as u32;
        let is_new = match self.words.get(word) {
            None => {
                self.words.insert(word.into(), new);
                (new, true)
            }
            Some(&first) => self.find(first, case, new),
        };
        if is_new.1 {
            assert!(new < LAST, "a lexicon holds fewer than 4,294,967,295 forms");
            let form = CountedForm { case, count: 0.0, initial: 0.0, sources: SetId::NONE };
            self.forms.push(Linked { form, next: LAST });
        }
        (&mut self.forms[is_new.0 as usize].form, is_new.1)
    }

    /// Follows a linked list to the form of a case, or appends `new` to it.
    #[inline]
    fn find(&mut self, first: u32, case: Case, new: u32) -> (u32, bool) {
        let mut at = first;
        loop {
            let linked = &mut self.forms[at as usize];
            if linked.form.case == case {
                return (at, false);
            }
            if linked.next == LAST {
                linked.next = new;
                return (new, true);
            }
            at = linked.next;
        }
    }

    fn chain(&self, first: u32) -> impl Iterator<Item = &CountedForm> {
        std::iter::successors(self.forms.get(first as usize), |linked| self.forms.get(linked.next as usize))
            .map(|linked| &linked.form)
    }
}

/// Returns the normalised case of a word (`Upper`, not `Title`, for one letter). `None` if no lexicon can hold the
/// word: it is empty, contains white space, or differs from the lower case of its form.
fn fit(word: &str, case: Case, locale: Locale) -> Option<Case> {
    let form = case.applied(word, locale);
    let (key, case) = spell(&form, locale).ok()?;
    (key == word).then_some(case)
}

/// Returns the word in lower case and the case of a form.
///
/// # Errors
/// The reason why no lexicon can hold the form.
pub(super) fn spell(form: &str, locale: Locale) -> Result<(String, Case), &'static str> {
    if form.is_empty() {
        return Err("is empty");
    }
    if form.chars().any(char::is_whitespace) {
        return Err("has white space in it");
    }
    if locale.letter_count(form) > majuscule_text::case::MAX_LETTERS {
        return Err("has more than 64 letters");
    }
    let mut word = String::with_capacity(form.len());
    lower_word(form, locale, &mut word);
    let case = Case::of(form, locale);
    let mut again = String::with_capacity(form.len());
    let spelled = case.applied(&word, locale);
    lower_word(&spelled, locale, &mut again);
    if word.is_empty() || again != word || Case::of(&spelled, locale) != case {
        return Err("is not a word: it has only invisible characters, or letters that do not compose");
    }
    Ok((word, case))
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_text::tokenize::tokenize;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_word_of_a_text_has_its_position(text in r"([a-zA-ZİıΣσςßŉǄǅéÉ'’\u{301}\u{30c}\u{ad}. -]|\PC){0,40}") {
            for locale in [Locale::Root, Locale::Turkic, Locale::Dutch] {
                let tokens = tokenize(&text, locale, "en");
                let mut counter = FormCounter::new(locale);
                for (word, token) in tokens.iter() {
                    let form = &text[token.source.start as usize..token.source.end as usize];
                    counter.count(word, Case::of(form, locale), false);
                }
                let lexicon = counter.finish("text");
                let total: f64 = lexicon.iter().map(|entry| entry.total()).sum();
                prop_assert_eq!(total, tokens.len() as f64);
            }
        }
    }

    #[test]
    fn forms_are_counted_apart() {
        let mut counter = FormCounter::new(Locale::Root);
        for (case, initial) in
            [(Case::Title, true), (Case::Lower, false), (Case::Title, false), (Case::Lower, false)]
        {
            counter.count("rose", case, initial);
        }
        assert_eq!(counter.len(), 1);
        let lexicon = counter.finish("text");
        assert_eq!(lexicon.sources()[0].words, 4);
        let counts: Vec<_> =
            lexicon.get("rose").unwrap().forms.iter().map(|f| (f.case, f.count, f.initial)).collect();
        assert_eq!(counts, [(Case::Lower, 2.0, 0.0), (Case::Title, 1.0, 1.0)]);
    }

    #[test]
    fn what_no_file_can_hold_is_left_out() {
        let mut counter = FormCounter::new(Locale::Root);
        for word in ["", "a b", "a\tb", "Upper"] {
            counter.count(word, Case::Lower, false);
        }
        counter.count("i", Case::Title, false);
        let lexicon = counter.finish("text");
        assert_eq!(lexicon.len(), 1);
        // In a word of one letter, a capital is all of its letters.
        assert_eq!(lexicon.majority("i"), Some(Case::Upper));
    }
}
