//! Words in, choices out: sentences, or windows of long ones, go through the network one at a time, so that no choice depends on
//! what else was pushed.

use super::Bilstm;
use super::gather::{Gather, Text};
use majuscule::error::Result;
use majuscule::restorer::{End, Session, Want};
use majuscule::text::{Choice, Tokens};

/// A text on its way through a model.
#[derive(Debug)]
pub struct Tagging<'a> {
    model: &'a Bilstm,
    want: Want,
    gather: Gather<'a>,
    texts: Vec<Text>,
}

impl<'a> Tagging<'a> {
    /// Begins with a text.
    pub fn new(model: &'a Bilstm, want: Want) -> Self {
        Self { model, want, gather: model.gather(want), texts: Vec::new() }
    }

    fn answer(&mut self, out: &mut Vec<Choice>) {
        for text in self.texts.drain(..) {
            out.extend(self.model.answer(&text, self.want));
        }
    }
}

impl Session for Tagging<'_> {
    fn push(&mut self, tokens: &Tokens, end: End, out: &mut Vec<Choice>) -> Result<()> {
        for (lower, token) in tokens.iter() {
            self.gather.push(lower, token, &mut self.texts);
            self.answer(out);
        }
        match end {
            End::More => {}
            End::Soft => self.gather.soft(&mut self.texts),
            End::Now => self.gather.now(&mut self.texts),
            End::Flush => self.gather.finish(&mut self.texts),
        }
        self.answer(out);
        Ok(())
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        self.texts.extend(self.gather.rest());
        self.answer(out);
        Ok(())
    }
}
