//! Files of counted n-grams, so that a corpus can be counted in pieces on many machines and trained
//! on later.
//!
//! The head holds `MAJUCNTS`, then as u32 the format version, the order, the number of words
//! including the three special ones, and the length of the rest of the head; the number of words
//! and sentence ends of the text (u64); a description of how the text was split into words,
//! terminated by a 0; for each word its count (u64) and its text, terminated by a 0; and a CRC-32
//! of everything so far. The n-grams of the highest order follow in blocks (see
//! `count::GramEncoder`), as they are counted: each sentence begins after order - 1 times `<s>`.
//! Each block is preceded by its length (u32) and followed by its CRC-32; a length of 0 ends the
//! file. All numbers are little-endian.

use std::io::{self, Write};
use std::path::Path;

use super::count::{Grams, Key, PAD, Wide, decode, word_bits, words_of};
use super::spill::{BLOCK, Memory};
use super::words::{Content, JobStage, KnownWords, TextPreparation, TrainingText};
use crate::numbers;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::{self, Input};
use majuscule_lm::MAX_ORDER;
use majuscule_lm::vocab::{SPECIAL, Vocabulary, WordId};

const MAGIC: &[u8; 8] = b"MAJUCNTS";

/// The format version that this build writes and reads.
const FORMAT: u32 = 1;

/// The number of bytes up to and including the field that holds the length of the rest of the head.
const FIXED: usize = MAGIC.len() + 4 * 4 + 8;

impl TrainingText {
    /// Opens files of counts. A model trained on them equals a model trained on the counted texts
    /// in the same order.
    ///
    /// # Errors
    /// If a file cannot be read or is not a valid file of counts, or if the files do not fit
    /// together.
    pub fn open(files: &[impl AsRef<Path>], memory: &Memory) -> Result<Self> {
        files::check_inputs(files)?;
        let inputs = files.iter().map(files::open).collect::<Result<Vec<_>>>()?;
        Self::of_counts(inputs, memory)
    }

    /// Like [`TrainingText::open`], for one file in memory, which errors call `name`.
    ///
    /// # Errors
    /// Like [`TrainingText::open`].
    pub fn of_bytes(name: &str, bytes: Vec<u8>, memory: &Memory) -> Result<Self> {
        Self::of_counts(vec![Input::new(name, io::Cursor::new(bytes))?], memory)
    }

    fn of_counts(inputs: Vec<Input<'static>>, memory: &Memory) -> Result<Self> {
        let mut text: Option<Self> = None;
        for input in inputs {
            let (counted, words, vocabulary, counts) = CountsFile::open(input)?;
            let made = TextPreparation { words, order: Some(counted.order) };
            let text =
                text.get_or_insert_with(|| Self::new(counted.input.name().to_owned(), made.clone(), memory));
            if text.made.words != made.words {
                let problem = format!(
                    "contains counts of {}, but {} contains counts of {}: count both with the same settings",
                    made.words, text.name, text.made.words
                );
                return Err(Error::file(counted.input.name(), problem));
            }
            text.made.order = text.made.order.min(made.order);
            text.add(Content::Counted(counted), &vocabulary, &counts);
        }
        let text = text.ok_or_else(|| Error::usage("no counts are named: expected at least one file"))?;
        text.check("expected counts of a text that has some")
    }

    /// Writes the count of each n-gram of this order, and of the shorter ones at the beginnings of
    /// sentences.
    ///
    /// # Errors
    /// If the text has no counts of this order, or if `out` cannot be written; `refused`
    /// converts the error of `out`.
    pub fn write_counts(
        self,
        order: usize,
        out: &mut dyn Write,
        refused: &dyn Fn(io::Error) -> Error,
        progress: &mut dyn FnMut(JobStage) -> Result<()>,
    ) -> Result<()> {
        self.check_order(order)?;
        let (vocabulary, numbers, _) = self.numbered(&KnownWords::All, false)?;
        let mut counts = vec![0; vocabulary.len()];
        numbers.iter().zip(&self.counts).for_each(|(&number, &count)| counts[number as usize] += count);
        let Self { made, parts, memory, .. } = self;
        let tokens = parts.iter().map(|part| part.content.len()).sum();
        out.write_all(&head(order, tokens, &made.words, &vocabulary, &counts)).map_err(refused)?;
        let bits = word_bits(vocabulary.len());
        let mut write = |block: &[u8]| {
            let bytes = &block[..block.len() - PAD];
            let len = (bytes.len() as u32).to_le_bytes();
            [&len, bytes, &crc32fast::hash(bytes).to_le_bytes()]
                .iter()
                .try_for_each(|part| out.write_all(part))
        };
        macro_rules! rows {
            ($key:ty) => {{
                let grams: Grams<$key> = Self::count(parts, order, &numbers, bits, &memory, progress)?;
                grams.into_blocks(&mut |block| write(block).map_err(refused))?;
            }};
        }
        match bits * order as u32 {
            0..=64 => rows!(u64),
            65..=128 => rows!(u128),
            _ => rows!(Wide),
        }
        out.write_all(&0u32.to_le_bytes()).map_err(refused)
    }

