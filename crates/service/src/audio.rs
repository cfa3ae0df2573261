//! The speech recognition routes of the OpenAI API, which are refused because the service has no recogniser.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::time::timeout;

use crate::body;
use crate::state::Service;

/// The error message, which names the remedy.
const MESSAGE: &str = "this service restores text and has no speech recogniser: transcribe elsewhere, and send the \
                       recogniser's JSON to POST /v1/restore?format=whisper-json";

/// Refuses audio with an error in the format that OpenAI clients expect.
pub async fn refuse(State(service): State<Arc<Service>>, request: Request) -> Response {
    // A client that is still sending reads no answer.
    let body = discard(request.into_body(), service.options.body_limit);
    let _ = timeout(service.options.timeout, body).await;
    let error = json!({ "error": {
        "message": MESSAGE,
        "type": "invalid_request_error",
        "param": "file",
        "code": "audio_not_supported",
    }});
    // Clients retry a request after a status of 500 or more.
    let kind = [(CONTENT_TYPE, "application/json")];
    (StatusCode::UNSUPPORTED_MEDIA_TYPE, kind, error.to_string()).into_response()
}

/// Reads and discards a body, and stops once more than `most` bytes were read.
async fn discard(mut body: Body, most: usize) {
    let mut read = 0;
    while let Ok(Some(data)) = body::next(&mut body).await
        && read <= most
    {
        read += data.len();
    }
}
