//! Errors as `application/problem+json` (RFC 9457), with the messages of the library.

use std::fmt;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use majuscule::{Error, Location, Note};
use majuscule_base::error::worded;
use serde_json::{Map, Value};

/// The content type of a problem.
const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// A request that is refused or fails.
#[derive(Debug)]
pub struct ApiError(Box<Refusal>);

#[derive(Debug)]
struct Refusal {
    status: StatusCode,
    detail: String,
    /// Members in addition to the RFC's.
    more: Map<String, Value>,
    header: Option<(HeaderName, HeaderValue)>,
    /// The part that only the operator of the service may read.
    hidden: Option<HiddenError>,
}

/// The full text of an internal error, for the log: it may name files and folders of the machine.
#[derive(Debug, Clone)]
pub struct HiddenError(pub String);

impl ApiError {
    /// Creates an error; its detail states what was found, what was expected and what to do.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let (more, detail) = (Map::new(), detail.into());
        Self(Box::new(Refusal { status, detail, more, header: None, hidden: None }))
    }

    /// Creates the error for an invalid request.
    pub fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// Creates the error for a wrong field of a JSON body or a wrong parameter of a URL.
    pub fn field(name: &str, detail: impl Into<String>) -> Self {
        Self::bad(detail).with("field", name)
    }

    /// Creates the error for more work than the service accepts at once.
    pub fn busy(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, detail).header(RETRY_AFTER, "1")
    }

    /// Creates the error for a file for which there is no room on disk.
    pub fn full(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::INSUFFICIENT_STORAGE, detail).header(RETRY_AFTER, "1")
    }

    /// Creates the error for a bug of the service itself.
    pub fn bug(message: &str) -> Self {
        Error::Bug(message.to_owned()).into()
    }

    /// Adds a member.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.more.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Returns the members of the problem, except its type.
    pub fn members(&self) -> Map<String, Value> {
        let Refusal { status, detail, more, .. } = &*self.0;
        let mut members = more.clone();
        members.insert("title".to_owned(), status.canonical_reason().unwrap_or("Error").into());
        members.insert("status".to_owned(), status.as_u16().into());
        members.insert("detail".to_owned(), detail.as_str().into());
        members
    }

    /// Adds a header.
    pub fn header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.0.header = Some((name, HeaderValue::from_static(value)));
        self
    }
}

impl std::error::Error for ApiError {}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.detail)
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let error = match error {
            // An error of a writer of this service already has its problem.
            Error::Io { verb, path, source } => match source.downcast() {
                Ok(refusal) => return refusal,
                Err(source) => Error::Io { verb, path, source },
            },
            error => error,
        };
        match &error {
            Error::NoModel { model, .. } => {
                let detail = format!("there is no model {model} here: GET /v1/models lists the models");
                return Self::bad(detail);
            }
            Error::Model { .. } | Error::Io { .. } => {
                let mut api = Self::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "a model or a file of the service cannot be used: the log of the service says why",
                );
                api.0.hidden = Some(HiddenError(error.to_string()));
                return api;
            }
            _ => {}
        }
        let status = match &error {
            Error::Usage(_) => StatusCode::BAD_REQUEST,
            Error::Input { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Error::Interrupted => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let api = Self::new(status, error.worded(field_name));
        match error {
            Error::Input { location: Location { line, column, .. }, .. } => {
                let places = [("line", line), ("column", column)];
                places.into_iter().fold(api, |api, (name, number)| match number {
                    Some(number) => api.with(name, number),
                    None => api,
                })
            }
            _ => api,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut problem = self.members();
        problem.insert("type".to_owned(), "about:blank".into());
        let body = Value::Object(problem).to_string();
        let mut response = (self.status(), [(CONTENT_TYPE, PROBLEM)], body).into_response();
        let Refusal { header, hidden, .. } = *self.0;
        if let Some((name, value)) = header {
            response.headers_mut().insert(name, value);
        }
        if let Some(hidden) = hidden {
            response.extensions_mut().insert(hidden);
        }
        response
    }
}

/// Writes the name of an option of the library as a field of this service.
pub fn field_name(name: &str) -> String {
    format!("`{}`", name.replace('-', "_"))
}

/// Phrases notes on a text with the field names of this service.
pub fn worded_notes(notes: &[Note], text: &str) -> Vec<String> {
    notes.iter().map(|note| worded(&note.worded(text, field_name), field_name)).collect()
}

/// Rewrites the router's bare errors, for an unknown path or method, as problems.
pub async fn reword(request: Request, next: Next) -> Response {
    let asked = format!("{} {}", request.method(), request.uri().path());
    let response = next.run(request).await;
    let is_bare = !response.headers().contains_key(CONTENT_TYPE);
    let detail = match response.status() {
        StatusCode::NOT_FOUND if is_bare => {
            format!("{asked}: there is no such path; POST /v1/restore restores, and GET / is a web page")
        }
        StatusCode::METHOD_NOT_ALLOWED if is_bare => {
            let allowed = response.headers().get(ALLOW).and_then(|allow| allow.to_str().ok());
            format!("{asked}: this path allows only {}", allowed.unwrap_or("another"))
        }
        _ => return response,
    };
    let (mut parts, _) = response.into_parts();
    let problem = ApiError::new(parts.status, detail).into_response();
    let (kind, body) = problem.into_parts();
    parts.headers.extend(kind.headers);
    parts.headers.remove(axum::http::header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::new(body))
}
