//! Encodings of Chinese, Japanese and Korean, in which most characters have codes of two bytes.

use encoding_rs::{DecoderResult, Encoding};

use super::encoding::{Codes, other_cases};

/// A double-byte encoding: the character of each code, and the codes of each character. Some
/// characters have several codes; a text keeps its own.
#[derive(Debug)]
pub struct DoubleByte {
    encoding: &'static Encoding,
    /// The characters of codes of one byte and of two, and of three without the first, by
    /// [`position`]; NUL means that there is no character.
    chars: Vec<char>,
    /// The code that is written for each character, as a big-endian number; sorted.
    codes: Vec<(char, u32)>,
    /// The letters that the encoding lacks, with the code of their other case; sorted.
    lacking: Vec<(char, u32)>,
    /// The characters with several codes, and their other cases; sorted.
    several: Vec<char>,
}

/// The encodings that are read.
const KNOWN: [&Encoding; 6] = [
    encoding_rs::SHIFT_JIS,
    encoding_rs::GBK,
    encoding_rs::GB18030,
    encoding_rs::BIG5,
    encoding_rs::EUC_JP,
    encoding_rs::EUC_KR,
];

/// The codes of Big5 for a letter with a combining mark.
const PAIRS: [(u32, char, char); 4] =
    [(0x8862, 'Ê', '\u{304}'), (0x8864, 'Ê', '\u{30c}'), (0x88a3, 'ê', '\u{304}'), (0x88a5, 'ê', '\u{30c}')];

/// The first byte of codes of three bytes in EUC-JP.
const TRIPLE: u8 = 0x8f;

impl DoubleByte {
    /// The encoding with a name of the WHATWG Encoding Standard; `None` for one that is not read.
    pub(super) fn new(encoding: &'static Encoding) -> Option<Self> {
        if !KNOWN.contains(&encoding) {
            return None;
        }
        let mut own = Self {
            encoding,
            chars: vec!['\0'; 2 << 16],
            codes: (0..=0x7f).map(|b| (char::from(b), u32::from(b))).collect(),
            lacking: Vec::new(),
            several: Vec::new(),
        };
        for lead in 0x80..=0xff {
            if own.learn(&[lead]) {
                continue;
            }
            for trail in 0x30..=0xff {
                own.learn(&[lead, trail]);
                if lead == TRIPLE && own.has_triples() && trail >= 0x80 {
                    (0x80..=0xff).for_each(|last| _ = own.learn(&[lead, trail, last]));
                }
                if (0x81..=0x84).contains(&lead) && own.is_second_of_four(trail) {
                    let last_two =
                        (0x81..=0xfe).flat_map(|third| (0x30..=0x39).map(move |last| [third, last]));
                    last_two.for_each(|[third, last]| _ = own.learn(&[lead, trail, third, last]));
                }
            }
        }
        own.codes.sort_unstable();
        let is_twin = |pair: &[(char, u32)]| (pair[0].0 == pair[1].0).then_some(pair[0].0);
        own.several = own.codes.windows(2).filter_map(is_twin).collect();
        own.several.dedup();
        // Of several codes, the one of the standard's encoder is written, if it has one.
        let written: Vec<Option<u32>> = own.several.iter().map(|&c| encoded(encoding, c)).collect();
        let (twins, codes) = (own.several.clone(), std::mem::take(&mut own.codes));
        own.codes = codes.clone();
        own.codes.dedup_by_key(|(c, _)| *c);
        for (c, code) in twins.into_iter().zip(written) {
            if let (Some(code), Ok(at)) = (code, own.codes.binary_search_by_key(&c, |&(c, _)| c))
                && codes.binary_search(&(c, code)).is_ok()
            {
                own.codes[at].1 = code;
            }
        }
        if encoding == encoding_rs::BIG5 {
            own.several.extend(PAIRS.iter().map(|&(_, letter, _)| letter));
        }
        let others: Vec<char> = own.several.iter().flat_map(|&c| other_cases(c)).collect();
        own.several.extend(others);
        own.several.sort_unstable();
        own.several.dedup();
        let others = own.codes.iter().flat_map(|&(c, code)| other_cases(c).map(move |other| (other, code)));
        own.lacking = others.filter(|&(c, _)| own.code(c).is_none()).collect();
        own.lacking.sort_unstable();
        own.lacking.dedup_by_key(|(c, _)| *c);
        Some(own)
    }

    /// Adds a code to the tables; returns false if no character has the code.
    fn learn(&mut self, code: &[u8]) -> bool {
        let Some(c) = decoded(self.encoding, code) else { return false };
        if let Some(at) = position(code) {
            self.chars[at] = c;
        }
        if self.mark(code).is_none() {
            self.codes.push((c, number(code)));
        }
        true
    }

