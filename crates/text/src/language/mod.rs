//! The descriptors of languages: a file with a [`Language`] for each language, and the list of them.
//!
//! No other code names a language, except for its models. `Language::NONE` has the values that a descriptor omits.

mod ar;
mod de;
mod el;
mod en;
mod es;
mod fr;
mod it;
mod nl;
mod others;
mod pt;
#[cfg(test)]
mod toy;
mod tr;

use std::str::FromStr;

use super::case::Case;
use super::locale::Locale;
use super::mark::{Mark, MarkForm};
use majuscule_base::error::Error;

/// A language.
///
/// Lists of words have single spaces between the words, which are in lower case.
#[derive(Debug)]
#[non_exhaustive]
pub struct Language {
    /// The tag, after BCP 47.
    pub tag: &'static str,
    /// The English name, as recognisers write it; `None` if no text is detected or declared by name.
    pub name: Option<&'static str>,
    /// The regions that programs ask for, the usual one first.
    pub regions: &'static [&'static str],
    /// The licence of the built-in models, which follows from the licences of their texts; `None` without
    /// models.
    pub licence: Option<&'static str>,
    /// Offices and institutions, in the singular where the plural adds an `s`: writers do not agree on
    /// their capitals.
    pub institutions: &'static str,
    /// Other language tags with the same case mappings and the same characters for marks.
    pub(super) aliases: &'static [&'static str],
    /// The case mappings.
    pub(super) locale: Locale,
    /// The list of abbreviations.
    pub(super) abbreviations: &'static str,
    /// Words that continue a sentence after an abbreviation that often ends one: `5 min. from here`.
    pub(super) continuing: &'static str,
    /// Words of one letter, which are not initials: `…and I. Then`, `il y a. Puis`.
    pub(super) one_letter: &'static str,
    /// True if a number with a full stop is an ordinal: `am 3. Oktober`.
    pub(super) ordinals_have_stops: bool,
    /// Marks with characters that are specific to the language.
    pub(super) mark_characters: &'static [(Mark, char)],
    /// The spaces before marks.
    pub(super) mark_spaces: &'static [(Mark, &'static str)],
    /// Regions with other spaces before marks.
    pub(super) mark_spaces_of_regions: &'static [(&'static str, &'static [(Mark, &'static str)])],
    /// The marks that have an opening (`¿`) at the beginning of the sentence that they end.
    pub(super) opened: &'static [Mark],
    /// The facts for the conventions; `None` if the language has none.
    pub(super) conventions: Option<ConventionFacts>,
    /// The words that decide where a line is broken; `None` if short words decide.
    pub function_words: Option<FunctionWords>,
    /// The words that decide where a question opens; `None` if questions have no opening.
    pub question_words: Option<QuestionWords>,
    /// The commands of dictation.
    pub dictation: Dictation,
    /// The words in the labels of speakers.
    pub(super) speaker_words: SpeakerWords,
    /// Words after a time that make it part of a sentence.
    pub(super) clock_words: &'static str,
    /// Words between two times of a sentence.
    pub(super) clock_links: &'static str,
}

