//! Groups the words that systems get wrong by kind: sentence starts, acronyms, hyphenated compounds, offices, unknown words
//! and names.

use serde::Serialize;

use super::choices::Choices;
use super::offices::OfficeWords;
use super::report::Layout;
use super::slots::Matching;
use super::table::{TextTable, thousands};
use crate::corpus::Gold;
use majuscule_text::restorer::Details;
use majuscule_text::{Case, Locale, Mark, Tokens};

/// The kind of a word of the reference. A word has the first kind that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WordKind {
    /// The first word of a sentence.
    SentenceStart,
    /// A word of two capitals or more and no other letters, apart from an `s` at its end: `NATO`, `MEPs`.
    Acronym,
    /// A compound with a hyphen: `vice-president`.
    Hyphen,
    /// A word for an office or institution, with or without a capital: `President`, `commission`.
    Office,
    /// A word that no model has in its vocabulary.
    UnknownWord,
    /// Any other word with a capital: `Lisbon`.
    Name,
    /// Any other word without capitals.
    Other,
}

impl WordKind {
    /// All kinds, in the order of the table.
    pub const ALL: [Self; 7] = [
        Self::SentenceStart,
        Self::Acronym,
        Self::Hyphen,
        Self::Office,
        Self::UnknownWord,
        Self::Name,
        Self::Other,
    ];

    /// The kind of a word, as the reference spells it.
    pub fn of(word: &str, facts: WordFacts, offices: &OfficeWords, locale: Locale) -> Self {
        match () {
            () if facts.initial => Self::SentenceStart,
            () if is_acronym(word) => Self::Acronym,
            () if word.contains(HYPHENS) => Self::Hyphen,
            () if offices.contains(&locale.lower(word)) => Self::Office,
            () if facts.known == Some(false) => Self::UnknownWord,
            () if Case::of(word, locale).is_slot() => Self::Name,
            () => Self::Other,
        }
    }

    /// The name of the kind in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::SentenceStart => "sentence start",
            Self::Acronym => "acronym",
            Self::Hyphen => "hyphen",
            Self::Office => "office",
            Self::UnknownWord => "unknown word",
            Self::Name => "name",
            Self::Other => "other",
        }
    }
}

/// The hyphen-minus, the hyphen, and the non-breaking hyphen.
const HYPHENS: [char; 3] = ['-', '\u{2010}', '\u{2011}'];

fn is_acronym(word: &str) -> bool {
    let endings = ["'s", "’s", "s"];
    let stem = endings.iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    let mut letters = stem.chars().filter(|c| c.is_alphabetic());
    letters.clone().nth(1).is_some() && letters.all(char::is_uppercase) && !stem.contains(HYPHENS)
}

/// The facts about a word of the reference that its spelling does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordFacts {
    /// True if the word is the first of its sentence.
    pub initial: bool,
    /// True if a model has the word in its vocabulary; `None` if no model has a vocabulary.
    pub known: Option<bool>,
    /// The mark of the reference after the word.
    pub mark: Mark,
}

impl WordFacts {
    /// Collects the facts about each word of an example. `details` has the vocabulary of a model, if it has one.
    pub fn of(tokens: &Tokens, gold: &[Gold], details: Option<&dyn Details>) -> Vec<Self> {
        let word = |((lower, _), gold): ((&str, _), &Gold)| Self {
            initial: gold.initial,
            known: details.and_then(|details| details.knows(lower)),
            mark: gold.label.mark,
        };
        tokens.iter().zip(gold).map(word).collect()
    }

    /// Adds the vocabulary of another model.
    pub fn add_vocabulary(&mut self, other: Self) {
        self.known = match (self.known, other.known) {
            (Some(one), Some(other)) => Some(one || other),
            (one, other) => one.or(other),
        };
    }
}

