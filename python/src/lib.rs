//! The native module of the Python package: the library's types behind those of Python.
//!
//! The package's own modules have the public names; this one takes options as they are and computes with the interpreter
//! detached.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use majuscule::{Interrupt, Model, OffsetCursor, OffsetUnit, RestoreOptions, Streaming, TextRestorer};
use majuscule_base::error::{Error, caught};
use majuscule_cli::methods::methods_in;
use majuscule_methods::model;
use majuscule_methods::model::Packed;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

mod arrow;
mod broken;
mod lexicon;
mod lm;
mod options;
mod verbs;

/// The time between two looks at the signals of the interpreter, while threads compute.
const SIGNALS: Duration = Duration::from_millis(50);

/// Returns an error as an exception of the package.
fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error {
        Error::Usage(_) | Error::NoModel { .. } => "UsageError",
        Error::Input { .. } => "InputError",
        Error::Model { .. } => "ModelError",
        Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => "MissingFileError",
        Error::Io { .. } => "FileError",
        Error::Interrupted => "Interrupted",
        _ => "Bug",
    };
    let message = error.worded(|name| name.replace('-', "_"));
    let raise = || -> PyResult<PyErr> {
        let class = py.import("majuscule._errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call1((message,))?))
    };
    raise().unwrap_or_else(|error| error)
}

/// Does some work detached from the interpreter; a panic is an exception.
fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(|error| raised(py, &error))
}

/// The number of bytes from which a text takes long enough for Ctrl-C, and for a thread of its own.
const LONG: usize = 1 << 16;

/// Does some work on a text of this many bytes, detached; if that is long, Ctrl-C ends it.
fn on_text<T: Send>(
    py: Python<'_>,
    bytes: usize,
    restorer: &TextRestorer,
    work: impl FnOnce(&TextRestorer) -> Result<T, Error> + Send,
) -> PyResult<T> {
    if bytes < LONG { detached(py, || work(restorer)) } else { on_texts(py, restorer, work) }
}

/// Does some work on texts, detached; Ctrl-C ends it.
fn on_texts<T: Send>(
    py: Python<'_>,
    restorer: &TextRestorer,
    work: impl FnOnce(&TextRestorer) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let interrupt = Interrupt::new();
    let restorer = restorer.interrupted_by(&interrupt);
    interruptible(py, &interrupt, &mut |_| Ok(()), || work(&restorer))
}

/// Restores texts on threads, each by itself; `None` stays.
fn restored_texts<T: FromIterator<Option<String>>>(
    restorer: &TextRestorer,
    texts: &[Option<&str>],
    threads: usize,
) -> Result<T, Error> {
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    let given: Vec<&str> = texts.iter().copied().flatten().collect();
    let mut restored = restorer.restore_all(&given, threads).into_iter();
    texts.iter().map(|text| text.and_then(|_| restored.next()).transpose()).collect()
}

/// Does some work on another thread, while this one looks at signals and calls `meanwhile`: Ctrl-C, and an error of
/// `meanwhile`, set the flag of the work.
fn interruptible<T: Send>(
    py: Python<'_>,
    interrupt: &Interrupt,
    meanwhile: &mut (dyn FnMut(Python<'_>) -> PyResult<()> + Send),
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    let mut signal = None;
    let done = py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            scope.spawn(move || {
                // The receiver waits until the work is done.
                let _ = sender.send(caught(work));
            });
            loop {
                match receiver.recv_timeout(SIGNALS) {
                    Ok(done) => return done,
                    Err(RecvTimeoutError::Timeout) if signal.is_none() => {
                        signal = Python::attach(|py| py.check_signals().and_then(|()| meanwhile(py))).err();
                        if signal.is_some() {
                            interrupt.set();
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(Error::Bug("a thread ended without an answer".to_owned()));
                    }
                }
            }
        })
    });
    match signal {
        Some(signal) => Err(signal),
        None => done.map_err(|error| raised(py, &error)),
    }
}

/// A word of a text, restored.
#[pyclass(frozen, get_all, module = "majuscule")]
#[derive(Debug, Clone)]
struct Word {
    /// The word as it is in the text.
    text: String,
    /// The word with the case that it gets.
    form: String,
    /// The position of its first character in the text; of a word given by itself, its number.
    start: usize,
    /// The position after its last character.
    end: usize,
    /// The punctuation mark inserted after it; None if none is.
    mark: Option<String>,
    /// The opening inserted before it (`¿`); None if none is.
    opening: Option<String>,
    /// The probability of the case, from 0 to 1; None if the method has none.
    probability: Option<f32>,
    /// The probability of the mark, or of no mark; None without `marks`.
    mark_probability: Option<f32>,
    /// True if a sentence ends after it; None if the method finds no ends.
    sentence_end: Option<bool>,
}

