//! Lexicons: lower-cased words with the forms in which they were seen, and their counts.

pub mod build;
mod counter;
pub mod json;
pub mod list;
pub mod map;
pub mod moses;
mod operations;
pub mod read;
mod sources;
pub mod tsv;

pub use counter::FormCounter;
pub use list::List;
pub use operations::{FormFilter, VocabularyLimits};
pub use sources::{Date, LexiconSource, LexiconUpdate};

use std::cmp::Ordering;

use majuscule_base::error::{Error, Result};
use majuscule_text::{Case, Locale};
use sources::{SetId, SourceSets};

/// A lexicon: words in the order of their bytes, each with its forms in the order of their cases, lower first. A word
/// is stored as [`lower_word`](majuscule_text::tokens::lower_word) returns it; a form is stored as the case of its
/// spelling.
///
/// ```
/// use majuscule_train::lexicon::{FormCounter, Lexicon};
/// use majuscule_text::{Case, Locale};
///
/// let mut counter = FormCounter::new(Locale::Root);
/// for (word, case) in [("may", Case::Lower), ("may", Case::Title), ("may", Case::Lower)] {
///     counter.count(word, case, false);
/// }
/// let lexicon: Lexicon = counter.finish("three words");
/// assert_eq!(lexicon.majority("may"), Some(Case::Lower));
/// assert_eq!(lexicon.majority("june"), None);
/// ```
#[derive(Debug, Clone)]
pub struct Lexicon {
    language: String,
    locale: Locale,
    sources: Vec<LexiconSource>,
    updates: Vec<LexiconUpdate>,
    sets: SourceSets,
    text: String,
    words: Vec<WordEnd>,
    forms: Vec<CountedForm>,
    notes: Vec<String>,
}

/// The end of a word in the text and in the forms; it begins at the end of the previous word.
#[derive(Debug, Clone, Copy)]
struct WordEnd {
    text: usize,
    forms: usize,
}

/// A spelling of a word, with its counts. They are integers unless an update has decayed them.
#[derive(Debug, Clone, Copy)]
pub struct CountedForm {
    /// The spelling.
    pub case: Case,
    /// The number of occurrences inside sentences, where the position does not affect the case.
    pub count: f64,
    /// The number of occurrences at the beginning of a sentence.
    pub initial: f64,
    sources: SetId,
}

impl CountedForm {
    /// The number of all occurrences.
    pub fn total(&self) -> f64 {
        self.count + self.initial
    }
}

/// A word and its forms.
#[derive(Debug, Clone, Copy)]
pub struct LexiconEntry<'a> {
    /// The word in lower case.
    pub word: &'a str,
    /// The forms of the word, in the order of their cases; at least one.
    pub forms: &'a [CountedForm],
}

impl LexiconEntry<'_> {
    /// The number of occurrences inside sentences.
    pub fn count(&self) -> f64 {
        self.forms.iter().map(|form| form.count).sum()
    }

    /// The number of occurrences at the beginning of a sentence.
    pub fn initial(&self) -> f64 {
        self.forms.iter().map(|form| form.initial).sum()
    }

    /// The number of all occurrences.
    pub fn total(&self) -> f64 {
        self.count() + self.initial()
    }

    /// The number of occurrences of one of the forms inside sentences, or at their beginning if the word
    /// occurs nowhere else.
    pub fn weight(&self, form: &CountedForm) -> f64 {
        if self.count() > 0.0 { form.count } else { form.initial }
    }

    /// Returns the most frequent case of the word inside sentences. For a word seen only at the
    /// beginning of sentences, the occurrences there are counted, except for title case and for a
    /// single capital letter, which may be due to the position; if nothing remains, the case is
    /// lower. Of equally frequent cases, the first in this order is returned: lower, title, upper,
    /// mixed by pattern.
    pub fn majority(&self) -> Case {
        let most = |weight: &dyn Fn(&CountedForm) -> f64| {
            // The forms are in the order of their cases; a later form wins only if it is more
            // frequent.
            let mut best: Option<(f64, Case)> = None;
            for form in self.forms {
                let weight = weight(form);
                if weight > best.map_or(0.0, |(most, _)| most) {
                    best = Some((weight, form.case));
                }
            }
            best.map(|(_, case)| case)
        };
        most(&|form| form.count)
            .or_else(|| most(&|form| if self.is_due_to_position(form) { 0.0 } else { form.initial }))
            .unwrap_or_default()
    }

    /// Returns true if a sentence beginning alone explains the capital of a form.
    fn is_due_to_position(&self, form: &CountedForm) -> bool {
        match form.case {
            Case::Title => true,
            Case::Upper => self.word.chars().filter(|c| c.is_alphanumeric()).count() == 1,
            Case::Lower | Case::Mixed(_) => false,
        }
    }
}

