//! Restores a text in two passes: the first inserts marks where the text lacks them, and the second decides
//! the capitals of the text with the marks, exactly as if the text had come with them.
//!
//! So marks and capitals agree: restoring the output again without inserting marks changes nothing, and text that has
//! its punctuation is restored as if no marks were requested.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use super::bare_pieces::BareUse;
use super::{PieceQueue, PieceSource, Take};
use majuscule_base::error::{Error, Result};
use majuscule_base::files::Input;
use majuscule_format::{Format, Piece, WrittenWords};
use majuscule_text::markup::untagged;
use majuscule_text::restorer::{Request, Restorer};
use majuscule_text::write::stays_as_it_is;
use majuscule_text::{Case, Constraint, Decision, MarkSet, RestoreOptions, resolve};

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
        let (kind, name) = (*kind, input.name().to_owned());
        let mut format = kind.open(input, marks.options.clone())?;
        PieceSource::open(&mut *format, options.patience.is_some(), options.patience, |source| {
            second_pass(kind, name, MarkedText::new(source, marks), capitals, options, take)
        })
    }

    /// Resets the passes at the end of a text, and keeps their memory for the next text.
    pub(super) fn forget(&mut self) {
        self.marks.forget();
        self.capitals.forget();
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
        capitals.read_all(&mut *format, join)
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

/// The bytes of a text with the marks that the first pass inserts, and with the capitals of the input.
struct MarkedText<'t, 'a> {
    source: PieceSource<'t>,
    queue: &'t mut PieceQueue<'a>,
    sent: Sender<MarkedPiece>,
    failure: Failure,
    bytes: VecDeque<u8>,
    has_ended: bool,
}

impl<'t, 'a> MarkedText<'t, 'a> {
    fn new(source: PieceSource<'t>, queue: &'t mut PieceQueue<'a>) -> (Self, Receiver<MarkedPiece>, Failure) {
        let ((sent, pieces), failure) = (mpsc::channel(), Failure::default());
        let marked =
            Self { source, queue, sent, failure: failure.clone(), bytes: VecDeque::new(), has_ended: false };
        (marked, pieces, failure)
    }

    /// Processes the next part of the file.
    fn step(&mut self) -> Result<()> {
        let Self { source, queue, sent, bytes, .. } = self;
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
        self.has_ended = !queue.read(source, take)?;
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
