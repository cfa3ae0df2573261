//! A model as one small file, of about four bytes per n-gram: numbers of words as differences, and
//! values rounded to one of 256 levels.
//!
//! The file begins with `MAJUNGRC`, the format and the order (u32 each). Then follow the number of
//! words (u32), and each word except the special ones, preceded by its length, the most frequent
//! word first. Then follow the orders: the number of n-grams (u32), the levels of log10 p and, below
//! the highest order, the levels of the back-offs (a u16 and as many f32), and the n-grams. A 1-gram
//! is a byte for each of its values. Longer n-grams are sorted: for each history that has any, the
//! number of histories skipped before it and the number of its words; for each word the number of
//! words skipped before it and a byte for each value. A CRC-32 of everything before it comes last.
//! Lengths and numbers without a type are encoded as [`varint`]; all others are little-endian.
//!
//! A model is opened by reading all of it, at about 100 ns per n-gram.

use std::io::{self, Write};

use super::binary::{ALTERED, CUT_OFF, check};
use super::table::{LittleEndian, NgramTableBuilder};
use super::vocab::{SPECIAL, Vocabulary, WordId};
use super::{MAX_ORDER, NgramModel};
use majuscule_base::bytes::varint;

const MAGIC: &[u8; 8] = b"MAJUNGRC";

/// The format that this build writes and reads.
const FORMAT: u32 = 1;

/// The largest number of levels of a value.
const LEVELS: usize = 256;

/// Below this value, only the lowest value gets a level: files have -99 for log10 of 0.
const LEAST: f32 = -10.0;

/// Returns true if a file that begins with these bytes is meant to be a compact model.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Writes a model. If an order has more than 256 distinct values, they are rounded, so that
/// probabilities no longer sum to exactly one; a back-off of 0 stays exact.
///
/// # Errors
/// Returns an error if `out` cannot be written.
pub fn write(model: &NgramModel, out: &mut dyn Write) -> io::Result<()> {
    let words = by_frequency(model);
    let mut numbers = vec![0; words.len()];
    (0..).zip(&words).for_each(|(number, word)| numbers[word.0 as usize] = number);
    let mut bytes = MAGIC.to_vec();
    for number in [FORMAT, model.order() as u32, words.len() as u32] {
        bytes.extend(number.to_le_bytes());
    }
    for &word in &words[SPECIAL.len()..] {
        let word = model.vocabulary().word(word);
        varint::put(word.len() as u32, &mut bytes);
        bytes.extend(word.as_bytes());
    }
    let mut shorter = SortedNgrams::default();
    for order in 1..=model.order() {
        let ngrams = SortedNgrams::of(model, order, &numbers);
        ngrams.write(&shorter, order == model.order(), &mut bytes);
        shorter = ngrams;
    }
    let checksum = crc32fast::hash(&bytes);
    out.write_all(&bytes)?;
    out.write_all(&checksum.to_le_bytes())
}

/// Returns the special words and all others, the most frequent ones first.
fn by_frequency(model: &NgramModel) -> Vec<WordId> {
    let mut frequencies = vec![f32::NEG_INFINITY; model.vocabulary().len()];
    model.for_each(1, &mut |words, log10, _| frequencies[words[0].0 as usize] = log10);
    let mut words: Vec<WordId> = (0..frequencies.len() as u32).map(WordId).collect();
    words[SPECIAL.len()..].sort_by(|a, b| frequencies[b.0 as usize].total_cmp(&frequencies[a.0 as usize]));
    words
}

/// The n-grams of one order, sorted by the numbers of their words.
#[derive(Debug, Default)]
struct SortedNgrams {
    order: usize,
    words: Vec<u32>,
    /// log10 p and the back-off of each.
    values: Vec<[f32; 2]>,
}

