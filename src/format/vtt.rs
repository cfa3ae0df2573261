//! `.vtt`, WebVTT: cues like those of SubRip, with styles, notes, settings and voices.

use super::cue::{Cues, Times};
use super::records::{Grammar, Parts};
use super::transcript::{Fault, shortened};

const TIMES: Times = Times { colons: (1, 2), marks: &['.'], example: "00:01.000 --> 00:02.500" };

/// Subtitles of the web, read from anywhere. All but the words of cues stays as it is, and a sentence runs on from cue to cue until
/// another voice speaks.
#[derive(Debug, Default)]
pub(super) struct Lines {
    at: At,
    cues: Cues,
}

/// Where in the file the next line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum At {
    /// At its beginning.
    #[default]
    Start,
    /// Before a block.
    Between,
    /// After the name of a cue.
    Named,
    /// In the text of a cue.
    Text,
    /// In a header, a note, a style, a region or what cannot be read.
    Passed,
}

impl Grammar for Lines {
    fn line(&mut self, line: &str, parts: &mut Parts) -> Result<(), Fault> {
        let is_empty = line.trim().is_empty();
        let begins = |word: &str| {
            line.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
        };
        if self.at == At::Start {
            self.at = At::Passed;
            if begins("WEBVTT") {
                return Ok(());
            }
            let problem =
                format!("found \"{}\", but WEBVTT is expected in the first line", shortened(line.trim()));
            return Err(Fault { at: 0, problem });
        }
        let is_due = matches!(self.at, At::Between | At::Named);
        if self.at == At::Between && ["NOTE", "STYLE", "REGION"].into_iter().any(begins) {
            self.at = At::Passed;
            return Ok(());
        }
        // In text, what looks like a timing may be one after an empty line that is missing: it has no letters either way.
        if Times::may_be(line) && (is_due || self.at == At::Text && TIMES.read(line).is_ok()) {
            TIMES.read(line)?;
            self.at = At::Text;
            self.cues.begin();
            return Ok(());
        }
        match self.at {
            At::Named => TIMES.read(line)?,
            _ if is_empty => self.at = At::Between,
            At::Text => self.cues.line(line, parts),
            At::Between => self.at = At::Named,
            At::Start | At::Passed => {}
        }
        Ok(())
    }

    fn pass(&mut self, is_empty: bool) {
        self.at = if is_empty { At::Between } else { At::Passed };
    }

    fn end(&mut self) -> Result<(), String> {
        match self.at {
            At::Start => Err("found nothing, but WEBVTT is expected in the first line".to_owned()),
            At::Named => {
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

    const FILE: &str = "WEBVTT - a talk\nKind: captions\n\nSTYLE\n::cue(b) { color: red }\n\nNOTE so it is\nand goes on\n\n\
                        intro\n00:01.000 --> 00:02.500 align:start position:0%\n<v Ana Reis>so <b.loud>rui</b> said\n\n\
                        00:00:02.500 --> 00:00:04.000\n<v Ana Reis>that <00:00:03.000>we go. yes\n<v Rui>me too.</v>\n\n\
                        NOTE\n\n1\n00:04.000 --> 00:05.000\n&gt;&gt; a --> b [music]\n";

    #[test]
    fn only_the_words_of_cues_are_text() {
        assert_eq!(
            words(Kind::Vtt, FILE),
            ["so", "rui", "said", "that", "we", "go", "yes", "me", "too", "a", "b"]
        );
        assert_eq!(starts(Kind::Vtt, FILE), ["yes", "me", "a"]);
        check(Kind::Vtt, FILE);
    }

    #[test]
    fn what_cannot_be_read_is_named_or_passed() {
        let good = "WEBVTT\n\n00:01.000 --> 00:02.500\nyes\n\n";
        for (text, start) in [
            ("so\n\n", "data, line 7, column 1: found nothing, but a timing is expected, such as 00:01.000"),
            ("00:01.000 --> 2.500\nso", "data, line 6, column 15: found \"2.500\", but a timing"),
            ("so", "data, line 7, column 1: found the end of the file, but a timing"),
        ] {
            let text = format!("{good}{text}");
            let error = error(Kind::Vtt, &text);
            assert!(error.starts_with(start) && error.ends_with("--lossy"), "{error}");
            assert_eq!(words(Kind::Vtt, &format!("{text}\n\n{}", &good[8..])), ["yes", "yes"]);
        }
        let error = error(Kind::Vtt, "1\n00:01.000 --> 00:02.500\nyes\n");
        assert!(error.starts_with("data, line 1, column 1: found \"1\", but WEBVTT is expected"), "{error}");
    }
}
