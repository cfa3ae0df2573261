//! Detects the language of a text from the character n-grams of its words, in order to choose a built-in model or to
//! warn about a model for another language. If the language cannot be detected, a note reports the text.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::embedded::{LANGUAGES, is_built_in};
use majuscule_text::tokenize::tokenize;
use majuscule_text::{Language, Locale};

/// Returns the name of the language with this tag; the tag itself if the name is not known.
pub fn name_of(tag: &str) -> &str {
    Language::ALL.iter().find(|known| known.tag == tag).and_then(|known| known.name).unwrap_or(tag)
}

/// Returns the tag of a language by its name, in any case, as recognisers write it; the name itself if it is not
/// known.
pub fn tag_of(name: &str) -> &str {
    Language::of_name(name).map_or(name, |known| known.tag)
}

/// The n-grams and their weights, as `lm/detector.py` writes them.
static TABLE: &str = majuscule_embed::DETECTOR;

/// The detector: a maximum entropy model of character n-grams.
static DETECTOR: LazyLock<Detector> = LazyLock::new(|| Detector::read(TABLE));

/// The number of classes, the languages of [`LANGUAGES`] first.
const CLASSES: usize = 21;

/// The number of weight steps per nat in the table, and the letter for the weight 0.
const STEPS: f64 = 12.0;
const ZERO: u8 = b'O';

/// The length of the longest n-gram that is not a whole word, and of the longest word that counts
/// whole, in characters.
const LONGEST_NGRAM: usize = 4;
const LONGEST_WORD: usize = 10;

struct Detector {
    /// The tags of the classes. A tag that ends in `*` stands for a class of several similar languages.
    tags: Vec<&'static str>,
    /// The n-grams in the order of their bytes, each with a weight for each class. `_` stands for either end of a
    /// word.
    ngrams: Vec<(&'static str, &'static [u8])>,
}

impl Detector {
    fn read(table: &'static str) -> Self {
        let mut lines = table.lines().skip(1);
        let tags = lines.next().unwrap_or_default().split(' ').collect();
        let ngrams = lines.filter_map(|line| line.split_once('\t'));
        Self { tags, ngrams: ngrams.map(|(ngram, weights)| (ngram, weights.as_bytes())).collect() }
    }

    fn weights(&self, ngram: &str) -> Option<&'static [u8]> {
        let at = self.ngrams.binary_search_by_key(&ngram, |(ngram, _)| ngram).ok()?;
        Some(self.ngrams[at].1)
    }
}

/// The detected language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetectedLanguage {
    /// A language with a built-in model: its tag.
    BuiltIn(&'static str),
    /// Another language, for which there is no built-in model.
    Other(Other),
    /// The text is too short, or consists of words that several languages share.
    Unsure,
    /// The text has no words.
    Empty,
}

/// A language without a built-in model, or a language other than the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    /// A language: its tag and its name.
    Language(&'static str, &'static str),
    /// A language in another script.
    Script,
    /// An unknown language in Latin letters.
    Unknown,
}

/// The lowest probability at which a text counts as a text in a language with a built-in model. With this limit,
/// fewer than 2 % of the answers on single lines of subtitles are wrong.
const SURE: f64 = 0.6;

/// The lowest probability at which a text counts as a text in none of these languages.
const SURELY_OTHER: f64 = 0.8;

/// The lowest number of words at which a text counts as a text in an unknown language: fewer words may be names.
const ENOUGH: u32 = 12;

/// The lowest probability and number of words at which a text counts as a text in another language than the chosen
/// language or the default language.
const SURELY_WRONG: f64 = 0.99;
const FEWEST: u32 = 4;

/// The evidence for each language in the words of a text.
#[derive(Debug, Clone, Default)]
pub struct LanguageEvidence {
    words: u32,
    /// The number of words that begin with a letter of a script other than Latin.
    foreign: u32,
    /// Sums of weights.
    scores: [i64; CLASSES],
    /// A buffer for the characters of a word between two `_`, reused for all words.
    word: String,
}

impl LanguageEvidence {
    /// Adds the words of a text.
    pub fn push_text(&mut self, text: &str) {
        tokenize(text, Locale::Root, "").iter().for_each(|(lower, _)| self.push(lower));
    }

