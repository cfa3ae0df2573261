//! A method that detects the language of a text from the
//! words that pass through it, so that nothing waits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use majuscule::error::Result;
use majuscule::methods::language::{LanguageCounts, Other};
use majuscule::restorer::{Boundary, Request, Restorer, Session};
use majuscule::text::{Choice, Labels, Tokens};

/// The number of words that decide: enough to outweigh a title or a quotation at the beginning.
const ENOUGH: u32 = 300;

/// The function that reports a text in another language, called at most once.
type Tell<'a> = Box<dyn Fn(Other) + Send + Sync + 'a>;

/// A method that counts the words it is given.
pub struct Heard<'a> {
    method: &'a dyn Restorer,
    language: &'a str,
    /// True if too few common words of the expected language suffice to report another language.
    strictly: bool,
    words: Mutex<LanguageCounts>,
    is_told: AtomicBool,
    tell: Tell<'a>,
}

impl<'a> Heard<'a> {
    /// Wraps a method for texts in `language`; `tell` is called if a text is in another language.
    pub fn new(
        method: &'a dyn Restorer,
        language: &'a str,
        strictly: bool,
        tell: impl Fn(Other) + Send + Sync + 'a,
    ) -> Self {
        let (words, is_told) = (Mutex::default(), AtomicBool::new(false));
        Self { method, language, strictly, words, is_told, tell: Box::new(tell) }
    }

    /// Disables the report unless `wanted`.
    pub fn only_if(self, wanted: bool) -> Self {
        Self { is_told: AtomicBool::new(!wanted), ..self }
    }

    /// Decides by all words so far, at the end of a text.
    pub fn finish(&self) {
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        self.judge(&words);
    }

    fn take(&self, tokens: &Tokens) {
        if self.is_told.load(Ordering::Relaxed) {
            return;
        }
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        for (lower, _) in tokens.iter() {
            words.push(lower);
            if words.len() >= ENOUGH {
                return self.judge(&words);
            }
        }
    }

    fn judge(&self, words: &LanguageCounts) {
        if !self.is_told.swap(true, Ordering::Relaxed)
            && let Some(other) = words.other_than(self.language, self.strictly)
        {
            (self.tell)(other);
        }
    }
}

impl Restorer for Heard<'_> {
    fn labels(&self) -> &Labels {
        self.method.labels()
    }

    fn look_ahead(&self) -> Option<usize> {
        self.method.look_ahead()
    }

    fn has_probabilities(&self) -> bool {
        self.method.has_probabilities()
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        Box::new(Listening { session: self.method.session(request), heard: self })
    }

    fn restore_batch(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<Choice>>> {
        self.method.restore_batch(documents, request)
    }
}

struct Listening<'a> {
    session: Box<dyn Session + 'a>,
    heard: &'a Heard<'a>,
}

impl Session for Listening<'_> {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        self.heard.take(tokens);
        self.session.push(tokens, end, out)
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        self.session.guess(out)
    }
}
