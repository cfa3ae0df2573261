//! The layer around every request, which adds an identifier, headers, metrics and a log entry, and catches panics.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::X_CONTENT_TYPE_OPTIONS;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::options::LogEntry;
use crate::problem::{ApiError, HiddenError};
use crate::state::Service;

/// The header of the identifier.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest identifier that is accepted from a client.
const LONGEST_ID: usize = 128;

/// Answers a request, and counts and logs the answer.
pub async fn observe(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let id = given_id(request.headers()).unwrap_or_else(|| made_id(&service));
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("other", MatchedPath::as_str);
    let answered = without_panic(next.run(request)).await;
    let mut response =
        answered.unwrap_or_else(|()| ApiError::bug("a panic outside the library").into_response());
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let shown = id.to_str().unwrap_or_default().to_owned();
    headers.insert(REQUEST_ID, id);
    let (status, time) = (response.status().as_u16(), begun.elapsed());
    service.metrics.count(route, status, time);
    if let Some(log) = &service.options.log {
        let error = response.extensions().get::<HiddenError>().map(|HiddenError(text)| &**text);
        log(&LogEntry { id: &shown, method: method.as_str(), route, status, time, error });
    }
    response
}

/// Returns the identifier that a client gave, if it is short enough and has only visible ASCII characters.
fn given_id(headers: &HeaderMap) -> Option<HeaderValue> {
    let given = headers.get(REQUEST_ID)?;
    let is_usable =
        (1..=LONGEST_ID).contains(&given.len()) && given.as_bytes().iter().all(u8::is_ascii_graphic);
    is_usable.then(|| given.clone())
}

/// Makes an identifier from the time and a counter.
fn made_id(service: &Service) -> HeaderValue {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = service.made_ids.fetch_add(1, Ordering::Relaxed);
    let id = format!("{:x}-{count:x}", now.as_micros());
    HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("0"))
}

/// Runs a future to its end; fails if it panics.
async fn without_panic<T>(work: impl Future<Output = T>) -> Result<T, ()> {
    let mut work = pin!(work);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
        Err(_) => Poll::Ready(Err(())),
    })
    .await
}
