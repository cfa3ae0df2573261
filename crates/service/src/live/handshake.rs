//! The beginning of a WebSocket.

use std::sync::Arc;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::header::UPGRADE;
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
    /// Fails for another request, and if there are too many sessions.
    pub async fn read(service: &Arc<Service>, request: Request) -> Result<Self, ApiError> {
        let (mut parts, _) = request.into_parts();
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
