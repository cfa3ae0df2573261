//! French.

use super::{ConventionFacts, Dictation, Elision, FunctionWords, Language, SpeakerWords, WordPair};
use crate::{Case, Mark};

/// Words after which a letter is a name: `plan B`.
const LETTERED: &str = "vitamine vitamines hépatite plan option groupe lettre annexe point section série catégorie classe \
    chapitre partie note zone bloc tome type article alinéa niveau";

/// French.
pub static FRENCH: Language = Language {
    tag: "fr",
    name: Some("French"),
    regions: &["FR", "BE", "CA", "CH"],
    licence: Some("CC BY-SA 4.0"),
    abbreviations: majuscule_lexicons::fr::ABBREVIATIONS,
    one_letter: "aày",
    // After the Imprimerie nationale and, in Canada, the Office québécois de la langue française.
    mark_spaces: &[
        (Mark::Colon, "\u{a0}"),
        (Mark::Question, "\u{202f}"),
        (Mark::Exclamation, "\u{202f}"),
        (Mark::Semicolon, "\u{202f}"),
    ],
    mark_spaces_of_regions: &[("CA", &[(Mark::Colon, "\u{a0}")])],
    conventions: Some(ConventionFacts {
        letter_words: "aàyôo",
        between: "à",
        lettered: "vitamine vitamines hépatite lettres options groupes plan",
        bodies: "administration agence assemblée autorité banque comité commission communauté congrès \
            conseil cour chambre institut ministère office parlement parti sénat tribunal \
            union état",
        office_parts: "premier première vice",
        naming_ends: "al ale ais aise el elle en enne if ive ique aire ois oise ême",
        name_links: "de du des pour",
        no_names: "et ou est a",
        common: "le les et des est que une dans pour du vous pas nous il qui je au ce sur avec plus sont mais \
            cette la de à un ou par en se ne son sa ses aux elle ils comme si sans entre leur très ont été",
        elision: Some(Elision {
            particle: "d'",
            words: "abord accord ailleurs autre autres avance avec avoir amour argent eau elle elles eux enfance \
                être ici hier un une après origine office urgence avis or où on ordinaire emblée habitude \
                affaires art arts argile âme ans années août avril octobre usage usine études étude école \
                espoir europe état exil enfants homme hommes honneur",
            ends: "er ir re oir ment tion sion ité ance ence age ure ée és ant aux",
        }),
        pairs: &[
            // A lost apostrophe.
            WordPair {
                first: "c j l m n s t",
                second: "ai as a avons avez ont avais avait avaient aurais aurait aurai aura est es était étais étaient \
                    étions êtes en y on un une il ils elle elles eux aime aimes appelle irai irais irait arrive arrivé \
                    entends entend espère habite imagine homme eau autre argent air école enfant heure histoire",
                cases: [Some(Case::Lower), Some(Case::Lower)],
                except_after: LETTERED,
            },
            WordPair {
                first: "a",
                second: "dit été eu fait déclaré ajouté expliqué répondu demandé précisé indiqué affirmé annoncé souligné",
                cases: [Some(Case::Lower), None],
                except_after: LETTERED,
            },
        ],
        ..ConventionFacts::NONE
    }),
    function_words: Some(FunctionWords {
        bound: "le la les un une des du de d' au aux à en dans par pour avec sans sur sous entre vers chez \
            contre mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces m mme \
            mlle dr très plus si ne",
        close: "je tu il elle on nous vous ils elles se me te lui y est sont était étaient suis es sommes êtes a \
            ai as ont avons avez avait avaient va vont peut peuvent doit fait c'est n'est j'ai",
        objects: "moi toi lui",
        conjunctions: "et mais ou ni que qui dont où parce quand lorsque comme car donc puisque tandis quoique qu'il \
            qu'elle qu'on qu'ils",
        genitives: "de du des d'",
    }),
    dictation: Dictation {
        commands: &[
            ("virgule", ","),
            ("point d'interrogation", "?"),
            ("point d'exclamation", "!"),
            ("point virgule", ";"),
            ("points de suspension", "…"),
            ("nouvelle ligne", "\n"),
            ("nouveau paragraphe", "\n\n"),
            ("ouvrez les guillemets", " «\u{a0}"),
            ("fermez les guillemets", "\u{a0}»"),
            ("ouvrez la parenthèse", " ("),
            ("fermez la parenthèse", ")"),
        ],
        doubtful: &[("point", "."), ("deux points", ":"), ("à la ligne", "\n")],
        determiners: "un une le la les ce cet cette ces mon ma mes ton ta son sa ses notre votre leur au aux du des de chaque aucun aucune",
    },
    speaker_words: SpeakerWords {
        titles: "mme mlle monsieur madame me maître",
        roles: "intervieweur enquêteur animateur présentateur présentatrice homme femme journaliste juge témoin \
            locuteur locutrice",
        particles: "de la du des le les et",
        keys: "remarque exemple objet prix attention sujet",
        articles: "la le",
        ..SpeakerWords::NONE
    },
    clock_words: "heures",
    clock_links: "et ou à",
    institutions: "ambassadeur ambassadrice archevêque assemblée chancelier chancelière comité commissaire commission \
        congrès conseil conseiller conseillère cour député députée directeur directrice empereur général \
        gouvernement gouverneur juge maire ministre ministère pape parlement premier président présidence \
        présidente prince princesse professeur professeure rapporteur rapporteure reine roi secrétaire sénat \
        sénateur sénatrice tribunal évêque",
    ..Language::NONE
};
