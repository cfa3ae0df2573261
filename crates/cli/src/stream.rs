//! `restore --stream`: restores a pipe and prints each word as soon as it is decided.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use majuscule_base::error::Result;
use majuscule_base::files::Input;
use majuscule_restore::{Done, Streaming};

/// The largest number of bytes per read.
const READ: usize = 1 << 16;

/// The largest number of reads that wait to be processed.
const UNDER_WAY: usize = 4;

/// The options of live output.
#[derive(Debug, Clone, Copy)]
pub struct FollowOptions {
    /// The longest time that a word may be pending.
    pub max_delay: Option<Duration>,
    /// Also prints text that may still change: one [`ReadOutcome`] per line.
    pub revisable: bool,
}

/// The outcome of one read.
#[derive(Debug, Serialize)]
struct ReadOutcome<'a> {
    /// The text that no longer changes; the output is the concatenation of all these texts.
    committed: &'a str,
    /// The provisional text after it.
    tail: &'a str,
}

impl FollowOptions {
    /// Restores a text as it arrives, and calls `write` with each part that is ready.
    ///
    /// # Errors
    /// Errors of the input, of the method and of `write`.
    pub fn restore(
        self,
        input: Input<'static>,
        stream: &mut dyn Streaming,
        write: &mut dyn FnMut(&[u8], Done) -> Result<()>,
    ) -> Result<Done> {
        let mut outlet =
            Outlet { stream, revisable: self.revisable, committed: Vec::new(), tail: Vec::new(), write };
        match self.max_delay {
            None => outlet.follow(input)?,
            Some(delay) => outlet.follow_within(delay, &listen(input))?,
        }
        outlet.finish()
    }
}

/// Reads on a separate thread that is never joined, since it may wait for bytes that never come.
fn listen(mut input: Input<'static>) -> Receiver<Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::sync_channel(UNDER_WAY);
    thread::spawn(move || {
        loop {
            let mut bytes = vec![0; READ];
            let read = input.read(&mut bytes).map(|len| bytes.truncate(len));
            let ends = read.is_err() || bytes.is_empty();
            if bytes.is_empty() || sender.send(read.map(|()| bytes)).is_err() || ends {
                return;
            }
        }
    });
    receiver
}

/// Passes a live text from the input through the stream to `write`.
struct Outlet<'a> {
    stream: &'a mut dyn Streaming,
    revisable: bool,
    committed: Vec<u8>,
    /// The tail that was printed last.
    tail: Vec<u8>,
    write: &'a mut dyn FnMut(&[u8], Done) -> Result<()>,
}

impl Outlet<'_> {
    fn follow(&mut self, mut input: Input) -> Result<()> {
        let mut buffer = vec![0; READ];
        loop {
            match input.read(&mut buffer)? {
                0 => return Ok(()),
                len => self.push(&buffer[..len])?,
            }
        }
    }

    fn follow_within(&mut self, delay: Duration, heard: &Receiver<Result<Vec<u8>>>) -> Result<()> {
        // The arrival times of the text up to each position that is not printed yet.
        let mut arrivals: VecDeque<(u64, Instant)> = VecDeque::new();
        loop {
            let done = self.stream.done().bytes;
            while arrivals.pop_front_if(|(bytes, _)| *bytes <= done).is_some() {}
            // A deadline beyond the range of the clock counts as no deadline.
            let limit = arrivals.front().and_then(|(_, came)| came.checked_add(delay));
            let bytes = match limit.map(|limit| limit.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => Err(RecvTimeoutError::Timeout),
                Some(left) => heard.recv_timeout(left),
                None => heard.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match bytes {
                Ok(bytes) => {
                    self.push(&bytes?)?;
                    arrivals.push_back((self.stream.taken(), Instant::now()));
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.stream.now(&mut self.committed)?;
                    self.show()?;
                    arrivals.clear();
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        let pushed = self.stream.push(bytes, &mut self.committed);
        self.show()?;
        pushed
    }

    fn finish(mut self) -> Result<Done> {
        let finished = self.stream.finish(&mut self.committed);
        self.show()?;
        finished
    }

    /// Writes the new text.
    fn show(&mut self) -> Result<()> {
        let done = self.stream.done();
        if self.revisable {
            let tail = self.stream.tail()?;
            if self.committed.is_empty() && tail == self.tail {
                return Ok(());
            }
            self.tail = tail;
            let committed = String::from_utf8_lossy(&self.committed);
            let shown = ReadOutcome { committed: &committed, tail: &String::from_utf8_lossy(&self.tail) };
            let mut line = serde_json::to_vec(&shown).expect("it has string keys only");
            line.push(b'\n');
            (self.write)(&line, done)?;
        } else if !self.committed.is_empty() {
            (self.write)(&self.committed, done)?;
        }
        self.committed.clear();
        Ok(())
    }
}
