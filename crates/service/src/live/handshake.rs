//! `GET /v1/live` and `GET /v1/live/vosk`: the WebSocket handshake.

use std::sync::Arc;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::header::UPGRADE;
use axum::response::Response;

use super::messages::LiveRequest;
use super::socket::ClientSocket;
use super::worker::{Dialect, LiveWorker};
use crate::connection::Connection;
use crate::fields::Fields;
use crate::problem::ApiError;
use crate::state::Service;
use crate::token::BEARER;

/// The size of the read buffer of a WebSocket in bytes; the buffer grows for a longer message.
const READ_BUFFER: usize = 4 << 10;

/// Begins a session with the messages of this service.
pub async fn socket(State(service): State<Arc<Service>>, request: Request) -> Result<Response, ApiError> {
    begin(service, request, Dialect::Own).await
}

/// Begins a session with the messages of a vosk server.
pub async fn vosk(State(service): State<Arc<Service>>, request: Request) -> Result<Response, ApiError> {
    begin(service, request, Dialect::Vosk).await
}

async fn begin(service: Arc<Service>, request: Request, dialect: Dialect) -> Result<Response, ApiError> {
    let (mut query, request) = Fields::of_query(request).await?;
    let (mut parts, _) = request.into_parts();
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &service).await.map_err(|_| {
        let detail = "this path is a WebSocket: connect to it as ws://";
        ApiError::new(StatusCode::UPGRADE_REQUIRED, detail).header(UPGRADE, "websocket")
    })?;
    let place = service.live.admit()?;
    let live = LiveRequest::read(&mut query)?;
    query.finish()?;
    let worker = LiveWorker::start(Arc::clone(&service), live, dialect).await?;
    let (connection, limits) = (parts.extensions.get::<Connection>().cloned(), service.options.live.clone());
    // Messages beyond the limit are not read further, and idle sockets hold little memory.
    let upgrade = upgrade
        .max_message_size(limits.message)
        .max_frame_size(limits.message)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0);
    Ok(upgrade.protocols([BEARER]).on_upgrade(async move |socket| {
        let _place = place;
        ClientSocket::new(socket, connection, limits).serve(worker).await;
    }))
}
