//! The messages of a vosk server, with the text of a recogniser instead of audio.
//!
//! Each message except a configuration has one answer, as clients of vosk expect. A partial result is answered with a
//! preview, and a final result is restored at once.

use std::time::Instant;

use axum::extract::ws::Utf8Bytes;
use majuscule::Result;
use serde_json::{Map, Value, json};

use super::messages::{LiveInput, LiveRequest};
use super::session::LiveSession;
use super::worker::{LiveWorker, Outcome};
use crate::answer::{AnswerWord, Span};
use crate::fields::{Fields, TimedWord};
use crate::problem::ApiError;

/// A message of a client.
enum VoskMessage {
    Config(Box<LiveRequest>),
    /// The result of a recogniser so far, which may still change.
    Partial(VoskUtterance),
    /// A result of the recogniser.
    Result(VoskUtterance),
    /// The end of the text.
    Eof,
}

/// Words of a recogniser.
struct VoskUtterance {
    words: Vec<TimedWord>,
    /// The JSON members of each word; `None` if the words came as one text.
    members: Option<Vec<Map<String, Value>>>,
}

/// Answers a message.
pub async fn receive(worker: &mut LiveWorker, json: &str) -> Outcome {
    let message = match VoskMessage::read(json) {
        Ok(message) => message,
        Err(error) => return worker.refuse(&error),
    };
    let done = match message {
        // A vosk server does not answer a configuration.
        VoskMessage::Config(request) => {
            return worker.configure(*request).await.err().unwrap_or_default();
        }
        VoskMessage::Eof => {
            let outcome = worker.finish().await;
            return Outcome { messages: vec![encoded(&json!({ "text": "" }))], ..outcome };
        }
        VoskMessage::Partial(VoskUtterance { words, members }) => {
            let preview = move |session: &mut LiveSession| session.preview(words);
            worker.work(json.len(), preview).await.map(|shown| {
                let names = ["partial", "partial_result"];
                answer(&shown.transcript, &shown.words, members, names)
            })
        }
        VoskMessage::Result(VoskUtterance { words, members }) => {
            let decided = worker.work(json.len(), move |session| decide(session, words)).await;
            decided.map(|(text, words)| {
                worker.count_words(words.len());
                answer(&text, &words, members, ["text", "result"])
            })
        }
    };
    match done {
        Ok(answer) => Outcome { messages: vec![encoded(&answer)], end: None },
        Err(error) => Outcome::failed(&error),
    }
}

/// Restores all words of a result at once.
fn decide(session: &mut LiveSession, words: Vec<TimedWord>) -> Result<(String, Vec<AnswerWord>)> {
    let now = Instant::now();
    let said = LiveInput::Words { id: None, words, is_final: true };
    let (mut text, mut all) = (String::new(), Vec::new());
    for input in [said, LiveInput::Finalize] {
        // Words without a name are never refused.
        let Ok(answer) = session.take(input, now)? else { continue };
        for results in answer.results.into_iter().filter(|results| results.is_final) {
            text.push_str(&results.transcript);
            all.extend(results.words);
        }
    }
    Ok((text, all))
}

/// Writes an answer: the text and, if the client sent a list of words, each restored word with the other JSON members
/// that the client sent with it.
fn answer(
    text: &str,
    words: &[AnswerWord],
    members: Option<Vec<Map<String, Value>>>,
    [text_name, words_name]: [&str; 2],
) -> Value {
    let mut answer = Map::new();
    if let Some(mut members) = members.filter(|members| !members.is_empty()) {
        for (member, word) in members.iter_mut().zip(words) {
            member.insert("word".to_owned(), word.punctuated_word().into());
        }
        answer.insert(words_name.to_owned(), members.into_iter().map(Value::Object).collect());
    }
    answer.insert(text_name.to_owned(), text.trim().into());
    Value::Object(answer)
}

fn encoded(value: &Value) -> Utf8Bytes {
    value.to_string().into()
}

impl VoskMessage {
    fn read(json: &str) -> Result<Self, ApiError> {
        let mut fields = Fields::of_json(json.as_bytes(), "the message")?;
        let message = if let Some(config) = fields.value("config") {
            Self::Config(Box::new(read_config(config)?))
        } else if fields.value("eof").is_some() {
            Self::Eof
        } else if fields.has("partial") || fields.has("partial_result") {
            Self::Partial(VoskUtterance::read(&mut fields, ["partial", "partial_result"])?)
        } else if fields.has("text") || fields.has("result") {
            // The speaker vector, which some recognisers send.
            fields.list("spk")?;
            fields.number("spk_frames")?;
            Self::Result(VoskUtterance::read(&mut fields, ["text", "result"])?)
        } else {
            let detail = "the message has no config, partial, text, result or eof: send one of them";
            return Err(ApiError::bad(detail));
        };
        fields.finish()?;
        Ok(message)
    }
}

/// Reads a configuration. Fields for audio are accepted and ignored, because clients send them.
fn read_config(config: Value) -> Result<LiveRequest, ApiError> {
    let mut fields = Fields::of(config, "config.".to_owned())?;
    fields.time("sample_rate")?;
    fields.flag("words")?;
    fields.list("phrase_list")?;
    if fields.number("max_alternatives")?.is_some_and(|most| most > 0) {
        let detail = "`config.max_alternatives` is not 0, but there is only one alternative: leave it out";
        return Err(ApiError::field("config.max_alternatives", detail));
    }
    let request = LiveRequest::read(&mut fields)?.with_spellings(&mut fields)?;
    fields.finish()?;
    Ok(request)
}

impl VoskUtterance {
    fn read(fields: &mut Fields, [text, words]: [&'static str; 2]) -> Result<Self, ApiError> {
        let text = fields.text(text)?;
        let Some(list) = fields.list(words)? else {
            let text = text.unwrap_or_default();
            let words = text.split_whitespace().map(|word| (word.to_owned(), Span::default())).collect();
            return Ok(Self { words, members: None });
        };
        let mut utterance = Self { words: Vec::new(), members: Some(Vec::new()) };
        for (at, value) in list.into_iter().enumerate() {
            let members = value.as_object().cloned().unwrap_or_default();
            let mut fields = Fields::of(value, format!("{words}[{at}]."))?;
            let word = fields.text("word")?;
            let word = fields.required("word", word, "a string")?;
            for name in ["start", "end", "conf"] {
                fields.time(name)?;
            }
            fields.finish()?;
            utterance.words.push((word, Span::default()));
            utterance.members.get_or_insert_default().push(members);
        }
        Ok(utterance)
    }
}
