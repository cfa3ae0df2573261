//! `POST /v1/live`: messages as lines of JSON in, results as server-sent events out.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, sleep_until, timeout};

use super::LiveLimits;
use super::messages::LiveRequest;
use super::pace::Pace;
use super::socket::{SILENCE, at};
use super::worker::{LiveWorker, Outcome};
use crate::connection::{Connection, Stopping, until};
use crate::fields::Fields;
use crate::problem::ApiError;
use crate::state::Service;

/// The number of events that may wait for a client that reads slowly.
const UNREAD: usize = 4;

/// Answers the messages of a body, as they come, with events.
pub async fn events(State(service): State<Arc<Service>>, request: Request) -> Result<Response, ApiError> {
    let (mut query, request) = Fields::of_query(request).await?;
    let live = LiveRequest::read(&mut query)?;
    query.finish()?;
    let place = service.live.admit()?;
    let connection = request.extensions().get::<Connection>().cloned();
    let limits = service.options.live.clone();
    let worker = LiveWorker::start(service, live, 0).await?;
    let (events, body) = channel(UNREAD);
    let lines =
        BodyLines { body: request.into_body(), limit: limits.message, buffer: Vec::new(), has_ended: false };
    tokio::spawn(EventWriter { worker, events, connection, limits, _place: place }.answer(lines));
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    Ok((headers, Body::new(EventBody(body))).into_response())
}

/// A session that is answered with events.
struct EventWriter {
    worker: LiveWorker,
    events: Sender<Bytes>,
    connection: Option<Connection>,
    limits: LiveLimits,
    _place: OwnedSemaphorePermit,
}

/// The client is gone, or the session has ended.
struct StreamEnded;

impl EventWriter {
    async fn answer(mut self, mut lines: BodyLines) {
        let mut connection = self.connection.clone();
        tokio::select! {
            // The events end with their sender.
            _ = self.answer_lines(&mut lines) => {}
            () = until(&mut connection, Stopping::AtOnce) => {}
        }
    }

    async fn answer_lines(&mut self, lines: &mut BodyLines) -> Result<(), StreamEnded> {
        let mut pace = Pace::new(self.limits.rate);
        let mut spoken = Instant::now();
        self.send(self.worker.begin(false)).await?;
        loop {
            let due = self.worker.with(|session| session.due()).map(Instant::from_std);
            let mut connection = self.connection.clone();
            let quiet = Instant::now() + self.limits.ping;
            let line = tokio::select! {
                biased;
                () = until(&mut connection, Stopping::Gently) => return self.stop(lines).await,
                () = self.events.closed() => return Err(StreamEnded),
                () = at(due) => {
                    let outcome = self.worker.stop_waiting().await;
                    self.send(outcome).await?;
                    continue;
                }
                line = lines.next() => line,
                () = sleep_until(spoken + self.limits.idle) => None,
                () = sleep_until(quiet) => {
                    // A comment, by which proxies see that the connection is in use.
                    self.put(Bytes::from_static(b":\n\n")).await?;
                    continue;
                }
            };
            spoken = Instant::now();
            pace.wait().await;
            match line {
                Some(Ok(line)) => self.take(&line).await?,
                Some(Err(error)) => return self.send(Outcome::failed(&error)).await,
                None => break,
            }
        }
        let outcome = self.worker.finish().await;
        self.send(outcome).await
    }

    /// Answers all that has arrived, and ends the session.
    async fn stop(&mut self, lines: &mut BodyLines) -> Result<(), StreamEnded> {
        while let Ok(Some(Ok(line))) = timeout(SILENCE, lines.next()).await {
            self.take(&line).await?;
        }
        let outcome = self.worker.finish().await;
        self.send(outcome).await
    }

    async fn take(&mut self, line: &[u8]) -> Result<(), StreamEnded> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let outcome = match str::from_utf8(line) {
            Ok(json) => self.worker.receive(json).await,
            Err(_) => self.worker.refuse(&ApiError::bad("the line is not UTF-8: send JSON in UTF-8")),
        };
        self.send(outcome).await
    }

    async fn send(&mut self, outcome: Outcome) -> Result<(), StreamEnded> {
        for message in outcome.messages {
            self.put(format!("event: {}\ndata: {}\n\n", message.kind, message.json).into()).await?;
        }
        if outcome.end.is_some() { Err(StreamEnded) } else { Ok(()) }
    }

    async fn put(&mut self, event: Bytes) -> Result<(), StreamEnded> {
        match timeout(self.limits.write, self.events.send(event)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(StreamEnded),
        }
    }
}

/// The lines of a body, as they come.
struct BodyLines {
    body: Body,
    /// The largest number of bytes in a line.
    limit: usize,
    buffer: Vec<u8>,
    has_ended: bool,
}

impl BodyLines {
    /// Returns the next line; `None` at the end. A line that does not come in time is not lost.
    async fn next(&mut self) -> Option<Result<Vec<u8>, ApiError>> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.buffer.iter().skip(searched).position(|&b| b == b'\n') {
                let rest = self.buffer.split_off(searched + end + 1);
                return Some(within(self.limit, std::mem::replace(&mut self.buffer, rest)));
            }
            searched = self.buffer.len();
            if searched > self.limit {
                return Some(within(self.limit, std::mem::take(&mut self.buffer)));
            }
            if self.has_ended {
                let last = std::mem::take(&mut self.buffer);
                return (!last.is_empty()).then_some(Ok(last));
            }
            match poll_fn(|context| Pin::new(&mut self.body).poll_frame(context)).await {
                Some(Ok(frame)) => self.buffer.extend(frame.into_data().unwrap_or_default()),
                Some(Err(_)) => return Some(Err(ApiError::bad("the body is cut off: send its end"))),
                None => self.has_ended = true,
            }
        }
    }
}

fn within(limit: usize, line: Vec<u8>) -> Result<Vec<u8>, ApiError> {
    if line.len() <= limit {
        return Ok(line);
    }
    let detail = format!("the line has more than {limit} bytes, the limit: send the text in parts");
    Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, detail).with("limit", limit))
}

/// Events as the body of an answer.
struct EventBody(Receiver<Bytes>);

impl HttpBody for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}