impl SortedNgrams {
    fn of(model: &NgramModel, order: usize, numbers: &[u32]) -> Self {
        let mut rows: Vec<([u32; MAX_ORDER], [f32; 2])> = Vec::new();
        model.for_each(order, &mut |words, log10, back_off| {
            let mut row = [0; MAX_ORDER];
            row.iter_mut().zip(words).for_each(|(number, word)| *number = numbers[word.0 as usize]);
            rows.push((row, [log10, back_off]));
        });
        rows.sort_unstable_by_key(|row| row.0);
        let words = rows.iter().flat_map(|(words, _)| &words[..order]).copied().collect();
        Self { order, words, values: rows.into_iter().map(|(_, values)| values).collect() }
    }

    fn words(&self, at: usize) -> &[u32] {
        &self.words[at * self.order..][..self.order]
    }

    fn write(&self, shorter: &Self, is_highest: bool, bytes: &mut Vec<u8>) {
        bytes.extend((self.values.len() as u32).to_le_bytes());
        let kinds = if is_highest { 1 } else { 2 };
        let levels: Vec<ValueLevels> =
            (0..kinds).map(|kind| ValueLevels::of(self.values.iter().map(|values| values[kind]))).collect();
        levels.iter().for_each(|levels| levels.write(bytes));
        let put = |values: &[f32; 2], bytes: &mut Vec<u8>| {
            bytes.extend(levels.iter().zip(values).map(|(levels, &value)| levels.nearest(value)));
        };
        if self.order == 1 {
            return self.values.iter().for_each(|values| put(values, bytes));
        }
        let (mut at, mut history, mut next) = (0, 0, 0);
        while at < self.values.len() {
            let before = &self.words(at)[..self.order - 1];
            while shorter.words(history) != before {
                history += 1;
            }
            let alike = (at..self.values.len()).take_while(|&at| self.words(at)[..self.order - 1] == *before);
            let end = at + alike.count();
            varint::put((history - next) as u32, bytes);
            varint::put((end - at) as u32, bytes);
            next = history + 1;
            let mut expected = 0;
            for at in at..end {
                let word = self.words(at)[self.order - 1];
                varint::put(word - expected, bytes);
                put(&self.values[at], bytes);
                expected = word + 1;
            }
            at = end;
        }
    }
}

/// The values that numbers are rounded to, in ascending order.
#[derive(Debug)]
struct ValueLevels(Vec<f32>);

impl ValueLevels {
    /// Returns all distinct values if they are few, or else 0, the lowest value, and evenly spaced
    /// levels. Levels at quantiles would raise the perplexity of text by 4 %, because text consists
    /// of the rare n-grams of high probability; even spacing has no measurable cost.
    fn of(values: impl Iterator<Item = f32>) -> Self {
        let mut levels: Vec<f32> = values.collect();
        levels.sort_unstable_by(f32::total_cmp);
        levels.dedup();
        if let ([least, .., most], true) = (&*levels, levels.len() > LEVELS) {
            let (least, most) = (*least, *most);
            let (from, steps) = (least.max(LEAST), LEVELS - 3);
            let step = |at: usize| from + (most - from) * at as f32 / steps as f32;
            levels = (0..=steps).map(step).chain([least, 0.0]).collect();
            levels.sort_unstable_by(f32::total_cmp);
            levels.dedup();
        }
        Self(levels)
    }

    fn nearest(&self, value: f32) -> u8 {
        let above = self.0.partition_point(|&level| level < value).min(self.0.len() - 1);
        let below = above.saturating_sub(1);
        let is_below = (value - self.0[below]).abs() < (self.0[above] - value).abs();
        (if is_below { below } else { above }) as u8
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend((self.0.len() as u16).to_le_bytes());
        self.0.iter().for_each(|level| bytes.extend(level.to_le_bytes()));
    }
}

