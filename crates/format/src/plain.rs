//! Plain text: the whole file is words, punctuation and white space.

use std::collections::VecDeque;

use super::buffer::{Buffer, LONGEST, PART, not_utf8, part_len, starts_char, text};
use super::grammar::Grammar;
use super::info::FormatInfo;
use super::kind::Format;
use super::line_parts::LineParts;
use super::piece::{Piece, PieceReader};
use super::segment::{self, Item, LocatedItem, LossKind, Losses, Lost, Segment, SegmentInfo};
use super::transcript::Fault;
use majuscule_base::error::Result;
use majuscule_base::files::Input;
use majuscule_text::code::{CodeFinder, Notation};
use majuscule_text::divided_word::undivided_lines;
use majuscule_text::markup::whole_lines;
use majuscule_text::tokenize::{Cut, Tokenizer};
use majuscule_text::{Break, Context, MarkForm, RestoreOptions};

/// Plain text.
pub(super) const TEXT: FormatInfo = FormatInfo {
    example: "the <b>bbc</b> met\r\nin NEW york, as u.s. who?\n",
    extensions: &["txt", "text"],
    media_types: &["text/plain"],
    longest_line: LONGEST,
    grammar: Some(|_| Ok(Box::new(TextLines))),
    reader: Some(|input, options| Box::new(Plain::new(input, options))),
    has_paragraphs: true,
    has_context: true,
    has_sentence_lines: true,
    is_cut_by_lines: true,
    segments: Some(&TEXT_LINES),
    ..FormatInfo::LINES
};

/// The format that a name and the first bytes indicate; plain text if they indicate none.
pub(super) const AUTO: FormatInfo = FormatInfo {
    extensions: &[],
    media_types: &["application/octet-stream"],
    has_context: false,
    has_sentence_lines: false,
    segments: None,
    ..TEXT
};

/// Tokenised text.
pub(super) const TOK: FormatInfo = FormatInfo {
    example: "the bbc met in NEW york , as u.s . who ?\n",
    shown: "tokenised text",
    extensions: &["tok"],
    media_types: &[],
    mark_form: |asked| Ok(asked.unwrap_or(MarkForm::Apart)),
    is_tokenised: true,
    has_paragraphs: false,
    has_context: false,
    segments: Some(&TOK_LINES),
    ..TEXT
};

/// Lines.
static TEXT_LINES: SegmentInfo = SegmentInfo { writer: Ok(|| Box::new(PlainWriter)), ..SegmentInfo::LINES };

/// Lines of tokens.
static TOK_LINES: SegmentInfo =
    SegmentInfo { format: Format::Tok, writer: Ok(|| Box::new(PlainWriter)), ..SegmentInfo::LINES };

/// Plain text, read from any input.
#[derive(Debug)]
pub struct Plain<'a> {
    buffer: Buffer<'a>,
    options: RestoreOptions,
    tokenizer: Tokenizer,
    /// The number of bytes of the buffer searched for line feeds; `whole` counts the bytes of whole
    /// lines.
    searched: usize,
    whole: usize,
    /// True inside a run without white space that is longer than a part; such a run is not treated as text.
    in_run: bool,
    /// The number of lines returned; `columns` counts the characters of the last one, for errors.
    lines: u64,
    columns: u64,
    /// The piece with [`NO_TEXT`] for bytes that are not UTF-8.
    mended: Vec<u8>,
    /// Finds the code of the text; `view` is the piece without its code.
    code: CodeFinder,
    view: String,
}

impl<'a> Plain<'a> {
    /// Reads plain text.
    pub fn new(input: Input<'a>, options: RestoreOptions) -> Self {
        let code = CodeFinder::new(input.name(), options.context == Context::Line);
        Self {
            buffer: Buffer::new(input),
            tokenizer: Tokenizer::new(options.locale(), options.language(), options.capitalized)
                .putting_marks(options.puts().is_some())
                .noting_marks(options.notes_marks())
                .of_lines(options.context == Context::Line)
                .of_markup(options.context != Context::Line)
                .of_speakers(true)
                .knowing(options.vocabulary())
                .of_notation(code.notation()),
            options,
            searched: 0,
            whole: 0,
            in_run: false,
            lines: 0,
            columns: 0,
            mended: Vec::new(),
            code,
            view: String::new(),
        }
    }

