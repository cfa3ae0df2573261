//! A connection that limits the time that it waits for its client.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// The longest time to wait until a client that has been answered stops sending.
const LINGER: Duration = Duration::from_secs(2);

/// A connection that ends if its client reads nothing of an answer for too long. The connection is closed only once
/// the client has stopped sending. If it were closed earlier, the client would lose the answer, such as the reason
/// why its long body is refused.
pub struct ClientStream {
    stream: TcpStream,
    /// The time after which the connection ends if the client has read no bytes.
    limit: Duration,
    /// The end of the wait in progress.
    wait: Option<Pin<Box<Sleep>>>,
    is_shut: bool,
}

impl ClientStream {
    /// Makes a connection that ends if its client reads no bytes for as long as `limit`.
    pub fn new(stream: TcpStream, limit: Duration) -> Self {
        Self { stream, limit, wait: None, is_shut: false }
    }

    /// Returns the result of an operation, or an error if it takes too long.
    fn within<T>(
        &mut self,
        context: &mut Context<'_>,
        limit: Duration,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.wait = None;
            return polled;
        }
        let wait = self.wait.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(wait.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Reads and discards all bytes that the client still sends.
    fn poll_rest(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut bytes = [0; 8 << 10];
        loop {
            let mut buffer = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        let limit = self.limit;
        self.within(context, limit, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        let limit = self.limit;
        self.within(context, limit, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shut {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.is_shut = true;
            // A client that sends nothing now is not waited for.
            let mut bytes = [0; 1];
            let mut buffer = ReadBuf::new(&mut bytes);
            let is_sending = Pin::new(&mut self.stream).poll_read(context, &mut buffer).is_ready();
            if !is_sending || buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
        let rest = self.poll_rest(context);
        self.within(context, LINGER, rest)
    }
}
