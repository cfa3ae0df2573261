//! Options of Python calls as options of the library, with the names of the command line.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::time::Duration;

use majuscule::error::{Error, option};
use majuscule::named::NamedValue;
use majuscule::{RestoreOptions, WantedMarks};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::raised;

/// Returns a value of an option by its name.
pub fn named<T: NamedValue>(py: Python<'_>, option: &str, name: &str) -> PyResult<T> {
    T::of_name(name).ok_or_else(|| {
        let names: Vec<&str> = T::VALUES.iter().map(|(_, name, _)| *name).collect();
        refused(py, option, format_args!("\"{name}\""), &format!("one of {}", names.join(", ")))
    })
}

/// The exception for a value that an option cannot have.
fn refused(py: Python<'_>, name: &str, found: impl Display, expected: &str) -> PyErr {
    let name = name.replace('_', "-");
    raised(py, &Error::usage(format!("{} {found}: expected {expected}", option(&name))))
}

/// Reads the options of a call; `words` gets the name of the list of spellings, and the list.
pub fn read(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    options: &mut RestoreOptions,
    words: &mut Option<(String, Vec<u8>)>,
) -> PyResult<()> {
    for (key, value) in given {
        let key: String = key.extract()?;
        if value.is_none() {
            continue;
        }
        let name = || value.extract::<String>();
        let parsed = |error: Error| raised(py, &error);
        match key.as_str() {
            "language" => options.language = Some(name()?),
            "locale" => options.locale = Some(name()?.parse().map_err(parsed)?),
            "case" => options.capitalized = named(py, "case", &name()?)?,
            "sentence_start" => options.sentence_start = named(py, "sentence-start", &name()?)?,
            "capitals" => options.capitals = named(py, "capitals", &name()?)?,
            "style" => {
                let rules = name().or_else(|_| Ok::<_, PyErr>(value.extract::<Vec<String>>()?.join(",")))?;
                options.style = rules.parse().map_err(parsed)?;
            }
            "context" => options.context = named(py, "context", &name()?)?,
            "lossy" => options.lossy = value.extract()?,
            "look_ahead" => options.look_ahead = Some(value.extract()?),
            "predictions" => options.predictions = value.extract::<NonZeroUsize>()?,
            "threshold" => options.threshold = Some(probability(py, &key, &value)?),
            "mark_threshold" => options.mark_threshold = Some(probability(py, &key, &value)?),
            "pause_ends" => options.pause_ends = Some(seconds(py, &key, value.extract()?)?),
            "marks" => {
                let wanted = marks(py, &value)?;
                (options.marks, options.mark_places) = (wanted.marks, wanted.places);
            }
            "words" => {
                *words = Some(("words".to_owned(), value.extract::<Vec<String>>()?.join("\n").into_bytes()))
            }
            unknown => return Err(PyTypeError::new_err(format!("unknown option {unknown}"))),
        }
    }
    Ok(())
}

/// Returns the marks of an option and their places: `True` is "auto", and texts are read as the program reads them.
fn marks(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<WantedMarks> {
    if let Ok(is_wanted) = value.cast::<PyBool>() {
        return Ok(if is_wanted.is_true() { WantedMarks::AUTO } else { WantedMarks::default() });
    }
    value.extract::<String>()?.parse().map_err(|error| raised(py, &error))
}

fn probability(py: Python<'_>, option: &str, value: &Bound<'_, PyAny>) -> PyResult<f32> {
    let found: f32 = value.extract()?;
    if (0.0..=1.0).contains(&found) {
        return Ok(found);
    }
    Err(refused(py, option, found, "a probability from 0 to 1"))
}

fn seconds(py: Python<'_>, option: &str, seconds: f64) -> PyResult<Duration> {
    if (0.001..=3600.0).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err(refused(py, option, seconds, "seconds from 0.001 to 3600"))
}
