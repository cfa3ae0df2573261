//! Derives lexicons from others: limits, merges, and updates that decay old counts.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::sources::{SetId, SourceId};
use super::{CountedForm, Date, Lexicon, LexiconEntry, LexiconSource, LexiconUpdate};
use majuscule_base::error::{Error, Result};
use majuscule_text::{Case, Locale};

/// The limits of the words that stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::Args)]
pub struct VocabularyLimits {
    /// Drop words seen fewer times than this, in whatever case
    #[arg(long, value_name = "N")]
    pub min_count: Option<u64>,
    /// Keep the N most frequent words, with all of their forms
    #[arg(long, value_name = "N")]
    pub vocabulary: Option<usize>,
}

/// The forms that stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum FormFilter {
    /// All forms.
    #[default]
    All,
    /// The most frequent form of each word.
    Majority,
    /// The mixed-case forms: McDonald, iPhone.
    Mixed,
    /// The forms with capitals that are hardly ever written otherwise: spellings that are safe for
    /// restore --words.
    Certain,
}

impl Lexicon {
    /// Returns a lexicon of the words within the limits, with all of their forms. Every occurrence of a word counts;
    /// of equally frequent words at the limit, the first in byte order are kept.
    pub fn limit(&self, limits: VocabularyLimits) -> Self {
        let least = limits.min_count.unwrap_or(0) as f64;
        let mut kept: Vec<usize> = (0..self.len()).filter(|&i| self.entry(i).total() >= least).collect();
        if let Some(vocabulary) = limits.vocabulary {
            kept.sort_by(|&a, &b| self.entry(b).total().total_cmp(&self.entry(a).total()).then(a.cmp(&b)));
            kept.truncate(vocabulary);
            kept.sort_unstable();
        }
        let mut lexicon = self.without_words();
        for i in kept {
            let LexiconEntry { word, forms } = self.entry(i);
            lexicon.push(word, forms.iter().copied());
        }
        lexicon
    }

    /// Returns a lexicon with some of the forms. Under [`FormFilter::Majority`], a word seen only
    /// at sentence beginnings may keep a form without counts, in lower case.
    pub fn keep(&self, keep: FormFilter) -> Self {
        let mut lexicon = self.without_words();
        for entry in self.iter() {
            match keep {
                FormFilter::All => lexicon.push(entry.word, entry.forms.iter().copied()),
                FormFilter::Majority => lexicon.push(entry.word, [majority_form(&entry)]),
                FormFilter::Mixed => {
                    let mixed = entry.forms.iter().filter(|form| matches!(form.case, Case::Mixed(_)));
                    lexicon.push(entry.word, mixed.copied());
                }
                FormFilter::Certain => lexicon.push(entry.word, certain_form(&entry)),
            }
        }
        lexicon
    }

    /// Merges two lexicons: counts are added, and each form keeps its sources. Sources with the
    /// same name become one.
    ///
    /// # Errors
    /// If their languages have different case mappings, or if there are more than 65,536 sources.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        let mut merged = Self::of_locale(self.locale);
        merged.language = common_language(self, other)?;
        merged.sources = self.sources.clone();
        merged.sets = self.sets.clone();
        merged.updates = self.updates.clone();
        merged.updates.extend(other.updates.iter().filter(|update| !self.updates.contains(update)).cloned());
        merged.updates.sort_by_key(|update| update.date);
        let sets = merged.add_sources(other)?;
        let renamed = |form: &CountedForm| CountedForm { sources: sets[&form.sources], ..*form };

