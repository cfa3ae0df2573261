//! Cuts words into windows: whole sentences, and overlapping windows if a sentence is too long.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::heads::{ChainWord, RightContext, WordContext, WordLayout};
use crate::gaps::ShownGap;
use crate::sentence_starts::MarkedStarts;
use majuscule_base::error::Result;
use majuscule_text::restorer::{Boundary, Request, SentenceStarts};
use majuscule_text::{Break, Case, Constraint, MarkSet, Token, Tokens};

/// Makes the input of a network: the ids of words, and windows of words.
pub trait WordEncoder: Debug + Send {
    /// The ids of a word.
    type Ids: Debug + Send + Sync;
    /// A window of words that the network reads at a time.
    type Window: Debug + Send;

    /// Encodes a word, which may take up at most `capacity`.
    fn encode(&self, lower: &str, capacity: usize) -> Result<Self::Ids>;

    /// Returns the part of a window's capacity that a word takes up.
    fn size(ids: &Self::Ids) -> usize;

    /// Makes a window of these words, after which `after` follows. Its targets are the words in the
    /// range `targets`, and no later window has the first `done` of them as targets.
    fn window(
        &self,
        words: &[WindowWord<Self::Ids>],
        after: RightContext,
        targets: Range<usize>,
        done: usize,
    ) -> Self::Window;
}

/// A word and its ids, shared by all windows that contain it.
#[derive(Debug, PartialEq, Eq)]
pub struct EncodedWord<I> {
    /// The word in lower case.
    pub lower: String,
    /// The ids.
    pub ids: I,
}

/// A word at its position in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowWord<I> {
    /// The word.
    pub word: Arc<EncodedWord<I>>,
    /// The facts about it that the text shows.
    pub context: WordContext,
}

/// A window of whole words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordWindow<I> {
    /// The words.
    pub words: Vec<WindowWord<I>>,
    /// The text after the last word.
    pub after: RightContext,
    /// The range of the words that are to be labelled.
    pub targets: Range<usize>,
}

impl<I> WordWindow<I> {
    /// Makes a window of these words, which it shares with other windows.
    pub fn new(words: &[WindowWord<I>], after: RightContext, targets: Range<usize>) -> Self {
        let word = |WindowWord { word, context }: &WindowWord<I>| WindowWord {
            word: word.clone(),
            context: *context,
        };
        Self { words: words.iter().map(word).collect(), after, targets }
    }

    /// Forgets the first words, which are not to be labelled.
    pub fn forget(&mut self, words: usize) {
        self.words.drain(..words);
        self.targets = self.targets.start - words..self.targets.end - words;
    }

    /// Returns the facts about a word that, together with its scores, decide its labels.
    pub fn chain_word(&self, at: usize, start_odds: u16) -> ChainWord<'_> {
        let WindowWord { word, context } = &self.words[at];
        let after = right_context(&self.words, at, self.after);
        ChainWord { lower: &word.lower, context: *context, after, start_odds }
    }
}

/// Returns the text after word `at` of a window, after which `after` follows.
pub fn right_context<I>(words: &[WindowWord<I>], at: usize, after: RightContext) -> RightContext {
    words.get(at + 1).map_or(after, |next| RightContext::word(next.context))
}

/// The size of windows, and the choice of their targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowOptions {
    /// The capacity of a window.
    pub capacity: usize,
    /// The part of the capacity that two successive windows share if each word is a target only
    /// once.
    pub overlap: usize,
    /// True if a text continues after the end of a line.
    pub runs_on: bool,
    /// The largest number of words of right context. If it is set, each word is a target only once.
    pub look_ahead: Option<usize>,
    /// True if marks are inserted: the marks of the text are then constraints and not context.
    pub puts_marks: bool,
    /// True if capitals of the source are evidence: see [`Request::shown_capitals`].
    pub shown_capitals: bool,
    /// The sentence starts that are requested.
    pub starts: SentenceStarts,
    /// The number of windows that have a word as a target. Words near the beginning and the end of a
    /// long text are targets of fewer windows, and a text that fits into one window has only that
    /// window.
    pub predictions: usize,
}

impl WindowOptions {
    /// Returns the options of windows of this capacity and overlap for texts without marks, whose sentence starts are
    /// predicted. Each word is a target of one window.
    pub fn new(capacity: usize, overlap: usize, runs_on: bool, look_ahead: Option<usize>) -> Self {
        let (starts, predictions) = (SentenceStarts::Predicted, 1);
        let (puts_marks, shown_capitals) = (false, false);
        Self { capacity, overlap, runs_on, look_ahead, puts_marks, shown_capitals, starts, predictions }
    }

    /// Returns the options for a request to a model with these marks.
    #[must_use]
    pub fn for_request(self, request: &Request, marks: MarkSet) -> Self {
        let puts_marks = !request.marks.is_empty() && !marks.is_empty();
        let Request { starts, shown_capitals, .. } = *request;
        Self { puts_marks, starts, shown_capitals, ..self }
    }

    fn has_targets_once(&self) -> bool {
        self.predictions == 1 || self.look_ahead.is_some()
    }

    /// Returns the least capacity between the beginnings of two successive windows.
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
    /// The sentence starts that the text has marked.
    marked: MarkedStarts,
    encoded: FxHashMap<String, Arc<EncodedWord<E::Ids>>>,
}

