//! Receivers of a model as it is estimated, order by order: a table in memory, or an ARPA file.

use std::io::{self, Write};

use majuscule_base::error::{Error, Result};
use majuscule_lm::arpa::push_number;
use majuscule_lm::table::{NgramTable, NgramTableBuilder};
use majuscule_lm::vocab::{Vocabulary, WordId};

/// Receives a model as it is estimated.
pub(super) trait ModelSink {
    /// Begins a model, given the number of n-grams of each order and p of every word.
    fn begin_model(&mut self, counts: &[usize], words: &[f64]) -> Result<()>;
    /// Begins the next order, whose n-grams come context by context.
    fn begin_order(&mut self) -> Result<()>;
    /// Begins the n-grams of the next context.
    fn begin(&mut self);
    /// Adds an n-gram, given its last word and p.
    fn push(&mut self, word: u32, p: f64);
    /// Ends a context, given its words, its p, and log10 of its back-off weight.
    fn end(&mut self, words: &[u32], p: f64, back_off: f32) -> Result<()>;
    /// Ends an order.
    fn end_order(&mut self) -> Result<()>;
    /// Returns true if the sink needs the n-grams of the highest order once more, with all their
    /// words.
    fn wants_highest(&self) -> bool;
    /// Adds an n-gram of the highest order, with all its words.
    fn highest(&mut self, words: &[u32], log10: f32) -> Result<()>;
    /// Ends the model.
    fn end_model(&mut self) -> Result<()>;
}

/// Returns log10 p of a word. The value for `<s>` is never used; it is 0, as other tools write it.
pub(super) fn log10_of_word(word: u32, p: f64) -> f32 {
    if word == WordId::START.0 { 0.0 } else { p.log10() as f32 }
}

/// Builds a model in memory.
#[derive(Debug, Default)]
pub(super) struct Trie {
    order: usize,
    builder: Option<NgramTableBuilder>,
    counts: Vec<usize>,
    /// The current order; `next` is the context after the current one.
    at: usize,
    next: u32,
}

impl Trie {
    pub(super) fn new(order: usize) -> Self {
        Self { order, ..Self::default() }
    }

    pub(super) fn finish(self) -> NgramTable {
        self.builder.expect("a model begins first").finish()
    }

    fn builder(&mut self) -> &mut NgramTableBuilder {
        self.builder.as_mut().expect("a model begins first")
    }
}

impl ModelSink for Trie {
    fn begin_model(&mut self, counts: &[usize], words: &[f64]) -> Result<()> {
        let words = (0..).zip(words).map(|(word, &p)| (log10_of_word(word, p), 0.0)).collect::<Vec<_>>();
        self.builder = Some(NgramTableBuilder::new(self.order, words.into_iter()));
        (self.counts, self.at) = (counts.to_vec(), 1);
        Ok(())
    }

    fn begin_order(&mut self) -> Result<()> {
        self.at += 1;
        let (count, is_highest) = (self.counts[self.at - 1], self.at == self.order);
        self.next = self.builder().last_order();
        self.builder().reserve(count, is_highest);
        Ok(())
    }

    fn begin(&mut self) {
        let context = self.next;
        self.next += 1;
        self.builder().begin(context);
    }

    #[inline]
    fn push(&mut self, word: u32, p: f64) {
        let back_off = (self.at < self.order).then_some(0.0);
        let builder = self.builder();
        let suffix = builder.suffix(word);
        builder.push(word, suffix, p.log10() as f32, back_off);
    }

    fn end(&mut self, _: &[u32], _: f64, back_off: f32) -> Result<()> {
        let context = self.next - 1;
        self.builder().set_back_off(context, back_off);
        Ok(())
    }

    fn end_order(&mut self) -> Result<()> {
        self.builder().end_order().map_err(Error::usage)
    }

    fn wants_highest(&self) -> bool {
        false
    }

    fn highest(&mut self, _: &[u32], _: f32) -> Result<()> {
        Ok(())
    }

    fn end_model(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Writes an ARPA file.
pub(super) struct Arpa<'a> {
    order: usize,
    vocabulary: &'a Vocabulary,
    out: &'a mut dyn Write,
    refused: &'a dyn Fn(io::Error) -> Error,
    /// The order being written.
    at: usize,
    buffer: Vec<u8>,
    /// The words before the last one of the most recently written n-gram; `text` is their text.
    history: Vec<u32>,
    text: Vec<u8>,
}

/// The size at which the buffer is flushed: large enough that the cost of a write is negligible.
const FULL: usize = 1 << 18;

impl<'a> Arpa<'a> {
    pub(super) fn new(
        order: usize,
        vocabulary: &'a Vocabulary,
        out: &'a mut dyn Write,
        refused: &'a dyn Fn(io::Error) -> Error,
    ) -> Self {
        let (buffer, history) = (Vec::with_capacity(FULL + FULL / 8), Vec::new());
        Self { order, vocabulary, out, refused, at: 0, buffer, history, text: Vec::new() }
    }

    fn section(&mut self) {
        self.at += 1;
        self.buffer.extend_from_slice(format!("\n\\{}-grams:\n", self.at).as_bytes());
        self.history.clear();
        self.text.clear();
        self.text.push(b'\t');
    }

    #[inline]
    fn line(&mut self, words: &[u32], log10: f32, back_off: Option<f32>) -> Result<()> {
        let [history @ .., last] = words else { return Ok(()) };
        if self.history != history {
            self.remember(history);
        }
        push_number(log10, &mut self.buffer);
        self.buffer.extend_from_slice(&self.text);
        self.buffer.extend_from_slice(self.vocabulary.word(WordId(*last)).as_bytes());
        if let Some(back_off) = back_off {
            self.buffer.push(b'\t');
            push_number(back_off, &mut self.buffer);
        }
        self.buffer.push(b'\n');
        if self.buffer.len() >= FULL { self.flush() } else { Ok(()) }
    }

    fn remember(&mut self, history: &[u32]) {
        self.history.clear();
        self.text.clear();
        self.history.extend_from_slice(history);
        self.text.push(b'\t');
        for &word in history {
            self.text.extend_from_slice(self.vocabulary.word(WordId(word)).as_bytes());
            self.text.push(b' ');
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.out.write_all(&self.buffer).map_err(self.refused)?;
        self.buffer.clear();
        Ok(())
    }
}

impl ModelSink for Arpa<'_> {
    fn begin_model(&mut self, counts: &[usize], _: &[f64]) -> Result<()> {
        self.buffer.extend_from_slice(b"\\data\\\n");
        for (order, count) in (1..).zip(counts) {
            self.buffer.extend_from_slice(format!("ngram {order}={count}\n").as_bytes());
        }
        Ok(())
    }

    fn begin_order(&mut self) -> Result<()> {
        self.section();
        Ok(())
    }

    fn begin(&mut self) {}

    fn push(&mut self, _: u32, _: f64) {}

    #[inline]
    fn end(&mut self, words: &[u32], p: f64, back_off: f32) -> Result<()> {
        let log10 = if let [word] = *words { log10_of_word(word, p) } else { p.log10() as f32 };
        self.line(words, log10, Some(back_off))
    }

    fn end_order(&mut self) -> Result<()> {
        Ok(())
    }

    fn wants_highest(&self) -> bool {
        true
    }

    fn highest(&mut self, words: &[u32], log10: f32) -> Result<()> {
        if self.at < self.order {
            self.section();
        }
        self.line(words, log10, None)
    }

    fn end_model(&mut self) -> Result<()> {
        if self.at < self.order {
            self.section();
        }
        self.buffer.extend_from_slice(b"\n\\end\\\n");
        self.flush()
    }
}