        let (mut left, mut right) = (self.iter().peekable(), other.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => return Ok(merged),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.word.cmp(b.word),
            };
            let a = if order.is_le() { left.next() } else { None };
            let b = if order.is_ge() { right.next() } else { None };
            let word = a.or(b).map_or("", |entry| entry.word);
            let mut forms: Vec<CountedForm> = a.map_or(Vec::new(), |entry| entry.forms.to_vec());
            for form in b.map_or(&[][..], |entry| entry.forms).iter().map(renamed) {
                match forms.iter_mut().find(|known| known.case == form.case) {
                    Some(known) => {
                        known.count += form.count;
                        known.initial += form.initial;
                        known.sources = merged.sets.union(known.sources, form.sources);
                    }
                    None => forms.push(form),
                }
            }
            forms.sort_unstable_by_key(|form| form.case);
            merged.push(word, forms);
        }
    }

    /// Adds the counts of a new lexicon after decay: each old count is first multiplied by `decay`, so that current
    /// words and spellings replace old ones without training again. Forms whose counts decay to nothing are removed.
    ///
    /// This is the dynamic vocabulary that Batista et al. 2007 leave for later work (section 6).
    ///
    /// # Errors
    /// If the decay is not from 0 to 1, if the date is before an update of either lexicon, or if the two
    /// lexicons cannot be [merged](Lexicon::merge).
    pub fn update(&self, new: &Self, decay: f64, date: Date) -> Result<Self> {
        if !(0.0..=1.0).contains(&decay) {
            return Err(Error::usage(format!(
                "decay {decay} is out of range: expected a number from 0 to 1"
            )));
        }
        let mut faded = self.without_words();
        for entry in self.iter() {
            let fade = |form: &CountedForm| CountedForm {
                count: form.count * decay,
                initial: form.initial * decay,
                ..*form
            };
            faded.push(entry.word, entry.forms.iter().map(fade).filter(|form| form.total() > 0.0));
        }
        let mut updated = faded.merge(new)?;
        if let Some(last) = updated.updates.last().filter(|last| last.date > date) {
            let problem = format!("date {date} is before the last update, {}: give a later one", last.date);
            return Err(Error::usage(problem));
        }
        let sources = new.sources.iter().map(|source| source.name().to_owned()).collect();
        updated.updates.push(LexiconUpdate { date, decay, sources });
        Ok(updated)
    }

    /// Sets the language, which must have the same case mappings.
    ///
    /// # Errors
    /// If the tag is not a language tag or has different case mappings.
    pub fn with_language(mut self, language: &str) -> Result<Self> {
        let named = Self::new(language)?;
        if named.locale != self.locale {
            return Err(Error::usage(format!(
                "language {language} has the case mappings of {}, but the lexicon has the case mappings of {}: build it again",
                named.locale, self.locale
            )));
        }
        self.language = named.language;
        Ok(self)
    }

    /// Adds the sources of another lexicon, and returns the new id of each of its sets.
    fn add_sources(&mut self, other: &Self) -> Result<BTreeMap<SetId, SetId>> {
        let mut ids: Vec<SourceId> = Vec::with_capacity(other.sources.len());
        for source in &other.sources {
            ids.push(self.add_source(source)?);
        }
        let new_set = |id| other.sets.get(id).iter().map(|&old| ids[usize::from(old)]).collect();
        Ok(other.sets.ids().map(|id| (id, self.sets.id(new_set(id)))).collect())
    }

    /// Adds a source, or adds its word count to the source with the same name.
    pub(super) fn add_source(&mut self, source: &LexiconSource) -> Result<SourceId> {
        if let Some(at) = self.sources.iter().position(|known| known.name() == source.name()) {
            self.sources[at].words = self.sources[at].words.saturating_add(source.words);
            return Ok(at as SourceId);
        }
        let id = SourceId::try_from(self.sources.len())
            .map_err(|_| Error::usage("found more than 65536 sources: merge fewer at once"))?;
        self.sources.push(source.clone());
        Ok(id)
    }
}

/// The smallest number of occurrences inside sentences that makes a form certain; the second number is for title-case
/// words of at most `SHORT` letters, since `Us` and `It` in titles are not names.
const FEWEST: f64 = 2.0;
const FEWEST_SHORT: f64 = 5.0;
const SHORT: usize = 3;

/// The factor by which a form must outnumber all other forms together.
const CERTAINLY: f64 = 20.0;

/// Returns the most frequent form of a word, if the word hardly ever has another form inside sentences and is hardly
/// ever in lower case at their beginning. `None` if this form is lower case or was not seen often enough.
fn certain_form(entry: &LexiconEntry<'_>) -> Option<CountedForm> {
    let letters = entry.word.chars().filter(|c| c.is_alphabetic()).count();
    let form = entry.forms.iter().max_by(|a, b| a.count.total_cmp(&b.count))?;
    let is_lower = |form: &&CountedForm| form.case == Case::Lower;
    let lower_initial: f64 = entry.forms.iter().filter(is_lower).map(|form| form.initial).sum();
    let others = entry.count() - form.count + lower_initial;
    let fewest = if form.case == Case::Title && letters <= SHORT { FEWEST_SHORT } else { FEWEST };
    let is_certain =
        letters > 1 && !is_lower(&form) && form.count >= fewest && form.count >= CERTAINLY * others;
    is_certain.then_some(*form)
}

