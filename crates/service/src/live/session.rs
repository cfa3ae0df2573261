//! A live session, which turns messages into results. It depends on no connection and no clock.

use std::collections::VecDeque;
use std::time::Instant;

use axum::http::StatusCode;
use majuscule::{Error, RestoredPart, Result, WordStream};

use super::messages::{Begin, Delivery, LiveInput, LiveResults, Termination};
use super::words::WordCursor;
use crate::fields::TimedWord;
use crate::problem::ApiError;
use crate::request::ChosenRestorer;
use crate::room::RoomShare;

/// The largest number of bytes that wait for right context; beyond it, words are restored without waiting.
const LONGEST_WAIT: usize = 64 << 10;

/// The number of bytes of final text that serve as the left context of a record that may be replaced: some eighty
/// words.
const CONTEXT: usize = 1 << 9;

/// The number of final records whose names are remembered, so that a later message cannot replace them.
const FINAL_RECORDS: usize = 256;

/// A live session. Invariant: a final result never changes, and the final transcripts together equal the output of a
/// stream of the library for the text, regardless of how the text is cut into messages.
pub struct LiveSession {
    chosen: ChosenRestorer,
    delivery: Delivery,
    /// `None` once the text has ended.
    stream: Option<WordStream>,
    cursor: WordCursor,
    /// The record that may be replaced, which is not in the stream.
    open: Option<OpenRecord>,
    /// The names of the last records that are final.
    final_ids: VecDeque<String>,
    /// The end of the text in the stream: the part without an answer, and some context before this part.
    recent: String,
    /// The number of bytes in the stream.
    pushed: u64,
    /// The unanswered messages: the end position of each in the text, and its time of arrival.
    waiting: VecDeque<(u64, Instant)>,
    /// True if the last results were not final and not empty.
    has_interim: bool,
    seq: u64,
    words: u64,
    received: u64,
    memory: RoomShare,
}

/// The smallest number of bytes that a session reserves, and the number of bytes that it reserves for each byte of a
/// message: a list of one-letter words needs the most.
const LEAST_MEMORY: u64 = 32 << 10;
const MADE_OF_BYTE: u64 = 32;

/// A record that may be replaced.
struct OpenRecord {
    id: String,
    words: Vec<TimedWord>,
    came: Instant,
}

/// The answer of a session to a message.
#[derive(Debug, Default)]
pub struct SessionAnswer {
    /// Results, the final ones first.
    pub results: Vec<LiveResults>,
    /// The end of the session.
    pub termination: Option<Termination>,
}

impl LiveSession {
    /// Starts a session, which reserves its memory in the share `memory`.
    ///
    /// # Errors
    /// Fails if the model does not support the request.
    pub fn start(chosen: ChosenRestorer, delivery: Delivery, memory: RoomShare) -> Result<Self> {
        Ok(Self {
            stream: Some(chosen.restorer.word_stream()?),
            chosen,
            delivery,
            cursor: WordCursor::default(),
            open: None,
            final_ids: VecDeque::new(),
            recent: String::new(),
            pushed: 0,
            waiting: VecDeque::new(),
            has_interim: false,
            seq: 0,
            words: 0,
            received: 0,
            memory,
        })
    }

    /// Starts again with other options.
    ///
    /// # Errors
    /// Fails once text has come.
    pub fn configure(&mut self, chosen: ChosenRestorer, delivery: Delivery) -> Result<Result<(), ApiError>> {
        if self.pushed > 0 || self.open.is_some() || self.seq > 0 {
            let detail = "text was already received: send Configure before it, or start another session";
            return Ok(Err(ApiError::new(StatusCode::CONFLICT, detail)));
        }
        let again = Self::start(chosen, delivery, self.memory.take())?;
        *self = Self { received: self.received, ..again };
        Ok(Ok(()))
    }

    /// Returns true if restoring a word takes only microseconds.
    pub fn is_light(&self) -> bool {
        self.chosen.is_light()
    }

    /// Returns the message with which a session begins.
    pub fn begin(&self) -> Begin {
        let (language, model) = (self.chosen.language.clone(), self.chosen.model.clone());
        Begin { version: env!("CARGO_PKG_VERSION"), language, model }
    }

