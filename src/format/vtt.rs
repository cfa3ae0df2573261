//! `.vtt`, WebVTT: cues like those of SubRip, with styles, notes, settings and voices.

use super::cue::{self, Says, Subtitles, Times};
use super::segment::{self, Block, BlockKind, Item, Losses, Lost, Part, Segment};
use super::transcript::{Fault, shortened};

const TIMES: Times = Times { colons: (1, 2), marks: &['.'], example: "00:01.000 --> 00:02.500" };

/// What its lines are.
#[derive(Debug, Default)]
pub(super) struct Lines {
    at: At,
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

/// What begins blocks that are no cues.
const BLOCKS: [(&str, BlockKind); 3] =
    [("NOTE", BlockKind::Note), ("STYLE", BlockKind::Style), ("REGION", BlockKind::Region)];

impl Subtitles for Lines {
    fn says(&mut self, line: &str) -> Result<Says, Fault> {
        let is_empty = line.trim().is_empty();
        let begins = |word: &str| {
            line.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
        };
        if self.at == At::Start {
            self.at = At::Passed;
            if begins("WEBVTT") {
                return Ok(Says::Block(BlockKind::Header, "WEBVTT".len()));
            }
            let problem =
                format!("found \"{}\", but WEBVTT is expected in the first line", shortened(line.trim()));
            return Err(Fault { at: 0, problem });
        }
        let is_due = matches!(self.at, At::Between | At::Named);
        if self.at == At::Between
            && let Some((word, kind)) = BLOCKS.into_iter().find(|(word, _)| begins(word))
        {
            self.at = At::Passed;
            return Ok(Says::Block(kind, word.len()));
        }
        // In text, what looks like a timing may be one after an empty line that is missing: it has no letters either way.
        if Times::may_be(line) && (is_due || self.at == At::Text && TIMES.read(line).is_ok()) {
            let timing = TIMES.read(line)?;
            self.at = At::Text;
            return Ok(Says::Timing(timing));
        }
        match self.at {
            At::Named => return TIMES.read(line).map(Says::Timing),
            // Only what is empty ends a cue: lines of one blank are in all captions that were made by a machine.
            _ if line.is_empty() || is_empty && self.at == At::Between => self.at = At::Between,
            At::Text => return Ok(Says::Text),
            At::Between => {
                self.at = At::Named;
                return Ok(Says::Name);
            }
            At::Start | At::Passed => return Ok(Says::More),
        }
        Ok(Says::Nothing)
    }

    fn pass(&mut self, is_empty: bool) {
        self.at = if is_empty { At::Between } else { At::Passed };
    }

    fn is_between(&self) -> bool {
        self.at == At::Between
    }

    fn ended(&self) -> Result<(), String> {
        match self.at {
            At::Start => Err("found nothing, but WEBVTT is expected in the first line".to_owned()),
            At::Named => {
                Err(format!("found the end of the file, but a timing is expected, such as {}", TIMES.example))
            }
            _ => Ok(()),
        }
    }

    fn settings(segment: &mut Segment) -> (Part, &mut Option<String>) {
        (Part::Settings, &mut segment.settings)
    }

    fn tag_len(text: &str) -> Option<usize> {
        text.starts_with('<').then(|| cue::tag_len(text)).flatten()
    }

    fn escaped(text: &str) -> Option<(usize, char)> {
        ESCAPES.into_iter().find(|(escape, _)| text.starts_with(escape)).map(|(escape, c)| (escape.len(), c))
    }
}

/// Characters that are written in another way.
const ESCAPES: [(&str, char); 8] = [
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&nbsp;", '\u{a0}'),
    ("&lrm;", '\u{200e}'),
    ("&rlm;", '\u{200f}'),
    ("&quot;", '"'),
    ("&apos;", '\''),
];

/// Subtitles of the web, written cue by cue.
#[derive(Debug, Default)]
pub(super) struct Writer {
    is_begun: bool,
}

impl segment::Writer for Writer {
    fn blocks(&self) -> &'static [BlockKind] {
        &[BlockKind::Header, BlockKind::Note, BlockKind::Style, BlockKind::Region]
    }

    fn misplaced(&self, kind: BlockKind) -> Option<&'static str> {
        (kind == BlockKind::Header && self.is_begun).then_some("found a header after the first line")
    }

    fn fit(&mut self, mut segment: Segment, losses: &mut Losses, out: &mut Vec<Item>) -> Result<(), Lost> {
        cue::fit::<Lines>(&mut segment, text, losses)?;
        out.push(Item::Segment(segment));
        Ok(())
    }

    fn write(&mut self, item: &Item, out: &mut String) {
        if !std::mem::replace(&mut self.is_begun, true)
            && !matches!(item, Item::Block(Block { kind: BlockKind::Header, .. }))
        {
            out.push_str("WEBVTT\n\n");
        }
        match item {
            Item::Block(Block { kind, text }) => {
                let word = BLOCKS.iter().find(|(_, own)| own == kind).map_or("WEBVTT", |(word, _)| word);
                let space = if text.is_empty() || text.starts_with('\n') { "" } else { " " };
                out.push_str(&format!("{word}{space}{text}\n\n"));
            }
            Item::Segment(segment) => cue::write(segment, &segment.settings, '.', &text(segment), out),
        }
    }

    fn end(&mut self, out: &mut String) {
        if !self.is_begun {
            out.push_str("WEBVTT\n");
        }
    }
}

fn text(segment: &Segment) -> String {
    segment.marked(|c, out| match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        // A line of it alone would be empty.
        '\u{a0}' => out.push_str("&nbsp;"),
        c => out.push(c),
    })
}

#[cfg(test)]
mod tests {
    use crate::format::Kind;
    use crate::format::convert::written;
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
    fn a_cue_is_a_segment_and_its_tags_stand_apart() {
        let file = "WEBVTT a\n\nNOTE\nb\n\nc\n00:00:01.000 --> 00:00:02.000 line:0\n<v Ana>so &lt;i&gt;\n&amp; we\n\n";
        let objects = written(Kind::Vtt, Kind::Jsonl, file);
        let expected = [
            r#"{"header":"a","text":null}"#,
            r#"{"note":"\nb","text":null}"#,
            r#"{"id":"c","begin":1.0,"end":2.0,"text":"so <i>\n& we","tags":[[0,"<v Ana>"]],"settings":"line:0"}"#,
        ];
        assert_eq!(objects.lines().collect::<Vec<_>>(), expected);
        assert_eq!(written(Kind::Jsonl, Kind::Vtt, &objects), file);
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
