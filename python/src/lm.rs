//! N-gram language models of Python calls.

use std::path::PathBuf;

use majuscule_base::error::Error;
use majuscule_lm::NgramModel;
use majuscule_text::Locale;
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::lm::score::{TextScore, score};
use majuscule_train::lm::words::WordUnits;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use crate::{detached, raised};

/// An n-gram language model.
#[pyclass(frozen, module = "majuscule._native")]
pub struct LanguageModel {
    model: NgramModel,
}

#[pymethods]
impl LanguageModel {
    /// Opens a model, ARPA or binary.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self { model: detached(py, || NgramModel::open(path))? })
    }

    /// The length of the longest n-grams.
    #[getter]
    fn order(&self) -> usize {
        self.model.order()
    }

    /// The numbers of n-grams of each length, from 1.
    #[getter]
    fn counts(&self) -> Vec<usize> {
        self.model.counts()
    }

    fn __contains__(&self, word: &str) -> bool {
        self.model.vocabulary().id(word) != majuscule_lm::WordId::UNKNOWN
    }

    /// Scores a text, one sentence per line: log10 of its probability, and the numbers of sentences, words and unknown
    /// words. `units` is "words", "plain" or the marks that are words too.
    fn score(&self, py: Python<'_>, text: PyBackedStr, units: &str) -> PyResult<(f64, u64, u64, u64)> {
        let units = match units {
            "words" => WordUnits::Words,
            "plain" => WordUnits::Given,
            marks => WordUnits::Marked(marks.parse().map_err(|error: Error| raised(py, &error))?),
        };
        let found = detached(py, || {
            let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Text, Locale::Root);
            let mut found = TextScore::default();
            score(&self.model, &corpus, units, |sentence| {
                found.add(sentence);
                Ok(())
            })?;
            Ok(found)
        })?;
        Ok((found.sum.log10, found.sentences, found.sum.words, found.sum.unknown))
    }
}
