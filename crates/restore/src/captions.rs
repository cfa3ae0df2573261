//! Live captions: each record is written as soon as all its words are certain.

use std::collections::VecDeque;
use std::sync::Arc;

use super::stream::Incoming;
use super::{Done, Streaming, Take};
use majuscule_base::error::Result;
use majuscule_format::PlacedMark;
use majuscule_format::{Format, Id, LiveRecord, LiveRecords};
use majuscule_text::RestoreOptions;
use majuscule_text::restorer::Restorer;

/// The largest number of earlier records, and of their bytes, kept so that a revision can replace
/// one of them; the last record is kept whatever its length.
const RECORDS: usize = 256;
const CONTEXT: usize = 1 << 11;

/// The number of bytes before a replaced record that are pushed again, about eighty words. No
/// method looks back much further. The limit bounds the cost of a record, however many records came
/// before it.
const LEFT: usize = 1 << 9;

/// Restores records while they arrive. Law: records are written in the order in which they came,
/// each once, with no changes except case and inserted marks, however the bytes are cut.
///
/// The words of all records form one text, as [`Stream`] restores it. A revision, which has the
/// [`Id`] of an earlier record, replaces that record. If the earlier record still waits, it is
/// written with the context available so far. The words that follow are restored with the revision
/// before them. The work for a record is bounded by its own length: only the last records are kept,
/// and a revision of an older record counts as a new record.
pub struct CaptionStreamReader {
    reader: LiveRecords,
    /// Starts another text.
    begin: Box<dyn Fn() -> Result<Incoming> + Send>,
    incoming: Incoming,
    options: RestoreOptions,
    /// The records of the text whose output is not complete, and the output so far.
    waiting: VecDeque<Waiting>,
    restored: String,
    /// The marks inserted into the output, each with its position in the output of all texts;
    /// `written` is the position where `restored` begins.
    marks: VecDeque<PlacedMark>,
    written: usize,
    /// The records whose words come before the next record.
    context: VecDeque<(Option<Id>, String)>,
    taken: u64,
    done: Done,
}

/// A record whose output is not complete, with its length in characters; or a record already
/// written that was pushed again to a new text.
struct Waiting {
    chars: usize,
    caption: Option<LiveRecord>,
}

impl CaptionStreamReader {
    /// Starts records of a format; `name` is their name in errors.
    ///
    /// # Errors
    /// Fails like [`Stream::new`], and if the format has no records that can come one by one.
    pub fn new(
        name: impl Into<String>,
        kind: Format,
        method: Arc<dyn Restorer>,
        options: RestoreOptions,
    ) -> Result<Self> {
        let name = name.into();
        let reader = LiveRecords::new(&*name, kind, &options)?;
        let begin = move || Incoming::start(&*name, kind, method.clone(), options.clone(), |request| request);
        let incoming = begin()?;
        Ok(Self {
            reader,
            options: incoming.options().clone(),
            incoming,
            begin: Box::new(begin),
            waiting: VecDeque::new(),
            restored: String::new(),
            marks: VecDeque::new(),
            written: 0,
            context: VecDeque::new(),
            taken: 0,
            done: Done::default(),
        })
    }

    fn read(&mut self, ended: bool, out: &mut Vec<u8>) -> Result<()> {
        loop {
            match self.reader.next(ended) {
                Ok(Some(caption)) => self.take(caption, out)?,
                Ok(None) => return Ok(()),
                Err(error) => {
                    self.pass(out, Incoming::now)?;
                    return Err(error);
                }
            }
        }
    }

