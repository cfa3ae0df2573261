//! The check of the token of requests.

use std::hint::black_box;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::problem::ApiError;
use crate::state::Service;

/// The WebSocket subprotocol that precedes the token.
pub const BEARER: &str = "bearer";

/// Refuses requests without the token, if the service has one.
pub async fn check(
    State(service): State<Arc<Service>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let Some(token) = &service.options.token else { return Ok(next.run(request).await) };
    let header = request.headers().get(AUTHORIZATION).and_then(|value| bearer(value.as_bytes()));
    let detail = match header.or_else(|| offered(request.headers())) {
        Some(given) if is_equal(given, token.as_bytes()) => return Ok(next.run(request).await),
        Some(_) => "the token is wrong: send the token of the service",
        None => "the request has no token: send the header Authorization: Bearer TOKEN",
    };
    Err(ApiError::new(StatusCode::UNAUTHORIZED, detail).header(WWW_AUTHENTICATE, "Bearer"))
}

/// Returns the token of an `Authorization` header.
fn bearer(header: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = header.split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token.trim_ascii())
}

/// Returns the token of a WebSocket request: the subprotocol after `bearer`. Pages in a browser send it there because
/// they cannot set headers.
fn offered(headers: &HeaderMap) -> Option<&[u8]> {
    let all = headers.get_all(SEC_WEBSOCKET_PROTOCOL).into_iter();
    let mut all = all.flat_map(|value| value.as_bytes().split(|&b| b == b',')).map(<[u8]>::trim_ascii);
    all.find(|name| name.eq_ignore_ascii_case(BEARER.as_bytes()))?;
    all.next()
}

/// Compares in a time that depends on the lengths alone.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (one, other)| black_box(all | (one ^ other)));
    one.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_equal() {
        assert!(is_equal(b"secret", b"secret"));
        for other in [&b"secre"[..], b"secrets", b"Secret", b""] {
            assert!(!is_equal(other, b"secret"));
        }
    }

    #[test]
    fn a_subprotocol_carries_the_token() {
        let token = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(SEC_WEBSOCKET_PROTOCOL, line.parse().unwrap());
            }
            offered(&headers).map(|token| String::from_utf8_lossy(token).into_owned())
        };
        assert_eq!(token(&["bearer, secret"]).as_deref(), Some("secret"));
        assert_eq!(token(&["other", "Bearer,secret , more"]).as_deref(), Some("secret"));
        assert_eq!((token(&["bearer"]), token(&["secret"]), token(&[])), (None, None, None));
    }

    #[test]
    fn the_scheme_has_any_case() {
        assert_eq!(bearer(b"bearer  a "), Some(&b"a"[..]));
        assert_eq!((bearer(b"Basic a"), bearer(b"Bear")), (None, None));
    }
}
