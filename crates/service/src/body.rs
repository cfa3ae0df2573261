//! Request bodies that are read whole, within limits on length, time and memory.

use std::future::poll_fn;
use std::pin::Pin;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;
use tokio::time::timeout;

use crate::problem::ApiError;
use crate::room::RoomShare;
use crate::state::Service;

/// The name of a body in errors.
pub const THE_BODY: &str = "the body";

/// The bytes of a body, and their memory reservation.
pub struct WholeBody {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The reservation, which is released when it is dropped.
    pub memory: RoomShare,
}

/// The number of bytes of memory for each word of a body while its answer is computed. The word exists as given, as
/// restored and in the answer, each time with its position and its probabilities.
const WORD: u64 = 500;

impl WholeBody {
    /// Reserves memory for the data made from the words of the body.
    ///
    /// # Errors
    /// Fails if other requests hold the memory, or if the memory for all requests would not suffice.
    pub fn hold_words(&mut self) -> Result<(), ApiError> {
        let mut words = WordCount::default();
        words.push(&self.bytes);
        hold(&mut self.memory, self.bytes.len() as u64, words.count, WORD)
    }
}

/// A count of the words in bytes of any format: runs of letters and digits, which may contain decimal points and the
/// zero bytes of UTF-16.
#[derive(Debug, Default)]
pub struct WordCount {
    /// The number of words so far.
    pub count: u64,
    is_inside: bool,
}

impl WordCount {
    /// Appends the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        for b in bytes {
            let is_inside =
                b.is_ascii_alphanumeric() || !b.is_ascii() || self.is_inside && matches!(b, b'.' | 0);
            self.count += u64::from(is_inside && !self.is_inside);
            self.is_inside = is_inside;
        }
    }
}

/// Reserves memory for `bytes` bytes and for `words` words of `word` bytes each.
///
/// # Errors
/// Fails if other requests hold the memory, or if the memory for all requests would not suffice.
pub fn hold(memory: &mut RoomShare, bytes: u64, words: u64, word: u64) -> Result<(), ApiError> {
    let (all, needed) = (memory.whole(), bytes + words * word);
    if needed > all {
        let most = all.saturating_sub(bytes) / word;
        let detail =
            format!("{THE_BODY} has {words} words, but at most {most} were expected: send it in parts");
        return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, detail).with("limit", most));
    }
    if memory.grow(needed) { Ok(()) } else { Err(no_memory()) }
}

/// Reads a whole body of at most `most` bytes.
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

async fn read_frames(service: &Service, mut body: Body, limit: usize) -> Result<WholeBody, ApiError> {
    check_announced(&body, limit as u64)?;
    let (mut bytes, mut memory) = (Vec::new(), service.memory.share());
    while let Some(data) = next(&mut body).await? {
        if bytes.len() + data.len() > limit {
            return Err(too_long(THE_BODY, limit as u64));
        }
        if !memory.grow((bytes.len() + data.len()) as u64) {
            return Err(no_memory());
        }
        bytes.extend_from_slice(&data);
    }
    Ok(WholeBody { bytes, memory })
}

/// Returns the next bytes of a body; `None` at its end.
///
/// # Errors
/// Fails if the body is cut off.
pub async fn next(body: &mut Body) -> Result<Option<Bytes>, ApiError> {
    let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await.transpose();
    let cut_off = |_| ApiError::bad("the body is cut off: send as many bytes as announced");
    Ok(frame.map_err(cut_off)?.map(|frame| frame.into_data().unwrap_or_default()))
}

/// Checks the announced length of a body, so that a body that is too long is refused before it is received.
///
/// # Errors
/// Fails if the announced length is more than `limit`.
pub fn check_announced(body: &Body, limit: u64) -> Result<(), ApiError> {
    if body.size_hint().lower() > limit { Err(too_long(THE_BODY, limit)) } else { Ok(()) }
}

/// Returns the error for a body or an answer that is longer than its limit.
pub fn too_long(name: &str, limit: u64) -> ApiError {
    let detail = format!("{name} is longer than the limit of {limit} bytes: send it in parts");
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, detail).with("limit", limit)
}

/// Returns the error for a request while other requests hold all memory.
pub fn no_memory() -> ApiError {
    ApiError::busy("other requests use the memory for bodies: try again later")
}