/// The facts about a language that the [conventions](super::conventions) need.
#[derive(Debug)]
pub(super) struct ConventionFacts {
    /// The list of its acronyms, in addition to the acronyms of all languages.
    pub(super) acronyms: &'static str,
    /// Words of one letter: a run of only such letters spells nothing (`e a`).
    pub(super) letter_words: &'static str,
    /// The articles that link two letters (`b e c`), and that follow a name without beginning a sentence
    /// (`Silva e`).
    pub(super) links: &'static str,
    /// Words of one letter that are between two letters: `b y c`, `de a à b`.
    pub(super) between: &'static str,
    /// Articles of one letter: after a link they do not begin a sentence (`e a`).
    pub(super) articles: &'static str,
    /// Acronyms that are common words unless they are spelled letter by letter: `u s`.
    pub(super) spelled: &'static str,
    /// Words before the letters of a kind or a list: `vitamin b c`.
    pub(super) lettered: &'static str,
    /// Words of address before a name, in addition to the abbreviations with `NAME`.
    pub(super) titles: &'static str,
    /// Offices before a name: a particle after an office may also belong to the body of the office
    /// (`minister van`).
    pub(super) offices: &'static str,
    /// The particle that may follow an office before a name: `minister de Jonge`.
    pub(super) office_particle: &'static str,
    /// Particles that have a capital right after a title or an office: `dhr. De Wit`.
    pub(super) particles: &'static str,
    /// Words after a title or a particle that are not names.
    pub(super) no_names: &'static str,
    /// Bodies that are named by a place or a matter (`House of Commons`), in the singular where the plural
    /// adds an `s` or `es`, in addition to the bodies among the [institutions](Language::institutions).
    pub(super) bodies: &'static str,
    /// Words that are part of an office before or after another word: `prime minister`.
    pub(super) office_parts: &'static str,
    /// The ends of adjectives in small letters that name the body before them: `Assemblée nationale`.
    pub(super) naming_ends: &'static str,
    /// Words between a body and the place or matter that it is named by.
    pub(super) name_links: &'static str,
    /// Common words that are not names: after an abbreviation that ends no sentence they have no capital.
    pub(super) common: &'static str,
    /// The particle that is elided before a name; `None` if there is none.
    pub(super) elision: Option<Elision>,
    /// Words whose case an adjacent word decides.
    pub(super) pairs: &'static [WordPair],
    /// True if the plural of an acronym adds an `s`.
    pub(super) pluralizes: bool,
    /// Numbers before the letters of a time: `nine a m`.
    pub(super) hours: &'static str,
    /// True if `v.` separates the parties of a case in court.
    pub(super) has_versus: bool,
    /// The fewest letters of an unlisted initialism with full stops that is written in capitals.
    pub(super) initialism: usize,
    /// True if the initialism of a plural doubles each letter: `EE. UU.`
    pub(super) doubles_letters: bool,
}

/// Two adjacent words, one of which decides the case of the other; `#` represents any number.
#[derive(Debug)]
pub(super) struct WordPair {
    /// The first words.
    pub(super) first: &'static str,
    /// The words that may follow one of them.
    pub(super) second: &'static str,
    /// The cases that the first and the second word get; `None` leaves the case to the method.
    pub(super) cases: [Option<Case>; 2],
    /// Words before the pair that make it something else.
    pub(super) except_after: &'static str,
}

/// A particle that loses its vowel before a name: `d'Ormesson`.
#[derive(Debug)]
pub(super) struct Elision {
    /// The particle with its apostrophe.
    pub(super) particle: &'static str,
    /// Words after it that are not names.
    pub(super) words: &'static str,
    /// The ends of other words that are not names.
    pub(super) ends: &'static str,
}

/// The function words of a language.
#[derive(Debug)]
pub struct FunctionWords {
    /// Articles, prepositions, possessives and titles, which stay on one line with the word after them.
    pub bound: &'static str,
    /// Pronouns and auxiliaries, which preferably stay on one line with the verb after them.
    pub close: &'static str,
    /// Pronouns that preferably stay on one line with the verb before them.
    pub objects: &'static str,
    /// Conjunctions and relative pronouns, before which a line break is preferred.
    pub conjunctions: &'static str,
    /// Words that begin a genitive, which is bound to the noun before it more closely than other phrases.
    pub genitives: &'static str,
}

/// The words that identify the clause with which a question begins.
#[derive(Debug)]
pub struct QuestionWords {
    /// Interrogatives.
    pub interrogatives: &'static str,
    /// Conjunctions and prepositions, which may come before an interrogative.
    pub leading: &'static str,
    /// First words of question tags: `eso es, ¿verdad?`
    pub tags: &'static str,
    /// First words of clauses that come before a question: greetings, addresses, conditions.
    pub addresses: &'static str,
}

/// The commands with which people dictate punctuation and lines.
#[derive(Debug)]
pub struct Dictation {
    /// Phrases, each with the text that it writes; an opening, which belongs to the next word, has a space before it.
    pub commands: &'static [(&'static str, &'static str)],
    /// Commands that are also everyday words: `the trial period`.
    pub doubtful: &'static [(&'static str, &'static str)],
    /// Words right before a phrase that make it a noun and not a command: `a comma`.
    pub determiners: &'static str,
}

/// The words in the labels of speakers, which count in a text of any language.
#[derive(Debug)]
pub(super) struct SpeakerWords {
    /// Given names that are words as well.
    pub(super) names: &'static str,
    /// Titles before a name, without their full stops.
    pub(super) titles: &'static str,
    /// The words for speakers in transcripts of interviews, courts, calls, meetings and subtitles.
    pub(super) roles: &'static str,
    /// The parts of names that stay in lower case.
    pub(super) particles: &'static str,
    /// Words before a colon that are not the name of a speaker in any context.
    pub(super) keys: &'static str,
    /// The articles, and the words that may replace them before a title or a role.
    pub(super) articles: &'static str,
    /// Numbers and letters that replace a name after a role.
    pub(super) numbers: &'static str,
}

