//! The messages of live text.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::answer::AnswerWord;
use crate::fields::{Fields, TimedWord, read_words};
use crate::problem::ApiError;
use crate::request::RestoreRequest;

/// The largest number of bytes in the name of a record; names are kept in memory.
const LONGEST_ID: usize = 256;

/// A message of a client.
#[derive(Debug)]
pub enum ClientMessage {
    /// The options, before any text.
    Configure(Box<LiveRequest>),
    /// The client is still there.
    KeepAlive,
    /// Input for the session.
    Input(LiveInput),
}

/// The input of a session.
#[derive(Debug)]
pub enum LiveInput {
    /// The next part of a text, which may begin and end anywhere.
    Text(String),
    /// Words of a recogniser. Words with the name of an earlier record replace that record.
    Words {
        /// The name of the record.
        id: Option<String>,
        /// The words.
        words: Vec<TimedWord>,
        /// True if the record is final, and is not sent again.
        is_final: bool,
    },
    /// All text received so far is restored at once.
    Finalize,
    /// The text has ended.
    CloseStream,
}

/// The options of a live text.
#[derive(Debug, Clone)]
pub struct LiveRequest {
    /// The options that it shares with other requests.
    pub restore: RestoreRequest,
    /// The kinds of results to send, and their longest delay.
    pub delivery: Delivery,
}

/// The choice of results for a live text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Delivery {
    /// True if results that are not final are sent too.
    pub interim: bool,
    /// The longest time for which a word waits for the words after it.
    pub max_delay: Option<Duration>,
}

impl LiveRequest {
    /// Reads the options.
    pub fn read(fields: &mut Fields) -> Result<Self, ApiError> {
        let restore = RestoreRequest::read(fields)?.into_live()?;
        let interim = fields.flag("interim")?.unwrap_or(false);
        let max_delay = fields.number("max_delay")?.map(|ms| Duration::from_millis(ms as u64));
        Ok(Self { restore, delivery: Delivery { interim, max_delay } })
    }

    /// Reads the user's own spellings, which only a message in JSON can have.
    pub fn with_spellings(self, fields: &mut Fields) -> Result<Self, ApiError> {
        Ok(Self { restore: self.restore.with_spellings(fields)?, ..self })
    }
}

impl ClientMessage {
    /// Reads a message.
    ///
    /// # Errors
    /// Fails if the input is not a message, and names the expected form.
    pub fn read(json: &str) -> Result<Self, ApiError> {
        let mut fields = Fields::of_json(json.as_bytes(), "the message")?;
        let kind = fields.text("type")?;
        let message = match kind.as_deref() {
            Some("Configure") => {
                let request = LiveRequest::read(&mut fields)?.with_spellings(&mut fields)?;
                Self::Configure(Box::new(request))
            }
            Some("Text") => {
                let text = fields.text("text")?;
                Self::Input(LiveInput::Text(fields.required("text", text, "a string")?))
            }
            Some("Words") => {
                let words = fields.list("words")?;
                let words = fields.required("words", words, "a list")?;
                Self::Input(LiveInput::Words {
                    id: read_id(&mut fields)?,
                    words: read_words(words, &fields)?,
                    is_final: fields.flag("is_final")?.unwrap_or(false),
                })
            }
            Some("Finalize") => Self::Input(LiveInput::Finalize),
            Some("CloseStream") => Self::Input(LiveInput::CloseStream),
            Some("KeepAlive") => Self::KeepAlive,
            other => {
                let found = Value::from(other);
                let expected = "one of Configure, Text, Words, Finalize, KeepAlive, CloseStream";
                return Err(fields.wrong("type", &found, expected));
            }
        };
        fields.finish()?;
        Ok(message)
    }
}

/// Reads the name of a record.
fn read_id(fields: &mut Fields) -> Result<Option<String>, ApiError> {
    let id = fields.text("id")?;
    match id.as_ref().map(String::len).filter(|len| *len > LONGEST_ID) {
        None => Ok(id),
        Some(len) => {
            let detail = format!("`id` has {len} bytes, but at most {LONGEST_ID} were expected");
            Err(ApiError::field("id", detail))
        }
    }
}

/// A message of the service.
#[derive(Debug, Serialize)]
#[serde(tag = "type")]
pub enum ServerMessage {
    /// A session begins.
    Begin(Begin),
    /// Restored text.
    Results(LiveResults),
    /// A message was wrong, or the session cannot go on.
    Error(Map<String, Value>),
    /// The session has ended.
    Termination(Termination),
}

/// The beginning of a session.
#[derive(Debug, Serialize)]
pub struct Begin {
    /// The version of the service.
    pub version: &'static str,
    /// The tag of the language.
    pub language: String,
    /// The name of the model.
    pub model: String,
}

/// Restored text.
#[derive(Debug, Default, Serialize)]
pub struct LiveResults {
    /// The number of final results so far, including these if they are final.
    pub seq: u64,
    /// True if the text is final; false for a preview of the text that follows the final text.
    pub is_final: bool,
    /// The text.
    pub transcript: String,
    /// The words of the text.
    pub words: Vec<AnswerWord>,
    /// True for the answer to [`LiveInput::Finalize`].
    pub from_finalize: bool,
    /// True if a sentence ends after the last word.
    pub speech_final: bool,
}

/// The end of a session.
#[derive(Debug, Serialize)]
pub struct Termination {
    /// The number of final results.
    pub seq: u64,
    /// The number of words in final results.
    pub words: u64,
    /// The number of messages that the session has received.
    pub received: u64,
}

impl ServerMessage {
    /// Returns the message for an error.
    pub fn error(error: &ApiError) -> Self {
        Self::Error(error.members())
    }
}