/// The words of a text by kind, with the capitalisation errors of systems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WordsByKind {
    #[serde(skip)]
    systems: Vec<String>,
    /// True if a model has a vocabulary; otherwise no word counts as unknown.
    pub has_vocabulary: bool,
    /// The kinds that occur, in the order of [`WordKind::ALL`].
    pub kinds: Vec<KindCounts>,
}

/// The words of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KindCounts {
    /// The kind.
    pub kind: WordKind,
    /// The number of scored words of the kind in the reference.
    pub words: u64,
    /// The number of these words on which systems differ.
    pub differing: u64,
    /// The number of errors of each system.
    pub errors: Vec<u64>,
    /// The number of words that each system alone gets right; 0 for a single system.
    pub alone_right: Vec<u64>,
    /// The first words on which systems differ, then the first words that all systems get wrong
    /// alike. Each word occurs once.
    pub examples: Vec<KindExample>,
}

/// A word that is wrong, and the words around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KindExample {
    /// The word in brackets, with the words around it, all as the reference spells them.
    pub context: String,
    /// The word as the reference spells it.
    pub reference: String,
    /// The word as each system spells it.
    pub hypotheses: Vec<String>,
}

/// The largest number of examples of a kind, and of words of context on each side.
const EXAMPLES: usize = 3;
const CONTEXT: usize = 4;

impl WordsByKind {
    /// Groups the words of examples by kind. `examples` has the choices of each system on the same examples, and
    /// `facts` has the facts about the words of each example.
    pub fn of(
        systems: Vec<String>,
        examples: &[Vec<Choices>],
        facts: &[Vec<WordFacts>],
        offices: &OfficeWords,
        matching: Matching,
        locale: Locale,
    ) -> Self {
        let counts = |kind| CountedKind::new(kind, systems.len());
        let mut kinds = WordKind::ALL.map(counts);
        for (at, facts) in facts.iter().enumerate() {
            let sides: Vec<&Choices> = examples.iter().filter_map(|system| system.get(at)).collect();
            let Some(first) = sides.first() else { continue };
            let mut cases: Vec<_> = sides.iter().map(|side| side.cases(matching, locale)).collect();
            for (word, facts) in facts.iter().enumerate().take(first.reference.len()) {
                // A word that is not scored for one system is not scored for any.
                let pairs: Vec<[Case; 2]> =
                    cases.iter_mut().filter_map(|cases| cases.next().flatten()).collect();
                if pairs.len() == sides.len() {
                    let kind = WordKind::of(&first.reference[word], *facts, offices, locale);
                    kinds[kind as usize].add(&sides, word, &pairs);
                }
            }
        }
        let has_vocabulary = facts.iter().flatten().any(|facts| facts.known.is_some());
        let kinds = kinds.into_iter().filter(|kind| kind.counts.words > 0).map(CountedKind::finish).collect();
        Self { systems, has_vocabulary, kinds }
    }

    /// Lays out the table of kinds and the examples. The page is empty for JSON, where the kinds
    /// are in another object.
    pub fn page(&self, layout: Layout) -> String {
        let lay = match layout {
            Layout::Text => TextTable::text,
            Layout::Markdown => TextTable::markdown,
            Layout::Json => return String::new(),
        };
        let mut page = format!("\n{}", lay(&self.table()));
        if !self.has_vocabulary {
            page.push_str("\noutputs come without a vocabulary: no word counts as unknown\n");
        }
        for kind in self.kinds.iter().filter(|kind| !kind.examples.is_empty()) {
            page.push_str(&format!("\n{}:\n", kind.kind.name()));
            for KindExample { context, reference, hypotheses } in &kind.examples {
                let spelled =
                    self.systems.iter().zip(hypotheses).map(|(name, word)| format!("{name}: {word}"));
                let spelled = spelled.collect::<Vec<_>>().join(", ");
                page.push_str(&format!("  {context}  reference: {reference}, {spelled}\n"));
            }
        }
        page
    }

