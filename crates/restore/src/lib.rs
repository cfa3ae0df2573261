//! Restores texts and files: capitals change, punctuation is inserted, and all other bytes stay. The models are built
//! in or found in folders.
//!
//! This crate is a layer below [`majuscule`](https://docs.rs/majuscule) and has the same version. Programs use
//! `majuscule`.
//!
//! Bytes → [`PieceReader`] → pieces with their words → [`Session`] → choices → [`write()`] → bytes.

// `println!` and similar macros panic if nobody reads their output.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod models;
mod bare_pieces;
mod between;
mod calls;
mod captions;
mod dictated;
mod diff;
pub mod language_monitor;
mod notes;
mod openings;
mod options;
mod output;
pub mod pool;
mod sentences;
mod stream;
mod texts;
mod two_passes;
mod word_stream;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

pub use calls::{CallOptions, FileReport, GivenOptions};
pub use language_monitor::LanguageMonitor;
pub use notes::{LanguageSource, Note};
pub use options::{RestoredWord, TextRestorer};
pub use output::Out;
pub use pool::{ChosenModel, FileRequest, LanguageChoice, ModelPool, RestoredFile};
pub use stream::Stream;
pub use texts::RestoredParts;
pub use word_stream::{RestoredPart, WordStream};

use bare_pieces::{BarePieces, BareUse};
use captions::CaptionStreamReader;
use majuscule_base::error::{Error, Result};
use majuscule_base::files::Input;
use majuscule_base::interrupt;
use majuscule_format::{Format, Piece, PieceReader, Plain, WrittenWords};
use majuscule_text::bare_stretches::{BareStretches, LOOK_AHEAD};
use majuscule_text::restorer::{Boundary, Labelling, Request, Restorer, SentenceStarts, Session};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::write::write;
use majuscule_text::{
    AfterWord, Break, Choice, ChosenWords, Conventions, Decision, InsertedMarks, KeptCapitals, MarkPlaces,
    NeededWords, RestoreOptions, Token, Tokens,
};
use openings::with_openings;
use output::PieceWriter;
use two_passes::TwoPasses;

/// The number of pieces in flight between two threads: enough that neither waits for long, few
/// enough that memory stays flat.
const UNDER_WAY: usize = 4;

/// The number of bytes without a word that separate the text before and after them. A method that waits for right
/// context must not hold back more text than this.
const GAP: usize = 1 << 20;

/// The amount of text restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Words read.
    pub words: u64,
    /// Bytes read.
    pub bytes: u64,
    /// True if the output differs from the input.
    pub changed: bool,
}

impl std::ops::Add for Done {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            words: self.words + other.words,
            bytes: self.bytes + other.bytes,
            changed: self.changed || other.changed,
        }
    }
}

/// Restores a file of a format piece by piece and passes the output to `out` as soon as it is
/// certain. With two threads or more, one reads ahead; the output is the same.
///
/// # Errors
/// Returns the errors of the file, of the method and of `out`, and [`Error::Usage`] if the output
/// needs probabilities and the method has none. Output before the error is written.
pub fn restore(
    kind: Format,
    mut input: Input,
    method: &dyn Restorer,
    options: &RestoreOptions,
    out: &mut Out<'_>,
) -> Result<Done> {
    let kind = kind.of_input(&mut input)?;
    let options = &kind.fill_in(options)?;
    if let Some(around) = &options.around {
        return between::restore_file(input, method, options, around, out);
    }
    let request = options::request(options, method, kind)?;
    let mut writer = PieceWriter::new(options.clone(), method);
    let take = &mut |piece: &Piece, decisions: &[Decision]| writer.write(piece, decisions, out);
    Passes::new(kind, method, request, options).run(input, take)?;
    writer.finish(out)?;
    Ok(writer.done)
}

