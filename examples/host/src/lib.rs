//! A host of majuscule: live captions of several speakers, each in a struct without a lifetime.

use std::num::NonZeroUsize;

use majuscule::{Capitalized, Error, Model, RestoreOptions, Stream, Streaming, TextRestorer, caught};

/// The captions of a speaker, which can be kept anywhere and sent to any thread.
pub struct Speaker {
    /// The name of the speaker.
    pub name: String,
    stream: Stream,
    text: Vec<u8>,
}

impl Speaker {
    /// Starts the captions of a speaker.
    ///
    /// # Errors
    /// The errors of [`TextRestorer::stream`].
    pub fn new(name: &str, model: &Model) -> Result<Self, Error> {
        let options = RestoreOptions::default().look_ahead(Some(1)).capitalized(Capitalized::Ignore);
        let stream = model.with(options).stream()?;
        Ok(Self { name: name.to_owned(), stream, text: Vec::new() })
    }

    /// Accepts the speaker's next words, and returns the text that is certain so far. A panic is an
    /// error; the stream is of no use after that.
    ///
    /// # Errors
    /// The method's, and [`Error::Bug`].
    pub fn hear(&mut self, words: &str) -> Result<String, Error> {
        caught(|| self.stream.push(words.as_bytes(), &mut self.text))?;
        Ok(String::from_utf8_lossy(&self.text).into_owned())
    }

    /// Ends the captions and returns all of them.
    ///
    /// # Errors
    /// The method's, and [`Error::Bug`].
    pub fn end(mut self) -> Result<String, Error> {
        caught(|| self.stream.finish(&mut self.text))?;
        Ok(String::from_utf8_lossy(&self.text).into_owned())
    }
}

/// Restores texts on two threads; one that fails stays as it is.
pub fn restored(restorer: &TextRestorer, texts: &[String]) -> Vec<String> {
    let two = const { NonZeroUsize::new(2).expect("2 is not 0") };
    let restored = restorer.restore_all(texts, two);
    restored
        .into_iter()
        .zip(texts)
        .map(|(restored, text)| restored.unwrap_or_else(|_| text.clone()))
        .collect()
}