    fn table(&self) -> TextTable {
        let is_several = self.systems.len() > 1;
        let mut headings = vec!["kind of word".to_owned(), "words".to_owned()];
        if is_several {
            headings.push("differing".into());
        }
        for name in &self.systems {
            headings.push(format!("errors of {name}"));
            if is_several {
                headings.push("alone right".into());
            }
        }
        let mut table = TextTable::new(&headings);
        for KindCounts { kind, words, differing, errors, alone_right, .. } in &self.kinds {
            let mut row = vec![kind.name().to_owned(), thousands(*words)];
            if is_several {
                row.push(thousands(*differing));
            }
            for (errors, alone) in errors.iter().zip(alone_right) {
                row.push(thousands(*errors));
                if is_several {
                    row.push(thousands(*alone));
                }
            }
            table.push(row);
        }
        table
    }
}

/// A kind while its words are counted.
struct CountedKind {
    counts: KindCounts,
    /// Examples that all systems get wrong alike.
    alike: Vec<KindExample>,
}

impl CountedKind {
    fn new(kind: WordKind, systems: usize) -> Self {
        let counts = KindCounts {
            kind,
            words: 0,
            differing: 0,
            errors: vec![0; systems],
            alone_right: vec![0; systems],
            examples: Vec::new(),
        };
        Self { counts, alike: Vec::new() }
    }

    /// Adds a word: `pairs` has its case in the reference and in the hypothesis of each system.
    fn add(&mut self, sides: &[&Choices], word: usize, pairs: &[[Case; 2]]) {
        let counts = &mut self.counts;
        counts.words += 1;
        let is_wrong = |[right, found]: &[Case; 2]| right != found;
        let wrong = pairs.iter().filter(|pair| is_wrong(pair)).count();
        for (errors, pair) in counts.errors.iter_mut().zip(pairs) {
            *errors += u64::from(is_wrong(pair));
        }
        if pairs.len() > 1 && wrong + 1 == pairs.len() {
            for (alone, pair) in counts.alone_right.iter_mut().zip(pairs) {
                *alone += u64::from(!is_wrong(pair));
            }
        }
        let differs = pairs.iter().any(|pair| pair[1] != pairs[0][1]);
        counts.differing += u64::from(differs);
        if wrong == 0 {
            return;
        }
        let examples = if differs { &mut counts.examples } else { &mut self.alike };
        let reference = &sides[0].reference;
        if examples.len() < EXAMPLES && !has_example(examples, &reference[word]) {
            examples.push(KindExample {
                context: context(reference, word),
                reference: reference[word].clone(),
                hypotheses: sides.iter().map(|side| side.hypothesis[word].clone()).collect(),
            });
        }
    }

    fn finish(self) -> KindCounts {
        let Self { mut counts, mut alike } = self;
        alike.retain(|example| !has_example(&counts.examples, &example.reference));
        let left = EXAMPLES.saturating_sub(counts.examples.len());
        counts.examples.extend(alike.into_iter().take(left));
        counts
    }
}

/// Returns true if one of the examples is of this word.
fn has_example(examples: &[KindExample], word: &str) -> bool {
    examples.iter().any(|example| example.reference == word)
}

