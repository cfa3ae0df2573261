//! Restores live text word by word: each part of the text is returned with its words once they are certain.

use super::stream::Incoming;
use super::texts::{push_words, word_request};
use super::{RestoredWord, TextRestorer};
use majuscule_base::error::Result;
use majuscule_format::{Format, Piece};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{Decision, RestoreOptions};

/// A part of a text, and its restored form.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct RestoredPart {
    /// The part as it came.
    pub source: String,
    /// The part as it is restored.
    pub text: String,
    /// The words of the part, with their positions in `source`.
    pub words: Vec<RestoredWord>,
}

impl RestoredPart {
    /// Appends the part that follows.
    pub fn push(&mut self, next: Self) {
        let at = self.source.len();
        let moved =
            |word: RestoredWord| RestoredWord { span: word.span.start + at..word.span.end + at, ..word };
        self.source.push_str(&next.source);
        self.text.push_str(&next.text);
        self.words.extend(next.words.into_iter().map(moved));
    }
}

/// A text that is restored word by word while it arrives.
///
/// The text of all parts together is the text of a [`Stream`](super::Stream), however the input is cut.
///
/// ```
/// use majuscule::{Model, RestoreOptions};
///
/// let model = Model::embedded("en")?;
/// let mut stream = model.with(RestoreOptions::default().look_ahead(Some(0))).word_stream()?;
/// assert_eq!(stream.push("we met in lis")?.text, "We met in ");
/// let part = stream.push("bon today")?;
/// assert_eq!((&*part.source, &*part.text), ("lisbon ", "Lisbon "));
/// assert_eq!((&*part.words[0].text, part.words[0].span.clone()), ("Lisbon", 0..6));
/// assert_eq!(stream.tail()?.text, "today");
/// assert_eq!(stream.finish()?.text, "today");
/// # Ok::<(), majuscule::Error>(())
/// ```
pub struct WordStream {
    incoming: Incoming,
    options: RestoreOptions,
    ends_sentences: bool,
}

impl TextRestorer {
    /// Starts a text that is restored word by word while it arrives. As for [`stream`](Self::stream),
    /// the capitals of the input are ignored if the options decide them by whole lines.
    ///
    /// # Errors
    /// Fails as `stream` does.
    pub fn word_stream(&self) -> Result<WordStream> {
        let mut options = self.options.clone();
        if options.capitalized == Capitalized::Auto {
            options.capitalized = Capitalized::Ignore;
        }
        let method = self.model.restorer.clone();
        let ends_sentences = method.labels().ends_sentences();
        let request = |request| word_request(request, ends_sentences);
        let incoming = Incoming::start("text", Format::Text, method, options, request)?;
        Ok(WordStream { options: incoming.options().clone(), incoming, ends_sentences })
    }
}

impl WordStream {
    /// Processes the next text and returns the part that is certain by then.
    ///
    /// # Errors
    /// Returns the method's errors.
    pub fn push(&mut self, text: &str) -> Result<RestoredPart> {
        self.collect(|incoming, take| incoming.push(text.as_bytes(), take))
    }

    /// Stops waiting: returns all text that has arrived, restored with the right context that has arrived. If only a
    /// part of a word has arrived, the rest of the word will stay unchanged.
    ///
    /// # Errors
    /// Returns the method's errors.
    pub fn now(&mut self) -> Result<RestoredPart> {
        self.collect(Incoming::now)
    }

    /// Returns all text that has arrived, at the end of an utterance, such as a pause in speech. If marks are
    /// inserted, a sentence ends there, and its mark is part of the result; otherwise this is the same as
    /// [`now`](Self::now).
    ///
    /// # Errors
    /// Returns the method's errors.
    pub fn end_utterance(&mut self) -> Result<RestoredPart> {
        self.collect(Incoming::end_utterance)
    }

    /// Returns the remaining part at the end of the text.
    ///
    /// # Errors
    /// Returns the method's errors.
    pub fn finish(mut self) -> Result<RestoredPart> {
        self.collect(|incoming, take| incoming.finish(take)?)
    }

    /// Returns the part that [`now`](Self::now) would return, and continues to wait. A last word that may be
    /// incomplete is unchanged, and it is not in the list of words.
    ///
    /// # Errors
    /// Returns the method's errors.
    pub fn tail(&mut self) -> Result<RestoredPart> {
        let Self { incoming, options, ends_sentences } = self;
        let mut part = CollectedPart::default();
        let rest =
            incoming.guess(&mut |piece, decisions| part.add(piece, decisions, options, *ends_sentences))?;
        part.source.extend_from_slice(rest);
        part.text.extend_from_slice(rest);
        Ok(part.into_strings())
    }

    fn collect(
        &mut self,
        read: impl FnOnce(&mut Incoming, &mut super::Take<'_>) -> Result<()>,
    ) -> Result<RestoredPart> {
        let Self { incoming, options, ends_sentences } = self;
        let mut part = CollectedPart::default();
        read(incoming, &mut |piece, decisions| {
            part.add(piece, decisions, options, *ends_sentences);
            Ok(())
        })?;
        Ok(part.into_strings())
    }
}

/// A part while it is collected.
#[derive(Default)]
struct CollectedPart {
    source: Vec<u8>,
    text: Vec<u8>,
    words: Vec<RestoredWord>,
}

impl CollectedPart {
    fn add(&mut self, piece: &Piece, decisions: &[Decision], options: &RestoreOptions, ends_sentences: bool) {
        push_words(piece, decisions, options, ends_sentences, self.source.len(), &mut self.words);
        piece.write(decisions, options, &mut self.text);
        self.source.extend_from_slice(&piece.source);
    }

    fn into_strings(self) -> RestoredPart {
        // Pieces are cut between words, so the bytes of a piece of a string are valid UTF-8.
        let [source, text] = [self.source, self.text].map(|bytes| {
            String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
        });
        RestoredPart { source, text, words: self.words }
    }
}
