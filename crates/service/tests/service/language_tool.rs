//! The routes of a LanguageTool server.

use majuscule_service::ServiceOptions;
use serde_json::{Value, json};

use crate::client::Server;

fn server() -> Server {
    Server::new(ServiceOptions::default())
}

fn check(server: &Server, fields: &[(&str, &str)]) -> Value {
    let answer = server.form("/v2/check", fields);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")), "{answer:?}");
    answer.json()
}

/// The words that are wrong and what is right, with the words cut out of the text by their offsets.
fn corrections(text: &str, answer: &Value) -> Vec<(String, String)> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let correction = |found: &Value| {
        let at = number(&found["offset"]);
        let word = String::from_utf16(&units[at..at + number(&found["length"])]).unwrap();
        (word, found["replacements"][0]["value"].as_str().unwrap().to_owned())
    };
    answer["matches"].as_array().unwrap().iter().map(correction).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(word, right)| (word.to_string(), right.to_string())).collect()
}

#[test]
fn words_whose_case_is_wrong_are_matches_as_languagetool_writes_them() {
    let server = server();
    let text = "É😀 We met angela merkel in Lisbon. she was late";
    let answer = check(&server, &[("text", text), ("language", "en-US")]);
    let expected = [("angela", "Angela"), ("merkel", "Merkel"), ("she", "She")];
    assert_eq!(corrections(text, &answer), pairs(&expected));
    assert_eq!(answer["software"]["apiVersion"], 1);
    assert_eq!(answer["warnings"], json!({"incompleteResults": false}));
    assert_eq!(answer["language"]["code"], "en-US");
    let she = &answer["matches"][2];
    assert_eq!(
        *she,
        json!({
            "message": "Write “She” here, not “she”.",
            "shortMessage": "Wrong case",
            "replacements": [{"value": "She"}],
            "offset": 36,
            "length": 3,
            "context": {"text": text, "offset": 36, "length": 3},
            "sentence": "she was late",
            "type": {"typeName": "Other"},
            "rule": {
                "id": "MAJUSCULE_CASE",
                "description": "The case of a word",
                "issueType": "typographical",
                "category": {"id": "CASING", "name": "Capitalization"},
            },
            "ignoreForIncompleteSentence": false,
            "contextForSureMatch": 0,
        })
    );
}

#[test]
fn a_text_in_its_true_case_has_no_matches() {
    let server = server();
    for text in [
        "The President met Angela Merkel in Lisbon. They spoke about the euro, NATO and an iPhone.",
        "Dr. Jones lives at 5 Main St. in Boston; he works for IBM (as an e-mail engineer).",
        "",
        "12 + 4 = 16",
    ] {
        assert_eq!(check(&server, &[("text", text), ("language", "en")])["matches"], json!([]), "{text}");
    }
}

#[test]
fn the_context_is_cut_at_forty_characters() {
    let text = format!("{} he lives in lisbon {}", "a word 😀 ".repeat(10), "and a word\n".repeat(10));
    let answer = check(&server(), &[("text", &text), ("language", "en")]);
    let found = answer["matches"].as_array().unwrap().iter().find(|found| found["length"] == 6).unwrap();
    let context = found["context"]["text"].as_str().unwrap();
    assert!(context.starts_with("...") && context.ends_with("...") && !context.contains('\n'), "{context}");
    assert_eq!(context.chars().count(), 3 + 40 + 6 + 40 + 3);
    let units: Vec<u16> = context.encode_utf16().collect();
    let at = found["context"]["offset"].as_u64().unwrap() as usize;
    assert_eq!(String::from_utf16(&units[at..at + 6]).unwrap(), "lisbon");
}

#[test]
fn markup_counts_for_offsets_and_is_no_text() {
    let text = "<p>We met <b>angela</b> in <i>l</i>isbon</p>";
    let data = json!({"annotation": [
        {"markup": "<p>", "interpretAs": "\n\n"}, {"text": "We met ", "offset": {"start": 3, "end": 10}},
        {"markup": "<b>"}, {"text": "angela"}, {"markup": "</b>"}, {"text": " in "},
        {"markup": "<i>"}, {"text": "l"}, {"markup": "</i>"}, {"text": "isbon"}, {"markup": "</p>"},
    ]});
    let answer = check(&server(), &[("data", &data.to_string()), ("language", "en-GB")]);
    assert_eq!(corrections(text, &answer), pairs(&[("angela", "Angela")]));
}

#[test]
fn missing_marks_are_matches_where_they_are_asked_for() {
    let server = server();
    let text = "thanks angela it was a pleasure to meet you in lisbon";
    let ids = |fields: &[(&str, &str)]| {
        let fields = [&[("text", text), ("language", "en")], fields].concat();
        let answer = check(&server, &fields);
        let ids = answer["matches"].as_array().unwrap().iter().map(|found| found["rule"]["id"].clone());
        (corrections(text, &answer), ids.collect::<Vec<_>>())
    };
    let (plain, rules) = ids(&[]);
    assert_eq!(
        plain,
        pairs(&[("thanks", "Thanks"), ("angela", "Angela"), ("it", "It"), ("lisbon", "Lisbon")])
    );
    assert!(rules.iter().all(|id| id == "MAJUSCULE_CASE"));
    let (marked, _) = ids(&[("marks", ".,?")]);
    assert_eq!(marked.last().unwrap().1, "Lisbon.");
    assert_eq!(ids(&[("enabledRules", "MAJUSCULE_MARKS,SOME_OTHER")]).0, ids(&[("marks", "auto")]).0);
    let (alone, rules) = ids(&[("marks", ".,?"), ("disabledCategories", "CASING")]);
    assert_eq!(alone.last().unwrap().1, "lisbon.");
    assert!(rules.iter().all(|id| id == "MAJUSCULE_MARKS"));
    assert_eq!(ids(&[("disabledRules", "MAJUSCULE_CASE")]).0, []);
    assert_eq!(ids(&[("enabledOnly", "true"), ("enabledCategories", "CASING"), ("marks", "auto")]).0, plain);
    assert_eq!(ids(&[("enabledOnly", "true"), ("enabledRules", "EN_A_VS_AN")]).0, []);
}