fn context(words: &[String], at: usize) -> String {
    let from = at.saturating_sub(CONTEXT);
    let to = words.len().min(at + CONTEXT + 1);
    let word = |k: usize| if k == at { format!("[{}]", words[k]) } else { words[k].clone() };
    (from..to).map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "We met President Reis of NATO and MEPs in Jean-Paul with Xyz of Porto";

    fn side(hypothesis: &str) -> Vec<Choices> {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        vec![Choices { reference: words(WORDS), hypothesis: words(hypothesis), ..Choices::default() }]
    }

    fn facts(knows: impl Fn(&str) -> Option<bool>) -> Vec<Vec<WordFacts>> {
        let word = |(at, word)| WordFacts { initial: at == 0, known: knows(word), ..WordFacts::default() };
        vec![WORDS.split(' ').enumerate().map(word).collect()]
    }

    fn grouped(hypotheses: &[&str], facts: &[Vec<WordFacts>]) -> WordsByKind {
        let names = (1..=hypotheses.len()).map(|number| format!("s{number}")).collect();
        let examples: Vec<_> = hypotheses.iter().map(|hypothesis| side(hypothesis)).collect();
        WordsByKind::of(names, &examples, facts, &OfficeWords::of("en"), Matching::Spelling, Locale::Root)
    }

    #[test]
    fn each_word_has_one_kind_and_counts_for_each_system() {
        use WordKind::{Acronym, Hyphen, Name, Office, Other, SentenceStart, UnknownWord};
        // The first system writes no capitals; the second has the correct capitals of all words except NATO, MEPs and
        // Xyz.
        let right = WORDS.replace("NATO", "nato").replace("MEPs", "Meps").replace("Xyz", "xyz");
        let found = grouped(&[&WORDS.to_lowercase(), &right], &facts(|word| Some(word != "Xyz")));
        let rows: Vec<_> = found
            .kinds
            .iter()
            .map(|kind| {
                (kind.kind, kind.words, kind.differing, kind.errors.clone(), kind.alone_right.clone())
            })
            .collect();
        let expected = [
            (SentenceStart, 1, 1, vec![1, 0], vec![0, 1]),
            (Acronym, 2, 1, vec![2, 2], vec![0, 0]),
            (Hyphen, 1, 1, vec![1, 0], vec![0, 1]),
            (Office, 1, 1, vec![1, 0], vec![0, 1]),
            (UnknownWord, 1, 0, vec![1, 1], vec![0, 0]),
            // Reis and Porto.
            (Name, 2, 2, vec![2, 0], vec![0, 2]),
            // met of and in with of
            (Other, 6, 0, vec![0, 0], vec![0, 0]),
        ];
        assert_eq!(rows, expected);
        // MEPs distinguishes the systems, NATO does not.
        let words: Vec<_> =
            found.kinds[1].examples.iter().map(|example| example.reference.as_str()).collect();
        assert_eq!(words, ["MEPs", "NATO"]);
        let page = found.page(Layout::Text);
        let example = "\noffice:\n  We met [President] Reis of NATO and  reference: President, s1: president, s2: President\n";
        assert!(page.contains(example), "{page}");
        assert!(page.contains("differing  errors of s1  alone right  errors of s2"), "{page}");
        assert!(found.page(Layout::Markdown).contains("\n| acronym | 2 | 1 | 2 | 0 | 2 | 0 |\n"));
    }

    #[test]
    fn without_a_vocabulary_no_word_is_unknown() {
        let found = grouped(&[&WORDS.to_lowercase()], &facts(|_| None));
        assert!(!found.has_vocabulary);
        assert!(found.kinds.iter().all(|kind| kind.kind != WordKind::UnknownWord));
        assert!(
            found.page(Layout::Text).contains("no word counts as unknown"),
            "{}",
            found.page(Layout::Text)
        );
        // One system differs from none, and is not right alone.
        assert!(found.kinds.iter().all(|kind| (kind.differing, kind.alone_right[0]) == (0, 0)));
        assert!(!found.page(Layout::Text).contains("alone right"));
    }

    #[test]
    fn a_word_is_known_if_a_model_has_it() {
        let with = |known| WordFacts { known, ..WordFacts::default() };
        for (one, other, both) in [
            (Some(false), Some(true), Some(true)),
            (Some(false), Some(false), Some(false)),
            (None, Some(false), Some(false)),
            (Some(true), None, Some(true)),
            (None, None, None),
        ] {
            let mut facts = with(one);
            facts.add_vocabulary(with(other));
            assert_eq!(facts.known, both);
        }
    }

    #[test]
    fn acronyms_have_two_capitals_or_more() {
        for word in ["NATO", "MEPs", "US's", "U.S", "B2B"] {
            assert!(is_acronym(word), "{word}");
        }
        for word in ["A", "As", "I's", "McKay", "Us", "42", "X-RAY"] {
            assert!(!is_acronym(word), "{word}");
        }
    }
}
