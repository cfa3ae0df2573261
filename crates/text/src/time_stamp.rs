//! Recognises a time stamp at the beginning of a line: `0:07`, `[0.04s -> 0.50s]`, `12/11/2026, 10:02 -`.

use super::language::{Language, has_word};
use super::line_opening::Scan;

/// Looks for a time stamp at the beginning of `line`, the part of a line that has arrived so far; `is_whole` is true
/// if the line is complete.
pub(super) fn time_stamp(line: &str, is_whole: bool) -> Scan {
    let mut reader = Reader { line, at: 0, is_whole, is_open: false };
    let found = reader.stamp().is_some();
    match found {
        _ if reader.is_open => Scan::Open,
        true => Scan::Found(reader.at),
        false => Scan::No,
    }
}

/// A line, and the position up to which it has been read.
struct Reader<'a> {
    line: &'a str,
    at: usize,
    is_whole: bool,
    /// True if the end of the text so far was reached, so that more text may change the result.
    is_open: bool,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    /// Returns the next byte, 0 at the end of the line.
    fn peek(&mut self) -> u8 {
        let next = self.line.as_bytes().get(self.at).copied();
        self.is_open |= next.is_none() && !self.is_whole;
        next.unwrap_or(0)
    }

    fn takes(&mut self, any: &[u8]) -> bool {
        let is_any = any.contains(&self.peek()) && self.at < self.line.len();
        self.at += usize::from(is_any);
        is_any
    }

    fn blanks(&mut self) -> usize {
        let from = self.at;
        while self.takes(b" \t") {}
        self.at - from
    }

    /// Reads `least` to `most` digits.
    fn digits(&mut self, least: usize, most: usize) -> Option<()> {
        let from = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
            if self.at - from > most {
                return None;
            }
        }
        (self.at - from >= least).then_some(())
    }

    /// Reads an optional part, and returns true if it is there. Otherwise, the position does not change.
    fn maybe(&mut self, part: impl Fn(&mut Self) -> Option<()>) -> bool {
        let from = self.at;
        let found = part(self).is_some();
        if !found {
            self.at = from;
        }
        found
    }

    fn stamp(&mut self) -> Option<()> {
        let first = self.peek();
        let close: &[u8] = match first {
            b'[' => b"]",
            b'(' => b")",
            b'0'..=b'9' => return self.bare(),
            b'F' | b'f' | b'D' | b'd' => return self.mail_head(),
            _ => return None,
        };
        self.at += 1;
        self.blanks();
        if self.maybe(Self::date) {
            self.takes(b",Tt");
            self.blanks();
        }
        self.time()?;
        self.maybe(Self::half);
        self.maybe(Self::range);
        self.blanks();
        self.takes(close).then_some(())
    }

    /// Reads a time stamp without brackets, which has to meet more conditions than one with brackets.
    fn bare(&mut self) -> Option<()> {
        let is_dated = self.maybe(Self::date);
        if is_dated && !(self.takes(b",Tt") | (self.blanks() > 0)) {
            return None;
        }
        self.blanks();
        self.clock()?;
        self.takes(b"Zz");
        let has_half = self.maybe(Self::half);
        let has_range = !has_half && self.maybe(Self::range);
        if !matches!(self.peek(), 0 | b' ' | b'\t' | b'\r') {
            return None;
        }
        let end = self.at;
        self.blanks();
        if self.peek() == 0 || self.rest().trim().is_empty() {
            self.at = end;
            return Some(());
        }
        // The settings of a WebVTT cue.
        if has_range {
            let mut words = self.rest().split_whitespace();
            let last = words.next_back().unwrap_or_default();
            if words.all(|word| word.contains(':')) {
                if !self.is_whole {
                    self.is_open = true;
                } else if last.contains(':') {
                    self.at = self.line.trim_end().len();
                    return Some(());
                }
            }
        }
        let has_dash = self.maybe(Self::dash);
        // `10:30 a.m. we met`, `10:30 a.m. - 11 a.m.`
        let is_told = match has_dash {
            true => has_half && self.peek().is_ascii_digit(),
            false => has_half || self.has_unit(),
        };
        if !has_dash {
            self.at = end;
        }
        (is_dated || !is_told).then_some(())
    }

    /// Reads the line that begins a mail in a mailbox (mbox), or its `Date:` header.
    fn mail_head(&mut self) -> Option<()> {
        if self.maybe(|reader| reader.literal("from ")) {
            while !matches!(self.peek(), 0 | b' ') {
                self.at += 1;
            }
            self.blanks();
            self.letters(3, 3)?;
            self.blanks();
            self.letters(3, 3)?;
            self.blanks();
            self.digits(1, 2)?;
        } else {
            self.literal("date:")?;
            self.blanks();
            self.maybe(|reader| reader.letters(3, 3).filter(|()| reader.takes(b",")));
            self.blanks();
            self.digits(1, 2)?;
            self.blanks();
            self.letters(3, 3)?;
            self.blanks();
            self.digits(4, 4)?;
        }
        (self.blanks() > 0).then_some(())?;
        self.clock()?;
        // The year, the time zone.
        let rest = self.rest();
        self.is_open |= !self.is_whole;
        self.at = self.line.trim_end().len();
        (rest.split_whitespace().count() <= 2).then_some(())
    }

    /// Reads a word of ASCII in either case.
    fn literal(&mut self, word: &str) -> Option<()> {
        word.bytes().all(|b| self.takes(&[b, b.to_ascii_uppercase()])).then_some(())
    }

    /// Reads `least` to `most` letters.
    fn letters(&mut self, least: usize, most: usize) -> Option<()> {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        self.at += len;
        self.peek();
        (least..=most).contains(&rest[..len].chars().count()).then_some(())
    }

    fn dash(&mut self) -> Option<()> {
        if !self.takes(b"-") {
            let dash = ["–", "—"].iter().find(|dash| self.rest().starts_with(**dash))?;
            self.at += dash.len();
        }
        (self.blanks() > 0).then_some(())
    }

    fn has_unit(&mut self) -> bool {
        let word = self.rest().split_whitespace().next().unwrap_or_default();
        self.is_open |= word.len() == self.rest().len() && !self.is_whole && word.len() < 8;
        let after = self.rest()[word.len()..].trim_start();
        let word = word.trim_end_matches([',', '.', ';']).to_ascii_lowercase();
        let is_of = |list: fn(&Language) -> &'static str| {
            Language::ALL.iter().any(|language| has_word(list(language), &word))
        };
        if is_of(|language| language.clock_links) {
            self.is_open |= after.is_empty() && !self.is_whole;
            return after.starts_with(|c: char| c.is_ascii_digit());
        }
        is_of(|language| language.clock_words)
    }

    /// Reads a clock or a number of seconds: `0.04s`.
    fn time(&mut self) -> Option<()> {
        let is_seconds = self.maybe(|reader| {
            reader.digits(1, 6)?;
            reader.takes(b".").then_some(())?;
            reader.digits(1, 6)?;
            reader.takes(b"sS").then_some(())
        });
        if is_seconds { Some(()) } else { self.clock() }
    }

    fn clock(&mut self) -> Option<()> {
        self.digits(1, 3)?;
        self.takes(b":").then_some(())?;
        self.digits(2, 2)?;
        if self.takes(b":") {
            self.digits(2, 2)?;
            // The number of the frame.
            if self.takes(b":;") {
                self.digits(2, 2)?;
            }
        }
        if matches!(self.peek(), b'.' | b',') {
            self.maybe(|reader| {
                reader.at += 1;
                reader.digits(1, 6)
            });
        }
        let next = self.rest().chars().next();
        (!next.is_some_and(|c| c.is_alphanumeric() && !matches!(c, 'Z' | 'z'))).then_some(())
    }

    /// Reads `AM`, `p.m.`, `p. m.` and the like.
    fn half(&mut self) -> Option<()> {
        self.spaces();
        self.takes(b"aApP").then_some(())?;
        if self.takes(b".") {
            self.spaces();
        }
        self.takes(b"mM").then_some(())?;
        self.takes(b".");
        // No letter of any alphabet may follow: `PMI` in Turkish lower case is `pmı`.
        self.peek();
        (!self.rest().starts_with(char::is_alphanumeric)).then_some(())
    }

    /// Reads spaces, including no-break spaces.
    fn spaces(&mut self) {
        while self.takes(b" ")
            || self.maybe(|reader| {
                let is_thin = reader.rest().starts_with(['\u{202f}', '\u{a0}']);
                reader.at += reader.rest().chars().next().filter(|_| is_thin).map_or(0, char::len_utf8);
                is_thin.then_some(())
            })
        {}
    }

    /// Reads the second time of a range.
    fn range(&mut self) -> Option<()> {
        self.blanks();
        if self.takes(b"-") {
            self.takes(b"-");
            self.takes(b">");
        } else {
            let dash = ["–", "→"].iter().find(|dash| self.rest().starts_with(**dash))?;
            self.at += dash.len();
        }
        self.blanks();
        self.time()
    }

    fn date(&mut self) -> Option<()> {
        self.digits(1, 4)?;
        let mark = self.peek();
        self.takes(b"/.-").then_some(())?;
        if !self.maybe(|reader| reader.digits(1, 2)) {
            self.letters(3, 9)?;
        }
        self.takes(&[mark]).then_some(())?;
        self.digits(1, 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_transcripts_and_chats_are_found_however_they_arrive() {
        for (line, expected) in [
            ("0:07", "0:07"),
            ("0:07 hello", "0:07"),
            ("(0:07) hello", "(0:07)"),
            ("[00:00:09] Mrs", "[00:00:09]"),
            ("00:00:09.500 Mrs", "00:00:09.500"),
            ("00:01:02.500 --> 00:01:05.000", "00:01:02.500 --> 00:01:05.000"),
            (
                "00:01:02,500 --> 00:01:05,000 align:start position:0%",
                "00:01:02,500 --> 00:01:05,000 align:start position:0%",
            ),
            ("[00:00.000 --> 00:05.000]  hello", "[00:00.000 --> 00:05.000]"),
            ("[12/11/26, 10:02:11] Ana: hi", "[12/11/26, 10:02:11]"),
            ("[12/11/26, 10:02:11 PM] Ana: hi", "[12/11/26, 10:02:11 PM]"),
            ("12/11/2026, 10:02 - Ana: hi", "12/11/2026, 10:02 - "),
            ("2026-11-12T10:02:11Z hi", "2026-11-12T10:02:11Z"),
            ("2026-11-12t10:02:11z hi", "2026-11-12t10:02:11z"),
            ("12.11.2026 10:02 hi", "12.11.2026 10:02"),
            ("0:07 PMI we", "0:07"),
            ("0:07 pmı we", "0:07"),
            ("10:02 AM", "10:02 AM"),
            ("0:00 - intro", "0:00 - "),
            ("0:00 – 0:07", "0:00 – 0:07"),
            ("0:12 and this", "0:12"),
            ("0:12 to bob", "0:12"),
            ("[0.04s -> 0.50s]  hello", "[0.04s -> 0.50s]"),
            ("00:00:01:12 - 00:00:05:20", "00:00:01:12 - 00:00:05:20"),
            ("[00:00:01;12 - 00:00:05;20] hi", "[00:00:01;12 - 00:00:05;20]"),
            ("8:28 p. m. - Ana: hola", "8:28 p. m. - "),
            ("12/11/26, 8:28\u{a0}p.\u{a0}m. - Ana: hola", "12/11/26, 8:28\u{a0}p.\u{a0}m. - "),
            ("[01-Jan-20 10:00 AM] ana#1234", "[01-Jan-20 10:00 AM]"),
            ("From ana@a.org Mon Jan  5 10:00:00 2026", "From ana@a.org Mon Jan  5 10:00:00 2026"),
            ("date: fri, 5 jan 2026 10:00:00 +0000 (utc)", "date: fri, 5 jan 2026 10:00:00 +0000 (utc)"),
            ("DATE: 5 JAN 2026 10:00", "DATE: 5 JAN 2026 10:00"),
        ] {
            assert_eq!(time_stamp(line, true), Scan::Found(expected.len()), "{line}");
            for end in (0..=line.len()).filter(|&end| line.is_char_boundary(end)) {
                let found = time_stamp(&line[..end], false);
                assert!(
                    found == Scan::Open || found == Scan::Found(expected.len()),
                    "{}: {found:?}",
                    &line[..end]
                );
            }
        }
    }

    #[test]
    fn numbers_of_prose_are_no_times() {
        for line in [
            "10:30 a.m. we met",
            "10:30am",
            "1:2",
            "10:301",
            "2026 was",
            "(see 10:30)",
            "10:30 o'clock",
            "10:30 to 11:00 we",
            "10:30 und 11 sind",
            "10:30 a. m. we met",
            "10:30 am - 11 am",
            "from ana to bob 10:30",
            "date: the 5 jan 2026",
            "(0.5 seconds)",
            "1,000:1",
            "12",
            "a 0:07",
            "12/11",
            "3:16b",
        ] {
            assert_eq!(time_stamp(line, true), Scan::No, "{line}");
        }
    }
}
