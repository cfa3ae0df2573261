//! Cuts words into windows: whole sentences, and overlapping windows if a sentence is too long.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use majuscule::error::Result;
use majuscule::restorer::Boundary;
use majuscule::text::{Break, Constraint, Token, Tokens};

/// The input of a network: the ids of a word, and the windows that it reads.
pub trait WordEncoder: Debug + Send {
    /// The ids of a word.
    type Ids: Debug + Send + Sync;
    /// A window of words that the network reads at a time.
    type Window: Debug + Send;

    /// Encodes a word, which may take up at most `capacity`.
    fn encode(&self, lower: &str, capacity: usize) -> Result<Self::Ids>;

    /// The part of a window's capacity that a word takes up.
    fn size(ids: &Self::Ids) -> usize;

    /// Makes a window of these words. Its targets are those in the range `targets`, and no later
    /// window has the first `done` of them as targets.
    fn window(&self, words: &[WindowWord<Self::Ids>], targets: Range<usize>, done: usize) -> Self::Window;
}

/// A word and its ids, shared by all windows that contain it.
#[derive(Debug, PartialEq, Eq)]
pub struct EncodedWord<I> {
    pub lower: String,
    pub ids: I,
}

/// A word at its place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowWord<I> {
    pub word: Arc<EncodedWord<I>>,
    pub constraint: Constraint,
}

/// The size of windows, and the choice of their targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowOptions {
    /// The capacity of a window.
    pub capacity: usize,
    /// The part of the capacity that two windows share if a word is a target once.
    pub overlap: usize,
    /// True if a text continues after the end of a line.
    pub runs_on: bool,
    /// The largest number of words of right context. With it a word is a target once.
    pub look_ahead: Option<usize>,
    /// The number of windows that have a word as a target. Words near the beginning and the end of
    /// a long text are in fewer, and a text that fits is its only window.
    pub predictions: usize,
}

impl WindowOptions {
    fn has_targets_once(&self) -> bool {
        self.predictions == 1 || self.look_ahead.is_some()
    }

    /// Returns the least capacity by which a window begins after the previous one.
    fn advance(&self) -> usize {
        match self.has_targets_once() {
            true => self.capacity - self.overlap,
            false => self.capacity / self.predictions,
        }
    }
}

/// The words of a text that are being cut into windows.
#[derive(Debug)]
pub struct Windower<E: WordEncoder> {
    encoder: E,
    options: WindowOptions,
    /// The words of the current text, from the beginning of the next window on.
    words: Vec<WindowWord<E::Ids>>,
    /// The number of these words that no later window has as targets.
    answered: usize,
    /// The capacity that all these words take up.
    size: usize,
    encoded: FxHashMap<String, Arc<EncodedWord<E::Ids>>>,
}

/// The largest number of encoded words kept; then all are dropped.
const MOST_ENCODED: usize = 1 << 16;

impl<E: WordEncoder> Windower<E> {
    /// Makes a windower without words.
    pub fn new(encoder: E, options: WindowOptions) -> Self {
        let encoded = FxHashMap::default();
        Self { encoder, options, words: Vec::new(), answered: 0, size: 0, encoded }
    }

    /// Takes a word and appends the windows that are complete.
    pub fn push(&mut self, lower: &str, token: &Token, out: &mut Vec<E::Window>) -> Result<()> {
        if self.starts_new_segment(token) {
            self.finish(out);
        }
        let word = self.encoded(lower)?;
        self.size += E::size(&word.ids);
        self.words.push(WindowWord { word, constraint: token.constraint });
        if self.size > self.options.capacity {
            self.shift(out);
        }
        if let Some(look_ahead) = self.options.look_ahead {
            while self.words.len() - self.answered > look_ahead {
                out.push(self.last_window(self.answered + look_ahead + 1, self.answered + 1));
                self.answered += 1;
            }
        }
        Ok(())
    }

    /// Takes the boundary after the last word and appends the windows that are complete.
    pub fn end(&mut self, end: Boundary, out: &mut Vec<E::Window>) {
        match end {
            Boundary::None => {}
            Boundary::Line if self.options.runs_on => {}
            Boundary::Line | Boundary::Reset => self.finish(out),
            Boundary::Force => self.force(out),
        }
    }

    /// Takes a whole document and appends its windows.
    pub fn push_document(&mut self, document: &Tokens, out: &mut Vec<E::Window>) -> Result<()> {
        for (lower, token) in document.iter() {
            self.push(lower, token, out)?;
        }
        self.finish(out);
        Ok(())
    }

    /// Returns a window for the words that are not labelled yet.
    pub fn rest(&self) -> Option<E::Window> {
        (self.answered < self.words.len()).then(|| self.last_window(self.words.len(), self.words.len()))
    }

    /// Appends a window for the words that are not labelled yet; they stay as context.
    fn force(&mut self, out: &mut Vec<E::Window>) {
        out.extend(self.rest());
        self.answered = self.words.len();
    }

    /// Ends the text.
    fn finish(&mut self, out: &mut Vec<E::Window>) {
        self.force(out);
        self.words.clear();
        (self.answered, self.size) = (0, 0);
    }

    fn starts_new_segment(&self, token: &Token) -> bool {
        let line = if self.options.runs_on { Break::Turn } else { Break::Line };
        token.starts || token.before >= line
    }

    fn encoded(&mut self, lower: &str) -> Result<Arc<EncodedWord<E::Ids>>> {
        if let Some(word) = self.encoded.get(lower) {
            return Ok(word.clone());
        }
        let ids = self.encoder.encode(lower, self.options.capacity)?;
        let word = Arc::new(EncodedWord { lower: lower.to_owned(), ids });
        if self.encoded.len() >= MOST_ENCODED {
            self.encoded.clear();
        }
        self.encoded.insert(lower.to_owned(), word.clone());
        Ok(word)
    }

    /// Makes a window of all words but the last, which does not fit, and starts the next window
    /// some words later. If a word is a target once, each window has the half of the part shared
    /// with the next that is nearer to its middle. Otherwise all windows that contain a word have
    /// it as a target.
    fn shift(&mut self, out: &mut Vec<E::Window>) {
        let end = self.words.len() - 1;
        let (capacity, advance) = (self.options.capacity, self.options.advance());
        let (mut dropped, mut size) = (0, 0);
        while dropped < end && (size < advance || self.size - size > capacity) {
            size += E::size(&self.words[dropped].word.ids);
            dropped += 1;
        }
        let middle = dropped.midpoint(end);
        let (until, answered) =
            if self.options.has_targets_once() { (middle, middle) } else { (end, dropped) };
        if self.answered < until {
            out.push(self.window(end, until, answered.saturating_sub(self.answered)));
        }
        self.answered = self.answered.max(answered) - dropped;
        self.words.drain(..dropped);
        self.size -= size;
    }

    /// Returns the window of the first `end` words that is the last one with the words before
    /// `until` as targets.
    fn last_window(&self, end: usize, until: usize) -> E::Window {
        self.window(end, until, until - self.answered)
    }

    fn window(&self, end: usize, until: usize, done: usize) -> E::Window {
        self.encoder.window(&self.words[..end], self.answered..until, done)
    }
}