/// The passes over texts of a format.
enum Passes<'a> {
    One(Format, Box<PieceQueue<'a>>),
    Two(Box<TwoPasses<'a>>),
}

impl<'a> Passes<'a> {
    fn new(kind: Format, method: &'a dyn Restorer, request: Request, options: &RestoreOptions) -> Self {
        match options.puts() {
            Some(MarkPlaces::Unmarked) => Self::Two(Box::new(TwoPasses::new(kind, method, request, options))),
            _ => Self::One(kind, Box::new(PieceQueue::of_whole(kind, method, request, options))),
        }
    }

    /// Restores a text and passes its pieces to `take`. After an error, the passes must not be used again.
    fn run(&mut self, input: Input<'_>, take: &mut Take<'_>) -> Result<()> {
        match self {
            Self::One(kind, queue) => queue.read_all(&mut *kind.open(input, queue.options.clone())?, take),
            Self::Two(passes) => passes.run(input, take),
        }
    }

    /// Resets the passes at the end of a text, and keeps their memory for the next text.
    fn forget(&mut self) {
        match self {
            Self::One(_, queue) => queue.forget(),
            Self::Two(passes) => passes.forget(),
        }
    }
}

/// Starts restoring a text of a format while it arrives: plain text, or records, whose name in errors is `name`.
///
/// # Errors
/// Fails like [`Stream::new`], and with [`Error::Usage`] if the format has no records that can come
/// one by one.
pub fn stream_as(
    name: impl Into<String>,
    kind: Format,
    method: Arc<dyn Restorer>,
    options: RestoreOptions,
) -> Result<Box<dyn Streaming>> {
    Ok(match kind == Format::Text {
        true => Box::new(Stream::new(name, method, options)?),
        false => Box::new(CaptionStreamReader::new(name, kind, method, options)?),
    })
}

/// A text that is restored while it arrives. Law: the output does not depend on how the bytes are cut, and output is
/// never taken back. [`Streaming::now`] does not wait for later text, so the words that it writes may have another
/// case.
pub trait Streaming: Send {
    /// Processes the next bytes and appends to `out` all output that is then certain.
    ///
    /// # Errors
    /// Returns the method's errors, and fails if the bytes violate the format or the options; output before the error
    /// is written.
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()>;

    /// Stops waiting: appends all pending text, with the right context that has arrived. If marks are inserted and a
    /// line has just ended, the end of the line also ends a sentence.
    ///
    /// # Errors
    /// Returns the method's errors.
    fn now(&mut self, out: &mut Vec<u8>) -> Result<()>;

    /// Returns the text that [`Streaming::now`] would append: the pending input, in the most
    /// probable cases so far.
    ///
    /// # Errors
    /// Returns the method's errors.
    fn tail(&mut self) -> Result<Vec<u8>>;

    /// Appends the remaining text at the end of the input, and returns the total amount.
    ///
    /// # Errors
    /// Fails like [`Streaming::push`].
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Done>;

    /// Returns the number of bytes received.
    fn taken(&self) -> u64;

    /// Returns the amount of text written.
    fn done(&self) -> Done;
}

/// One of the ranked spellings of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedLine {
    /// The log10 of the joint probability of the labels and the words.
    pub log10: f64,
    /// The line.
    pub line: Vec<u8>,
}

/// Returns the `n` most probable spellings of one line, best first; `None` if the method finds only one spelling. The
/// line is restored as a separate text.
///
/// # Errors
/// Fails if the options do not allow the line.
pub fn n_best(
    line: &[u8],
    method: &dyn Restorer,
    n: usize,
    options: &RestoreOptions,
) -> Result<Option<Vec<RankedLine>>> {
    let whole = whole_piece(line, options)?;
    let found = method.details().and_then(|details| details.n_best(&whole.tokens, n));
    let Some(labellings) = found else { return Ok(None) };
    let written = |labelling: Labelling| {
        let mut choices: Vec<Choice> = labelling.labels.iter().copied().map(Choice::from).collect();
        Conventions::new(options).apply(
            &whole.tokens,
            &mut choices,
            &ChosenWords::default(),
            Break::Document,
        );
        let decisions: Vec<Decision> = choices.into_iter().map(Decision::from).collect();
        let mut line = Vec::new();
        write(&whole.source, &whole.tokens, &decisions, options, &mut line);
        RankedLine { log10: labelling.log10, line }
    };
    Ok(Some(labellings.into_iter().map(written).collect()))
}

