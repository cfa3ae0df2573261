//! Answers that are computed from files; files and answers may have any length.

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
    /// The whole file, such as a JSON document.
    Document,
    /// All words of the file, because they are cut into cues.
    Cues,
}

impl HeldPart {
    /// Returns the part that is held of files in these formats; `is_cut` is true if their words are cut into cues.
    pub fn of(formats: &[Format], is_cut: bool) -> Self {
        let is_whole = |format: &Format| *format == Format::Auto || format.info().is_whole();
        match formats.iter().any(is_whole) {
            _ if is_cut => Self::Cues,
            true => Self::Document,
            false => Self::Lines,
        }
    }
}

/// The limit for a whole document, divided by the limit for a line or for an item of several lines.
const LINE_PART: usize = 32;

/// The largest number of words that are cut into cues at once: about a day of speech.
pub const CUE_WORDS: usize = 200_000;

/// The numbers of bytes of memory for a word of a document and for a word that is cut into cues.
const DOCUMENT_WORD: u64 = 200;
const CUE_WORD: u64 = 800;

/// Computes an answer from a file on a thread of the queue, which first reserves the memory that the library
/// needs for the file.
///
/// # Errors
/// Returns the errors of the work and of the queue; fails if there is no room for the file or the answer.
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
    /// The limits on the memory for the file.
    pub limits: Limits,
}

impl GivenFile {
    /// Opens the file, which may be opened several times; errors call it `name`.
    ///
    /// # Errors
    /// The errors of [`Input::new`].
    pub fn open(&self, name: &str) -> majuscule::Result<Input<'_>> {
        let reader = self.file.reader().map_err(|error| Error::io("read", name, error))?;
        Ok(Input::new(name, reader)?.within(self.limits))
    }

    /// Reserves the memory that the library needs for the file. The library itself refuses a file that is too long,
    /// and reports the position.
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
}

/// Writes an answer, and yields the thread to waiting requests from time to time.
pub struct AnswerWriter<'a> {
    answer: Spool,
    turn: &'a mut Turn,
}

impl AnswerWriter<'_> {
    /// Removes the output so far, and returns it as a file with the limits of the given file.
    pub fn take(&mut self, GivenFile { limits, .. }: &GivenFile) -> GivenFile {
        GivenFile { file: self.answer.take(), limits: *limits }
    }

    /// Returns the flag that interrupts the work.
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
