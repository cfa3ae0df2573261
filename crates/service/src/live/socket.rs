//! `GET /v1/live`: a WebSocket of live text.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep_until, timeout};

use super::LiveLimits;
use super::handshake::Handshake;
use super::messages::{LiveRequest, ServerMessage};
use super::pace::Pace;
use super::sessions::Seat;
use super::worker::{EncodedMessage, End, FINISHED, LiveWorker, Outcome};
use crate::connection::{Connection, Stopping, until};
use crate::fields::Fields;
use crate::problem::ApiError;
use crate::state::Service;

/// The time that a client has to close the connection after the service.
const LINGER: Duration = Duration::from_secs(2);

/// The silence after which all that a client sent before the service stopped has arrived, and the
/// longest wait for it.
pub const SILENCE: Duration = Duration::from_millis(50);
const DRAIN: Duration = Duration::from_secs(1);

/// The end of the service.
const STOPPED: End = End(close_code::AWAY, "the service stops");

/// The end of a connection whose session another one has resumed.
const TAKEN: End = End(close_code::POLICY, "another connection has resumed the session");

/// The answer to a client that closes the connection.
const CLOSED: End = End(close_code::NORMAL, "");

/// The messages of a client and their answers.
pub trait Dialect: Send {
    /// True if a client can go on with a session on another connection.
    const CAN_RESUME: bool;

    /// Answers a message.
    fn receive(&mut self, worker: &mut LiveWorker, json: &str) -> impl Future<Output = Outcome> + Send;

    /// Answers a binary message, which is audio.
    fn refuse_audio(&mut self, worker: &mut LiveWorker, error: &ApiError) -> Outcome;

    /// Answers what has come so far, as the service stops.
    fn finish(&mut self, worker: &mut LiveWorker) -> impl Future<Output = Outcome> + Send;
}

/// The messages of this service.
struct OwnDialect;

impl Dialect for OwnDialect {
    const CAN_RESUME: bool = true;

    async fn receive(&mut self, worker: &mut LiveWorker, json: &str) -> Outcome {
        worker.receive(json).await
    }

    fn refuse_audio(&mut self, worker: &mut LiveWorker, error: &ApiError) -> Outcome {
        worker.refuse(error)
    }

    async fn finish(&mut self, worker: &mut LiveWorker) -> Outcome {
        worker.finish().await
    }
}

/// Begins a session, or goes on with one.
pub async fn socket(State(service): State<Arc<Service>>, request: Request) -> Result<Response, ApiError> {
    let (mut query, request) = Fields::of_query(request).await?;
    let Handshake { upgrade, connection, place } = Handshake::read(&service, request).await?;
    if let Some(id) = query.text("session")? {
        let seq = query.number("seq")?.unwrap_or(0) as u64;
        query.finish()?;
        return Ok(upgrade.on_upgrade(async move |socket| {
            resume(socket, &service, connection, &id, seq, place).await;
        }));
    }
    let request = LiveRequest::read(&mut query)?;
    query.finish()?;
    let worker = LiveWorker::start(Arc::clone(&service), request, service.options.live.kept_results).await?;
    Ok(upgrade.on_upgrade(async move |socket| {
        let seat = service.live.seat(worker.with(|session| session.id().to_owned()), place);
        let first = worker.begin(false);
        ClientSocket::new(socket, connection, service.live.limits().clone())
            .serve(worker, seat, first, OwnDialect)
            .await;
    }))
}

/// Goes on with a session that lost its connection.
async fn resume(
    socket: WebSocket,
    service: &Arc<Service>,
    connection: Option<Connection>,
    id: &str,
    seq: u64,
    place: OwnedSemaphorePermit,
) {
    let line = ClientSocket::new(socket, connection, service.live.limits().clone());
    let (session, seat) = match service.live.resume(id, place).await {
        Ok(found) => found,
        // The page of a browser sees a refusal of the socket itself as nothing but a failure.
        Err(error) => return line.end_with(Outcome::failed(&error)).await,
    };
    let worker = LiveWorker::resume(Arc::clone(service), session);
    match worker.with(|session| session.kept_after(seq)) {
        Ok(results) => {
            let mut first = worker.begin(true);
            let again = results.into_iter().map(|json| EncodedMessage { kind: "Results", json });
            first.messages.extend(again);
            if let Some(end) = worker.with(|session| session.termination()) {
                first = Outcome { end: Some(FINISHED), ..first.and(&ServerMessage::Termination(end)) };
            }
            line.serve(worker, seat, first, OwnDialect).await;
        }
        Err(error) => {
            seat.keep(worker.into_session());
            line.end_with(Outcome::failed(&error)).await;
        }
    }
}

