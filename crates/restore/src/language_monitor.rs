//! A method that detects the language of a text from the words that pass through it, so that nothing
//! waits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::notes::Note;
use crate::models::language::LanguageEvidence;
use majuscule_base::error::Result;
use majuscule_text::restorer::{Boundary, Request, Restorer, Session};
use majuscule_text::{Choice, Labels, Tokens};

/// The number of words after which the language is decided: enough to outweigh a title or a
/// quotation at the beginning.
const ENOUGH: u32 = 300;

/// The function that receives the note on a text in another language, called at most once.
type Report = Box<dyn Fn(Note) + Send + Sync>;

/// A method that collects evidence for the language of the words that it receives.
pub struct LanguageMonitor {
    method: Arc<dyn Restorer>,
    language: String,
    words: Mutex<LanguageEvidence>,
    is_reported: AtomicBool,
    report: Report,
}

impl LanguageMonitor {
    /// Wraps a method for texts in `language`; `report` is called if a text is in another language.
    pub fn new(
        method: Arc<dyn Restorer>,
        language: &str,
        report: impl Fn(Note) + Send + Sync + 'static,
    ) -> Self {
        let (words, is_reported) = (Mutex::default(), AtomicBool::new(false));
        let language = language.to_owned();
        Self { method, language, words, is_reported, report: Box::new(report) }
    }

    /// Disables the report unless `wanted`.
    pub fn only_if(self, wanted: bool) -> Self {
        Self { is_reported: AtomicBool::new(!wanted), ..self }
    }

    /// Decides the language from all words so far, at the end of a text.
    pub fn finish(&self) {
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        self.judge(&words);
    }

    fn take(&self, tokens: &Tokens) {
        if self.is_reported.load(Ordering::Relaxed) {
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

    fn judge(&self, words: &LanguageEvidence) {
        if !self.is_reported.swap(true, Ordering::Relaxed)
            && let Some(found) = words.other_than(&self.language)
        {
            (self.report)(Note::Other { used: self.language.clone(), found });
        }
    }
}

impl Restorer for LanguageMonitor {
    fn labels(&self) -> &Labels {
        self.method.labels()
    }

    fn look_ahead(&self) -> Option<usize> {
        self.method.look_ahead()
    }

    fn live_look_ahead(&self) -> Option<usize> {
        self.method.live_look_ahead()
    }

    fn has_probabilities(&self) -> bool {
        self.method.has_probabilities()
    }

    fn balances_capitals(&self) -> bool {
        self.method.balances_capitals()
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        Box::new(MonitoredSession { session: self.method.session(request), monitor: self })
    }

    fn restore_batch(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<Choice>>> {
        self.method.restore_batch(documents, request)
    }
}

struct MonitoredSession<'a> {
    session: Box<dyn Session + 'a>,
    monitor: &'a LanguageMonitor,
}

impl Session for MonitoredSession<'_> {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        self.monitor.take(tokens);
        self.session.push(tokens, end, out)
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        self.session.guess(out)
    }
}
