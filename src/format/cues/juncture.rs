//! What stands between two words, for those who cut there.

use super::cut::Juncture;
use crate::text::Mark;
use crate::text::sentence::Abbreviations;

/// The function words of a language, each list in lower case with a space around each word.
#[derive(Debug, Clone, Copy)]
struct FunctionWords {
    language: &'static str,
    /// Articles, prepositions, possessives and titles, which stay with the word after them.
    bound: &'static str,
    /// Pronouns and auxiliaries, which had better stay with the verb after them.
    close: &'static str,
    /// Pronouns that had better stay with the verb before them.
    objects: &'static str,
    /// Conjunctions and relative pronouns, before which a line is well broken.
    conjunctions: &'static str,
}

const LISTS: [FunctionWords; 5] = [
    FunctionWords {
        language: "en",
        bound: " a an the of to in on at by for from with without into onto about over under between through \
                during against towards toward upon my your his her its our their this these those no every each \
                some any very more most than as mr mrs ms dr prof professor st president minister sir not ",
        close: " i you he she we they it there is are was were am be been being has have had do does did will \
                would can could shall should may might must don't doesn't didn't won't can't couldn't wouldn't \
                isn't aren't wasn't weren't i'm you're he's she's it's we're they're i've you've we've they've \
                i'll you'll he'll she'll we'll they'll i'd you'd he'd she'd we'd they'd what how ",
        objects: " me him her it us them ",
        conjunctions: " and but or nor so yet because that which who whom whose when where while if whether \
                       although though unless until since before after ",
    },
    FunctionWords {
        language: "pt",
        bound: " o a os as um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas \
                para com sem sobre entre até desde contra ao à aos às meu minha meus minhas teu tua seu sua seus \
                suas nosso nossa nossos nossas este esta estes estas esse essa esses essas aquele aquela sr sra dr \
                dra muito mais tão não ",
        close: " eu tu ele ela nós vós eles elas você vocês se me te lhe lhes é são era eram foi foram está estão \
                estava tem têm tinha há vai vão pode podem deve ",
        objects: " me te lhe lhes nos ",
        conjunctions: " e mas ou nem que porque quando onde se como embora enquanto pois porém quem cujo cuja ",
    },
    FunctionWords {
        language: "es",
        bound: " el la los las un una unos unas de del al a en por para con sin sobre entre hasta desde contra hacia \
                mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta estos estas ese esa esos esas \
                aquel aquella sr sra dr dra muy más tan no ",
        close: " yo tú él ella nosotros vosotros ellos ellas usted ustedes se me te le les lo nos os es son era \
                eran fue fueron está están estaba ha han había hay va van puede pueden debe ",
        objects: " me te nos ",
        conjunctions: " y e pero o u ni que porque cuando donde si como aunque mientras pues sino quien cuyo cuya ",
    },
    FunctionWords {
        language: "fr",
        bound: " le la les un une des du de d' au aux à en dans par pour avec sans sur sous entre vers chez contre \
                mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces m mme mlle dr très \
                plus si ne ",
        close: " je tu il elle on nous vous ils elles se me te lui y est sont était étaient suis es sommes êtes a ai \
                as ont avons avez avait avaient va vont peut peuvent doit fait c'est n'est j'ai ",
        objects: " moi toi lui ",
        conjunctions: " et mais ou ni que qui dont où parce quand lorsque comme car donc puisque tandis quoique \
                       qu'il qu'elle qu'on qu'ils ",
    },
    FunctionWords {
        language: "nl",
        bound: " de het een 't 'n van in op aan bij met voor door om uit over onder tussen naar tot tegen zonder te \
                mijn m'n jouw je zijn z'n haar ons onze hun uw deze dit die dat geen elke elk heel zeer meer niet dr \
                dhr mevr prof ",
        close: " ik jij hij zij ze we wij jullie u er is was waren ben bent heb hebt heeft had hadden zal zou zullen \
                kan kon kunnen moet moest mag wil wilde wordt werd ",
        objects: " me mij hem haar ons hen ",
        conjunctions: " en maar of want dus omdat dat die wat wie waar als toen terwijl hoewel zodat zodra voordat \
                       nadat ",
    },
];

