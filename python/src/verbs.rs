//! The verbs of the program as calls, and the program itself.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, mpsc};

use majuscule::Interrupt;
use majuscule_cli::host::{self, Host, OptionValues, ProgressCallback};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;

use crate::{NativeModel, interruptible, raised};

/// The outcome of a verb.
#[pyclass(frozen, get_all, name = "Answer", module = "majuscule._native")]
pub struct VerbAnswer {
    /// The text that the program would have written to standard output.
    output: Py<PyBytes>,
    /// The report as JSON, of a verb that measures.
    json: Option<String>,
    /// The messages that the program would have printed.
    messages: Vec<String>,
    /// False if something failed; the messages describe the failure.
    is_success: bool,
}

/// Runs a verb with the arguments of the program; `models` and `files` are in memory, by the names that the arguments have
/// for them, and `progress` is called with the figures of a training.
#[pyfunction]
#[pyo3(name = "call", signature = (arguments, models, files, progress = None))]
pub fn call_verb(
    py: Python<'_>,
    arguments: Vec<OsString>,
    models: Vec<(String, PyRef<'_, NativeModel>)>,
    files: Vec<(String, PyBackedBytes)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<VerbAnswer> {
    let models = models.into_iter().map(|(name, model)| (name, model.model.clone())).collect();
    let files = files.into_iter().map(|(name, bytes)| (name, (&*bytes).into())).collect();
    let interrupt = Interrupt::new();
    let (sender, figures) = mpsc::channel();
    let has_progress = progress.is_some();
    let flag = interrupt.clone();
    let work = move || {
        let send = move |figures: host::ProgressFigures<'_>| {
            // Nobody listens once the call is interrupted.
            let _ = sender.send(figures.to_vec());
        };
        let progress = has_progress.then(|| Arc::new(send) as ProgressCallback);
        host::call(arguments, Host { models, files, interrupt: flag, progress })
    };
    // The callback runs in the thread of the caller, as Python expects of callbacks.
    let mut show = move |py: Python<'_>| {
        // Of several steps since the last check, only the last one matters.
        let (Some(progress), Some(figures)) = (&progress, figures.try_iter().last()) else { return Ok(()) };
        let kept = pyo3::types::PyDict::new(py);
        figures.into_iter().try_for_each(|(name, figure)| kept.set_item(name, figure))?;
        progress.call1(py, (kept,)).map(drop)
    };
    let answer = interruptible(py, &interrupt, &mut show, work)?;
    show(py)?;
    Ok(VerbAnswer {
        output: PyBytes::new(py, &answer.output).unbind(),
        json: answer.json,
        messages: answer.messages,
        is_success: answer.is_success,
    })
}

/// An option of a verb: its name, the kind of its values, the name of the value, the names of values, the default and the
/// description.
type OptionRow = (String, &'static str, String, Vec<String>, Option<String>, String);

/// Returns the options of a verb.
#[pyfunction]
pub fn options(py: Python<'_>, verb: Vec<PyBackedStr>) -> PyResult<Vec<OptionRow>> {
    let verb: Vec<&str> = verb.iter().map(|name| &**name).collect();
    let options = host::options(&verb).map_err(|error| raised(py, &error))?;
    let row = |option: host::VerbOption| {
        let values = match option.values {
            OptionValues::Flag => "flag",
            OptionValues::One => "one",
            OptionValues::Optional => "optional",
            OptionValues::Listed => "listed",
            OptionValues::OptionallyListed => "optional listed",
            OptionValues::Repeated => "repeated",
        };
        (option.name, values, option.value, option.choices, option.default, option.help)
    };
    Ok(options.into_iter().map(row).collect())
}

/// Makes a folder count as the program's folder, which contains the models that are not built in.
/// The first call decides.
#[pyfunction]
pub fn look_in(folder: PathBuf) {
    majuscule_cli::methods::look_in(folder);
}

/// Runs the program; `command` starts it again, and the first argument is its name. Returns its exit code.
#[pyfunction]
pub fn program(py: Python<'_>, command: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| majuscule_cli::main_within(command, arguments));
    (0..=u8::MAX).find(|&number| ExitCode::from(number) == code).unwrap_or(1)
}
