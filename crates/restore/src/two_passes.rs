//! Restores a text in two passes: the first inserts marks where the text lacks them, and the second decides
//! the capitals of the text with the marks, exactly as if the text had come with them.
//!
//! So marks and capitals agree: restoring the output again without inserting marks changes nothing, and text that has
//! its punctuation is restored as if no marks were requested.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::bare_pieces::BareUse;
use super::{PieceQueue, Take, read_pieces};
use majuscule_base::error::{Error, Result};
use majuscule_base::files::Input;
use majuscule_format::{Format, Piece, PieceReader, WrittenWords};
use majuscule_text::markup::untagged;
use majuscule_text::restorer::{Request, Restorer};
use majuscule_text::write::stays_as_it_is;
use majuscule_text::{Break, Case, Constraint, Decision, MarkSet, RestoreOptions, resolve};

/// The queues of both passes over texts of a format.
pub(super) struct TwoPasses<'a> {
    kind: Format,
    marks: PieceQueue<'a>,
    capitals: PieceQueue<'a>,
    /// The options of the second pass.
    options: RestoreOptions,
}

impl<'a> TwoPasses<'a> {
    /// Makes the queues; `request` asks for both capitals and marks.
    pub(super) fn new(
        kind: Format,
        method: &'a dyn Restorer,
        request: Request,
        options: &RestoreOptions,
    ) -> Self {
        let of_capitals =
            Request { marks: MarkSet::NONE, mark_threshold: None, sentence_ends: false, ..request };
        let plain = options.clone().marks(MarkSet::NONE).mark_threshold(None);
        Self {
            kind,
            marks: PieceQueue::of_whole(kind, method, Request { cases: false, ..request }, options),
            // The second pass adds no sentence ends to the first pass.
            capitals: PieceQueue::new(method.session(of_capitals), &plain).by_density(
                kind,
                BareUse::Deny,
                method,
                options,
            ),
            options: plain,
        }
    }

    /// Restores a text and passes its pieces to `take`. After an error, the passes must not be used again.
    ///
    /// # Errors
    /// Returns the errors of the text, of the method and of `take`.
    pub(super) fn run(&mut self, input: Input<'_>, take: &mut Take<'_>) -> Result<()> {
        let Self { kind, marks, capitals, options } = self;
        let (kind, name, marked_options) = (*kind, input.name().to_owned(), marks.options.clone());
        let format = kind.open(input, marked_options.clone())?;
        match options.patience {
            None => {
                let source = PieceSource::Reader(format);
                second_pass(kind, name, MarkedText::new(source, marks), capitals, options, take)
            }
            Some(patience) => std::thread::scope(|scope| {
                let (full, pieces) = mpsc::sync_channel(super::UNDER_WAY);
                scope.spawn(move || send_pieces(format, &full));
                let source = PieceSource::Ahead { pieces, patience, is_waiting: false };
                second_pass(kind, name, MarkedText::new(source, marks), capitals, options, take)
            }),
        }
    }

    /// Resets the passes at the end of a text, and keeps their memory for the next text.
    pub(super) fn forget(&mut self) {
        self.marks.forget();
        self.capitals.forget();
    }
}

/// Sends the pieces of a file, or the error that ends the file, until nobody receives them.
fn send_pieces(mut format: Box<dyn PieceReader + '_>, full: &mpsc::SyncSender<Result<Piece>>) {
    loop {
        let mut piece = Piece::default();
        let next = match format.next(&mut piece) {
            Ok(true) => Ok(piece),
            Ok(false) => return,
            Err(error) => Err(error),
        };
        let is_last = next.is_err();
        if full.send(next).is_err() || is_last {
            return;
        }
    }
}

