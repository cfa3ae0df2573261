//! Pauses in speech, which end sentences if the user asks for it.

use super::segment::Time;
use majuscule_text::{Break, RestoreOptions};

/// Finds long pauses between parts of speech: words, segments or cues.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    /// The shortest pause that counts; `None` if none does.
    least: Option<Time>,
    /// The end of the last part.
    ended: Option<Time>,
}

impl Pauses {
    /// Finds the pauses that end sentences in a text that is restored with these options.
    pub(super) fn of(options: &RestoreOptions) -> Self {
        Self { least: options.pause_ends.map(Time::of_duration), ended: None }
    }

    /// Returns the break before the next part: [`Break::Turn`] after a long pause. `times` returns the begin and end
    /// times of the part, and is called only if pauses count. Times that run backwards or overlap are not pauses.
    pub(super) fn before(&mut self, times: impl FnOnce() -> Option<(Time, Time)>) -> Option<Break> {
        let least = self.least?;
        let (begin, end) = times()?;
        let ended = self.ended.replace(end)?;
        (begin >= ended.after(least)?).then_some(Break::Turn)
    }
}
