//! Files as parts of a form.

use majuscule_service::ServiceOptions;

use crate::client::{HttpAnswer, Server};
use crate::routes::example;

/// A part: its name, the name of its file with the content type, and its content.
type Part<'a> = (&'a str, Option<(&'a str, &'a str)>, &'a [u8]);

fn body(parts: &[Part<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, file, content) in parts {
        body.extend(format!("--b0undary\r\nContent-Disposition: form-data; name=\"{name}\"").bytes());
        if let Some((file, kind)) = file {
            body.extend(format!("; filename=\"{file}\"\r\nContent-Type: {kind}").bytes());
        }
        body.extend([b"\r\n\r\n", *content, b"\r\n"].concat());
    }
    body.extend(b"--b0undary--\r\n");
    body
}

fn post(server: &Server, path: &str, parts: &[Part<'_>]) -> HttpAnswer {
    server.post(path, "multipart/form-data; boundary=b0undary", &body(parts))
}

#[test]
fn a_file_in_a_form_comes_back_as_the_same_file_in_a_body() {
    let server = Server::new(ServiceOptions::default());
    let (srt, json) = (example("talk.srt"), example("talk.json"));
    let expected = server.post("/v1/restore?marks=auto", "application/x-subrip", &srt);
    let file = ("file", Some(("talk.srt", "application/octet-stream")), &*srt);
    let marks: Part<'_> = ("marks", None, b"auto");
    for parts in [[file, marks], [marks, file]] {
        let answer = post(&server, "/v1/restore", &parts);
        assert_eq!((answer.status, answer.header("majuscule-format")), (200, Some("srt")), "{answer:?}");
        assert!(answer.body == expected.body && answer.body != srt);
    }
    assert_eq!(post(&server, "/v1/restore?marks=auto", &[file]).body, expected.body);
    // The format is that of the part `format`, of the name, of the content type, or of the first bytes.
    for (name, kind, format) in [
        ("talk.json", "text/plain", None),
        ("talk", "application/json", None),
        ("blob", "application/octet-stream", None),
        ("talk.txt", "text/plain", Some("whisper-json")),
    ] {
        let format = format.map(|format: &str| ("format", None, format.as_bytes()));
        let parts: Vec<Part<'_>> = [("file", Some((name, kind)), &*json)].into_iter().chain(format).collect();
        let answer = post(&server, "/v1/restore", &parts);
        assert_eq!(answer.header("majuscule-format"), Some("whisper-json"), "{name} {answer:?}");
    }
}

#[test]
fn spellings_may_be_a_file_too() {
    let server = Server::new(ServiceOptions::default());
    let parts: [Part<'_>; 2] = [
        ("spellings", Some(("words.txt", "text/plain")), b"iPAD\nLisbon Expo\n"),
        ("file", Some(("a.txt", "text/plain")), b"my ipad at lisbon expo"),
    ];
    assert_eq!(post(&server, "/v1/restore", &parts).text(), "My iPAD at Lisbon Expo");
}

#[test]
fn a_file_in_a_form_is_converted() {
    let server = Server::new(ServiceOptions::default());
    let srt = example("talk.srt");
    let expected = server.post("/v1/convert?from=srt&to=vtt", "text/plain", &srt);
    assert_eq!(expected.status, 200);
    for to in ["to", "response_format"] {
        let parts: [Part<'_>; 2] =
            [("file", Some(("talk.srt", "application/octet-stream")), &srt), (to, None, b"vtt")];
        let answer = post(&server, "/v1/convert", &parts);
        assert_eq!((answer.status, &answer.body), (200, &expected.body), "{answer:?}");
    }
}

#[test]
fn a_wrong_form_is_a_problem() {
    let server = Server::new(ServiceOptions { input_limit: 2000, ..ServiceOptions::default() });
    let file: Part<'_> = ("file", Some(("a.txt", "text/plain")), b"in lisbon");
    let many: Vec<Part<'_>> = (0..100).map(|_| file).collect();
    let wrong: [(&[Part<'_>], &str); 5] = [
        (&[], "the body has no part `file`"),
        (&[file, file], "the body has several parts `file`"),
        (&[file, ("marks", None, b"\xff")], "the part `marks` is not UTF-8"),
        (&[file, ("look_ahed", None, b"1")], "the field \"look_ahed\" is not known"),
        (&[file, ("lang", None, b"en"), ("lang", None, b"pt")], "the parameter `lang` is given twice"),
    ];
    for (parts, detail) in wrong {
        assert!(post(&server, "/v1/restore", parts).problem(400).starts_with(detail), "{detail}");
    }
    post(&server, "/v1/restore", &many).problem(413);
    let names: Vec<String> = (0..100).map(|at| format!("n{at}")).collect();
    let many: Vec<Part<'_>> = names.iter().map(|name| (&**name, None, &b"1"[..])).collect();
    let found = post(&Server::new(ServiceOptions::default()), "/v1/convert", &many).problem(400);
    assert!(found.starts_with("the body has more than 64 parts"), "{found}");
    for kind in ["multipart/form-data", "multipart/form-data; boundary=other"] {
        assert!(server.post("/v1/restore", kind, &body(&[file])).problem(400).contains("boundary"));
    }
    let whole = body(&[file]);
    for end in 0..whole.len() - 4 {
        server.post("/v1/restore", "multipart/form-data; boundary=b0undary", &whole[..end]).problem(400);
    }
    assert_eq!(post(&server, "/v1/restore", &[file]).text(), "In Lisbon");
}
