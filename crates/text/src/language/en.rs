//! English.

use super::{ConventionFacts, Dictation, FunctionWords, Language, SpeakerWords, WordPair};
use crate::Case;

/// English.
pub static ENGLISH: Language = Language {
    tag: "en",
    name: Some("English"),
    regions: &["US", "GB", "AU", "CA", "NZ", "ZA"],
    licence: Some("CC BY-SA 4.0"),
    abbreviations: majuscule_lexicons::en::ABBREVIATIONS,
    continuing: "of at from to for in on with by per and or is was are were has had have says said will would can \
        could must than into until without within over about between during show shows showed report reports \
        reported find found use used propose proposed describe described suggest suggested argue argued note noted",
    one_letter: "i",
    conventions: Some(ConventionFacts {
        acronyms: majuscule_lexicons::en::ACRONYMS,
        letter_words: "aio",
        spelled: "us",
        lettered: "vitamin vitamins hepatitis letters options groups grades",
        bodies: "administration agency assembly authority bank cabinet chamber commission committee \
            community congress council court department house ministry office parliament \
            party senate state treasury union",
        office_parts: "prime vice deputy first",
        name_links: "of for",
        no_names: "and or is was has",
        pairs: &[
            WordPair {
                first: "# am pm a.m p.m",
                second: "est edt cst cdt mst mdt pst pdt gmt utc cet cest bst",
                cases: [None, Some(Case::Upper)],
                except_after: "",
            },
            WordPair {
                first: "st street ave avenue rd road blvd dr drive ln lane ct court pl place hwy",
                second: "n e s w ne nw se sw",
                cases: [None, Some(Case::Upper)],
                except_after: "",
            },
            WordPair {
                first: "b c d e f g h j k l m n p q r s t u v w x y z n e s w ne nw se sw",
                second: "st ave blvd rd street avenue",
                cases: [Some(Case::Upper), None],
                except_after: "",
            },
            WordPair {
                first: "po",
                second: "box",
                cases: [Some(Case::Upper), Some(Case::Title)],
                except_after: "",
            },
        ],
        pluralizes: true,
        hours: "one two three four five six seven eight nine ten eleven twelve",
        has_versus: true,
        common: "the and of to that it you for with this are not but they what from his her there their your a an \
            in on at by is was or as we he she be has had who when where which before after about over under \
            than then also were been can could would should its our my",
        ..ConventionFacts::NONE
    }),
    function_words: Some(FunctionWords {
        bound: "a an the of to in on at by for from with without into onto about over under between through \
            during against towards toward upon my your his her its our their this these those no every each \
            some any very more most than as mr mrs ms dr prof professor st president minister sir not",
        close: "i you he she we they it there is are was were am be been being has have had do does did will \
            would can could shall should may might must don't doesn't didn't won't can't couldn't wouldn't \
            isn't aren't wasn't weren't i'm you're he's she's it's we're they're i've you've we've they've \
            i'll you'll he'll she'll we'll they'll i'd you'd he'd she'd we'd they'd what how",
        objects: "me him her it us them",
        conjunctions: "and but or nor so yet because that which who whom whose when where while if whether although \
            though unless until since before after",
        genitives: "of",
    }),
    dictation: Dictation {
        commands: &[
            ("comma", ","),
            ("full stop", "."),
            ("question mark", "?"),
            ("exclamation mark", "!"),
            ("exclamation point", "!"),
            ("semicolon", ";"),
            ("new line", "\n"),
            ("new paragraph", "\n\n"),
            ("open quote", " “"),
            ("close quote", "”"),
            ("open parenthesis", " ("),
            ("close parenthesis", ")"),
        ],
        doubtful: &[("period", "."), ("colon", ":"), ("dash", "–"), ("ellipsis", "…")],
        determiners: "a an the this that these those my your his her its our their no each every some any another full of",
    },
    speaker_words: SpeakerWords {
        names: "art april bill bob carol chase chuck clay cliff dale dawn dean don drew eve faith frank gene \
            glen grace grant guy hank harry heath holly hope hunter iris ivy jack jade jay jean jim joe joy \
            june kim lance lee lily mark mason matt max may miles nick pat paul penny ray rich rob robin \
            rocky rose ruby sally sam sandy sky stan sue ted tim tom victor violet wade will woody",
        titles: "mr mrs ms miss mx dr prof professor sir madam dame lord lady judge justice officer sgt capt \
            captain lt col gen general sen senator rep rev fr father sister president minister chairman \
            detective inspector agent coach",
        roles: "speaker spk interviewer interviewee moderator host cohost co-host guest narrator announcer \
            reporter anchor presenter correspondent commentator man woman boy girl men women child kid crowd \
            audience participant attendee panelist panellist student teacher instructor lecturer professor \
            doctor nurse patient therapist counselor client witness court clerk defendant plaintiff judge \
            bailiff interpreter attorney counsel prosecutor juror foreperson deponent videographer \
            stenographer caller callee customer operator dispatcher representative agent assistant user bot \
            human chairman chairwoman chairperson chair secretary president minister senator voice mother \
            father mom dad grandma grandpa officer pilot tower copilot coach player interviewers questioner \
            respondent facilitator unknown",
        particles: "of the and",
        keys: "note notes nb ps warning caution danger error info hint tip tips todo fixme example examples \
            question answer summary update edit source date time day place title subject re fw fwd to from \
            cc bcc price total cost email mail e-mail phone tel fax mobile address name age sex url link web \
            website version status type size color colour key value id language chapter section part step \
            figure table page item option result results reply author file path task goal topic agenda \
            action output input default format month year week today yesterday tomorrow dear hello hi thanks \
            conclusion problem solution reason remark important attention usage syntax license copyright",
        articles: "the by a an",
        numbers: "one two three four five six seven eight nine ten a b c d",
    },
    clock_words: "h hrs hours o'clock",
    clock_links: "and or to",
    institutions: "ambassador archbishop bishop cabinet chairman chairperson chairwoman chancellor commission \
        commissioner committee congress congressman congresswoman council councillor court director emperor \
        general government governor judge king mayor minister ministry parliament pope premier presidency \
        president prince princess professor queen rapporteur secretary senate senator speaker",
    ..Language::NONE
};