/// Reads a text as one piece.
///
/// # Errors
/// Fails if the options do not allow the text.
fn whole_piece(text: impl AsRef<[u8]>, options: &RestoreOptions) -> Result<Piece> {
    let mut plain = Plain::new(Input::of_text("text", text.as_ref()), options.clone());
    let (mut whole, mut piece) = (Piece::default(), Piece::default());
    while plain.next(&mut piece)? {
        let shift = whole.source.len() as u32;
        for (lower, token) in piece.tokens.iter() {
            let source = token.source.start + shift..token.source.end + shift;
            whole.tokens.push(lower, options.locale(), Token { source, ..token.clone() });
        }
        whole.source.extend(&piece.source);
        (whole.after, whole.gap) = (piece.after, piece.gap);
    }
    Ok(whole)
}

/// The pieces of a file.
struct PieceSource<'t> {
    /// The piece that was read last.
    piece: Piece,
    origin: PieceOrigin<'t>,
}

/// The origin of the pieces of a file.
enum PieceOrigin<'t> {
    Reader(&'t mut dyn PieceReader),
    /// Pieces that another thread reads. After a piece that ends a line, the next one is awaited for at most
    /// `patience`.
    Ahead {
        pieces: Receiver<Result<Piece>>,
        /// Returns pieces to be filled again.
        used: Sender<Piece>,
        patience: Option<Duration>,
        limit: Option<Duration>,
    },
}

/// The next part of a file.
enum NextPart {
    Piece,
    /// No piece has come in time.
    Pause,
    End,
}

impl<'t> PieceSource<'t> {
    /// Calls `work` with the pieces of a file, which another thread reads meanwhile if `is_ahead`.
    fn open(
        format: &'t mut dyn PieceReader,
        is_ahead: bool,
        patience: Option<Duration>,
        work: impl FnOnce(Self) -> Result<()>,
    ) -> Result<()> {
        // WebAssembly has no threads, so the compiler leaves out the code below.
        if !is_ahead || cfg!(target_family = "wasm") {
            return work(Self { piece: Piece::default(), origin: PieceOrigin::Reader(format) });
        }
        thread::scope(|scope| {
            let (full, pieces) = mpsc::sync_channel(UNDER_WAY);
            let (used, empty) = mpsc::channel::<Piece>();
            let reader = scope.spawn(move || {
                loop {
                    let mut piece = empty.try_recv().unwrap_or_default();
                    let next = match format.next(&mut piece) {
                        Ok(false) => return,
                        next => next.map(|_| piece),
                    };
                    let is_last = next.is_err();
                    // The receiver is gone once the work has failed.
                    if full.send(next).is_err() || is_last {
                        return;
                    }
                }
            });
            let origin = PieceOrigin::Ahead { pieces, used, patience, limit: None };
            let done = work(Self { piece: Piece::default(), origin });
            reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            done
        })
    }

    /// Reads the next part.
    fn next(&mut self) -> Result<NextPart> {
        let (pieces, patience, limit) = match &mut self.origin {
            PieceOrigin::Reader(format) => {
                return Ok(if format.next(&mut self.piece)? { NextPart::Piece } else { NextPart::End });
            }
            PieceOrigin::Ahead { pieces, patience, limit, .. } => (pieces, patience, limit),
        };
        let next = match limit.take() {
            Some(limit) => pieces.recv_timeout(limit),
            None => pieces.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            Ok(next) => {
                self.piece = next?;
                *limit = patience.filter(|_| self.piece.after >= Break::Line);
                Ok(NextPart::Piece)
            }
            Err(RecvTimeoutError::Timeout) => Ok(NextPart::Pause),
            Err(RecvTimeoutError::Disconnected) => Ok(NextPart::End),
        }
    }

    /// Accepts a piece to be filled again.
    fn reuse(&mut self, piece: Piece) {
        match &self.origin {
            PieceOrigin::Reader(_) => self.piece = piece,
            // The reader ends before the last pieces come back.
            PieceOrigin::Ahead { used, .. } => _ = used.send(piece),
        }
    }
}

/// Consumes a piece whose words all have choices.
type Take<'a> = dyn FnMut(&Piece, &[Decision]) -> Result<()> + 'a;

/// Pieces that wait for the choices of their words.
struct PieceQueue<'a> {
    session: Box<dyn Session + 'a>,
    options: RestoreOptions,
    marks: InsertedMarks,
    conventions: Conventions,
    kept: KeptCapitals,
    words: WrittenWords,
    pieces: VecDeque<Piece>,
    spare: Vec<Piece>,
    choices: Vec<Choice>,
    /// The outcomes for the words of a piece.
    decisions: Vec<Decision>,
    /// The number of bytes since the last word.
    silent: usize,
    /// The pieces for which it is not yet known which words are bare; `None` if this does not matter.
    bare: Option<BarePieces>,
    /// True if a line before a pause ends a sentence.
    ends_at_pause: bool,
}

