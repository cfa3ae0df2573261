//! Answers that are computed from files, both of any length.

use std::io::{self, Write};

use majuscule::files::{ByteSize, Limits};
use majuscule::{Error, Input, Interrupt};

use crate::body;
use crate::problem::ApiError;
use crate::queue::Turn;
use crate::spool::Spool;
use crate::state::Service;

/// Computes an answer from a file on a thread of the queue; `is_whole` says that the library may hold
/// the file in memory.
///
/// # Errors
/// Those of the work and of the queue; a file and an answer for which there is no room are errors too.
pub async fn answer<T: Send + 'static>(
    service: &Service,
    file: Spool,
    is_whole: bool,
    work: impl FnOnce(&GivenFile, &mut AnswerWriter<'_>) -> majuscule::Result<T> + Send + 'static,
) -> Result<(Spool, T), ApiError> {
    let input_limit = service.options.input_limit;
    let mut memory = service.memory.share();
    if is_whole && !memory.grow(file.len().min(input_limit as u64)) {
        return Err(body::no_memory());
    }
    let answer = Spool::new(service, "the answer");
    let file = GivenFile { file, limits: Limits::new(ByteSize(input_limit)) };
    let work = move |turn: &mut Turn| {
        let _held = memory;
        let mut writer = AnswerWriter { answer, turn };
        let done = work(&file, &mut writer)?;
        Ok((writer.answer, done))
    };
    service.queue.run_in_turns(work).await
}

/// The file of a request.
pub struct GivenFile {
    file: Spool,
    limits: Limits,
}

impl GivenFile {
    /// Opens the file, as often as it is wanted; errors call it `name`.
    ///
    /// # Errors
    /// Those of [`Input::new`].
    pub fn open(&self, name: &str) -> majuscule::Result<Input<'_>> {
        let reader = self.file.reader().map_err(|error| Error::io("read", name, error))?;
        Ok(Input::new(name, reader)?.within(self.limits))
    }

    /// Returns the limits of what is held in memory of the file.
    pub fn limits(&self) -> Limits {
        self.limits
    }
}

/// Writes an answer, and lets other requests go first from time to time.
pub struct AnswerWriter<'a> {
    answer: Spool,
    turn: &'a mut Turn,
}

impl AnswerWriter<'_> {
    /// Returns the flag at which the work stops.
    pub fn interrupt(&self) -> Interrupt {
        self.turn.interrupt.clone()
    }
}

impl Write for AnswerWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.turn.step();
        self.answer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.answer.flush()
    }
}