/// Reads a model; the error describes the problem with the bytes.
pub(super) fn read(bytes: &[u8]) -> Result<NgramModel, String> {
    let mut file = CompactFile { bytes, at: MAGIC.len() };
    let format = file.number().ok_or(CUT_OFF)?;
    if format != FORMAT {
        return Err(format!(
            "compact language model format {format}, but this build reads {FORMAT}: convert it again with lm convert --compact"
        ));
    }
    check(bytes)?;
    file.bytes = &bytes[..bytes.len() - size_of::<LittleEndian>()];
    let model = file.model().ok_or(ALTERED)?;
    if file.at == file.bytes.len() { Ok(model) } else { Err(ALTERED.to_owned()) }
}

/// A file being read.
#[derive(Debug)]
struct CompactFile<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> CompactFile<'a> {
    /// Reads everything after the format; `None` if it is not the content of a model.
    fn model(&mut self) -> Option<NgramModel> {
        let order = usize::try_from(self.number()?).ok().filter(|order| (1..=MAX_ORDER).contains(order))?;
        let vocabulary = self.vocabulary()?;
        let count = vocabulary.len() as u32;
        if self.number()? != count {
            return None;
        }
        let levels = self.levels(order == 1)?;
        let unigrams = (0..count).map(|_| self.values(&levels)).collect::<Option<Vec<_>>>()?;
        let mut builder = NgramTableBuilder::new(order, unigrams.into_iter());
        let mut histories = count;
        for longer in 2..=order {
            histories = self.ngrams(&mut builder, histories, count, longer == order)?;
        }
        Some(NgramModel::new(vocabulary, builder.finish()))
    }

    fn vocabulary(&mut self) -> Option<Vocabulary> {
        let (mut vocabulary, count) = (Vocabulary::new(), self.number()?);
        for number in SPECIAL.len() as u32..count {
            let len = varint::take(self.bytes, &mut self.at)? as usize;
            let word = str::from_utf8(self.take(len)?).ok()?;
            if vocabulary.insert(word) != WordId(number) {
                return None;
            }
        }
        Some(vocabulary)
    }

    /// Reads the n-grams of an order, given the number of shorter n-grams and the number of words.
    /// Returns the number of n-grams read.
    fn ngrams(
        &mut self,
        builder: &mut NgramTableBuilder,
        histories: u32,
        words: u32,
        is_highest: bool,
    ) -> Option<u32> {
        let count = self.number()?;
        let levels = self.levels(is_highest)?;
        // An n-gram takes two bytes at least.
        builder.reserve((count as usize).min(self.bytes.len() / 2));
        let (mut next, mut left) = (0u32, count);
        while left > 0 {
            let history = next.checked_add(varint::take(self.bytes, &mut self.at)?)?;
            let followers = varint::take(self.bytes, &mut self.at)?;
            left = left.checked_sub(followers.max(1))?;
            if history >= histories {
                return None;
            }
            next = history + 1;
            builder.begin(history);
            let mut expected = 0u32;
            for _ in 0..followers {
                let word = expected.checked_add(varint::take(self.bytes, &mut self.at)?)?;
                if word >= words {
                    return None;
                }
                let (log10, back_off) = self.values(&levels)?;
                builder.push(word, log10, back_off);
                expected = word + 1;
            }
        }
        builder.end_order().ok()?;
        Some(count)
    }

    /// Reads the levels of log10 p and, below the highest order, the levels of back-offs.
    fn levels(&mut self, is_highest: bool) -> Option<[Vec<f32>; 2]> {
        let mut levels = || {
            let count = u16::from_le_bytes(*self.take(2)?.first_chunk()?);
            let cells = self.take(usize::from(count) * size_of::<f32>())?.as_chunks().0;
            let levels: Vec<f32> = cells.iter().map(|&cell| f32::from_le_bytes(cell)).collect();
            levels.iter().all(|level| level.is_finite()).then_some(levels)
        };
        let log10 = levels()?;
        let back_offs = if is_highest { vec![] } else { levels()? };
        log10.iter().all(|&level| level <= 0.0).then_some([log10, back_offs])
    }

    /// Reads log10 p and the back-off of an n-gram.
    fn values(&mut self, [log10, back_offs]: &[Vec<f32>; 2]) -> Option<(f32, f32)> {
        let mut value = |levels: &[f32]| levels.get(usize::from(self.take(1)?[0])).copied();
        let log10 = value(log10)?;
        Some((log10, if back_offs.is_empty() { 0.0 } else { value(back_offs)? }))
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.take(size_of::<u32>())?.first_chunk()?))
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..)?.get(..len)?;
        self.at += len;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::{self, altered, cut_off, tiny};

    fn written(model: &NgramModel) -> Vec<u8> {
        samples::written(model, write)
    }

    fn arpa(model: &NgramModel) -> Vec<String> {
        let arpa = String::from_utf8(samples::written(model, crate::arpa::write)).unwrap();
        let mut lines: Vec<String> = arpa.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn a_model_of_few_values_stays_as_it_is() {
        let bytes = written(&tiny());
        let model = NgramModel::read("tiny", bytes.clone()).unwrap();
        assert_eq!(arpa(&model), arpa(&tiny()));
        assert_eq!(written(&model), bytes);
        assert!(bytes.len() < include_bytes!("../../../lm/tiny.arpa").len() / 2, "{}", bytes.len());
        for sentence in [["told", "us", "the", "US"], ["The", "Lisbon", "no", "us"]] {
            assert_eq!(model.scorer().sentence(sentence), tiny().scorer().sentence(sentence));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

        #[test]
        fn many_values_are_rounded_a_little(seed in 1u32..1000, words in 2usize..2000) {
            let value = |at: usize| -0.001 - ((at as u32 * 7919 + seed * 31) % 6007) as f32 / 1000.0;
            let mut text = format!("\\data\\\nngram 1={}\nngram 2={words}\n\n\\1-grams:\n", words + 3);
            text += "-99\t<s>\t-0.5\n-2\t</s>\t0\n-3\t<unk>\t0\n";
            (0..words).for_each(|at| text += &format!("{}\tw{at}\t{}\n", value(at), value(at + 1) / 9.0));
            text += "\n\\2-grams:\n";
            (0..words).for_each(|at| text += &format!("{}\tw{at} w{}\n", value(at + 2), at * 7 % words));
            text += "\n\\end\\\n";
            let model = NgramModel::read("many.arpa", text.into_bytes()).unwrap();
            let small = NgramModel::read("small", written(&model)).unwrap();
            prop_assert_eq!(small.counts(), model.counts());
            for at in (0..words).step_by(7) {
                let words = [format!("w{at}"), format!("w{}", at * 7 % words), format!("w{}", at / 2)];
                let log10 = |model: &NgramModel| model.scorer().sentence(words.iter().map(String::as_str)).log10;
                // Steps between levels are 6 / 255, and a sentence has eight values at most.
                prop_assert!((log10(&small) - log10(&model)).abs() < 0.2);
            }
        }

        #[test]
        fn altered_bytes_break_nothing(changes in prop::collection::vec((12..600usize, any::<u8>()), 1..6)) {
            let mut bytes = written(&tiny());
            let body = bytes.len() - 4;
            for (at, byte) in changes {
                bytes[at % body] = byte;
            }
            let checksum = crc32fast::hash(&bytes[..body]).to_le_bytes();
            bytes[body..].copy_from_slice(&checksum);
            if let Ok(model) = NgramModel::read("altered", bytes) {
                model.scorer().sentence(["told", "us", "the", "US", "no word"]);
                arpa(&model);
            }
        }
    }

    #[test]
    fn a_file_that_is_cut_off_or_altered_is_refused() {
        let bytes = written(&tiny());
        for part in cut_off(&bytes, MAGIC.len()) {
            assert!(read(part).is_err(), "{} of {} bytes", part.len(), bytes.len());
        }
        for (at, altered) in altered(&bytes, MAGIC.len()) {
            assert!(read(&altered).is_err(), "byte {at}");
        }
        let mut newer = bytes;
        newer[MAGIC.len()] = 2;
        assert!(read(&newer).unwrap_err().contains("format 2, but this build reads 1"));
    }
}
