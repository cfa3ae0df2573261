//! Portuguese.

use super::{ConventionFacts, Dictation, FunctionWords, Language, SpeakerWords, WordPair};
use crate::Case;

/// Portuguese.
pub static PORTUGUESE: Language = Language {
    tag: "pt",
    name: Some("Portuguese"),
    regions: &["PT", "AO", "BR", "MZ"],
    licence: Some("CC BY-SA 4.0"),
    abbreviations: majuscule_lexicons::pt::ABBREVIATIONS,
    one_letter: "éà",
    conventions: Some(ConventionFacts {
        letter_words: "aeoàéó",
        links: "eo",
        between: "eoa",
        articles: "aoàé",
        lettered: "vitamina vitaminas hepatite letra letras alíneas categorias classes opção opções grupo grupos \
            classe plano tipo série bloco categoria turma ponto anexo",
        bodies: "administração agência assembleia autoridade banco câmara comissão comité comitê \
            comunidade congresso conselho corte estado ministério parlamento partido senado \
            tribunal união",
        office_parts: "primeiro primeira vice",
        name_links: "de da do das dos para",
        no_names: "e ou de da do é tem",
        // Months are in lower case since the reform of 1990.
        pairs: &[WordPair {
            first: "em de desde até entre e a # primeiro",
            second: "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
            cases: [None, Some(Case::Lower)],
            except_after: "rio",
        }],
        common: "o os e que em uma não do da com para um no na por mais se é as dos das ao aos você mas isso de a \
            ou foi são à pela pelo nos nas entre sobre até sem quando onde como também já",
        ..ConventionFacts::NONE
    }),
    function_words: Some(FunctionWords {
        bound: "o a os as um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas \
            para com sem sobre entre até desde contra ao à aos às meu minha meus minhas teu tua seu sua seus \
            suas nosso nossa nossos nossas este esta estes estas esse essa esses essas aquele aquela sr sra \
            dr dra muito mais tão não",
        close: "eu tu ele ela nós vós eles elas você vocês se me te lhe lhes é são era eram foi foram está estão \
            estava tem têm tinha há vai vão pode podem deve",
        objects: "me te lhe lhes nos",
        conjunctions: "e mas ou nem que porque quando onde se como embora enquanto pois porém quem cujo cuja",
        genitives: "de do da dos das",
    }),
    dictation: Dictation {
        commands: &[
            ("vírgula", ","),
            ("ponto final", "."),
            ("ponto de interrogação", "?"),
            ("ponto de exclamação", "!"),
            ("ponto e vírgula", ";"),
            ("reticências", "…"),
            ("nova linha", "\n"),
            ("novo parágrafo", "\n\n"),
            ("abrir aspas", " “"),
            ("fechar aspas", "”"),
            ("abrir parênteses", " ("),
            ("fechar parênteses", ")"),
        ],
        doubtful: &[("ponto", "."), ("dois pontos", ":")],
        determiners: "um uma o a os as este esta esse essa meu minha teu seu sua nosso cada nenhum nenhuma ao do da no na",
    },
    speaker_words: SpeakerWords {
        titles: "sra sr dom dona",
        roles: "entrevistador entrevistadora entrevistado entrevistada locutor locutora orador oradora moderador \
            moderadora homem mulher jornalista juiz testemunha falante médico paciente aluno",
        particles: "de da do das dos e",
        keys: "nota data hora assunto exemplo título preço aviso atenção obs importante",
        articles: "a o",
        ..SpeakerWords::NONE
    },
    clock_words: "horas",
    clock_links: "a e ou às",
    institutions: "arcebispo assembleia bispo chanceler comissária comissário comissão comissões comité comitê \
        congresso conselho conselheira conselheiro câmara deputada deputado diretor diretora embaixador \
        embaixadora general governador governadora governo imperador juiz juíza ministra ministro ministério \
        papa parlamento prefeita prefeito presidenta presidente presidência primeiro princesa príncipe \
        professor professora rainha rei relator relatora secretaria secretária secretário senado senador \
        senadora tribunal",
    ..Language::NONE
};
