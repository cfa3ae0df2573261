//! The limits of cues.

use majuscule_base::error::{Error, Result, option};
use majuscule_base::named::NamedValue;
use majuscule_base::printable::shortened;

/// The ways to cut speech into cues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CueCut {
    /// Cues end at the ends of sentences, otherwise at commas and pauses.
    #[default]
    Sentence,
}

impl NamedValue for CueCut {
    const VALUES: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Sentence, "sentence", "Cues end at the ends of sentences, otherwise at commas and pauses")];
}

/// The limits of a cue.
#[derive(Debug, Clone, PartialEq)]
pub struct CueLimits {
    /// The longest line, in characters.
    pub max_chars: usize,
    /// The largest number of lines of a cue.
    pub max_lines: usize,
    /// The longest and the shortest time of a cue, in seconds.
    pub max_seconds: f64,
    /// See [`CueLimits::max_seconds`].
    pub min_seconds: f64,
    /// The largest number of characters to be read in a second.
    pub max_cps: f64,
    /// The language of the text, by its tag, or `mul` for several: it determines which words are
    /// abbreviations, and which are articles and prepositions, which stay on the line of their noun.
    pub language: Option<String>,
    /// The largest number of words of a recording, which are held in memory until it ends; `None` for no limit.
    pub max_words: Option<usize>,
}

impl Default for CueLimits {
    fn default() -> Self {
        Self {
            max_chars: 42,
            max_lines: 2,
            max_seconds: 7.0,
            min_seconds: 1.0,
            max_cps: 17.0,
            language: None,
            max_words: None,
        }
    }
}

impl CueLimits {
    /// Returns true if a limit differs from its default.
    pub(crate) fn is_set(&self) -> bool {
        let Self { language, max_words, .. } = self.clone();
        Self { language, max_words, ..Self::default() } != *self
    }

    /// # Errors
    /// Fails if the limits allow no cue, or if a limit is invalid.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = |name: &str, found: String, expected: &str| {
            Err(Error::usage(format!("{} {}: expected {expected}", option(name), shortened(&found))))
        };
        if !(10..=100).contains(&self.max_chars) {
            return wrong(
                "max-chars",
                self.max_chars.to_string(),
                "10 to 100 characters per line, such as 42",
            );
        }
        if !(1..=4).contains(&self.max_lines) {
            return wrong("max-lines", self.max_lines.to_string(), "1 to 4 lines per cue, such as 2");
        }
        if !(self.max_seconds >= 1.0 && self.max_seconds <= 60.0) {
            return wrong("max-seconds", self.max_seconds.to_string(), "1 to 60 seconds per cue, such as 7");
        }
        if !(self.min_seconds >= 0.0 && self.min_seconds <= self.max_seconds) {
            let expected =
                format!("0 seconds or more, and no more than {} {}", option("max-seconds"), self.max_seconds);
            return wrong("min-seconds", self.min_seconds.to_string(), &expected);
        }
        if !(self.max_cps >= 1.0 && self.max_cps <= 1000.0) {
            return wrong("max-cps", self.max_cps.to_string(), "1 to 1000 characters per second, such as 17");
        }
        Ok(())
    }

    pub(crate) fn max_milliseconds(&self) -> u64 {
        (self.max_seconds * 1000.0) as u64
    }

    pub(crate) fn min_milliseconds(&self) -> u64 {
        (self.min_seconds * 1000.0) as u64
    }

    /// Returns the time that these characters need to be read.
    pub(crate) fn milliseconds_to_read(&self, chars: usize) -> u64 {
        (chars as f64 * 1000.0 / self.max_cps).ceil() as u64
    }

    /// Returns the end of a cue whose speech ends at `said`. If reading takes longer than the speech, the cue stays
    /// until the time `room` at most.
    pub(crate) fn shown(&self, begin: u64, said: u64, room: Option<u64>, chars: usize) -> u64 {
        let needed = self.min_milliseconds().max(self.milliseconds_to_read(chars));
        let room = room.unwrap_or(u64::MAX).max(said);
        said.max(begin.saturating_add(needed).min(room)).min(begin.saturating_add(self.max_milliseconds()))
    }
}
