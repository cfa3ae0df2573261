//! Lexicons of Python calls.

use majuscule::Input;
use majuscule_text::tokens::lower_word;
use majuscule_train::lexicon::read::{LexiconReadConfig, read};
use majuscule_train::lexicon::{self, CountedForm, LexiconEntry, tsv};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;

use crate::{detached, raised};

/// Words and the forms they occurred in.
#[pyclass(frozen, module = "majuscule._native")]
pub struct Lexicon {
    lexicon: lexicon::Lexicon,
}

/// A form of a word: its spelling, and its numbers of occurrences inside sentences and at their beginnings.
type FormRow = (String, f64, f64);

#[pymethods]
impl Lexicon {
    /// Reads a lexicon, a word list or a Moses model, whose name in errors is `name`.
    #[staticmethod]
    fn read(py: Python<'_>, bytes: PyBackedBytes, name: &str) -> PyResult<Self> {
        let lexicon = detached(py, || read(Input::new(name, &*bytes)?, &LexiconReadConfig::default()))?;
        Ok(Self { lexicon })
    }

    /// Returns the bytes of its file.
    fn written<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut out = Vec::new();
        tsv::write(&self.lexicon, &mut out)
            .map_err(|error| raised(py, &majuscule::Error::io("write", "a lexicon", error)))?;
        Ok(PyBytes::new(py, &out))
    }

    /// Returns this lexicon with the counts of another one added.
    fn merged(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        Ok(Self { lexicon: detached(py, || self.lexicon.clone().merge(&other.lexicon))? })
    }

    #[getter]
    fn language(&self) -> &str {
        self.lexicon.language()
    }

    fn __len__(&self) -> usize {
        self.lexicon.len()
    }

    /// Returns the forms of a word, which may be in any case; None if the lexicon lacks it.
    fn forms(&self, word: PyBackedStr) -> Option<Vec<FormRow>> {
        let mut lower = String::new();
        lower_word(&word, self.lexicon.locale(), &mut lower);
        self.lexicon.get(&lower).map(|entry| self.rows(entry))
    }

    /// Returns all words, in the order of their bytes.
    fn words(&self) -> Vec<String> {
        self.lexicon.iter().map(|entry| entry.word.to_owned()).collect()
    }
}

impl Lexicon {
    fn rows(&self, entry: LexiconEntry<'_>) -> Vec<FormRow> {
        let row = |form: &CountedForm| {
            let mut spelled = String::new();
            form.case.apply(entry.word, self.lexicon.locale(), &mut spelled);
            (spelled, form.count, form.initial)
        };
        entry.forms.iter().map(row).collect()
    }
}
