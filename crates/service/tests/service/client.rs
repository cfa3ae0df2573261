//! A service at a port of its own, and a client of plain sockets.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use majuscule::{Methods, ModelPool};
use majuscule_service::{ServiceOptions, router, serve};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// A running service, which stops with its value.
pub struct Server {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<bool>>,
}

impl Server {
    pub fn new(options: ServiceOptions) -> Self {
        Self::with(Methods::all(), options)
    }

    pub fn with(methods: Methods, options: ServiceOptions) -> Self {
        Self::over(ModelPool::new(methods), options)
    }

    pub fn over(pool: ModelPool, options: ServiceOptions) -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let router = router(Arc::new(pool), options.clone());
        let thread = thread::spawn(move || {
            let stopped = async {
                let _ = stopped.await;
            };
            let done = runtime.block_on(serve(listener, router, &options, stopped));
            runtime.shutdown_timeout(Duration::from_secs(2));
            done
        });
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    /// Tells the service to stop.
    pub fn stop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
    }

    /// Stops the service and returns true if all requests were finished.
    pub fn end(mut self) -> bool {
        self.stop();
        self.thread.take().unwrap().join().unwrap()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends bytes and reads the answer to its end.
    pub fn raw(&self, bytes: &[u8]) -> HttpAnswer {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes);
        HttpAnswer::read(stream)
    }

    pub fn get(&self, path: &str) -> HttpAnswer {
        self.raw(format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").as_bytes())
    }

    pub fn post(&self, path: &str, kind: &str, body: &[u8]) -> HttpAnswer {
        self.raw(&request(path, &format!("Content-Type: {kind}\r\n"), body))
    }

    /// Posts a form, whose values are encoded here.
    pub fn form(&self, path: &str, fields: &[(&str, &str)]) -> HttpAnswer {
        let encode = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
        let pairs: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
        self.post(path, "application/x-www-form-urlencoded", pairs.join("&").as_bytes())
    }

    /// Posts JSON to `/v1/restore`.
    pub fn restore(&self, body: &str) -> HttpAnswer {
        self.post("/v1/restore", "application/json", body.as_bytes())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A request that closes the connection.
pub fn request(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// An answer.
#[derive(Debug, Clone)]
pub struct HttpAnswer {
    pub status: u16,
    head: String,
    pub body: Vec<u8>,
}

impl HttpAnswer {
    pub fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
            return Self { status: 0, head: String::new(), body: bytes };
        };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body: bytes[end + 4..].to_vec() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Checks that this is a problem with a status, and returns its detail.
    pub fn problem(&self, status: u16) -> String {
        assert_eq!(
            (self.status, self.header("content-type")),
            (status, Some("application/problem+json")),
            "{self:?}"
        );
        let problem = self.json();
        assert_eq!(problem["status"], status);
        assert!(problem["title"].is_string() && problem["type"] == "about:blank", "{problem}");
        problem["detail"].as_str().unwrap().to_owned()
    }
}