impl Lexicon {
    /// Creates an empty lexicon for a language tag such as `en`, `tr`, `pt-BR` or `root`.
    ///
    /// # Errors
    /// If the tag is not a language tag.
    pub fn new(language: &str) -> Result<Self> {
        let locale = language.parse()?;
        if !language.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) {
            return Err(Error::usage(format!(
                "language \"{}\" is not a language tag: expected letters, digits and hyphens, such as pt-BR",
                language.escape_debug()
            )));
        }
        Ok(Self { language: language.to_owned(), ..Self::of_locale(locale) })
    }

    /// Creates an empty lexicon for a language of which only the case mappings are known.
    pub fn of_locale(locale: Locale) -> Self {
        Self {
            language: locale.to_string(),
            locale,
            sources: Vec::new(),
            updates: Vec::new(),
            sets: SourceSets::default(),
            text: String::new(),
            words: Vec::new(),
            forms: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Notes on parts of the file that no lexicon can hold and that were left out, one sentence
    /// each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The language tag, `root` if the language is not known.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// The locale, which defines the case mappings of the language.
    pub fn locale(&self) -> Locale {
        self.locale
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns true if the lexicon has no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The sources of the lexicon, in the order in which they were added.
    pub fn sources(&self) -> &[LexiconSource] {
        &self.sources
    }

    /// The updates of the lexicon, oldest first.
    pub fn updates(&self) -> &[LexiconUpdate] {
        &self.updates
    }

    /// The sources of a form.
    pub fn sources_of(&self, form: &CountedForm) -> impl ExactSizeIterator<Item = &LexiconSource> {
        self.sets.get(form.sources).iter().map(|&id| &self.sources[usize::from(id)])
    }

    /// All words in the order of their bytes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = LexiconEntry<'_>> {
        (0..self.len()).map(|i| self.entry(i))
    }

    /// Looks up a word by its lower case, in time logarithmic in [`Lexicon::len`].
    pub fn get(&self, word: &str) -> Option<LexiconEntry<'_>> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            let entry = self.entry(middle);
            match entry.word.cmp(word) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(entry),
            }
        }
        None
    }

    /// The most frequent case of a word (see [`LexiconEntry::majority`]); `None` if the lexicon
    /// lacks the word.
    pub fn majority(&self, word: &str) -> Option<Case> {
        self.get(word).map(|entry| entry.majority())
    }

    fn entry(&self, i: usize) -> LexiconEntry<'_> {
        let start = i.checked_sub(1).map_or(WordEnd { text: 0, forms: 0 }, |before| self.words[before]);
        let end = self.words[i];
        LexiconEntry { word: &self.text[start.text..end.text], forms: &self.forms[start.forms..end.forms] }
    }

    /// Appends a word that follows all others in the order of bytes; its forms are in order. A word
    /// without forms is left out.
    fn push(&mut self, word: &str, forms: impl IntoIterator<Item = CountedForm>) {
        let before = self.forms.len();
        self.forms.extend(forms);
        if self.forms.len() > before {
            self.text.push_str(word);
            self.words.push(WordEnd { text: self.text.len(), forms: self.forms.len() });
        }
    }

    /// Creates a lexicon with the same header and no words.
    fn without_words(&self) -> Self {
        Self {
            language: self.language.clone(),
            sources: self.sources.clone(),
            updates: self.updates.clone(),
            sets: self.sets.clone(),
            ..Self::of_locale(self.locale)
        }
    }
}