    /// Counts a message of this many bytes, valid or not, and reserves the memory for it.
    ///
    /// # Errors
    /// Fails if other sessions hold the memory; the session cannot go on then.
    pub fn count(&mut self, bytes: usize) -> Result<(), ApiError> {
        self.received += 1;
        self.hold(bytes)
    }

    /// Reserves the memory for a message of this many bytes.
    ///
    /// # Errors
    /// Like [`Self::count`].
    pub fn hold(&mut self, bytes: usize) -> Result<(), ApiError> {
        if self.memory.grow(LEAST_MEMORY + bytes as u64 * MADE_OF_BYTE) {
            return Ok(());
        }
        Err(ApiError::busy("other live sessions use the memory for live text: try again later"))
    }

    /// Processes an input. The inner error describes an invalid input, which changes nothing.
    ///
    /// # Errors
    /// Returns the errors of the method; the session cannot go on then.
    pub fn take(&mut self, input: LiveInput, now: Instant) -> Result<Result<SessionAnswer, ApiError>> {
        let mut part = RestoredPart::default();
        let mut from_finalize = false;
        match input {
            LiveInput::Text(text) => {
                self.close_record(&mut part, now)?;
                self.push(&text, &mut part, now)?;
            }
            LiveInput::Words { id, words, is_final } => {
                if let Some(id) = id.as_ref().filter(|id| self.final_ids.contains(id)) {
                    let detail = format!(
                        "the record {id:?} is final already: send its words without `id`, or with another"
                    );
                    return Ok(Err(ApiError::new(StatusCode::CONFLICT, detail).with("field", "id")));
                }
                if self.open.as_ref().map(|open| &open.id) != id.as_ref() {
                    self.close_record(&mut part, now)?;
                }
                match id {
                    Some(id) => self.open = Some(OpenRecord { id, words, came: now }),
                    None => self.push_words(words, &mut part, now)?,
                }
                if is_final {
                    self.end_utterance(&mut part, now)?;
                }
            }
            LiveInput::Finalize => {
                self.end_utterance(&mut part, now)?;
                from_finalize = true;
            }
            LiveInput::CloseStream => {
                self.close_record(&mut part, now)?;
                let stream = self.stream.take().ok_or_else(ended)?;
                part.push(stream.finish()?);
            }
        }
        if self.pushed - self.cursor.at() > (LONGEST_WAIT + part.source.len()) as u64 {
            part.push(self.stream()?.now()?);
        }
        self.answer(part, from_finalize).map(Ok)
    }

    /// Restores the waiting words at once, without the words after them.
    ///
    /// # Errors
    /// Fails like [`Self::take`].
    pub fn stop_waiting(&mut self, now: Instant) -> Result<SessionAnswer> {
        let mut part = RestoredPart::default();
        let since = self.delivery.max_delay.and_then(|most| now.checked_sub(most));
        let closes = self.open.as_ref().is_some_and(|open| Some(open.came) <= since);
        if closes || self.open.is_none() && self.recent.trim_end_matches(' ').ends_with('\n') {
            self.end_utterance(&mut part, now)?;
        } else {
            part.push(self.stream()?.now()?);
        }
        self.waiting.clear();
        self.answer(part, false)
    }

    /// Returns the time at which waiting text must be restored; `None` if nothing waits or waiting is not limited.
    pub fn due(&self) -> Option<Instant> {
        let waiting = self.waiting.front().map(|(_, came)| *came);
        let open = self.open.as_ref().map(|open| open.came);
        waiting.into_iter().chain(open).min()?.checked_add(self.delivery.max_delay?)
    }

    /// Returns the words as they would be restored after the text so far, without making anything final.
    ///
    /// # Errors
    /// Returns the errors of the method.
    pub fn preview(&mut self, words: Vec<TimedWord>) -> Result<LiveResults> {
        let mut cursor = self.cursor.clone();
        let part = if words.is_empty() {
            self.stream()?.tail()?
        } else {
            let answered = self.recent.len().saturating_sub(self.unanswered());
            let (before, waiting) = self.recent.split_at_checked(answered).unwrap_or(("", &self.recent));
            // The stream of the session cannot go back, so the preview uses another stream.
            let mut stream = self.chosen.restorer.word_stream()?;
            stream.push(before)?;
            stream.now()?;
            let mut part = stream.push(waiting)?;
            let space = self.missing_space();
            let text = cursor.give(self.pushed + space.len() as u64, words);
            part.push(stream.push(space)?);
            part.push(stream.push(&text)?);
            part.push(stream.now()?);
            part
        };
        let words = cursor.answer(&part, &self.chosen.options);
        Ok(LiveResults { seq: self.seq, transcript: part.text, words, ..LiveResults::default() })
    }