/// The words of a genitive, which belongs to the noun before it more than other phrases do.
const GENITIVES: &str = " of de du des d' do da dos das del van ";

/// The letters of a word that is taken for a function word in a language without a list.
const SHORT: usize = 2;

/// The abbreviations and function words of a text.
#[derive(Debug)]
pub(super) struct CueLanguage {
    abbreviations: &'static Abbreviations,
    /// The lists that count; none for a language without one.
    lists: Vec<FunctionWords>,
}

impl CueLanguage {
    /// Returns the words of a language, by its tag or its English name; without one, those of all
    /// languages.
    pub(super) fn of(tag: Option<&str>) -> Self {
        let tag = tag.unwrap_or("mul").to_ascii_lowercase();
        let named = |name: &str| match name {
            "english" => "en",
            "portuguese" => "pt",
            "spanish" => "es",
            "french" => "fr",
            "dutch" => "nl",
            _ => "",
        };
        let tag = if named(&tag).is_empty() { &*tag } else { named(&tag) };
        let language = tag.split(['-', '_']).next().unwrap_or_default();
        let is_any = tag == "mul" || tag.contains(',');
        let lists = LISTS.into_iter().filter(|list| is_any || list.language == language).collect();
        Self { abbreviations: Abbreviations::of(tag), lists }
    }

    /// Returns what stands between two words, whose marks are part of them.
    pub(super) fn juncture(&self, word: &str, next: &str) -> Juncture {
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
            Mark::Comma if self.has(|words| words.conjunctions, &lower) => return Juncture::Close,
            Mark::Comma | Mark::Question | Mark::Exclamation => return Juncture::Comma,
            _ => {}
        }
        self.between(body, &lower, begin, next)
    }

    /// Returns what stands between two words without a mark.
    fn between(&self, body: &str, lower: &str, begin: &str, next: &str) -> Juncture {
        let plain = begin.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’')).next();
        let plain = plain.unwrap_or_default().to_lowercase().replace('’', "'");
        let lower = lower.replace('’', "'");
        let is_short = self.lists.is_empty() && (1..=SHORT).contains(&lower.chars().count());
        let is_upper = |text: &str| text.starts_with(char::is_uppercase);
        if self.has(|words| words.bound, &lower) || self.has(|words| words.conjunctions, &lower) {
            Juncture::Bound
        } else if next.starts_with(['(', '[', '«', '“', '„', '"']) {
            Juncture::Conjunction
        } else if self.has(|words| words.close, &lower) && !self.has(|words| words.bound, &plain)
            || self.has(|words| words.objects, &plain)
            || is_short
        {
            Juncture::Close
        } else if self.has(|words| words.conjunctions, &plain) {
            Juncture::Conjunction
        } else if is_upper(body) && is_upper(begin) || lower.starts_with(|c: char| c.is_ascii_digit()) {
            Juncture::Close
        } else if self.has(|words| words.bound, &plain) && !GENITIVES.contains(&format!(" {plain} ")) {
            Juncture::Phrase
        } else {
            Juncture::Plain
        }
    }

    /// Returns true if a list of the language has a word.
    fn has(&self, list: impl Fn(&FunctionWords) -> &'static str, word: &str) -> bool {
        !word.is_empty() && self.lists.iter().any(|words| list(words).contains(&format!(" {word} ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn junctures(language: Option<&str>, text: &str) -> Vec<Juncture> {
        let language = CueLanguage::of(language);
        let words: Vec<&str> = text.split(' ').collect();
        words.windows(2).map(|pair| language.juncture(pair[0], pair[1])).collect()
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
        // Without a list, short words are taken for such words.
        assert_eq!(junctures(Some("xx"), "maps of world"), [Plain, Close]);
        assert_eq!(junctures(None, "Helen Carter draws 12 maps"), [Close, Plain, Plain, Close]);
    }
}