    /// Refuses an order that the counts do not cover.
    pub(super) fn check_order(&self, order: usize) -> Result<()> {
        if !(1..=MAX_ORDER).contains(&order) {
            return Err(wrong_order(order));
        }
        match self.made.order {
            Some(counted) if counted < order => Err(Error::usage(format!(
                "order {order}, but {} holds counts up to order {counted}: count again with {} {order}, or train a lower order",
                self.name,
                option("order")
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the n-gram order of the counts, or `None` if the text was not counted before.
    pub fn order(&self) -> Option<usize> {
        self.made.order
    }
}

/// Returns the error for an order that no model has.
pub(super) fn wrong_order(order: usize) -> Error {
    Error::usage(format!("order {order}: expected a number from 1 to {MAX_ORDER}"))
}

fn head(order: usize, tokens: u64, made: &str, vocabulary: &Vocabulary, counts: &[u64]) -> Vec<u8> {
    let mut rest = made.as_bytes().to_vec();
    rest.push(0);
    for (word, count) in vocabulary.iter().zip(counts) {
        rest.extend(count.to_le_bytes());
        rest.extend(word.bytes());
        rest.push(0);
    }
    let mut head = MAGIC.to_vec();
    for number in [FORMAT, order as u32, vocabulary.len() as u32, rest.len() as u32] {
        head.extend(number.to_le_bytes());
    }
    head.extend(tokens.to_le_bytes());
    head.extend(rest);
    head.extend(crc32fast::hash(&head).to_le_bytes());
    head
}

/// A file of counts whose head has been read.
#[derive(Debug)]
pub(super) struct CountsFile {
    input: Input<'static>,
    order: usize,
    words: u32,
    /// The number of words and sentence ends of the text.
    pub(super) tokens: u64,
}

impl CountsFile {
    /// Reads the head of a file: the description of how the text was split into words, the words, and the
    /// count of each.
    fn open(mut input: Input<'static>) -> Result<(Self, String, Vocabulary, Vec<u64>)> {
        let begin = exact(&mut input, FIXED);
        let name = input.name().to_owned();
        let wrong = |problem: String| Error::file(name.as_str(), problem);
        let Some(rest) = begin.as_ref().ok().and_then(|begin| begin.strip_prefix(MAGIC)) else {
            return Err(wrong("is not a file of counts: expected one written by lm count".to_owned()));
        };
        let number = |at: usize| rest[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let [format, order, words, len] = [0, 4, 8, 12].map(number);
        let tokens = u64::from(number(16)) | u64::from(number(20)) << 32;
        if format != FORMAT {
            let cure = if format > FORMAT { "use a newer majuscule" } else { "count again" };
            return Err(wrong(format!("format of counts {format}, but this build reads {FORMAT}: {cure}")));
        }
        let order = order as usize;
        let body = exact(&mut input, len as usize)?;
        let checksum = exact(&mut input, 4)?;
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&begin?);
        hasher.update(&body);
        if checksum != hasher.finalize().to_le_bytes() || !(1..=MAX_ORDER).contains(&order) {
            return Err(altered(&name));
        }
        let (made, vocabulary, counts) = vocabulary(&body, words).ok_or_else(|| altered(&name))?;
        Ok((Self { input, order, words, tokens }, made, vocabulary, counts))
    }
}

/// Parses the description of how the text was split into words, the words, and the count of each.
fn vocabulary(mut body: &[u8], words: u32) -> Option<(String, Vocabulary, Vec<u64>)> {
    let text = |body: &mut &[u8]| {
        let end = body.iter().position(|&byte| byte == 0)?;
        let text = str::from_utf8(&body[..end]).ok()?.to_owned();
        *body = &body[end + 1..];
        Some(text)
    };
    let made = text(&mut body)?;
    let mut vocabulary = Vocabulary::new();
    let mut counts = Vec::new();
    for id in 0..words {
        let (count, rest) = body.split_first_chunk()?;
        body = rest;
        let word = text(&mut body)?;
        // Words are distinct, so each gets its position as its number.
        if word.is_empty()
            || word.contains(|c: char| c.is_ascii_whitespace())
            || vocabulary.insert(&word) != WordId(id)
        {
            return None;
        }
        counts.push(u64::from_le_bytes(*count));
    }
    // The sum of the counts must not overflow.
    let sum = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count))?;
    (body.is_empty() && counts.len() >= SPECIAL.len() && sum < 1 << 48).then_some((made, vocabulary, counts))
}

impl CountsFile {
    /// Passes the words of each n-gram and its count to `visit`.
    pub(super) fn for_each(self, visit: &mut dyn FnMut(&[WordId], u32) -> Result<()>) -> Result<()> {
        match word_bits(self.words as usize) * self.order as u32 {
            0..=64 => self.rows::<u64>(visit),
            65..=128 => self.rows::<u128>(visit),
            _ => self.rows::<Wide>(visit),
        }
    }

    fn rows<K: Key>(mut self, visit: &mut dyn FnMut(&[WordId], u32) -> Result<()>) -> Result<()> {
        let bits = word_bits(self.words as usize);
        let mut before = None;
        let mut left = self.tokens;
        while let Some(block) = self.block()? {
            let (mut at, mut key) = (0, K::default());
            while at + PAD < block.len() {
                let row = decode(&block, &mut at, key, false).filter(|row: &(K, u32, u32)| {
                    at + PAD <= block.len() && before.is_none_or(|before| before < row.0) && row.1 > 0
                });
                let Some((next, seen, _)) = row else { return Err(altered(self.input.name())) };
                (key, before) = (next, Some(next));
                let words = &words_of(key, self.order, bits)[..self.order];
                let sound =
                    self.is_sound(words) && key.shift((self.order as u32 - 1) * bits).part(0) == words[0].0;
                left = match left.checked_sub(u64::from(seen)) {
                    Some(left) if sound => left,
                    _ => return Err(altered(self.input.name())),
                };
                visit(words, seen)?;
            }
        }
        if left > 0 || self.input.read(&mut [0])? > 0 {
            return Err(altered(self.input.name()));
        }
        Ok(())
    }

    /// Returns true if the n-gram can occur in a text: it has known words, `<s>` only at its
    /// beginning, and `</s>` only at its end.
    fn is_sound(&self, words: &[WordId]) -> bool {
        let [inside @ .., last] = words else { return false };
        let mut begun = inside.iter().skip_while(|&&word| word == WordId::START);
        words.iter().all(|word| word.0 < self.words)
            && *last != WordId::START
            && !begun.any(|&word| word == WordId::START || word == WordId::END)
    }

    /// Reads the next block and adds the padding that a decoder needs. Returns `None` at the end.
    fn block(&mut self) -> Result<Option<Vec<u8>>> {
        let len =
            exact(&mut self.input, 4)?.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)) as usize;
        if len == 0 {
            return Ok(None);
        }
        if len > BLOCK {
            return Err(altered(self.input.name()));
        }
        let mut block = exact(&mut self.input, len)?;
        if exact(&mut self.input, 4)? != crc32fast::hash(&block).to_le_bytes() {
            return Err(altered(self.input.name()));
        }
        block.extend([0; PAD]);
        Ok(Some(block))
    }
}

fn altered(name: &str) -> Error {
    Error::file(name, "the counts were altered: copy the file again, or count again")
}

/// Reads exactly `len` bytes.
fn exact(input: &mut Input<'_>, len: usize) -> Result<Vec<u8>> {
    numbers::exact(input, len)?.ok_or_else(|| {
        Error::file(input.name(), "the counts are cut off: copy the file again, or count again")
    })
}