    fn take(&mut self, caption: LiveRecord, out: &mut Vec<u8>) -> Result<()> {
        if caption.begins {
            self.end_text(out)?;
            self.incoming = (self.begin)()?;
            self.context.clear();
        }
        let replaced = caption.id.as_ref().and_then(|id| {
            self.context
                .iter()
                .position(|(earlier, _)| earlier.as_ref().is_some_and(|earlier| id.replaces(earlier)))
        });
        if let (Some(at), Some(id)) = (replaced, &caption.id) {
            self.pass(out, Incoming::now)?;
            self.incoming = (self.begin)()?;
            self.context.retain(|(earlier, _)| !earlier.as_ref().is_some_and(|earlier| id.replaces(earlier)));
            let left = self.left_of(at);
            self.say(&left, None)?;
            let text = caption.text.clone();
            let id = id.clone();
            self.say(&text, Some(caption))?;
            let after = self.context.split_off(at);
            for (_, text) in &after {
                self.say(text, None)?;
            }
            self.context.push_back((Some(id), text));
            self.context.extend(after);
            self.forget();
        } else {
            let text = caption.text.clone();
            if !text.is_empty() {
                self.context.push_back((caption.id.clone(), text.clone()));
                self.forget();
            }
            self.say(&text, Some(caption))?;
        }
        self.write(out);
        Ok(())
    }

    /// Processes the next words: the words of a new record, or of a record that is already written.
    fn say(&mut self, text: &str, caption: Option<LiveRecord>) -> Result<()> {
        self.restore(|incoming, take| incoming.push(text.as_bytes(), take))?;
        self.waiting.push_back(Waiting { chars: text.chars().count(), caption });
        Ok(())
    }

    /// Returns the last words of the records before record `at`.
    fn left_of(&self, at: usize) -> String {
        let mut left: Vec<&str> = Vec::new();
        let mut len = 0;
        for (_, text) in self.context.iter().take(at).rev() {
            if len >= LEFT {
                break;
            }
            // The end of a long record, from the beginning of a word.
            let from = text.len().saturating_sub(LEFT - len);
            let from = (from..text.len()).find(|&at| {
                at == 0 || text.is_char_boundary(at) && text[..at].ends_with(char::is_whitespace)
            });
            left.push(&text[from.unwrap_or(text.len())..]);
            len += text.len();
        }
        left.iter().rev().copied().collect()
    }

    /// Drops the oldest records if there are too many.
    fn forget(&mut self) {
        let mut len: usize = self.context.iter().map(|(_, text)| text.len()).sum();
        while (len > CONTEXT || self.context.len() > RECORDS) && self.context.len() > 1 {
            len -= self.context.pop_front().map_or(0, |(_, text)| text.len());
        }
    }

    fn end_text(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.pass(out, |incoming, take| incoming.finish(take)?)
    }

