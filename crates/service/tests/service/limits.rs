//! Wrong requests, limits and faults.

use std::io::Write;
use std::net::Shutdown;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use majuscule_service::{HostNames, ServiceOptions};
use serde_json::json;

use crate::client::{HttpAnswer, Server, request};
use crate::trial::{self, SLOW};

fn server() -> Server {
    Server::new(ServiceOptions::default())
}

fn one_thread() -> ServiceOptions {
    ServiceOptions { threads: NonZeroUsize::MIN, ..ServiceOptions::default() }
}

#[test]
fn a_wrong_request_is_a_problem_that_names_the_field() {
    let server = server();
    let wrong = [
        (
            r#"{"text":"a","look_ahed":1}"#,
            "look_ahed",
            "the field \"look_ahed\" is not known here: did you mean look_ahead?",
        ),
        (
            r#"{"text":"a","colour":1}"#,
            "colour",
            "the field \"colour\" is not known here: expected some of text",
        ),
        (r#"{"text":1}"#, "text", "`text` is 1, but a string was expected"),
        (r#"{"texts":["a",null]}"#, "texts[1]", "`texts[1]` is null, but a string was expected"),
        (r#"{"text":"a","preset":"quick"}"#, "preset", "`preset` is \"quick\", but one of accurate, fast"),
        (
            r#"{"text":"a","look_ahead":-1}"#,
            "look_ahead",
            "`look_ahead` is -1, but a whole number from 0 was expected",
        ),
        (
            r#"{"text":"a","look_ahead":1.5}"#,
            "look_ahead",
            "`look_ahead` is 1.5, but a whole number from 0 was expected",
        ),
        (r#"{"text":"a","marks":"x"}"#, "marks", "\"x\" is not a known punctuation mark"),
        (r#"{"text":"a","confidence":"yes"}"#, "confidence", "`confidence` is \"yes\", but true or false"),
        (
            r#"{"words":[{"word":"a","begin":1}]}"#,
            "words[0].begin",
            "the field \"words[0].begin\" is not known",
        ),
        (r#"{"words":[{"start":1}]}"#, "words[0].word", "`words[0].word` is null, but a string was expected"),
        (
            r#"{"words":[{"word":"a","start":"1"}]}"#,
            "words[0].start",
            "`words[0].start` is \"1\", but a number",
        ),
        (r#"{"words":[1]}"#, "words[0]", "`words[0]` is 1, but a string or an object was expected"),
    ];
    for (body, field, detail) in wrong {
        let answer = server.restore(body);
        assert!(answer.problem(400).starts_with(detail), "{answer:?}");
        assert_eq!(answer.json()["field"], field);
    }
    // JSON has one kind of number.
    assert_eq!(server.restore(r#"{"text":"a","look_ahead":2.0}"#).json()["text"], "A");
    let answer = server.post("/v1/restore?offset=bytes", "application/json", b"{}");
    assert_eq!((answer.problem(400), &answer.json()["field"]).1, "offset");
    let answer = server.post("/v1/restore?offsets=chars", "application/json", b"{}");
    assert!(answer.problem(400).contains("one of bytes, code_points, utf16"));
    let answer = server.post("/v1/restore?lang=en&lang=pt", "text/plain", b"a");
    assert!(answer.problem(400).contains("given twice"));
}

#[test]
fn each_kind_of_error_has_its_status() {
    let server = server();
    assert!(server.restore("{").problem(400).starts_with("the body is not JSON: "));
    assert!(server.restore("[]").problem(400).starts_with("the body is a list, but an object"));
    assert!(server.restore("{}").problem(400).contains("send text, texts or words"));
    assert!(server.restore(r#"{"text":"a","texts":[]}"#).problem(400).contains("send one of them"));
    let language = server.restore(r#"{"text":"a","lang":"xx"}"#).problem(400);
    assert!(language.contains("xx") && !language.contains("--"), "{language}");
    assert!(server.post("/v1/restore", "image/png", b"a").problem(415).contains("image/png"));
    assert!(server.post("/v1/restore", "text/vtt", b"\xff\xfe\xfd").problem(422).starts_with("the text"));
    let invalid = server.post("/v1/restore?format=jsonl&name=a.jsonl", "text/plain", b"{\"text\":\"a\"}\n{");
    assert!(invalid.problem(422).starts_with("a.jsonl, line 2"));
    assert_eq!(invalid.json()["line"], 2);
    assert!(server.get("/v2/nothing").problem(404).contains("/v2/nothing"));
    let method = server.get("/v1/restore");
    assert!(method.problem(405).contains("only POST"));
    assert_eq!(method.header("allow"), Some("POST"));
    assert!(server.post("/v1/convert?from=srt", "text/plain", b"").problem(400).contains("`to` is missing"));
    assert!(
        server.post("/v1/convert?to=vtt&max_chars=3", "text/vtt", b"").problem(400).contains("give `cues`")
    );
    assert!(
        server
            .post("/v1/convert?from=text&to=vtt", "text/plain", b"a")
            .problem(422)
            .starts_with("the file, line 1")
    );
}

#[test]
fn a_long_body_is_refused_with_the_limit() {
    let server = Server::new(ServiceOptions { body_limit: 1000, ..ServiceOptions::default() });
    let body = "a".repeat(1001);
    let answer = server.post("/v1/restore", "text/plain", body.as_bytes());
    assert!(answer.problem(413).contains("longer than the limit of 1000 bytes"));
    assert_eq!(answer.json()["limit"], 1000);
    let chunks =
        "POST /v1/restore HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = format!("3e9\r\n{body}\r\n0\r\n\r\n");
    server.raw(format!("{chunks}{chunk}").as_bytes()).problem(413);
    assert_eq!(server.post("/v1/restore", "text/plain", &body.as_bytes()[..1000]).status, 200);
}

#[test]
fn bodies_share_a_limit_of_memory() {
    let server = Server::new(ServiceOptions { memory_limit: 4 << 10, ..ServiceOptions::default() });
    let text = |len| format!("{{\"text\":\"{}\"}}", "a".repeat(len));
    let (long, short) = (text(5 << 10), text(3 << 10));
    server.restore(&long).problem(429);
    for _ in 0..10 {
        assert_eq!(server.restore(&short).status, 200);
    }
    // A file that is held whole takes its share, too: here more than there is.
    server.post("/v1/restore?format=whisper-json", "application/json", long.as_bytes()).problem(413);
    assert_eq!(server.post("/v1/restore?format=jsonl", "text/plain", long.as_bytes()).status, 200);
}

#[test]
fn words_count_by_what_is_made_of_them() {
    let server = Server::with(
        trial::methods(),
        ServiceOptions { memory_limit: 64 << 10, ..ServiceOptions::default() },
    );
    let words = |count| json!({ "words": vec!["a"; count] }).to_string();
    let text = |count| json!({ "text": "a ".repeat(count) }).to_string();
    for body in [words(1000), text(1000)] {
        let answer = server.restore(&body);
        assert!(answer.problem(413).contains("the body has 1001 words, but at most 1"), "{answer:?}");
        assert!(answer.json()["limit"].as_u64().unwrap() < 130);
    }
    for body in [words(100), text(100)] {
        assert_eq!(server.restore(&body).status, 200);
    }
    let document = format!("{{\"text\":\"{}\"}}", "a ".repeat(1000));
    let path = "/v1/restore?format=whisper-json";
    server.post(path, "application/json", document.as_bytes()).problem(413);
    assert_eq!(server.post("/v1/restore?format=text", "text/plain", document.as_bytes()).status, 200);
    let rows: String = (0..1000).map(|at| format!("a 1 {at} .5 a\n")).collect();
    let cut =
        |rows: &str| server.post("/v1/convert?from=ctm&to=srt&cues=sentence", "text/plain", rows.as_bytes());
    cut(&rows).problem(413);
    assert_eq!(cut("a 1 1 .5 a\n").status, 200);
}

#[test]
fn a_body_that_is_cut_off_or_slow_ends_its_request_alone() {
    let options = ServiceOptions { timeout: Duration::from_millis(300), ..ServiceOptions::default() };
    let server = Server::with(trial::methods(), options);
    let head =
        "POST /v1/restore HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nabc";
    let mut cut = server.connect();
    cut.write_all(head.as_bytes()).unwrap();
    cut.shutdown(Shutdown::Write).unwrap();
    let answer = HttpAnswer::read(cut);
    assert!(answer.status == 0 || answer.status == 400, "{answer:?}");
    let mut slow = server.connect();
    slow.write_all(head.as_bytes()).unwrap();
    assert!(HttpAnswer::read(slow).problem(408).contains("0.3 s"));
    assert_eq!(server.restore(r#"{"text":"a"}"#).status, 200);
}

#[test]
fn a_head_that_does_not_end_is_closed() {
    let server =
        Server::new(ServiceOptions { head_timeout: Duration::from_millis(200), ..ServiceOptions::default() });
    let mut slow = server.connect();
    slow.write_all(b"GET / HT").unwrap();
    let begun = Instant::now();
    let _ = HttpAnswer::read(slow);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn more_requests_than_the_queue_holds_are_refused() {
    let server = Server::with(trial::methods(), ServiceOptions { queue: 1, ..one_thread() });
    // Short texts do not wait in the queue.
    let body = format!(r#"{{"text":"slow slow slow slow slow{}"}}"#, " ".repeat(3000));
    let slow = || server.restore(&body);
    let answers: Vec<HttpAnswer> = thread::scope(|scope| {
        let waiting: Vec<_> = (0..6).map(|_| scope.spawn(slow)).collect();
        waiting.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let done = answers.iter().filter(|answer| answer.status == 200).count();
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert_eq!((done, refused.len()), (2, 4), "{answers:?}");
    assert!(refused[0].problem(429).starts_with("2 requests are already running or waiting"));
    assert_eq!(refused[0].header("retry-after"), Some("1"));
    assert_eq!(slow().status, 200);
}

#[test]
fn work_that_takes_too_long_is_stopped() {
    let server = Server::with(trial::methods(), ServiceOptions { timeout: 3 * SLOW, ..one_thread() });
    let texts = vec!["slow"; 1000];
    let answer = server.restore(&json!({ "texts": texts }).to_string());
    assert!(answer.problem(503).contains("within 0.3 s"), "{answer:?}");
    // The thread is free once the work has seen its flag.
    thread::sleep(3 * SLOW);
    assert_eq!(server.restore(r#"{"text":"a"}"#).status, 200);
    assert!(server.get("/metrics").text().contains("majuscule_running_requests 0"));
}

#[test]
fn threads_held_after_their_answer_are_counted() {
    let server = Server::with(trial::methods(), one_thread());
    let held = || {
        let page = server.get("/metrics").text();
        let found = page.lines().find_map(|line| line.strip_prefix("majuscule_abandoned_requests "));
        found.unwrap().parse::<usize>().unwrap()
    };
    assert_eq!(held(), 0);
    // The method looks at no flag inside a list of words.
    let body = json!({ "text": (["slow"; 20].join(" ")) }).to_string();
    let mut stream = server.connect();
    stream.write_all(&request("/v1/restore", "Content-Type: application/json\r\n", body.as_bytes())).unwrap();
    thread::sleep(2 * SLOW);
    assert_eq!(held(), 0);
    drop(stream);
    thread::sleep(2 * SLOW);
    assert_eq!(held(), 1);
    assert_eq!(server.restore(r#"{"text":"a"}"#).status, 200);
    assert_eq!(held(), 0);
}

#[test]
fn a_body_of_json_is_read_in_the_queue() {
    let server = Server::with(trial::methods(), ServiceOptions { timeout: 2 * SLOW, ..one_thread() });
    let slow = json!({ "text": (["slow"; 10].join(" ")) }).to_string();
    let mut stream = server.connect();
    stream.write_all(&request("/v1/restore", "Content-Type: application/json\r\n", slow.as_bytes())).unwrap();
    thread::sleep(SLOW);
    // Neither what is wrong in a body nor a short text is seen before there is a thread.
    server.restore("{").problem(503);
    server.restore(r#"{"text":"a"}"#).problem(503);
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn connections_beyond_the_limit_are_for_probes() {
    let server = Server::new(ServiceOptions { connections: 2, ..ServiceOptions::default() });
    let _open = [server.connect(), server.connect()];
    thread::sleep(SLOW);
    assert_eq!(server.get("/health").status, 200);
    assert!(
        server.get("/v1/languages").problem(429).starts_with("the limit of 2 open connections is reached")
    );
}

#[test]
fn pages_of_other_sites_are_refused() {
    let local = HostNames::LoopbackAnd(vec!["case.example".to_owned()]);
    let server = Server::new(ServiceOptions { hosts: local, ..ServiceOptions::default() });
    let ask = |path: &str, headers: &str| {
        let body = br#"{"text":"a"}"#;
        let head = format!("POST {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        let kind = "Content-Type: application/json\r\n";
        server.raw(&[format!("{head}{kind}{headers}\r\n").as_bytes(), body].concat())
    };
    for headers in [
        "Host: localhost:8080\r\n",
        "Host: case.example\r\nOrigin: https://case.example\r\nSec-Fetch-Site: same-origin\r\n",
        "Host: 127.0.0.1\r\nOrigin: chrome-extension://abc\r\nSec-Fetch-Site: cross-site\r\n",
    ] {
        assert_eq!(ask("/v1/restore", headers).status, 200, "{headers}");
    }
    for (headers, detail) in [
        ("Host: evil.example\r\n", "the header Host is \"evil.example\""),
        ("Host: localhost\r\nOrigin: http://evil.example\r\n", "the header Origin"),
        ("Host: localhost\r\nOrigin: null\r\n", "the header Origin"),
        ("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n", "the header Sec-Fetch-Site"),
    ] {
        for path in ["/v1/restore", "/v1/convert?to=vtt", "/v1/live", "/v2/check"] {
            assert!(ask(path, headers).problem(403).starts_with(detail), "{path} {headers}");
        }
    }
    assert_eq!(server.get("/health").status, 200);
    assert!(server.get("/v1/models").problem(403).contains("--allow-host"));
}

#[test]
fn work_that_nobody_waits_for_is_stopped() {
    let server = Server::with(trial::methods(), one_thread());
    let body = json!({ "texts": vec!["slow"; 1000] }).to_string();
    let mut stream = server.connect();
    stream.write_all(&request("/v1/restore", "Content-Type: application/json\r\n", body.as_bytes())).unwrap();
    thread::sleep(2 * SLOW);
    drop(stream);
    assert_eq!(server.restore(r#"{"text":"a"}"#).status, 200);
}

#[test]
fn a_panic_is_the_error_of_its_request_alone() {
    let server = Server::with(trial::methods(), one_thread());
    for body in [r#"{"text":"do panic now"}"#, r#"{"texts":["panic"]}"#, r#"{"words":["panic"]}"#] {
        assert!(server.restore(body).problem(500).starts_with("this is a bug of majuscule"));
    }
    server.post("/v1/restore", "text/plain", b"panic").problem(500);
    assert_eq!(server.restore(r#"{"text":"a bee"}"#).json()["text"], "A Bee");
}

#[test]
fn the_token_is_asked_for() {
    let server = Server::new(ServiceOptions { token: Some("secret".into()), ..ServiceOptions::default() });
    let ask = |header: &str| {
        let headers = format!("Content-Type: application/json\r\n{header}");
        server.raw(&request("/v1/restore", &headers, br#"{"text":"a"}"#))
    };
    assert!(ask("").problem(401).contains("Authorization: Bearer"));
    assert_eq!(ask("").header("www-authenticate"), Some("Bearer"));
    for wrong in ["Bearer secre", "Bearer secrets", "Basic secret", "Bearer", "Bearer \u{e9}"] {
        ask(&format!("Authorization: {wrong}\r\n")).problem(401);
    }
    assert_eq!(ask("Authorization: Bearer secret\r\n").status, 200);
    server.get("/metrics").problem(401);
    server.get("/v1/models").problem(401);
    assert!(["/", "/page.js", "/health", "/ready"].iter().all(|path| server.get(path).status == 200));
}

#[test]
fn requests_have_identifiers() {
    let server = server();
    let ask = |id: &str| {
        let answer = server
            .raw(format!("GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{id}\r\n").as_bytes());
        answer.header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(ask("X-Request-Id: mine-1\r\n"), "mine-1");
    let made = [ask(""), ask(""), ask("X-Request-Id: two words\r\n")];
    assert!(made[0] != made[1] && made[2] != "two words", "{made:?}");
}

#[test]
fn the_log_has_no_text() {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&lines);
    let options = ServiceOptions {
        log: Some(Arc::new(move |entry| sink.lock().unwrap().push(format!("{entry:?}")))),
        ..ServiceOptions::default()
    };
    let server = Server::new(options);
    server.post("/v1/restore?name=confidential", "text/plain", b"confidential");
    server.get("/confidential");
    assert!(server.end());
    let lines = lines.lock().unwrap();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| !line.contains("confidential")), "{lines:?}");
    assert!(lines[0].contains("/v1/restore") && lines[0].contains("200"), "{lines:?}");
}

/// Bytes drawn at random, the same for the same seed.
fn draw(seed: &mut u64, len: usize) -> Vec<u8> {
    let mut next = || {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed as u8
    };
    (0..len).map(|_| next()).collect()
}

#[test]
fn a_thousand_malformed_requests_harm_nobody() {
    let server =
        Server::new(ServiceOptions { head_timeout: Duration::from_millis(500), ..ServiceOptions::default() });
    let good = br#"{"text":"we met","lang":"en","marks":".,?","words":[{"word":"a","start":1}]}"#;
    let mut seed = 44;
    for round in 0..1000 {
        let noise = draw(&mut seed, 40);
        let mut body = good.to_vec();
        for at in noise.chunks(2).take(1 + round % 4) {
            body[at[0] as usize % good.len()] = at[1];
        }
        let mut bytes = match round % 5 {
            0 => noise,
            1 => request(&format!("/../..%2f/v1/{}", noise[0]), "", &body),
            2 => request("/v1/restore?format=%ff&%", "Content-Type: text/plain\r\n", &body),
            3 => request("/v1/restore", "Content-Type: application/json\r\nContent-Length: 3\r\n", &body),
            _ => request("/v1/restore", "Content-Type: application/json\r\n", &body),
        };
        bytes.truncate(if round % 7 == 0 { bytes.len() / 2 } else { bytes.len() });
        let mut stream = server.connect();
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let answer = HttpAnswer::read(stream);
        assert!(answer.status < 500, "{round}: {answer:?}");
    }
    assert_eq!(server.restore(r#"{"text":"in lisbon","lang":"en"}"#).json()["text"], "In Lisbon");
}

#[test]
fn deep_json_is_refused() {
    let deep = format!("{{\"text\":{}", "[".repeat(100_000));
    assert!(server().restore(&deep).problem(400).contains("recursion limit"));
}
