//! Live text: bytes in as they come, words out as soon as they are certain.

use super::{Done, Output, Queue, Streaming};
use crate::error::{Error, Result};
use crate::format::{Live, Piece, Settings};
use crate::restorer::{Restorer, Want};
use crate::text::Policy;
use crate::text::tokenize::Capitalized;

/// A text that is restored while it comes in.
///
/// Nothing is decided by what comes later than a word's right context ([`Want::look_ahead`]): neither by the rest of its
/// line nor, as [`restore`](super::restore) does, by whether the line it opens is punctuated. In text without marks
/// that end sentences, the same comes out as there.
///
/// ```
/// use majuscule::format::Settings;
/// use majuscule::restore::{Flow, Output, Stream};
/// use majuscule::restorer::Want;
/// use majuscule::text::Policy;
/// use majuscule::text::tokenize::Capitalized;
///
/// let model = majuscule::methods::embedded("en")?;
/// let settings = Settings { capitalized: Capitalized::Ignore, ..Settings::default() };
/// let want = Want { look_ahead: Some(0), ..Want::default() };
/// let mut stream = Stream::new("live", settings, &*model.restorer, want, Policy::default(), Output::default())?;
/// let mut text = Vec::new();
/// stream.push(b"we met in lis", &mut text)?;
/// assert_eq!(text, b"We met in ");
/// stream.push(b"bon today", &mut text)?;
/// assert_eq!(text, b"We met in Lisbon ");
/// assert_eq!(stream.tail()?, b"today");
/// stream.finish(&mut text)?;
/// assert_eq!(text, b"We met in Lisbon today");
/// # Ok::<(), majuscule::error::Error>(())
/// ```
pub struct Stream<'a> {
    live: Live,
    queue: Queue<'a>,
    piece: Piece,
    taken: u64,
}

impl<'a> Stream<'a> {
    /// Begins with a text; `name` is what errors call it.
    ///
    /// # Errors
    /// [`Error::Usage`] where the output needs probabilities and the method gives none, and for [`Capitalized::Auto`], which
    /// looks at whole lines.
    pub fn new(
        name: impl Into<String>,
        settings: Settings,
        method: &'a dyn Restorer,
        want: Want,
        policy: Policy,
        output: Output,
    ) -> Result<Self> {
        if settings.capitalized == Capitalized::Auto {
            let problem = "--case auto looks at whole lines, but a stream does not wait for their ends: use --case ignore \
                           or keep";
            return Err(Error::Usage(problem.into()));
        }
        let queue = Queue::new(method, want, policy, output)?;
        Ok(Self { live: Live::new(name, settings), queue, piece: Piece::default(), taken: 0 })
    }

    fn pass_on(&mut self, out: &mut Vec<u8>) -> Result<()> {
        while self.live.next(&mut self.piece) {
            self.piece = self.queue.push(std::mem::take(&mut self.piece), &mut into(out))?;
        }
        Ok(())
    }
}

impl Streaming for Stream<'_> {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.taken += bytes.len() as u64;
        let taken = self.live.push(bytes);
        self.pass_on(out)?;
        if taken.is_err() {
            self.now(out)?;
        }
        taken
    }

    /// Of a word of which only a part is here, that part comes out, and the rest of it stays as it will come.
    fn now(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.live.cut();
        self.pass_on(out)?;
        self.queue.now(&mut into(out))
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Done> {
        let taken = self.live.finish();
        self.pass_on(out)?;
        self.queue.flush(&mut into(out))?;
        taken.map(|()| self.queue.done)
    }

    /// Parts that no word has been found in are as they came.
    fn tail(&mut self) -> Result<Vec<u8>> {
        let mut tail = self.queue.guess()?;
        tail.extend_from_slice(self.live.rest());
        Ok(tail)
    }

    fn taken(&self) -> u64 {
        self.taken
    }

    fn done(&self) -> Done {
        self.queue.done
    }
}

fn into(out: &mut Vec<u8>) -> impl FnMut(&[u8], Done) -> Result<()> {
    |bytes, _| {
        out.extend_from_slice(bytes);
        Ok(())
    }
}
