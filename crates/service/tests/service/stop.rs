//! The end of the service.

use std::io::Write;
use std::net::TcpStream;
use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use majuscule_service::ServiceOptions;
use serde_json::json;

use crate::client::{HttpAnswer, Server, request};
use crate::trial::{self, SLOW};

fn options() -> ServiceOptions {
    ServiceOptions { threads: NonZeroUsize::MIN, ..ServiceOptions::default() }
}

#[test]
fn accepted_requests_are_answered_before_the_end() {
    let mut server = Server::with(trial::methods(), options());
    let body = br#"{"text":"slow slow"}"#;
    let streams: Vec<TcpStream> = (0..5)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(&request("/v1/restore", "Content-Type: application/json\r\n", body)).unwrap();
            stream
        })
        .collect();
    thread::sleep(SLOW);
    server.stop();
    for stream in streams {
        let answer = HttpAnswer::read(stream);
        assert_eq!((answer.status, answer.json()["text"].as_str()), (200, Some("Slow Slow")));
    }
    let address = server.address;
    assert!(server.end());
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn requests_sent_just_before_the_end_are_answered() {
    let mut server = Server::new(ServiceOptions { queue: 200, ..options() });
    let body = br#"{"text":"in lisbon","preset":"fast"}"#;
    let streams: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(&request("/v1/restore", "Content-Type: application/json\r\n", body)).unwrap();
            stream
        })
        .collect();
    server.stop();
    for stream in streams {
        assert_eq!(HttpAnswer::read(stream).status, 200);
    }
    assert!(server.end());
}

#[test]
fn idle_connections_do_not_delay_the_end() {
    let server = Server::new(options());
    let _idle: Vec<TcpStream> = (0..10).map(|_| server.connect()).collect();
    thread::sleep(SLOW);
    let begun = Instant::now();
    assert!(server.end());
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn what_does_not_end_in_time_is_cut_off() {
    let server = Server::with(trial::methods(), ServiceOptions { grace: 2 * SLOW, ..options() });
    let mut half = server.connect();
    half.write_all(b"POST /v1/restore HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc").unwrap();
    let mut long = server.connect();
    let body = json!({ "texts": vec!["slow"; 1000] }).to_string();
    long.write_all(&request("/v1/restore", "Content-Type: application/json\r\n", body.as_bytes())).unwrap();
    thread::sleep(SLOW);
    let begun = Instant::now();
    assert!(!server.end());
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(HttpAnswer::read(half).status, 0);
}