/// The number of words, for each thread, that are passed to a method at once. Networks read several windows of these
/// words in one batch, which takes a tenth less time than batches of two or three windows.
const METHOD_WORDS: usize = 5 * interrupt::WORDS_AT_ONCE;

impl<'a> PieceQueue<'a> {
    fn new(session: Box<dyn Session + 'a>, options: &RestoreOptions) -> Self {
        Self {
            session,
            options: options.clone(),
            marks: InsertedMarks::default(),
            conventions: Conventions::new(options),
            kept: KeptCapitals::default(),
            words: WrittenWords::default(),
            pieces: VecDeque::new(),
            spare: Vec::new(),
            choices: Vec::new(),
            decisions: Vec::new(),
            silent: 0,
            bare: None,
            ends_at_pause: false,
        }
    }

    /// Starts a text that is restored as a whole in one pass.
    fn of_whole(kind: Format, method: &'a dyn Restorer, request: Request, options: &RestoreOptions) -> Self {
        let starts = request.starts;
        let session = with_openings(method.session(request), options);
        let ends_at_pause = kind == Format::Text && options.puts().is_some();
        let queue = Self { ends_at_pause, ..Self::new(session, options) };
        match options.puts() {
            Some(MarkPlaces::Everywhere) => queue,
            Some(MarkPlaces::Unmarked) => queue.by_density(kind, BareUse::Close, method, options),
            // If every line end may be a sentence start, methods decide by the words before it.
            None if starts == SentenceStarts::EveryLine => queue,
            None => queue.by_density(kind, BareUse::Tell, method, options),
        }
    }

    /// Makes the queue find the words that lack their punctuation. In a file, these depend on many later words. In
    /// text that arrives slowly, they depend on no more than the method's right context.
    fn by_density(self, kind: Format, of: BareUse, method: &dyn Restorer, options: &RestoreOptions) -> Self {
        let look_ahead = options.look_ahead.or(method.look_ahead()).filter(|_| options.patience.is_some());
        let look_ahead = look_ahead.map_or(LOOK_AHEAD, |words| words.min(LOOK_AHEAD));
        let stretches = BareStretches::new(look_ahead).of_verse(kind == Format::Lrc);
        Self { bare: Some(BarePieces::new(of, stretches)), ..self }
    }

    /// Restores the pieces of a file and passes them to `take`.
    fn read_all(&mut self, format: &mut dyn PieceReader, take: &mut Take<'_>) -> Result<()> {
        let patience = self.options.patience;
        let is_ahead = self.options.threads.get() > 1 || patience.is_some();
        PieceSource::open(format, is_ahead, patience, |mut source| {
            while self.read(&mut source, take)? {}
            Ok(())
        })
    }

