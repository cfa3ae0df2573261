//! The worker of a session, which reads the messages of a client, restores their text and writes the answers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::extract::ws::{Utf8Bytes, close_code};
use majuscule::{Interrupt, Result, caught};

use super::messages::{ClientMessage, LiveInput, LiveRequest, ServerMessage};
use super::session::{LiveSession, SessionAnswer};
use super::vosk;
use crate::problem::ApiError;
use crate::request::ChosenRestorer;
use crate::state::Service;

/// The largest number of bytes of a message that is restored without the queue, in some milliseconds at most.
const INLINE: usize = 512;

/// The largest number of wrong messages of a connection.
const MOST_WRONG: usize = 100;

/// The messages of a client and the answers to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The messages of this service.
    Own,
    /// The messages of a vosk server.
    Vosk,
}

/// A live session and the service that runs its work.
pub struct LiveWorker {
    service: Arc<Service>,
    dialect: Dialect,
    /// The session, which a thread of the queue shares while it computes.
    session: Arc<Mutex<LiveSession>>,
    wrong: usize,
}

/// The answer to a message.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The messages to send, in JSON.
    pub messages: Vec<Utf8Bytes>,
    /// The reason why the session ends after them.
    pub end: Option<End>,
}

/// The end of a session: the close code of a WebSocket, and the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End(pub u16, pub &'static str);

/// The end of a session whose text is complete.
const FINISHED: End = End(close_code::NORMAL, "the text has ended");

impl LiveWorker {
    /// Starts a session.
    ///
    /// # Errors
    /// Fails if there is no model or no memory for the session.
    pub async fn start(
        service: Arc<Service>,
        request: LiveRequest,
        dialect: Dialect,
    ) -> Result<Self, ApiError> {
        let chosen = choose(&service, &request).await?;
        let mut session = LiveSession::start(chosen, request.delivery, service.live.memory())?;
        session.hold(0)?;
        Ok(Self { service, dialect, session: Arc::new(Mutex::new(session)), wrong: 0 })
    }

