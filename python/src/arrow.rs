//! Columns of texts by the Arrow PyCapsule interface, without pyarrow: one moves in without a copy, and one moves out.
//!
//! The only unsafe code is here: a capsule holds a C structure, whose content its consumer takes.
#![allow(unsafe_code, reason = "a capsule of another library is a pointer")]

use std::ffi::CStr;
use std::fmt::Display;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayRef, LargeStringArray, make_array, new_null_array};
use arrow_schema::{ArrowError, DataType};
use majuscule_base::error::caught;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyList};

use crate::{Restorer, on_texts, restored_texts};

/// The dunder methods of the interface.
const ARRAY: &str = "__arrow_c_array__";
const STREAM: &str = "__arrow_c_stream__";

/// Moves the content out of a capsule, which holds a released structure afterwards.
fn taken<T>(capsule: &Bound<'_, PyCapsule>, name: &CStr, empty: T) -> PyResult<T> {
    let content = capsule.pointer_checked(Some(name))?.cast::<T>();
    // SAFETY: a capsule of this name holds a structure of this type, and the interpreter is attached.
    Ok(unsafe { content.replace(empty) })
}

fn wrong(error: &impl Display) -> PyErr {
    PyValueError::new_err(format!("the column cannot be read: {error}"))
}

/// Reads what another library passed; a structure of another type than its schema makes arrow panic.
fn read<T>(work: impl FnOnce() -> Result<T, ArrowError>) -> PyResult<T> {
    match caught(|| Ok(work())) {
        Ok(read) => read.map_err(|error| wrong(&error)),
        Err(_) => Err(wrong(&"an array is not of the type of its schema")),
    }
}

fn released() -> PyErr {
    PyValueError::new_err("the capsule was read before: ask its owner for another one")
}

/// Reads a column of another library as chunks; `None` if the object is not a column.
fn chunks_of(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    // A table has a stream of its rows, and a series has a stream of its values; an array is one chunk.
    let chunks = if object.hasattr(STREAM)? {
        let capsule = object.call_method0(STREAM)?;
        let stream = taken(capsule.cast()?, c"arrow_array_stream", FFI_ArrowArrayStream::empty())?;
        if stream.release().is_none() {
            return Err(released());
        }
        read(|| ArrayStreamReader::try_new(stream)?.collect::<Result<Vec<_>, _>>())?
    } else if object.hasattr(ARRAY)? {
        let pair = object.call_method0(ARRAY)?;
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair.extract()?;
        let schema = taken(&schema, c"arrow_schema", FFI_ArrowSchema::empty())?;
        let array = taken(&array, c"arrow_array", FFI_ArrowArray::empty())?;
        if array.is_released() || schema.release().is_none() {
            return Err(released());
        }
        // SAFETY: both structures come from one call of the interface, which promises that they fit.
        vec![read(|| unsafe { from_ffi(array, &schema) }.map(make_array))?]
    } else {
        return Ok(None);
    };
    for chunk in &chunks {
        check(chunk.data_type())?;
        // The producer may have read the data from a file without a check of offsets, views, keys and UTF-8.
        read(|| chunk.to_data().validate_full())?;
    }
    Ok(Some(chunks))
}

/// Refuses a column of other values than texts.
fn check(kind: &DataType) -> PyResult<()> {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => Ok(()),
        DataType::Dictionary(_, values) if !matches!(**values, DataType::Dictionary(..)) => check(values),
        DataType::Struct(_) => Err(PyTypeError::new_err(
            "a table is given, but a column is expected: name one, as in table[\"text\"]",
        )),
        other => Err(PyTypeError::new_err(format!("a column of {other} is given, but texts are expected"))),
    }
}

