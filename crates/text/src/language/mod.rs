//! The descriptors of languages, and the list of them. The words of a language are rows of its file in `lexicons/`,
//! which the compiler reads.
//!
//! No other code names a language, except for its models.

#[cfg(test)]
mod toy;

use std::str::FromStr;

use super::locale::Locale;
use super::mark::{Mark, MarkForm};
use super::word_list::{Rows, lines};
use majuscule_base::error::Error;
use majuscule_lexicons::{self as lexicons, LanguageFiles};

/// A language.
///
/// Lists of words have white space between the words, which are in lower case. A list without words is empty.
#[derive(Debug)]
#[non_exhaustive]
pub struct Language {
    /// The tag, after BCP 47.
    pub tag: &'static str,
    /// The English name, as recognisers write it; `None` if no text is detected or declared by name.
    pub name: Option<&'static str>,
    /// The regions that programs ask for, the usual one first.
    pub regions: &'static str,
    /// The licence of the built-in models, which follows from the licences of their texts; `None` without
    /// models.
    pub licence: Option<&'static str>,
    /// Offices and institutions, in the singular where the plural adds an `s`: writers do not agree on
    /// their capitals.
    pub institutions: &'static str,
    /// Other language tags with the same case mappings and the same characters for marks.
    pub(super) aliases: &'static str,
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
    /// The marks that have an opening (`¿`) at the beginning of the sentence that they end: `?!`.
    pub(super) opened: &'static str,
    /// The list of its acronyms, in addition to the acronyms of all languages.
    pub(super) acronyms: &'static str,
    /// True if the plural of an acronym adds an `s`.
    pub(super) pluralizes: bool,
    /// True if `v.` separates the parties of a case in court.
    pub(super) has_versus: bool,
    /// True if an unlisted initialism with full stops is written in capitals only if it has at least three letters.
    pub(super) needs_three_letters: bool,
    /// True if the initialism of a plural doubles each letter: `EE. UU.`
    pub(super) doubles_letters: bool,
    /// The particle that is elided before a name; `None` if there is none.
    pub(super) elision: Option<Elision>,
    /// The words for the conventions; `None` if the language has none.
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

/// Defines a group of words. The row of a field in the file of a language has the name of the field, with a prefix.
macro_rules! words {
    ($(#[$doc:meta])* $vis:vis struct $name:ident($prefix:literal) {
        $($(#[$field_doc:meta])* $field:ident,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug)]
        $vis struct $name {
            $($(#[$field_doc])* $vis $field: &'static str,)*
        }

        impl $name {
            const fn read(rows: &mut Rows) -> Self {
                Self { $($field: rows.take(concat!($prefix, stringify!($field))),)* }
            }
        }
    };
}

words! {
    /// The facts about a language that the [conventions](super::conventions) need.
    pub(super) struct ConventionFacts("") {
        /// Words of one letter: a run of only such letters spells nothing (`e a`).
        letter_words,
        /// The articles that link two letters (`b e c`), and that follow a name without beginning a sentence
        /// (`Silva e`).
        links,
        /// Words of one letter that are between two letters: `b y c`, `de a à b`.
        between,
        /// Articles of one letter: after a link they do not begin a sentence (`e a`).
        articles,
        /// Acronyms that are common words unless they are spelled letter by letter: `u s`.
        spelled,
        /// Words before the letters of a kind or a list: `vitamin b c`.
        lettered,
        /// Words of address before a name, in addition to the abbreviations with `NAME`.
        titles,
        /// Offices before a name: a particle after an office may also belong to the body of the office
        /// (`minister van`).
        offices,
        /// The particle that may follow an office before a name: `minister de Jonge`.
        office_particle,
        /// Particles that have a capital right after a title or an office: `dhr. De Wit`.
        particles,
        /// Words after a title or a particle that are not names.
        no_names,
        /// Bodies that are named by a place or a matter (`House of Commons`), in the singular where the plural
        /// adds an `s` or `es`, in addition to the bodies among the [institutions](Language::institutions).
        bodies,
        /// Words that are part of an office before or after another word: `prime minister`.
        office_parts,
        /// The ends of adjectives in small letters that name the body before them: `Assemblée nationale`.
        naming_ends,
        /// Words between a body and the place or matter that it is named by.
        name_links,
        /// Common words that are not names: after an abbreviation that ends no sentence they have no capital.
        common,
        /// Words whose case an adjacent word decides, a rule per line: the cases that the first and the second word get
        /// (`-` leaves the case to the method), the first words, and the words that may follow one of them; `#` represents
        /// any number.
        pairs,
        /// Words before a pair that make it something else.
        unpaired_after,
        /// Numbers before the letters of a time: `nine a m`.
        hours,
    }
}

words! {
    /// A particle that loses its vowel before a name: `d'Ormesson`.
    pub(super) struct Elision("elision_") {
        /// The particle with its apostrophe.
        particle,
        /// Words after it that are not names.
        words,
        /// The ends of other words that are not names.
        ends,
    }
}

words! {
    /// The function words of a language.
    pub struct FunctionWords("") {
        /// Articles, prepositions, possessives and titles, which stay on one line with the word after them.
        bound,
        /// Pronouns and auxiliaries, which preferably stay on one line with the verb after them.
        close,
        /// Pronouns that preferably stay on one line with the verb before them.
        objects,
        /// Conjunctions and relative pronouns, before which a line break is preferred.
        conjunctions,
        /// Words that begin a genitive, which is bound to the noun before it more closely than other phrases.
        genitives,
    }
}

words! {
    /// The words that identify the clause with which a question begins.
    pub struct QuestionWords("") {
        /// Interrogatives.
        interrogatives,
        /// Conjunctions and prepositions, which may come before an interrogative.
        leading,
        /// First words of question tags: `eso es, ¿verdad?`
        tags,
        /// First words of clauses that come before a question: greetings, addresses, conditions.
        addresses,
    }
}

words! {
    /// The commands with which people dictate punctuation and lines.
    pub struct Dictation("") {
        /// Phrases, one per line, with the text that each writes: `\n` is a line end, `~` a no-break space, and an
        /// opening, which belongs to the next word, has a space before it. `doubtful` follows if the phrase is also
        /// an everyday word: `the trial period`.
        commands,
        /// Words right before a phrase that make it a noun and not a command: `a comma`.
        determiners,
    }
}

/// A phrase of dictation.
#[derive(Debug, Clone, Copy)]
pub struct DictatedPhrase {
    /// The words, with single spaces.
    pub phrase: &'static str,
    /// The text that it writes.
    pub writes: &'static str,
    /// True if it is an everyday phrase too.
    pub is_doubtful: bool,
}

impl Dictation {
    /// Iterates over the phrases.
    pub fn phrases(&self) -> impl Iterator<Item = DictatedPhrase> {
        lines(self.commands).filter_map(|mut columns| {
            let (phrase, writes) = (columns.next()?, columns.next()?);
            Some(DictatedPhrase { phrase, writes, is_doubtful: columns.next().is_some() })
        })
    }
}

words! {
    /// The words in the labels of speakers, which count in a text of any language.
    pub(super) struct SpeakerWords("speaker_") {
        /// Given names that are words as well.
        names,
        /// Titles before a name, without their full stops.
        titles,
        /// The words for speakers in transcripts of interviews, courts, calls, meetings and subtitles.
        roles,
        /// The parts of names that stay in lower case.
        particles,
        /// Words before a colon that are not the name of a speaker in any context.
        keys,
        /// The articles, and the words that may replace them before a title or a role.
        articles,
        /// Numbers and letters that replace a name after a role.
        numbers,
    }
}

impl Language {
    /// All languages; languages with built-in models come first.
    pub const ALL: &'static [&'static Self] = &[
        &Self::read("en", &lexicons::ENGLISH),
        &Self::read("es", &lexicons::SPANISH),
        &Self::FRENCH,
        &Self { locale: Locale::Dutch, ..Self::read("nl", &lexicons::DUTCH) },
        &Self::read("pt", &lexicons::PORTUGUESE),
        &Self::read("de", &lexicons::GERMAN),
        &Self::read("it", &lexicons::ITALIAN),
        #[cfg(test)]
        &toy::TOY,
        // Persian and Urdu share the marks of Arabic, and Azeri the letters of Turkish.
        &Self {
            aliases: "fa ur",
            mark_characters: &[(Mark::Question, '؟'), (Mark::Comma, '،'), (Mark::Semicolon, '؛')],
            ..Self::named("ar", None)
        },
        &Self {
            mark_characters: &[(Mark::Question, '\u{37e}'), (Mark::Semicolon, '·')],
            ..Self::named("el", None)
        },
        &Self { aliases: "tur az aze", locale: Locale::Turkic, ..Self::named("tr", Some("Turkish")) },
        &Self::named("ca", Some("Catalan")),
        &Self::named("cs", Some("Czech")),
        &Self::named("da", Some("Danish or Norwegian")),
        &Self::named("fi", Some("Finnish")),
        &Self::named("gl", Some("Galician")),
        &Self::named("hu", Some("Hungarian")),
        &Self::named("id", Some("Indonesian")),
        &Self::named("pl", Some("Polish")),
        &Self::named("ro", Some("Romanian")),
        &Self::named("sv", Some("Swedish")),
    ];

    const FRENCH: Self = Self {
        // After the Imprimerie nationale and, in Canada, the Office québécois de la langue française.
        mark_spaces: &[
            (Mark::Colon, "\u{a0}"),
            (Mark::Question, "\u{202f}"),
            (Mark::Exclamation, "\u{202f}"),
            (Mark::Semicolon, "\u{202f}"),
        ],
        mark_spaces_of_regions: &[("CA", &[(Mark::Colon, "\u{a0}")])],
        ..Self::read("fr", &lexicons::FRENCH)
    };

    /// Makes a language of which only the tag and the name are known, so that its texts can be detected or declared.
    const fn named(tag: &'static str, name: Option<&'static str>) -> Self {
        Self { name, ..Self::read(tag, &LanguageFiles { words: "", abbreviations: "", acronyms: "" }) }
    }

    /// Makes a language of its files: each row is a field.
    const fn read(tag: &'static str, files: &LanguageFiles) -> Self {
        let mut rows = Rows::of(files.words);
        let language = Self {
            tag,
            name: rows.optional("name"),
            regions: rows.take("regions"),
            licence: rows.optional("licence"),
            institutions: rows.take("institutions"),
            aliases: rows.take("aliases"),
            locale: Locale::Root,
            abbreviations: files.abbreviations,
            continuing: rows.take("continuing"),
            one_letter: rows.take("one_letter"),
            ordinals_have_stops: rows.flag("ordinals_have_stops"),
            mark_characters: &[],
            mark_spaces: &[],
            mark_spaces_of_regions: &[],
            opened: rows.take("opened"),
            acronyms: files.acronyms,
            pluralizes: rows.flag("pluralizes"),
            has_versus: rows.flag("has_versus"),
            needs_three_letters: rows.flag("needs_three_letters"),
            doubles_letters: rows.flag("doubles_letters"),
            elision: if rows.has("elision_particle") { Some(Elision::read(&mut rows)) } else { None },
            conventions: if rows.has("common") { Some(ConventionFacts::read(&mut rows)) } else { None },
            function_words: if rows.has("bound") { Some(FunctionWords::read(&mut rows)) } else { None },
            question_words: if rows.has("interrogatives") {
                Some(QuestionWords::read(&mut rows))
            } else {
                None
            },
            dictation: Dictation::read(&mut rows),
            speaker_words: SpeakerWords::read(&mut rows),
            clock_words: rows.take("clock_words"),
            clock_links: rows.take("clock_links"),
        };
        rows.finish();
        language
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
        let is_named = |language: &&&Self| language.tag == primary || has_word(language.aliases, primary);
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

/// Returns the primary language subtag: `pt` for `pt-BR`.
fn primary(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or_default()
}

/// Returns true if a list of words has a word.
pub fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
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
        let (opening, closing) = (self.inverted()?, self.character()?);
        Language::of(language).filter(|language| language.opened.contains(closing)).map(|_| opening)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tag_and_name_is_of_one_language() {
        for (at, language) in Language::ALL.iter().enumerate() {
            assert_eq!(Language::position(language.tag), Some(at), "{language:?}");
            for tag in
                [language.tag].into_iter().chain(language.aliases.split(' ')).filter(|tag| !tag.is_empty())
            {
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
            assert_eq!(language.question_words.is_some(), language.opened.contains('?'));
            lists.extend(language.elision.iter().flat_map(|elision| [elision.words, elision.ends]));
            if let Some(facts) = &language.conventions {
                lists.extend([facts.spelled, facts.lettered, facts.titles, facts.offices, facts.particles]);
                lists.extend([facts.no_names, facts.common, facts.office_particle, facts.unpaired_after]);
                lists.extend([facts.bodies, facts.office_parts, facts.naming_ends, facts.name_links]);
            }
            for list in lists.into_iter().map(|list| list.replace("\n\t", " ")) {
                assert_eq!(list, list.to_lowercase(), "{}", language.tag);
                let mut words: Vec<&str> = list.split(' ').collect();
                assert!(list.is_empty() || words.iter().all(|word| !word.is_empty()), "{list}");
                words.sort_unstable();
                assert!(words.windows(2).all(|pair| pair[0] != pair[1]), "{}: {list}", language.tag);
            }
        }
    }
}
