//! `restore --dictated`: commands that are replaced, and phrases that stay.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::room::Room;

/// Texts of each language, each with what is left of it. They were written before the program had read them.
const CASES: [(&str, &[(&str, &str)]); 7] = [
    (
        "en",
        &[
            ("we met in lisbon comma in the old town", "we met in lisbon, in the old town"),
            ("did you see ana question mark", "did you see ana?"),
            ("she left early full stop", "she left early."),
            (
                "the meeting starts at nine period please bring your notes",
                "the meeting starts at nine. please bring your notes",
            ),
            (
                "thank you for the letter full stop new paragraph i will answer soon",
                "thank you for the letter.\n\ni will answer soon",
            ),
            ("dear anna comma new line thank you for your letter", "dear anna,\nthank you for your letter"),
            (
                "we need three things colon bread comma milk and eggs",
                "we need three things: bread, milk and eggs",
            ),
            ("that was wonderful exclamation mark", "that was wonderful!"),
            (
                "he paused semicolon then he said open quote i am late close quote",
                "he paused; then he said “i am late”",
            ),
            (
                "i came home late comma but nobody was there full stop",
                "i came home late, but nobody was there.",
            ),
            ("the jurassic period lasted many years", "the jurassic period lasted many years"),
            ("he put a comma there", "he put a comma there"),
            ("she came to a full stop", "she came to a full stop"),
            ("a new line of shoes is coming", "a new line of shoes is coming"),
            ("the question mark on his shirt was red", "the question mark on his shirt was red"),
            ("the grace period ended in may", "the grace period ended in may"),
            ("we began a new paragraph in our lives", "we began a new paragraph in our lives"),
            ("the colon is part of the body", "the colon is part of the body"),
            ("the trial period was short", "the trial period was short"),
            ("they opened a new line to the airport", "they opened a new line to the airport"),
        ],
    ),
    (
        "de",
        &[
            ("wir kommen morgen punkt danke für die einladung", "wir kommen morgen. danke für die einladung"),
            ("ich glaube komma dass er kommt", "ich glaube, dass er kommt"),
            ("kommst du heute fragezeichen", "kommst du heute?"),
            ("sie traf den punkt genau", "sie traf den punkt genau"),
            (
                "an diesem wichtigen punkt waren wir uns einig",
                "an diesem wichtigen punkt waren wir uns einig",
            ),
        ],
    ),
    (
        "es",
        &[
            ("llegamos tarde punto mañana hablamos", "llegamos tarde. mañana hablamos"),
            ("si puedes coma ven a casa", "si puedes, ven a casa"),
            ("abrir interrogación vienes mañana cerrar interrogación", "¿vienes mañana?"),
            ("el punto de encuentro es la plaza", "el punto de encuentro es la plaza"),
            ("estuvo en coma tres semanas", "estuvo en coma tres semanas"),
        ],
    ),
    (
        "fr",
        &[
            ("nous arrivons demain point merci beaucoup", "nous arrivons demain. merci beaucoup"),
            ("si tu veux virgule on peut partir", "si tu veux, on peut partir"),
            ("tu viens demain point d’interrogation", "tu viens demain\u{202f}?"),
            ("il a marqué un point hier soir", "il a marqué un point hier soir"),
            ("cela ne me plaît point du tout", "cela ne me plaît point du tout"),
        ],
    ),
    (
        "it",
        &[
            ("arriviamo domani punto grazie mille", "arriviamo domani. grazie mille"),
            ("se vuoi virgola vieni con noi", "se vuoi, vieni con noi"),
            ("vieni domani punto interrogativo", "vieni domani?"),
            ("il punto di vista è chiaro", "il punto di vista è chiaro"),
            ("a che punto siamo arrivati", "a che punto siamo arrivati"),
        ],
    ),
    (
        "nl",
        &[
            ("we komen morgen punt bedankt voor alles", "we komen morgen. bedankt voor alles"),
            ("ik denk komma dat hij komt", "ik denk, dat hij komt"),
            ("kom je morgen vraagteken", "kom je morgen?"),
            ("het laatste punt was het moeilijkst", "het laatste punt was het moeilijkst"),
            ("een belangrijk punt op de agenda", "een belangrijk punt op de agenda"),
        ],
    ),
    (
        "pt",
        &[
            ("chegamos tarde ponto amanhã falamos", "chegamos tarde. amanhã falamos"),
            ("se puder vírgula venha para casa", "se puder, venha para casa"),
            ("você vem amanhã ponto de interrogação", "você vem amanhã?"),
            ("o ponto de encontro é a praça", "o ponto de encontro é a praça"),
            ("ele entrou em coma ontem", "ele entrou em coma ontem"),
        ],
    ),
];

#[test]
fn most_commands_are_told_from_the_same_words() {
    let room = Room::new();
    let (mut right, mut wrong) = (0, Vec::new());
    for (language, cases) in CASES {
        for (text, expected) in cases {
            let written = room.out(&format!("restore --dictated --lang {language}"), text.as_bytes());
            let written = String::from_utf8(written).unwrap();
            match written.to_lowercase() == *expected {
                true => right += 1,
                false => wrong.push(written),
            }
        }
    }
    assert_eq!((right, wrong.len()), (49, 1), "{wrong:#?}");
}

#[test]
fn what_is_dictated_is_punctuation_for_the_capitals() {
    let room = Room::new();
    let out = |text: &str| String::from_utf8(room.out("restore --dictated", text.as_bytes())).unwrap();
    assert_eq!(
        out("so  we met\nin lisbon full stop new paragraph who was there question mark\r\n"),
        "So  we met\nin Lisbon.\n\nWho was there?\r\n"
    );
    assert_eq!(out(""), "");
    assert_eq!(out("full stop"), ".");
    room.write("a.txt", "yes full stop\n");
    room.out("restore --dictated --in-place a.txt", b"");
    assert_eq!(room.read("a.txt"), "Yes.\n");
}

#[test]
fn dictation_is_for_plain_text_with_a_known_language() {
    let room = Room::new();
    let cue = b"1\n00:00:01,000 --> 00:00:02,000\nso comma yes\n";
    room.fails(
        "restore --dictated --format srt",
        cue,
        2,
        &["--dictated reads plain text", ".srt", "convert it"],
    );
    room.fails("restore --dictated --stream", b"so comma\n", 2, &["--dictated", "--stream"]);
    room.fails(
        "restore --dictated --model model",
        b"the trial period\n",
        2,
        &["does not insert punctuation"],
    );
    room.fails("restore --dictated", b"so \xff comma\n", 1, &["standard input, line 1, column 4"]);
}
