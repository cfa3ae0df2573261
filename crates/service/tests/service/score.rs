//! Figures of a text beside its reference.

use majuscule_service::ServiceOptions;
use serde_json::{Value, json};

use crate::client::{HttpAnswer, Server};

fn score(server: &Server, body: &Value) -> HttpAnswer {
    server.post("/v1/score", "application/json", body.to_string().as_bytes())
}

#[test]
fn figures_can_be_checked_with_a_pencil() {
    let server = Server::new(ServiceOptions::default());
    let answer = score(
        &server,
        &json!({
            "reference": "We met Angela Merkel in Lisbon today.",
            "hypothesis": "we met Angela merkel In Lisbon today",
            "protocol": "asr",
        }),
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    let report = answer.json();
    // Angela and Lisbon are right, We and Merkel are missed, In is too much.
    assert_eq!([&report["correct"], &report["deletions"], &report["insertions"]], [2, 2, 1]);
    assert_eq!((&report["recall"], &report["ser"]), (&json!(0.5), &json!(0.75)));
    assert!((report["precision"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9);
    assert!(report["signature"].as_str().unwrap().starts_with("protocol:asr|"));
    assert_eq!(report["words"].as_array().unwrap().len(), 3);
    assert_eq!(report["notes"], json!([]));
}

#[test]
fn marks_and_sentence_ends_are_scored_under_a_protocol_of_marks() {
    let server = Server::new(ServiceOptions::default());
    let report = score(
        &server,
        &json!({
            "reference": "We met, as planned. It was late.",
            "hypothesis": "We met as planned. It was late?",
            "protocol": "iwslt",
            "split": true,
        }),
    );
    let report = report.json();
    assert_eq!(report["sentence_ends"]["correct"], 2, "{report}");
    let marks = &report["marks"]["micro"];
    assert_eq!([&marks["correct"], &marks["deletions"], &marks["substitutions"]], [1, 1, 1], "{report}");
}

#[test]
fn a_wrong_request_is_a_problem() {
    let server = Server::new(ServiceOptions::default());
    let wrong = [
        (json!({"reference": "A b"}), 400, "`hypothesis` is null, but a string was expected"),
        (
            json!({"reference": "a", "hypothesis": "a", "protocol": "wer"}),
            400,
            "protocol \"wer\" is not known",
        ),
        (json!({"reference": "a", "hypothesis": "a", "lang": "../x"}), 400, "`lang`: "),
        (json!({"reference": "a", "hypothesis": "a", "top": -1}), 400, "`top` is -1"),
        (
            json!({"reference": "a", "hypothesis": "a", "align": true}),
            400,
            "the field \"align\" is not known",
        ),
        (
            json!({"reference": "We met\nhim", "hypothesis": "we met\nher"}),
            422,
            "the hypothesis, line 2: \"her\", but the reference, line 2 has \"him\"",
        ),
        (json!({"reference": "", "hypothesis": ""}), 422, "the reference: contains no words to score"),
    ];
    for (body, status, detail) in wrong {
        let found = score(&server, &body).problem(status);
        assert!(found.starts_with(detail), "{found}");
    }
    server.post("/v1/score", "text/plain", b"{}").problem(415);
    server.post("/v1/score?protocol=asr", "application/json", b"{}").problem(400);
}

#[test]
fn paragraphs_are_noted() {
    let server = Server::new(ServiceOptions::default());
    let text = "We met in Lisbon. It was late. They left.\n".repeat(5);
    let ask =
        |split: bool| score(&server, &json!({"reference": text, "hypothesis": text, "split": split})).json();
    assert!(ask(false)["notes"][0].as_str().unwrap().contains("`split` true"));
    assert_eq!(ask(true)["notes"], json!([]));
}
