//! The juncture between two words, for code that cuts there.

use std::collections::HashSet;

use majuscule_text::Mark;
use majuscule_text::language::{FunctionWords, Language};
use majuscule_text::sentence::Abbreviations;

use crate::cut::Juncture;

/// The largest number of letters of a word that counts as a function word in a language without a
/// list.
const SHORT: usize = 2;

/// The abbreviations and function words of a text.
#[derive(Debug)]
pub(crate) struct CueLanguage {
    abbreviations: &'static Abbreviations,
    /// True if no language of the text has a list.
    is_unlisted: bool,
    bound: WordSet,
    close: WordSet,
    objects: WordSet,
    conjunctions: WordSet,
    /// The words of a genitive, whatever the language of the text.
    genitives: WordSet,
}

/// Words of several lists, found at once.
type WordSet = HashSet<&'static str>;

impl CueLanguage {
    /// Returns the words of a language, by its tag or its English name; without a language, the
    /// words of all languages.
    pub(crate) fn of(tag: Option<&str>) -> Self {
        let tag = tag.unwrap_or("mul").to_ascii_lowercase();
        let tag = Language::of_name(&tag).map_or(&*tag, |language| language.tag);
        let languages = match tag == "mul" || tag.contains(',') {
            true => Language::ALL.to_vec(),
            false => Language::of(tag).into_iter().collect(),
        };
        let lists: Vec<_> =
            languages.into_iter().filter_map(|language| language.function_words.as_ref()).collect();
        Self::of_lists(Abbreviations::of(tag), &lists)
    }