    /// Adds a word in lower case. The first and the last part of a word with hyphens count as words.
    pub fn push(&mut self, lower: &str) {
        let Some(first) = lower.chars().find(|c| c.is_alphabetic()) else { return };
        self.words += 1;
        // Latin letters are below U+0250, or from U+1E00 to U+1EFF. Latin phonetic letters do not begin a word.
        self.foreign += u32::from(first > '\u{24f}' && !('\u{1e00}'..='\u{1eff}').contains(&first));
        let mut word = std::mem::take(&mut self.word);
        let parts =
            || lower.split(|c: char| !c.is_alphabetic() && !matches!(c, '\'' | '’' | '\u{300}'..='\u{36f}'));
        let last = parts().count() - 1;
        for (at, part) in parts().enumerate() {
            // The small words inside a name belong to the name: `aix-en-provence`.
            if at > 0 && at < last {
                continue;
            }
            word.clear();
            word.push('_');
            word.extend(part.nfc().map(|c| if c == '’' { '\'' } else { c }));
            word.push('_');
            self.add(&word);
        }
        self.word = word;
    }

    /// Adds the n-grams of a word between `_`.
    fn add(&mut self, word: &str) {
        let detector = &*DETECTOR;
        let ends = || word.char_indices().map(|(at, _)| at).chain([word.len()]);
        let longest = ends().count() - 1;
        if longest <= 2 {
            return;
        }
        let mut add = |ngram: &str| {
            for (score, weight) in self.scores.iter_mut().zip(detector.weights(ngram).unwrap_or_default()) {
                *score += i64::from(*weight) - i64::from(ZERO);
            }
        };
        for (at, from) in ends().take(longest).enumerate() {
            for to in ends().skip(at + 1).take(LONGEST_NGRAM) {
                add(&word[from..to]);
            }
        }
        if longest > LONGEST_NGRAM && longest <= LONGEST_WORD + 2 {
            add(word);
        }
    }

    /// Returns the number of words.
    pub fn len(&self) -> u32 {
        self.words
    }

    /// Returns true if there were no words.
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// Returns the language of the text.
    pub fn detected(&self) -> DetectedLanguage {
        if self.is_empty() {
            return DetectedLanguage::Empty;
        }
        if 2 * self.foreign > self.words {
            return DetectedLanguage::Other(Other::Script);
        }
        let probabilities = self.probabilities();
        let (best, probability) = largest(&probabilities);
        let own: f64 = probabilities[..LANGUAGES.len()].iter().sum();
        let tag = DETECTOR.tags[best];
        match best < LANGUAGES.len() {
            true if probability >= SURE && is_built_in(tag) => DetectedLanguage::BuiltIn(tag),
            true if probability >= SURE => DetectedLanguage::Other(Other::Language(tag, name_of(tag))),
            _ if own > 1.0 - SURELY_OTHER => DetectedLanguage::Unsure,
            _ if probability >= SURE && !tag.ends_with('*') => {
                DetectedLanguage::Other(Other::Language(tag, name_of(tag)))
            }
            _ if self.words < ENOUGH => DetectedLanguage::Unsure,
            _ => DetectedLanguage::Other(Other::Unknown),
        }
    }

    /// Returns the actual language of the text if it is clearly not `language`; `None` otherwise.
    pub fn other_than(&self, language: &str) -> Option<Other> {
        if self.words < FEWEST {
            return None;
        }
        if 2 * self.foreign > self.words {
            return Some(Other::Script);
        }
        let (best, probability) = largest(&self.probabilities());
        let tag = DETECTOR.tags[best];
        let is_other = probability >= SURELY_WRONG && tag != language && !tag.ends_with('*');
        is_other.then(|| Other::Language(tag, name_of(tag)))
    }

    /// Returns the probability of a language; 0 if it is not distinguished from others.
    pub fn probability(&self, tag: &str) -> f64 {
        let classes = DETECTOR.tags.iter().zip(self.probabilities());
        classes.filter(|(of, _)| **of == tag).map(|(_, probability)| probability).sum()
    }

    /// Returns the probability of each class.
    fn probabilities(&self) -> [f64; CLASSES] {
        let most = self.scores.iter().copied().max().unwrap_or_default();
        let probabilities = self.scores.map(|score| ((score - most) as f64 / STEPS).exp());
        let sum: f64 = probabilities.iter().sum();
        probabilities.map(|probability| probability / sum)
    }
}

/// Returns the class with the largest probability, or the first of several such classes, and the probability.
fn largest(probabilities: &[f64]) -> (usize, f64) {
    let larger = |most: (usize, f64), (at, &probability): (usize, &f64)| {
        if probability > most.1 { (at, probability) } else { most }
    };
    probabilities.iter().enumerate().fold((0, 0.0), larger)
}

/// The numbers of bytes at the beginning of a text from which its language is detected. The second number is used
/// only if the first does not suffice, as in a file that begins with a long header.
pub(crate) const LANGUAGE_BYTES: [usize; 2] = [1 << 12, 1 << 16];

