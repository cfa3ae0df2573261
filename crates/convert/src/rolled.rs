//! Roll-up captions, whose cues repeat lines of the previous cue: each line is read once.

use majuscule_format::segments::{RolledLines, Segment, Time, follows};

use crate::words;

/// Finds the lines of roll-up captions that were already in the previous cue.
#[derive(Debug, Default)]
pub(crate) struct RolledUp {
    lines: RolledLines,
    /// The number of the cue: the number of the previous cue plus 1 if the cue follows it
    /// immediately.
    cue: u64,
    times: Option<(Time, Time)>,
    /// The number of cues that immediately follow the previous cue, and the number of cues that
    /// repeat its lines.
    following: u64,
    repeating: u64,
}

/// The longest time, in milliseconds, of a cue that shows only repeated lines.
pub(crate) const GLIMPSE: u64 = 100;

impl RolledUp {
    /// Removes from a cue the lines that it repeats from the previous cue; returns true if no line
    /// is left. A line that may have been said twice is removed only where captions roll up.
    pub(crate) fn drop_repeated(&mut self, segment: &mut Segment) -> bool {
        let times = segment.begin.zip(segment.end);
        let is_next = follows(self.times, times);
        self.cue += if is_next { 1 } else { 2 };
        self.following += u64::from(is_next);
        self.times = times;
        let (mut chars, mut repeated, mut words, mut is_all) = (0, 0, 0, true);
        for line in segment.text.split_inclusive('\n') {
            chars += line.chars().count();
            let line = line.trim_end();
            if line.is_empty() {
                continue;
            }
            if self.lines.repeats(self.cue, line) {
                // The dash of a speaker is not a word.
                let said = line.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
                (repeated, words) = (chars, words + said.count());
            } else {
                is_all = false;
            }
        }
        if repeated == 0 || !is_next {
            return false;
        }
        let shown = times.map_or(0, |(begin, end)| end.milliseconds().saturating_sub(begin.milliseconds()));
        let is_certain = words > 1 && (!is_all || shown < GLIMPSE);
        if !is_certain && 2 * self.repeating < self.following {
            return false;
        }
        self.repeating += 1;
        segment.text = segment.text.chars().skip(repeated).collect();
        words::drop_before(repeated, &mut segment.tags);
        is_all
    }

    /// Returns the note for the user, if lines were repeated.
    pub(crate) fn tell(&self) -> Option<String> {
        let cues = if self.repeating == 1 { "1 cue" } else { &format!("{} cues", self.repeating) };
        let told = || {
            format!("lines of {cues} repeat the previous cue, as in roll-up captions: they were read once")
        };
        (self.repeating > 0).then(told)
    }
}