    fn of_lists(abbreviations: &'static Abbreviations, lists: &[&'static FunctionWords]) -> Self {
        let set = |list: fn(&'static FunctionWords) -> &'static str| {
            lists.iter().flat_map(|words| list(words).split_whitespace()).collect()
        };
        let all = Language::ALL.iter().filter_map(|language| language.function_words.as_ref());
        Self {
            abbreviations,
            is_unlisted: lists.is_empty(),
            bound: set(|words| words.bound),
            close: set(|words| words.close),
            objects: set(|words| words.objects),
            conjunctions: set(|words| words.conjunctions),
            genitives: all.flat_map(|words| words.genitives.split_whitespace()).collect(),
        }
    }

    /// Returns the juncture between two words. The punctuation marks next to a word are part of it.
    pub(crate) fn juncture(&self, word: &str, next: &str) -> Juncture {
        let run = word.trim_end().rsplit(char::is_whitespace).find(|run| run.contains(char::is_alphanumeric));
        let run = run.unwrap_or(word);
        let from = word.rfind(run).unwrap_or(0);
        let is_inner = |c: char| c.is_alphanumeric();
        let end =
            word.rfind(is_inner).map_or(0, |at| at + word[at..].chars().next().map_or(0, char::len_utf8));
        let body = word[from..end.max(from)].trim_start_matches(|c: char| !is_inner(c));
        let marks = &word[end..];
        let lower = body.to_lowercase();
        let begin = next.trim_start_matches(|c: char| !is_inner(c));
        let is_digit = begin.starts_with(|c: char| c.is_ascii_digit());
        if self.abbreviations.ends(&lower, marks, is_digit) {
            return Juncture::Sentence;
        }
        match Mark::between(&format!("{marks} ")) {
            // An ellipsis ends a sentence if the next word shows it.
            Mark::Ellipsis if begin.starts_with(char::is_uppercase) => return Juncture::Sentence,
            Mark::Ellipsis | Mark::Colon | Mark::Semicolon | Mark::Dash => return Juncture::Clause,
            // The stop of an abbreviation.
            Mark::Period => return Juncture::Close,
            // A conjunction stays with its words across an insertion: `because, he said, ...`.
            Mark::Comma if self.conjunctions.contains(&*lower) => return Juncture::Close,
            Mark::Comma | Mark::Question | Mark::Exclamation => return Juncture::Comma,
            _ => {}
        }
        self.between(body, &lower, begin, next)
    }

    /// Returns the juncture between two words without a punctuation mark between them.
    fn between(&self, body: &str, lower: &str, begin: &str, next: &str) -> Juncture {
        let plain = begin.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’')).next();
        let plain = plain.unwrap_or_default().to_lowercase().replace('’', "'");
        let lower = lower.replace('’', "'");
        let is_short = self.is_unlisted && (1..=SHORT).contains(&lower.chars().count());
        let is_upper = |text: &str| text.starts_with(char::is_uppercase);
        if self.bound.contains(&*lower) || self.conjunctions.contains(&*lower) {
            Juncture::Bound
        } else if next.starts_with(['(', '[', '«', '“', '„', '"']) {
            Juncture::Conjunction
        } else if self.close.contains(&*lower) && !self.bound.contains(&*plain)
            || self.objects.contains(&*plain)
            || is_short
        {
            Juncture::Close
        } else if self.conjunctions.contains(&*plain) {
            Juncture::Conjunction
        } else if is_upper(body) && is_upper(begin) || lower.starts_with(|c: char| c.is_ascii_digit()) {
            Juncture::Close
        } else if self.bound.contains(&*plain) && !self.genitives.contains(&*plain) {
            Juncture::Phrase
        } else {
            Juncture::Plain
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn junctures(language: Option<&str>, text: &str) -> Vec<Juncture> {
        junctures_in(&CueLanguage::of(language), text)
    }

    fn junctures_in(language: &CueLanguage, text: &str) -> Vec<Juncture> {
        let words: Vec<&str> = text.split(' ').collect();
        words.windows(2).map(|pair| language.juncture(pair[0], pair[1])).collect()
    }

    static TOY_WORDS: FunctionWords = FunctionWords {
        bound: "blim",
        close: "blam",
        objects: "blom",
        conjunctions: "blum",
        genitives: "vlan",
    };

    #[test]
    fn the_words_of_a_language_are_those_of_its_descriptor() {
        use Juncture::{Bound, Close, Conjunction, Phrase, Plain};
        let toyish = CueLanguage::of_lists(Abbreviations::of("en"), &[&TOY_WORDS]);
        let found = junctures_in(&toyish, "Mr. blim xoor blum xoor");
        assert_eq!(found, [Close, Bound, Conjunction, Bound]);
        assert_eq!(junctures_in(&toyish, "xoor blim xoor blom xoor"), [Phrase, Bound, Close, Plain]);
        assert_eq!(junctures(Some("en"), "xoor blim xoor blom xoor"), [Plain; 4]);
    }

    #[test]
    fn marks_say_what_ends_and_abbreviations_do_not() {
        use Juncture::{Clause, Close, Comma, Plain, Sentence};
        assert_eq!(
            junctures(Some("en"), "Yes. Really? no! Lisbon, maps; well... We came... home"),
            [Sentence, Sentence, Sentence, Comma, Clause, Sentence, Close, Clause]
        );
        assert_eq!(junctures(Some("en"), "Mr. Reis walked home"), [Close, Plain, Plain]);
        assert_eq!(junctures(Some("en"), "the u.s. mail"), [Juncture::Bound, Close]);
    }

    #[test]
    fn articles_and_prepositions_stay_with_their_noun() {
        use Juncture::{Bound, Close, Conjunction, Plain};
        for (language, text) in [
            (Some("en"), "maps of the world"),
            (Some("pt-BR"), "mapas de o mundo"),
            (Some("es"), "mapas de el mundo"),
            (Some("fr"), "cartes de son monde"),
            (Some("dutch"), "kaarten van de wereld"),
            (None, "kaarten van de wereld"),
        ] {
            assert_eq!(junctures(language, text), [Plain, Bound, Bound], "{language:?} {text}");
        }
        assert_eq!(junctures(Some("en"), "maps in the world"), [Juncture::Phrase, Bound, Bound]);
        assert_eq!(junctures(Some("en"), "maps and we draw"), [Conjunction, Bound, Close]);
        // Without a list, short words count as such words.
        assert_eq!(junctures(Some("xx"), "maps of world"), [Plain, Close]);
        assert_eq!(junctures(None, "Helen Carter draws 12 maps"), [Close, Plain, Plain, Close]);
    }
}
