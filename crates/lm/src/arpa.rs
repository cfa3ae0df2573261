//! The ARPA format of SRILM, KenLM and IRSTLM, read and written.

use std::io::{self, Write};

use super::table::{NgramTable, NgramTableBuilder};
use super::vocab::{SPECIAL, Vocabulary, WordId};
use super::{MAX_ORDER, NgramModel};
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{Input, Lines};
use majuscule_base::printable::shortened;

/// log10 p of `<unk>` for a model that lacks it.
const NO_UNKNOWN: f32 = -100.0;

/// log10 of 0, as SRILM writes it.
const NOTHING: f32 = -99.0;

/// Writes a model. Values have six digits after the decimal point.
///
/// # Errors
/// Returns an error if `out` cannot be written.
pub fn write(model: &NgramModel, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = ArpaWriter::new(&model.counts(), model.vocabulary(), out);
    for order in 1..=model.order() {
        lines.begin_order();
        let mut result = Ok(());
        model.for_each(order, &mut |words, log10, back_off| {
            if result.is_ok() {
                result = lines.ngram(words, log10, (order < model.order()).then_some(back_off));
            }
        });
        result?;
    }
    lines.end()
}

/// Writes the n-grams of a model, order by order.
pub struct ArpaWriter<'a> {
    vocabulary: &'a Vocabulary,
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    /// The order being written.
    order: usize,
    /// The words before the last one of the most recently written n-gram; `text` is their text.
    history: Vec<WordId>,
    text: Vec<u8>,
}

/// The buffer size from which a write's overhead is negligible.
const FULL: usize = 1 << 18;

impl<'a> ArpaWriter<'a> {
    /// Begins a model with this number of n-grams of each order.
    pub fn new(counts: &[usize], vocabulary: &'a Vocabulary, out: &'a mut dyn Write) -> Self {
        let mut buffer = Vec::with_capacity(FULL + FULL / 8);
        buffer.extend_from_slice(b"\\data\\\n");
        for (order, count) in (1..).zip(counts) {
            buffer.extend_from_slice(format!("ngram {order}={count}\n").as_bytes());
        }
        Self { vocabulary, out, buffer, order: 0, history: Vec::new(), text: Vec::new() }
    }

    /// Begins the next order.
    pub fn begin_order(&mut self) {
        self.order += 1;
        self.buffer.extend_from_slice(format!("\n\\{}-grams:\n", self.order).as_bytes());
        self.remember(&[]);
    }

    /// Writes an n-gram, given its log10 p and, except in the highest order, its log10 back-off.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    #[inline]
    pub fn ngram(&mut self, words: &[WordId], log10: f32, back_off: Option<f32>) -> io::Result<()> {
        let [history @ .., last] = words else { return Ok(()) };
        if self.history != history {
            self.remember(history);
        }
        push_number(log10, &mut self.buffer);
        self.buffer.extend_from_slice(&self.text);
        self.buffer.extend_from_slice(self.vocabulary.word(*last).as_bytes());
        if let Some(back_off) = back_off {
            self.buffer.push(b'\t');
            push_number(back_off, &mut self.buffer);
        }
        self.buffer.push(b'\n');
        if self.buffer.len() >= FULL { self.flush() } else { Ok(()) }
    }

