//! Live captions: each line is a record, which is read and written whole, with its times.

use super::buffer::LONGEST;
use super::kind::Format;
use super::lines::{Ends, SplitLines};
use super::piece::MarkPlace;
use super::record::LiveRecord;
use super::records::{Faults, GrammarLines};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::Input;
use majuscule_text::{MarkForm, RestoreOptions};

/// Records that are read as they arrive.
#[derive(Debug)]
pub struct LiveRecords(GrammarLines<'static>, MarkForm);

impl LiveRecords {
    /// Starts reading records of a format; `name` is their name in errors.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the format has no records that can come one by one.
    pub fn new(name: impl Into<String>, kind: Format, options: &RestoreOptions) -> Result<Self> {
        let grammar = kind.info().live.ok_or_else(|| {
            let live: Vec<&str> =
                Format::all().iter().filter(|info| info.live.is_some()).map(|info| info.name).collect();
            let (last, others) = live.split_last().unwrap_or((&"", &[]));
            let (stream, format, others) = (option("stream"), option("format"), others.join(", "));
            Error::usage(format!(
                "{stream} reads text, {others} and {last}: name one of them with {format}, or leave {stream} out"
            ))
        })?;
        let mut grammar = grammar(options);
        grammar.prepare(options);
        let input = Input::uncompressed(name, std::io::empty()).within(options.limits);
        let lines = SplitLines::new(input, LONGEST, Ends::AsFirst);
        let lines = GrammarLines::of_lines(lines, grammar, Faults::of(options));
        Ok(Self(lines, options.mark_form.unwrap_or_default()))
    }

    /// Processes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.lines.push(bytes);
    }

    /// Returns the next complete record; at the end of the input (`ended`), the last needs no line
    /// feed.
    ///
    /// # Errors
    /// Fails if the line violates the format, unless the options let it pass.
    pub fn next(&mut self, ended: bool) -> Result<Option<LiveRecord>> {
        if !self.0.lines.next_pushed(ended)? {
            return Ok(None);
        }
        let mut record = LiveRecord::default();
        self.0.read_line(|grammar, line, _| {
            grammar.record(line, &mut record).inspect_err(|_| record = LiveRecord::default())
        })?;
        record.mark_rows = match self.0.grammar.mark_place(self.1) {
            MarkPlace::Row(rows) => Some(rows),
            MarkPlace::Behind | MarkPlace::Column { .. } => None,
        };
        record.frame.move_positions(self.0.lines.text().start);
        record.frame.source.extend_from_slice(self.0.lines.whole());
        Ok(Some(record))
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Id;
    use super::*;

    /// Returns the texts and names of the records, and checks that lines in another case come out
    /// with nothing else changed.
    fn captions(kind: Format, text: &str) -> Vec<(String, Option<Id>)> {
        let options = RestoreOptions::default();
        let mut captions = None;
        for step in [1, 7, usize::MAX] {
            let mut reader = LiveRecords::new("data", kind, &options).unwrap();
            let (mut found, mut same, mut upper) = (Vec::new(), Vec::new(), Vec::new());
            let mut take = |reader: &mut LiveRecords, ended| {
                while let Some(caption) = reader.next(ended).unwrap() {
                    assert!(
                        caption.text.is_empty() || caption.text.ends_with(char::is_whitespace),
                        "{caption:?}"
                    );
                    caption.write(&caption.text, &[], &mut same);
                    caption.write(&caption.text.to_uppercase(), &[], &mut upper);
                    let begins = if caption.begins { "|" } else { "" };
                    let runs = caption.text.split(' ').filter(|run| !run.is_empty()).collect::<Vec<_>>();
                    found.push((format!("{begins}{}", runs.join(" ")), caption.id));
                }
            };
            for part in text.as_bytes().chunks(step.min(text.len())) {
                reader.push(part);
                take(&mut reader, false);
            }
            take(&mut reader, true);
            assert_eq!(String::from_utf8(same).unwrap(), text);
            let upper = String::from_utf8(upper).unwrap();
            assert_ne!(upper, text);
            assert_eq!(upper.to_lowercase().replace("00c9", "00e9"), text.to_lowercase());
            assert_eq!(captions.get_or_insert(found.clone()), &found);
        }
        captions.unwrap()
    }

    #[test]
    fn words_that_look_like_escapes_or_hold_other_bytes_stay_as_they_are() {
        let options = RestoreOptions::default().lossy(true);
        for (kind, file, upper) in [
            (Format::Ctm, &b"r 1 0 1 a\\u00e9\nr 1 1 1 a\xffb"[..], &b"r 1 0 1 A\\U00E9\nr 1 1 1 A\xffB"[..]),
            (Format::Jsonl, b"{\"text\":\"a\xffb\"}\n{\"text\"", b"{\"text\":\"A\xffB\"}\n{\"text\""),
        ] {
            let mut records = LiveRecords::new("data", kind, &options).unwrap();
            records.push(file);
            let mut out = Vec::new();
            while let Some(record) = records.next(true).unwrap() {
                record.write(&record.text.to_uppercase(), &[], &mut out);
            }
            assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(upper));
        }
    }

    #[test]
    fn a_record_without_words_has_no_text() {
        for (kind, file) in [(Format::Ctm, ";; so\n"), (Format::Jsonl, "{\"text\": null}\n")] {
            let mut records = LiveRecords::new("data", kind, &RestoreOptions::default()).unwrap();
            records.push(file.as_bytes());
            assert_eq!(records.next(false).unwrap().unwrap().text, "", "{file}");
        }
    }

    fn named(name: &str) -> Option<Id> {
        Some(Id::Name(name.to_owned()))
    }

    #[test]
    fn objects_have_a_text_and_a_name() {
        let file = "\u{feff}{\"id\": 7, \"text\": \"we met \\u00e9lise\"}\r\n\n{\"x\": {\"id\": 1}, \"text\": \"ć so\", \"id\": \"a\"}\n\
                    {\"text\": null, \"id\": null}";
        let expected = [
            ("we met élise\n".into(), named("7")),
            (String::new(), None),
            ("ć so\n".into(), named("a")),
            (String::new(), None),
        ];
        assert_eq!(captions(Format::Jsonl, file), expected);
    }

    #[test]
    fn a_document_stands_on_a_line() {
        let file = "{\"text\": \"so [m\u{fa}sica] é\", \"segments\": [{\"id\": 3, \"text\": \" so [m\u{fa}sica]\"}, {\"text\": \"- é\"}], \"id\": \"x\"}\n";
        assert_eq!(captions(Format::WhisperJson, file), [("so \u{a0} \n\n é".to_owned(), named("x"))]);
        // Everything that is not a word is written again character by character, whatever its
        // bytes.
        let file = "{\"text\": \"\\n[\u{e9}\u{2026}\u{1f600}\u{10428}]n0 so\"}\n";
        assert_eq!(captions(Format::WhisperJson, file)[0].0.trim_end().rsplit(' ').next(), Some("so"));
        let mut reader = LiveRecords::new("data", Format::WhisperJson, &RestoreOptions::default()).unwrap();
        reader.push(b"{\"text\":\n\"so\"}\n");
        let error = reader.next(false).unwrap_err().to_string();
        assert!(
            error.starts_with("data, line 1, column 9: found the end") && error.contains("one line"),
            "{error}"
        );
    }

    #[test]
    fn a_word_has_its_times_for_a_name() {
        let file = "a 1 0.5 0.25 we\na 1 0.75 0.5 met <x>\n;; x\na 2 1 0.5 and\na 1 0.7 0.1 them NA lex ana\nb 1 0 1 so";
        let file = file.replace(" <x>", "");
        let found = captions(Format::Ctm, &file);
        for end in ["\r", "\r\n"] {
            assert_eq!(captions(Format::Ctm, &file.replace('\n', end)), found, "{end:?}");
        }
        let words: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(words, ["|we", "met", "", "\n\nand", "\n\nthem", "|so"]);
        let replaces =
            |a: usize, b: usize| found[a].1.as_ref().unwrap().replaces(found[b].1.as_ref().unwrap());
        assert!(replaces(0, 1) && !replaces(1, 0) && !replaces(3, 1) && !replaces(4, 1));
    }
}
