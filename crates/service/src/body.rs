//! Bodies, read whole within limits of length, time and memory.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use axum::body::{Body, HttpBody};
use axum::http::StatusCode;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use crate::problem::ApiError;
use crate::state::{MEMORY_UNIT, Service};

/// The bytes of a body, and the memory that they hold.
pub struct WholeBody {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Gives the memory back.
    _memory: Option<OwnedSemaphorePermit>,
}

/// Reads a body of at most `most` bytes whole.
///
/// # Errors
/// Fails if the body is too long, comes too slowly or is cut off, or other bodies hold the memory.
pub async fn read(service: &Service, body: Body, most: usize) -> Result<WholeBody, ApiError> {
    let limit = service.options.timeout;
    timeout(limit, read_frames(service, body, most)).await.unwrap_or_else(|_| {
        let detail = format!("the body was not complete within {} s: send it faster", limit.as_secs_f64());
        Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, detail))
    })
}

async fn read_frames(service: &Service, body: Body, limit: usize) -> Result<WholeBody, ApiError> {
    // A client that announces too much need not send it.
    if body.size_hint().lower() > limit as u64 {
        return Err(too_long(limit));
    }
    let mut body = pin!(body);
    let mut whole = WholeBody { bytes: Vec::new(), _memory: None };
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        let frame =
            frame.map_err(|_| ApiError::bad("the body is cut off: send as many bytes as announced"))?;
        let Ok(data) = frame.into_data() else { continue };
        if whole.bytes.len() + data.len() > limit {
            return Err(too_long(limit));
        }
        whole.hold(service, whole.bytes.len() + data.len())?;
        whole.bytes.extend_from_slice(&data);
    }
    Ok(whole)
}

impl WholeBody {
    /// Holds memory for `len` bytes.
    fn hold(&mut self, service: &Service, len: usize) -> Result<(), ApiError> {
        let held = self._memory.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = u32::try_from(len.div_ceil(MEMORY_UNIT).saturating_sub(held)).unwrap_or(u32::MAX);
        let permit = Arc::clone(&service.memory).try_acquire_many_owned(more);
        let permit = permit
            .map_err(|_| ApiError::busy("other requests hold the memory for bodies: try again later"))?;
        match &mut self._memory {
            Some(memory) => memory.merge(permit),
            memory => *memory = Some(permit),
        }
        Ok(())
    }
}

fn too_long(limit: usize) -> ApiError {
    let detail = format!("the body has more than {limit} bytes, the limit: send it in parts");
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, detail).with("limit", limit)
}
