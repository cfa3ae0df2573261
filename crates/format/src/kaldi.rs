//! The `text` of Kaldi: the name of an utterance and its words per line.

use super::grammar::Grammar;
use super::head::FileHead;
use super::info::FormatInfo;
use super::kind::FormatFamily;
use super::line_parts::{LineParts, PartRole};
use super::transcript::{Fault, fields, is_no_word};
use majuscule_text::{Break, MarkForm};

/// Kaldi's utterances.
pub(super) const KALDI: FormatInfo = FormatInfo {
    example: "spk1-utt001 the BBC met\nspk1-utt002 in new york\r\n\nspk2-utt001 WHO o'neill <unk> İstanbul\n",
    shown: "Kaldi's text",
    family: FormatFamily::Transcript,
    begins: Some(begins),
    grammar: Some(|_| Ok(Box::new(KaldiReader))),
    mark_form: |asked| Ok(asked.unwrap_or(MarkForm::Joined)),
    is_cut_by_lines: true,
    is_named_as_text: true,
    ..FormatInfo::LINES
};

/// Returns true if a file begins with lines of Kaldi: each begins with the name of an utterance, and the names are
/// sorted. Words of prose do not look like names, even with a number (`covid-19`). In a file called `text`, as Kaldi
/// calls it, any identifier with a digit, `-` or `_` is a name.
fn begins(head: FileHead<'_>) -> Option<bool> {
    /// The number of lines that is enough, even if their names have different shapes.
    const LINES: usize = 3;
    /// The largest number of bytes of a name, so that longer names are not waited for.
    const LONGEST: usize = 256;
    let FileHead { text, ended, file, .. } = head;
    let is_named = file == "text";
    let (mut names, mut has_words, mut rest) = (Vec::<&[u8]>::new(), false, text);
    while !rest.is_empty() {
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let name = &rest[..end];
        if end > LONGEST {
            return Some(false);
        }
        if end == rest.len() && !ended {
            return if name.iter().all(is_in_name) { None } else { Some(false) };
        }
        if !is_name(name, is_named) || names.last().is_some_and(|last| *last >= name) {
            return Some(false);
        }
        names.push(name);
        let line_end = rest.iter().position(|&b| b == b'\n');
        has_words |= !rest[end..line_end.unwrap_or(rest.len())].trim_ascii().is_empty();
        match line_end {
            _ if names.len() == LINES && has_words => return Some(true),
            Some(line_end) => rest = &rest[line_end + 1..],
            None if ended => break,
            None => return None,
        }
    }
    if !ended {
        return None;
    }
    let is_alike =
        |names: &[&[u8]]| names.len() > 1 && names.windows(2).all(|two| shape(two[0]) == shape(two[1]));
    Some(has_words && (is_named || is_alike(&names)))
}

fn is_in_name(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')
}

/// Returns true if a word is the name of an utterance: `spk1-utt001`, `1089-134686-0000`, `BAC009S0002W0122`. A date is
/// not such a name.
fn is_name(word: &[u8], is_named: bool) -> bool {
    let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
    let has_link = word.iter().any(|b| matches!(b, b'-' | b'_'));
    if !word.iter().all(is_in_name) || !word.first().is_some_and(u8::is_ascii_alphanumeric) {
        return false;
    }
    let is_date = shape(word) == b"0-0-0" && word.len() == 10 && word[4] == b'-';
    let has_letter = word.iter().any(u8::is_ascii_alphabetic);
    match is_named {
        true => digits > 0 || has_link,
        false => digits >= 4 && has_link && !is_date || digits >= 6 && has_letter,
    }
}

/// Returns the shape of a name: the name with every run of letters replaced by one letter and every run of digits by
/// one digit.
fn shape(name: &[u8]) -> Vec<u8> {
    let kind = |b: &u8| match b {
        b'0'..=b'9' => b'0',
        b if b.is_ascii_alphabetic() => b'a',
        b => *b,
    };
    let mut shape: Vec<u8> = name.iter().map(kind).collect();
    shape.dedup_by(|a, b| a == b && a.is_ascii_alphanumeric());
    shape
}

/// Utterances, read from any input: each is a turn. Everything but the words is copied unchanged.
#[derive(Debug)]
struct KaldiReader;

