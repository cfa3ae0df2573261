//! Words in, choices out: sentences, or windows of long ones, go through the tagger, in which no choice depends on what else
//! was pushed.

use super::passage::{Passage, Pool, Text};
use super::{Bert, failed};
use majuscule::error::Result;
use majuscule::restorer::{End, Session, Want};
use majuscule::text::{Choice, Tokens};

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
        let texts = std::mem::take(&mut self.texts);
        // Where scores depend on what is computed together, a text must not on what was pushed with it.
        let together = if self.model.is_by_itself() { texts.len().max(1) } else { 1 };
        let mut texts = texts.into_iter().peekable();
        while texts.peek().is_some() {
            let group: Vec<Text> = texts.by_ref().take(together).collect();
            answer(self.model, &mut self.pool, group, self.want, out)?;
        }
        Ok(())
    }
}

fn answer(model: &Bert, pool: &mut Pool, texts: Vec<Text>, want: Want, out: &mut Vec<Choice>) -> Result<()> {
    let scores = model.scores(&texts.iter().collect::<Vec<_>>(), want)?;
    let mut scores = scores.iter().map(Vec::as_slice);
    texts.into_iter().for_each(|text| model.choices(pool, text, &mut scores, want, out));
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
            Some(text) => answer(self.model, &mut self.pool.clone(), vec![text], self.want, out),
            None => Ok(()),
        }
    }
}
