//! `.srt`, SubRip's subtitles: a number, a timing, lines of text, an empty line.

use super::cue::{Cues, Times};
use super::records::{Grammar, Parts};
use super::transcript::{Fault, shortened};

const TIMES: Times = Times { colons: (1, 2), marks: &[',', '.'], example: "00:00:01,000 --> 00:00:02,500" };

/// Subtitles, read from anywhere. Numbers, timings, tags, events in brackets and speaker dashes stay as they are, and a sentence runs
/// on from cue to cue.
#[derive(Debug, Default)]
pub(super) struct Lines {
    at: At,
    cues: Cues,
}

/// Where in a cue the next line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum At {
    /// Before it.
    #[default]
    Between,
    /// After its number.
    Numbered,
    /// In its text.
    Text,
    /// In what cannot be read.
    Passed,
}

impl Grammar for Lines {
    fn line(&mut self, line: &str, parts: &mut Parts) -> Result<(), Fault> {
        let is_empty = line.trim().is_empty();
        // In text, what looks like a timing may be one after an empty line that is missing: it has no letters either way.
        if Times::may_be(line)
            && (self.at == At::Between || self.at == At::Numbered || TIMES.read(line).is_ok())
        {
            TIMES.read(line)?;
            self.at = At::Text;
            self.cues.begin();
            return Ok(());
        }
        match self.at {
            At::Numbered => TIMES.read(line)?,
            _ if is_empty => self.at = At::Between,
            At::Text => self.cues.line(line, parts),
            At::Passed => {}
            At::Between if line.trim().bytes().all(|b| b.is_ascii_digit()) => self.at = At::Numbered,
            At::Between => {
                let problem = format!(
                    "found \"{}\", but the number of a cue is expected, such as 12",
                    shortened(line.trim())
                );
                return Err(Fault { at: line.len() - line.trim_start().len(), problem });
            }
        }
        Ok(())
    }

    fn pass(&mut self, is_empty: bool) {
        self.at = if is_empty { At::Between } else { At::Passed };
    }

    fn end(&mut self) -> Result<(), String> {
        match self.at {
            At::Numbered => {
                Err(format!("found the end of the file, but a timing is expected, such as {}", TIMES.example))
            }
            _ => Ok(()),
        }
    }

    fn is_between(&self) -> bool {
        self.at == At::Between
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Kind;
    use crate::format::laws::{check, error, starts, words};

    const FILE: &str = "\u{feff}1\r\n00:00:01,000 --> 00:00:02,500\r\nso <i>ana</i> said\r\nthat we go. and\r\n\r\n\
                        2\n0:00:02.5 --> 00:00:01,000 X1:40\n{\\an8}then we went. [laughs]\n\n\
                        3\n00:00:05,000 --> 00:00:06,000\n\n\
                        4\n00:00:05,000 --> 00:00:06,000\n- who?\n- (sighs) me &amp; you\n00:00:01,000 --> 00:00:02,500";

    #[test]
    fn sentences_run_on_from_cue_to_cue() {
        assert_eq!(
            words(Kind::Srt, FILE),
            ["so", "ana", "said", "that", "we", "go", "and", "then", "we", "went", "who", "me", "you"]
        );
        assert_eq!(starts(Kind::Srt, FILE), ["so", "and", "who", "me"]);
        check(Kind::Srt, FILE);
    }

    #[test]
    fn what_cannot_be_read_is_named_or_passed() {
        let good = "1\n00:00:01,000 --> 00:00:02,500\nyes\n\n";
        for (text, start) in [
            ("so\n", "data, line 5, column 1: found \"so\", but the number of a cue is expected"),
            (
                "2\nso\n",
                "data, line 6, column 1: found \"so\", but a timing is expected, such as 00:00:01,000",
            ),
            ("2\n\n", "data, line 6, column 1: found nothing, but a timing"),
            ("2\n00:00:01,000 --> 00:0", "data, line 6, column 18: found \"00:0\", but a timing"),
            ("2\n00:00:01,000 -->", "data, line 6, column 17: found nothing, but a timing"),
            ("2", "data, line 6, column 1: found the end of the file, but a timing"),
        ] {
            let text = format!("{good}{text}");
            let error = error(Kind::Srt, &text);
            assert!(error.starts_with(start) && error.ends_with("--lossy"), "{error}");
            assert_eq!(words(Kind::Srt, &format!("{text}\n\n{good}")), ["yes", "yes"]);
        }
    }
}