/// A WebSocket with a client at its other end.
pub struct ClientSocket {
    socket: WebSocket,
    connection: Option<Connection>,
    limits: LiveLimits,
}

/// The last act of a client.
enum ClientEvent {
    Text(Utf8Bytes),
    Audio,
    /// It shows that it is there.
    Sign,
    /// It closes the connection.
    Closed,
    /// The connection is lost.
    Gone,
    /// It broke the rules of WebSockets or a limit.
    Broken(End),
}

/// Why a session stops being served.
enum Leaving {
    /// It has ended.
    Ended(End),
    /// Its client may come back.
    Lost(Option<End>),
}

impl ClientSocket {
    /// Takes a WebSocket.
    pub fn new(socket: WebSocket, connection: Option<Connection>, limits: LiveLimits) -> Self {
        Self { socket, connection, limits }
    }

    /// Serves a session until it ends, its client is gone or the service stops.
    pub async fn serve<D: Dialect>(
        mut self,
        mut worker: LiveWorker,
        seat: Seat,
        first: Outcome,
        mut dialect: D,
    ) {
        let mut connection = self.connection.clone();
        let leaving = tokio::select! {
            leaving = self.converse(&mut worker, &seat, first, &mut dialect) => leaving,
            () = until(&mut connection, Stopping::AtOnce) => return,
        };
        match leaving {
            Leaving::Ended(end) => {
                let is_read = self.close(end).await;
                // A client that has not seen the end may come back for it.
                if D::CAN_RESUME && !is_read && end.0 == close_code::NORMAL {
                    seat.keep(worker.into_session());
                }
            }
            Leaving::Lost(end) => {
                if D::CAN_RESUME {
                    seat.keep(worker.into_session());
                }
                if let Some(end) = end {
                    self.close(end).await;
                }
            }
        }
    }

    /// Sends messages and closes.
    async fn end_with(mut self, outcome: Outcome) {
        let end = outcome.end.unwrap_or(STOPPED);
        let _ = self.send(outcome).await;
        self.close(end).await;
    }