    fn remember(&mut self, history: &[WordId]) {
        self.history.clear();
        self.text.clear();
        self.history.extend_from_slice(history);
        self.text.push(b'\t');
        for &word in history {
            self.text.extend_from_slice(self.vocabulary.word(word).as_bytes());
            self.text.push(b' ');
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Ends the model.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn end(&mut self) -> io::Result<()> {
        self.buffer.extend_from_slice(b"\n\\end\\\n");
        self.flush()
    }
}

/// Appends a number with up to six digits after the decimal point; the value read back differs by
/// at most 5e-7.
fn push_number(number: f32, out: &mut Vec<u8>) {
    // No model has such a number, but a file may.
    if number.abs() >= 1e9 {
        return out.extend_from_slice(number.to_string().as_bytes());
    }
    let millionths = (f64::from(number.abs()) * 1e6 + 0.5) as u64;
    if number < 0.0 && millionths > 0 {
        out.push(b'-');
    }
    let (whole, mut rest) = (millionths / 1_000_000, (millionths % 1_000_000) as u32);
    match u8::try_from(whole) {
        Ok(digit @ 0..=9) => out.push(b'0' + digit),
        _ => out.extend_from_slice(whole.to_string().as_bytes()),
    }
    if rest == 0 {
        return;
    }
    out.push(b'.');
    let mut divisor = 100_000;
    while rest > 0 {
        out.push(b'0' + (rest / divisor) as u8);
        rest %= divisor;
        divisor /= 10;
    }
}

/// Reads a model.
///
/// # Errors
/// Returns an error with the line and the likely cause if the input is not
/// an ARPA file or is inconsistent.
pub(super) fn read(mut input: Input<'_>) -> Result<NgramModel> {
    if let Some(problem) = not_arpa(&input.peek(64)?) {
        return Err(Error::file(input.name(), problem));
    }
    ArpaReader {
        lines: input.lines(),
        line: String::new(),
        vocabulary: Vocabulary::new(),
        word_lines: Vec::new(),
        writes_zero: false,
        notes: Vec::new(),
    }
    .read()
}

/// Recognises a file by its first bytes, and returns the problem if it is not an ARPA file.
fn not_arpa(head: &[u8]) -> Option<String> {
    let tools: [(&[u8], &str); 4] = [
        (b"mmap lm http://kheafield.com", "KenLM"),
        (b"SRILM_BINARY", "SRILM"),
        (b"blmt", "IRSTLM"),
        (b"Qblmt", "IRSTLM"),
    ];
    if let Some((_, tool)) = tools.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(format!("is a binary of {tool}: give the ARPA file that it was built from"));
    }
    let problem = match head {
        [] => "is empty: expected a model",
        _ if head.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) => {
            "is a binary file, but neither a binary of majuscule nor an ARPA file: give an ARPA file"
        }
        _ => return None,
    };
    Some(problem.to_owned())
}

struct ArpaReader<'a> {
    lines: Lines<'a>,
    /// The line read last.
    line: String,
    vocabulary: Vocabulary,
    /// The line number of each 1-gram.
    word_lines: Vec<u64>,
    /// True if the file has a back-off of 0, so that a missing back-off does not mean 0.
    writes_zero: bool,
    /// The problems of the file that did not prevent reading it.
    notes: Vec<String>,
}

/// An n-gram, as read from a line.
#[derive(Debug, Clone, Copy)]
struct ArpaEntry {
    /// log10 p; NaN if the file lacks the n-gram.
    probability: f32,
    back_off: Option<f32>,
    line: u64,
}

/// The n-grams of one order in file order: `order` words and an entry for each.
#[derive(Debug, Default)]
struct ArpaSection {
    words: Vec<u32>,
    entries: Vec<ArpaEntry>,
}

impl ArpaSection {
    fn words(&self, order: usize, at: usize) -> &[u32] {
        &self.words[at * order..(at + 1) * order]
    }

    /// Sorts the n-grams by the numbers of their words; files written
    /// by this crate are already sorted.
    fn sorted(self, order: usize) -> Self {
        let mut positions: Vec<u32> = (0..self.entries.len() as u32).collect();
        if positions.is_sorted_by(|&a, &b| self.words(order, a as usize) <= self.words(order, b as usize)) {
            return self;
        }
        positions.sort_by(|&a, &b| self.words(order, a as usize).cmp(self.words(order, b as usize)));
        let mut sorted = Self::default();
        for at in positions {
            sorted.words.extend_from_slice(self.words(order, at as usize));
            sorted.entries.push(self.entries[at as usize]);
        }
        sorted
    }
}

