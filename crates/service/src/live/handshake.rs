//! The beginning of a WebSocket.

use std::sync::Arc;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request};
use axum::http::header::{HOST, ORIGIN, UPGRADE};
use axum::http::{HeaderMap, StatusCode};
use tokio::sync::OwnedSemaphorePermit;

use crate::connection::Connection;
use crate::problem::ApiError;
use crate::state::Service;
use crate::token::BEARER;

/// The number of bytes that a WebSocket has for reading; it takes more for a longer message.
const READ_BUFFER: usize = 4 << 10;

/// A WebSocket that may begin.
pub struct Handshake {
    /// The WebSocket.
    pub upgrade: WebSocketUpgrade,
    /// The connection, if it is one of the server of this package.
    pub connection: Option<Connection>,
    /// The place of the session.
    pub place: OwnedSemaphorePermit,
}

impl Handshake {
    /// Reads the request of a WebSocket.
    ///
    /// # Errors
    /// Fails for another request, for one of the page of another site, and if there are too many
    /// sessions.
    pub async fn read(service: &Arc<Service>, request: Request) -> Result<Self, ApiError> {
        let (mut parts, _) = request.into_parts();
        check_origin(&parts.headers)?;
        let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, service).await;
        let upgrade = upgrade.map_err(|_| {
            let detail = "this path is a WebSocket: connect to it as ws://, or POST /v1/live for events";
            ApiError::new(StatusCode::UPGRADE_REQUIRED, detail).header(UPGRADE, "websocket")
        })?;
        let place = service.live.admit()?;
        let limit = service.options.live.message;
        // Longer messages are read no further, and sockets that are idle hold little memory.
        let upgrade = upgrade
            .max_message_size(limit)
            .max_frame_size(limit)
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(0);
        let connection = parts.extensions.get::<Connection>().cloned();
        Ok(Self { upgrade: upgrade.protocols([BEARER]), connection, place })
    }
}

/// Refuses the pages of other sites, whose WebSockets no browser keeps from this service.
fn check_origin(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    let host = headers.get(HOST).map(|host| host.as_bytes()).unwrap_or_default();
    let site = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, site)| site);
    if site.is_some_and(|site| site.as_bytes().eq_ignore_ascii_case(host)) {
        return Ok(());
    }
    let detail = "the header Origin names another site: only the pages of this service may connect";
    Err(ApiError::new(StatusCode::FORBIDDEN, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_the_same_host_and_port_connect() {
        let is_allowed = |origin: Option<&str>, host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            origin.map(|origin| headers.insert(ORIGIN, origin.parse().unwrap()));
            check_origin(&headers).is_ok()
        };
        assert!(is_allowed(None, "a:80"));
        assert!(is_allowed(Some("http://a:80"), "A:80"));
        assert!(is_allowed(Some("https://a.example"), "a.example"));
        for origin in ["http://a:81", "http://b:80", "null", "a:80", "http://a:80.b", ""] {
            assert!(!is_allowed(Some(origin), "a:80"), "{origin}");
        }
    }
}
