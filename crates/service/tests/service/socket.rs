//! A client of WebSockets.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::{HeaderName, HeaderValue};
use tungstenite::{HandshakeError, Message, WebSocket};

use crate::client::Server;

/// A client of live text.
pub struct LiveClient {
    pub socket: WebSocket<TcpStream>,
    /// The first message of the service.
    pub begin: Value,
    /// All final results so far.
    pub finals: Vec<Value>,
}

/// The last that a client sees.
#[derive(Debug)]
pub struct Ending {
    /// The messages since the last one that was read, without final results.
    pub messages: Vec<Value>,
    /// The close code; `None` for a connection that breaks.
    pub code: Option<u16>,
}

/// Connects a WebSocket; a refusal is its status.
pub fn connect(server: &Server, path: &str, headers: &[(&str, &str)]) -> Result<WebSocket<TcpStream>, u16> {
    let address = server.address;
    let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
    }
    match tungstenite::client(request, server.connect()) {
        Ok((socket, _)) => Ok(socket),
        Err(HandshakeError::Failure(tungstenite::Error::Http(answer))) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

impl LiveClient {
    /// Begins a session with the parameters of an address, such as `?lang=en`.
    pub fn begin(server: &Server, query: &str) -> Self {
        Self::of(connect(server, &format!("/v1/live{query}"), &[]).unwrap())
    }

    pub fn of(socket: WebSocket<TcpStream>) -> Self {
        let mut client = Self { socket, begin: Value::Null, finals: Vec::new() };
        client.begin = client.read().unwrap();
        client
    }

    /// The number of the last final results.
    pub fn seq(&self) -> u64 {
        self.finals.last().map_or(0, |results| results["seq"].as_u64().unwrap())
    }

    pub fn send(&mut self, message: &Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    pub fn text(&mut self, text: &str) {
        self.send(&json!({"type": "Text", "text": text}));
    }

    /// Reads a message; `None` once the connection is closed or broken. Final results are remembered.
    pub fn read(&mut self) -> Option<Value> {
        loop {
            match self.socket.read().ok()? {
                Message::Text(json) => {
                    let message: Value = serde_json::from_str(&json).unwrap();
                    if message["type"] == "Results" && message["is_final"] == true {
                        self.finals.push(message.clone());
                    }
                    return Some(message);
                }
                Message::Close(_) => return None,
                _ => {}
            }
        }
    }

    /// Reads messages up to one of a type.
    pub fn read_to(&mut self, kind: &str) -> Value {
        loop {
            let message = self.read().unwrap_or_else(|| panic!("no {kind}"));
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// Has all decided, and reads the results of that.
    pub fn finalize(&mut self) {
        self.send(&json!({"type": "Finalize"}));
        while self.read().unwrap()["from_finalize"] != true {}
    }

    /// Reads to the end of the connection.
    pub fn end(&mut self) -> Ending {
        let (begun, mut ending) = (Instant::now(), Ending { messages: Vec::new(), code: None });
        loop {
            assert!(begun.elapsed() < Duration::from_secs(60), "the connection does not end");
            match self.socket.read() {
                Ok(Message::Text(json)) => {
                    let message: Value = serde_json::from_str(&json).unwrap();
                    match message["is_final"] == true {
                        true => self.finals.push(message),
                        false => ending.messages.push(message),
                    }
                }
                Ok(Message::Close(frame)) => ending.code = frame.map(|frame| frame.code.into()),
                Ok(_) => {}
                Err(_) => return ending,
            }
        }
    }

    /// Ends the text, checks that the end is a good one, and returns the whole text.
    pub fn close(mut self) -> String {
        self.send(&json!({"type": "CloseStream"}));
        let ending = self.end();
        let last = ending.messages.last().unwrap();
        assert_eq!((&last["type"], ending.code), (&json!("Termination"), Some(1000)), "{ending:?}");
        assert_eq!(last["seq"], self.seq());
        assert_eq!(last["words"], self.words().len());
        self.transcript()
    }

    /// The text of all final results, whose numbers are checked.
    pub fn transcript(&self) -> String {
        let number = |(at, results): (usize, &Value)| assert_eq!(results["seq"], at as u64 + 1);
        self.finals.iter().enumerate().for_each(number);
        self.finals.iter().map(|results| results["transcript"].as_str().unwrap()).collect()
    }

    /// The words of all final results.
    pub fn words(&self) -> Vec<Value> {
        self.finals.iter().flat_map(|results| results["words"].as_array().unwrap().clone()).collect()
    }
}
