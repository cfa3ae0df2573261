//! Options of Python calls as options of the library, with the names of the command line.

use majuscule::{Preset, RestoreOptions};
use majuscule_base::error::{Error, option};
use majuscule_base::named::NamedValue;
use majuscule_text::{Door, OptionKind, OptionValue, UserOption};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::raised;

/// Returns a preset by its name.
pub fn preset(py: Python<'_>, name: &str) -> PyResult<Preset> {
    Preset::of_name(name).ok_or_else(|| {
        let problem = format!("{} \"{name}\": expected one of {}", option("preset"), Preset::names());
        raised(py, &Error::usage(problem))
    })
}

/// Reads the options of a call, and returns the user's own spellings, one per line, if they are given.
pub fn read(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    options: &mut RestoreOptions,
) -> PyResult<Option<String>> {
    let mut words = None;
    for (key, value) in given {
        let key: String = key.extract()?;
        match key.as_str() {
            _ if value.is_none() => {}
            "language" => options.language = Some(value.extract()?),
            "spellings" | "words" => words = Some(value.extract::<Vec<String>>()?.join("\n")),
            name => match UserOption::named(Door::Python, &name.replace('_', "-")) {
                Some(option) => set(py, option, &value, options)?,
                None => return Err(PyTypeError::new_err(format!("unknown option {name}"))),
            },
        }
    }
    Ok(words)
}

/// Sets an option.
fn set(
    py: Python<'_>,
    option: &UserOption,
    value: &Bound<'_, PyAny>,
    options: &mut RestoreOptions,
) -> PyResult<()> {
    let given = if let Ok(flag) = value.cast::<PyBool>() {
        OptionValue::Flag(flag.is_true())
    } else if let Ok(text) = value.extract() {
        OptionValue::Text(text)
    } else if let Ok(texts) = value.extract() {
        OptionValue::Texts(texts)
    } else {
        value.extract().map(OptionValue::Count).or_else(|_| value.extract().map(OptionValue::Number))?
    };
    (option.set)(options, &given).map_err(|wrong| {
        let found = match &given {
            OptionValue::Text(text) => format!("\"{text}\""),
            _ => value.to_string(),
        };
        raised(py, &option.error(found, wrong))
    })
}

/// The name of an option, its help, the kind of its values, and their names if they have some.
type ListedOption = (String, &'static str, &'static str, Vec<&'static str>);

/// Returns the options of restoring.
#[pyfunction]
pub fn user_options() -> Vec<ListedOption> {
    let listed = |option: &UserOption| {
        let (kind, names): (_, Vec<&str>) = match option.kind {
            OptionKind::Flag => ("flag", Vec::new()),
            OptionKind::Text(_) => ("text", Vec::new()),
            OptionKind::Count(_) => ("count", Vec::new()),
            OptionKind::Probability | OptionKind::Number(_) => ("number", Vec::new()),
            OptionKind::Seconds => ("seconds", Vec::new()),
            OptionKind::Marks => ("marks", Vec::new()),
            OptionKind::Choice(names, _) => ("choice", names().iter().map(|(name, _)| *name).collect()),
            OptionKind::Choices(names) => ("choices", names().iter().map(|(name, _)| *name).collect()),
        };
        (option.field(), option.summary(), kind, names)
    };
    UserOption::at(Door::Python).map(listed).collect()
}
