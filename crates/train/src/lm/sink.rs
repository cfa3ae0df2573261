//! Receivers of a model as it is estimated, order by order: a table in memory, or an ARPA file.

use std::io;

use super::kneser_ney::Child;
use majuscule_base::error::{Error, Result};
use majuscule_lm::arpa::ArpaWriter;
use majuscule_lm::table::NgramTableBuilder;
use majuscule_lm::vocab::WordId;

/// Receives a model as it is estimated.
pub(super) trait ModelSink {
    /// True if the sink needs the n-grams of the highest order once more, with all their words.
    const WANTS_HIGHEST: bool;

    /// Begins the next order, which comes context by context and has `count` n-grams.
    fn begin_order(&mut self, count: usize);
    /// Adds a context, given its words, its p, log10 of its back-off weight, and the n-grams that
    /// begin with it.
    fn context(&mut self, words: &[WordId], p: f64, back_off: f32, children: &[Child]) -> Result<()>;
    /// Ends an order.
    fn end_order(&mut self) -> Result<()>;
    /// Adds an n-gram of the highest order, with all its words and its p.
    fn highest(&mut self, words: &[WordId], p: f64) -> Result<()>;
}

/// Returns log10 p of an n-gram. The value for `<s>` is never used; it is 0, as other tools write
/// it.
pub(super) fn log10_of(words: &[WordId], p: f64) -> f32 {
    if *words == [WordId::START] { 0.0 } else { p.log10() as f32 }
}

impl ModelSink for NgramTableBuilder {
    const WANTS_HIGHEST: bool = false;

    fn begin_order(&mut self, count: usize) {
        self.reserve(count);
    }

    #[inline]
    fn context(&mut self, _: &[WordId], _: f64, back_off: f32, children: &[Child]) -> Result<()> {
        self.begin_next();
        for child in children.iter().filter(|child| child.stays) {
            self.push(child.word, child.p.log10() as f32, 0.0);
        }
        self.set_back_off(back_off);
        Ok(())
    }

    fn end_order(&mut self) -> Result<()> {
        NgramTableBuilder::end_order(self).map_err(Error::usage)
    }

    fn highest(&mut self, _: &[WordId], _: f64) -> Result<()> {
        Ok(())
    }
}

/// Writes an ARPA file.
pub(super) struct Arpa<'a> {
    pub(super) lines: ArpaWriter<'a>,
    /// The function that turns the errors of the file into errors of the library.
    pub(super) refused: &'a dyn Fn(io::Error) -> Error,
}

impl ModelSink for Arpa<'_> {
    const WANTS_HIGHEST: bool = true;

    /// Begins the order of the contexts, which are one word shorter than the n-grams of the order.
    fn begin_order(&mut self, _: usize) {
        self.lines.begin_order();
    }

    #[inline]
    fn context(&mut self, words: &[WordId], p: f64, back_off: f32, _: &[Child]) -> Result<()> {
        self.lines.ngram(words, log10_of(words, p), Some(back_off)).map_err(self.refused)
    }

    fn end_order(&mut self) -> Result<()> {
        Ok(())
    }

    fn highest(&mut self, words: &[WordId], p: f64) -> Result<()> {
        self.lines.ngram(words, log10_of(words, p), None).map_err(self.refused)
    }
}