/// Reads the text with inserted marks, and joins its capitals with the pieces of the first pass.
fn second_pass<'a>(
    kind: Format,
    name: String,
    (marked, pieces, failure): (MarkedText<'_, 'a>, Receiver<MarkedPiece>, Failure),
    capitals: &mut PieceQueue<'a>,
    options: &RestoreOptions,
    take: &mut Take<'_>,
) -> Result<()> {
    let mut joiner = PassJoiner {
        options,
        pieces,
        waiting: VecDeque::new(),
        found: VecDeque::new(),
        written: WrittenWords::default(),
    };
    // Inserted marks make lines longer.
    let mut limits = options.limits;
    limits.input = limits.input.twice();
    let input = Input::uncompressed(name.clone(), marked).within(limits);
    let read = kind.open(input, options.clone()).and_then(|mut format| {
        let join = &mut |piece: &Piece, decisions: &[Decision]| joiner.join(piece, decisions, take);
        read_pieces(&mut *format, capitals, options, join)
    });
    if let Some(error) = failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    read?;
    joiner.finish(&name, take)
}

/// A piece of the first pass, with its outcomes.
type MarkedPiece = (Piece, Vec<Decision>);

/// The error that ended the first pass.
type Failure = Arc<Mutex<Option<Error>>>;

/// The pieces of a file.
enum PieceSource<'t> {
    Reader(Box<dyn PieceReader + 't>),
    /// Pieces that another thread reads. After the end of a line, the next piece is awaited for at most `patience`.
    Ahead {
        pieces: Receiver<Result<Piece>>,
        patience: Duration,
        is_waiting: bool,
    },
}

/// The next part of a file.
enum NextPart {
    Piece,
    /// No piece has come in time.
    Pause,
    End,
}

impl PieceSource<'_> {
    fn next(&mut self, piece: &mut Piece) -> Result<NextPart> {
        let next = match self {
            Self::Reader(format) => {
                return Ok(if format.next(piece)? { NextPart::Piece } else { NextPart::End });
            }
            Self::Ahead { pieces, patience, is_waiting: true } => pieces.recv_timeout(*patience),
            Self::Ahead { pieces, .. } => pieces.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        let Self::Ahead { is_waiting, .. } = self else { return Ok(NextPart::End) };
        *is_waiting = false;
        match next {
            Ok(next) => {
                *piece = next?;
                *is_waiting = piece.after >= Break::Line;
                Ok(NextPart::Piece)
            }
            Err(RecvTimeoutError::Timeout) => Ok(NextPart::Pause),
            Err(RecvTimeoutError::Disconnected) => Ok(NextPart::End),
        }
    }
}

/// The bytes of a text with the marks that the first pass inserts, and with the capitals of the input.
struct MarkedText<'t, 'a> {
    source: PieceSource<'t>,
    queue: &'t mut PieceQueue<'a>,
    piece: Piece,
    sent: Sender<MarkedPiece>,
    failure: Failure,
    bytes: VecDeque<u8>,
    has_ended: bool,
}

impl<'t, 'a> MarkedText<'t, 'a> {
    fn new(source: PieceSource<'t>, queue: &'t mut PieceQueue<'a>) -> (Self, Receiver<MarkedPiece>, Failure) {
        let ((sent, pieces), failure) = (mpsc::channel(), Failure::default());
        let marked = Self {
            source,
            queue,
            piece: Piece::default(),
            sent,
            failure: failure.clone(),
            bytes: VecDeque::new(),
            has_ended: false,
        };
        (marked, pieces, failure)
    }

    /// Processes the next part of the file.
    fn step(&mut self) -> Result<()> {
        let Self { queue, piece, sent, bytes, .. } = self;
        let options = queue.options.clone();
        options.interrupt.check()?;
        let mut written = Vec::new();
        let take = &mut |piece: &Piece, decisions: &[Decision]| {
            let mut piece = piece.clone();
            keep_case(&mut piece, &options);
            piece.write(decisions, &options, &mut written);
            // Without a receiver, the second pass has failed.
            _ = sent.send((piece, decisions.to_vec()));
            Ok(())
        };
        match self.source.next(piece)? {
            NextPart::Piece => *piece = queue.push(std::mem::take(piece), take)?,
            NextPart::Pause => queue.pause(take)?,
            NextPart::End => {
                queue.flush(take)?;
                self.has_ended = true;
            }
        }
        bytes.extend(written);
        Ok(())
    }
}