    /// Calls `look` with the session.
    pub fn with<T>(&self, look: impl FnOnce(&mut LiveSession) -> T) -> T {
        // A session in which work panicked is not used any more.
        look(&mut self.session.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the messages with which the session begins.
    pub fn begin(&self) -> Outcome {
        if self.dialect == Dialect::Vosk {
            return Outcome::default();
        }
        Outcome::default().and(&ServerMessage::Begin(self.with(|session| session.begin())))
    }

    /// Reads a message and answers it.
    pub async fn receive(&mut self, json: &str) -> Outcome {
        if let Err(error) = self.with(|session| session.count(json.len())) {
            return Outcome::failed(&error);
        }
        if self.dialect == Dialect::Vosk {
            return vosk::receive(self, json).await;
        }
        let now = Instant::now();
        match ClientMessage::read(json) {
            Err(error) => self.refuse(&error),
            Ok(ClientMessage::Configure(request)) => match self.configure(*request).await {
                Ok(()) => self.begin(),
                Err(outcome) => outcome,
            },
            Ok(ClientMessage::KeepAlive) => Outcome::default(),
            Ok(ClientMessage::Input(input)) => {
                let done = self.work(json.len(), move |session| session.take(input, now)).await;
                self.answered(done)
            }
        }
    }

    /// Restores words that have waited for too long.
    pub async fn stop_waiting(&mut self) -> Outcome {
        let now = Instant::now();
        let done = self.work(0, move |session| session.stop_waiting(now).map(Ok)).await;
        self.answered(done)
    }

    /// Answers the text received so far, because the client is idle for too long or the service stops.
    pub async fn end(&mut self) -> Outcome {
        let outcome = self.finish().await;
        match self.dialect {
            Dialect::Own => outcome,
            // No text waits, because each result is restored when it arrives.
            Dialect::Vosk => Outcome { messages: Vec::new(), ..outcome },
        }
    }

    /// Ends the text.
    pub async fn finish(&mut self) -> Outcome {
        let now = Instant::now();
        let done = self.work(0, move |session| session.take(LiveInput::CloseStream, now)).await;
        self.answered(done)
    }

    /// Answers an invalid message. The session continues, unless there are too many such messages.
    pub fn refuse(&mut self, error: &ApiError) -> Outcome {
        self.wrong += 1;
        let has_many = self.wrong >= MOST_WRONG;
        let end = has_many.then_some(End(close_code::POLICY, "too many messages were invalid"));
        Outcome { end, ..Outcome::default().and(&ServerMessage::error(error)) }
    }

    /// Counts words in final results.
    pub fn count_words(&self, words: usize) {
        self.service.live.count_words(words as u64);
    }

    /// Starts again with other options, before any text.
    ///
    /// # Errors
    /// Returns the answer to options that are wrong or come too late.
    pub async fn configure(&mut self, request: LiveRequest) -> Result<(), Outcome> {
        let chosen = match choose(&self.service, &request).await {
            Ok(chosen) => chosen,
            Err(error) if error.status().is_client_error() => return Err(self.refuse(&error)),
            Err(error) => return Err(Outcome::failed(&error)),
        };
        let done = self.work(0, move |session| session.configure(chosen, request.delivery)).await;
        done.map_err(|error| Outcome::failed(&error))?.map_err(|error| self.refuse(&error))
    }

    /// Runs work on the session: at once if the work is short, or else in the queue.
    ///
    /// # Errors
    /// Fails if the work fails or takes too long; the session cannot go on then.
    pub async fn work<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&mut LiveSession) -> Result<T> + Send + 'static,
    ) -> Result<T, ApiError> {
        if bytes <= INLINE && self.with(|session| session.is_light()) {
            return Ok(caught(|| self.with(work))?);
        }
        let session = Arc::clone(&self.session);
        let work = move |_| Ok(work(&mut session.lock().unwrap_or_else(PoisonError::into_inner))?);
        self.service.queue.run_patiently(work).await
    }

    fn answered(&mut self, done: Result<Result<SessionAnswer, ApiError>, ApiError>) -> Outcome {
        let SessionAnswer { results, termination } = match done {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return self.refuse(&error),
            Err(error) => return Outcome::failed(&error),
        };
        let mut outcome = Outcome::default();
        for results in results {
            if results.is_final {
                self.count_words(results.words.len());
            }
            outcome = outcome.and(&ServerMessage::Results(results));
        }
        match termination {
            Some(end) => Outcome { end: Some(FINISHED), ..outcome.and(&ServerMessage::Termination(end)) },
            None => outcome,
        }
    }
}

impl Outcome {
    /// Adds a message.
    pub fn and(mut self, message: &ServerMessage) -> Self {
        match serde_json::to_string(message) {
            Ok(json) => {
                self.messages.push(json.into());
                self
            }
            Err(error) => Self::failed(&ApiError::bug(&error.to_string())),
        }
    }

    /// Returns the outcome of an error after which the session cannot go on.
    pub fn failed(error: &ApiError) -> Self {
        let end = match error.status().as_u16() {
            429 | 503 => End(close_code::AGAIN, "the service is overloaded"),
            400..=499 => End(close_code::POLICY, "the session cannot go on"),
            _ => End(close_code::ERROR, "a bug of the service"),
        };
        let json = serde_json::to_string(&ServerMessage::error(error)).unwrap_or_default();
        Self { messages: vec![json.into()], end: Some(end) }
    }
}

/// Chooses the model of a session.
async fn choose(service: &Service, request: &LiveRequest) -> Result<ChosenRestorer, ApiError> {
    let (pool, request) = (Arc::clone(&service.pool), request.restore.clone());
    // This flag is never set: work on live text is short, and a session outlives the flag of any work.
    service.queue.run_patiently(move |_| Ok(request.choose(&pool, "", Interrupt::default())?)).await
}
