//! Live text: words are written as soon as they are certain.

use std::sync::Arc;

use super::{Done, PieceQueue, PieceWriter, Streaming, Take, options};
use majuscule_base::error::{Error, Result, option};
use majuscule_format::{Format, Live, Piece};
use majuscule_text::restorer::{OwnedSession, Request, Restorer};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{Decision, MarkPlaces, RestoreOptions};

/// A text that is restored while it arrives.
///
/// The choice for a word depends on no text after the word's right context ([`RestoreOptions::look_ahead`]). Unlike
/// in [`restore`](super::restore), it does not depend on the rest of the line, on the punctuation of a line that
/// begins with the word, or on later evidence of a speaker label, of a word divided at a line end, or of code. In
/// text without punctuation, labels, divided words and code, the output is the same as from `restore`.
///
/// ```
/// use majuscule::{Capitalized, Model, RestoreOptions, Stream, Streaming};
///
/// let model = Model::embedded("en")?;
/// let options = RestoreOptions::default().capitalized(Capitalized::Ignore).look_ahead(Some(0));
/// let mut stream = Stream::new("live", model.restorer.clone(), options)?;
/// let mut text = Vec::new();
/// stream.push(b"we met in lis", &mut text)?;
/// assert_eq!(text, b"We met in ");
/// stream.push(b"bon today", &mut text)?;
/// assert_eq!(text, b"We met in Lisbon ");
/// assert_eq!(stream.tail()?, b"today");
/// stream.finish(&mut text)?;
/// assert_eq!(text, b"We met in Lisbon today");
/// # Ok::<(), majuscule::Error>(())
/// ```
pub struct Stream {
    incoming: Incoming,
    writer: PieceWriter,
    taken: u64,
}

impl Stream {
    /// Starts a text; `name` is its name in errors.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the output needs probabilities and the method has none, and for
    /// [`Capitalized::Auto`], which looks at whole lines.
    pub fn new(name: impl Into<String>, method: Arc<dyn Restorer>, options: RestoreOptions) -> Result<Self> {
        let incoming = Incoming::start(name, Format::Text, method.clone(), options, |request| request)?;
        let writer = PieceWriter::new(incoming.options().clone(), &*method);
        Ok(Self { incoming, writer, taken: 0 })
    }
}

impl Streaming for Stream {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.taken += bytes.len() as u64;
        self.incoming.push(bytes, &mut to(&mut self.writer, out))
    }

    /// If only a part of a word has arrived, this part is written, and the rest of the word will stay unchanged.
    fn now(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.incoming.pause(&mut to(&mut self.writer, out))
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Done> {
        let taken = self.incoming.finish(&mut to(&mut self.writer, out))?;
        self.writer.finish(&mut into(out))?;
        taken.map(|()| self.writer.done)
    }

    /// Text that is not in a piece yet is unchanged.
    fn tail(&mut self) -> Result<Vec<u8>> {
        let (mut tail, options) = (Vec::new(), &self.writer.options);
        let rest = self.incoming.guess(&mut |piece, decisions| piece.write(decisions, options, &mut tail))?;
        tail.extend_from_slice(rest);
        Ok(tail)
    }

    fn taken(&self) -> u64 {
        self.taken
    }

    fn done(&self) -> Done {
        self.writer.done
    }
}

fn into(out: &mut Vec<u8>) -> impl FnMut(&[u8], Done) -> Result<()> {
    |bytes, _| {
        out.extend_from_slice(bytes);
        Ok(())
    }
}

fn to(writer: &mut PieceWriter, out: &mut Vec<u8>) -> impl FnMut(&Piece, &[Decision]) -> Result<()> {
    move |piece, decisions| writer.write(piece, decisions, &mut into(out))
}

/// Checks the options of a live text, and fills in the options that are left to its format and the
/// method.
///
/// # Errors
/// Fails for options that need whole lines.
fn live_options(options: RestoreOptions, kind: Format, method: &dyn Restorer) -> Result<RestoreOptions> {
    if options.capitalized == Capitalized::Auto {
        let case = option("case");
        return Err(Error::usage(format!(
            "{case} auto looks at whole lines, but a stream does not wait for their ends: use {case} ignore or keep"
        )));
    }
    if options.puts() == Some(MarkPlaces::Unmarked) {
        let marks = option("marks");
        return Err(Error::usage(format!(
            "{marks} auto looks at whole lines, but a stream does not wait for their ends: name the marks"
        )));
    }
    if options.around.is_some() {
        let [before, after] = ["before", "after"].map(option);
        let problem = "are for a whole text, but a stream does not wait for its end: leave them out";
        return Err(Error::usage(format!("{before} and {after} {problem}")));
    }
    let look_ahead = options.look_ahead.or(method.live_look_ahead());
    kind.fill_in(&options.look_ahead(look_ahead))
}

