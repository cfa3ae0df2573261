//! A method that panics, with which a test shows that a panic is an exception.

use std::sync::Arc;

use majuscule::{Error, Model};
use majuscule_text::restorer::{Boundary, Request, Restorer, Session};
use majuscule_text::{Choice, Labels, Tokens};
use pyo3::prelude::*;

use crate::NativeModel;

struct Broken(Labels);

impl Restorer for Broken {
    fn labels(&self) -> &Labels {
        &self.0
    }

    fn look_ahead(&self) -> Option<usize> {
        Some(0)
    }

    fn session(&self, _: Request) -> Box<dyn Session + '_> {
        Box::new(BrokenSession)
    }
}

struct BrokenSession;

impl Session for BrokenSession {
    fn push(&mut self, _: &Tokens, _: Boundary, _: &mut Vec<Choice>) -> Result<(), Error> {
        panic!("broken on purpose")
    }
}

/// Returns a model like this one whose method panics.
#[pyfunction]
pub fn broken(model: PyRef<'_, NativeModel>) -> NativeModel {
    let labels = model.model.restorer.labels().clone();
    NativeModel { model: Model { restorer: Arc::new(Broken(labels)), ..model.model.clone() } }
}
