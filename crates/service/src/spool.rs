//! Files of any length: the last bytes are in memory, and all earlier bytes are in a file on disk without a name.
//!
//! A body is received whole before a thread restores it, and an answer is written whole before it is sent. So a slow
//! client holds no thread, a client that sends everything before it reads causes no deadlock, and an error is always
//! a problem and never a truncated answer.

use std::fs::File;
use std::future::Future;
use std::io::{self, Read, Seek, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;
use hyper::body::{Frame, SizeHint};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::body::{self, THE_BODY, WholeBody};
use crate::problem::ApiError;
use crate::room::RoomShare;
use crate::state::Service;

/// The number of bytes that are held in memory; more are written to disk.
const BLOCK: usize = 64 << 10;

/// The bytes of a file.
#[derive(Debug)]
pub struct Spool {
    /// The name of the file in errors.
    name: &'static str,
    /// The largest number of bytes.
    most: u64,
    len: u64,
    /// The last bytes, which are not on disk.
    block: Vec<u8>,
    /// The bytes before `block`.
    disk: Option<File>,
    room: RoomShare,
}

impl Spool {
    /// Makes an empty file, which errors call `name`.
    pub fn new(service: &Service, name: &'static str) -> Self {
        Self {
            name,
            most: service.options.body_limit as u64,
            len: 0,
            block: Vec::new(),
            disk: None,
            room: service.spool.share(),
        }
    }

    /// Creates a file from bytes in memory, and keeps their reservation.
    pub fn of_whole(service: &Service, WholeBody { bytes, memory }: WholeBody) -> Self {
        let new = Self::new(service, THE_BODY);
        Self { len: bytes.len() as u64, block: bytes, room: memory, ..new }
    }

    /// Moves the whole file out, and leaves an empty file.
    pub fn take(&mut self) -> Self {
        let Self { name, most, .. } = *self;
        let (len, block) = (std::mem::take(&mut self.len), std::mem::take(&mut self.block));
        Self { name, most, len, block, disk: self.disk.take(), room: self.room.take() }
    }

    /// Receives a body.
    ///
    /// # Errors
    /// Fails if the body is too long, comes too slowly or is cut off, or there is no room for it.
    pub async fn receive(service: &Service, mut body: Body) -> Result<Self, ApiError> {
        let mut spool = Self::new(service, THE_BODY);
        body::check_announced(&body, spool.most)?;
        let limit = service.options.timeout;
        loop {
            let received = timeout(limit, spool.receive_block(&mut body)).await;
            let is_ended = received.unwrap_or_else(|_| {
                let (seconds, block) = (limit.as_secs_f64(), BLOCK >> 10);
                let detail =
                    format!("less than {block} KiB of the body came within {seconds} s: send it faster");
                Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, detail))
            })?;
            if is_ended {
                return Ok(spool);
            }
            spool = on_a_thread(move || spool.write_out().map(|()| spool)).await?;
        }
    }

    /// Receives bytes until a block is full; returns true at the end of the body.
    async fn receive_block(&mut self, body: &mut Body) -> Result<bool, ApiError> {
        while self.block.len() < BLOCK {
            let Some(data) = body::next(body).await? else { return Ok(true) };
            self.push(&data)?;
        }
        Ok(false)
    }

    /// Appends bytes in memory.
    fn push(&mut self, bytes: &[u8]) -> Result<(), ApiError> {
        self.len += bytes.len() as u64;
        if self.len > self.most {
            return Err(body::too_long(self.name, self.most));
        }
        self.block.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes the bytes in memory to disk.
    fn write_out(&mut self) -> Result<(), ApiError> {
        if !self.room.grow(self.len) {
            return Err(ApiError::full("other requests use the disk space for files: try again later"));
        }
        let written = (|| {
            let disk = match &mut self.disk {
                Some(disk) => disk,
                none => none.insert(tempfile::tempfile()?),
            };
            disk.write_all(&self.block)
        })();
        self.block.clear();
        written.map_err(|error| unwritten(&error))
    }

    /// Returns a reader of the file from its beginning; the file may be read several times.
    ///
    /// # Errors
    /// Fails if the disk cannot be read.
    pub fn reader(&self) -> io::Result<impl Read + Send> {
        let disk: Box<dyn Read + Send> = match self.disk.as_ref() {
            Some(mut disk) => {
                disk.rewind()?;
                Box::new(disk)
            }
            None => Box::new(io::empty()),
        };
        Ok(disk.chain(&*self.block))
    }

    /// Returns the file as the body of an answer.
    ///
    /// # Errors
    /// Fails if the disk cannot be read.
    pub fn into_body(mut self) -> Result<Body, ApiError> {
        let on_disk = self.len - self.block.len() as u64;
        if let Some(disk) = &mut self.disk {
            disk.rewind().map_err(|error| ApiError::bug(&error.to_string()))?;
        }
        let Self { block, disk, room, .. } = self;
        let disk = disk.map(DiskReader::Idle);
        Ok(Body::new(SpoolBody { disk, on_disk, block: block.into(), _room: room }))
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes).map_err(io::Error::other)?;
        if self.block.len() >= BLOCK {
            self.write_out().map_err(io::Error::other)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A spool as the body of an answer, which keeps its reservation until it is sent.
struct SpoolBody {
    /// `None` once everything on disk is read.
    disk: Option<DiskReader>,
    /// The number of bytes on disk that are left.
    on_disk: u64,
    /// The bytes after the bytes on disk.
    block: Bytes,
    _room: RoomShare,
}

/// A file that is read on a thread for blocking work.
enum DiskReader {
    Idle(File),
    Reading(JoinHandle<io::Result<(File, Bytes)>>),
}

impl HttpBody for SpoolBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let len = usize::try_from(self.on_disk).unwrap_or(usize::MAX).min(BLOCK);
        let mut reading = match self.disk.take() {
            None if self.block.is_empty() => return Poll::Ready(None),
            None => return Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut self.block))))),
            Some(DiskReader::Idle(disk)) => spawn_blocking(move || read_block(disk, len)),
            Some(DiskReader::Reading(reading)) => reading,
        };
        let Poll::Ready(read) = Pin::new(&mut reading).poll(context) else {
            self.disk = Some(DiskReader::Reading(reading));
            return Poll::Pending;
        };
        let (disk, bytes) = read.map_err(io::Error::other)??;
        self.on_disk -= bytes.len() as u64;
        self.disk = (self.on_disk > 0).then_some(DiskReader::Idle(disk));
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.on_disk + self.block.len() as u64)
    }
}

/// Reads the next bytes of a file.
fn read_block(mut disk: File, len: usize) -> io::Result<(File, Bytes)> {
    let mut bytes = vec![0; len];
    disk.read_exact(&mut bytes)?;
    Ok((disk, bytes.into()))
}

/// Returns the error for a disk that cannot be written.
fn unwritten(error: &io::Error) -> ApiError {
    let detail = format!("cannot write the file for the request: {error}");
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ApiError::full(detail),
        _ => ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, detail),
    }
}

/// Runs work on a thread where it may block without delaying other requests.
pub async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    spawn_blocking(work).await.map_err(|error| ApiError::bug(&error.to_string()))?
}
