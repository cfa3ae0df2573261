//! The verb `serve` from outside: it starts, restores, and stops at a signal.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

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
    address_of(serve(&[&["--listen", "127.0.0.1:0"], arguments].concat()))
}

/// Returns the address of a service and the rest of its messages.
fn address_of(mut program: Program) -> (Program, String, BufReader<ChildStderr>) {
    let mut messages = BufReader::new(program.0.stderr.take().unwrap());
    let mut line = String::new();
    messages.read_line(&mut line).unwrap();
    let address = line.strip_prefix("majuscule: http://").and_then(|rest| rest.split('/').next());
    (program, address.unwrap_or_else(|| panic!("{line}")).to_owned(), messages)
}

fn restored(address: &str, headers: &str) -> String {
    asked(address, headers, r#"{"text":"in lisbon","lang":"en"}"#)
}

fn asked(address: &str, headers: &str, body: &str) -> String {
    asked_as("localhost", address, headers, body)
}

fn asked_as(host: &str, address: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = "Connection: close\r\nContent-Type: application/json";
    write!(
        stream,
        "POST /v1/restore HTTP/1.1\r\nHost: {host}\r\n{head}\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .unwrap();
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
        let entry: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
        let found = [&entry["method"], &entry["route"], &entry["status"]];
        assert_eq!(found, [&json!("POST"), &json!("/v1/restore"), &json!(200)]);
        assert!(entry["ms"].as_f64().unwrap() > 0.0 && entry["error"].is_null() && !log.contains("lisbon"));
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
    assert!(code == Some(1) && messages.contains("--token expects the token alone"), "{messages}");
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

#[test]
fn a_named_model_is_loaded_again_at_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine");
    let source = |name: &str| format!("{}/../../lm/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::copy(source("en.fast"), &path).unwrap();
    let argument = format!("mine={}", path.display());
    let (program, address, mut messages) = started(&["--model", &argument]);
    let ask = || asked(&address, "", r#"{"text":"in lisbon","model":"mine"}"#);
    assert!(ask().contains(r#""model":"mine""#) && ask().contains(r#""text":"In Lisbon""#));
    let mut reload = |model: &[u8]| {
        fs::write(folder.path().join("beside"), model).unwrap();
        fs::rename(folder.path().join("beside"), &path).unwrap();
        Command::new("kill").args(["-HUP", &program.0.id().to_string()]).status().unwrap();
        let mut line = String::new();
        messages.read_line(&mut line).unwrap();
        line
    };
    let line = reload(b"broken");
    assert!(
        line.starts_with("majuscule: a model was not reloaded and stays as it was: ")
            && line.contains("mine"),
        "{line}"
    );
    assert!(ask().contains(r#""text":"In Lisbon""#));
    assert_eq!(reload(&fs::read(source("en.accurate")).unwrap()), "majuscule: the models were reloaded\n");
    assert!(ask().contains(r#""text":"In Lisbon""#));
    for (argument, problem) in
        [("mine", "such as news=models/news"), ("a b=x", "is not a valid name for a model")]
    {
        let (code, messages) = refused(&["--model", argument]);
        assert!(code == Some(2) && messages.contains(problem), "{messages}");
    }
    assert_eq!(refused(&["--model", "mine=/no/such/model"]).0, Some(1));
}

#[test]
fn another_name_of_the_host_is_answered_if_it_is_allowed() {
    let body = r#"{"text":"in lisbon","lang":"en"}"#;
    for (arguments, status) in [(&[][..], "403"), (&["--allow-host", "case.example"], "200")] {
        let (_program, address, _) = started(arguments);
        let answer = asked_as("case.example", &address, "", body);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
    }
    let (code, messages) = refused(&["--allow-host", "https://case.example"]);
    assert!(code == Some(2) && messages.contains("the name of a host alone"), "{messages}");
}

#[test]
fn an_answer_names_no_folder_of_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("en.ngram");
    fs::write(&broken, b"broken").unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_majuscule"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("MAJUSCULE_MODELS", folder.path())
        .stderr(Stdio::piped())
        .spawn();
    let (_program, address, mut messages) = address_of(Program(child.unwrap()));
    let shown = folder.path().to_str().unwrap();
    for (body, status) in
        [(r#"{"text":"a","preset":"ngram"}"#, "500"), (r#"{"text":"a","preset":"ngram","lang":"es"}"#, "400")]
    {
        let answer = asked(&address, "", body);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")) && !answer.contains(shown), "{answer}");
        assert!(!answer.contains("target") && !answer.contains("share/majuscule"), "{answer}");
    }
    let mut line = String::new();
    messages.read_line(&mut line).unwrap();
    assert!(line.contains(r#""route":"/v1/restore","status":500"#) && line.contains(shown), "{line}");
}