impl Language {
    /// All languages; languages with built-in models come first.
    pub const ALL: &'static [&'static Self] = &[
        &en::ENGLISH,
        &es::SPANISH,
        &fr::FRENCH,
        &nl::DUTCH,
        &pt::PORTUGUESE,
        &de::GERMAN,
        &it::ITALIAN,
        #[cfg(test)]
        &toy::TOY,
        &ar::ARABIC,
        &el::GREEK,
        &tr::TURKISH,
        &others::CATALAN,
        &others::CZECH,
        &others::DANISH,
        &others::FINNISH,
        &others::GALICIAN,
        &others::HUNGARIAN,
        &others::INDONESIAN,
        &others::POLISH,
        &others::ROMANIAN,
        &others::SWEDISH,
    ];

    /// A language about which nothing is known.
    const NONE: Self = Self {
        tag: "",
        name: None,
        regions: &[],
        licence: None,
        institutions: "",
        aliases: &[],
        locale: Locale::Root,
        abbreviations: "",
        continuing: "",
        one_letter: "",
        ordinals_have_stops: false,
        mark_characters: &[],
        mark_spaces: &[],
        mark_spaces_of_regions: &[],
        opened: &[],
        conventions: None,
        function_words: None,
        question_words: None,
        dictation: Dictation { commands: &[], doubtful: &[], determiners: "" },
        speaker_words: SpeakerWords::NONE,
        clock_words: "",
        clock_links: "",
    };

    /// Makes a language of which only the name is known.
    const fn named(tag: &'static str, name: &'static str) -> Self {
        Self { tag, name: Some(name), ..Self::NONE }
    }

    /// Returns the language of a tag: `pt` for `pt-BR`.
    pub fn of(tag: &str) -> Option<&'static Self> {
        Some(Self::ALL[Self::position(tag)?])
    }

    /// Returns the language with this English name; the case of the name is ignored.
    pub fn of_name(name: &str) -> Option<&'static Self> {
        let is_name = |language: &&&Self| language.name.is_some_and(|of| of.eq_ignore_ascii_case(name));
        Self::ALL.iter().find(is_name).copied()
    }

    /// Returns the index in [`Language::ALL`] of the language of a tag.
    pub(super) fn position(tag: &str) -> Option<usize> {
        let primary = primary(tag);
        Self::ALL.iter().position(|language| language.tag == primary)
    }

    /// Returns the language of a tag in lower case, or of an alias.
    pub(super) fn of_alias(primary: &str) -> Option<&'static Self> {
        let is_named = |language: &&&Self| language.tag == primary || language.aliases.contains(&primary);
        Self::ALL.iter().find(is_named).copied()
    }

    /// Returns the space before a mark in the language, or in one of its regions.
    fn mark_space(&self, mark: Mark, region: Option<&str>) -> &'static str {
        let is_region = |of: &str| region.is_some_and(|region| region.eq_ignore_ascii_case(of));
        let regional = self.mark_spaces_of_regions.iter().find(|(of, _)| is_region(of));
        let spaces = regional.map_or(self.mark_spaces, |(_, spaces)| spaces);
        spaces.iter().find(|(of, _)| *of == mark).map_or("", |(_, space)| space)
    }
}

impl ConventionFacts {
    /// The facts of a language without lists of words.
    const NONE: Self = Self {
        acronyms: "",
        letter_words: "",
        links: "",
        between: "",
        articles: "",
        spelled: "",
        lettered: "",
        titles: "",
        offices: "",
        office_particle: "",
        particles: "",
        no_names: "",
        bodies: "",
        office_parts: "",
        naming_ends: "",
        name_links: "",
        common: "",
        elision: None,
        pairs: &[],
        pluralizes: false,
        hours: "",
        has_versus: false,
        initialism: 2,
        doubles_letters: false,
    };
}

impl SpeakerWords {
    /// No words.
    const NONE: Self =
        Self { names: "", titles: "", roles: "", particles: "", keys: "", articles: "", numbers: "" };
}

/// Returns the primary language subtag: `pt` for `pt-BR`.
fn primary(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or_default()
}

/// Returns true if a list of words has a word.
pub fn has_word(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|one| one == word)
}

/// The tags of the languages with built-in models.
pub const BUILT_IN: [&str; count_built_in()] = {
    let mut tags = [""; count_built_in()];
    let mut at = 0;
    while at < tags.len() {
        tags[at] = Language::ALL[at].tag;
        at += 1;
    }
    tags
};

