//! Italian.

use super::{ConventionFacts, Dictation, Elision, FunctionWords, Language, SpeakerWords};

/// Italian.
pub static ITALIAN: Language = Language {
    tag: "it",
    name: Some("Italian"),
    aliases: &["ita"],
    regions: &["IT", "CH"],
    licence: Some("CC BY-SA 4.0"),
    abbreviations: majuscule_lexicons::it::ABBREVIATIONS,
    one_letter: "èeàao",
    conventions: Some(ConventionFacts {
        acronyms: majuscule_lexicons::it::ACRONYMS,
        letter_words: "aeioèà",
        links: "eo",
        between: "eoa",
        articles: "i",
        lettered: "vitamina vitamine epatite lettera lettere opzione opzioni gruppo gruppi classe tipo piano serie",
        bodies: "agenzia amministrazione assemblea autorità banca camera comitato commissione comunità \
            congresso consiglio corte ministero parlamento partito senato stato tribunale \
            unione",
        office_parts: "primo prima vice",
        naming_ends: "ale ano ana ario aria ea ema eo ese ico ica ivo iva",
        name_links: "di del della dei delle dello per",
        no_names: "e o ed di da è ha era che non il la disse dice",
        common: "il lo la i gli le un uno una di a da in con su per tra fra e o ma non che è si del dello della dei \
            degli delle al allo alla ai agli alle dal dalla dai nel nella nei nelle sul sulla sui sulle come \
            anche più se ci ne mi ti vi lui lei noi voi loro questo questa questi queste quello quella sono era \
            erano ha hanno aveva essere stato stata quando dove chi cosa perché dopo prima senza molto",
        elision: Some(Elision {
            particle: "d'",
            words: "accordo altra altre altri altro amore ora oro altronde epoca estate inverno autunno acqua aria \
                arte affari allora oggi ieri uso uomo uomini ufficio urgenza emergenza età esempio esame \
                ingresso inizio interesse italia intesa istinto opera ordine origine argento",
            ends: "are ere ire zione sione ità ento enza anza ismo",
        }),
        ..ConventionFacts::NONE
    }),
    function_words: Some(FunctionWords {
        bound: "il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal \
            dallo dalla dai dagli dalle in nel nello nella nei negli nelle con col su sul sullo sulla sui sugli \
            sulle per tra fra senza verso contro presso mio mia miei mie tuo tua suo sua suoi sue nostro nostra \
            nostri nostre vostro vostra questo questa questi queste quel quello quella quei quegli quelle ogni \
            più molto non sig dott prof",
        close: "io tu egli lui lei noi voi loro mi ti si ci vi lo la li è sono era erano sei siamo siete ho hai ha \
            abbiamo avete hanno aveva avevano va vanno può possono deve devono c'è",
        objects: "me te sé",
        conjunctions: "e ma o oppure né che quando dove se come mentre perché poiché benché sebbene affinché però \
            quindi chi cui quale quali",
        genitives: "di del dello della dei degli delle",
    }),
    dictation: Dictation {
        commands: &[
            ("virgola", ","),
            ("punto interrogativo", "?"),
            ("punto esclamativo", "!"),
            ("punto e virgola", ";"),
            ("puntini di sospensione", "…"),
            ("nuova riga", "\n"),
            ("nuovo paragrafo", "\n\n"),
            ("apri virgolette", " “"),
            ("chiudi virgolette", "”"),
            ("apri parentesi", " ("),
            ("chiudi parentesi", ")"),
        ],
        doubtful: &[("punto", "."), ("due punti", ":"), ("a capo", "\n")],
        determiners: "un una uno il lo la i gli le questo questa quel quella mio tuo suo nostro al del della nel ogni nessun nessuna",
    },
    speaker_words: SpeakerWords {
        titles: "signor signora sig",
        roles: "intervistatore intervistatrice relatore relatrice moderatore moderatrice conduttore conduttrice \
            giornalista testimone uomo donna",
        particles: "di",
        keys: "oggetto esempio prezzo attenzione tema importante",
        ..SpeakerWords::NONE
    },
    clock_words: "ore",
    clock_links: "alle e o",
    institutions: "ambasciatore ambasciatrice arcivescovo assemblea camera cancelliera cancelliere commissaria \
        commissario commissione comitato congresso consigliera consigliere consiglio corte deputata deputato \
        direttore direttrice governatore governatrice governo imperatore ministero ministra ministro papa \
        parlamento prefetto presidente presidenza principe principessa procuratore professore professoressa re \
        regina relatore relatrice repubblica segretaria segretario senato senatore senatrice sindaca sindaco \
        stato tribunale vescovo",
    ..Language::NONE
};
