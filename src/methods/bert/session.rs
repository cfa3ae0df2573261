//! Words in, choices out: sentences, or windows of long ones, go through the tagger one at a time, so that no choice depends on
//! what else was pushed.

use super::passage::{Passage, Pool, Text};
use super::{Bert, failed};
use crate::error::Result;
use crate::restorer::{End, Session, Want};
use crate::text::{Choice, Tokens};

/// A text on its way through a model.
#[derive(Debug)]
pub struct Tagging<'a> {
    model: &'a Bert,
    want: Want,
    passage: Passage<'a>,
    texts: Vec<Text>,
    pool: Pool,
}

impl<'a> Tagging<'a> {
    /// Begins with a text.
    pub fn new(model: &'a Bert, want: Want) -> Self {
        Self { model, want, passage: model.passage(want), texts: Vec::new(), pool: Pool::default() }
    }

    fn answer(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        for text in self.texts.drain(..) {
            answer(self.model, &mut self.pool, text, self.want, out)?;
        }
        Ok(())
    }
}

fn answer(model: &Bert, pool: &mut Pool, text: Text, want: Want, out: &mut Vec<Choice>) -> Result<()> {
    let scores = model.scores(&[&text])?;
    model.choices(pool, text, &mut scores.iter().map(Vec::as_slice), want, out);
    Ok(())
}

impl Session for Tagging<'_> {
    fn push(&mut self, tokens: &Tokens, end: End, out: &mut Vec<Choice>) -> Result<()> {
        for (lower, token) in tokens.iter() {
            self.passage.push(lower, token, &mut self.texts).map_err(failed)?;
        }
        match end {
            End::More => {}
            End::Soft => self.passage.soft(&mut self.texts),
            End::Now => self.passage.now(&mut self.texts),
            End::Flush => self.passage.finish(&mut self.texts),
        }
        self.answer(out)
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        match self.passage.rest() {
            Some(text) => answer(self.model, &mut self.pool.clone(), text, self.want, out),
            None => Ok(()),
        }
    }
}