/// The largest number of encoded words that are kept; when it is reached, all are dropped.
const MOST_ENCODED: usize = 1 << 16;

impl<E: WordEncoder> Windower<E> {
    /// Makes a windower without words.
    pub fn new(encoder: E, options: WindowOptions) -> Self {
        let (marked, encoded) = (MarkedStarts::default(), FxHashMap::default());
        Self { encoder, options, words: Vec::new(), answered: 0, size: 0, marked, encoded }
    }

    /// Adds a word and appends the windows that are complete.
    pub fn push(&mut self, lower: &str, token: &Token, out: &mut Vec<E::Window>) -> Result<()> {
        let mut context = self.context(token);
        if self.starts_new_segment(token) {
            self.finish_before(RightContext::word(context), out);
            context.layout = WordLayout::Apart;
        }
        let word = self.encoded(lower)?;
        self.size += E::size(&word.ids);
        self.words.push(WindowWord { word, context });
        if self.size > self.options.capacity {
            self.shift(out);
        }
        if let Some(look_ahead) = self.options.look_ahead {
            while self.words.len() - self.answered > look_ahead {
                let (end, until) = (self.answered + look_ahead + 1, self.answered + 1);
                out.push(self.window(end, RightContext::Unknown, until, 1));
                self.answered += 1;
            }
        }
        Ok(())
    }

    /// Adds the boundary after the last word and appends the windows that are complete.
    pub fn end(&mut self, end: Boundary, out: &mut Vec<E::Window>) {
        match end {
            Boundary::None => {}
            Boundary::Line if self.options.runs_on => {}
            Boundary::Line | Boundary::Reset => self.finish(out),
            Boundary::Force => self.force(RightContext::Forced, out),
        }
    }

    /// Adds a whole document and appends its windows.
    pub fn push_document(&mut self, document: &Tokens, out: &mut Vec<E::Window>) -> Result<()> {
        for (lower, token) in document.iter() {
            self.push(lower, token, out)?;
        }
        self.finish(out);
        Ok(())
    }

    /// Divides whole documents into windows and returns the windows, and the number of windows of
    /// each document.
    pub fn push_documents(&mut self, documents: &[Tokens]) -> Result<(Vec<E::Window>, Vec<usize>)> {
        let (mut windows, mut counts) = (Vec::new(), Vec::with_capacity(documents.len()));
        for document in documents {
            let before = windows.len();
            self.push_document(document, &mut windows)?;
            counts.push(windows.len() - before);
        }
        Ok((windows, counts))
    }

    /// Returns a window for the words that are not labelled yet, without waiting for more words.
    pub fn rest(&self) -> Option<E::Window> {
        self.rest_before(RightContext::Forced)
    }

    fn rest_before(&self, after: RightContext) -> Option<E::Window> {
        let (from, end) = (self.answered, self.words.len());
        (from < end).then(|| self.window(end, after, end, end - from))
    }

    /// Appends a window for the words that are not labelled yet; they stay as context.
    fn force(&mut self, after: RightContext, out: &mut Vec<E::Window>) {
        out.extend(self.rest_before(after));
        self.answered = self.words.len();
    }

    /// Ends the text.
    fn finish(&mut self, out: &mut Vec<E::Window>) {
        self.finish_before(RightContext::End, out);
        self.marked = MarkedStarts::default();
    }

    /// Ends a segment of the text, after which `after` follows.
    fn finish_before(&mut self, after: RightContext, out: &mut Vec<E::Window>) {
        self.force(after, out);
        self.words.clear();
        (self.answered, self.size) = (0, 0);
    }

    /// Returns the facts about a word that the text shows.
    fn context(&mut self, token: &Token) -> WordContext {
        let WindowOptions { puts_marks, starts, shown_capitals, .. } = self.options;
        if token.before == Break::Document {
            self.marked = MarkedStarts::default();
        }
        let begins = token.starts || starts == SentenceStarts::EveryLine && token.opens;
        WordContext {
            constraint: token.constraint,
            gap: ShownGap::before(token, begins),
            shown: self.marked.take(token, begins),
            refused: if puts_marks { token.refused() } else { MarkSet::NONE },
            // Conventions write abbreviations, initialisms and letters in capitals.
            shows_start: puts_marks
                && shown_capitals
                && token.shows_capital()
                && !token.abbreviates
                && token.constraint == Constraint::Kept(Case::Title),
            layout: WordLayout::before(token),
        }
    }

    fn starts_new_segment(&self, token: &Token) -> bool {
        let line = if self.options.runs_on { Break::Turn } else { Break::Line };
        token.starts && !self.options.puts_marks || token.before >= line
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

    /// Makes a window of all words but the last, which does not fit, and starts the next window some
    /// words later. If each word is a target only once, two windows divide the part that they share:
    /// each has the half that is nearer to its middle as targets. Otherwise a word is a target of
    /// all windows that contain it.
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
            let after = RightContext::word(self.words[end].context);
            out.push(self.window(end, after, until, answered.saturating_sub(self.answered)));
        }
        self.answered = self.answered.max(answered) - dropped;
        self.words.drain(..dropped);
        self.size -= size;
    }

    /// Makes the window of the first `end` words, after which `after` follows, with the words before
    /// `until` that are not labelled yet as targets.
    fn window(&self, end: usize, after: RightContext, until: usize, done: usize) -> E::Window {
        self.encoder.window(&self.words[..end], after, self.answered..until, done)
    }
}