    /// Returns the number of bytes at the beginning of the buffer that are whole and short lines.
    fn short_lines(&mut self) -> usize {
        if let Some(last) = self.buffer.bytes[self.searched..].iter().rposition(|&b| b == b'\n') {
            self.whole = self.searched + last + 1;
        }
        self.searched = self.buffer.bytes.len();
        if self.whole <= PART {
            return self.whole;
        }
        let lines = self.buffer.bytes[..self.whole].split_inclusive(|&b| b == b'\n');
        lines.take_while(|line| part_len(line, PART) == line.len()).map(<[u8]>::len).sum()
    }

    /// Shortens the first `len` bytes, which are whole lines, so that no tag or word continues after them. Returns
    /// their number.
    fn separate_lines(&self, mut len: usize) -> usize {
        let Buffer { bytes, ended, .. } = &self.buffer;
        if self.code.notation() == Notation::Markdown && !(*ended && len == bytes.len()) {
            len = paragraphs_len(&bytes[..len]);
        }
        loop {
            let separate = undivided_lines(bytes, whole_lines(bytes, len, *ended), *ended);
            if separate == len {
                return len;
            }
            len = separate;
        }
    }

    /// Moves `len` bytes, which end at the end of a line or of the file, from the buffer to the piece.
    fn take_lines(&mut self, len: usize, piece: &mut Piece) -> Result<()> {
        piece.source.extend_from_slice(&self.buffer.bytes[..len]);
        let text = text(&piece.source, &mut self.mended, self.options.lossy)
            .map_err(|_| not_utf8(self.buffer.input.name(), self.lines, self.columns, &piece.source))?;
        let text = self.code.view(text, &mut self.view);
        self.tokenizer.read(text, 0, Cut::Whole, &mut piece.tokens);
        self.options.spellings.fix(&piece.source, 0, true, &mut piece.tokens);
        // No later text can change this part.
        piece.after = if self.options.context == Context::Line { Break::Document } else { Break::Line };
        self.advance(len, piece);
        Ok(())
    }

    /// Moves a part of a line, at most `len` bytes, to the piece; the part ends in white space if it has any.
    fn take_part(&mut self, len: usize, piece: &mut Piece) -> Result<()> {
        piece.source.extend_from_slice(&self.buffer.bytes[..len]);
        let text = text(&piece.source, &mut self.mended, self.options.lossy)
            .map_err(|_| not_utf8(self.buffer.input.name(), self.lines, self.columns, &piece.source))?;
        let before = self.tokenizer.clone();
        let mut done = self.tokenizer.read(text, 0, Cut::Partial, &mut piece.tokens);
        if done == text.len() && !text.ends_with(char::is_whitespace) {
            self.in_run = true;
            self.tokenizer = before;
            self.tokenizer.pass();
            piece.tokens.clear();
        } else {
            let settled = self.options.spellings.fix(&piece.source, 0, false, &mut piece.tokens);
            if let Some(waiting) = piece.tokens.as_slice().get(settled) {
                // A phrase may continue in the next part: this one ends before the run in which the
                // phrase begins.
                let phrase = waiting.source.start as usize;
                let run = text[..phrase].char_indices().rev().find(|(_, c)| c.is_whitespace());
                if let Some((at, space)) = run {
                    done = at + space.len_utf8();
                    self.tokenizer = before;
                    piece.tokens.clear();
                    self.tokenizer.read(&text[..done], 0, Cut::Partial, &mut piece.tokens);
                }
                self.options.spellings.fix(&piece.source, 0, true, &mut piece.tokens);
            }
        }
        piece.source.truncate(done);
        piece.after = Break::Space;
        self.advance(done, piece);
        Ok(())
    }

    /// Moves the rest of a run that is not text to the piece, up to the end of the buffer.
    fn take_run(&mut self, piece: &mut Piece) {
        let chunks = self.buffer.bytes.utf8_chunks();
        let mut end = 0;
        for chunk in chunks {
            if let Some(space) = chunk.valid().find(char::is_whitespace) {
                self.in_run = false;
                end += space;
                break;
            }
            end += chunk.valid().len();
            // Bytes that look invalid at the very end may be an incomplete character.
            if end + chunk.invalid().len() == self.buffer.bytes.len() && !self.buffer.ended {
                break;
            }
            end += chunk.invalid().len();
        }
        piece.source.extend_from_slice(&self.buffer.bytes[..end]);
        piece.after = Break::None;
        self.advance(end, piece);
    }

