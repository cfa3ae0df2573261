//! Counts lexicons from corpora.

use std::num::NonZeroUsize;

use super::{CountedForm, FormCounter, Lexicon};
use crate::corpus::{Corpus, Example};
use majuscule_base::error::{Error, Result};
use majuscule_text::{Case, Class, Locale};

/// Counts the words of a corpus, which becomes the only source, named `source`. Words that the
/// protocol scores count as seen inside a sentence; words that it shows only as context (sentence
/// beginnings) are counted separately.
///
/// Memory grows with the vocabulary of the corpus and the number of threads; the counts depend on
/// neither.
///
/// # Errors
/// If the corpus cannot be read.
pub fn build(corpus: &Corpus, source: &str, threads: NonZeroUsize) -> Result<Lexicon> {
    build_where(corpus, source, threads, |_| true)
}

/// Counts the words of a corpus like [`build`], except for headings and shouted lines, whose capitals
/// are not evidence: sentences in which most words after the first have capitals.
///
/// # Errors
/// If the corpus cannot be read.
pub fn build_of_running_text(corpus: &Corpus, source: &str, threads: NonZeroUsize) -> Result<Lexicon> {
    build_where(corpus, source, threads, |example| {
        let inside = || example.gold.iter().filter(|gold| gold.scored);
        2 * inside().filter(|gold| gold.label.case == Case::Lower).count() >= inside().count()
    })
}

fn build_where(
    corpus: &Corpus,
    source: &str,
    threads: NonZeroUsize,
    is_counted: impl Fn(&Example) -> bool + Sync,
) -> Result<Lexicon> {
    let count = |counter: &mut FormCounter, example: &Example| {
        if !is_counted(example) {
            return Ok(());
        }
        for ((word, _), gold) in example.tokens.iter().zip(&example.gold) {
            counter.count(word, gold.label.case, !gold.scored);
        }
        Ok(())
    };
    let parts = corpus.map_reduce(threads, || FormCounter::new(corpus.locale()), count)?;
    // Smaller counters are added to the largest, and each is freed once it is added.
    let sum = parts.into_iter().reduce(|one, other| {
        let (mut more, less) = if one.len() >= other.len() { (one, other) } else { (other, one) };
        more.absorb(&less);
        more
    });
    Ok(sum.unwrap_or_else(|| FormCounter::new(corpus.locale())).finish(source))
}

/// Returns the error for a corpus without words.
pub fn no_words(corpus: &Corpus) -> Error {
    Error::file(corpus.name(), "has no words: expected cased text, one sentence per line")
}

/// Refuses the counts of a text that cannot teach case: hardly any word has a capital, or nearly
/// all words are all capitals. Error messages name the text `name`.
///
/// # Errors
/// If the text cannot teach case.
pub fn check_cased(lexicon: &Lexicon, name: &str) -> Result<()> {
    let form = |word, form: &CountedForm| (word, (form.case.class(), form.total()));
    let forms = lexicon.iter().flat_map(|entry| entry.forms.iter().map(move |found| form(entry.word, found)));
    check_forms(forms, lexicon.locale(), name)
}

/// Like [`check_cased`], for words with the counts of their classes.
///
/// # Errors
/// The errors of [`check_cased`].
pub fn check_forms<'a>(
    forms: impl Iterator<Item = (&'a str, (Class, f64))>,
    locale: Locale,
    name: &str,
) -> Result<()> {
    let (mut words, mut cased, mut upper) = (0.0, 0.0, 0.0);
    for (_, (class, count)) in forms.filter(|(word, _)| locale.letter_count(word) > 0) {
        words += count;
        cased += if class != Class::Lower { count } else { 0.0 };
        upper += if class == Class::Upper { count } else { 0.0 };
    }
    let problem = match () {
        () if words == 0.0 => return Ok(()),
        () if cased < words * HARDLY_ANY => format!("{cased} of its {words} words have a capital"),
        () if upper > words * (1.0 - HARDLY_ANY) => format!("{upper} of its {words} words are all capitals"),
        () => return Ok(()),
    };
    Err(Error::file(
        name,
        format!("{problem}, so case cannot be learned from it: give text as it was published"),
    ))
}

/// The fraction of capitalized words that a lower-cased text may still have (such as `Å` if only
/// ASCII was lower-cased). In text as it was published, at least one word in fifty has a capital.
const HARDLY_ANY: f64 = 0.001;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use proptest::prelude::*;

    fn corpus(text: &str, protocol: Protocol) -> Corpus {
        Corpus::of_text(text, Reading::default(), protocol, Locale::Root)
    }

    fn built(text: &str) -> Lexicon {
        build(&corpus(text, Protocol::Text), "text", NonZeroUsize::MIN).unwrap()
    }

    proptest! {
        #[test]
        fn pieces_built_and_merged_are_the_whole(lines in prop::collection::vec("([aA]b?[. ]{0,2}){0,6}", 0..12), cut in 0usize..12) {
            let (left, right) = lines.split_at(cut.min(lines.len()));
            let whole = built(&lines.join("\n"));
            prop_assert_eq!(built(&left.join("\n")).merge(&built(&right.join("\n"))).unwrap(), whole);
        }
    }

    #[test]
    fn threads_change_nothing() {
        let lines: Vec<String> =
            (0..3000).map(|i| format!("We met Anna{} and the NATO envoy in Lisbon.", i % 700)).collect();
        for protocol in [Protocol::Text, Protocol::Rei, Protocol::Batista] {
            let corpus = corpus(&lines.join("\n"), protocol);
            let build = |threads| build(&corpus, "text", NonZeroUsize::new(threads).unwrap()).unwrap();
            assert_eq!(build(1), build(3), "{protocol}");
        }
    }

    #[test]
    fn sentence_beginnings_are_counted_apart() {
        let lexicon = built("The rose of Anna.\nThe rose is red.\n\nIs the rose red?");
        let the = lexicon.get("the").unwrap();
        assert_eq!((the.count(), the.initial()), (1.0, 2.0));
        assert_eq!(the.majority(), Case::Lower);
        assert_eq!(lexicon.majority("anna"), Some(Case::Title));
        assert_eq!(lexicon.sources()[0].words, 12);
    }

    #[test]
    fn headings_and_shouted_lines_are_no_running_text() {
        let text = "About Us And Them\nCALL US NOW\nWe told Anna about us.\n";
        let corpus = corpus(text, Protocol::Text);
        let lexicon = build_of_running_text(&corpus, "text", NonZeroUsize::MIN).unwrap();
        assert_eq!(lexicon.majority("us"), Some(Case::Lower));
        assert_eq!((lexicon.get("us").unwrap().total(), lexicon.get("call").is_none()), (1.0, true));
    }

    #[test]
    fn a_text_without_its_case_is_refused() {
        let check = |text: &str| check_cased(&built(text), "text").map_err(|error| error.to_string());
        assert!(check("Anna has 3 roses.").is_ok());
        assert!(check("").is_ok() && check("3 4").is_ok());
        assert!(check("anna has 3 roses.").unwrap_err().starts_with("text: 0 of its 3 words have a capital"));
        assert!(
            check("ANNA HAS 3 ROSES.").unwrap_err().starts_with("text: 3 of its 3 words are all capitals")
        );
    }
}