#[test]
fn the_language_is_named_or_detected() {
    let server = server();
    let text = "Hij woont al jaren in amsterdam en hij werkt in den haag.";
    for language in ["nl", "nl-NL", "auto"] {
        let answer = check(&server, &[("text", text), ("language", language)]);
        assert_eq!(corrections(text, &answer)[0], ("amsterdam".to_owned(), "Amsterdam".to_owned()));
        assert_eq!(answer["language"]["detectedLanguage"]["code"], "nl");
        assert!(answer["language"]["detectedLanguage"]["confidence"].as_f64().unwrap() > 0.6);
    }
    let auto = |text: &str, variants: &str| {
        let fields = [("text", text), ("language", "auto"), ("preferredVariants", variants)];
        let answer = check(&server, &fields);
        (answer["language"]["code"].as_str().unwrap().to_owned(), answer["matches"].as_array().unwrap().len())
    };
    let english = "we met them in lisbon yesterday and he was late";
    assert_eq!(auto(english, ""), ("en-US".to_owned(), 2));
    assert_eq!(auto(english, "sv-SE, en-GB").0, "en-GB");
    let swedish = "vi träffades i lissabon i går och pratade om vädret";
    assert_eq!(auto(swedish, ""), ("sv".to_owned(), 0));
    assert_eq!(auto("мы встретились вчера в лиссабоне", ""), ("und".to_owned(), 0));
}

#[test]
fn a_picky_check_lists_what_is_less_certain() {
    let server = server();
    let text = "he read the book of the wild at the city library and the royal theatre of the north.";
    let count = |level| {
        let answer = check(&server, &[("text", text), ("language", "en"), ("level", level)]);
        answer["matches"].as_array().unwrap().len()
    };
    assert!(count("picky") > count("default"));
}

#[test]
fn a_long_list_is_cut_and_says_so() {
    let text = "in lisbon. ".repeat(4000);
    let answer = check(&server(), &[("text", &text), ("language", "en")]);
    assert_eq!(answer["matches"].as_array().unwrap().len(), 5000);
    assert_eq!(answer["warnings"], json!({"incompleteResults": true}));
}

#[test]
fn fields_of_other_servers_are_accepted_and_wrong_ones_are_problems() {
    let server = server();
    let fields = [("motherTongue", "de"), ("apiKey", "a"), ("username", "b"), ("abtest", "c")];
    let answer = check(&server, &[&[("text", "in lisbon"), ("language", "en")], &fields[..]].concat());
    assert_eq!(answer["matches"].as_array().unwrap().len(), 2);
    let path = "/v2/check?language=en&text=in%20lisbon";
    assert_eq!(server.get(path).json()["matches"], answer["matches"]);
    let wrong: [(&[(&str, &str)], &str); 8] = [
        (&[("language", "en")], "the form has nothing to check"),
        (&[("text", "a")], "`language` is null, but auto, or one of"),
        (&[("text", "a"), ("language", "sv-SE")], "`language` is \"sv-SE\", but auto, or one of"),
        (&[("text", "a"), ("language", "../en")], "`language` is \"../en\", but auto, or one of"),
        (&[("text", "a"), ("data", "{}"), ("language", "en")], "the form has text and data"),
        (&[("data", "{"), ("language", "en")], "`data` is not JSON"),
        (&[("data", "{\"annotation\":[{}]}"), ("language", "en")], "`data.annotation[0].text` is null"),
        (&[("text", "a"), ("language", "en"), ("enabledOnly", "true")], "`enabledOnly` leaves no rule"),
    ];
    for (fields, detail) in wrong {
        let found = server.form("/v2/check", fields).problem(400);
        assert!(found.starts_with(detail), "{found}");
    }
    server.post("/v2/check", "application/json", b"{}").problem(415);
    assert!(server.form("/v2/check", &[("text", "a"), ("text", "b")]).problem(400).contains("given twice"));
}

#[test]
fn the_languages_are_those_with_models_and_their_regions() {
    let server = server();
    let languages = server.get("/v2/languages").json();
    let languages = languages.as_array().unwrap();
    assert!(languages.contains(&json!({"name": "Portuguese (BR)", "code": "pt", "longCode": "pt-BR"})));
    for language in languages {
        let code = language["longCode"].as_str().unwrap();
        assert_eq!(check(&server, &[("text", "1"), ("language", code)])["language"]["code"], code);
    }
    assert_eq!(server.get("/v2/healthcheck").text(), "OK");
}
