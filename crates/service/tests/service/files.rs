//! Files of any length.

use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use majuscule::{FileRequest, Format, Input, LanguageChoice, Methods, ModelPool, Preset};
use majuscule_convert::Conversion;
use majuscule_service::ServiceOptions;

use crate::client::{HttpAnswer, Server, request};
use crate::trial::{self, SLOW};

fn one_thread() -> ServiceOptions {
    ServiceOptions { threads: NonZeroUsize::MIN, ..ServiceOptions::default() }
}

/// A text that is long and takes little time.
fn long_text() -> Vec<u8> {
    format!("in lisbon{}\n", " ".repeat(990)).repeat(20_000).into_bytes()
}

/// A file of many times what is held in memory.
fn subtitles() -> Vec<u8> {
    let cue = |at: usize| {
        let (minute, second) = (at / 60 % 60, at % 60);
        format!(
            "{at}\n00:{minute:02}:{second:02},000 --> 00:{minute:02}:{second:02},900\nwe met in lisbon {at}\n\n"
        )
    };
    (0..1500).map(cue).collect::<String>().into_bytes()
}

#[test]
fn a_file_on_disk_comes_back_as_the_library_writes_it() {
    let server = Server::new(one_thread());
    let file = subtitles();
    let mut expected = Vec::new();
    let request = FileRequest::default().preset(Preset::Fast).language(LanguageChoice::Named("en".into()));
    let input = Input::uncompressed("talk.srt", &*file);
    ModelPool::new(Methods::all()).restore_file(input, &request, &mut expected).unwrap();
    for format in ["srt", "auto&name=talk.srt"] {
        let path = format!("/v1/restore?preset=fast&lang=en&format={format}");
        let answer = server.post(&path, "text/plain", &file);
        assert!(answer.status == 200 && answer.body == expected);
        assert_eq!(answer.header("content-length"), Some(&*expected.len().to_string()));
        assert_eq!(
            (answer.header("content-language"), answer.header("majuscule-notes")),
            (Some("en"), Some("[]"))
        );
    }
    let conversion = Conversion { from: Format::Srt, to: Format::Vtt, ..Conversion::default() };
    let mut expected = Vec::new();
    conversion.run(Input::uncompressed("talk.srt", &*file), &mut expected, "out".as_ref()).unwrap();
    let answer = server.post("/v1/convert?to=vtt", "application/x-subrip", &file);
    assert!(answer.status == 200 && answer.body == expected);
}

#[test]
fn an_error_far_in_a_file_is_a_problem() {
    let server = Server::new(one_thread());
    let lines = "{\"text\":\"we met in lisbon\"}\n".repeat(4_000);
    let answer =
        server.post("/v1/restore?format=jsonl&preset=fast", "text/plain", format!("{lines}{{").as_bytes());
    answer.problem(422);
    assert_eq!(answer.json()["line"], 4_001);
}

#[test]
fn files_share_room_on_disk() {
    let server = Server::new(ServiceOptions { spool_limit: 1 << 20, ..one_thread() });
    let text = &long_text()[..700_000];
    // The file has room, and its answer beside it has none.
    for _ in 0..3 {
        let answer = server.post("/v1/restore?preset=fast", "text/plain", text);
        assert!(answer.problem(507).contains("disk space for files"), "{answer:?}");
        assert!(answer.header("retry-after").is_some());
    }
    for _ in 0..5 {
        assert_eq!(server.post("/v1/restore?preset=fast", "text/plain", &text[..400_000]).status, 200);
    }
}

#[test]
fn an_answer_has_the_limit_of_a_file() {
    let server = Server::new(ServiceOptions { body_limit: 100_000, ..one_thread() });
    let lines = "a\n".repeat(30_000);
    let answer = server.post("/v1/convert?from=text&to=jsonl", "text/plain", lines.as_bytes());
    assert!(
        answer.problem(413).starts_with("the answer is longer than the limit of 100000 bytes"),
        "{answer:?}"
    );
}

#[test]
fn a_client_that_sends_everything_before_it_reads_gets_its_answer() {
    let server = Server::new(one_thread());
    let text = long_text();
    let mut stream = server.connect();
    stream.write_all(&request("/v1/restore?preset=fast", "", &text)).unwrap();
    let answer = HttpAnswer::read(stream);
    assert_eq!((answer.status, answer.body.len()), (200, text.len()));
    assert!(answer.body.starts_with(b"In Lisbon"));
}

#[test]
fn a_refused_upload_is_told_why_after_it_is_sent() {
    let server = Server::new(ServiceOptions { body_limit: 1000, ..one_thread() });
    let body = vec![b'a'; 20 << 20];
    for path in ["/v1/restore?preset=quick", "/v1/restore"] {
        let mut stream = server.connect();
        let _ = stream.write_all(&request(path, "", &body));
        assert!(matches!(HttpAnswer::read(stream).status, 400 | 413));
    }
}

#[test]
fn a_slow_upload_holds_no_thread() {
    let server = Server::new(one_thread());
    let mut slow = server.connect();
    let whole = request("/v1/restore", "Content-Type: text/plain\r\n", b"we met in lisbon");
    let (first, last) = whole.split_at(whole.len() - 6);
    slow.write_all(first).unwrap();
    thread::sleep(SLOW);
    assert_eq!(server.restore(r#"{"text":"a"}"#).status, 200);
    slow.write_all(last).unwrap();
    assert_eq!(HttpAnswer::read(slow).text(), "We met in Lisbon");
}

#[test]
fn a_client_that_reads_nothing_holds_no_thread_and_is_cut_off() {
    let options = ServiceOptions { timeout: Duration::from_secs(2), spool_limit: 50 << 20, ..one_thread() };
    let server = Server::new(options);
    let text = long_text();
    let mut stalled = server.connect();
    stalled.write_all(&request("/v1/restore?preset=fast", "", &text)).unwrap();
    thread::sleep(SLOW);
    assert_eq!(server.restore(r#"{"text":"a"}"#).status, 200);
    // The room on disk is free again once the connection has ended.
    let begun = Instant::now();
    while server.post("/v1/restore?preset=fast", "text/plain", &text).status != 200 {
        assert!(begun.elapsed() < Duration::from_secs(60));
        thread::sleep(SLOW);
    }
    let mut received = Vec::new();
    let _ = stalled.read_to_end(&mut received);
    assert!(received.len() < text.len(), "{}", received.len());
}

#[test]
fn a_long_file_takes_turns_with_other_requests() {
    let options = ServiceOptions { timeout: 10 * SLOW, queue: 100, ..one_thread() };
    let server = Server::with(trial::methods(), options);
    let file = format!("slow bee{}\n", " ".repeat(100_000)).repeat(15);
    thread::scope(|scope| {
        let long = scope.spawn(|| server.post("/v1/restore", "text/plain", file.as_bytes()));
        thread::sleep(SLOW);
        for _ in 0..3 {
            assert_eq!(server.restore(r#"{"text":"a"}"#).status, 200);
        }
        assert!(!long.is_finished());
        // It takes longer than an answer may, and goes on.
        let answer = long.join().unwrap();
        assert_eq!((answer.status, answer.text().matches("Slow Bee").count()), (200, 15));
    });
}
