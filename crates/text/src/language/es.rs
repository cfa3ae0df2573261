//! Spanish.

use super::{ConventionFacts, Dictation, FunctionWords, Language, QuestionWords, SpeakerWords};
use crate::Mark;

/// Spanish.
pub static SPANISH: Language = Language {
    tag: "es",
    name: Some("Spanish"),
    regions: &["ES", "AR"],
    licence: Some("CC BY 4.0"),
    abbreviations: majuscule_lexicons::es::ABBREVIATIONS,
    opened: &[Mark::Question, Mark::Exclamation],
    conventions: Some(ConventionFacts {
        letter_words: "aeouy",
        links: "yeou",
        between: "yeoua",
        articles: "a",
        lettered: "vitamina vitaminas hepatitis letra letras categorías clases opción opciones grupo grupos clase \
            plan tipo serie bloque categoría punto anexo",
        bodies: "administración asamblea autoridad ayuntamiento banco comisión comité comunidad \
            congreso consejo corte cámara departamento ejecutivo estado junta ministerio \
            oficina parlamento partido senado tribunal unión",
        office_parts: "primer primera vice",
        name_links: "de del para",
        no_names: "y e o de del es ha",
        common: "el los las y que en una por con del se es no para como más pero su al lo está muy este esta de \
            la a un o si ha fue son sus ya cuando donde entre sobre desde hasta sin según ni también",
        doubles_letters: true,
        ..ConventionFacts::NONE
    }),
    function_words: Some(FunctionWords {
        bound: "el la los las un una unos unas de del al a en por para con sin sobre entre hasta desde contra \
            hacia mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta estos estas ese esa esos \
            esas aquel aquella sr sra dr dra muy más tan no",
        close: "yo tú él ella nosotros vosotros ellos ellas usted ustedes se me te le les lo nos os es son era \
            eran fue fueron está están estaba ha han había hay va van puede pueden debe",
        objects: "me te nos",
        conjunctions: "y e pero o u ni que porque cuando donde si como aunque mientras pues sino quien cuyo cuya",
        genitives: "de del",
    }),
    question_words: Some(QuestionWords {
        interrogatives: "qué quién quiénes cuál cuáles cómo dónde adónde cuándo cuánto cuánta cuántos cuántas",
        leading: "y e o u ni pero pues entonces a de en con por para desde hasta sobre hacia según contra sin entre \
            ante bajo tras durante",
        tags: "verdad no eh cierto vale sí ok okay sabes sabe saben entiendes entiende claro bien de",
        addresses: "hola oye oiga oigan bueno pues entonces perdón perdona perdone disculpe disculpa señor señora \
            señores señoras señoría señorías sr sra doctor doctora mira mire sí no ah eh vale vaya gracias \
            si cuando aunque como ahora vamos papá mamá hijo hija amigo chicos tío dime dígame por",
    }),
    dictation: Dictation {
        commands: &[
            ("punto y coma", ";"),
            ("signo de interrogación", "?"),
            ("signo de exclamación", "!"),
            ("abrir interrogación", " ¿"),
            ("cerrar interrogación", "?"),
            ("abrir exclamación", " ¡"),
            ("cerrar exclamación", "!"),
            ("puntos suspensivos", "…"),
            ("nueva línea", "\n"),
            ("nuevo párrafo", "\n\n"),
            ("abrir comillas", " «"),
            ("cerrar comillas", "»"),
            ("abrir paréntesis", " ("),
            ("cerrar paréntesis", ")"),
        ],
        doubtful: &[("coma", ","), ("punto", "."), ("dos puntos", ":")],
        determiners: "un una el la los las este esta estos estas ese esa mi tu su nuestro cada ningún ninguna otro otra al del",
    },
    speaker_words: SpeakerWords {
        titles: "sra sr srta don doña dña",
        roles: "entrevistador entrevistadora entrevistado entrevistada locutor locutora orador oradora moderador \
            moderadora hombre mujer periodista juez testigo hablante médico paciente alumno",
        particles: "de la del el y e",
        keys: "nota fecha hora asunto ejemplo título precio aviso importante",
        articles: "la el",
        ..SpeakerWords::NONE
    },
    clock_words: "horas",
    clock_links: "a o y",
    institutions: "alcalde alcaldesa arzobispo ayuntamiento canciller comisaria comisario comisión comité congreso \
        consejera consejero consejo director directora diputada diputado embajador embajadora emperador \
        general gobernador gobernadora gobierno jueza ministerio ministra ministro obispo papa parlamento \
        ponente presidencia presidenta presidente princesa príncipe profesor profesora reina rey secretaria \
        secretario senado senador senadora tribunal",
    ..Language::NONE
};
