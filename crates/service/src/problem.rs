//! Errors as `application/problem+json` (RFC 9457), in the words of the library.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use majuscule::error::worded;
use majuscule::{Error, Note, Place};
use serde_json::{Map, Value, json};

/// The content type of a problem.
const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// A request that is refused or fails.
#[derive(Debug)]
pub struct ApiError(Box<Refusal>);

#[derive(Debug)]
struct Refusal {
    status: StatusCode,
    detail: String,
    /// Members beside those of the RFC.
    more: Map<String, Value>,
    header: Option<(HeaderName, HeaderValue)>,
}

impl ApiError {
    /// An error with a detail that says what was found, what was expected and what to do.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self(Box::new(Refusal { status, detail: detail.into(), more: Map::new(), header: None }))
    }

    /// A request that is wrong by itself.
    pub fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// A wrong field of a JSON body or a wrong parameter of an address.
    pub fn field(name: &str, detail: impl Into<String>) -> Self {
        Self::bad(detail).with("field", name)
    }

    /// More work than the service accepts at once.
    pub fn busy(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, detail).header(RETRY_AFTER, "1")
    }

    /// A request without the right token.
    pub fn unauthorized(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, detail).header(WWW_AUTHENTICATE, "Bearer")
    }

    /// A bug of the service itself.
    pub fn bug(message: &str) -> Self {
        Error::Bug(message.to_owned()).into()
    }

    /// Adds a member.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.more.insert(name.to_owned(), value.into());
        self
    }

    fn header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.0.header = Some((name, HeaderValue::from_static(value)));
        self
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Usage(_) => StatusCode::BAD_REQUEST,
            Error::Input { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Error::Interrupted => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let api = Self::new(status, error.worded(field_name));
        match error {
            Error::Input { place: Place { line, column, .. }, .. } => {
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
        let Refusal { status, detail, more, header } = *self.0;
        let mut problem = json!({
            "type": "about:blank",
            "title": status.canonical_reason().unwrap_or("Error"),
            "status": status.as_u16(),
            "detail": detail,
        });
        if let Value::Object(members) = &mut problem {
            members.extend(more);
        }
        let mut response = (status, [(CONTENT_TYPE, PROBLEM)], problem.to_string()).into_response();
        if let Some((name, value)) = header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// Writes the name of an option of the library as a field of this service.
pub fn field_name(name: &str) -> String {
    format!("`{}`", name.replace('-', "_"))
}

/// Words notes on a text with the names of the fields of this service.
pub fn worded_notes(notes: &[Note], text: &str) -> Vec<String> {
    notes.iter().map(|note| worded(&note.worded(text, field_name), field_name)).collect()
}

/// Rewrites the bare refusals of the router, of a path or a method, as problems.
pub async fn reword(request: Request, next: Next) -> Response {
    let asked = format!("{} {}", request.method(), request.uri().path());
    let response = next.run(request).await;
    let is_bare = !response.headers().contains_key(CONTENT_TYPE);
    let detail = match response.status() {
        StatusCode::NOT_FOUND if is_bare => {
            format!("{asked}: there is no such path; POST /v1/restore restores, and GET / is a page")
        }
        StatusCode::METHOD_NOT_ALLOWED if is_bare => {
            let allowed = response.headers().get(ALLOW).and_then(|allow| allow.to_str().ok());
            format!("{asked}: the path has no such method, only {}", allowed.unwrap_or("another"))
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