impl Grammar for KaldiReader {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let words = fields(line, 0).skip(1).filter(|word| {
            let word = &line[word.clone()];
            // `!SIL` is silence.
            !(is_no_word(word) || word.len() > 1 && word.starts_with('!'))
        });
        for (at, word) in words.enumerate() {
            match at {
                0 => parts.push_as(word, Some(Break::Turn), PartRole::Beginning),
                _ => parts.push(word, None),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::Format;
    use crate::case_laws::{check_cases, starts, words};
    use crate::sniff::detected;
    use majuscule_base::files::Input;

    #[test]
    fn the_words_of_an_utterance_are_text_and_its_name_is_not() {
        let file = "ana-1 we met Ana\r\nana-2\n\nana-3\t<noise> he left !SIL [laughter] ana-4\nrui-1 yes";
        check_cases(Format::Kaldi, file);
        assert_eq!(words(Format::Kaldi, file), ["we", "met", "ana", "he", "left", "ana-4", "yes"]);
        assert_eq!(starts(Format::Kaldi, file), ["we", "he", "yes"]);
    }

    #[test]
    fn a_file_begins_with_names_of_utterances() {
        for (heads, kind) in [
            (
                &[
                    "spk1-utt001 so it is\nspk1-utt002 we met\n",
                    "spk1-utt001 so it is\nspk1-utt002\nspk2-utt001",
                    "1089-134686-0000 SO IT IS\n1089-134686-0001 WE MET\n1089-134686-0002 YES\n",
                    "BAC009S0002W0122 so it is\nBAC009S0002W0123 we met",
                    "sw02001-A_000098-001156\tso\nsw02001-B_000098-001156\twe\n",
                ][..],
                Some(Format::Kaldi),
            ),
            (
                &[
                    "spk1-utt002 so it is\nspk1-utt001 we met\n",
                    "spk1-utt001 so it is\nwe met\n",
                    "spk1-utt001 so it is\n",
                    "spk1-utt001\nspk1-utt002\n",
                    "covid-19 came\ngpt-4 came\nsars-2 came\n",
                    "2020-01-01 we met\n2020-01-02 we left\n2020-01-03 so\n",
                    "windows-2000 came\nwindowsxp-sp2-2001 came\n",
                    "10:30 we met\n10:45 we left\n",
                    "well-known men came\nwell-known women came\n",
                    "1990 was late\n1991 was later\n",
                    "555-12 men\n",
                    "a_1 so\nb_2 we\n",
                ],
                None,
            ),
        ] {
            for head in heads {
                assert_eq!(detected(head.as_bytes()).0, kind, "{head:?}");
            }
        }
    }

    #[test]
    fn a_text_of_kaldi_is_found_by_its_name_or_its_lines() {
        let lines = "spk1-utt001 so it is\nspk1-utt002 we met\n";
        let few = "011c0201 so it is\n";
        let prose = "so it is\nwe met\n";
        for (name, text, kind) in [
            ("data/train/text", lines, Format::Kaldi),
            ("data/train/text", few, Format::Kaldi),
            ("text.gz", few, Format::Kaldi),
            ("data/train/text", prose, Format::Text),
            ("standard input", lines, Format::Kaldi),
            ("84-121123.trans.txt", lines, Format::Kaldi),
            ("talk.txt", few, Format::Text),
            ("talk.srt", lines, Format::Srt),
        ] {
            let mut input = Input::uncompressed(name, std::io::Cursor::new(text));
            assert_eq!(Format::detect(&mut input).unwrap().kind, kind, "{name}");
            assert_eq!(input.bytes().unwrap(), text.as_bytes(), "nothing is lost");
        }
    }

    #[test]
    fn kaldi_and_labels_are_recognised_the_same_however_their_first_bytes_arrive() {
        for (letters, is_recognised) in [(70, true), (300, false)] {
            let name = "a".repeat(letters);
            let kaldi = format!("{name}-0001 so it is\n{name}-0002 we met\n{name}-0003 they left\n");
            let labels = format!("{name}\tCOMMA\nwe\tO\n");
            for (text, format) in [(kaldi, Format::Kaldi), (labels, Format::Labels)] {
                let answer = |end: usize| Format::of_bytes(&text.as_bytes()[..end], end == text.len(), "");
                let found: Vec<_> = (0..=text.len()).filter_map(answer).collect();
                let expected = is_recognised.then_some(format);
                assert!(
                    !found.is_empty() && found.iter().all(|found| *found == expected),
                    "{letters}: {found:?}"
                );
            }
        }
    }
}
