//! The token of requests.

use std::hint::black_box;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::ApiError;
use crate::state::Service;

/// Refuses requests without the token, if the service has one.
pub async fn check(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let Some(token) = &service.options.token else { return next.run(request).await };
    let given = request.headers().get(AUTHORIZATION).and_then(|value| bearer(value.as_bytes()));
    match given {
        Some(given) if is_equal(given, token.as_bytes()) => next.run(request).await,
        Some(_) => {
            ApiError::unauthorized("the token is another one: send that of the service").into_response()
        }
        None => {
            ApiError::unauthorized("the request has no token: send the header Authorization: Bearer TOKEN")
                .into_response()
        }
    }
}

/// Returns the token of a header.
fn bearer(header: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = header.split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token.trim_ascii())
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
    fn the_scheme_has_any_case() {
        assert_eq!(bearer(b"bearer  a "), Some(&b"a"[..]));
        assert_eq!((bearer(b"Basic a"), bearer(b"Bear")), (None, None));
    }
}