#[pymethods]
impl Word {
    fn __repr__(&self) -> String {
        format!("Word(form={:?}, start={}, end={})", self.form, self.start, self.end)
    }
}

/// A model with the options of a call.
#[pyclass(frozen, name = "Restorer", module = "majuscule._native")]
pub struct Restorer {
    restorer: TextRestorer,
}

/// A trained model.
#[pyclass(frozen, name = "Model", module = "majuscule._native")]
pub struct NativeModel {
    model: Model,
}

#[pymethods]
impl NativeModel {
    /// Loads the model of a preset of a language; `dirs` are the folders of models that are not built in.
    #[staticmethod]
    fn of_preset(py: Python<'_>, language: &str, preset_name: &str, dirs: Vec<PathBuf>) -> PyResult<Self> {
        let preset = options::preset(py, preset_name)?;
        let methods = methods_in(dirs);
        let model = detached(py, || methods.load_preset(language, preset, &Default::default()))?;
        Ok(Self { model })
    }

    /// Loads a model from a folder or a packed file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let load = || methods_in(Vec::new()).load(&*model::open(&path)?, &Default::default());
        Ok(Self { model: detached(py, load)? })
    }

    /// Loads a model from the bytes of a packed file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        let load =
            || methods_in(Vec::new()).load(&Packed::open("the model", bytes.into())?, &Default::default());
        Ok(Self { model: detached(py, load)? })
    }

    #[getter]
    fn language(&self) -> &str {
        &self.model.manifest.language
    }

    #[getter]
    fn method(&self) -> &str {
        &self.model.manifest.method
    }

    /// The marks that the model can insert.
    #[getter]
    fn marks(&self) -> String {
        self.model.restorer.labels().marks().to_string()
    }

    /// Returns the model with options.
    #[pyo3(signature = (**given: "Any") -> "Restorer")]
    fn with_options(
        &self,
        py: Python<'_>,
        given: Option<&Bound<'_, pyo3::types::PyDict>>,
    ) -> PyResult<Restorer> {
        let mut found = RestoreOptions::default();
        let words = given.map(|given| options::read(py, given, &mut found)).transpose()?.flatten();
        let mut found = self.model.fill_in(found);
        if let Some(list) = words {
            found.spellings = majuscule::Spellings::read(list.as_bytes(), "words", found.locale())
                .map_err(|error| raised(py, &error))?;
        }
        Ok(Restorer { restorer: self.model.with(found) })
    }
}

#[pymethods]
impl Restorer {
    /// Restores a text.
    fn restore(&self, py: Python<'_>, text: PyBackedStr) -> PyResult<String> {
        on_text(py, text.len(), &self.restorer, |restorer| restorer.restore(&text))
    }

    /// Restores texts on threads, each by itself; None stays None.
    fn restore_all(
        &self,
        py: Python<'_>,
        texts: Vec<Option<PyBackedStr>>,
        threads: usize,
    ) -> PyResult<Vec<Option<String>>> {
        on_texts(py, &self.restorer, |restorer| {
            let texts: Vec<Option<&str>> = texts.iter().map(|text| text.as_deref()).collect();
            restored_texts(restorer, &texts, threads)
        })
    }

    /// Returns the words of a text, restored.
    fn words(&self, py: Python<'_>, text: PyBackedStr) -> PyResult<Vec<Word>> {
        on_text(py, text.len(), &self.restorer, |restorer| {
            let found = restorer.words(&text)?;
            let mut chars = OffsetCursor::new(&text, OffsetUnit::CodePoints);
            let word = |word: majuscule::RestoredWord| {
                let (start, end) = (chars.at(word.span.start), chars.at(word.span.end));
                self.word(text.get(word.span.clone()).unwrap_or_default(), start, end, word)
            };
            Ok(found.into_iter().map(word).collect())
        })
    }

    /// Restores words that come without a text, and returns one for each.
    fn label(&self, py: Python<'_>, words: Vec<PyBackedStr>) -> PyResult<Vec<Word>> {
        let bytes = words.iter().map(|word| word.len() + 1).sum();
        on_text(py, bytes, &self.restorer, |restorer| {
            let given: Vec<&str> = words.iter().map(|word| &**word).collect();
            let found = restorer.restore_words(&given)?;
            let word = |(at, word): (usize, majuscule::RestoredWord)| self.word(given[at], at, at + 1, word);
            Ok(found.into_iter().enumerate().map(word).collect())
        })
    }