    /// Restores text as `read` passes it on, and appends the records that are then complete.
    fn pass(
        &mut self,
        out: &mut Vec<u8>,
        read: impl FnOnce(&mut Incoming, &mut Take<'_>) -> Result<()>,
    ) -> Result<()> {
        self.restore(read)?;
        self.write(out);
        Ok(())
    }

    fn restore(&mut self, read: impl FnOnce(&mut Incoming, &mut Take<'_>) -> Result<()>) -> Result<()> {
        let Self { incoming, options, .. } = self;
        let (mut restored, mut marks) = (Vec::new(), Vec::new());
        read(incoming, &mut |piece, decisions| {
            piece.write_apart(decisions, options, &mut restored, &mut marks);
            Ok(())
        })?;
        let begun = self.written + self.restored.len();
        self.marks.extend(marks.into_iter().map(|mark| PlacedMark { at: mark.at + begun, ..mark }));
        self.restored.push_str(&String::from_utf8_lossy(&restored));
        Ok(())
    }

    /// Appends the records whose output is complete.
    fn write(&mut self, out: &mut Vec<u8>) {
        loop {
            let Some(first) = self.waiting.front() else { return };
            let Some(end) = end_of(&self.restored, first.chars) else { return };
            let Some(Waiting { caption, .. }) = self.waiting.pop_front() else { return };
            let marks = self.take_marks(end);
            if let Some(caption) = caption {
                let from = out.len();
                caption.write(&self.restored[..end], &marks, out);
                self.done = self.done
                    + Done {
                        words: self.restored[..end].split_whitespace().count() as u64,
                        bytes: caption.bytes().len() as u64,
                        changed: out[from..] != *caption.bytes(),
                    };
            }
            self.restored.drain(..end);
            self.written += end;
        }
    }

    /// Removes and returns the marks in the first `end` bytes of the unwritten output.
    fn take_marks(&mut self, end: usize) -> Vec<PlacedMark> {
        let (from, mut marks) = (self.written, Vec::new());
        while let Some(mark) = self.marks.pop_front_if(|mark| mark.is_within(from + end)) {
            marks.push(mark.after(from));
        }
        marks
    }
}

impl Streaming for CaptionStreamReader {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.taken += bytes.len() as u64;
        self.reader.push(bytes);
        self.read(false, out)
    }

    fn now(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.pass(out, Incoming::pause)
    }

    fn tail(&mut self) -> Result<Vec<u8>> {
        let (mut tail, mut tail_marks) = (Vec::new(), Vec::new());
        let Self { incoming, options, .. } = self;
        let rest = incoming.guess(&mut |piece, decisions| {
            piece.write_apart(decisions, options, &mut tail, &mut tail_marks);
        })?;
        tail.extend_from_slice(rest);
        let text = format!("{}{}", self.restored, String::from_utf8_lossy(&tail));
        let mut marks: VecDeque<PlacedMark> =
            self.marks.iter().map(|mark| mark.after(self.written)).collect();
        let moved = |mark: PlacedMark| PlacedMark { at: mark.at + self.restored.len(), ..mark };
        marks.extend(tail_marks.into_iter().map(moved));
        let (mut rest, mut out) = (text.as_str(), Vec::new());
        for Waiting { chars, caption } in &self.waiting {
            let begin = text.len() - rest.len();
            let (record, after) = rest.split_at(end_of(rest, *chars).unwrap_or(rest.len()));
            rest = after;
            let mut put = Vec::new();
            while let Some(mark) = marks.pop_front_if(|mark| mark.is_within(begin + record.len())) {
                put.push(mark.after(begin));
            }
            if let Some(caption) = caption {
                caption.write(record, &put, &mut out);
            }
        }
        Ok(out)
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Done> {
        self.read(true, out)?;
        self.end_text(out)?;
        Ok(self.done())
    }

    fn taken(&self) -> u64 {
        self.taken
    }

    fn done(&self) -> Done {
        self.done
    }
}

/// Returns the end of the first `chars` characters in bytes, if there are that many.
fn end_of(text: &str, chars: usize) -> Option<usize> {
    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(chars)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use majuscule_text::restorer::{Boundary, Request, Session};
    use majuscule_text::tokenize::Capitalized;
    use majuscule_text::{Case, Choice, Label, Labels, Tokens};

    /// Capitalizes a word before `b` and a word after `a`: it looks at one word on either side.
    struct Neighbours(Labels, AtomicUsize);

    struct Near<'a> {
        words: Vec<String>,
        given: usize,
        look_ahead: usize,
        /// The number of words pushed to all sessions.
        seen: &'a AtomicUsize,
    }

    impl Restorer for Neighbours {
        fn labels(&self) -> &Labels {
            &self.0
        }

        fn look_ahead(&self) -> Option<usize> {
            Some(1)
        }

        fn session(&self, request: Request) -> Box<dyn Session + '_> {
            let look_ahead = request.look_ahead.unwrap_or(1);
            Box::new(Near { words: Vec::new(), given: 0, look_ahead, seen: &self.1 })
        }
    }

