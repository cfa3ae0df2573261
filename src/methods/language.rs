//! Detects the language of a text by its most common words: to choose a built-in model, and to warn
//! if it is for another language.

/// The most common words of languages, those with a built-in model first. Some of them make up a
/// third of any text, and few occur in another language.
const COMMON: [(&str, &str, &str); 18] = [
    (
        "en",
        "English",
        "the and of to that it you was for with this have are not but they what from his would there been their will your",
    ),
    (
        "es",
        "Spanish",
        "el los las y que en una por con del se es no para como más pero su al lo está muy yo este esta de la a",
    ),
    (
        "fr",
        "French",
        "le les et des est que une dans pour du vous pas nous il qui je au ce sur avec plus sont mais cette la de à",
    ),
    (
        "nl",
        "Dutch",
        "het een van ik dat is niet op te zijn voor met en de je die maar ook hij aan naar wat er dit",
    ),
    (
        "pt",
        "Portuguese",
        "o os e que em uma não do da com para um no na por mais se é as dos ao você eu mas isso de a",
    ),
    (
        "de",
        "German",
        "der die das und ist nicht ein eine zu den mit auf für dem von sich auch es ich wir sie haben wird oder im",
    ),
    (
        "it",
        "Italian",
        "il che di è per non una del della sono gli le anche con più ma questo nel si un alla come la ha",
    ),
    (
        "ca",
        "Catalan",
        "el la de que i els les un una per amb del no és al com més però va aquest són dels hi seva",
    ),
    (
        "gl",
        "Galician",
        "o os e que en unha non do da con para un no na por máis se é as dos ao pero isto á polo",
    ),
    (
        "ro",
        "Romanian",
        "și de la în nu o să pe cu este un din care mai a că pentru ce sunt lui am dar sau fi au",
    ),
    (
        "pl",
        "Polish",
        "i w z na się nie do jest że to jak po za od tak ale czy przez był są tego dla co tym o",
    ),
    ("cs", "Czech", "a se na je v že to s z do by pro jsem ale jako za jsou nebo byl tak ve jsme co když si"),
    (
        "sv",
        "Swedish",
        "och att det som en på är av för med den till inte jag om har de men var ett från vi kan i sig",
    ),
    (
        "da",
        "Danish or Norwegian",
        "og at det som en på er av af for med den til ikke jeg om har de men var et fra vi kan i",
    ),
    (
        "fi",
        "Finnish",
        "ja on ei että se hän oli mutta kun niin mitä minä ovat tai myös joka olen nyt sen jos kuin ole vain",
    ),
    (
        "hu",
        "Hungarian",
        "a az és hogy nem egy is ez van meg de már csak ha el volt vagy mint ki be még azt én",
    ),
    (
        "tr",
        "Turkish",
        "ve bir bu da de için ne ile çok o ben var gibi daha ama mi değil olarak kadar sonra ki her",
    ),
    (
        "id",
        "Indonesian",
        "yang dan di itu ini dengan untuk dari tidak ke pada adalah akan saya juga dalam ada kita bisa kami",
    ),
];

/// The minimum number of common words of a language that identify it.
const FEWEST: u32 = 4;

/// The factor by which the common words of another language must outnumber those of the expected
/// one.
const CLEARLY: u32 = 3;

/// Parts of a threshold: a text of at least `ENOUGH` words is in another language if fewer than one
/// in `RARELY` of them is among the most common words of the expected language.
const RARELY: u32 = 16;
const ENOUGH: u32 = 60;

/// The name of a language; its tag if the name is not known.
pub fn name_of(tag: &str) -> &str {
    COMMON.iter().find(|(known, ..)| *known == tag).map_or(tag, |(_, name, _)| name)
}

/// The tag of a language by its name in any case, as recognisers write it; the name itself if it is
/// not known.
pub fn tag_of(name: &str) -> &str {
    COMMON.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name)).map_or(name, |(tag, ..)| tag)
}

/// Counts over the words of a text.
#[derive(Debug, Clone, Default)]
pub struct LanguageCounts {
    all: u32,
    /// The number of words that begin with a letter of a script other than Latin.
    foreign: u32,
    common: [u32; COMMON.len()],
}

/// The actual language of a text that is not in the expected language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    /// A language: its tag and its name.
    Language(&'static str, &'static str),
    /// A language in another script.
    Script,
    /// An unknown language.
    Unknown,
}