    fn stream(&mut self) -> Result<&mut WordStream> {
        self.stream.as_mut().ok_or_else(ended)
    }

    /// Returns the number of bytes in the stream that are not answered.
    fn unanswered(&self) -> usize {
        usize::try_from(self.pushed - self.cursor.at()).unwrap_or(usize::MAX)
    }

    /// Returns the space that is missing before words, after a text that does not end with one.
    fn missing_space(&self) -> &'static str {
        if self.recent.is_empty() || self.recent.ends_with(char::is_whitespace) { "" } else { " " }
    }

    /// Passes the words of the replaceable record to the stream.
    fn close_record(&mut self, part: &mut RestoredPart, now: Instant) -> Result<()> {
        let Some(OpenRecord { id, words, .. }) = self.open.take() else { return Ok(()) };
        self.final_ids.push_back(id);
        if self.final_ids.len() > FINAL_RECORDS {
            self.final_ids.pop_front();
        }
        self.push_words(words, part, now)
    }

    /// Ends an utterance, and with it the record that could be replaced.
    fn end_utterance(&mut self, part: &mut RestoredPart, now: Instant) -> Result<()> {
        self.close_record(part, now)?;
        part.push(self.stream()?.end_utterance()?);
        if !self.chosen.options.marks.is_empty() {
            // The next utterance has no left context; the last character shows whether a space is missing.
            let last = self.recent.char_indices().next_back();
            self.recent.drain(..last.map_or(0, |(at, _)| at));
        }
        Ok(())
    }

    fn push_words(&mut self, words: Vec<TimedWord>, part: &mut RestoredPart, now: Instant) -> Result<()> {
        let space = self.missing_space();
        let text = self.cursor.give(self.pushed + space.len() as u64, words);
        self.push(space, part, now)?;
        self.push(&text, part, now)
    }

    fn push(&mut self, text: &str, part: &mut RestoredPart, now: Instant) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.recent.push_str(text);
        self.pushed += text.len() as u64;
        self.waiting.push_back((self.pushed, now));
        part.push(self.stream()?.push(text)?);
        Ok(())
    }

    /// Answers with a final part and, if the client asks for them, with results that are not final.
    fn answer(&mut self, part: RestoredPart, from_finalize: bool) -> Result<SessionAnswer> {
        let mut answer = SessionAnswer::default();
        if !part.source.is_empty() || from_finalize {
            let words = self.cursor.answer(&part, &self.chosen.options);
            self.seq += 1;
            self.words += words.len() as u64;
            let speech_final = words.last().is_some_and(|word| word.ends_sentence());
            let (seq, transcript) = (self.seq, part.text);
            let results = LiveResults { seq, is_final: true, transcript, words, from_finalize, speech_final };
            answer.results.push(results);
            self.forget();
        }
        let Self { seq, words, received, .. } = *self;
        answer.termination = self.stream.is_none().then_some(Termination { seq, words, received });
        if answer.termination.is_none() && self.delivery.interim {
            let open = self.open.as_ref().map(|open| open.words.clone());
            let interim = self.preview(open.unwrap_or_default())?;
            let is_shown = std::mem::replace(&mut self.has_interim, !interim.transcript.is_empty());
            // Empty results replace the text that was shown.
            if self.has_interim || is_shown {
                answer.results.push(interim);
            }
        }
        Ok(answer)
    }

    /// Forgets the answered text, except for some context.
    fn forget(&mut self) {
        let at = self.cursor.at();
        while self.waiting.pop_front_if(|(end, _)| *end <= at).is_some() {}
        let answered = self.recent.len().saturating_sub(self.unanswered());
        // This is not done at each word, because it moves the remaining text.
        if answered >= 2 * CONTEXT {
            let begins =
                |at: usize| self.recent.get(..at).is_some_and(|before| before.ends_with(char::is_whitespace));
            let from = (answered - CONTEXT..answered).find(|&at| begins(at)).unwrap_or(answered);
            self.recent.drain(..from);
        }
    }
}

fn ended() -> Error {
    Error::Bug("the session has ended".to_owned())
}