    /// Removes the `len` bytes of the piece from the buffer, and counts them.
    fn advance(&mut self, len: usize, piece: &mut Piece) {
        piece.gap = self.tokenizer.gap();
        self.buffer.bytes.drain(..len);
        self.searched = self.searched.saturating_sub(len);
        self.whole = self.whole.saturating_sub(len);
        let lines = count(&piece.source, |b| b == b'\n');
        self.lines += lines;
        self.columns = if lines > 0 { 0 } else { self.columns + count(&piece.source, starts_char) };
    }
}

impl PieceReader for Plain<'_> {
    fn next(&mut self, piece: &mut Piece) -> Result<bool> {
        piece.clear();
        loop {
            if self.in_run {
                self.take_run(piece);
                if !piece.source.is_empty() {
                    return Ok(true);
                }
            }
            if !self.in_run {
                let short = self.short_lines();
                let done = match self.options.context {
                    Context::Line => short,
                    _ => self.separate_lines(short),
                };
                if done > 0 {
                    self.take_lines(done, piece)?;
                    return Ok(true);
                }
                // A part is processed once text follows it, so that no character is cut in two. A tag may
                // continue on the line.
                let line = &self.buffer.bytes[short..];
                if part_len(line, PART) < line.len() {
                    let part = part_len(&self.buffer.bytes, PART);
                    self.take_part(part, piece)?;
                    return Ok(true);
                }
            }
            if self.buffer.ended {
                break;
            }
            self.buffer.fill()?;
        }
        let rest = self.buffer.bytes.len();
        if rest == 0 {
            return Ok(false);
        }
        self.take_lines(rest, piece)?;
        piece.after = Break::Document;
        Ok(true)
    }
}

/// Returns the number of bytes of the whole paragraphs at the beginning of these lines: the last line may be a
/// heading, which only the line after it shows. If no paragraph ends in the lines, returns 0, or all bytes if they
/// are many.
fn paragraphs_len(lines: &[u8]) -> usize {
    let mut end = lines.len();
    for line in lines.split_inclusive(|b| *b == b'\n').rev() {
        if line.trim_ascii().is_empty() {
            return end;
        }
        end -= line.len();
    }
    if lines.len() > PART / 2 { lines.len() } else { 0 }
}

/// Reads plain text line by line: each line is a separate text.
#[derive(Debug)]
struct TextLines;

impl Grammar for TextLines {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        parts.push(0..line.len(), Some(Break::Line));
        Ok(())
    }

    fn items(&mut self, line: &str, number: u64, out: &mut VecDeque<LocatedItem>) -> Result<(), Fault> {
        let segment = Segment { text: line.to_owned(), ..Segment::default() };
        out.push_back(LocatedItem::new(Item::Segment(segment), line, number, vec![(LossKind::Text, 0)]));
        Ok(())
    }
}

fn count(bytes: &[u8], what: impl Fn(u8) -> bool) -> u64 {
    bytes.iter().filter(|&&b| what(b)).count() as u64
}

/// Writes text line by line.
#[derive(Debug)]
struct PlainWriter;

impl segment::SegmentWriter for PlainWriter {
    fn conform(&mut self, mut segment: Segment, losses: &mut Losses) -> Result<Vec<Segment>, Lost> {
        segment.keep(losses.to.parts, losses)?;
        Ok(vec![segment])
    }