    /// Processes the next part of a file; returns false at its end.
    fn read(&mut self, source: &mut PieceSource<'_>, take: &mut Take<'_>) -> Result<bool> {
        match source.next()? {
            NextPart::Piece => {
                self.options.interrupt.check()?;
                let empty = self.push(std::mem::take(&mut source.piece), take)?;
                source.reuse(empty);
            }
            NextPart::Pause => self.pause(take)?,
            NextPart::End => {
                self.flush(take)?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Processes a piece, writes all output that is now certain, and returns a piece to be filled again.
    fn push(&mut self, piece: Piece, take: &mut Take<'_>) -> Result<Piece> {
        match &mut self.bare {
            Some(bare) => {
                bare.push(piece);
                self.take_bare(take)?;
            }
            None => self.take(piece, take)?,
        }
        Ok(self.spare.pop().unwrap_or_default())
    }

    /// Processes the pieces for which it is known which words are bare.
    fn take_bare(&mut self, take: &mut Take<'_>) -> Result<()> {
        while let Some(piece) = self.bare.as_mut().and_then(BarePieces::next) {
            self.take(piece, take)?;
        }
        Ok(())
    }

    /// Processes a piece and writes all output that is now certain.
    fn take(&mut self, piece: Piece, take: &mut Take<'_>) -> Result<()> {
        let words = piece.tokens.as_slice();
        let gap = words.first().map_or(piece.source.len(), |word| word.source.start as usize);
        if self.silent <= GAP && self.silent + gap > GAP {
            self.session.push(&Tokens::new(), Boundary::Reset, &mut self.choices)?;
            self.write(Some(Ending::Closed), take)?;
        }
        self.silent = match words.last() {
            Some(word) => piece.source.len() - word.source.end as usize,
            None => self.silent + piece.source.len(),
        };
        let end = match piece.after {
            Break::None | Break::Space => Boundary::None,
            Break::Document => Boundary::Reset,
            _ => Boundary::Line,
        };
        self.choose(&piece.tokens, end)?;
        self.pieces.push_back(piece);
        self.write(None, take)
    }

    /// Passes the words of a piece to the method, and checks the interrupt flag at regular intervals, since a piece
    /// may be a whole document.
    fn choose(&mut self, tokens: &Tokens, end: Boundary) -> Result<()> {
        let words = METHOD_WORDS * self.options.threads.get();
        if tokens.len() <= words {
            return self.session.push(tokens, end, &mut self.choices);
        }
        let mut part = Tokens::new();
        for from in (0..tokens.len()).step_by(words) {
            self.options.interrupt.check()?;
            let to = tokens.len().min(from + words);
            part.clear();
            part.extend(tokens, from..to);
            let end = if to == tokens.len() { end } else { Boundary::None };
            self.session.push(&part, end, &mut self.choices)?;
        }
        Ok(())
    }

    /// Writes all pending text where the input pauses after a line.
    fn pause(&mut self, take: &mut Take<'_>) -> Result<()> {
        if self.ends_at_pause { self.flush(take) } else { self.now(take) }
    }

    /// Writes all pending text, without waiting for the context that it may depend on.
    fn now(&mut self, take: &mut Take<'_>) -> Result<()> {
        if let Some(bare) = &mut self.bare {
            bare.force();
            self.take_bare(take)?;
        }
        self.session.push(&Tokens::new(), Boundary::Force, &mut self.choices)?;
        self.write(Some(Ending::Open), take)
    }

    /// Passes on the pieces that [`PieceQueue::now`] would write.
    fn guess(&mut self, take: &mut dyn FnMut(&Piece, &[Decision])) -> Result<()> {
        let mut choices = self.choices.clone();
        self.session.guess(&mut choices)?;
        let mut used = 0;
        let (mut marks, mut kept) = (self.marks.clone(), self.kept.clone());
        let mut conventions = self.conventions.clone();
        for (at, piece) in self.pieces.iter().enumerate() {
            let words = used..used + piece.tokens.len();
            if choices.len() < words.end {
                break;
            }
            used = words.end;
            let needed = conventions.needed(&piece.tokens, &choices[words.clone()]);
            let after = self.words_after(at, needed, &choices[words.end..]).0;
            let choices = &mut choices[words];
            conventions.apply(&piece.tokens, choices, &after, piece.after);
            let last = self.after(at, Some(Ending::Open)).unwrap_or(AfterWord::CLOSED);
            let mut decisions = Vec::with_capacity(choices.len());
            marks.place(&piece.tokens, choices, last, &self.options, &mut decisions);
            if self.options.capitalized != Capitalized::Auto {
                take(piece, &decisions);
                continue;
            }
            let mut piece = piece.clone();
            kept.drop_kept_capitals(&piece.source, &mut piece.tokens, &decisions, &self.options);
            take(&piece, &decisions);
        }
        Ok(())
    }

    /// Writes all remaining pieces at the end of the input.
    fn flush(&mut self, take: &mut Take<'_>) -> Result<()> {
        if let Some(bare) = &mut self.bare {
            bare.finish(self.pieces.back_mut());
            self.take_bare(take)?;
        }
        self.session.push(&Tokens::new(), Boundary::Reset, &mut self.choices)?;
        self.write(Some(Ending::Whole), take)?;
        if !(self.pieces.is_empty() && self.choices.is_empty()) {
            let problem = "did not answer each word once: this is a bug of the method";
            return Err(Error::model("the method", problem));
        }
        Ok(())
    }

    /// Resets the queue at the end of a text, and keeps its memory for the next text.
    fn forget(&mut self) {
        self.marks = InsertedMarks::default();
        self.conventions = Conventions::new(&self.options);
        self.kept = KeptCapitals::default();
        self.words = WrittenWords::default();
        self.silent = 0;
        self.bare = self.bare.as_ref().map(BarePieces::another);
    }

    /// Writes the pieces whose words all have choices. If a mark depends on the text after the last word of a piece,
    /// the piece waits until that text is known. `ending` is the part of the input after the last piece.
    fn write(&mut self, ending: Option<Ending>, take: &mut Take<'_>) -> Result<()> {
        let mut used = 0;
        while let Some(piece) = self.pieces.front() {
            let Some(choices) = self.choices.get(used..used + piece.tokens.len()) else { break };
            let waits = InsertedMarks::waits(&piece.tokens, choices, &self.options);
            let last = if waits { self.after(0, ending) } else { Some(AfterWord::CLOSED) };
            let Some(last) = last else { break };
            let needed = self.conventions.needed(&piece.tokens, choices);
            let (after, is_whole) = self.words_after(0, needed, &self.choices[used + choices.len()..]);
            if !is_whole && ending.is_none() {
                break;
            }
            let Some(mut piece) = self.pieces.pop_front() else { break };
            let choices = &mut self.choices[used..used + piece.tokens.len()];
            used += choices.len();
            self.conventions.apply(&piece.tokens, choices, &after, piece.after);
            // The output of an interrupted call is not written.
            self.options.interrupt.check()?;
            self.decisions.clear();
            self.marks.place(&piece.tokens, choices, last, &self.options, &mut self.decisions);
            self.kept.drop_kept_capitals(&piece.source, &mut piece.tokens, &self.decisions, &self.options);
            self.words.repeat_answers(&mut piece, &self.decisions, &self.options);
            take(&piece, &self.decisions)?;
            self.spare.push(piece);
        }
        self.choices.drain(..used);
        Ok(())
    }

    /// Returns the words that the conventions need after a piece, on the same line, with their choices, and true if
    /// all needed words are known.
    fn words_after(&self, piece: usize, needed: NeededWords, choices: &[Choice]) -> (ChosenWords, bool) {
        let mut words = ChosenWords::default();
        if needed.is_none() {
            return (words, true);
        }
        let mut last = &self.pieces[piece];
        for next in self.pieces.iter().skip(piece + 1) {
            if last.after >= Break::Line {
                return (words, true);
            }
            for at in 0..next.tokens.len() {
                if next.tokens.as_slice()[at].before >= Break::Line {
                    return (words, true);
                }
                let choice = choices.get(words.len()).copied();
                let Some(choice) = choice.or((!needed.are_chosen()).then(Choice::default)) else {
                    return (words, false);
                };
                words.push(&next.tokens, at, choice.label.case);
                if needed.are_met(&words) {
                    return (words, true);
                }
            }
            last = next;
        }
        (words, last.after >= Break::Line)
    }

    /// Returns the text after the last word of a piece, if it is known.
    fn after(&self, piece: usize, ending: Option<Ending>) -> Option<AfterWord> {
        let mut pieces = self.pieces.iter().skip(piece);
        let first = pieces.next()?;
        let mut last = first;
        loop {
            if last.after == Break::Document {
                return Some(AfterWord { gap: last.gap, before: Break::Document });
            }
            let Some(next) = pieces.next() else { break };
            if let Some(word) = next.tokens.as_slice().first() {
                return Some(AfterWord::before(word));
            }
            last = next;
        }
        // Later text may continue the last word, if no white space follows that word yet.
        let end = first.tokens.as_slice().last().map_or(0, |word| word.source.end as usize);
        let parts = self.pieces.iter().skip(piece + 1).map(|piece| &piece.source[..]);
        let is_apart =
            || std::iter::once(&first.source[end..]).chain(parts).flatten().any(u8::is_ascii_whitespace);
        match ending? {
            Ending::Open if !is_apart() => Some(AfterWord::CLOSED),
            Ending::Open | Ending::Whole => Some(AfterWord { gap: last.gap, before: Break::Space }),
            Ending::Closed => Some(AfterWord::CLOSED),
        }
    }
}

/// The part of the input after the last piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// Nothing: the text is whole.
    Whole,
    /// More text, which is not awaited.
    Open,
    /// So much text without a word that no mark is inserted before it.
    Closed,
}
