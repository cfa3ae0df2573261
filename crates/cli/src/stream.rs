//! `restore --stream`: a pipe in, each word out as soon as it may.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use majuscule::error::Result;
use majuscule::files::Input;
use majuscule::restore::{Done, Streaming};

/// Bytes taken at a time where so many are there.
const READ: usize = 1 << 16;

/// Reads that may wait for their turn.
const UNDER_WAY: usize = 4;

/// How a text is followed.
#[derive(Debug, Clone, Copy)]
pub struct FollowOptions {
    /// Nothing waits for longer.
    pub max_delay: Option<Duration>,
    /// Whether what may still change is shown too: [`ReadOutcome`], an object a line.
    pub revisable: bool,
}

/// What one reading brought.
#[derive(Debug, Serialize)]
struct ReadOutcome<'a> {
    /// What stays: all of these, one after the other, are the text.
    committed: &'a str,
    /// What follows it for now.
    tail: &'a str,
}

impl FollowOptions {
    /// Restores a text while it comes in and hands to `write` what is to be written at once.
    ///
    /// # Errors
    /// The input's, the method's or those of `write`.
    pub fn restore(
        self,
        input: Input,
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

/// Reads on a thread of its own, which nobody waits for: it may wait for bytes that never come.
fn listen(mut input: Input) -> Receiver<Result<Vec<u8>>> {
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

/// A text on its way through, to where it is written.
struct Outlet<'a> {
    stream: &'a mut dyn Streaming,
    revisable: bool,
    committed: Vec<u8>,
    /// The tail that was shown last.
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
        // When the bytes up to each of these came in, as far as they are not out.
        let mut arrivals: VecDeque<(u64, Instant)> = VecDeque::new();
        loop {
            let done = self.stream.done().bytes;
            while arrivals.pop_front_if(|(bytes, _)| *bytes <= done).is_some() {}
            // A limit that no clock reaches is none.
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

    /// Writes what is new.
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
