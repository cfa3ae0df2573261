//! Converts the output of another step while that step writes it.

use std::io::{self, PipeWriter, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use majuscule_base::error::{Error, Result};
use majuscule_base::files::Input;
use majuscule_convert::{Conversion, ConversionNotes};

/// Runs `write`, converts its output, and passes the result to `out`, which errors call `target`;
/// `name` is the name of the text in errors.
///
/// # Errors
/// Returns the errors of `write`, of the conversion and of `out`.
pub fn convert<T>(
    conversion: &Conversion,
    name: &str,
    out: &mut dyn Write,
    target: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T>,
) -> Result<(T, ConversionNotes)> {
    let (read, bytes) = io::pipe().map_err(|error| Error::io("open", "a pipe", error))?;
    let (converted, ready) = mpsc::channel();
    thread::scope(|scope| {
        let input = Input::uncompressed(name, read);
        let converter = scope.spawn(move || conversion.run(input, &mut PipedOutput(converted), target));
        let mut pipe = Pipe { bytes, ready, out };
        let written = write(&mut pipe);
        let Pipe { bytes, ready, out } = pipe;
        drop(bytes);
        let passed = ready.iter().try_for_each(|part| out.write_all(&part));
        let notes = converter.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match written {
            // The converter stopped reading, and returns the reason.
            Err(error) if error.is_closed_pipe() && notes.is_err() => {}
            Err(error) => return Err(error),
            Ok(written) => {
                passed.map_err(|error| Error::io("write", target, error))?;
                return Ok((written, notes?));
            }
        }
        notes.and_then(|_| Err(Error::file(name, "the text could not be passed on")))
    })
}

/// A writer for the input of the converter; it passes the output of the converter on to `out`.
struct Pipe<'a> {
    bytes: PipeWriter,
    ready: Receiver<Vec<u8>>,
    out: &'a mut dyn Write,
}

impl Write for Pipe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.bytes.write(bytes)?;
        self.ready.try_iter().try_for_each(|part| self.out.write_all(&part))?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The output of the converter.
struct PipedOutput(Sender<Vec<u8>>);

impl Write for PipedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
