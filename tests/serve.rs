//! The verb `serve` from outside: it starts, restores, and stops at a signal.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

/// A program that is ended with its value.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(arguments: &[&str]) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_majuscule"));
    let child = command.arg("serve").args(arguments).stderr(Stdio::piped()).spawn().unwrap();
    Program(child)
}

/// Starts the service, and returns its address and the rest of its messages.
fn started(arguments: &[&str]) -> (Program, String, BufReader<ChildStderr>) {
    let mut program = serve(&[&["--listen", "127.0.0.1:0"], arguments].concat());
    let mut messages = BufReader::new(program.0.stderr.take().unwrap());
    let mut line = String::new();
    messages.read_line(&mut line).unwrap();
    let address = line.strip_prefix("majuscule: http://").and_then(|rest| rest.split('/').next());
    (program, address.unwrap_or_else(|| panic!("{line}")).to_owned(), messages)
}

fn restored(address: &str, headers: &str) -> String {
    let body = r#"{"text":"in lisbon","lang":"en"}"#;
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = "POST /v1/restore HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json";
    write!(stream, "{head}\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Runs `serve` to its end, and returns its exit code and messages.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let mut program = serve(arguments);
    let mut messages = String::new();
    program.0.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
    (program.0.wait().unwrap().code(), messages)
}

#[test]
fn the_service_restores_and_stops_at_a_signal() {
    for signal in ["-TERM", "-INT"] {
        let (mut program, address, mut messages) = started(&["--log", "--threads", "1"]);
        assert!(restored(&address, "").contains(r#""text":"In Lisbon""#));
        let killed = Command::new("kill").args([signal, &program.0.id().to_string()]).status().unwrap();
        assert!(killed.success() && program.0.wait().unwrap().success());
        let mut log = String::new();
        messages.read_to_string(&mut log).unwrap();
        assert!(log.contains(" POST /v1/restore 200 ") && !log.contains("lisbon"), "{log}");
    }
}

#[test]
fn the_token_comes_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, "secret\n").unwrap();
    let (_program, address, _messages) = started(&["--token", file.to_str().unwrap()]);
    assert!(restored(&address, "").starts_with("HTTP/1.1 401"));
    assert!(restored(&address, "Authorization: Bearer secret\r\n").starts_with("HTTP/1.1 200"));
    fs::write(&file, "two words\n").unwrap();
    let (code, messages) = refused(&["--token", file.to_str().unwrap()]);
    assert!(code == Some(1) && messages.contains("--token expects one line"), "{messages}");
}

#[test]
fn an_address_of_other_machines_is_warned_of() {
    // An address for documents, which no machine has.
    let (code, messages) = refused(&["--listen", "203.0.113.1:1"]);
    let lines: Vec<&str> = messages.lines().collect();
    assert!(
        lines[0].contains("other machines can use the service") && lines[0].contains("--token FILE"),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("majuscule: cannot listen at 203.0.113.1:1: "), "{lines:?}");
    assert_eq!(code, Some(1));
    assert_eq!(refused(&["--listen", "localhost"]).0, Some(2));
}
