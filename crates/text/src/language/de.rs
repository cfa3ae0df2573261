//! German.

use super::{ConventionFacts, Dictation, FunctionWords, Language, SpeakerWords, WordPair};
use crate::Case;

/// German.
pub static GERMAN: Language = Language {
    tag: "de",
    name: Some("German"),
    aliases: &["deu", "ger"],
    regions: &["DE", "AT", "CH"],
    licence: Some("CC BY-SA 4.0"),
    abbreviations: majuscule_lexicons::de::ABBREVIATIONS,
    continuing: "ein eine einen einem einer zwei drei vier fünf sechs sieben acht neun zehn zwölf bis",
    ordinals_have_stops: true,
    conventions: Some(ConventionFacts {
        acronyms: majuscule_lexicons::de::ACRONYMS,
        lettered: "vitamin vitamine hepatitis buchstabe buchstaben buchstabens option optionen gruppe gruppen klasse \
            typ plan",
        titles: "herr herrn frau fräulein",
        offices: "minister ministerin kanzler kanzlerin präsident präsidentin bürgermeister bürgermeisterin \
            kommissar kommissarin abgeordnete abgeordneter senator senatorin general oberst hauptmann \
            inspektor professor professorin doktor pfarrer richter richterin kollege kollegin",
        no_names: "und oder ist war hat hatte wird kann will soll muss der die das ein eine nicht hier es er sie \
            ihr ihre ihren ihrem ihrer sagte sagt kommt geht",
        common: "der die das und ist nicht ein eine einer eines einem einen zu in den dem des von mit sich auf für \
            im an auch es er sie wir ich ihr du man so wie als aber oder wenn dass bei aus nach nur noch über \
            um zum zur vom am bis durch hat haben war waren wird werden sind sein kann können mehr schon \
            sehr hier dort da dann was wer wo weil ob doch kein keine unter gegen ohne vor zwischen seit \
            diese dieser dieses diesem diesen jede jeder jedes alle alles",
        initialism: 3,
        pairs: &[
            // A noun since the reform of 1996.
            WordPair {
                first: "heute gestern vorgestern morgen übermorgen",
                second: "vormittag mittag nachmittag abend nacht",
                cases: [None, Some(Case::Title)],
                except_after: "",
            },
            WordPair {
                first: "gestern vorgestern übermorgen",
                second: "morgen",
                cases: [None, Some(Case::Title)],
                except_after: "",
            },
            WordPair {
                first: "den",
                second: "haag",
                cases: [Some(Case::Title), Some(Case::Title)],
                except_after: "",
            },
        ],
        ..ConventionFacts::NONE
    }),
    function_words: Some(FunctionWords {
        bound: "der die das den dem des ein eine einer eines einem einen kein keine keiner keinem keinen von vom zu \
            zum zur in im ins an am auf bei beim mit nach für durch um über unter gegen ohne aus vor hinter neben \
            zwischen seit bis während wegen trotz mein meine meinem meinen meiner dein deine seine seinem seinen \
            seiner ihre ihrem ihren ihrer unser unsere unserem unseren unserer euer eure diese dieser dieses diesem \
            diesen jede jeder jedes jedem jeden sehr mehr nicht herr herrn frau dr prof",
        close: "ich du er sie es wir ihr man ist sind war waren bin bist habe hast hat haben hatte hatten werde wird \
            werden wurde wurden würde kann können konnte muss müssen musste soll sollen sollte will wollen wollte \
            darf dürfen mag möchte",
        objects: "mich mir dich dir ihn ihm uns euch ihnen sich",
        conjunctions: "und aber oder denn sondern weil dass ob wenn als da obwohl damit bevor nachdem während sobald \
            solange falls indem sodass wer was wo wie warum wann welche welcher welches deren dessen",
        genitives: "des der",
    }),
    dictation: Dictation {
        commands: &[
            ("komma", ","),
            ("fragezeichen", "?"),
            ("ausrufezeichen", "!"),
            ("doppelpunkt", ":"),
            ("semikolon", ";"),
            ("strichpunkt", ";"),
            ("gedankenstrich", "–"),
            ("neue zeile", "\n"),
            ("neuer absatz", "\n\n"),
            ("anführungszeichen auf", " „"),
            ("anführungszeichen zu", "“"),
            ("klammer auf", " ("),
            ("klammer zu", ")"),
        ],
        doubtful: &[("punkt", ".")],
        determiners: "ein eine einen einem einer eines der die das den dem des dieser diese dieses diesem diesen mein meine sein seine ihr ihre kein keine keinen jeder jede jedes zum zur vom am im",
    },
    speaker_words: SpeakerWords {
        titles: "herr frau",
        roles: "sprecher sprecherin moderatorin",
        particles: "von zu und",
        keys: "hinweis beispiel betreff datum uhrzeit preis achtung wichtig thema",
        ..SpeakerWords::NONE
    },
    clock_words: "uhr",
    clock_links: "bis oder und",
    ..Language::NONE
};
