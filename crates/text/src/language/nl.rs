//! Dutch.

use super::{ConventionFacts, Dictation, FunctionWords, Language, SpeakerWords};
use crate::Locale;

/// Dutch.
pub static DUTCH: Language = Language {
    tag: "nl",
    name: Some("Dutch"),
    aliases: &["nld", "dut"],
    locale: Locale::Dutch,
    regions: &["NL", "BE"],
    licence: Some("LGPL"),
    abbreviations: majuscule_lexicons::nl::ABBREVIATIONS,
    one_letter: "u",
    conventions: Some(ConventionFacts {
        acronyms: majuscule_lexicons::nl::ACRONYMS,
        letter_words: "u",
        lettered: "vitamine vitaminen hepatitis letters opties groepen",
        titles: "mevrouw meneer mijnheer juffrouw heer",
        offices: "minister staatssecretaris burgemeester wethouder premier president commissaris senator generaal \
            kolonel kapitein majoor inspecteur professor dokter dominee pastoor familie collega rechter \
            advocaat",
        particles: "de den der van von te ten ter het op in la le du",
        bodies: "agentschap bank commissie comité gemeenschap hof kabinet kamer ministerie overheid \
            parlement raad rechtbank senaat staat unie",
        office_parts: "vice minister",
        name_links: "van voor",
        no_names: "voorzitter voorzitster president presidente minister premier burgemeester commissaris \
            staatssecretaris rapporteur directeur rechter officier ambassadeur heer mevrouw eerste nieuwe \
            huidige en of is was heeft had zal kan wil die dat een deze dit niet hier er zei zegt komt gaat",
        common: "het een van ik dat is niet op te zijn voor met en de je die maar ook hij aan naar wat er dit om \
            bij uit als door over tot of dan nog heeft ze zij we wij onder tegen was werd worden wordt in",
        office_particle: "de",
        initialism: 3,
        ..ConventionFacts::NONE
    }),
    function_words: Some(FunctionWords {
        bound: "de het een 't 'n van in op aan bij met voor door om uit over onder tussen naar tot tegen zonder \
            te mijn m'n jouw je zijn z'n haar ons onze hun uw deze dit die dat geen elke elk heel zeer meer \
            niet dr dhr mevr prof",
        close: "ik jij hij zij ze we wij jullie u er is was waren ben bent heb hebt heeft had hadden zal zou \
            zullen kan kon kunnen moet moest mag wil wilde wordt werd",
        objects: "me mij hem haar ons hen",
        conjunctions: "en maar of want dus omdat dat die wat wie waar als toen terwijl hoewel zodat zodra voordat nadat",
        genitives: "van",
    }),
    dictation: Dictation {
        commands: &[
            ("komma", ","),
            ("vraagteken", "?"),
            ("uitroepteken", "!"),
            ("puntkomma", ";"),
            ("gedachtestreepje", "–"),
            ("nieuwe regel", "\n"),
            ("nieuwe alinea", "\n\n"),
            ("aanhalingsteken openen", " “"),
            ("aanhalingsteken sluiten", "”"),
            ("haakje openen", " ("),
            ("haakje sluiten", ")"),
        ],
        doubtful: &[("punt", "."), ("dubbele punt", ":")],
        determiners: "een de het deze dit die dat mijn jouw zijn haar ons onze hun geen elk elke ieder iedere",
    },
    speaker_words: SpeakerWords {
        titles: "mevr mw dhr meneer mevrouw",
        roles: "interviewer spreker presentator verslaggever rechter getuige vrouw",
        particles: "de den der van en",
        keys: "let voorbeeld onderwerp datum prijs",
        ..SpeakerWords::NONE
    },
    clock_words: "uur",
    clock_links: "en of tot",
    institutions: "aartsbisschop ambassadeur bisschop burgemeester comité commissaris commissarissen commissie \
        directeur gouverneur hof kabinet kamer kanselier keizer koning koningin minister ministerie \
        parlement paus premier president presidente prins prinses professor raad rapporteur rechter \
        rechtbank regering secretaris senaat senator staatssecretaris voorzitster voorzitter wethouder",
    ..Language::NONE
};