impl PartialEq for Lexicon {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: &CountedForm, b: &CountedForm| {
            (a.case, a.count, a.initial) == (b.case, b.count, b.initial)
                && self.sets.get(a.sources) == other.sets.get(b.sources)
        };
        (&self.language, self.locale, &self.sources, &self.updates)
            == (&other.language, other.locale, &other.sources, &other.updates)
            && self.len() == other.len()
            && self.iter().zip(other.iter()).all(|(a, b)| {
                a.word == b.word
                    && a.forms.len() == b.forms.len()
                    && a.forms.iter().zip(b.forms).all(|(a, b)| same(a, b))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_text::Capitals;
    use majuscule_text::tokens::lower_word;
    use proptest::prelude::*;

    /// A lexicon of words separated by spaces; `^` marks a word that begins a sentence.
    pub(super) fn lexicon(text: &str) -> Lexicon {
        let mut counter = FormCounter::new(Locale::Root);
        for word in text.split(' ') {
            let (initial, form) = word.strip_prefix('^').map_or((false, word), |word| (true, word));
            let mut word = String::new();
            lower_word(form, Locale::Root, &mut word);
            counter.count(&word, Case::of(form, Locale::Root), initial);
        }
        counter.finish("test")
    }

    /// Words of few letters, so that they repeat, with cases as a tokeniser would find them.
    pub(super) fn occurrences() -> impl Strategy<Value = Vec<(String, Case, bool)>> {
        let form = prop_oneof!["[aA][bB]?[cC]?", "[ÉéœŒßσΣİıǆ'’]{1,3}", r"\PC{1,4}"];
        prop::collection::vec((form, any::<bool>()), 0..60).prop_map(|words| {
            let spell = |(form, initial): (String, bool)| {
                let (word, case) = counter::spell(&form, Locale::Root).ok()?;
                Some((word, case, initial))
            };
            words.into_iter().filter_map(spell).collect()
        })
    }

    proptest! {
        #[test]
        fn every_form_lower_cases_to_its_word(words in occurrences()) {
            let mut counter = FormCounter::new(Locale::Root);
            for (word, case, initial) in &words {
                counter.count(word, *case, *initial);
            }
            let lexicon = counter.finish("test");
            for entry in lexicon.iter() {
                let mut word = String::new();
                lower_word(&entry.majority().applied(entry.word, Locale::Root), Locale::Root, &mut word);
                prop_assert_eq!(word, entry.word);
            }
            let total: f64 = lexicon.iter().map(|entry| entry.total()).sum();
            prop_assert_eq!(total, words.len() as f64);
        }

        #[test]
        fn every_word_is_found_and_stands_in_order(words in occurrences()) {
            let mut counter = FormCounter::new(Locale::Root);
            words.iter().for_each(|(word, case, initial)| counter.count(word, *case, *initial));
            let lexicon = counter.finish("test");
            for (word, case, _) in &words {
                let entry = lexicon.get(word).unwrap();
                prop_assert!(entry.forms.iter().any(|form| form.case == *case));
            }
            prop_assert!(lexicon.iter().zip(lexicon.iter().skip(1)).all(|(a, b)| a.word < b.word));
            prop_assert!(lexicon.iter().all(|entry| entry.forms.is_sorted_by(|a, b| a.case < b.case)));
        }
    }

    #[test]
    fn sentence_beginnings_say_little() {
        let majority = |text: &str| lexicon(text).iter().next().unwrap().majority();
        assert_eq!(majority("^The ^The ^The the"), Case::Lower);
        assert_eq!(majority("^Hence ^Hence"), Case::Lower);
        assert_eq!(majority("^A"), Case::Lower);
        assert_eq!(majority("^NATO ^Nato ^Nato"), Case::Upper);
        assert_eq!(majority("^McDonald"), Case::Mixed(Capitals(0b101)));
        assert_eq!(majority("^USA ^usa ^usa"), Case::Lower);
    }

    #[test]
    fn ties_go_to_the_smaller_change() {
        let majority = |text: &str| lexicon(text).iter().next().unwrap().majority();
        assert_eq!(majority("WHO Who who"), Case::Lower);
        assert_eq!(majority("WHO Who"), Case::Title);
        assert_eq!(majority("wHo WHO"), Case::Upper);
        assert_eq!(majority("wHo whO"), Case::Mixed(Capitals(0b10)));
    }

    #[test]
    fn a_language_is_a_tag() {
        assert_eq!(Lexicon::new("tr").unwrap().locale(), Locale::Turkic);
        for bad in ["", "english!", "en\tx", "en-\n"] {
            assert!(matches!(Lexicon::new(bad), Err(Error::Usage(_))), "{bad:?}");
        }
    }
}