    fn has_triples(&self) -> bool {
        self.encoding == encoding_rs::EUC_JP
    }

    fn is_second_of_four(&self, b: u8) -> bool {
        self.encoding == encoding_rs::GB18030 && b.is_ascii_digit()
    }

    /// The code of a character.
    fn code(&self, c: char) -> Option<u32> {
        match find(&self.codes, c) {
            None if self.encoding == encoding_rs::GB18030 => encoded(self.encoding, c),
            code => code,
        }
    }

    /// The character of a code of at most three bytes.
    fn known(&self, code: &[u8]) -> Option<char> {
        position(code).map(|at| self.chars[at]).filter(|&c| c != '\0')
    }
}

impl Codes for DoubleByte {
    fn name(&self) -> &'static str {
        self.encoding.name()
    }

    fn first(&self, bytes: &[u8]) -> Option<Result<(char, usize), usize>> {
        let lead = *bytes.first()?;
        if lead.is_ascii() {
            return Some(Ok((char::from(lead), 1)));
        }
        if let Some(c) = self.known(&[lead]) {
            return Some(Ok((c, 1)));
        }
        let invalid = |code: &[u8]| Err(1 + code[1..].iter().take_while(|b| !b.is_ascii()).count());
        let trail = *bytes.get(1)?;
        let (c, len) = if lead == TRIPLE && self.has_triples() && !trail.is_ascii() {
            (self.known(bytes.get(..3)?), 3)
        } else if self.is_second_of_four(trail) {
            (decoded(self.encoding, bytes.get(..4)?), 4)
        } else {
            (self.known(&[lead, trail]), 2)
        };
        Some(c.map(|c| (c, len)).ok_or(()).or_else(|()| invalid(&bytes[..len])))
    }

    fn mark(&self, code: &[u8]) -> Option<char> {
        let &(_, _, mark) = PAIRS.iter().find(|&&(pair, ..)| pair == number(code))?;
        (self.encoding == encoding_rs::BIG5).then_some(mark)
    }

    fn has_several(&self, c: char) -> bool {
        !c.is_ascii() && self.several.binary_search(&c).is_ok()
    }

    fn push(&self, c: char, source: Option<&[u8]>, out: &mut Vec<u8>) -> bool {
        let code = match source {
            Some(source) => match (self.first(source), self.mark(source)) {
                (Some(Ok((own, _))), Some(mark)) if own != c => {
                    PAIRS.iter().find(|pair| (pair.1, pair.2) == (c, mark)).map(|pair| pair.0)
                }
                (Some(Ok((own, _))), _) if own != c => self.code(c),
                // The text's own code, or invalid bytes.
                _ => {
                    out.extend(source);
                    return true;
                }
            },
            None => self.code(c),
        };
        code.map(|code| push(code, out)).is_some()
    }

    fn push_other_case(&self, c: char, out: &mut Vec<u8>) -> bool {
        find(&self.lacking, c).map(|code| push(code, out)).is_some()
    }
}

/// Appends the bytes of a code.
fn push(code: u32, out: &mut Vec<u8>) {
    let bytes = code.to_be_bytes();
    let zeros = bytes.iter().take_while(|&&b| b == 0).count().min(3);
    out.extend(&bytes[zeros..]);
}

fn find(codes: &[(char, u32)], c: char) -> Option<u32> {
    codes.binary_search_by_key(&c, |&(c, _)| c).ok().map(|at| codes[at].1)
}

/// The position of a code of at most three bytes in the table of characters.
fn position(code: &[u8]) -> Option<usize> {
    let at = |lead: u8, trail: u8| usize::from(lead) << 8 | usize::from(trail);
    match *code {
        [b] => Some(at(b, 0)),
        [lead, trail] => Some(at(lead, trail)),
        [_, second, third] => Some(1 << 16 | at(second, third)),
        _ => None,
    }
}

fn number(code: &[u8]) -> u32 {
    code.iter().fold(0, |number, &b| number << 8 | u32::from(b))
}

/// The first character of one whole code.
fn decoded(encoding: &'static Encoding, code: &[u8]) -> Option<char> {
    let mut text = [0; 16];
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (result, _, len) = decoder.decode_to_utf8_without_replacement(code, &mut text, true);
    let text = str::from_utf8(&text[..len]).ok().filter(|_| result == DecoderResult::InputEmpty)?;
    text.chars().next()
}

/// The code of a character in the standard's encoder.
fn encoded(encoding: &'static Encoding, c: char) -> Option<u32> {
    let mut code = [0; 8];
    let mut encoder = encoding.new_encoder();
    let text = c.encode_utf8(&mut [0; 4]).to_owned();
    let (result, _, len) = encoder.encode_from_utf8_without_replacement(&text, &mut code, true);
    (result == encoding_rs::EncoderResult::InputEmpty).then(|| number(&code[..len]))
}
