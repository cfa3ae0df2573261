//! Live text over WebSockets.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use majuscule::{MarkSet, Model, RestoreOptions, Streaming};
use majuscule_service::{LiveLimits, ServiceOptions};
use proptest::prelude::*;
use serde_json::{Value, json};
use tungstenite::Message;

use crate::client::Server;
use crate::socket::{LiveClient, connect};
use crate::trial;

const TEXT: &str =
    "we met angela merkel in lisbon. she said \"no\" (twice), and left for new york\nwhat happened then é";

fn server() -> Server {
    Server::new(ServiceOptions::default())
}

/// A service with other limits of live sessions.
fn limited(change: impl FnOnce(&mut LiveLimits)) -> Server {
    let mut limits = LiveLimits::default();
    change(&mut limits);
    Server::new(ServiceOptions { live: limits, ..ServiceOptions::default() })
}

/// The output of a stream of the library for a text.
fn streamed(text: &str, options: RestoreOptions) -> String {
    let mut stream = Model::embedded("en").unwrap().with(options).stream().unwrap();
    let mut out = Vec::new();
    stream.push(text.as_bytes(), &mut out).unwrap();
    stream.finish(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Waits until the metrics have a line.
fn wait_for(server: &Server, line: &str) {
    let begun = Instant::now();
    while !server.get("/metrics").text().lines().any(|found| found == line) {
        assert!(begun.elapsed() < Duration::from_secs(20), "no {line}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn forms(words: &[Value]) -> Vec<&str> {
    words.iter().map(|word| word["punctuated_word"].as_str().unwrap()).collect()
}

#[test]
fn the_text_is_that_of_the_library_however_it_is_cut() {
    let server = server();
    for (query, options) in [
        ("", RestoreOptions::default()),
        ("?marks=auto", RestoreOptions::default().marks(MarkSet::USUAL)),
        ("?look_ahead=0&marks=.", RestoreOptions::default().look_ahead(Some(0)).marks(".".parse().unwrap())),
    ] {
        let expected = streamed(TEXT, options);
        let mut words = None;
        for step in [1, 2, 7, usize::MAX] {
            let mut client = LiveClient::begin(&server, query);
            let chars: Vec<char> = TEXT.chars().collect();
            for part in chars.chunks(step.min(chars.len())) {
                client.text(&part.iter().collect::<String>());
            }
            client.send(&json!({"type": "CloseStream"}));
            assert_eq!(client.end().code, Some(1000));
            assert_eq!(client.transcript(), expected, "{query}");
            let found = client.words();
            assert_eq!(words.get_or_insert_with(|| found.clone()), &found, "{query} {step}");
        }
    }
}

#[test]
fn a_word_comes_as_soon_as_it_is_certain() {
    let server = server();
    let mut client = LiveClient::begin(&server, "?lang=en&look_ahead=0");
    let Value::Object(begin) = &client.begin else { panic!("{}", client.begin) };
    assert_eq!((&begin["language"], &begin["model"]), (&json!("en"), &json!("en.accurate")));
    assert_eq!((begin.len(), &begin["version"]), (4, &json!(env!("CARGO_PKG_VERSION"))));
    client.text("we met in lis");
    assert_eq!(client.read().unwrap()["transcript"], "We met in ");
    client.text("bon (");
    let results = client.read().unwrap();
    assert_eq!((&results["transcript"], &results["seq"]), (&json!("Lisbon "), &json!(2)));
    let word = &results["words"][0];
    assert_eq!((&word["word"], &word["punctuated_word"]), (&json!("lisbon"), &json!("Lisbon")));
    assert!(word["confidence"].as_f64().unwrap() > 0.5 && word["sentence_end"].is_boolean(), "{word}");
    assert!(word.get("start").is_none());
    client.text("angela) ");
    client.finalize();
    assert_eq!(forms(&client.words())[4..], ["(Angela)"]);
    assert_eq!(client.close(), "We met in Lisbon (Angela) ");
}

#[test]
fn words_keep_their_times() {
    let server = server();
    let mut client = LiveClient::begin(&server, "?marks=.");
    let words = json!([{"word": "we", "start": 0.1, "end": 0.3, "confidence": 0.9}, {"word": "met", "start": 0.3},
        "--", {"word": "angela", "start": 0.5, "end": 1}, "and/or", ""]);
    client.send(&json!({"type": "Words", "words": words}));
    client.finalize();
    let found = client.words();
    assert_eq!(forms(&found), ["We", "met", "--", "Angela", "and/or.", ""]);
    assert_eq!(
        (&found[0]["start"], &found[0]["end"], &found[3]["end"]),
        (&json!(0.1), &json!(0.3), &json!(1))
    );
    assert!(found[1].get("end").is_none() && found[2].get("confidence").is_none());
    assert_eq!(found[4]["word"], "and/or");
    assert_eq!(client.close(), "We met -- Angela and/or.  ");
}

#[test]
fn a_record_is_replaced_until_it_is_final() {
    let server = server();
    let mut client = LiveClient::begin(&server, "?interim=true&look_ahead=0");
    let say = |id: &str, words: &[&str]| json!({"type": "Words", "id": id, "words": words});
    for (words, shown) in
        [(&["we"][..], "We "), (&["we", "mad"], "We mad "), (&["we", "met", "angela"], "We met Angela ")]
    {
        client.send(&say("u1", words));
        let interim = client.read().unwrap();
        assert_eq!((&interim["is_final"], &interim["seq"]), (&json!(false), &json!(0)));
        assert_eq!(interim["transcript"], shown);
    }
    assert!(client.finals.is_empty());
    client.send(&say("u2", &["in", "lisbon"]));
    assert_eq!(client.read().unwrap()["transcript"], "We met Angela ");
    assert_eq!(client.read().unwrap()["transcript"], "in Lisbon ");
    // What is final never changes.
    client.send(&say("u1", &["they"]));
    let error = client.read_to("Error");
    assert_eq!((&error["status"], &error["field"]), (&json!(409), &json!("id")));
    assert!(error["detail"].as_str().unwrap().starts_with("the record \"u1\" is final already"), "{error}");
    client.send(&json!({"type": "Words", "id": "u2", "words": ["in", "bonn"], "is_final": true}));
    assert_eq!(client.read().unwrap()["transcript"], "in Bonn ");
    // Nothing is left to be shown.
    assert_eq!(client.read().unwrap()["transcript"], "");
    client.text("and left");
    assert_eq!(client.close(), "We met Angela in Bonn and left");
}

#[test]
fn text_and_words_are_one_text() {
    let server = server();
    let mut client = LiveClient::begin(&server, "");
    client.text("we met");
    client.send(&json!({"type": "Words", "words": ["angela", "merkel"]}));
    client.send(&json!({"type": "KeepAlive"}));
    client.text("in lisbon");
    assert_eq!(client.close(), "We met Angela Merkel in Lisbon");
}

#[test]
fn a_word_waits_no_longer_than_asked() {
    let server = server();
    let mut client = LiveClient::begin(&server, "?max_delay=100&look_ahead=2");
    let begun = Instant::now();
    client.text("in lisbon ");
    assert_eq!(client.read().unwrap()["transcript"], "In Lisbon ");
    client.send(&json!({"type": "Words", "id": "a", "words": ["today"]}));
    assert_eq!(client.read().unwrap()["transcript"], "today ");
    let waited = begun.elapsed();
    assert!((Duration::from_millis(190)..Duration::from_secs(5)).contains(&waited), "{waited:?}");
    assert_eq!(client.close(), "In Lisbon today ");
}

#[test]
fn options_come_before_the_text() {
    let server = server();
    let mut client = LiveClient::begin(&server, "");
    client.send(
        &json!({"type": "Configure", "lang": "pt", "preset": "fast", "spellings": ["LiSBoa"], "marks": true}),
    );
    assert_eq!(client.read().unwrap()["model"], "pt.fast");
    client.text("vivia em lisboa ");
    client.send(&json!({"type": "Configure"}));
    assert!(client.read_to("Error")["detail"].as_str().unwrap().starts_with("text was already received"));
    assert!(client.close().starts_with("Vivia em LiSBoa"));
}

#[test]
fn a_wrong_message_costs_nothing_but_itself() {
    let server = server();
    let mut client = LiveClient::begin(&server, "");
    let long_id = json!({"type": "Words", "words": [], "id": "a".repeat(300)}).to_string();
    let wrong = [
        ("{", 400, "the message is not JSON: "),
        ("[]", 400, "the message is a list, but an object was expected"),
        ("{}", 400, "`type` is null, but one of Configure, Text, Words, "),
        (r#"{"type":"text"}"#, 400, "`type` is \"text\", but one of "),
        (r#"{"type":"Text"}"#, 400, "`text` is null, but a string was expected"),
        (
            r#"{"type":"Text","text":"a","id":1}"#,
            400,
            "the field \"id\" is not known here: expected some of type, text",
        ),
        (r#"{"type":"Words","words":[1]}"#, 400, "`words[0]` is 1, but a string or an object"),
        (r#"{"type":"Words","words":["a"],"id":2}"#, 400, "`id` is 2, but a string was expected"),
        (&long_id, 400, "`id` has 300 bytes, but at most 256 were expected"),
        (r#"{"type":"Configure","lang":"auto"}"#, 400, "`lang` is \"auto\", but the language of live text"),
        (r#"{"type":"Configure","lang":"xx"}"#, 400, "there is no"),
        (r#"{"type":"Configure","marks":"x"}"#, 400, "\"x\" is not a known punctuation mark"),
    ];
    for (message, status, detail) in wrong {
        client.socket.send(Message::text(message)).unwrap();
        let error = client.read_to("Error");
        assert_eq!(error["status"], status, "{message}: {error}");
        let found = error["detail"].as_str().unwrap();
        assert!(found.starts_with(detail) || detail.starts_with("there is no"), "{message}: {error}");
        assert!(error["title"].is_string());
    }
    client.socket.send(Message::binary(vec![0; 8])).unwrap();
    assert_eq!(client.read_to("Error")["status"], 415);
    client.text("so be it");
    assert_eq!(client.close(), "So be it");
    let mut client = LiveClient::begin(&server, "");
    (0..100).for_each(|_| client.socket.send(Message::text("{")).unwrap());
    let ending = client.end();
    assert_eq!((ending.code, ending.messages.len()), (Some(1008), 100));
}

#[test]
fn live_texts_share_a_limit_of_memory() {
    let server = Server::new(ServiceOptions { memory_limit: 256 << 10, ..ServiceOptions::default() });
    let mut client = LiveClient::begin(&server, "");
    client.text("so be it");
    // A list of many words would hold more than all of the memory.
    let words = json!({ "type": "Words", "id": "u", "words": vec!["a"; 2000] }).to_string();
    client.socket.send(Message::text(words)).unwrap();
    assert_eq!(client.end().code, Some(1013));
    let mut clients: Vec<_> = (0..3).map(|_| LiveClient::begin(&server, "")).collect();
    clients[0].text("so be it");
    // Once it is answered, its memory is held.
    clients[0].finalize();
    assert_eq!(connect(&server, "/v1/live", &[]).err(), Some(429));
    assert_eq!(clients.remove(0).close(), "So be it");
}

#[test]
fn a_handshake_is_checked() {
    let server =
        Server::new(ServiceOptions { token: Some("secret".to_owned()), ..ServiceOptions::default() });
    let connect = |path: &str, headers: &[(&str, &str)]| connect(&server, path, headers).map(LiveClient::of);
    let host = format!("http://{}", server.address);
    let status = |path, headers: &[(&str, &str)]| connect(path, headers).err();
    assert_eq!(status("/v1/live", &[]), Some(401));
    assert_eq!(status("/v1/live", &[("Sec-WebSocket-Protocol", "bearer, other")]), Some(401));
    assert_eq!(status("/v1/live/vosk", &[]), Some(401));
    let token = ("Authorization", "Bearer secret");
    assert_eq!(status("/v1/live", &[token, ("Origin", "http://example.org")]), Some(403));
    assert_eq!(status("/v1/live", &[token, ("Origin", "null")]), Some(403));
    assert_eq!(status("/v1/live?look_ahed=1", &[token]), Some(400));
    assert_eq!(status("/v1/live?lang=xx", &[token]), Some(400));
    for headers in
        [[token, ("Origin", &*host)], [("Sec-WebSocket-Protocol", "bearer, secret"), ("Origin", &host)]]
    {
        let mut client = connect("/v1/live", &headers).unwrap();
        client.text("so");
        assert_eq!(client.close(), "So");
    }
    let plain = server.raw(
        b"GET /v1/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer secret\r\n\r\n",
    );
    assert!(plain.problem(426).contains("connect to it as ws://"), "{plain:?}");
}

#[test]
fn sessions_and_messages_are_limited() {
    let server = limited(|limits| {
        limits.sessions = 2;
        limits.message = 1000;
    });
    let mut first = LiveClient::begin(&server, "");
    let second = LiveClient::begin(&server, "");
    assert_eq!(connect(&server, "/v1/live", &[]).err(), Some(429));
    wait_for(&server, "majuscule_live_sessions 2");
    second.close();
    first.text(&"a ".repeat(480));
    first.read_to("Results");
    first.text(&"a ".repeat(500));
    assert_eq!(first.end().code, Some(1009));
    wait_for(&server, "majuscule_live_sessions 0");
    wait_for(&server, &format!("majuscule_live_words_total {}", first.words().len()));
}

#[test]
fn a_fast_client_is_read_at_the_pace_of_the_service() {
    let server = limited(|limits| limits.rate = 50);
    let mut client = LiveClient::begin(&server, "");
    let begun = Instant::now();
    (0..80).for_each(|_| client.text("so "));
    assert_eq!(client.close().len(), 240);
    assert!(begun.elapsed() > Duration::from_millis(500), "{:?}", begun.elapsed());
}

#[test]
fn a_client_that_is_gone_or_silent_is_left() {
    let server = limited(|limits| limits.ping = Duration::from_millis(100));
    // This one does not read, and so answers no ping.
    let mut gone = LiveClient::begin(&server, "");
    thread::sleep(Duration::from_millis(600));
    assert_eq!(gone.end().code, Some(1008));
    // This one answers pings.
    let mut there = LiveClient::begin(&server, "");
    there.socket.get_ref().set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(800) {
        let _ = there.socket.read();
    }
    there.socket.get_ref().set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    there.text("so");
    assert_eq!(there.close(), "So");

    let server = limited(|limits| limits.idle = Duration::from_millis(200));
    let mut client = LiveClient::begin(&server, "");
    client.text("we met");
    for _ in 0..4 {
        thread::sleep(Duration::from_millis(100));
        client.send(&json!({"type": "KeepAlive"}));
    }
    let ending = client.end();
    assert_eq!((ending.code, client.transcript()), (Some(1000), "We met".to_owned()));
    assert_eq!(ending.messages.last().unwrap()["type"], "Termination");
}

#[test]
fn a_client_that_does_not_read_is_left() {
    let server = limited(|limits| limits.write = Duration::from_millis(300));
    let mut client = LiveClient::begin(&server, "?look_ahead=0&preset=fast");
    client.socket.get_ref().set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let message = json!({"type": "Text", "text": "so be it ".repeat(1000)}).to_string();
    let mut sent = 0;
    while sent < 5000 && client.socket.send(Message::text(message.clone())).is_ok() {
        sent += 1;
    }
    assert!(sent < 5000, "all was sent and nothing read");
    wait_for(&server, "majuscule_live_sessions 0");
}

#[test]
fn nothing_accepted_is_lost_at_the_end() {
    let mut server = server();
    let clients: Vec<_> = (0..8)
        .map(|at| {
            let mut client = LiveClient::begin(&server, if at % 2 == 0 { "" } else { "?interim=true" });
            thread::spawn(move || {
                let mut sent = Vec::new();
                let socket = client.socket.get_ref().try_clone().unwrap();
                socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
                // Sends until the service closes.
                let ending = loop {
                    let text = format!("word {} of {at} in lisbon ", sent.len());
                    let message = json!({"type": "Text", "text": text}).to_string();
                    let is_sent = client.socket.send(Message::text(message)).is_ok();
                    if is_sent {
                        sent.push(text);
                    }
                    match client.read() {
                        Some(message) if message["type"] == "Termination" => break message,
                        None if !is_sent => panic!("no end"),
                        _ => {}
                    }
                };
                socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                assert_eq!(client.end().code, Some(1001));
                let received = ending["received"].as_u64().unwrap() as usize;
                assert!(received > 0 && received <= sent.len(), "{received} of {}", sent.len());
                let expected = streamed(&sent[..received].concat(), RestoreOptions::default());
                assert_eq!(client.transcript(), expected);
            })
        })
        .collect();
    thread::sleep(Duration::from_millis(400));
    server.stop();
    for client in clients {
        client.join().unwrap();
    }
    assert!(server.end());
}

#[test]
fn an_idle_socket_does_not_delay_the_end() {
    let mut server = server();
    let mut clients: Vec<LiveClient> = (0..5).map(|_| LiveClient::begin(&server, "")).collect();
    clients.iter_mut().for_each(|client| client.text("we met"));
    thread::sleep(Duration::from_millis(50));
    let begun = Instant::now();
    server.stop();
    for mut client in clients {
        let ending = client.end();
        assert_eq!((ending.code, client.transcript()), (Some(1001), "We met".to_owned()));
    }
    assert!(server.end());
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_panic_ends_its_session_and_no_other() {
    let server = Server::with(
        trial::methods(),
        ServiceOptions { threads: NonZeroUsize::MIN, ..ServiceOptions::default() },
    );
    let mut other = LiveClient::begin(&server, "");
    let mut client = LiveClient::begin(&server, "");
    client.text("do panic now");
    assert_eq!(client.read_to("Error")["status"], 500);
    assert_eq!(client.end().code, Some(1011));
    // A long message is computed in the queue.
    let mut client = LiveClient::begin(&server, "");
    client.text(&format!("{}panic ", "so ".repeat(3000)));
    assert_eq!(client.read_to("Error")["status"], 500);
    other.text("so be it");
    assert_eq!(other.close(), "So Be It");
}

#[test]
fn clients_of_vosk_get_one_answer_for_each_message() {
    let server = server();
    let mut socket = connect(&server, "/v1/live/vosk", &[]).unwrap();
    let mut ask = |message: Value| -> Value {
        socket.send(Message::text(message.to_string())).unwrap();
        loop {
            match socket.read().unwrap() {
                Message::Text(json) => return serde_json::from_str(&json).unwrap(),
                Message::Close(_) => panic!("closed"),
                _ => {}
            }
        }
    };
    assert_eq!(ask(json!({"partial": ""})), json!({"partial": ""}));
    assert_eq!(ask(json!({"partial": "we met an"})), json!({"partial": "We met an"}));
    assert_eq!(ask(json!({"partial": "we met angela"})), json!({"partial": "We met Angela"}));
    assert_eq!(ask(json!({"text": "we met angela merkel"})), json!({"text": "We met Angela Merkel"}));
    let word =
        |word: &str, start: f64| json!({"word": word, "start": start, "end": start + 0.5, "conf": 0.75});
    let result = json!({"result": [word("in", 1.0), word("lisbon", 1.5)], "text": "in lisbon", "spk": [0.1], "spk_frames": 3});
    assert_eq!(ask(result), json!({"result": [word("in", 1.0), word("Lisbon", 1.5)], "text": "in Lisbon"}));
    assert_eq!(ask(json!({"text": ""})), json!({"text": ""}));
    assert!(
        ask(json!({"alternatives": []}))["detail"].as_str().unwrap().starts_with("the message has no config")
    );
    assert_eq!(ask(json!({"result": [{"word": 1}]}))["field"], "result[0].word");
    assert_eq!(ask(json!({"config": {"max_alternatives": 3}}))["field"], "config.max_alternatives");
    assert_eq!(ask(json!({"eof": 1})), json!({"text": ""}));
    assert!(matches!(socket.read(), Ok(Message::Close(Some(frame))) if u16::from(frame.code) == 1000));
}

#[test]
fn an_utterance_ends_a_sentence() {
    let server = server();
    let say = |id: &str, text: &str, is_final| {
        let words: Vec<&str> = text.split(' ').collect();
        json!({"type": "Words", "id": id, "words": words, "is_final": is_final})
    };
    let (asked, answered) = ("did you see lisbon", "yes it was nice");
    for (query, is_final) in
        [("?marks=auto", true), ("?marks=auto", false), ("?marks=auto&max_delay=50", false)]
    {
        let mut client = LiveClient::begin(&server, query);
        for (id, text) in [("a", asked), ("b", answered)] {
            client.send(&say(id, text, is_final));
            match is_final || query.contains("max_delay") {
                true => _ = client.read_to("Results"),
                false => client.finalize(),
            }
        }
        let of = |at: usize| client.finals[at]["transcript"].as_str().unwrap();
        assert_eq!([of(0), of(1)], ["Did you see Lisbon? ", "Yes, it was nice. "], "{query} {is_final}");
        assert_eq!(client.finals[0]["speech_final"], true);
        client.close();
    }
    // What is shown of the next utterance is no part of the one before.
    let mut client = LiveClient::begin(&server, "?marks=auto&interim=true");
    client.send(&say("a", asked, true));
    client.send(&say("b", answered, false));
    while !client.read_to("Results")["transcript"].as_str().unwrap().starts_with("Yes, it was nice") {}
    client.close();
    // Without punctuation the text goes on.
    let mut client = LiveClient::begin(&server, "");
    client.text("so we went to the ");
    client.finalize();
    client.text("city and left");
    assert_eq!(client.close(), "So we went to the city and left");
}

#[test]
fn a_result_of_vosk_ends_a_sentence() {
    let server = server();
    let mut socket = connect(&server, "/v1/live/vosk?marks=auto", &[]).unwrap();
    for (text, restored) in
        [("did you see lisbon", "Did you see Lisbon?"), ("yes it was nice", "Yes, it was nice.")]
    {
        socket.send(Message::text(json!({"text": text}).to_string())).unwrap();
        let answer: Value = serde_json::from_str(&socket.read().unwrap().into_text().unwrap()).unwrap();
        assert_eq!(answer, json!({"text": restored}));
    }
}

#[test]
fn a_vosk_configuration_comes_first_and_audio_is_refused() {
    let server = server();
    let mut socket = connect(&server, "/v1/live/vosk", &[]).unwrap();
    let config = json!({"config": {"sample_rate": 16000, "words": true, "phrase_list": ["a"], "lang": "pt", "marks": "."}});
    socket.send(Message::text(config.to_string())).unwrap();
    socket.send(Message::binary(vec![0; 8000])).unwrap();
    let read = |socket: &mut tungstenite::WebSocket<_>| -> Value {
        serde_json::from_str(&socket.read().unwrap().into_text().unwrap()).unwrap()
    };
    let error = read(&mut socket);
    assert!(error["detail"].as_str().unwrap().contains("this service recognises no speech"), "{error}");
    socket.send(Message::text(r#"{"text":"ele vivia em lisboa"}"#)).unwrap();
    assert!(read(&mut socket)["text"].as_str().unwrap().starts_with("Ele vivia em Lisboa"));
}

/// Any message of a client, right or wrong.
fn any_message() -> impl Strategy<Value = String> {
    let word = prop_oneof!["[a-z]{1,6}", Just("lisbon".to_owned()), "[a-zé<>(). \\n]{0,6}"];
    let words = proptest::collection::vec(word.clone(), 0..4);
    prop_oneof![
        4 => word.prop_map(|text| json!({"type": "Text", "text": text}).to_string()),
        4 => (proptest::option::of(0..4), words, any::<bool>()).prop_map(|(id, words, is_final)| {
            let id = id.map(|id: i32| format!("u{id}"));
            json!({"type": "Words", "id": id, "words": words, "is_final": is_final}).to_string()
        }),
        1 => Just(json!({"type": "Finalize"}).to_string()),
        1 => Just(json!({"type": "KeepAlive"}).to_string()),
        1 => Just(json!({"type": "Configure", "interim": true}).to_string()),
        1 => "\\PC{0,12}",
        1 => Just("{\"type\":\"Words\",\"words\":[{}]}".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_messages_leave_a_session_whole(
        messages in proptest::collection::vec(any_message(), 1..24),
        interim: bool,
    ) {
        static SERVER: OnceLock<Server> = OnceLock::new();
        let server = SERVER.get_or_init(server);
        let mut client = LiveClient::begin(server, &format!("?interim={interim}&look_ahead=1"));
        messages.into_iter().for_each(|message| client.socket.send(Message::text(message)).unwrap());
        client.finalize();
        // Checks the numbers of the results, and their counts.
        client.close();
    }
}