/// Detects the language of a text among languages with a built-in model and others, by its first 4 KiB, or
/// its first 64 KiB if these do not suffice. Capitals and marks do not count. A few words are enough if they
/// are typical of one language.
///
/// ```
/// use majuscule::{DetectedLanguage, detect_language};
///
/// assert_eq!(detect_language("the president spoke to you in lisbon"), DetectedLanguage::BuiltIn("en"));
/// assert_eq!(detect_language("taxi 2000"), DetectedLanguage::Unsure);
/// assert!(matches!(detect_language("det vet jag inte heller"), DetectedLanguage::Other(_)));
/// ```
pub fn detect_language(text: &str) -> DetectedLanguage {
    let mut found = DetectedLanguage::Unsure;
    for most in LANGUAGE_BYTES {
        let mut evidence = LanguageEvidence::default();
        evidence.push_text(&text[..text.floor_char_boundary(most)]);
        found = evidence.detected();
        if found != DetectedLanguage::Unsure || text.len() <= most {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> LanguageEvidence {
        let mut words = LanguageEvidence::default();
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
            let found = words(text).other_than("en");
            assert!(matches!(found, Some(Other::Language(found, _)) if found == tag), "{text}: {found:?}");
        }
        let russian = words("Президент сказал вчера в Москве, что он не приедет.");
        assert_eq!(russian.other_than("en"), Some(Other::Script));
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
            assert_eq!(words(text).other_than(language), None, "{text}");
        }
    }

    #[test]
    fn a_text_of_no_known_language_is_told_where_it_is_long_enough() {
        let text = "tala nuri beko sapi wume ".repeat(20);
        assert_eq!(detect_language(&text), DetectedLanguage::Other(Other::Unknown));
        assert_eq!(words(&text).other_than("en"), None);
        assert_eq!(detect_language(&text[..24]), DetectedLanguage::Unsure);
    }

    #[test]
    fn the_table_has_a_weight_of_each_class_and_its_ngrams_in_order() {
        let Detector { tags, ngrams } = &*DETECTOR;
        assert_eq!((tags.len(), &tags[..LANGUAGES.len()]), (CLASSES, &LANGUAGES[..]));
        assert!(tags.iter().all(|tag| tag.ends_with('*') || name_of(tag) != *tag));
        assert!(ngrams.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(ngrams.iter().all(|(_, weights)| weights.len() == CLASSES && weights.is_ascii()));
        assert!(TABLE.len() < 70_000, "{}", TABLE.len());
    }

    /// The tag of the language that a text shows, whether or not its model is built in.
    fn tag(text: &str) -> &'static str {
        match detect_language(text) {
            DetectedLanguage::BuiltIn(tag) | DetectedLanguage::Other(Other::Language(tag, _)) => tag,
            DetectedLanguage::Other(Other::Script) => "script",
            DetectedLanguage::Other(Other::Unknown) => "unknown",
            DetectedLanguage::Unsure => "unsure",
            DetectedLanguage::Empty => "empty",
        }
    }

    /// Short lines as people write and subtitles have them.
    const LINES: [(&str, [&str; 8]); 11] = [
        (
            "en",
            [
                "what are you doing tonight",
                "we should have left an hour ago",
                "my sister works with françois in aix-en-provence",
                "don't tell anybody about this",
                "the soup is still too hot",
                "can somebody open the window please",
                "he never said where he'd put the keys",
                "thanks for picking me up",
            ],
        ),
        (
            "es",
            [
                "qué vas a hacer esta noche",
                "llegamos tarde por culpa del tren",
                "no me digas que ya se fueron",
                "mi hermana trabaja con ellos los lunes",
                "alguien ha visto mis llaves",
                "la sopa todavía está muy caliente",
                "eso no es lo que dijiste ayer",
                "vamos a comer algo primero",
            ],
        ),
        (
            "fr",
            [
                "qu'est-ce que tu fais ce soir",
                "on est arrivés en retard à cause du train",
                "ne me dis pas qu'ils sont déjà partis",
                "ma sœur travaille avec eux le lundi",
                "quelqu'un a vu mes clés",
                "la soupe est encore trop chaude",
                "je ne sais plus où je l'ai mis",
                "on mange d'abord quelque chose",
            ],
        ),
        (
            "nl",
            [
                "wat ga je vanavond doen",
                "we kwamen te laat door de trein",
                "zeg niet dat ze al weg zijn",
                "mijn zus werkt op maandag met hen",
                "heeft iemand mijn sleutels gezien",
                "de soep is nog veel te heet",
                "dat heb je gisteren niet gezegd",
                "laten we eerst iets eten",
            ],
        ),
        (
            "pt",
            [
                "o que vais fazer hoje à noite",
                "chegámos tarde por causa do comboio",
                "não me digas que já foram embora",
                "a minha irmã trabalha com eles às segundas",
                "alguém viu as minhas chaves",
                "a sopa ainda está muito quente",
                "não foi isso que você disse ontem",
                "vamos comer alguma coisa primeiro",
            ],
        ),
        (
            "de",
            [
                "was machst du heute abend",
                "wir kamen wegen des zuges zu spät",
                "sag nicht dass sie schon weg sind",
                "meine schwester arbeitet montags mit ihnen",
                "hat jemand meine schlüssel gesehen",
                "die suppe ist noch viel zu heiß",
                "das hast du gestern nicht gesagt",
                "lass uns erst etwas essen",
            ],
        ),
        (
            "it",
            [
                "che cosa fai stasera",
                "siamo arrivati tardi per colpa del treno",
                "non dirmi che sono già andati via",
                "mia sorella lavora con loro il lunedì",
                "qualcuno ha visto le mie chiavi",
                "la minestra è ancora troppo calda",
                "non è quello che hai detto ieri",
                "mangiamo prima qualcosa",
            ],
        ),
        (
            "sv",
            [
                "vad ska du göra ikväll",
                "vi kom för sent på grund av tåget",
                "säg inte att de redan har gått",
                "min syster jobbar med dem på måndagar",
                "har någon sett mina nycklar",
                "soppan är fortfarande för varm",
                "det sa du inte igår",
                "vi äter något först",
            ],
        ),
        (
            "da",
            [
                "hvad skal du lave i aften",
                "vi kom for sent på grund af toget",
                "sig ikke at de allerede er gået",
                "min søster arbejder sammen med dem om mandagen",
                "har nogen set mine nøgler",
                "suppen er stadig alt for varm",
                "det sagde du ikke i går",
                "lad os spise noget først",
            ],
        ),
        (
            "pl",
            [
                "co robisz dziś wieczorem",
                "spóźniliśmy się przez pociąg",
                "nie mów że już poszli",
                "moja siostra pracuje z nimi w poniedziałki",
                "czy ktoś widział moje klucze",
                "zupa jest jeszcze za gorąca",
                "wczoraj tego nie powiedziałeś",
                "najpierw coś zjedzmy",
            ],
        ),
        (
            "tr",
            [
                "bu akşam ne yapıyorsun",
                "tren yüzünden geç kaldık",
                "bana çoktan gittiklerini söyleme",
                "kız kardeşim pazartesileri onlarla çalışıyor",
                "anahtarlarımı gören oldu mu",
                "çorba hâlâ çok sıcak",
                "dün böyle söylememiştin",
                "önce bir şeyler yiyelim",
            ],
        ),
    ];

    #[test]
    fn a_short_line_tells_its_language_or_that_it_does_not_in_any_case() {
        for (language, lines) in LINES {
            let is_right = |text: &str| {
                let found = tag(text);
                assert!(
                    found == language || found == "unsure" || !LANGUAGES.contains(&found),
                    "{text}: {found}"
                );
                found == language
            };
            for write in [str::to_owned, str::to_uppercase] as [fn(&str) -> String; 2] {
                let right = lines.iter().filter(|line| is_right(&write(line))).count();
                assert!(right >= 6, "{language}: {right} of {}", lines.len());
            }
            assert_eq!(tag(&lines.join("\n")), language);
        }
    }

    #[test]
    fn words_of_no_language_and_names_tell_none() {
        for (text, expected) in [
            ("", "empty"),
            ("12 34 2024", "empty"),
            ("- ... ?!", "empty"),
            ("привет", "script"),
            ("как дела ok", "script"),
            ("今日は", "script"),
            ("i met françois in aix-en-provence", "en"),
            ("la la la", "unsure"),
            ("xyz", "unsure"),
        ] {
            assert_eq!(tag(text), expected, "{text}");
        }
    }

    #[test]
    fn accents_count_the_same_in_both_normal_forms() {
        let text = "não é";
        let apart: String = text.nfd().collect();
        assert_ne!(apart, text);
        let [composed, apart] = [text, &apart].map(|text| {
            let mut evidence = LanguageEvidence::default();
            text.split(' ').for_each(|word| evidence.push(word));
            evidence.scores
        });
        assert_eq!(composed, apart);
    }
}