    fn write(&mut self, item: &Item, out: &mut String) {
        if let Item::Segment(segment) = item {
            out.push_str(&segment.text);
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_base::files::Dribble;
    use majuscule_text::{Case, Constraint, Locale, MarkSet, Spellings};

    fn input(bytes: &[u8], step: usize) -> Input<'_> {
        Input::new("text", Dribble::new(bytes, step)).unwrap()
    }

    type Word = (String, bool, Constraint);

    fn read(bytes: &[u8], step: usize, options: RestoreOptions) -> Result<(Vec<u8>, Vec<Word>)> {
        let mut plain = Plain::new(input(bytes, step), options);
        let mut piece = Piece::default();
        let (mut sources, mut words) = (Vec::new(), Vec::new());
        while plain.next(&mut piece)? {
            sources.extend_from_slice(&piece.source);
            words.extend(
                piece.tokens.iter().map(|(lower, token)| (lower.to_owned(), token.starts, token.constraint)),
            );
        }
        Ok((sources, words))
    }

    #[test]
    fn pieces_do_not_depend_on_how_the_bytes_arrive() {
        let mut text = "One line. two\n".repeat(3);
        for i in 0..40_000 {
            text += if i % 7 == 0 { "NÃO é. new york " } else { "palavra new " };
        }
        text += "\n";
        text += &"x,".repeat(100_000);
        // A space of three bytes, which do not all arrive together.
        text += "\u{2003}tail ends";
        let spellings = Spellings::read(b"New York City\nNew York", "words", Locale::Root).unwrap();
        let options = || RestoreOptions::default().spellings(spellings.clone());
        let whole = read(text.as_bytes(), usize::MAX, options()).unwrap();
        assert_eq!(whole.0, text.as_bytes());
        assert_eq!(whole.1[whole.1.len() - 2].0, "tail");
        assert_eq!(whole.1.last().unwrap().0, "ends");
        for step in [1, 4097, 65_536] {
            let parts = read(text.as_bytes(), step, options()).unwrap();
            assert_eq!(parts.1.iter().zip(&whole.1).position(|(a, b)| a != b), None, "steps of {step} bytes");
            assert_eq!(parts.1.len(), whole.1.len(), "steps of {step} bytes");
            assert!(parts.0 == whole.0);
        }
    }

    #[test]
    fn words_that_go_on_in_another_line_do_not_depend_on_how_the_bytes_arrive() {
        let text =
            format!("we met soft\u{ad}\nly and hard-\nly-\r\n\nso- {}\nwe\u{ad}\n", "a-\nb ".repeat(30_000));
        let whole = read(text.as_bytes(), usize::MAX, RestoreOptions::default()).unwrap();
        assert_eq!(whole.1[2].0, "softly");
        for step in [1, 7, 4097] {
            assert!(read(text.as_bytes(), step, RestoreOptions::default()).unwrap() == whole, "{step}");
        }
    }

    #[test]
    fn tags_that_go_on_in_another_line_are_no_text() {
        let long = "we met ".repeat(PART / 5);
        let text = format!(
            "so <p class=\"intro\"\n   id=\"s1\">we met</p> a <b and\nthen <i\n\nno <a\nb=\"{}\n{long}<p\na=b>x\n<br\n/>{long}\n<x\ny=z",
            "c".repeat(2000)
        );
        let whole = read(text.as_bytes(), usize::MAX, RestoreOptions::default()).unwrap();
        let words: Vec<&str> = whole.1.iter().map(|(word, ..)| word.as_str()).collect();
        assert_eq!(words[..12], ["so", "we", "met", "a", "b", "and", "then", "i", "no", "a", "b", "we"]);
        assert_eq!(words[words.len() - 3..], ["x", "y", "z"]);
        assert_eq!(words.iter().filter(|word| **word == "x").count(), 2);
        for step in [1, 7, 4097] {
            let parts = read(text.as_bytes(), step, RestoreOptions::default()).unwrap();
            let differs = parts.1.iter().zip(&whole.1).position(|(a, b)| a != b);
            assert_eq!((differs, parts.1.len()), (None, whole.1.len()), "steps of {step} bytes");
        }
        let apart = RestoreOptions::default().context(Context::Line);
        let words = read(b"so <p\na=b>we", 1, apart).unwrap().1;
        assert_eq!(
            words.iter().map(|(word, ..)| word.as_str()).collect::<Vec<_>>(),
            ["so", "p", "a", "b", "we"]
        );
        let text = b"{y:i}h<i>e</i>llo".repeat(3);
        let words = read(&text, 1, RestoreOptions::default()).unwrap().1;
        assert_eq!(words.iter().map(|(word, ..)| word.as_str()).collect::<Vec<_>>(), ["hellohellohello"]);
    }

    const DIALOGUE: &str = "0:00\nso we met in the\n0:03\nlarge house\n\nbob: is it cold? no\nANN: it is\nnote: this is so\n\
        [00:00:09] mrs alvarez: i grew\nSPEAKER 1:\nso it is\nQ. did you\nA. yes\nSpeaker 2  0:09\nso\n\
        12/11/2026, 10:02 - jmoreno: hi\n[10:02] <ana> hi\nthe answer: so\n";

    #[test]
    fn a_sentence_begins_behind_a_label_and_none_behind_a_time() {
        let (source, words) = read(DIALOGUE.as_bytes(), usize::MAX, RestoreOptions::default()).unwrap();
        assert_eq!(source, DIALOGUE.as_bytes());
        let starts: Vec<&str> =
            words.iter().filter(|(_, starts, _)| *starts).map(|(word, ..)| word.as_str()).collect();
        let expected = [
            "bob", "is", "no", "ann", "it", "mrs", "alvarez", "i", "speaker", "1", "so", "q", "did", "a",
            "yes", "speaker", "2", "0:09", "so", "jmoreno", "hi", "hi",
        ];
        assert_eq!(starts, expected);
        let times = words.iter().filter(|(word, ..)| word.contains(':')).count();
        assert_eq!(times, 1);
        let upper = |word: &str| words.iter().find(|(lower, ..)| lower == word).unwrap().2;
        assert_eq!(upper("ann"), Constraint::Kept(Case::Upper));
        assert_eq!(upper("bob"), Constraint::Kept(Case::Title));
        for step in [1, 3, 40] {
            assert_eq!(read(DIALOGUE.as_bytes(), step, RestoreOptions::default()).unwrap().1, words);
        }
    }

    #[test]
    fn no_mark_has_a_place_in_a_label_or_behind_it() {
        let options = RestoreOptions::default().marks(MarkSet::USUAL);
        let mut plain = Plain::new(input(DIALOGUE.as_bytes(), usize::MAX), options);
        let mut piece = Piece::default();
        assert!(plain.next(&mut piece).unwrap());
        let open: Vec<&str> =
            piece.tokens.iter().filter(|(_, token)| token.gap.is_none()).map(|(lower, _)| lower).collect();
        for closed in ["is", "alvarez", "i", "1", "did", "yes", "hi"] {
            let open = open.iter().filter(|word| **word == closed).count();
            let all = piece.tokens.iter().filter(|(word, _)| *word == closed).count();
            // `is` also is inside text.
            assert!(open < all, "{closed}");
        }
        for word in ["large", "ann", "mrs", "speaker", "q", "a", "jmoreno"] {
            assert!(open.contains(&word), "{word}");
        }
    }

    #[test]
    fn encodings_of_seven_bits_are_refused() {
        for (text, column) in [
            (&b"so\nit \x1b$B$3$s\x1b(B is"[..], 4),
            (b"so\nit is\x1b$)C\x0e0!\x0f", 6),
            (b"so\n~{VPND~} a", 1),
        ] {
            for step in [1, usize::MAX] {
                let error = read(text, step, RestoreOptions::default()).unwrap_err().to_string();
                let start = format!("text, line 2, column {column}: found ");
                assert!(error.starts_with(&start) && error.contains("encoding of"), "{error}");
            }
            assert!(read(text, 1, RestoreOptions::default().lossy(true)).is_ok());
        }
        for text in [&b"\x1b[1mso\x1b[0m"[..], b"a~{b c}~} ~{} ~", b"~{abc~}", b"~{a,/b~}"] {
            assert!(read(text, 1, RestoreOptions::default()).is_ok());
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_named_or_passed_through() {
        let bytes = b"first\nsecond \xe9l\xe8ve line";
        let error = read(bytes, 4, RestoreOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with("text, line 2, column 8: byte 0xe9 is not UTF-8"), "{error}");
        let (source, words) = read(bytes, 4, RestoreOptions::default().lossy(true)).unwrap();
        assert_eq!(source, bytes);
        assert_eq!(
            words.iter().map(|(word, ..)| word.as_str()).collect::<Vec<_>>(),
            ["first", "second", "line"]
        );
    }

    #[test]
    fn memory_stays_flat_on_bytes_that_begin_no_character() {
        let bytes = vec![0x80; 2_000_000];
        let options = RestoreOptions::default().lossy(true);
        let mut plain = Plain::new(input(&bytes, usize::MAX), options);
        let (mut piece, mut len) = (Piece::default(), 0);
        while plain.next(&mut piece).unwrap() {
            len += piece.source.len();
            assert!(plain.buffer.bytes.capacity() < 1 << 20);
        }
        assert_eq!(len, bytes.len());
    }
}
