//! A WebSocket of live text.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use axum::http::StatusCode;
use tokio::time::{Instant, sleep_until, timeout};

use super::pace::Pace;
use super::worker::{End, LiveWorker, Outcome};
use crate::connection::{Connection, Stopping, until};
use crate::options::LiveLimits;
use crate::problem::ApiError;

/// The time that a client has to close the connection after the service has closed it.
const LINGER: Duration = Duration::from_secs(2);

/// When the service stops, messages that a client has already sent are read until the client is silent for `SILENCE`,
/// but for at most `DRAIN`.
const SILENCE: Duration = Duration::from_millis(50);
const DRAIN: Duration = Duration::from_secs(1);

/// The end of a session because the service stops.
const STOPPED: End = End(close_code::AWAY, "the service stops");

/// The answer to a client that closes the connection.
const CLOSED: End = End(close_code::NORMAL, "");

/// A WebSocket with a client at its other end.
pub struct ClientSocket {
    socket: WebSocket,
    connection: Option<Connection>,
    limits: LiveLimits,
}

/// An event of a client.
enum ClientEvent {
    Text(Utf8Bytes),
    Audio,
    /// The client sends a ping or pong, which shows that it is still there.
    Sign,
    /// The client closes the connection, or breaks the WebSocket protocol or a limit; `None` if the connection is
    /// lost.
    Left(Option<End>),
}

/// The reason to leave a session: the end with which its connection is closed; `None` if the connection is lost.
struct Leaving(Option<End>);

impl ClientSocket {
    /// Accepts a WebSocket.
    pub fn new(socket: WebSocket, connection: Option<Connection>, limits: LiveLimits) -> Self {
        Self { socket, connection, limits }
    }

    /// Serves a session until it ends, its client is gone or the service stops.
    pub async fn serve(mut self, mut worker: LiveWorker) {
        let mut connection = self.connection.clone();
        let done = tokio::select! {
            done = self.converse(&mut worker) => done,
            () = until(&mut connection, Stopping::AtOnce) => return,
        };
        if let Err(Leaving(Some(end))) = done {
            self.close(end).await;
        }
    }

    async fn converse(&mut self, worker: &mut LiveWorker) -> Result<(), Leaving> {
        let limits = self.limits.clone();
        let mut pace = Pace::new(limits.rate);
        let (mut seen, mut spoken, mut is_asked) = (Instant::now(), Instant::now(), false);
        let mut outcome = worker.begin();
        loop {
            self.send(outcome).await?;
            let due = worker.with(|session| session.due()).map(Instant::from_std);
            let mut connection = self.connection.clone();
            let event = tokio::select! {
                biased;
                () = until(&mut connection, Stopping::Gently) => return self.stop(worker).await,
                () = at(due) => {
                    outcome = worker.stop_waiting().await;
                    continue;
                }
                event = self.next() => event,
                () = sleep_until(seen + limits.ping) => {
                    if is_asked {
                        return Err(Leaving(Some(End(close_code::POLICY, "no answer to a ping"))));
                    }
                    (seen, is_asked) = (Instant::now(), true);
                    let ping = timeout(limits.write, self.socket.send(Message::Ping(Bytes::new()))).await;
                    if !matches!(ping, Ok(Ok(()))) {
                        return Err(Leaving(None));
                    }
                    outcome = Outcome::default();
                    continue;
                }
                () = sleep_until(spoken + limits.idle) => {
                    let outcome = worker.end().await;
                    let end = End(close_code::NORMAL, "no message came for too long: send KeepAlive");
                    return self.send(Outcome { end: Some(end), ..outcome }).await;
                }
            };
            (seen, is_asked) = (Instant::now(), false);
            outcome = match event {
                ClientEvent::Text(json) => {
                    spoken = seen;
                    pace.wait().await;
                    worker.receive(&json).await
                }
                ClientEvent::Audio => {
                    spoken = seen;
                    let detail = "a binary message, such as audio, was received, but this service recognises no speech: send a recogniser's text in JSON";
                    let error = ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail);
                    worker.refuse(&error)
                }
                ClientEvent::Sign => Outcome::default(),
                ClientEvent::Left(end) => return Err(Leaving(end)),
            };
        }
    }

    /// Answers all messages that have arrived, and ends the session.
    async fn stop(&mut self, worker: &mut LiveWorker) -> Result<(), Leaving> {
        let last = Instant::now() + DRAIN;
        while Instant::now() < last
            && let Ok(event) = timeout(SILENCE, self.next()).await
        {
            let outcome = match event {
                ClientEvent::Text(json) => worker.receive(&json).await,
                ClientEvent::Audio | ClientEvent::Sign => continue,
                ClientEvent::Left(None | Some(CLOSED)) => return Err(Leaving(None)),
                ClientEvent::Left(_) => break,
            };
            self.send(outcome).await?;
        }
        let outcome = worker.end().await;
        self.send(Outcome { end: Some(STOPPED), ..outcome }).await
    }

    /// Sends the messages of an outcome, and fails if the session ends after them.
    async fn send(&mut self, Outcome { messages, end }: Outcome) -> Result<(), Leaving> {
        for json in messages {
            match timeout(self.limits.write, self.socket.send(Message::Text(json))).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Err(Leaving(None)),
                Err(_) => return Err(Leaving(Some(End(close_code::AGAIN, "the results were not read")))),
            }
        }
        end.map_or(Ok(()), |end| Err(Leaving(Some(end))))
    }

    async fn next(&mut self) -> ClientEvent {
        match self.socket.recv().await {
            Some(Ok(Message::Text(json))) => ClientEvent::Text(json),
            Some(Ok(Message::Binary(_))) => ClientEvent::Audio,
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => ClientEvent::Sign,
            Some(Ok(Message::Close(_))) => ClientEvent::Left(Some(CLOSED)),
            None => ClientEvent::Left(None),
            Some(Err(error)) => ClientEvent::Left(end_of(error)),
        }
    }

    /// Closes the connection, and waits a little for the client to close it too. Otherwise a client that is still
    /// sending would lose the last messages.
    async fn close(mut self, End(code, reason): End) {
        let frame = CloseFrame { code, reason: reason.into() };
        let closing = async {
            // This fails if the client has closed first; the next `recv` then answers its close frame.
            let _ = self.socket.send(Message::Close(Some(frame))).await;
            while let Some(Ok(_)) = self.socket.recv().await {}
        };
        let _ = timeout(LINGER, closing).await;
    }
}

/// Waits until a time; waits for ever if there is none.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Returns the end of a session after an error of the client; `None` if the connection is lost.
fn end_of(error: axum::Error) -> Option<End> {
    use tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;
    match error.into_inner().downcast_ref::<tungstenite::Error>()? {
        tungstenite::Error::Capacity(_) => Some(End(close_code::SIZE, "the message is too long")),
        tungstenite::Error::Utf8(_) => Some(End(close_code::INVALID, "the message is not UTF-8")),
        tungstenite::Error::Protocol(ResetWithoutClosingHandshake) => None,
        tungstenite::Error::Protocol(_) => {
            Some(End(close_code::PROTOCOL, "the frame is not one of a WebSocket"))
        }
        _ => None,
    }
}