    impl Session for Near<'_> {
        fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
            self.seen.fetch_add(tokens.len(), Ordering::Relaxed);
            self.words.extend(tokens.iter().map(|(lower, _)| lower.to_owned()));
            let wait = if matches!(end, Boundary::Force | Boundary::Reset) { 0 } else { self.look_ahead };
            while self.given + wait < self.words.len() {
                let is = |at: Option<usize>, word: &str| {
                    at.and_then(|at| self.words.get(at)).is_some_and(|w| w == word)
                };
                let next = if self.look_ahead > 0 { Some(self.given + 1) } else { None };
                let title = is(self.given.checked_sub(1), "a") || is(next, "b");
                let case = if title { Case::Title } else { Case::Lower };
                out.push(Label::from(case).into());
                self.given += 1;
            }
            Ok(())
        }
    }

    fn ignoring() -> RestoreOptions {
        RestoreOptions::default().capitalized(Capitalized::Ignore)
    }

    /// Returns the output after each line, and at the end.
    fn heard(kind: Format, lines: &[&str], look_ahead: usize) -> Vec<String> {
        let method = Arc::new(Neighbours(Labels::cases(), AtomicUsize::new(0)));
        let options = ignoring().look_ahead(Some(look_ahead));
        let mut stream = CaptionStreamReader::new("data", kind, method.clone(), options).unwrap();
        let mut heard = Vec::new();
        for line in lines {
            let mut out = Vec::new();
            stream.push(format!("{line}\n").as_bytes(), &mut out).unwrap();
            heard.push(String::from_utf8(out).unwrap());
        }
        let mut out = Vec::new();
        let done = stream.finish(&mut out).unwrap();
        heard.push(String::from_utf8(out).unwrap());
        assert_eq!((done.bytes, stream.taken()), (heard.concat().len() as u64, heard.concat().len() as u64));
        heard
    }

    fn object(id: u32, text: &str) -> String {
        format!("{{\"id\":{id},\"text\":\"{text}\"}}")
    }

    /// Returns the texts of the objects written after each of these records, and at the end,
    /// separated by strokes.
    fn texts(records: &[(u32, &str)], look_ahead: usize) -> Vec<String> {
        let lines: Vec<String> = records.iter().map(|(id, text)| object(*id, text)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let text = |line: &str| line.split('"').nth(5).unwrap().to_owned();
        let texts = |out: String| out.lines().map(text).collect::<Vec<_>>().join("|");
        heard(Format::Jsonl, &lines, look_ahead).into_iter().map(texts).collect()
    }

    #[test]
    fn a_record_comes_out_once_its_words_are_certain() {
        assert_eq!(texts(&[(1, "a"), (2, "c d"), (3, "b"), (4, "")], 1), ["", "a", "C D", "", "b|"]);
        assert_eq!(texts(&[(1, "a"), (2, "c d"), (3, "b"), (4, "")], 0), ["a", "C d", "b", "", ""]);
        let lines = ["r 1 0 1 a", ";; x", "r 1 1 .5 [noise]", "r 1 2 1 c 0.5", "s 1 0 1 d"];
        assert_eq!(
            heard(Format::Ctm, &lines, 1),
            ["", "", "", "r 1 0 1 a\n;; x\nr 1 1 .5 [noise]\n", "r 1 2 1 C 0.5\n", "s 1 0 1 d\n"]
        );
    }

    #[test]
    fn a_record_that_is_revised_takes_the_place_of_its_words() {
        // With `a` before it, `z` would have a capital.
        assert_eq!(texts(&[(1, "x"), (2, "a"), (2, "z"), (3, "y")], 1), ["", "x", "a", "z", "y"]);
        // A partial record is written with the words available when the next one comes.
        assert_eq!(texts(&[(1, "a"), (1, "a c"), (1, "a c b")], 1), ["", "a", "a C", "a C b"]);
        // The words after an earlier record are not written again, but have the new words before
        // them.
        assert_eq!(
            texts(&[(1, "a"), (2, "c"), (1, "x"), (3, "d"), (2, "a"), (4, "b")], 1),
            ["", "a", "C|x", "", "d|a", "", "b"]
        );
    }

    #[test]
    fn a_word_that_begins_no_later_takes_the_place_of_those_after_it() {
        let lines = ["r 1 0 1 a", "r 1 1 1 c", "r 1 0 1.5 x", "r 1 1.5 1 y", "r 1 2.5 0 z"];
        let words: Vec<String> = heard(Format::Ctm, &lines, 1)
            .iter()
            .map(|out| out.replace("r 1 ", "").replace('\n', "|"))
            .collect();
        assert_eq!(words, ["", "0 1 a|", "1 1 C|", "0 1.5 x|", "1.5 1 y|", "2.5 0 z|"]);
    }

    #[test]
    fn a_record_costs_the_same_however_many_came_before() {
        let object = |id: usize, text: &str| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n");
        let words = |records: usize, record: &dyn Fn(usize) -> String| {
            let method = Arc::new(Neighbours(Labels::cases(), AtomicUsize::new(0)));
            let mut stream =
                CaptionStreamReader::new("data", Format::Jsonl, method.clone(), ignoring()).unwrap();
            let mut out = Vec::new();
            (0..records).for_each(|at| stream.push(record(at).as_bytes(), &mut out).unwrap());
            stream.finish(&mut out).unwrap();
            let records_in: String = (0..records).map(record).collect();
            assert_eq!(String::from_utf8(out).unwrap().to_lowercase(), records_in.to_lowercase());
            method.1.load(Ordering::Relaxed)
        };
        // Each is pushed, and pushed again without words.
        let empty =
            |at: usize| object(at / 2, if at.is_multiple_of(2) { "we met them all here" } else { "" });
        // One grows for ever; each is revised; an older one is revised.
        let same = |at: usize| object(7, ["so we", "so we met", "we"][at % 3]);
        let revised = |at: usize| object(at / 3, ["so", "so we met", "so we met them"][at % 3]);
        let older =
            |at: usize| object(if at.is_multiple_of(2) { at } else { at.saturating_sub(9) }, "so we met");
        for record in [&empty as &dyn Fn(usize) -> String, &same, &revised, &older] {
            // Measured once the number of kept records has reached its limit.
            let [few, many, more] = [500, 1000, 1500].map(|records| words(records, record));
            assert!(more - many <= (many - few) * 101 / 100, "{few}, {many}, {more} words");
            assert!(more - many <= 500 * (LEFT + CONTEXT) / 4, "{few}, {many}, {more} words");
        }
    }

    #[test]
    fn a_long_record_that_is_revised_is_in_mind() {
        let long = "c ".repeat(CONTEXT) + "a";
        assert_eq!(texts(&[(1, &long), (1, "a"), (2, "c")], 1)[3], "C");
    }

    #[test]
    fn records_do_not_depend_on_how_their_bytes_arrive() {
        let lines =
            [object(1, "a c \\u00e9"), object(1, "a b"), String::new(), object(2, "é a")].join("\r\n");
        let whole = stepped(lines.as_bytes(), usize::MAX);
        assert!(whole.contains("\"A B\"") && whole.to_lowercase() == lines.to_lowercase(), "{whole}");
        for step in 1..9 {
            assert_eq!(stepped(lines.as_bytes(), step), whole);
        }
    }

    fn stepped(bytes: &[u8], step: usize) -> String {
        let (method, mut out) = (Arc::new(Neighbours(Labels::cases(), AtomicUsize::new(0))), Vec::new());
        let mut stream = CaptionStreamReader::new("data", Format::Jsonl, method.clone(), ignoring()).unwrap();
        bytes.chunks(step.min(bytes.len())).for_each(|part| stream.push(part, &mut out).unwrap());
        stream.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_came_before_a_broken_record_comes_out() {
        let method = Arc::new(Neighbours(Labels::cases(), AtomicUsize::new(0)));
        let mut stream = CaptionStreamReader::new("data", Format::Jsonl, method.clone(), ignoring()).unwrap();
        let mut out = Vec::new();
        let error =
            stream.push(format!("{}\n{{\"id\": 2\n", object(1, "a")).as_bytes(), &mut out).unwrap_err();
        assert!(error.to_string().starts_with("data, line 2, column 9: found the end"), "{error}");
        assert_eq!(String::from_utf8(out).unwrap(), object(1, "a") + "\n");
    }
}
