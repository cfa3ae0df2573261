//! The fields of a JSON object or a form, or the parameters of a URL, which are read one by one. A field that no code
//! reads is an error.

use axum::extract::{FromRequestParts, Query, Request};
use majuscule_base::named::{NamedValue, nearest};
use majuscule_text::{OptionValue, UserOption, WrongValue};
use serde::Deserialize;
use serde_json::{Map, Number, Value};

use crate::answer::Span;
use crate::problem::ApiError;

/// The fields that are not read yet.
#[derive(Debug, Default)]
pub struct Fields {
    /// The name of the object in errors, such as `words[3].`; empty for a body.
    at: String,
    left: Map<String, Value>,
    /// True if all values came as text, including numbers and booleans.
    is_text: bool,
    /// The names of the fields that were read.
    known: Vec<String>,
}

impl Fields {
    /// Reads the fields of an object; `at` is the path to the object, and ends with a full stop.
    pub fn of(value: Value, at: String) -> Result<Self, ApiError> {
        match value {
            Value::Object(left) => Ok(Self { at, left, ..Self::default() }),
            other => {
                let (name, found) = (at.trim_end_matches('.'), kind_of(&other));
                Err(ApiError::bad(format!("{name} is {found}, but an object was expected")))
            }
        }
    }

    /// Reads the fields of a body in JSON.
    pub fn of_body(body: &[u8]) -> Result<Self, ApiError> {
        Self::of_json(body, "the body")
    }