impl ArpaReader<'_> {
    fn read(mut self) -> Result<NgramModel> {
        let counts = self.header()?;
        let sections = (1..).zip(&counts).map(|(order, &count)| self.section(order, count));
        let sections = sections.collect::<Result<Vec<_>>>()?;
        if self.line != "\\end\\" {
            return Err(self.lines.problem(format!(
                "found \"{}\", but \\end\\ is expected after the {}-grams",
                shortened(&self.line),
                counts.len()
            )));
        }
        self.check_back_offs(&sections)?;
        let mut sections: Vec<_> =
            (1..).zip(sections).map(|(order, section)| section.sorted(order)).collect();
        let missing = add_histories(&mut sections);
        self.note(missing, "begins with words that are not an n-gram", "their back-off is read as 0");
        let table = self.table(sections)?;
        Ok(NgramModel { notes: self.notes, ..NgramModel::new(self.vocabulary, table) })
    }

    /// Reads the header and returns its counts; the line after the header has then been read.
    fn header(&mut self) -> Result<Vec<u64>> {
        // SRILM and users write arbitrary text before the header, in any encoding, but not much.
        loop {
            let is_long = self.lines.number() >= LONGEST_PREFACE;
            let problem = match self.lines.next_bytes()?.map(<[u8]>::trim_ascii) {
                Some(b"\\data\\") => break,
                Some(b"iARPA") => {
                    "is an iARPA file, which holds no back-offs yet: convert it with compile-lm --text=yes"
                }
                Some(line) if line.starts_with(b"qARPA") => {
                    "is a quantized ARPA file of IRSTLM, which holds codes for its numbers: give the ARPA file that it was \
                     made from"
                }
                Some(_) if !is_long => continue,
                _ => "found no line \\data\\ up to here: expected an ARPA file",
            };
            return Err(self.lines.problem(problem));
        }
        let mut counts = Vec::new();
        loop {
            if !self.next()? {
                return Err(self.lines.problem("the file ends inside its header: it is cut off"));
            }
            let rest = self.line.strip_prefix("ngram").filter(|rest| rest.starts_with([' ', '\t']));
            let Some(rest) = rest else {
                // A line that is neither a count nor a heading is a comment.
                if self.line.starts_with('\\') {
                    break;
                }
                continue;
            };
            let number = |text: &str| text.trim().parse::<u64>().ok();
            let pair = rest.split_once('=').and_then(|(order, count)| Some((number(order)?, number(count)?)));
            let problem = match pair {
                None => format!("found \"{}\", but \"ngram ORDER=COUNT\" is expected", shortened(&self.line)),
                Some((order, _)) if order != counts.len() as u64 + 1 => {
                    format!("order {order} comes where order {} is expected", counts.len() + 1)
                }
                Some((order, _)) if order > MAX_ORDER as u64 => {
                    format!("order {order}, but this build reads at most {MAX_ORDER}")
                }
                Some((_, count)) => {
                    counts.push(count);
                    continue;
                }
            };
            return Err(self.lines.problem(problem));
        }
        if counts.is_empty() {
            return Err(self.lines.problem("found no line \"ngram 1=…\" after \\data\\"));
        }
        Ok(counts)
    }

    /// Reads the n-grams of an order; the line after them has then been read.
    fn section(&mut self, order: usize, count: u64) -> Result<ArpaSection> {
        let heading = format!("\\{order}-grams:");
        if self.line != heading {
            return Err(self.lines.problem(format!(
                "found \"{}\", but {heading} is expected: the sections must be in order, one for each order",
                shortened(&self.line)
            )));
        }
        let mut section = ArpaSection::default();
        loop {
            if !self.next()? {
                return Err(self.lines.problem(format!(
                    "the file ends after {} of {count} {order}-grams, without \\end\\: it is cut off",
                    section.entries.len()
                )));
            }
            if self.line.starts_with('\\') {
                break;
            }
            let line = std::mem::take(&mut self.line);
            let entry = self.entry(&line, order, &mut section.words);
            section.entries.push(entry.map_err(|problem| self.lines.problem(problem))?);
            self.line = line;
        }
        if section.entries.len() as u64 != count {
            return Err(self.lines.problem(format!(
                "found {} {order}-grams before this line, but the header promises {count}: lines are missing or too many, \
                 or the header is of another file",
                section.entries.len()
            )));
        }
        Ok(section)
    }

    fn entry(&mut self, line: &str, order: usize, words: &mut Vec<u32>) -> Result<ArpaEntry, String> {
        let mut fields = line.split_ascii_whitespace();
        let probability = fields.next().unwrap_or_default();
        let probability = value(probability, "log10 probability")?;
        if probability > 0.0 {
            return Err(format!(
                "log10 probability {probability} is above 0: a column is missing, or the numbers are not logarithms"
            ));
        }
        for found in 0..order {
            let word = fields.next().ok_or_else(|| {
                format!("found {found} words, but {order} are expected: the line or the file is cut off")
            })?;
            words.push(self.word(word, order)?);
        }
        // The first error is the most informative: a missing word in a later section may be a
        // consequence of it.
        if let ([.., word], 1) = (&**words, order) {
            let word = *word as usize;
            if self.word_lines.len() <= word {
                self.word_lines.resize(word + 1, 0);
            }
            let line = std::mem::replace(&mut self.word_lines[word], self.lines.number());
            if line > 0 {
                return Err(format!("this n-gram occurs in line {line} already"));
            }
        }
        let back_off = fields.next().map(|back_off| value(back_off, "log10 back-off")).transpose()?;
        if let Some(more) = fields.next() {
            return Err(format!(
                "found \"{}\" after the back-off: {order} words are expected",
                shortened(more)
            ));
        }
        self.writes_zero |= back_off == Some(0.0);
        Ok(ArpaEntry { probability, back_off, line: self.lines.number() })
    }

    fn word(&mut self, word: &str, order: usize) -> Result<u32, String> {
        let word = if word == "<UNK>" { SPECIAL[0] } else { word };
        match self.vocabulary.get(word) {
            Some(id) => Ok(id.0),
            None if order == 1 => Ok(self.vocabulary.insert(word).0),
            None => Err(format!("the word \"{}\" is not among the 1-grams", shortened(word))),
        }
    }

    /// Refuses a file that lacks all back-offs: the probabilities after
    /// its n-grams would not sum to one.
    fn check_back_offs(&self, sections: &[ArpaSection]) -> Result<()> {
        let orders = sections.len();
        let any = sections.iter().any(|section| section.entries.iter().any(|entry| entry.back_off.is_some()));
        let longer = sections.iter().skip(1).any(|section| !section.entries.is_empty());
        if orders > 1 && longer && !any {
            let line = sections[0].entries.first().map_or(1, |entry| entry.line);
            let problem = "no n-gram has a back-off, but there are longer ones: the last column is missing";
            return Err(Error::line(self.lines.name(), line, problem));
        }
        Ok(())
    }

    fn table(&mut self, mut sections: Vec<ArpaSection>) -> Result<NgramTable> {
        let orders = sections.len();
        let unigrams = std::mem::take(&mut sections[0]);
        let mut entries: Vec<Option<ArpaEntry>> = vec![None; self.vocabulary.len()];
        for (&word, &entry) in unigrams.words.iter().zip(&unigrams.entries) {
            entries[word as usize] = Some(entry);
        }
        for special in [WordId::START, WordId::END] {
            if entries[special.0 as usize].is_none() {
                let word = SPECIAL[special.0 as usize];
                let problem = format!("{word} is not among the 1-grams: expected a model of whole sentences");
                return Err(Error::file(self.lines.name(), problem));
            }
        }
        let missing = ArpaEntry { probability: NO_UNKNOWN, back_off: Some(0.0), line: 0 };
        let entries: Vec<ArpaEntry> = entries.into_iter().map(|entry| entry.unwrap_or(missing)).collect();
        let values = entries.iter().map(|entry| (entry.probability, entry.back_off.unwrap_or_default()));
        let mut builder = NgramTableBuilder::new(orders, values);
        let mut shorter = ArpaSection { words: (0..entries.len() as u32).collect(), entries };
        for (order, section) in (2..).zip(sections.into_iter().skip(1)) {
            self.order(&mut builder, order, &shorter, &section)?;
            shorter = section;
        }
        Ok(builder.finish())
    }

    /// Adds the n-grams of an order, given the n-grams that are one word shorter; both are sorted.
    fn order(
        &mut self,
        builder: &mut NgramTableBuilder,
        order: usize,
        shorter: &ArpaSection,
        section: &ArpaSection,
    ) -> Result<()> {
        builder.reserve(section.entries.len());
        let mut context = 0;
        // The number of contexts that lack a back-off, and the line of the first one.
        let mut without = (0, u64::MAX);
        for (at, &entry) in section.entries.iter().enumerate() {
            let words = section.words(order, at);
            if at > 0 && section.words(order, at - 1) == words {
                return Err(self.twice(entry, section.entries[at - 1]));
            }
            let (word, beginning) = words.split_last().expect("an n-gram has a word");
            while context < shorter.entries.len() && shorter.words(order - 1, context) < beginning {
                context += 1;
            }
            if at == 0 || section.words(order, at - 1)[..order - 1] != *beginning {
                builder.begin(context as u32);
                let before = shorter.entries[context];
                if before.back_off.is_none() && self.writes_zero {
                    without.0 += 1;
                    without.1 = without.1.min(before.line);
                }
            }
            let probability = match entry.probability.is_nan() {
                true => builder.log10_backed_off(*word),
                false => entry.probability,
            };
            builder.push(*word, probability, entry.back_off.unwrap_or_default());
        }
        self.note(without, "begins longer n-grams but has no back-off", "read as 0");
        builder.end_order().map_err(|problem| Error::file(self.lines.name(), problem))
    }

    /// Adds a note about n-grams that lack something, if there are any, with their number and the
    /// line of the first.
    fn note(&mut self, (count, line): (u64, u64), problem: &str, reading: &str) {
        let more = match count {
            0 => return,
            1 => String::new(),
            _ => format!(", the first of {count} such n-grams"),
        };
        let name = self.lines.name();
        self.notes.push(format!("{name}, line {line}: the n-gram {problem}{more}: {reading}"));
    }

    /// Reads the next line that is not blank and trims it; returns `false` at the end.
    fn next(&mut self) -> Result<bool> {
        while let Some(line) = self.lines.next()? {
            let line = line.trim_ascii();
            if !line.is_empty() {
                self.line.clear();
                self.line.push_str(line);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn twice(&self, one: ArpaEntry, other: ArpaEntry) -> Error {
        let (first, second) = (one.line.min(other.line), one.line.max(other.line));
        let problem = format!("this n-gram occurs in line {first} already");
        Error::line(self.lines.name(), second, problem)
    }
}

/// Adds the histories of n-grams that are missing from the shorter n-grams, as in pruned models. An
/// added history gets a log10 back-off of 0 and its backed-off probability, so that it changes no
/// score. Returns the number of n-grams without a history in the file, and the line of the first.
/// The sections are sorted, and stay so.
fn add_histories(sections: &mut [ArpaSection]) -> (u64, u64) {
    let mut told = (0, u64::MAX);
    // The longest order comes first, because an added history has a
    // history too. Each word is a 1-gram.
    for order in (3..=sections.len()).rev() {
        let [shorter, longer] = &mut sections[order - 2..order] else { continue };
        let (mut at, mut is_there) = (0, false);
        let mut missing = ArpaSection::default();
        for (position, entry) in longer.entries.iter().enumerate() {
            let history = &longer.words(order, position)[..order - 1];
            // Most n-grams have the same history as the previous one.
            if position == 0 || longer.words(order, position - 1)[..order - 1] != *history {
                while at < shorter.entries.len() && shorter.words(order - 1, at) < history {
                    at += 1;
                }
                is_there = at < shorter.entries.len() && shorter.words(order - 1, at) == history;
                if !is_there {
                    missing.words.extend_from_slice(history);
                    missing.entries.push(ArpaEntry {
                        probability: f32::NAN,
                        back_off: Some(0.0),
                        line: entry.line,
                    });
                }
            }
            if !is_there && !entry.probability.is_nan() {
                told = (told.0 + 1, told.1.min(entry.line));
            }
        }
        if !missing.entries.is_empty() {
            shorter.words.append(&mut missing.words);
            shorter.entries.append(&mut missing.entries);
            *shorter = std::mem::take(shorter).sorted(order - 1);
        }
    }
    told
}

/// The maximum number of lines before `\data\`.
const LONGEST_PREFACE: u64 = 100_000;

/// Parses a finite number; log10 of 0 may be written as -inf.
fn value(text: &str, what: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(f32::NEG_INFINITY) => Ok(NOTHING),
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("found \"{}\", but a {what} is expected", shortened(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NgramState;

    const TINY: &str = include_str!("../../../lm/tiny.arpa");

    fn model(text: &str) -> Result<NgramModel> {
        NgramModel::read("tiny.arpa", text.as_bytes().to_vec())
    }

    fn log10(text: &str, words: &str) -> f64 {
        model(text).unwrap().scorer().sentence(words.split(' ')).log10
    }

    #[test]
    fn tiny_arpa_scores_as_its_readme_says() {
        assert!((log10(TINY, "told us the US") - -2.16343).abs() < 2e-5);
        assert!((log10(TINY, "told US the us") - -5.49485).abs() < 2e-5);
        assert!((log10(TINY, "told US the US") - -4.05552).abs() < 2e-5);
        // back-off(<s>) × p(<unk>) × p(</s>): 0.4 × 0.01 × 0.2.
        assert!((log10(TINY, "Braga") - (-0.39794 - 2.0 - 0.69897)).abs() < 2e-5);
        let model = model(TINY).unwrap();
        assert_eq!((model.order(), model.counts()), (3, vec![10, 10, 5]));
    }

    #[test]
    fn other_tools_files_are_read_alike() {
        let windows = TINY.replace('\n', "\r\n");
        let spaces = TINY.replace('\t', " ");
        let upper = TINY.replace("<unk>", "<UNK>");
        let backwards = {
            let (head, tail) = TINY.split_once("\\3-grams:\n").unwrap();
            let (ngrams, end) = tail.split_once("\n\n").unwrap();
            let ngrams: Vec<&str> = ngrams.lines().rev().collect();
            format!("{head}\\3-grams:\n{}\n\n{end}", ngrams.join("\n"))
        };
        let irstlm =
            TINY.replace("ngram ", "ngram  ").replace("=", "=       ").replace("-grams:\n", "-grams:\n\n");
        let infinite = TINY.replace("-99\t<s>", "-inf\t<s>");
        let log = "a line of a log\n".repeat(2000);
        let prefaced = format!("Trained by somebody\n\n  on something.\n{log}{TINY}\nwith notes after it");
        let marked = format!("\u{feff}{TINY}");
        let remarks = TINY.replacen("ngram 2", "\n# of 2007\nngram 2", 1).replacen(
            "\\1-grams:",
            "# words\n\n\\1-grams:",
            1,
        );
        assert_ne!(remarks, TINY);
        let tabs = TINY.replace(' ', "\t").replace("ngram\t1=10", "ngram\t1 =\t10\t");
        for text in [windows, spaces, upper, backwards, irstlm, infinite, prefaced, marked, remarks, tabs] {
            assert_eq!(model(&text).unwrap(), model(TINY).unwrap());
        }
        let latin1 = [b"Entra\xeen\xe9 en 2007\n\n", TINY.as_bytes()].concat();
        assert_eq!(NgramModel::read("tiny.arpa", latin1).unwrap(), model(TINY).unwrap());
        // IRSTLM omits back-offs of 0.
        let without_zeros = TINY.replace("\t0\n", "\n");
        assert_eq!(model(&without_zeros).unwrap(), model(TINY).unwrap());
        let without_unknown = TINY.replace("-2\t<unk>\t0\n", "").replace("ngram 1=10", "ngram 1=9");
        assert_eq!(
            log10(&without_unknown, "Braga"),
            f64::from(-0.39794f32 + -100.0) + f64::from(-0.69897f32)
        );
    }

    #[test]
    fn a_back_off_that_is_missing_is_read_as_0_with_a_note() {
        assert!(model(TINY).unwrap().notes().is_empty());
        let read = model(&TINY.replacen("the US\t-0.30103", "the US", 1)).unwrap();
        assert_eq!(read, model(&TINY.replacen("the US\t-0.30103", "the US\t0", 1)).unwrap());
        assert_eq!(
            read.notes(),
            ["tiny.arpa, line 23: the n-gram begins longer n-grams but has no back-off: read as 0"]
        );
    }

    #[test]
    fn a_history_that_is_missing_is_added_with_a_note_and_changes_no_score() {
        let without =
            |pruned: &str, count: &str| TINY.replacen(pruned, "", 1).replacen(count, "ngram 2=9", 1);
        let text = without("-0.22185\ttold us\t-0.30103\n", "ngram 2=10");
        assert_ne!(text.len(), TINY.len());
        let read = model(&text).unwrap();
        assert_eq!(
            read.notes(),
            [
                "tiny.arpa, line 34: the n-gram begins with words that are not an n-gram: their back-off is read as 0"
            ]
        );
        let scorer = read.scorer();
        let id = |word| read.vocabulary().id(word);
        let told = scorer.step(NgramState::EMPTY, id("told"));
        let us = scorer.step(NgramState::EMPTY, id("us"));
        let after = scorer.step(told.state, id("us"));
        // The scores are the same as in a file in which the history has the backed-off probability
        // and no back-off of its own.
        let mut back_off = f32::NAN;
        read.for_each(1, &mut |words, _, value| {
            if words == [id("told")] {
                back_off = value;
            }
        });
        assert!((after.log10 - (back_off + us.log10)).abs() < 1e-6);
        // A word that does not follow the added history is scored after the shorter history alone.
        let braga = WordId::UNKNOWN;
        assert_eq!(scorer.step(after.state, braga).log10, scorer.step(us.state, braga).log10);
        assert_eq!(read.counts(), [10, 10, 5]);
    }

    #[test]
    fn a_wrong_file_is_refused_with_its_line_and_the_cause() {
        let refused = |text: &str| model(text).unwrap_err().to_string();
        let changed = |from: &str, to: &str| {
            assert!(TINY.contains(from), "{from}");
            refused(&TINY.replacen(from, to, 1))
        };
        for (error, line, problem) in [
            (
                changed("ngram 2=10", "ngram 2=11"),
                32,
                "found 10 2-grams before this line, but the header promises 11",
            ),
            (changed("ngram 2=10", "ngram 3=10"), 5, "order 3 comes where order 2 is expected"),
            (
                changed("ngram 2=10", "ngram two"),
                5,
                "found \"ngram two\", but \"ngram ORDER=COUNT\" is expected",
            ),
            (changed("\\2-grams:", "\\3-grams:"), 20, "found \"\\3-grams:\", but \\2-grams: is expected"),
            (
                changed("-0.22185\ttold us", "NaN\ttold us"),
                27,
                "found \"NaN\", but a log10 probability is expected",
            ),
            (changed("-0.22185\ttold us", "inf\ttold us"), 27, "a log10 probability is expected"),
            (changed("-0.22185\ttold us", "-0,22185\ttold us"), 27, "a log10 probability is expected"),
            (
                changed("the US\t-0.30103", "the US\tNaN"),
                23,
                "found \"NaN\", but a log10 back-off is expected",
            ),
            (changed("ngram 3=5", "ngram 4=5"), 6, "order 4 comes where order 3 is expected"),
            (changed("ngram 3=5", "ngram 3=-5"), 6, "but \"ngram ORDER=COUNT\" is expected"),
            (changed("\\3-grams:", "\\2-grams:"), 32, "found \"\\2-grams:\", but \\3-grams: is expected"),
            (changed("-0.22185\ttold us", "0.5\ttold us"), 27, "log10 probability 0.5 is above 0"),
            (
                changed("the US </s>", "the US"),
                34,
                "found 2 words, but 3 are expected: the line or the file is cut off",
            ),
            (changed("told us the", "told us them"), 35, "the word \"them\" is not among the 1-grams"),
            (changed("the US </s>", "<s> The US"), 34, "this n-gram occurs in line 33 already"),
            (changed("-1\ttold\t", "-1\tUS\t"), 16, "this n-gram occurs in line 14 already"),
            (changed("in the US\n\n\\end\\", "in the US\n"), 38, "without \\end\\: it is cut off"),
            (changed("\\end\\", "\\4-grams:"), 39, "but \\end\\ is expected"),
            (refused("qARPA 3 256 256 256\n\\data\\\nngram 1=3\n"), 1, "is a quantized ARPA file"),
            (refused("iARPA\n\\data\\\nngram 1=3\n"), 1, "is an iARPA file"),
            (refused("The ministers met.\n"), 1, "found no line \\data\\"),
            (refused("\\data\\\nngram 1=3\n"), 2, "inside its header"),
        ] {
            assert!(
                error.starts_with(&format!("tiny.arpa, line {line}: ")) && error.contains(problem),
                "{error}"
            );
        }
        assert!(changed("-99\t<s>", "-99\t<S>").contains("not among"));
        for (head, problem) in [
            ("mmap lm http://kheafield.com/code format version 5\n", "binary of KenLM"),
            ("SRILM_BINARY_NGRAM_002\n", "binary of SRILM"),
            ("blmt 3 100\n", "binary of IRSTLM"),
            ("\u{1}\0\0\0", "is a binary file, but neither"),
            ("\u{7f}ELF\u{2}", "is a binary file, but neither"),
            ("", "is empty"),
        ] {
            assert!(refused(head).contains(problem), "{}", refused(head));
        }
        let none = TINY.lines().map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
            [probability, words, _] => format!("{probability}\t{words}\n"),
            _ => format!("{line}\n"),
        });
        assert!(refused(&none.collect::<String>()).contains("the last column is missing"));
    }

    #[test]
    fn numbers_are_printed_to_read_as_what_they_are() {
        let shown = |number: f32| {
            let mut out = Vec::new();
            push_number(number, &mut out);
            String::from_utf8(out).unwrap()
        };
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (-1e-8, "0"),
            (-1.5, "-1.5"),
            (-0.000_001, "-0.000001"),
            (-99.0, "-99"),
            (0.25, "0.25"),
        ] {
            assert_eq!(shown(number), expected);
        }
        for thousandth in 0..100_000 {
            let number = -(thousandth as f32).sqrt() / 30.0;
            assert!((shown(number).parse::<f32>().unwrap() - number).abs() <= 1e-6, "{number}");
        }
    }
}
