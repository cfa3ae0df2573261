//! The words of a recogniser, in JSON.

use serde_json::Value;

use crate::answer::Times;
use crate::fields::Fields;
use crate::problem::ApiError;

/// A word and its times.
pub type TimedWord = (String, Times);

/// Reads the field `words` of an object: strings, or objects with `word`, `start`, `end` and
/// `confidence`.
pub fn read_words(words: Vec<Value>, fields: &Fields) -> Result<Vec<TimedWord>, ApiError> {
    let read = |(at, value)| match value {
        Value::String(word) => Ok((word, [None, None])),
        Value::Object(_) => {
            let mut word = Fields::of(value, format!("words[{at}]."))?;
            let text = word.text("word")?;
            let times = [word.time("start")?, word.time("end")?];
            // A recogniser's confidence refers to the word and not to its case, so it is ignored.
            word.time("confidence")?;
            let text = text.ok_or_else(|| word.wrong("word", &Value::Null, "a string"))?;
            word.finish()?;
            Ok((text, times))
        }
        other => Err(fields.wrong(&format!("words[{at}]"), &other, "a string or an object")),
    };
    words.into_iter().enumerate().map(read).collect()
}