    /// Reads the fields of an object in JSON, which errors call `name`.
    pub fn of_json(json: &[u8], name: &str) -> Result<Self, ApiError> {
        let value = serde_json::from_slice(json).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let detail = format!("{name} is not JSON: {error}");
            ApiError::bad(detail).with("line", line).with("column", column)
        })?;
        Ok(Self { at: String::new(), ..Self::of(value, format!("{name}."))? })
    }

    /// Reads the query parameters of a request.
    pub async fn of_query(request: Request) -> Result<(Self, Request), ApiError> {
        let (mut parts, body) = request.into_parts();
        let Query(pairs) = Query::<Vec<(String, String)>>::from_request_parts(&mut parts, &())
            .await
            .map_err(|_| ApiError::bad("the parameters are not UTF-8 with %-escapes: encode them"))?;
        let mut fields = Self::default();
        fields.add(pairs)?;
        Ok((fields, Request::from_parts(parts, body)))
    }

    /// Adds the fields of a body of `application/x-www-form-urlencoded`.
    pub fn add_form(&mut self, body: &[u8]) -> Result<(), ApiError> {
        self.add(form_urlencoded::parse(body).into_owned())
    }

    /// Adds fields whose values are all text.
    pub fn add(&mut self, pairs: impl IntoIterator<Item = (String, String)>) -> Result<(), ApiError> {
        self.is_text = true;
        for (name, text) in pairs {
            if self.left.insert(name.clone(), Value::String(text)).is_some() {
                return Err(ApiError::field(&name, format!("the parameter `{name}` is given twice")));
            }
        }
        Ok(())
    }

    /// Returns true if a field is given and not read yet.
    pub fn has(&self, name: &str) -> bool {
        self.left.contains_key(name)
    }

    /// Reads a field; one that is missing or null is `None`.
    pub fn value(&mut self, name: &str) -> Option<Value> {
        self.known.push(name.to_owned());
        self.left.remove(name).filter(|value| !value.is_null())
    }

    /// Converts a value that came as text to its own type, such as a number.
    fn typed(&self, value: Value) -> Value {
        let parsed = value.as_str().filter(|_| self.is_text).and_then(|text| serde_json::from_str(text).ok());
        parsed.filter(|parsed: &Value| !parsed.is_null()).unwrap_or(value)
    }

    /// Reads a field with `read`, which returns `None` for an unexpected value; errors name the `expected` kind.
    pub fn read<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        let Some(value) = self.value(name).map(|value| self.typed(value)) else { return Ok(None) };
        match read(&value) {
            Some(read) => Ok(Some(read)),
            None => Err(self.wrong(name, &value, expected)),
        }
    }

    /// Sets an option, if its field is given.
    pub fn set<S>(&mut self, option: &UserOption<S>, settings: &mut S) -> Result<(), ApiError> {
        let name = option.field();
        // A form also sends the fields that were left empty.
        let Some(value) = self.value(&name).filter(|value| *value != "") else { return Ok(()) };
        let value = if option.kind.is_text() { value } else { self.typed(value) };
        let given = OptionValue::deserialize(&value).map_err(|_| WrongValue::Unexpected);
        given.and_then(|given| (option.set)(settings, &given)).map_err(|wrong| match wrong {
            WrongValue::Unexpected => self.wrong(&name, &value, &option.expected()),
            WrongValue::Text(error) => ApiError::from(error).with("field", name),
        })
    }

    /// Reads a string.
    pub fn text(&mut self, name: &'static str) -> Result<Option<String>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(name, &other, "a string")),
        }
    }

    /// Reads a list.
    pub fn list(&mut self, name: &'static str) -> Result<Option<Vec<Value>>, ApiError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(other) => Err(self.wrong(name, &other, "a list")),
        }
    }

    /// Reads a list of strings.
    pub fn texts(&mut self, name: &'static str) -> Result<Option<Vec<String>>, ApiError> {
        let Some(list) = self.list(name)? else { return Ok(None) };
        let read = |(at, value)| match value {
            Value::String(text) => Ok(text),
            other => Err(self.wrong(&format!("{name}[{at}]"), &other, "a string")),
        };
        list.into_iter().enumerate().map(read).collect::<Result<_, _>>().map(Some)
    }

    /// Reads true or false.
    pub fn flag(&mut self, name: &'static str) -> Result<Option<bool>, ApiError> {
        self.read(name, "true or false", Value::as_bool)
    }

    /// Reads a non-negative integer.
    pub fn number(&mut self, name: &'static str) -> Result<Option<usize>, ApiError> {
        self.read(name, "a whole number from 0", |value| OptionValue::deserialize(value).ok()?.count(0).ok())
    }

    /// Reads a number without changing its notation.
    pub fn time(&mut self, name: &'static str) -> Result<Option<Number>, ApiError> {
        self.read(name, "a number", |value| value.as_number().cloned())
    }

    /// Reads one of the named values of a setting.
    pub fn named<T: NamedValue>(&mut self, name: &'static str) -> Result<Option<T>, ApiError> {
        let names: Vec<&str> = T::VALUES.iter().map(|(_, name, _)| *name).collect();
        self.read(name, &format!("one of {}", names.join(", ")), |value| T::of_name(value.as_str()?))
    }

    /// Refuses the fields that nothing has read.
    pub fn finish(self) -> Result<(), ApiError> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(unknown) => {
                let name = format!("{}{unknown}", self.at);
                let hint = match nearest(unknown, self.known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean {}{near}?", self.at),
                    None => format!("expected some of {}", self.known.join(", ")),
                };
                let detail = format!("the field {name:?} is not known here: {hint}");
                Err(ApiError::field(&name, detail))
            }
        }
    }

    /// Returns the value of a field that must be given.
    pub fn required<T>(&self, name: &str, value: Option<T>, expected: &str) -> Result<T, ApiError> {
        value.ok_or_else(|| self.wrong(name, &Value::Null, expected))
    }

    /// Returns the error for a field with an unexpected value.
    pub fn wrong(&self, name: &str, found: &Value, expected: &str) -> ApiError {
        let name = format!("{}{name}", self.at);
        ApiError::field(&name, format!("`{name}` is {}, but {expected} was expected", kind_of(found)))
    }
}

/// A word and its times.
pub type TimedWord = (String, Span);

/// Reads the field `words` of an object: strings, or objects with `word`, `start`, `end` and
/// `confidence`.
pub fn read_words(words: Vec<Value>, fields: &Fields) -> Result<Vec<TimedWord>, ApiError> {
    let read = |(at, value)| match value {
        Value::String(word) => Ok((word, Span::default())),
        Value::Object(_) => {
            let mut word = Fields::of(value, format!("words[{at}]."))?;
            let text = word.text("word")?;
            let times = Span { start: word.time("start")?, end: word.time("end")? };
            // A recogniser's confidence refers to the word and not to its case, so it is ignored.
            word.time("confidence")?;
            let text = word.required("word", text, "a string")?;
            word.finish()?;
            Ok((text, times))
        }
        other => Err(fields.wrong(&format!("words[{at}]"), &other, "a string or an object")),
    };
    words.into_iter().enumerate().map(read).collect()
}

/// Describes a value for an error message.
fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) if text.chars().count() <= 40 => format!("{text:?}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
