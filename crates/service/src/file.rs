//! Answers that are computed from files, both of any length.

use std::io::{self, Write};

use majuscule::{Error, Format, Input, Interrupt};
use majuscule_base::files::{ByteSize, Limits};

use crate::body::{self, WordCount};
use crate::problem::ApiError;
use crate::queue::Turn;
use crate::room::RoomShare;
use crate::spool::Spool;
use crate::state::Service;

/// The part of a file that the library holds in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldPart {
    /// Some lines.
    Lines,
    /// All of it, such as a document of JSON.
    Document,
    /// The words of it, which are cut into cues.
    Cues,
}

impl HeldPart {
    /// Returns the part of files of these formats that is held, which are cut into cues or not.
    pub fn of(formats: &[Format], is_cut: bool) -> Self {
        let is_whole = |format: &Format| *format == Format::Auto || format.info().is_whole();
        match formats.iter().any(is_whole) {
            _ if is_cut => Self::Cues,
            true => Self::Document,
            false => Self::Lines,
        }
    }
}

/// The part of the limit for a document that a line, or an item of several lines, may have.
const LINE_PART: usize = 32;

/// The number of words that are cut into cues at once: a day of speech.
pub const CUE_WORDS: usize = 200_000;

/// The numbers of bytes that a word holds in a document and in cues.
const DOCUMENT_WORD: u64 = 200;
const CUE_WORD: u64 = 800;

/// Computes an answer from a file on a thread of the queue, which first reserves the memory that the library
/// needs for the file.
///
/// # Errors
/// The errors of the work and of the queue; a file and an answer for which there is no room are errors too.
pub async fn answer<T: Send + 'static>(
    service: &Service,
    file: Spool,
    held: HeldPart,
    work: impl FnOnce(&GivenFile, &mut AnswerWriter<'_>) -> majuscule::Result<T> + Send + 'static,
) -> Result<(Spool, T), ApiError> {
    let whole = service.options.input_limit;
    let limits = Limits::new(ByteSize(if held == HeldPart::Lines { whole / LINE_PART } else { whole }));
    let (mut memory, answer) = (service.memory.share(), Spool::new(service, "the answer"));
    let file = GivenFile { file, limits };
    let work = move |turn: &mut Turn| {
        file.hold(held, &mut memory)?;
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
    /// The errors of [`Input::new`].
    pub fn open(&self, name: &str) -> majuscule::Result<Input<'_>> {
        let reader = self.file.reader().map_err(|error| Error::io("read", name, error))?;
        Ok(Input::new(name, reader)?.within(self.limits))
    }

    /// Reserves the memory that the library needs for the file. The library refuses a file that is too long,
    /// with the position.
    fn hold(&self, held: HeldPart, memory: &mut RoomShare) -> Result<(), ApiError> {
        if held == HeldPart::Lines {
            return Ok(());
        }
        let (mut input, mut words, mut bytes) = (self.open("the file")?, WordCount::default(), 0);
        let mut buffer = vec![0; 64 << 10];
        while bytes <= self.limits.input.0 as u64 {
            let read = input.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            words.push(&buffer[..read]);
            bytes += read as u64;
        }
        match held {
            HeldPart::Cues => body::hold(memory, bytes, words.count.min(CUE_WORDS as u64), CUE_WORD),
            _ => body::hold(memory, bytes, words.count, DOCUMENT_WORD),
        }
    }

    /// Returns the limits on the memory that the file may take.
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
    /// Removes and returns the output so far as a file with the limits of another one.
    pub fn take(&mut self, GivenFile { limits, .. }: &GivenFile) -> GivenFile {
        GivenFile { file: self.answer.take(), limits: *limits }
    }

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