impl Read for MarkedText<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.bytes.is_empty() && !self.has_ended {
            if let Err(error) = self.step() {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                return Err(io::Error::other("the first pass failed"));
            }
        }
        self.bytes.read(buffer)
    }
}

/// Fixes each word of a piece to the case that it has.
fn keep_case(piece: &mut Piece, options: &RestoreOptions) {
    for word in piece.tokens.as_mut_slice() {
        let span = word.source.start as usize..word.source.end as usize;
        let case =
            str::from_utf8(&piece.source[span]).map(|word| Case::of(&untagged(word), options.locale()));
        word.constraint = Constraint::Fixed(case.unwrap_or_default());
    }
}

/// The case of a word as the second pass decides it.
struct FoundCapital {
    case: Case,
    confidence: Option<f32>,
    begins: bool,
}

/// Joins the pieces and marks of the first pass with the capitals of the second.
struct PassJoiner<'o> {
    options: &'o RestoreOptions,
    pieces: Receiver<MarkedPiece>,
    waiting: VecDeque<MarkedPiece>,
    found: VecDeque<FoundCapital>,
    written: WrittenWords,
}

impl PassJoiner<'_> {
    /// Receives the decisions of the second pass for a piece, and passes on the pieces whose words all have such
    /// decisions.
    fn join(&mut self, piece: &Piece, decisions: &[Decision], take: &mut Take<'_>) -> Result<()> {
        self.waiting.extend(self.pieces.try_iter());
        for ((lower, token), decision) in piece.tokens.iter().zip(decisions) {
            // Some words are read only where no marks are inserted: names in the head of lyrics.
            if self.next_word() != Some(lower) {
                continue;
            }
            let bytes = &piece.source[token.source.start as usize..token.source.end as usize];
            let word = String::from_utf8_lossy(bytes);
            let resolved = resolve(&untagged(&word), token, decision, self.options);
            let stays = stays_as_it_is(bytes, token, decision, self.options);
            self.found.push_back(FoundCapital {
                case: if stays { Case::Lower } else { resolved.case },
                confidence: decision.choice.confidence.and(resolved.confidence),
                begins: decision.begins(token),
            });
        }
        while let Some((piece, decisions)) =
            self.waiting.pop_front_if(|(piece, _)| piece.tokens.len() <= self.found.len())
        {
            self.pass_on(piece, decisions, take)?;
        }
        Ok(())
    }

    /// Returns the next word of the first pass that the second pass has not decided yet.
    fn next_word(&self) -> Option<&str> {
        let mut at = self.found.len();
        for (piece, _) in &self.waiting {
            match at.checked_sub(piece.tokens.len()) {
                Some(rest) => at = rest,
                None => return Some(piece.tokens.lower(at)),
            }
        }
        None
    }

    fn pass_on(&mut self, mut piece: Piece, mut decisions: Vec<Decision>, take: &mut Take<'_>) -> Result<()> {
        let found = self.found.drain(..piece.tokens.len());
        let words = piece.tokens.as_mut_slice().iter_mut().zip(&mut decisions);
        for ((token, decision), found) in words.zip(found) {
            token.constraint = Constraint::Fixed(found.case);
            decision.choice.label.case = found.case;
            decision.choice.confidence = found.confidence;
            decision.placed.begins = found.begins;
            token.starts = found.begins;
        }
        self.written.repeat_answers(&mut piece, &decisions, self.options);
        take(&piece, &decisions)
    }

    /// Passes on the remaining pieces at the end of the text.
    fn finish(mut self, name: &str, take: &mut Take<'_>) -> Result<()> {
        self.waiting.extend(self.pieces.try_iter());
        while let Some((piece, decisions)) = self.waiting.pop_front() {
            if piece.tokens.len() > self.found.len() {
                return Err(Error::model(
                    name,
                    "restored fewer words after its punctuation was inserted than before: this is a bug",
                ));
            }
            self.pass_on(piece, decisions, take)?;
        }
        Ok(())
    }
}
