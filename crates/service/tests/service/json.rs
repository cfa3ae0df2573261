//! Bodies of JSON and files at random never are an error of the service.

use std::sync::LazyLock;

use majuscule_service::ServiceOptions;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::client::{HttpAnswer, Server};

/// The fields of a body, and one that is not known.
const FIELDS: [&str; 17] = [
    "text",
    "texts",
    "words",
    "lang",
    "preset",
    "marks",
    "look_ahead",
    "spellings",
    "sentence_start",
    "capitals",
    "style",
    "case",
    "confidence",
    "lossy",
    "word",
    "start",
    "no_such_field",
];

static SERVER: LazyLock<Server> = LazyLock::new(|| Server::new(ServiceOptions::default()));

/// A value of any kind, with values that fields have among them.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-z .,?']{0,40}".prop_map(Value::from),
        prop::sample::select(vec!["en", "auto", "fast", "all", ".,?", "never", "keep"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            fields(inner).prop_map(Value::Object),
        ]
    })
}

fn fields(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let field = (prop::sample::select(FIELDS.as_slice()), values);
    prop::collection::vec(field, 0..6)
        .prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A body that is right but for some bytes.
fn altered(body: Value) -> impl Strategy<Value = Vec<u8>> {
    let body = body.to_string().into_bytes();
    let alteration = (0..body.len(), any::<u8>(), any::<bool>());
    prop::collection::vec(alteration, 1..5).prop_map(move |alterations| {
        let mut body = body.clone();
        for (at, byte, is_put) in alterations {
            match body.get_mut(at) {
                Some(old) if !is_put => *old = byte,
                _ => body.insert(at.min(body.len()), byte),
            }
        }
        body
    })
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let words = json!({"words": [{"word": "we", "start": 0.1, "end": 0.3, "confidence": 1}, "met"]});
    let text = json!({
        "text": "we met angela\u{301} 😀 in lisbon", "lang": "auto", "preset": "fast", "marks": ".,?", "look_ahead": 2,
        "spellings": ["Lisbon"], "sentence_start": "auto", "capitals": "few", "style": "small-offices", "case": "keep", "confidence": false,
    });
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..60),
        value().prop_map(|value| value.to_string().into_bytes()),
        fields(value()).prop_map(|fields| Value::Object(fields).to_string().into_bytes()),
        altered(text),
        altered(words),
    ]
}

/// A document of a recogniser or lines of JSON.
fn document() -> impl Strategy<Value = Vec<u8>> {
    let word = json!({"word": " met", "start": 0.5, "end": 1.0, "probability": 0.9});
    let segment = json!({"id": 0, "start": 0.0, "end": 1.0, "text": " we met", "words": [word]});
    let document = json!({"text": " we met", "language": "en", "segments": [segment.clone(), segment]});
    prop_oneof![altered(document), value().prop_map(|value| value.to_string().into_bytes())]
}

fn check(answer: HttpAnswer, body: &[u8]) -> Result<(), TestCaseError> {
    let is_right = (200..500).contains(&answer.status);
    prop_assert!(is_right, "{answer:?} of {}", String::from_utf8_lossy(body));
    match answer.status {
        200 => {}
        status => assert!(!answer.problem(status).is_empty()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_body_of_json_is_an_error_of_the_service(body in body()) {
        let answer = SERVER.post("/v1/restore", "application/json", &body);
        check(answer, &body)?;
    }

    #[test]
    fn no_document_is_an_error_of_the_service(
        document in document(),
        path in prop::sample::select(vec![
            "restore?preset=fast&format=whisper-json&marks=auto",
            "restore?preset=fast&format=jsonl&lang=auto",
            "restore?preset=fast&format=auto",
            "convert?from=whisper-json&to=srt&cues=sentence",
            "convert?from=whisper-json&to=ctm&drop=true",
            "convert?from=jsonl&to=vtt",
            "convert?from=auto&to=whisper-json",
        ]),
    ) {
        let answer = SERVER.post(&format!("/v1/{path}"), "application/json", &document);
        check(answer, &document)?;
    }
}