impl LanguageCounts {
    /// Counts the next word, given in lower case.
    pub fn push(&mut self, lower: &str) {
        let Some(first) = lower.chars().next().filter(|c| c.is_alphabetic()) else { return };
        self.all += 1;
        // Latin letters end there, except some of Vietnamese and of phonetics, which begin no word.
        self.foreign += u32::from(first > '\u{24f}' && !('\u{1e00}'..='\u{1eff}').contains(&first));
        for ((_, _, common), count) in COMMON.iter().zip(&mut self.common) {
            let mut words = common.as_bytes().split(|&b| b == b' ');
            *count += u32::from(lower.len() <= 8 && words.any(|word| word == lower.as_bytes()));
        }
    }

    /// The number of words.
    pub fn len(&self) -> u32 {
        self.all
    }

    /// Returns true if there were no words.
    pub fn is_empty(&self) -> bool {
        self.all == 0
    }

    /// The number of words among the most common of a language; 0 if the language is not known.
    pub fn of(&self, language: &str) -> u32 {
        let at = COMMON.iter().position(|(tag, ..)| *tag == language);
        at.map_or(0, |at| self.common[at])
    }

    /// The actual language of the text if it is clearly not in this language; `None` if it may be.
    /// With `strictly`, also reports a text that merely has too few common words of the language,
    /// as lists of names do.
    pub fn other_than(&self, language: &str, strictly: bool) -> Option<Other> {
        if self.foreign >= FEWEST && 2 * self.foreign > self.all {
            return Some(Other::Script);
        }
        let own = self.of(language);
        // The first of equally likely languages.
        let best = COMMON.iter().zip(self.common).rev().max_by_key(|(_, count)| *count);
        match best {
            Some(((tag, name, _), count)) if count >= FEWEST && count > CLEARLY * own => {
                Some(Other::Language(tag, name))
            }
            _ if strictly && self.all >= ENOUGH && own * RARELY < self.all => Some(Other::Unknown),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> LanguageCounts {
        let mut words = LanguageCounts::default();
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).for_each(|word| words.push(word));
        words
    }

    #[test]
    fn a_text_of_another_language_is_told() {
        for (tag, text) in [
            (
                "de",
                "Die Kanzlerin sprach gestern in Berlin mit dem Präsidenten, und der Minister war auch da.",
            ),
            (
                "it",
                "Il presidente ha detto che non è una questione di soldi, ma che la gente vuole anche il lavoro.",
            ),
            (
                "pl",
                "Prezydent nie był w Warszawie, ale jest pewne, że to się zmieni i nie będzie tak jak dawniej.",
            ),
            (
                "sv",
                "Jag vet inte om det är sant, men vi har sett att de var där och att hon kan komma till oss.",
            ),
            (
                "fr",
                "Le ministre est arrivé dans la ville avec les députés, et nous ne savons pas ce qui est prévu.",
            ),
            ("pt", "O ministro não veio com os deputados para a cidade, e eu não sei o que isso quer dizer."),
        ] {
            let found = words(text).other_than("en", false);
            assert!(matches!(found, Some(Other::Language(found, _)) if found == tag), "{text}: {found:?}");
        }
        let russian = words("Президент сказал вчера в Москве, что он не приедет.");
        assert_eq!(russian.other_than("en", false), Some(Other::Script));
    }

    #[test]
    fn a_text_of_the_language_and_one_that_says_little_are_no_others() {
        for (language, text) in [
            ("en", "She said that the meeting with Mr de la Cruz in Den Haag was not for the press."),
            ("en", "Paris, Rome, Berlin, Madrid, Lisbon, Vienna, Prague, Warsaw, Oslo and so on."),
            ("en", "la la la"),
            ("en", ""),
            ("es", "El presidente de la comisión habló ayer en Lisboa con los ministros de la Unión."),
            ("nl", "De minister was gisteren in Den Haag om met de koning te praten over het weer."),
            ("fr", "Le conseil de la ville a voté contre, et les gens ne sont pas contents du tout."),
            ("pt", "A Maria foi ontem a Lisboa com o João para ver o mar e comer um pastel de nata."),
        ] {
            assert_eq!(words(text).other_than(language, true), None, "{text}");
        }
    }

    #[test]
    fn a_text_of_no_known_language_is_told_where_it_is_long_enough() {
        let text = "tala nuri beko sapi wume ".repeat(20);
        assert_eq!(words(&text).other_than("en", true), Some(Other::Unknown));
        assert_eq!(words(&text).other_than("en", false), None);
        assert_eq!(words(&text[..60]).other_than("en", true), None);
    }
}
