//! The content types of formats.

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use majuscule::Format;

use crate::problem::ApiError;

/// Returns the content type of an answer in a format.
pub fn content_type(format: Format) -> String {
    let named = format.info().media_types.first().copied().unwrap_or("text/plain");
    if named.starts_with("text/") { format!("{named}; charset=utf-8") } else { named.to_owned() }
}

/// Returns the content type of a request in lower case, without parameters.
pub fn named(headers: &HeaderMap) -> Option<String> {
    headers.get(CONTENT_TYPE)?.to_str().ok().map(without_parameters)
}

fn without_parameters(named: &str) -> String {
    named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns the format of a content type.
pub fn format_of(named: &str) -> Option<Format> {
    let named = without_parameters(named);
    Format::all().iter().find(|info| info.media_types.contains(&&*named)).map(|info| info.format)
}

/// Refuses a body whose content type is not the expected one.
pub fn expect(headers: &HeaderMap, expected: &str) -> Result<(), ApiError> {
    match named(headers) {
        Some(named) if named != expected => {
            let detail = format!("the content type is {named:?}, but {expected} was expected: send that");
            Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail))
        }
        _ => Ok(()),
    }
}

/// Returns the format of a body by its content type; without a content type, by its first bytes.
///
/// # Errors
/// Fails for a content type without a format.
pub fn format(headers: &HeaderMap) -> Result<Format, ApiError> {
    let Some(named) = named(headers) else { return Ok(Format::Auto) };
    format_of(&named).ok_or_else(|| {
        let detail = format!(
            "the content type {named:?} has no format: name it with the parameter `format`, or send \
             application/json, text/plain, text/vtt or application/x-subrip"
        );
        ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail)
    })
}
