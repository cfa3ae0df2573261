//! The `text` of Kaldi: the name of an utterance and its words per line.

use super::info::{Format, FormatFamily, FormatInfo};
use super::line_parts::LineParts;
use super::records::Grammar;
use super::transcript::{Fault, fields, is_no_word};
use crate::text::{Break, MarkForm};

/// Kaldi's utterances.
pub(super) const KALDI: FormatInfo = FormatInfo {
    format: Format::Kaldi,
    name: "kaldi",
    help: "The text of Kaldi: the name of an utterance and its words per line",
    shown: "Kaldi's text",
    family: FormatFamily::Transcript,
    grammar: Some(|_| Ok(Box::new(KaldiReader))),
    mark_form: |asked| Ok(asked.unwrap_or(MarkForm::Joined)),
    is_cut_by_lines: true,
    is_named_as_text: true,
    ..FormatInfo::LINES
};

/// Utterances, read from any input: each is a turn. Everything but the words is copied unchanged.
#[derive(Debug)]
pub(super) struct KaldiReader;

impl Grammar for KaldiReader {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let words = fields(line, 0).skip(1).filter(|word| {
            let word = &line[word.clone()];
            // `!SIL` is silence.
            !(is_no_word(word) || word.len() > 1 && word.starts_with('!'))
        });
        for (at, word) in words.enumerate() {
            match at {
                0 => parts.push_beginning(word, Some(Break::Turn)),
                _ => parts.push(word, None),
            }
        }
        Ok(())
    }

    fn is_between(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::laws::{check, starts, words};

    #[test]
    fn the_words_of_an_utterance_are_text_and_its_name_is_not() {
        let file = "ana-1 we met Ana\r\nana-2\n\nana-3\t<noise> he left !SIL [laughter] ana-4\nrui-1 yes";
        check(Format::Kaldi, file);
        assert_eq!(words(Format::Kaldi, file), ["we", "met", "ana", "he", "left", "ana-4", "yes"]);
        assert_eq!(starts(Format::Kaldi, file), ["we", "he", "yes"]);
    }
}