/// Decodes a dictionary chunk to one text per row; other chunks stay as they are.
fn of_dictionary(chunk: &ArrayRef) -> ArrayRef {
    let Some(dictionary) = chunk.as_any_dictionary_opt() else { return Arc::clone(chunk) };
    let mut values = Vec::new();
    push_texts(dictionary.values(), &mut values);
    if values.is_empty() {
        return new_null_array(&DataType::LargeUtf8, chunk.len());
    }
    let keys = dictionary.normalized_keys().into_iter().enumerate();
    let text = |(row, key): (usize, usize)| if chunk.is_valid(row) { values[key] } else { None };
    Arc::new(keys.map(text).collect::<LargeStringArray>())
}

/// Adds the texts of a chunk, `None` for nulls.
fn push_texts<'a>(chunk: &'a ArrayRef, texts: &mut Vec<Option<&'a str>>) {
    match chunk.data_type() {
        DataType::Utf8 => texts.extend(chunk.as_string::<i32>().iter()),
        DataType::LargeUtf8 => texts.extend(chunk.as_string::<i64>().iter()),
        DataType::Utf8View => texts.extend(chunk.as_string_view().iter()),
        _ => texts.resize(texts.len() + chunk.len(), None),
    }
}

/// A restored column: one chunk, which Arrow libraries read, and a sequence of texts.
#[pyclass(frozen, sequence, module = "majuscule._native")]
pub struct RestoredColumn {
    array: ArrayRef,
    /// The texts as Python's, once they are asked for.
    texts: PyOnceLock<Py<PyList>>,
}

impl RestoredColumn {
    fn texts<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyList>> {
        let make = || {
            let plain = of_dictionary(&self.array);
            let mut texts = Vec::new();
            push_texts(&plain, &mut texts);
            PyResult::Ok(PyList::new(py, texts)?.unbind())
        };
        Ok(self.texts.get_or_try_init(py, make)?.bind(py))
    }
}

#[pymethods]
impl RestoredColumn {
    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.texts(py)?.try_iter()?.into_any())
    }

    /// Returns the text of a row, or a list of the texts of a slice.
    fn __getitem__<'py>(&self, py: Python<'py>, at: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.texts(py)?.as_any().get_item(at)
    }

    /// Passes the texts to NumPy, as objects unless another type is requested.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err(
                "a restored column cannot be an array without a copy: leave copy out",
            ));
        }
        let numpy = py.import("numpy")?;
        let kind = dtype.map_or_else(|| numpy.getattr("object_"), Ok)?;
        numpy.call_method1("array", (self.texts(py)?, kind))
    }

    /// Passes the schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.array.data_type()).map_err(|error| wrong(&error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Passes the column, whose type is its own whatever is requested.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let array = FFI_ArrowArray::new(&self.array.to_data());
        Ok((self.__arrow_c_schema__(py)?, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }
}

/// Restores a column; `None` if the object is not a column.
#[pyfunction]
pub fn restore_column(
    py: Python<'_>,
    restorer: PyRef<'_, Restorer>,
    object: &Bound<'_, PyAny>,
    threads: usize,
) -> PyResult<Option<RestoredColumn>> {
    let Some(chunks) = chunks_of(object)? else { return Ok(None) };
    let array = on_texts(py, &restorer.restorer, |restorer| {
        let mut texts: Vec<Option<&str>> = Vec::new();
        // Each value of a dictionary is restored once.
        if let [chunk] = &*chunks
            && let Some(dictionary) = chunk.as_any_dictionary_opt()
        {
            push_texts(dictionary.values(), &mut texts);
            let values: LargeStringArray = restored_texts(restorer, &texts, threads)?;
            return Ok(dictionary.with_values(Arc::new(values)));
        }
        let plain: Vec<ArrayRef> = chunks.iter().map(of_dictionary).collect();
        plain.iter().for_each(|chunk| push_texts(chunk, &mut texts));
        let restored: LargeStringArray = restored_texts(restorer, &texts, threads)?;
        Ok(Arc::new(restored) as ArrayRef)
    })?;
    Ok(Some(RestoredColumn { array, texts: PyOnceLock::new() }))
}