/// Returns the number of languages with built-in models, which come first.
const fn count_built_in() -> usize {
    let mut count = 0;
    while Language::ALL[count].licence.is_some() {
        count += 1;
    }
    count
}

impl FromStr for Locale {
    type Err = Error;

    /// Reads a language tag in any case, of two or three letters: `tr`, `tur`, `NL`, `el`, `pt-BR`,
    /// `root`.
    fn from_str(tag: &str) -> Result<Self, Error> {
        let primary = primary(tag).to_ascii_lowercase();
        let is_tag = primary == "root"
            || (2..=3).contains(&primary.len()) && primary.bytes().all(|byte| byte.is_ascii_lowercase());
        match is_tag {
            true => Ok(Language::of_alias(&primary).map_or(Self::Root, |language| language.locale)),
            false => Err(Error::usage(format!(
                "\"{tag}\" is not a language tag: expected one such as en, tr, nl, el, pt-BR or root"
            ))),
        }
    }
}

impl Mark {
    /// Returns the characters of the mark in a language, given by its tag: the space before it and
    /// the mark.
    pub fn spelling(self, language: &str, form: MarkForm) -> Option<(&'static str, char)> {
        let tag = primary(language);
        let known = Language::of_alias(tag);
        let own = known.and_then(|known| known.mark_characters.iter().find(|(mark, _)| *mark == self));
        let c = match own {
            Some((_, c)) => *c,
            None => self.character()?,
        };
        let space = match (form, self) {
            (MarkForm::Joined, _) => "",
            (MarkForm::Apart, _) | (MarkForm::Written, Self::Dash) => " ",
            (MarkForm::Written, _) => {
                known.map_or("", |known| known.mark_space(self, language[tag.len()..].strip_prefix('-')))
            }
        };
        Some((space, c))
    }

    /// Returns the character that opens a sentence that ends with the mark, in a language given by its tag: Spanish
    /// has `¿` and `¡`.
    pub fn opening(self, language: &str) -> Option<char> {
        let opening = self.inverted()?;
        Language::of(language).filter(|language| language.opened.contains(&self)).map(|_| opening)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tag_and_name_is_of_one_language() {
        for (at, language) in Language::ALL.iter().enumerate() {
            assert_eq!(Language::position(language.tag), Some(at), "{language:?}");
            for tag in [language.tag].iter().chain(language.aliases) {
                assert_eq!(Language::of_alias(tag).map(|found| found.tag), Some(language.tag));
            }
            let named = Language::ALL.iter().filter(|other| other.name == language.name);
            assert!(language.name.is_none() || named.count() == 1, "{language:?}");
        }
        assert_eq!(Language::of("pt-BR").map(|language| language.tag), Some("pt"));
        assert!(["", "xx", "por", "PT"].into_iter().all(|tag| Language::of(tag).is_none()));
    }

    #[test]
    fn the_words_of_a_list_are_in_lower_case_with_single_spaces_and_named_once() {
        for language in Language::ALL {
            let SpeakerWords { names, titles, roles, particles, keys, articles, numbers } =
                language.speaker_words;
            let mut lists = vec![language.institutions, language.clock_words, language.clock_links];
            lists.extend([names, titles, roles, particles, keys, articles, numbers]);
            if let Some(words) = &language.function_words {
                lists.extend([words.bound, words.close, words.objects, words.conjunctions, words.genitives]);
            }
            if let Some(words) = &language.question_words {
                lists.extend([words.interrogatives, words.leading, words.tags, words.addresses]);
            }
            assert_eq!(language.question_words.is_some(), language.opened.contains(&Mark::Question));
            if let Some(facts) = &language.conventions {
                lists.extend([facts.spelled, facts.lettered, facts.titles, facts.offices, facts.particles]);
                lists.extend([facts.no_names, facts.common, facts.office_particle]);
                lists.extend([facts.bodies, facts.office_parts, facts.naming_ends, facts.name_links]);
                lists.extend(facts.elision.iter().flat_map(|elision| [elision.words, elision.ends]));
            }
            for list in lists {
                assert_eq!(list, list.to_lowercase(), "{}", language.tag);
                let mut words: Vec<&str> = list.split(' ').collect();
                assert!(list.is_empty() || words.iter().all(|word| !word.is_empty()), "{list}");
                words.sort_unstable();
                assert!(words.windows(2).all(|pair| pair[0] != pair[1]), "{}: {list}", language.tag);
            }
        }
    }
}