    /// Starts a text that is restored while it arrives.
    fn stream(&self, py: Python<'_>) -> PyResult<Stream> {
        let interrupt = Interrupt::new();
        let stream = detached(py, || self.restorer.interrupted_by(&interrupt).stream())?;
        Ok(Stream { stream: Mutex::new(Some(stream)), interrupt })
    }
}

impl Restorer {
    fn word(&self, text: &str, start: usize, end: usize, word: majuscule::RestoredWord) -> Word {
        let mark = word.mark.character().map(String::from);
        let opening = word.opening.opening(self.restorer.as_ref().language()).map(String::from);
        Word {
            text: text.to_owned(),
            form: word.text,
            start,
            end,
            mark,
            opening,
            probability: word.confidence,
            mark_probability: word.mark_confidence,
            sentence_end: word.ends_sentence,
        }
    }
}

/// A text that is restored while it arrives.
#[pyclass(frozen, name = "Stream", module = "majuscule._native")]
struct Stream {
    /// `None` once the text has ended.
    stream: Mutex<Option<majuscule::Stream>>,
    /// Set by Ctrl-C, after which the text cannot go on.
    interrupt: Interrupt,
}

#[pymethods]
impl Stream {
    /// Takes the next part of the text and returns what is certain by then.
    fn push(&self, py: Python<'_>, text: PyBackedStr) -> PyResult<String> {
        self.run(py, text.len(), |stream, out| stream.push(text.as_bytes(), out))
    }

    /// Stops waiting: returns all that has come.
    fn now(&self, py: Python<'_>) -> PyResult<String> {
        self.run(py, 0, |stream, out| stream.now(out))
    }

    /// Returns what `now` would return, and continues to wait.
    fn tail(&self, py: Python<'_>) -> PyResult<String> {
        self.run(py, 0, |stream, out| {
            out.extend(stream.tail()?);
            Ok(())
        })
    }

    /// Ends the text and returns the rest.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let rest = self.run(py, 0, |stream, out| stream.finish(out).map(|_| ()));
        *self.lock() = None;
        rest
    }

    #[getter]
    fn is_finished(&self) -> bool {
        self.lock().is_none()
    }
}

impl Stream {
    /// The stream; after a panic there is none.
    fn lock(&self) -> MutexGuard<'_, Option<majuscule::Stream>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does some work on this many bytes; if that is long, Ctrl-C ends it and the text.
    fn run(
        &self,
        py: Python<'_>,
        bytes: usize,
        work: impl FnOnce(&mut majuscule::Stream, &mut Vec<u8>) -> Result<(), Error> + Send,
    ) -> PyResult<String> {
        let work = || {
            let mut place = self.lock();
            let stream =
                place.as_mut().ok_or_else(|| Error::usage("the stream has ended: start another one"))?;
            let done = caught(|| {
                let mut out = Vec::new();
                work(stream, &mut out)?;
                Ok(String::from_utf8_lossy(&out).into_owned())
            });
            if matches!(done, Err(Error::Bug(_))) {
                *place = None;
            }
            done
        };
        if bytes < LONG {
            return detached(py, work);
        }
        let done = interruptible(py, &self.interrupt, &mut |_| Ok(()), work);
        if self.interrupt.check().is_err() {
            *self.lock() = None;
        }
        done
    }
}

/// Detects the language of a text: its tag if there is a built-in model of it; None if the text does not show it.
#[pyfunction]
fn detect_language(py: Python<'_>, text: PyBackedStr) -> Option<String> {
    match py.detach(|| majuscule::detect_language(&text)) {
        majuscule::DetectedLanguage::BuiltIn(language) => Some(language.to_owned()),
        _ => None,
    }
}

/// The native part of majuscule.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::arrow::{RestoredColumn, restore_column};
    #[pymodule_export]
    use super::broken::broken;
    #[pymodule_export]
    use super::lexicon::Lexicon;
    #[pymodule_export]
    use super::lm::LanguageModel;
    #[pymodule_export]
    use super::options::user_options;
    #[pymodule_export]
    use super::verbs::{VerbAnswer, call_verb, look_in, options, program};
    #[pymodule_export]
    use super::{NativeModel, Restorer, Stream, Word, detect_language};
}