/// The largest number of bytes processed at once, so that the first words of a long input do not wait for the last.
const TAKEN: usize = 1 << 16;

/// Cuts a text into pieces as it arrives, and passes them on once their decisions are certain.
pub(super) struct Incoming {
    live: Live,
    queue: PieceQueue<'static>,
    piece: Piece,
    /// True if the text so far ends with the end of a line.
    ends_line: bool,
}

impl Incoming {
    /// Starts a text, or the text of records of a format; `name` is its name in errors, and `request` changes the
    /// request to the method.
    ///
    /// # Errors
    /// Fails like [`Stream::new`].
    pub(super) fn start(
        name: impl Into<String>,
        kind: Format,
        method: Arc<dyn Restorer>,
        options: RestoreOptions,
        request: impl FnOnce(Request) -> Request,
    ) -> Result<Self> {
        let options = live_options(options, kind, &*method)?;
        let request = request(options::request(&options, &*method, kind)?);
        let queue = PieceQueue::new(Box::new(OwnedSession::start(method, request)), &options);
        let live = Live::new(name, options);
        let live = if kind == Format::Text { live.of_plain_text() } else { live };
        Ok(Self { live, queue, piece: Piece::default(), ends_line: false })
    }

    /// Returns the options in use.
    pub(super) fn options(&self) -> &RestoreOptions {
        &self.queue.options
    }

    /// Processes the next bytes, and passes on the pieces that are certain by then.
    pub(super) fn push(&mut self, bytes: &[u8], take: &mut Take<'_>) -> Result<()> {
        let end = bytes.iter().rfind(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        self.ends_line = end.map_or(self.ends_line, |end| *end == b'\n');
        for bytes in bytes.chunks(TAKEN) {
            let taken = self.live.push(bytes);
            self.pass_on(take)?;
            if taken.is_err() {
                self.now(take)?;
                return taken;
            }
        }
        Ok(())
    }

    /// Passes on all pieces, with the right context that has arrived.
    pub(super) fn now(&mut self, take: &mut Take<'_>) -> Result<()> {
        self.live.cut();
        self.pass_on(take)?;
        self.queue.now(take)
    }

    /// Passes on all pieces where the text pauses. A complete line is an utterance.
    pub(super) fn pause(&mut self, take: &mut Take<'_>) -> Result<()> {
        if self.ends_line { self.end_utterance(take) } else { self.now(take) }
    }

    /// Passes on all pieces at the end of an utterance. If marks are inserted, a sentence ends there, with its mark.
    pub(super) fn end_utterance(&mut self, take: &mut Take<'_>) -> Result<()> {
        if self.queue.options.marks.is_empty() {
            return self.now(take);
        }
        self.live.cut();
        self.pass_on(take)?;
        self.queue.flush(take)
    }

    /// Passes on the remaining pieces at the end of the input. The inner result may be an error in the last bytes,
    /// whose text is passed on in any case.
    pub(super) fn finish(&mut self, take: &mut Take<'_>) -> Result<Result<()>> {
        let taken = self.live.finish();
        self.pass_on(take)?;
        self.queue.flush(take)?;
        Ok(taken)
    }

    /// Passes on the pieces that `now` would pass on, and returns the bytes that are in no piece yet.
    pub(super) fn guess(&mut self, take: &mut dyn FnMut(&Piece, &[Decision])) -> Result<&[u8]> {
        self.queue.guess(take)?;
        Ok(self.live.rest())
    }

    fn pass_on(&mut self, take: &mut Take<'_>) -> Result<()> {
        while self.live.next(&mut self.piece) {
            self.queue.options.interrupt.check()?;
            self.piece = self.queue.push(std::mem::take(&mut self.piece), take)?;
        }
        Ok(())
    }
}