    async fn converse(
        &mut self,
        worker: &mut LiveWorker,
        seat: &Seat,
        first: Outcome,
        dialect: &mut impl Dialect,
    ) -> Leaving {
        let limits = self.limits.clone();
        let mut pace = Pace::new(limits.rate);
        let (mut seen, mut spoken, mut is_asked) = (Instant::now(), Instant::now(), false);
        let mut outcome = first;
        loop {
            let sent = tokio::select! {
                sent = self.send(outcome) => sent,
                () = seat.let_go.notified() => Some(Leaving::Lost(Some(TAKEN))),
            };
            if let Some(leaving) = sent {
                return leaving;
            }
            let due = worker.with(|session| session.due()).map(Instant::from_std);
            let mut connection = self.connection.clone();
            let event = tokio::select! {
                biased;
                () = until(&mut connection, Stopping::Gently) => return self.stop(worker, dialect).await,
                () = seat.let_go.notified() => return Leaving::Lost(Some(TAKEN)),
                () = at(due) => {
                    outcome = worker.stop_waiting().await;
                    continue;
                }
                event = self.next() => event,
                () = sleep_until(seen + limits.ping) => {
                    if is_asked {
                        return Leaving::Lost(Some(End(close_code::POLICY, "no answer to a ping")));
                    }
                    (seen, is_asked) = (Instant::now(), true);
                    let ping = timeout(limits.write, self.socket.send(Message::Ping(Bytes::new()))).await;
                    if !matches!(ping, Ok(Ok(()))) {
                        return Leaving::Lost(None);
                    }
                    outcome = Outcome::default();
                    continue;
                }
                () = sleep_until(spoken + limits.idle) => {
                    let outcome = dialect.finish(worker).await;
                    let end = End(close_code::NORMAL, "no message came for too long: send KeepAlive");
                    return self.send(Outcome { end: Some(end), ..outcome }).await.unwrap_or(Leaving::Ended(end));
                }
            };
            (seen, is_asked) = (Instant::now(), false);
            outcome = match event {
                ClientEvent::Text(json) => {
                    spoken = seen;
                    pace.wait().await;
                    dialect.receive(worker, &json).await
                }
                ClientEvent::Audio => {
                    spoken = seen;
                    let detail = "a binary message, such as audio, was received, but this service recognises no speech: send a recogniser's text in JSON";
                    let error = ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail);
                    dialect.refuse_audio(worker, &error)
                }
                ClientEvent::Sign => Outcome::default(),
                ClientEvent::Closed => return Leaving::Lost(Some(CLOSED)),
                ClientEvent::Gone => return Leaving::Lost(None),
                ClientEvent::Broken(end) => return Leaving::Lost(Some(end)),
            };
        }
    }

    /// Answers all that has arrived, and ends the session.
    async fn stop(&mut self, worker: &mut LiveWorker, dialect: &mut impl Dialect) -> Leaving {
        let last = Instant::now() + DRAIN;
        while Instant::now() < last
            && let Ok(event) = timeout(SILENCE, self.next()).await
        {
            let outcome = match event {
                ClientEvent::Text(json) => dialect.receive(worker, &json).await,
                ClientEvent::Audio | ClientEvent::Sign => continue,
                ClientEvent::Closed | ClientEvent::Gone => return Leaving::Lost(None),
                ClientEvent::Broken(_) => break,
            };
            if let Some(leaving) = self.send(outcome).await {
                return leaving;
            }
        }
        let outcome = dialect.finish(worker).await;
        self.send(Outcome { end: Some(STOPPED), ..outcome }).await.unwrap_or(Leaving::Ended(STOPPED))
    }

    /// Sends messages. Returns why the session is left, if it is.
    async fn send(&mut self, outcome: Outcome) -> Option<Leaving> {
        for EncodedMessage { json, .. } in outcome.messages {
            match timeout(self.limits.write, self.socket.send(Message::Text(json))).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Some(Leaving::Lost(None)),
                Err(_) => {
                    let end = End(close_code::AGAIN, "the results were not read: resume the session");
                    return Some(Leaving::Lost(Some(end)));
                }
            }
        }
        outcome.end.map(Leaving::Ended)
    }

    async fn next(&mut self) -> ClientEvent {
        match self.socket.recv().await {
            Some(Ok(Message::Text(json))) => ClientEvent::Text(json),
            Some(Ok(Message::Binary(_))) => ClientEvent::Audio,
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => ClientEvent::Sign,
            Some(Ok(Message::Close(_))) => ClientEvent::Closed,
            None => ClientEvent::Gone,
            Some(Err(error)) => broken(error),
        }
    }

    /// Closes the connection, and waits a little for the client to close it too: with a client that is
    /// still sending, the last messages would be lost otherwise. Returns true if it did, and so has read
    /// all.
    async fn close(mut self, End(code, reason): End) -> bool {
        let frame = CloseFrame { code, reason: reason.into() };
        let closing = async {
            // Fails where the client has closed first, and is answered by the next look.
            let _ = self.socket.send(Message::Close(Some(frame))).await;
            let mut is_closed = false;
            while let Some(Ok(message)) = self.socket.recv().await {
                is_closed |= matches!(message, Message::Close(_));
            }
            is_closed
        };
        timeout(LINGER, closing).await.unwrap_or(false)
    }
}

/// Waits until a time, or for ever.
pub async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Tells an error of the client from a lost connection.
fn broken(error: axum::Error) -> ClientEvent {
    match error.into_inner().downcast_ref::<tungstenite::Error>() {
        Some(tungstenite::Error::Capacity(_)) => {
            ClientEvent::Broken(End(close_code::SIZE, "the message is too long"))
        }
        Some(tungstenite::Error::Utf8(_)) => {
            ClientEvent::Broken(End(close_code::INVALID, "the message is not UTF-8"))
        }
        Some(tungstenite::Error::Protocol(
            tungstenite::error::ProtocolError::ResetWithoutClosingHandshake,
        )) => ClientEvent::Gone,
        Some(tungstenite::Error::Protocol(_)) => {
            ClientEvent::Broken(End(close_code::PROTOCOL, "the frame is not one of a WebSocket"))
        }
        _ => ClientEvent::Gone,
    }
}