fn majority_form(entry: &LexiconEntry<'_>) -> CountedForm {
    let case = entry.majority();
    let sources = entry.forms.first().map_or(SetId::NONE, |form| form.sources);
    let unseen = CountedForm { case, count: 0.0, initial: 0.0, sources };
    entry.forms.iter().copied().find(|form| form.case == case).unwrap_or(unseen)
}

/// Returns a language tag for both lexicons: the common tag, the only known tag, the common
/// language without its country, or the tag of the locale.
fn common_language(a: &Lexicon, b: &Lexicon) -> Result<String> {
    if a.locale != b.locale {
        return Err(Error::usage(format!(
            "a lexicon of language {} and one of {} have different case mappings: merge lexicons of one language",
            a.language, b.language
        )));
    }
    let root = Locale::Root.to_string();
    let language = |tag: &str| tag.split(['-', '_']).next().unwrap_or_default().to_owned();
    Ok(match (a.language.as_str(), b.language.as_str()) {
        (one, other) if one == other => one.to_owned(),
        (known, unknown) | (unknown, known) if unknown == root => known.to_owned(),
        (one, other) if language(one) == language(other) => language(one),
        _ => a.locale.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::FormCounter;
    use crate::lexicon::tests::{lexicon, occurrences};
    use proptest::prelude::*;

    fn counted(words: &[(String, Case, bool)]) -> Lexicon {
        let mut counter = FormCounter::new(Locale::Root);
        for (word, case, initial) in words {
            counter.count(word, *case, *initial);
        }
        counter.finish("corpus")
    }

    #[test]
    fn certain_forms_have_capitals_and_hardly_any_other_form() {
        let seen = |word: &str, case, initial, times: usize| vec![(word.to_owned(), case, initial); times];
        let words = [
            seen("lisbon", Case::Title, false, 2),
            seen("bbc", Case::Upper, false, 2),
            // Seen once, seen only where sentences begin, short, in lower case.
            seen("porto", Case::Title, false, 1),
            seen("however", Case::Title, true, 9),
            seen("us", Case::Title, false, 4),
            seen("house", Case::Lower, false, 9),
            // 20 of 21 and 19 of 20.
            seen("march", Case::Title, false, 20),
            seen("march", Case::Lower, false, 1),
            seen("may", Case::Title, false, 19),
            seen("may", Case::Lower, true, 1),
        ];
        let certain = counted(&words.concat()).keep(FormFilter::Certain);
        assert_eq!(certain.iter().map(|entry| entry.word).collect::<Vec<_>>(), ["bbc", "lisbon", "march"]);
        assert!(certain.iter().all(|entry| entry.forms.len() == 1 && entry.forms[0].case != Case::Lower));
    }

    proptest! {
        #[test]
        fn pieces_merged_are_the_whole(words in occurrences(), cut in 0usize..60) {
            let (left, right) = words.split_at(cut.min(words.len()));
            prop_assert_eq!(counted(left).merge(&counted(right)).unwrap(), counted(&words));

            let (mut one, mut two) = (FormCounter::new(Locale::Root), FormCounter::new(Locale::Root));
            left.iter().for_each(|(word, case, initial)| one.count(word, *case, *initial));
            right.iter().for_each(|(word, case, initial)| two.count(word, *case, *initial));
            two.absorb(&one);
            prop_assert_eq!(two.finish("corpus"), counted(&words));
        }

        #[test]
        fn a_vocabulary_of_n_keeps_n_words_and_all_of_their_forms(words in occurrences(), n in 0usize..20) {
            let all = counted(&words);
            let kept = all.limit(VocabularyLimits { vocabulary: Some(n), min_count: None });
            prop_assert_eq!(kept.len(), n.min(all.len()));
            for entry in kept.iter() {
                prop_assert_eq!(entry.forms.len(), all.get(entry.word).unwrap().forms.len());
            }
            let least = kept.iter().map(|entry| entry.total()).fold(f64::INFINITY, f64::min);
            let dropped = all.iter().filter(|entry| kept.get(entry.word).is_none());
            prop_assert!(dropped.into_iter().all(|entry| n == 0 || entry.total() <= least));
        }

        #[test]
        fn an_update_without_decay_is_a_merge(words in occurrences(), cut in 0usize..60) {
            let (left, right) = words.split_at(cut.min(words.len()));
            let day = Date::new(2026, 11, 20).unwrap();
            let updated = counted(left).update(&counted(right), 1.0, day).unwrap();
            let merged = counted(&words);
            prop_assert_eq!(updated.updates().len(), 1);
            prop_assert!(updated.iter().zip(merged.iter()).all(|(a, b)| a.word == b.word && a.total() == b.total()));
        }
    }

    #[test]
    fn equally_frequent_words_stay_in_the_order_of_bytes() {
        let kept = lexicon("b a c a").limit(VocabularyLimits { vocabulary: Some(2), min_count: None });
        assert_eq!(kept.iter().map(|entry| entry.word).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(
            lexicon("b a c a").limit(VocabularyLimits { min_count: Some(2), vocabulary: None }).len(),
            1
        );
    }

    #[test]
    fn old_counts_fade_and_new_ones_win() {
        let day = |day| Date::new(2026, 11, day).unwrap();
        let old = lexicon("apple apple apple apple");
        let new = lexicon("Apple Apple Apple");
        let updated = old.update(&new, 0.5, day(20)).unwrap();
        // 4 x 0.5 = 2 apples against 3.
        assert_eq!(updated.majority("apple"), Some(Case::Title));
        assert_eq!(updated.get("apple").unwrap().total(), 5.0);
        assert_eq!(updated.updates()[0].decay, 0.5);

        let early = updated.update(&new, 0.5, day(19)).unwrap_err();
        assert_eq!(
            early.to_string(),
            "date 2026-11-19 is before the last update, 2026-11-20: give a later one"
        );
        for decay in [-0.1, 1.1, f64::NAN] {
            assert!(matches!(old.update(&new, decay, day(20)), Err(Error::Usage(_))));
        }
        assert_eq!(old.update(&new, 0.0, day(20)).unwrap().get("apple").unwrap().forms.len(), 1);
        assert!(new.update(&updated, 0.5, day(19)).is_err());
    }

    #[test]
    fn a_form_keeps_where_it_comes_from() {
        let mut counter = FormCounter::new(Locale::Root);
        counter.count("lisbon", Case::Title, false);
        let merged = counter.finish("places").merge(&lexicon("Lisbon lisbon")).unwrap();
        let names = |form: &CountedForm| {
            merged.sources_of(form).map(|source| source.name().to_owned()).collect::<Vec<_>>()
        };
        let lisbon = merged.get("lisbon").unwrap();
        assert_eq!(names(&lisbon.forms[0]), ["test"]);
        assert_eq!(names(&lisbon.forms[1]), ["places", "test"]);
    }

    #[test]
    fn languages_that_pair_letters_differently_do_not_merge() {
        let new = |tag| Lexicon::new(tag).unwrap();
        assert!(matches!(new("tr").merge(&new("en")), Err(Error::Usage(_))));
        assert_eq!(new("pt-BR").merge(&new("pt-PT")).unwrap().language(), "pt");
        assert_eq!(new("root").merge(&new("en")).unwrap().language(), "en");
        assert_eq!(new("fr").merge(&new("en")).unwrap().language(), "root");
        assert!(matches!(new("en").with_language("nl"), Err(Error::Usage(_))));
        assert_eq!(new("root").with_language("el").unwrap().language(), "el");
    }

    #[test]
    fn the_most_frequent_form_of_each_word_is_kept() {
        let kept = lexicon("rose Rose rose ^Anna iPhone").keep(FormFilter::Majority);
        let forms: Vec<_> = kept.iter().map(|e| e.forms[0].case.applied(e.word, Locale::Root)).collect();
        assert_eq!(forms, ["anna", "iPhone", "rose"]);
        assert_eq!(lexicon("rose iPhone").keep(FormFilter::Mixed).len(), 1);
    }
}
